"""Annotators' programs: claim, read, save, submit, with what the judging page shows and no more."""

import pytest
from django.utils import timezone

from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Question, QuestionSet, Source, System, Unit
from judging.overview.actions import erasures
from judging.work.models.judgment import Judgment
from tests import factories
from tests.annotation import studies
from tests.judging.programs import API, fields_of, program

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign():
    return studies.opened(sources=2, systems=("Alba", "Brisa"), annotators_per_task=2)


@pytest.fixture
def own(campaign):
    return factories.enrollment(campaign)


@pytest.fixture
def api(own):
    return program(own.user, "annotate")


def claimed(api, campaign):
    answer = api.post(f"{API}/annotate/campaigns/{campaign.uuid}/claim/")
    assert answer.status_code == 200, answer.content
    return answer.json()


def controls(task):
    return [
        control
        for group in task["groups"]
        for part in (*group["questions"], group)
        for control in part["controls"]
    ]


def answers(task, value=3):
    return {control["name"]: value for control in controls(task)}


def submitted(api, task, **fields):
    body = {
        "token": task["token"],
        "sequence": task["sequence"] + 1,
        "answers": answers(task),
    } | fields
    return api.post(f"{task['url']}submit/", body)


def test_claim_to_the_end_stores_every_judgment(api, campaign, own):
    assert [each["title"] for each in api.get(f"{API}/annotate/campaigns/").json()["results"]] == [
        campaign.title
    ]
    seen = []
    while (found := claimed(api, campaign))["outcome"] == "task":
        task = found["task"]
        assert claimed(api, campaign)["task"]["id"] == task["id"]
        answer = submitted(api, task)
        assert answer.status_code == 200, answer.content
        assert answer.json()["state"] == "submitted"
        seen.append(task["id"])
    assert found == {"outcome": "finished", "task": None, "held_by_others": None, "url": None}
    assert Judgment.objects.filter(assignment__enrollment=own, value=3).count() == 2 * 2 * 2
    done = api.get(f"{API}/annotate/campaigns/{campaign.uuid}/tasks/", {"limit": 1}).json()
    assert [each["id"] for each in done["results"]] == [seen[-1]]
    assert [each["id"] for each in api.get(done["next"]).json()["results"]] == [seen[0]]


def test_task_shows_questions_and_material_but_no_system_key_or_secret(api, campaign):
    found = claimed(api, campaign)
    task = api.get(found["task"]["url"])
    assert task.json() == found["task"]
    said = (
        task.content.decode()
        + api.get(f"{API}/annotate/campaigns/{campaign.uuid}/").content.decode()
    )
    campaign = Campaign.objects.get(pk=campaign.pk)
    hidden = [campaign.secret, "Alba", "Brisa"]
    for model in (Question, Unit, QuestionSet, System, Source):  # keys begin at a million
        hidden += [f" {pk}" for pk in model.objects.values_list("pk", flat=True)]
        hidden += [f":{pk}" for pk in model.objects.values_list("pk", flat=True)]
    assert [each for each in hidden if each in said] == []
    shown = found["task"]
    passage = shown["source"]["passage"]
    assert passage.startswith("Lock")
    marked = [
        passage[each["start"] : each["end"]]
        for each in shown["source"]["highlights"]
        if each["kind"] == "sentence_mark"
    ]
    assert marked == ["Agnes Tolliver"]
    assert [each["letter"] for each in shown["groups"][0]["questions"]] == ["A", "B"]
    assert {each["criterion"] for each in controls(shown)} == {"grammaticality", "correctness"}
    assert shown["progress"] == {"done": 0, "total": 2, "current": 1}


def test_claim_none_now_says_how_many_others_hold():
    campaign = studies.opened(sources=1, annotators_per_task=1)
    studies.held(factories.enrollment(campaign))
    api = program(factories.enrollment(campaign).user, "annotate")
    found = claimed(api, campaign)
    assert (found["outcome"], found["held_by_others"]) == ("none_now", 1)


def test_claim_of_a_draft_campaign_is_closed():
    campaign = factories.campaign()
    api = program(factories.enrollment(campaign).user, "annotate")
    assert claimed(api, campaign)["outcome"] == "closed"


def test_draft_is_kept_and_a_late_one_loses(api, campaign):
    task = claimed(api, campaign)["task"]
    first, second = list(answers(task))[:2]
    url = f"{task['url']}draft/"
    body = {"sequence": 5, "answers": {first: 2, second: 1}, "note": "A lock?"}
    assert api.put(url, body).json() == {"sequence": 5}
    late = api.put(url, {"sequence": 4, "answers": {first: 1}})
    assert late.status_code == 409
    assert first in late.json()["detail"]
    kept = api.get(task["url"]).json()
    assert {each["name"]: each["value"] for each in controls(kept)}[first] == 2
    assert (kept["sequence"], kept["note"]) == (5, "A lock?")
    assert api.put(url, {"sequence": 6, "answers": {first: None}}).status_code == 200
    kept = api.get(task["url"]).json()
    assert {each["name"]: each["value"] for each in controls(kept)}[first] is None


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"sequence": "x"}, "sequence"),
        ({"sequence": 1, "answers": []}, "answers"),
        ({"sequence": 1, "answers": {"q1.grammaticality": 10**9}}, "answers.q1.grammaticality"),
        ({"sequence": 1, "answers": {"q1.nothing": 1}}, "answers.q1.nothing"),
        ({"sequence": 1, "answers": {"q1.grammaticality": 9}}, "answers.q1.grammaticality"),
        (
            {"sequence": 1, "marks": {"m1": {"ranges": [{"start": 3, "end": 1}]}}},
            "marks.m1.ranges.0",
        ),
    ],
)
def test_draft_wrong_content_names_the_field(api, campaign, body, field):
    task = claimed(api, campaign)["task"]
    assert field in fields_of(api.put(f"{task['url']}draft/", body))


