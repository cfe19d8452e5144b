"""A report's plain sentences, each made from the tables it stands above."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis.reports.records import Record

SURE = 0.05
WILLIAMS = (
    "Williams' test, printed as published, takes the questions on one source as independent. Where systems share "
    "sources it finds differences that are not there; the swap test keeps questions on one source together."
)


def in_short(tables: Mapping[str, Any]) -> list[str]:
    """Return what a reader should know first."""
    return [*_origin(tables), *_agreement(tables), *_systems(tables), *_metrics(tables), *_readings(tables)]


def two(value: float | None) -> str:
    """Write a number with two decimals and no needless minus."""
    return "undefined" if value is None else f"{value + 0.0:.2f}"


def p_value(p: float | None) -> str:
    """Write p as papers do."""
    return "p undefined" if p is None else ("p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", "."))


def interval(row: Record) -> str:
    """Write a value with its interval, where it has one."""
    if row["value"] is None:
        return f"undefined: {row['reason']}"
    if row.get("low") is None or row.get("high") is None:
        return two(row["value"])
    return f"{two(row['value'])}, {two(row['low'])} to {two(row['high'])}"


def _names(tables: Mapping[str, Any]) -> dict[str, str]:
    return {row["criterion"]: row["name"].lower() for row in tables["criteria"]}


def _origin(tables: Mapping[str, Any]) -> Iterator[str]:
    origin = tables["about"]["origin"]
    if origin == "simulated":
        yield "These ratings were made by simulated annotators, not by people: they show a report, and nothing else."
    if not tables["about"]["judgments"]:
        yield "Nothing has been judged in this campaign, so there is no agreement and there are no system scores."


def _agreement(tables: Mapping[str, Any]) -> Iterator[str]:
    names = _names(tables)
    for criterion in tables["criteria"]:
        level = "nominal" if len(criterion["points"]) == 2 or criterion["level"] == "nominal" else "ordinal"
        rows = [
            row for row in tables["agreement"] if row["criterion"] == criterion["criterion"] and row["basis"] == "all"
        ]
        alpha = next((r for r in rows if r["coefficient"] == "krippendorff_alpha" and r["level"] == level), None)
        percent = next((r for r in rows if r["coefficient"] == "percent_agreement"), None)
        if alpha and percent and percent["value"] is not None:
            said = f"On {names[criterion['criterion']]} annotators reach an {level} alpha of {interval(alpha)}"
            yield (
                said.replace("an nominal", "a nominal")
                + f"; {100 * percent['value']:.0f} % of pairs of ratings are equal."
            )


def _systems(tables: Mapping[str, Any]) -> Iterator[str]:
    for criterion in tables["criteria"]:
        rows = [r for r in tables["systems"] if r["criterion"] == criterion["criterion"] and r["value"] is not None]
        if len(rows) < 2 or criterion["best"] == "none":
            continue
        ordered = sorted(rows, key=lambda row: row["value"], reverse=criterion["best"] == "highest")
        best, last = ordered[0], ordered[-1]
        yield (
            f"{best['system']} has the best mean on {criterion['name'].lower()} ({interval(best)}), "
            f"{last['system']} the worst ({interval(last)})."
        )


def _metrics(tables: Mapping[str, Any]) -> Iterator[str]:
    names = _names(tables)
    humans = list(dict.fromkeys(row["criterion"] for row in tables["correlations"]))
    for human in humans:
        rows = [
            row
            for row in tables["correlations"]
            if row["criterion"] == human and row["coefficient"] == "spearman" and row["value"] is not None
        ]
        if rows:
            best = max(rows, key=lambda row: row["value"])
            yield (
                f"{best['metric']} follows {names.get(human, human)} best (Spearman's rho {interval(best)}, "
                f"{best['n']} questions){_lead(best, human, tables)}."
            )


def _lead(best: Record, human: str, tables: Mapping[str, Any]) -> str:
    pairs = [r for r in tables["differences"] if r["criterion"] == human and r["better"] == best["metric"]]
    tested = [row for row in pairs if row["p_swap_holm"] is not None]
    if not tested:
        return ""
    runner_up = min(tested, key=lambda row: row["difference"])
    p = runner_up["p_swap_holm"]
    words = "is clear" if p < SURE else "could be chance"
    return (
        f"; its lead over {runner_up['other']} {words} once questions on one source are kept together "
        f"({p_value(p)}, Holm)"
    )


def _readings(tables: Mapping[str, Any]) -> Iterator[str]:
    """Point out where the ranking of systems depends on how the protocol is read."""
    totals: dict[tuple[str, str, str], list[Record]] = {}
    for row in tables["aggregates"]:
        if row["criterion"] == "" and row["aggregate"] is not None:
            totals.setdefault((row["reading"], row["fatal_applied"], row["fatal_others"]), []).append(row)
    high = all(row["best"] != "lowest" for row in tables["criteria"])
    rankings = {_ranking(rows, high=high) for rows in totals.values()}
    if len(rankings) > 1:
        yield (
            "The ranking of the systems by the combined aggregate depends on how the protocol's rules are read: "
            f"{len(rankings)} different rankings in {len(totals)} readings. The report prints them all."
        )


def _ranking(rows: Sequence[Record], *, high: bool) -> tuple[str, ...]:
    return tuple(row["system"] for row in sorted(rows, key=lambda row: row["aggregate"], reverse=high))
