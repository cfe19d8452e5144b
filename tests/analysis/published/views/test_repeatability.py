"""A closed study, its reproduction, and the page that compares them: numbers worked by hand."""

import csv
from io import StringIO

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from analysis import frames
from analysis.published.actions import repeatability
from analysis.runs.actions import runs
from analysis.sections.metrics.columns import rated_outputs
from judging.campaigns.actions import campaigns, clones
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.guideline import GuidelineVersion
from judging.datasets.models.dataset import Unit
from judging.enrolments.actions import enrollments
from judging.jobs.actions import jobs
from judging.people.models.event import Event
from judging.quality.actions import adjudications, exclusions
from judging.work.actions.sheets import AskedControl
from quaestor_stats._design import Design
from quaestor_stats._system_differences import system_differences
from tests import factories
from tests.judging.workers import work
from tests.refusing import refusals_on, refused

pytestmark = pytest.mark.django_db
FIRST = {"Alba": 3, "Brisa": 2, "Corvo": 1}
AGAIN = FIRST | {"Corvo": 2}


def judged(campaign: Campaign, values: dict[str, int]) -> None:
    """Have one annotator give each system its value everywhere, and close the campaign."""
    systems = dict(
        Unit.objects.filter(question_set__source__dataset=campaign.dataset).values_list(
            "pk", "question_set__system__name"
        )
    )
    person = factories.enrollment(campaign)
    work(person, tasks=20, choose=lambda _own, asked: values[systems[asked.unit]])
    campaigns.close_campaign(campaign=campaign, now=timezone.now())


@pytest.fixture(scope="module")
def two(lasting) -> tuple[Campaign, Campaign]:
    """Return a closed study with decisions of calibration, and its closed reproduction."""
    now = timezone.now()
    first = factories.campaign(
        dataset=factories.dataset(sources=8, systems=tuple(FIRST)), annotators_per_task=1
    )
    GuidelineVersion.objects.create(
        campaign=first, number=1, text="Minor slips count.", written_by=first.created_by,
        written_at=now,
    )  # fmt: skip
    Campaign.objects.filter(pk=first.pk).update(guideline_version=1)
    first.refresh_from_db()
    campaigns.lock_plan(campaign=first, now=now)
    campaigns.open_campaign(campaign=first, now=now)
    judged(first, FIRST)
    second = clones.clone_study(campaign=first, by=first.created_by)
    assert not second.enrollments.exists()
    campaigns.change_plan(campaign=second, plan={"consent": "Another one.", "title": "Again"})
    campaigns.lock_plan(campaign=second, now=now)
    campaigns.open_campaign(campaign=second, now=now)
    judged(second, AGAIN)
    return first, second


@pytest.fixture
def manager(client: Client, two) -> Client:
    client.force_login(two[0].created_by)
    return client


def compared(manager: Client, campaign: Campaign) -> str:
    """Ask for the comparison as a page does, do the job, and return the page."""
    manager.post(reverse("analysis:reproduction_start", args=[campaign.uuid]))
    asked = campaign.jobs.filter(kind=repeatability.KIND).unfinished().get()
    job = jobs.claim_job(job_id=asked.pk)
    jobs.finish_job(job=job, result=repeatability.execute_comparison(jobs.Work(job, worker="test")))
    return manager.get(reverse("analysis:reproduction", args=[campaign.uuid])).text


def test_page_and_csv_compare_orders_scores_and_findings(manager, two):
    """By hand, on each of two criteria.

    Order: ranks 3, 2, 1 and 3, 1.5, 1.5 make 1.5 / sqrt(2 x 1.5) = .87. Corvo's 1 and 2 become 0
    and 1: mean .5, s* sqrt(pi) / 2, CV* = 112.5 x .8862 / .5 = 199.40; the others' is 0, so the mean
    is 66.47. Every pair differs on all 8 sources: p = 2 / 2^8, by Holm .0234, .0156, .0078 and at
    least .0234 each; in the reproduction Brisa and Corvo are alike, so 2 of 3 findings hold.
    """
    _first, second = two
    page = compared(manager, second)

    assert "4 of 6 findings of the first study are confirmed" in page.replace("\n", " ")
    assert all(text in page for text in (".87", "66.47", "199.4", "2 of 3", "not confirmed"))
    lines = list(csv.DictReader(StringIO(
        manager.get(reverse("analysis:reproduction_table", args=[second.uuid])).content.decode("utf-8-sig")
    )))  # fmt: skip
    of = {(row["what"], row["criterion"], row["system"], row["against"]): row for row in lines}
    order = of["spearman over systems", "correctness", "", ""]
    assert (float(order["value"]), order["n"]) == (pytest.approx(0.8660254), "3")
    assert (float(order["low"]), float(order["high"])) == (pytest.approx(0.8660254),) * 2
    assert float(of["cv star", "correctness", "Corvo", ""]["value"]) == pytest.approx(199.401087)
    assert float(of["cv star", "correctness", "Alba", ""]["value"]) == 0
    pair = of["pair", "correctness", "Alba", "Corvo"]
    assert (float(pair["first"]), float(pair["first_p"])) == (2, pytest.approx(6 / 256))
    assert (float(pair["second"]), pair["confirmed"]) == (1, "True")
    lost = of["pair", "correctness", "Brisa", "Corvo"]
    assert (lost["significant"], lost["confirmed"]) == ("True", "False")
    share = of["share of confirmed findings", "", "", ""]
    assert (float(share["value"]), share["n"]) == (pytest.approx(2 / 3), "6")


