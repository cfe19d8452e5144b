"""Several questions in one cell."""

import json

import pytest

from tests.judging.imports.readers.shape.reading import as_csv, case, read, remarks, texts

HEADER = ("passage", "system", "output")
ASKED = [["Who hunts?", "What hunts at night?"], ["Who sleeps?", "When?", "Where?"]]
WAYS = {
    "numbers on lines": "\n".join,
    "numbers in one line": " ".join,
    "numbers in brackets": " ".join,
    "<sep>": " <sep> ".join,
    "[SEP]": " [SEP] ".join,
    "||": " || ".join,
    "|": "|".join,
    "lines": "\n".join,
    "bullets": "\n".join,
}


def written(way: str, questions: list[str]) -> str:
    marks = {"numbers in brackets": "({}) ", "bullets": "- "}
    mark = marks.get(way, "{}. " if way.startswith("numbers") else "")
    return WAYS[way](mark.format(place) + each for place, each in enumerate(questions, 1))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_several_questions_in_a_cell_are_a_set(way: str, form: str) -> None:
    rows = [
        (f"Owls and mice {number}.", "A", written(way, asked))
        for number, asked in enumerate([*ASKED, ["Why not?"]])
    ]
    lines = "\n".join(json.dumps(dict(zip(HEADER, row, strict=True))) for row in rows)
    found, study = read(lines if form == "jsonl" else as_csv(HEADER, rows), f"a.{form}")

    asked = [(question.source_key, question.position) for question in study.questions]
    assert asked == [("1", 1), ("1", 2), ("2", 1), ("2", 2), ("2", 3), ("3", 1)]
    assert texts(study)[:5] == [*ASKED[0], *ASKED[1]]
    assert "“Who hunts?” and “What hunts at night?”" in remarks(found)[0]


def test_batch_file_of_the_shared_case_is_question_sets() -> None:
    _, study = case("15-several-questions-in-a-cell", "35.jsonl")

    assert (len(study.sources), len(study.questions), study.systems) == (4, 8, ("m-1",))
    assert study.sources[0].key == "src-0"
    assert texts(study)[:2] == ["When do ravens store food?", "What store ravens?"]


def test_questions_with_answers_of_the_shared_case_are_question_sets() -> None:
    _, study = case("15-several-questions-in-a-cell", "36.csv")

    assert (len(study.sources), len(study.questions)) == (4, 8)
    first = study.questions[0]
    assert (first.text, first.submitted_answer) == ("When do ravens store food?", "in autumn")


@pytest.mark.parametrize(
    "cell",
    [
        "question: Who hunts?, answer: owls | question: What hunts?, answer: an owl",
        "1) question: Who hunts? answer: owls\n2) question: What hunts? answer: an owl",
    ],
)
def test_questions_with_answers_have_the_answer_of_their_system(cell: str) -> None:
    _, study = read(as_csv(HEADER, [("Owls hunt.", "A", cell)]))

    assert [(each.text, each.submitted_answer) for each in study.questions] == [
        ("Who hunts?", "owls"),
        ("What hunts?", "an owl"),
    ]


def test_a_minority_of_cells_with_several_questions_stays_one_text() -> None:
    rows = [(f"Owl {n}.", "A", f"Who is {n}?") for n in range(4)]
    rows += [(f"Owl {n}.", "A", "1. Who hunts? 2. Why?") for n in range(4, 7)]
    found, study = read(as_csv(HEADER, rows))

    assert (len(study.questions), remarks(found)) == (7, [])


@pytest.mark.parametrize("beside", [("bleu", "meteor"), ("fluency_A", "fluency_B")])
def test_questions_of_a_judged_cell_stay_one_text_with_a_remark(beside: tuple[str, str]) -> None:
    rows = [
        ("Owls.", "A", "1. Who? 2. Why?", "1", "2"),
        ("Mice.", "A", "1. Who? 2. Why?", "2", "2"),
    ]
    found, study = read(as_csv((*HEADER, *beside), rows))

    assert len(study.questions) == 2
    assert "They stay one text" in remarks(found)[0]


def test_questions_with_positions_stay_as_they_are() -> None:
    rows = [("Owls.", "A", "1. Who hunts? 2. Why?", "1"), ("Mice.", "A", "1. Who? 2. Why?", "1")]
    found, study = read(as_csv((*HEADER, "position"), rows))

    assert (len(study.questions), remarks(found)) == (2, [])


def test_sets_left_as_they_are_stay_one_text() -> None:
    rows = [("Owls.", "A", "1. Who hunts? 2. Why?")]
    found, study = read(as_csv(HEADER, rows), options={"as_is": ["sets"]})

    assert (texts(study), remarks(found)) == (["1. Who hunts? 2. Why?"], [])
