"""Tables with more rows than are listed: whole parts are left out, the report says so, and nothing
else in it depends on them. What is asked of a report reads no more tables than it needs."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from analysis import frames
from analysis.models import Result
from analysis.reports import tables
from analysis.reports.rows import encode
from analysis.runs.actions import exports, papers, runs
from analysis.sections import omitted_tables, page
from analysis.sections.about import About
from analysis.sections.agreement.agreement import Agreement
from analysis.sections.agreement.annotators import PairwiseKappa
from analysis.sections.metrics.metric_comparisons import Leaders
from analysis.sections.omitted_tables import MULTIPLYING, OmittedTables, UnlistedPart, too_long
from analysis.sections.section import Found
from tests.analysis import studies
from tests.analysis.sections import stored
from tests.analysis.sections.computing import inputs_of

pytestmark = pytest.mark.django_db
SETTINGS = {"metrics": [], "mixed_model": "never", "slices": ["source"]}
CORRECTNESS = {"part": "correctness"}


@pytest.fixture(scope="module")
def campaign(lasting):
    return studies.imported()


@pytest.fixture(scope="module")
def whole(campaign):
    return dict(runs.StoredTables(studies.analysed(campaign, **SETTINGS)))


@pytest.fixture(scope="module")
def run(campaign):
    """Return a run that lists at most fifteen rows of a table: three pairs of systems under five tests
    on one criterion, two annotators on two points."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(omitted_tables, "MAX_REPORT_ROWS", 15)
        patch.setattr(runs, "too_long", lambda _section, _rows: None)  # else all tables are long
        return studies.analysed(campaign, **SETTINGS)


def excluded(rows):
    return {(row["table"], row["part"]): (row["rows"], row["whole"], row["most"]) for row in rows}


def test_a_report_of_usual_size_leaves_nothing_out(whole):
    assert whole["omitted_tables"] == []


@pytest.mark.long
def test_whole_parts_of_long_tables_are_left_out_and_named(run, whole):
    found = dict(runs.StoredTables(run))
    told = excluded(found["omitted_tables"])
    assert told["system_comparisons", "correctness"] == (15, 30, 15)
    assert told["distributions", "correctness"] == (9, 18, 15)
    assert told["slices", "source"][2] == 15
    assert found["slices"] == []
    first = [row for row in whole["system_comparisons"] if row["criterion"] == "grammaticality"]
    assert len(first) == 15
    assert found["system_comparisons"] == first  # whole, and as it was
    for each in MULTIPLYING:
        assert len(found[each.key]) <= 15, each.key


def test_numbers_do_not_depend_on_lists_that_are_excluded(run, whole):
    found = dict(runs.StoredTables(run))
    for key in ("systems", "agreement", "annotators", "agreement_without_each"):
        assert found[key] == whole[key], key


def test_no_letters_or_conclusions_come_of_pairs_that_were_not_tested(run):
    found = runs.found_by(run)
    assert {row["criterion"] for row in found.documents["groups"]} == {"grammaticality"}
    text = exports.sentences_text(run)
    assert "correctness (2.83 is" not in text
    assert "systems are not compared: the table of their pairs would be too long" in text
    assert (
        "“System comparisons” would have 30 rows, more than the limit of 15; it omits "
        "correctness." in text
    )
    methods = papers.methods_text(run, found)
    assert (
        "On Correctness systems were not compared, because they have too many pairs to list."
        in methods
    )


@pytest.mark.long
def test_pages_and_files_say_what_is_excluded(run, client):
    client.force_login(run.campaign.created_by)
    shown = client.get(reverse("analysis:run", args=[run.campaign.uuid, run.number])).text
    assert "Omitted tables" in shown
    assert "it omits correctness" in shown
    files = dict(exports.files(run))
    assert (
        b"comparisons,System comparisons,correctness,15,30,15" in files["tables/omitted_tables.csv"]
    )
    assert b"Omitted tables" in files["tables.md"]
    assert json.loads(files["report.json"])["tables"]["omitted_tables"]


def test_a_table_that_is_too_long_all_the_same_is_excluded_as_a_whole(monkeypatch):
    monkeypatch.setattr(omitted_tables, "MAX_REPORT_ROWS", 3)
    assert too_long(About(), 3) is None
    assert too_long(About(), 4) == UnlistedPart("about", "About the study", "", 4, 4, 3)
    told = stored.found(omitted_tables=[encode(too_long(About(), 4))])
    assert list(OmittedTables().caveats(told)) == [
        "“About the study” would have 4 rows, more than the limit of 3; it omits all of it."
    ]


def test_of_a_crowd_only_pairs_with_something_in_common_count():
    campaign = studies.imported()
    read = frames.read_campaign(campaign)
    assert PairwiseKappa().sizes(inputs_of(read)) == {"grammaticality": 3, "correctness": 3}
    units = sorted(read.judgments["unit"].unique())
    first = read.judgments["annotator"] == "A1"
    apart = read.judgments[first == read.judgments["unit"].isin(units[:9])]
    alone = frames.replace(read, judgments=apart.reset_index(drop=True))
    assert PairwiseKappa().sizes(inputs_of(alone)) == {"grammaticality": 0, "correctness": 0}


