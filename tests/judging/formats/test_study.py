"""From a frame and its mapping to the five frames of a study."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.formats.frames import Problem, Study
from judging.formats.mapping import Mapping, mapping_from
from judging.formats.study import study_from_frame
from tests.judging.imports.tables import frame, table

OWL = "Owls hunt at night. At night, owls see mice."
# the role of each column that tests call by a letter
ROLES = {
    "p": "passage", "a": "answer", "n": "answer_start", "sentence": "sentence", "i": "source_id",
    "t": "target_type", "s": "system", "q": "question", "k": "key", "j": "rater", "note": "note",
    "r1": "reference", "r2": "reference", "pos": "position", "c": "criterion", "v": "value",
    "m": "metadata", "sm": "source_metadata", "jm": "rating_metadata", "modality": "modality",
    "mark": "mark", "start": "mark_start", "end": "mark_end", "text": "mark_text", "l": "language",
}  # fmt: skip


def study(*lines: str, problems: tuple[Problem, ...] = (), **options: Any) -> Study:
    """Return the study in lines whose header gives each column's role: a letter of `ROLES`, `f@A`
    for ratings of fluency by A, `f` for those of the rater of the row, `b` for BLEU."""
    made = table(*lines)
    return study_from_frame(made, mapping(made.columns, **options), problems)


def mapping(names: Any, **options: Any) -> Mapping:
    columns = {}
    for name in names:
        if name == "b":
            columns[name] = {"role": "metric", "name": "BLEU", "direction": "higher"}
        elif name.partition("@")[0] in ("f", "g"):
            criterion = {"f": "fluency", "g": "grammar"}[name[0]]
            rater = name.partition("@")[2]
            role = "llm_judge" if rater == "gpt" else "ratings"
            columns[name] = {"role": role, "name": criterion, "rater": rater}
        else:
            columns[name] = {"role": ROLES[name]}
    return mapping_from({"columns": columns, **options})


def said(found: Study, kind: str = "row") -> list[tuple[int, str, str]]:
    return [(each.row, each.column, each.reason) for each in found.problems if each.kind == kind]


def lines_of(frame: Any, *columns: str) -> list[str]:
    """Return the cells of each row on one line."""
    return [" ".join(map(str, row)) for row in frame[list(columns)].to_numpy().tolist()]


def ratings(found: Study, *columns: str) -> list[str]:
    return lines_of(found.ratings, *columns)


def questions(found: Study, *columns: str) -> list[str]:
    return lines_of(found.questions, *columns)


# -- sources ------------------------------------------------------------------------------------


def test_rows_with_the_same_input_share_a_source() -> None:
    found = study(
        "p|a|t|s|q", "x|1|who|A|q1", "x|1|who|B|q2", "x|1|when|A|q3", "x|2|who|A|q4", "y|1|who|A|q5"
    )
    assert list(found.questions["source"]) == [0, 0, 1, 2, 3]
    assert list(found.sources["key"]) == ["1", "2", "3", "4"]
    assert found.expected == {(source, system): 1 for source in range(4) for system in "AB"}


def test_answer_in_two_places_makes_two_sources() -> None:
    found = study(
        "p|a|n|sentence|q",
        f"{OWL}|night|13|Owls hunt at night.|q1",
        f"{OWL}|night|23|At night, owls see mice.|q2",
    )
    assert list(found.sources["answer_start"]) == [13, 23]
    assert list(found.sources["sentence_start"]) == [0, 20]


def test_answer_in_doubt_is_asked_about_once() -> None:
    found = study("p|a|s|q", f"{OWL}|night|A|q1", f"{OWL}|night|B|q2")

    [problem] = found.problems
    assert (problem.kind, problem.row, problem.column, problem.value) == ("ask", 2, "a", "night")
    assert (problem.source_key, problem.choices) == ("1", (13, 23))
    assert found.sources["answer_start"][0] is None
    assert found.rows_kept == 2


@pytest.mark.parametrize(
    ("options", "start"),
    [
        ({"first_start": True}, 13),
        ({"starts": {"1": 23}}, 23),
        ({"first_start": True, "starts": {"1": 23}}, 23),
    ],
)
def test_answer_in_doubt_is_where_the_mapping_says(options, start) -> None:
    found = study("p|a|q", f"{OWL}|night|q1", **options)

    assert found.sources["answer_start"][0] == start
    assert found.problems == []


def test_start_of_a_source_that_the_file_lacks_is_told() -> None:
    found = study("p|a|q", f"{OWL}|night|q1", starts={"1": 23, "7": 4})

    assert said(found, "warning") == [
        (0, "a", "A start is chosen for source “7”, which the file lacks.")
    ]


@pytest.mark.parametrize(
    ("lines", "kind", "problem"),
    [
        (("p|a|q", f"{OWL}|foxes|q1"), "warning", (2, "a", "Answer not found in the passage")),
        (("p|a|n|q", f"{OWL}|night|here|q1"), "row", (2, "n", "The start of an answer is a whole number")),
        (("s|q", "A|q1", " |q2"), "row", (3, "s", "The row names no system.")),
        (("i|q", "1|q1", "|q2"), "row", (3, "i", "The row names no source.")),
        (("i|p|q", "z|x|q1", "z|y|q2"), "row", (3, "p", "Source “z” has another passage in row 2.")),
        (("q|l", "q1|row 1"), "warning", (2, "l", "This is no language tag")),
        (("q|f@A|jm", "q1||x"), "warning", (0, "jm", "This is about ratings, of which the file has none")),
    ],
)  # fmt: skip
def test_row_that_cannot_be_used_as_it_is_says_why(lines, kind, problem) -> None:
    [(row, column, reason)] = said(study(*lines), kind)

    assert (row, column) == problem[:2]
    assert reason.startswith(problem[2])


def test_passage_and_system_may_be_absent() -> None:
    found = study("q|r1", "q1|g1", "q2|g1", "q3|g2")

    assert list(found.sources["references"]) == [["g1"], ["g2"]]
    assert found.expected == {(0, "unnamed"): 2, (1, "unnamed"): 1}
    assert set(study("q", "q1", system="T5").questions["system"]) == {"T5"}


def test_questions_without_input_are_sources_of_their_own() -> None:
    assert list(study("q", "q1", "q2").questions["source"]) == [0, 1]


@pytest.mark.parametrize("header", ["k|q|j|f", "m|q|j|f"])
def test_question_rated_by_several_is_one_source_although_nothing_else_is_given(header) -> None:
    found = study(header, "1|Why?|ha|3", "1|Why?|uw|2", "2|Who?|ha|1")

    assert ratings(found, "source", "rater") == ["0 ha", "0 uw", "1 ha"]
    assert len(found.questions) == 2


def test_source_id_joins_rows_and_blank_cells_repeat_its_first() -> None:
    found = study("i|p|s|q", "z1|x|A|q1", "z1||B|q2", "z1|y|C|q3", "|x|D|q4")

    assert (list(found.sources["key"]), list(found.sources["passage"])) == (["z1"], ["x"])
    assert [row for row, _, _ in said(found)] == [4, 5]
    assert (found.rows_read, found.rows_kept) == (4, 2)


def test_references_come_from_several_columns_and_json_lists() -> None:
    found = study("p|q|r1|r2", 'x|q1|["a", "b"]|c', "x|q2|a|[sic] d", "x|q3||[")

    assert found.sources["references"][0] == ["a", "b", "c", "[sic] d", "["]


def test_metadata_is_kept_where_it_belongs() -> None:
    found = study("p|q|j|f|m|sm|jm", "x|q1|ha|3|a|b|c", "x|q1|uw|2|a|b|d")

    assert list(found.sources["metadata"]) == [{"sm": "b"}]
    assert list(found.questions["metadata"]) == [{"m": "a"}]
    assert list(found.ratings["metadata"]) == [{"jm": "c"}, {"jm": "d"}]


def test_metadata_that_differs_is_said_once() -> None:
    found = study("p|q|m|j|f", "x|q1|a|ha|3", "x|q1|b|uw|2", "x|q1|c|xy|2")

    [(row, column, reason)] = said(found, "warning")
    assert (row, column) == (3, "m")
    assert "call it metadata of the rating" in reason


# -- questions ------------------------------------------------------------------------------------


def test_positions_are_counted_in_the_order_of_the_file() -> None:
    found = study("p|s|q", "x|A|q1", "y|A|q2", "x|A|q3", "x|B|q4")

    assert questions(found, "source", "system", "position") == ["0 A 1", "1 A 1", "0 A 2", "0 B 1"]
    assert found.expected == {(0, "A"): 2, (0, "B"): 2, (1, "A"): 1, (1, "B"): 1}


@pytest.mark.parametrize("position", ["0", "-1", "1.5", "one", "", "²", "9" * 30])
def test_position_that_is_none_refuses_the_row(position) -> None:
    found = study("pos|q", f"{position}|q1")

    assert said(found) == [(2, "pos", "A position is a whole number from 1.")]
    assert found.sources.empty


def test_repeated_rows_that_are_all_refused_are_not_asked_about() -> None:
    found = study("p|s|q|i", "x|A|q1|1", "y|A|q2|1", "y|A|q2|1")

    assert [row for row, _, _ in said(found)] == [3, 4]
    assert said(found, "warning") == []


def test_filled_slot_is_refused_unless_the_row_repeats_it() -> None:
    found = study("p|s|pos|q", "x|A|1|q1", "x|A|1|q1", "x|A|1|other", "x|A|2|q1")

    assert said(found) == [(4, "q", "Position 1 of system “A” holds the question of row 2.")]
    assert list(found.questions["position"]) == [1, 2]


@pytest.mark.parametrize(
    ("lines", "options", "reason"),
    [
        (("p|q", "x|1", "x|2", "x|3"), {"expected": 2}, "System “unnamed” is expected to return only 2"),
        (("p|pos|q", "x|1|a", "x|2|a", "x|3|q"), {"expected": 2}, "System “unnamed” is expected to return only 2"),
        (("p|pos|q", "x|1|a", "x|1|a", "x|999999999|q"), {}, "System “unnamed” can return only 10,000 questions"),
    ],
)  # fmt: skip
def test_questions_beyond_the_expected_are_refused(lines, options, reason) -> None:
    found = study(*lines, **options)

    [(row, _, why)] = said(found)

    assert (row, why.startswith(reason)) == (4, True)
    assert len(found.sources) == 1


def test_column_of_questions_for_each_system_becomes_a_row_for_each() -> None:
    columns = {"p": {"role": "passage"}, "i": {"role": "source_id"}}
    columns |= {name: {"role": "question_of", "name": name.upper()} for name in ("t5", "bart")}
    made = table("i|p|t5|bart", "1|x|Who?|What?", "2|y|Why?|", "|z|How?|When?")

    found = study_from_frame(made, mapping_from({"columns": columns}))

    assert questions(found, "source", "system", "text", "row") == [
        "0 T5 Who? 2",
        "0 BART What? 2",
        "1 T5 Why? 3",
        "1 BART None 3",
    ]
    assert said(found)[0] == (4, "i", "The row names no source.")
    assert (found.rows_read, found.rows_kept) == (3, 2)


REPEATED = ("r1|q|f@1|f@2", "a|q1|3|2", "a|q2|1|1", "a|q1|3|2", "b|q3|2|2", "a|q1|3|2")


def test_rows_that_repeat_one_are_kept_as_questions_and_asked_about() -> None:
    found = study(*REPEATED)

    assert questions(found, "source", "position") == ["0 1", "0 2", "0 3", "1 1", "0 4"]
    assert len(found.ratings) == 10
    assert "2 rows (4, 6) repeat an earlier row cell for cell" in said(found, "repeat")[0][2]


def test_rows_that_repeat_one_may_be_further_ratings() -> None:
    found = study(*REPEATED, repeats="ratings")

    assert len(found.questions) == 3
    of_first = found.ratings[found.ratings["question"] == 0]
    assert of_first["repeat"].tolist() == [1, 1, 2, 2, 3, 3]
    assert found.problems == []


def test_rows_that_repeat_one_are_refused_if_they_are_mistakes() -> None:
    found = study(*REPEATED, repeats="mistakes")

    assert (len(found.questions), len(found.ratings), found.rows_kept) == (3, 6, 3)
    assert [row for row, _, _ in said(found)] == [4, 6]
    assert found.lost == {("fluency", "mistake"): 4}


# -- ratings ----------------------------------------------------------------------------------------


def test_ratings_come_from_columns_of_one_person() -> None:
    found = study("q|f@1|f@2|f@gpt", "q1|3| 31 |2", "q2||x|")

    assert ratings(found, "question", "rater", "is_judge", "value", "row", "column") == [
        "0 1 False 3 2 f@1",
        "0 2 False 31 2 f@2",
        "0 gpt True 2 2 f@gpt",
        "1 2 False x 3 f@2",
    ]


def test_ratings_come_from_a_row_for_each_person() -> None:
    found = study(
        "p|q|j|f|note", "x|q1|ha|3|", "x|q2|ha|2|odd", "x|q2|uw|1|", "x|q1|uw|2|", "x|q1|uw|3|", "x|q1||3|who"
    )  # fmt: skip
    assert questions(found, "position", "text") == ["1 q1", "2 q2"]
    assert ratings(found, "question", "rater", "value", "repeat") == [
        "0 ha 3 1",
        "1 ha 2 1",
        "1 uw 1 1",
        "0 uw 2 1",
        "0 uw 3 2",
    ]
    assert found.notes[["question", "rater", "text"]].to_numpy().tolist() == [[1, "ha", "odd"]]
    assert said(found, "value") == [
        (7, "f", "The rating names no annotator."),
        (7, "note", "The note names no annotator."),
    ]
    assert found.lost == {("fluency", "unnamed"): 1}


def test_ratings_come_one_to_a_row_and_rate_sets_too() -> None:
    found = study(
        "i|s|pos|q|j|c|v",
        "z|A|1|q1|ha|fluency|3",
        "z|A|1|q1|ha|relevance|2",
        "z|A|||ha|diversity|1",
        "z|A|1|q9|uw|fluency|3",
        "z|A|2||ha||3",
        "z|A||q3|ha|fluency|3",
    )
    assert ratings(found, "question", "criterion", "value") == [
        "0 fluency 3",
        "0 relevance 2",
        "None diversity 1",
    ]
    assert questions(found, "position", "text") == ["1 q1", "2 None"]
    assert [row for row, _, _ in said(found)] == [5, 7]
    assert said(found, "value") == [(6, "v", "The rating names no criterion.")]


def test_second_rating_by_one_person_is_refused_if_it_is_a_mistake() -> None:
    lines = ("q|j|f", "q1|ha|3", "q1|uw|2", "q1|ha|1")

    assert list(study(*lines).ratings["repeat"]) == [1, 1, 2]
    once = study(*lines, repeats="mistakes")
    assert ratings(once, "rater", "value") == ["ha 3", "uw 2"]
    assert once.lost == {("fluency", "mistake"): 1}


def test_rounds_are_repeats_of_a_rating() -> None:
    made = table("q|f@A|again", "q1|3|2")
    data = mapping(["q", "f@A"]).as_data()
    again = {"role": "ratings", "name": "fluency", "rater": "A", "round": 2}
    found = study_from_frame(made, mapping_from({"columns": {**data["columns"], "again": again}}))

    assert ratings(found, "rater", "value", "repeat") == ["A 3 1", "A 2 2"]
    assert found.problems == []


def test_words_become_their_points_and_blank_points_exclude() -> None:
    points = {"fluency": {"good": "3", "odd": ""}}
    found = study("q|f@A|g@A", "q1|good|good", "q2|odd|2", points=points)

    assert ratings(found, "criterion", "value") == ["fluency 3", "grammar good", "grammar 2"]
    assert found.lost == {("fluency", "word"): 1}


def test_raters_of_rows_may_be_language_models_or_excluded() -> None:
    lines = ("q|j|f", "q1|ha|3", "q1|gpt|2", "q1|mean|2.5")
    found = study(*lines, raters={"gpt": "llm_judge", "mean": "exclude"})

    assert ratings(found, "rater", "is_judge") == ["ha False", "gpt True"]


def test_one_spelling_joins_people_and_systems() -> None:
    lines = ("q|s|j|f", "q1|T5|Anna|3", "q1| t5|anna|2", "q2|T5|Anna|1")

    assert set(study(*lines).ratings["rater"]) == {"Anna", "anna"}
    joined = study(*lines, one_spelling=True)
    assert set(joined.ratings["rater"]) == {"Anna"}
    assert set(joined.questions["system"]) == {"T5"}


def test_rows_that_are_left_out_are_counted() -> None:
    found = study("q|j|f|m", "q1|ha|3|Rejected", "q1|uw|2|ok", exclude_rows={"m": ["rejected"]})

    assert ratings(found, "rater") == ["uw"]
    assert said(found, "warning") == [(0, "m", "1 row with “rejected” in this column is excluded.")]


def test_words_for_missing_are_blank_but_in_free_text() -> None:
    found = study(
        *("p|q|a|f@1|b", "x|q1|none|3|NaN", "x| N/A |y|?|0.5", "?|q3|z|NaN|"),
        blanks=["nan", "n/a", "?", "none"],
    )
    assert list(found.questions["text"]) == ["q1", None, "q3"]
    assert lines_of(found.sources, "passage", "answer") == ["x none", "x y", "? z"]
    assert lines_of(found.scores, "question", "value") == ["1 0.5"]
    assert ratings(found, "value") == ["3"]


@pytest.mark.parametrize(
    ("numbers", "cells", "read"),
    [
        ("comma", ["2,5", "3", "x,y"], ["2.5", "3", "x,y"]),
        ("point_thousands", ["1,203.5", "3"], ["1203.5", "3"]),
        ("comma_thousands", ["1.203,5", "3"], ["1203.5", "3"]),
        ("point", ["2,5"], ["2,5"]),
    ],
)
def test_numbers_are_read_as_the_mapping_says(numbers, cells, read) -> None:
    found = study("q|f@1", *(f"q{n}|{cell}" for n, cell in enumerate(cells)), numbers=numbers)

    assert list(found.ratings["value"]) == read


def test_rows_in_quarantine_count_as_lost_ratings() -> None:
    closed = Problem(row=9, column="", value="x", reason="The row has 2 cells.")
    found = study("s|q|f@A|g@A", "A|q1|3|2", "|q2|1|1", problems=(closed,))

    assert found.lost == {("fluency", "refused_row"): 2, ("grammar", "refused_row"): 2}
    assert (found.rows_read, found.rows_kept) == (3, 1)


# -- scores and marks -------------------------------------------------------------------------------


def test_scores_keep_their_digits_and_others_are_said() -> None:
    cells = ("0.10000000000000000555", "", "NaN", "0,5", " 1e-3 ", "1e999", "-")
    found = study("q|b", *(f"q{n}|{cell}" for n, cell in enumerate(cells)))

    assert list(found.scores["value"]) == ["0.10000000000000000555", "1e-3"]
    assert set(found.scores["name"]) == {"BLEU"}
    assert [row for row, _, _ in said(found, "value")] == [4, 5, 7, 8]
    assert "decimals with a comma" in said(found, "value")[1][2]
    assert found.rows_kept == 7


def test_scores_of_a_question_with_a_row_for_each_person_must_agree() -> None:
    found = study("q|j|f|b", "q1|ha|3|0.5", "q1|uw|2|0.5", "q1|xy|2|0.6")

    assert list(found.scores["value"]) == ["0.5"]
    assert said(found, "value") == [(4, "b", "An earlier row gives this question another score.")]


MARKS = "p|q|j|mark|start|end|text"


def test_spans_and_nothing_are_marks_of_their_raters() -> None:
    found = study(
        *(MARKS, "Owls hunt.|Who?|ha|span|0|4|Owls", "Owls hunt.|Who?|ha||5|9|"),
        "Owls hunt.|Who?|uw|none|||",
    )
    assert lines_of(found.notes, "rater", "kind", "start", "end", "row") == [
        *("ha span 0 4 2", "ha span 5 9 3", "uw nothing None None 4")
    ]
    assert found.problems == []


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("Owls hunt.|Who?|ha|span|0|4|Mice", "There the passage says “Owls”."),
        ("Owls hunt.|Who?|ha|span|0|40|", "The span ends beyond the passage, which has 10 characters."),
        ("Owls hunt.|Who?|ha|span|4|4|", "The span is empty."),
        ("Owls hunt.|Who?|ha|span|-1|4|", "A span is two whole numbers, counted in characters from 0."),
        ("Owls hunt.|Who?|ha|box|0|4|", "A mark is “span” or “none”."),
        ("Owls hunt.|Who?||span|0|4|", "The mark names no annotator."),
        ("|Who?|ha|span|0|4|", "There is no passage to mark in."),
    ],
)  # fmt: skip
def test_span_that_cannot_be_is_said_with_its_row(row, reason) -> None:
    found = study(MARKS, row)

    assert found.notes.empty
    assert said(found, "value") == [(2, "start", reason)]


def test_annotator_who_marks_a_span_and_says_that_nothing_answers_is_said() -> None:
    found = study(MARKS, "Owls hunt.|Who?|ha|span|0|4|", "Owls hunt.|Who?|ha|none|||")

    assert list(found.notes["start"]) == [0]
    assert [row for row, _, _ in said(found, "value")] == [3]


CELL = st.sampled_from(["", " ", "1", "2", "x", "night", OWL, "A", "NaN", "0.5", "[1]"])


@given(st.lists(st.tuples(*[CELL] * 9), max_size=12), st.booleans(), st.none() | st.integers(1, 2))
def test_every_row_is_kept_or_refused(cells, long, expected) -> None:
    names = ["i" if expected else "m", "p", "a", "s", "pos" if long else "sm", "q"]
    names += ["j" if long else "jm", "f" if long else "f@1", "b"]
    made = frame({name: [row[place] for row in cells] for place, name in enumerate(names)})
    found = study_from_frame(made, mapping(names, expected=expected))

    refused = {row for row, _, _ in said(found)}
    assert len(refused) == found.rows_read - found.rows_kept
    slots = list(
        zip(*(found.questions[name] for name in ("source", "system", "position")), strict=True)
    )
    assert len(set(slots)) == len(slots)
    assert all(position <= found.expected[source, system] for source, system, position in slots)
    pairs = zip(found.ratings["source"], found.ratings["system"], strict=True)
    assert found.expected.keys() >= set(pairs)
    assert all(question in found.questions.index for question in found.scores["question"])
