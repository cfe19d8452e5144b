"""Statistics of annotators' ratings are not ratings of another annotator."""

import json
import random
import statistics

import krippendorff
import pytest

from judging.imports.readers.columns import BadColumns
from judging.imports.readers.derived import DERIVED_SHARE
from tests import shared_data
from tests.judging.imports.accepting import accepted, by_annotator, proposed, table

CASE = "cases/01-derived-column-as-annotator"
ROWS = 80


def given(annotators: int = 3, points: int = 5, seed: int = 1) -> list[list[int]]:
    draw = random.Random(seed)
    return [[draw.randint(1, points) for _ in range(ROWS)] for _ in range(annotators)]


def named(columns, stem="fluency"):
    return {f"{stem}_{'ABCDE'[place]}": values for place, values in enumerate(columns)}


def each(columns, statistic):
    return [statistic(values) for values in zip(*columns, strict=True)]


def mode_share(values):
    return max(values.count(value) for value in values) / len(values)


@pytest.mark.parametrize("name", ["harm_with.csv", "harm_without.csv"])
def test_a_file_with_a_rounded_mean_has_the_alpha_of_its_two_annotators(name):
    study = accepted(shared_data.path(f"{CASE}/{name}").read_bytes(), name)

    ratings = by_annotator(study, "fluency")
    alpha = krippendorff.alpha(list(ratings.values()), level_of_measurement="ordinal")

    assert list(ratings) == ["A", "B"]
    assert round(alpha, 3) == 0.355


@pytest.mark.parametrize("name", ["82.csv", "82a.csv"])
def test_a_column_of_means_is_excluded_with_the_number_of_rows(name):
    data = shared_data.path(f"{CASE}/{name}").read_bytes()

    found = proposed(data, name)

    [(column, sentence)] = [pair for pair in found.evidence.items() if "excluded" in pair[1]]
    assert column not in set(found.named())
    assert sentence == (
        f"“{column}” is the mean of “fluency_A” and “fluency_B” in 8 of 8 rows: excluded."
    )


def test_a_rater_of_a_long_table_who_is_the_mean_of_the_others_is_excluded():
    study = accepted(shared_data.path(f"{CASE}/82p.csv").read_bytes(), "82p.csv")

    assert study.raters == ("A", "B")


@pytest.mark.parametrize(
    ("column", "statistic"),
    [
        ("fluency_avg", lambda values: f"{statistics.fmean(values):.2f}"),
        ("Average fluency", lambda values: statistics.fmean(values)),
        ("fluency_mean_rounded", lambda values: round(statistics.fmean(values))),
        ("fluency_median", statistics.median),
        ("fluency_majority", lambda values: statistics.mode(sorted(values))),
        ("fluency_total", sum),
        ("n_fluency", len),
        ("fluency_min", min),
        ("fluency_max", max),
        ("fluency_std", statistics.stdev),
        ("fluency_sd", lambda values: f"{statistics.pstdev(values):.3f}"),
        ("fluency_agreement", lambda values: f"{mode_share(values):.2f}"),
        ("agreement_pct", lambda values: f"{100 * mode_share(values):.1f}"),
        ("unanimous", lambda values: len(set(values)) == 1),
        ("score", statistics.fmean),
    ],
)
def test_a_column_that_equals_a_statistic_of_its_family_is_excluded(column, statistic):
    annotators = given()
    data = table({**named(annotators), column: each(annotators, statistic)})

    found = proposed(data)

    assert [rating.column for rating in found.ratings] == ["fluency_A", "fluency_B", "fluency_C"]
    assert column not in set(found.named())
    assert f"in {ROWS} of {ROWS} rows: excluded." in found.evidence[column]


def test_a_majority_of_words_is_excluded():
    words = [["good", "fair", "bad"][value - 1] for value in range(1, 4)]
    annotators = [[words[value - 1] for value in values] for values in given(points=3)]
    majority = each(annotators, lambda values: statistics.mode(sorted(values)))

    found = proposed(table({**named(annotators, "clarity"), "clarity_vote": majority}))

    assert "clarity_vote" not in set(found.named())


def test_a_mean_across_criteria_is_excluded():
    fluency, relevance = given(2), given(2, seed=2)
    overall = each([*fluency, *relevance], statistics.fmean)
    columns = {**named(fluency), **named(relevance, "relevance"), "overall": overall}

    found = proposed(table(columns))

    assert "overall" not in set(found.named())
    assert len(found.ratings) == 4


@pytest.mark.parametrize(("wrong", "is_excluded"), [(4, True), (5, False)])
def test_a_mean_is_derived_if_it_is_one_in_95_percent_of_the_rows(wrong, is_excluded):
    assert DERIVED_SHARE == 0.95
    annotators = given()
    means = each(annotators, statistics.fmean)
    means[60 : 60 + wrong] = [9.25] * wrong  # behind the first rows of the file

    found = proposed(table({**named(annotators), "fluency_avg": means}))

    assert ("fluency_avg" not in set(found.named())) is is_excluded


def test_an_annotator_in_the_naming_pattern_is_never_derived():
    first, second = given(2, points=2)
    columns = {**named([first, second]), "fluency_C": each([first, second], max)}

    found = proposed(table(columns))

    assert [rating.rater for rating in found.ratings] == ["A", "B", "C"]


def test_an_annotator_who_equals_the_mode_of_skewed_ratings_stays():
    first = [3] * 77 + [2] * 3
    columns = {**named([first, first, first]), "fluency_anna": [3] * 79 + [2]}

    found = proposed(table(columns))

    assert "fluency_anna" in {rating.column for rating in found.ratings}


