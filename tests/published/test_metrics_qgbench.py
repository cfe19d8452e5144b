"""QG-Bench's own score columns (300 of its 3,000 judged questions) come out again, to the last
digit."""

import csv
from functools import cache

import pytest

from quaestor_metrics import _registry as registry
from quaestor_metrics._contract import MetricUnavailable, Preparation, ScoredQuestion
from quaestor_metrics._scoring import score_items
from tests.shared_data import path


@cache
def rows() -> list[dict[str, str]]:
    with path("qgbench/sample_300.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def questions() -> list[ScoredQuestion]:
    return [ScoredQuestion(row["prediction"], (row["reference_norm"],)) for row in rows()]


@pytest.mark.parametrize(
    ("metric", "column"), [("bleu_4", "Bleu_4"), ("rouge_l", "ROUGE_L"), ("meteor", "METEOR")]
)
def test_column_is_reproduced_for_every_row(metric: str, column: str) -> None:
    try:
        got = score_items(
            registry.get(metric),
            questions(),
            preparation=Preparation(hypothesis="nqg", reference="raw"),
        )
    except MetricUnavailable as missing:
        pytest.skip(str(missing))
    furthest = max(
        abs((result.value or 0) - float(row[column]))
        for result, row in zip(got, rows(), strict=True)
    )
    assert len(got) == 300
    assert furthest < 1e-6


def test_column_is_not_reproduced_from_lower_cased_text_alone() -> None:
    got = score_items(registry.get("bleu_4"), questions(), preparation=Preparation("lower", "raw"))
    same = sum(
        abs((one.value or 0) - float(row["Bleu_4"])) < 1e-6
        for one, row in zip(got, rows(), strict=True)
    )
    assert same < 300
