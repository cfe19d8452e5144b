"""Proposals that change many names of systems at once: a prefix that all share, a replacement, a
subset in front of the name, or spellings of one name.

Each function returns new names by old ones, without those that stay. Nothing is stored here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from judging.imports.actions.systems import alike

SEPARATORS = "_-/.:| "


@dataclass(frozen=True)
class ProposedNames:
    """New names by old ones, and the subset of each system whose name was split."""

    names: dict[str, str] = field(default_factory=dict)
    subsets: dict[str, str] = field(default_factory=dict)


def shared_prefix(names: Sequence[str]) -> str:
    """Return the prefix that all names share, up to its last separator; "" if there is none, or if
    nothing would be left of a name."""
    if len(names) < 2:
        return ""
    places = zip(*names, strict=False)
    shared = "".join(signs[0] for signs in takewhile(lambda signs: len(set(signs)) == 1, places))
    end = max((shared.rfind(sign) for sign in SEPARATORS), default=-1) + 1
    prefix = shared[:end]
    return prefix if all(len(name) > end for name in names) else ""


def without_prefix(names: Iterable[str], prefix: str) -> ProposedNames:
    """Remove a prefix from the names that have it."""
    return ProposedNames(
        {
            name: name.removeprefix(prefix).strip()
            for name in names
            if prefix and name.startswith(prefix) and name.removeprefix(prefix).strip()
        }
    )


def replaced(names: Iterable[str], find: str, replacement: str) -> ProposedNames:
    """Replace a text in all names that contain it."""
    changed = {name: name.replace(find, replacement).strip() for name in names if find in name}
    return ProposedNames({name: new for name, new in changed.items() if new and new != name})


def split(names: Iterable[str], separator: str) -> ProposedNames:
    """Split names such as `SQuAD_T5` at the first separator into a subset (SQuAD) and a system
    (T5). Names without the separator stay as they are."""
    found = ProposedNames()
    for name in names:
        subset, sign, system = (part.strip() for part in name.partition(separator))
        if sign and subset and system:
            found.names[name] = system
            found.subsets[name] = subset
    return found


def one_spelling(names: Sequence[str]) -> ProposedNames:
    """Give names that differ only in case, spaces and punctuation the first of their spellings."""
    return ProposedNames({name: group[0] for group in alike(names) for name in group[1:]})
