"""Designs: the order in which places are given out, what each annotator sees when, and a proof of
balance.

Every draw follows from a key alone: the same key gives the same design on every machine. Without
the key no draw can be predicted, however many others are known.
"""

from __future__ import annotations

import hmac
import itertools
import random
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_uppercase
from typing import Literal

PlaceOrder = Literal["depth", "breadth"]
Square = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class KeyedDraws:
    """A source of randomness with one stream for each purpose, so that a change to one stream does
    not affect the others.

    A stream starts at HMAC-SHA-256(key, purpose), read as a number; `within` goes before each
    purpose.
    """

    key: bytes
    within: str = ""

    def stream(self, purpose: str) -> random.Random:
        named = f"{self.within}/{purpose}" if self.within else purpose
        return random.Random(int.from_bytes(hmac.digest(self.key, named.encode(), "sha256")))


@dataclass(frozen=True, slots=True)
class QueuePlace:
    """One of a task's places and its position in the queue; tasks count from 0, places and
    positions from 1."""

    task: int
    place: int
    position: int


def places(
    tasks: int, *, per_task: int, order: PlaceOrder, draws: KeyedDraws
) -> Iterator[QueuePlace]:
    """Yield every place of every task in the order in which they are given out, lazily: there may
    be millions.

    `depth` finishes tasks: all places of one task, then those of the next, the tasks in an order
    drawn once. `breadth` has one annotator judge everything first: the first places of all tasks,
    then the second ones, each pass in an order of its own.
    """
    passes = range(1, per_task + 1)
    if order == "depth":
        queue = ((task, place) for task in _drawn(tasks, draws, "depth") for place in passes)
    else:
        queue = (
            (task, place) for place in passes for task in _drawn(tasks, draws, f"breadth/{place}")
        )
    for position, (task, place) in enumerate(queue, start=1):
        yield QueuePlace(task, place, position)


def draw_sample(names: Iterable[str], *, size: int, draws: KeyedDraws) -> tuple[str, ...]:
    """Return `size` of the names, drawn without replacement, independent of their order."""
    known = sorted(names)
    return tuple(known[index] for index in _drawn(len(known), draws, "sample")[:size])


def shown_order(
    n: int, *, draws: KeyedDraws, enrollment_key: str, task_key: str
) -> tuple[int, ...]:
    """Return the order in which one annotator sees the n questions of one task, as indices from
    0."""
    return tuple(_drawn(n, draws, f"shown/{enrollment_key}/{task_key}"))


def order_of_systems(
    names: Iterable[str], *, draws: KeyedDraws, source_key: str
) -> tuple[str, ...]:
    """Return the order in which the systems' questions on one source are divided into tasks.

    It decides which systems share a page, so it is drawn for each source, and is independent of the
    order of the names.
    """
    known = sorted(names)
    return tuple(known[index] for index in _drawn(len(known), draws, f"systems/{source_key}"))


def letter(index: int) -> str:
    """Return the letter of a question on the page: A to Z, then AA, AB and so on; the index counts
    from 0."""
    name = ""
    index += 1
    while index:
        index, digit = divmod(index - 1, len(ascii_uppercase))
        name = ascii_uppercase[digit] + name
    return name


def _drawn(n: int, draws: KeyedDraws, purpose: str) -> list[int]:
    drawn = list(range(n))
    if n > 1:  # a single one has one order, and starting a stream takes time
        draws.stream(purpose).shuffle(drawn)
    return drawn


