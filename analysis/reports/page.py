"""A report as a page shows it: numbers written out, places on axes, cells of a heat map. Templates only lay it out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.reports import facts, further, making, system_scores
from analysis.reports.heat import heat, leads
from analysis.reports.layout import Cell, Row, Table
from analysis.reports.records import Record
from analysis.reports.sentences import best_of, first_reading, letters_of, level_of, ranking
from analysis.reports.tables import TITLES
from analysis.reports.written import between, percent, plain, two

FORMS = {
    "by_protocol": "by the protocol",
    "as_released": "as released",
    "per_rating": "fatal rule on each rating",
    "on_means": "fatal rule on means",
    "all_remaining": "all other criteria",
    "named": "named criteria only",
}


@dataclass(frozen=True)
class AgreementRow:
    """One criterion's agreement: the coefficient that fits its scale, drawn, and the others beside."""

    name: str
    level: str
    alpha: str
    interval: str
    low: float | None
    estimate: float | None
    high: float | None
    percent: str
    fleiss: str
    n: int


def report(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return everything the report page lays out."""
    names = {row["criterion"]: row["name"] for row in tables["criteria"]}
    return {
        "sentences": tables["sentences"],
        "about": tables["about"],
        "agreement": agreement(tables),
        "axis": axis(tables),
        "undefined": sorted({row["reason"] for row in _alphas(tables) if row["reason"]}),
        "without_forced": without_forced(tables, names),
        "checks": checks([*tables["agreement"], *tables.get("pairs", []), *tables["correlations"]]),
        "systems": systems(tables, names),
        "degradations": facts.degradations(tables),
        "has_letters": bool(tables.get("groups")),
        "missing": sum(row["missing"] for row in tables["returned"]),
        "with_missing": with_missing(tables, names),
        "readings": readings(tables),
        "aggregates": aggregates(tables, names),
        "heat": heat(tables["correlations"], names),
        "leads": leads(tables, names),
        "metrics": [making.metric(row) for row in tables["metrics"]],
        "violations": len(tables["violations"]),
        "further": further.sections(tables, names),
        "system_scores": system_scores.tables(tables),
        "set_facts": facts.section(tables, names),
        "titles": [(key, title) for key, title in TITLES.items() if tables.get(key)],
    }


def agreement(tables: Mapping[str, Any]) -> list[AgreementRow]:
    """Return a row for each criterion that was judged."""
    start, found = axis(tables), []
    for criterion in tables["criteria"]:
        rows = {
            (r["coefficient"], r["level"]): r
            for r in tables["agreement"]
            if r["criterion"] == criterion["criterion"] and r["basis"] == "all"
        }
        if rows:
            found.append(_agreement_row(criterion, rows, start))
    return found


def _agreement_row(criterion: Record, rows: Mapping[tuple[str, str], Record], start: float) -> AgreementRow:
    level = level_of(criterion)
    alpha, equal = rows["krippendorff_alpha", level], rows["percent_agreement", "nominal"]["value"]
    return AgreementRow(
        name=criterion["name"],
        level=level,
        alpha=_or_dash(alpha["value"]),
        interval=between(alpha),
        low=_on_axis(alpha["low"], start),
        estimate=_on_axis(alpha["value"], start),
        high=_on_axis(alpha["high"], start),
        percent="–" if equal is None else percent(equal),
        fleiss=_or_dash(rows["fleiss_kappa", "nominal"]["value"]),
        n=alpha["n"],
    )


def axis(tables: Mapping[str, Any]) -> float:
    """Return where the axis of alphas begins: at 0, or at -1 where an interval reaches below 0."""
    ends = [value for row in _alphas(tables) for value in (row["low"], row["value"]) if value is not None]
    return -1.0 if ends and min(ends) < 0 else 0.0


def _alphas(tables: Mapping[str, Any], *, everything: bool = True) -> list[Record]:
    """Return each criterion's alpha at the level of its scale: of all judgments, or without those that rules forced."""
    levels = {row["criterion"]: level_of(row) for row in tables["criteria"]}
    return [
        row
        for row in tables["agreement"]
        if (row["coefficient"], row["level"]) == ("krippendorff_alpha", levels[row["criterion"]])
        and (row["basis"] == "all") == everything
    ]


def _on_axis(value: float | None, start: float) -> float | None:
    """Return a place between 0 and 100 for a value between the axis' start and 1; what lies beyond is cut."""
    return None if value is None else round(100 * (min(max(value, start), 1.0) - start) / (1 - start), 2)


def without_forced(tables: Mapping[str, Any], names: Mapping[str, str]) -> list[str]:
    """Write the alphas that leave out the values which rules of the protocol forced."""
    return [f"{names[row['criterion']]} {two(row['value'])}" for row in _alphas(tables, everything=False)]


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


def systems(tables: Mapping[str, Any], names: Mapping[str, str]) -> Table | None:
    """Return each system's means with their intervals, and how many questions it returned."""
    returned = {row["system"]: row for row in tables["returned"]}
    columns = [
        _means(tables, each, {row["system"]: row for row in tables["systems"] if row["criterion"] == each["criterion"]})
        for each in tables["criteria"]
    ]
    found = sorted({row["system"] for row in tables["systems"]})
    rows = [
        Row(_system(name), [column[name] for column in columns if name in column], _of(returned.get(name)))
        for name in found
    ]
    notes = [{"lowest": "low is best", "highest": "high is best"}.get(each["best"], "") for each in tables["criteria"]]
    return Table(TITLES["systems"], list(names.values()), rows, notes, _reasons(tables["systems"])) if rows else None


def _reasons(rows: Sequence[Record]) -> list[str]:
    return sorted({row["reason"] for row in rows if row["reason"]})


def _means(tables: Mapping[str, Any], criterion: Record, rows: Mapping[str, Record]) -> dict[str, Cell]:
    letters = letters_of(tables, criterion["criterion"])
    best = best_of({name: row["value"] for name, row in rows.items()}, best=criterion["best"])
    return {
        name: Cell(_or_dash(row["value"]), between(row) or "–", name in best, letters.get(name, ""))
        for name, row in rows.items()
    }


def _of(row: Record | None) -> str:
    return f"{row['returned']:,} of {row['expected']:,}" if row else ""


def _system(name: str) -> str:
    return name or "(no name)"


def with_missing(tables: Mapping[str, Any], names: Mapping[str, str]) -> list[Table]:
    """Return the means over returned questions and over all expected slots, where these differ."""
    if all(row["mean_returned"] == row["mean_expected"] for row in _by_criterion(first_reading(tables))):
        return []
    titles = {"mean_returned": "Over returned questions", "mean_expected": "Over all expected slots"}
    return [_compared(tables, names, key, title) for key, title in titles.items()]


def _by_criterion(rows: Sequence[Record]) -> Iterator[Record]:
    return (row for row in rows if row["criterion"])


def _compared(tables: Mapping[str, Any], names: Mapping[str, str], key: str, title: str) -> Table:
    best_ends = {row["criterion"]: row["best"] for row in tables["criteria"]}
    columns: dict[str, dict[str, float | None]] = {}
    for row in _by_criterion(first_reading(tables)):
        columns.setdefault(row["criterion"], {})[row["system"]] = row[key]
    best = {criterion: best_of(values, best=best_ends[criterion]) for criterion, values in columns.items()}
    found = sorted({system for values in columns.values() for system in values})
    rows = [
        Row(_system(s), [Cell(_or_dash(values.get(s)), best=s in best[c]) for c, values in columns.items()])
        for s in found
    ]
    return Table(title, [names[criterion] for criterion in columns], rows)


def _or_dash(value: float | None) -> str:
    return "–" if value is None else two(value)


def _forms(tables: Mapping[str, Any]) -> dict[str, list[Record]]:
    """Return the aggregates by the reading of the rules they were made under."""
    forms: dict[str, list[Record]] = {}
    for row in tables["aggregates"]:
        parts = (row["reading"], row["fatal_applied"], row["fatal_others"])
        forms.setdefault(", ".join(FORMS[part] for part in parts if part), []).append(row)
    return forms


def readings(tables: Mapping[str, Any]) -> Table | None:
    """Return the combined aggregate of every system in every reading, with the ranking it gives."""
    lowest = all(row["best"] == "lowest" for row in tables["criteria"])
    found: list[str] = sorted({row["system"] for row in tables["aggregates"]})
    rows = []
    for title, form in _forms(tables).items():
        totals = {row["system"]: row for row in form if row["criterion"] == "" and row["aggregate"] is not None}
        if totals:
            best = best_of({s: row["aggregate"] for s, row in totals.items()}, best="lowest" if lowest else "highest")
            cells = [Cell(plain(totals[s]["aggregate"]) if s in totals else "–", best=s in best) for s in found]
            rows.append(Row(title, cells, ranking(list(totals.values()), lowest=lowest)))
    return Table(TITLES["aggregates"], [_system(name) for name in found], rows) if rows else None


def aggregates(tables: Mapping[str, Any], names: Mapping[str, str]) -> list[Table]:
    """Return each reading's aggregates as a table of systems by criteria; none where they are the means above."""
    if all(row.get("mean_returned") == row["aggregate"] for row in tables["aggregates"]):
        return []
    return [_aggregate(title, rows, names) for title, rows in _forms(tables).items()]


def _aggregate(title: str, rows: Sequence[Record], names: Mapping[str, str]) -> Table:
    cells = {(row["system"], row["criterion"]): row["aggregate"] for row in rows}
    keys = list(dict.fromkeys(row["criterion"] for row in rows))
    found = sorted({row["system"] for row in rows})
    return Table(
        title,
        [names.get(key, "Combined") for key in keys],
        [Row(_system(name), [Cell(plain(cells.get((name, key)))) for key in keys]) for name in found],
    )
