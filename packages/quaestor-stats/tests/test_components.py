"""Variance components against lme4 1.1-31 (R 4.2.2), against expected mean squares, and at the
edges.

The lme4 fits are `lmer(y ~ 0 + system + (1 | source) + (1 | question) + (1 | annotator) + (1 |
annotator:system))` with bobyqa at rhoend 1e-10; for fixed annotators `0 + system:annotator` takes
the place of the last two terms.
"""

import random
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

from quaestor_stats import _variance_components as components
from quaestor_stats._variance_components import Components, Unfit, variance_components

Rows = list[tuple[int, int, str, int, float]]


def study(
    seed: int,
    sources: int,
    systems: int,
    annotators: int,
    *,
    each: int = 0,
    questions: int = 1,
    times: int = 1,
    severity: float = 0.3,
    pair: float = 0.2,
    habit: float = 0.0,
    cell: float = 0.0,
    rounded: bool = False,
    judged: float = 1.0,
) -> Rows:
    """Return (source, system, question, annotator, rating), the same on every machine."""
    draw = random.Random(seed)
    severities = [draw.gauss(0, 1) * severity for _ in range(annotators)]
    own = [[draw.gauss(0, 1) * pair for _ in range(annotators)] for _ in range(systems)]
    rows: Rows = []
    for source in range(sources):
        at = draw.gauss(0, 1) * 0.6
        for system in range(systems):
            on = draw.gauss(0, 1) * cell
            for slot in range(questions):
                worth = draw.gauss(0, 1) * 0.4
                for annotator in draw.sample(range(annotators), each or annotators):
                    personal = draw.gauss(0, 1) * habit
                    for _ in range(times):
                        y = (
                            2.4
                            + 0.1 * system
                            + at
                            + on
                            + worth
                            + severities[annotator]
                            + own[system][annotator]
                        )
                        y += personal + draw.gauss(0, 1) * 0.5
                        if draw.random() < judged:
                            value = float(min(3, max(1, round(y)))) if rounded else round(y, 3)
                            rows.append(
                                (source, system, f"{source}/{system}/{slot}", annotator, value)
                            )
    return rows


STUDIES: dict[str, Rows] = {
    "balanced": study(1, 30, 4, 3),
    "unbalanced": study(2, 40, 5, 8, each=3, judged=0.85),
    "rounded": study(3, 30, 4, 3, rounded=True),
    "two questions a source": study(4, 30, 4, 3, questions=2, cell=0.3),
    "repeated": study(5, 20, 3, 4, times=2, habit=0.3),
    "no annotator variance": study(6, 30, 4, 3, severity=0, pair=0),
    "a pair is missing": [
        row for row in study(7, 24, 4, 6, each=2, judged=0.9) if (row[3], row[1]) != (0, 0)
    ],
    "one annotator a question": study(8, 60, 4, 3, each=1),
}


def fit(rows: Rows, *, random: bool = True, questions: bool = True) -> Components:
    source, system, question, annotator, rating = zip(*rows, strict=True)
    return variance_components(
        rating,
        systems=system,
        sources=source,
        annotators=annotator,
        questions=question if questions else None,
        annotators_random=random,
    )


def pooled(found: Components, first: int, second: int) -> tuple[float, float]:
    """Return the model's standard error of a difference, and its degrees of freedom after
    Satterthwaite."""
    contrast = np.zeros(len(found.systems))
    contrast[found.systems.index(first)], contrast[found.systems.index(second)] = 1, -1
    variance = contrast @ found.covariance @ contrast
    slopes = np.einsum("i,kij,j->k", contrast, found.slopes, contrast)
    return float(np.sqrt(variance)), float(2 * variance**2 / (slopes @ found.uncertainty @ slopes))


