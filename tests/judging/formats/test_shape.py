"""Sheets and trees become one frame, and steps change its shape and say so."""

import json
from typing import Any

import pandas as pd
import pytest

from judging.formats.frames import FileSheet, Opened, Unreadable
from judging.formats.mapping import Mapping
from judging.formats.open import open_file
from judging.formats.shape import ChangedShape, offered_repairs, reshape, structure_in, tabulate

NOTHING = Mapping()


def table(*rows: list[str], header: str) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=header.split(), index=range(2, len(rows) + 2), dtype=object)


def cells(frame: pd.DataFrame) -> list[list[str]]:
    """Return the header and the rows, and check that every cell is text."""
    found = [list(frame.columns), *frame.to_numpy().tolist()]
    assert all(isinstance(cell, str) for row in found for cell in row)
    return found


def from_json(value: Any) -> list[list[str]]:
    data = value if isinstance(value, str) else json.dumps(value)
    return cells(tabulate(open_file("a.json", data.encode(), NOTHING), NOTHING))


def shaped(frame: pd.DataFrame, **given: Any) -> tuple[list[list[str]], list[ChangedShape]]:
    changed, done = reshape(frame, Mapping(**given))
    return cells(changed), done


PAIR = [["system", "question"], ["a", "Who?"], ["b", "Why?"]]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([{"system": "a", "question": "Who?"}, {"system": "b", "question": "Why?"}], PAIR),
        (
            {"data": [{"system": "a", "question": "Who?"}, {"system": "b", "question": "Why?"}]},
            PAIR,
        ),
        ({"system": {"0": "a", "1": "b"}, "question": {"0": "Who?", "1": "Why?"}}, PAIR),
        ({"system": ["a", "b"], "question": ["Who?", "Why?"]}, PAIR),
        ({"columns": ["system", "question"], "index": [0, 1], "data": PAIR[1:]}, PAIR),
        (PAIR, PAIR),
        ({"a": [{"question": "Who?"}], "b": [{"question": "Why?"}]}, PAIR),
        (
            {"q1": {"system": "a", "question": "Who?"}, "q2": {"system": "b", "question": "Why?"}},
            [["id", "system", "question"], ["q1", "a", "Who?"], ["q2", "b", "Why?"]],
        ),
        (
            {"q1": "Who?", "q2": "Why?", "q3": None, "q4": "How?"},
            [["id", "prediction"], ["q1", "Who?"], ["q2", "Why?"], ["q3", ""], ["q4", "How?"]],
        ),
        (
            {"S1": {"q1": "Who?", "q2": "Why?"}, "S2": {"q1": "How?", "q2": "When?"}},
            [["source_id", "S1", "S2"], ["q1", "Who?", "How?"], ["q2", "Why?", "When?"]],
        ),
        (
            {"S1": ["Who?", "Why?"], "S2": ["How?", "When?"]},
            [["source_id", "S1", "S2"], ["1", "Who?", "How?"], ["2", "Why?", "When?"]],
        ),
        ({"question": "Who?", "meta": {"n": 1}}, [["question", "meta.n"], ["Who?", "1"]]),
    ],
)
def test_json_of_every_orientation_becomes_rows(value: Any, expected: list[list[str]]) -> None:
    assert from_json(value) == expected


def test_json_lists_of_objects_are_rows_with_the_outer_fields_repeated() -> None:
    value = [
        {"passage": "P", "questions": [{"text": "Who?", "by": {"name": "a"}}, {"text": "Why?"}]},
        {"passage": "Q", "questions": []},
    ]
    assert from_json(value) == [
        ["passage", "questions.text", "questions.by.name", "questions"],
        ["P", "Who?", "a", ""],
        ["P", "Why?", "", ""],
        ["Q", "", "", "[]"],
    ]


def test_json_objects_by_system_are_rows() -> None:
    gen = {"a": {"text": "Who?", "score": [3, 4]}, "b": {"text": "Why?", "score": [1, 2]}}
    opened = open_file("a.json", json.dumps({"0": {"gen": gen}}).encode(), NOTHING)
    header, *rows = shaped(tabulate(opened, NOTHING))[0]
    assert header == ["id", "gen.system", "gen.text", "gen.score (1)", "gen.score (2)"]
    assert rows == [["0", "a", "Who?", "3", "4"], ["0", "b", "Why?", "1", "2"]]
    assert from_json({"q": "Who?", "scores": {"f": {"x": 1}, "g": {"x": 2}}})[0][1] == "scores.f.x"


