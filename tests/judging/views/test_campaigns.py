"""A researcher's pages about a campaign: works, forbidden, unknown, malformed, wrong verb; queries do not grow."""

import uuid

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from judging.actions import campaigns, enrollments
from judging.models import Campaign, Exclusion, Invitation, Job, Membership, User
from judging.views import campaigns as views
from tests import factories

pytestmark = pytest.mark.django_db

GETS = ["campaign", "plan", "tasks", "annotators"]
POSTS = ["amend", "lock", "open", "pause", "close", "archive", "exclude", "invite", "add_member"]
FOR_MANAGERS = ["plan", *POSTS]


@pytest.fixture
def manager() -> User:
    return factories.researcher()


@pytest.fixture
def page(client: Client, manager: User) -> Client:
    client.force_login(manager)
    return client


@pytest.fixture
def draft(manager: User) -> Campaign:
    return factories.campaign(manager=manager)


@pytest.fixture
def open_campaign(manager: User) -> Campaign:
    return factories.opened(manager=manager)


def address(name: str, campaign: Campaign, *args: int) -> str:
    return reverse(f"judging:{name}", args=[campaign.uuid, *args])


def verb_of(name: str) -> str:
    return "post" if name in POSTS else "get"


def plan(campaign: Campaign, **changes) -> dict:
    """Return what the form of a plan sends."""
    fields = {
        "title": "Weirs", "rubric": campaign.rubric_id, "annotators_per_task": 2, "order": "breadth", "seed": 7,
        "lease_minutes": 30, "time_zone": "Europe/Berlin", "introduction": "", "consent": "", "contact": "",
    }  # fmt: skip
    return fields | changes


# --- who may, and what is not there ---


@pytest.mark.parametrize("name", [*GETS, *POSTS])
def test_strangers_and_annotators_find_no_campaign(client, draft, name):
    annotator = factories.user()
    Membership.objects.create(user=annotator, campaign=draft, role="annotator")
    for user in (factories.researcher(), annotator):
        client.force_login(user)
        assert getattr(client, verb_of(name))(address(name, draft)).status_code == 404


@pytest.mark.parametrize("name", FOR_MANAGERS)
def test_analysts_may_look_but_change_nothing(client, draft, name):
    analyst = factories.user()
    Membership.objects.create(user=analyst, campaign=draft, role="analyst")
    client.force_login(analyst)
    assert getattr(client, verb_of(name))(address(name, draft)).status_code == 403
    assert client.get(address("campaign", draft)).status_code == 200
    draft.refresh_from_db()
    assert draft.state == "draft"


def test_analysts_are_offered_no_buttons(client, open_campaign):
    analyst = factories.user()
    Membership.objects.create(user=analyst, campaign=open_campaign, role="analyst")
    client.force_login(analyst)
    for name in ("campaign", "annotators"):
        assert b'method="post" action="/campaigns/' not in client.get(address(name, open_campaign)).content


@pytest.mark.parametrize("name", [*GETS, *POSTS])
def test_whoever_is_not_logged_in_is_sent_to_log_in(client, draft, name):
    answer = getattr(client, verb_of(name))(address(name, draft))
    assert answer.url.startswith(reverse("login"))


@pytest.mark.parametrize("name", [*GETS, *POSTS])
def test_unknown_campaign_is_not_found(page, name):
    assert getattr(page, verb_of(name))(reverse(f"judging:{name}", args=[uuid.uuid4()])).status_code == 404


@pytest.mark.parametrize("name", ["campaign", "tasks", "annotators", *POSTS])
def test_wrong_verbs_are_refused(page, draft, name):
    wrong = "get" if verb_of(name) == "post" else "post"
    assert getattr(page, wrong)(address(name, draft)).status_code == 405


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


def test_list_takes_as_many_queries_for_three_campaigns_as_for_one(page, manager):
    factories.opened(manager=manager)
    assert_same_queries(page, reverse("judging:campaigns"), lambda: factories.opened(manager=manager))


def assert_same_queries(page: Client, url: str, add) -> None:
    """Count a page's queries, add two rows, count again."""
    page.get(url)
    with CaptureQueriesContext(connection) as one:
        page.get(url)
    add()
    add()
    with CaptureQueriesContext(connection) as three:
        page.get(url)
    assert len(three) == len(one)


# --- planning ---


