"""Lists and dictionaries in cells."""

import json

import pytest

from tests.judging.imports.readers.shape.reading import as_csv, case, read, remarks, texts, values

HEADER = ("passage", "system", "question", "reference")
GIVEN = (("Owls hunt.", "A", "Who hunts?"), ("Mice sleep.", "A", "Who sleeps?"))


@pytest.mark.parametrize("name", ["22.csv", "62.csv"])
def test_references_of_the_shared_cases_are_several(name: str) -> None:
    found, study = case("02-list-in-a-cell", name)

    assert {len(source.references) for source in study.sources} == {2}
    assert (len(study.questions), len(study.ratings)) == (8, 16)
    assert "reference" in remarks(found)[0]


def test_questions_of_the_shared_case_are_rows() -> None:
    _, study = case("02-list-in-a-cell", "61.csv")

    assert (len(study.sources), len(study.questions)) == (4, 8)
    assert {question.position for question in study.questions} == {1, 2}


def test_packed_ratings_of_the_shared_case_are_those_of_two_annotators() -> None:
    _, study = case("02-list-in-a-cell", "63.csv")

    assert values(study) == {
        "1": ["3", "1", "3", "2", "3", "2", "3", "1"],
        "2": ["3", "2", "3", "1", "2", "2", "3", "1"],
    }


def test_answers_of_the_shared_case_have_text_and_start() -> None:
    _, study = case("09-hf-squad-answers-in-a-cell", "60.csv")

    assert {(source.answer_start, source.answer[:2]) for source in study.sources} == {
        (22, "18"),
        (23, "18"),
    }
    assert (len(study.sources), len(study.questions)) == (12, 24)


@pytest.mark.parametrize(
    "cells",
    [
        ("['Who is it?', \"Who's there?\"]", "['What sleeps?']"),
        ("array(['Who is it?', \"Who's there?\"], dtype=object)", "array(['What sleeps?'])"),
        ("['Who is it?'\n \"Who's there?\"]", "['What sleeps?']"),
        ('["Who is it?", "Who\'s there?"]', '["What sleeps?"]'),
    ],
)
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_references_in_a_cell_are_opened_however_they_are_written(
    cells: tuple[str, str], form: str
) -> None:
    rows = [(*given, cell) for given, cell in zip(GIVEN, cells, strict=True)]
    lines = "\n".join(json.dumps(dict(zip(HEADER, row, strict=True))) for row in rows)
    _, study = read(lines if form == "jsonl" else as_csv(HEADER, rows), f"a.{form}")

    assert [source.references for source in study.sources] == [
        ("Who is it?", "Who's there?"),
        ("What sleeps?",),
    ]


def test_references_divided_by_bars_in_every_cell_are_several() -> None:
    rows = [(*GIVEN[0], "Who is it? | Who's there?"), (*GIVEN[1], "What sleeps? | Which?")]
    _, study = read(as_csv(HEADER, rows))
    _, with_one = read(as_csv(HEADER, [rows[0], (*GIVEN[1], "Who sleeps at 5|6?")]))

    assert [len(source.references) for source in study.sources] == [2, 2]
    assert [len(source.references) for source in with_one.sources] == [1, 1]


def test_a_json_list_of_references_is_read_without_a_remark() -> None:
    found, _ = read(as_csv(HEADER, [(*GIVEN[0], '["Who?", "Which?"]')]))

    assert not remarks(found)


def test_an_object_of_scores_is_a_metric_for_each_key() -> None:
    rows = [
        (*GIVEN[0], "{'bleu': 0.31, 'rouge_l': 0.5}"),
        (*GIVEN[1], "{'bleu': 0.20, 'rouge_l': nan}"),
    ]
    found, study = read(as_csv(("passage", "system", "question", "scores"), rows))

    assert [dict(question.scores) for question in study.questions] == [
        {"scores.bleu": "0.31", "scores.rouge_l": "0.5"},
        {"scores.bleu": "0.20"},
    ]
    assert found.proposed is not None
    assert {each.direction for each in found.proposed.scores} == {"higher"}


