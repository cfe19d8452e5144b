"""How people come in: invitations, personal links, agreeing."""

from datetime import timedelta

import pytest
from django.test import Client, RequestFactory
from django.utils import timezone

from judging.base.addresses import study_visitor
from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Invitation
from judging.enrolments.actions import enrollments
from judging.people.actions import tokens
from judging.people.guards import CONFIRMED
from judging.people.models.user import User
from tests import factories
from tests.annotation import studies

pytestmark = pytest.mark.django_db


def invitation(campaign: Campaign, **columns) -> Invitation:
    return campaigns.create_invitation(
        campaign=campaign, by=campaign.created_by, **({"places": 100} | columns)
    )


def test_invitation_lets_a_stranger_in_and_leads_to_what_is_read_before_the_first_task() -> None:
    campaign, client = studies.opened(consent="I agree."), Client()
    response = client.post(f"/join/{invitation(campaign).token}/", {"agree": "on"}, follow=True)
    assert [status for _url, status in response.redirect_chain] == [302, 302]
    assert response.redirect_chain[-1][0] == f"/work/{campaign.uuid}/start/"
    assert 'id="judging"' in client.get(f"/work/{campaign.uuid}/?begin", follow=True).text
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


def test_invitation_that_never_was_is_not_found() -> None:
    assert Client().get("/join/nothing/").status_code == 404
    assert Client().get("/join/%00/").status_code == 404
    assert Client().put("/join/nothing/").status_code == 405


def test_where_people_join_from_is_hashed_for_the_day_and_shows_twins() -> None:
    link = f"/join/{invitation(studies.opened()).token}/"
    for address in ("203.0.113.7", "203.0.113.7", "198.51.100.1"):
        Client(REMOTE_ADDR=address).post(link)
    first, second, third = Enrollment.objects.order_by("pk")
    assert (first.visitor, first.twin_of, second.twin_of, third.twin_of) == (
        second.visitor,
        None,
        first,
        None,
    )
    assert len(first.visitor) == 64
    request = RequestFactory().get("/", REMOTE_ADDR="203.0.113.7")
    now = timezone.now()
    days = {
        study_visitor(request, study=first.campaign.uuid, now=now + timedelta(days=day))
        for day in range(3)
    }
    assert len(days) == 3


def test_account_that_a_manager_added_agrees_before_its_first_task() -> None:
    campaign, person = studies.opened(consent="I agree."), factories.user()
    campaigns.add_member(campaign=campaign, user=person, role="annotator")
    client = factories.logged_in(person)
    consent = f"/work/{campaign.uuid}/consent/"
    assert client.get(f"/work/{campaign.uuid}/").url == consent
    assert "I agree." in client.get(consent).content.decode()
    assert client.post(consent).status_code == 422
    assert client.post(consent, {"agree": "on"}).url == f"/work/{campaign.uuid}/"
    assert client.get(f"/work/{campaign.uuid}/").url == f"/work/{campaign.uuid}/start/"
    assert client.get(f"/work/{campaign.uuid}/?begin").url.startswith("/tasks/")
    assert client.get(consent).url == f"/work/{campaign.uuid}/"


def test_personal_link_goes_on_on_another_device() -> None:
    campaign, client = studies.opened(), Client()
    client.post(f"/join/{invitation(campaign).token}/")
    task = client.get(f"/work/{campaign.uuid}/?begin").url
    html = client.get(f"/work/{campaign.uuid}/pause/").content.decode()
    link = f"/go/{enrollments.personal_link(Enrollment.objects.get().user)}/"
    assert link in html
    elsewhere = Client()
    assert elsewhere.get(link).status_code == 200
    assert "sessionid" not in elsewhere.cookies
    response = elsewhere.post(link, follow=True)
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
    assert Client().post(new).status_code == 302


def test_personal_link_into_several_campaigns_leads_to_the_start_page() -> None:
    first, second = studies.opened(), studies.opened()
    client = Client()
    for campaign in (first, second):
        client.post(f"/join/{invitation(campaign).token}/")
    user = Enrollment.objects.filter(campaign=second).get().user
    assert Client().post(f"/go/{enrollments.personal_link(user)}/").url == "/work/"


