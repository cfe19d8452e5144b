"""The second program of what is inferred: agreement, annotators, comparisons, metrics against
people.

Like `second`, it imports nothing of the program it checks.
"""

import math
import warnings
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product
from statistics import mean
from typing import Any

import krippendorff
import numpy as np
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa

from tests.analysis.golden import second
from tests.analysis.golden.material import Golden, Slot

Row = dict[str, Any]


def judged(golden: Golden, criterion: Row, slots: Sequence[Slot]) -> list[Slot]:
    return [
        slot for slot in second.asked(golden, criterion, slots) if slot.ratings[criterion["key"]]
    ]


# Agreement


def agreement(golden: Golden, slots: Sequence[Slot]) -> list[Row]:
    """Return coefficients by the formulas of Gwet (2014): pairs of ratings, and a chance of
    them."""
    rows = []
    for criterion in second.criteria(golden):
        key, scale = criterion["key"], second.points(criterion)
        units = judged(golden, criterion, slots)
        counts = [[slot.given(key).count(value) for value in scale] for slot in units]
        rows.append(row_of(criterion, "percent_agreement", "nominal", paired(counts, equal(scale))))
        for level in ("nominal", "ordinal", "interval"):
            rows.append(
                row_of(criterion, "krippendorff_alpha", level, alpha(units, key, level, scale))
            )
        q = len(scale)
        rows.append(
            row_of(criterion, "randolph_kappa", "nominal", corrected(counts, equal(scale), uniform))
        )
        rows.append(row_of(criterion, "gwet_ac1", "nominal", corrected(counts, equal(scale), gwet)))
        if criterion["level"] != "nominal" and q > 2:
            for name, weights in (
                ("gwet_ac2_linear", linear(scale)),
                ("gwet_ac2_quadratic", quadratic(scale)),
            ):
                rows.append(
                    row_of(criterion, name, criterion["level"], corrected(counts, weights, gwet))
                )
            value = corrected(counts, quadratic(scale), uniform)
            rows.append(row_of(criterion, "brennan_prediger_quadratic", criterion["level"], value))
        rows.append(
            row_of(criterion, "fleiss_kappa", "nominal", corrected(counts, equal(scale), by_shares))
        )
    return rows


def row_of(criterion: Row, name: str, level: str, value: float | None) -> Row:
    return {
        "criterion": criterion["key"],
        "basis": "all",
        "coefficient": name,
        "level": level,
        "value": value,
    }


def equal(scale: Sequence[int]) -> np.ndarray:
    return np.eye(len(scale))


def linear(scale: Sequence[int]) -> np.ndarray:
    return np.array([[1 - abs(a - b) / (max(scale) - min(scale)) for b in scale] for a in scale])


def quadratic(scale: Sequence[int]) -> np.ndarray:
    return np.array(
        [[1 - (a - b) ** 2 / (max(scale) - min(scale)) ** 2 for b in scale] for a in scale]
    )


def paired(counts: Sequence[Sequence[int]], weights: np.ndarray) -> float | None:
    """Return the mean over units of the weighted share of agreeing pairs, pair by pair."""
    shares = []
    for row in counts:
        given = [value for value, times in enumerate(row) for _ in range(times)]
        if len(given) > 1:
            shares.append(mean([float(weights[a, b]) for a, b in combinations(given, 2)]))
    return mean(shares) if shares else None


Expected = Callable[[np.ndarray, np.ndarray], float]


def corrected(
    counts: Sequence[Sequence[int]], weights: np.ndarray, expected: Expected
) -> float | None:
    observed = paired(counts, weights)
    used = [row for row in counts if sum(row)]
    if observed is None:
        return None
    shares = np.mean([np.array(row) / sum(row) for row in used], axis=0)
    chance = expected(shares, weights)
    return (observed - chance) / (1 - chance) if chance < 1 - 1e-12 else None


def uniform(shares: np.ndarray, weights: np.ndarray) -> float:
    return float(weights.sum() / len(weights) ** 2)


def gwet(shares: np.ndarray, weights: np.ndarray) -> float:
    q = len(weights)
    return float(weights.sum() / (q * (q - 1)) * sum(p * (1 - p) for p in shares))


def by_shares(shares: np.ndarray, weights: np.ndarray) -> float:
    return float(shares @ weights @ shares)


def alpha(units: Sequence[Slot], key: str, level: str, scale: Sequence[int]) -> float | None:
    table = second.alpha_table(units, key)
    if not table.size:
        return None
    pairable = table[:, (~np.isnan(table)).sum(axis=0) > 1]
    if not pairable.size or np.nanmin(pairable) == np.nanmax(pairable):
        return None
    return float(
        krippendorff.alpha(
            table, level_of_measurement=level, value_domain=np.array(sorted(scale), float)
        )
    )


