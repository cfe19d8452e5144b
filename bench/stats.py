"""Compare speed, memory and results of quaestor_stats with the usual libraries, in one run on one
machine.

    python -m venv somewhere && somewhere/bin/pip install -r bench/requirements-stats.txt
    OMP_NUM_THREADS=1 somewhere/bin/python bench/stats.py [--quick]

Times are medians of processor seconds over interleaved runs; quote the ratio. Every comparison
first asserts that both give the same number, to 1e-10 or, if random numbers are involved, within
its error.
"""

import argparse
import statistics
import sys
import tracemalloc
import warnings
from collections.abc import Callable
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from time import process_time

import evalica
import krippendorff
import numpy as np
import pandas as pd
import statsmodels.formula.api as formula
from nlpstats.correlations import input_level
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from quaestor_stats._alpha import krippendorff_alpha
from quaestor_stats._associations import against_people
from quaestor_stats._cohen_kappa import WEIGHTS, kappa_matrix
from quaestor_stats._design import Design, Facets, facets
from quaestor_stats._fleiss import fleiss_kappa, randolph_kappa
from quaestor_stats._gwet import gwet_ac
from quaestor_stats._jackknife import infer_coefficients
from quaestor_stats._metric_differences import metric_differences
from quaestor_stats._percent_agreement import percent_agreement
from quaestor_stats._pooled import pooled_correlations
from quaestor_stats._resampling import Bootstrap
from quaestor_stats._source_correlations import on_sources
from quaestor_stats._variance_components import variance_components
from quaestor_stats._williams import williams, williams_matrix

