"""Wide tables as long ones."""

import json

import pytest

from tests.judging.imports.readers.shape.reading import as_csv, read, remarks, values

HEADER = ("passage", "system", "question", "criterion", "Ann", "Ben")
ROWS = [
    ("Owls hunt.", "A", "Who hunts?", "fluency", "3", "2"),
    ("Owls hunt.", "A", "Who hunts?", "relevance", "1", ""),
    ("Owls hunt.", "B", "What hunts?", "fluency", "2", "2"),
    ("Owls hunt.", "B", "What hunts?", "relevance", "3", "1"),
]
NAMES = {
    "criterion": HEADER,
    "aspect": (*HEADER[:3], "Aspect", "Coder 1", "Coder 2"),
    "unnamed": (*HEADER[:3], "what", "first", "second"),
}


@pytest.mark.parametrize("header", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_criteria_in_rows_are_ratings_of_the_annotators_in_columns(
    header: tuple[str, ...], form: str
) -> None:
    lines = "\n".join(json.dumps(dict(zip(header, row, strict=True))) for row in ROWS)
    found, study = read(lines if form == "jsonl" else as_csv(header, ROWS), f"a.{form}")

    assert values(study) == {header[4]: ["3", "1", "2", "3"], header[5]: ["2", "2", "1"]}
    assert study.criteria == ("fluency", "relevance")
    assert (study.systems, len(study.questions)) == (("A", "B"), 2)
    assert "names a criterion for each row" in remarks(found)[0]


def test_numbers_beside_criteria_that_are_no_ratings_stay() -> None:
    header = (*HEADER, "bleu", "start")
    rows = [(*row, f"0.3{place}", f"{place}") for place, row in enumerate(ROWS)]
    _, study = read(as_csv(header, rows))

    assert study.raters == ("Ann", "Ben")


def test_a_question_without_any_rating_is_kept() -> None:
    rows = [*ROWS, ("Mice sleep.", "A", "Who sleeps?", "fluency", "", "")]
    _, study = read(as_csv(HEADER, rows))

    assert (len(study.questions), len(study.ratings)) == (3, 7)


WIDE = {
    "before": ("passage", "A_question", "B_question", "A_fluency_1", "A_fluency_2", "B_fluency_1"),
    "after": ("passage", "question A", "question B", "fluency_1 A", "fluency_2 A", "fluency_1 B"),
    "brackets": ("passage", "A", "B", "fluency_1 (A)", "fluency_2 (A)", "fluency_1 (B)"),
}
WIDE_ROWS = [
    ("Owls hunt.", "Who hunts?", "What hunts?", "3", "2", "1", "2"),
    ("Mice sleep.", "Who sleeps?", "", "1", "1", "", ""),
]


@pytest.mark.parametrize("header", WIDE.values(), ids=WIDE)
def test_ratings_wide_by_system_are_those_of_each_system(header: tuple[str, ...]) -> None:
    last = header[4].replace("A", "B")
    found, study = read(as_csv((*header, last), WIDE_ROWS))

    assert study.missing == {"A": 0, "B": 1}
    assert [(each.system, each.rater, each.value) for each in study.ratings] == [
        ("A", "1", "3"),
        ("A", "2", "2"),
        ("B", "1", "1"),
        ("B", "2", "2"),
        ("A", "1", "1"),
        ("A", "2", "1"),
    ]
    assert "It is read as a row for each system" in remarks(found)[0]


def test_ratings_wide_by_system_beside_annotators_are_theirs() -> None:
    header = ("annotator", "passage", "t5_question", "bart_question", "t5_clarity", "bart_clarity")
    rows = [
        (name, "Owls hunt.", "Who hunts?", "What hunts?", first, second)
        for name, first, second in (("Ann", "3", "1"), ("Ben", "2", "2"))
    ]
    _, study = read(as_csv(header, rows))

    assert [(each.system, each.rater, each.value) for each in study.ratings] == [
        ("t5", "Ann", "3"),
        ("bart", "Ann", "1"),
        ("t5", "Ben", "2"),
        ("bart", "Ben", "2"),
    ]
    assert (study.criteria, len(study.questions)) == (("clarity",), 2)


def test_scores_wide_by_system_are_those_of_each_system() -> None:
    rows = [("Owls.", "Who hunts?", "What?", "0.5", "0.25"), ("Mice.", "Who?", "Why?", "0.1", "")]
    header = ("passage", "t5 output", "bart output", "bleu_t5", "bleu_bart")
    _, study = read(as_csv(header, rows))

    assert [(each.system, dict(each.scores)) for each in study.questions] == [
        ("t5", {"bleu": "0.5"}),
        ("bart", {"bleu": "0.25"}),
        ("t5", {"bleu": "0.1"}),
        ("bart", {}),
    ]


def test_columns_left_as_they_are_stay_wide() -> None:
    found, _ = read(as_csv(HEADER, ROWS), options={"as_is": ["melt"]})

    assert found.header == HEADER