# Annotators


def annotators(golden: Golden, slots: Sequence[Slot]) -> list[Row]:
    rows = []
    for criterion in second.criteria(golden):
        key, units = criterion["key"], judged(golden, criterion, slots)
        for name in sorted({name for slot in units for name in slot.ratings[key]}):
            own = [
                slot.ratings[key][name] for slot in units if slot.ratings[key].get(name) is not None
            ]
            pairs = [
                (
                    slot.ratings[key][name],
                    mean(
                        [
                            Fraction(v)
                            for other, v in slot.ratings[key].items()
                            if other != name and v is not None
                        ]
                    ),
                )
                for slot in units
                if slot.ratings[key].get(name) is not None and len(slot.given(key)) > 1
            ]
            others = [float(b) for _, b in pairs]
            ordered = second.averaged(criterion)
            varied = len(pairs) > 2 and len({a for a, _ in pairs}) > 1 and len(set(others)) > 1
            rows.append(
                {
                    "criterion": key,
                    "annotator": name,
                    "n": len(own),
                    "mean": mean(own) if own and ordered else None,
                    "severity": float(mean([a - b for a, b in pairs]))
                    if pairs and ordered
                    else None,
                    "shared": len(pairs),
                    "top_share": max(own.count(value) for value in own) / len(own) if own else None,
                    "longest_run": None,
                    "rho_with_others": float(
                        stats.spearmanr([a for a, _ in pairs], others).statistic
                    )
                    if varied and ordered
                    else None,
                }
            )
    return rows


def excluded(golden: Golden, slots: Sequence[Slot]) -> list[Row]:
    rows = []
    for criterion in second.criteria(golden):
        key, units, scale = (
            criterion["key"],
            judged(golden, criterion, slots),
            second.points(criterion),
        )
        level = "nominal" if criterion["level"] == "nominal" or len(scale) == 2 else "ordinal"
        whole = alpha(units, key, level, scale)
        for name in sorted({name for slot in units for name in slot.ratings[key]}):
            without = [
                Slot(
                    s.source,
                    s.system,
                    s.position,
                    s.text,
                    {key: {n: v for n, v in s.ratings[key].items() if n != name}},
                    {},
                )
                for s in units
            ]
            kept = [slot for slot in without if slot.ratings[key]]
            value = alpha(kept, key, level, scale)
            change = None if value is None or whole is None else value - whole
            rows.append(
                {
                    "criterion": key,
                    "without": name,
                    "level": level,
                    "value": value,
                    "change": change,
                }
            )
    return rows


def use_of_scale(golden: Golden, slots: Sequence[Slot]) -> list[Row]:
    rows = []
    for criterion in second.criteria(golden):
        key, units = criterion["key"], judged(golden, criterion, slots)
        for name in sorted({name for slot in units for name in slot.ratings[key]}):
            own = [
                slot.ratings[key][name] for slot in units if slot.ratings[key].get(name) is not None
            ]
            rows += [
                {
                    "criterion": key,
                    "annotator": name,
                    "value": point["value"],
                    "label": point["label"],
                    "count": own.count(point["value"]),
                    "share": own.count(point["value"]) / max(1, len(own)),
                }
                for point in criterion["points"]
            ]
    return rows


def pairs(golden: Golden, slots: Sequence[Slot]) -> list[Row]:
    rows = []
    for criterion in second.criteria(golden):
        key, units, scale = (
            criterion["key"],
            judged(golden, criterion, slots),
            second.points(criterion),
        )
        names = sorted({name for slot in units for name in slot.ratings[key]})
        for one, two in combinations(names, 2):
            both = [
                (s.ratings[key][one], s.ratings[key][two])
                for s in units
                if s.ratings[key].get(one) is not None and s.ratings[key].get(two) is not None
            ]
            table = np.array(
                [[sum((a, b) == pair for pair in both) for b in scale] for a in scale], dtype=float
            )
            for weights, wt in (
                ("unweighted", None),
                ("linear", "linear"),
                ("quadratic", "quadratic"),
            ):
                constant = len({a for a, _ in both} | {b for _, b in both}) < 2
                value = (
                    None if constant else float(cohens_kappa(table, wt=wt, return_results=False))
                )
                rows.append(
                    {
                        "criterion": key,
                        "weights": weights,
                        "first": one,
                        "second": two,
                        "value": value,
                        "n": len(both),
                    }
                )
    return rows


