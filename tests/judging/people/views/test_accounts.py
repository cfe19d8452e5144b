"""Accounts' pages: works, forbidden, unknown, malformed, wrong verb; a password link works once and
lets one in."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judging.people.models.user import User
from tests import factories

pytestmark = pytest.mark.django_db

INDEX, NEW = "/accounts/", "/accounts/new/"


@pytest.fixture
def administrator() -> User:
    return factories.user("root", is_superuser=True)


@pytest.fixture
def page(client: Client, administrator: User) -> Client:
    client.force_login(administrator)
    return client


def account(user: User) -> str:
    return reverse("judging:account", args=[user.pk])


def password_link(user: User) -> str:
    return reverse("judging:password_link", args=[user.pk])


def link_in(answer) -> str:
    found = re.search(r"http://testserver(/password/new/[^<\s]+)", answer.text)
    assert found is not None
    return found.group(1)


def rights(**changes: str) -> dict[str, str]:
    """Return what the form of an account sends; a box that is not ticked is not sent."""
    fields = {
        "first_name": "Grace",
        "last_name": "",
        "email": "",
        "may_create_campaigns": "on",
        "is_active": "on",
    }
    return {name: value for name, value in (fields | changes).items() if value != "off"}


def test_list_takes_as_many_queries_for_three_as_for_one(page):
    page.get(INDEX)
    with CaptureQueriesContext(connection) as one:
        page.get(INDEX)
    factories.user()
    factories.user()
    with CaptureQueriesContext(connection) as three:
        page.get(INDEX)
    assert len(three) == len(one)


def test_new_account_with_a_password_can_log_in(page, client):
    form = {
        "username": "grace",
        "may_create_campaigns": "on",
        "usable_password": "true",
        "password1": factories.PASSWORD,
        "password2": factories.PASSWORD,
    }
    made_page = page.post(NEW, form).url
    made = User.objects.get(username="grace")
    assert made_page == account(made)
    assert made.may_create_campaigns
    assert not made.is_superuser
    assert Client().login(username="grace", password=factories.PASSWORD)


def test_new_account_without_a_password_shows_the_link_by_which_one_is_chosen(page):
    assert page.get(NEW).context["form"]["usable_password"].value() == "false"
    answer = page.post(NEW, {"username": "grace", "usable_password": "false"})
    made = User.objects.get(username="grace")
    assert not made.has_usable_password()
    chosen = Client().get(link_in(answer), follow=True)
    assert "grace" in chosen.text


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"username": "grace", "usable_password": "true", "password1": "a", "password2": "b"},
        {"username": "root", "usable_password": "false"},
    ],
)
def test_new_account_malformed_is_not_made(page, form):
    answer = page.post(NEW, form)
    assert answer.status_code == 422
    assert "errorlist" in answer.text
    assert User.objects.count() == 1


def test_new_password_by_a_link_logs_in_only_if_it_is_the_first(page):
    made = factories.researcher("grace")
    stranger = Client()
    form = stranger.get(link_in(page.post(password_link(made))), follow=True)
    new = {"new_password1": "another long phrase", "new_password2": "another long phrase"}
    answer = stranger.post(form.redirect_chain[-1][0], new)
    assert answer.url == reverse("password_reset_complete")
    assert "_auth_user_id" not in stranger.session


def test_password_link_works_once_and_lets_its_owner_in(page):
    page.post(NEW, {"username": "grace", "usable_password": "false"})
    made = User.objects.get(username="grace")
    link = link_in(page.post(password_link(made)))
    stranger = Client()
    form = stranger.get(link, follow=True)
    new = {"new_password1": "another long phrase", "new_password2": "another long phrase"}
    assert stranger.post(form.redirect_chain[-1][0], new).url == reverse("judging:home")
    assert int(stranger.session["_auth_user_id"]) == made.pk
    stranger.post(reverse("logout"))
    guesses = [
        Client().post(reverse("login"), {"username": "grace", "password": "a guess"})
        for _ in range(6)
    ]
    assert [guess.status_code for guess in guesses] == [200] * 5 + [429]
    assert (
        stranger.post(
            reverse("login"), {"username": "grace", "password": "another long phrase"}
        ).status_code
        == 302
    )
    assert stranger.get(reverse("judging:home")).status_code == 302
    assert Client().get(link, follow=True).context["validlink"] is False


def test_password_link_is_not_made_for_whom_may_not_log_in(page):
    gone = factories.user(is_active=False)
    assert page.post(password_link(gone)).status_code == 404


def test_rights_are_changed(page):
    owner = factories.user("grace")
    assert page.post(account(owner), rights()).url == INDEX
    owner.refresh_from_db()
    assert (owner.first_name, owner.may_create_campaigns, owner.is_superuser) == (
        "Grace",
        True,
        False,
    )


def test_account_without_log_in_is_shut_out_at_once(page):
    owner = factories.user("grace")
    theirs = factories.logged_in(owner)
    nonce = owner.link_nonce
    page.post(account(owner), rights(is_active="off"))
    assert theirs.get(reverse("judging:home")).url.startswith(reverse("login"))
    owner.refresh_from_db()
    assert owner.link_nonce != nonce


def test_home_sends_people_where_their_work_is(client, administrator):
    home = reverse("judging:home")
    assert client.get(home).url.startswith(reverse("login"))
    for user, place in [
        (factories.researcher(), "judging:campaigns"),
        (administrator, "judging:accounts"),
        (factories.user(), "annotation:home"),
    ]:
        client.force_login(user)
        assert client.get(home).url == reverse(place)
    assert client.post(home).status_code == 405
