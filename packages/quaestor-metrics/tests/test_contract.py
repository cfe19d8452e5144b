"""A score knows how it was made: recipes, fingerprints and text hashes."""

from dataclasses import replace

import pytest

from quaestor_metrics._contract import (
    RAW,
    MetricSpec,
    Need,
    Parameter,
    Preparation,
    ScoredUnit,
    UnknownParameter,
    recipe,
    recipe_fingerprint,
    resolve_parameters,
)

SPEC = MetricSpec(
    id="shared_words",
    name="Shared words",
    version="1",
    unit=ScoredUnit.PAIR,
    parameters=(
        Parameter("order", 1, "words in a row", choices=(1, 2)),
        Parameter("fold", False, "ignore case"),
    ),
)


def test_resolved_fills_in_defaults() -> None:
    assert resolve_parameters(SPEC, {"order": 2}) == {"order": 2, "fold": False}


def test_resolved_refuses_an_unknown_parameter() -> None:
    with pytest.raises(
        UnknownParameter, match="shared_words has no parameter ordre; it has order, fold"
    ):
        resolve_parameters(SPEC, {"ordre": 2})


def test_resolved_refuses_a_value_outside_the_choices() -> None:
    with pytest.raises(UnknownParameter, match="order is one of 1, 2, not 3"):
        resolve_parameters(SPEC, {"order": 3})


def test_fingerprint_is_the_same_for_a_default_said_or_unsaid() -> None:
    assert recipe_fingerprint(SPEC, {}, RAW) == recipe_fingerprint(
        SPEC, {"order": 1, "fold": False}, RAW
    )


def test_fingerprint_changes_with_everything_that_changes_a_value() -> None:
    changed = {
        recipe_fingerprint(SPEC, {}, RAW),
        recipe_fingerprint(SPEC, {"order": 2}, RAW),
        recipe_fingerprint(SPEC, {}, Preparation(hypothesis="nqg")),
        recipe_fingerprint(SPEC, {}, Preparation(reference="nqg")),
        recipe_fingerprint(replace(SPEC, version="2"), {}, RAW),
        recipe_fingerprint(replace(SPEC, library="words 3.1"), {}, RAW),
        recipe_fingerprint(replace(SPEC, id="other"), {}, RAW),
    }
    assert len(changed) == 7


def test_recipe_of_a_metric_that_reads_capitals_is_always_raw() -> None:
    cased = replace(SPEC, needs=frozenset({Need.REFS, Need.CASED}))
    assert recipe(cased, {}, Preparation("lower", "lower"))["preparation"] == {
        "hypothesis": "raw",
        "reference": "raw",
    }
