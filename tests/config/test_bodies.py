"""Bodies are refused before they are read, floods of log-ins before a password is looked at."""

import io
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from config.bodies import MAY_SEND_FILES, TAKE_FILES
from judging.base.limits import MAX_BODY_BYTES, MAX_VISITOR_BODY_BYTES
from judging.campaigns.actions import campaigns
from judging.people.actions import log_ins, tokens
from judging.people.models.user import User
from tests import factories

pytestmark = pytest.mark.django_db


class Unread(io.RawIOBase):
    """A body that fails the test when somebody reads it."""

    def read(self, size: int = -1) -> bytes:
        raise AssertionError("The body was read.")


def sent(client: Client, path: str, length: int) -> int:
    return client.generic(
        "POST",
        path,
        b"",
        **{
            "CONTENT_TYPE": "multipart/form-data; boundary=x",
            "CONTENT_LENGTH": str(length),
            "wsgi.input": Unread(),
        },
    ).status_code


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/login/", 413),
        ("/nowhere/", 413),
        ("/join/abc/", 413),
        ("/api/v1/campaigns/", 413),
        ("/api/v1/datasets/1/files/", 413),
        ("/datasets/new/", 302),  # who was logged out meanwhile is shown the log-in page
    ],
)
def test_large_body_of_a_stranger_is_refused_unread(path: str, status: int) -> None:
    assert sent(Client(enforce_csrf_checks=True), path, MAX_BODY_BYTES + 1) == status


def test_long_form_visitor_is_refused_member_is_not() -> None:
    client, form = Client(), "application/x-www-form-urlencoded"
    most = "username=" + "'" * (MAX_VISITOR_BODY_BYTES - len("username="))
    assert client.post("/login/", most, content_type=form).status_code != 413
    assert client.post("/login/", most + "'", content_type=form).status_code == 413
    member = factories.logged_in(factories.user())
    assert member.post("/login/", most + "'", content_type=form).status_code != 413


def test_large_body_of_a_researcher_is_refused_unread_where_no_file_is_taken() -> None:
    client = factories.logged_in(factories.researcher())
    assert sent(client, "/campaigns/new/", MAX_BODY_BYTES + 1) == 413
    assert sent(client, "/datasets/new/", settings.UPLOAD_LIMIT * 2) == 413


def address(name: str, parts: dict[str, Any]) -> str:
    try:
        return reverse(name, kwargs=parts)
    except NoReverseMatch:
        return ""


@pytest.mark.parametrize("name", sorted(TAKE_FILES))
def test_large_files_are_taken_by_addresses_that_exist_and_from_researchers_only(name: str) -> None:
    owner = factories.researcher()
    campaign = factories.campaign(manager=owner)
    about = {"pk": campaign.dataset_id}, {"dataset": campaign.dataset_id}
    others = {"campaign": campaign.uuid}, {"key": "qgbench"}
    parts = ({}, *about, {"uuid": campaign.uuid}, *others)
    (path,) = [found for each in parts if (found := address(name, each))]
    client = factories.logged_in(owner)
    file = io.BytesIO(b"x" * (MAX_BODY_BYTES + 1000))
    file.name = "big.csv"
    assert client.post(path, {"file": file, "files": file}).status_code != 413
    client.force_login(factories.user())
    assert sent(client, path, MAX_BODY_BYTES + 1) == 413


def test_proxy_is_told_whose_files_to_take() -> None:
    """A manager adds tables of a LLM judge without the right to make campaigns."""
    manager, annotator = factories.user("manager"), factories.user("annotator")
    campaigns.add_member(campaign=factories.campaign(), user=manager, role="manager")
    asked = [Client(), *map(factories.logged_in, (factories.researcher(), manager, annotator))]
    answers = [each.get(MAY_SEND_FILES) for each in asked]
    assert [each.status_code for each in answers] == [401, 204, 204, 403]
    assert not any(each.content for each in answers)
    stranger = Client(headers={"Authorization": "Token abc"})
    programs = [with_token(each) for each in (factories.researcher(), annotator)]
    statuses = [each.get(MAY_SEND_FILES).status_code for each in (stranger, *programs)]
    assert statuses == [401, 204, 403]
    reading = programs[1].get(MAY_SEND_FILES, headers={"X-Asked-Method": "GET"})
    assert reading.status_code == 204


def with_token(user: User) -> Client:
    token = tokens.make_token(user=user, now=timezone.now(), scope="manage")
    return Client(headers={"Authorization": f"Token {token}"})


def test_file_sent_with_a_token_is_taken_and_other_large_bodies_are_refused_unread() -> None:
    owner = factories.researcher()
    client, dataset = with_token(owner), factories.dataset(owner=owner).pk
    path = f"/api/v1/datasets/{dataset}/files/"
    file = io.BytesIO(b"question\n" + b"x" * (MAX_BODY_BYTES + 1000))
    file.name = "big.csv"
    assert client.post(path, {"file": file}).status_code == 202
    assert sent(client, path, settings.UPLOAD_LIMIT * 2) == 413
    assert sent(client, "/api/v1/campaigns/", MAX_BODY_BYTES + 1) == 413
    assert sent(with_token(factories.user()), path, MAX_BODY_BYTES + 1) == 413
    stranger = Client(headers={"Authorization": "Token abc"})
    assert sent(stranger, path, MAX_BODY_BYTES + 1) == 401


def test_flood_of_log_ins_under_many_names_is_told_to_wait_and_a_known_browser_is_not() -> None:
    now = timezone.now()
    for number in range(log_ins.MAX_LOGIN_ATTEMPTS_PER_MINUTE):
        log_ins.count_attempt(name=f"name{number}", mark_shown="", now=now)
    owner = factories.researcher()
    form = {"username": owner.username, "password": factories.PASSWORD}
    stranger, known = Client(), Client()
    answer = stranger.post("/login/", form)
    assert answer.status_code == 429 and 0 < int(answer.headers["Retry-After"]) <= 60
    known.cookies[log_ins.MARK] = log_ins.make_browser_mark(name=owner.username)
    assert known.post("/login/", form).status_code == 302


def test_visitor_who_uses_up_their_names_keeps_nobody_else_out(monkeypatch) -> None:
    monkeypatch.setattr(log_ins, "MAX_LOGIN_ATTEMPTS_OF_ONE", 2)
    owner = factories.researcher()
    form = {"username": owner.username, "password": factories.PASSWORD}
    eager, other = Client(REMOTE_ADDR="203.0.113.7"), Client(REMOTE_ADDR="198.51.100.1")
    for name in ("a", "b"):
        assert eager.post("/login/", {**form, "username": name}).status_code == 200
    assert eager.post("/login/", form).status_code == 429
    assert other.post("/login/", form).status_code == 302
