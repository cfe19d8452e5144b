"""Actions refused on pages: each page shows the refusal, as a message or as an error of its form."""

from typing import Any

import pytest
from django.urls import reverse

from judging.campaigns.models.campaign import Campaign
from tests import factories
from tests.judging.campaign_pages import address
from tests.judging.campaign_states import STATES, in_state
from tests.refusing import refusals_on

pytestmark = pytest.mark.django_db
ROUND = {"kind": "calibration", "size": 1, "annotators": 2}
AMENDMENT = {"what": "contact", "value": "Ada", "reason": "x"}
QUESTION = {"kind": "text", "text": "Why?", "reason": "So."}
RULES = {"pass_mark": 50, "tries": 1}


def codes_on(response: Any) -> list[str]:
    """Return the codes of a page's messages and of the errors of its form."""
    form = response.context.get("form") or response.context.get("amend")
    wrong = form.errors.as_data().values() if form else []
    return refusals_on(response) + [error.code for errors in wrong for error in errors]


@pytest.fixture(scope="module")
def made(lasting: None) -> dict[str, Campaign]:
    manager = factories.researcher()
    return {state: in_state(state, manager) for state in STATES}


@pytest.mark.parametrize(
    ("state", "name", "sent", "code"),
    [
        ("draft", "open", {}, "campaign_state"),
        ("draft", "pause", {}, "campaign_state"),
        ("draft", "close", {}, "campaign_state"),
        ("draft", "archive", {}, "campaign_state"),
        ("locked", "lock", {}, "campaign_state"),
        ("archived", "open", {}, "campaign_state"),
        ("open", "discard", {}, "not_a_draft"),
        ("draft", "reveal_draws", {}, "draws_not_revealed"),
        ("draft", "clone", {}, "campaign_not_closed"),
        ("draft", "amend", AMENDMENT, "not_locked"),
        ("draft", "round_begin", ROUND | {"size": 99}, "too_few_sources"),
        ("locked", "round_begin", ROUND, "plan_locked"),
        ("locked", "quality", {"gold": 10}, "plan_locked"),
        ("locked", "exit_question_add", QUESTION, "plan_locked"),
        ("locked", "exercise_rules", RULES, "plan_locked"),
        ("closed", "reopen_places", {}, "campaign_not_open"),
    ],
)
def test_page_of_a_refused_action_shows_its_code(
    made: dict[str, Campaign], db: None, state: str, name: str, sent: dict[str, Any], code: str
) -> None:
    campaign = made[state]
    client = factories.logged_in(campaign.created_by)
    assert codes_on(client.post(address(name, campaign), sent, follow=True)) == [code]
    assert Campaign.objects.get(pk=campaign.pk).state == state


def test_page_of_the_last_manager_who_is_removed_shows_its_code(made, db) -> None:
    draft = made["draft"]
    client = factories.logged_in(draft.created_by)
    row = draft.memberships.get().pk
    answer = client.post(address("remove_member", draft, row), follow=True)
    assert codes_on(answer) == ["last_manager"]


def test_page_of_a_dataset_without_ratings_shows_the_code_of_its_report(made, db) -> None:
    dataset = made["draft"].dataset
    client = factories.logged_in(dataset.owner)
    path = reverse("analysis:dataset_report", args=[dataset.pk])
    assert codes_on(client.post(path, follow=True)) == ["nothing_to_analyse"]
