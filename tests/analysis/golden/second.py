"""A second program: the tables of a small study worked out again with loops, fractions, scipy and
krippendorff.

It reads the lines of `material` and the protocols' YAML files, and imports nothing of the program
it checks.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import krippendorff
import numpy as np
import yaml
from scipy import stats

from tests.analysis.golden.material import Golden, Slot, topic_of

PROTOCOLS = Path(__file__).parents[3] / "judging" / "protocols" / "shipped"
Row = dict[str, Any]


@cache
def protocol(name: str) -> Row:
    document = yaml.safe_load((PROTOCOLS / f"{name}.yaml").read_text())
    for each in document["criteria"]:
        for point in each["points"]:  # YAML takes No and Yes for truth values
            point["label"] = {False: "No", True: "Yes"}.get(point["label"], point["label"])
    return document


def has_same_annotators(criterion: Row, slots: Sequence[Slot]) -> bool:
    """Return whether the same annotators rated all outputs on each source."""
    key, by_output = criterion["key"], {}
    once = criterion.get("asked") == "once_per_set"
    for slot in slots:
        names = {name for name, value in slot.ratings[key].items() if value is not None}
        if names:
            output = (slot.source, slot.system, 0 if once else slot.position)
            by_output.setdefault(output, set()).update(names)
    groups: dict[str, set[frozenset[str]]] = {}
    for (source, *_), names in by_output.items():
        groups.setdefault(source, set()).add(frozenset(names))
    return all(len(names) == 1 for names in groups.values())


def criteria(golden: Golden) -> list[Row]:
    return protocol(golden.protocol)["criteria"]


def points(criterion: Row) -> list[int]:
    return [point["value"] for point in criterion["points"]]


def averaged(criterion: Row) -> bool:
    return criterion["best"] != "none"


def asked(golden: Golden, criterion: Row, slots: Sequence[Slot]) -> list[Slot]:
    """Return the slots that a criterion is about."""
    return [slot for slot in slots if slot.set_as_whole == (criterion.get("unit") == "set")]


def by_protocol(golden: Golden, slots: Sequence[Slot], *, ruled: bool = True) -> list[Slot]:
    """Return the slots as the rules of the two pair protocols read them; with or without the
    values that they give."""
    if "qgstec" not in golden.protocol or golden.protocol.endswith("-a"):
        return list(slots)
    found = []
    for slot in slots:
        others = [
            each for each in slots if (each.source, each.system) == (slot.source, slot.system)
        ]
        repeats = [each for each in others if words_of(each) == words_of(slot) and words_of(each)]
        asked_twice = len(repeats) == 2
        if asked_twice and slot.position == 2:
            found.append(replace(slot, ratings={key: {} for key in slot.ratings}))
            continue
        returned = {words_of(each) for each in others if words_of(each)}
        if len(returned) == 1 and words_of(slot):  # lone, or the first of two that are the same
            who = {name for given in slot.ratings.values() for name in given}
            variety = dict.fromkeys(who, 3) if ruled else {}
            slot = replace(slot, ratings={**slot.ratings, "variety": variety})
        found.append(slot)
    return found


def words_of(slot: Slot) -> str:
    return " ".join((slot.text or "").split())


# Means and their intervals


def interval(value: float, excluded: Sequence[float]) -> tuple[float | None, float | None]:
    """Return the delete-one jackknife interval with Student's t."""
    n = len(excluded)
    if n < 3:
        return None, None
    error = math.sqrt((n - 1) / n * sum((each - mean(excluded)) ** 2 for each in excluded))
    if error < 1e-9:
        return None, None
    reach = stats.t.ppf(0.975, n - 1) * error
    return value - reach, value + reach


def system_mean(
    scored: Sequence[tuple[str, float | None]], scale: tuple[float, float] = (-math.inf, math.inf)
) -> Row:
    """Return a mean over questions given as (source, score), left out source by source for its
    interval, which ends at the ends of the scale."""
    known = [(source, Fraction(score)) for source, score in scored if score is not None]
    out = len(scored) - len(known)
    sources = sorted({source for source, _ in known})
    if not known:
        return {"value": None, "low": None, "high": None, "n": 0, "dropped": out}
    excluded = [
        float(mean([score for source, score in known if source != gone]))
        for gone in sources
        if len(sources) > 1
    ]
    value = float(mean([score for _, score in known]))
    low, high = interval(value, excluded)
    by_source = [mean([score for source, score in known if source == own]) for own in sources]
    others = len(sources) - max(Counter(by_source).values())
    if others < min(5, len(sources) - 1):  # nearly all sources have one mean: no interval
        low = high = None
    return {
        "value": value,
        "low": None if low is None else max(low, scale[0]),
        "high": None if high is None else min(high, scale[1]),
        "n": len(known),
        "dropped": out,
        "clusters": len(sources),
    }