# study, annotators random; lme4's variances, mean of system 0, its standard error, that of system 0
# - system 1
LME4: list[tuple[str, bool, dict[str, float], float, float, float]] = [
    (
        "balanced",
        True,
        {
            "question": 0.187273327,
            "source": 0.491960066,
            "annotator": 0.028464067,
            "annotator:system": 0.0361256352,
            "residual": 0.233429479,
        },
        2.66414444,
        0.216251416,
        0.204342768,
    ),
    (
        "balanced",
        False,
        {"question": 0.187273327, "source": 0.491960334, "residual": 0.233429466},
        2.66414444,
        0.158854596,
        0.132936864,
    ),
    (
        "unbalanced",
        True,
        {
            "question": 0.198950178,
            "source": 0.263159394,
            "annotator": 0.185392185,
            "annotator:system": 0.0619824183,
            "residual": 0.219077620,
        },
        2.12563150,
        0.211691257,
        0.174048471,
    ),
    (
        "unbalanced",
        False,
        {"question": 0.200682830, "source": 0.254954920, "residual": 0.218924163},
        2.11743029,
        0.117420144,
        0.122426019,
    ),
    (
        "rounded",
        True,
        {
            "question": 0.0762984074,
            "source": 0.102532987,
            "annotator": 0.0449691161,
            "annotator:system": 0.00656343083,
            "residual": 0.192911887,
        },
        2.43333333,
        0.159003231,
        0.117256607,
    ),
    (
        "rounded",
        False,
        {"question": 0.0762984232, "source": 0.102532993, "residual": 0.192911878},
        2.43333333,
        0.0900250661,
        0.0968167969,
    ),
    (
        "two questions a source",
        True,
        {
            "question": 0.172839094,
            "source:system": 0.102531753,
            "source": 0.382518737,
            "annotator": 0.00942487974,
            "annotator:system": 0.0244107987,
            "residual": 0.248711177,
        },
        2.36006667,
        0.178071024,
        0.177859711,
    ),
    (
        "repeated",
        True,
        {
            "question:annotator": 0.0451647702,
            "question": 0.155973606,
            "source": 0.238926478,
            "annotator": 0.123171307,
            "annotator:system": 0.0489425116,
            "residual": 0.268273384,
        },
        2.32839375,
        0.254979856,
        0.21107144,
    ),
    (
        "no annotator variance",
        True,
        {
            "question": 0.25703213,
            "source": 0.312760056,
            "annotator": 0.0,
            "annotator:system": 0.000489887906,
            "residual": 0.19359229,
        },
        2.38058889,
        0.145970525,
        0.147526669,
    ),
    (
        "a pair is missing",
        True,
        {
            "question": 0.165194752,
            "source": 0.423734076,
            "annotator": 0.0335485739,
            "annotator:system": 0.0422975849,
            "residual": 0.269970674,
        },
        2.45604719,
        0.219140201,
        0.214227861,
    ),
    (
        "a pair is missing",
        False,
        {
            "question": 0.169266797,
            "source": 0.430438667,
            "annotator:system": 0.0411522805,
            "residual": 0.267687776,
        },
        2.43106988,
        0.208162107,
        0.214562481,
    ),
    (
        "one annotator a question",
        True,
        {
            "source": 0.318967226,
            "annotator": 0.136610552,
            "annotator:system": 0.0,
            "residual": 0.366703816,
        },
        2.96971061,
        0.238702752,
        0.110739984,
    ),
]


@pytest.mark.parametrize(("name", "random", "variances", "mean", "error", "of_difference"), LME4)
def test_components_are_lme4s(
    name: str,
    random: bool,
    variances: dict[str, float],
    mean: float,
    error: float,
    of_difference: float,
) -> None:
    found = fit(STUDIES[name], random=random)
    assert dict(found.variances) == pytest.approx(variances, rel=2e-6, abs=2e-9)
    first = found.systems.index(0)
    assert found.means[first] == pytest.approx(mean, rel=1e-7)
    assert found.errors[first] == pytest.approx(error, rel=1e-6)
    assert pooled(found, 0, 1)[0] == pytest.approx(of_difference, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "df", "tolerance"),
    [("balanced", 11.90103, 1e-5), ("rounded", 13.90419, 1e-5), ("unbalanced", 51.06, 0.01)],
)
def test_degrees_of_freedom_are_lmertests(name: str, df: float, tolerance: float) -> None:
    """By `lmerTest::contest1D`, version 3.1-3. It takes the observed information, we the average
    information: they are the same where the design is balanced."""
    assert pooled(fit(STUDIES[name]), 0, 1)[1] == pytest.approx(df, rel=tolerance)


def cube(rows: Rows) -> np.ndarray:
    """Return a complete study as (sources, systems, annotators)."""
    sizes = [max(column) + 1 for column in list(zip(*rows, strict=True))[:2]] + [
        max(row[3] for row in rows) + 1
    ]
    table = np.full(sizes, np.nan)
    for source, system, _, annotator, rating in rows:
        table[source, system, annotator] = rating
    return table