def declared_random(campaign: Campaign) -> None:
    """Have a finished report of a study declare annotators random."""
    asked = {"metrics": [], "design": "sources+annotators"}
    run = runs.start_run(campaign=campaign, by=campaign.created_by, seed=1, parameters=asked)
    jobs.finish_job(job=jobs.claim_job(job_id=run.job_id), result={})


@pytest.mark.long
def test_comparison_of_one_random_annotator_says_why_and_finds_nothing(manager, two):
    """The permutation test finds six differences, but one annotator shows nothing of others."""
    declared_random(two[0])
    page = compared(manager, two[1])
    assert "No pair of systems differed significantly in the first study" in page
    for study in ("first study", "reproduction"):
        assert (
            f"In the {study}, the contrast within sources, adjusted for annotators, compares the "
            "systems on grammaticality and correctness because annotators are declared random. "
            "No pair can be tested: one annotator cannot show how annotators differ."
        ) in page


@pytest.fixture(scope="module")
def three_annotators(lasting) -> tuple[Campaign, Campaign]:
    """Return a study and its reproduction whose annotators do not agree which system is better."""
    first = factories.opened(
        dataset=factories.dataset(sources=12, systems=("Alba", "Brisa")),
        annotators_per_task=3,
    )
    for place in range(3):
        favour_alba_but_the_third(first, place)
    campaigns.close_campaign(campaign=first, now=timezone.now())
    second = clones.clone_study(campaign=first, by=first.created_by)
    campaigns.lock_plan(campaign=second, now=timezone.now())
    campaigns.open_campaign(campaign=second, now=timezone.now())
    for place in range(3):
        favour_alba_but_the_third(second, place)
    campaigns.close_campaign(campaign=second, now=timezone.now())
    return first, second


def favour_alba_but_the_third(campaign: Campaign, place: int) -> None:
    """Have an annotator judge everything: the first two prefer Alba, the third prefers Brisa."""
    names = dict(
        Unit.objects.filter(question_set__source__dataset=campaign.dataset).values_list(
            "pk", "question_set__system__name"
        )
    )

    def choose(own: Assignment, asked: AskedControl) -> int:
        is_alba = names[asked.unit] == "Alba"
        is_preferred = is_alba == (place < 2)
        is_better_here = is_alba and own.task.number % (place + 2) == 0
        return 1 + is_preferred + is_better_here

    work(factories.enrollment(campaign), tasks=40, choose=choose)


@pytest.mark.long
def test_comparison_makes_the_test_that_the_first_report_declares(client, three_annotators):
    """Two of three annotators prefer Alba. That is significant for these three, and says nothing of
    others like them."""
    first, second = three_annotators
    client.force_login(first.created_by)
    page = compared(client, second)
    assert "2 of 2 findings of the first study are confirmed" in page.replace("\n", " ")
    assert "the paired permutation test over sources compares the systems" in page

    declared_random(first)
    page = compared(client, second)
    assert "No pair of systems differed significantly in the first study" in page
    assert "because annotators are declared random" in page
    [pair, _] = repeatability.latest_comparison(second).result["pairs"]
    criterion = frames.protocol_of(first).criterion(pair["criterion"])
    ratings = rated_outputs(frames.read_campaign(first), criterion, ["Alba", "Brisa"])
    [expected] = system_differences(
        ratings, design=Design(annotators="random"), rng=np.random.default_rng(1)
    ).values()
    assert pair["systems"] == ["Alba", "Brisa"]
    assert (pair["first"], pair["first_p"]) == pytest.approx((expected.value, expected.pvalue))
    assert 0.05 < expected.pvalue < 1


