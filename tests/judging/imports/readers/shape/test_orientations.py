"""JSON in the layouts that pandas and evaluation scripts write."""

import json
from collections.abc import Callable

import pytest

from judging.imports.readers.shape.orientations import open_json
from judging.imports.readers.text import Unreadable
from tests.judging.imports.readers.shape.reading import case, read, remarks, texts, values

HEADER = ["passage", "system", "question", "fluency_A", "fluency_B"]
ROWS = [
    ["Owls hunt.", "A", "Who hunts?", 3, 2],
    ["Owls hunt.", "B", "What hunts?", 1, 1],
    ["Mice sleep.", "A", "Who sleeps?", 2, 3],
    ["Mice sleep.", "B", "What sleeps?", 3, 1],
]
RECORDS = [dict(zip(HEADER, row, strict=True)) for row in ROWS]
BY_COLUMN = {name: {str(n): row[name] for n, row in enumerate(RECORDS)} for name in HEADER}
LAYOUTS = {
    "columns": BY_COLUMN,
    "columns with ids": {
        name: {f"x{number}": cell for number, cell in cells.items()}
        for name, cells in BY_COLUMN.items()
    },
    "index": {f"q{number}": row for number, row in enumerate(RECORDS)},
    "split": {"columns": HEADER, "index": [0, 1, 2, 3], "data": ROWS},
    "table": {"schema": {"fields": []}, "data": RECORDS},
    "values": [HEADER, *ROWS],
    "lists": {name: [row[name] for row in RECORDS] for name in HEADER},
    "records": RECORDS,
    "systems": {
        system: [row for row in RECORDS if row["system"] == system] for system in ("A", "B")
    },
    "systems that are keys alone": {
        system: [
            {name: cell for name, cell in row.items() if name != "system"}
            for row in RECORDS
            if row["system"] == system
        ]
        for system in ("A", "B")
    },
}


def spread(value: object) -> str:
    return json.dumps(value, indent=2)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("write", [json.dumps, spread])
def test_json_in_any_layout_is_the_same_study(layout: str, write: Callable[..., str]) -> None:
    found, study = read(write(LAYOUTS[layout]), "a.json")

    assert sorted(filter(None, texts(study))) == sorted(row["question"] for row in RECORDS)
    assert study.systems == ("A", "B")
    assert len(study.sources) == 2
    assert sorted(map(sorted, values(study).values())) == [
        ["1", "1", "2", "3"],
        ["1", "2", "3", "3"],
    ]
    assert found.rows_read == 4
    assert bool(remarks(found)) is (layout != "records")


@pytest.mark.parametrize("between", ["\n", "", "\n\n", ",\n"])
def test_objects_one_after_the_other_are_rows(between: str) -> None:
    _, study = read(between.join(map(spread, RECORDS)), "a.json")

    assert (len(study.questions), len(study.ratings)) == (4, 8)


def test_a_row_of_concatenated_objects_has_the_number_of_its_line() -> None:
    table = open_json((spread(RECORDS[0]) + "\n" + spread(RECORDS[1])).encode())

    assert [row.number for row in table.rows] == [1, 8]


@pytest.mark.parametrize(
    "value",
    [
        {"q1": "Who hunts?", "q2": "Who sleeps?", "q3": None},
        {"q1": ["Who hunts?"], "q2": ["Who sleeps?"], "q3": []},
    ],
)
def test_predictions_by_id_keep_their_ids(value: dict[str, object]) -> None:
    found, study = read(json.dumps(value), "predictions.json")

    assert found.proposed is not None
    assert found.proposed.key == "id"
    assert [question.key for question in study.questions] == ["q1", "q2", "q3"]
    assert texts(study) == ["Who hunts?", "Who sleeps?", None]


@pytest.mark.parametrize(
    "value",
    [
        {
            "A": {"s1": "Who hunts?", "s2": "Who sleeps?"},
            "B": {"s2": "What sleeps?", "s1": "What?"},
        },
        {"s1": {"A": "Who hunts?", "B": "What?"}, "s2": {"B": "What sleeps?"}, "s3": {"A": "Why?"}},
        {"A": ["Who hunts?", "Who sleeps?"], "B": ["What?", "What sleeps?"]},
        {"A": ["Who hunts?", "Who sleeps?", "Why?"], "B": ["What?", "What sleeps?"]},
    ],
)
def test_questions_by_system_share_their_sources(value: dict[str, object]) -> None:
    _, study = read(json.dumps(value), "outputs.json")
    by_source: dict[str, dict[str, str | None]] = {}
    for question in study.questions:
        by_source.setdefault(question.source_key, {})[question.system] = question.text

    assert study.systems == ("A", "B")
    assert list(by_source.values())[1] in (
        {"A": "Who sleeps?", "B": "What sleeps?"},
        {"A": None, "B": "What sleeps?"},
    )


@pytest.mark.parametrize(
    "record",
    [
        {"passage": "Owls hunt.", "questions": [{"text": "Who hunts?", "system": "A"}]},
        {"source": {"id": 1, "passage": "Owls."}, "question": {"text": "Who?", "system": "A"}},
        {"passage": "Owls hunt.", "question": "Who hunts?", "system": "A"},
    ],
)
def test_a_single_record_is_still_a_record(record: dict[str, object]) -> None:
    found, study = read(json.dumps(record), "a.json")

    assert (len(study.questions), study.systems) == (1, ("A",))
    assert not remarks(found)


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_a_rating_that_is_no_number_in_json_is_blank(word: str) -> None:
    lines = "\n".join(map(json.dumps, RECORDS)).replace('"fluency_B": 3', f'"fluency_B": {word}')
    _, study = read(lines, "a.jsonl")

    assert len(study.ratings) == 7
    assert not study.problems


@pytest.mark.parametrize(("name", "rows"), [("13.json", 8), ("75b.json", 24), ("76.json", 24)])
def test_shared_cases_by_id_or_column_are_read_whole(name: str, rows: int) -> None:
    found, study = case("07-json-keyed-by-id-or-column", name)

    assert found.rows_read == len(study.questions) == rows
    assert study.systems == (("unnamed",) if name == "75b.json" else ("S1", "S2"))


def test_shared_case_of_concatenated_objects_is_read() -> None:
    _, study = case("22-concatenated-json", "19.jsonl")

    assert (len(study.questions), len(study.ratings)) == (8, 16)


def test_shared_case_with_nan_in_a_rating_has_one_rating_less() -> None:
    _, study = case("08-nan-as-a-question", "18.jsonl")

    assert (len(study.questions), len(study.ratings), study.problems) == (8, 15, ())


def test_shared_case_with_words_for_no_question_has_missing_questions() -> None:
    _, study = case("08-nan-as-a-question", "71.csv")

    assert study.missing == {"S1": 0, "S2": 4}


@pytest.mark.parametrize("text", ['{"a": 1,\n"b": }', "[[1, 2], [", '{"a": {"a": 1, "a": 2}}'])
def test_broken_json_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(Unreadable, match=r"^The file is not JSON: .*(line|character|twice)"):
        open_json(text.encode())


def test_json_lines_of_which_one_is_broken_lose_that_line_alone() -> None:
    lines = [json.dumps(row) for row in RECORDS]
    found, study = read("\n".join(["{broken", *lines]), "a.jsonl")

    assert (found.refused, len(study.questions)) == (1, 4)
