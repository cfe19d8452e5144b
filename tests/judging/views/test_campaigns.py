"""A researcher's pages about a campaign: works, forbidden, unknown, malformed, wrong verb; queries
do not grow."""

import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judging.actions import campaigns
from judging.models import Assignment, Campaign, Job, Membership, Round, Task
from judging.models.campaign import TasksInOrder
from tests import factories
from tests.judging.views.campaign_pages import address, assert_same_queries

pytestmark = pytest.mark.django_db

GETS = ["campaign", "plan", "tasks", "annotators"]
POSTS = [
    "amend",
    "discard",
    "lock",
    "open",
    "pause",
    "close",
    "archive",
    "exclude",
    "invite",
    "add_member",
]
FOR_MANAGERS = ["plan", *POSTS]


def verb_of(name: str) -> str:
    return "post" if name in POSTS else "get"


# --- who may, and what is not there ---


def test_strangers_and_annotators_find_no_campaign(client, draft):
    annotator = factories.user()
    Membership.objects.create(user=annotator, campaign=draft, role="annotator")
    for user in (factories.researcher(), annotator):
        client.force_login(user)
        for name in (*GETS, *POSTS):
            assert getattr(client, verb_of(name))(address(name, draft)).status_code == 404, name


def test_analysts_may_look_but_change_nothing(client, draft):
    analyst = factories.user()
    Membership.objects.create(user=analyst, campaign=draft, role="analyst")
    client.force_login(analyst)
    for name in FOR_MANAGERS:
        assert getattr(client, verb_of(name))(address(name, draft)).status_code == 403, name
        draft.refresh_from_db()
        assert draft.state == "draft"
    assert client.get(address("campaign", draft)).status_code == 200


def test_analysts_are_offered_no_buttons(client, open_campaign):
    analyst = factories.user()
    Membership.objects.create(user=analyst, campaign=open_campaign, role="analyst")
    client.force_login(analyst)
    for name in ("campaign", "annotators"):
        assert (
            b'method="post" action="/campaigns/'
            not in client.get(address(name, open_campaign)).content
        )


def test_whoever_is_not_logged_in_is_sent_to_log_in(client, draft):
    for name in (*GETS, *POSTS):
        answer = getattr(client, verb_of(name))(address(name, draft))
        assert answer.url.startswith(reverse("login")), name


def test_unknown_campaign_is_not_found(page):
    for name in (*GETS, *POSTS):
        unknown = reverse(f"judging:{name}", args=[uuid.uuid4()])
        assert getattr(page, verb_of(name))(unknown).status_code == 404, name


def test_wrong_verbs_are_refused(page, draft):
    for name in ("campaign", "tasks", "annotators", *POSTS):
        wrong = "get" if verb_of(name) == "post" else "post"
        assert getattr(page, wrong)(address(name, draft)).status_code == 405, name


def test_lists_and_forms_refuse_wrong_verbs(page, draft):
    assert page.post(reverse("judging:campaigns")).status_code == 405
    assert page.put(reverse("judging:campaign_new")).status_code == 405
    assert page.put(address("plan", draft)).status_code == 405


@pytest.mark.parametrize("name", ["revoke", "remove_member"])
def test_rows_of_other_campaigns_are_not_found(page, draft, name):
    theirs = factories.campaign()
    link = campaigns.invite(campaign=theirs, by=theirs.created_by)
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


def test_list_of_nothing_says_what_to_do_next(page):
    answer = page.get(reverse("judging:campaigns"))
    assert "No campaigns yet" in answer.text
    assert reverse("judging:campaign_new") in answer.text


def test_list_takes_as_many_queries_for_three_campaigns_as_for_one(page, owner):
    factories.opened(manager=owner)
    assert_same_queries(page, reverse("judging:campaigns"), lambda: factories.opened(manager=owner))


@pytest.mark.long
def test_lists_load_no_long_text_and_have_pages(page, owner):
    draft = factories.campaign(manager=owner)
    made = Campaign.objects.bulk_create(
        Campaign(
            title=f"Study {n}",
            collection=draft.collection,
            rubric=draft.rubric,
            created_by=owner,
            introduction="Welcome. " * 100,
        )
        for n in range(60)
    )
    Membership.objects.bulk_create(
        Membership(user=owner, campaign=each, role="manager") for each in made
    )
    Membership.objects.bulk_create(
        Membership(user=owner, campaign=each, role="annotator") for each in made
    )
    index = reverse("judging:campaigns")
    material = reverse("judging:collection", args=[draft.collection.pk])
    delete = reverse("judging:collection_delete", args=[draft.collection.pk])
    for url in (index, material, delete, "/work/", "/api/v1/campaigns/"):
        with CaptureQueriesContext(connection) as asked:
            assert page.get(url).status_code == 200
        assert len(asked) < 40, url
        for statement in asked:
            assert '"judging_campaign"."introduction"' not in statement["sql"].split("FROM")[0], url
            assert '"judging_rubric"."document"' not in statement["sql"], url
    for url, name in ((index, "page"), (material, "campaigns")):
        first, second = (page.get(url, {name: n}).text for n in (1, 2))
        assert f'href="?{name}=2"' in first
        assert sum(f">Study {n}</a>" in first for n in range(60)) == 50
        assert sum(f">Study {n}</a>" in second for n in range(60)) == 10


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


