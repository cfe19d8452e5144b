"""The formats that can be read: those of the modules of `judging.imports.formats`, and those of
installed packages (entry-point group `quaestor.formats`, each naming a `Format`)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path, PurePath

from judging.imports.readers.contract import Format, UnknownOption
from judging.imports.readers.text import in_utf8

__all__ = [
    "FORMAT",
    "FORMATS",
    "UNUSABLE",
    "Format",
    "UnknownOption",
    "Unusable",
    "loaded",
    "sniff",
]

GROUP = "quaestor.formats"
HEAD = 65_536
# Only modules of formats are imported, so that a reading process starts fast
_DECLARES = "\nREADS = ("


@dataclass(frozen=True, slots=True)
class Unusable:
    """A plug-in that cannot be used: its name, the package it comes from, and why."""

    name: str
    origin: str
    reason: str


def sniff(name: str, data: bytes) -> Format:
    """Return the likeliest format of a file, from its first bytes, else from its name; CSV if
    neither decides."""
    head = in_utf8(data[:HEAD]).removeprefix(b"\xef\xbb\xbf").lstrip()
    ending = PurePath(name).suffix.lower()
    if found := next((each for each in FORMATS if _bears_signs(each, head)), None):
        return found
    return next((each for each in reversed(FORMATS) if ending in each.endings), FORMAT["csv"])


def loaded(point: EntryPoint, *, taken: Collection[str]) -> Format | Unusable:
    """Load a plug-in; any fault of it becomes a reason and affects nothing else."""
    origin = f"{point.dist.name} {point.dist.version}" if point.dist else point.value
    try:
        found = point.load()
    except Exception as error:  # code of a plug-in may raise anything while it is imported
        return Unusable(point.name, origin, f"does not load: {type(error).__name__}: {error}")
    if not isinstance(found, Format) or (found.table is None) == (found.study is None):
        return Unusable(point.name, origin, "is no Format with either a table or a study")
    if found.key in taken:
        return Unusable(point.name, origin, f"the key {found.key} is taken")
    return found


def _bears_signs(format: Format, head: bytes) -> bool:
    try:
        return format.is_like(head)
    except Exception:  # a plug-in that fails on a file does not recognise it
        return False


def _built_in() -> list[Format]:
    """Return the built-in formats, special ones before general ones."""
    files = sorted((Path(__file__).parents[1] / "formats").glob("*.py"))
    names = [file.stem for file in files if _DECLARES in file.read_text(encoding="utf-8")]
    modules = [import_module(f"judging.imports.formats.{name}") for name in names]
    found: list[Format] = [each for module in modules for each in module.READS]
    return sorted(found, key=lambda each: (each.rank, each.key))


def _known() -> tuple[Sequence[Format], Sequence[Unusable]]:
    formats, unusable = _built_in(), list[Unusable]()
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        found = loaded(point, taken={each.key for each in formats})
        if isinstance(found, Format):
            formats.append(found)
        else:
            unusable.append(found)
    return sorted(formats, key=lambda each: (each.rank, each.key)), unusable


_found, _failed = _known()
FORMATS: tuple[Format, ...] = tuple(_found)
UNUSABLE: tuple[Unusable, ...] = tuple(_failed)
FORMAT: dict[str, Format] = {each.key: each for each in FORMATS}
