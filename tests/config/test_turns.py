"""One person's requests take turns."""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Thread

import pytest
from django.test import Client
from django.utils import timezone

from config.limits import OF_STRANGERS, SMALL
from config.turns import MOST_WAITING, BodyWanted, OutOfTurn, Places, Turns, UnreadBody, begin
from judging.actions import keys
from tests import factories


def test_a_person_holds_as_many_threads_as_one_may_until_an_answer_is_done() -> None:
    turns = Turns(1)
    with turns.answering():
        begin(7)
        begin(7)  # of one request a person is told once or twice
        assert not turns.take(7)
        assert turns.take(8)
        assert not turns.wait(7, 0)
    assert turns.wait(7, 0)
    assert (turns.held, turns.waiting) == ({8: 1}, {})


def test_who_is_out_of_turn_holds_nothing() -> None:
    turns = Turns(1)
    assert turns.take(7)
    with pytest.raises(OutOfTurn), turns.answering():
        begin(7)
    assert turns.held == {7: 1}


def test_only_so_many_requests_of_one_person_wait() -> None:
    turns = Turns(1)
    assert turns.take(7)
    with ThreadPoolExecutor(MOST_WAITING) as pool:
        waits = [pool.submit(turns.wait, 7, 60) for _ in range(MOST_WAITING)]
        while turns.waiting[7] < MOST_WAITING:
            time.sleep(0.01)
        assert not turns.wait(7, 60)
        assert turns.take(8)
        with turns.changed:
            turns.held[7] = 0
            turns.changed.notify_all()
        assert all(each.result() for each in waits)


@pytest.mark.django_db
def test_requests_count_as_their_persons_by_session_and_by_key() -> None:
    researcher = factories.researcher()
    key = keys.make(user=researcher, now=timezone.now())
    client = factories.logged_in(researcher)
    turns = Turns(1)
    assert turns.take(researcher.pk)
    for headers in ({}, {"Authorization": f"Token {key}"}):
        with pytest.raises(OutOfTurn), turns.answering():
            client.get("/api/campaigns/", headers=headers)
    client.logout()
    with pytest.raises(OutOfTurn), turns.answering():
        client.get("/api/campaigns/", headers={"Authorization": f"Token {key}"})
    with turns.answering():
        assert client.get("/login/").status_code == 200
        other = factories.logged_in(factories.user())
    with turns.answering():
        assert other.get("/").status_code in (200, 302)
    assert turns.held == {researcher.pk: 1}


@pytest.mark.django_db
def test_whoever_holds_all_turns_of_an_account_keeps_its_owner_from_ending_nothing() -> None:
    researcher = factories.researcher()
    client = factories.logged_in(researcher)
    turns = Turns(1)
    assert turns.take(researcher.pk)
    with pytest.raises(OutOfTurn), turns.answering():
        client.get("/campaigns/")
    for path in ("/sessions/", "/password/"):
        with turns.answering():
            assert client.get(path).status_code == 200
    with turns.answering():
        assert client.post("/sessions/end/").status_code == 302
    with turns.answering():
        assert client.get("/sessions/").url.startswith("/login/")
    assert turns.held == {researcher.pk: 1}


@pytest.mark.django_db
def test_file_is_wanted_of_who_may_send_one_and_read_by_another_thread() -> None:
    researcher = factories.researcher()
    large = {
        "CONTENT_TYPE": "multipart/form-data; boundary=x",
        "CONTENT_LENGTH": str(SMALL + 1),
        "wsgi.input": UnreadBody(),
    }
    client, turns = factories.logged_in(researcher), Turns(1)
    with pytest.raises(BodyWanted) as wanted, turns.answering():
        client.generic("POST", "/collections/import/", **large)
    assert (wanted.value.person, turns.held) == (researcher.pk, {})
    client.logout()
    with turns.answering():
        assert client.generic("POST", "/collections/import/", **large).url.startswith("/login/")


@pytest.mark.django_db
def test_program_that_sends_much_is_asked_for_it_once_it_is_known_whose_it_is() -> None:
    campaign = factories.opened()
    key = keys.make(user=campaign.created_by, now=timezone.now(), scope="write")
    much = {
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(OF_STRANGERS + 1),
        "wsgi.input": UnreadBody(),
    }
    client, turns = Client(), Turns(1)
    path = f"/api/campaigns/{campaign.uuid}/runs/"
    with turns.answering():
        assert client.generic("POST", path, **much).status_code == 401
    with pytest.raises(BodyWanted) as wanted, turns.answering():
        client.generic("POST", path, headers={"Authorization": f"Token {key}"}, **much)
    assert (wanted.value.person, turns.held) == (campaign.created_by_id, {})


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded"])
def test_of_a_stranger_nothing_is_wanted_that_is_more_than_a_form_of_theirs(kind: str) -> None:
    """Ten of them who sent 5 MB to the log-in page without an end had 4 GB kept in /tmp."""
    much = {
        "CONTENT_TYPE": kind,
        "CONTENT_LENGTH": str(OF_STRANGERS + 1),
        "wsgi.input": UnreadBody(),
    }
    answer = Client().generic("POST", "/login/", **much)
    assert answer.status_code == (413 if "form" in kind else 200)


def test_places_are_given_in_the_order_of_asking() -> None:
    places, came, threads = Places(1), list[int](), list[Thread]()

    def ask(number: int) -> None:
        places.acquire()
        came.append(number)
        places.release()

    places.acquire()
    for number in range(4):
        threads.append(Thread(target=ask, args=(number,)))
        threads[-1].start()
        while len(places.asking) <= number:
            time.sleep(0.001)
    places.release()
    for thread in threads:
        thread.join(timeout=60)
    assert came == [0, 1, 2, 3]
    assert places.free == 1 and not places.asking
