"""Joining by a link, returning by a personal one, being excluded, and being erased."""

import hashlib
import re
import time
from collections.abc import Callable
from datetime import timedelta
from threading import Thread

import pytest
from django.db import IntegrityError, connection, connections, transaction
from django.test import Client
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Erasure, Exclusion, Invitation, Membership
from judging.enrolments.actions import enrollments
from judging.enrolments.actions.enrollments import InvitationOver, NotAgreed, TooManyNow
from judging.overview.actions import erasures
from judging.people.models.user import User
from judging.quality.actions import exclusions
from judging.quality.actions.exclusions import AlreadyExcluded
from judging.work.actions import assignments, drafts, judgments, sheets
from judging.work.models.assignment import Draft
from judging.work.models.judgment import Judgment, JudgmentAttribute
from tests import factories
from tests.annotation import crowds
from tests.annotation.crowds import Person, fake
from tests.judging.work.actions.test_assignments import all_at_once
from tests.refusing import refused

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def invitation(campaign: Campaign | None = None, **columns) -> Invitation:
    campaign = campaign or factories.campaign()
    return campaigns.create_invitation(
        campaign=campaign, by=campaign.created_by, **({"places": 100} | columns)
    )


def join(link: Invitation, user: User | None = None, *, agreed: bool = True) -> User:
    return enrollments.join_by_link(invitation=link, user=user, agreed=agreed, now=NOW)


def test_join_makes_an_account_without_password_under_the_next_label() -> None:
    link = invitation()
    people = [join(link), join(link)]
    assert [user.enrollments.get().label for user in people] == ["A01", "A02"]
    assert not people[0].has_usable_password()
    assert people[0].memberships.get().role == "annotator"
    assert people[0].username != people[1].username


def test_join_agrees_to_no_other_text_than_was_shown() -> None:
    link = invitation(factories.campaign(consent="I agree."))
    assert link.campaign.consent == "I agree."  # as the page that was shown read it
    Campaign.objects.update(consent="I agree to more.")
    with refused("text_changed"):
        join(link)
    assert not Enrollment.objects.exists()


def test_join_with_an_account_enrolls_it_once() -> None:
    link, person = invitation(places=1), factories.user()
    assert join(link, person) == person
    assert join(link, person) == person
    assert Enrollment.objects.count() == 1


def test_join_notes_the_text_that_was_agreed_to() -> None:
    link = invitation(factories.campaign(consent="I agree to be rated."))
    with pytest.raises(NotAgreed):
        join(link, agreed=False)
    assert not Enrollment.objects.exists()
    enrollment = join(link).enrollments.get()
    assert enrollment.consented_at == NOW
    assert enrollment.consent_digest == hashlib.sha256(b"I agree to be rated.").hexdigest()


@pytest.mark.parametrize(
    ("columns", "code"),
    [
        ({"revoked_at": NOW}, "invitation_revoked"),
        ({"expires_at": NOW - timedelta(seconds=1)}, "invitation_expired"),
        ({"places": 0}, "invitation_full"),
    ],
)
def test_join_by_a_link_that_is_over_is_refused(columns: dict, code: str) -> None:
    with refused(code):
        join(invitation(**columns))


def test_join_is_refused_when_the_study_has_ended() -> None:
    campaign = factories.opened()
    link = invitation(campaign)
    campaigns.close_campaign(campaign=campaign, now=NOW)
    with refused("campaign_ended"):
        join(link)


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_join_at_one_moment_gives_each_a_label_and_no_place_twice() -> None:
    link = invitation(places=10)

    def attempt(_: int) -> str:
        try:
            return join(link).enrollments.get().label
        except InvitationOver:
            return "full"

    results = all_at_once(attempt, list(range(16)))
    assert sorted(results) == [*(f"A{n:02d}" for n in range(1, 11)), *["full"] * 6]


def test_personal_link_leads_back_to_its_owner() -> None:
    person = join(invitation())
    assert enrollments.user_of_link(enrollments.personal_link(person)) == person
    assert len(enrollments.personal_link(person)) > 43


def test_personal_link_is_worthless_once_withdrawn() -> None:
    person = join(invitation())
    link = enrollments.personal_link(person)
    enrollments.withdraw_link(user=person)
    person.refresh_from_db()
    assert enrollments.user_of_link(link) is None
    assert enrollments.user_of_link(enrollments.personal_link(person)) == person


