"""Dawid and Skene's aggregation and the annotators' severities as tables without tests."""

from dataclasses import fields, replace

import numpy as np
import pytest

from analysis.sections.agreement.annotator_models import (
    AnnotatorModelRow,
    AnnotatorModels,
    DawidSkene,
)
from analysis.sections.section import Found
from quaestor_stats._dawid_skene import dawid_skene
from tests.analysis.sections import rated, stored
from tests.analysis.sections.computing import chance, inputs_of, picked

RATINGS = rated.drawn(3, 20, 3, seed=8, gap=0.5, severity=0.0)
RATINGS[:, :, 2] = np.maximum(1, RATINGS[:, :, 2] - 1)  # the third annotator is severe
RATINGS[:, ::2, 1] = RATINGS[:, ::2, 0]  # the second agrees with the first


def test_dawid_skene_section_is_the_mean_of_expected_true_values() -> None:
    read = rated.study(RATINGS)
    rows = DawidSkene().records(inputs_of(read), stored.found(), chance())
    model = dawid_skene(RATINGS.reshape(-1, 3), scale=range(1, 8))
    expected = (model.chances @ model.scale).reshape(3, 20).mean(axis=1)
    assert [row["mean"] for row in rows] == pytest.approx(expected)
    assert [row["system"] for row in rows] == ["Alba", "Brisa", "Corvo"]
    assert {row["n"] for row in rows} == {20}
    (table,) = DawidSkene().tables(stored.found(dawid_skene=rows))
    assert table.folded and len(table.lines) == 3


def test_annotator_models_severe_annotator_has_the_highest_severity() -> None:
    read = rated.study(RATINGS)
    rows = AnnotatorModels().records(inputs_of(read), stored.found(), chance())
    severity = {row["annotator"]: row["severity"] for row in rows}
    assert severity["A3"] > 1 and severity["A1"] < 0 and severity["A2"] < 0
    assert sum(severity.values()) == pytest.approx(0, abs=1e-3)
    model = dawid_skene(RATINGS.reshape(-1, 3), scale=range(1, 8))
    assert [row["accuracy"] for row in rows] == pytest.approx(model.accuracy)
    (table,) = AnnotatorModels().tables(stored.found(annotator_models=rows))
    assert table.folded and [line.name for line in table.lines] == ["A1", "A2", "A3"]
    assert not any(field.name.startswith("p") for field in fields(AnnotatorModelRow))


def test_annotator_models_one_annotator_says_why() -> None:
    read = rated.study(RATINGS[:, :, :1])
    (row,) = AnnotatorModels().records(inputs_of(read), stored.found(), chance())
    reason = "one annotator has nobody to be compared with"
    assert (row["severity_reason"], row["accuracy_reason"]) == (reason, reason)
    means = DawidSkene().records(inputs_of(read), stored.found(), chance())
    assert {row["reason"] for row in means} == {reason}


def test_annotator_models_values_without_order_have_accuracy_alone() -> None:
    read = rated.study(RATINGS)
    (criterion,) = read.protocol.criteria
    turned = replace(read.protocol, criteria=(replace(criterion, best="none", level="nominal"),))
    named = replace(read, protocol=turned)
    rows = AnnotatorModels().records(inputs_of(named), stored.found(), chance())
    assert {row["severity"] for row in rows} == {None}
    assert all(row["accuracy"] > 0 for row in rows)
    assert DawidSkene().records(inputs_of(named), stored.found(), chance()) == []


def test_annotator_models_erased_annotator_is_excluded() -> None:
    rows = AnnotatorModels().records(inputs_of(rated.study(RATINGS)), stored.found(), chance())
    left = AnnotatorModels.without(rows, ["A3"])
    assert picked(left, annotator="A3") == [] and len(left) == 2
    assert (
        len(AnnotatorModels().tables(Found({**stored.found().documents, "annotator_models": left})))
        == 1
    )
