"""The password is asked again before acts that cannot be undone or give rights away."""

import re
from html import unescape
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.datasets.actions import datasets
from judging.people.actions import two_factors
from judging.people.guards import CONFIRMED, CONFIRMED_FOR
from judging.people.models.event import Event
from judging.people.models.user import ApiToken, User
from tests import factories
from tests.judging.imports.studies import assembled

pytestmark = pytest.mark.django_db


def long_ago(user: User) -> Client:
    """Return a browser in which a user typed the password too long ago, and has been active
    since."""
    client = factories.logged_in(user)
    client.get("/sessions/")
    session = client.session
    session[CONFIRMED] -= int(CONFIRMED_FOR.total_seconds())
    session.save()
    return client


def acts() -> list[tuple[str, User]]:
    """Return the addresses that ask for the password, each with a user who may call it."""
    campaign, administrator = factories.opened(), factories.user(is_superuser=True)
    manager, other = campaign.created_by, factories.user()
    link = campaigns.create_invitation(campaign=campaign, by=manager)
    about = f"/campaigns/{campaign.uuid}"
    analyst = campaign.memberships.create(user=other, role="analyst")
    own, files = factories.dataset(owner=manager), assembled()
    datasets.share_dataset(dataset=own, user=other)
    draft = factories.campaign(manager=manager)
    return [
        ("/accounts/new/", administrator),
        (f"/accounts/{other.pk}/", administrator),
        (f"/accounts/{other.pk}/password-link/", administrator),
        (f"/accounts/{other.pk}/two-factor/remove/", administrator),
        ("/two-factor/", manager),
        ("/tokens/", manager),
        (f"{about}/draws/reveal/", manager),
        (f"{about}/members/", manager),
        (f"{about}/members/{analyst.pk}/remove/", manager),
        (f"{about}/adjudication/name/", manager),
        (f"{about}/invitations/{link.pk}/undo/", manager),
        (f"/datasets/{own.pk}/delete/", manager),
        (f"/campaigns/{draft.uuid}/discard/", manager),
        (f"/datasets/{own.pk}/share/", manager),
        (f"/datasets/{own.pk}/uses/{other.pk}/end/", manager),
        (f"/datasets/{own.pk}/hand-over/", manager),
        (f"/datasets/{files.pk}/files/1/take-back/", files.owner),
        (f"/datasets/{files.pk}/files/1/ids.csv", files.owner),
    ]


def test_two_factor_that_was_begun_shows_its_secret_after_the_password_only(settings) -> None:
    settings.SECOND_FACTOR = "everybody"
    user = factories.researcher()
    client = long_ago(user)
    two_factors.start_two_factor(user=user)
    secret = two_factors.pending_two_factor(user).secret
    asked = client.get("/two-factor/", follow=True)
    assert asked.redirect_chain == [("/confirm/?next=%2Ftwo-factor%2F", 302)]
    assert secret not in asked.text
    given = client.post(asked.redirect_chain[0][0], {"password": factories.PASSWORD}, follow=True)
    assert secret in given.text


def test_new_account_asks_before_its_form_so_that_nothing_typed_is_lost() -> None:
    client = long_ago(factories.user(is_superuser=True))
    answer = client.get("/accounts/new/")
    assert answer.url == "/confirm/?next=%2Faccounts%2Fnew%2F"
    assert client.post(answer.url, {"password": factories.PASSWORD}).url == "/accounts/new/"
    assert client.get("/accounts/new/").status_code == 200


def hidden_fields(html: str) -> dict[str, list[str]]:
    """Return the hidden fields of the page's form for the password."""
    form = html[html.index('<form class="form stack loose"') :]
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form):
        found.setdefault(unescape(name), []).append(unescape(value))
    return found


def test_key_asked_for_without_a_recent_password_is_created_after_it() -> None:
    user = factories.researcher()
    client = long_ago(user)
    asked = client.post("/tokens/", {"name": "a", "scope": "manage", "days": "7"}, follow=True)
    assert asked.redirect_chain == [("/confirm/?next=%2Ftokens%2F", 307)]
    assert not ApiToken.objects.filter(user=user).exists()
    wrong = client.post(
        asked.redirect_chain[0][0], hidden_fields(asked.text) | {"password": "wrong"}
    )
    assert wrong.status_code == 422
    made = client.post(
        asked.redirect_chain[0][0],
        hidden_fields(wrong.text) | {"password": factories.PASSWORD},
        follow=True,
    )
    assert made.redirect_chain == [("/tokens/", 307)]
    key = ApiToken.objects.get(user=user)
    assert (key.scope, (key.expires_at - key.made_at).days) == ("manage", 7)
    assert 'id="api-token"' in made.text


