"""The facts of question sets as a page shows them: types, diversity, cardinality, duplicates, computed facts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.reports.layout import Cell, Row, Table
from analysis.reports.records import Record
from analysis.reports.tables import TITLES
from analysis.reports.written import percent, two

TYPE = "type_"
SPREAD = ("type_share", "type_balance")
CARDINALITY = ("cardinality_difference", "cardinality_error")
DUPLICATES = ("exact_duplicates", "near_duplicates")
NAMES = {
    "type_share": "Types a question",
    "type_balance": "Balance of types",
    "cardinality_difference": "References − questions",
    "cardinality_error": "The same, absolute",
    "exact_duplicates": "Repeated",
    "near_duplicates": "Nearly repeated",
}
DEGRADATION = "degradation"


@dataclass(frozen=True)
class Section:
    """What the section lays out; `sets` is None where every set holds one question and none has references."""

    types: Table
    sets: Table | None
    computed: Table | None
    explanations: list[str]


def degradations(tables: Mapping[str, Any]) -> list[str]:
    """Return the systems that were made worse on purpose."""
    return [row["system"] for row in tables.get("set_facts", ()) if row["kind"] == DEGRADATION]


def section(tables: Mapping[str, Any], names: Mapping[str, str]) -> Section | None:
    """Return the section; None for a run from before there were facts."""
    rows, computed = tables.get("set_facts"), tables.get("set_rules", [])
    if not rows:
        return None
    explanations = list(dict.fromkeys(row["method"] for row in computed if row["method"]))
    return Section(_types(rows), _sets(rows), _computed(computed, names), explanations)


def _types(rows: Sequence[Record]) -> Table:
    """Return how many questions of each type each system asked; types that nobody asked have no column."""
    keys = [key for key in rows[0] if key.startswith(TYPE) and key not in SPREAD]
    # the database does not keep the order of keys: the most frequent type comes first
    keys = sorted((key for key in keys if any(row[key] for row in rows)), key=lambda key: (-_total(rows, key), key))
    lines = [Row(row["system"], [_count(row[key], row["returned"]) for key in keys]) for row in rows]
    return Table("Question types", [key.removeprefix(TYPE) for key in keys], lines)


def _total(rows: Sequence[Record], key: str) -> int:
    return sum(row[key] for row in rows)


def _count(count: int, of: int) -> Cell:
    return Cell(f"{count:,}", percent(count / of) if of else "")


def _sets(rows: Sequence[Record]) -> Table | None:
    several, referred = any(row["largest"] > 1 for row in rows), any(row["with_references"] for row in rows)
    keys = [*(SPREAD if several else ()), *(CARDINALITY if referred else ()), *(DUPLICATES if several else ())]
    lines = [Row(row["system"], [_cell(row[key], whole=key in DUPLICATES) for key in keys]) for row in rows]
    return Table(TITLES["set_facts"], [NAMES[key] for key in keys], lines) if keys else None


def _cell(value: float | None, *, whole: bool = False) -> Cell:
    return Cell("–" if value is None else f"{value:,}" if whole else two(value))


def _computed(rows: Sequence[Record], names: Mapping[str, str]) -> Table | None:
    """Return the protocol's facts: the quota's mean beside the rating it is made of, diversity beside its rating."""
    cells: dict[str, list[Cell]] = {}
    columns: dict[str, None] = {}
    for row in rows:
        name = names.get(row["criterion"], row["criterion"])
        is_quota = row["kind"] == "quota"
        columns |= dict.fromkeys([f"{name}: quota composite"] if is_quota else [f"{name}: sets that reach it", name])
        cells.setdefault(row["system"], []).extend([_cell(row["value"])] if is_quota else _beside(row))
    lines = [Row(system, line) for system, line in cells.items()]
    return Table(TITLES["set_rules"], list(columns), lines) if lines else None


def _beside(row: Record) -> list[Cell]:
    share = Cell("–") if row["value"] is None else Cell(percent(row["value"]), f"of {row['sets']:,}")
    return [share, Cell(_cell(row["rated"]).text, "mean rating")]