def test_personal_link_of_another_does_not_fit() -> None:
    link = invitation()
    one, other = join(link), join(link)
    signature = enrollments.personal_link(one).partition(".")[2]
    assert enrollments.user_of_link(f"{other.pk}.{signature}") is None


@pytest.mark.parametrize("signed", ["", ".", "1", "1.", "x.y", "1.abc", "9" * 40 + ".abc", "1.2.3"])
def test_user_of_link_is_nobody_for_what_we_never_made(signed: str) -> None:
    assert enrollments.user_of_link(signed) is None


def test_personal_link_is_not_for_people_with_a_password_or_without_a_log_in() -> None:
    assert enrollments.personal_link(factories.user()) == ""
    person = join(invitation())
    link = enrollments.personal_link(person)
    User.objects.filter(pk=person.pk).update(is_active=False)
    assert enrollments.user_of_link(link) is None


def test_exclude_keeps_what_was_said_frees_what_is_held_and_is_reversible() -> None:
    campaign, by = factories.opened(), factories.user()
    enrollment = factories.enrollment(campaign)
    round = campaign.rounds.select_related("campaign").get()
    held = assignments.claim_assignment(enrollment=enrollment, round=round).assignment
    exclusions.exclude_annotator(enrollment=enrollment, reason="too fast", by=by, now=NOW)
    held.refresh_from_db()
    assert held.state == "released"
    with pytest.raises(AlreadyExcluded):
        exclusions.exclude_annotator(enrollment=enrollment, reason="again", by=by, now=NOW)
    exclusions.readmit(enrollment=enrollment, by=by, now=NOW)
    assert Exclusion.objects.values_list("reason", "lifted_by").get() == ("too fast", by.pk)
    assert assignments.claim_assignment(enrollment=enrollment, round=round).assignment.pk == held.pk


def waiting_for_us(work: Callable[[], object]) -> Thread:
    """Do something on a connection of its own, and return once it waits for a lock that we hold."""

    def run() -> None:
        work()
        connections.close_all()

    thread = Thread(target=run)
    thread.start()
    with connection.cursor() as cursor:
        for _ in range(1200):  # a minute
            cursor.execute(
                "SELECT 1 FROM pg_locks WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))"
            )
            if cursor.fetchone():
                return thread
            time.sleep(0.05)
    pytest.fail("It waits for nothing.")


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("door", ["a link", "a platform"])
def test_who_joins_while_the_text_changes_is_shown_the_new_one(door: str) -> None:
    platform = crowds.study(consent="I agree.")
    client = Client()
    if door == "a link":
        address = f"/join/{invitation(platform.campaign).token}/"
    else:
        address = Person(fake(platform), client=client).opens().here()
    [read] = re.findall(r'name="read" value="([^"]+)"', client.get(address).text)
    answers = []
    with transaction.atomic():
        Campaign.objects.update(consent="I agree to more.")
        joining = waiting_for_us(
            lambda: answers.append(client.post(address, {"agree": "on", "read": read}))
        )
    joining.join()

    assert [(each.status_code, each.url) for each in answers] == [(302, address)]
    page = client.get(address).text
    assert "I agree to more." in page
    assert not Enrollment.objects.exists()


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_exclude_leaves_nothing_held_by_a_request_at_the_same_moment() -> None:
    campaign, by = factories.opened(), factories.user()
    enrollment = factories.enrollment(campaign)
    round = campaign.rounds.select_related("campaign").get()
    exclude_rows = {"enrollment": enrollment, "reason": "too fast", "by": by, "now": NOW}
    held = assignments.claim_assignment(enrollment=enrollment, round=round).assignment
    with transaction.atomic():
        assignments.renew(assignment=held)
        excluding = waiting_for_us(lambda: exclusions.exclude_annotator(**exclude_rows))
    excluding.join()
    assert not Assignment.objects.held().exists()
    exclusions.readmit(enrollment=enrollment, by=by, now=NOW)
    with transaction.atomic():
        exclusions.exclude_annotator(**exclude_rows)
        claiming = waiting_for_us(
            lambda: assignments.claim_assignment(enrollment=enrollment, round=round)
        )
    claiming.join()
    assert not Assignment.objects.held().exists()


