"""Campaigns for programs."""

import json

import pytest
from django.utils import timezone

import judging.campaigns.tasks  # noqa: F401  # registers the jobs
from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.crowd.actions import crowd_platforms
from judging.datasets.actions import datasets
from judging.people.models.event import Event
from tests import factories
from tests.annotation import studies
from tests.judging.programs import API, counted, done, fields_of, program

pytestmark = pytest.mark.django_db
PATH = f"{API}/campaigns/"


@pytest.fixture
def manager():
    return factories.researcher()


@pytest.fixture
def api(manager):
    return program(manager)


@pytest.fixture
def plan(manager):
    dataset = factories.dataset(owner=manager)
    return {"title": "Locks", "dataset": dataset.pk, "protocol": factories.protocol().pk}


@pytest.fixture
def draft(manager):
    return factories.campaign(manager=manager)


def test_campaigns_create_fills_in_what_is_excluded(api, plan):
    answer = api.post(PATH, plan | {"consent": "I agree."})
    assert answer.status_code == 201, answer.content
    made = answer.json()
    assert (made["state"], made["annotators_per_task"], made["order"]) == ("draft", 3, "depth")
    assert (made["lease_minutes"], made["consent"], made["time_zone"]) == (120, "I agree.", "UTC")
    assert made["dataset"] == plan["dataset"]
    assert api.get(f"{PATH}{made['uuid']}/").json() == made
    [listed] = api.get(PATH).json()["results"]
    assert listed.items() <= made.items()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"title": ""}, "title"),
        ({"dataset": 10**30}, "dataset"),
        ({"protocol": {}}, "protocol"),
        ({"annotators_per_task": "many"}, "annotators_per_task"),
        ({"order": "random"}, "order"),
        ({"time_zone": "Mars/Olympus"}, "time_zone"),
    ],
)
def test_campaigns_create_wrong_content_names_the_field(api, plan, change, field):
    assert field in fields_of(api.post(PATH, plan | change))
    assert not Campaign.objects.exists()


def test_campaigns_create_about_a_foreign_dataset_names_the_field(api, plan):
    foreign = factories.dataset()
    assert fields_of(api.post(PATH, plan | {"dataset": foreign.pk})) == {"dataset"}
    datasets.share_dataset(dataset=foreign, user=factories.researcher())
    assert fields_of(api.post(PATH, plan | {"dataset": foreign.pk})) == {"dataset"}


def test_campaigns_list_is_filtered_and_takes_a_constant_number_of_queries(manager, api, draft):
    api.get(PATH)
    with counted() as one:
        api.get(PATH)
    for _ in range(4):
        factories.campaign(manager=manager, title="Gates")
    with counted() as several:
        assert len(api.get(PATH).json()["results"]) == 5
    assert len(one) == len(several)
    assert len(api.get(PATH, {"title": "gate"}).json()["results"]) == 4
    assert api.get(PATH, {"state": "open"}).json()["results"] == []
    assert fields_of(api.get(PATH, {"state": "lost"})) == {"state"}


def test_campaigns_change_needs_the_state_that_was_read(api, draft):
    path = f"{PATH}{draft.uuid}/"
    tag = api.get(path).headers["ETag"]
    changed = api.patch(path, {"title": "Gates"}, HTTP_IF_MATCH=tag)
    assert (changed.status_code, changed.json()["title"]) == (200, "Gates")
    assert changed.headers["ETag"] != tag
    assert api.patch(path, {"title": "Sluices"}, HTTP_IF_MATCH=tag).status_code == 412
    assert api.patch(path, {"annotators_per_task": 2}).json()["annotators_per_task"] == 2
    assert fields_of(api.patch(path, {"order": "x"})) == {"order"}
    campaigns.lock_plan(campaign=draft, now=timezone.now())
    assert api.patch(path, {"title": "Late"}).status_code == 409


@pytest.mark.long
def test_campaigns_change_keeps_hypotheses_and_translated_texts(api, draft):
    path = f"{PATH}{draft.uuid}/"
    declared = {
        "primary": [
            {
                "criterion": "grammaticality",
                "first": "Alba",
                "second": "Brisa",
                "direction": "greater",
                "metric_level": "",
            }
        ],
        "level": 0.01,
        "multiplicity": "holm",
        "margins": {"grammaticality": {"points": 0.5, "reason": "One step is noticed."}},
        "corrected_together": [],
    }
    texts = {"de": {"consent": "Ich nehme teil.", "pay": "12 Euro"}}
    given = api.patch(path, {"hypotheses": declared, "translated_texts": texts})
    assert given.status_code == 200, given.content
    assert (given.json()["hypotheses"], given.json()["translated_texts"]) == (declared, texts)
    later = api.patch(path, {"title": "Gates"}).json()
    assert (later["hypotheses"], later["translated_texts"]) == (declared, texts)
    without = api.patch(path, {"hypotheses": {}, "translated_texts": {}}).json()
    assert (without["hypotheses"], without["translated_texts"]) == ({}, {})


