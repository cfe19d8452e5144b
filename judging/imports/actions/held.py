"""The contents of a dataset that files are matched with. Pure: no database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

SlotKey = tuple[str, str, int]  # a question of a file: its source's key, its system, its position


class HeldSource(NamedTuple):
    """A source of the dataset."""

    pk: int
    key: str
    passage: str
    sentence: str
    answer: str
    target_type: str
    modality: str
    language: str
    repeat_of: int | None = None
    repeat: int = 1


class HeldSlot(NamedTuple):
    """A slot of the dataset; `text` is None if its question is missing."""

    unit: int
    source: int
    system: str
    position: int
    text: str | None
    key: str


class CollectionSet(NamedTuple):
    """A question set of the dataset; `whole` is its unit without a position."""

    pk: int
    whole: int
    expected: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The sources, slots and question sets of a dataset."""

    sources: Sequence[HeldSource] = ()
    slots: Sequence[HeldSlot] = ()
    sets: Mapping[tuple[int, str], CollectionSet] = field(default_factory=dict)

    @property
    def systems(self) -> set[str]:
        """Return the names of the systems that have question sets."""
        return {system for _, system in self.sets}
