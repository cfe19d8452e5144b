"""What holds for every section: columns that are explained, rows that are told apart, files that
fit their schema."""

import json
from dataclasses import replace
from math import isnan, nan

import jsonschema
import pytest

from analysis import frames, sections
from analysis.management.commands.report_docs import ROOT, render_docs
from analysis.reports.rows import RESULT_COLUMNS, decode, encode, row_columns, row_field, table_row
from analysis.reports.schema import run_schema
from analysis.runs.actions import exports, runs
from analysis.sections.about import About
from analysis.sections.section import chance_of
from analysis.sections.systems.slices import Slices
from quaestor_stats._result import Result
from tests.analysis import studies
from tests.analysis.sections.computing import records


@table_row
class Example:
    """A row for this test."""

    name: str = row_field("what it is of")
    first: Result = row_field("one estimate")
    second: Result = row_field("another", prefix="second_")
    times: int | None = row_field("how often; nobody knows exactly", default=None)


def test_columns_follow_the_fields_and_carry_their_meaning():
    found = {column.name: column for column in row_columns(Example)}
    assert list(found)[:3] == ["name", "value", "low"]
    assert list(found)[-1] == "times"
    assert found["times"].meaning == "how often; nobody knows exactly"
    assert found["second_low"].path == ("second", "ci", "low")


def test_a_row_comes_back_as_it_was_stored_with_twelve_digits():
    row = Example("a", Result(value=1 / 3, n=4), Result(value=nan, reason="no data"), None)
    back = decode(Example, json.loads(json.dumps(encode(row))))
    assert (back.first.value, back.first.n, back.times) == (0.333333333333, 4, None)
    assert isnan(back.second.value)
    assert back.second.reason == "no data"


def test_a_column_that_an_older_run_lacks_is_empty():
    back = decode(Example, {"name": "a", "value": 0.5})
    assert (back.first.value, back.first.n, back.second.reason) == (0.5, 0, "")
    assert isnan(back.second.ci.low)


@table_row
class Kinds:
    """A row with a field of each kind."""

    said: str = row_field("a text")
    counted: int = row_field("a count")
    true: bool = row_field("yes or no")
    several: list[str] = row_field("a list")
    parts: dict[str, int] = row_field("a document")


def test_a_field_of_each_kind_that_an_older_run_lacks_has_its_own_emptiness():
    back = decode(Kinds, {})
    assert [back.said, back.counted, back.true, back.several, back.parts] == ["", 0, False, [], {}]
    assert (type(back.true), type(back.counted)) == (bool, int)


@pytest.mark.parametrize("section", sections.SECTIONS, ids=lambda section: section.key)
def test_every_column_is_explained(section):
    assert [column.name for column in section.columns() if not column.meaning] == []


def test_keys_of_sections_are_different():
    keys = [section.key for section in sections.SECTIONS]
    assert len(set(keys)) == len(keys)


def test_the_chance_of_a_section_does_not_depend_on_the_others():
    one, same, other = (
        chance_of(key, seed=1, resamples=10, step=print).rng.random()
        for key in ("correlations", "correlations", "pairwise_kappa")
    )
    assert one == same != other


def test_docs_and_schema_are_those_of_the_code():
    for name, text in render_docs().items():
        assert (ROOT / "docs" / name).read_text() == text, (
            f"run manage.py report_docs: docs/{name} is out of date"
        )


@pytest.fixture(scope="module")
def run(lasting):
    """Return a run with slices, exclusions aside."""
    return studies.analysed(studies.imported(sources=8), slices=["day"])


@pytest.mark.django_db
def test_a_day_is_one_of_the_campaigns_zone():
    read = frames.read_campaign(studies.imported(sources=2))
    read.campaign.time_zone = "Pacific/Auckland"
    late = read.judgments.assign(created_at=1_795_476_600_500_000)  # 23:30
    rows = records(Slices, replace(read, judgments=late), slices=["day"])
    assert {row["label"] for row in rows} == {"2026-11-24"}


@pytest.mark.django_db
def test_a_run_fits_the_published_schema(run):
    jsonschema.validate(json.loads("".join(exports.run_json(run))), run_schema(sections.SECTIONS))


@pytest.mark.django_db
def test_no_two_rows_of_a_table_have_the_same_identity(run):
    tables = dict(runs.StoredTables(run))
    for section in sections.SECTIONS:
        if section.identity:
            rows = tables.get(section.key, [])
            keys = [tuple(row[name] for name in section.identity) for row in rows]
            assert len(set(keys)) == len(keys), section.key


@pytest.mark.django_db
def test_every_number_on_the_page_is_told_with_what_it_rests_on(run):
    found = runs.found_by(run)
    for section in sections.SECTIONS:
        for table in section.tables(found):
            widths = {len(line.cells) for line in table.lines}
            assert widths <= {len(table.columns)}, (section.key, table.title)
            assert table.first and not table.first.endswith("."), (section.key, table.title)
            assert not table.caption or table.caption.endswith("."), (section.key, table.title)


def test_columns_that_an_earlier_run_lacks_are_empty_by_their_type() -> None:
    row = About.read({"campaign": "Locks"})
    assert (row.campaign, row.origin, row.judgments, row.extras_counted, row.systems) == (
        "Locks",
        "",
        0,
        False,
        [],
    )
    assert (row.extras_counted is False, isnan(row.seconds_a_question)) == (True, True)


def test_each_column_of_an_estimate_has_its_own_meaning():
    words = {
        "value": "the estimate;",
        "low": "lower end",
        "high": "upper end",
        "n": "rests on",
        "dropped": "left out",
        "clusters": "keeps together",
        "df": "degrees of freedom",
        "method": "how the estimate",
        "reason": "why the estimate",
        "caution": "less sure",
        "statistic": "statistic",
        "p": "two-sided",
    }

    assert list(words) == list(RESULT_COLUMNS)
    assert [name for name, word in words.items() if word not in RESULT_COLUMNS[name]] == []