# Systems


def by_source(
    golden: Golden, slots: Sequence[Slot], criterion: Row
) -> dict[str, dict[str, list[float]]]:
    """Return the question means of each system, by source."""
    found: dict[str, dict[str, list[float]]] = {}
    for slot in second.asked(golden, criterion, slots):
        if slot.given(criterion["key"]):
            value = second.unit_mean(slot, criterion["key"])
            found.setdefault(slot.system, {}).setdefault(slot.source, []).append(value)
    return dict(sorted(found.items()))


def comparisons(golden: Golden, slots: Sequence[Slot]) -> list[Row]:
    rows = []
    for criterion in filter(second.averaged, second.criteria(golden)):
        scores = by_source(golden, slots, criterion)
        own: dict[str, list[Row]] = {}
        for one, two in combinations(scores, 2):
            shared = sorted(set(scores[one]) & set(scores[two]))
            a = [mean(scores[one][source]) for source in shared]
            b = [mean(scores[two][source]) for source in shared]
            head = {"criterion": criterion["key"], "first": one, "second": two}
            tested = difference(golden, slots, criterion, (one, two), (a, b))
            if tested["p"] is None:
                tested["p_from"] = ""
            for test, found in (
                ("difference", tested),
                ("contrast", by_students_t(tested, a, b)),
                ("wilcoxon", wilcoxon(a, b)),
                ("t_as_published", two_sample_t(scores[one], scores[two])),
                ("cliffs_delta", {"value": cliff(a, b), "p": None, "n": len(a)}),
            ):
                own.setdefault(test, []).append({**head, "test": test, **found})
        for tests in own.values():
            known = [row for row in tests if row["p"] is not None]
            p = [row["p"] for row in known]
            for row in tests:
                row |= {"p_holm": None, "p_bh": None}
            for row, one, two in zip(known, second.holm(p), second.hochberg(p), strict=True):
                row |= {"p_holm": one, "p_bh": two}
                if row.get("floor") is not None:  # the least p that Holm can leave
                    row["floor"] = min(1.0, row["floor"] * len(known))
            rows += tests
    return rows


def by_students_t(tested: Row, a: Sequence[Fraction], b: Sequence[Fraction]) -> Row:
    """Return a difference with the p of its interval: the paired t test, unless it has that already."""
    p = tested["p"]
    if tested.get("p_from") == "permutation":
        p = None if tested["low"] is None else float(stats.ttest_rel(*map(floats, (a, b))).pvalue)
    return {**tested, "p": p, "p_from": "", "floor": None}


def floats(values: Sequence[Fraction]) -> list[float]:
    return [float(value) for value in values]


def difference(
    golden: Golden,
    slots: Sequence[Slot],
    criterion: Row,
    systems: tuple[str, str],
    means: tuple[Sequence[Fraction], Sequence[Fraction]],
) -> Row:
    """Return the permutation test of the means on each source where the same annotators rated both
    systems there, else weighted least squares with dummies for sources and annotators."""
    key, once = criterion["key"], criterion.get("asked") == "once_per_set"
    given: dict[tuple[str, str, str, int], list[int]] = {}
    for slot in second.asked(golden, criterion, slots):
        for name, value in slot.ratings[key].items():
            if value is not None and slot.system in systems:
                place = (slot.system, slot.source, name, 0 if once else slot.position)
                given.setdefault(place, []).append(value)
    ratings = [(*place, float(mean(values))) for place, values in given.items()]
    own = [{row[1] for row in ratings if row[0] == system} for system in systems]
    ratings = [row for row in ratings if row[1] in own[0] & own[1]]
    people: dict[str, set[frozenset[str]]] = {}
    for system, source, _, position, _ in ratings:
        output = [row for row in ratings if (row[0], row[1], row[3]) == (system, source, position)]
        people.setdefault(source, set()).add(frozenset(row[2] for row in output))
    if all(len(sets) == 1 for sets in people.values()):
        return permutation(*means) | {"p_from": "permutation"}
    return least_squares(ratings, systems[0]) | {"p_from": "contrast"}


