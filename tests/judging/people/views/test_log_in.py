"""Logging in by password: wrong ones make the next wait, except in browsers that logged in
before."""

from datetime import timedelta

import pytest
from django.test import Client

from judging.people.actions import log_ins
from judging.people.models.user import LogInAttempts, User
from tests import factories

pytestmark = pytest.mark.django_db
ADA = {"username": "ada", "password": factories.PASSWORD}
GUESS = {"username": "ada", "password": "a guess"}


@pytest.fixture
def ada() -> User:
    return factories.user("ada")


def later(by: timedelta) -> None:
    """Let time pass: every attempt was longer ago."""
    for row in LogInAttempts.objects.all():
        LogInAttempts.objects.filter(pk=row.pk).update(last_at=row.last_at - by)


def tried(times: int, client: Client | None = None) -> list[int]:
    return [(client or Client()).post("/login/", GUESS).status_code for _ in range(times)]


def test_sixth_attempt_waits_and_says_how_long_even_with_the_right_password(ada):
    assert tried(7) == [200] * 5 + [429] * 2
    answer = Client().post("/login/", ADA)
    assert answer.status_code == 429
    assert 25 <= int(answer["Retry-After"]) <= 30
    later(timedelta(seconds=31))
    assert Client().post("/login/", ADA).status_code == 302


def test_log_in_forgets_the_attempts_before_it(ada):
    for _ in range(3):
        assert tried(4) == [200] * 4
        assert Client().post("/login/", ADA).status_code == 302
    assert not LogInAttempts.objects.exclude(visitor=log_ins.PACE).exists()


def test_browser_that_was_let_in_before_is_not_held_up_by_strangers(ada, client):
    client.post("/login/", ADA)
    client.post("/logout/")
    assert tried(6)[-1] == 429
    assert client.post("/login/", ADA).status_code == 302


def test_browser_that_was_let_in_before_has_to_wait_for_its_own_attempts(ada, client):
    client.post("/login/", ADA)
    client.post("/logout/")
    assert tried(6, client)[-1] == 429


def test_mark_of_another_account_helps_nobody(ada, client):
    other = factories.user()
    client.post("/login/", {"username": other.username, "password": factories.PASSWORD})
    client.post("/logout/")
    assert tried(5)[-1] == 200
    assert tried(1, client) == [429]


def test_somebody_logged_in_cannot_make_the_attempts_on_another_name_forgotten(ada, client):
    client.force_login(factories.user())
    tried(5)
    client.post("/login/", ADA)
    assert tried(1) == [429]


@pytest.mark.long
@pytest.mark.parametrize("name", [" ada", "ａｄａ"])
def test_other_spellings_of_a_name_count_as_the_name(ada, name):
    for _ in range(5):
        Client().post("/login/", GUESS | {"username": name})
    assert tried(1) == [429]


def test_names_nobody_has_wait_as_well_and_are_not_kept(ada):
    nobody = {"username": "my secret password", "password": "x"}
    assert [Client().post("/login/", nobody).status_code for _ in range(6)] == [200] * 5 + [429]
    assert "secret" not in str(list(LogInAttempts.objects.values()))


def test_administrator_sees_the_pause_and_ends_it(ada, client):
    client.force_login(factories.user(is_superuser=True))
    address = f"/accounts/{ada.pk}/"
    assert not client.get(address).context["paused"]
    tried(6)
    assert ada.username in client.get("/accounts/").context["paused"]
    assert client.get(address).context["paused"]
    assert client.post(address + "let-try/").status_code == 302
    assert tried(1) == [200]


def test_link_for_a_new_password_ends_the_pause(ada, client):
    tried(6)
    client.force_login(factories.user(is_superuser=True))
    assert client.post(f"/accounts/{ada.pk}/password-link/").status_code == 200
    assert tried(1) == [200]