def unit_mean(slot: Slot, criterion: str) -> Fraction | None:
    given = slot.given(criterion)
    return Fraction(sum(given), len(given)) if given else None


def system_means(golden: Golden, slots: Sequence[Slot]) -> list[Row]:
    rows = []
    for criterion in filter(averaged, criteria(golden)):
        units = asked(golden, criterion, slots)
        for system in sorted({slot.system for slot in units}):
            scored = [
                (slot.source, unit_mean(slot, criterion["key"]))
                for slot in units
                if slot.system == system
            ]
            scale = min(points(criterion)), max(points(criterion))
            rows.append(
                {"criterion": criterion["key"], "system": system, **system_mean(scored, scale)}
            )
    return rows


def distributions(golden: Golden, slots: Sequence[Slot]) -> list[Row]:
    rows = []
    for criterion in criteria(golden):
        key, units = criterion["key"], asked(golden, criterion, slots)
        units = [slot for slot in units if slot.ratings[key]]
        for system in sorted({slot.system for slot in units}):
            counts = Counter(
                value for slot in units if slot.system == system for value in slot.given(key)
            )
            total = sum(counts.values())
            rows += [
                {
                    "criterion": key,
                    "system": system,
                    "value": point["value"],
                    "label": point["label"],
                    "count": counts[point["value"]],
                    "share": counts[point["value"]] / total,
                }
                for point in criterion["points"]
            ]
    return rows


# Other ways from ratings to a number


def majority(values: Sequence[float]) -> float | None:
    counts = Counter(values).most_common()
    return None if len(counts) > 1 and counts[0][1] == counts[1][1] else counts[0][0]


def _z(own: Sequence[float], value: float) -> float:
    spread = stdev(own) if len(own) > 1 else 0
    return (value - mean(own)) / spread if spread else 0.0


def _min_max(own: Sequence[float], value: float) -> float:
    return (value - min(own)) / (max(own) - min(own)) if max(own) > min(own) else 0.5


def _rank(own: Sequence[float], value: float) -> float:
    rank = sum(each < value for each in own) + (sum(each == value for each in own) + 1) / 2
    return (rank - 0.5) / len(own)


WITHIN: dict[str, Callable[[Sequence[float], float], float]] = {
    "z_scores": _z,
    "min_max": _min_max,
    "ranks": _rank,
}


# The protocols' aggregates

FATAL = {"relevance": 4, "questionType": 2}
NAMED = ("correctness", "ambiguity", "variety")
FORMS = (
    ("", ""),
    *((when, which) for when in ("per_rating", "on_means") for which in ("all_remaining", "named")),
)


def worst(golden: Golden) -> dict[str, int]:
    """Return the value of a missing question: given by the rule, or the worst of each criterion."""
    ends = {"lowest": max, "highest": min}
    given = {
        each["key"]: ends[each["best"]](points(each)) for each in criteria(golden) if averaged(each)
    }
    for rule in protocol(golden.protocol).get("rules", []):
        if rule["kind"] == "missing":
            given = rule.get("sets", given)
    return given