def least_squares(ratings: Sequence[tuple[str, str, str, int, float]], first: str) -> Row:
    """Return the difference with its interval and p from leaving out each source."""
    sources = sorted({row[1] for row in ratings})
    n = len(sources)
    if n < 2:
        return {"value": None, "p": None, "n": n}
    of_all = linear_weights(ratings, first)
    if of_all is None:
        return {"value": None, "p": None, "n": n}
    y = np.array([row[4] for row in ratings])
    value = float(of_all @ y)
    without = []
    for source in sources:
        rest = np.array([row[1] != source for row in ratings])
        part = linear_weights([row for row in ratings if row[1] != source], first)
        if part is None:
            return {"value": value, "p": None, "n": n}
        weights = np.zeros(len(ratings))
        weights[rest] = part
        without.append(weights)
    spread = np.array(without) - np.mean(without, axis=0)
    changes = spread @ y
    if n < 3 or np.ptp(changes) < 1e-12:
        return {"value": value, "p": None, "n": n}
    error = math.sqrt((n - 1) / n * float((changes**2).sum()))
    roots = np.linalg.svd(spread, compute_uv=False) ** 2
    df = float(roots.sum() ** 2 / (roots**2).sum())
    low, high = stats.t.interval(0.95, df, value, error)
    p = 2 * float(stats.t.sf(abs(value) / error, df))
    return {"value": value, "p": p, "n": n, "low": low, "high": high}


def linear_weights(
    ratings: Sequence[tuple[str, str, str, int, float]], first: str
) -> np.ndarray | None:
    """Return the weight of each rating in the least squares estimate, None where annotators and
    systems cannot be separated."""
    both = {row[1] for row in ratings if row[0] == first}
    both &= {row[1] for row in ratings if row[0] != first}
    rows = [row for row in ratings if row[1] in both]
    outputs = [(row[0], row[1], row[3]) for row in rows]
    cells = [{output for output in outputs if output[:2] == row[:2]} for row in rows]
    weights = np.array(
        [
            1 / (outputs.count(output) * len(cell))
            for output, cell in zip(outputs, cells, strict=True)
        ]
    )
    people = sorted({row[2] for row in rows})[1:]
    columns = [[row[0] == first for row in rows]]
    columns += [[row[1] == source for row in rows] for source in sorted(both)]
    columns += [[row[2] == name for row in rows] for name in people]
    table = np.array(columns, dtype=float).T
    if np.linalg.matrix_rank(table) == np.linalg.matrix_rank(table[:, 1:]):
        return None
    whole = np.zeros(len(ratings))
    roots = np.sqrt(weights)
    whole[[row[1] in both for row in ratings]] = np.linalg.pinv(table * roots[:, None])[0] * roots
    return whole


def permutation(a: Sequence[Fraction], b: Sequence[Fraction]) -> Row:
    """Return the mean difference and the share of all swaps that give as large a one."""
    gaps = [x - y for x, y in zip(a, b, strict=True)]
    n = len(gaps)
    if n < 2:
        return {"value": None, "p": None, "n": n}
    given = abs(sum(gaps))
    as_large = [
        abs(sum(s * g for s, g in zip(signs, gaps, strict=True))) >= given
        for signs in product((1, -1), repeat=n)
    ]
    floats = [float(gap) for gap in gaps]
    low, high = (None, None)
    if len(set(gaps)) > 1:
        low, high = stats.t.interval(0.95, n - 1, np.mean(floats), stats.sem(floats))
    return {
        "value": float(mean(gaps)),
        "p": sum(as_large) / len(as_large),
        "n": n,
        "low": low,
        "high": high,
        "floor": 2.0 ** (1 - n),
    }


def wilcoxon(a: Sequence[Fraction], b: Sequence[Fraction]) -> Row:
    gaps = [float(x - y) for x, y in zip(a, b, strict=True)]
    if not any(gaps):
        return {"value": None, "p": None, "n": len(gaps)}
    found = stats.wilcoxon(gaps, zero_method="pratt")
    return {
        "value": float(np.median(gaps)),
        "p": float(found.pvalue),
        "n": len(gaps),
        "statistic": float(found.statistic),
    }


def two_sample_t(one: dict[str, list[Fraction]], two: dict[str, list[Fraction]]) -> Row:
    a, b = ([float(value) for own in each.values() for value in own] for each in (one, two))
    n = len(a) + len(b)
    if min(len(a), len(b)) < 2 or (len(set(a)) < 2 and len(set(b)) < 2):
        return {"value": None, "p": None, "n": n}
    with warnings.catch_warnings():
        # scipy warns where one of the samples is constant
        warnings.simplefilter("ignore", RuntimeWarning)
        found = stats.ttest_ind(a, b)
    return {
        "value": mean(a) - mean(b),
        "p": float(found.pvalue),
        "n": n,
        "statistic": float(found.statistic),
    }


def cliff(a: Sequence[Fraction], b: Sequence[Fraction]) -> float | None:
    signs = [(x > y) - (x < y) for x in a for y in b]
    return mean(signs) if signs else None


# Metrics against people


