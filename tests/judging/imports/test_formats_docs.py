"""The examples of docs/formats are read exactly as printed there."""

import re
from pathlib import Path

import pytest

from judging.formats import pipeline
from judging.formats.mapping import Mapping
from judging.formats.recipes.registry import RECIPES

DOCS = Path(__file__).resolve().parents[3] / "docs" / "formats"
# page: the name of its example, its recipe, and its numbers of sources, questions and ratings
PAGES = {
    "tables": ("owls.csv", "", 4, 7, 14),
    "qgstec-xml": ("owls.xml", "qgstec_xml", 1, 2, 10),
    "squad": ("owls.json", "squad", 4, 4, 0),
    "mturk": ("owls.csv", "mturk", 3, 6, 18),
    "nema-khapra": ("owls.tsv", "nema", 6, 8, 16),
    "label-studio": ("owls.json", "label_studio", 1, 2, 3),
    "doccano": ("ha.jsonl", "doccano", 4, 8, 13),
    "potato": ("ha.jsonl", "potato", 8, 8, 11),
    "argilla": ("owls.json", "argilla", 1, 2, 3),
    "prodigy": ("owls.jsonl", "prodigy", 1, 2, 3),
    "openai-batch": ("owls.jsonl", "openai_batch", 3, 6, 0),
    "pearmut": ("owls.jsonl", "pearmut", 2, 4, 9),
    "long": ("owls.csv", "long", 1, 3, 5),
}


@pytest.mark.parametrize("page", PAGES)
def test_example_is_recognised_and_read(page: str) -> None:
    name, recipe, *numbers = PAGES[page]
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    example = re.search(r"^```\w+\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert example is not None

    shown = pipeline.preview_of(name, example[1].encode(), Mapping(), None)

    study = shown["study"]
    assert shown["errors"] == {}
    assert shown["recipe"] == recipe
    assert [study[what] for what in ("sources", "questions", "ratings")] == numbers


def test_every_recipe_has_a_page_that_the_overview_lists() -> None:
    overview = (DOCS / "README.md").read_text(encoding="utf-8")
    pages = {each.page for each in RECIPES if each.page}
    assert pages
    assert [page for page in pages if f"({page}.md)" not in overview] == []
    assert [page for page in pages if not (DOCS / f"{page}.md").exists()] == []
