"""An annotator withdraws: only where the study says so, only until it is closed, and nothing of
them is left."""

import csv

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Erasure, Invitation
from judging.overview.actions import erasures
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.work.actions import drafts, judgments, sheets
from judging.work.models.assignment import Draft
from judging.work.models.judgment import Judgment
from tests import factories
from tests.annotation import studies
from tests.judging.enrolments.actions.test_enrollments import waiting_for_us

pytestmark = pytest.mark.django_db


def at_work(*, withdrawal: bool = True) -> tuple[Client, Enrollment]:
    """Return the browser of somebody who came by a link, handed one task in and began another."""
    campaign = studies.opened(annotators_per_task=1, withdrawal=withdrawal)
    link, client = (
        campaigns.create_invitation(campaign=campaign, by=campaign.created_by, places=2),
        Client(),
    )
    client.post(f"/join/{link.token}/", {"agree": "on"})
    own = campaign.enrollments.get()
    held = studies.held(own)
    drafts.save_draft(
        assignment=held,
        page=drafts.SentPage(
            [(asked, 2) for asked in sheets.sheet_of_assignment(held).asked()], sequence=1
        ),
    )
    judgments.submit_task(assignment=held, token=held.submit_token)
    return client, own


def address(own: Enrollment) -> str:
    return f"/work/{own.campaign.uuid}/withdraw/"


def test_withdrawing_erases_all_and_logs_out() -> None:
    client, own = at_work()
    assert Judgment.objects.count() == 4
    for page in (f"/work/{own.campaign.uuid}/pause/", "/work/account/"):
        assert address(own) in client.get(page).text
    assert Judgment.objects.count() == 4
    client.post(address(own))
    assert [model.objects.count() for model in (Judgment, Draft, Enrollment)] == [0, 0, 0]
    assert not User.objects.filter(pk=own.user_id).exists()
    assert client.get("/work/").url.startswith("/login/")
    erasure, event = Erasure.objects.get(), Event.objects.get(act="annotator.erased")
    assert (erasure.erased_by, erasure.label, erasure.counts["judgment"]) == (None, own.label, 4)
    assert (event.who, event.about) == (None, own.label)


def test_somebody_with_an_account_stays_logged_in() -> None:
    campaign = studies.opened(withdrawal=True)
    own = factories.enrollment(campaign)
    client = factories.logged_in(own.user)
    assert client.post(address(own)).status_code == 200
    assert client.get("/work/").status_code == 200
    assert client.get(address(own)).status_code == 404


def test_who_withdraws_is_not_named_beside_their_label() -> None:
    """The history is kept for ever, and nothing in it can be taken out."""
    campaign, colleague = studies.opened(withdrawal=True), factories.user("bob.colleague")
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by)
    client, manager = factories.logged_in(colleague), factories.logged_in(campaign.created_by)
    client.post(f"/join/{link.token}/", {"agree": "on"})
    own = campaign.enrollments.get()
    studies.held(own)
    client.post(address(own))
    page = manager.get(f"/campaigns/{campaign.uuid}/history/").text
    assert f'annotator withdrew</th><td dir="auto">{own.label}<' in page
    assert "bob.colleague" not in page
    table = manager.get(f"/campaigns/{campaign.uuid}/history.csv").getvalue().decode()
    rows = [row for row in csv.DictReader(table.splitlines()) if row["about"] == own.label]
    assert [(row["act"], row["who"]) for row in rows] == [("annotator.erased", "")]
    assert not Event.objects.filter(who=colleague.pk).exists()


def test_study_that_does_not_say_so_lets_nobody_withdraw() -> None:
    client, own = at_work(withdrawal=False)
    assert address(own) not in client.get(f"/work/{own.campaign.uuid}/pause/").text
    assert (client.get(address(own)).status_code, client.post(address(own)).status_code) == (
        404,
        404,
    )
    with pytest.raises(erasures.CannotWithdraw):
        erasures.withdraw_annotator(enrollment=own, now=timezone.now())
    assert Judgment.objects.count() == 4


def test_nobody_withdraws_from_a_closed_study_or_for_another() -> None:
    client, own = at_work()
    other, _theirs = studies.annotator(studies.opened(withdrawal=True))
    assert other.post(address(own)).status_code == 404
    assert client.put(address(own)).status_code == 405
    campaigns.close_campaign(campaign=own.campaign, now=timezone.now())
    assert client.post(address(own)).status_code == 404
    assert Judgment.objects.count() == 4


def test_consent_page_and_locked_protocol_say_it_and_other_protocols_keep_their_hash() -> None:
    may, may_not = (factories.campaign(withdrawal=each) for each in (True, False))
    for each in (may, may_not):
        campaigns.lock_plan(campaign=each, now=timezone.now())
    assert may.locked_plan["texts"]["withdrawal"] is True
    assert "withdrawal" not in may_not.locked_plan["texts"]
    told = [
        "you can also erase all that you did" in Client().get(f"/join/{_link(each)}/").text
        for each in (may, may_not)
    ]
    assert told == [True, False]


def _link(campaign: Campaign) -> str:
    return campaigns.create_invitation(campaign=campaign, by=campaign.created_by).token


def test_a_second_press_at_the_same_moment_finds_it_done_and_takes_no_second_place() -> None:
    _client, own = at_work()
    stale = Enrollment.objects.get(pk=own.pk)
    erasures.withdraw_annotator(enrollment=own, now=timezone.now())
    places = Invitation.objects.get().places
    with pytest.raises(erasures.AlreadyWithdrawn):
        erasures.withdraw_annotator(enrollment=stale, now=timezone.now())
    assert Invitation.objects.get().places == places


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("asked", "seen", "expected"),
    [
        ("next task", False, 302),
        ("next task", True, 404),
        ("draft", True, 404),
        ("submit", True, 404),
    ],
)
def test_what_another_window_asks_for_while_all_is_erased_is_not_there(
    asked: str, seen: bool, expected: int
) -> None:
    """Who was not noted in this browser yet is not logged in any more; others find nothing."""
    client, own = at_work()
    client.raise_request_exception = False
    if seen:
        client.get("/work/")
    task = studies.held(own)
    sent = studies.filled(task)
    entered = {
        "name": next(sheets.sheet_of_assignment(task).asked()).name,
        "value": 2,
        "sequence": 1,
    }
    answers: list[int] = []

    def ask() -> None:
        if asked == "next task":
            answer = client.get(f"/work/{own.campaign.uuid}/?begin")
        elif asked == "draft":
            answer = client.post(f"/tasks/{task.pk}/draft/?step=0", entered)
        else:
            answer = client.post(f"/tasks/{task.pk}/submit/?step=0", sent)
        answers.append(answer.status_code)

    with transaction.atomic():
        erasures.withdraw_annotator(enrollment=own, now=timezone.now())
        asking = waiting_for_us(ask)
    asking.join()
    assert answers == [expected]
    assert not Judgment.objects.exists()
    assert not Draft.objects.exists()
