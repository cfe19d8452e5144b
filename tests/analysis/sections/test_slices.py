"""Which questions a number of a slice leads to, and what stands beside it."""

from math import nan

import pytest

from analysis.reports.evidence import ItemQuery
from analysis.reports.rows import encode
from analysis.sections.section import Found
from analysis.sections.slices import SliceRow, Slices
from analysis.stats import estimate

WHERE = {"attribute": "topic", "attribute_value": "canals"}


def row(measure: str, *, attribute: str = "topic", **who: str) -> SliceRow:
    told = estimate.Tested(value=0.5, low=0.25, high=0.75, n=1_204)
    given = {"criterion": "clarity", "system": "", "metric": "", **who}
    return SliceRow(attribute, "canals", 7, measure, **given, estimate=told)


@pytest.mark.parametrize(
    ("measure", "who", "query", "title"),
    [
        ("krippendorff_alpha", {}, ItemQuery(sort="disagreement"), "Krippendorff's alpha"),
        ("mean", {"system": "Alba"}, ItemQuery(sort="mean", system="Alba"), "means"),
        ("spearman", {"metric": "BLEU"}, ItemQuery(sort="gap", metric="BLEU"), "Spearman's rho"),
    ],
)
def test_a_number_of_a_slice_leads_to_its_questions(
    measure: str, who: dict[str, str], query: ItemQuery, title: str
) -> None:
    rows = [row(measure, **who), row(measure, attribute="day", **who)]
    documents = {"slices": [encode(each) for each in rows], "criteria": []}
    of_file, of_days = Slices().tables(Found(documents))
    assert of_file.title == f"topic, 7 values: {title}"
    assert of_file.columns == [", ".join(["clarity", *who.values()])]
    [cell] = of_file.lines[0].cells
    assert (of_file.lines[0].name, cell.text) == ("canals", "0.50")
    assert cell.under == "0.25 to 0.75, n = 1,204"
    assert cell.items is not None
    told = {**WHERE, "criterion": "clarity"}
    assert {name: getattr(cell.items, name) for name in told} == told
    for name in ("sort", "system", "metric"):
        assert getattr(cell.items, name) == getattr(query, name)
    assert of_days.lines[0].cells[0].items is None  # a day is no column of the file


def test_a_slice_that_lacks_a_number_has_a_dash() -> None:
    rows = [row("mean", system="Alba"), row("mean", system="Brisa")]
    rows.append(
        SliceRow("topic", "locks", 7, "mean", "clarity", "Brisa", "", estimate.Tested(value=nan))
    )
    [table] = Slices().tables(Found({"slices": [encode(each) for each in rows], "criteria": []}))
    texts = [[cell.text for cell in line.cells] for line in table.lines]
    assert texts == [["0.50", "0.50"], ["–", "–"]]