def test_the_order_of_metrics_is_not_judged_where_columns_were_not_compared():
    leaders = [
        {"criterion": "clarity", "level": level, "highest": "BLEU", "members": ["BLEU", "METEOR"]}
        for level in ("pooled", "systems")
    ]
    levels = [
        stored.estimate(0.9, 0.8, 0.95, criterion="clarity", metric="BLEU", level=level)
        | {"coefficient": "spearman", "p_holm": 0.01, "questions": 12, "sources": 6, "systems": 3}
        for level in ("pooled", "systems")
    ]
    differences = [
        {"criterion": "clarity", "level": level, "better": "BLEU", "other": "METEOR"}
        | stored.estimate(0.1, p=0.2, p_holm=0.2, coefficient="spearman")
        for level in ("pooled", "systems")
    ]
    part = UnlistedPart("metric_comparisons", "Metric comparisons", "fluency", 9, 18, 12)
    whole = stored.found(leaders=leaders, correlations=levels, metric_comparisons=differences)
    assert "No other level puts a metric significantly ahead" in " ".join(
        Leaders().sentences(whole)
    )
    cut = stored.found(
        leaders=leaders,
        correlations=levels,
        metric_comparisons=differences,
        omitted_tables=[encode(part)],
    )
    assert "No other level puts a metric significantly ahead" not in " ".join(
        Leaders().sentences(cut)
    )
    untested = [leaders[0], leaders[1] | {"members": ["BLEU"], "unknown": ["METEOR"]}]
    alone = [differences[0], differences[1] | {"p": None, "p_holm": None}]
    other = stored.found(leaders=untested, correlations=levels, metric_comparisons=alone)
    assert "No other level puts a metric significantly ahead" not in " ".join(
        Leaders().sentences(other)
    )


def test_a_report_says_where_the_commonest_value_is_not_told(run, whole):
    told = " ".join(Agreement().caveats(runs.found_by(run)))
    assert "does not state whether one value dominates the ratings on correctness" in told
    assert "does not state" not in " ".join(Agreement().caveats(Found(whole)))


def documents_read(queries):
    return [each["sql"] for each in queries if 'SELECT "analysis_result"."document"' in each["sql"]]


def test_a_table_that_is_not_there_reads_none_and_one_that_is_reads_its_own(run, client):
    client.force_login(run.campaign.created_by)
    for name, status in (("nothing", 404), ("systems", 200)):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            address = reverse("analysis:table", args=[run.campaign.uuid, run.number, name])
            assert client.get(address).status_code == status
        [sql] = documents_read(queries)
        assert f"\"key\" = '{name}'" in sql


def test_a_section_reads_only_the_tables_that_it_shows(run, client):
    client.force_login(run.campaign.created_by)
    with CaptureQueriesContext(connection) as queries:
        address = reverse("analysis:section", args=[run.campaign.uuid, run.number, "agreement"])
        assert client.get(address).status_code == 200
    read = " ".join(documents_read(queries))
    assert "'agreement'" in read
    for key in ("pairwise_kappa", "system_comparisons", "metric_comparisons", "slices"):
        assert f"'{key}'" not in read


def test_a_page_of_a_section_shows_as_many_tables_as_fit(run, client, monkeypatch):
    client.force_login(run.campaign.created_by)
    address = reverse("analysis:section", args=[run.campaign.uuid, run.number, "agreement"])
    every = client.get(address).text
    assert "tables; the list above leads to each" not in every
    monkeypatch.setattr(page, "MAX_PAGE_CELLS", 1)
    first = client.get(address).text
    assert "The first 1 of" in first
    assert first.count("<h3") < every.count("<h3")
    assert client.get(f"{address}?table=1").text.count("<h3") == first.count("<h3")


def test_a_run_in_pieces_is_the_json_of_the_whole(run):
    rows = {
        "b": [{"x": 1, "list": [1, {"y": "é"}], "none": None}, {}],
        "a": [],
        "c": {"k": 2},
        "d": [{"n": number} for number in range(2_001)],
    }
    made = {"seed": 1, "parameters": {"metrics": ["bleu"]}}
    assert "".join(tables.run_json_pieces(made, rows)) == tables.document_json(
        {"made": made, "tables": rows}
    )
    assert "".join(tables.run_json_pieces(made, {})) == tables.document_json(
        {"made": made, "tables": {}}
    )
    held = json.loads("".join(exports.run_json(run)))
    assert held["tables"] == dict(runs.StoredTables(run))


def test_tables_are_read_when_they_are_asked_for(run):
    stored_tables = runs.StoredTables(run)
    assert "systems" in stored_tables
    assert "sections" not in list(stored_tables)
    assert stored_tables.get("nothing") is None
    with CaptureQueriesContext(connection) as queries:
        assert Found(stored_tables).name_of("correctness") == "Correctness"
        assert stored_tables["criteria"]
    assert len(documents_read(queries)) == 1
    filled = stored_tables.filled()
    kept = Result.objects.filter(run=run, file__isnull=True)
    assert filled == {each.key for each in kept if each.document}


@pytest.mark.long
def test_a_table_that_turns_out_too_long_is_excluded_and_loses_no_run(campaign, monkeypatch):
    monkeypatch.setattr(omitted_tables, "MAX_REPORT_ROWS", 30)
    found = dict(runs.StoredTables(studies.analysed(campaign, metrics=[], mixed_model="never")))
    assert found["agreement"] == []
    assert excluded(found["omitted_tables"])["agreement", ""][2] == 30
    assert len(found["system_comparisons"]) == 30
