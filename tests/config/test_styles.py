"""Rules that all style sheets of the pages follow."""

import re
from pathlib import Path

import pytest

STYLES = Path(__file__).resolve().parents[2] / "static" / "css"


@pytest.mark.parametrize("path", sorted(STYLES.glob("*.css")), ids=lambda path: path.name)
def test_media_queries_are_in_em(path: Path) -> None:
    queries = re.findall(r"@media[^{]*", path.read_text())
    assert [query for query in queries if re.search(r"\d(rem|px)\b", query)] == []
