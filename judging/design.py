"""Seeded designs: in which order places are given out, what each annotator sees when, and proof that it is balanced.

Everything follows from the seed alone: the same seed gives the same design on every machine.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_uppercase
from typing import Literal

Order = Literal["depth", "breadth"]
Square = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Place:
    """One of a task's places and where it stands in the queue; tasks count from 0, places and positions from 1."""

    task: int
    place: int
    position: int


def places(tasks: int, *, per_task: int, order: Order, seed: int) -> tuple[Place, ...]:
    """Return every place of every task in the order in which they are given out.

    `depth` finishes tasks: all places of one task, then those of the next, the tasks in an order drawn once.
    `breadth` has one annotator on everything first: the first places of all tasks, then the second ones, each pass in
    an order of its own.
    """
    if order == "depth":
        queue = [(task, place) for task in _drawn(tasks, seed, "depth") for place in range(1, per_task + 1)]
    else:
        passes = range(1, per_task + 1)
        queue = [(task, place) for place in passes for task in _drawn(tasks, seed, f"breadth/{place}")]
    return tuple(Place(task, place, position) for position, (task, place) in enumerate(queue, start=1))


def shown_order(n: int, *, seed: int, enrollment_key: str, task_key: str) -> tuple[int, ...]:
    """Return the order in which one annotator sees the n questions of one task, as indices from 0."""
    return tuple(_drawn(n, seed, f"shown/{enrollment_key}/{task_key}"))


def letter(index: int) -> str:
    """Return the name a question goes by on the page: A to Z, then AA, AB and so on; the index counts from 0."""
    name = ""
    index += 1
    while index:
        index, digit = divmod(index - 1, len(ascii_uppercase))
        name = ascii_uppercase[digit] + name
    return name


def _drawn(n: int, seed: int, purpose: str) -> list[int]:
    drawn = list(range(n))
    _chance(seed, purpose).shuffle(drawn)
    return drawn


def _chance(seed: int, purpose: str) -> random.Random:
    """Each purpose has its own stream, so that a change to one leaves the others as they are."""
    return random.Random(f"{seed}/{purpose}")


def latin_square(n: int, *, seed: int) -> Square:
    """Return a drawn square in which each of n symbols stands once in every row and every column."""
    rows, columns, symbols = (_drawn(n, seed, f"latin/{part}") for part in ("rows", "columns", "symbols"))
    return tuple(tuple(symbols[(row + column) % n] for column in columns) for row in rows)


def williams_rows(n: int, *, seed: int) -> Square:
    """Return orders of n symbols in which each stands equally often in each position and after each other symbol.

    There are n rows where n is even, 2n where it is odd (Williams 1949).
    """
    zigzag = [(step + 1) // 2 if step % 2 else (n - step // 2) % n for step in range(n)]
    rows = [[(first + shift) % n for first in zigzag] for shift in range(n)]
    if n % 2 and n > 1:
        rows += [row[::-1] for row in rows]
    symbols = _drawn(n, seed, "williams/symbols")
    return tuple(tuple(symbols[entry] for entry in rows[row]) for row in _drawn(len(rows), seed, "williams/rows"))


@dataclass(frozen=True, slots=True)
class Seating:
    """One thing a seat judges: a system's questions for a source, at a position of the seat's own order, from 1."""

    seat: int
    position: int
    source: int
    system: int


def panel(seats: int, *, systems: int, sources: int, seed: int) -> tuple[Seating, ...]:
    """Return who judges which system on which source in which order, for a panel that sees each source once.

    Sources are drawn into blocks of as many as there are systems. In a block every seat sees every system once; a
    Latin square says on which source, and a Williams row in which order. All counts of `balance` come out even where
    the sources are a multiple of the systems, and the seats too (of twice the systems, where these are odd in number).
    """
    square, orders = latin_square(systems, seed=seed), williams_rows(systems, seed=seed)
    drawn = _drawn(sources, seed, "panel/sources")
    result: list[Seating] = []
    for seat in range(seats):
        seen = []
        for block, start in enumerate(range(0, sources, systems)):
            at = {system: start + place for place, system in enumerate(square[seat % systems])}
            order = orders[(seat + block) % len(orders)]
            seen += [(drawn[at[system]], system) for system in order if at[system] < sources]
        result += [Seating(seat, position, *pair) for position, pair in enumerate(seen, start=1)]
    return tuple(result)


@dataclass(frozen=True, slots=True)
class Table:
    """How often each row meets each column; `apart` where a row can never meet the column of its own name."""

    rows: tuple[Hashable, ...]
    columns: tuple[Hashable, ...]
    counts: tuple[tuple[int, ...], ...]
    apart: bool = False

    @property
    def spread(self) -> int:
        """Return the greatest count less the smallest; 0 is perfect balance."""
        named = [(row, column) for row in self.rows for column in self.columns]
        counts = [count for counted in self.counts for count in counted]
        cells = [n for (row, column), n in zip(named, counts, strict=True) if not (self.apart and row == column)]
        return max(cells, default=0) - min(cells, default=0)


def cross_table(pairs: Iterable[tuple[Hashable, Hashable]], *, apart: bool = False) -> Table:
    """Count how often each first meets each second."""
    counts = Counter(pairs)
    rows = tuple(sorted({row for row, _ in counts}, key=_by_kind))
    columns = tuple(sorted({column for _, column in counts}, key=_by_kind))
    return Table(rows, columns, tuple(tuple(counts[row, column] for column in columns) for row in rows), apart)


def _by_kind(name: Hashable) -> tuple[str, Hashable]:
    return type(name).__name__, name


def balance(seatings: Sequence[Seating]) -> dict[str, Table]:
    """Prove a panel's balance: who by system, source by system, turn by system, and who follows whom.

    A turn is the position within a block of as many judgments as there are systems.
    """
    systems = len({seating.system for seating in seatings})
    turns = [(s, (s.position - 1) % systems + 1) for s in seatings]
    return {
        "seat by system": cross_table((s.seat, s.system) for s in seatings),
        "source by system": cross_table((s.source, s.system) for s in seatings),
        "turn by system": cross_table((turn, s.system) for s, turn in turns),
        "system by the one before": cross_table(_followings(seatings, systems), apart=True),
    }


def _followings(seatings: Sequence[Seating], systems: int) -> list[tuple[int, int]]:
    """Pairs of neighbours inside a block; over the border of two blocks anything may follow."""
    ordered = sorted(seatings, key=lambda s: (s.seat, s.position))
    return [
        (later.system, earlier.system)
        for earlier, later in pairwise(ordered)
        if earlier.seat == later.seat and earlier.position % systems
    ]
