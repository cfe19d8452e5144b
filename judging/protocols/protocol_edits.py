"""Changes in unfinished protocols: plain dictionaries and lists, as written in YAML."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from pydantic import ValidationError

from judging.protocols import documents
from judging.protocols.protocol_schema import NUMBER, READER, ProtocolDocument
from judging.protocols.protocol_yaml import ProtocolError, compose, location, to_plain

Tree = dict[str, Any]
FILE = "protocol.yaml"
WHY = "worked_item.why."  # before a criterion's key, in places of texts
ROWS = ("stages", "criteria", "points", "rules", "facts", "agreement")
# Where parts name criteria and stages: as a text, in a list, or as keys of a mapping
NAMED_CRITERIA: Mapping[str, Sequence[str]] = {
    "rules": ("criterion", "sets", "when", "named"),
    "facts": ("criterion", "beside"),
    "aggregate": ("criteria", "weights"),
    "worked_item": ("values", "why"),
}
NAMED_STAGES: Mapping[str, Sequence[str]] = {"criteria": ("stage",), "span_mark": ("stage",)}
# What a preview shows for a text that cannot be shown, by the type of the error
STAND_INS: Mapping[str, Any] = {
    "missing": "…",
    "string_type": "…",
    "string_too_short": "…",
    "string_too_long": "…",
    "form": "unnamed",
}
STAND_IN_PARTS: Mapping[str, Any] = {
    "stages": [{"key": "judge", "title": "…", "shows": ["passage"]}],
    "aggregate": {"kind": "mean"},
    "points": [],
}
MAX_ROUNDS = 5  # of replacing what a stand-in made visible


class NoSuchPlace(LookupError):
    """There is no such part to add to, to remove or to move."""


def tree(text: str) -> Tree:
    """Return the plain values of a YAML text; raise ProtocolError if it is no YAML or no mapping."""
    plain: Tree = to_plain(compose(text, FILE))
    return plain


def blank_protocol() -> Tree:
    """Return the beginning of a new protocol: one stage, one criterion, three points, without any
    texts."""
    return {
        "version": "1",
        "language": "en",
        "task": "unit",
        "annotators": 3,
        "estimated_seconds": 60,
        "stages": [{"key": "judge", "title": "Judge the questions", "shows": ["passage"]}],
        "criteria": [new_criterion("judge")],
        "aggregate": {"kind": "mean"},
    }


def new_criterion(stage: str) -> Tree:
    """Return a criterion with nothing but the most common scale."""
    points = [{"value": value} for value in (1, 2, 3)]
    return {"level": "ordinal", "best": "highest", "stage": stage, "points": points}


def own_version(protocol: ProtocolDocument, *, key: str) -> Tree:
    """Return a copy to be changed, under a key of its own; it names its origin."""
    citation = f"Adapted from {protocol.title} ({protocol.key}). {protocol.citation}"
    changes = {"key": key, "version": "1", "citation": citation}
    return deepcopy(documents.protocol_to_document(protocol) | changes)


def next_version(protocol: ProtocolDocument, *, taken: set[str]) -> Tree:
    """Return a copy to be changed that will be the next version of the same protocol."""
    number = int(protocol.version) if protocol.version.isdecimal() else 1
    while str(number) in taken:
        number += 1
    return deepcopy(documents.protocol_to_document(protocol) | {"version": str(number)})


def key_from_name(name: str, taken: set[str]) -> str:
    """Return a key made from a name, such as `asks-for-the-answer`; a number distinguishes it from
    those taken."""
    plain = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    word = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:50]
    word = word if word[:1].isalpha() else f"c-{word}".strip("-")
    return next(
        key for key in (word, *(f"{word}-{n}" for n in range(2, 10_000))) if key not in taken
    )


def rename(plain: Tree, *, criteria: Mapping[str, str], stages: Mapping[str, str]) -> None:
    """Replace changed keys of criteria and stages wherever they are used."""
    _rename_in(plain, NAMED_CRITERIA, criteria)
    _rename_in(plain, NAMED_STAGES, stages)
    keys = {"criteria": criteria, "stages": stages}
    for language, texts in _translations(plain).items():
        plain["translations"][language] = {
            _renamed_place(place, keys): text for place, text in texts.items()
        }


def _rename_in(plain: Tree, uses: Mapping[str, Sequence[str]], names: Mapping[str, str]) -> None:
    for holder, key in _holders(plain, uses):
        value = holder[key]
        if isinstance(value, dict):
            holder[key] = {names.get(name, name): item for name, item in value.items()}
        elif isinstance(value, list):
            holder[key] = [names.get(str(name), name) for name in value]
        else:
            holder[key] = names.get(str(value), value)


def _renamed_place(place: str, keys: Mapping[str, Mapping[str, str]]) -> str:
    if place.startswith(WHY):
        criterion = place.removeprefix(WHY)
        return WHY + keys["criteria"].get(criterion, criterion)
    kind, _, rest = place.partition(".")
    key, dot, rest = rest.partition(".")
    return f"{kind}.{keys[kind].get(key, key)}{dot}{rest}" if kind in keys else place


def forget_criterion(plain: Tree, criterion: str) -> None:
    """Remove a deleted criterion from the lists and mappings that named it; a rule only about it is
    kept."""
    for holder, key in _holders(plain, NAMED_CRITERIA):
        if isinstance(holder[key], dict):
            holder[key].pop(criterion, None)
        elif isinstance(holder[key], list):
            holder[key] = [name for name in holder[key] if name != criterion]


def _holders(plain: Tree, uses: Mapping[str, Sequence[str]]) -> Iterator[tuple[Tree, str]]:
    """Yield the parts that have some of these keys, once for each key."""
    for part, keys in uses.items():
        value = plain.get(part)
        for holder in value if isinstance(value, list) else [value]:
            if isinstance(holder, dict):
                yield from ((holder, key) for key in keys if key in holder)


def _translations(plain: Tree) -> dict[str, Tree]:
    languages = plain.get("translations")
    if not isinstance(languages, dict):
        return {}
    return {name: texts for name, texts in languages.items() if isinstance(texts, dict)}


def prune(plain: Tree) -> None:
    """Drop translations of texts that are no longer there, if every part can be read."""
    try:
        protocol = READER.validate_python(tree(documents.write_yaml(plain)))
    except ValidationError:
        return
    places = documents.strings(protocol).keys()
    for texts in _translations(plain).values():
        for place in texts.keys() - places:
            del texts[place]


def stale(before: str, after: str) -> tuple[str, ...]:
    """Return the places, with languages, of texts that changed while their translation did not."""
    old, new = sketch(before), sketch(after)
    if old is None or new is None:
        return ()
    old_texts, new_texts = documents.strings(old), documents.strings(new)
    changed = [
        place
        for place, text in old_texts.items()
        if place in new_texts and new_texts[place] != text
    ]
    return tuple(
        f"{place} ({language})"
        for language, texts in new.translations.items()
        for place in changed
        if place in texts and texts[place] == old.translations.get(language, {}).get(place)
    )


def sketch(text: str) -> ProtocolDocument | None:
    """Return as much of a protocol as can be read, with stand-ins for what its page needs; None if
    no criterion can be read."""
    try:
        plain = tree(text)
    except ProtocolError:
        return None
    for _round in range(MAX_ROUNDS):
        try:
            return READER.validate_python(plain)
        except ValidationError as wrong:
            for error in reversed(wrong.errors(include_url=False)):
                _replace_unreadable(plain, error)
    return None


def _replace_unreadable(plain: Tree, error: Any) -> None:
    """Put a stand-in at a text, number or choice of a criterion or stage; drop anything else."""
    *outer, last = error["loc"]
    if outer and outer[0] not in ("stages", "criteria"):
        plain.pop(outer[0], None)
        return
    holder: Any = plain
    for part in outer:
        holder = holder[part]
    stand_in = STAND_IN_PARTS.get(last, _stand_in(error))
    if stand_in is not None:
        holder[last] = deepcopy(stand_in)
    elif isinstance(holder, list) or last in holder:
        del holder[last]


def _stand_in(error: Any) -> Any:
    context = error.get("ctx", {})
    if error["type"] == "literal_error":
        return re.findall(r"'([^']*)'", context["expected"])[0]
    return context.get("least", STAND_INS.get(error["type"]))


def add_tree_row(plain: Tree, place: str, kind: str = "") -> str:
    """Add a row to a list, such as `criteria` or `criteria[0].points`, and return its place."""
    *outer, name = location(place) or ("",)
    holder = _at(plain, outer, place)
    rows = holder.setdefault(name, []) if name in ROWS and isinstance(holder, dict) else None
    if not isinstance(rows, list):
        raise NoSuchPlace(place)
    rows.append(_new(str(name), plain, rows, kind))
    return f"{place}[{len(rows) - 1}]"


def remove_tree_row(plain: Tree, place: str) -> None:
    """Remove a row, and a removed criterion from everything that named it."""
    rows, index = _row(plain, place)
    row = rows.pop(index)
    if rows is plain.get("criteria"):
        forget_criterion(plain, str(row.get("key", "")))


def move_tree_row(plain: Tree, place: str, by: int) -> str:
    """Move a row up (-1) or down (1), and return its new place; at an end it does not move."""
    rows, index = _row(plain, place)
    target = min(max(index + by, 0), len(rows) - 1)
    rows.insert(target, rows.pop(index))
    return re.sub(r"\[\d+\]$", f"[{target}]", place)


def _row(plain: Tree, place: str) -> tuple[list[Any], int]:
    """Return the list that holds a row, and the row's index."""
    *outer, index = location(place) or ("",)
    rows = _at(plain, outer, place)
    if not isinstance(rows, list) or not isinstance(_at(rows, [index], place), dict):
        raise NoSuchPlace(place)
    return rows, int(index)


def _at(value: Any, loc: Sequence[int | str], place: str) -> Any:
    for part in loc:
        try:
            value = value[part]
        except (LookupError, TypeError):
            raise NoSuchPlace(place) from None
    return value


def _new(name: str, plain: Tree, rows: list[Any], kind: str) -> Tree:
    if name == "criteria":
        stages = [str(holder[key]) for holder, key in _holders(plain, {"stages": ("key",)})]
        return new_criterion(stages[-1]) if stages else {}
    if name == "points":
        values = [
            int(row["value"])
            for row in rows
            if isinstance(row, dict) and NUMBER.fullmatch(str(row.get("value")))
        ]
        return {"value": max(values, default=0) + 1}
    return {"kind": kind} if kind else {}