def test_components_of_a_balanced_study_solve_its_expected_mean_squares() -> None:
    """E(MS) of source, question, annotator, annotator:system and residual, written out and
    solved."""
    y = cube(STUDIES["balanced"])
    n, s, k = y.shape
    source, system, annotator = y.mean((1, 2)), y.mean((0, 2)), y.mean((0, 1))
    question, pair = y.mean(2), y.mean(0)
    whole = y.mean()
    of_source = s * k * ((source - whole) ** 2).sum() / (n - 1)
    of_question = (
        k * ((question - source[:, None] - system + whole) ** 2).sum() / ((n - 1) * (s - 1))
    )
    of_annotator = n * s * ((annotator - whole) ** 2).sum() / (k - 1)
    of_pair = n * ((pair - system[:, None] - annotator + whole) ** 2).sum() / ((s - 1) * (k - 1))
    left = y - question[:, :, None] - pair + system[:, None]
    residual = (left**2).sum() / (s * (n - 1) * (k - 1))
    found = fit(STUDIES["balanced"])
    assert dict(found.variances) == pytest.approx(
        {
            "source": (of_source - of_question) / (s * k),
            "question": (of_question - residual) / k,
            "annotator": (of_annotator - of_pair) / (n * s),
            "annotator:system": (of_pair - residual) / n,
            "residual": residual,
        },
        rel=1e-7,
    )
    assert found.means == pytest.approx(system)
    assert found.random
    assert (found.n, found.sources, found.questions, found.annotators, found.freedom) == (
        360,
        30,
        120,
        3,
        6,
    )


def test_difference_with_fixed_annotators_and_complete_data_is_the_paired_t_test() -> None:
    table = cube(STUDIES["balanced"]).mean(axis=2)
    theirs = stats.ttest_rel(table[:, 2], table[:, 0])
    found = fit(STUDIES["balanced"], random=False).difference(2, 0)
    assert (found.statistic, found.pvalue, found.df) == pytest.approx(
        (theirs.statistic, theirs.pvalue, 29)
    )
    assert (found.ci.low, found.ci.high) == pytest.approx(tuple(theirs.confidence_interval()))
    assert (found.value, found.n) == (pytest.approx(np.diff(table[:, [0, 2]]).mean()), 30)


def test_difference_with_random_annotators_adds_their_variance_in_proportion() -> None:
    """Half the variance of the mean paired difference is what the model has from sources, 2 (q + e
    / k) / n; degrees of freedom follow from the mean squares of the balanced design."""
    found = fit(STUDIES["balanced"])
    whole = cube(STUDIES["balanced"])
    table = whole.mean(axis=2)
    paired = (table[:, 2] - table[:, 0]).var(ddof=1) / 30
    v = found.variances
    by_model = 2 * (v["question"] + v["residual"] / 3) / 30
    tested = found.difference(2, 0)
    assert tested.error**2 == pytest.approx(
        paired * (1 + 2 * v["annotator:system"] / 3 / by_model), rel=1e-6
    )
    cells = whole.mean(axis=0)
    crossed = cells - cells.mean(axis=0) - cells.mean(axis=1, keepdims=True) + cells.mean()
    within = whole - whole.mean(axis=2, keepdims=True) - cells + cells.mean(axis=1, keepdims=True)
    squares = (30 * (crossed**2).sum() / 6, 6), ((within**2).sum() / 232, 232)
    of_variance = sum(2 * square**2 / df for square, df in squares) / 30**2
    doubt = (2 / 3) ** 2 * of_variance / (by_model + 2 * v["annotator:system"] / 3) ** 2
    assert tested.df == pytest.approx(2 / (2 / 29 + doubt), rel=1e-6)


def test_difference_of_systems_on_other_sources_has_freedom_of_the_one_with_fewer() -> None:
    """With sixty sources and four, four decide: the mean of those is what is uncertain."""
    rng = np.random.default_rng(4)
    sources = [(source, 0) for source in range(60)] + [(source, 1) for source in range(60, 64)]
    rows = [
        (source, system, "", a, float(rng.normal() + value))
        for source, system in sources
        for value in [rng.normal()]
        for a in (0, 1)
    ]
    found = fit(rows, random=False)
    assert found.difference(0, 1).df == pytest.approx(3)
    assert found.difference(0, 1).n == 64
    two = [row for row in rows if row[0] < 62]
    assert fit(two, random=False).difference(0, 1).reason == "2 sources are too few"


def test_mean_fixed_annotators_and_complete_data_is_students_interval_over_sources() -> None:
    of_sources = cube(STUDIES["balanced"]).mean(axis=2)[:, 2]
    theirs = stats.ttest_1samp(of_sources, 0).confidence_interval()
    found = fit(STUDIES["balanced"], random=False).mean(2)
    assert found.value == pytest.approx(of_sources.mean())
    assert (found.ci.low, found.ci.high) == pytest.approx(tuple(theirs))
    assert (found.n, found.clusters, found.df) == (30, 30, pytest.approx(29))
    assert np.isnan(found.pvalue)


