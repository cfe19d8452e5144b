"""API tokens: several of one user, made on the page, by the API and by a command."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from judging.people.actions import tokens, visits
from judging.people.guards import CONFIRMED
from judging.people.models.user import ApiToken, User
from tests import factories
from tests.judging.programs import API, Program, fields_of, program


def sending(token: str) -> Program:
    client = Program()
    client.credentials(HTTP_AUTHORIZATION=f"Token {token}")
    return client


def created(api: Program | Client, **fields: object):
    return api.post(f"{API}/me/tokens/", {"name": "Nightly script", **fields})


@pytest.mark.django_db
def test_two_tokens_work_at_once_and_revoking_one_leaves_the_other() -> None:
    owner = factories.researcher()
    page = factories.logged_in(owner)
    for name, scope in (("Reader", "read"), ("Manager", "manage")):
        page.post("/tokens/", {"name": name, "scope": scope, "days": ""})
    assert all(text in page.get("/tokens/").text for text in ("Reader", "Manager", "never used"))
    reads, manages = program(owner, "read"), program(owner, "manage")
    listed = manages.get(f"{API}/me/tokens/").json()["results"]
    assert [each["scope"] for each in listed] == ["read", "manage", "read", "manage"]
    assert [each["expires_at"] for each in listed] == [None] * 4
    assert manages.delete(f"{API}/me/tokens/{listed[2]['id']}/").status_code == 204
    assert reads.get(f"{API}/me/").status_code == 401
    assert manages.get(f"{API}/me/").status_code == 200
    page.post(f"/tokens/{listed[3]['id']}/revoke/")
    assert manages.get(f"{API}/me/").status_code == 401


@pytest.mark.django_db
def test_token_of_another_user_is_not_found() -> None:
    program(factories.researcher())
    other = factories.researcher()
    number = ApiToken.objects.get().pk
    assert program(other).delete(f"{API}/me/tokens/{number}/").status_code == 404
    assert factories.logged_in(other).post(f"/tokens/{number}/revoke/").status_code == 404


@pytest.mark.django_db
def test_token_creates_only_tokens_that_may_no_more_than_itself() -> None:
    owner = factories.researcher()
    manages = sending(tokens.make_token(user=owner, now=timezone.now(), scope="manage", days=30))
    shown = created(manages, days=29, scope="manage")
    assert shown.status_code == 201, shown.content
    assert sending(shown.json()["token"]).get(f"{API}/me/").json()["scope"] == "manage"
    assert created(manages, days=7).json()["scope"] == "read"
    assert fields_of(created(manages, days=7, scope="annotate")) == {"scope"}
    assert fields_of(created(manages, days=31)) == {"days"}
    assert fields_of(created(manages)) == {"days"}
    assert fields_of(created(manages, name="", days=0)) == {"name", "days"}
    assert created(program(owner, "read")).status_code == 403
    assert created(program(owner, "annotate")).status_code == 403


@pytest.mark.django_db
def test_session_creates_a_token_of_any_scope_after_the_password() -> None:
    client = Program()
    client.force_login(factories.researcher())
    client.get("/tokens/")
    session = client.session
    session[CONFIRMED] -= 3600
    session.save()
    assert created(client, scope="annotate").status_code == 403
    assert (
        client.post("/confirm/", {"password": factories.PASSWORD}, "multipart").status_code == 302
    )
    assert created(client, scope="annotate").status_code == 201


@pytest.mark.django_db
def test_create_token_prints_a_token_that_works_and_nothing_else() -> None:
    owner, out = factories.user("ada"), StringIO()
    owner.set_unusable_password()
    owner.save()
    call_command("create_token", "ada", scope="manage", name="CI", expires=7, stdout=out)
    me = sending(out.getvalue().strip()).get(f"{API}/me/").json()
    assert (me["username"], me["scope"]) == ("ada", "manage")
    token = ApiToken.objects.get()
    assert (token.name, (token.expires_at - token.made_at).days) == ("CI", 7)
    with pytest.raises(CommandError, match="no account"):
        call_command("create_token", "nobody", scope="read")


@pytest.mark.django_db
def test_who_was_logged_out_everywhere_since_they_were_let_in_makes_no_key(monkeypatch) -> None:
    """Sent some milliseconds before, it opened the account for another month."""
    owner = factories.researcher()
    client, make = factories.logged_in(owner), tokens.make_token
    assert client.post("/confirm/", {"password": factories.PASSWORD}).status_code == 302

    def make_later(**asked: object) -> str:
        visits.end_all(user=User.objects.get(pk=owner.pk))
        return make(**asked)

    monkeypatch.setattr(tokens, "make_token", make_later)
    assert client.post("/tokens/", {"name": "a", "scope": "read", "days": 30}).url == "/login/"
    assert not ApiToken.objects.exists()
