"""Training and qualification items for programs."""

import pytest

from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Deviation
from judging.quality.models.exercise import Exercise
from tests import factories
from tests.annotation import studies
from tests.judging.programs import API, counted, fields_of, program
from tests.judging.quality.actions.test_qualifications import item

pytestmark = pytest.mark.django_db
NOW = factories.timezone.now()
QUESTION = {
    "kind": "qualification",
    "question": "Who built lock 2?",
    "passage": "Bert built lock 2.",
    "keys": [{"criterion": "correctness", "accepted": [3], "explanation": "Bert did."}],
}


@pytest.fixture
def draft():
    return factories.campaign()


@pytest.fixture
def api(draft):
    return program(draft.created_by)


@pytest.fixture
def path(draft):
    return f"{API}/campaigns/{draft.uuid}/exercises/"


def test_exercise_is_created_listed_repeated_and_deleted(draft, api, path):
    made = api.post(path, QUESTION)
    assert made.status_code == 201, made.content
    exercise = made.json()
    assert exercise == {
        "id": Exercise.objects.get().pk,
        "kind": "qualification",
        "number": 1,
        "question": "Who built lock 2?",
        "passage": "Bert built lock 2.",
        "answer": "",
        "repeats": None,
        "keys": QUESTION["keys"],
    }
    again = api.post(f"{path}{exercise['id']}/repeat/")
    assert again.status_code == 201, again.content
    assert (again.json()["repeats"], again.json()["number"]) == (exercise["id"], 2)
    assert again.json()["keys"] == exercise["keys"]
    assert api.get(f"{path}?kind=qualification").json()["results"] == [exercise, again.json()]
    assert api.get(f"{path}?kind=training").json()["results"] == []
    assert api.get(f"{path}{exercise['id']}/").json() == exercise
    draft.refresh_from_db()
    assert (draft.qualifies, draft.trains) == (True, False)
    assert api.delete(f"{path}{exercise['id']}/").status_code == 204
    assert not Exercise.objects.exists()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"kind": "examination"}, "kind"),
        ({"question": ""}, "question"),
        ({"passage": "a" * 50_001}, "passage"),
        ({"keys": [{"criterion": "correctness", "accepted": [9]}]}, "keys.correctness"),
        ({"keys": []}, "keys"),
    ],
)
def test_exercise_wrong_content_names_the_field(api, path, change, field):
    assert fields_of(api.post(path, QUESTION | change)) == {field}
    assert not Exercise.objects.exists()


def test_exercise_of_a_locked_campaign_is_fixed_but_its_key_is_corrected(draft, api, path):
    made = item(draft)
    campaigns.lock_plan(campaign=draft, by=draft.created_by, now=NOW)
    assert api.post(path, QUESTION).status_code == 409
    assert api.delete(f"{path}{made.pk}/").status_code == 409
    correction = {"criterion": "correctness", "accepted": [2], "reason": "A slip."}
    corrected = api.post(f"{path}{made.pk}/correct-key/", correction)
    assert corrected.json() == {"passed": 0, "passed_before": 0}
    assert made.keys.get(criterion__key="correctness").accepted == [2]
    assert Deviation.objects.get().reason == "A slip."
    wrong = api.post(f"{path}{made.pk}/correct-key/", correction | {"accepted": [9]})
    assert fields_of(wrong) == {"accepted"}
    unknown = api.post(f"{path}{made.pk}/correct-key/", correction | {"criterion": "charm"})
    assert fields_of(unknown) == {"criterion"}


def test_qualification_rules_are_read_and_replaced(draft, api, path):
    rules = api.get(f"{path}rules/").json()
    assert set(rules) == {"pass_mark", "tries", "qualification_paid"}
    sent = api.put(f"{path}rules/", {"pass_mark": 60, "tries": 2, "qualification_paid": True})
    assert sent.status_code == 200, sent.content
    draft.refresh_from_db()
    assert (draft.pass_mark, draft.tries, draft.qualification_paid) == (60, 2, True)
    assert fields_of(api.put(f"{path}rules/", {"pass_mark": 101, "tries": 2})) == {"pass_mark"}
    campaigns.lock_plan(campaign=draft, by=draft.created_by, now=NOW)
    assert api.put(f"{path}rules/", {"pass_mark": 50, "tries": 1}).status_code == 409


def test_exercises_are_listed_with_a_constant_number_of_queries(draft, api, path):
    def queries() -> int:
        with counted() as found:
            assert api.get(path).status_code == 200
        return len(found)

    item(draft)
    queries()  # the first request also notes that the token was used
    with_one = queries()
    for _ in range(5):
        item(draft)
    assert queries() == with_one


def test_exercises_that_would_name_a_system_are_refused_to_a_manager_who_judges():
    judged = studies.opened()
    manager = judged.created_by
    part = campaigns.duplicate_campaign(campaign=judged, by=manager)
    campaigns.change_plan(campaign=part, plan={"selection": {"systems": ["Alba"]}})
    path = f"{API}/campaigns/{part.uuid}/exercises/"
    assert program(manager).get(path).status_code == 200
    factories.enrollment(judged, account=manager)
    assert program(manager).get(path).status_code == 403
    assert program(manager).post(path, QUESTION).status_code == 403
    assert program(manager).put(f"{path}rules/", {"pass_mark": 60}).status_code == 403