def test_mean_random_annotators_adds_their_variance_in_proportion() -> None:
    """The model has (source + question + residual / k) / n from sources and (annotator +
    annotator:system) / k from annotators; the first is replaced by that of the system's own."""
    found = fit(STUDIES["balanced"])
    of_sources = cube(STUDIES["balanced"]).mean(axis=2)[:, 2]
    v = found.variances
    by_model = (v["source"] + v["question"] + v["residual"] / 3) / 30
    of_annotators = (v["annotator"] + v["annotator:system"]) / 3
    mean = found.mean(2)
    error = np.sqrt(of_sources.var(ddof=1) / 30 * (1 + of_annotators / by_model))
    reach = stats.t.ppf(0.975, mean.df) * error
    assert (mean.ci.low, mean.ci.high) == pytest.approx((mean.value - reach, mean.value + reach))
    assert 2 < mean.df < 29


def test_mean_of_two_sources_or_of_equal_values_has_no_interval() -> None:
    rows = [row for row in STUDIES["balanced"] if row[0] < 2]
    assert fit(rows).mean(0).reason == "2 sources are too few for an interval"
    varied = [
        (source, system, "", a, float((source + a) % 3 if system else 2))
        for source in range(9)
        for system in (0, 1)
        for a in (0, 1)
    ]
    constant = fit(varied, random=False).mean(0)
    assert constant.reason == "the same mean on every source: no interval can be estimated"
    assert np.isnan([constant.ci.low, constant.ci.high]).all()


def test_difference_of_an_incomplete_study_moves_with_each_source() -> None:
    """Without a source, and with the same variances, the means move by what its influence says."""
    rows = STUDIES["unbalanced"]
    found = fit(rows, random=False)
    table = np.array([(row[0], row[1], row[3], row[4]) for row in rows])
    source, system, annotator = table[:, :3].T.astype(int)
    v = found.variances
    covariance = v["residual"] * np.eye(len(rows)) + v["source"] * (source[:, None] == source)
    covariance += v["question"] * ((source[:, None] == source) & (system[:, None] == system))
    pairs = np.eye(40)[annotator * 5 + system]

    def means(kept: np.ndarray) -> np.ndarray:
        inverse = np.linalg.inv(covariance[np.ix_(kept, kept)])
        x, y = pairs[kept], table[kept, 3]
        return np.linalg.solve(x.T @ inverse @ x, x.T @ inverse @ y).reshape(8, 5).mean(axis=0)

    for left_out in (0, 17, 39):
        moved = means(np.full(len(rows), True)) - means(source != left_out)
        assert found.influence[left_out][np.argsort(found.systems)] == pytest.approx(
            moved, rel=1e-5
        )


def test_an_annotator_of_one_source_alone_keeps_their_severity_where_it_is_left_out() -> None:
    """Without source 0 nothing tells how severe annotator 3 is: least squares with that severity
    held moves the differences of systems as the influence says."""
    draw = random.Random(4)
    rows = [*STUDIES["balanced"], *((0, i, f"0/{i}/0", 3, 2 + draw.gauss(0, 1)) for i in range(3))]
    found, v = fit(rows, random=False), fit(rows, random=False).variances
    source, system, annotator = np.array([(row[0], row[1], row[3]) for row in rows]).T
    y, on_one = np.array([row[4] for row in rows]), source[:, None] == source
    same_system, one_annotator = system[:, None] == system, annotator[:, None] == annotator
    covariance = v["residual"] * np.eye(len(rows)) + v["source"] * on_one
    covariance += v["question"] * (on_one & same_system)
    covariance += v["annotator:system"] * (one_annotator & same_system)
    severity = np.eye(4)[annotator]
    x = np.column_stack([np.eye(4)[system], severity[:, :3] - severity[:, 3:]])

    def coefficients(kept: np.ndarray, y: np.ndarray, columns: int) -> np.ndarray:
        inverse, x_kept = np.linalg.inv(covariance[np.ix_(kept, kept)]), x[kept, :columns]
        return np.linalg.solve(x_kept.T @ inverse @ x_kept, x_kept.T @ inverse @ y[kept])

    whole = coefficients(np.full(len(rows), True), y, 7)
    held = -whole[4:].sum()  # of annotator 3: the four severities add up to 0
    # with s2 = -held - s0 - s1 in the column of annotator 2
    x[:, 4:6] -= x[:, [6]]
    rest = coefficients(source != 0, y + held * x[:, 6], 6)
    moved = (whole[:4] - rest[:4])[found.systems]
    assert np.diff(found.influence[0]) == pytest.approx(np.diff(moved), rel=1e-5)