def aggregates(golden: Golden) -> list[Row]:
    document = protocol(golden.protocol)
    kinds = {rule["kind"] for rule in document.get("rules", [])}
    keys = [each["key"] for each in criteria(golden) if each.get("unit") != "set"]
    combined = document["aggregate"].get("combined")
    chosen = document["aggregate"].get("criteria") or [
        e["key"] for e in criteria(golden) if averaged(e)
    ]
    ends = {each["key"]: each["best"] for each in criteria(golden)}
    rows = []
    for reading in ("by_protocol", "as_released") if kinds else ("by_protocol",):
        for applied, others in FORMS if "fatal" in kinds else FORMS[:1]:
            for system in sorted({slot.system for slot in golden.slots()}):
                values, gone = _slot_values(golden, system, reading, keys, kinds, (applied, others))
                form = {
                    "reading": reading,
                    "fatal_applied": applied,
                    "fatal_others": others,
                    "system": system,
                }
                totals = {}
                for key in keys:
                    own = [each[key] for each in values if key in each]
                    back = [
                        each[key]
                        for each, out in zip(values, gone, strict=True)
                        if key in each and not out
                    ]
                    unjudged = gone.count(False) - len(back)
                    missing_have_values = len(own) > len(back)
                    mean_expected = float(mean(own)) if own else None
                    if unjudged and missing_have_values:  # only some of what is to be weighed
                        mean_expected = None
                    total = mean_expected
                    if document["aggregate"]["kind"] == "sum_over_slots":
                        total = float(sum(own)) if len(own) == len(values) else None
                    totals[key] = total
                    if ends[key] != "none":
                        rows.append(
                            {
                                **form,
                                "criterion": key,
                                "best": ends[key],
                                "expected": len(values),
                                "returned": gone.count(False),
                                "unrated": len(values) - len(own),
                                "aggregate": total,
                                "mean_expected": mean_expected,
                                "mean_returned": float(mean(back)) if back else None,
                                "unjudged": unjudged,
                            }
                        )
                if combined:
                    adding = sum if combined == "sum" else mean
                    rows.append(
                        {
                            **form,
                            "criterion": "",
                            "best": ends[chosen[0]],
                            "expected": None,
                            "returned": None,
                            "unrated": None,
                            "aggregate": float(adding([totals[key] for key in chosen])),
                            "mean_expected": None,
                            "mean_returned": None,
                            "unjudged": None,
                        }
                    )
    return rows


def _slot_values(
    golden: Golden,
    system: str,
    reading: str,
    keys: Sequence[str],
    kinds: set[str],
    form: tuple[str, str],
) -> tuple[list[dict[str, Fraction]], list[bool]]:
    """Return each expected slot's mean by criterion, and whether it counts as missing."""
    slots = [slot for slot in golden.slots() if slot.system == system and not slot.set_as_whole]
    read = by_protocol(golden, slots) if reading == "by_protocol" else slots
    values, gone = [], []
    for slot in read:
        twin = [
            each
            for each in slots
            if each.source == slot.source and words_of(each) == words_of(slot)
        ]
        repeated = (
            "identical" in kinds
            and reading == "by_protocol"
            and len(twin) > 1
            and slot.position == 2
        )
        missing = not slot.text or repeated
        gone.append(missing)
        people: list[dict[str, Fraction]] = []
        if missing and "missing" in kinds:
            people = [{key: Fraction(value) for key, value in worst(golden).items()}]
        elif not missing:
            names = {name for given in slot.ratings.values() for name in given}
            people = [
                {
                    key: Fraction(slot.ratings[key][name])
                    for key in keys
                    if slot.ratings[key].get(name) is not None
                }
                for name in sorted(names)
            ]
        if form[0] == "per_rating":
            people = [fatal(golden, each, form[1]) for each in people]
        means = {
            key: mean([e[key] for e in people if key in e])
            for key in keys
            if any(key in e for e in people)
        }
        values.append(fatal(golden, means, form[1]) if form[0] == "on_means" else means)
    return values, gone


def fatal(golden: Golden, given: dict[str, Fraction], others: str) -> dict[str, Fraction]:
    """Return the values after the fatal rule: an unrelated question, or one of another type, is at
    its worst."""
    out = dict(given)
    for cause, value in FATAL.items():
        if given.get(cause) == value:
            for key in given:
                if key != cause and (others == "all_remaining" or key in NAMED):
                    out[key] = Fraction(worst(golden)[key])
    return out


# Counts


def returned(golden: Golden) -> list[Row]:
    rows = []
    slots = [slot for slot in golden.slots() if not slot.set_as_whole]
    for system in sorted({slot.system for slot in slots}):
        own = [slot for slot in slots if slot.system == system]
        texts = sum(bool(slot.text) for slot in own)
        rows.append(
            {
                "system": system,
                "expected": len(own),
                "returned": texts,
                "missing": len(own) - texts,
                "sources": len({slot.source for slot in own}),
            }
        )
    return rows


