"""Two columns side by side: QG-Bench's own beside ours, and the edges."""

import pytest
from django.utils import timezone
from scipy import stats

from analysis.scoring.actions import column_pairs, scores
from analysis.scoring.actions.scores import ChosenMetric
from judging.datasets.models.dataset import System
from judging.datasets.models.score import Metric, Score
from judging.formats.mapping import Mapping
from judging.imports.actions import adding
from judging.jobs import storage
from judging.protocols.models.protocol import Protocol
from quaestor_metrics import Preparation
from tests import factories, shared_data

pytestmark = pytest.mark.django_db


@pytest.fixture
def qgbench():
    made = adding.import_file(
        file=storage.store_bytes(shared_data.path("qgbench/sample_300.csv").read_bytes()),
        file_name="sample_300.csv",
        name="QG-Bench",
        by=factories.researcher(),
        now=timezone.now(),
        mapping=Mapping(),
        protocols=Protocol.objects.none(),
        accept_surprises=True,
    )
    return made.dataset


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [("Bleu_4", "bleu_4"), pytest.param("ROUGE_L", "rouge_l", marks=pytest.mark.long)],
)
def test_qgbenchs_column_and_ours_are_the_same(qgbench, theirs, ours):
    """Computed through the database, on the texts as they were imported."""
    found = scores.compute_scores(
        qgbench,
        chosen=[ChosenMetric(ours)],
        preparation=Preparation("nqg", "raw"),
        step=lambda *_: None,
    )
    assert found.failures == {}
    imported = qgbench.metrics.get(name=theirs)
    compared = column_pairs.compare_columns(imported, qgbench.metrics.get(kind="computed"))
    assert (compared["n"], compared["share"]) == (300, 1.0)
    assert compared["largest"] < 1e-6
    assert (compared["only_first"], compared["only_second"]) == (0, 0)


def column(dataset, values, **fields):
    made = Metric.objects.create(dataset=dataset, name="M", kind="imported", **fields)
    for system, value in zip(System.objects.filter(dataset=dataset), values, strict=True):
        reason = "it broke" if value is None else ""
        Score.objects.create(metric=made, system=system, value=value, reason=reason)
    return made


def test_scores_of_systems_are_compared_and_the_worst_come_first():
    dataset = factories.dataset(systems=("Alba", "Brisa", "Corvo"))
    first = column(dataset, [1.0, 2.0, 3.0], fingerprint="a" * 64)
    second = column(dataset, [1.0, 2.5, 5.0], fingerprint="b" * 64)
    found = column_pairs.compare_columns(first, second)
    assert [(row["system"], row["difference"]) for row in found["rows"]] == [
        ("Corvo", -2.0),
        ("Brisa", -0.5),
    ]
    assert found["mean"] == pytest.approx(2.5 / 3)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([1.0, 2.0, 2.0, 3.0], [1.0, 1.0, 4.0, 4.0]),
        ([1.0, 2.0, 2.0, 2.0], [5.0, 1.0, 1.0, 3.0]),
        ([0.1, 0.7, 0.2, 0.5], [4.0, 9.0, 5.0, 1.0]),
    ],
)
def test_columns_with_ties_correlate_as_scipy_says(a, b):
    dataset = factories.dataset(systems=("Alba", "Brisa", "Corvo", "Delia"))
    first = column(dataset, a, fingerprint="a" * 64)
    second = column(dataset, b, fingerprint="b" * 64)
    found = column_pairs.compare_columns(first, second)
    assert found["pearson"] == pytest.approx(stats.pearsonr(a, b).statistic)
    assert found["spearman"] == pytest.approx(stats.spearmanr(a, b).statistic)


@pytest.mark.parametrize("values", [[1.0, 1.0, 1.0, 1.0], [1.0, 2.0, None, None]])
def test_columns_that_do_not_vary_or_are_short_have_no_correlation(values):
    dataset = factories.dataset(systems=("Alba", "Brisa", "Corvo", "Delia"))
    first = column(dataset, values, fingerprint="a" * 64)
    second = column(dataset, [1.0, 2.0, 3.0, 4.0], fingerprint="b" * 64)
    found = column_pairs.compare_columns(first, second)
    assert (found["pearson"], found["spearman"]) == (None, None)


def test_a_score_without_a_value_is_counted_as_absent():
    dataset = factories.dataset(systems=("Alba", "Brisa"))
    first = column(dataset, [1.0, 2.0], fingerprint="a" * 64)
    second = column(dataset, [1.0, None], fingerprint="b" * 64)
    found = column_pairs.compare_columns(first, second)
    assert (found["n"], found["only_first"], found["only_second"], found["rows"]) == (1, 1, 0, [])


def test_percent_and_fraction_are_brought_together():
    dataset = factories.dataset(systems=("Alba", "Brisa"))
    first = column(dataset, [41.0, 42.0], fingerprint="a" * 64, scale="percent")
    second = column(dataset, [0.41, 0.42], fingerprint="b" * 64, scale="fraction")
    assert column_pairs.compare_columns(first, second)["share"] == 1.0
    assert column_pairs.compare_columns(second, first)["share"] == 1.0


@pytest.mark.parametrize(
    ("text", "half"),
    [
        ("0.53", 0.005),
        ("0.530", 0.0005),
        ("1e-3", 0.0005),
        ("1.5E+2", 5.0),
        ("", 1e-6),
        ("3", 1e-6),
        ("nan.x", 0.05),
        ("0e999", 5e299),
    ],
)
def test_half_a_unit_of_the_last_written_digit(text, half):
    assert column_pairs._half(text) == pytest.approx(half)


def test_values_that_were_rounded_are_equal_within_their_digits():
    dataset = factories.dataset(systems=("Alba", "Brisa", "Corvo"))
    rounded = column(dataset, [0.53, 0.41, 0.2], fingerprint="a" * 64, scale="fraction")
    Score.objects.filter(metric=rounded).update(text="0.53")  # two digits, whichever they are
    whole = column(dataset, [0.5349, 0.4051, 0.2061], fingerprint="b" * 64, scale="fraction")
    found = column_pairs.compare_columns(rounded, whole)
    # .0049 and .0049 lie within .005; .0061 does not
    assert found["share"] == pytest.approx(2 / 3)
    assert found["tolerance"] == 0.005
    assert [row["system"] for row in found["rows"]] == ["Corvo"]


def test_columns_on_different_scales_have_a_correlation_and_no_difference():
    dataset = factories.dataset(systems=("Alba", "Brisa", "Corvo"))
    metric = column(dataset, [0.1, 0.2, 0.9], fingerprint="a" * 64)
    people = column(dataset, [1.0, 3.0, 2.0], fingerprint="b" * 64)
    Metric.objects.filter(pk=people.pk).update(kind="human_mean")
    people.refresh_from_db()
    found = column_pairs.compare_columns(metric, people)
    assert not found["comparable"]
    assert (found["largest"], found["rows"]) == (None, [])
    # by hand: deviations (-.3, -.2, .5) and (-1, 1, 0): .1 / sqrt(.38 * 2)
    assert found["pearson"] == pytest.approx(0.1 / 0.76**0.5)
    assert found["spearman"] == pytest.approx(0.5)
    assert found["points"] == [(0.0, 100.0), (12.5, 0.0), (100.0, 50.0)]