@pytest.mark.long
@pytest.mark.parametrize("random", [True, pytest.param(False, marks=pytest.mark.long)])
def test_a_test_without_a_difference_keeps_its_level(random: bool) -> None:
    """Ratings rounded to 1-3 near their end; without the question effect a fifth of such tests were
    below .05."""
    draw = np.random.default_rng(5)
    source, system, annotator = (axis.ravel() for axis in np.indices((30, 4, 3)))
    below = []
    for _ in range(60):
        y = 2.8 + 0.6 * draw.normal(size=(30, 1, 1)) + 0.6 * draw.normal(size=(30, 4, 1))
        y = y + 0.5 * draw.normal(size=(1, 1, 3)) + 0.5 * draw.normal(size=(30, 4, 3))
        y = y + (0.2 if random else 0) * draw.normal(size=(1, 4, 3))
        ratings = np.clip(np.round(y), 1, 3).ravel()
        found = variance_components(
            ratings, systems=system, sources=source, annotators=annotator, annotators_random=random
        )
        below += [found.difference(a, b).pvalue < 0.05 for a, b in combinations(range(4), 2)]
    assert 0.02 <= np.mean(below) <= 0.08


def test_two_systems_in_mid_scale_are_not_judged_by_the_small_variances_of_those_at_its_end() -> (
    None
):
    draw = np.random.default_rng(6)
    source, system, annotator = (axis.ravel() for axis in np.indices((60, 6, 3)))
    level = np.array([2.0, 2.0, 3.6, 3.6, 3.6, 3.6])[:, None]
    y = level + 0.6 * draw.normal(size=(60, 6, 1)) + 0.5 * draw.normal(size=(60, 6, 3))
    ratings = np.clip(np.round(y), 1, 3).ravel()
    found = variance_components(ratings, systems=system, sources=source, annotators=annotator)
    assert found.difference(0, 1).error > 1.3 * pooled(found, 0, 1)[0]
    assert found.difference(2, 3).error < 0.8 * pooled(found, 2, 3)[0]


def test_a_variance_estimated_as_zero_is_named() -> None:
    found = fit(STUDIES["no annotator variance"])
    assert found.dropped == ("annotator",)
    assert found.notes == ("estimated as zero and left out: variance of annotator",)
    assert found.variance("annotator") == 0
    assert np.isnan(found.variance("source:system"))
    without = [each for each in found.variances if found.variances[each] > 0]
    assert len(without) == 4


@pytest.mark.parametrize(
    ("name", "random", "note"),
    [
        (
            "one annotator a question",
            True,
            "every question has one rating: its variance is part of the residual",
        ),
        (
            "a pair is missing",
            False,
            "not every annotator judged every system: annotator:system is a random effect",
        ),
    ],
)
def test_effects_that_a_design_cannot_tell_apart_are_named(
    name: str, random: bool, note: str
) -> None:
    assert note in fit(STUDIES[name], random=random).notes


def test_an_annotator_of_a_system_on_one_source_is_a_random_effect_of_the_system() -> None:
    """A column for each annotator and system would rest on one rating there."""
    rows = [r for r in STUDIES["balanced"] if (r[3], r[1]) != (0, 0) or r[0] == 7]
    found = fit(rows, random=False)
    assert found.notes == (
        "not every annotator judged every system: annotator:system is a random effect",
    )
    assert "annotator:system" in found.variances
    two = fit([*rows, next(r for r in STUDIES["balanced"] if r[:2] == (3, 0))], random=False)
    assert (two.notes, "annotator:system" in two.variances) == ((), False)


def test_one_annotator_leaves_sources_and_what_is_left() -> None:
    found = fit([row for row in STUDIES["balanced"] if row[3] == 0])
    assert list(found.variances) == ["source", "residual"]
    assert found.notes[-1] == "one annotator: no variance between annotators"
    table = cube(STUDIES["balanced"])[:, :, 0]
    assert found.difference(0, 1).pvalue == pytest.approx(
        stats.ttest_rel(table[:, 0], table[:, 1]).pvalue
    )


def test_one_system_leaves_questions_and_annotators_as_in_a_two_way_table() -> None:
    found = fit([row for row in STUDIES["balanced"] if row[1] == 2])
    table = cube(STUDIES["balanced"])[:, 2]
    question, annotator = table.mean(axis=1), table.mean(axis=0)
    left = table - question[:, None] - annotator + table.mean()
    residual = (left**2).sum() / (29 * 2)
    assert dict(found.variances) == pytest.approx(
        {
            "question": question.var(ddof=1) - residual / 3,
            "annotator": annotator.var(ddof=1) - residual / 30,
            "residual": residual,
        },
        rel=1e-6,
    )
    assert (found.means.tolist(), found.systems) == (pytest.approx([table.mean()]), [2])
    assert found.notes == ("every source has one question: their variances are one",)


