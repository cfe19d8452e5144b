"""The second program of intervals, of metrics compared, of the human ceiling and of other numbers
of annotators.

Like `second` and `inference`, it imports nothing of the program it checks.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from statistics import mean, variance
from typing import Any

import numpy as np
from scipy import optimize, stats

from tests.analysis.golden import inference, second
from tests.analysis.golden.inference import CORRELATIONS, correlated, exact, judged, metric_of
from tests.analysis.golden.material import Golden, Slot

Row = dict[str, Any]
Pair = tuple[str, str, float, float]  # source, system, what people say, what the metric says
MADE_OF_SCALE = ("percent_agreement", "randolph_kappa", "gwet_", "brennan_prediger")


# Leaving out sources


def by_t(
    value: float | None,
    excluded: Sequence[float | None],
    *,
    fisher: bool = False,
    most: float = 1.0,
) -> tuple[float | None, float | None, float | None]:
    """Return the delete-one jackknife's limits and p; none where it cannot be told."""
    known = [each for each in excluded if each is not None]
    if value is None or len(known) < max(3, len(excluded)):
        return None, None, None
    if fisher and any(abs(each) > 1 - 1e-12 for each in (value, *known)):
        return None, None, None
    change = math.atanh if fisher else float
    middle, each = change(value), [change(v) for v in known]
    n = len(each)
    error = math.sqrt((n - 1) / n * sum((v - mean(each)) ** 2 for v in each))
    if error <= 1e-12:
        return None, None, 1.0 if middle == 0 else None
    reach = stats.t.ppf(0.975, n - 1) * error
    back = math.tanh if fisher else float
    p = 2 * float(stats.t.sf(abs(middle) / error, n - 1))
    return max(-most, back(middle - reach)), min(most, back(middle + reach)), p


def agreement(golden: Golden, slots: Sequence[Slot]) -> list[Row]:
    """Return limits of every coefficient: from its values without each source, t with the freedom
    of their kurtosis."""
    names = ["criterion", "basis", "coefficient", "level"]

    def values(kept: Sequence[Slot]) -> dict[tuple[str, ...], float | None]:
        found = inference.agreement(golden, kept)
        return {tuple(row[n] for n in names): row["value"] for row in found}

    whole, rows = values(slots), []
    sources = sorted({slot.source for slot in slots})
    without = {source: values([s for s in slots if s.source != source]) for source in sources}
    for criterion in second.criteria(golden):
        key = criterion["key"]
        units = judged(golden, criterion, slots)
        for where, value in whole.items():
            if where[0] != key:
                continue
            needs = (
                1
                if where[2] in ("fleiss_kappa", "randolph_kappa")
                or where[2].startswith(("gwet", "bren"))
                else 2
            )
            own = sorted({slot.source for slot in units if len(slot.given(key)) >= needs})
            each = [without[source][where] for source in own]
            low, high = _with_kurtosis(value, each)
            if low is not None and _telling(units, key, where[2]) < _least(where[2], len(own)):
                low = high = None
            rows.append({**dict(zip(names, where, strict=True)), "low": low, "high": high})
    return rows


def _with_kurtosis(
    value: float | None, each: Sequence[float | None]
) -> tuple[float | None, float | None]:
    n = len(each)
    if value is None or n < 3 or None in each:
        return None, None
    gaps = [float(v) - mean(map(float, each)) for v in each if v is not None]  # type: ignore[arg-type]
    error = math.sqrt((n - 1) / n * sum(gap**2 for gap in gaps))
    if error <= 1e-12:
        return None, None
    kurtosis = mean([gap**4 for gap in gaps]) / mean([gap**2 for gap in gaps]) ** 2
    df = min(n - 1, 2 * n / (kurtosis - (n - 3) / (n - 1)))
    reach = float(stats.t.ppf(0.975, df)) * error
    return value - reach, min(1.0, value + reach)


