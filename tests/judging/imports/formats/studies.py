"""Studies of our own, with everything in them that a format could lose."""

from dataclasses import replace
from typing import Any

from judging.imports.readers.records import (
    MarkRecord,
    NoteRecord,
    QuestionRecord,
    RatingRecord,
    ScoreColumn,
    SourceRecord,
    StudyRecords,
)

OWL = "Owls hunt at night, 🦉 says قال.\nAt night, owls see mice."


def rating(
    source: str, system: str, position: int | None, rater: str, criterion: str, value: str
) -> RatingRecord:
    return RatingRecord(
        source_key=source,
        system=system,
        position=position,
        rater=rater,
        criterion=criterion,
        value=value,
        row=0,
        column="value",
    )


def mark(rater: str, start: int | None = None, end: int | None = None) -> MarkRecord:
    return MarkRecord(
        source_key="z1", system="T5, large", position=1, rater=rater, start=start, end=end, row=0
    )


FULL = StudyRecords(
    sources=(
        SourceRecord(
            key="z1",
            passage=OWL,
            answer="night",
            answer_start=13,
            sentence="Owls hunt at night, 🦉 says قال.",
            sentence_start=0,
            target_type="when",
            modality="document",
            references=("When do owls hunt?", '["odd"]'),
            attributes={"domain": "birds"},
        ),
        SourceRecord(key="z2", sentence="Mice hide.", target_type="what"),
    ),
    questions=(
        QuestionRecord(
            source_key="z1",
            system="T5, large",
            position=1,
            text='=When "do" owls\nhunt?',
            question_type="when",
            submitted_answer="at night",
            key="q-7",
            scores={"BLEU": "0.10000000000000000555", "fluency": "2.5"},
            attributes={"seed": "007", "model": "t5"},
        ),
        QuestionRecord(source_key="z1", system="T5, large", position=2, text=None),
        QuestionRecord(source_key="z1", system="+b", position=2, text="<b>Who</b> sees?  "),
        QuestionRecord(source_key="z2", system="+b", position=1, text="What hides?"),
    ),
    ratings=(
        rating("z1", "T5, large", 1, "ha", "fluency", "3"),
        rating("z1", "T5, large", 1, "uw", "fluency", "31"),
        rating("z1", "T5, large", None, "ha", "variety", "1"),
        replace(
            rating("z2", "+b", 1, "ha", "fluency", "cannot say"), attributes={"seconds": "7.50"}
        ),
    ),
    notes=(
        NoteRecord(source_key="z2", system="+b", position=1, rater="uw", text="odd\nold", row=0),
    ),
    marks=(mark("ha", 10, 18), mark("ha", 20, 26), mark("uw")),
    expected={("z1", "T5, large"): 2, ("z1", "+b"): 2, ("z2", "T5, large"): 1, ("z2", "+b"): 1},
    score_columns=(
        ScoreColumn(column="BLEU", name="BLEU", direction="higher", scale="fraction"),
        ScoreColumn(column="fluency", name="fluency", direction="lower", kind="human_mean"),
    ),
)


def contents(study: StudyRecords) -> dict[str, Any]:
    """Return what a round trip must keep: all but rows, columns and the order of things."""
    questions = {
        (each.source_key, each.system, each.position): replace(each, row=0)
        for each in study.questions
        if each.text is not None or each.scores or each.attributes
    }
    ratings = {
        (each.source_key, each.system, each.position, each.rater, each.criterion): (
            each.value,
            dict(each.attributes),
        )
        for each in study.ratings
    }
    return {
        "sources": [replace(each, row=0) for each in study.sources],
        "questions": questions,
        "ratings": ratings,
        "notes": [replace(each, row=0) for each in study.notes],
        "marks": [replace(each, row=0) for each in study.marks],
        "expected": dict(study.expected),
        "scores": [replace(score, column="") for score in study.score_columns],
        "missing": dict(study.missing),
    }