def test_a_mean_of_ratings_that_are_not_in_the_file_stays_a_mean():
    columns = {
        **named(given(2)),
        "fluency_mean": [f"{1 + place % 17 / 4}" for place in range(ROWS)],
    }

    found = proposed(table(columns))

    assert [score.kind for score in found.scores] == ["human_mean"]
    assert len(found.ratings) == 2


@pytest.mark.parametrize("word", ["final", "gold", "adjudicated", "Expert", "consensus"])
def test_an_adjudicated_column_is_asked_about(word):
    first, second, third = given()
    columns = {**named([first, second]), f"fluency_{word}": third}

    found = proposed(table(columns))
    with pytest.raises(BadColumns) as refused:
        accepted(table(columns))

    assert [rating.kind for rating in found.ratings] == ["annotator", "annotator", "ask"]
    assert refused.value.reasons == (
        f"Column “fluency_{word}”: say whether it holds the ratings of an annotator, or exclude it.",
    )


@pytest.mark.parametrize(
    ("word", "rater"),
    [
        ("gpt4", "gpt4"),
        ("gpt-4o", "gpt-4o"),
        ("llm", "llm"),
        ("Claude", "Claude"),
        ("qwen2", "qwen2"),
    ],
)
def test_a_column_named_after_a_model_is_an_llm_judges(word, rater):
    first, second, third = given()
    columns = {**named([first, second]), f"fluency_{word}": third}

    found = proposed(table(columns))

    assert [(rating.rater, rating.kind) for rating in found.ratings] == [
        ("A", "annotator"),
        ("B", "annotator"),
        (rater, "llm_judge"),
    ]
    assert accepted(table(columns)).raters == ("A", "B")


def long(raters):
    """Return JSON Lines of one rating a row."""
    rows = [
        {
            "question": f"What has town {number}?",
            "system": "Alba",
            "annotator": rater,
            "criterion": "clarity",
            "value": value,
        }
        for number in range(ROWS)
        for rater, values in raters.items()
        for value in [values[number]]
    ]
    return "\n".join(map(json.dumps, rows)).encode()


def test_raters_of_a_long_table_are_told_from_statistics_models_and_adjudications():
    annotators = given()
    raters = dict(zip(("Anna", "Ben", "Cleo"), annotators, strict=True))
    raters["majority"] = each(annotators, lambda values: statistics.mode(sorted(values)))
    raters |= {"GPT-4o": annotators[0], "final": annotators[1], "median": annotators[2]}

    found = proposed(long(raters), "ratings.jsonl")

    assert {rater.name: rater.kind for rater in found.raters} == {
        "majority": "exclude",
        "GPT-4o": "llm_judge",
        "final": "ask",
        "median": "ask",
    }


def test_an_averaged_rater_of_a_table_with_a_column_for_each_criterion_is_excluded():
    first, second = given(2)
    rows = [
        f"What has town {number}?,Alba,{rater},{values[number]}"
        for number in range(ROWS)
        for rater, values in {
            "u1": first,
            "u2": second,
            "average": each([first, second], statistics.fmean),
        }.items()
    ]
    data = "\n".join(["question,system,annotator,fluency", *rows]).encode()

    assert accepted(data).raters == ("u1", "u2")


@pytest.mark.parametrize("stem", ["polish", "Qualität der Frage"])
def test_a_family_of_any_name_has_its_mean_excluded(stem):
    annotators = given(2)
    means = each(annotators, statistics.fmean)
    columns = {**named(annotators, stem), f"{stem}_avg": means, f"{stem}_gpt4": annotators[0]}

    found = proposed(table(columns))

    assert [rating.kind for rating in found.ratings] == ["annotator", "annotator", "llm_judge"]
    assert f"{stem}_avg" not in set(found.named())


def test_a_family_of_names_has_its_mean_excluded():
    columns = dict(zip(("fluency_anna", "fluency_ben"), given(2), strict=True))
    columns["fluency_mean"] = each(list(columns.values()), statistics.fmean)

    found = proposed(table(columns))

    assert [rating.rater for rating in found.ratings] == ["anna", "ben"]
    assert "fluency_mean" not in set(found.named())


@pytest.mark.parametrize(
    ("names", "other", "kind"),
    [
        (("fluency_A", "fluency_B"), "final_fluency", "ask"),
        (("fluency_A", "fluency_B"), "expert fluency", "ask"),
        (("annotator_1", "annotator_2"), "gold", "ask"),
        (("annotator_1", "annotator_2"), "consensus", "ask"),
        (("annotator_1", "annotator_2"), "GPT-4o", "llm_judge"),
        (("rating_anna", "rating_ben"), "rating_gpt4", "llm_judge"),
        (("R1: fluency", "R2: fluency"), "LLM: fluency", "llm_judge"),
        (("Expert 1", "Expert 2"), "expert_3", "annotator"),
        (("fluency (Ann)", "fluency (Ben)"), "fluency (Cleo)", "annotator"),
    ],
)
def test_what_a_column_beside_two_annotators_holds_is_in_its_name(names, other, kind):
    columns = dict(zip((*names, other), given(), strict=True))

    found = proposed(table(columns))

    assert [rating.kind for rating in found.ratings] == ["annotator", "annotator", kind]
    assert len({rating.criterion for rating in found.ratings}) == 1
    assert len({rating.rater for rating in found.ratings}) == 3