def test_annotators_of_one_system_each_hold_what_is_theirs_on_it() -> None:
    """Three annotators judge system 0, three others system 1."""
    rows = [
        (source, system, question, 3 * system + annotator, rating)
        for source, system, question, annotator, rating in STUDIES["balanced"]
        if system < 2
    ]
    found = fit(rows)
    assert found.notes == ("no annotator judged two systems: their variances are one",)
    assert list(found.variances) == ["question", "source", "annotator", "residual"]
    table = cube(STUDIES["balanced"])[:, :2]
    assert found.means[np.argsort(found.systems)] == pytest.approx(table.mean(axis=(0, 2)))
    left = (
        table - table.mean(axis=2, keepdims=True) - table.mean(axis=0) + table.mean((0, 2))[:, None]
    )
    assert found.variance("residual") == pytest.approx((left**2).sum() / (2 * 29 * 2), rel=1e-6)


def test_a_system_on_sources_of_its_own_has_one_question_each() -> None:
    rows = [(10 * row[1] + row[0], *row[1:]) for row in study(9, 10, 2, 3)]
    found = fit(rows)
    assert "every source has one question: their variances are one" in found.notes
    assert list(found.variances) == ["question", "annotator", "annotator:system", "residual"]


def test_sources_with_one_rating_each_leave_the_pooled_variance_of_two_samples() -> None:
    ratings = np.array([1.0, 2, 3, 5, 2, 4, 4, 5])
    found = variance_components(
        ratings, systems=np.repeat([0, 1], 4), sources=np.arange(8), annotators=np.zeros(8)
    )
    # sums of squares 8.75 and 4.75 with 6 degrees of freedom
    assert found.variances == {"residual": pytest.approx(2.25, abs=1e-6)}
    assert found.means.tolist() == pytest.approx([2.75, 3.75])


def test_annotators_who_repeat_alone_share_the_question_s_variance() -> None:
    found = fit(study(10, 30, 3, 3, each=1, times=2))
    assert "every question has one annotator: the question's variance holds theirs" in found.notes
    assert "question" in found.variances


def test_order_of_rows_unit_and_zero_of_the_scale_do_not_matter() -> None:
    plain, rows = fit(STUDIES["rounded"]), STUDIES["rounded"][::-1]
    turned = fit([(*row[:4], 100 + 10 * row[4]) for row in rows])
    assert turned.difference(1, 0).pvalue == pytest.approx(plain.difference(1, 0).pvalue, rel=1e-6)
    assert turned.variance("question") == pytest.approx(100 * plain.variance("question"), rel=1e-6)
    assert sorted(turned.means) == pytest.approx(sorted(100 + 10 * plain.means))


def test_ratings_that_are_missing_and_systems_without_any_are_left_out() -> None:
    rows = [*STUDIES["balanced"], (0, 9, "none", 0, float("nan"))]
    assert fit(rows).systems == [0, 1, 2, 3]
    assert dict(fit(rows).variances) == dict(fit(STUDIES["balanced"]).variances)
    assert fit(STUDIES["balanced"], questions=False).variances == fit(STUDIES["balanced"]).variances


def test_a_study_of_nine_thousand_ratings_finds_what_made_it() -> None:
    draw = np.random.default_rng(1)
    source, system, annotator = (axis.ravel() for axis in np.indices((200, 15, 3)))
    y = (
        0.6 * draw.normal(size=(200, 1, 1))
        + 0.4 * draw.normal(size=(200, 15, 1))
        + 0.5 * draw.normal(size=(200, 15, 3))
    )
    y = y + np.array([-0.4, 0.1, 0.3]) + 0.2 * draw.normal(size=(15, 3))
    found = variance_components(y.ravel(), systems=system, sources=source, annotators=annotator)
    assert found.variance("source") == pytest.approx(0.36, rel=0.2)
    assert found.variance("question") == pytest.approx(0.16, rel=0.1)
    assert found.variance("annotator") == pytest.approx(0.13, rel=0.3)
    assert found.variance("annotator:system") == pytest.approx(0.04, rel=0.4)
    assert found.variance("residual") == pytest.approx(0.25, rel=0.05)


def test_two_annotators_of_two_systems_are_too_few_to_be_random() -> None:
    rows = [row for row in STUDIES["balanced"] if row[1] < 2 and row[3] < 2]
    undefined = fit(rows).difference(0, 1)
    assert undefined.reason == "two annotators of two systems cannot show how annotators differ"
    assert not undefined.defined
    assert fit(rows, random=False).difference(0, 1).defined


