"""The named steps, rule by rule; that they are QG-Bench's is shown by its published columns
(tests/published)."""

import pytest

from quaestor_metrics._preparation import UnknownPreparation, is_prepared, nqg, preparation_step


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Who won?", "who won ?"),
        ("the dog's bone", "the dog 's bone"),
        ("at ( noon )", "at -lrb - noon -rrb-"),
        ("f(x)", "f -lrb -x-rrb-"),
        ("$5", " $5"),
        ("50 %, say", "50 % , say"),
        ('the "old town" gate', "the `` old town '' gate"),
        ("the u.s. congress", "the u .s. congress"),
        ("a well-known one", "a well -known one"),
        ("a  . \n,b.   -c", "a . ,b .   -c"),
        ("", ""),
    ],
)
def test_nqg_rule_by_rule(text: str, expected: str) -> None:
    assert nqg(text) == expected


def test_nqg_of_a_long_run_of_blanks_is_a_matter_of_a_moment() -> None:
    assert nqg(" " * 300_000 + "?" + " " * 300_000) == " ?" + " " * 300_000


def test_raw_and_lower_do_what_they_say() -> None:
    assert preparation_step("raw")(" A?") == " A?"
    assert preparation_step("lower")(" A?") == " a?"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["who won ?", "what `` key '' opened it ?", *["where is it ?"] * 8], True),
        (["Who won?", "where is it ?"], False),
        (["who won?"], False),
        ([], False),
    ],
)
def test_is_prepared_where_nearly_all_texts_stay_as_they_are(
    texts: list[str], expected: bool
) -> None:
    assert is_prepared(texts) is expected


def test_unknown_step_names_those_there_are() -> None:
    with pytest.raises(
        UnknownPreparation, match="no preparation is called stemmed; there are raw, lower"
    ):
        preparation_step("stemmed")
