"""The exit form of a campaign for programs."""

import pytest
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.enrolments.actions import exit_forms
from judging.enrolments.models.exit_form import ExitQuestion
from tests import factories
from tests.judging.programs import API, fields_of, program

pytestmark = pytest.mark.django_db
OPEN = {"text": "Was anything unclear?", "reason": "To improve the guideline."}
AGE = {
    "text": "How old are you?",
    "reason": "The panel must be mixed.",
    "kind": "choice",
    "options": ["under 30", "30 or older"],
    "personal": True,
}


@pytest.fixture
def draft():
    return factories.campaign()


@pytest.fixture
def api(draft):
    return program(draft.created_by)


@pytest.fixture
def path(draft):
    return f"{API}/campaigns/{draft.uuid}/exit-questions/"


def test_exit_question_is_added_listed_and_deleted(api, path):
    first, second = api.post(path, OPEN), api.post(path, AGE)
    assert (first.status_code, second.status_code) == (201, 201), second.content
    assert second.json() == AGE | {"id": second.json()["id"], "number": 2}
    assert first.json()["kind"] == "text"
    assert api.get(path).json()["results"] == [first.json(), second.json()]
    assert api.get(f"{path}{second.json()['id']}/").json() == second.json()
    assert api.delete(f"{path}{first.json()['id']}/").status_code == 204
    assert ExitQuestion.objects.get().text == AGE["text"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"text": "a" * 301}, "text"),
        ({"reason": ""}, "reason"),
        ({"kind": "scale"}, "kind"),
        ({"options": ["one", "one"]}, "options"),
    ],
)
def test_exit_question_wrong_content_names_the_field(api, path, change, field):
    assert fields_of(api.post(path, AGE | change)) == {field}


def test_answers_about_the_person_wait_for_the_end_and_hide_small_groups(draft, api, path):
    texts, ages = api.post(path, OPEN).json()["id"], api.post(path, AGE).json()["id"]
    now = timezone.now()
    campaigns.lock_plan(campaign=draft, by=draft.created_by, now=now)
    campaigns.open_campaign(campaign=draft, by=draft.created_by, now=now)
    answering = factories.enrollment(draft, label="A01")
    given = {texts: "The scale.", ages: "under 30"}
    exit_forms.store_exit_answers(enrollment=answering, given=given, now=now)
    open_, personal = api.get(f"{path}answers/").json()
    assert open_ == {
        "question": texts,
        "answered": 1,
        "waits": False,
        "options": [],
        "texts": [{"annotator": "A01", "text": "The scale."}],
    }
    hidden = [{"option": option, "answers": None} for option in AGE["options"]]
    assert personal == {
        "question": ages,
        "answered": 1,
        "waits": True,
        "options": hidden,
        "texts": [],
    }
    campaigns.close_campaign(campaign=draft, by=draft.created_by, now=now)
    _open, personal = api.get(f"{path}answers/").json()
    assert (personal["waits"], personal["options"]) == (False, hidden)
