"""What actions on a campaign and on its dataset refuse, each with its code."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from analysis.models import Run
from analysis.runs.actions import runs
from judging.campaigns.actions import campaigns, clones, dataset_uses, draws
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Unit
from judging.enrolments.actions import exit_forms
from judging.jobs.actions import jobs
from judging.quality.actions import check_items, exclusion_rules, exclusions
from tests import factories
from tests.judging import trials
from tests.judging.campaign_states import STATES, in_state
from tests.judging.quality.actions.test_qualifications import item
from tests.refusing import refused

pytestmark = pytest.mark.django_db
NOW = timezone.now()
Act = Callable[[Campaign], object]


def moved(to: str) -> Act:
    return lambda campaign: campaigns.move_campaign(campaign=campaign, to=to, now=NOW)


def amended(what: str, value: object) -> Act:
    return lambda campaign: campaigns.amend_field(
        campaign=campaign, what=what, value=value, reason="x", by=campaign.created_by, now=NOW
    )


def planned(**plan: object) -> Act:
    return lambda campaign: campaigns.change_plan(campaign=campaign, plan=plan)


def added_gold(accepted: list[int]) -> Act:
    def add(campaign: Campaign) -> object:
        unit = Unit.objects.filter(position=1, question_set__source__dataset=campaign.dataset)
        criterion = campaign.protocol.criteria.first().pk
        return check_items.add_gold(
            campaign=campaign, unit=unit.first(), text="", accepted={criterion: accepted}
        )

    return add


def excluded_twice(campaign: Campaign) -> None:
    own = factories.enrollment(campaign)
    for _ in range(2):
        exclusions.exclude_annotator(enrollment=own, reason="x", by=campaign.created_by, now=NOW)


def opened_without_questions(campaign: Campaign) -> None:
    campaign.dataset.sources.all().delete()
    campaigns.open_campaign(campaign=campaign, now=NOW)


def discarded_with_an_annotator(campaign: Campaign) -> None:
    factories.enrollment(campaign)
    campaigns.discard_draft(campaign=campaign)


def analysed(campaign: Campaign) -> None:
    runs.start_run(campaign=campaign, by=campaign.created_by, seed=1, parameters={})


def discarded_after_a_run(campaign: Campaign) -> None:
    job = jobs.enqueue(kind=runs.KIND, parameters={}, by=campaign.created_by, campaign=campaign)
    Run.objects.create(job=job, number=1, campaign=campaign, seed=1, parameters={})
    campaigns.discard_draft(campaign=campaign)


def begun_twice(campaign: Campaign) -> None:
    for _ in range(2):
        trials.begun(campaign, size=1)


def given_another_protocol_after_a_round(campaign: Campaign) -> None:
    trials.begun(campaign, size=1)
    campaigns.change_plan(campaign=campaign, plan={"protocol": factories.protocol("qgbench")})


def asked_at_the_end(campaign: Campaign) -> object:
    question = exit_forms.NewExitQuestion(text="Why?", reason="So.", kind="text")
    return exit_forms.add_exit_question(
        campaign=campaign, question=question, by=campaign.created_by
    )


REFUSED: list[tuple[str, Act, str]] = [
    *(("draft", moved(to), "campaign_state") for to in ("open", "closed", "archived", "draft")),
    ("locked", lambda made: campaigns.lock_plan(campaign=made, now=NOW), "campaign_state"),
    ("locked", opened_without_questions, "nothing_to_judge"),
    ("archived", lambda made: campaigns.open_campaign(campaign=made, now=NOW), "campaign_state"),
    ("open", lambda made: campaigns.discard_draft(campaign=made), "not_a_draft"),
    ("draft", discarded_with_an_annotator, "annotators_joined"),
    ("draft", analysed, "is_draft"),
    ("draft", discarded_after_a_run, "already_analysed"),
    ("draft", amended("contact", "Ada"), "not_locked"),
    ("locked", amended("order", "breadth"), "plan_locked"),
    ("locked", amended("selection", {}), "plan_locked"),
    ("locked", planned(annotators_per_task=10), "plan_locked"),
    ("locked", planned(selection={}), "plan_locked"),
    ("draft", given_another_protocol_after_a_round, "rounds_judged"),
    ("draft", begun_twice, "round_running"),
    ("draft", lambda made: trials.begun(made, size=99), "too_few_sources"),
    ("locked", trials.begun, "plan_locked"),
    ("draft", added_gold([]), "invalid_check"),
    ("locked", added_gold([3]), "plan_locked"),
    ("locked", item, "plan_locked"),
    ("locked", asked_at_the_end, "plan_locked"),
    ("open", lambda made: draws.reveal_secret(campaign=made, now=NOW), "draws_not_revealed"),
    (
        "open",
        lambda made: clones.clone_study(campaign=made, by=made.created_by),
        "campaign_not_closed",
    ),
    ("open", excluded_twice, "already_excluded"),
    (
        "closed",
        lambda made: exclusion_rules.reopen_assignments(campaign=made, by=made.created_by),
        "campaign_not_open",
    ),
    ("draft", lambda made: dataset_uses.delete_dataset(dataset=made.dataset), "in_use"),
    (
        "draft",
        lambda made: dataset_uses.transfer_dataset(dataset=made.dataset, to=factories.user()),
        "cannot_hand_over",
    ),
]


@pytest.fixture(scope="module")
def made(lasting: None) -> dict[str, Campaign]:
    return {state: in_state(state) for state in STATES}


@pytest.mark.parametrize(("state", "act", "code"), REFUSED)
def test_action_refused_by_the_state_of_a_campaign_has_its_code(
    made: dict[str, Campaign], db: None, state: str, act: Act, code: str
) -> None:
    campaign = Campaign.objects.get(pk=made[state].pk)
    with refused(code):
        act(campaign)
    assert Campaign.objects.get(pk=campaign.pk).state == state