def _telling(units: Sequence[Slot], key: str, coefficient: str) -> int:
    """Return on how many sources raters differ and, for chance from ratings, two leave the
    commonest value."""
    given = [value for slot in units for value in slot.given(key)]
    commonest = min(set(given), key=lambda value: (-given.count(value), value))
    differ = {slot.source for slot in units if len(set(slot.given(key))) > 1}
    other = {slot.source for slot in units if sum(v != commonest for v in slot.given(key)) > 1}
    return len(differ) if coefficient.startswith(MADE_OF_SCALE) else min(len(differ), len(other))


def _least(coefficient: str, sources: int) -> int:
    """Return how many of so many sources must tell anything, as docs/statistics-methods.md has it."""
    if coefficient.startswith(("gwet_ac2", "brennan_prediger")):
        return 8
    if coefficient.startswith(MADE_OF_SCALE):
        return min(8, sources)
    return 10 if sources > 20 else min(5, sources)


# Metrics against people


def shared(
    of: Callable[[Slot], Any], metrics: Sequence[tuple[str, str]], slots: Sequence[Slot]
) -> list[list[Pair]]:
    """Return, for each metric, the questions that people and all these metrics have scored."""
    kept = [s for s in slots if of(s) is not None and all(name in s.scores for name, _ in metrics)]
    return [
        [(s.source, s.system, float(of(s)), float(metric_of(s, name, way) or 0)) for s in kept]
        for name, way in metrics
    ]


def pooled(name: str, rows: Sequence[Pair]) -> float | None:
    return correlated(name, [x for *_, x, _ in rows], [y for *_, y in rows])


def on_source(name: str, rows: Sequence[Pair], source: str) -> float | None:
    return correlated(name, *inference._means_on(source, rows), fewest=2)


def over_systems(name: str, rows: Sequence[Pair]) -> float | None:
    systems = sorted({system for _, system, *_ in rows})
    if len(systems) < 3 or len({source for source, *_ in rows}) < 3:
        return None
    means = [
        [float(mean([exact(r[at]) for r in rows if r[1] == s])) for s in systems] for at in (2, 3)
    ]
    return correlated(name, *means)


def levels(golden: Golden, slots: Sequence[Slot]) -> list[Row]:
    """Return limits and p of correlations pooled and on each source; over systems there are no
    limits."""
    rows: list[Row] = []
    questions = [slot for slot in slots if not slot.set_as_whole]
    for human, of in second._human(golden, questions):
        for metric in golden.metrics:
            (own,) = shared(of, [metric], questions)
            sources = list(dict.fromkeys(source for source, *_ in own))
            several = len({system for _, system, *_ in own}) > 1
            for name in CORRELATIONS:
                head = {"criterion": human, "metric": metric[0], "coefficient": name}
                left = [pooled(name, [r for r in own if r[0] != source]) for source in sources]
                low, high, p = by_t(pooled(name, own), left, fisher=True)
                rows.append({**head, "level": "pooled", "low": low, "high": high, "p": p})
                if not several:
                    continue
                known = [r for source in sources if (r := on_source(name, own, source)) is not None]
                left = [
                    mean(known[:at] + known[at + 1 :]) if len(known) > 1 else None
                    for at in range(len(known))
                ]
                low, high, p = by_t(mean(known) if known else None, left)
                if len(known) < 15:
                    low = high = None
                rows.append({**head, "level": "within_source", "low": low, "high": high, "p": p})
                rows.append(
                    {**head, "level": "systems", "low": None, "high": None, "p": orders(name, own)}
                )
    for place in {(r["criterion"], r["level"], r["coefficient"]) for r in rows}:
        family = [r for r in rows if (r["criterion"], r["level"], r["coefficient"]) == place]
        _add_holm(family)
    return rows


def orders(name: str, rows: Sequence[Pair]) -> float | None:
    """Return the share of orders of the systems with a coefficient as far from 0."""
    value = over_systems(name, rows)
    if value is None:
        return None
    systems = sorted({system for _, system, *_ in rows})
    human, metric = (
        [float(mean([exact(r[at]) for r in rows if r[1] == s])) for s in systems] for at in (2, 3)
    )
    found = [abs(CORRELATIONS[name](list(order), metric)) for order in permutations(human)]
    return mean([each >= abs(value) - 1e-9 for each in found])


