"""A report's plain sentences, each made from the tables it stands above. They claim what the tables hold, no more."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis.reports.records import Record
from analysis.reports.written import between, bracketed, inside, listed, p_value, percent, two

SURE = 0.05
SKEWED = 0.8  # from this share of one value on, alpha is low even where annotators rarely differ
ORIGINS: Mapping[str, str] = {
    "simulated": "These ratings were made by simulated annotators, not by people: they show what a report looks "
    "like, and say nothing about any system.",
    "imported": "These ratings were imported from a file, not collected here; how long annotators took is not known.",
}


def in_short(tables: Mapping[str, Any]) -> list[Record]:
    """Return what a reader should know first: a paragraph for each subject there is something to say about."""
    paragraphs = {
        "Origin": _origin(tables),
        "Agreement": _agreement(tables),
        "Systems": _systems(tables),
        "Protocol": _protocol(tables),
        "Metrics": _metrics(tables),
    }
    told = ((about, " ".join(sentences)) for about, sentences in paragraphs.items())
    return [{"about": about, "text": text} for about, text in told if text]


def level_of(criterion: Record) -> str:
    """Return the level at which a criterion's alpha is told: two points have no order that could matter."""
    return "nominal" if criterion["level"] == "nominal" or len(criterion["points"]) == 2 else "ordinal"


def best_of(values: Mapping[str, float | None], *, best: str) -> list[str]:
    """Return who has the best value; values that are equal to two decimals share it."""
    known = {name: round(value, 2) for name, value in values.items() if value is not None}
    if len(known) < 2 or best == "none":
        return []
    top = min(known.values()) if best == "lowest" else max(known.values())
    return [name for name, value in known.items() if value == top]


def _origin(tables: Mapping[str, Any]) -> Iterator[str]:
    if sentence := ORIGINS.get(tables["about"]["origin"]):
        yield sentence
    if not tables["about"]["judgments"]:
        yield "Nothing has been judged in this campaign, so there is no agreement, and no mean of judgments."


def _agreement(tables: Mapping[str, Any]) -> Iterator[str]:
    if not tables["about"]["judgments"]:
        return
    rows = [(each, row) for each in tables["criteria"] if (row := _coefficient(tables, each, "krippendorff_alpha"))]
    known = sorted((pair for pair in rows if pair[1]["value"] is not None), key=lambda pair: -pair[1]["value"])
    if known:
        phrases = [f"{bracketed(row)} on {inside(each['name'])}" for each, row in known]
        yield f"Krippendorff's alpha is {listed(phrases)}."
    for each, row in rows:
        if row["value"] is None:
            yield f"On {inside(each['name'])} alpha is undefined: {row['reason']}."
        elif row["low"] is not None and row["low"] <= 0:
            yield _no_better_than_chance(inside(each["name"]), below=row["high"] < 0)
        yield from _skew(tables, each, row)


def _no_better_than_chance(name: str, *, below: bool) -> str:
    if below:
        return f"On {name} annotators agree less than chance alone would have them."
    return f"On {name} the interval holds 0, which is what chance alone gives."


def _skew(tables: Mapping[str, Any], criterion: Record, alpha: Record) -> Iterator[str]:
    value, share = _commonest(tables, criterion)
    equal = _coefficient(tables, criterion, "percent_agreement")
    if share < SKEWED or not equal or equal["value"] is None:
        return
    if alpha["value"] is None or alpha["value"] < equal["value"]:
        yield (
            f"{percent(share)} of ratings on {inside(criterion['name'])} are {value}, so alpha is low by construction; "
            f"{percent(equal['value'])} of pairs of ratings are equal."
        )


def _commonest(tables: Mapping[str, Any], criterion: Record) -> tuple[str, float]:
    """Return the value most often given on a criterion, with its label, and its share of all."""
    counts: Counter[tuple[int, str]] = Counter()
    for row in tables["distributions"]:
        if row["criterion"] == criterion["criterion"]:
            counts[row["value"], row["label"]] += row["count"]
    if not counts.total():
        return "", 0.0
    (value, label), count = counts.most_common(1)[0]
    return f"{value} (“{label}”)" if label else str(value), count / counts.total()