def test_json_of_two_lists_beside_each_other_makes_no_pairs() -> None:
    value = [{"question": "Who?", "expert": [{"f": 1}], "crowd": [{"f": 2}, {"f": 3}]}]
    opened = open_file("a.json", json.dumps(value).encode(), NOTHING)
    found, done = shaped(tabulate(opened, NOTHING))
    expert = '[{"f": "1"}]'
    assert found[1:] == [["Who?", expert, "2"], ["Who?", expert, "3"]]
    assert done == [] and "“expert” beside it stays JSON" in opened.notes[0]


def test_xml_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(Unreadable, match="not of a kind that is known"):
        tabulate(open_file("a.xml", b"<all><q>Who?</q></all>", NOTHING), NOTHING)


def test_sheets_that_look_alike_are_one_frame() -> None:
    help_sheet = FileSheet(name="Help", frame=table(["x"], header="Read"))
    ann, ben = (
        FileSheet(name=name, frame=table(["Who?", "3"], header="q f")) for name in ("Ann", "Ben")
    )
    opened = Opened(kind="workbook", sheets=[help_sheet, ann, ben])
    assert cells(tabulate(opened, NOTHING)) == [
        ["sheet", "q", "f"],
        ["Ann", "Who?", "3"],
        ["Ben", "Who?", "3"],
    ]
    assert opened.notes == ["2 of 3 sheets are read: “Ann” and “Ben”."]
    assert cells(tabulate(opened, Mapping(as_is=("sheets",))))[0] == ["q", "f"]
    both = Opened(kind="workbook", sheets=[help_sheet, ann])
    assert cells(tabulate(both, Mapping(sheets=("Help", "Ann"))))[0] == ["sheet", "Read", "q", "f"]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ('["a", 1.50, null]', ["a", "1.50", None]),
        ("['a', \"b's\", 2]", ["a", "b's", "2"]),
        ("['a'\n 'b']", ["a", "b"]),
        ("[1 2 3]", ["1", "2", "3"]),
        ("(1, 2)", ["1", "2"]),
        ("{'text': array(['x'], dtype=object), 'n': np.int64(3)}", {"text": ["x"], "n": "3"}),
        ("array([1.5, nan], dtype='<f8')", ["1.5", None]),
        ("[EMPTY]", None),
        ("(in winter)", None),
        ("[__import__('os').getcwd()]", None),
        ("[" * 300 + "]" * 300, None),
        ("", None),
    ],
)
def test_structure_in_a_cell_is_read_and_never_evaluated(cell: str, value: object) -> None:
    assert structure_in(cell) == value or len(cell) == 600


@pytest.mark.parametrize(
    ("header", "rows", "expected"),
    [
        ("references", [["['a?', 'b?']"], ["['c?']"]], [['["a?", "b?"]'], ['["c?"]']]),
        ("reference", [["a? | b?"], ["c?"]], [['["a?", "b?"]'], ['["c?"]']]),
        ("answer", [["['x']"], ["array(['y'], dtype=object)"]], [["x"], ["y"]]),
        ("fluency", [["[3, 4]"], ["[1, 2]"]], [["3", "4"], ["1", "2"]]),
        (
            "fluency",
            [["['good' 'bad']"], ["['good', 'good']"]],
            [["good", "bad"], ["good", "good"]],
        ),
        ("questions", [["['Who?', 'Why?']"], ["[]"]], [["Who?"], ["Why?"], [""]]),
        ("meta", [["{'a': 1}"], ["{'b': 2}"]], [["1", ""], ["", "2"]]),
        ("r", [["[{'f': 1}, {'f': 2}]"], ["[{'f': 3}]"]], [["1"], ["2"], ["3"]]),
        (
            "answers",
            [
                ["{'text': ['x', 'y'], 'answer_start': [2, 5]}"],
                ["{'text': [], 'answer_start': []}"],
            ],
            [["x", "2"], ["", ""]],
        ),
        ("questions f", [["['A?', 'B?']", "[1, 2]"]], [["[1, 2]", "A?"], ["[1, 2]", "B?"]]),
    ],
)
def test_lists_in_cells_are_opened(
    header: str, rows: list[list[str]], expected: list[list[str]]
) -> None:
    found, [done] = shaped(table(*rows, header=header))
    assert found[1:] == expected
    assert done.step == "lists" and done.sentence.startswith(f"In column “{header.split()[0]}”, ")


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("references", [['["a", "b"]'], ['["c"]']]),
        ("question", [["[EMPTY]"], ["Who?"]]),
        ("passage", [["a | b"], ["c | d"]]),
        ("answer_start", [["[22, 45, 7]"], ["[3, 4, 5]"]]),
    ],
)
def test_lists_that_need_no_opening_stay(header: str, rows: list[list[str]]) -> None:
    assert shaped(table(*rows, header=header))[1] == []


