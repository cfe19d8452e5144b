"""A report as a page shows it: numbers written out, places on axes, cells of a heat map. Templates only lay it out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.reports.records import Record
from analysis.reports.sentences import interval, p_value, two

FORMS = {
    "by_protocol": "by the protocol",
    "as_released": "as released",
    "per_rating": "fatal rule on each rating",
    "on_means": "fatal rule on means",
    "all_remaining": "all other criteria",
    "named": "named criteria only",
}
LEVELS = 20  # shades of a heat map's cell


@dataclass(frozen=True)
class AgreementRow:
    """One criterion's agreement: the coefficient that fits its scale, drawn, and the others beside."""

    name: str
    level: str
    alpha: str
    low: float | None
    estimate: float | None
    high: float | None
    percent: str
    fleiss: str
    n: int
    reason: str
    checked: str


@dataclass(frozen=True)
class Cell:
    """One cell of a heat map."""

    text: str
    level: int | None
    minus: bool
    top: bool
    title: str


def report(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return everything the report page lays out."""
    names = {row["criterion"]: row["name"] for row in tables["criteria"]}
    return {
        "sentences": tables["sentences"],
        "about": tables["about"],
        "agreement": agreement(tables),
        "without_forced": [
            r for r in tables["agreement"] if r["basis"] != "all" and r["coefficient"] == "krippendorff_alpha"
        ],
        "checks": checks(tables["agreement"]),
        "criteria": tables["criteria"],
        "systems": systems(tables),
        "returned": tables["returned"],
        "missing": sum(row["missing"] for row in tables["returned"]),
        "aggregates": aggregates(tables, names),
        "heat": heat(tables["correlations"], names),
        "leads": leads(tables, names),
        "metrics": tables["metrics"],
        "violations": tables["violations"],
    }


def agreement(tables: Mapping[str, Any]) -> list[AgreementRow]:
    """Return a row for each criterion that was judged."""
    found = []
    for criterion in tables["criteria"]:
        rows = {
            (r["coefficient"], r["level"]): r
            for r in tables["agreement"]
            if r["criterion"] == criterion["criterion"] and r["basis"] == "all"
        }
        if rows:
            found.append(_agreement_row(criterion, rows))
    return found


def _agreement_row(criterion: Record, rows: Mapping[tuple[str, str], Record]) -> AgreementRow:
    level = "nominal" if criterion["level"] == "nominal" or len(criterion["points"]) == 2 else "ordinal"
    alpha, percent = rows["krippendorff_alpha", level], rows["percent_agreement", "nominal"]
    return AgreementRow(
        name=criterion["name"],
        level=level,
        alpha=interval(alpha),
        low=_on_axis(alpha["low"]),
        estimate=_on_axis(alpha["value"]),
        high=_on_axis(alpha["high"]),
        percent="–" if percent["value"] is None else f"{100 * percent['value']:.0f} %",
        fleiss=two(rows["fleiss_kappa", "nominal"]["value"]),
        n=alpha["n"],
        reason=alpha["reason"],
        checked=alpha.get("checked_by", "") if alpha.get("checked_value") is not None else "",
    )


def _on_axis(value: float | None) -> float | None:
    """Return a place between 0 and 100 for a value between 0 and 1; what lies beyond is cut."""
    return None if value is None else round(100 * min(max(value, 0.0), 1.0), 2)


def checks(rows: Sequence[Record]) -> list[str]:
    """Say which coefficients another library was asked about, and how far it differs at most."""
    by_library: dict[str, list[float]] = {}
    for row in rows:
        if row.get("checked_value") is not None:
            by_library.setdefault(f"{row['checked_by']} {row['checked_version']}", []).append(
                abs(row["checked_difference"])
            )
    return [
        f"{len(gaps)} coefficients checked against {name}: largest difference {max(gaps):.1g}"
        for name, gaps in by_library.items()
    ]


def systems(tables: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each system with its means, best criterion first as the rubric lists them."""
    by_system: dict[str, dict[str, Record]] = {}
    for row in tables["systems"]:
        by_system.setdefault(row["system"], {})[row["criterion"]] = row
    keys = [row["criterion"] for row in tables["criteria"]]
    return [
        {"system": name, "cells": [_mean(cells.get(key)) for key in keys]} for name, cells in sorted(by_system.items())
    ]


def _mean(row: Record | None) -> dict[str, str]:
    if row is None or row["value"] is None:
        return {"value": "–", "interval": "" if row is None else row["reason"]}
    held = row["low"] is not None and row["high"] is not None
    return {
        "value": two(row["value"]),
        "interval": f"{two(row['low'])} to {two(row['high'])}" if held else row["reason"],
    }


def aggregates(tables: Mapping[str, Any], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the aggregate of each reading as a table of systems by criteria, the combined one last."""
    forms: dict[tuple[str, str, str], dict[str, dict[str, str]]] = {}
    for row in tables["aggregates"]:
        form = (row["reading"], row["fatal_applied"], row["fatal_others"])
        forms.setdefault(form, {}).setdefault(row["system"], {})[row["criterion"]] = _plain(row["aggregate"])
    return [_aggregate(form, rows, names) for form, rows in forms.items()]


def _aggregate(
    form: tuple[str, str, str], rows: Mapping[str, Mapping[str, str]], names: Mapping[str, str]
) -> dict[str, Any]:
    keys = list(next(iter(rows.values())))
    reading, applied, others = form
    return {
        "title": ", ".join(FORMS[part] for part in (reading, applied, others) if part),
        "columns": [names.get(key, "Combined") for key in keys],
        "rows": [
            {"system": system, "cells": [cells.get(key, "–") for key in keys]} for system, cells in sorted(rows.items())
        ],
    }


def _plain(value: float | None) -> str:
    return "–" if value is None else f"{value:,.2f}".rstrip("0").rstrip(".")


def heat(rows: Sequence[Record], names: Mapping[str, str]) -> dict[str, Any]:
    """Return Spearman's rho as a heat map: a row for each human column, a column for each metric."""
    kept = [row for row in rows if row["coefficient"] == "spearman"]
    metrics = list(dict.fromkeys(row["metric"] for row in kept))
    humans = list(dict.fromkeys(row["criterion"] for row in kept))
    by_place = {(row["criterion"], row["metric"]): row for row in kept}
    return {
        "metrics": metrics,
        "rows": [
            _heat_row(names.get(human, human), [by_place[human, metric] for metric in metrics]) for human in humans
        ],
        "n": sorted({row["n"] for row in kept}),
        "dropped": sorted({row["dropped"] for row in kept}),
    }


def _heat_row(name: str, rows: Sequence[Record]) -> dict[str, Any]:
    best = max((row["value"] for row in rows if row["value"] is not None), default=None)
    return {"name": name, "cells": [_heat_cell(row, best) for row in rows]}


def _heat_cell(row: Record, best: float | None) -> Cell:
    value = row["value"]
    if value is None:
        return Cell("–", None, False, False, row["reason"])
    return Cell(
        _signed(value),
        round(LEVELS * abs(value)),
        value < 0,
        value == best,
        f"{interval(row)}; {p_value(row['p'])}; n = {row['n']}",
    )


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "−").replace("0.", ".", 1)


def leads(tables: Mapping[str, Any], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return, for each human column, the best metric against each other one."""
    found = []
    for human in dict.fromkeys(row["criterion"] for row in tables["differences"]):
        pairs = [row for row in tables["differences"] if row["criterion"] == human]
        best = _best(pairs)
        rows = sorted((row for row in pairs if row["better"] == best), key=lambda row: row["difference"] or 0)
        if rows:
            found.append({"human": names.get(human, human), "best": best, "rows": [_lead(row) for row in rows]})
    return found


def _best(pairs: Sequence[Record]) -> str:
    beaten = {row["other"] for row in pairs}
    return next((row["better"] for row in pairs if row["better"] not in beaten), "")


def _lead(row: Record) -> dict[str, str]:
    return {
        "other": row["other"],
        "difference": "–" if row["difference"] is None else _signed(row["difference"]),
        "swap": row["swap_reason"] or p_value(row["p_swap_holm"]).removeprefix("p = ").removeprefix("p "),
        "williams": row["williams_reason"] or p_value(row["p_williams_holm"]).removeprefix("p = ").removeprefix("p "),
    }