def test_new_campaign_is_a_draft_with_its_manager(page, manager):
    collection, rubric = factories.collection(owner=manager), factories.rubric()
    form = {
        "collection": collection.pk, "rubric": rubric.pk, "title": "Weirs", "annotators_per_task": 2, "order": "depth",
        "seed": 1, "lease_minutes": 60, "time_zone": "UTC",
    }  # fmt: skip
    answer = page.post(reverse("judging:campaign_new"), form)
    made = Campaign.objects.get()
    assert answer.url == address("campaign", made)
    assert (made.title, made.state, made.annotators_per_task) == ("Weirs", "draft", 2)
    assert made.memberships.get().user == manager


def test_new_campaign_sent_twice_is_one(page, manager):
    collection, rubric = factories.collection(owner=manager), factories.rubric()
    form = {
        "collection": collection.pk, "rubric": rubric.pk, "title": "Weirs", "annotators_per_task": 2, "order": "depth",
        "seed": 1, "lease_minutes": 60, "time_zone": "UTC",
    }  # fmt: skip
    first = page.post(reverse("judging:campaign_new"), form)
    assert page.post(reverse("judging:campaign_new"), form).url == first.url
    assert page.post(reverse("judging:campaign_new"), form | {"seed": 2}).url != first.url
    Campaign.objects.update(created_at=timezone.now() - campaigns.DOUBLE_CLICK)
    assert page.post(reverse("judging:campaign_new"), form).url != first.url
    assert Campaign.objects.count() == 3


def test_new_campaign_offers_protocols_with_what_they_ask(page, manager):
    factories.collection(owner=manager)
    rubric = factories.rubric()
    answer = page.get(reverse("judging:campaign_new"), {"rubric": rubric.pk})
    assert "Two criteria for tests." in answer.text
    assert answer.text.count("checked") == 2


def test_new_campaign_without_material_leads_to_the_import(page):
    assert reverse("judging:import") in page.get(reverse("judging:campaign_new")).text


def test_new_campaign_about_somebody_elses_material_is_refused(page, manager):
    factories.collection(owner=manager)
    theirs, rubric = factories.collection(), factories.rubric()
    form = {"collection": theirs.pk, "rubric": rubric.pk, "title": "x", "annotators_per_task": 1, "order": "depth"}
    answer = page.post(reverse("judging:campaign_new"), form | {"seed": 1, "lease_minutes": 1, "time_zone": "UTC"})
    assert answer.status_code == 422
    assert not Campaign.objects.exists()


def test_new_campaign_is_for_those_who_may_create(client):
    client.force_login(factories.user())
    assert client.get(reverse("judging:campaign_new")).status_code == 403
    client.logout()
    assert client.get(reverse("judging:campaign_new")).url.startswith(reverse("login"))


def test_plan_of_a_draft_can_be_changed(page, draft):
    answer = page.post(address("plan", draft), plan(draft))
    assert answer.url == address("campaign", draft)
    draft.refresh_from_db()
    assert (draft.title, draft.seed, draft.order, draft.time_zone) == ("Weirs", 7, "breadth", "Europe/Berlin")


@pytest.mark.parametrize(
    "wrong", [{"title": ""}, {"annotators_per_task": 0}, {"time_zone": "Mars"}, {"rubric": 10**9}, {"seed": "x"}]
)
def test_plan_malformed_names_the_field(page, draft, wrong):
    answer = page.post(address("plan", draft), plan(draft, **wrong))
    assert answer.status_code == 422
    assert f'id="id_{next(iter(wrong))}' in answer.text
    assert "errorlist" in answer.text
    draft.refresh_from_db()
    assert draft.title == "Canal towns"


def test_plan_with_a_wrong_detail_unfolds_the_details(page, draft):
    assert '<details class="more" open>' in page.post(address("plan", draft), plan(draft, time_zone="Mars")).text


def test_plan_that_is_locked_is_read_and_not_changed(page, open_campaign):
    assert "Locked protocol" in page.get(address("plan", open_campaign)).text
    page.post(address("plan", open_campaign), plan(open_campaign))
    open_campaign.refresh_from_db()
    assert open_campaign.title == "Canal towns"