def test_who_does_not_see_the_first_study_has_nothing_computed_of_it(client, two):
    first, second = two
    left = factories.researcher()
    campaigns.add_member(campaign=first, user=left, role="analyst")
    campaigns.add_member(campaign=second, user=left, role="manager")
    waiting = repeatability.start_comparison(campaign=second, by=left)
    campaigns.remove_member(campaign=first, user=left, role="analyst")
    with refused("cannot_compare"):
        repeatability.execute_comparison(
            jobs.Work(jobs.claim_job(job_id=waiting.pk), worker="test")
        )
    jobs.fail(job=jobs.Job.objects.get(pk=waiting.pk), error="x")
    client.force_login(left)
    address = reverse("analysis:reproduction_start", args=[second.uuid])
    assert refusals_on(client.post(address, follow=True)) == ["cannot_compare"]
    assert not second.jobs.filter(kind=repeatability.KIND).unfinished().exists()


@pytest.mark.long
def test_comparison_says_when_it_is_out_of_date(manager, two):
    first, second = two
    compared(manager, second)
    exclusions.exclude_annotator(
        enrollment=first.enrollments.get(), reason="slept", by=first.created_by, now=timezone.now()
    )
    page = manager.get(reverse("analysis:reproduction", args=[second.uuid]))
    assert page.context["is_stale"]


def test_reproduction_shares_the_protocol_and_its_hash_and_says_so(manager, two):
    first, second = two
    assert second.protocol == first.protocol
    assert second.locked_plan["texts"]["decisions"]["text"] == "Minor slips count."
    assert second.locked_plan["reproduces"]["protocol"] == first.locked_digest
    assert second.locked_digest != first.locked_digest  # another secret, another consent
    assert Event.objects.filter(act="campaign.reproduction", campaign=second.uuid).count() == 1


@pytest.mark.parametrize(
    "plan",
    [{"introduction": "Be kind."}, {"annotators_per_task": 2}, {"quality": {"repeats": 10}}],
)
def test_lock_of_a_reproduction_whose_protocol_was_changed_is_refused(two, plan):
    made = clones.clone_study(campaign=two[0], by=two[0].created_by)
    campaigns.change_plan(campaign=made, plan=plan)
    with refused("reproduction_differs"):
        campaigns.lock_plan(campaign=made, now=timezone.now())


def test_who_settled_values_of_the_first_study_cannot_judge_in_the_second(two):
    first = two[0]
    made = clones.clone_study(campaign=first, by=first.created_by)
    before, now, other = factories.user(), factories.user(), factories.user()
    for each in (before, now):
        adjudications.name_adjudicator(
            campaign=first, adjudicator=each, threshold=0, by=first.created_by, now=timezone.now()
        )
    for each in (before, now):
        with refused("took_part_before"):
            campaigns.add_member(campaign=made, user=each, role="annotator")
    campaigns.add_member(campaign=made, user=other, role="annotator")


def test_who_judged_the_first_study_cannot_judge_in_a_reproduction_of_its_reproduction(two):
    first, second = two
    third = clones.clone_study(campaign=second, by=second.created_by)
    earlier = first.enrollments.get().user
    with refused("took_part_before"):
        campaigns.add_member(campaign=third, user=earlier, role="annotator")
    link = campaigns.create_invitation(campaign=third, by=third.created_by, places=2)
    with refused("took_part_before"):
        enrollments.join_by_link(invitation=link, user=earlier, agreed=True, now=timezone.now())


def test_who_judged_the_first_study_cannot_join_the_second(two):
    first = two[0]
    made = clones.clone_study(campaign=first, by=first.created_by)
    earlier = first.enrollments.get().user
    link = campaigns.create_invitation(campaign=made, by=made.created_by, places=2)
    with refused("took_part_before"):
        enrollments.join_by_link(invitation=link, user=earlier, agreed=True, now=timezone.now())
    with refused("took_part_before"):
        campaigns.add_member(campaign=made, user=earlier, role="annotator")
    assert enrollments.join_by_link(invitation=link, user=None, agreed=True, now=timezone.now())


def test_button_makes_a_reproduction_of_a_closed_study_alone(manager, two):
    first, second = two
    address = reverse("judging:clone", args=[first.uuid])
    assert address in manager.get(reverse("judging:campaign", args=[first.uuid])).text
    answer = manager.post(address)
    made = Campaign.objects.order_by("-pk").first()
    assert (answer.url, made.reproduces) == (reverse("judging:plan", args=[made.uuid]), first)
    assert made.title == "Reproduction of Canal towns"
    refused = manager.post(reverse("judging:clone", args=[made.uuid]), follow=True)
    assert refusals_on(refused) == ["campaign_not_closed"]
    for name in ("reproduction", "reproduction_table"):
        assert manager.get(reverse(f"analysis:{name}", args=[first.uuid])).status_code == 404
    assert (
        manager.post(reverse("analysis:reproduction_start", args=[first.uuid])).status_code == 404
    )
    assert manager.get(reverse("judging:clone", args=[second.uuid])).status_code == 405