def test_step_can_be_excluded() -> None:
    frame = table(["[3, 4]"], ["[1, 2]"], header="fluency")
    assert shaped(frame, as_is=["lists"]) == ([["fluency"], ["[3, 4]"], ["[1, 2]"]], [])


@pytest.mark.parametrize(
    ("last", "label"),
    [
        (["", "Average", "", "2.25", "2"], "“Average”"),
        (["Total", "", "", "9", "8"], "“Total”"),
        (["", "Cohen kappa", "", "0.41", ""], "“Cohen kappa”"),
        (["", "", "", "3", "1"], ""),
        (["p3", "Mean", "Who?", "2", "2"], ""),
    ],
)
def test_row_of_totals_at_the_end_is_excluded(last: list[str], label: str) -> None:
    rated = [["p1", "a", "Who?", "3", "2"], ["p1", "b", "Why?", "1", "1"]]
    rated += [["p2", "a", "How?", "3", "3"], ["p2", "b", "When?", "2", "2"]]
    found, done = shaped(table(*rated, last, header="id system question fluency relevance"))
    assert len(found) == (5 if label else 6)
    said = [f"Rows of totals were excluded: row 6 ({label})."] if label else []
    assert [each.sentence for each in done] == said


def test_annotator_called_max_is_no_total() -> None:
    rows = [[str(n), rater, "3"] for n in range(4) for rater in ("Max", "Eva")]
    assert shaped(table(*rows, header="n rater fluency"))[1] == []


def test_percent_signs_are_removed_and_their_columns_named() -> None:
    frame = table(["61%", "5%"], ["12.5 %", "x"], ["3%", ""], header="bleu note")
    found, [done] = shaped(frame)
    assert found[1:] == [["61", "5%"], ["12.5", "x"], ["3", ""]]
    assert done == ChangedShape("percent", "Percent signs were removed in “bleu”.", ("bleu",))


def test_cells_that_merged_ones_leave_blank_are_filled_from_above() -> None:
    header = "passage answer reference question fluency"
    rows = [
        ["The owl sits on an oak.", "oak", "R1?", "Who?", "3"],
        ["", "", "", "Why?", ""],
        ["Tea grows on the hills.", "hills", "R2?", "How?", "1"],
        ["", "", "", "When?", ""],
    ]
    found, [done] = shaped(table(*rows, header=header))
    assert [row[:3] for row in found[2:4]] == [
        ["The owl sits on an oak.", "oak", ""],
        ["Tea grows on the hills.", "hills", "R2?"],
    ]
    assert [row[4] for row in found[1:]] == ["3", "", "1", ""]
    assert "“passage” and “answer” were filled from the cell above, in 2 rows" in done.sentence


def test_cells_that_are_blank_here_and_there_are_not_filled() -> None:
    rows = [[f"The owl number {n} sits there.", "Who?"] for n in range(6)]
    rows[3][0] = ""
    assert shaped(table(*rows, header="passage question"))[1] == []
    rows = [[f"The owl number {n // 2}.", "" if n % 2 else "Who is it really?"] for n in range(6)]
    assert shaped(table(*rows, header="passage question"))[1] == []


def test_repairs_are_offered_and_made_on_request() -> None:
    frame = table(["Caf&eacute; &amp; Bar", "3"], ["cafÃ© â€œZÃ¼richâ€\x9d", "1"], header="q f")
    assert [each.sentence for each in offered_repairs(frame)] == [
        "HTML entities such as “&eacute;” occur in 1 cell.",
        "Letters in a wrong encoding such as “Ã©” occur in 1 cell.",
    ]
    assert shaped(frame)[1] == []
    found, done = shaped(frame, repairs=["entities", "mojibake"])
    assert found[1:] == [["Café & Bar", "3"], ["café “Zürich”", "1"]]
    assert [each.columns for each in done] == [("q",), ("q",)]
    assert offered_repairs(table(["Größe & Ähnliches…”"], header="q")) == []