def test_amendment_is_listed_with_its_reason(page, open_campaign):
    change = {"what": "lease_minutes", "value": "45", "reason": "People take breaks"}
    assert page.post(address("amend", open_campaign), change).status_code == 302
    open_campaign.refresh_from_db()
    assert open_campaign.lease_minutes == 45
    assert "People take breaks" in page.get(address("plan", open_campaign)).text


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"what": "seed", "value": "1", "reason": "x"},
        {"what": "lease_minutes", "value": "x", "reason": "x"},
        {"what": "lease_minutes", "value": "0", "reason": "x"},
        {"what": "lease_minutes", "value": "99999999999", "reason": "x"},
        {"what": "lease_minutes", "value": "9" * 5000, "reason": "x"},
        {"what": "contact", "value": "x" * 201, "reason": "x"},
        {"what": "introduction", "value": "zero \x00 byte", "reason": "x"},
    ],
)
def test_amendment_malformed_changes_nothing(page, open_campaign, change):
    answer = page.post(address("amend", open_campaign), change)
    assert answer.status_code == 422
    assert not open_campaign.deviations.exists()


def test_amendment_of_a_draft_is_no_deviation(page, draft):
    page.post(address("amend", draft), {"what": "contact", "value": "Ada", "reason": "x"})
    draft.refresh_from_db()
    assert (draft.contact, draft.deviations.count()) == ("", 0)


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


@pytest.mark.parametrize("name", ["open", "pause", "close", "archive"])
def test_move_that_the_state_does_not_allow_says_so(page, draft, name):
    answer = page.post(address(name, draft), follow=True)
    assert "A campaign that is draft cannot become" in answer.text
    draft.refresh_from_db()
    assert draft.state == "draft"


def test_opening_without_questions_says_so(page, manager):
    empty = factories.campaign(manager=manager, collection=factories.collection(owner=manager, sources=0))
    page.post(address("lock", empty))
    assert "Import questions first" in page.post(address("open", empty), follow=True).text


def test_opening_a_large_campaign_is_a_job(page, draft, monkeypatch):
    monkeypatch.setattr(views, "LARGE", 3)
    page.post(address("lock", draft))
    answer = page.post(address("open", draft))
    job = Job.objects.get(kind="judging.launch")
    assert answer.url == reverse("judging:job", args=[job.pk])
    assert "At work" in page.get(address("campaign", draft)).text


def test_opening_a_large_campaign_twice_is_one_job(page, draft, monkeypatch):
    monkeypatch.setattr(views, "LARGE", 3)
    page.post(address("lock", draft))
    assert page.post(address("open", draft)).url == page.post(address("open", draft)).url
    assert Job.objects.filter(kind="judging.launch").count() == 1


def test_locking_and_closing_ask_once_more(page, draft, open_campaign):
    assert "It cannot be taken back" in page.get(address("campaign", draft)).text
    assert "0 of 6 places are filled" in page.get(address("campaign", open_campaign)).text


@pytest.mark.parametrize(
    ("moves", "words"),
    [
        ([], "then lock the protocol"),
        (["lock"], "Open the campaign to let annotators begin"),
        (["lock", "open"], "make an invitation link"),
        (["lock", "open", "pause"], "no task is given out"),
        (["lock", "open", "close"], "Run the analysis or read the report"),
    ],
)
def test_overview_says_what_needs_the_manager(page, draft, moves, words):
    for name in moves:
        page.post(address(name, draft))
    assert words in page.get(address("campaign", draft)).text


def test_overview_counts_places_and_shows_annotators(page, open_campaign):
    factories.enrollment(open_campaign, label="A01")
    answer = page.get(address("campaign", open_campaign))
    assert "0 / 6" in answer.text
    assert "A01" in answer.text


def test_overview_takes_as_many_queries_for_three_annotators_as_for_one(page, open_campaign):
    factories.enrollment(open_campaign)
    assert_same_queries(page, address("campaign", open_campaign), lambda: factories.enrollment(open_campaign))


# --- tasks ---


def test_tasks_are_listed_with_their_places(page, open_campaign):
    answer = page.get(address("tasks", open_campaign))
    assert [(task.number, task.places, task.filled) for task in answer.context["page"]] == [(1, 3, 0), (2, 3, 0)]


def test_tasks_of_a_draft_say_when_they_are_made(page, draft):
    assert "when the campaign opens" in page.get(address("tasks", draft)).text


@pytest.mark.parametrize("number", ["2", "x", "-1"])
def test_tasks_page_that_is_not_there_shows_one_that_is(page, open_campaign, number):
    assert page.get(address("tasks", open_campaign), {"page": number}).status_code == 200


def test_tasks_take_as_many_queries_for_three_as_for_one(page, manager):
    counts = []
    for sources in (1, 3):
        made = factories.opened(manager=manager, collection=factories.collection(owner=manager, sources=sources))
        page.get(address("tasks", made))
        with CaptureQueriesContext(connection) as queries:
            page.get(address("tasks", made))
        counts.append(len(queries))
    assert counts[0] == counts[1]


