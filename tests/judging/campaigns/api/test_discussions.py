"""Notes on rounds, decisions, own systems and previews for programs."""

import pytest

from judging.campaigns.models.campaign import TaskUnit
from tests import factories
from tests.judging.campaigns.actions.test_authorships import planned
from tests.judging.programs import API, fields_of, program

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft():
    return factories.campaign()


@pytest.fixture
def api(draft):
    return program(draft.created_by)


@pytest.fixture
def path(draft):
    return f"{API}/campaigns/{draft.uuid}/"


def test_notes_on_a_round_become_decisions(api, path):
    made = api.post(f"{path}rounds/", {"kind": "pilot", "size": 1, "annotators": 2}).json()
    own = f"{path}rounds/{made['id']}/"
    assert api.post(f"{own}end/").status_code == 200
    item = TaskUnit.objects.filter(task__round=made["id"]).first().unit_id
    notes = [
        {"criterion": "correctness", "item": item, "text": "Dates count as answers."},
        {"criterion": "correctness", "item": None, "text": "Read the whole passage."},
    ]
    assert api.put(f"{own}notes/", {"notes": notes}).json() == {"notes": notes}
    assert api.get(f"{own}notes/").json() == {"notes": notes}
    assert fields_of(api.put(f"{own}notes/", {"notes": [notes[0] | {"item": 1}]}))
    proposed = api.get(f"{own}decisions/").json()
    assert proposed["version"] == 0
    assert "Dates count as answers." in proposed["proposed"]
    decided = api.put(f"{own}decisions/", {"text": "Dates count."}).json()
    assert (decided["version"], decided["text"]) == (1, "Dates count.")


def test_own_systems_of_an_annotator_are_named():
    campaign, enrolment, _system = planned()
    api = program(campaign.created_by)
    own = f"{API}/campaigns/{campaign.uuid}/enrolments/{enrolment.pk}/own-systems/"
    assert api.get(own).json() == {"systems": []}
    assert api.put(own, {"systems": ["Alba"]}).json() == {"systems": ["Alba"]}
    assert fields_of(api.put(own, {"systems": ["Nobody"]})) == {"systems"}


def test_preview_shows_a_task_without_a_system(api, path):
    shown = api.get(f"{path}preview/").json()
    assert shown["task"] == 1
    assert shown["groups"][0]["questions"]
    assert fields_of(api.get(f"{path}preview/?task=x")) == {"task"}