def metric_of(slot: Slot, name: str, direction: str) -> float | None:
    value = slot.scores.get(name)
    return None if value is None else (value if direction == "higher" else -value)


CORRELATIONS = {
    "pearson": lambda x, y: float(stats.pearsonr(x, y).statistic),
    "spearman": lambda x, y: float(stats.spearmanr(x, y).statistic),
    "kendall": lambda x, y: float(stats.kendalltau(x, y).statistic),
}


def correlated(name: str, x: Sequence[float], y: Sequence[float], fewest: int = 3) -> float | None:
    if len(x) < fewest or len(set(x)) < 2 or len(set(y)) < 2:
        return None
    return CORRELATIONS[name](x, y)


def levels(golden: Golden, slots: Sequence[Slot]) -> list[Row]:
    """Return every metric against every human column, pooled, within sources and over systems."""
    rows = []
    questions = [slot for slot in slots if not slot.set_as_whole]
    for human, of in second._human(golden, questions):
        for metric, direction in golden.metrics:
            shared = [
                (s.source, s.system, float(of(s)), metric_of(s, metric, direction))
                for s in questions
                if of(s) is not None and metric_of(s, metric, direction) is not None
            ]
            for name in CORRELATIONS:
                pooled = correlated(name, [x for *_, x, _ in shared], [y for *_, y in shared])
                within = [
                    correlated(name, *_means_on(source, shared), fewest=2)
                    for source in dict.fromkeys(source for source, *_ in shared)
                ]
                known = [value for value in within if value is not None]
                systems = sorted({system for _, system, *_ in shared})
                means = [
                    [
                        float(mean([exact(row[place]) for row in shared if row[1] == system]))
                        for system in systems
                    ]
                    for place in (2, 3)
                ]
                enough = len(systems) > 2 and len({source for source, *_ in shared}) > 2
                over = correlated(name, *means) if enough else None
                head = {"criterion": human, "metric": metric, "coefficient": name}
                rows.append({**head, "level": "pooled", "value": pooled})
                if len(systems) > 1:
                    rows.append(
                        {**head, "level": "within_source", "value": mean(known) if known else None}
                    )
                    rows.append({**head, "level": "systems", "value": over})
    return rows


def _means_on(
    source: str, shared: Sequence[tuple[str, str, float, float]]
) -> tuple[list[float], list[float]]:
    """Return the systems' means on one source, of people and of the metric."""
    own = [row for row in shared if row[0] == source]
    systems = sorted({system for _, system, *_ in own})
    of = [
        [float(mean([exact(row[place]) for row in own if row[1] == system])) for system in systems]
        for place in (2, 3)
    ]
    return of[0], of[1]


def exact(value: float) -> Fraction:
    """Return a mean of whole ratings, or a score of two decimals, without the error of its
    float."""
    return Fraction(value).limit_denominator(1000)


def published(golden: Golden, slots: Sequence[Slot]) -> list[Row]:
    """Return the tests that papers print, of every pair of metrics over questions: Williams,
    Steiger, Meng, Zou."""
    rows = []
    questions = [slot for slot in slots if not slot.set_as_whole]
    for human, of in second._human(golden, questions):
        for (one, first), (two, other) in combinations(golden.metrics, 2):
            shared = [
                (float(of(s)), metric_of(s, one, first), metric_of(s, two, other))
                for s in questions
                if of(s) is not None and one in s.scores and two in s.scores
            ]
            x, y, z = ([row[place] for row in shared] for place in range(3))
            r12, r13, r23 = (correlated("spearman", *pair) for pair in ((x, y), (x, z), (y, z)))
            if len(shared) < 4 or None in (r12, r13, r23):
                continue
            better, worse = (one, two) if r12 >= r13 else (two, one)
            rows.append(
                {
                    "criterion": human,
                    "level": "pooled",
                    "better": better,
                    "other": worse,
                    "value": abs(r12 - r13),
                    "questions": len(shared),
                    **dependent(max(r12, r13), min(r12, r13), r23, len(shared)),
                }
            )
    return rows


def dependent(r12: float, r13: float, r23: float, n: int) -> Row:
    """Return Williams' test as its paper writes it."""
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    mean_r = (r12 + r13) / 2
    t = (r12 - r13) * math.sqrt(
        (n - 1) * (1 + r23) / (2 * (n - 1) / (n - 3) * determinant + mean_r**2 * (1 - r23) ** 3)
    )
    return {
        "williams_t": t,
        "p_williams": 2 * float(stats.t.sf(abs(t), n - 3)),
        "p_williams_one_sided": float(stats.t.sf(t, n - 3)),
    }
