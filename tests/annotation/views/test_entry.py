"""How people come in: invitations, personal links, agreeing."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from judging.actions import campaigns, enrollments
from judging.models import Campaign, Enrollment, Invitation, User
from tests import factories
from tests.annotation import studies

pytestmark = pytest.mark.django_db


def invitation(campaign: Campaign, **columns) -> Invitation:
    return campaigns.invite(campaign=campaign, by=campaign.created_by, **columns)


def logged_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_invitation_tells_what_it_is_about() -> None:
    campaign = studies.opened(introduction="About locks.\n\nThank you.", consent="I agree.", contact="Ada")
    html = Client().get(f"/join/{invitation(campaign).token}/").content.decode()
    assert "<p>About locks.</p><p>Thank you.</p>" in html
    assert "I agree." in html
    assert "Ada" in html
    assert 'name="agree"' in html


def test_invitation_lets_a_stranger_in_and_leads_to_the_first_task() -> None:
    campaign, client = studies.opened(consent="I agree."), Client()
    response = client.post(f"/join/{invitation(campaign).token}/", {"agree": "on"}, follow=True)
    assert [status for _url, status in response.redirect_chain] == [302, 302]
    assert response.status_code == 200
    assert 'id="judging"' in response.content.decode()
    assert Enrollment.objects.get(campaign=campaign).consented_at is not None


def test_invitation_needs_the_agreement() -> None:
    campaign = studies.opened(consent="I agree.")
    assert Client().post(f"/join/{invitation(campaign).token}/").status_code == 422
    assert not Enrollment.objects.exists()


def test_invitation_of_whom_has_joined_leads_to_work() -> None:
    campaign = studies.opened()
    client, _enrollment = studies.annotator(campaign)
    assert client.get(f"/join/{invitation(campaign).token}/").url == f"/work/{campaign.uuid}/"


def test_invitation_that_is_over_says_why() -> None:
    campaign = studies.opened()
    over = invitation(campaign, expires_at=timezone.now() - timedelta(days=1))
    for send in (Client().get, Client().post):
        response = send(f"/join/{over.token}/")
        assert response.status_code == 410
        assert "This invitation has expired." in response.content.decode()


def test_invitation_that_never_was_is_not_found() -> None:
    assert Client().get("/join/nothing/").status_code == 404
    assert Client().get("/join/%00/").status_code == 404
    assert Client().put("/join/nothing/").status_code == 405


def test_invitation_as_analyst_needs_an_account() -> None:
    campaign = studies.opened()
    link = f"/join/{invitation(campaign, role='analyst').token}/"
    assert Client().get(link).url == f"/login/?next={link}"
    person = factories.user()
    client = logged_in(person)
    assert client.post(link).url == f"/campaigns/{campaign.uuid}/"
    assert person.memberships.filter(campaign=campaign).exists()


def test_account_that_a_manager_added_agrees_before_its_first_task() -> None:
    campaign, person = studies.opened(consent="I agree."), factories.user()
    campaigns.add_member(campaign=campaign, user=person, role="annotator")
    client = logged_in(person)
    consent = f"/work/{campaign.uuid}/consent/"
    assert client.get(f"/work/{campaign.uuid}/").url == consent
    assert "I agree." in client.get(consent).content.decode()
    assert client.post(consent).status_code == 422
    assert client.post(consent, {"agree": "on"}).url == f"/work/{campaign.uuid}/"
    assert client.get(f"/work/{campaign.uuid}/").url.startswith("/tasks/")
    assert client.get(consent).url == f"/work/{campaign.uuid}/"


def test_personal_link_goes_on_on_another_device() -> None:
    campaign, client = studies.opened(), Client()
    client.post(f"/join/{invitation(campaign).token}/")
    task = client.get(f"/work/{campaign.uuid}/").url
    html = client.get(f"/work/{campaign.uuid}/pause/").content.decode()
    link = f"/go/{enrollments.personal_link(Enrollment.objects.get().user)}/"
    assert link in html
    elsewhere = Client()
    response = elsewhere.get(link, follow=True)
    assert response.redirect_chain == [(f"/work/{campaign.uuid}/", 302), (task, 302)]


def test_personal_link_that_is_given_up_leads_nowhere_and_another_does() -> None:
    campaign, client = studies.opened(), Client()
    client.post(f"/join/{invitation(campaign).token}/")
    old = f"/go/{enrollments.personal_link(Enrollment.objects.get().user)}/"
    pause = f"/work/{campaign.uuid}/pause/"
    assert f'action="/work/{campaign.uuid}/link/"' in client.get(pause).content.decode()
    assert client.get(f"/work/{campaign.uuid}/link/").status_code == 405
    assert client.post(f"/work/{campaign.uuid}/link/").url == pause
    new = f"/go/{enrollments.personal_link(Enrollment.objects.get().user)}/"
    html = client.get(pause).content.decode()
    assert new in html
    assert old not in html
    assert Client().get(old).status_code == 404
    assert Client().get(new).status_code == 302


def test_personal_link_of_others_cannot_be_given_up() -> None:
    campaign, stranger = studies.opened(), logged_in(factories.user())
    assert stranger.post(f"/work/{campaign.uuid}/link/").status_code == 404
    assert Client().post(f"/work/{campaign.uuid}/link/").url.startswith("/login/")


def test_personal_link_into_several_campaigns_leads_to_the_start_page() -> None:
    first, second = studies.opened(), studies.opened()
    client = Client()
    for campaign in (first, second):
        client.post(f"/join/{invitation(campaign).token}/")
    user = Enrollment.objects.filter(campaign=second).get().user
    assert Client().get(f"/go/{enrollments.personal_link(user)}/").url == "/work/"


@pytest.mark.parametrize("signed", ["1.abc", "abc", "0.", "99999999999999999999.x"])
def test_personal_link_that_was_never_made_is_not_found(signed: str) -> None:
    factories.user()
    assert Client().get(f"/go/{signed}/").status_code == 404


def test_personal_link_and_session_of_a_deactivated_account_lead_nowhere() -> None:
    campaign, client = studies.opened(), Client()
    client.post(f"/join/{invitation(campaign).token}/")
    task = client.get(f"/work/{campaign.uuid}/").url
    user = Enrollment.objects.get().user
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert Client().get(f"/go/{enrollments.personal_link(user)}/").status_code == 404
    assert client.get(task).url == f"/login/?next={task}"
    assert client.post(f"{task}draft/", {"name": "note", "value": "x", "sequence": 1}).status_code == 302


def test_personal_link_takes_get_only() -> None:
    assert Client().post("/go/1.abc/").status_code == 405
