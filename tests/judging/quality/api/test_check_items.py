"""Gold questions and pay of a campaign for programs."""

import pytest

from judging.campaigns.actions import campaigns
from judging.datasets.models.dataset import Question
from tests import factories
from tests.judging.programs import API, fields_of, program

pytestmark = pytest.mark.django_db
RATE = {"amount": "0.5", "currency": "GBP", "minutes": "3", "floor": "9"}


@pytest.fixture
def draft():
    return factories.campaign()


@pytest.fixture
def api(draft):
    return program(draft.created_by)


@pytest.fixture
def path(draft):
    return f"{API}/campaigns/{draft.uuid}/check-items/"


@pytest.fixture
def gold(draft):
    of_dataset = Question.objects.filter(unit__question_set__source__dataset=draft.dataset)
    return {"item": of_dataset.order_by("pk")[0].pk, "accepted": {"correctness": [3]}}


def test_gold_question_is_added_corrected_and_retired(draft, api, path, gold):
    made = api.post(path, gold | {"text": "Who built the first lock?"})
    assert made.status_code == 201, made.content
    check = made.json()
    assert (check["kind"], check["item"]) == ("gold", gold["item"])
    assert (check["text"], check["accepted"]) == ("Who built the first lock?", {"correctness": [3]})
    own = f"{path}{check['id']}/"
    corrected = api.post(f"{own}correct/", {"accepted": {"correctness": [2, 3]}}).json()
    assert corrected["accepted"] == {"correctness": [2, 3]}
    campaigns.lock_plan(campaign=draft, now=factories.timezone.now())
    change = {"accepted": {"correctness": [1]}}
    assert fields_of(api.post(f"{own}correct/", change)) == {"reason"}
    reasoned = api.post(f"{own}correct/", change | {"reason": "The passage says so."})
    assert reasoned.json()["accepted"] == {"correctness": [1]}
    assert [
        each["what"]
        for each in api.get(f"{API}/campaigns/{draft.uuid}/deviations/").json()["results"]
    ] == [f"accepted values of gold question {check['id']}"]
    assert api.delete(own).status_code == 204
    assert api.get(path).json()["results"][0]["retired_at"] is not None


def test_degraded_copies_become_checks_once(draft, api, path):
    address = f"{API}/campaigns/{draft.uuid}/degraded-checks/"
    made = api.post(address)
    assert made.status_code == 201, made.content
    kinds = [check["kind"] for check in api.get(path).json()["results"]]
    assert kinds == ["degraded"] * made.json()["made"]
    assert api.post(address).json()["code"] == "already_there"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"item": 10**9}, "item"),
        ({"accepted": {"correctness": [9]}}, "accepted.correctness"),
        ({"accepted": {"beauty": [1]}}, "accepted.beauty"),
    ],
)
def test_gold_question_that_cannot_be_is_refused_with_its_field(api, path, gold, change, field):
    assert fields_of(api.post(path, gold | change)) == {field}


def test_rate_of_pay_is_planned_in_a_draft_alone(draft, api):
    path = f"{API}/campaigns/{draft.uuid}/pay/"
    assert api.get(path).json() == {"rate": None, "earned": []}
    assert fields_of(api.put(path, RATE | {"currency": "pounds"})) == {"currency"}
    planned = api.put(path, RATE).json()["rate"]
    assert {name: float(value) for name, value in planned.items() if name != "currency"} == {
        "amount": 0.5,
        "minutes": 3,
        "floor": 9,
    }
    campaigns.lock_plan(campaign=draft, now=factories.timezone.now())
    assert api.put(path, RATE).status_code == 409