# --- people ---


def test_invitation_link_is_made_shown_whole_and_revoked(page, open_campaign):
    page.post(address("invite", open_campaign), {"label": "Spring course", "role": "annotator", "places": 5})
    link = Invitation.objects.get()
    shown = page.get(address("annotators", open_campaign)).text
    assert "http://testserver" + reverse("annotation:join", args=[link.token]) in shown
    assert "Spring course" in shown
    page.post(address("revoke", open_campaign, link.pk))
    assert link.token not in page.get(address("annotators", open_campaign)).text


def test_invitation_ends_by_the_clock_of_the_campaign(page, open_campaign):
    type(open_campaign).objects.update(time_zone="Asia/Tokyo")
    page.post(address("invite", open_campaign), {"role": "annotator", "expires_at": "2031-05-01T18:00"})
    assert Invitation.objects.get().expires_at.isoformat() == "2031-05-01T09:00:00+00:00"
    assert "valid until 1 May 2031 18:00" in page.get(address("annotators", open_campaign)).text


@pytest.mark.parametrize("form", [{}, {"role": "king"}, {"role": "annotator", "places": "many"}])
def test_invitation_malformed_makes_no_link(page, open_campaign, form):
    answer = page.post(address("invite", open_campaign), form)
    assert answer.status_code == 422
    assert "errorlist" in answer.text
    assert not Invitation.objects.exists()


def test_account_is_given_a_role_and_loses_it(page, draft):
    colleague = factories.user("grace")
    page.post(address("add_member", draft), {"username": "grace", "role": "analyst"})
    row = draft.memberships.get(user=colleague)
    assert row.role == "analyst"
    page.post(address("remove_member", draft, row.pk))
    assert not draft.memberships.filter(user=colleague).exists()


@pytest.mark.parametrize("form", [{"username": "nobody", "role": "analyst"}, {"username": "", "role": "x"}])
def test_role_for_an_unknown_account_is_refused(page, draft, form):
    assert page.post(address("add_member", draft), form).status_code == 422
    assert draft.memberships.count() == 1


def test_last_manager_stays(page, draft):
    row = draft.memberships.get()
    assert "keeps at least one manager" in page.post(address("remove_member", draft, row.pk), follow=True).text
    assert draft.memberships.filter(pk=row.pk).exists()


def test_annotator_is_left_out_with_a_reason_and_taken_back(page, open_campaign):
    left_out = factories.enrollment(open_campaign)
    page.post(address("exclude", open_campaign), {"enrollment": left_out.pk, "reason": "4 seconds", "act": "exclude"})
    assert Exclusion.objects.standing().get().reason == "4 seconds"
    assert "left out" in page.get(address("annotators", open_campaign)).text
    page.post(address("exclude", open_campaign), {"enrollment": left_out.pk, "act": "readmit"})
    assert not Exclusion.objects.standing().exists()
    assert Exclusion.objects.count() == 1


def test_exclusion_without_reason_or_of_somebody_elses_annotator_is_refused(page, open_campaign):
    own, foreign = factories.enrollment(open_campaign), factories.enrollment(factories.opened())
    for form in ({"enrollment": own.pk}, {"enrollment": foreign.pk, "reason": "x"}, {"enrollment": "x"}):
        assert page.post(address("exclude", open_campaign), form).status_code == 422
    assert not Exclusion.objects.exists()


def test_annotators_take_as_many_queries_for_three_as_for_one(page, open_campaign, manager):
    def add() -> None:
        made = factories.enrollment(open_campaign)
        enrollments.exclude(enrollment=made, reason="too fast", by=manager, now=timezone.now())
        campaigns.invite(campaign=open_campaign, by=manager)
        Membership.objects.create(user=factories.user(), campaign=open_campaign, role="analyst")

    add()
    assert_same_queries(page, address("annotators", open_campaign), add)


def test_leaving_an_annotator_out_twice_says_so_and_does_it_once(page, open_campaign):
    annotator = factories.enrollment(open_campaign, label="A01")
    form = {"enrollment": annotator.pk, "reason": "Same answer everywhere"}
    page.post(address("exclude", open_campaign), form)
    assert "A01 is left out already." in page.post(address("exclude", open_campaign), form, follow=True).text
    assert Exclusion.objects.count() == 1
