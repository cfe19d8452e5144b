"""Help on a report: the piece of the docs that its numbers come from, as a page shows
it."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from django.conf import settings
from markdown_it import MarkdownIt

FIRST_PAGE, STATISTICS = "statistics.md", "statistics-methods.md"
GUIDE = "guide/researchers.md"
PIECES: Mapping[str, tuple[str, str]] = {  # file and heading
    "material": (GUIDE, "1. Import your dataset"),
    "planning": (GUIDE, "2. Plan a campaign"),
    "judging": (GUIDE, "3. Let people judge"),
    "report": (GUIDE, "4. Read the report"),
    "published": (GUIDE, "5. Published studies again"),
    "agreement": (STATISTICS, "Agreement"),
    "systems": (STATISTICS, "Scores of systems"),
    "metrics": (STATISTICS, "Correlation with human ratings"),
    "slices": (STATISTICS, "Slices"),
    "doubt": (FIRST_PAGE, "When not to trust a number"),
}


@cache
def piece(key: str) -> tuple[str, str] | None:
    """Return title and HTML of a piece; None where there is none. Links, which lead to files, are
    plain text."""
    name, title = PIECES.get(key, ("", ""))
    path = settings.DOCS / name
    if not path.is_file():
        return None
    _before, heading, after = path.read_text(encoding="utf-8").partition(f"\n## {title}\n")
    if not heading:
        return None
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    for rule in ("link_open", "link_close"):
        markdown.add_render_rule(rule, _nothing)
    return title, markdown.render(after.partition("\n## ")[0])


def _nothing(*_given: Any) -> str:
    return ""