def criterion_rows(golden: Golden) -> list[Row]:
    quotas = {
        fact["criterion"]: fact["quota"]
        for fact in protocol(golden.protocol).get("facts", [])
        if "quota" in fact
    }
    return [
        {
            "criterion": each["key"],
            "name": each["name"],
            "level": each["level"],
            "best": each["best"],
            "unit": each.get("unit", "question"),
            "averaged": averaged(each),
            "points": [[point["value"], point["label"]] for point in each["points"]]
            + ([[9, "Cannot say"]] if golden.cannot_say == each["key"] else []),
            "target": [
                [value, count] for value, count in sorted(quotas.get(each["key"], {}).items())
            ],
        }
        for each in criteria(golden)
    ]


def violations(golden: Golden) -> list[Row]:
    """List the ratings that contradict a forcing, lone or identical rule."""
    rows = []
    slots = golden.slots()
    for rule in protocol(golden.protocol).get("rules", []):
        for slot in slots:
            partners = [s for s in slots if (s.source, s.system) == (slot.source, slot.system)]
            texts = [words_of(each) for each in partners]
            if rule["kind"] == "lone":
                holds, key, value = (
                    sum(map(bool, texts)) == 1 and len(texts) > 1 and slot.text,
                    "variety",
                    3,
                )
            elif rule["kind"] == "identical":
                holds = texts.count(words_of(slot)) > 1 and slot.text and slot.position == 1
                key, value = "variety", 3
            elif rule["kind"] == "force":
                holds, (key, value) = True, next(iter(rule["sets"].items()))
            else:
                continue
            for name, given in slot.ratings[key].items() if holds else ():
                if (
                    rule["kind"] == "force"
                    and slot.ratings[rule["criterion"]].get(name) != rule["value"]
                ):
                    continue
                if given != value:
                    rows.append(
                        {
                            "rule": rule.get("key", rule["kind"]),
                            "source": slot.source,
                            "system": slot.system,
                            "position": slot.position,
                            "annotator": name,
                            "criterion": key,
                            "rated": given,
                            "by_rule": value,
                        }
                    )
    return rows


# Metrics


def metrics(golden: Golden) -> list[Row]:
    rows = []
    named = [(name, "imported", direction) for name, direction in golden.metrics]
    named += [(name, "human_mean", "higher") for name in golden.human_means]
    for name, kind, direction in named:
        values = [slot.scores[name] for slot in golden.slots() if name in slot.scores]
        rows.append(
            {
                "name": name,
                "kind": kind,
                "direction": direction,
                "n": len(values),
                "min": min(values),
                "mean": sum(values) / len(values),
                "max": max(values),
                "reason": "",
            }
        )
    return rows


def system_scores(golden: Golden) -> list[Row]:
    rows = []
    named = [(name, "imported") for name, _ in golden.metrics] + [
        (name, "human_mean") for name in golden.human_means
    ]
    for name, kind in named:
        for system in sorted({slot.system for slot in golden.slots()}):
            own = [
                slot.scores[name]
                for slot in golden.slots()
                if slot.system == system and name in slot.scores
            ]
            if own:
                rows.append(
                    {
                        "metric": name,
                        "kind": kind,
                        "level": "question",
                        "system": system,
                        "value": mean(own),
                        "n": len(own),
                    }
                )
    return rows


# Agreement and slices


def alpha_table(slots: Sequence[Slot], key: str) -> np.ndarray:
    """Return annotators by units, as the package krippendorff takes them."""
    units = [slot for slot in slots if slot.ratings[key]]
    names = sorted({name for slot in units for name in slot.ratings[key]})
    rows = [[slot.ratings[key].get(name) for slot in units] for name in names]
    return np.array(
        [[math.nan if value is None else value for value in row] for row in rows], dtype=float
    )


def alpha(slots: Sequence[Slot], criterion: Row) -> float | None:
    table = alpha_table(slots, criterion["key"])
    level = (
        "nominal" if criterion["level"] == "nominal" or len(points(criterion)) == 2 else "ordinal"
    )
    given = table[~np.isnan(table)]
    pairable = table[:, (~np.isnan(table)).sum(axis=0) > 1] if table.size else table
    if (
        not pairable.size
        or len(set(given.tolist())) < 2
        or np.nanmin(pairable) == np.nanmax(pairable)
    ):
        return None
    domain = np.array(sorted(points(criterion)), dtype=float)
    return float(krippendorff.alpha(table, level_of_measurement=level, value_domain=domain))


