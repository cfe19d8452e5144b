"""How metrics follow people, laid out: the heat map, and the best metric against the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.reports.records import Record
from analysis.reports.sentences import SURE, best_of
from analysis.reports.written import between, coefficient, p_value

LEVELS = 20  # shades of a heat map's cell


@dataclass(frozen=True)
class Shade:
    """One cell of a heat map."""

    text: str
    level: int | None = None
    minus: bool = False
    top: bool = False
    under: str = ""


def heat(rows: Sequence[Record], names: Mapping[str, str]) -> dict[str, Any]:
    """Return Spearman's rho as a heat map: a row for each human column, a column for each metric."""
    kept = [row for row in rows if row["coefficient"] == "spearman"]
    metrics = list(dict.fromkeys(row["metric"] for row in kept))
    humans = list(dict.fromkeys(row["criterion"] for row in kept))
    by_place = {(row["criterion"], row["metric"]): row for row in kept}
    return {
        "metrics": metrics,
        "rows": [_row(names.get(human, human), [by_place[human, metric] for metric in metrics]) for human in humans],
        "n": sorted({row["n"] for row in kept}),
        "dropped": sorted({row["dropped"] for row in kept}),
        "reasons": sorted({row["reason"] for row in kept if row["value"] is None and row["reason"]}),
    }


def _row(name: str, rows: Sequence[Record]) -> dict[str, Any]:
    best = best_of({row["metric"]: row["value"] for row in rows}, best="highest")
    return {"name": name, "cells": [_cell(row, row["metric"] in best) for row in rows]}


def _cell(row: Record, top: bool) -> Shade:
    value = row["value"]
    if value is None:
        return Shade("–")
    return Shade(
        coefficient(value), round(LEVELS * abs(value)), value < -0.005, top and round(value, 2) > 0, _interval(row)
    )


def _interval(row: Record) -> str:
    return f"{coefficient(row['low'])} to {coefficient(row['high'])}" if between(row) else ""


def leads(tables: Mapping[str, Any], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return, for each human column, the best metric against each other one."""
    found = []
    for human in dict.fromkeys(row["criterion"] for row in tables["differences"]):
        pairs = [row for row in tables["differences"] if row["criterion"] == human]
        best = _best(pairs)
        rows = sorted((row for row in pairs if row["better"] == best), key=lambda row: row["difference"] or 0)
        if rows:
            told = {"human": names.get(human, human), "best": best, "rows": [_lead(row) for row in rows]}
            found.append(told | {"reasons": _reasons(rows)})
    return found


def _best(pairs: Sequence[Record]) -> str:
    beaten = {row["other"] for row in pairs}
    return next((row["better"] for row in pairs if row["better"] not in beaten), "")


def _lead(row: Record) -> dict[str, Any]:
    return {
        "other": row["other"],
        "difference": "–" if row["difference"] is None else coefficient(row["difference"]),
        "swap": _p(row["p_swap_holm"]),
        "williams": _p(row["p_williams_holm"]),
        "sure": row["p_swap_holm"] is not None and row["p_swap_holm"] < SURE,
    }


def _p(p: float | None) -> str:
    return "–" if p is None else p_value(p).removeprefix("p = ").removeprefix("p ")


def _reasons(rows: Sequence[Record]) -> list[str]:
    """Return why tests printed as a dash could not be had."""
    held = [(f"{test}_reason", f"p_{test}_holm") for test in ("swap", "williams")]
    return sorted({row[why] for row in rows for why, p in held if row[p] is None and row[why]})
