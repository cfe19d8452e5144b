"""QG-STEC Task B's XML, written."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.imports.formats.qgstec_writer import CannotWrite, write_qgstec
from judging.imports.formats.qgstec_xml import read_qgstec
from judging.imports.readers.records import NoteRecord, QuestionRecord, SourceRecord, StudyRecords
from tests.judging.imports.formats.studies import FULL, contents, rating
from tests.shared_data import path

SOURCE = SourceRecord(
    key="7/what",
    sentence="Mice & <owls>.",
    target_type="what",
    attributes={"instance": "7", "id": "Own", "source": "x"},
)
STUDY = StudyRecords(
    sources=(SOURCE,),
    questions=(
        QuestionRecord(
            source_key="7/what",
            system='a"b',
            position=2,
            text="What <is>\nit?",
            question_type="what",
        ),
    ),
    ratings=(
        rating("7/what", 'a"b', 2, "h&a", "relevance", "31"),
        rating("7/what", 'a"b', 2, "uw", "relevance", "1"),
    ),
    notes=(
        NoteRecord(
            source_key="7/what", system='a"b', position=2, rater="uw", text='odd "and"\nold', row=0
        ),
    ),
    expected={("7/what", 'a"b'): 2, ("7/what", "b"): 2},
)


def test_write_keeps_slots_marks_and_notes() -> None:
    assert contents(read_qgstec(write_qgstec(STUDY).encode())) == contents(STUDY)


@pytest.mark.parametrize(
    "name", ["qgstec2010/EvaluatedSubmissions.xml", "qgstec2010/Development.xml"]
)
def test_released_files_come_back_whole(name: str) -> None:
    study = read_qgstec(path(name).read_bytes())
    again = read_qgstec(write_qgstec(study).encode())
    assert contents(again) == contents(study)
    assert again.problems == ()


def test_write_joins_target_types_of_a_sentence_without_instance() -> None:
    sources = tuple(
        SourceRecord(key=kind, sentence="Owls hunt.", target_type=kind) for kind in ("who", "what")
    )
    study = StudyRecords(sources=sources, expected={("who", "a"): 2, ("what", "a"): 2})
    again = read_qgstec(write_qgstec(study).encode())
    assert [(each.key, each.target_type) for each in again.sources] == [
        ("1/who", "who"),
        ("1/what", "what"),
    ]


@pytest.mark.parametrize(
    ("study", "reason"),
    [
        (FULL, "Source “z1” is not a sentence"),
        (
            replace(STUDY, ratings=(rating("7/what", "b", None, "ha", "variety", "1"),)),
            "about whole sets",
        ),
        (
            replace(STUDY, ratings=(rating("7/what", "b", 1, "ha", "question type", "1"),)),
            "the name of an attribute",
        ),
        (replace(STUDY, sources=(replace(SOURCE, sentence="a\x0bb"),)), "XML cannot hold"),
    ],
)
def test_write_refuses_what_the_format_has_no_place_for(study: StudyRecords, reason: str) -> None:
    with pytest.raises(CannotWrite, match=reason):
        write_qgstec(study)


@pytest.mark.long
@given(
    st.text(
        st.characters(codec="utf-8", exclude_categories=["Cc", "Cn"]) | st.sampled_from("\n\t\r"),
        max_size=20,
    )
)
def test_any_text_that_xml_can_hold_comes_back(text: str) -> None:
    note = NoteRecord(
        source_key="7/what", system="a", position=1, rater="uw", text=text.strip() or "n", row=0
    )
    question = QuestionRecord(
        source_key="7/what", system="a", position=1, text=text.strip() or None, question_type="what"
    )
    study = StudyRecords(
        sources=(SOURCE,), questions=(question,), notes=(note,), expected={("7/what", "a"): 2}
    )
    again = read_qgstec(write_qgstec(study).encode())
    assert again.questions[0].text == question.text
    assert again.notes[0].text == note.text
