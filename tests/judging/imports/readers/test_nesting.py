"""Objects inside objects, opened."""

import json

from judging.imports.readers.guessing import guess
from judging.imports.readers.nesting import Opening
from judging.imports.readers.registry import FORMAT, sniff
from judging.imports.readers.tables import read_jsonl


def rows(*objects: dict[str, object]) -> tuple[tuple[str, ...], list[tuple[int, tuple[str, ...]]]]:
    table = read_jsonl("\n".join(map(json.dumps, objects)).encode())
    return table.header, [(row.number, row.cells) for row in table.rows]


def test_an_object_becomes_columns() -> None:
    assert rows(
        {"q": "Who?", "source": {"id": 7, "meta": {"page": 3}}, "refs": ["a", "b"], "none": {}}
    ) == (
        ("q", "source.id", "source.meta.page", "refs", "none"),
        [(1, ("Who?", "7", "3", '["a", "b"]', "{}"))],
    )


def test_a_list_of_objects_becomes_rows_beside_what_they_share() -> None:
    said = {
        "passage": "Owls.",
        "questions": [{"text": "Who?", "system": "A"}, {"text": "Why?", "by": {"user": 1}}],
    }
    assert rows(said, {"passage": "Mice."}) == (
        ("passage", "questions.text", "questions.system", "questions.by.user"),
        [
            (1, ("Owls.", "Who?", "A", "")),
            (1, ("Owls.", "Why?", "", "1")),
            (2, ("Mice.", "", "", "")),
        ],
    )


def test_lists_inside_lists_are_opened_and_of_two_the_likelier() -> None:
    said = {
        "tags": [{"a": 1}, {"a": 2}, {"a": 3}],
        "questions": [
            {
                "text": "Who?",
                "ratings": [{"rater": "ha", "fluency": 3}, {"rater": "uw", "fluency": 2}],
            }
        ],
    }
    table = read_jsonl(json.dumps(said).encode())
    assert [
        dict(zip(table.header, row.cells, strict=True))["questions.ratings.fluency"]
        for row in table.rows
    ] == [
        "3",
        "2",
    ]
    assert [(problem.column, problem.kind) for problem in table.problems] == [("tags", "warning")]
    columns = guess(table.header, [row.cells for row in table.rows])
    assert (columns.question, columns.rater) == ("questions.text", "questions.ratings.rater")
    assert [(each.column, each.criterion) for each in columns.ratings] == [
        ("questions.ratings.fluency", "fluency")
    ]


def test_a_list_of_nested_objects_is_read_to_the_ratings() -> None:
    said = [
        {
            "id": 1,
            "passage": "Owls hunt.",
            "questions": [
                {"text": "Who hunts?", "system": "A", "fluency@ha": 3},
                {"text": "What?", "system": "B", "fluency@ha": 1},
            ],
        },
    ]
    data = json.dumps(said).encode()
    study = sniff("a.json", data).read(data)
    assert [(each.system, each.text) for each in study.questions] == [
        ("A", "Who hunts?"),
        ("B", "What?"),
    ]
    assert study.sources[0].passage == "Owls hunt."


def test_deep_objects_end_as_json() -> None:
    deep: dict[str, object] = {"x": 1}
    for _ in range(30):
        deep = {"a": deep}
    (found,) = Opening().rows({"q": "Who?", **deep})
    assert len(found) == 2


def test_objects_nested_beyond_reason_are_refused() -> None:
    line = '{"a":' * 60 + "1" + "}" * 60
    study = FORMAT["jsonl"].read((line + '\n{"question": "Who?"}\n').encode())
    assert [problem.reason for problem in study.problems] == [
        "The line is not JSON: its lists or objects are nested too deeply."
    ]


def test_an_object_of_like_objects_becomes_rows_that_say_what_each_was_called() -> None:
    said = {
        "passage": "Owls.",
        "outputs": {
            "gpt": {"question": "Who?", "ratings": {"ha": {"fluency": 3}, "uw": {"fluency": 2}}},
            "t5": {"question": "Why?", "ratings": {"ha": {"fluency": 1}, "uw": {"fluency": 1}}},
        },
    }
    header, found = rows(said)
    assert header == (
        *("passage", "outputs.system", "outputs.question"),
        *("outputs.ratings.rater", "outputs.ratings.fluency"),
    )
    assert [cells[1:] for _, cells in found] == [
        ("gpt", "Who?", "ha", "3"), ("gpt", "Who?", "uw", "2"),
        ("t5", "Why?", "ha", "1"), ("t5", "Why?", "uw", "1"),
    ]  # fmt: skip
    columns = guess(header, [cells for _, cells in found])
    assert (columns.system, columns.question) == ("outputs.system", "outputs.question")
    assert columns.rater == "outputs.ratings.rater"


def test_objects_with_other_keys_or_another_name_stay_columns() -> None:
    assert rows({"outputs": {"text": {"raw": "Who?"}, "meta": {"seed": 1}}})[0] == (
        *("outputs.text.raw", "outputs.meta.seed"),
    )
    assert rows({"spans": {"a": {"start": 1}, "b": {"start": 2}}})[0] == (
        *("spans.a.start", "spans.b.start"),
    )


def test_generated_questions_in_a_list_of_texts_are_rows() -> None:
    said = {"id": "s1", "passage": "Owls.", "target": ["Who?"], "logits": [0.5]}
    header, found = rows(
        said | {"generated_questions": ["Who hunts?", "When?"]},
        said | {"id": "s2", "generated_questions": []},
    )
    assert header == ("id", "passage", "target", "logits", "generated_questions")
    assert [(number, cells[0], cells[2], cells[4]) for number, cells in found] == [
        (1, "s1", '["Who?"]', "Who hunts?"),
        (1, "s1", '["Who?"]', "When?"),
        (2, "s2", '["Who?"]', ""),
    ]
    assert guess(header, [cells for _, cells in found]).question == "generated_questions"


def test_numbers_under_a_name_of_questions_are_none() -> None:
    assert rows({"q": "Who?", "outputs": [1, 2]}) == (
        ("q", "outputs"),
        [(1, ("Who?", '["1", "2"]'))],
    )


def test_of_the_answers_of_a_data_set_the_first_is_taken() -> None:
    said = {"context": "Owls hunt.", "question": "Who?"}
    assert rows(
        said | {"answers": {"text": ["Owls", "owls"], "answer_start": [0, 0]}},
        said | {"answers": {"text": [], "answer_start": []}},
    ) == (
        ("context", "question", "answers.text", "answers.answer_start"),
        [(1, ("Owls hunt.", "Who?", "Owls", "0")), (2, ("Owls hunt.", "Who?", "", ""))],
    )