def test_systems_that_differ_alike_on_every_source_are_not_tested() -> None:
    rows = [
        (source, system, "", 0, float(source % 3 + system))
        for source in range(9)
        for system in (0, 1)
    ]
    rows += [(source, 2, "", 0, float(source * 7 % 5)) for source in range(9)]
    assert fit(rows).difference(0, 1).reason == "the same difference on every source"
    # two annotators whose variance is nothing: what rounding leaves is no difference either
    twice = [
        (source, system, f"{source}/{system}", a, source % 3 + system + 0.3 * (source % 2 == a))
        for source in range(9)
        for system in (0, 1)
        for a in (0, 1)
    ]
    twice += [
        (source, 2, f"{source}/2", a, source * 7 % 5 + a * (source % 2) * 0.5)
        for source in range(9)
        for a in (0, 1)
    ]
    found = fit(twice)
    assert found.variance("annotator") == 0
    assert found.difference(0, 1).reason == "the same difference on every source"


def test_three_sources_are_enough_to_test_a_difference() -> None:
    rows = [row for row in STUDIES["balanced"] if row[0] < 3]
    table = cube(rows).mean(axis=2)
    theirs = stats.ttest_rel(table[:, 0], table[:, 1])
    found = fit(rows, random=False).difference(0, 1)
    assert (found.pvalue, found.df) == pytest.approx((theirs.pvalue, 2))


def test_two_sources_are_too_few_to_test_a_difference() -> None:
    assert (
        fit([row for row in STUDIES["balanced"] if row[0] < 2]).difference(0, 1).reason
        == "2 sources are too few"
    )


def small(**changes: Any) -> dict[str, Any]:
    source, system, annotator = (axis.ravel() for axis in np.indices((6, 2, 2)))
    ratings = np.random.default_rng(0).normal(size=source.size)
    return {
        "ratings": ratings,
        "systems": system,
        "sources": source,
        "annotators": annotator,
    } | changes


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ratings": np.full(24, np.nan)}, "no ratings"),
        ({"ratings": np.full(24, 3.0)}, "every rating has the same value"),
        ({"sources": ["one"] * 24}, "one source: two are needed"),
        ({"ratings": np.tile([1.0, 2.0], 12)}, "the residual does not vary"),
        (
            {"ratings": np.tile([1.0, 1.0, 2.0, 2.0], 6)},
            "nothing varies beside systems and annotators",
        ),
        ({"systems": np.arange(24)}, "24 ratings are too few for 24 means"),
        (
            {"annotators": np.repeat(np.arange(6), 4)},
            r"variances cannot be distinguished: rank \d of \d",
        ),
    ],
)
def test_what_cannot_be_fitted_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(Unfit, match=message):
        variance_components(**small(**change))


def test_an_effect_that_the_ratings_hold_nothing_of_is_dropped() -> None:
    """Every source has the same ratings, in another order."""
    turns = np.array([np.roll([1.0, 2.0, 3.0, 2.0], source) for source in range(6)])
    found = variance_components(**small(ratings=turns.ravel()))
    assert "source" in found.dropped
    assert found.variance("residual") > 0


def test_where_nothing_else_varies_the_residual_is_the_variance_within_systems() -> None:
    """24 ratings of two systems leave 22 degrees of freedom."""
    ratings = np.random.default_rng(3).normal(size=24)
    found = variance_components(**small(ratings=ratings))
    assert found.dropped == ("question", "source", "annotator", "annotator:system")
    of_system = ratings.reshape(6, 2, 2) - ratings.reshape(6, 2, 2).mean(axis=(0, 2))[:, None]
    assert found.variance("residual") == pytest.approx((of_system**2).sum() / 22, rel=1e-6)


def test_a_variance_of_zero_is_found_where_the_ratings_follow_a_pattern() -> None:
    """One annotator gives every question of a source the same, the other always the same, so the
    average information is singular.

    Without the questions' variance, and with annotators fixed, the study is a balanced one-way
    layout, whose variances have a closed form.
    """
    rows = [
        (number, place, f"{number}/{place}", annotator, float(value))
        for number in range(6)
        for place in range(3)
        for annotator, value in enumerate((3, 3 - number % 2))
    ]
    found = fit(rows, random=False)
    table = np.array([row[-1] for row in rows]).reshape(6, 3, 2)
    effects = table.mean(axis=0)  # of systems and annotators
    left = table - effects - table.mean(axis=(1, 2), keepdims=True) + table.mean()
    within = (left**2).sum() / 25
    between = 6 * ((table.mean(axis=(1, 2)) - table.mean()) ** 2).sum() / 5
    assert found.dropped == ("question",)
    assert found.variance("residual") == pytest.approx(within, rel=1e-6)
    assert found.variance("source") == pytest.approx((between - within) / 6, rel=1e-6)


