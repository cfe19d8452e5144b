"""The place of an answer in its passage."""

import unicodedata
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.imports.readers.locating import AnswerPlace, locate
from judging.imports.readers.tables import shorten
from judging.spans import plain, range_of

PASSAGE = "Owls hunt at night. At night, owls see mice. Mice hide."


def test_locate_takes_an_answer_that_stands_once() -> None:
    assert locate(passage=PASSAGE, sentence="", answer="see mice") == AnswerPlace(answer_start=35)


def test_locate_lets_the_sentence_settle() -> None:
    place = locate(passage=PASSAGE, sentence="At night, owls see mice.", answer="night")
    assert place == AnswerPlace(answer_start=23, sentence_start=20)


@pytest.mark.parametrize("sentence", ["", "Mice hide.", "Foxes sleep."])
def test_locate_asks_where_the_sentence_settles_nothing(sentence: str) -> None:
    place = locate(passage=PASSAGE, sentence=sentence, answer="night")
    assert place.answer_start is None
    assert place.choices == (13, 23)


def test_locate_asks_only_about_the_sentence_where_it_holds_the_answer_twice() -> None:
    passage = "A mouse saw a mouse. Another mouse slept."
    assert locate(passage=passage, sentence="A mouse saw a mouse.", answer="mouse").choices == (
        2,
        14,
    )


def test_locate_warns_where_the_answer_is_absent() -> None:
    place = locate(passage=PASSAGE, sentence="", answer="badgers")
    assert place == AnswerPlace(
        warning="Answer not found in the passage; no span will be highlighted."
    )


def test_locate_warns_where_the_sentence_is_absent() -> None:
    place = locate(passage=PASSAGE, sentence="Foxes sleep.", answer="Owls")
    assert (place.answer_start, place.warning) == (0, "The sentence does not occur in the passage.")


def test_locate_trusts_a_declared_start_that_fits() -> None:
    assert locate(passage=PASSAGE, sentence="", answer="night", declared=23).answer_start == 23


@pytest.mark.parametrize("declared", [22, 10_000])
def test_locate_looks_for_an_answer_whose_declared_start_does_not_fit(declared: int) -> None:
    place = locate(passage=PASSAGE, sentence="", answer="see mice", declared=declared)
    assert place.answer_start == 35
    assert (
        place.warning
        == f"The answer is not at {declared} in the passage. It was searched for instead."
    )


def test_locate_does_not_mark_inside_a_longer_word_or_number() -> None:
    passage = "In 2013 they sold 2 of 12 owls, owlishly."
    assert locate(passage=passage, sentence="", answer="2").answer_start == 18
    assert locate(passage=passage, sentence="", answer="owl").choices == (26, 32)
    assert locate(passage=passage, sentence="", answer="01").answer_start == 4


def test_locate_treats_every_occurrence_alike_where_words_are_not_spaced() -> None:
    assert locate(passage="東京は大きい。東京、大阪。", sentence="", answer="東京").choices == (
        0,
        7,
    )
    assert locate(passage="서울은 크다. 서울, 부산.", sentence="", answer="서울").choices == (0, 8)


def test_locate_counts_code_points() -> None:
    assert locate(passage="🦉🦉 e\u0301té owl", sentence="", answer="owl").answer_start == 8


def test_locate_uses_the_sentence_where_there_is_no_passage() -> None:
    assert locate(passage=None, sentence="Owls hunt.", answer="hunt") == AnswerPlace(answer_start=5)


def test_locate_finds_the_repeated_sentence_that_holds_the_answer() -> None:
    place = locate(
        passage="It is late. It is late.", sentence="It is late.", answer="late", declared=18
    )
    assert (place.answer_start, place.sentence_start) == (18, 12)


TEXT = st.text("aab 1🦉", max_size=30)


@given(TEXT, TEXT, TEXT, st.none() | st.integers(0, 40))
def test_whatever_is_located_is_there(
    passage: str, sentence: str, answer: str, declared: int | None
) -> None:
    place = locate(passage=passage, sentence=sentence, answer=answer, declared=declared)
    starts = place.choices if place.answer_start is None else (place.answer_start,)
    ranges = [range_of(answer, start, passage) for start in starts]
    assert all(place and plain(passage[slice(*place)]) == plain(answer) for place in ranges)
    assert len(place.choices) != 1
    if place.sentence_start is not None:
        assert passage.startswith(sentence, place.sentence_start)


NFC, NFD = "caf\u00e9", "cafe\u0301"


@pytest.mark.parametrize(
    ("passage", "answer", "written", "difference"),
    [
        (f"The {NFD} is old.", NFC, NFD, "Unicode form"),
        (f"The {NFC} is old.", NFD, NFC, "Unicode form"),
        ("It took 10\u00a0km.", "10 km", "10\u00a0km", "blanks"),
        ("It took ten\n long days.", "ten long days", "ten\n long days", "blanks"),
        ("The “old” lock.", '"old"', "“old”", "quotation marks"),
        ("Agnes’s lock.", "Agnes's", "Agnes’s", "quotation marks"),
        ("In Autumn they go.", "in autumn", "In Autumn", "case"),
        (
            f"THE {NFD.upper()} IS OLD.",
            f"the\u00a0{NFC}",
            f"THE {NFD.upper()}",
            "Unicode form, blanks, case",
        ),
        ("Groß ist er.", "GROSS", "Groß", "case"),
    ],
)
def test_locate_finds_an_answer_that_the_passage_writes_otherwise(
    passage: str, answer: str, written: str, difference: str
) -> None:
    place = locate(passage=passage, sentence="", answer=answer)

    start = passage.index(written)
    assert place.answer_start == start
    assert range_of(answer, start, passage) == (start, start + len(written))
    assert place.warning == (
        f"The passage writes the answer as “{shorten(written)}” (different: {difference}); it is marked there."
    )


def test_locate_prefers_the_exact_answer() -> None:
    place = locate(passage="Us and them. They saw us.", sentence="", answer="us")
    assert place == AnswerPlace(answer_start=22)


def test_locate_takes_a_declared_start_where_the_passage_writes_the_answer_otherwise() -> None:
    place = locate(passage="Owls hunt. OWLS hunt.", sentence="", answer="owls", declared=11)
    assert place.answer_start == 11
    assert "as “OWLS” (different: case)" in place.warning


def test_locate_lets_the_sentence_settle_between_places_written_otherwise() -> None:
    place = locate(passage="OWLS hunt. Owls sleep.", sentence="Owls sleep.", answer="owls")
    assert (place.answer_start, place.sentence_start) == (11, 11)


@pytest.mark.parametrize(
    ("passage", "answer"),
    [("Party time.", "art"), (f"The {NFD} is old.", "cafe"), ("A b.", "a  c")],
)
def test_locate_finds_no_part_of_a_word_or_letter_written_otherwise(
    passage: str, answer: str
) -> None:
    assert locate(passage=passage, sentence="", answer=answer.upper()).answer_start is None


@given(st.text(max_size=40).map(str.strip), st.sampled_from(["NFC", "NFD"]))
def test_locate_finds_any_text_whose_unicode_form_was_changed(
    text: str, form: Literal["NFC", "NFD"]
) -> None:
    place = locate(passage=text, sentence="", answer=unicodedata.normalize(form, text))
    assert place.answer_start == (0 if text else None)
