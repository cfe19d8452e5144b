"""The records that readers return."""

from judging.imports.readers.records import (
    Problem,
    QuestionRecord,
    RatingRecord,
    SourceRecord,
    StudyRecords,
    unreadable,
)


def question(system: str, position: int, text: str | None) -> QuestionRecord:
    return QuestionRecord(source_key="1", system=system, position=position, text=text)


def rating(rater: str, criterion: str) -> RatingRecord:
    return RatingRecord(
        source_key="1",
        system="a",
        position=1,
        rater=rater,
        criterion=criterion,
        value="2",
        row=2,
        column=criterion,
    )


def test_missing_counts_slots_without_question_of_each_system() -> None:
    study = StudyRecords(
        sources=(SourceRecord(key="1"),),
        questions=(question("a", 1, "Who?"), question("a", 2, None), question("b", 1, "When?")),
        expected={("1", "a"): 2, ("1", "b"): 2, ("1", "c"): 2},
    )
    assert study.returned == {"a": 1, "b": 1, "c": 0}
    assert study.missing == {"a": 1, "b": 1, "c": 2}


def test_raters_and_criteria_keep_the_order_of_the_file() -> None:
    study = StudyRecords(
        ratings=(rating("xy", "relevance"), rating("ha", "variety"), rating("xy", "variety"))
    )
    assert study.raters == ("xy", "ha")
    assert study.criteria == ("relevance", "variety")


def test_unreadable_study_names_the_reason_and_is_not_usable() -> None:
    study = unreadable("The file is empty.")
    assert not study.usable
    assert [problem.reason for problem in study.problems_of("file")] == ["The file is empty."]


def test_study_with_refused_rows_is_usable() -> None:
    study = StudyRecords(
        problems=(Problem(row=3, column="question", value="", reason="The question is too long."),)
    )
    assert study.usable
    assert study.problems_of("warning") == ()
