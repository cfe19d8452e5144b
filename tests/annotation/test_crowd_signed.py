"""Links that the platform signed: only these let anybody in, where the study asks for it."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from judging.crowd.models.crowd import CrowdPlatform, Participation
from judging.people.models.event import Event
from tests.annotation.crowds import CODES, Person, fake, study
from tests.annotation.fakecrowd import OTHER_KEY, FakeCrowd, served, way_of
from tests.judging.llm_judges.actions.test_hostile_judges import address

__all__ = ["address"]

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def platform(lasting: None) -> CrowdPlatform:
    """Return the platform of the study that all these tests share."""
    return study(tasks=5)


@pytest.fixture
def crowd(platform: CrowdPlatform, settings) -> Iterator[FakeCrowd]:
    """Return the platform's other side, which signs and publishes its keys."""
    with served(fake(platform)) as running:
        settings.CROWD_ORIGINS = [running.address]
        keys = f"{running.address}/.well-known/study/jwks.json"
        CrowdPlatform.objects.update(signed=True, keys_url=keys, audience="http://testserver")
        yield running


def came(crowd: FakeCrowd, **how) -> int:
    """Return the status with which a link is answered."""
    return Client().get(way_of(crowd.start("5f1a2b3c4d5e6f7a8b9c0d1e", **how))).status_code


def test_link_that_is_signed_lets_in(crowd) -> None:
    person = Person(crowd).opens(signed=True)
    assert person.agrees().looks().finishes().code() == CODES["completed"]


def test_audience_may_be_the_address_of_the_study_or_one_of_several(crowd) -> None:
    assert came(crowd, aud=f"http://testserver/join/crowd/x/?a={'b' * 20}") == 303
    assert came(crowd, aud=["https://elsewhere.example", "http://testserver"]) == 303


@pytest.mark.parametrize(
    "how",
    [
        {"signed": False},
        {"exp": 1},
        {"exp": None},
        {"exp": "tomorrow"},
        {"nbf": 99_999_999_999},
        {"aud": "https://elsewhere.example"},
        {"aud": None},
        {"aud": {"testserver": 1}},
        {"iss": "https://elsewhere.example"},
        {"key": OTHER_KEY},
        {"kid": "unknown"},
        {"key": "", "algorithm": "none"},
        {"key": "k" * 32, "algorithm": "HS256"},
        {"prolific": {}},
        {"prolific": None},
        {"prolific": {"PROLIFIC_PID": "somebody else", "STUDY_ID": "s", "SESSION_ID": "s"}},
    ],
)
def test_link_that_is_not_signed_for_this_person_study_and_time_lets_nobody_in(crowd, how) -> None:
    assert came(crowd, **how) == 400
    assert not Participation.objects.exists()


def test_link_of_another_study_of_the_platform_lets_nobody_in(crowd) -> None:
    own = CrowdPlatform.objects.get()
    other = fake(own)  # whose links the same platform signs
    CrowdPlatform.objects.update(studies=["an-older-one", crowd.study])
    answer = Client().get(way_of(other.start("5f1a2b3c4d5e6f7a8b9c0d1e")))
    assert answer.status_code == 400
    assert not Participation.objects.exists()
    assert came(crowd) == 303


def test_first_signed_link_says_which_study_leads_here_where_nobody_entered_it(crowd) -> None:
    other = fake(CrowdPlatform.objects.get())
    assert (came(crowd), came(other), came(crowd)) == (303, 400, 303)
    assert CrowdPlatform.objects.get().studies == [crowd.study]
    [noted] = Event.objects.filter(act="crowd.changed", after__startswith="studies: ")
    assert (crowd.study in noted.after, noted.who) == (True, None)
    CrowdPlatform.objects.update(studies=[crowd.study, other.study])  # by a manager
    assert came(other) == 303


def test_ids_that_were_changed_after_signing_let_nobody_in(crowd) -> None:
    link = crowd.start("5f1a2b3c4d5e6f7a8b9c0d1e")
    changed = way_of(link).replace("PROLIFIC_PID=5f1a", "PROLIFIC_PID=6f1a")
    assert Client().get(changed).status_code == 400
    assert Client().get(way_of(link) + "&PROLIFIC_PID=6f1a2b3c4d5e6f7a8b9c0d1e").status_code == 400


@pytest.mark.parametrize("token", ["", "x", "x.y.z", "e30.e30.", "a" * 9_000, "ü.ü.ü"])
def test_token_that_is_none_lets_nobody_in(crowd, token) -> None:
    link = way_of(crowd.start("5f1a2b3c4d5e6f7a8b9c0d1e", signed=False))
    assert Client().get(link, {"prolific_token": token}).status_code == 400
    path, _mark, query = link.partition("?")
    assert Client().get(f"{path}?{query}&prolific_token={token}").status_code == 400


def test_clocks_may_differ_by_less_than_a_minute(crowd) -> None:
    now = int(timezone.now().timestamp())
    assert came(crowd, exp=now - 30) == 303
    assert came(crowd, exp=now - 90) == 400


def test_keys_are_kept_for_a_day_and_read_again_for_one_that_is_not_known(crowd) -> None:
    assert came(crowd) == 303
    crowd.fails_with = 500
    assert came(crowd) == 303
    CrowdPlatform.objects.update(keys_at=timezone.now() - timedelta(days=2))
    assert came(crowd) == 303  # the platform does not answer: the keys from before go on
    crowd.fails_with, crowd.kid = 0, "two"
    assert came(crowd) == 400  # asked a moment ago
    CrowdPlatform.objects.update(keys_at=timezone.now() - timedelta(minutes=2))
    assert came(crowd) == 303


def test_keys_are_read_from_allowed_places_only(crowd, settings) -> None:
    settings.CROWD_ORIGINS = ["https://api.prolific.com"]
    assert came(crowd) == 400


@pytest.mark.parametrize("said", [b"no HTTP", b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 200_000])
def test_what_is_no_keys_lets_nobody_in_and_is_not_asked_for_by_each(
    crowd, settings, address, said
) -> None:
    asked: list[bytes] = []

    def answer(send) -> None:
        asked.append(said)
        send(said)

    settings.CROWD_ORIGINS = [address(answer)]
    CrowdPlatform.objects.update(keys_url=f"{settings.CROWD_ORIGINS[0]}/jwks.json")
    assert [came(crowd), came(crowd)] == [400, 400]
    assert len(asked) == 1


@pytest.mark.parametrize("status", [429, 500])
def test_keys_that_cannot_be_read_let_nobody_in(crowd, status) -> None:
    crowd.fails_with = status
    assert came(crowd) == 400