def pairable(slots: Sequence[Slot], criterion: Row) -> int:
    """Return how many units have two ratings."""
    given = [slot.ratings[criterion["key"]].values() for slot in slots]
    return sum(len([v for v in values if v is not None]) > 1 for values in given)


def exclusions(golden: Golden) -> list[Row]:
    if not golden.excluded:
        return []
    rows = []
    for data, everybody in (("all", True), ("after exclusions", False)):
        slots = golden.slots(everybody=everybody)
        for criterion in criteria(golden):
            of = asked(golden, criterion, slots)
            row = {
                "data": data,
                "measure": "krippendorff_alpha",
                "criterion": criterion["key"],
                "system": "",
            }
            rows.append({**row, "value": alpha(of, criterion), "n": pairable(of, criterion)})
        rows += [{"data": data, "measure": "mean", **row} for row in system_means(golden, slots)]
    return rows


def slices(golden: Golden, said: Sequence[Slot], counted: Sequence[Slot]) -> list[Row]:
    """Return the rows for each topic: alpha of what was said, means, and Spearman's rho by
    scipy."""
    rows = []
    topics = list(dict.fromkeys(topic_of(slot.source) for slot in said if not slot.set_as_whole))
    for topic in topics:
        part = [slot for slot in said if topic_of(slot.source) == topic and not slot.set_as_whole]
        read = [
            slot for slot in counted if topic_of(slot.source) == topic and not slot.set_as_whole
        ]
        head = {"attribute": "topic", "label": topic, "slices": len(topics)}
        for criterion in criteria(golden):
            of = asked(golden, criterion, part)
            row = {
                **head,
                "measure": "krippendorff_alpha",
                "criterion": criterion["key"],
                "system": "",
                "metric": "",
            }
            rows.append({**row, "value": alpha(of, criterion), "n": pairable(of, criterion)})
        rows += [
            {**head, "measure": "mean", "metric": "", **row} for row in system_means(golden, read)
        ]
        for human, of in _human(golden, read):
            for metric, direction in golden.metrics:
                pairs = [(of(s), s.scores.get(metric)) for s in read]
                pairs = [(float(x), y) for x, y in pairs if x is not None and y is not None]
                row = {
                    **head,
                    "measure": "spearman",
                    "criterion": human,
                    "system": "",
                    "metric": metric,
                }
                if pairs:
                    rows.append(
                        {**row, **_rho(pairs, 1 if direction == "higher" else -1), "n": len(pairs)}
                    )
        rows += [{**head, **row} for row in _metric_means(golden, read)]
    return rows


def _metric_means(golden: Golden, slots: Sequence[Slot]) -> list[Row]:
    rows = []
    for metric, _direction in golden.metrics:
        by_system: dict[str, list[float]] = {}
        for slot in slots:
            if (score := slot.scores.get(metric)) is not None:
                by_system.setdefault(slot.system, []).append(score)
        rows += [
            {
                "measure": "metric_mean",
                "criterion": "",
                "system": system,
                "metric": metric,
                "value": mean(scores),
                "n": len(scores),
                "low": None,
                "high": None,
            }
            for system, scores in by_system.items()
        ]
    return rows


def _human(
    golden: Golden, slots: Sequence[Slot]
) -> Iterator[tuple[str, Callable[[Slot], Fraction | float | None]]]:
    """Yield every human column, turned so that higher is better."""
    for criterion in filter(averaged, criteria(golden)):
        key, up = criterion["key"], 1 if criterion["best"] == "highest" else -1
        if criterion.get("unit") != "set" and any(slot.given(key) for slot in slots):
            yield (
                key,
                lambda slot, key=key, up=up: (
                    None if (m := unit_mean(slot, key)) is None else m * up
                ),
            )
    for name in golden.human_means:
        yield f"{name} (imported mean)", lambda slot, name=name: slot.scores.get(name)


def _rho(pairs: Sequence[tuple[float, float]], sign: int) -> Row:
    first, second = [x for x, _ in pairs], [sign * y for _, y in pairs]
    if len(pairs) < 3 or len(set(first)) < 2 or len(set(second)) < 2:
        return {"value": None, "low": None, "high": None}
    rho = float(stats.spearmanr(first, second).statistic)
    return {"value": rho, "low": None, "high": None}


