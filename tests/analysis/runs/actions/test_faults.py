"""Studies that lack something: every table still comes, and says by name what cannot be told."""

import json

import pytest

from analysis.runs.actions import runs
from tests.analysis.studies import analysed, campaign_of

pytestmark = pytest.mark.django_db
HEADER = "source_id,passage,answer,system,question,reference"


def study(ratings, *, sources=5, systems=("Alba", "Brisa"), metrics=None):
    """Import a study: `ratings` is a function of source and system for every column of ratings,
    None where blank."""
    metrics = metrics or {}
    rows = [",".join([HEADER, *ratings, *metrics])]
    for number in range(sources):
        for place, system in enumerate(systems):
            cells = [
                number,
                f"Lock {number} is old.",
                "Lock",
                system,
                f"What is lock {number} to {system}?",
                "What?",
            ]
            given = [of(number, place) for of in (*ratings.values(), *metrics.values())]
            rows.append(
                ",".join(map(str, [*cells, *("" if cell is None else cell for cell in given)]))
            )
    return campaign_of("\n".join(rows).encode())


def carried_out(campaign, **parameters):
    usual = {"metrics": [], "slices": ["source", "target_type", "day"]}
    run = analysed(campaign, **usual | parameters)
    tables = dict(runs.StoredTables(run))
    assert "NaN" not in json.dumps(tables)
    return tables


def found(rows, **where):
    return [row for row in rows if where.items() <= row.items()]


def reasons(rows):
    return {row["reason"] for row in rows if row["value"] is None}


def varied(number, place):
    return 1 + (number + place) % 3


def other(number, place):
    return 1 + (number + place * (number % 2)) % 3


ONE = {"correctness@A1": varied}
TWO = {"correctness@A1": varied, "correctness@A2": other}


def test_one_annotator_leaves_agreement_undefined_and_says_why():
    tables = carried_out(study(ONE))
    correctness = found(tables["agreement"], criterion="correctness")
    assert {row["value"] for row in correctness} == {None}
    assert "no unit has two ratings" in reasons(correctness)
    assert any("two of each are needed" in reason for reason in reasons(correctness))
    [annotator] = found(tables["annotators"], criterion="correctness")
    assert (annotator["n"], annotator["severity"], annotator["shared"]) == (10, None, 0)
    assert reasons(tables["agreement_without_each"]) == {"no unit has two ratings"}
    assert found(tables["groups"], criterion="correctness")


@pytest.mark.long
def test_one_value_leaves_chance_corrected_agreement_undefined_but_not_ac1():
    tables = carried_out(study({"correctness@A1": lambda *_: 3, "correctness@A2": lambda *_: 3}))
    rows = {
        (row["coefficient"], row["level"]): row
        for row in found(tables["agreement"], criterion="correctness")
    }
    assert rows["percent_agreement", "nominal"]["value"] == 1
    assert rows["gwet_ac1", "nominal"]["value"] == 1
    for key in (
        ("krippendorff_alpha", "ordinal"),
        ("fleiss_kappa", "nominal"),
        ("conger_kappa", "nominal"),
    ):
        assert "every rating has the same value" in rows[key]["reason"]
    assert "do not vary" in rows["icc_2,1", "interval"]["reason"]
    wilcoxon = found(tables["system_comparisons"], test="wilcoxon")
    assert reasons(wilcoxon) == {"the systems never differ"}
    assert {row["letters"] for row in tables["groups"]} == {"a"}
    assert reasons(tables["mixed_models"]) == {"every rating has the same value"}


@pytest.mark.long
def test_nothing_shared_leaves_agreement_and_severity_undefined():
    halves = {
        "correctness@A1": lambda n, p: varied(n, p) if n % 2 else None,
        "correctness@A2": lambda n, p: None if n % 2 else varied(n, p),
    }
    tables = carried_out(study(halves))
    alphas = found(tables["agreement"], criterion="correctness", coefficient="krippendorff_alpha")
    assert reasons(alphas) == {"no unit has two ratings"}
    assert {row["severity"] for row in found(tables["annotators"], criterion="correctness")} == {
        None
    }
    assert {row["value"] for row in found(tables["agreement"], coefficient="conger_kappa")} == {
        None
    }


def test_constant_metric_has_no_correlation_at_any_level():
    tables = carried_out(
        study(TWO, metrics={"meteor": lambda *_: 0.5, "bleu_4": lambda n, p: n + p / 10})
    )
    flat = [
        row
        for row in found(tables["correlations"], metric="meteor")
        if not row["coefficient"].endswith("accuracy")
    ]
    assert {row["level"] for row in flat} == {"pooled", "within_source", "systems"}
    assert {row["value"] for row in flat} == {None}
    assert all(row["reason"] for row in flat)
    pairs = found(tables["metric_comparisons"], criterion="correctness")
    assert {pair["p"] for pair in pairs} == {None}
    assert all(pair["reason"] for pair in pairs)
    assert "the same for every question" in found(pairs, level="pooled")[0]["williams_reason"]
    assert {row["highest"] for row in tables["leaders"]} == {"bleu_4"}


@pytest.mark.long
def test_people_who_order_nothing_leave_pairwise_accuracy_undefined():
    flat = {"correctness@A1": lambda n, p: 1 + n % 3, "correctness@A2": lambda n, p: 1 + n % 3}
    tables = carried_out(study(flat, metrics={"meteor": lambda n, p: n + p / 10}))
    rows = {
        row["level"]: row for row in found(tables["correlations"], coefficient="pairwise_accuracy")
    }
    assert rows["within_source"]["value"] is rows["systems"]["value"] is None
    assert rows["within_source"]["reason"]


HALVES = {
    "meteor": lambda n, p: n + p if n % 2 else None,
    "bleu_4": lambda n, p: None if n % 2 else n - p,
}


@pytest.mark.long
def test_metrics_without_a_common_question_have_each_their_own_and_are_not_compared():
    tables = carried_out(study(TWO, metrics=HALVES))
    pooled = found(
        tables["correlations"], criterion="correctness", level="pooled", coefficient="spearman"
    )
    assert [row["questions"] for row in pooled] == [4, 6]
    assert {row["value"] for row in tables["metric_comparisons"]} == {None}
    assert all(row["reason"] for row in tables["metric_comparisons"])


@pytest.mark.long
def test_metrics_without_a_common_question_are_undefined_on_the_questions_that_all_have():
    tables = carried_out(study(TWO, metrics=HALVES), items="common")
    assert {row["value"] for row in tables["correlations"]} == {None}
    assert all(row["reason"] for row in tables["correlations"])


@pytest.mark.long
def test_no_metrics_leave_levels_and_differences_empty():
    tables = carried_out(study(TWO))
    assert (tables["correlations"], tables["metric_comparisons"], tables["leaders"]) == ([], [], [])


@pytest.mark.long
def test_few_items_have_exact_p_or_none():
    tables = carried_out(
        study(
            TWO, sources=1, systems=("Alba", "Brisa", "Corvo"), metrics={"meteor": lambda n, p: p}
        )
    )
    [row] = found(
        tables["correlations"], level="pooled", coefficient="spearman", criterion="correctness"
    )
    assert row["n"] == 3
    assert row["p"] is None
    permutation = found(tables["system_comparisons"], test="difference")
    assert all("too few" in row["reason"] for row in permutation)
    assert {row["letters"] for row in tables["groups"]} == {""}


@pytest.mark.long
def test_one_system_has_nothing_to_compare():
    tables = carried_out(study(TWO, systems=("Alba",)))
    assert (tables["system_comparisons"], tables["groups"], tables["mixed_models"]) == ([], [], [])