def test_move_that_the_state_does_not_allow_says_so(page, draft):
    for name in ("open", "pause", "close", "archive"):
        answer = page.post(address(name, draft), follow=True)
        assert "A campaign that is draft cannot become" in answer.text, name
        draft.refresh_from_db()
        assert draft.state == "draft"


def test_opening_without_questions_says_so(page, owner):
    empty = factories.campaign(
        manager=owner, collection=factories.collection(owner=owner, sources=0)
    )
    page.post(address("lock", empty))
    assert "Import questions first" in page.post(address("open", empty), follow=True).text


def test_opening_a_large_campaign_is_a_job(page, draft, monkeypatch):
    monkeypatch.setattr(campaigns, "LARGE_LAYOUT_SETS", 3)
    page.post(address("lock", draft))
    answer = page.post(address("open", draft))
    job = Job.objects.get(kind="judging.launch")
    assert answer.url == reverse("judging:job", args=[job.pk])
    assert "At work" in page.get(address("campaign", draft)).text


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


def test_opening_few_sets_with_many_places_is_a_job_too(page, draft, monkeypatch):
    monkeypatch.setattr(campaigns, "LARGE_LAYOUT_PLACES", 3)
    page.post(address("lock", draft))
    assert page.post(address("open", draft)).url.startswith("/jobs/")


def test_questions_that_are_judged_one_by_one_are_counted_and_not_their_sets(
    page, owner, monkeypatch
):
    """Four sets of five questions are twenty tasks of three annotators."""
    material = factories.collection(owner=owner, expected=5)
    for task, most, is_job in (("source", 59, False), ("unit", 60, False), ("unit", 59, True)):
        monkeypatch.setattr(campaigns, "LARGE_LAYOUT_PLACES", most)
        made = factories.campaign(
            manager=owner,
            collection=material,
            rubric=factories.rubric(version=f"{task}-{most}", task=task),
            annotators_per_task=3,
        )
        page.post(address("lock", made))
        assert page.post(address("open", made)).url.startswith("/jobs/") == is_job


def test_opening_a_large_campaign_twice_is_one_job(page, draft, monkeypatch):
    monkeypatch.setattr(campaigns, "LARGE_LAYOUT_SETS", 3)
    page.post(address("lock", draft))
    assert page.post(address("open", draft)).url == page.post(address("open", draft)).url
    assert Job.objects.filter(kind="judging.launch").count() == 1


def test_locking_and_closing_ask_once_more(page, draft, open_campaign):
    assert "It cannot be undone" in page.get(address("campaign", draft)).text
    assert "0 of 6 assignments are submitted" in page.get(address("campaign", open_campaign)).text


def test_overview_says_what_needs_the_manager(page, draft):
    for move, words in (
        (None, "then lock the protocol"),
        ("lock", "Open the campaign to let annotators begin"),
        ("open", "create an invitation link"),
        ("pause", "annotators get no task"),
        ("open", "create an invitation link"),
        ("close", "Run the analysis or read the report"),
    ):
        if move:
            page.post(address(move, draft))
        assert words in page.get(address("campaign", draft)).text


def test_overview_counts_places_and_shows_annotators(page, open_campaign):
    factories.enrollment(open_campaign, label="A01")
    answer = page.get(address("campaign", open_campaign))
    assert "0 / 6" in answer.text
    assert "A01" in answer.text


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


def test_task_leads_to_its_texts(page, open_campaign):
    listed = page.get(reverse("judging:tasks", args=[open_campaign.uuid])).text
    task = Task.objects.filter(round__campaign=open_campaign).order_by("number").first()
    source = task.task_units.order_by("pk").first().unit.question_set.source
    address = reverse("analysis:item", args=[open_campaign.uuid, source.pk])
    assert f'<a href="{address}">Passage and questions' in listed
    assert page.get(address).status_code == 200


def test_tasks_of_a_draft_say_when_they_are_made(page, draft):
    assert "when the campaign opens" in page.get(address("tasks", draft)).text


def test_tasks_page_that_is_not_there_shows_one_that_is(page, open_campaign):
    for number in ("2", "x", "-1"):
        assert page.get(address("tasks", open_campaign), {"page": number}).status_code == 200


def test_tasks_take_as_many_queries_for_three_as_for_one(page, owner):
    counts = []
    for sources in (1, 3):
        made = factories.opened(
            manager=owner, collection=factories.collection(owner=owner, sources=sources)
        )
        page.get(address("tasks", made))
        with CaptureQueriesContext(connection) as queries:
            page.get(address("tasks", made))
        counts.append(len(queries))
    assert counts[0] == counts[1]
