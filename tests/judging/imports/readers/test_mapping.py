"""From table and columns to a study."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.imports.readers.columns import BadColumns, ColumnRoles, RatingColumn
from judging.imports.readers.guessing import guess
from judging.imports.readers.mapping import to_study
from judging.imports.readers.packing import pack, unpack
from judging.imports.readers.records import ProblemKind, RepeatedRow, ScoreColumn, StudyRecords
from judging.imports.readers.registry import FORMAT
from judging.imports.readers.tables import Row, RowTable, read_delimited
from tests.shared_data import path

OWL = "Owls hunt at night. At night, owls see mice."


def table(*lines: str) -> RowTable:
    header, *rows = [tuple(line.split("|")) for line in lines]
    found = tuple(Row(number, cells) for number, cells in enumerate(rows, 2))
    return RowTable(header=header, rows=found, problems=(), rows_read=len(found))


def said(study: StudyRecords, kind: ProblemKind = "row") -> list[tuple[int, str, str]]:
    return [(problem.row, problem.column, problem.reason) for problem in study.problems_of(kind)]


def test_rows_with_the_same_given_share_a_source() -> None:
    rows = table(
        "p|a|t|s|q", "x|1|who|A|q1", "x|1|who|B|q2", "x|1|when|A|q3", "x|2|who|A|q4", "y|1|who|A|q5"
    )
    study = to_study(
        rows, ColumnRoles(passage="p", answer="a", target_type="t", system="s", question="q")
    )
    assert [question.source_key for question in study.questions] == ["1", "1", "2", "3", "4"]
    assert study.expected == {(key, system): 1 for key in "1234" for system in "AB"}
    assert study.missing == {"A": 0, "B": 3}


def test_sets_that_are_not_crossed_expect_only_what_is_there() -> None:
    rows = table("p|s|q", "x|A|q1", "y|B|q2")
    study = to_study(rows, ColumnRoles(passage="p", system="s", question="q", crossed=False))
    assert study.expected == {("1", "A"): 1, ("2", "B"): 1}


def test_an_answer_in_two_places_makes_two_sources() -> None:
    rows = table(
        "p|a|n|q", f"{OWL}|night|Owls hunt at night.|q1", f"{OWL}|night|At night, owls see mice.|q2"
    )
    study = to_study(rows, ColumnRoles(passage="p", answer="a", sentence="n", question="q"))
    assert [
        (source.key, source.answer_start, source.sentence_start) for source in study.sources
    ] == [
        ("1", 13, 0),
        ("2", 23, 20),
    ]


def test_an_answer_in_doubt_is_asked_about_once() -> None:
    rows = table("p|a|s|q", f"{OWL}|night|A|q1", f"{OWL}|night|B|q2")
    columns = ColumnRoles(passage="p", answer="a", system="s", question="q")
    study = to_study(rows, columns)
    (problem,) = study.problems_of("ask")
    assert (problem.row, problem.column, problem.value) == (2, "a", "night")
    assert (problem.source_key, problem.choices) == ("1", (13, 23))
    assert study.sources[0].answer_start is None
    assert study.rows_kept == 2


@pytest.mark.parametrize(
    ("columns", "start"),
    [
        (ColumnRoles(passage="p", answer="a", question="q", when_ambiguous="first"), 13),
        (ColumnRoles(passage="p", answer="a", question="q", starts={"1": 23}), 23),
        (
            ColumnRoles(
                passage="p", answer="a", question="q", when_ambiguous="first", starts={"1": 23}
            ),
            23,
        ),
    ],
)
def test_an_answer_in_doubt_is_marked_where_the_mapping_says(
    columns: ColumnRoles, start: int
) -> None:
    study = to_study(table("p|a|q", f"{OWL}|night|q1"), columns)
    assert study.sources[0].answer_start == start
    assert study.problems == ()


def test_a_chosen_start_that_fits_nothing_is_told() -> None:
    columns = ColumnRoles(passage="p", answer="a", question="q", starts={"1": 5, "9": 1})
    study = to_study(table("p|a|q", f"{OWL}|night|q1"), columns)
    assert len(study.problems_of("ask")) == 1
    assert "“9”" in study.problems_of("warning")[0].reason


def test_an_absent_answer_is_kept_without_mark_and_told() -> None:
    study = to_study(
        table("p|a|q", f"{OWL}|foxes|q1"), ColumnRoles(passage="p", answer="a", question="q")
    )
    assert (study.sources[0].answer, study.sources[0].answer_start, study.rows_kept) == (
        "foxes",
        None,
        1,
    )
    assert said(study, "warning") == [
        (2, "a", "Answer not found in the passage; no span will be highlighted.")
    ]


def test_a_start_that_is_no_number_refuses_the_row() -> None:
    rows = table("p|a|n|q", f"{OWL}|night|here|q1", f"{OWL}|night|13|q2")
    study = to_study(rows, ColumnRoles(passage="p", answer="a", answer_start="n", question="q"))
    assert said(study) == [
        (2, "n", "The start of an answer is a whole number from 0, counted in characters.")
    ]
    assert [source.answer_start for source in study.sources] == [13]


def test_passage_and_system_may_be_absent() -> None:
    study = to_study(
        table("q|r", "q1|g1", "q2|g1", "q3|g2"), ColumnRoles(question="q", references=("r",))
    )
    assert study.systems == ("unnamed",)
    assert [(source.key, source.passage, source.references) for source in study.sources] == [
        ("1", None, ("g1",)),
        ("2", None, ("g2",)),
    ]
    assert study.expected == {("1", "unnamed"): 2, ("2", "unnamed"): 1}


def test_questions_with_nothing_given_are_sources_of_their_own() -> None:
    study = to_study(table("q", "q1", "q2"), ColumnRoles(question="q"))
    assert [question.source_key for question in study.questions] == ["1", "2"]


@pytest.mark.parametrize("key", ["id", ""])
def test_a_question_rated_by_several_is_one_source_though_nothing_else_is_given(key: str) -> None:
    rows = "id,question,rater,fluency\n1,Why?,ha,3\n1,Why?,uw,2\n2,Who?,ha,1\n"
    ratings = (RatingColumn(column="fluency", criterion="fluency"),)
    study = to_study(
        read_delimited(rows.encode()),
        ColumnRoles(question="question", rater="rater", key=key, ratings=ratings),
    )
    assert [(each.source_key, each.rater) for each in study.ratings] == [
        ("1", "ha"),
        ("1", "uw"),
        ("2", "ha"),
    ]
    assert len(study.questions) == 2


def test_a_source_id_joins_rows_and_blank_cells_repeat_what_was_said() -> None:
    rows = table("i|p|s|q", "z1|x|A|q1", "z1||B|q2", "z1|y|C|q3", "|x|D|q4")
    study = to_study(rows, ColumnRoles(source_id="i", passage="p", system="s", question="q"))
    assert [(source.key, source.passage) for source in study.sources] == [("z1", "x")]
    assert said(study) == [
        (4, "p", "Source “z1” has another passage in row 2."),
        (5, "i", "The row names no source."),
    ]
    assert (study.rows_read, study.rows_kept, study.systems) == (4, 2, ("A", "B"))


def test_a_row_without_system_is_refused() -> None:
    study = to_study(table("s|q", "A|q1", " |q2"), ColumnRoles(system="s", question="q"))
    assert said(study) == [(3, "s", "The row names no system.")]


def test_positions_are_counted_in_the_order_of_the_file() -> None:
    rows = table("p|s|q", "x|A|q1", "y|A|q2", "x|A|q3", "x|B|q4")
    study = to_study(rows, ColumnRoles(passage="p", system="s", question="q"))
    assert [(each.source_key, each.system, each.position) for each in study.questions] == [
        ("1", "A", 1),
        ("2", "A", 1),
        ("1", "A", 2),
        ("1", "B", 1),
    ]
    assert study.missing == {"A": 0, "B": 2}


def test_blank_questions_are_slots_without_question() -> None:
    study = to_study(table("p|q", "x|q1", "x|  "), ColumnRoles(passage="p", question="q"))
    assert [(question.position, question.text) for question in study.questions] == [
        (1, "q1"),
        (2, None),
    ]
    assert study.missing == {"unnamed": 1}


@pytest.mark.parametrize("position", ["0", "-1", "1.5", "one", "", "²", "9" * 30])
def test_a_position_that_is_none_refuses_the_row(position: str) -> None:
    study = to_study(table("n|q", f"{position}|q1"), ColumnRoles(position="n", question="q"))
    assert said(study) == [(2, "n", "A position is a whole number from 1.")]
    assert study.sources == ()


def test_filled_slots_are_refused_and_rows_that_repeat_one_add_nothing() -> None:
    rows = table("p|s|n|q", "x|A|1|q1", "x|A|1|q1", "x|A|1|other", "x|A|2|q1")
    study = to_study(rows, ColumnRoles(passage="p", system="s", position="n", question="q"))
    assert study.repeats == (RepeatedRow(row=3, first=2, exact=True, kept_as="nothing"),)
    assert said(study) == [
        (4, "n", "Position 1 of system “A” for source “1” holds the question of row 2."),
    ]
    assert [question.position for question in study.questions] == [1, 2]


REPEATED = table("g|q|u1|u2", "a|q1|3|2", "a|q2|1|1", "a|q1|3|2", "b|q3|2|2", "a|q1|3|2")
BY_TWO = ColumnRoles(
    question="q",
    references=("g",),
    ratings=tuple(RatingColumn(column=name, criterion="c", rater=name) for name in ("u1", "u2")),
)


def test_rows_that_repeat_one_are_kept_as_questions_and_asked_about() -> None:
    study = to_study(REPEATED, BY_TWO)
    assert [(each.source_key, each.position, each.text) for each in study.questions] == [
        ("1", 1, "q1"),
        ("1", 2, "q2"),
        ("1", 3, "q1"),
        ("2", 1, "q3"),
        ("1", 4, "q1"),
    ]
    assert (len(study.ratings), study.rows_kept, {each.repeat for each in study.ratings}) == (
        10,
        5,
        {1},
    )
    assert [(each.row, each.first, each.kept_as) for each in study.repeats] == [
        (4, 2, "question"),
        (6, 2, "question"),
    ]
    assert said(study, "warning") == [
        (
            4,
            "",
            "2 rows (4, 6) repeat an earlier row cell for cell. Such a row is kept as a question of its own; say "
            "whether that is right, or a mistake.",
        ),
    ]


def test_no_other_system_owes_what_a_row_repeats() -> None:
    rows = table("p|s|q", "x|A|q1", "x|A|q1", "x|B|q1", "y|A|q2", "y|B|q2")
    study = to_study(rows, ColumnRoles(passage="p", system="s", question="q"))
    assert study.expected == {("1", "A"): 2, ("1", "B"): 1, ("2", "A"): 1, ("2", "B"): 1}
    assert study.missing == {"A": 0, "B": 0}


def test_rows_that_repeat_one_may_be_further_ratings_of_its_question() -> None:
    study = to_study(REPEATED, replace(BY_TWO, repeats_are="ratings"))
    assert len(study.questions) == 3
    assert [
        (each.row, each.position, each.rater, each.repeat)
        for each in study.ratings
        if each.source_key == "1"
    ] == [
        (2, 1, "u1", 1),
        (2, 1, "u2", 1),
        (3, 2, "u1", 1),
        (3, 2, "u2", 1),
        (4, 1, "u1", 2),
        (4, 1, "u2", 2),
        (6, 1, "u1", 3),
        (6, 1, "u2", 3),
    ]
    assert [(each.row, each.kept_as) for each in study.repeats] == [(4, "ratings"), (6, "ratings")]
    assert study.problems == ()


def test_rows_that_repeat_one_are_left_out_only_where_somebody_calls_them_mistakes() -> None:
    study = to_study(REPEATED, replace(BY_TWO, repeats_are="mistakes"))
    assert (len(study.questions), len(study.ratings), study.rows_read, study.rows_kept) == (
        3,
        6,
        5,
        3,
    )
    assert said(study) == [
        (4, "", "The row repeats row 2 cell for cell; by the plan that is a mistake."),
        (6, "", "The row repeats row 2 cell for cell; by the plan that is a mistake."),
    ]


def test_a_rater_who_rates_a_question_again_is_kept_with_a_number() -> None:
    rows = table("q|j|v", "q1|ha|3", "q1|uw|2", "q1|ha|3", "q1|ha|1")
    columns = ColumnRoles(
        question="q", rater="j", ratings=(RatingColumn(column="v", criterion="c"),)
    )
    study = to_study(rows, columns)
    assert [(each.rater, each.value, each.repeat) for each in study.ratings] == [
        ("ha", "3", 1),
        ("uw", "2", 1),
        ("ha", "3", 2),
        ("ha", "1", 3),
    ]
    assert [(each.row, each.first, each.exact) for each in study.repeats] == [
        (4, 2, True),
        (5, 2, False),
    ]
    once = to_study(rows, replace(columns, repeats_are="mistakes"))
    assert [(each.rater, each.value) for each in once.ratings] == [("ha", "3"), ("uw", "2")]
    assert [problem.row for problem in once.problems] == [4, 5]


def test_words_for_missing_are_blank_but_in_free_text() -> None:
    rows = table("p|q|a|u1|b", "x|q1|none|3|NaN", "x| N/A |y|?|0.5", "?|q3|z|NaN|")
    columns = ColumnRoles(
        passage="p",
        question="q",
        answer="a",
        ratings=(RatingColumn(column="u1", criterion="c", rater="u1"),),
        scores=(ScoreColumn(column="b", name="b"),),
        missing_words=("nan", "n/a", "?", "none"),
    )
    study = to_study(rows, columns)
    assert [question.text for question in study.questions] == ["q1", None, "q3"]
    assert [(source.passage, source.answer) for source in study.sources] == [
        ("x", "none"),
        ("x", "y"),
        ("?", "z"),
    ]
    assert [dict(question.scores) for question in study.questions] == [{}, {"b": "0.5"}, {}]
    assert [rating.value for rating in study.ratings] == ["3"]
    assert study.problems_of("value") == ()


def test_decimal_commas_are_read_where_somebody_says_so() -> None:
    rows = table("q|u1|b", "q1|2,5|0,61", "q2|3|1.5", "q3|x,y|1,2,3")
    columns = ColumnRoles(
        question="q",
        ratings=(RatingColumn(column="u1", criterion="c", rater="u1"),),
        scores=(ScoreColumn(column="b", name="b"),),
        decimal="comma",
    )
    study = to_study(rows, columns)
    assert [rating.value for rating in study.ratings] == ["2.5", "3", "x,y"]
    assert [dict(question.scores) for question in study.questions] == [
        {"b": "0.61"},
        {"b": "1.5"},
        {},
    ]
    assert said(study, "value") == [(4, "b", "The score is not a number.")]


def test_questions_beyond_the_expected_are_refused() -> None:
    columns = ColumnRoles(passage="p", question="q", expected=2)
    study = to_study(table("p|q", "x|q1", "x|q2", "x|q3", "y|q4"), columns)
    assert said(study) == [
        (4, "q", "System “unnamed” is expected to return only 2 questions for source “1”.")
    ]
    assert (study.missing, study.rows_kept) == ({"unnamed": 1}, 3)


def test_a_position_far_out_refuses_the_row_instead_of_making_a_million_slots() -> None:
    study = to_study(
        table("p|n|q", "x|1|q1", "x|999999999|q2"),
        ColumnRoles(passage="p", position="n", question="q"),
    )
    assert said(study) == [(3, "n", "The position is beyond the 10,000 a set can hold.")]
    assert study.expected == {("1", "unnamed"): 1}


def test_more_questions_than_a_set_can_be_expected_to_hold_are_refused() -> None:
    with pytest.raises(BadColumns, match=r"At most 10,000 questions can be expected of a set\."):
        to_study(table("p|q", "x|q1"), ColumnRoles(passage="p", question="q", expected=10_001))


def test_a_declared_position_beyond_the_expected_makes_no_source() -> None:
    study = to_study(
        table("p|n|q", "x|3|q1"), ColumnRoles(passage="p", position="n", question="q", expected=2)
    )
    assert said(study) == [(2, "n", "The position is beyond the 2 expected.")]
    assert (study.sources, study.questions) == ((), ())


def test_references_come_from_several_columns_and_json_lists() -> None:
    rows = table("p|q|r1|r2", 'x|q1|["a", "b"]|c', "x|q2|a|[sic] d", "x|q3||[")
    study = to_study(rows, ColumnRoles(passage="p", question="q", references=("r1", "r2")))
    assert study.sources[0].references == ("a", "b", "c", "[sic] d", "[")


def test_scores_keep_their_digits_and_bad_ones_are_told() -> None:
    rows = table(
        "q|b",
        "q1|0.10000000000000000555",
        "q2|",
        "q3|NaN",
        "q4|0,5",
        "q5| 1e-3 ",
        "q6|1e999",
        "q7|-",
    )
    columns = ColumnRoles(question="q", scores=(ScoreColumn(column="b", name="BLEU"),))
    study = to_study(rows, columns)
    assert [dict(question.scores) for question in study.questions] == [
        {"BLEU": "0.10000000000000000555"},
        {},
        {},
        {},
        {"BLEU": "1e-3"},
        {},
        {},
    ]
    assert (
        study.problems[1].reason
        == "The score is not a number. If the file writes decimals with a comma, say so."
    )
    assert [(problem.row, problem.value, problem.kind) for problem in study.problems] == [
        (4, "NaN", "value"),
        (5, "0,5", "value"),
        (7, "1e999", "value"),
        (8, "-", "value"),
    ]
    assert study.rows_kept == 7


def test_formulas_and_markup_stay_text() -> None:
    texts = ("=1+1", "+1", "-2", "@sum", "<b>Who?</b>")
    study = to_study(table("q", *texts), ColumnRoles(question="q"))
    assert tuple(question.text for question in study.questions) == texts


def test_ratings_come_from_columns_of_one_rater() -> None:
    ratings = (
        RatingColumn(column="f@1", criterion="fluency", rater="1"),
        RatingColumn(column="f@2", criterion="fluency", rater="2"),
    )
    study = to_study(
        table("q|f@1|f@2", "q1|3| 31 ", "q2||x"), ColumnRoles(question="q", ratings=ratings)
    )
    assert [
        (each.source_key, each.rater, each.value, each.row, each.column) for each in study.ratings
    ] == [
        ("1", "1", "3", 2, "f@1"),
        ("1", "2", "31", 2, "f@2"),
        ("2", "2", "x", 3, "f@2"),
    ]


def test_ratings_come_from_one_row_per_rater() -> None:
    rows = table(
        "p|q|j|f|note",
        "x|q1|ha|3|",
        "x|q2|ha|2|odd",
        "x|q2|uw|1|",
        "x|q1|uw|2|",
        "x|q1|uw|3|",
        "x|q1||3|who",
    )
    columns = ColumnRoles(
        passage="p",
        question="q",
        rater="j",
        note="note",
        ratings=(RatingColumn(column="f", criterion="fluency"),),
    )
    study = to_study(rows, columns)
    assert [(question.position, question.text) for question in study.questions] == [
        (1, "q1"),
        (2, "q2"),
    ]
    assert [(each.position, each.rater, each.value) for each in study.ratings] == [
        (1, "ha", "3"),
        (2, "ha", "2"),
        (2, "uw", "1"),
        (1, "uw", "2"),
        (1, "uw", "3"),
    ]
    assert [each.repeat for each in study.ratings] == [1, 1, 1, 1, 2]
    assert [(note.position, note.rater, note.text) for note in study.notes] == [(2, "ha", "odd")]
    assert said(study, "value") == [
        (7, "f", "The rating names no annotator."),
        (7, "note", "The note names no annotator."),
    ]


def test_ratings_come_one_to_a_row_and_rate_sets_too() -> None:
    rows = table(
        "i|s|n|q|j|c|v",
        "z|A|1|q1|ha|fluency|3",
        "z|A|1|q1|ha|relevance|2",
        "z|A|||ha|diversity|1",
        "z|A|1|q9|uw|fluency|3",
        "z|A|2||ha||3",
        "z|A||q3|ha|fluency|3",
    )
    columns = ColumnRoles(
        source_id="i", system="s", position="n", question="q", rater="j", criterion="c", value="v"
    )
    study = to_study(rows, columns)
    assert [(each.position, each.criterion, each.value) for each in study.ratings] == [
        (1, "fluency", "3"),
        (1, "relevance", "2"),
        (None, "diversity", "1"),
    ]
    assert [(question.position, question.text) for question in study.questions] == [
        (1, "q1"),
        (2, None),
    ]
    assert said(study) == [
        (
            5,
            "q",
            "Position 1 of system “A” for source “z” holds the question of row 2, which reads otherwise.",
        ),
        (7, "n", "A position is a whole number from 1."),
    ]
    assert said(study, "value") == [(6, "v", "The rating names no criterion.")]


def test_scores_of_a_question_that_comes_for_every_rater_must_agree() -> None:
    rows = table("q|j|f|b", "q1|ha|3|0.5", "q1|uw|2|0.5", "q1|xy|2|0.6")
    columns = ColumnRoles(
        question="q",
        key="q",
        rater="j",
        source_id="q",
        ratings=(RatingColumn(column="f", criterion="fluency"),),
        scores=(ScoreColumn(column="b", name="b"),),
    )
    study = to_study(rows, columns)
    assert dict(study.questions[0].scores) == {"b": "0.5"}
    assert said(study, "value") == [(4, "b", "An earlier row gives this question another score.")]


def test_columns_that_the_file_lacks_are_refused() -> None:
    with pytest.raises(BadColumns, match="no column “x”"):
        to_study(table("q", "q1"), ColumnRoles(question="x"))


def test_any_language_survives() -> None:
    passage, answer = "قال 🦉 e\u0301té 東京。", "東京"
    study = to_study(
        table("p|a|q", f"{passage}|{answer}|من؟"),
        ColumnRoles(passage="p", answer="a", question="q"),
    )
    source = study.sources[0]
    assert source.answer_start == 11
    assert passage[source.answer_start :].startswith(answer)
    assert study.questions[0].text == "من؟"


def guessed(name: str) -> StudyRecords:
    found = read_delimited(path(name).read_bytes())
    return to_study(found, guess(found.header, [row.cells for row in found.rows[:50]]))


def test_the_benchmark_sample_maps_without_a_problem() -> None:
    study = guessed("qgbench/sample_300.csv")
    assert (len(study.sources), len(study.questions), study.problems) == (50, 300, ())
    assert set(study.returned.values()) == {50}
    assert len(study.systems) == 6
    assert set(study.expected.values()) == {1}
    for source in study.sources:
        assert (
            source.passage is not None
            and source.answer_start is not None
            and source.sentence_start is not None
        )
        assert source.passage.startswith(source.answer, source.answer_start)
        assert (
            source.sentence_start
            <= source.answer_start
            < source.sentence_start + len(source.sentence)
        )
    assert study.questions[0].scores["Bleu_4"] == "0.49616829993596173"


def test_the_answerability_release_maps_without_a_problem() -> None:
    study = guessed("nema2018/squad.tsv")
    assert (len(study.questions), len(study.ratings), study.problems) == (897, 1794, ())
    assert (study.raters, study.criteria, study.systems) == (
        ("User 1", "User 2"),
        ("answerability",),
        ("noised",),
    )
    assert all(source.passage is None and len(source.references) == 1 for source in study.sources)
    assert Counter(rating.value for rating in study.ratings if rating.rater == "User 1")["5"] == 247
    assert study.missing == {"noised": 0}


CELL = st.sampled_from(["", " ", "1", "2", "x", "night", OWL, "A", "NaN", "0.5", "[1]"])


@given(st.lists(st.tuples(*[CELL] * 9), max_size=12), st.booleans(), st.none() | st.integers(1, 2))
def test_every_row_is_kept_or_refused(
    cells: list[tuple[str, ...]], long: bool, expected: int | None
) -> None:
    header = ("i", "p", "a", "s", "n", "q", "j", "f", "b")
    rows = tuple(Row(number, each) for number, each in enumerate(cells, 2))
    columns = ColumnRoles(
        source_id="i" if expected else "",
        passage="p",
        answer="a",
        system="s",
        position="n" if long else "",
        question="q",
        rater="j" if long else "",
        scores=(ScoreColumn(column="b", name="b"),),
        expected=expected,
        ratings=(RatingColumn(column="f", criterion="fluency", rater="" if long else "1"),),
    )
    study = to_study(RowTable(header=header, rows=rows, problems=(), rows_read=len(rows)), columns)
    refused = [problem.row for problem in study.problems_of("row")]
    assert len(set(refused)) == len(refused) == study.rows_read - study.rows_kept
    slots = [(each.source_key, each.system, each.position) for each in study.questions]
    assert len(set(slots)) == len(slots)
    assert all(position <= study.expected[source, system] for source, system, position in slots)
    assert {source for source, _ in study.expected} == {source.key for source in study.sources}
    assert all((each.source_key, each.system) in study.expected for each in study.ratings)
    assert all(count >= 0 for count in study.missing.values())


def test_columns_about_a_rating_stay_with_it() -> None:
    columns = ColumnRoles(
        question="q", rater="j", criterion="c", value="v", key="q", rating_metadata=("t",)
    )
    study = to_study(table("q|j|c|v|t", "q1|ha|fluency|3|12 s", "q1|uw|fluency|2|9 s"), columns)
    assert [rating.attributes for rating in study.ratings] == [{"t": "12 s"}, {"t": "9 s"}]


def test_a_modality_may_be_told_for_the_whole_file() -> None:
    columns = ColumnRoles(question="q", modality="m", default_modality="image")
    study = to_study(table("q|m", "q1|", "q2|document"), columns)
    assert [source.modality for source in study.sources] == ["image", "document"]


def test_what_stands_beside_the_ratings_of_a_row_is_held_and_handed_over_once() -> None:
    about = tuple(f"judgment:m{number}" for number in range(3))
    header = ("question", "worker", "fluency", "clarity", *about)
    rows = [("Who?", "w", "1", "2", "a", "b", "c"), ("Why?", "w", "3", "", "d", "", "")]
    made = "\n".join(",".join(each) for each in (header, *rows)).encode()
    study = FORMAT["csv"].read(made)

    assert [each.attributes for each in study.ratings] == [
        {"m0": "a", "m1": "b", "m2": "c"},
        {"m0": "a", "m1": "b", "m2": "c"},
        {"m0": "d"},
    ]
    lines = list(pack(study))
    handed = unpack(lines)
    assert handed == study
    for said in (study, handed):
        assert said.ratings[0].attributes is said.ratings[1].attributes
    assert sum(line.count('"m1"') for line in lines) == 1