def _coefficient(tables: Mapping[str, Any], criterion: Record, name: str) -> Record | None:
    level = level_of(criterion) if name == "krippendorff_alpha" else "nominal"
    wanted = {"criterion": criterion["criterion"], "basis": "all", "coefficient": name, "level": level}
    return next((row for row in tables["agreement"] if wanted.items() <= row.items()), None)


def _systems(tables: Mapping[str, Any]) -> Iterator[str]:
    if any(row["low"] is not None for row in tables["systems"]) and _all_lowest(tables):
        yield "Low values are best here."
    won: dict[tuple[str, ...], list[str]] = {}
    for criterion in tables["criteria"]:
        rows = {row["system"]: row for row in tables["systems"] if row["criterion"] == criterion["criterion"]}
        best = best_of({name: row["value"] for name, row in rows.items()}, best=criterion["best"])
        letters = letters_of(tables, criterion["criterion"])
        if best:
            won.setdefault(tuple(best), []).append(_mean_on(criterion, best, rows, letters))
    for systems, phrases in won.items():
        yield f"{listed(systems)} {'share' if len(systems) > 1 else 'has'} the best mean on {listed(phrases)}."


def _all_lowest(tables: Mapping[str, Any]) -> bool:
    return all(each["best"] == "lowest" for each in tables["criteria"])


def _mean_on(criterion: Record, best: Sequence[str], rows: Mapping[str, Record], letters: Mapping[str, str]) -> str:
    first, name = rows[best[0]], inside(criterion["name"])
    if len(best) > 1:
        return f"{name} ({two(first['value'])})"
    others = [other for other in rows if other not in best]
    if letters:
        near = [other for other in others if set(letters.get(other, "")) & set(letters.get(best[0], ""))]
        distance = f"not told apart from {listed(near)}" if near else "told apart from all others"
    else:
        near = [other for other in others if _overlap(first, rows[other])]
        distance = f"overlapping with {listed(near)}" if near else "apart from all others"
    return f"{name} ({', '.join([two(first['value']), *filter(None, [between(first)]), distance])})"


def letters_of(tables: Mapping[str, Any], criterion: str) -> dict[str, str]:
    """Return the letters that join the systems whose difference on a criterion could be chance."""
    return {row["system"]: row["letters"] for row in tables.get("groups", []) if row["criterion"] == criterion}


def _overlap(one: Record, other: Record) -> bool:
    """Say whether two intervals share a value; a mean without interval stands for itself."""
    low, high = _ends(one)
    other_low, other_high = _ends(other)
    return bool(low <= other_high and other_low <= high)


def _ends(row: Record) -> tuple[float, float]:
    return (row["low"], row["high"]) if between(row) else (row["value"], row["value"])


def _protocol(tables: Mapping[str, Any]) -> Iterator[str]:
    if tables["about"].get("reading") == "by_protocol":
        yield (
            "Systems and metrics are read by the protocol: where its rules settle a value, or count a question as "
            "missing, they overrule the annotators. Agreement and annotators are as released."
        )
    yield from _missing(tables)
    yield from _readings(tables)


def _missing(tables: Mapping[str, Any]) -> Iterator[str]:
    """Say where counting the missing questions changes who is best."""
    changed: dict[str, list[str]] = {}
    for criterion in tables["criteria"]:
        rows = [row for row in first_reading(tables) if row["criterion"] == criterion["criterion"]]
        returned, expected = (
            best_of({row["system"]: row[key] for row in rows}, best=criterion["best"])
            for key in ("mean_returned", "mean_expected")
        )
        if returned != expected:
            who = f"{listed(expected)} instead of {listed(returned)}"
            changed.setdefault(who, []).append(inside(criterion["name"]))
    missing = sum(row["missing"] for row in tables["returned"])
    if changed and missing:
        told = "; ".join(f"{who} on {listed(names)}" for who, names in changed.items())
        yield f"{missing:,} questions are missing. Counting them as the protocol does changes who is best: {told}."


