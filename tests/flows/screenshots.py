"""A page as it looks at three widths, light and dark: each look is saved and handed on, for axe and for eyes."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, StorageState, ViewportSize

VIEWPORTS: list[ViewportSize] = [
    {"width": 360, "height": 740},
    {"width": 768, "height": 1024},
    {"width": 1440, "height": 1000},
]
SCHEMES: list[Literal["light", "dark"]] = ["light", "dark"]


def looks(
    browser: Browser, url: str, *, name: str, folder: Path, session: StorageState | None = None
) -> Iterator[tuple[str, Page]]:
    """The page's looks as (label, open page); `session` is a logged-in context's `storage_state()`."""
    for scheme, viewport in product(SCHEMES, VIEWPORTS):
        context = browser.new_context(
            viewport=viewport, color_scheme=scheme, reduced_motion="reduce", storage_state=session
        )
        page = context.new_page()
        page.goto(url)
        label = f"{name}-{viewport['width']}-{scheme}"
        page.screenshot(path=folder / f"{label}.png")
        yield label, page
        context.close()


def sideways(page: Page) -> int:
    """By how many pixels the page scrolls sideways; none is right."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
