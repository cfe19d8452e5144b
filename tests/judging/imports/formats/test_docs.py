"""The examples of the documentation can be read exactly as printed there."""

import re
from pathlib import Path

import pytest

from judging.imports.readers.contract import Format
from judging.imports.readers.records import StudyRecords
from judging.imports.readers.registry import FORMAT, FORMATS, sniff

DOCS = Path(__file__).resolve().parents[4] / "docs" / "formats"
# page: the name of its example, the format that is known by it, and its numbers of sources,
# questions and ratings
PAGES = {
    "csv": ("owls.csv", "csv", 4, 7, 14),
    "json": ("owls.json", "json", 2, 4, 0),
    "jsonl": ("owls.jsonl", "jsonl", 5, 9, 0),
    "parquet": ("owls.csv", "csv", 2, 4, 8),
    "xlsx": ("owls.csv", "csv", 4, 8, 16),
    "qgstec-xml": ("owls.xml", "qgstec_xml", 1, 2, 10),
    "qgbench-jsonl": ("owls.jsonl", "qgbench_jsonl", 10, 10, 0),
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
    "long": ("owls.csv", "long_csv", 1, 3, 5),
}


def example(page: str) -> bytes:
    found = re.search(
        r"^```\w+\n(.*?)^```$",
        (DOCS / f"{page}.md").read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert found is not None
    return found[1].encode()


def counts(study: StudyRecords) -> tuple[int, int, int]:
    return len(study.sources), sum(study.returned.values()), len(study.ratings)


@pytest.mark.parametrize(("page", "expected"), PAGES.items(), ids=PAGES)
def test_example_is_known_and_read(page: str, expected: tuple[str, str, int, int, int]) -> None:
    name, key, *numbers = expected
    known = sniff(name, example(page))
    study = known.read(example(page), name=name)
    assert known.key == key
    assert [problem.reason for problem in study.problems if problem.row] == []
    assert counts(study) == tuple(numbers)


def test_every_page_has_an_example_that_is_tried() -> None:
    assert {page.stem for page in DOCS.glob("*.md")} == {*PAGES, "README"}


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.key)
def test_every_format_has_a_page_whose_example_is_tried_or_an_example_of_its_own(
    known: Format,
) -> None:
    if known.page:
        assert known.page in PAGES
    else:
        data = known.example.encode()
        study = known.read(data)
        assert (sniff("", data).key, study.problems, bool(study.questions)) == (known.key, (), True)


def test_the_overview_lists_every_page() -> None:
    paged = sorted((each for each in FORMATS if each.page), key=lambda each: each.title.casefold())
    rows = [
        f"| [{each.title}]({each.page}.md) | {'in and out' if each.writes else 'in'} | {', '.join(each.carries)} |"
        for each in paged
    ]
    table = "\n".join(["| format | | what can be in it |", "|---|---|---|", *rows])
    assert table in (DOCS / "README.md").read_text(encoding="utf-8"), (
        f"docs/formats/README.md is to list:\n{table}"
    )


def test_the_long_example_expects_what_it_holds() -> None:
    study = FORMAT["long_csv"].read(example("long"))
    assert study.expected == {("1", "A"): 2, ("1", "B"): 2}
    assert [rating.position for rating in study.ratings if rating.criterion == "variety"] == [None]
