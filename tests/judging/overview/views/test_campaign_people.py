"""The people of a campaign: invitations, roles, annotators excluded and re-included."""

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Exclusion, Invitation, Membership
from judging.enrolments.actions import enrollments
from judging.people.models.user import User
from judging.quality.actions import exclusions
from tests import factories
from tests.judging.campaign_pages import address, assert_same_queries

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def opened_once(lasting) -> Campaign:
    return factories.opened()


@pytest.fixture
def open_campaign(opened_once) -> Campaign:
    return Campaign.objects.get(pk=opened_once.pk)


@pytest.fixture
def owner(open_campaign) -> User:
    return open_campaign.created_by


def test_invitation_link_is_made_shown_whole_and_revoked(page, open_campaign):
    page.post(
        address("invite", open_campaign),
        {"label": "Spring course", "places": 5, "expires_at": "2031-05-01T18:00"},
    )
    link = Invitation.objects.get()
    shown = page.get(address("annotators", open_campaign)).text
    assert "http://testserver" + reverse("annotation:join", args=[link.token]) in shown
    assert "Spring course" in shown
    here_only = "only this computer knows"
    assert here_only not in shown
    local = page.get(address("annotators", open_campaign), headers={"host": "127.0.0.1:8000"})
    assert here_only in local.text
    page.post(address("revoke", open_campaign, link.pk))
    assert link.token not in page.get(address("annotators", open_campaign)).text


def test_invitation_ends_by_the_clock_of_the_campaign(page, open_campaign):
    type(open_campaign).objects.update(time_zone="Asia/Tokyo")
    page.post(address("invite", open_campaign), {"places": 1, "expires_at": "2031-05-01T18:00"})
    assert Invitation.objects.get().expires_at.isoformat() == "2031-05-01T09:00:00+00:00"
    assert "valid until 1 May 2031 18:00" in page.get(address("annotators", open_campaign)).text


@pytest.mark.parametrize(("role", "places"), [("manager", 2), ("manager", 1), ("analyst", 2)])
def test_who_manages_no_more_may_still_join_by_a_link_and_that_is_said(
    page, open_campaign, role: str, places: int
):
    colleague = factories.user()
    campaigns.add_member(campaign=open_campaign, user=colleague, role=role)
    link = campaigns.create_invitation(campaign=open_campaign, by=colleague, places=places)
    enrollments.join_by_link(invitation=link, user=None, agreed=True, now=timezone.now())
    row = open_campaign.memberships.get(user=colleague)
    answer = page.post(address("remove_member", open_campaign, row.pk), follow=True)
    assert not open_campaign.memberships.filter(pk=row.pk).exists()
    [told] = answer.context["messages"]
    assert ("links" in str(told)) == (role == "manager" and places == 2)


def test_account_is_given_a_role_and_loses_it(page, draft):
    colleague = factories.user("grace")
    page.post(address("add_member", draft), {"username": "grace", "role": "analyst"})
    row = draft.memberships.get(user=colleague)
    assert row.role == "analyst"
    page.post(address("remove_member", draft, row.pk))
    assert not draft.memberships.filter(user=colleague).exists()


def test_a_double_click_makes_one_link_and_another_name_another(page, open_campaign):
    for label in ("Spring", "Spring", "Autumn"):
        page.post(
            address("invite", open_campaign),
            {"label": label, "places": 1, "expires_at": "2031-05-01T18:00"},
        )
    assert sorted(open_campaign.invitations.values_list("label", flat=True)) == ["Autumn", "Spring"]


def test_annotator_is_excluded_with_a_reason_and_taken_back(page, open_campaign):
    excluded = factories.enrollment(open_campaign)
    page.post(
        address("exclude", open_campaign),
        {"enrollment": excluded.pk, "reason": "4 seconds", "act": "exclude"},
    )
    assert Exclusion.objects.standing().get().reason == "4 seconds"
    assert ">excluded<" in page.get(address("annotators", open_campaign)).text
    page.post(address("exclude", open_campaign), {"enrollment": excluded.pk, "act": "readmit"})
    assert not Exclusion.objects.standing().exists()
    assert Exclusion.objects.count() == 1


def test_exclusion_without_reason_or_of_somebody_elses_annotator_is_refused(page, open_campaign):
    own, foreign = factories.enrollment(open_campaign), factories.enrollment(factories.opened())
    for form in (
        {"enrollment": own.pk},
        {"enrollment": foreign.pk, "reason": "x"},
        {"enrollment": "x"},
    ):
        assert page.post(address("exclude", open_campaign), form).status_code == 422
    assert not Exclusion.objects.exists()


def test_annotators_take_as_many_queries_for_three_as_for_one(page, open_campaign, owner):
    def add() -> None:
        made = factories.enrollment(open_campaign)
        exclusions.exclude_annotator(
            enrollment=made, reason="too fast", by=owner, now=timezone.now()
        )
        campaigns.create_invitation(campaign=open_campaign, by=owner, label=made.label)
        Membership.objects.create(user=factories.user(), campaign=open_campaign, role="analyst")

    add()
    assert_same_queries(page, address("annotators", open_campaign), add)


def test_links_make_no_manager_whatever_a_form_says(page, open_campaign):
    page.post(
        address("invite", open_campaign),
        {"role": "manager", "places": 1, "expires_at": "2031-05-01T18:00"},
    )
    assert Invitation.objects.get().role == "annotator"


def test_manager_undoes_a_flood_and_others_may_not(page, client, open_campaign):
    link = campaigns.create_invitation(
        campaign=open_campaign, by=open_campaign.created_by, places=9
    )
    for _person in range(3):
        enrollments.join_by_link(invitation=link, user=None, agreed=True, now=timezone.now())
    undo = address("undo_joins", open_campaign, link.pk)
    page.post(undo)
    assert not open_campaign.enrollments.exists()
    assert page.get(undo).status_code == 405
    assert page.post(address("undo_joins", open_campaign, 10**9)).status_code == 404
    client.force_login(factories.researcher())
    assert client.post(undo).status_code == 404