def _matrix(columns: dict[str, list[float | None]]) -> list[Row]:
    """Return every pair of columns by scipy, over the slots where both have a value."""
    rows = []
    for (one, first), (two, other) in combinations(columns.items(), 2):
        pairs = [
            (x, y) for x, y in zip(first, other, strict=True) if x is not None and y is not None
        ]
        flat = len({x for x, _ in pairs}) < 2 or len({y for _, y in pairs}) < 2
        for name, of in (("spearman", stats.spearmanr), ("pearson", stats.pearsonr)):
            value, reason = None, ""
            if len(pairs) < 3:
                reason = f"{len(pairs)} questions have both: too few"
            elif flat:
                reason = "one of them is the same for every question"
            else:
                value = float(of([x for x, _ in pairs], [y for _, y in pairs]).statistic)
            rows.append(
                {
                    "first": one,
                    "second": two,
                    "coefficient": name,
                    "value": value,
                    "n": len(pairs),
                    "reason": reason,
                }
            )
    return rows


def metric_matrix(golden: Golden, slots: Sequence[Slot]) -> list[Row]:
    units = [slot for slot in slots if not slot.set_as_whole]
    columns = {
        name: [
            None
            if (value := slot.scores.get(name)) is None
            else value * (1 if end == "higher" else -1)
            for slot in units
        ]
        for name, end in golden.metrics
    }
    return _matrix({name: own for name, own in columns.items() if any(v is not None for v in own)})


def criterion_matrix(golden: Golden, slots: Sequence[Slot]) -> list[Row]:
    units = [slot for slot in slots if not slot.set_as_whole]
    columns: dict[str, list[float | None]] = {}
    for name, of in _human(golden, slots):
        values = [of(slot) for slot in units]
        columns[name] = [None if value is None else float(value) for value in values]
    return [{**row, "reading": golden.reading} for row in _matrix(columns)]


def holm(p: Sequence[float]) -> list[float]:
    """Return p after Holm's correction: the k-th smallest of m times m + 1 - k, and none below one
    before it."""
    order = sorted(p)
    steps = [min(1.0, (len(p) - place) * each) for place, each in enumerate(order)]
    return [max(steps[: order.index(each) + order.count(each)]) for each in p]


def hochberg(p: Sequence[float]) -> list[float]:
    """Return p after Benjamini and Hochberg: m / k times the k-th smallest, and none above one
    after it."""
    order = sorted(p)
    steps = [min(1.0, len(p) / (place + 1) * each) for place, each in enumerate(order)]
    return [min(steps[order.index(each) :]) for each in p]


# Question sets

TYPE_WORDS = (
    ("who", r"\b(who|whom|whose)\b"),
    ("when", r"\bwhen\b"),
    ("where", r"\bwhere\b"),
    ("what", r"\bwhat\b"),
    ("quantity", r"\bhow (many|much)\b"),
    ("how", r"\bhow\b"),
    ("why", r"\bwhy\b"),
    ("which", r"\bwhich\b"),
)


def type_of(text: str) -> str:
    return next((name for name, pattern in TYPE_WORDS if re.search(pattern, text.lower())), "other")


def balance(types: Sequence[str]) -> float:
    counts = list(Counter(types).values())
    if len(counts) == 1:
        return 1.0 if len(types) == 1 else 0.0
    return float(stats.entropy(counts) / math.log(len(counts)))


def common(one: Sequence[str], two: Sequence[str]) -> int:
    """Return the length of the longest common sequence, from the end backwards."""
    if not one or not two:
        return 0
    if one[-1] == two[-1]:
        return common(one[:-1], two[:-1]) + 1
    return max(common(one[:-1], two), common(one, two[:-1]))


def sets_of(golden: Golden) -> dict[tuple[str, str], list[Slot]]:
    found: dict[tuple[str, str], list[Slot]] = {}
    for slot in golden.slots():
        if not slot.set_as_whole:
            found.setdefault((slot.source, slot.system), []).append(slot)
    return found


def repeated(texts: Sequence[str], test: Callable[[str, str], bool]) -> int:
    return sum(
        any(test(text, before) for before in texts[:place]) for place, text in enumerate(texts)
    )


def counted_in(slots: Sequence[Slot]) -> Row:
    """Return what is counted in the texts of one set."""
    texts = [slot.text for slot in slots if slot.text]
    types = [type_of(text) for text in texts]
    tokens = [re.findall(r"\w+", text.lower()) for text in texts]
    return {
        "types": types,
        "type_share": len(set(types)) / len(types) if types else None,
        "type_balance": balance(types) if types else None,
        "exact_duplicates": repeated(texts, lambda a, b: a.lower().split() == b.lower().split()),
        "near_duplicates": sum(
            any(2 * common(one, two) / (len(one) + len(two)) >= 0.8 for two in tokens[:place])
            for place, one in enumerate(tokens)
        ),
    }


