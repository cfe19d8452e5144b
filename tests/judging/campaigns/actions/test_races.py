"""Two requests at the same moment: the row is locked first, so that the second sees what the first
has done."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from judging.campaigns.actions import campaigns, dataset_uses, rounds
from judging.campaigns.models.campaign import Campaign, Deviation
from judging.campaigns.models.members import Invitation
from judging.datasets.models.dataset import Unit
from judging.enrolments.actions import enrollments
from judging.overview.actions import erasures
from judging.people.actions import accounts, visits
from judging.people.actions.accounts import LastAdministrator
from judging.people.models.user import User
from judging.quality.actions import check_items
from judging.quality.models.check import CheckItem
from tests import factories
from tests.annotation.test_crowd_stress import all_at_once
from tests.judging.enrolments.actions.test_enrollments import waiting_for_us
from tests.refusing import refused

pytestmark = [pytest.mark.threads, pytest.mark.django_db(transaction=True)]
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_lock_fixes_the_plan_that_was_saved_at_the_same_moment() -> None:
    campaign = factories.campaign(annotators_per_task=3)
    with transaction.atomic():
        campaigns.change_plan(
            campaign=campaign, plan={"annotators_per_task": 5, "consent": "I agree."}
        )
        locking = waiting_for_us(lambda: campaigns.lock_plan(campaign=campaign, now=NOW))
    locking.join()
    runs = Campaign.objects.get(pk=campaign.pk)
    assert (runs.state, runs.annotators_per_task) == ("locked", 5)
    assert runs.locked_plan["design"]["annotators_per_task"] == 5
    assert runs.locked_plan["texts"]["consent"] == "I agree."
    assert runs.locked_digest == campaigns.hash_plan(campaigns.plan_document(runs))


def test_plan_saved_while_the_protocol_is_locked_is_refused() -> None:
    campaign, refused = factories.campaign(annotators_per_task=3), []

    def save() -> None:
        try:
            campaigns.change_plan(campaign=campaign, plan={"annotators_per_task": 5})
        except campaigns.NotAllowedNow as error:
            refused.append(error)

    with transaction.atomic():
        campaigns.lock_plan(campaign=Campaign.objects.get(pk=campaign.pk), now=NOW)
        saving = waiting_for_us(save)
    saving.join()
    assert len(refused) == 1
    assert Campaign.objects.get(pk=campaign.pk).annotators_per_task == 3


def gold_of(campaign: Campaign, value: int) -> tuple[CheckItem, dict[str, Any]]:
    """Return a gold question of a campaign, and what corrects its accepted value."""
    criterion = campaign.protocol.criteria.get(key="grammaticality").pk
    unit = Unit.objects.filter(
        question_set__source__dataset=campaign.dataset, question__isnull=False
    ).first()
    item = check_items.add_gold(campaign=campaign, unit=unit, text="", accepted={criterion: [1]})
    by = campaign.created_by
    change = {"accepted": {criterion: [value]}, "by": by, "now": NOW, "reason": "Two is right."}
    return item, {"item": item} | change


def test_accepted_values_corrected_while_the_protocol_is_locked_are_a_deviation_from_it() -> None:
    campaign = factories.campaign()
    item, correction = gold_of(campaign, 2)
    with transaction.atomic():
        campaigns.lock_plan(campaign=campaign, now=NOW)
        correcting = waiting_for_us(lambda: check_items.correct_gold(**correction))
    correcting.join()
    [deviation] = Deviation.objects.all()
    assert deviation.what == f"accepted values of gold question {item.pk}"
    assert (deviation.before, deviation.after) == ("grammaticality: 1", "grammaticality: 2")


def test_plan_locked_while_accepted_values_are_corrected_fixes_the_new_ones() -> None:
    campaign = factories.campaign()
    _item, correction = gold_of(campaign, 2)
    with transaction.atomic():
        check_items.correct_gold(**correction)
        locking = waiting_for_us(lambda: campaigns.lock_plan(campaign=campaign, now=NOW))
    locking.join()
    locked = Campaign.objects.get(pk=campaign.pk)
    assert locked.locked_plan["checks"] == check_items.checks_document(locked)["checks"]
    assert not Deviation.objects.exists()


def test_two_administrators_who_demote_each_other_leave_one() -> None:
    one, other = (factories.user(is_superuser=True) for _ in range(2))
    refused = []

    def demote(account: User) -> None:
        changed = User.objects.get(pk=account.pk)
        changed.is_superuser = False
        try:
            accounts.set_rights(user=changed)
        except LastAdministrator as error:
            refused.append(error)

    with transaction.atomic():
        demote(one)
        demoting = waiting_for_us(lambda: demote(other))
    demoting.join()
    assert list(User.objects.filter(is_superuser=True)) == [other]
    assert len(refused) == 1


def test_two_managers_who_remove_each_other_leave_one() -> None:
    campaign = factories.campaign()
    second, refused = factories.researcher(), []
    campaigns.add_member(campaign=campaign, user=second, role="manager")

    def remove(user: User) -> None:
        try:
            campaigns.remove_member(campaign=campaign, user=user, role="manager")
        except campaigns.NotAllowedNow as error:
            refused.append(error)

    with transaction.atomic():
        remove(second)
        removing = waiting_for_us(lambda: remove(campaign.created_by))
    removing.join()
    assert campaign.memberships.get(role="manager").user == campaign.created_by
    assert len(refused) == 1


def test_who_joins_while_somebody_withdraws_waits_and_neither_is_turned_away() -> None:
    """Withdrawing locks the campaign and then the link. When joining locked the link first and then
    waited for the campaign, the database let one of the two fail."""
    campaign = factories.opened(withdrawal=True)
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by, places=3)
    asked = {"invitation": link, "user": None, "agreed": True, "now": datetime.now(UTC)}
    goes = enrollments.join_by_link(**asked).enrollments.get()
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        joining = waiting_for_us(lambda: enrollments.join_by_link(**asked))
        Invitation.objects.select_for_update(nowait=True).get(pk=link.pk)
        erasures.withdraw_annotator(enrollment=goes, now=datetime.now(UTC))
    joining.join()
    assert campaign.enrollments.count() == 1
    assert Invitation.objects.get(pk=link.pk).places == 2


def test_who_begins_and_declines_at_the_same_moment_does_the_first_of_both() -> None:
    campaign = factories.opened(consent="I agree.")
    ends: list[object] = []

    def decline(user: User) -> None:
        try:
            enrollments.decline_enrolment(campaign=campaign, user=user)
        except enrollments.CannotDecline as refused:
            ends.append(refused)

    def begin(user: User) -> None:
        path, agreed = f"/work/{campaign.uuid}/consent/", {"agree": "on"}
        ends.append(factories.logged_in(user).post(path, agreed, follow=True).status_code)

    for first in ("begins", "declines"):
        user = factories.user(first)
        campaigns.add_member(campaign=campaign, user=user, role="annotator")
        own = enrollments.enroll_member(campaign=campaign, user=user)
        with transaction.atomic():
            if first == "begins":
                enrollments.store_consent(enrollment=own, now=datetime.now(UTC))
                second = waiting_for_us(lambda user=user: decline(user))
            else:
                decline(user)
                second = waiting_for_us(lambda user=user: begin(user))
        second.join()
    assert [isinstance(ends[0], enrollments.CannotDecline), ends[1]] == [True, 404]
    assert [each.user.username for each in campaign.enrollments.all()] == ["begins"]


def test_rights_saved_late_do_not_bring_an_old_password_back() -> None:
    account = factories.user()
    late = User.objects.get(pk=account.pk)
    account.set_password("another long phrase")
    account.save()
    late.may_create_campaigns = True
    factories.user(is_superuser=True)
    accounts.set_rights(user=late)
    assert User.objects.get(pk=account.pk).check_password("another long phrase")


def test_manager_who_may_not_log_in_does_not_count_as_one() -> None:
    campaign = factories.campaign()
    gone = factories.user(is_active=False)
    campaigns.add_member(campaign=campaign, user=gone, role="manager")
    with refused("last_manager"):
        campaigns.remove_member(campaign=campaign, user=campaign.created_by, role="manager")


def test_who_makes_a_draft_in_a_long_import_can_log_in_and_out_meanwhile() -> None:
    """An import that makes a campaign held the account's row to its end: no log-in, no new password."""
    owner, material = factories.researcher(), factories.dataset()

    def other_window(_each: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '2s'")
        User.objects.filter(pk=owner.pk).update(last_login=timezone.now())
        visits.end_all(user=owner)

    with transaction.atomic():
        campaigns.create_campaign(
            by=owner, dataset=material, protocol=factories.protocol(), plan={}
        )
        all_at_once(other_window, [1])


def shared() -> Campaign:
    """Return a locked campaign of a user who may use another user's dataset."""
    maker = factories.researcher()
    campaign = factories.campaign(manager=maker, dataset=factories.dataset())
    campaigns.lock_plan(campaign=campaign, now=NOW)
    return campaign


def end_use(campaign: Campaign) -> int:
    return dataset_uses.end_use(
        dataset=campaign.dataset, user=campaign.created_by, now=NOW, by=None
    )


def test_use_that_ends_while_a_campaign_opens_stops_it() -> None:
    campaign, stopped = shared(), []
    with transaction.atomic():
        campaigns.open_campaign(campaign=campaign, now=NOW)
        ending = waiting_for_us(lambda: stopped.append(end_use(campaign)))
    ending.join()
    assert stopped == [1]
    assert Campaign.objects.get(pk=campaign.pk).state == "paused"


def test_campaign_that_opens_while_its_use_ends_is_not_opened() -> None:
    campaign, refused = shared(), []

    def open_() -> None:
        try:
            campaigns.open_campaign(campaign=Campaign.objects.get(pk=campaign.pk), now=NOW)
        except campaigns.NotAllowedNow as error:
            refused.append(str(error))

    with transaction.atomic():
        assert end_use(campaign) == 0
        opening = waiting_for_us(open_)
    opening.join()
    assert refused == [rounds.USE_ENDED]
    assert Campaign.objects.get(pk=campaign.pk).state == "locked"


def begin_pilot(campaign: Campaign) -> None:
    rounds.start_round(
        campaign=campaign,
        kind="pilot",
        size=1,
        annotators=1,
        apart=True,
        by=campaign.created_by,
        now=NOW,
    )


def test_use_that_ends_while_a_pilot_begins_ends_the_pilot() -> None:
    campaign, stopped = factories.campaign(dataset=factories.dataset()), []
    with transaction.atomic():
        begin_pilot(campaign)
        ending = waiting_for_us(lambda: stopped.append(end_use(campaign)))
    ending.join()
    assert stopped == [1]
    assert not campaign.rounds.trials().running().exists()


def test_pilot_that_begins_while_the_use_ends_does_not() -> None:
    campaign, refused = factories.campaign(dataset=factories.dataset()), []

    def begin() -> None:
        try:
            begin_pilot(campaign)
        except rounds.CannotBegin as error:
            refused.append(str(error))

    with transaction.atomic():
        assert end_use(campaign) == 0
        beginning = waiting_for_us(begin)
    beginning.join()
    assert refused == [rounds.USE_ENDED]
    assert not campaign.rounds.trials().exists()