def test_a_list_of_questions_in_a_plainly_named_column_is_rows() -> None:
    rows = [("Owls hunt.", "A", "['Who hunts?', 'What hunts?']"), ("Mice.", "A", "['Who sleeps?']")]
    header = ("passage", "system", "questions")
    _, study = read(as_csv(header, rows))
    opened = [
        {"passage": "Owls hunt.", "system": "A", "questions": ["Who hunts?", "What hunts?"]},
        {"passage": "Mice.", "system": "A", "questions": ["Who sleeps?"]},
    ]
    _, in_lines = read("\n".join(map(json.dumps, opened)), "a.jsonl")

    assert texts(study) == texts(in_lines) == ["Who hunts?", "What hunts?", "Who sleeps?"]


def test_a_list_of_questions_beside_an_output_is_references() -> None:
    rows = [("Owls hunt.", "A", "Who hunts?", "['Who hunts here?', 'What hunts?']")]
    _, study = read(as_csv(("passage", "system", "prediction", "question"), rows))

    assert texts(study) == ["Who hunts?"]
    assert study.sources[0].references == ("Who hunts here?", "What hunts?")


def test_a_json_list_of_other_numbers_is_left_alone() -> None:
    found, study = read(as_csv((*HEADER[:3], "token_ids"), [(*GIVEN[0], "[1804, 3]")]))

    assert dict(study.questions[0].attributes) == {"token_ids": "[1804, 3]"}
    assert not remarks(found)


@pytest.mark.parametrize("name", ["clarity", "Lively", "user_ratings"])
def test_packed_ratings_become_columns_of_annotators(name: str) -> None:
    rows = [(*given, cell) for given, cell in zip(GIVEN, ("[4 5 3]", "[1 1 2]"), strict=True)]
    _, study = read(as_csv(("passage", "system", "question", name), rows))

    assert list(values(study).values()) == [["4", "1"], ["5", "1"], ["3", "2"]]


@pytest.mark.parametrize("cells", [("['owls', 'an owl']", "['mice']"), ('["owls"]', '["mice"]')])
def test_of_a_list_of_answers_the_first_is_taken(cells: tuple[str, str]) -> None:
    rows = [(*given, cell) for given, cell in zip(GIVEN, cells, strict=True)]
    found, study = read(as_csv(("passage", "system", "question", "answer"), rows))

    assert [source.answer for source in study.sources] == ["owls", "mice"]
    assert "The first of its values is taken." in remarks(found)[0]


def test_one_odd_cell_in_twenty_does_not_keep_the_others_closed() -> None:
    rows = [(f"Owl {n}.", "A", f"Who is {n}?", f"['Who {n}?', 'What {n}?']") for n in range(19)]
    _, study = read(as_csv(HEADER, [*rows, ("Owl 20.", "A", "Who is 20?", "See above.")]))

    assert sorted(len(source.references) for source in study.sources) == [1, *[2] * 19]


def test_free_text_that_only_begins_with_a_bracket_is_left_alone() -> None:
    passage = "[1] Owls hunt at night, says the first of many sources (see below)."
    found, study = read(as_csv(HEADER[:3], [(passage, "A", "Who hunts?")]))

    assert study.sources[0].passage == passage
    assert not remarks(found)


def test_lists_of_lists_become_json() -> None:
    rows = [(*GIVEN[0], "[[1, 2], ['a']]")]
    _, study = read(as_csv(("passage", "system", "question", "spans"), rows))

    assert dict(study.questions[0].attributes) == {"spans": '[["1", "2"], ["a"]]'}


def test_lists_left_as_they_are_stay_one_text() -> None:
    cell = "['Who is it?', 'Who is there?']"
    found, study = read(as_csv(HEADER, [(*GIVEN[0], cell)]), options={"as_is": ["lists"]})

    assert study.sources[0].references == (cell,)
    assert not remarks(found)


def test_a_step_of_an_unknown_name_is_refused() -> None:
    with pytest.raises(ValueError, match="No step is called “list”"):
        read(as_csv(HEADER[:3], GIVEN), options={"as_is": "list"})


@pytest.mark.parametrize("written", ['[{"rating": 3}]', "[{'number': 3}]"])
def test_a_list_of_one_rating_is_that_rating(written: str) -> None:
    header = ("passage", "system", "question", "annotator", "fluency")
    found, study = read(as_csv(header, [(*GIVEN[0], rater, written) for rater in ("a", "b")]))

    assert [(each.rater, each.value) for each in study.ratings] == [("a", "3"), ("b", "3")]
    assert "It is read as that rating." in remarks(found)[0]