LIBRARIES = ("numpy", "scipy", "statsmodels", "krippendorff", "scikit-learn", "nlpstats", "evalica")
FIVE = range(1, 6)
missed = 0


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def ratings(units: int, raters: int = 5, *, points: int = 5, missing: float = 0.1) -> np.ndarray:
    """Return ratings that agree moderately, some of them missing."""
    draw = rng()
    truth = draw.integers(1, points + 1, (units, 1))
    noise = draw.integers(-(points // 3) - 1, points // 3 + 2, (units, raters))
    table = np.clip(truth + noise, 1, points).astype(float)
    table[draw.random(table.shape) < missing] = np.nan
    return table


def seconds(*works: Callable[[], object], times: int = 5) -> list[float]:
    """Return the median processor time of each, run in turn."""
    spent: list[list[float]] = [[] for _ in works]
    for _ in range(times):
        for work, record in zip(works, spent, strict=True):
            start = process_time()
            work()
            record.append(process_time() - start)
    return [statistics.median(record) for record in spent]


def megabytes(work: Callable[[], object]) -> float:
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def same(ours: object, theirs: object, *, within: float = 1e-10) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=within)


def say(
    what: str,
    value: float,
    goal: float | None,
    *,
    unit: str = "x",
    at_most: bool = False,
    note: str = "",
) -> None:
    """Print one line, and whether its goal is reached."""
    global missed
    verdict = ""
    if goal is not None:
        reached = value <= goal if at_most else value >= goal
        missed += not reached
        verdict = (
            f"goal {'<=' if at_most else '>='} {goal:g}{unit}  {'reached' if reached else 'MISSED'}"
        )
    print(f"{what:66}{value:11.4g}{unit:3} {verdict:32} {note}", flush=True)


def versus(
    what: str,
    theirs: Callable[[], object],
    ours: Callable[[], object],
    goal: float | None,
    *,
    times: int = 5,
) -> None:
    slow, fast = seconds(theirs, ours, times=times)
    say(what, slow / fast, goal, note=f"{1e3 * slow:.1f} ms / {1e3 * fast:.1f} ms")


def alpha_of_points(units: int) -> None:
    table = ratings(units)
    levels = ("nominal", "ordinal", "interval")
    for level in levels:
        same(
            krippendorff_alpha(table, level=level, interval=None).value,
            krippendorff.alpha(table.T, level_of_measurement=level),
        )

    def theirs() -> float:
        return krippendorff.alpha(table.T, level_of_measurement="ordinal")

    def ours() -> object:
        return krippendorff_alpha(table, level="ordinal", interval=None)

    versus(f"alpha ordinal, {units:,} units x 5, krippendorff / ours", theirs, ours, 3)
    versus(
        "  the same with our jackknife interval",
        theirs,
        lambda: krippendorff_alpha(table, level="ordinal"),
        None,
    )
    frame = pd.DataFrame(table.T)
    same(evalica.alpha(frame, distance="ordinal").alpha, ours().value)
    versus("  evalica / ours", lambda: evalica.alpha(frame, distance="ordinal"), ours, None)
    say("  memory, ours / krippendorff", megabytes(ours) / megabytes(theirs), 0.25, at_most=True)


def alpha_of_sliders(units: int) -> None:
    table = ratings(units, points=101) - 1
    for level in ("ordinal", "interval"):
        same(
            krippendorff_alpha(table, level=level, interval=None).value,
            krippendorff.alpha(table.T, level_of_measurement=level),
        )
        versus(
            f"alpha {level}, 0-100, {units:,} units, krippendorff / ours",
            lambda level=level: krippendorff.alpha(table.T, level_of_measurement=level),
            lambda level=level: krippendorff_alpha(table, level=level, interval=None),
            30,
            times=3,
        )
    say(
        "  memory with the interval",
        megabytes(lambda: krippendorff_alpha(table, level="ordinal")),
        50,
        unit="MB",
        at_most=True,
    )


def alpha_of_continuous() -> None:
    small = rng().normal(size=(60, 1)) + rng(1).normal(size=(60, 5))
    same(
        krippendorff_alpha(small, level="interval").value,
        krippendorff.alpha(small.T, level_of_measurement="interval"),
    )
    table = rng().normal(size=(100_000, 1)) + rng(1).normal(size=(100_000, 5))
    (spent,) = seconds(lambda: krippendorff_alpha(table, level="interval", interval=None))
    say("alpha interval, 100,000 units of continuous values", spent, 0.1, unit="s", at_most=True)
    (spent,) = seconds(lambda: krippendorff_alpha(table, level="interval"))
    say("  the same with jackknife interval", spent, None, unit="s")


def alpha_bootstrap(units: int, goal: float, *, looped: int) -> None:
    """A loop over the package is timed for `looped` resamples and scaled to 1,000."""
    table = ratings(units)
    draw = rng(3)

    def loop() -> np.ndarray:
        rows = draw.integers(0, units, (looped, units))
        return np.array(
            [krippendorff.alpha(table[r].T, level_of_measurement="nominal") for r in rows]
        )

    def ours() -> object:
        return krippendorff_alpha(table, level="nominal", interval=Bootstrap(rng(1)))

    if looped >= 200:
        low, high = np.quantile(loop(), [0.025, 0.975])
        found = ours()
        same((found.ci.low, found.ci.high), (low, high), within=0.2 * (high - low))
    slow, fast = seconds(loop, ours, times=3)
    slow *= 1000 / looped
    say(
        f"1,000 unit bootstraps of alpha, {units:,} units, loop / ours",
        slow / fast,
        goal,
        note=f"{slow:.2f} s / {1e3 * fast:.1f} ms",
    )
    frame = pd.DataFrame(table.T)
    versus(
        "  evalica's KALPHA / ours",
        lambda: evalica.alpha_bootstrap(frame, n_resamples=1000, random_state=1),
        ours,
        None,
        times=3,
    )


def fleiss() -> None:
    table = ratings(1_000_000, missing=0)
    whole = table.astype(int)

    def theirs() -> float:
        return inter_rater.fleiss_kappa(inter_rater.aggregate_raters(whole)[0])

    def ours() -> object:
        return fleiss_kappa(table, interval=None)

    same(ours().value, theirs())
    versus("Fleiss from 1e6 x 5 ratings, statsmodels / ours", theirs, ours, 8, times=3)


def williams_of_all_pairs() -> None:
    draw = rng()
    human = draw.normal(size=3000)
    metrics = human[:, None] + draw.normal(size=(3000, 30)) * np.linspace(1, 3, 30)

    def loop() -> np.ndarray:
        p = np.full((30, 30), np.nan)
        for i, j in combinations(range(30), 2):
            r12, r13, r23 = (
                stats.pearsonr(a, b).statistic
                for a, b in (
                    (human, metrics[:, i]),
                    (human, metrics[:, j]),
                    (metrics[:, i], metrics[:, j]),
                )
            )
            p[i, j] = p[j, i] = williams(r12, r13, r23, 3000).pvalue
        return p

    def ours() -> np.ndarray:
        return williams_matrix(human, metrics)[1]

    same(ours(), loop())
    versus("Williams, 30 metrics (435 pairs), n = 3,000, scipy loop / ours", loop, ours, 150)


def kappas_of_all_pairs() -> None:
    table = ratings(2000, 30, missing=0.5)

    def loop() -> list[float]:
        found = []
        for i, j in combinations(range(30), 2):
            both = ~np.isnan(table[:, [i, j]]).any(axis=1)
            a, b = table[both, i].astype(int), table[both, j].astype(int)
            found.append(cohen_kappa_score(a, b, weights="linear", labels=list(FIVE)))
        return found

    def ours() -> np.ndarray:
        return kappa_matrix(table, scale=FIVE, weights="linear").values

    same(ours()[np.triu_indices(30, 1)], loop())
    versus("linear kappa of 30 judges (435 pairs), scikit-learn loop / ours", loop, ours, 150)


def metric_study() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    draw = rng()
    human = draw.integers(1, 6, 3000).astype(float)
    metrics = human[:, None] + draw.normal(size=(3000, 10)) * np.linspace(3, 4, 10)
    return human, metrics, np.arange(3000)


def kendall_over_sources() -> None:
    """A loop over scipy is timed for one pair of columns and 20 resamples, and scaled to 1,000 and
    to ten metrics."""
    human, metrics, _ = metric_study()
    sources = facets(np.arange(3000) // 6)
    draw = rng(4)

    def loop() -> list[float]:
        found = []
        for _ in range(20):
            rows = (6 * draw.integers(0, 500, 500)[:, None] + np.arange(6)).ravel()
            found.append(stats.kendalltau(human[rows], metrics[rows, 0]).statistic)
        return found

    def ours() -> object:
        return infer_coefficients(
            pooled_correlations(human[:, None], metrics, sources, coefficients=["kendall"])[
                "kendall"
            ],
            scale="fisher",
        )

    left = pooled_correlations(human[:, None], metrics, sources, coefficients=["kendall"])[
        "kendall"
    ]
    same(left.value[0, 0], stats.kendalltau(human, metrics[:, 0]).statistic)
    same(
        left.sources[7, 0, 0],
        stats.kendalltau(human[sources.source != 7], metrics[sources.source != 7, 0]).statistic,
    )
    slow, fast = seconds(loop, ours, times=3)
    slow *= 10 * 1000 / 20
    say(
        "interval of Kendall over sources, 10 metrics, bootstrap loop / ours",
        slow / fast,
        500,
        note=f"{slow:.0f} s / {1e3 * fast:.0f} ms",
    )


def whole_metrics() -> None:
    """All metrics of a large study at all levels, with differences of all pairs and the sets of
    those in front."""
    for systems in (6, 15):
        draw = rng(5)
        worth = draw.normal(size=3000)
        people = {
            f"criterion {k}": np.clip(np.round(2.4 + worth + draw.normal(size=3000)), 1, 3)
            for k in range(7)
        }
        metrics = {f"metric {m}": m / 10 * worth + draw.normal(size=3000) for m in range(17)}
        metrics["metric 3"][draw.random(3000) > 0.15] = np.nan
        for design in (Design(), Design(systems="random")):
            of = facets(np.arange(3000) // systems, np.arange(3000) % systems, design=design)

            def ours(of: Facets = of, columns: tuple = (people, metrics)) -> None:
                against_people(*columns, facets=of, rng=rng())
                metric_differences(*columns, facets=of, rng=rng())

            (spent,) = seconds(ours, times=1)
            what = f"7 criteria x 17 metrics, {of.random}{'' if design.random_systems else ' (systems fixed)'}"
            say(what, spent, 25, unit="s", at_most=True)


def per_source_tau() -> None:
    draw = rng()
    human = draw.integers(1, 6, (8, 1000)).astype(float)
    metric = human + draw.normal(size=human.shape) * 3

    def theirs() -> float:
        return input_level(metric, human, "kendall")

    def ours() -> float:
        columns = human.T[..., None], metric.T[..., None]
        return float(np.nanmean(on_sources(*columns, coefficient="kendall")))

    same(ours(), theirs())
    versus("per-source Kendall, 8 systems x 1,000, nlpstats / ours", theirs, ours, None)


def mixed() -> None:
    draw = rng()
    item, system = np.repeat(np.arange(60), 12), np.tile(np.repeat(np.arange(4), 3), 60)
    rater = draw.permuted(np.tile(np.arange(8), (240, 1)), axis=1)[:, :3].ravel()
    y = (
        draw.normal(size=60)[item]
        + draw.normal(size=8)[rater] / 2
        + draw.normal(size=720)
        + system * 0.2
    )
    frame = pd.DataFrame({"y": y, "system": system, "rater": rater, "item": item, "one": 1})

    def theirs() -> object:
        parts = {"rater": "0 + C(rater)", "item": "0 + C(item)"}
        parts |= {"question": "0 + C(item):C(system)", "pair": "0 + C(rater):C(system)"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return formula.mixedlm("y ~ 0 + C(system)", frame, groups="one", vc_formula=parts).fit()

    def ours() -> object:
        return variance_components(y, systems=system, sources=item, annotators=rater)

    same(ours().means, theirs().fe_params, within=5e-3)  # statsmodels stops short of the maximum
    versus("mixed model, 720 ratings, statsmodels / ours", theirs, ours, None, times=3)


def whole_study() -> None:
    tables = [ratings(3000, missing=0) for _ in range(3)]

    def ours() -> None:
        for table in tables:
            percent_agreement(table, scale=FIVE)
            for level in ("nominal", "ordinal", "interval"):
                krippendorff_alpha(table, level=level, scale=FIVE)
            for coefficient in (fleiss_kappa, randolph_kappa, gwet_ac):
                coefficient(table, scale=FIVE)
            gwet_ac(table, scale=FIVE, weights="quadratic")
            for weights in WEIGHTS:
                kappa_matrix(table, scale=FIVE, weights=weights)

    (spent,) = seconds(ours)
    say("all agreement with intervals, 45,000 judgments", spent, 1, unit="s", at_most=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--quick", action="store_true", help="a tenth of the largest sizes, no goals"
    )
    quick = parser.parse_args().quick
    print(", ".join(f"{name} {version(name)}" for name in LIBRARIES))
    alpha_of_points(100_000 if quick else 1_000_000)
    alpha_of_sliders(1000 if quick else 10_000)
    alpha_of_continuous()
    alpha_bootstrap(3000, 50, looped=1000)
    alpha_bootstrap(10_000 if quick else 100_000, 500, looped=20)
    fleiss()
    williams_of_all_pairs()
    kappas_of_all_pairs()
    per_source_tau()
    kendall_over_sources()
    whole_metrics()
    mixed()
    whole_study()
    print(f"{missed} goal(s) missed" if missed else "every goal reached")


if __name__ == "__main__":
    main()
