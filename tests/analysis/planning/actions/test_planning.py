"""Plans: the published sizes come out again, pilots give variances, and what cannot be planned is
said."""

import io
from contextlib import redirect_stdout
from copy import deepcopy
from dataclasses import replace

import pytest

from analysis.planning.actions import planning
from analysis.planning.reports import planning as drawing
from judging.base.refusals import InvalidInput
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from tests import factories
from tests.analysis import studies

pytestmark = pytest.mark.django_db
ASKED = {
    "difference": 0.1,
    "annotators": 2,
    "power": 0.8,
    "level": 0.05,
    "comparisons": 1,
}


def planned(campaign, variances, **changes):
    asked = {**ASKED, "variances": variances, **changes}
    job = planning.start_planning(
        campaign=campaign, by=campaign.created_by, settings=planning.PowerSettings(**asked)
    )
    claimed = jobs.claim_job(job_id=job.pk)
    jobs.finish_job(
        job=claimed, result=planning.execute_planning(jobs.Work(claimed, worker="test"))
    )
    return Job.objects.get(pk=job.pk).result


@pytest.fixture(scope="module")
def fluency(lasting):
    """Return what is planned from the published variances of fluency."""
    return planned(factories.campaign(), "qgeval/fluency")


def test_plan_from_qgevals_deviations_gives_the_published_sizes_and_code_that_gives_them_again():
    campaign = factories.campaign()
    for criterion, published in (("fluency", 29), ("answerability", 247)):
        result = planned(campaign, f"qgeval/{criterion}")
        [row] = result["needed"]
        assert row["annotators"] == 3
        assert row["items"] == pytest.approx(published, rel=0.1)
        assert row["power"] >= 0.8
        said = io.StringIO()
        with redirect_stdout(said):
            exec(result["code"], {})
        assert said.getvalue() == f"3 {row['items']} {row['power']}\n"
    assert planning.latest_plan(campaign).result == result
    assert row["half_width_others"] is None


@pytest.mark.long
def test_plan_from_judged_ratings_needs_fewer_items_with_more_annotators():
    campaign = studies.imported(sources=20)
    result = planned(campaign, "main/correctness", difference=0.3)
    one, two = result["needed"]
    assert two["items"] <= one["items"]
    assert one["half_width_others"] is None
    assert two["half_width_others"] >= two["half_width"]
    powers = [row["power"] for row in result["curve"] if row["annotators"] == 1]
    assert powers[0] < powers[-1]
    assert result["source"] == "main round, correctness"


@pytest.mark.long
def test_many_comparisons_need_more_items(fluency):
    [one] = fluency["needed"]
    [many] = planned(factories.campaign(), "qgeval/fluency", comparisons=15)["needed"]
    assert one["items"] < many["items"]


def test_a_difference_too_small_to_find_is_said():
    [row] = planned(factories.campaign(), "qgeval/answerability", difference=0.001)["needed"]
    assert row["items"] is None
    assert row["reason"] == "about 2,461,409 items would be needed, more than 100,000"


def test_variances_of_a_round_nobody_judged_cannot_be_had():
    with pytest.raises(InvalidInput) as refused:
        planned(factories.opened(), "pilot/correctness")
    assert refused.value.field == "variances"


def test_choices_are_judged_rounds_and_the_literature():
    keys = [key for key, _, _ in planning.variance_sources(studies.imported())]
    assert keys[:2] == ["main/grammaticality", "main/correctness"]
    assert "qgeval/answerability" in keys
    assert not [
        key
        for key, _, _ in planning.variance_sources(factories.campaign())
        if not key.startswith("qgeval/")
    ]


def test_a_plan_stored_before_questions_had_their_name_still_renders(fluency):
    result = deepcopy(fluency)
    shown = drawing.plan_page(result)
    old = {**result, "system_item": result["question"]}
    del old["question"], old["annotator_system"]
    for row in old["needed"]:
        del row["half_width_others"]
    assert drawing.plan_page(old) == shown


def test_a_criterion_that_may_not_be_averaged_cannot_be_planned_for():
    form, content = factories.small().criteria
    without = replace(form, best="none")
    protocol = factories.protocol(criteria=(without, content))
    keys = [
        key
        for key, kind, _ in planning.variance_sources(studies.imported(protocol=protocol))
        if kind == "main"
    ]
    assert keys == ["main/correctness"]