def test_exclude_needs_a_reason() -> None:
    enrollment = factories.enrollment(factories.campaign())
    with pytest.raises(IntegrityError), transaction.atomic():
        exclusions.exclude_annotator(enrollment=enrollment, reason="", by=factories.user(), now=NOW)


def submitted(campaign: Campaign, user: User) -> Assignment:
    round = campaign.rounds.select_related("campaign").get()
    enrollment = user.enrollments.get(campaign=campaign)
    task = assignments.claim_assignment(enrollment=enrollment, round=round).assignment
    given = [(asked, 3) for asked in sheets.sheet_of_assignment(task).asked()]
    drafts.save_draft(assignment=task, page=drafts.SentPage(given, 1, note="my name is Ada"))
    judgments.submit_task(assignment=task, token=task.submit_token)
    return task


def test_erase_removes_everything_of_a_person_and_leaves_counts() -> None:
    campaign = factories.opened(annotators_per_task=1)
    person, other = join(invitation(campaign)), join(invitation(campaign))
    task = submitted(campaign, person)
    kept = submitted(campaign, other)
    for judgment in Judgment.objects.all():
        JudgmentAttribute.objects.create(judgment=judgment, name="seconds", value="7")
    exclusions.exclude_annotator(
        enrollment=person.enrollments.get(), reason="asked", by=campaign.created_by, now=NOW
    )
    erasures.erase_annotator(enrollment=person.enrollments.get(), by=campaign.created_by, now=NOW)
    erasure = Erasure.objects.get()
    assert erasure.label == "A01"
    assert erasure.counts == {
        "judgment": 4,
        "draft": 4,
        "note": 1,
        "spanmark": 0,
        "marking": 0,
        "assignment": 1,
    }
    assert set(Judgment.objects.values_list("assignment", flat=True)) == {kept.pk}
    assert set(Draft.objects.values_list("assignment", flat=True)) == {kept.pk}
    assert set(JudgmentAttribute.objects.values_list("judgment__assignment", flat=True)) == {
        kept.pk
    }
    assert not User.objects.filter(pk=person.pk).exists()
    assert Assignment.objects.filter(task=task.task).values_list("state", "enrollment").get() == (
        "open",
        None,
    )


def test_erase_keeps_an_account_with_a_password_and_other_roles() -> None:
    campaign, person = factories.opened(), factories.researcher()
    Membership.objects.create(user=person, campaign=campaign, role="manager")
    join(invitation(campaign), person)
    erasures.erase_annotator(enrollment=person.enrollments.get(), by=person, now=NOW)
    assert person.memberships.get().role == "manager"
    assert User.objects.filter(pk=person.pk).exists()


def test_erased_label_is_not_given_again() -> None:
    link = invitation()
    person = join(link)
    erasures.erase_annotator(enrollment=person.enrollments.get(), by=link.created_by, now=NOW)
    assert join(link).enrollments.get().label == "A02"


def test_enroll_gives_an_account_its_place_once() -> None:
    campaign, person = factories.campaign(), factories.user()
    first = enrollments.enroll(campaign=campaign, user=person)
    assert enrollments.enroll(campaign=campaign, user=person) == first


def test_database_keeps_no_link_that_could_be_used() -> None:
    link = invitation()
    assert Invitation.objects.get(pk=link.pk).token == link.token
    with connection.cursor() as cursor:
        cursor.execute("SELECT judging_invitation::text FROM judging_invitation")
        assert link.token not in cursor.fetchone()[0]


def test_link_of_a_manager_cannot_be_stored() -> None:
    link = invitation()
    with pytest.raises(IntegrityError, match="invitation_for_annotators"), transaction.atomic():
        Invitation.objects.filter(pk=link.pk).update(role="manager")


def test_role_that_sees_judgments_needs_an_account_with_a_password() -> None:
    campaign, anonymous = factories.campaign(), join(invitation())
    for role in ("manager", "analyst"):
        with refused("account_required"):
            campaigns.add_member(campaign=campaign, user=anonymous, role=role)
    assert (
        campaigns.add_member(campaign=campaign, user=factories.user(), role="analyst").role
        == "analyst"
    )


