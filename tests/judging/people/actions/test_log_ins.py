"""Counting attempts to log in: how long the next one waits, and that attempts at one moment count
as well."""

from contextlib import suppress
from datetime import timedelta

import pytest
from django.test import RequestFactory
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.people.actions import log_ins
from judging.people.models.event import Event
from judging.people.models.user import LogInAttempts
from tests import factories
from tests.judging.work.actions.test_assignments import all_at_once


@pytest.mark.django_db
def test_pauses_grow_to_a_quarter_of_an_hour_and_are_forgotten_after_a_day():
    now, pauses = timezone.now(), []
    for _ in range(12):
        log_ins.count_attempt(name="ada", mark_shown="", now=now)
        until = log_ins.paused(names=["ada"], now=now).get("ada", now)
        pauses.append((until - now).total_seconds())
        now = until
    assert pauses == [0, 0, 0, 0, 30, 60, 120, 240, 480, 900, 900, 900]
    now += timedelta(days=1)
    log_ins.forget_old(now=now + timedelta(minutes=15))
    assert not LogInAttempts.objects.exists()
    log_ins.count_attempt(name="ada", mark_shown="", now=now)
    assert log_ins.paused(names=["ada"], now=now) == {}


@pytest.mark.django_db
def test_visitor_who_tries_name_after_name_waits_and_others_do_not():
    now = timezone.now()
    one, other = (
        log_ins.log_in_visitor(RequestFactory().get("/", REMOTE_ADDR=address), now=now)
        for address in ("203.0.113.7", "198.51.100.1")
    )
    for number in range(log_ins.MAX_LOGIN_ATTEMPTS_OF_ONE):
        log_ins.count_attempt(name=f"name{number}", mark_shown="", visitor=one, now=now)
    with pytest.raises(log_ins.Paused):
        log_ins.count_attempt(name="ada", mark_shown="", visitor=one, now=now)
    log_ins.count_attempt(name="ada", mark_shown="", visitor=other, now=now)
    log_ins.count_attempt(
        name="eve", mark_shown=log_ins.make_browser_mark(name="eve"), visitor=one, now=now
    )
    log_ins.count_attempt(name="bob", mark_shown="", visitor=one, now=now + timedelta(minutes=1))


@pytest.mark.django_db
def test_right_passwords_of_many_accounts_are_looked_at_no_more_often_than_the_pages_can_wait():
    """Seven accounts of one link, twenty right ones each: others waited for 78 seconds."""
    now = timezone.now()

    def look(name, minutes=0):
        at = now + timedelta(minutes=minutes)
        log_ins.count_attempt(name=name, mark_shown=log_ins.make_browser_mark(name=name), now=at)
        log_ins.reset_attempts(name=name)

    looks = [f"name{number // 20}" for number in range(log_ins.MAX_LOGIN_ATTEMPTS_PER_MINUTE)]
    for name in looks:
        look(name)
    with pytest.raises(log_ins.Paused) as paused:
        look("ada")
    assert paused.value.seconds == 60
    look(factories.researcher().username)  # nor do annotators of a link keep researchers out
    log_ins.count_attempt(name="ada", mark_shown="", now=now)  # or who is not known
    look("ada", minutes=1)


@pytest.mark.django_db
def test_researchers_codes_and_roles_count_among_researchers():
    now, analyst, named = timezone.now(), factories.user(), factories.user()
    campaigns.add_member(campaign=factories.campaign(), user=analyst, role="analyst")
    for number in range(log_ins.MAX_LOGIN_ATTEMPTS_PER_MINUTE):
        name = f"name{number}"
        log_ins.count_attempt(name=name, mark_shown=log_ins.make_browser_mark(name=name), now=now)
    log_ins.count_attempt(
        name=analyst.username, mark_shown=log_ins.make_browser_mark(name=analyst.username), now=now
    )
    code = "second factor of 5"
    log_ins.count_attempt(
        name=code,
        mark_shown=log_ins.make_browser_mark(name=code),
        account=analyst.username,
        now=now,
    )
    with pytest.raises(log_ins.Paused):
        log_ins.count_attempt(
            name=named.username, mark_shown=log_ins.make_browser_mark(name=named.username), now=now
        )


@pytest.mark.long
@pytest.mark.django_db
def test_a_visitor_who_waits_takes_nothing_of_what_all_have():
    now = timezone.now()
    for number in range(log_ins.MAX_LOGIN_ATTEMPTS_PER_MINUTE):
        with suppress(log_ins.Paused):
            log_ins.count_attempt(name=f"name{number}", mark_shown="", visitor="one", now=now)
    for number in range(log_ins.MAX_LOGIN_ATTEMPTS_PER_MINUTE - log_ins.MAX_LOGIN_ATTEMPTS_OF_ONE):
        log_ins.count_attempt(name=f"other{number}", mark_shown="", visitor=f"{number}", now=now)
    with pytest.raises(log_ins.Paused):
        log_ins.count_attempt(name="ada", mark_shown="", visitor="new", now=now)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("203.0.113.7", "203.0.113.7", True),
        ("203.0.113.7", "203.0.113.8", False),
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:203.0.113.7", "203.0.113.7", True),
    ],
)
def test_visitor_is_an_address_or_what_one_subscriber_holds_of_them(one, other, same):
    now = timezone.now()
    seen = {
        log_ins.log_in_visitor(RequestFactory().get("/", REMOTE_ADDR=address), now=now)
        for address in (one, other)
    }
    assert len(seen) == (1 if same else 2)
    later = log_ins.log_in_visitor(
        RequestFactory().get("/", REMOTE_ADDR=one), now=now + timedelta(days=1)
    )
    assert later not in seen


@pytest.mark.parametrize("address", ["", "127.0.0.1", "::1", "unix:", "not an address"])
def test_visitor_who_may_be_anybody_is_nobody(address):
    assert (
        log_ins.log_in_visitor(RequestFactory().get("/", REMOTE_ADDR=address), now=timezone.now())
        == ""
    )


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_attempts_at_one_moment_are_no_more_than_attempts_one_by_one():
    now = timezone.now()

    def attempt(_: int) -> str:
        try:
            log_ins.count_attempt(name="ada", mark_shown="", now=now)
        except log_ins.Paused:
            return "has to wait"
        return "may try"

    results = all_at_once(attempt, list(range(12)))
    assert sorted(results) == ["has to wait"] * 7 + ["may try"] * 5


@pytest.mark.django_db
def test_first_passwords_of_many_accounts_have_a_pace():
    now = timezone.now()
    for _ in range(log_ins.MAX_LOGIN_ATTEMPTS_PER_MINUTE):
        log_ins.count_first_password(now=now)
    with pytest.raises(log_ins.Paused):
        log_ins.count_first_password(now=now)
    log_ins.count_first_password(now=now + timedelta(minutes=1))


@pytest.mark.django_db
def test_keys_that_one_person_makes_have_a_pace_for_the_history_keeps_each(client):
    user, form = factories.user(), {"name": "a", "scope": "read", "days": 7}
    client.force_login(user)
    answers = [client.post("/tokens/", form) for _ in range(log_ins.MAX_LOGIN_ATTEMPTS_OF_ONE + 3)]
    assert [answer.status_code for answer in answers] == [
        200
    ] * log_ins.MAX_LOGIN_ATTEMPTS_OF_ONE + [429] * 3
    assert Event.objects.filter(act=Event.Act.KEY_MADE).count() == log_ins.MAX_LOGIN_ATTEMPTS_OF_ONE
    log_ins.count_key(user=user, now=timezone.now() + timedelta(minutes=1))
    log_ins.count_key(user=factories.user(), now=timezone.now())
