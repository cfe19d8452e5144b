"""Tables of ratings and scores give the numbers of the arrays that they hold."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import quaestor_stats as qs
from quaestor_stats._tables import ratings_table

COLUMNS = {"unit": "question", "rater": "annotator", "value": "fluency"}
RATING = {"system": "system", "source": "passage", "annotator": "annotator", "value": "fluency"}


@pytest.fixture(scope="module")
def ratings() -> pd.DataFrame:
    """Three annotators rate four systems on 14 passages; system C is worse."""
    rng = np.random.default_rng(5)
    rows = []
    for passage in range(14):
        for system in "ABCD":
            truth = 4 + rng.normal() - 2.5 * (system == "C")
            rows += [
                {
                    "question": f"{passage}{system}",
                    "passage": passage,
                    "system": system,
                    "annotator": annotator,
                    "fluency": float(np.clip(round(truth + rng.normal(0, 0.5)), 1, 7)),
                }
                for annotator in ("x", "y", "z")
            ]
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    """Two metrics of 6 systems on 30 passages: one follows the ratings, one is noise."""
    rng = np.random.default_rng(6)
    frame = pd.DataFrame({"passage": np.repeat(np.arange(30), 6), "system": list("ABCDEF") * 30})
    frame["fluency"] = rng.normal(size=180) + frame["system"].map(ord)
    frame["good"] = frame["fluency"] + rng.normal(size=180)
    frame["noise"] = rng.normal(size=180)
    return frame


def test_alpha_of_a_data_frame_is_that_of_its_array(ratings: pd.DataFrame) -> None:
    array = ratings.pivot_table(index="question", columns="annotator", values="fluency")
    found = qs.alpha(ratings, **COLUMNS, cluster="passage", level="ordinal")
    expected = qs.krippendorff_alpha(
        array.to_numpy(), level="ordinal", clusters=[name[:-1] for name in array.index]
    )
    assert (found.value, found.ci.low) == pytest.approx((expected.value, expected.ci.low))
    assert (found.n, found.clusters) == (56, 14)


def test_alpha_in_one_line_names_interval_level_and_counts(ratings: pd.DataFrame) -> None:
    found = qs.alpha(ratings, **COLUMNS, cluster="passage", level="ordinal")
    low, high = (f"{end:.2f}".removeprefix("0") for end in found.ci[:2])
    assert str(found) == (
        f"α = {found.value:.2f}".replace("0.", ".") + f", 95% CI [{low}, {high}] "
        "(ordinal; jackknife over 14 passages; 56 units, 3 raters)"
    )
    assert found.signature == "alpha|level:ordinal|ci:jackknife:passage:0.95|version:0.1.0"


@pytest.mark.parametrize("kind", ["columns", "rows", "text"])
def test_other_tables_give_the_numbers_of_a_data_frame(ratings: pd.DataFrame, kind: str) -> None:
    rows = ratings.to_dict("records")
    table = {
        "columns": ratings.to_dict("list"),
        "rows": rows,
        "text": [{name: str(value) for name, value in row.items()} for row in rows],
    }[kind]
    expected = qs.fleiss_kappa(ratings, **COLUMNS)
    assert qs.fleiss_kappa(table, **COLUMNS).value == pytest.approx(expected.value)


def test_words_are_categories_of_nominal_coefficients(ratings: pd.DataFrame) -> None:
    words = ratings.assign(fluency=ratings["fluency"].map("v{:.0f}".format))
    numbers = qs.alpha(ratings, **COLUMNS, level="nominal").value
    assert qs.alpha(words, **COLUMNS, level="nominal").value == pytest.approx(numbers)
    with pytest.raises(ValueError, match="column 'fluency', row 1: 'v"):
        qs.alpha(words, **COLUMNS, level="ordinal")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"question": "q1"}, "annotator x has two ratings of question q1"),
        ({"passage": list(range(168))}, "0A belongs to 0 and 1 (passage)"),
        ({"annotator": [None, *"x" * 167]}, "column 'annotator', row 1: the cell is blank"),
    ],
)
def test_tables_that_are_no_study_are_refused(
    ratings: pd.DataFrame, change: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ValueError) as error:
        qs.alpha(ratings.assign(**change), **COLUMNS, cluster="passage", level="ordinal")
    assert str(error.value) == sentence


def test_missing_column_is_named_with_those_there_are(ratings: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="no column 'clarity'; there are question, passage"):
        ratings_table(ratings, unit="question", rater="annotator", value="clarity")


def test_correlate_without_source_equals_scipy(scores: pd.DataFrame) -> None:
    table = qs.correlate(scores, human=["fluency"], metrics=["good", "-noise"])
    rows = {(row["metric"], row["measure"]): row for row in table}
    expected = stats.spearmanr(scores["fluency"], scores["good"])
    row = rows["good", "spearman"]
    assert (row["value"], row["p"]) == pytest.approx((expected.statistic, expected.pvalue))
    against = stats.pearsonr(scores["fluency"], -scores["noise"])
    assert rows["noise", "pearson"]["value"] == pytest.approx(against.statistic)
    assert "Rows count as independent" in table.notes[0]


def test_correlate_by_source_is_the_mean_over_sources(scores: pd.DataFrame) -> None:
    table = qs.correlate(
        scores,
        human=["fluency"],
        metrics=["good"],
        source="passage",
        system="system",
        level="by_source",
    )
    row = next(row for row in table if row["measure"] == "spearman")
    by_source = [
        stats.spearmanr(part["fluency"], part["good"]).statistic
        for _, part in scores.groupby("passage")
    ]
    assert row["value"] == pytest.approx(np.mean(by_source))
    assert row["n"] == 30


def test_correlate_levels_need_their_columns(scores: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="needs the columns of source and system"):
        qs.correlate(scores, human=["fluency"], metrics=["good"], level="by_source")
    with pytest.raises(ValueError, match="needs the column of the system"):
        qs.correlate(
            scores, human=["fluency"], metrics=["good"], source="passage", level="by_system"
        )


def test_compare_metrics_finds_the_better_one(scores: pd.DataFrame) -> None:
    columns = {"human": ["fluency"], "metrics": ["noise", "good"], "source": "passage"}
    table = qs.compare_metrics(scores, **columns, system="system")
    (row,) = table
    assert (row["better"], row["other"]) == ("good", "noise")
    assert row["p_holm"] < 0.001
    assert table.notes == (
        "fluency: good is highest; not significantly different from it: none (Holm, 5% level).",
    )


def test_compare_metrics_without_source_is_williams_test(scores: pd.DataFrame) -> None:
    (row,) = qs.compare_metrics(scores, human=["fluency"], metrics=["good", "noise"])
    r = stats.spearmanr(scores[["fluency", "good", "noise"]]).statistic
    expected = qs.williams(r[0, 1], r[0, 2], r[1, 2], 180)
    assert row["p"] == pytest.approx(expected.pvalue)


def test_compare_systems_finds_the_worse_system(ratings: pd.DataFrame) -> None:
    table = qs.compare_systems(ratings, **RATING)
    differences = {(row["first"], row["second"]): row for row in table}
    assert len(table) == 6
    means = ratings.groupby("system")["fluency"].mean()
    assert differences["A", "C"]["difference"] == pytest.approx(means["A"] - means["C"])
    assert [pair for pair, row in differences.items() if row["p_holm"] < 0.05] == [
        ("A", "C"),
        ("B", "C"),
        ("C", "D"),
    ]
    worst = {row["system"]: (row["best"], row["worst"]) for row in qs.ranks(table)}
    assert worst == {"A": (1, 3), "B": (1, 3), "D": (1, 3), "C": (4, 4)}


def test_mixed_model_and_d_study_of_random_annotators(ratings: pd.DataFrame) -> None:
    model = qs.mixed_model(ratings, **RATING, design=qs.Design(annotators="random"))
    assert model.means == pytest.approx(ratings.groupby("system")["fluency"].mean().to_numpy())
    few, many = qs.d_study(model, annotators=[3], sources=[10, 100])
    assert few["generalisability"] < many["generalisability"] <= 1


def test_result_table_is_a_frame_json_and_latex(scores: pd.DataFrame) -> None:
    table = qs.correlate(
        scores.rename(columns={"good": "a_b & 5%"}), human=["fluency"], metrics=["a_b & 5%"]
    )
    frame, document = table.to_frame(), json.loads(table.to_json())
    assert list(frame.columns) == list(table.columns)
    assert document["rows"][0]["value"] == frame["value"][0]
    assert document["signature"] == table.signature
    assert r"a\_b \& 5\% & pearson" in table.to_latex()


def test_bootstrap_is_named_in_text_and_signature(ratings: pd.DataFrame) -> None:
    bootstrap = qs.Bootstrap(np.random.default_rng(1), resamples=100, confidence=0.9)
    found = qs.alpha(ratings, **COLUMNS, cluster="passage", level="ordinal", interval=bootstrap)
    assert "bootstrap over 14 passages" in str(found)
    assert "|ci:bootstrap:passage:0.9|" in found.signature


def test_columns_for_an_array_and_a_table_without_columns_are_refused(
    ratings: pd.DataFrame,
) -> None:
    with pytest.raises(ValueError, match="ratings are an array"):
        qs.alpha(np.ones((4, 2)), level="ordinal", cluster="passage")
    with pytest.raises(ValueError, match="name its columns unit, rater and value"):
        qs.alpha(ratings, level="ordinal", cluster="passage")


def test_two_ratings_of_an_output_are_refused_unless_outputs_are_named(
    ratings: pd.DataFrame,
) -> None:
    twice = pd.concat([ratings, ratings.iloc[:1].assign(question="other", fluency=1.0)])
    with pytest.raises(ValueError, match=r"annotator x has two ratings of .*name output"):
        qs.compare_systems(twice, **RATING)
    assert len(qs.compare_systems(twice, **RATING, output="question")) == 6


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda t: qs.compare_systems(t, **RATING, design=qs.Design(systems="random")),
            "are fixed",
        ),
        (lambda t: qs.ranks(qs.compare_systems(t, **RATING), level=5), "level: 5 is not between"),
        (lambda t: qs.Jackknife(confidence=95), "confidence: 95 is not between 0 and 1"),
        (lambda t: qs.correlate(t, human="fluency", metrics="nope"), "no column 'nope'"),
        (lambda t: qs.correlate(t, human="fluency", metrics="fluency", level="x"), "level: 'x'"),
        (lambda t: qs.compare_metrics(t, human="fluency", metrics=["passage"]), "two metrics"),
        (lambda t: qs.compare_metrics(t, human="fluency", metrics=["a", "-a"]), "named twice"),
    ],
)
def test_arguments_that_mean_nothing_are_one_sentence(
    ratings: pd.DataFrame, call: Any, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        call(ratings)


def test_missing_values_of_pandas_are_blank(ratings: pd.DataFrame) -> None:
    typed = ratings.astype({"fluency": "Int64"})
    typed.loc[0, "fluency"] = pd.NA
    assert qs.alpha(typed, **COLUMNS, level="ordinal").n == 56


def test_system_without_a_rating_is_named(ratings: pd.DataFrame) -> None:
    silent = ratings.assign(fluency=ratings["fluency"].where(ratings["system"] != "D"))
    table = qs.compare_systems(silent, **RATING)
    assert (len(table), table.notes[-1]) == (3, "D has no rating.")