@pytest.mark.parametrize("signed", ["1.abc", "abc", "0.", "99999999999999999999.x"])
def test_personal_link_that_was_never_made_is_not_found(signed: str) -> None:
    factories.user()
    assert Client().get(f"/go/{signed}/").status_code == 404


def test_personal_link_and_session_of_a_deactivated_account_lead_nowhere() -> None:
    campaign, client = studies.opened(), Client()
    client.post(f"/join/{invitation(campaign).token}/")
    task = client.get(f"/work/{campaign.uuid}/?begin").url
    user = Enrollment.objects.get().user
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert Client().get(f"/go/{enrollments.personal_link(user)}/").status_code == 404
    assert client.get(task).url == f"/login/?next={task}"
    assert (
        client.post(f"{task}draft/", {"name": "note", "value": "x", "sequence": 1}).status_code
        == 302
    )


def test_personal_link_logs_nobody_in_for_another_site() -> None:
    """A picture or a link on another site may make a browser ask; only a button of ours logs in."""
    campaign, client = studies.opened(), Client()
    client.post(f"/join/{invitation(campaign).token}/")
    link = f"/go/{enrollments.personal_link(Enrollment.objects.get().user)}/"
    victim = factories.logged_in(factories.researcher("victim"))
    assert victim.get("/campaigns/").status_code == 200
    forging = Client(enforce_csrf_checks=True)
    assert forging.post(link).status_code == 403
    assert Client().put(link).status_code == 405


def test_new_personal_link_logs_out_whoever_had_the_old_one() -> None:
    campaign, own, thief = studies.opened(), Client(), Client()
    own.post(f"/join/{invitation(campaign).token}/")
    thief.post(f"/go/{enrollments.personal_link(Enrollment.objects.get().user)}/")
    assert thief.get(f"/work/{campaign.uuid}/pause/").status_code == 200
    own.post(f"/work/{campaign.uuid}/link/")
    assert own.get(f"/work/{campaign.uuid}/pause/").status_code == 200
    assert thief.get(f"/work/{campaign.uuid}/pause/").url.startswith("/login/")


def joined(campaign: Campaign) -> Client:
    client = Client()
    client.post(f"/join/{invitation(campaign).token}/")
    return client


def test_annotators_by_a_link_can_choose_a_password() -> None:
    campaign = studies.opened()
    client = joined(campaign)
    user = Enrollment.objects.get().user
    short = {"new_password1": "short", "new_password2": "short"}
    assert client.post("/work/account/", short).status_code == 422
    good = {"new_password1": "a heron at dusk", "new_password2": "a heron at dusk"}
    assert user.username in client.post("/work/account/", good, follow=True).text
    assert Client().login(username=user.username, password="a heron at dusk")
    assert client.get(f"/work/{campaign.uuid}/?begin").url.startswith("/tasks/")
    assert client.get("/work/account/").url == "/password/"
    assert Client().get("/work/account/").url.startswith("/login/")


def test_first_password_ends_what_was_begun_by_the_link() -> None:
    campaign = studies.opened()
    client, thief = joined(campaign), Client()
    user = Enrollment.objects.get().user
    thief.post(f"/go/{enrollments.personal_link(user)}/")
    assert thief.session[CONFIRMED] == 0  # a link is no password
    key = tokens.make_token(user=user, now=timezone.now(), scope="manage")
    asked = {"HTTP_AUTHORIZATION": f"Token {key}"}
    assert Client().get("/api/v1/campaigns/", **asked).status_code == 200
    good = {"new_password1": "a heron at dusk", "new_password2": "a heron at dusk"}

    client.post("/work/account/", good)

    assert Client().get("/api/v1/campaigns/", **asked).status_code == 401
    assert thief.get("/work/").url.startswith("/login/")
    assert client.get("/work/").status_code == 200
    assert timezone.now().timestamp() - client.session[CONFIRMED] < 60


def test_joining_again_after_logging_out_does_not_make_a_second_person_unasked() -> None:
    campaign = studies.opened()
    client, link = joined(campaign), f"/join/{invitation(campaign).token}/"
    client.post("/logout/")
    assert client.get(link).context["joined_before"] == Enrollment.objects.get().label
    assert client.post(link).status_code == 422
    assert Enrollment.objects.count() == 1
    assert client.post(link, {"another": "on"}).status_code == 302
    assert Enrollment.objects.count() == 2
    assert not Client().get(link).context["joined_before"]
