"""A study of our own, with everything in it that an export could lose."""

from judging.formats.records import (
    MarkRecord,
    NoteRecord,
    QuestionRecord,
    RatingRecord,
    ScoreColumn,
    SourceRecord,
    StudyRecords,
)

OWL = "Owls hunt at night, 🦉 says قال.\nAt night, owls see mice."
SLOT = {"source_key": "z1", "system": "T5, large"}


def rating(rater: str, criterion: str, value: str, position: int | None = 1) -> RatingRecord:
    return RatingRecord(
        **SLOT,
        position=position,
        rater=rater,
        criterion=criterion,
        value=value,
        row=0,
        column="value",
        attributes={"seconds": "7.50"} if rater == "uw" else {},
    )


def mark(rater: str, start: int | None = None, end: int | None = None) -> MarkRecord:
    return MarkRecord(**SLOT, position=1, rater=rater, start=start, end=end, row=0)


FULL = StudyRecords(
    sources=(
        SourceRecord(
            key="z1",
            passage=OWL,
            answer="night",
            answer_start=13,
            sentence="Owls hunt at night, 🦉 says قال.",
            target_type="when",
            references=("When do owls hunt?", '["odd"]'),
            attributes={"domain": "birds"},
        ),
        SourceRecord(key="z2", sentence="Mice hide.", target_type="what"),
    ),
    questions=(
        QuestionRecord(
            **SLOT,
            position=1,
            text='=When "do" owls\nhunt?',
            question_type="when",
            submitted_answer="at night",
            key="q-7",
            scores={"BLEU": "0.10000000000000000555", "fluency": "2.5"},
            attributes={"seed": "007"},
        ),
        QuestionRecord(**SLOT, position=2, text=None),
        QuestionRecord(source_key="z1", system="+b", position=2, text="<b>Who</b> sees?  "),
        QuestionRecord(source_key="z2", system="+b", position=1, text="What hides?"),
    ),
    ratings=(
        rating("ha", "fluency", "3"),
        rating("uw", "fluency", "31"),
        rating("ha", "variety", "1", None),
    ),
    notes=(NoteRecord(**SLOT, position=1, rater="uw", text="odd\nold", row=0),),
    marks=(mark("ha", 10, 18), mark("ha", 20, 26), mark("uw")),
    expected={("z1", "T5, large"): 2, ("z1", "+b"): 2, ("z2", "T5, large"): 1, ("z2", "+b"): 1},
    score_columns=(
        ScoreColumn(column="BLEU", name="BLEU", direction="higher", scale="fraction"),
        ScoreColumn(column="fluency", name="fluency", direction="lower", kind="human_mean"),
    ),
)
