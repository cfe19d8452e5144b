"""Annotators' programs before the first task and after the last: training, qualification, exit
form."""

import pytest

from tests import factories
from tests.annotation.api.test_tasks import claimed, submitted
from tests.judging.programs import API, fields_of, program

pytestmark = pytest.mark.django_db
KEYS = [{"criterion": "correctness", "accepted": [3], "explanation": "Bert built it."}]
ITEM = {"question": "Who built lock 2?", "passage": "Bert built lock 2.", "keys": KEYS}


@pytest.fixture
def campaign():
    draft = factories.campaign(pass_mark=100, tries=2)
    manager = program(draft.created_by)
    path = f"{API}/campaigns/{draft.uuid}/"
    for kind in ("training", "qualification"):
        assert manager.post(f"{path}exercises/", {"kind": kind, **ITEM}).status_code == 201
    question = {"text": "Was anything unclear?", "reason": "To improve the guideline."}
    assert manager.post(f"{path}exit-questions/", question).status_code == 201
    for act in ("lock", "open"):
        assert manager.post(f"{path}{act}/").status_code == 200
    return draft


@pytest.fixture
def api(campaign):
    return program(factories.enrollment(campaign).user, "annotate")


def test_training_and_qualification_lead_to_the_first_task(api, campaign):
    path = f"{API}/annotate/campaigns/{campaign.uuid}/"
    assert claimed(api, campaign)["outcome"] == "training"
    early = {"number": 1, "answers": {"i1.correctness": 3}}
    assert api.post(f"{path}qualification/", early).json()["code"] == "training_first"
    [item] = api.get(f"{path}training/").json()
    assert (item["question"], item["number"]) == ("Who built lock 2?", 1)
    [control] = item["controls"]
    wrong = {"number": 1, "answers": {control["name"]: 1}}
    [feedback] = api.post(f"{path}training/", wrong).json()
    assert (feedback["is_right"], feedback["right"]) == (False, [3])
    assert (feedback["criterion"], feedback["why"]) == ("correctness", "Bert built it.")
    assert claimed(api, campaign)["outcome"] == "qualification"
    standing = api.get(f"{path}qualification/").json()
    assert (standing["outcome"], standing["next"], standing["left"]) == ("open", 1, 2)
    [item] = standing["items"]
    name = item["controls"][0]["name"]
    assert (
        api.post(f"{path}qualification/", {"number": 1, "answers": {name: 1}}).json()["left"] == 1
    )
    passed = api.post(f"{path}qualification/", {"number": 2, "answers": {name: 3}}).json()
    assert (passed["outcome"], passed["items"]) == ("passed", [])
    assert claimed(api, campaign)["outcome"] == "task"


@pytest.mark.parametrize(
    ("answers", "field"),
    [
        ({}, "answers.i1.correctness"),
        ({"i1.correctness": 9}, "answers.i1.correctness"),
        ({"i1.correctness": 3, "i1.fluency": 3}, "answers.i1.fluency"),
    ],
)
def test_training_answer_that_is_missing_or_unknown_names_its_control(
    api, campaign, answers, field
):
    path = f"{API}/annotate/campaigns/{campaign.uuid}/training/"
    assert fields_of(api.post(path, {"number": 1, "answers": answers})) == {field}


def test_exit_form_opens_after_a_task_and_stores_answers(api, campaign):
    path = f"{API}/annotate/campaigns/{campaign.uuid}/"
    assert api.get(f"{path}exit-form/").status_code == 404
    api.post(f"{path}training/", {"number": 1, "answers": {"i1.correctness": 3}})
    api.post(f"{path}qualification/", {"number": 1, "answers": {"i1.correctness": 3}})
    task = claimed(api, campaign)["task"]
    assert submitted(api, task).status_code == 200
    [question] = api.get(f"{path}exit-form/").json()
    assert (question["text"], question["answer"]) == ("Was anything unclear?", "")
    content = {"answers": {str(question["id"]): "The scale."}}
    [stored] = api.put(f"{path}exit-form/", content).json()
    assert stored["answer"] == "The scale."
    assert fields_of(api.put(f"{path}exit-form/", {"answers": {"7": "x"}})) == {"answers.7"}