def _add_holm(family: Sequence[Row]) -> None:
    known = [row for row in family if row["p"] is not None]
    for row in family:
        row["p_holm"] = None
    for row, p in zip(known, second.holm([row["p"] for row in known]), strict=True):
        row["p_holm"] = p


def differences(golden: Golden, slots: Sequence[Slot]) -> list[Row]:
    """Return every pair of metrics at every level by Spearman's rho, with limits, p and Holm's
    p."""
    rows: list[Row] = []
    questions = [slot for slot in slots if not slot.set_as_whole]
    for human, of in second._human(golden, questions):
        for level in ("within_source", "pooled", "systems"):
            family = []
            for pair in combinations(golden.metrics, 2):
                one, two = shared(of, pair, questions)
                found = _apart(level, one, two)
                names = [pair[0][0], pair[1][0]]
                if found["value"] is not None and found["value"] < 0:
                    names.reverse()
                    low, high = found["low"], found["high"]
                    found |= {"value": -found["value"], "low": None if high is None else -high}
                    found["high"] = None if low is None else -low
                head = {"criterion": human, "level": level, "better": names[0], "other": names[1]}
                family.append({**head, **found, "questions": len(one)})
            _add_holm(family)
            rows += family
    return rows


def _apart(level: str, one: Sequence[Pair], two: Sequence[Pair]) -> Row:
    sources = list(dict.fromkeys(source for source, *_ in one))
    value: float | None
    if level == "systems":
        first, other = over_systems("spearman", one), over_systems("spearman", two)
        value = None if first is None or other is None else first - other
        return {
            "value": value,
            "low": None,
            "high": None,
            "p": None if value is None else swapped(one, two),
        }
    if level == "pooled":

        def gap(kept: Sequence[str]) -> float | None:
            r = [pooled("spearman", [row for row in rows if row[0] in kept]) for rows in (one, two)]
            return None if None in r else r[0] - r[1]  # type: ignore[operator]

        value = gap(sources)
        left = [gap([s for s in sources if s != source]) for source in sources]
    else:
        both = [[on_source("spearman", rows, source) for source in sources] for rows in (one, two)]
        known = [a - b for a, b in zip(*both, strict=True) if a is not None and b is not None]
        value = mean(known) if known else None
        left = [
            mean(known[:at] + known[at + 1 :]) if len(known) > 1 else None
            for at in range(len(known))
        ]
    low, high, p = by_t(value, left, most=2)
    return {"value": value, "low": low, "high": high, "p": p}


def swapped(one: Sequence[Pair], two: Sequence[Pair]) -> float:
    """Return the share of swaps of the standardised metrics, source by source, with as large a
    difference."""
    standard = []
    for rows in (one, two):
        scores = np.array([row[3] for row in rows])
        standard.append((scores - scores.mean()) / scores.std())
    sources = list(dict.fromkeys(source for source, *_ in one))
    found = []
    for signs in product((False, True), repeat=len(sources) - 1):
        turned = dict(zip(sources, (False, *signs), strict=True))
        a, b = [], []
        for at, (source, system, people, _) in enumerate(one):
            first, other = (
                (standard[1][at], standard[0][at])
                if turned[source]
                else (standard[0][at], standard[1][at])
            )
            a.append((source, system, people, first))
            b.append((source, system, people, other))
        r = [_rho_of_means(rows) for rows in (a, b)]
        found.append(abs(r[0] - r[1]))
    return mean([each >= found[0] - 1e-9 for each in found])


def _rho_of_means(rows: Sequence[Pair]) -> float:
    systems = sorted({system for _, system, *_ in rows})
    people = [mean([exact(r[2]) for r in rows if r[1] == s]) for s in systems]
    metric = [round(mean([r[3] for r in rows if r[1] == s]), 9) for s in systems]
    return float(stats.spearmanr([float(p) for p in people], metric).statistic)