def _williams(n: int) -> Square:
    """Return orders of n symbols in which each occurs equally often in each position and after each
    other symbol: n orders if n is even, else n and the same backwards (Williams 1949)."""
    zigzag = [(step + 1) // 2 if step % 2 else (n - step // 2) % n for step in range(n)]
    rows = [tuple((first + shift) % n for first in zigzag) for shift in range(n)]
    return (*rows, *(row[::-1] for row in rows)) if n % 2 and n > 1 else tuple(rows)


@dataclass(frozen=True, slots=True)
class Seating:
    """One judgment of a seat: a system's questions for a source, at a position of the seat's own
    order, from 1."""

    seat: int
    position: int
    source: int
    system: int


def panel(seats: int, *, systems: int, sources: int, draws: KeyedDraws) -> Iterator[Seating]:
    """Yield which seat judges which system on which source in which order, for a panel that sees
    each source once: first what all seats judge first, then what they judge second, and so on.

    Sources are drawn into blocks of as many as there are systems. In a block every seat sees every
    system once; a Latin square says on which source, and a Williams row in which order. All counts
    of `balance` are even if the number of sources is a multiple of the number of systems, and so is
    that of seats (of twice the systems, if their number is odd).

    Each block is drawn independently. If one square and its rows served all blocks in turn, a
    reader of this code could tell without the key which questions are of one system.
    """
    drawn = _drawn(sources, draws, "panel/sources")
    blocks = _blocks(seats, systems, draws)
    for start in range(0, sources, max(systems, 1)):
        within = [
            [(drawn[start + place], system) for place, system in shown if start + place < sources]
            for shown in next(blocks)
        ]
        for position, turn in enumerate(zip(*within, strict=True), start=start + 1):
            for seat, (source, system) in enumerate(turn):
                yield Seating(seat, position, source, system)


Block = list[list[tuple[int, int]]]  # for each seat, places with their systems in order


def _blocks(seats: int, systems: int, draws: KeyedDraws) -> Iterator[Block]:
    """Yield independent blocks.

    Consecutive seats, as many as there are systems, have rows in which each system occurs once in
    each position; if the number of systems is odd, the next as many seats have the rows backwards.
    """
    orders = _williams(systems)
    for block in itertools.count():
        rows, columns, turns, names = (
            _drawn(systems, draws, f"panel/{block}/{part}")
            for part in ("rows", "columns", "turns", "systems")
        )
        place = {column: place for place, column in enumerate(columns)}
        backwards = (seat // systems + block for seat in range(seats))
        yield [
            [
                (place[(symbol - rows[seat % systems]) % systems], names[symbol])
                for symbol in orders[(half * systems + turns[seat % systems]) % len(orders)]
            ]
            for seat, half in enumerate(backwards)
        ]


@dataclass(frozen=True, slots=True)
class MeetingTable:
    """How often each row meets each column; `apart` if a row can never meet the column of its own
    name."""

    rows: tuple[Hashable, ...]
    columns: tuple[Hashable, ...]
    counts: tuple[tuple[int, ...], ...]
    apart: bool = False

    @property
    def spread(self) -> int:
        """Return the greatest count less the smallest; 0 is perfect balance."""
        named = [(row, column) for row in self.rows for column in self.columns]
        counts = [count for counted in self.counts for count in counted]
        cells = [
            n
            for (row, column), n in zip(named, counts, strict=True)
            if not (self.apart and row == column)
        ]
        return max(cells, default=0) - min(cells, default=0)


def cross_table(pairs: Iterable[tuple[Hashable, Hashable]], *, apart: bool = False) -> MeetingTable:
    """Count how often the first of each pair meets the second."""
    counts = Counter(pairs)
    rows = tuple(sorted({row for row, _ in counts}, key=_by_kind))
    columns = tuple(sorted({column for _, column in counts}, key=_by_kind))
    return MeetingTable(
        rows,
        columns,
        tuple(tuple(counts[row, column] for column in columns) for row in rows),
        apart,
    )


def _by_kind(name: Hashable) -> tuple[str, Hashable]:
    return type(name).__name__, name


def count_balance(seatings: Iterable[Seating]) -> dict[str, MeetingTable]:
    """Count a panel's balance: seat by system, source by system, turn by system, and each system by
    the preceding one.

    A turn is the position within a block of as many judgments as there are systems.
    """
    seatings = list(seatings)
    systems = len({seating.system for seating in seatings})
    turns = [(s, (s.position - 1) % systems + 1) for s in seatings]
    return {
        "seat by system": cross_table((s.seat, s.system) for s in seatings),
        "source by system": cross_table((s.source, s.system) for s in seatings),
        "turn by system": cross_table((turn, s.system) for s, turn in turns),
        "system by the one before": cross_table(_followings(seatings, systems), apart=True),
    }


def _followings(seatings: Sequence[Seating], systems: int) -> list[tuple[int, int]]:
    """Return pairs of neighbours inside a block; across the border of two blocks any may follow."""
    ordered = sorted(seatings, key=lambda s: (s.seat, s.position))
    return [
        (later.system, earlier.system)
        for earlier, later in pairwise(ordered)
        if earlier.seat == later.seat and earlier.position % systems
    ]
