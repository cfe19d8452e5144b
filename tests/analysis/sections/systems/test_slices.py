"""Which questions a number of a slice leads to, what stands beside it, and what slices by many
attributes cost."""

from collections import Counter
from math import nan
from statistics import fmean

import pytest

from analysis import frames
from analysis.reports.evidence import ItemQuery
from analysis.reports.rows import encode
from analysis.sections.omitted_tables import MULTIPLYING, OmittedTables
from analysis.sections.section import Chance, Found
from analysis.sections.systems import slices
from analysis.sections.systems.slices import SliceRow, Slices
from judging.datasets.models.dataset import Attribute, Unit
from judging.datasets.models.score import Score
from quaestor_stats._result import ConfidenceInterval, Result
from tests.analysis import studies
from tests.analysis.sections.computing import inputs_of, records

WHERE = {"attribute": "topic", "attribute_value": "canals"}


def row(measure: str, *, attribute: str = "topic", **who: str) -> SliceRow:
    told = Result(value=0.5, ci=ConfidenceInterval(0.25, 0.75), n=1_204)
    given = {"criterion": "clarity", "system": "", "metric": "", **who}
    return SliceRow(attribute, "canals", 7, measure, **given, estimate=told)


@pytest.mark.parametrize(
    ("measure", "who", "query", "title"),
    [
        ("krippendorff_alpha", {}, ItemQuery(sort="disagreement"), "Krippendorff's α"),
        ("mean", {"system": "Alba"}, ItemQuery(sort="mean", system="Alba"), "means"),
        ("spearman", {"metric": "BLEU"}, ItemQuery(sort="gap", metric="BLEU"), "Spearman's ρ"),
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
    assert cell.under == "[0.25, 0.75], n = 1,204"
    assert cell.items is not None
    told = {**WHERE, "criterion": "clarity"}
    assert {name: getattr(cell.items, name) for name in told} == told
    for name in ("sort", "system", "metric"):
        assert getattr(cell.items, name) == getattr(query, name)
    assert of_days.lines[0].cells[0].items is None  # a day is no column of the file


def test_a_slice_that_lacks_a_number_has_a_dash() -> None:
    rows = [row("mean", system="Alba"), row("mean", system="Brisa")]
    rows.append(SliceRow("topic", "locks", 7, "mean", "clarity", "Brisa", "", Result(value=nan)))
    [table] = Slices().tables(Found({"slices": [encode(each) for each in rows], "criteria": []}))
    texts = [[cell.text for cell in line.cells] for line in table.lines]
    assert texts == [["0.50", "0.50"], ["–", "–"]]


class CountedRow(SliceRow):
    """A row that counts how often its attribute is asked for."""

    asked: Counter[str] = Counter()

    def __getattribute__(self, name: str) -> object:
        CountedRow.asked[name] += 1
        return super().__getattribute__(name)


def test_tables_of_many_attributes_look_at_each_row_a_few_times(monkeypatch) -> None:
    rows = [row("mean", attribute=f"t{number}", system="Alba") for number in range(100)]
    monkeypatch.setattr(Slices, "read", lambda record: CountedRow(**vars(record)))
    CountedRow.asked.clear()
    assert len(Slices().tables(Found({"slices": rows, "criteria": []}))) == 100
    assert CountedRow.asked["attribute"] <= 10 * 100


def with_columns(columns: dict[str, list[str]]):
    """Return the small campaign whose questions have the values of columns in turn."""
    campaign = studies.imported()
    units = Unit.objects.filter(question_set__source__dataset=campaign.dataset)
    Attribute.objects.bulk_create(
        Attribute(unit=unit, name=name, value=values[place % len(values)])
        for place, unit in enumerate(units.order_by("pk"))
        for name, values in columns.items()
    )
    return campaign


def by_file(*names: str) -> list[str]:
    return [slices.FROM_FILE + name for name in names]


@pytest.mark.django_db
def test_columns_of_the_file_are_read_once_for_all_attributes(monkeypatch) -> None:
    campaign = with_columns({name: ["x"] for name in "abc"})
    wanted = by_file(*"abc")
    read, attributes = [], frames.attributes

    def counting(*asked):
        read.append(asked)
        return attributes(*asked)

    monkeypatch.setattr(frames, "attributes", counting)
    material = frames.read_campaign(campaign)
    sizes = Slices().sizes(inputs_of(material, slices=[*wanted, "source"]))
    assert len(read) == 1
    # two alphas, three means on two criteria, rho of two criteria with one metric, and the
    # metric's means of three systems
    assert sizes == dict.fromkeys(wanted, 13) | {"source": 78}
    assert {each["attribute"] for each in records(Slices, material, slices=wanted)} == {*"abc"}
    assert len(read) == 2


@pytest.mark.django_db
def test_values_of_a_column_are_those_of_the_file_not_numbers() -> None:
    campaign = with_columns({"code": ["1", "01", "1.50", "1"]})
    Attribute.objects.filter(value="1").last().delete()
    rows = records(Slices, campaign, slices=by_file("code", "none"))
    assert {each["label"] for each in rows} == {"1", "01", "1.50"}
    means = [each for each in rows if (each["measure"], each["label"]) == ("mean", "1")]
    assert sum(each["n"] for each in means if each["criterion"] == "correctness") == 8


@pytest.mark.django_db
def test_a_cancel_is_learnt_of_before_each_section_and_each_slice() -> None:
    campaign = with_columns({"topic": ["canals", "locks"]})
    inputs = inputs_of(frames.read_campaign(campaign), slices=by_file("topic"))
    told: list[str] = []
    tell = Chance(None, 100, told.append)  # type: ignore[arg-type]
    OmittedTables().compute(inputs, Found({}), tell)
    assert told == ["Omitted tables"] * len(MULTIPLYING)
    told.clear()
    Slices().compute(inputs, Found({}), tell)
    assert told == ["Slices by topic"] * 3


@pytest.mark.django_db
def test_metric_means_of_a_slice_are_those_of_its_questions_by_system() -> None:
    material = frames.read_campaign(with_columns({"domain": ["news", "books", "news"]}))
    rows = records(Slices, material, slices=[*by_file("domain"), "day"])
    means = {
        (row["label"], row["system"]): (row["value"], row["n"])
        for row in rows
        if row["measure"] == "metric_mean"
    }
    assert {row["attribute"] for row in rows if row["measure"] == "metric_mean"} == {"domain"}

    values: dict[tuple[str, str], list[float]] = {}
    domains = dict(Attribute.objects.filter(name="domain").values_list("unit", "value"))
    for unit, system, value in Score.objects.values_list(
        "unit", "unit__question_set__system__name", "value"
    ):
        values.setdefault((domains[unit], system), []).append(value)
    assert means == {place: (pytest.approx(fmean(own)), len(own)) for place, own in values.items()}


def test_metric_means_are_a_table_of_slices_and_systems_by_metrics() -> None:
    rows = [
        row("metric_mean", criterion="", system=system, metric=metric)
        for system, metric in (("Alba", "BLEU"), ("Alba", "METEOR"), ("Brisa", "BLEU"))
    ]
    [table] = Slices().tables(Found({"slices": [encode(each) for each in rows], "criteria": []}))
    assert (table.title, table.columns) == (
        "topic, 7 values: metrics by system",
        ["BLEU", "METEOR"],
    )
    assert [line.name for line in table.lines] == ["canals: Alba", "canals: Brisa"]
    texts = [[cell.text for cell in line.cells] for line in table.lines]
    assert texts == [["0.5", "0.5"], ["0.5", "–"]]