def dense_deviance(rows: Rows, variances: dict[str, float], *, random: bool) -> float:
    """Return -2 log restricted likelihood by its definition, with matrices of all ratings."""
    source, system, question, annotator, y = map(np.array, zip(*rows, strict=True))
    pair = np.array([f"{a}/{s}" for a, s in zip(annotator, system, strict=True)])
    groups = {"source": source, "question": question, "annotator": annotator}
    groups["annotator:system"] = pair
    fixed = np.equal.outer(*[system, np.unique(system)] if random else [pair, np.unique(pair)])
    x = fixed.astype(float)
    v = variances["residual"] * np.eye(len(y))
    for name, variance in variances.items():
        if name != "residual":
            v += variance * np.equal.outer(groups[name], groups[name])
    within = np.linalg.solve(v, x)
    of_means = x.T @ within
    left = y - x @ np.linalg.solve(of_means, within.T @ y)
    logs = np.linalg.slogdet(v)[1] + np.linalg.slogdet(of_means)[1]
    return float(logs + left @ np.linalg.solve(v, left))


def ceiling(draw: random.Random, *_place: int) -> float:
    return 5.0 if draw.random() < 0.9 else 4.0


def yes_or_no(draw: random.Random, _source: int, system: int, _annotator: int) -> float:
    return float(draw.random() < 0.3 + system / 5)


def patterned(_draw: random.Random, source: int, system: int, annotator: int) -> float:
    return (3 - source % 2, 3 - system % 2, 3 - (source + system) % 2)[annotator % 3]


def one_constant(draw: random.Random, *place: int) -> float:
    return 3.0 if place[-1] == 0 else round(draw.uniform(1, 5))


@pytest.mark.long
@pytest.mark.parametrize("random_annotators", [True, False])
@pytest.mark.parametrize("given", [ceiling, yes_or_no, patterned, one_constant])
@pytest.mark.parametrize("size", [(5, 3, 2), (8, 2, 3), (9, 4, 2), (6, 3, 4)])
def test_no_other_variances_make_odd_ratings_likelier(
    size: tuple[int, int, int], given: Any, random_annotators: bool
) -> None:
    """Nelder and Mead's search of the likelihood, written down by its definition, finds none."""
    draw, (sources, systems, annotators) = random.Random(str(size)), size
    rows: Rows = [
        (source, system, f"{source}/{system}", annotator, given(draw, source, system, annotator))
        for source in range(sources)
        for system in range(systems)
        for annotator in range(annotators)
    ]
    found = fit(rows, random=random_annotators)
    best = np.array(list(found.variances.values()))

    def deviance(roots: np.ndarray) -> float:
        variances = dict(zip(found.variances, (roots**2).tolist(), strict=True))
        variances["residual"] = max(variances["residual"], 1e-9)
        return dense_deviance(rows, variances, random=random_annotators)

    for start in (best + best.sum() / 1000, np.full(len(best), best.mean())):
        searched = optimize.minimize(deviance, np.sqrt(start), method="Nelder-Mead")
        assert deviance(np.sqrt(best)) < searched.fun + 1e-4


def test_systems_and_annotators_that_do_not_cross_are_refused_with_their_rank() -> None:
    each_their_own = small(
        annotators=np.indices((6, 2, 2))[1].ravel() * 2 + np.indices((6, 2, 2))[2].ravel()
    )
    with pytest.raises(Unfit, match="systems and annotators cannot be distinguished: rank 4 of 5"):
        variance_components(**each_their_own, annotators_random=False)


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="columns differ in length"):
        variance_components(**small(ratings=np.ones(3)))


def test_components_of_many_annotators_are_those_of_dense_sums(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two of thirty annotators rate each of four systems on a source: 150 columns, few of them on
    one source."""
    draw = random.Random(3)
    rows = [
        (float(draw.randint(1, 3) + (system == "a")), system, f"s{source}", f"p{person}")
        for source in range(60)
        for system in "abcd"
        for person in draw.sample(range(30), 2)
    ]
    for is_random in (True, False):
        found = {}
        for limit in (0, 10_000):
            monkeypatch.setattr(components, "SPARSE_FROM", limit)
            ratings, systems, sources, annotators = zip(*rows, strict=True)
            found[limit] = variance_components(
                ratings,
                systems=systems,
                sources=sources,
                annotators=annotators,
                clusters=[f"c{int(source[1:]) // 4}" for source in sources],
                annotators_random=is_random,
            )
        few, many = found.values()
        assert dict(few.variances) == pytest.approx(dict(many.variances), rel=1e-7, abs=1e-12)
        assert few.means == pytest.approx(many.means)
        one, other = few.difference("a", "b"), many.difference("a", "b")
        assert (one.ci.low, one.ci.high, one.pvalue) == pytest.approx(
            (other.ci.low, other.ci.high, other.pvalue)
        )