def test_campaigns_wrong_hypotheses_and_texts_name_their_fields(api, draft):
    path = f"{PATH}{draft.uuid}/"
    primary = {"criterion": "grammaticality", "first": "Alba", "second": "Nobody"}
    assert fields_of(api.patch(path, {"hypotheses": {"primary": [primary]}})) == {
        "hypotheses.primary.0.second"
    }
    margins = {"grammaticality": {"points": -1, "reason": "?"}}
    assert fields_of(api.patch(path, {"hypotheses": {"margins": margins}})) == {
        "hypotheses.margins.grammaticality.points"
    }
    unknown = {"translated_texts": {"xx": {"consent": "?"}}}
    assert fields_of(api.patch(path, unknown)) == {"translated_texts"}


def test_campaigns_selection_narrows_what_a_draft_judges(manager, api, draft):
    path = f"{PATH}{draft.uuid}/selection/"
    assert api.get(path).json() == {"questions": 4, "out_of": 4, "sources": 2}
    chosen = api.put(path, {"systems": ["Alba"], "sample": {"size": 1, "seed": 3}})
    assert (chosen.status_code, chosen.json()["questions"]) == (200, 1), chosen.content
    assert api.get(path).json() == chosen.json()
    assert api.put(path, {"list": [["s1", ""], ["s2", "Alba"]]}).json()["questions"] == 3
    assert fields_of(api.put(path, {"systems": ["Dora"]})) == {"systems"}
    assert fields_of(api.put(path, {"systems": "Alba", "list": [["s1"]]})) == {"systems", "list.0"}
    wrong = {"sample": {"size": 0, "seed": "x", "over": "luck"}}
    assert fields_of(api.put(path, wrong)) == {"sample.size", "sample.seed", "sample.over"}
    assert fields_of(api.put(path, {"sample": {"size": 1, "seed": 1, "over": "column"}})) == {
        "sample.column"
    }
    campaigns.lock_plan(campaign=draft, now=timezone.now())
    assert api.put(path, {}).status_code == 409


def test_campaigns_selection_by_a_manager_who_judges_the_dataset_elsewhere_is_forbidden(
    manager, api, draft
):
    other = factories.opened(dataset=draft.dataset, manager=manager)
    factories.enrollment(other, account=manager)
    assert api.put(f"{PATH}{draft.uuid}/selection/", {"systems": ["Alba"]}).status_code == 403


def test_campaigns_go_through_their_states(api, draft):
    path = f"{PATH}{draft.uuid}/"
    assert api.post(f"{path}open/").status_code == 409
    assert api.post(f"{path}lock/").json()["state"] == "locked"
    opened = api.post(f"{path}open/").json()
    assert (opened["state"], opened["assignments"]) == ("open", 6)
    assert api.post(f"{path}pause/").json()["state"] == "paused"
    assert api.post(f"{path}open/").json()["state"] == "open"
    assert api.post(f"{path}archive/").status_code == 409
    assert api.post(f"{path}close/").json()["state"] == "closed"
    assert api.post(f"{path}archive/").json()["state"] == "archived"
    assert api.post(f"{path}close/").status_code == 409
    assert api.post(f"{path}unarchive/").json()["state"] == "closed"
    assert api.post(f"{path}open/").status_code == 409
    assert api.post(f"{path}reopen/").json()["state"] == "open"
    assert api.delete(path).status_code == 409


@pytest.mark.long
def test_campaigns_open_large_is_a_job(api, draft, monkeypatch):
    monkeypatch.setattr(campaigns, "LARGE_LAYOUT_SETS", 1)
    api.post(f"{PATH}{draft.uuid}/lock/")
    assert done(api.post(f"{PATH}{draft.uuid}/open/")).state == "done"
    assert api.get(f"{PATH}{draft.uuid}/").json()["state"] == "open"


def test_campaigns_open_against_the_rules_of_a_crowd_platform_needs_a_yes(manager, api, draft):
    crowd_platforms.add_crowd_platform(campaign=draft, kind="prolific", by=manager)
    path = f"{PATH}{draft.uuid}/"
    api.post(f"{path}lock/")
    refused = api.post(f"{path}open/")
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert fields_of(api.post(f"{path}open/", {"anyway": "x"})) == {"anyway"}
    assert api.post(f"{path}open/", {"anyway": True}).json()["state"] == "open"


