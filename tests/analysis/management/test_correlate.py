import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from scipy import stats

from analysis.stats.correlation import METHODS
from analysis.stats.dependent import williams
from tests import shared_data


@pytest.fixture
def table(tmp_path: Path) -> Path:
    draw = np.random.default_rng(0)
    source = np.repeat(np.arange(20), 4)
    human = draw.integers(1, 6, 80)
    good, bad = human + draw.normal(size=80), human + 3 * draw.normal(size=80)
    rows = [f"{s},{h},{g:.3f},{b:.3f},{-g:.3f}" for s, h, g, b in zip(source, human, good, bad, strict=True)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["source,human,good,bad,errors", *rows]) + "\n")
    return path


def run(path: Path, *more: str, human: str = "human", metric: str = "good,bad") -> str:
    out = StringIO()
    call_command("correlate", str(path), "--human", human, "--metric", metric, *more, stdout=out)
    return out.getvalue()


def records(path: Path, *more: str, **columns: str) -> tuple[list[dict], list[dict]]:
    found = json.loads(run(path, "--json", *more, **columns))
    return [r for r in found if r["table"] == "correlations"], [r for r in found if r["table"] == "differences"]


@pytest.mark.parametrize("method", METHODS)
def test_correlate_gives_every_correlation_with_p_interval_and_check(table: Path, method: str) -> None:
    (good, bad), _ = records(table, "--method", method)
    data = np.loadtxt(table, delimiter=",", skiprows=1)
    theirs = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[method]
    assert good["value"] == pytest.approx(theirs(data[:, 1], data[:, 2]).statistic, abs=1e-12)
    assert good["p"] == pytest.approx(theirs(data[:, 1], data[:, 2]).pvalue)
    assert good["low"] < good["value"] < good["high"]
    assert abs(bad["checked_difference"]) < 1e-12


def test_correlate_compares_every_pair_by_williams_both_ways(table: Path) -> None:
    (good, bad), (pair,) = records(table)
    data = np.loadtxt(table, delimiter=",", skiprows=1)
    between = stats.spearmanr(data[:, 2], data[:, 3]).statistic
    expected = williams(good["value"], bad["value"], between, 80)
    assert (pair["better"], pair["other"]) == ("good", "bad")
    assert pair["p_williams"] == pytest.approx(expected.p)
    assert pair["p_williams_one_sided"] == pytest.approx(expected.p / 2)
    assert pair["p_williams_holm"] == pair["p_williams"]
    assert "p_swap" not in pair


def test_correlate_with_a_cluster_adds_the_clustered_tests(table: Path) -> None:
    (good, _), (pair,) = records(table, "--cluster", "source")
    assert 1 / 1001 <= pair["p_swap"] < 0.05
    assert pair["low"] < pair["difference"] < pair["high"]
    assert pair["sources"] == 20
    assert "bootstrap of 1000 over 20 clusters" in good["interval"]


def test_correlate_is_the_same_for_the_same_seed(table: Path) -> None:
    metrics = {"metric": "bad,errors"}
    one, same = (run(table, "--cluster", "source", "--json", "--seed", "7", **metrics) for _ in range(2))
    assert one == same


def test_correlate_turns_metrics_where_lower_is_better(table: Path) -> None:
    (good, errors), _ = records(table, "--lower", "errors", metric="good,errors")
    assert errors["value"] == good["value"] > 0
    with pytest.raises(CommandError, match="--lower: other is neither"):
        run(table, "--lower", "other")


def test_correlate_uses_rows_complete_in_all_columns(table: Path) -> None:
    lines = table.read_text().splitlines()
    lines[1] = "0,3,,1.0,1.0"
    table.write_text("\n".join(lines))
    (good, bad), (pair,) = records(table)
    assert (good["n"], bad["n"], pair["n"], pair["dropped"]) == (79, 79, 79, 1)


def test_correlate_says_why_a_constant_metric_has_no_number(table: Path) -> None:
    lines = [line + (",same" if i == 0 else ",1") for i, line in enumerate(table.read_text().splitlines())]
    table.write_text("\n".join(lines))
    (_, same), (pair,) = records(table, "--cluster", "source", metric="good,same")
    assert (same["value"], same["reason"]) == (None, "the second score is the same for every item")
    assert pair["p_williams"] is pair["p_swap"] is None
    assert pair["reason"] == "a correlation is undefined"


def test_correlate_as_text_warns_of_williams(table: Path) -> None:
    text = run(table, "--cluster", "source")
    assert "p_williams_one_sided" in text
    assert "takes every row as independent" in text


def test_correlate_of_too_few_rows_is_undefined_not_an_error(tmp_path: Path) -> None:
    path = tmp_path / "tiny.csv"
    path.write_text("human,good,bad\n1,1,2\n2,2,1\n")
    (good, _), (pair,) = records(path)
    assert good["reason"] == "2 items have both scores: too few"
    assert pair["reason"] == "2 items: the test needs 4"


@pytest.mark.parametrize(
    ("columns", "message"),
    [({"metric": "none"}, "there is no column none"), ({"human": "none"}, "there is no column none")],
)
def test_correlate_refuses_unknown_columns(table: Path, columns: dict[str, str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        run(table, **columns)


def test_correlate_refuses_text_where_a_number_belongs(table: Path) -> None:
    table.write_text(table.read_text().replace("source,human", "source,human", 1) + "20,4,good,1,1\n")
    with pytest.raises(CommandError, match="row 82, column good: 'good' is not a number"):
        run(table)


def test_correlate_of_a_released_study() -> None:
    """QG-Bench's sample: six systems on fifty passages; the clustered test finds less than Williams."""
    path = shared_data.path("qgbench/sample_300.csv")
    metrics = "Bleu_4,METEOR,ROUGE_L,BERTScore,MoverScore"
    _, pairs = records(path, "--cluster", "paragraph_raw", human="correctness", metric=metrics)
    assert len(pairs) == 10
    assert sum(pair["p_williams"] < 0.05 for pair in pairs) >= sum(pair["p_swap"] < 0.05 for pair in pairs)
