"""People of a campaign for programs."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Invitation, Membership
from judging.people.models.user import ApiToken
from tests import factories
from tests.annotation import studies
from tests.judging.programs import API, Program, counted, fields_of, program

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign():
    return studies.opened(consent="I take part.")


@pytest.fixture
def api(campaign):
    return program(campaign.created_by)


@pytest.fixture
def path(campaign):
    return f"{API}/campaigns/{campaign.uuid}/"


def test_invitations_are_created_listed_and_revoked(api, path, client):
    made = api.post(f"{path}invitations/", {"label": "Course", "places": 5})
    assert made.status_code == 201, made.content
    invitation = made.json()
    assert (invitation["places"], invitation["joined"]) == (5, 0)
    assert client.get(invitation["link"]).status_code == 200
    assert api.get(f"{path}invitations/").json()["results"] == [invitation]
    revoked = api.post(f"{path}invitations/{invitation['id']}/revoke/").json()
    assert (revoked["link"], revoked["token"]) == (None, None)
    assert revoked["revoked_at"] is not None


def test_invitations_wrong_content_names_the_field(api, path):
    body = {"places": 0, "expires_at": "soon", "label": "x" * 101}
    assert fields_of(api.post(f"{path}invitations/", body)) == {"places", "expires_at", "label"}
    assert not Invitation.objects.exists()


def test_invitations_show_an_analyst_no_link(campaign, api, path):
    analyst = factories.researcher()
    campaigns.add_member(campaign=campaign, user=analyst, role="analyst")
    api.post(f"{path}invitations/", {})
    [seen] = program(analyst).get(f"{path}invitations/").json()["results"]
    assert (seen["link"], seen["token"]) == (None, None)
    assert program(analyst).post(f"{path}invitations/", {}).status_code == 403


def test_join_makes_an_annotator_with_a_token_that_only_annotates(campaign, api, path):
    token = api.post(f"{path}invitations/", {}).json()["token"]
    stranger = Program()
    study = stranger.get(f"{API}/join/", {"invitation": token}).json()
    assert study["consent"] == "I take part."
    assert fields_of(stranger.post(f"{API}/join/", {"invitation": token})) == {"consent"}
    joined = stranger.post(f"{API}/join/", {"invitation": token, "consent": True})
    assert joined.status_code == 201, joined.content
    assert joined.json()["campaign"] == str(campaign.uuid)
    own = campaign.enrollments.get(label=joined.json()["label"])
    assert own.consented_at is not None
    assert ApiToken.objects.get(user=own.user).scope == "annotate"
    annotator = Program()
    annotator.credentials(HTTP_AUTHORIZATION=f"Token {joined.json()['token']}")
    assert annotator.get(f"{API}/me/").json()["id"] == own.user_id
    assert annotator.get(path).status_code == 403
    assert annotator.get(f"{API}/datasets/").status_code == 403
    full = stranger.post(f"{API}/join/", {"invitation": token, "consent": True})
    assert full.status_code == 410
    assert full.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    "body", [{}, {"invitation": 5.5, "consent": "perhaps"}, {"invitation": None}]
)
def test_join_wrong_content_names_the_field(body):
    assert fields_of(Program().post(f"{API}/join/", body)) & {"invitation", "consent"}


def test_join_by_an_unknown_or_ended_invitation_lets_nobody_in(campaign, api, path):
    assert Program().post(f"{API}/join/", {"invitation": "abc"}).status_code == 404
    assert Program().get(f"{API}/join/").status_code == 404
    invitation = api.post(f"{path}invitations/", {}).json()
    Invitation.objects.update(expires_at=timezone.now() - timedelta(1))
    body = {"invitation": invitation["token"], "consent": True}
    assert Program().post(f"{API}/join/", body).status_code == 410
    assert Program().get(f"{API}/join/", {"invitation": invitation["token"]}).status_code == 410
    assert not campaign.enrollments.exists()


def test_undo_joins_removes_who_came_by_a_link(campaign, api, path):
    invitation = api.post(f"{path}invitations/", {}).json()
    Program().post(f"{API}/join/", {"invitation": invitation["token"], "consent": True})
    undone = api.post(f"{path}invitations/{invitation['id']}/undo-joins/")
    assert undone.json() == {"removed": 1, "excluded": 0}
    assert not campaign.enrollments.exists()


def test_enrolments_show_progress_in_a_constant_number_of_queries(campaign, api, path):
    studies.held(factories.enrollment(campaign, label="A01"))
    api.get(f"{path}enrolments/")
    with counted() as one:
        [first] = api.get(f"{path}enrolments/").json()["results"]
    assert (first["label"], first["held"], first["submitted"]) == ("A01", 1, 0)
    for _ in range(4):
        factories.enrollment(campaign)
    with counted() as several:
        assert len(api.get(f"{path}enrolments/").json()["results"]) == 5
    assert len(one) == len(several)


def test_enrolments_are_excluded_and_reincluded_with_a_reason(campaign, api, path):
    own = factories.enrollment(campaign)
    one = f"{path}enrolments/{own.pk}/"
    assert fields_of(api.post(f"{one}exclude/", {"reason": ""})) == {"reason"}
    excluded = api.post(f"{one}exclude/", {"reason": "Too fast."}).json()
    assert (excluded["is_excluded"], excluded["exclusions"][0]["reason"]) == (True, "Too fast.")
    assert api.post(f"{one}exclude/", {"reason": "Again."}).status_code == 409
    assert [
        each["id"] for each in api.get(f"{path}enrolments/", {"excluded": "true"}).json()["results"]
    ] == [own.pk]
    back = api.post(f"{one}reinclude/").json()
    assert back["is_excluded"] is False
    assert back["exclusions"][0]["lifted_at"] is not None
    assert api.post(f"{one}reinclude/").status_code == 409
    assert api.post(f"{path}enrolments/{10**9}/exclude/", {"reason": "x"}).status_code == 404


def test_enrolments_hide_a_judging_managers_own_progress(campaign, api, path):
    factories.enrollment(campaign, account=campaign.created_by)
    Campaign.objects.filter(pk=campaign.pk).update(checked=True)
    [own] = api.get(f"{path}enrolments/").json()["results"]
    assert (own["submitted"], own["held"], own["active_seconds"]) == (None, None, None)


def test_members_are_added_and_removed(campaign, api, path):
    other = factories.researcher()
    made = api.post(f"{path}members/", {"username": other.username, "role": "analyst"})
    assert made.status_code == 201
    assert [each["role"] for each in api.get(f"{path}members/").json()["results"]] == [
        "manager",
        "analyst",
    ]
    unknown = api.post(f"{path}members/", {"username": "x", "role": "analyst"})
    assert (unknown.json()["code"], fields_of(unknown)) == ("no_such_account", {"username"})
    wrong = api.post(f"{path}members/", {"username": other.username, "role": "owner"})
    assert fields_of(wrong) == {"role"}
    assert api.delete(f"{path}members/{made.json()['id']}/").status_code == 204
    only = Membership.objects.get(campaign=campaign, role="manager")
    assert api.delete(f"{path}members/{only.pk}/").status_code == 409
    assert api.delete(f"{path}members/{10**9}/").status_code == 404


def test_texts_before_joining_are_in_the_language_that_the_campaign_fixes():
    campaign = studies.opened(
        fixed_language="de",
        introduction="Rate questions.",
        translated_texts={"de": {"introduction": "Bewerten Sie Fragen."}},
    )
    token = campaigns.create_invitation(campaign=campaign, by=campaign.created_by, places=1).token
    study = Program().get(f"{API}/join/", {"invitation": token}, HTTP_ACCEPT_LANGUAGE="en")
    assert study.json()["introduction"] == "Bewerten Sie Fragen."