def first_reading(tables: Mapping[str, Any]) -> list[Record]:
    """Return the aggregates by the protocol, before its fatal rule."""
    return [row for row in tables["aggregates"] if (row["reading"], row["fatal_applied"]) == ("by_protocol", "")]


def _readings(tables: Mapping[str, Any]) -> Iterator[str]:
    """Point out where the ranking of systems depends on how the protocol is read."""
    totals: dict[tuple[str, str, str], list[Record]] = {}
    for row in tables["aggregates"]:
        if row["criterion"] == "" and row["aggregate"] is not None:
            totals.setdefault((row["reading"], row["fatal_applied"], row["fatal_others"]), []).append(row)
    rankings = Counter(ranking(rows, lowest=_all_lowest(tables)) for rows in totals.values())
    if len(rankings) > 1:
        told = [f"{order} in {n}" for order, n in rankings.most_common()]
        yield (
            "The ranking of the systems by the combined aggregate depends on how the protocol's rules are read. "
            f"Of {len(totals)} readings it is, best first, {listed(told)}."
        )
    elif len(totals) > 1:
        order = next(iter(rankings))
        yield f"All {len(totals)} readings of the protocol's rules rank the systems alike, best first: {order}."


def ranking(rows: Sequence[Record], *, lowest: bool) -> str:
    """Write the systems best first, those that are equal joined."""
    groups: dict[float, list[str]] = {}
    for row in rows:
        groups.setdefault(row["aggregate"], []).append(row["system"])
    return " › ".join(" = ".join(groups[value]) for value in sorted(groups, reverse=not lowest))


def _metrics(tables: Mapping[str, Any]) -> Iterator[str]:
    names = {row["criterion"]: inside(row["name"]) for row in tables["criteria"]}
    kept = [row for row in tables["correlations"] if row["coefficient"] == "spearman"]
    for human in dict.fromkeys(row["criterion"] for row in kept):
        rows = [row for row in kept if row["criterion"] == human]
        yield _follows([row for row in rows if row["value"] is not None], names.get(human, human), rows[0], tables)


def _follows(rows: Sequence[Record], human: str, any_row: Record, tables: Mapping[str, Any]) -> str:
    if not rows:
        return f"How metrics follow {human} is undefined: {any_row['reason']}."
    if not any(row["low"] is not None and row["low"] > 0 for row in rows):
        values = [row["value"] for row in rows]
        return (
            f"No metric can be said to follow {human}: none has an interval over sources above 0 "
            f"(Spearman's rho {two(min(values))} to {two(max(values))})."
        )
    best = best_of({row["metric"]: row["value"] for row in rows}, best="highest") or [rows[0]["metric"]]
    first = next(row for row in rows if row["metric"] == best[0])
    if len(best) > 1:
        told = two(first["value"])
        return f"No single metric follows {human} best: {listed(best)} share the highest Spearman's rho ({told})."
    told = ", ".join(filter(None, [two(first["value"]), between(first)]))
    return f"{best[0]} follows {human} best (Spearman's rho {told}){_lead(first, tables)}."


def _lead(best: Record, tables: Mapping[str, Any]) -> str:
    pairs = [r for r in tables["differences"] if (r["criterion"], r["better"]) == (best["criterion"], best["metric"])]
    tested = [row for row in pairs if row["p_swap_holm"] is not None]
    if not tested:
        return ""
    runner_up = min(tested, key=lambda row: row["difference"])
    words = "is more than chance" if runner_up["p_swap_holm"] < SURE else "could be chance"
    return (
        f"; its lead over {runner_up['other']} {words} once questions on one source are kept together "
        f"({p_value(runner_up['p_swap_holm'])}, Holm)"
    )