def set_facts(golden: Golden) -> list[Row]:
    rows = []
    for system in sorted({system for _, system in sets_of(golden)}):
        own = [slots for (_, name), slots in sets_of(golden).items() if name == system]
        found = [counted_in(slots) for slots in own]
        shares = [each["type_share"] for each in found if each["type_share"] is not None]
        balances = [each["type_balance"] for each in found if each["type_balance"] is not None]
        gaps = (
            [1 - sum(bool(slot.text) for slot in slots) for slots in own]
            if golden.references
            else []
        )
        types = Counter(name for each in found for name in each["types"])
        rows.append(
            {
                "system": system,
                "kind": "model",
                "sets": len(own),
                "largest": max(map(len, own)),
                "returned": sum(bool(slot.text) for slots in own for slot in slots),
                "type_share": mean(shares),
                "type_balance": mean(balances),
                "with_references": len(gaps),
                "cardinality_difference": mean(gaps) if gaps else None,
                "cardinality_error": mean([abs(gap) for gap in gaps]) if gaps else None,
                "exact_duplicates": sum(each["exact_duplicates"] for each in found),
                "near_duplicates": sum(each["near_duplicates"] for each in found),
                **{
                    f"type_{name}": types[name]
                    for name in (*(name for name, _ in TYPE_WORDS), "other")
                },
            }
        )
    return rows


def rated(slots: Sequence[Slot], key: str) -> float | None:
    means = [unit_mean(slot, key) for slot in slots if slot.text and slot.given(key)]
    return float(mean(means)) if means else None


def quota(slots: Sequence[Slot]) -> float | None:
    """Return the mean score under the quota 1, 2, 2, 3, 3, 3: walked for each annotator who rated
    every question."""
    whole = [slot for slot in slots if slot.text]
    names = set.intersection(*(set(slot.ratings["specificity"]) for slot in whole))
    scores = []
    for name in sorted(names):
        left = [1, 2, 2, 3, 3, 3]
        for slot in slots:
            level = slot.ratings["specificity"].get(name)
            if level in left:
                left.remove(level)
                scores.append(1)
            else:
                scores.append(4)
    return sum(scores) / len(scores) if scores else None


def facts_of_set(golden: Golden, slots: Sequence[Slot]) -> list[list[Any]]:
    """Return the two facts that Task A computes, each beside the mean rating of its criterion."""
    found = counted_in(slots)
    reaches = found["type_share"] >= 0.5 and found["type_balance"] >= 0.9
    return [
        ["specificity-quota", quota(slots), rated(slots, "specificity")],
        ["set-diversity", float(reaches), rated(slots, "diversity")],
    ]


def every_set(golden: Golden) -> list[Row]:
    if not protocol(golden.protocol).get("facts"):
        return []
    return [
        {
            "source": source,
            "system": system,
            "expected": len(slots),
            "returned": sum(bool(slot.text) for slot in slots),
            **counted_in(slots),
            "facts": facts_of_set(golden, slots),
        }
        for (source, system), slots in sets_of(golden).items()
    ]


def set_rules(golden: Golden) -> list[Row]:
    rows = []
    for place, fact in enumerate(protocol(golden.protocol).get("facts", [])):
        for system in sorted({system for _, system in sets_of(golden)}):
            found = [
                facts_of_set(golden, slots)[place]
                for (_, name), slots in sets_of(golden).items()
                if name == system
            ]
            values = [value for _, value, _ in found if value is not None]
            means = [value for _, _, value in found if value is not None]
            rows.append(
                {
                    "fact": fact["key"],
                    "kind": fact["kind"],
                    "criterion": fact.get("criterion") or fact["beside"],
                    "system": system,
                    "sets": len(found),
                    "n": len(values),
                    "value": mean(values),
                    "rated": mean(means),
                    "method": " ".join(fact["explanation"].split()),
                }
            )
    return rows


# Marked answers


def f1(one: set[str], two: set[str]) -> float:
    return 1.0 if not one and not two else 2 * len(one & two) / (len(one) + len(two))
