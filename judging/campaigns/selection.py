"""The selection of the part of a dataset that is judged: by systems, columns or a list of ids,
and a seeded sample of sources.

No database and no clock: rows of units come in, keys of units come out. The same rows, filters and
seed choose the same units on every machine, whatever the order of the rows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from judging.base.refusals import Refused

Over = Literal["sources", "column", "systems"]
SourceAndSystem = tuple[str, str]  # a source's id and a system's name, or "" for all systems
# Given a column and the wanted values (none if all are), returns the values by unit. An unwanted value may be replaced
# by any other unwanted one; if every slot has a question, it may be omitted.
ReadColumn = Callable[[str, Sequence[str]], Mapping[int, str]]
NO_VALUE = ""
HEADERS = {"source", "source_id", "sourceid", "id"}


class CannotChoose(Refused):
    """These filters do not fit the dataset; `field` names the wrong one, unless several are."""

    code = "selection_misfit"
    status = 422


@dataclass(frozen=True, slots=True)
class Selectable:
    """A unit with the properties that filters use: a slot with or without a question, or a question
    set as a whole."""

    unit: int
    source: str
    system: str
    values: Mapping[str, str]
    whole: bool = False
    asked: bool = True


@dataclass(frozen=True, slots=True)
class Sampling:
    """How many sources are drawn: `size` in all, or from each value of a column, or for each
    system.

    In all, a column's values get their shares in proportion to their sources and systems get equal
    shares. Over systems, the sources of each system are drawn separately, so that systems may be
    judged on different sources.
    """

    size: int
    seed: int
    over: Over = "sources"
    column: str = ""
    each: bool = False


@dataclass(frozen=True, slots=True)
class Selection:
    """The filters of what is judged; an empty part selects everything."""

    systems: tuple[str, ...] = ()
    columns: Mapping[str, tuple[str, ...]] | None = None
    pairs: tuple[SourceAndSystem, ...] = ()
    sampling: Sampling | None = None
    without: tuple[str, ...] = ()  # sources that earlier rounds were judged on


def selection_to_document(selection: Selection) -> dict[str, Any]:
    """Return a selection for JSON, without its empty parts; {} if everything is judged."""
    parts = {
        "systems": list(selection.systems),
        "columns": {name: list(values) for name, values in (selection.columns or {}).items()},
        "list": [list(pair) for pair in selection.pairs],
        "without": list(selection.without),
        "sample": asdict(selection.sampling) if selection.sampling else {},
    }
    return {name: part for name, part in parts.items() if part}


def selection_from_document(document: Mapping[str, Any]) -> Selection:
    """Return the selection that `to_document` wrote."""
    sample = document.get("sample")
    return Selection(
        systems=tuple(document.get("systems", ())),
        columns={name: tuple(values) for name, values in document.get("columns", {}).items()},
        pairs=tuple((source, system) for source, system in document.get("list", ())),
        without=tuple(document.get("without", ())),
        sampling=Sampling(**sample) if sample else None,
    )


def select_units(
    units: Iterable[Selectable], selection: Selection, read: ReadColumn | None = None
) -> frozenset[int]:
    """Return the units that are judged.

    Every filter narrows the result of those before it; the sample is drawn last. A set as a whole
    is chosen with any of its slots.

    `read` is called for one column after another, so that only one is in memory; without it, units
    hold their values themselves.

    Raises
    ------
    CannotChoose
        If a filter names something missing, the sample is larger than the remaining units, or none remain.
    """
    rows = list(units)
    kept = [row for row in rows if not row.whole]
    kept = _of_systems(kept, selection.systems)
    kept = _listed(kept, selection.pairs)
    for name, wanted in (selection.columns or {}).items():
        kept = _with_values(kept, name, wanted, read)
    if selection.without:
        known = set(selection.without)
        kept = [row for row in kept if row.source not in known]
    if not any(row.asked for row in kept):
        raise CannotChoose("No question fits all of this.")
    if selection.sampling:
        kept = _matching(kept, _drawn(kept, selection.sampling, read))
    sets = {(row.source, row.system) for row in kept}
    wholes = (row.unit for row in rows if row.whole and (row.source, row.system) in sets)
    return frozenset([row.unit for row in kept]).union(wholes)


def _of_systems(rows: list[Selectable], names: Sequence[str]) -> list[Selectable]:
    known = {row.system for row in rows}
    for name in names:
        if name not in known:
            raise CannotChoose(f"There is no system “{name}”.", field="systems")
    return [row for row in rows if row.system in names] if names else rows


def _listed(rows: list[Selectable], pairs: Sequence[SourceAndSystem]) -> list[Selectable]:
    known = {(row.source, row.system) for row in rows} | {(row.source, "") for row in rows}
    for source, system in pairs:
        if (source, system) not in known:
            named = f"source “{source}”" + (f" by system “{system}”" if system else "")
            raise CannotChoose(
                f"The list names {named}, which is not among what is chosen from.", field="ids"
            )
    return _matching(rows, set(pairs)) if pairs else rows


def _matching(rows: list[Selectable], pairs: set[SourceAndSystem]) -> list[Selectable]:
    return [row for row in rows if (row.source, "") in pairs or (row.source, row.system) in pairs]


def _with_values(
    rows: list[Selectable], name: str, wanted: Sequence[str], read: ReadColumn | None
) -> list[Selectable]:
    values = values_of(rows, name, read(name, wanted) if read else None)
    known = set().union(*values.values()) if values else set()
    for value in wanted:
        if value not in known:
            raise CannotChoose(
                f"No question that is left has “{value}” in the column “{name}”.", field="columns"
            )
    fitting = frozenset(wanted)
    return [row for row in rows if values[row.unit] & fitting]


def values_of(
    rows: Iterable[Selectable], name: str, column: Mapping[int, str] | None = None
) -> dict[int, frozenset[str]]:
    """Return each slot's values in a column: from the rows, or from `column`, by unit.

    A slot without a question has no row of its own in a file. It has the values of its set's
    questions, else those of its source's, so that missing questions count where they were
    expected.
    """
    held = list(rows)
    if column is None:
        column = {row.unit: row.values[name] for row in held if name in row.values}
    of_set: dict[SourceAndSystem, set[str]] = {}
    of_source: dict[str, set[str]] = {}
    for row in held:
        if value := column.get(row.unit):
            of_set.setdefault((row.source, row.system), set()).add(value)
            of_source.setdefault(row.source, set()).add(value)
    found: dict[int, frozenset[str]] = {}
    for row in held:
        if value := column.get(row.unit):
            found[row.unit] = frozenset([value])
        elif row.asked:
            found[row.unit] = frozenset()
        else:
            found[row.unit] = frozenset(
                of_set.get((row.source, row.system)) or of_source.get(row.source) or ()
            )
    return found


def _drawn(
    rows: list[Selectable], sampling: Sampling, read: ReadColumn | None
) -> set[SourceAndSystem]:
    """Draw the sample: each stratum from a stream of its own, so that a further stratum does not
    affect the others."""
    strata = _strata(rows, sampling, read)
    sizes = {name: len(members) for name, members in strata.items()}
    if sampling.each:
        wanted = dict.fromkeys(sizes, sampling.size)
    else:
        if sampling.size > (total := sum(sizes.values())):
            what = "sources of systems" if sampling.over == "systems" else "sources"
            raise CannotChoose(
                f"{sampling.size:,} {what} are asked for, and there are {total:,}.", field="size"
            )
        wanted = shares(
            dict.fromkeys(sizes, 1) if sampling.over == "systems" else sizes, sampling.size
        )
    drawn: set[SourceAndSystem] = set()
    for name, members in strata.items():
        if wanted[name] > len(members):
            of = f"“{name}”" if name != NO_VALUE else f"No value in “{sampling.column}”"
            counts = f"{_sources(len(members))}, and {wanted[name]:,} are asked for"
            raise CannotChoose(f"{of} has {counts}.", field="size")
        stream = random.Random(
            f"{sampling.seed}/selection/{sampling.over}/{sampling.column}/{name}"
        )
        drawn.update(stream.sample(sorted(members), wanted[name]))
    return drawn


def _strata(
    rows: list[Selectable], sampling: Sampling, read: ReadColumn | None
) -> dict[str, set[SourceAndSystem]]:
    """Return the sources to draw from, by stratum; with systems as strata each one's own
    sources."""
    strata: dict[str, set[SourceAndSystem]] = {}
    if sampling.over == "systems":
        for row in rows:
            strata.setdefault(row.system, set()).add((row.source, row.system))
    elif sampling.over == "column":
        for source, value in _value_of_source(rows, sampling.column, read).items():
            strata.setdefault(value, set()).add((source, ""))
    else:
        strata[NO_VALUE] = {(row.source, "") for row in rows}
    return dict(sorted(strata.items()))


def _value_of_source(
    rows: list[Selectable], column: str, read: ReadColumn | None
) -> dict[str, str]:
    values = values_of(rows, column, read(column, ()) if read else None)
    of_source: dict[str, set[str]] = {}
    for row in rows:
        of_source.setdefault(row.source, set()).update(values[row.unit])
    for source, found in of_source.items():
        if len(found) > 1:
            named = ", ".join(f"“{value}”" for value in sorted(found))
            reason = f"Source “{source}” has several values in “{column}”: {named}."
            raise CannotChoose(
                f"{reason} Draw by a column that has one for each source.", field="column"
            )
    if not any(of_source.values()):
        raise CannotChoose(
            f"No question that is left has a value in the column “{column}”.", field="column"
        )
    return {source: min(found, default=NO_VALUE) for source, found in of_source.items()}


def shares(weights: Mapping[str, int], size: int) -> dict[str, int]:
    """Divide `size` in proportion to weights by largest remainder; ties are broken by name."""
    total = sum(weights.values())
    given = {name: size * weight // total for name, weight in weights.items()}
    by_remainder = sorted(weights, key=lambda name: (-(size * weights[name] % total), name))
    for name in by_remainder[: size - sum(given.values())]:
        given[name] += 1
    return given


def read_list(text: str, *, sources: set[str], systems: set[str]) -> tuple[SourceAndSystem, ...]:
    """Read a list of ids, one a line: a source's id, or with a tab or comma after it a system's
    name.

    A first line of column names is skipped, as are empty lines and repeats.

    Raises
    ------
    CannotChoose
        If a line names a source or a system that does not exist; the message gives the line.
    """
    found: dict[SourceAndSystem, None] = {}
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), start=1):
        entry = line.strip()
        if not entry or (number == 1 and _is_header(entry, sources)):
            continue
        found[_pair(entry, number, sources, systems)] = None
    return tuple(found)


def _is_header(entry: str, sources: set[str]) -> bool:
    first = entry.replace("\t", ",").split(",")[0].strip()
    return first.casefold() in HEADERS and first not in sources


def _pair(entry: str, number: int, sources: set[str], systems: set[str]) -> SourceAndSystem:
    """Return the pair in a line; ids and names may contain commas, so every comma is tried."""
    if entry in sources:
        return entry, ""
    cuts = [place for place, sign in enumerate(entry) if sign in "\t,"][:50]
    halves = [(entry[:cut].strip(), entry[cut + 1 :].strip()) for cut in cuts]
    for source, system in halves:
        if source in sources and system in systems:
            return source, system
    for source, system in halves:
        if source in sources:
            raise CannotChoose(f"Line {number}: there is no system “{system[:100]}”.", field="ids")
    raise CannotChoose(
        f"Line {number}: there is no source “{(halves[0][0] if halves else entry)[:100]}”.",
        field="ids",
    )


def describe_selection(selection: Selection) -> str:
    """Return a selection in words, as in “systems A and B; 20 sources from each topic, seed 7”."""
    parts = []
    if selection.systems:
        parts.append(
            ("system " if len(selection.systems) == 1 else "systems ")
            + _joined(selection.systems, "and")
        )
    if count := len(selection.pairs):
        parts.append(f"a list of {count:,} {'entry' if count == 1 else 'entries'}")
    parts += [
        f"{name}: {_joined(values, 'or')}" for name, values in (selection.columns or {}).items()
    ]
    if count := len(selection.without):
        parts.append(f"without {_sources(count)} of earlier rounds")
    if sampling := selection.sampling:
        parts.append(f"{_sample_in_words(sampling)}, seed {sampling.seed}")
    return "; ".join(parts) or "everything"


def _sample_in_words(sampling: Sampling) -> str:
    sources = _sources(sampling.size)
    if sampling.over == "column":
        how = "from each" if sampling.each else "in proportion to"
        return f"{sources} {how} {sampling.column}"
    if sampling.over == "systems":
        return (
            f"{sources} {'for each system' if sampling.each else 'in equal shares for the systems'}"
        )
    return f"{sources} at random"


def _sources(count: int) -> str:
    return f"{count:,} {'source' if count == 1 else 'sources'}"


def _joined(names: Sequence[str], last: str) -> str:
    return f"{', '.join(names[:-1])} {last} {names[-1]}" if len(names) > 1 else names[0]
