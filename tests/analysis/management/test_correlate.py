import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from scipy import stats

from quaestor_stats._correlation import METHODS
from quaestor_stats._williams import williams
from tests import shared_data


@pytest.fixture
def table(tmp_path: Path) -> Path:
    draw = np.random.default_rng(0)
    source = np.repeat(np.arange(20), 4)
    human = draw.integers(1, 6, 80)
    good, bad = human + draw.normal(size=80), human + 3 * draw.normal(size=80)
    rows = [
        f"{s},{h},{g:.3f},{b:.3f},{-g:.3f}"
        for s, h, g, b in zip(source, human, good, bad, strict=True)
    ]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["source,human,good,bad,errors", *rows]) + "\n")
    return path


def run(path: Path, *more: str, human: str = "human", metric: str = "good,bad") -> str:
    out = StringIO()
    call_command("correlate", str(path), "--human", human, "--metric", metric, *more, stdout=out)
    return out.getvalue()


def records(path: Path, *more: str, **columns: str) -> tuple[list[dict], list[dict]]:
    found = json.loads(run(path, "--json", *more, **columns))
    return [r for r in found if r["table"] == "correlations"], [
        r for r in found if r["table"] == "differences"
    ]


@pytest.mark.parametrize("method", METHODS)
def test_correlate_gives_every_correlation_with_p_interval_and_check(
    table: Path, method: str
) -> None:
    (good, _bad), _ = records(table, "--method", method)
    data = np.loadtxt(table, delimiter=",", skiprows=1)
    theirs = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[
        method
    ]
    assert good["value"] == pytest.approx(theirs(data[:, 1], data[:, 2]).statistic, abs=1e-12)
    assert good["p"] == pytest.approx(theirs(data[:, 1], data[:, 2]).pvalue)
    assert good["low"] < good["value"] < good["high"]


def test_correlate_compares_every_pair_by_williams_both_ways(table: Path) -> None:
    (good, bad), (pair,) = records(table)
    data = np.loadtxt(table, delimiter=",", skiprows=1)
    between = stats.spearmanr(data[:, 2], data[:, 3]).statistic
    expected = williams(good["value"], bad["value"], between, 80)
    assert (pair["better"], pair["other"]) == ("good", "bad")
    assert pair["p_williams"] == pytest.approx(expected.p)
    assert pair["p_williams_one_sided"] == pytest.approx(expected.p / 2)
    assert pair["p_williams_holm"] == pair["p_williams"]


def test_correlate_with_a_cluster_adds_the_clustered_tests(table: Path) -> None:
    (good, _), (pair,) = records(table, "--cluster", "source")
    assert pair["low"] < pair["difference"] < pair["high"]
    assert pair["sources"] == 20
    assert pair["low"] > 0 or pair["p"] >= 0.05
    assert good["interval"] == "Spearman's rho; delete-one jackknife-t over 20 sources, 95%"
    assert good["p"] != good["p_as_published"]


def test_correlate_is_the_same_for_the_same_seed(table: Path) -> None:
    metrics = {"metric": "bad,errors"}
    one, same = (
        run(table, "--cluster", "source", "--json", "--seed", "7", **metrics) for _ in range(2)
    )
    assert one == same


def test_correlate_turns_metrics_where_lower_is_better(table: Path) -> None:
    (good, errors), _ = records(table, "--lower", "errors", metric="good,errors")
    assert errors["value"] == good["value"] > 0
    with pytest.raises(CommandError, match="--lower"):
        run(table, "--lower", "other")


@pytest.mark.parametrize("more", [(), ("--source", "source")])
def test_correlate_uses_the_rows_of_each_pair_or_those_complete_in_all_columns(
    table: Path, more: tuple[str, ...]
) -> None:
    lines = table.read_text().splitlines()
    lines[1] = "0,3,,1.0,1.0"
    table.write_text("\n".join(lines))
    (good, bad), (pair,) = records(table, *more)
    assert (good["n"], bad["n"], pair["n"], pair["dropped"]) == (79, 80, 79, 1)
    (good, bad), (pair,) = records(table, *more, "--items", "common")
    assert (good["n"], bad["n"], pair["n"], bad["dropped"]) == (79, 79, 79, 1)


def test_correlate_refuses_text_where_a_number_belongs(table: Path) -> None:
    table.write_text(
        table.read_text().replace("source,human", "source,human", 1) + "20,4,good,1,1\n"
    )
    with pytest.raises(CommandError, match="row 82, column good"):
        run(table)


@pytest.fixture
def crossed(tmp_path: Path) -> Path:
    draw = np.random.default_rng(1)
    source, system = np.repeat(np.arange(20), 4), np.tile(np.arange(4), 20)
    human = draw.integers(1, 6, 80) + system
    columns = [human + draw.normal(size=80), human + 4 * draw.normal(size=80)]
    columns.append(np.where(np.arange(80) < 24, columns[0] + 1, np.nan))
    rows = [",".join(map(str, row)) for row in zip(source, system, human, *columns, strict=True)]
    path = tmp_path / "crossed.csv"
    path.write_text(
        "\n".join(["source,system,human,good,bad,part", *rows]).replace("nan", "") + "\n"
    )
    return path


