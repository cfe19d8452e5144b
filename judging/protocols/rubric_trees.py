"""Unfinished rubrics: trees that may be incomplete, their beginnings, and the consequences of a
change in them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from judging.protocols import documents
from judging.protocols.rubric_nodes import NUMBER, RubricError, RubricProblem, from_yaml, to_plain
from judging.protocols.rubric_schema import RubricDocument

Tree = dict[str, Any]
FILE = "protocol.yaml"
WHY = "worked_item.why."  # before a criterion's key, in places of texts
REFERENCES = ("sets", "when")  # mappings of rules whose names are criteria
PLACE = re.compile(
    r"(stages|criteria|rules|facts|agreement)(?:\[(\d{1,6})\](?:\.(points)(?:\[(\d{1,6})\])?)?)?"
)


class NoSuchPlace(LookupError):
    """There is no such part to add to, to remove or to move."""


def tree(text: str) -> Tree:
    """Return the plain tree of a YAML text; raise RubricError if it is no YAML or no mapping."""
    plain = to_plain(from_yaml(text, FILE))
    if not isinstance(plain, dict):
        raise RubricError([RubricProblem(FILE, 1, "", "must be a mapping of keys to values")])
    return plain


def blank() -> Tree:
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


def own_version(rubric: RubricDocument, *, key: str) -> Tree:
    """Return a copy to be changed, under a key of its own; it names its origin."""
    whole = documents.to_document(rubric)
    own = {
        "key": key,
        "version": "1",
        "citation": f"Adapted from {rubric.title} ({rubric.key}). {rubric.citation}",
    }
    return deepcopy(whole | own)


def next_version(rubric: RubricDocument, *, taken: set[str]) -> Tree:
    """Return a copy to be changed that will be the next version of the same protocol."""
    number = int(rubric.version) if rubric.version.isdecimal() else 1
    while str(number) in taken:
        number += 1
    return deepcopy(documents.to_document(rubric) | {"version": str(number)})


def named(name: str, taken: set[str]) -> str:
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
    for criterion in _maps(plain, "criteria"):
        _replace(criterion, "stage", stages)
    _replace(plain.get("span_mark"), "stage", stages)
    for rule in _maps(plain, "rules"):
        _replace(rule, "criterion", criteria)
        for name in REFERENCES:
            if isinstance(rule.get(name), dict):
                rule[name] = {criteria.get(key, key): value for key, value in rule[name].items()}
        _replace_each(rule, "named", criteria)
    for fact in _maps(plain, "facts"):
        _replace(fact, "criterion", criteria)
        _replace(fact, "beside", criteria)
    _replace_each(plain.get("aggregate"), "criteria", criteria)
    for holder, name in [*_rated(plain), *_weighted(plain)]:
        holder[name] = {criteria.get(key, key): said for key, said in holder[name].items()}
    _rename_texts(plain, {"criteria": criteria, "stages": stages})


def _rename_texts(plain: Tree, keys: Mapping[str, Mapping[str, str]]) -> None:
    def moved(place: str) -> str:
        if place.startswith(WHY):
            key = place.removeprefix(WHY)
            return WHY + keys["criteria"].get(key, key)
        kind, _, rest = place.partition(".")
        key, dot, rest = rest.partition(".")
        return f"{kind}.{keys[kind].get(key, key)}{dot}{rest}" if kind in keys else place

    for words in _translations(plain):
        moved_words = {moved(place): text for place, text in words.items()}
        words.clear()
        words.update(moved_words)


def forget(plain: Tree, criterion: str) -> None:
    """Remove a deleted criterion from the lists and mappings that named it; a rule only about it is
    kept."""
    for rule in _maps(plain, "rules"):
        for name in REFERENCES:
            if isinstance(rule.get(name), dict):
                rule[name].pop(criterion, None)
        _drop(rule, "named", criterion)
    _drop(plain.get("aggregate"), "criteria", criterion)
    for holder, name in [*_rated(plain), *_weighted(plain)]:
        holder[name].pop(criterion, None)


def _weighted(plain: Tree) -> list[tuple[Tree, str]]:
    """Return the mapping of criteria to weights, if there is one, as its holder and key."""
    aggregate = plain.get("aggregate")
    if isinstance(aggregate, dict) and isinstance(aggregate.get("weights"), dict):
        return [(aggregate, "weights")]
    return []


def _rated(plain: Tree) -> list[tuple[Tree, str]]:
    """Return the mappings of the worked item whose names are criteria, each as its holder and
    key."""
    item = plain.get("worked_item")
    return [
        (item, name)
        for name in ("values", "why")
        if isinstance(item, dict) and isinstance(item.get(name), dict)
    ]


def prune(plain: Tree) -> None:
    """Drop translations of texts that are no longer there."""
    rubric, _ = documents.sketch(documents.write(plain), FILE)
    there = documents.strings(rubric)
    for words in _translations(plain):
        for place in words.keys() - there.keys():
            del words[place]


def stale(before: str, after: str) -> tuple[str, ...]:
    """Return the places, with languages, of texts that changed while their translation did not."""
    old, new = _sketched(before), _sketched(after)
    if old is None or new is None:
        return ()
    was, now = documents.strings(old), documents.strings(new)
    changed = [place for place in was if place in now and was[place] != now[place]]
    return tuple(
        f"{place} ({tag})"
        for tag, words in new.translations.items()
        for place in changed
        if place in words and words[place] == old.translations.get(tag, {}).get(place)
    )


def _sketched(text: str) -> RubricDocument | None:
    try:
        return documents.sketch(text, FILE)[0]
    except RubricError:
        return None


def _translations(plain: Tree) -> list[Tree]:
    found = plain.get("translations")
    return (
        [words for words in found.values() if isinstance(words, dict)]
        if isinstance(found, dict)
        else []
    )


def _maps(plain: Mapping[str, Any], key: str) -> Iterator[Tree]:
    found = plain.get(key)
    return (
        (item for item in found if isinstance(item, dict)) if isinstance(found, list) else iter(())
    )


def _replace(holder: Any, key: str, names: Mapping[str, str]) -> None:
    if isinstance(holder, dict) and isinstance(holder.get(key), str):
        holder[key] = names.get(holder[key], holder[key])


def _replace_each(holder: Any, key: str, names: Mapping[str, str]) -> None:
    if isinstance(holder, dict) and isinstance(holder.get(key), list):
        holder[key] = [
            names.get(item, item) if isinstance(item, str) else item for item in holder[key]
        ]


def _drop(holder: Any, key: str, name: str) -> None:
    if isinstance(holder, dict) and isinstance(holder.get(key), list):
        holder[key] = [item for item in holder[key] if item != name]


def add(plain: Tree, place: str, kind: str = "") -> str:
    """Add a row to a list, such as `criteria` or `criteria[0].points`, and return its place."""
    match = PLACE.fullmatch(place)
    if match is None or match[4] is not None or (match[2] is not None and not match[3]):
        raise NoSuchPlace(place)
    holder = plain if match[2] is None else _at(plain.get(match[1]), match[2], place)
    rows = holder.setdefault(match[3] or match[1], [])
    if not isinstance(rows, list):
        raise NoSuchPlace(place)
    rows.append(_new(match[3] or match[1], plain, rows, kind))
    return f"{place}[{len(rows) - 1}]"


def remove(plain: Tree, place: str) -> None:
    """Remove a row, and a removed criterion from everything that named it."""
    rows, index = _row(plain, place)
    row = rows.pop(index)
    if place.startswith("criteria[") and place.count("[") == 1 and isinstance(row, dict):
        forget(plain, str(row.get("key", "")))


def move(plain: Tree, place: str, by: int) -> str:
    """Move a row up (-1) or down (1), and return its new place; at an end it does not move."""
    rows, index = _row(plain, place)
    target = min(max(index + by, 0), len(rows) - 1)
    rows.insert(target, rows.pop(index))
    return re.sub(r"\[\d+\]$", f"[{target}]", place)


def _row(plain: Tree, place: str) -> tuple[list[Any], int]:
    match = PLACE.fullmatch(place)
    if match is None or match[2] is None or (match[3] and match[4] is None):
        raise NoSuchPlace(place)
    rows, index = plain.get(match[1]), match[2]
    if match[3]:
        rows, index = _at(rows, match[2], place).get("points"), match[4]
    _at(rows, index, place)
    assert isinstance(rows, list)  # noqa: S101  # checked by _at
    return rows, int(index)


def _at(rows: Any, index: str, place: str) -> Tree:
    if (
        not isinstance(rows, list)
        or int(index) >= len(rows)
        or not isinstance(rows[int(index)], dict)
    ):
        raise NoSuchPlace(place)
    row: Tree = rows[int(index)]
    return row


def _new(name: str, plain: Tree, rows: list[Any], kind: str) -> Tree:
    if name == "criteria":
        stages = [str(stage["key"]) for stage in _maps(plain, "stages") if "key" in stage]
        return new_criterion(stages[-1]) if stages else {}
    if name == "points":
        values = [
            int(row["value"])
            for row in rows
            if isinstance(row, dict) and NUMBER.fullmatch(str(row.get("value")))
        ]
        return {"value": max(values, default=0) + 1}
    return {"kind": kind} if kind else {}
