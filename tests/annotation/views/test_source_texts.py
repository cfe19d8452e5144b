"""Cutting a passage at its sentence and its answer, by code points."""

import pytest

from annotation.views import source_texts
from annotation.views.source_texts import direction
from judging.datasets.models.dataset import Passage, Source
from judging.protocols.spans import cut_segments


@pytest.mark.parametrize(
    ("sentence", "answer", "expected"),
    [
        (None, None, [("abcdef", "plain")]),
        ((0, 6), None, [("abcdef", "sentence")]),
        ((1, 4), None, [("a", "plain"), ("bcd", "sentence"), ("ef", "plain")]),
        (None, (1, 4), [("a", "plain"), ("bcd", "mark"), ("ef", "plain")]),
        (
            (1, 5),
            (2, 4),
            [
                ("a", "plain"),
                ("b", "sentence"),
                ("cd", "sentence_mark"),
                ("e", "sentence"),
                ("f", "plain"),
            ],
        ),
        (
            (0, 3),
            (2, 5),
            [("ab", "sentence"), ("c", "sentence_mark"), ("de", "mark"), ("f", "plain")],
        ),
        ((0, 3), (3, 6), [("abc", "sentence"), ("def", "mark")]),
        ((2, 2), (2, 2), [("ab", "plain"), ("cdef", "plain")]),
        (None, (4, 99), [("abcd", "plain"), ("ef", "mark")]),
        (None, (50, 60), [("abcdef", "plain")]),
    ],
)
def test_segments_cut_at_both_spans(sentence, answer, expected) -> None:
    found = cut_segments("abcdef", sentence=sentence, answer=answer)
    assert list(found) == expected
    assert "".join(text for text, _kind in found) == "abcdef"


def test_segments_count_code_points_not_bytes_or_pairs() -> None:
    text = "👩‍🚀 flew. Ärzte waited."
    start = text.index("Ärzte")
    assert cut_segments(text, answer=(start, start + 5)) == (
        ("👩‍🚀 flew. ", "plain"),
        ("Ärzte", "mark"),
        (" waited.", "plain"),
    )


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ("en", "auto")),
        ("ar", ("ar", "rtl")),
        ("he-IL", ("he-IL", "rtl")),
        ("", ("", "auto")),
    ],
)
def test_direction_of_a_language(language: str, expected: tuple[str, str]) -> None:
    assert direction(language) == expected


def test_passage_marks_an_answer_that_it_writes_otherwise() -> None:
    text = "The “Cafe\u0301” is old."
    source = Source(passage=Passage(text=text), answer='"caf\u00e9"', answer_start=4)
    shown = source_texts.shown_source(source, {"passage", "answer"})
    assert shown.passage == (("The ", "plain"), ("“Cafe\u0301”", "mark"), (" is old.", "plain"))


@pytest.mark.parametrize(
    ("imported", "expected"), [("document", "a document"), ("Table", "a table"), ("tweet", "tweet")]
)
def test_modality_known_value_has_a_label(imported: str, expected: str) -> None:
    source = Source(modality=imported)
    assert source_texts.shown_source(source, {"modality"}).modality == expected
