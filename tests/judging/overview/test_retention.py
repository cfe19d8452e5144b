"""Accounts of annotators are forgotten some days after a study has closed, and their judgments
stay."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Membership
from judging.crowd.models.crowd import CrowdPlatform, Participation
from judging.enrolments.actions import enrollments
from judging.overview.actions import retention
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.quality.actions.blinding import unblinded
from judging.work.actions import drafts, judgments, sheets
from judging.work.models.judgment import Judgment
from tests import factories
from tests.annotation import studies

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def study(
    days: int | None = 30, *, closed_days_ago: int = 31, by_analyst: bool = False
) -> tuple[Campaign, Enrollment, Enrollment]:
    """Return a closed study, an annotator who came by a link and judged, perhaps one of its
    analysts, and an annotator with a password."""
    campaign = studies.opened(annotators_per_task=2)
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by)
    staff = factories.user() if by_analyst else None
    if staff:
        campaigns.add_member(campaign=campaign, user=staff, role="analyst")
    own = enrollments.join_by_link(
        invitation=link, user=staff, agreed=True, now=NOW
    ).enrollments.get()
    held = studies.held(own)
    drafts.save_draft(
        assignment=held,
        page=drafts.SentPage(
            [(asked, 2) for asked in sheets.sheet_of_assignment(held).asked()], sequence=1
        ),
    )
    judgments.submit_task(assignment=held, token=held.submit_token)
    colleague = User.objects.create_user("colleague", password=factories.PASSWORD)
    named = enrollments.enroll(campaign=campaign, user=colleague)
    closed = NOW - timedelta(days=closed_days_ago)
    Campaign.objects.filter(pk=campaign.pk).update(
        retention_days=days, state="closed", closed_at=closed
    )
    campaign.refresh_from_db()
    return campaign, own, named


@pytest.mark.parametrize("has_left", [False, True])
def test_who_could_have_known_the_systems_is_named_in_reports_after_the_others_are_forgotten(
    has_left,
) -> None:
    campaign, own, _named = study(by_analyst=True)
    if has_left:
        campaigns.remove_member(campaign=campaign, user=own.user, role="analyst")
    assert unblinded(campaign) == [own.label]
    assert retention.forget_due(now=NOW) == 0
    assert unblinded(campaign) == [own.label]


def test_people_who_came_by_a_link_are_forgotten_and_what_they_said_stays() -> None:
    campaign, own, named = study()
    account, label, said = own.user, own.label, Judgment.objects.count()
    browser = factories.logged_in(account)

    assert retention.forget_due(now=NOW) == 1

    own.refresh_from_db()
    named.refresh_from_db()
    assert (own.user, own.label, own.pseudonym) == (None, label, "")
    assert not User.objects.filter(pk=account.pk).exists()
    assert not Membership.objects.filter(user_id=account.pk).exists()
    assert Judgment.objects.count() == said > 0
    assert named.user.username == "colleague", (
        "whoever has a password is known to those who run the site"
    )
    assert browser.get(reverse("annotation:home")).status_code == 302, "the browser is logged out"
    event = Event.objects.get(act=Event.Act.FORGOTTEN)
    assert (event.campaign, event.who, event.after) == (campaign.uuid, None, "1 annotators")
    assert retention.forget_due(now=NOW) == 0
    assert Event.objects.filter(act=Event.Act.FORGOTTEN).count() == 1


def test_who_came_by_a_link_and_chose_a_password_is_forgotten_too() -> None:
    _campaign, own, named = study()
    own.user.set_password(factories.PASSWORD)
    own.user.save()
    browser = factories.logged_in(own.user)
    assert retention.forget_due(now=NOW) == 1
    assert not User.objects.filter(pk=own.user_id).exists()
    assert browser.get(reverse("annotation:home")).status_code == 302
    own.refresh_from_db()
    named.refresh_from_db()
    assert (own.user, named.user.username) == (None, "colleague")


@pytest.mark.parametrize("rights", [{}, {"may_create_campaigns": True}])
def test_who_came_by_a_link_with_an_account_of_their_own_is_a_label_then_and_keeps_it(
    rights: dict,
) -> None:
    campaign, _own, _named = study(closed_days_ago=0)
    campaigns.open_campaign(campaign=campaign, now=NOW)
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by, places=2)
    bob = factories.user("bob", **rights)
    enrollments.join_by_link(invitation=link, user=bob, agreed=True, now=NOW)
    campaigns.close_campaign(campaign=campaign, now=NOW - timedelta(days=31))
    assert retention.forget_due(now=NOW) == 2
    assert User.objects.filter(pk=bob.pk).exists()
    assert not (bob.enrollments.exists() or bob.memberships.exists())


def test_campaign_that_goes_into_the_archive_and_comes_out_again_forgets_no_later() -> None:
    campaign, own, _ = study()
    closed = campaign.closed_at
    campaigns.move_campaign(campaign=campaign, to="archived", now=NOW)
    campaigns.close_campaign(campaign=campaign, now=NOW)
    assert campaign.closed_at == closed
    assert retention.forget_due(now=NOW) == 1
    own.refresh_from_db()
    assert own.user is None


@pytest.mark.parametrize(
    ("days", "closed_days_ago", "state"),
    [(30, 29, "closed"), (None, 4_000, "closed"), (30, 31, "open")],
)
def test_nobody_is_forgotten_before_their_time(
    days: int | None, closed_days_ago: int, state: str
) -> None:
    campaign, own, _ = study(days, closed_days_ago=closed_days_ago)
    Campaign.objects.filter(pk=campaign.pk).update(state=state)
    assert retention.forget_due(now=NOW) == 0
    own.refresh_from_db()
    assert own.user is not None


def test_whoever_judges_in_another_study_too_keeps_their_account_for_it() -> None:
    _, own, _ = study()
    other = studies.opened()
    elsewhere = enrollments.enroll(campaign=other, user=own.user)
    assert retention.forget_due(now=NOW) == 1
    elsewhere.refresh_from_db()
    own.refresh_from_db()
    assert (own.user, elsewhere.user is not None) == (None, True)


def test_hashes_of_a_platforms_ids_go_too() -> None:
    campaign, own, _ = study()
    platform = CrowdPlatform.objects.create(campaign=campaign, person_param="PROLIFIC_PID")
    Participation.objects.create(platform=platform, enrollment=own, person="5f" * 32, came_at=NOW)
    Participation.objects.create(platform=platform, person="6f" * 32, came_at=NOW)
    Enrollment.objects.filter(pk=own.pk).update(pseudonym="7f" * 32)
    retention.forget_due(now=NOW)
    own.refresh_from_db()
    assert (own.pseudonym, Participation.objects.exists(), CrowdPlatform.objects.exists()) == (
        "",
        False,
        True,
    )


def test_annotators_are_told_and_the_protocol_says_it() -> None:
    campaign = studies.opened()
    Campaign.objects.filter(pk=campaign.pk).update(retention_days=90)
    campaign.refresh_from_db()
    client, _ = studies.annotator(campaign)
    page = client.get(reverse("annotation:start", args=[campaign.uuid])).text
    assert "forgotten 90 days after the study is closed" in page
    assert campaigns.plan_document(campaign)["texts"]["retention_days"] == 90
