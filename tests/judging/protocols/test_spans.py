"""Ranges of code points: sent, joined, found again."""

import pytest

from judging.protocols.spans import (
    Alike,
    Marked,
    NoSpans,
    Range,
    Searched,
    join_ranges,
    parse_marks,
    range_of,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Marked()),
        ("none", Marked(nothing=True)),
        ("13-27", Marked(((13, 27),))),
        ("16-20 0-5", Marked(((0, 5), (16, 20)))),
        ("0-5 5-9", Marked(((0, 9),))),
        ("0-9 2-3", Marked(((0, 9),))),
    ],
)
def test_read_what_a_page_sends(text: str, expected: Marked) -> None:
    assert parse_marks(text) == expected
    assert parse_marks(str(expected)) == expected


@pytest.mark.parametrize(
    "text", ["5", "5-5", "7-3", "-1-4", "a-b", "1-2,3-4", "1-9999999999", "٣-٩x"]
)
def test_read_refuses_what_is_no_range(text: str) -> None:
    with pytest.raises(NoSpans):
        parse_marks(text)


def test_joined_is_the_same_in_any_order() -> None:
    assert (
        join_ranges([(8, 9), (0, 2), (1, 4)])
        == join_ranges([(1, 4), (8, 9), (0, 2)])
        == ((0, 4), (8, 9))
    )


def test_adding_takes_nothing_back_and_without_removes_one() -> None:
    assert Marked(nothing=True).adding((0, 3)) == Marked(((0, 3),))
    assert parse_marks("0-3 5-9").without((0, 3)) == parse_marks("5-9")
    assert bool(Marked()) is False
    assert bool(Marked(nothing=True)) is True


def places(text: str, piece: str) -> list[Range]:
    return list(Searched(text).places(piece))


def test_places_count_code_points_beyond_pairs_and_with_marks() -> None:
    text = "👩‍🚀 flew. 𝒜da waited; e\u0301cole."
    start = text.index("𝒜da")
    assert places(text, "𝒜da") == [(start, start + 3)]
    assert text[slice(*places(text, "e\u0301cole")[0])] == "e\u0301cole"


def test_places_take_one_blank_for_another() -> None:
    assert places("the outer\r\n islands", "outer islands") == [(4, 19)]
    assert places("the outer islands", "inner islands") == []
    assert places("the outer islands", "  ") == []


def test_within_a_text() -> None:
    assert parse_marks("0-5").within(5) is True
    assert parse_marks("0-6").within(5) is False


@pytest.mark.parametrize(
    ("text", "piece", "expected"),
    [
        ("Caf\u00e9 or cafe\u0301", "caf\u00e9", [(0, 4), (8, 13)]),
        ("cafe\u0301", "cafe", []),
        ("10\u00a0 km", "10 km", [(0, 6)]),
        ("Gro\u00df", "gros", []),
        ("a a a", "a a", [(0, 3)]),
        ("owls", "  ", []),
    ],
)
def test_alike_places_are_those_of_whole_characters(
    text: str, piece: str, expected: list[Range]
) -> None:
    assert list(Alike(text).places(piece)) == expected


def test_range_of_a_piece_that_is_not_at_its_start_is_none() -> None:
    assert range_of("owls", 5, "Owls hunt owls") is None
    assert range_of("owls", 99, "Owls hunt owls") is None
    assert range_of("owls", 0, "OWLS hunt") == (0, 4)
