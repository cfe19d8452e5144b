"""Judgments in long form, out and in again."""

import json
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from judging.imports.formats import long
from judging.imports.formats.label_studio import write_label_studio
from judging.imports.formats.long import (
    csv_pieces,
    jsonl_pieces,
    write_long_csv,
    write_long_jsonl,
)
from judging.imports.readers.records import (
    QuestionRecord,
    ScoreColumn,
    SourceRecord,
    StudyRecords,
)
from judging.imports.readers.registry import FORMAT
from tests.judging.imports.formats.studies import FULL, contents, rating
from tests.shared_data import path


def test_long_csv_comes_back_whole() -> None:
    again = FORMAT["long_csv"].read(write_long_csv(FULL).encode())
    assert contents(again) == contents(FULL)
    assert [problem.kind for problem in again.problems] == []


def test_long_jsonl_comes_back_whole() -> None:
    assert contents(FORMAT["jsonl"].read(write_long_jsonl(FULL).encode())) == contents(FULL)


def test_long_csv_has_a_row_for_each_judgment_note_and_slot_without_any() -> None:
    rows = write_long_csv(FULL).split("\r\n")
    assert rows[0].startswith(
        "source_id,passage,sentence,answer,answer_start,target_type,modality,references,system"
    )
    assert len([json.loads(line) for line in write_long_jsonl(FULL).splitlines()]) == 12


def test_long_csv_says_what_is_marked_in_code_points() -> None:
    rows = [json.loads(line) for line in write_long_jsonl(FULL).splitlines()]
    said = [
        (row["rater"], row["mark"], row.get("mark_start"), row.get("mark_text"))
        for row in rows
        if "mark" in row
    ]
    assert said == [
        ("ha", "span", 10, "at night"),
        ("ha", "span", 20, "🦉 says"),
        ("uw", "none", None, None),
    ]


def test_rows_that_repeat_a_long_passage_come_some_at_a_time(monkeypatch) -> None:
    asked = [
        QuestionRecord(source_key="z1", system="a", position=n, text="Who?") for n in range(1, 21)
    ]
    study = StudyRecords(
        sources=(SourceRecord(key="z1", passage="p" * 1_000),),
        questions=tuple(asked),
        expected={("z1", "a"): len(asked)},
    )
    whole = write_long_csv(study), write_long_jsonl(study)
    monkeypatch.setattr(long, "PIECE", 3_000)
    used = ("source_id", "passage", "system", "position", "question")
    pieces = list(csv_pieces([study], used=used)), list(jsonl_pieces([study]))
    assert all(len(piece) < 5_000 for each in pieces for piece in each)
    assert ("".join(pieces[0]), "".join(pieces[1])) == whole


def test_long_csv_keeps_what_is_about_one_rating() -> None:
    judged = replace(rating("z1", "a", 1, "ha", "fluency", "3"), attributes={"origin": "rule"})
    question = QuestionRecord(source_key="z1", system="a", position=1, text="Who?")
    study = StudyRecords(
        sources=(SourceRecord(key="z1"),),
        questions=(question,),
        ratings=(judged,),
        expected={("z1", "a"): 1},
    )
    again = FORMAT["long_csv"].read(write_long_csv(study).encode())
    assert again.ratings[0].attributes == {"origin": "rule"}


def test_long_csv_keeps_formulas_unless_guarded() -> None:
    assert '"=When ""do"" owls\nhunt?"' in write_long_csv(FULL)
    guarded = write_long_csv(FULL, guarded=True)
    assert '"\'=When ""do"" owls\nhunt?"' in guarded
    assert ",'+b," in guarded


def test_long_csv_guards_names_of_columns_too() -> None:
    [question, *others] = FULL.questions
    named = replace(question, scores={"a;=cmd": "1"})
    study = replace(FULL, questions=(named, *others))
    assert "score:a;=cmd" in write_long_csv(study)
    assert "score:a;'=cmd" in write_long_csv(study, guarded=True)


@pytest.mark.parametrize("name", ["BLEU [lower, percent]", "a [b]", "two\nlines", "TER, lower"])
def test_long_csv_declares_direction_and_scale_of_scores_of_any_name(name: str) -> None:
    [question, *others] = FULL.questions
    declared = ScoreColumn(column=name, name=name, direction="higher", scale="fraction")
    study = replace(
        FULL, questions=(replace(question, scores={name: "1"}), *others), score_columns=(declared,)
    )
    for again in (
        FORMAT["long_csv"].read(write_long_csv(study).encode()),
        FORMAT["jsonl"].read(write_long_jsonl(study).encode()),
    ):
        assert [replace(each, column=name) for each in again.score_columns] == [declared]


def test_exports_expect_no_slot_that_the_study_did_not() -> None:
    expected = {slot: count for slot, count in FULL.expected.items() if slot != ("z2", "T5, large")}
    study = replace(FULL, expected=expected)
    for again in (
        FORMAT["long_csv"].read(write_long_csv(study).encode()),
        FORMAT["jsonl"].read(write_long_jsonl(study).encode()),
        FORMAT["label_studio"].read(write_label_studio(study).encode()),
    ):
        assert again.expected == expected


def test_long_csv_without_judgments_has_no_columns_for_them() -> None:
    silent = replace(FULL, ratings=(), notes=(), marks=())
    assert "rater" not in write_long_csv(silent).split("\r\n")[0]
    assert contents(FORMAT["long_csv"].read(write_long_csv(silent).encode())) == contents(silent)


def test_released_studies_come_back_whole() -> None:
    for name, key in (
        ("qgstec2010/EvaluatedSubmissions.xml", "qgstec_xml"),
        ("nema2018/squad.tsv", "nema"),
    ):
        study = FORMAT[key].read(path(name).read_bytes())
        again = FORMAT["long_csv"].read(write_long_csv(study).encode())
        assert contents(again) == contents(study)
        assert len(again.ratings) == len(study.ratings)


TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=20
)


@given(TEXT, TEXT)
@example("0", "\r")
def test_any_text_comes_back(passage: str, text: str) -> None:
    source = SourceRecord(key="1", passage=passage)
    question = QuestionRecord(
        source_key="1", system="a", position=1, text=text if text.strip() else None
    )
    study = StudyRecords(sources=(source,), questions=(question,), expected={("1", "a"): 1})
    for again in (
        FORMAT["long_csv"].read(write_long_csv(study).encode(), options={}),
        FORMAT["jsonl"].read(write_long_jsonl(study).encode()),
    ):
        assert again.sources[0].passage == passage
        assert again.questions[0].text == question.text
