"""A researcher's pages about a campaign: works, forbidden, unknown, malformed, wrong verb; queries
do not grow."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judging.campaigns.actions import campaigns
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Round, Task, TasksInOrder
from judging.jobs.models.job import Job
from tests import factories
from tests.judging.campaign_pages import address, assert_same_queries

pytestmark = pytest.mark.django_db


# --- who may, and what is not there ---


@pytest.mark.parametrize("name", ["revoke", "remove_member"])
def test_rows_of_other_campaigns_are_not_found(page, draft, name):
    theirs = factories.campaign()
    link = campaigns.create_invitation(campaign=theirs, by=theirs.created_by)
    row = link.pk if name == "revoke" else theirs.memberships.get().pk
    assert page.post(address(name, draft, row)).status_code == 404
    assert page.post(address(name, draft, 10**9)).status_code == 404
    assert page.get(address(name, draft, row)).status_code == 405
    link.refresh_from_db()
    assert link.revoked_at is None
    assert theirs.memberships.count() == 1


# --- the list ---


def test_list_shows_ones_own_campaigns_alone(page, draft):
    theirs = factories.campaign(title="Somebody else's")
    answer = page.get(reverse("judging:campaigns"))
    assert address("campaign", draft) in answer.text
    assert theirs.title not in answer.text


def test_list_takes_as_many_queries_for_three_campaigns_as_for_one(page, owner):
    factories.opened(manager=owner)
    assert_same_queries(page, reverse("judging:campaigns"), lambda: factories.opened(manager=owner))


# --- its states ---


def test_campaign_goes_through_its_states(page, draft):
    for name, state in [
        ("lock", "locked"),
        ("open", "open"),
        ("pause", "paused"),
        ("open", "open"),
        ("close", "closed"),
        ("archive", "archived"),
        ("close", "closed"),
    ]:
        assert page.post(address(name, draft)).url == address("campaign", draft)
        draft.refresh_from_db()
        assert draft.state == state


def test_task_list_asks_for_the_numbers_of_its_page_in_each_round(open_campaign):
    main = open_campaign.rounds.get()
    pilot = Round.objects.create(campaign=open_campaign, kind="pilot")
    made = [Task.objects.create(round=pilot, number=number) for number in range(1, 4)]
    Assignment.objects.create(round=pilot, task=made[0], place=1, position=1, state="open")
    listed = TasksInOrder(open_campaign.rounds.all())

    with CaptureQueriesContext(connection) as asked:
        found = listed[1:4]

    numbers = [(each.round.kind, each.number, each.places, each.filled) for each in found]
    assert len(listed) == main.tasks.count() + 3 == 5
    assert numbers == [("main", 2, 3, 0), ("pilot", 1, 1, 0), ("pilot", 2, 0, 0)]
    said = " ".join(each["sql"] for each in asked.captured_queries)
    assert "BETWEEN 2 AND 2" in said and "BETWEEN 1 AND 2" in said
    assert "OFFSET" not in said


def test_questions_that_are_judged_one_by_one_are_counted_and_not_their_sets(
    page, owner, monkeypatch
):
    """Four sets of five questions are twenty tasks of three annotators."""
    material = factories.dataset(owner=owner, expected=5)
    for task, most, is_job in (("source", 59, False), ("unit", 60, False), ("unit", 59, True)):
        monkeypatch.setattr(campaigns, "LARGE_LAYOUT_PLACES", most)
        made = factories.campaign(
            manager=owner,
            dataset=material,
            protocol=factories.protocol(version=f"{task}-{most}", task=task),
            annotators_per_task=3,
        )
        page.post(address("lock", made))
        assert page.post(address("open", made)).url.startswith("/jobs/") == is_job


def test_opening_a_large_campaign_twice_is_one_job(page, draft, monkeypatch):
    monkeypatch.setattr(campaigns, "LARGE_LAYOUT_SETS", 3)
    page.post(address("lock", draft))
    assert page.post(address("open", draft)).url == page.post(address("open", draft)).url
    assert Job.objects.filter(kind="judging.launch").count() == 1


@pytest.mark.long
def test_overview_takes_as_many_queries_for_three_annotators_as_for_one(page, open_campaign):
    factories.enrollment(open_campaign)
    assert_same_queries(
        page, address("campaign", open_campaign), lambda: factories.enrollment(open_campaign)
    )


# --- tasks ---


def test_tasks_are_listed_with_their_places(page, open_campaign):
    answer = page.get(address("tasks", open_campaign))
    assert [(task.number, task.places, task.filled) for task in answer.context["page"]] == [
        (1, 3, 0),
        (2, 3, 0),
    ]


def test_tasks_take_as_many_queries_for_three_as_for_one(page, owner):
    counts = []
    for sources in (1, 3):
        made = factories.opened(
            manager=owner, dataset=factories.dataset(owner=owner, sources=sources)
        )
        page.get(address("tasks", made))
        with CaptureQueriesContext(connection) as queries:
            page.get(address("tasks", made))
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_overview_counts_places_and_shows_annotators(page, open_campaign):
    factories.enrollment(open_campaign, label="A01")
    answer = page.get(address("campaign", open_campaign))
    assert "0 of 6" in answer.text
    assert "A01" in answer.text
