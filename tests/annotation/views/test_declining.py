"""Who was named an annotator by somebody else, and has not begun, declines on the page of their
studies."""

import pytest
from django.test import Client
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.guards import judges_now
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Exclusion
from judging.enrolments.actions import enrollments
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.quality.actions import exclusions, qualifications
from judging.quality.models.exercise import Exercise
from tests import factories
from tests.annotation import studies
from tests.refusing import refusals_on, refused

pytestmark = pytest.mark.django_db


def named(campaign: Campaign, name: str = "colleague") -> tuple[Client, User]:
    """Return the browser of somebody whom a manager has just named an annotator, and who."""
    user = factories.user(name)
    campaigns.add_member(campaign=campaign, user=user, role="annotator", by=campaign.created_by)
    return factories.logged_in(user), user


def address(campaign: Campaign) -> str:
    return f"/work/{campaign.uuid}/decline/"


def test_declining_takes_the_place_away_as_if_it_had_never_been() -> None:
    campaign = studies.opened(title="Canal towns")
    client, user = named(campaign)
    client.get(f"/work/{campaign.uuid}/", follow=True)  # to look begins nothing
    assert campaign.enrollments.exists()
    assert f'action="{address(campaign)}"' in client.get("/work/").text
    client.post(address(campaign), follow=True)
    assert not Enrollment.objects.exists()
    assert not user.memberships.exists()
    assert User.objects.filter(pk=user.pk).exists()
    event = Event.objects.get(act="annotator.declined")
    assert (event.who, event.campaign, event.about) == (
        user.pk, campaign.uuid, f"account {user.pk}",
    )  # fmt: skip
    assert client.post(address(campaign)).status_code == 404


def test_who_was_left_out_may_decline_and_stays_left_out_however_they_come_back() -> None:
    campaign = studies.opened(title="Canal towns")
    client, user = named(campaign)
    client.get(f"/work/{campaign.uuid}/", follow=True)
    own = campaign.enrollments.get()
    exclusions.exclude_annotator(
        enrollment=own, reason="made a system", by=campaign.created_by, now=timezone.now()
    )
    client.post(address(campaign))
    assert not user.memberships.exists()
    assert not judges_now(user, campaign.dataset)
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by, places=3)
    client.post(f"/join/{link.token}/", {"agree": "on"})
    assert user.memberships.filter(role="annotator").exists()
    client.get(f"/work/{campaign.uuid}/?begin", follow=True)
    assert campaign.enrollments.get() == own
    assert Exclusion.objects.standing().get().enrollment == own
    assert not own.assignments.exists()


def test_declining_frees_the_seat_of_a_panel() -> None:
    campaign = studies.opened("qgstec2010-a", sources=4, order="panel", annotators_per_task=2)
    client, _user = named(campaign)
    client.get(f"/work/{campaign.uuid}/", follow=True)
    seat = campaign.enrollments.get().seat
    assert seat is not None
    client.post(address(campaign))
    other = enrollments.enroll(campaign=campaign, user=factories.user())
    assert other.seat == seat


def test_managers_see_who_declined() -> None:
    campaign = studies.opened()
    client, _user = named(campaign, "colleague")
    manager = factories.logged_in(campaign.created_by)
    annotators = f"/campaigns/{campaign.uuid}/annotators/"
    client.post(address(campaign))
    assert "colleague" in manager.get(annotators).text
    assert "annotator declined" in manager.get(f"/campaigns/{campaign.uuid}/history/").text


def test_who_declined_comes_back_by_a_link_and_by_no_manager_who_names_them() -> None:
    campaign = studies.opened()
    client, user = named(campaign)
    client.post(address(campaign))
    with refused("declined"):
        campaigns.add_member(campaign=campaign, user=user, role="annotator", by=campaign.created_by)
    assert not user.memberships.exists()
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by)
    client.post(f"/join/{link.token}/", {"agree": "on"})
    assert campaign.enrollments.get().user == user
    assert address(campaign) not in client.get("/work/").text
    manager = factories.logged_in(campaign.created_by)
    assert "Declined" not in manager.get(f"/campaigns/{campaign.uuid}/annotators/").text


def test_manager_who_declined_names_themselves() -> None:
    campaign, other = studies.opened(), factories.researcher()
    campaigns.add_member(campaign=campaign, user=other, role="manager")
    campaigns.add_member(campaign=campaign, user=other, role="annotator", by=campaign.created_by)
    enrollments.decline_enrolment(campaign=campaign, user=other)
    assert other.memberships.get().role == "manager"
    campaigns.add_member(campaign=campaign, user=other, role="annotator", by=other)


BEGINNINGS = ["link", "consent", "task", "a task that lapsed", "training"]


@pytest.mark.parametrize("how", BEGINNINGS)
def test_who_has_begun_does_not_decline(how: str) -> None:
    campaign = studies.opened(consent="I agree." if how == "consent" else "")
    if how == "link":
        link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by)
        client = factories.logged_in(factories.user())
        client.post(f"/join/{link.token}/", {"agree": "on"})
    else:
        client, user = named(campaign)
        own = enrollments.enroll_member(campaign=campaign, user=user)
        if how == "consent":
            enrollments.store_consent(enrollment=own, now=timezone.now())
        elif how == "training":
            item = Exercise.objects.create(
                campaign=campaign, kind="training", number=1, question="Who?"
            )
            qualifications.train(enrollment=own, exercise=item, now=timezone.now())
        else:
            task = studies.held(own)
            if how == "a task that lapsed":
                task.state, task.released_at = "released", timezone.now()
                task.lease_expires_at = None
                task.save()
    assert address(campaign) not in client.get("/work/").text
    answer = client.post(address(campaign), follow=True)
    assert refusals_on(answer) == ["already_begun"]
    assert campaign.enrollments.count() == 1
    assert not Event.objects.filter(act="annotator.declined").exists()


def test_home_asks_as_much_for_three_studies_as_for_one(django_assert_num_queries) -> None:
    client, user = named(studies.opened())
    client.get("/work/")
    with django_assert_num_queries(5):
        client.get("/work/")
    for _more in range(2):
        campaigns.add_member(campaign=studies.opened(), user=user, role="annotator")
    with django_assert_num_queries(5):
        client.get("/work/")