def tables(path: Path, *more: str, metric: str = "good,bad,part") -> dict[str, list[dict]]:
    given = json.loads(
        run(path, "--json", "--source", "source", "--system", "system", *more, metric=metric)
    )
    return {
        name: [row for row in given if row["table"] == name]
        for name in ("levels", "differences", "indistinct")
    }


def test_correlate_with_systems_gives_all_levels_with_interval_and_test(crossed: Path) -> None:
    found = tables(crossed)["levels"]
    assert [(row["level"], row["measure"]) for row in found if row["metric"] == "good"] == [
        *(
            ("within_source", m)
            for m in ("pearson", "spearman", "kendall", "kendall_c", "pairwise_accuracy")
        ),
        *(("pooled", m) for m in ("pearson", "spearman", "kendall", "kendall_c")),
        *(
            ("systems", m)
            for m in (
                "pearson",
                "spearman",
                "kendall",
                "pairwise_accuracy",
                "soft_pairwise_accuracy",
            )
        ),
    ]
    for row in found:
        if row["metric"] == "good":
            assert row["level"] == "systems" or row["low"] <= row["value"] <= row["high"]
            assert 0 <= row["p"] <= 1
            assert (row["sources"], row["systems"], row["questions"]) == (20, 4, 80)
    data = np.loadtxt(crossed, delimiter=",", skiprows=1, usecols=(2, 3))
    by_place = {(row["metric"], row["level"], row["measure"]): row for row in found}
    assert by_place["good", "pooled", "spearman"]["value"] == pytest.approx(
        stats.spearmanr(*data.T).statistic
    )
    assert by_place["good", "systems", "spearman"]["smallest_p"] == pytest.approx(2 / 24)
    calibrated = by_place["good", "within_source", "pairwise_accuracy"]
    assert 0 <= calibrated["baseline"] < calibrated["value"] <= calibrated["in_sample"]
    assert calibrated["epsilon"] >= 0


def test_correlate_with_systems_compares_metrics_at_every_level_and_names_those_in_front(
    crossed: Path,
) -> None:
    found = tables(crossed)
    pairs = {(row["level"], row["better"], row["other"]): row for row in found["differences"]}
    pooled = pairs["pooled", "good", "bad"]
    assert pooled["low"] > 0
    assert pooled["p"] < pooled["p_holm"] < 0.05
    assert pooled["p_williams"] < 0.05
    assert "p_williams" not in pairs["systems", "good", "bad"]
    sets = {row["level"]: row for row in tables(crossed, metric="good,bad")["indistinct"]}
    assert list(sets) == ["within_source", "pooled", "systems"]
    assert (sets["pooled"]["not_told_apart"], sets["pooled"]["behind"]) == ("good", "bad")
    assert sets["systems"]["at_every_level"] == "good"
    assert {row["measure"] for row in found["indistinct"]} == {"spearman"}
    assert tables(crossed, "--method", "kendall")["indistinct"][0]["measure"] == "kendall"


def test_correlate_takes_systems_as_random_where_told(crossed: Path) -> None:
    fixed, random = (
        {
            (row["level"], row["measure"]): row
            for row in tables(crossed, "--design", design, metric="good")["levels"]
        }
        for design in ("sources", "sources+systems")
    )
    place = ("pooled", "pearson")
    assert random[place]["value"] == fixed[place]["value"]
    assert "20 sources and 4 systems" in random[place]["method"]
    assert (
        random[place]["high"] - random[place]["low"] >= fixed[place]["high"] - fixed[place]["low"]
    )
    assert (
        fixed["systems", "pearson"]["reason"]
        == "no interval over systems is known to hold its level"
    )
    assert (
        random["systems", "pearson"]["reason"]
        == "too few systems or a perfect correlation: no interval"
    )


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--system", "system"], "--system needs --source"),
        (
            ["--source", "source", "--design", "sources+systems"],
            "--design sources\\+systems needs --system",
        ),
    ],
)
def test_correlate_says_what_an_option_needs(crossed: Path, more: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        run(crossed, *more)


def test_correlate_of_a_released_study() -> None:
    """QG-Bench's sample: six systems on fifty passages; the clustered test finds less than
    Williams."""
    path = shared_data.path("qgbench/sample_300.csv")
    metrics = "Bleu_4,METEOR,ROUGE_L,BERTScore,MoverScore"
    _, pairs = records(path, "--cluster", "paragraph_raw", human="correctness", metric=metrics)
    assert len(pairs) == 10
    assert sum(pair["p_williams"] < 0.05 for pair in pairs) >= sum(
        pair["p"] < 0.05 for pair in pairs
    )
