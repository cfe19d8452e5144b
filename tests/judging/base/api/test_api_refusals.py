"""Actions refused over the REST API: each answer has the status and the code of the refusal."""

from typing import Any

import pytest

from judging.campaigns.models.campaign import Campaign
from tests import factories
from tests.judging.campaign_states import STATES, in_state
from tests.judging.programs import API, Program, program

pytestmark = pytest.mark.django_db
ROUND = {"kind": "pilot", "size": 1, "annotators": 2}
DEVIATION = {"what": "contact", "value": "Ada", "reason": "x"}
ITEM = {"kind": "training", "question": "Who?", "keys": [{"criterion": "correctness", "accepted": [3]}]}  # fmt: skip
QUESTION = {"kind": "text", "text": "Why?", "reason": "So."}


@pytest.fixture(scope="module")
def made(lasting: None) -> dict[str, Campaign]:
    manager = factories.researcher()
    return {state: in_state(state, manager) for state in STATES}


@pytest.fixture
def api(made: dict[str, Campaign], db: None) -> Program:
    return program(made["draft"].created_by)


@pytest.mark.parametrize(
    ("state", "method", "path", "body", "code"),
    [
        ("draft", "post", "open/", {}, "campaign_state"),
        ("draft", "post", "pause/", {}, "campaign_state"),
        ("draft", "post", "close/", {}, "campaign_state"),
        ("draft", "post", "archive/", {}, "campaign_state"),
        ("draft", "post", "draws/reveal/", {}, "draws_not_revealed"),
        ("draft", "get", "draws/", {}, "draws_not_revealed"),
        ("draft", "post", "reproduce/", {}, "campaign_not_closed"),
        ("draft", "post", "deviations/", DEVIATION, "not_locked"),
        ("draft", "post", "rounds/", ROUND | {"size": 99}, "too_few_sources"),
        ("locked", "post", "rounds/", ROUND, "plan_locked"),
        ("locked", "patch", "", {"title": "x"}, "plan_locked"),
        ("locked", "put", "selection/", {}, "plan_locked"),
        ("locked", "put", "quality/", {"gold": 10}, "plan_locked"),
        ("locked", "post", "exercises/", ITEM, "plan_locked"),
        ("locked", "post", "exit-questions/", QUESTION, "plan_locked"),
        ("open", "delete", "", {}, "not_a_draft"),
        ("open", "post", "dry-runs/", {}, "cannot_dry_run"),
        ("closed", "post", "exclusion-rules/reopen-assignments/", {}, "campaign_not_open"),
    ],
)
def test_api_answer_to_a_refused_action_has_its_code(
    made: dict[str, Campaign],
    api: Program,
    state: str,
    method: str,
    path: str,
    body: dict[str, Any],
    code: str,
) -> None:
    answer = getattr(api, method)(f"{API}/campaigns/{made[state].uuid}/{path}", body)
    assert (answer.status_code, answer.json()["code"]) == (409, code)
    assert answer.json()["detail"]


def test_api_answer_about_a_dataset_in_use_has_its_code(made, api) -> None:
    dataset = f"{API}/datasets/{made['draft'].dataset_id}/"
    assert api.delete(dataset).json()["code"] == "in_use"
    given = {"username": factories.user().username}
    assert api.post(f"{dataset}hand-over/", given).json()["code"] == "cannot_hand_over"


def test_api_answer_about_the_last_manager_has_its_code(made, api) -> None:
    row = made["draft"].memberships.get().pk
    answer = api.delete(f"{API}/campaigns/{made['draft'].uuid}/members/{row}/")
    assert (answer.status_code, answer.json()["code"]) == (409, "last_manager")