def test_submit_without_an_answer_names_it_and_keeps_the_others(api, campaign):
    task = claimed(api, campaign)["task"]
    some = answers(task)
    some.pop("q1.correctness")
    assert fields_of(submitted(api, task, answers=some)) == {"answers.q1.correctness"}
    kept = {each["name"]: each["value"] for each in controls(api.get(task["url"]).json())}
    assert kept == {**some, "q1.correctness": None}


def test_submit_twice_is_stored_once_and_an_older_page_is_a_conflict(api, campaign):
    task = claimed(api, campaign)["task"]
    assert submitted(api, task).status_code == submitted(api, task).status_code == 200
    assert Judgment.objects.count() == 4
    changed = submitted(api, task, answers=answers(task, 1), sequence=9)
    assert changed.status_code == 409
    again = api.get(task["url"]).json()
    assert submitted(api, again, answers=answers(task, 1), sequence=10).status_code == 200
    assert Judgment.objects.standing().filter(value=1).count() == 4


def test_stages_open_one_after_the_other():
    campaign = studies.opened("qgbench-staged", expected=1)
    api = program(factories.enrollment(campaign).user, "annotate")
    task = claimed(api, campaign)["task"]
    assert task["stage"]["number"] == 1
    assert not task["source"] or not task["source"]["passage"]
    url = task["url"]
    assert api.post(f"{url}continue/", {"number": 2}).status_code == 409
    assert fields_of(api.post(f"{url}continue/", {"number": 1}))
    open_now = {each["name"]: each["points"][0]["value"] for each in controls(task)}
    assert api.put(f"{url}draft/", {"sequence": 1, "answers": open_now}).status_code == 200
    early = submitted(api, task, answers=open_now)
    assert (early.status_code, early.json()["code"]) == (409, "continue_first")
    assert "continue to stage 2" in early.json()["detail"]
    following = api.post(f"{url}continue/", {"number": 1}).json()
    assert following["stage"]["number"] == 2
    assert len(controls(following)) > len(controls(task))
    assert api.put(f"{url}draft/", {"sequence": 2, "answers": open_now}).status_code == 409


def test_consent_comes_before_the_first_task():
    campaign = studies.opened(consent="You may stop at any time.")
    account = factories.enrollment(campaign).user
    api = program(account, "annotate")
    path = f"{API}/annotate/campaigns/{campaign.uuid}/"
    assert api.post(f"{path}claim/").status_code == 409
    texts = api.get(path).json()
    assert (texts["consent"], texts["agreed"]) == ("You may stop at any time.", False)
    assert texts["guideline"].startswith("Read the question first.")
    assert api.post(f"{path}consent/", {"consent_digest": "x"}).status_code == 409
    said = {"consent_digest": texts["consent_digest"]}
    assert api.post(f"{path}consent/", said).json()["agreed"] is True
    assert claimed(api, campaign)["outcome"] == "task"


@pytest.mark.parametrize("scope", ["read", "manage"])
def test_other_scopes_do_not_annotate(campaign, own, scope):
    api = program(own.user, scope)
    assert api.post(f"{API}/annotate/campaigns/{campaign.uuid}/claim/").status_code == 403
    assert not Assignment.objects.held().exists()


def test_annotate_token_reads_nothing_of_a_manager(campaign):
    api = program(campaign.created_by, "annotate")
    assert api.get(f"{API}/datasets/").status_code == 403
    assert api.get(f"{API}/jobs/").status_code == 403


def test_task_of_who_withdrew_meanwhile_is_not_found(api, campaign, own):
    task = claimed(api, campaign)["task"]
    erasures.erase_annotator(enrollment=own, by=None, now=timezone.now())
    assert api.get(task["url"]).status_code in (401, 404)


def test_texts_are_in_the_language_that_the_campaign_fixes():
    campaign = studies.opened(
        "qgeval",
        fixed_language="de",
        introduction="Rate questions.",
        translated_texts={"de": {"introduction": "Bewerten Sie Fragen."}},
    )
    api = program(factories.enrollment(campaign).user, "annotate")
    english = {"HTTP_ACCEPT_LANGUAGE": "en"}
    texts = api.get(f"{API}/annotate/campaigns/{campaign.uuid}/", **english).json()
    assert texts["introduction"] == "Bewerten Sie Fragen."
    claim = api.post(f"{API}/annotate/campaigns/{campaign.uuid}/claim/", **english).json()
    read = api.get(claim["task"]["url"], **english).json()
    for task in (claim["task"], read):
        prompts = {control["prompt"] for control in controls(task)}
        assert "Ist die Frage wohlgeformt?" in prompts


def test_answer_off_the_scale_is_refused_with_its_field_and_the_scale(api, campaign):
    task = claimed(api, campaign)["task"]
    draft = {"sequence": 1, "answers": {"q1.correctness": 99}}
    [error] = api.put(f"{task['url']}draft/", draft).json()["errors"]
    assert error == {
        "field": "answers.q1.correctness",
        "code": "not_on_scale",
        "detail": "99 is not on the scale 1–3.",
    }


def test_mark_with_an_unknown_key_is_refused(api, campaign):
    task = claimed(api, campaign)["task"]
    draft = {"sequence": 1, "marks": {"q1.mark": {"range": [{"start": 0, "end": 4}]}}}
    assert fields_of(api.put(f"{task['url']}draft/", draft)) == {"marks.q1.mark.range"}