def test_joins_by_several_links_of_a_campaign_are_counted_together(monkeypatch) -> None:
    monkeypatch.setattr(enrollments, "MAX_ARRIVALS_PER_MINUTE", 4)
    campaign = factories.campaign()
    links = [invitation(campaign, label=str(number)) for number in range(5)]
    for link in links[:4]:
        join(link)
    with pytest.raises(TooManyNow):
        join(links[4])


def test_flood_is_undone_in_one_act() -> None:
    """Annotators who submitted nothing are deleted and their places freed; the judgments of others
    are kept and excluded."""
    campaign = factories.opened(annotators_per_task=1)
    round = campaign.rounds.select_related("campaign").get()
    link, honest = invitation(campaign), invitation(campaign, label="other")
    stays = join(honest)
    flood = [join(link).enrollments.get() for _ in range(3)]
    for each in flood[:2]:
        assignments.claim_assignment(enrollment=each, round=round)
    Assignment.objects.filter(enrollment=flood[1]).update(
        state="submitted", submitted_at=NOW, lease_expires_at=None
    )
    undone = erasures.undo_joins(invitation=link, by=campaign.created_by, now=NOW)
    assert (undone.removed, undone.excluded) == (2, 1)
    assert set(Enrollment.objects.all()) == {flood[1], stays.enrollments.get()}
    assert Exclusion.objects.get().enrollment == flood[1]
    assert Assignment.objects.open().count() == 1
    with pytest.raises(InvitationOver):
        join(link)
    assert erasures.undo_joins(invitation=link, by=campaign.created_by, now=NOW).excluded == 0


def test_newcomer_keeps_a_place_for_a_quarter_of_an_hour_and_others_for_the_lease() -> None:
    campaign = factories.opened(lease_minutes=120)
    enrollment, round = (
        factories.enrollment(campaign),
        campaign.rounds.select_related("campaign").get(),
    )
    first = assignments.claim_assignment(enrollment=enrollment, round=round).assignment
    assert first.lease_expires_at - first.held_at == timedelta(minutes=15)
    Assignment.objects.filter(pk=first.pk).update(
        state="submitted", submitted_at=NOW, lease_expires_at=None
    )
    second = assignments.claim_assignment(enrollment=enrollment, round=round).assignment
    assert second.lease_expires_at - second.held_at == timedelta(minutes=120)


def test_newcomer_who_left_a_place_and_comes_back_keeps_it_no_longer_than_before() -> None:
    campaign = factories.opened(lease_minutes=7 * 24 * 60)
    enrollment, round = (
        factories.enrollment(campaign),
        campaign.rounds.select_related("campaign").get(),
    )
    first = assignments.claim_assignment(enrollment=enrollment, round=round).assignment
    Assignment.objects.filter(pk=first.pk).update(lease_expires_at=NOW)
    assert assignments.release_expired() == 1
    again = assignments.claim_assignment(enrollment=enrollment, round=round).assignment
    assert again.pk == first.pk
    assert again.lease_expires_at - again.last_seen_at <= timedelta(minutes=15)


def test_who_joins_twice_from_one_place_is_shown_as_a_twin_and_the_hash_is_forgotten() -> None:
    link = invitation()
    for visitor in ("abc", "abc", "def", ""):
        enrollments.join_by_link(invitation=link, user=None, agreed=True, now=NOW, visitor=visitor)
    twins = dict(Enrollment.objects.values_list("label", "twin_of__label"))
    assert twins == {"A01": None, "A02": "A01", "A03": None, "A04": None}
    Enrollment.objects.update(created_at=NOW - timedelta(days=2))
    assert enrollments.forget_visitors(now=NOW) == 3
    assert set(Enrollment.objects.values_list("visitor", flat=True)) == {""}


def test_erase_leaves_judgments_undeletable_after_it() -> None:
    campaign = factories.opened(annotators_per_task=1)
    person, other = join(invitation(campaign)), join(invitation(campaign))
    submitted(campaign, other)
    erasures.erase_annotator(enrollment=person.enrollments.get(), by=campaign.created_by, now=NOW)
    with pytest.raises(IntegrityError), transaction.atomic():
        Judgment.objects.all().delete()
