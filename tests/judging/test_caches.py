"""What a cache keeps has an end in characters, whoever chooses the texts."""

import pytest

from judging import caches
from judging.caches import kept_within


@pytest.fixture(autouse=True)
def little(monkeypatch) -> None:
    monkeypatch.setattr(caches, "CACHE_CHARACTERS", 10)


def asked_of() -> tuple[list[str], object]:
    made: list[str] = []

    @kept_within(lambda found, text: len(found) + len(text))
    def echo(text: str) -> str:
        made.append(text)
        return text

    return made, echo


def test_result_is_made_once_as_long_as_there_is_room_for_it() -> None:
    made, echo = asked_of()
    assert [echo(text) for text in ("aa", "bb", "aa", "cc", "aa")] == ["aa", "bb", "aa", "cc", "aa"]
    assert made == ["aa", "bb", "cc"]  # “bb”, unused for longest, made room for “cc”
    echo("bb")
    assert made == ["aa", "bb", "cc", "bb"]


def test_result_larger_than_the_cache_is_not_kept_and_pushes_nothing_out() -> None:
    made, echo = asked_of()
    for text in ("aa", "larger", "larger", "aa"):
        assert echo(text) == text
    assert made == ["aa", "larger", "larger"]


def test_what_cannot_be_made_is_tried_again() -> None:
    tried = []

    @kept_within(lambda found: 1)
    def fail() -> None:
        tried.append(1)
        raise ValueError

    for _ in range(2):
        with pytest.raises(ValueError):
            fail()
    assert len(tried) == 2