def test_form_carried_over_the_password_keeps_every_value_and_no_password() -> None:
    client = long_ago(factories.researcher())
    sent = {"scope": ["write", "read"], "note": ['two\r\nlines <b> & "quotes"']}
    asked = client.post("/tokens/?a=1&b=2", sent, follow=True)
    assert asked.redirect_chain[0][0] == "/confirm/?next=%2Ftokens%2F%3Fa%3D1%26b%3D2"
    found = hidden_fields(asked.text)
    assert found["scope"] == sent["scope"]
    assert found["note"] == sent["note"]
    assert "password" not in found
    assert not client.session.keys() & {"scope", "note", "form"}


def test_act_without_fields_is_done_after_the_password() -> None:
    draft = factories.campaign()
    client = long_ago(draft.created_by)
    asked = client.post(f"/campaigns/{draft.uuid}/discard/", follow=True)
    address = asked.redirect_chain[0][0]
    client.post(address, hidden_fields(asked.text) | {"password": factories.PASSWORD}, follow=True)
    assert not Campaign.objects.filter(pk=draft.pk).exists()


def test_confirm_page_opened_by_an_address_does_no_act() -> None:
    draft = factories.campaign()
    client = long_ago(draft.created_by)
    address = f"/confirm/?next=/campaigns/{draft.uuid}/discard/"
    fields = hidden_fields(client.get(address).text)
    answer = client.post(address, fields | {"password": factories.PASSWORD})
    assert answer.status_code == 302
    assert Campaign.objects.filter(pk=draft.pk).exists()


@pytest.mark.parametrize("where", ["https://evil.example/", "//evil.example", "/\\evil.example"])
def test_form_is_carried_to_no_other_site(where: str) -> None:
    client = long_ago(factories.researcher())
    address = f"/confirm/?{urlencode({'next': where})}"
    fields = hidden_fields(client.post(address, {"scope": "write"}).text)
    assert client.post(address, fields | {"password": factories.PASSWORD}).url == "/"


def test_form_carried_without_its_token_is_refused() -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(factories.researcher())
    address = "/confirm/?next=/tokens/"
    answer = client.post(address, {"carried": "yes", "password": factories.PASSWORD})
    assert answer.status_code == 403


def test_dangerous_act_asks_for_the_password_and_does_nothing() -> None:
    for path, user in acts():
        before = Event.objects.count()
        answer = long_ago(user).post(path)
        assert (path, answer.status_code) == (path, 307)
        assert answer.url == f"/confirm/?{urlencode({'next': path})}"
        assert Event.objects.count() == before


def test_who_has_just_logged_in_is_not_asked() -> None:
    for path, user in acts():
        client = factories.logged_in(user)
        assert "/confirm/" not in client.post(path).headers.get("Location", "")


def test_reading_asks_for_nothing_and_a_foreign_object_is_not_found() -> None:
    paths = dict(acts())
    user = paths["/tokens/"]
    assert long_ago(user).get("/tokens/").status_code == 200
    stranger = long_ago(factories.researcher())
    for path in paths:
        if path.startswith(("/campaigns/", "/datasets/")):
            assert stranger.post(path).status_code == 404


def test_right_password_leads_back_and_counts_for_a_while() -> None:
    user = factories.researcher()
    client = long_ago(user)
    assert client.get("/confirm/").status_code == 200
    assert client.post("/confirm/?next=/tokens/", {"password": "wrong"}).status_code == 422
    assert client.post("/tokens/").url.startswith("/confirm/")
    assert (
        client.post("/confirm/?next=/tokens/", {"password": factories.PASSWORD}).url == "/tokens/"
    )
    assert client.post("/tokens/", {"name": "a", "scope": "read", "days": 7}).status_code == 200
    assert list(Event.objects.values_list("act", flat=True).order_by("pk")) == [
        "log_in.failed",
        "key.made",
    ]


@pytest.mark.parametrize(
    "where", ["https://evil.example/", "//evil.example", "javascript:alert(1)", ""]
)
def test_it_leads_nowhere_else(where: str) -> None:
    client = long_ago(factories.user())
    assert client.post(f"/confirm/?next={where}", {"password": factories.PASSWORD}).url == "/"
    assert client.post("/tokens/").status_code == 422  # it was typed just now


def test_guesses_have_to_wait() -> None:
    client = long_ago(factories.user())
    found = [client.post("/confirm/", {"password": "wrong"}).status_code for _ in range(6)]
    assert found == [422] * 5 + [429]
    assert client.post("/confirm/", {"password": factories.PASSWORD}).status_code == 429


def test_who_has_no_password_is_not_asked_for_one() -> None:
    client = factories.logged_in(User.objects.create_user("annotator-x"))
    assert client.get("/confirm/").status_code == 404
    assert timezone.now().timestamp() - client.session[CONFIRMED] < 60
