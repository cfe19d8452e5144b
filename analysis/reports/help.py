"""Help on a report: the piece of docs/statistics.md that its numbers come from, as a page shows it."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

STATISTICS = Path(__file__).resolve().parents[2] / "docs" / "statistics.md"
PIECES: Mapping[str, str] = {
    "agreement": "Agreement",
    "systems": "Scores of systems",
    "metrics": "Metrics against people",
    "slices": "Slices",
    "doubt": "When not to trust a number",
}


@cache
def piece(key: str) -> tuple[str, str] | None:
    """Return title and HTML of a piece; None where there is none. Links, which lead to files, are plain text."""
    title = PIECES.get(key)
    if title is None or not STATISTICS.exists():
        return None
    _before, heading, after = STATISTICS.read_text(encoding="utf-8").partition(f"\n## {title}\n")
    if not heading:
        return None
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    for rule in ("link_open", "link_close"):
        markdown.add_render_rule(rule, _nothing)
    return title, markdown.render(after.partition("\n## ")[0])


def _nothing(*_given: Any) -> str:
    return ""
