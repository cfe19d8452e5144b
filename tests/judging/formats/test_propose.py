"""What each column is, proposed from its name and from witnesses in its values."""

import pandas as pd
import pytest

from judging.formats.mapping import Column, Mapping
from judging.formats.propose import KnownDataset, propose_mapping
from tests.judging.imports.tables import (
    ASKED,
    SYSTEMS,
    TOWNS,
    UNITS,
    long,
    means,
    passage,
    points,
    table,
    wide,
)
from tests.judging.imports.tables import frame as frame_of

ONE, TWO, THREE, FOUR = (points(seed) for seed in (1, 2, 3, 4))


def proposed(frame: pd.DataFrame, **given: object) -> Mapping:
    return propose_mapping(frame, Mapping.model_validate(given))


def roles(frame: pd.DataFrame) -> dict[str, str]:
    return {name: column.role for name, column in proposed(frame).columns.items()}


def rated(frame: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the criterion and the annotator of each column of ratings."""
    columns = proposed(frame).of_role("ratings").values()
    return [(column.name, column.rater) for column in columns]


# -- texts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("Nr|Absatz|Antwort|Programm|Frage", "source_id passage answer system question"),
        ("id|context|target|generator|output", "source_id passage answer system question"),
        ("doc|source|gold|sys|hyp", "source_id passage answer system question"),
    ],
)
def test_propose_texts_are_found_by_shape_whatever_they_are_called(header, found) -> None:
    names = header.split("|")
    rows = [
        (n, passage(town), f"monks of {town}bury Abbey", system, ASKED[system].format(town))
        for n, town in enumerate(TOWNS, 1)
        for system in SYSTEMS
    ]
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))

    assert roles(frame_of(columns)) == dict(zip(names, found.split(), strict=True))


@pytest.mark.parametrize(
    ("header", "row", "found"),
    [
        ("question|prediction", "Who is {}?|What is {}?", "reference question"),
        ("Gold Question|Modified Question", "Who is {}?|Who {}", "reference question"),
        ("REFQ|GENQ", "Who is {}?|What is {}?", "reference question"),
        ("question|reference_1|ref2", "Who {}?|Where is {}?|How is {}?", "question reference reference"),
        ("source|target", "{} is a town with a pier.|Who built {}?", "passage question"),
        ("question|questionType|difficulty", "Who {}?|who|easy", "question question_type metadata"),
    ],
)  # fmt: skip
def test_propose_questions_and_references_are_told_apart(header, row, found) -> None:
    names = header.split("|")
    mapping = proposed(table(header, *(row.format(*[town] * 9) for town in TOWNS)))

    assert [mapping.columns[name].role for name in names] == found.split()
    assert mapping.system == ("noised" if "Modified Question" in names else "")


def test_propose_column_of_questions_for_each_system_names_the_system() -> None:
    columns = {
        "text": [passage(town) for town in TOWNS],
        "gold question": [f"Where is {town}?" for town in TOWNS],
        "t5-large question": [f"Who built {town}?" for town in TOWNS],
        "bart_pred": ["", *(f"What is {town}?" for town in TOWNS[1:])],
        "wer": range(8),
    }
    mapping = proposed(frame_of(columns))

    systems = {name: each.name for name, each in mapping.of_role("question_of").items()}
    assert systems == {"t5-large question": "t5-large", "bart_pred": "bart"}
    assert mapping.columns["gold question"].role == "reference"
    assert mapping.columns["wer"].role == "source_metadata"


# -- ratings in a column for each person ------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "criterion", "people"),
    [
        ("fluency_A|fluency_B", "fluency", "A|B"),
        ("fluency@J1|fluency @ J2", "fluency", "J1|J2"),
        ("Rel_1|Rel_2|Rel_3", "rel", "1|2|3"),
        ("User Score 1|User Score 2", "rating", "User 1|User 2"),
        ("Answerability Score User 1|Answerability Score User 2", "answerability", "User 1|User 2"),
        ("J1|J2|J3", "rating", "J1|J2|J3"),
        ("fluencyRater1|fluencyRater2", "fluency", "Rater 1|Rater 2"),
        ("Rater 1 Fluency|Rater 2 Fluency", "fluency", "Rater 1|Rater 2"),
        ("R1: clarity|R2: clarity", "clarity", "R1|R2"),
        ("A - Wording|B - Wording", "wording", "A|B"),
        ("Fluency|Fluency.1|Fluency.2", "fluency", "1|2|3"),
        ("Klarheit|Klarheit (2)|Klarheit (3)", "klarheit", "1|2|3"),
        ("fluency_x|fluency_y", "fluency", "x|y"),
        ("Verständlichkeit_Anna|Verständlichkeit_Ben", "verständlichkeit", "Anna|Ben"),
        ("Lisibilité Anne|Lisibilité Benoît", "lisibilité", "Anne|Benoît"),
        ("anna_zest|ben_zest", "zest", "anna|ben"),
        ("zest (Anna Mole)|zest (Ben Vole)", "zest", "Anna Mole|Ben Vole"),
        ("zest_AM|zest_BV", "zest", "AM|BV"),
        ("human.anna.fluency|human.ben.fluency", "fluency", "anna|ben"),
        ("rank_anna|rank_ben", "rank", "anna|ben"),
        ("Anna|Ben|Carla", "rating", "Anna|Ben|Carla"),
    ],
)
def test_propose_columns_of_one_stem_are_ratings_of_one_person_each(
    names, criterion, people
) -> None:
    columns = dict(zip(names.split("|"), (ONE, TWO, THREE), strict=False))

    assert rated(wide(columns)) == [(criterion, person) for person in people.split("|")]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (["yes", "no"], ["no", "yes"]),
        (["good", "fair", "bad"], ["bad", "good", "fair"]),
        ([0, 1, 2], [2, 0, 1]),
        ([-2, -1, 0, 1, 2], [2, 1, 0, -1, -2]),
        ([1, 1.5, 2, 2.5], [2, 3, 1, 1.5]),
        (["1,5", "2", "2,5"], ["3", "2,5", "1"]),
        ([n * 1.7 for n in range(24)], [n * 2.3 for n in range(24)]),
        ([3], [1, 2, 3]),
    ],
)
def test_propose_fluency_by_two_people_is_ratings_on_any_scale(one, two) -> None:
    columns = {"fluency_A": (one * 24)[:24], "fluency_B": (two * 24)[:24]}

    assert rated(wide(columns)) == [("fluency", "A"), ("fluency", "B")]


@pytest.mark.parametrize(
    "columns",
    [
        {"Bleu_1": means(ONE, TWO), "Bleu_2": means(TWO, THREE)},
        {"R1": [0.31] * 24, "R2": [0.22] * 24},
        {"rater_1": range(12345, 12369), "rater_2": range(54321, 54345)},
        {"time_1": ONE, "time_2": TWO},
        {"contains_name": [0, 1] * 12, "contains_date": [1, 1, 0] * 8},
        {"words_question": ONE, "words_answer": TWO},
        {"number_turns": ONE, "number_facts": TWO},
        {"votes_good": ONE, "votes_bad": TWO},
        {"comment_1": ["a remark of some length"] * 24, "comment_2": ["another remark of it"] * 24},
        {"depth": ONE, "wit": TWO},
        {"fluency_A": [f"good text {n}" for n in range(24)]},
    ],
)
def test_propose_other_families_are_no_ratings(columns) -> None:
    assert rated(wide(columns)) == []


# -- statistics, language models, adjudications -----------------------------------------------------


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("fluency_avg", means(ONE, TWO, THREE)),
        ("fluency_mean", means(ONE, TWO, THREE, decimals=0)),
        ("fluency", means(ONE, TWO, THREE)),
        ("score", means(ONE, TWO, THREE, decimals=4)),
        ("fluency Mittel", [str(mean).replace(".", ",") for mean in means(ONE, TWO, THREE)]),
        ("fluency_median", TWO),
        ("fluency_majority", TWO),
        ("n_fluency", [3] * 24),
        ("fluency_std", [0.5] * 24),
    ],
)
def test_propose_statistic_of_ratings_is_excluded_with_a_reason(name, values) -> None:
    annotators = {"fluency_A": ONE, "fluency_B": TWO, "fluency_C": THREE}
    mapping = proposed(wide({**annotators, name: values}))

    assert len(mapping.of_role("ratings")) == 3
    assert mapping.columns[name].role == ""
    assert mapping.columns[name].why.endswith("excluded.")


def test_propose_mean_before_numbered_columns_is_none_of_them() -> None:
    frame = wide({"tone": means(ONE, TWO), "tone_1": ONE, "tone_2": TWO})

    assert rated(frame) == [("tone", "1"), ("tone", "2")]
    assert "mean of “tone_1” and “tone_2” in 24 of 24 rows" in proposed(frame).columns["tone"].why


@pytest.mark.parametrize(("wrong", "role"), [(1, ""), (3, "human_mean")])
def test_propose_mean_is_one_in_95_percent_of_the_rows(wrong, role) -> None:
    mean = [9.25] * wrong + means(ONE, TWO)[wrong:]
    found = proposed(wide({"fluency_A": ONE, "fluency_B": TWO, "fluency_mean": mean}))

    assert found.columns["fluency_mean"].role == role


@pytest.mark.parametrize(
    ("names", "role"),
    [
        ("annotator_1|annotator_2|consensus", "ask"),
        ("fluency_A|fluency_B|fluency_gpt4", "llm_judge"),
        ("annotator_1|annotator_2|GPT-4o", "llm_judge"),
        ("rating_anna|rating_ben|rating_gpt4", "llm_judge"),
        ("R1: fluency|R2: fluency|LLM: fluency", "llm_judge"),
        ("Expert 1|Expert 2|Expert 3", "ratings"),
    ],
)
def test_propose_column_beside_two_annotators_is_known_by_its_name(names, role) -> None:
    columns = dict(zip(names.split("|"), (ONE, TWO, THREE), strict=True))

    found = proposed(wide(columns)).of_role("ratings", "ask", "llm_judge")

    assert [each.role for each in found.values()] == ["ratings", "ratings", role]
    assert len({each.name for each in found.values()}) == 1


def test_propose_language_models_alone_are_llm_judges() -> None:
    mapping = proposed(wide({"gpt-4_fluency": ONE, "gpt-4_relevance": TWO}))

    judges = mapping.of_role("llm_judge").values()
    assert [(each.name, each.rater) for each in judges] == [
        ("fluency", "gpt-4"),
        ("relevance", "gpt-4"),
    ]


# -- ratings in a row for each person -----------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *("participant", "PROLIFIC_PID", "subject", "respondent", "user", "username", "coder"),
        *("assessor", "labeler", "annotator_name", "expert", "completed_by", "author_id"),
        *("rated_by", "Bewerter", "annotateur", "who", "turk", "sheet"),
    ],
)
def test_propose_people_are_found_whatever_their_column_is_called(name) -> None:
    frame = long(
        {"Ann": {"fluency": ONE, "zest": TWO}, "Bob": {"fluency": THREE, "zest": FOUR}}, name
    )
    mapping = proposed(frame)

    assert mapping.column("rater") == name
    assert [each.name for each in mapping.of_role("ratings").values()] == ["fluency", "zest"]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (ONE, TWO),
        ([n * 4 for n in range(24)], [96 - n * 4 for n in range(24)]),
        (["agree", "neutral"] * 12, ["strongly agree", "agree", "disagree"] * 8),
        ([1, 1.5, 2] * 8, [2.5, 3, 2] * 8),
        (["1,5", "2,0"] * 12, ["2,5", "3,0", "1,5"] * 8),
        (["4/5", "3/5"] * 12, ["5/5", "4/5", "1/5"] * 8),
        ([n * 3.7 for n in range(24)], [n * 4.1 for n in range(24)]),
    ],
)
def test_propose_unknown_criterion_that_differs_among_people_is_rated(one, two) -> None:
    mapping = proposed(long({"k1": {"zest": one}, "k2": {"zest": two}}, "by_whom"))

    assert mapping.column("rater") == "by_whom"
    assert [each.name for each in mapping.of_role("ratings").values()] == ["zest"]


def test_propose_facts_about_people_and_rows_are_no_ratings() -> None:
    def person(seed, age):
        order = range(1, 25) if seed == 5 else range(24, 0, -1)
        beside = {"age": [age] * 24, "order": order, "seconds": [n % 7 + age for n in order]}
        return {"fluency": points(seed), "confidence": points(seed + 10), **beside}

    frame = long({"k1": person(5, 31), "k2": person(6, 44), "k3": person(7, 25)}, "annotator")
    mapping = proposed(frame)

    assert list(mapping.of_role("ratings")) == ["fluency"]
    others = ["confidence", "age", "order", "seconds"]
    assert [mapping.columns[name].role for name in others] == ["rating_metadata"] * 4


def test_propose_metric_beside_people_is_no_rating_and_a_rated_accuracy_is_one() -> None:
    bleu = [f"0.{n:02}" for n in range(24)]
    frame = long(
        {"a": {"bleu": bleu, "accuracy": ONE}, "b": {"bleu": bleu, "accuracy": TWO}}, "rater"
    )
    mapping = proposed(frame)

    assert mapping.columns["bleu"].role == "metric"
    assert mapping.columns["accuracy"].role == "ratings"


def test_propose_mean_over_the_criteria_of_a_row_is_excluded() -> None:
    people = {
        "a": {"fluency": ONE, "depth": TWO, "mean": means(ONE, TWO)},
        "b": {"fluency": THREE, "depth": FOUR, "mean": means(THREE, FOUR)},
    }
    mapping = proposed(long(people, "rater"))

    assert list(mapping.of_role("ratings")) == ["fluency", "depth"]
    assert mapping.columns["mean"].role == ""


@pytest.mark.parametrize(
    ("criterion", "value", "criteria"),
    [
        ("criterion", "value", ("fluency", "zest")),
        ("aspect", "score", ("fluency", "relevance")),
        ("Kriterium", "Wert", ("Klarheit", "Relevanz")),
        ("critère", "valeur", ("clarté", "pertinence")),
        ("what", "points", ("zest", "bite")),
    ],
)
def test_propose_one_rating_to_a_row_has_criterion_and_value(criterion, value, criteria) -> None:
    parts = [
        long({"p1": {value: points(n)}, "p2": {value: points(n + 5)}}, "person").assign(
            **{criterion: name}
        )
        for n, name in enumerate(criteria)
    ]
    mapping = proposed(pd.concat(parts, ignore_index=True))

    assert (mapping.column("criterion"), mapping.column("value")) == (criterion, value)
    assert mapping.column("rater") == "person"


def test_propose_people_who_rate_twice_are_found_beside_the_round() -> None:
    first = long({"A": {"fluency": ONE}, "B": {"fluency": TWO}}, "annotator").assign(round="1")
    found = roles(pd.concat([first, first.assign(round="2")], ignore_index=True))

    assert (found["annotator"], found["round"]) == ("rater", "rating_metadata")


def test_propose_raters_of_rows_are_told_from_statistics_models_and_adjudications() -> None:
    names = ("Anna", "P-IEPPAO5VAR", "mean", "majority", "GPT-4o", "final", "Max")
    people = {name: {"fluency": points(seed)} for seed, name in enumerate(names)}
    frame = long(people, "annotator")
    kinds = {"mean": "exclude", "majority": "exclude", "GPT-4o": "llm_judge"}
    kinds |= {"final": "ask", "Max": "ask"}

    assert proposed(frame).raters == kinds
    assert proposed(frame, recipe="long").raters == {}


# -- systems, ids, types -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("variant", SYSTEMS),
        ("source", SYSTEMS),
        ("Submitter", "abc"),
        ("system", "123"),
        ("llm", ("gpt-4", "t5", "human")),
    ],
)
def test_propose_system_is_a_column_of_few_names(name, values) -> None:
    frame = wide({"fluency_A": ONE}).rename(columns={"system": name})
    frame[name] = list(values) * 8

    assert roles(frame)[name] == "system"


def test_propose_system_of_a_further_file_is_known_to_the_dataset() -> None:
    frame = table("nr|which|score", "1|T5|3", "2|BART|2")

    found = propose_mapping(frame, Mapping(), known=KnownDataset(systems=["T5", "BART", "rules"]))

    assert found.column("system") == "which"


def test_propose_whole_numbers_of_a_further_file_are_by_the_person_it_is_named_after() -> None:
    frame = table("source_id|system|fluency", "1|T5|3", "2|T5|2", "3|T5|1")

    found = propose_mapping(frame, Mapping(), known=KnownDataset(systems=["T5"], annotator="anna"))

    assert found.columns["fluency"].role == "ratings"
    assert found.columns["fluency"].rater == "anna"
    assert propose_mapping(frame, Mapping()).columns["fluency"].role == "human_mean"


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("id", [town for town, _ in UNITS], "source_id"),
        ("passage_id", [TOWNS.index(town) for town, _ in UNITS], "source_id"),
        ("item_id", [f"{town}-{system}" for town, system in UNITS], "key"),
        ("qid", range(24), "key"),
        ("article_id", [f"A{TOWNS.index(town) // 2}" for town, _ in UNITS], "source_metadata"),
    ],
)
def test_propose_id_names_what_its_values_name(name, values, role) -> None:
    people = {"a": {"fluency": ONE, name: values}, "b": {"fluency": TWO, name: values}}

    assert roles(long(people, "rater"))[name] == role


@pytest.mark.parametrize("name", ["id", "uuid", "response_id"])
def test_propose_id_of_every_row_of_a_rated_table_is_metadata_of_the_rating(name) -> None:
    frame = long({"a": {"fluency": ONE}, "b": {"fluency": TWO}}, "rater")
    frame[name] = [f"x{n}" for n in range(len(frame))]

    assert roles(frame)[name] == "rating_metadata"


@pytest.mark.parametrize("name", ["id", "item", "Nr.", "doc"])
def test_propose_id_that_systems_share_names_sources_without_any_text(name) -> None:
    columns = {
        name: [town for town, _ in UNITS],
        "system": [system for _, system in UNITS],
        "chrF": [f"0.{n:02}" for n in range(24)],
    }
    assert roles(frame_of(columns)) == {name: "source_id", "system": "system", "chrF": "metric"}


def test_propose_type_that_all_systems_share_on_a_source_is_the_targets() -> None:
    kinds = ["who" if TOWNS.index(town) % 2 else "when" for town, _ in UNITS]
    by_system = [{"Alder": "when", "Birch": "who", "Cedar": "what"}[system] for _, system in UNITS]

    assert roles(wide({"type": kinds, "fluency_A": ONE}))["type"] == "target_type"
    found = roles(wide({"question_type": by_system, "fluency_A": ONE}))
    assert found["question_type"] == "question_type"


# -- scores and the rest -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("direction", "names"),
    [
        ("lower", "gpt2_ppl QG-loss CER HTER NLL levenshtein self_bleu4 word_error_rate"),
        (
            "higher",
            "avg_bleu QuestEval token_accuracy cosine ngram_precision answer_f1 scores.bleu",
        ),
    ],
)
def test_propose_metric_has_the_direction_of_its_name(direction, names) -> None:
    columns = {
        name: [f"0.{n + place:02}" for n in range(24)]
        for place, name in enumerate(names.split(), 3)
    }
    found = proposed(wide(columns)).of_role("metric")

    assert {each: found[each].direction for each in found} == dict.fromkeys(
        names.split(), direction
    )
    assert not any("Nothing shows" in each.why for each in found.values())


@pytest.mark.parametrize("name", ["our_metric", "passage_overlap", "center", "flower"])
def test_propose_numbers_with_fractions_are_a_metric_of_doubtful_direction(name) -> None:
    found = proposed(wide({name: [f"0.{n:02}" for n in range(24)]})).columns[name]

    assert found.role == "metric"
    assert "Nothing shows whether higher is better" in found.why


@pytest.mark.parametrize(
    ("values", "scale"),
    [(("0.31", "0.5"), "fraction"), (("31.5", "2"), "percent"), (("-3.5", "2"), "none")],
)
def test_propose_bounded_metric_has_the_scale_of_its_values(values, scale) -> None:
    assert proposed(wide({"BLEU": values * 12})).columns["BLEU"].scale == scale


def test_propose_metric_that_scores_criteria_is_no_human_mean() -> None:
    numbers = means(ONE, TWO, THREE)
    found = roles(wide({"UniEval.fluency": numbers, "scores.clarity": means(TWO, FOUR)}))

    assert found["UniEval.fluency"] == "metric"
    assert found["scores.clarity"] == "human_mean"


def test_propose_spread_without_ratings_is_no_score() -> None:
    columns = {"avg_fluency": means(ONE, TWO, THREE), "std_fluency": means(ONE, TWO, FOUR)}
    found = roles(wide(columns))

    assert (found["avg_fluency"], found["std_fluency"]) == ("human_mean", "metadata")


@pytest.mark.parametrize(
    ("value", "numbers"),
    [("0,61", "comma"), ("1,203.5", "point_thousands"), ("1.203,5", "comma_thousands"), ("0.6", "point")],
)  # fmt: skip
def test_propose_numbers_are_read_as_the_file_writes_them(value, numbers) -> None:
    assert proposed(wide({"perplexity": [value] * 24, "fluency_A": ONE})).numbers == numbers


def test_propose_words_for_missing_cells_are_blank() -> None:
    found = proposed(wide({"fluency_A": ["NA", *ONE[1:]], "fluency_B": [*TWO[1:], "-"]}))

    assert set(found.blanks) == {"NA", "-"}
    assert len(found.of_role("ratings")) == 2


def test_propose_note_needs_a_known_author() -> None:
    notes = ["odd"] * 24
    people = {name: {"note": notes, "fluency": ONE} for name in "AB"}
    assert roles(long(people, "annotator"))["note"] == "note"
    assert roles(wide({"note": notes, "fluency_A": ONE, "fluency_B": TWO}))["note"] != "note"


def test_propose_keeps_what_is_given() -> None:
    frame = wide({"fluency_A": ONE, "fluency_B": TWO})
    given = Column(role="metadata")
    found = propose_mapping(frame, Mapping(columns={"fluency_A": given}, system="T5"))

    assert found.columns["fluency_A"] == given
    assert found.system == "T5"
    assert found.columns["question"].role == "question"


def test_propose_gives_every_column_a_role_and_no_single_role_twice() -> None:
    header = "text|document|question|output|id|qid|rank|slot|gold|user|score"
    mapping = proposed(table(header, *("|".join("abcdefghijk") for _ in range(3))))

    assert sorted(mapping.columns) == sorted(header.split("|"))


def test_propose_looks_at_long_texts_quickly() -> None:
    frame = frame_of(
        {"x": ["a" * 1_000_000] * 50, "y": ["a"] * 50, "z": [f"{n}?" for n in range(50)]}
    )
    assert proposed(frame).column("answer") == ""