def test_campaigns_clone_and_reproduce_make_drafts(api, draft):
    path = f"{PATH}{draft.uuid}/"
    copy = api.post(f"{path}clone/")
    assert (copy.status_code, copy.json()["title"]) == (201, "Copy of Canal towns")
    assert api.post(f"{path}reproduce/").status_code == 409
    for step in ("lock", "open", "close"):
        api.post(f"{path}{step}/")
    again = api.post(f"{path}reproduce/").json()
    assert (again["state"], again["reproduces"]) == ("draft", str(draft.uuid))


def test_campaigns_delete_a_draft(api, draft):
    assert api.delete(f"{PATH}{draft.uuid}/").status_code == 204
    assert not Campaign.objects.exists()


def test_campaigns_delete_a_large_draft_by_a_job(api, draft, monkeypatch):
    monkeypatch.setattr(campaigns, "LARGE", -1)
    assert done(api.delete(f"{PATH}{draft.uuid}/")).state == "done"
    assert not Campaign.objects.exists()


def test_campaigns_same_idempotency_key_creates_once(api, plan):
    first, again = (api.post(PATH, plan, HTTP_IDEMPOTENCY_KEY="a") for _ in range(2))
    assert first.json() == again.json()
    assert Campaign.objects.count() == 1


def test_rounds_of_a_draft_are_opened_and_ended(api, draft):
    path = f"{PATH}{draft.uuid}/rounds/"
    body = {"kind": "pilot", "size": 1, "annotators": 2}
    made = api.post(path, body)
    assert made.status_code == 201, made.content
    assert (made.json()["annotators"], made.json()["apart"], made.json()["assignments"]) == (
        2,
        True,
        2,
    )
    assert api.post(path, body).status_code == 409
    assert [each["kind"] for each in api.get(path).json()["results"]] == ["main", "pilot"]
    ended = api.post(f"{path}{made.json()['id']}/end/")
    assert ended.json()["closed_at"] is not None
    assert api.post(f"{path}{made.json()['id']}/end/").status_code == 409
    assert api.post(f"{path}1/end/").status_code == 404
    assert fields_of(api.post(path, {"kind": "main", "size": 0})) == {"kind", "size", "annotators"}
    assert api.post(path, body | {"size": 99}).status_code == 409


def test_deviations_are_made_with_a_reason_and_listed(api, draft):
    path = f"{PATH}{draft.uuid}/deviations/"
    body = {"what": "lease_minutes", "value": "60", "reason": "Tasks are short."}
    assert api.post(path, body).status_code == 409
    api.post(f"{PATH}{draft.uuid}/lock/")
    made = api.post(path, body)
    assert (made.status_code, made.json()["before"], made.json()["after"]) == (201, "120", "60")
    assert api.get(path).json()["results"] == [made.json()]
    assert fields_of(api.post(path, body | {"value": "soon"})) == {"value"}
    assert fields_of(api.post(path, {"what": "title", "value": "x"})) == {"what", "reason"}


def test_history_is_filtered_by_act_and_user(manager, api, draft):
    api.post(f"{PATH}{draft.uuid}/lock/")
    path = f"{PATH}{draft.uuid}/history/"
    [event] = api.get(path, {"act": "campaign.locked", "who": manager.username}).json()["results"]
    assert (event["who"], event["account"]) == (manager.username, manager.pk)
    assert fields_of(api.get(path, {"act": "nothing"})) == {"act"}
    assert fields_of(api.get(path, {"since": "yesterday"})) == {"since"}


@pytest.mark.parametrize("since", ["4812-10-03T21:34:11+20:48", "0001-01-01T00:00:00+20:00"])
def test_history_since_a_strange_moment_is_no_server_error(api, draft, since):
    answer = api.get(f"{PATH}{draft.uuid}/history/", {"since": since})
    assert answer.status_code in (200, 422)


def test_draws_are_streamed_and_checked_once_they_are_revealed(api, draft):
    path = f"{PATH}{draft.uuid}/"
    for step in ("lock", "open", "close"):
        api.post(f"{path}{step}/")
    assert api.get(f"{path}draws/").json()["code"] == "draws_not_revealed"
    assert api.post(f"{path}draws/check/").status_code == 409
    assert api.post(f"{path}draws/reveal/").status_code == 200
    found = json.loads(api.get(f"{path}draws/").getvalue())
    assert found["campaign"] == str(draft.uuid)
    assert Event.objects.filter(act=Event.Act.EXPORTED).count() == 1
    assert api.get(f"{path}draws/check/").status_code == 404
    assert done(api.post(f"{path}draws/check/")).state == "done"
    assert api.get(f"{path}draws/check/").json()["problems"] == []


def test_campaigns_of_an_annotate_token_are_forbidden(manager, draft):
    assert program(manager, "annotate").get(f"{PATH}{draft.uuid}/").status_code == 403
    assert program(manager, "read").post(f"{PATH}{draft.uuid}/lock/").status_code == 403
    assert studies.main_round(draft).opened_at is None
