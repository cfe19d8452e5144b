"""A run from judgments to tables, on the released ratings of QG-STEC 2010 and on small studies."""

import json

import pytest

from analysis import frames
from analysis.runs.actions import runs
from analysis.sections import FURTHER
from analysis.sections.systems import ranks
from judging.datasets.models.score import Metric
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from tests import factories, shared_data
from tests.analysis import studies

pytestmark = pytest.mark.django_db


def carried_out(run):
    """Do a run as the worker does, in this process."""
    job = jobs.claim_job(job_id=run.job_id)
    work = jobs.Work(job, worker="test")
    jobs.finish_job(job=job, result=runs.execute_run(run=run, work=work))
    return dict(runs.StoredTables(run))


def found(rows, **where):
    return [row for row in rows if where.items() <= row.items()]


@pytest.fixture
def qgstec():
    file = shared_data.path("qgstec2010/EvaluatedSubmissions.xml")
    return studies.campaign_of(
        file.read_bytes(), name=file.name, protocol=factories.protocol("qgstec2010-b")
    )


@pytest.mark.long
def test_run_on_qgstec_gives_the_published_agreement_and_aggregates(qgstec):
    tables = carried_out(
        runs.start_run(campaign=qgstec, by=qgstec.created_by, seed=1, parameters={"resamples": 100})
    )
    alphas = found(
        tables["agreement"], coefficient="krippendorff_alpha", level="interval", basis="all"
    )
    assert [round(row["value"], 4) for row in alphas] == [0.2510, 0.3196, 0.4060, 0.3338, 0.3460]
    checks = {row["statistic"]: row for row in tables["external_checks"]}
    assert checks["Krippendorff's α"]["values"] == 5
    assert all(row["largest_difference"] < 1e-10 for row in checks.values())
    totals = found(tables["aggregates"], criterion="", reading="by_protocol")
    literal = found(totals, fatal_applied="per_rating", fatal_others="all_remaining")
    assert {row["system"]: row["aggregate"] for row in literal} == {
        "a": 3461.5,
        "b": 4411,
        "c": 4471.5,
        "d": 4714,
    }
    assert {row["system"]: row["missing"] for row in tables["coverage"]} == {
        "a": 6,
        "b": 195,
        "c": 151,
        "d": 192,
    }
    assert any(
        "depends on how the protocol's rules are read" in row["text"] for row in tables["sentences"]
    )
    assert len(found(tables["violations"], rule="lone")) == 83
    assert tables["about"][0]["reading"] == "as_released"
    assert tables["correlations"] == []
    assert Metric.objects.count() == 0


def test_run_is_the_same_again_and_keeps_how_it_was_made():
    campaign = studies.imported()
    wanted = {"campaign": campaign, "by": campaign.created_by, "seed": 3}
    wanted["parameters"] = {"resamples": 50}
    first = runs.start_run(**wanted)
    tables = carried_out(first)
    second = runs.start_run(**wanted)
    assert json.dumps(carried_out(second), sort_keys=True) == json.dumps(tables, sort_keys=True)
    for run in (first, second):
        run.refresh_from_db()
    assert (
        first.input_sha256
        == second.input_sha256
        == frames.hash_data(frames.read_campaign(campaign))
    )
    assert first.versions["scipy"]
    assert (first.number, second.number) == (1, 2)
    assert Job.objects.get(pk=first.job_id).state == "done"


def test_run_without_further_analyses_has_the_core_sections_alone() -> None:
    run = studies.analysed(studies.imported(), further=[])
    tables = dict(runs.StoredTables(run))
    off = {section.key for analysis in FURTHER.values() for section in analysis.sections}
    assert (
        off.isdisjoint(tables) and {"agreement", "systems", "system_comparisons"} <= tables.keys()
    )
    assert {row["reason"] for row in tables["ranks"]} == {ranks.NOT_ASKED}
    sizes = {(row["annotators"], row["sources"]) for row in tables["dependability"]}
    assert len(sizes) == 1  # of the study itself


def test_run_further_analysis_adds_its_sections() -> None:
    run = studies.analysed(studies.imported(), further=["ranks"])
    tables = dict(runs.StoredTables(run))
    assert tables["ranks"][0]["reason"] != ranks.NOT_ASKED and "dawid_skene" not in tables