def leaders(
    values: dict[str, float | None], pairs: Sequence[Row]
) -> tuple[str, set[str], set[str], set[str]]:
    """Return the highest metric, those not told apart from it with it, those behind, and those
    without a test."""
    known = {name: value for name, value in values.items() if value is not None}
    highest = max(known, key=lambda name: known[name])
    members, behind, unknown = {highest}, set(), set()
    for name in set(values) - {highest}:
        (row,) = [r for r in pairs if {r["better"], r["other"]} == {name, highest}]
        if row["p_holm"] is None or values[name] is None:
            unknown.add(name)
        elif row["p_holm"] < 0.05 and row["better"] == highest:
            behind.add(name)
        else:
            members.add(name)
    return highest, members, behind, unknown


# Ranks of systems


def ranks(golden: Golden, slots: Sequence[Slot]) -> list[Row]:
    """Return each system's rank interval and cluster by its pairs, best mean first; too few sources
    for shares."""
    rows = []
    pairs = [row for row in inference.comparisons(golden, slots) if row["test"] == "difference"]
    for criterion in filter(second.averaged, second.criteria(golden)):
        up = criterion["best"] == "highest"
        own = [row for row in pairs if row["criterion"] == criterion["key"]]
        scores = inference.by_source(golden, slots, criterion)
        if len(scores) < 2:
            continue
        means = {name: mean([mean(of) for of in given.values()]) for name, given in scores.items()}
        order = sorted(means, key=lambda name: -means[name] if up else means[name])
        ahead = {
            (row["first"], row["second"])
            if (row["value"] > 0) == up
            else (row["second"], row["first"])
            for row in own
            if row["p_holm"] is not None and row["p_holm"] < 0.05
        }
        is_tested = all(row["p_holm"] is not None for row in own)
        for name in order:
            rows.append(
                {
                    "criterion": criterion["key"],
                    "system": name,
                    "cluster": cluster(name, order, ahead) if is_tested else None,
                    "highest_rank": 1 + sum(b == name for _, b in ahead) if is_tested else None,
                    "lowest_rank": len(order) - sum(a == name for a, _ in ahead)
                    if is_tested
                    else None,
                    "shares": [],
                    "reason": "fewer than 10 sources",
                }
            )
    return rows


def cluster(name: str, order: Sequence[str], ahead: Collection[tuple[str, str]]) -> int:
    """Return 1 + the number of places above a system at which every system above is significantly
    better than every one below."""
    return 1 + sum(
        all(pair in ahead for pair in product(order[:place], order[place:]))
        for place in range(1, order.index(name) + 1)
    )


# What people reach themselves


def ceiling(golden: Golden, slots: Sequence[Slot]) -> list[Row]:
    """Return each coefficient of one annotator with the mean of the others, averaged over
    annotators."""
    rows = []
    for criterion in filter(second.averaged, second.criteria(golden)):
        key = criterion["key"]
        asked = second.asked(golden, criterion, slots)
        units = [slot for slot in asked if len(slot.given(key)) > 1]
        who = sorted({n for s in asked for n, v in s.ratings[key].items() if v is not None})
        if len(who) < 2:
            continue
        of = {name: _beside_others(units, key, name) for name in who}
        sources = sorted({slot.source for slot in units})
        for level, name in product(("within_source", "pooled", "systems"), CORRELATIONS):
            at = {"within_source": _on_sources, "pooled": pooled, "systems": _of_means}[level]
            each = {w: at(name, pairs) for w, pairs in of.items()}
            defined = [w for w, r in each.items() if r is not None]
            value = mean([each[w] for w in defined]) if defined else None  # type: ignore[type-var]
            if level == "within_source" and _share_of_systems(asked, key, of) < Fraction(9, 10):
                value = None
            low = high = None
            if level != "systems" and value is not None:
                left: list[float | None] = []
                for source in sources:
                    r = [at(name, [row for row in of[w] if row[0] != source]) for w in defined]
                    left.append(None if None in r else mean(r))  # type: ignore[type-var]
                low, high, _ = by_t(value, left)
            rows.append(
                {
                    "criterion": key,
                    "level": level,
                    "coefficient": name,
                    "value": value,
                    "low": low,
                    "high": high,
                }
            )
    return rows


def _share_of_systems(
    asked: Sequence[Slot], key: str, of: Mapping[str, Sequence[Pair]]
) -> Fraction:
    """Return the mean share of a source's rated systems that an annotator has with others."""
    rated: dict[str, set[str]] = {}
    for slot in asked:
        if slot.given(key):
            rated.setdefault(slot.source, set()).add(slot.system)
    shares = []
    for pairs in of.values():
        for source in {source for source, *_ in pairs}:
            shared = {system for own, system, *_ in pairs if own == source}
            shares.append(Fraction(len(shared), len(rated[source])))
    return mean(shares)


def _beside_others(units: Sequence[Slot], key: str, name: str) -> list[Pair]:
    found = []
    for slot in units:
        given = {n: v for n, v in slot.ratings[key].items() if v is not None}
        if name in given:
            others = mean([Fraction(v) for n, v in given.items() if n != name])
            found.append((slot.source, slot.system, float(given[name]), float(others)))
    return found


def _on_sources(name: str, rows: Sequence[Pair]) -> float | None:
    found = [
        on_source(name, rows, source) for source in dict.fromkeys(source for source, *_ in rows)
    ]
    known = [r for r in found if r is not None]
    return mean(known) if known else None


def _of_means(name: str, rows: Sequence[Pair]) -> float | None:
    systems = sorted({system for _, system, *_ in rows})
    means = [
        [float(mean([exact(r[at]) for r in rows if r[1] == s])) for s in systems] for at in (2, 3)
    ]
    return correlated(name, *means)


# Other numbers of annotators and sources


def dependability(golden: Golden, slots: Sequence[Slot], key: str) -> dict[tuple[int, int], Row]:
    """Return Brennan's coefficients from variances whose restricted likelihood is highest, on dense
    matrices."""
    ratings = [
        (slot.system, slot.source, f"{slot.source} {slot.system} {slot.position}", name, value)
        for slot in slots
        for name, value in slot.ratings[key].items()
        if value is not None
    ]
    systems, sources, questions, people, y = (
        np.array(column) for column in zip(*ratings, strict=True)
    )
    pairs = np.array([f"{s} {p}" for s, p in zip(systems, people, strict=True)])
    x = _columns(systems)
    blocks = [z @ z.T for z in map(_columns, (sources, questions, people, pairs))] + [
        np.eye(len(y))
    ]
    y = y.astype(float)

    def fitted(v: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        spread = sum(part * block for part, block in zip(v, blocks, strict=True))
        inverse = np.linalg.inv(spread)
        of_means = np.linalg.inv(x.T @ inverse @ x)
        means = of_means @ x.T @ inverse @ y
        left = y - x @ means
        fit = np.linalg.slogdet(spread)[1] - np.linalg.slogdet(of_means)[1] + left @ inverse @ left
        return float(fit), means, of_means

    start = np.full(5, y.var() / 5)
    bounds = [(0, None)] * 4 + [(1e-6, None)]
    best = optimize.minimize(
        lambda v: fitted(v)[0],
        start,
        bounds=bounds,
        method="L-BFGS-B",
        jac="3-point",
        options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 2000},
    )
    source, question, annotator, pair, residual = best.x
    _, means, c = fitted(best.x)
    s = len(means)
    own = max(0.0, variance(means) - (np.trace(c) - c.sum() / s) / (s - 1))
    n_sources = len(set(sources))
    found = {}
    own_annotators = {name for slot in slots for given in slot.ratings.values() for name in given}
    for k, n in product(
        sorted({1, 2, 3, 5, 10, len(own_annotators)}),
        sorted({max(2, round(n_sources * f)) for f in (0.5, 1, 2, 4)}),
    ):
        relative = question / n + pair / k + residual / (n * k)
        absolute = relative + source / n + annotator / k
        found[k, n] = {
            "generalisability": own / (own + relative),
            "dependability": own / (own + absolute),
            "error_of_mean": math.sqrt(absolute),
            "error_of_difference": math.sqrt(2 * relative),
        }
    return found


def _columns(labels: np.ndarray) -> np.ndarray:
    return np.array([[float(each == name) for name in sorted(set(labels))] for each in labels])
