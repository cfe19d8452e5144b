"""Rubrics in the making: plain trees that may be incomplete, where they begin and what a change in them brings along."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from judging.formats import rubric as documents
from judging.formats.rubric_nodes import RubricError, RubricProblem, from_yaml, to_plain
from judging.formats.rubric_schema import RubricDocument

Tree = dict[str, Any]
FILE = "protocol.yaml"
REFERENCES = ("sets", "when")  # mappings of rules whose names are criteria


def tree(text: str) -> Tree:
    """Return the plain tree of a YAML text; RubricError where it is no YAML or no mapping."""
    plain = to_plain(from_yaml(text, FILE))
    if not isinstance(plain, dict):
        raise RubricError([RubricProblem(FILE, 1, "", "must be a mapping of keys to values")])
    return plain


def blank() -> Tree:
    """Return where a protocol from nothing begins: one stage, one criterion, three points, nothing said yet."""
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
    """Return a criterion of which nothing is said but the commonest scale."""
    points = [{"value": value} for value in (1, 2, 3)]
    return {"level": "ordinal", "best": "highest", "stage": stage, "points": points}


def own_version(rubric: RubricDocument, *, key: str) -> Tree:
    """Return a copy to be changed, under a key of its own; it names where it comes from."""
    whole = documents.to_document(rubric)
    own = {"key": key, "version": "1", "citation": f"Adapted from {rubric.title} ({rubric.key}). {rubric.citation}"}
    return deepcopy(whole | own)


def next_version(rubric: RubricDocument, *, taken: set[str]) -> Tree:
    """Return a copy to be changed that will be the next version of the same protocol."""
    number = int(rubric.version) if rubric.version.isdecimal() else 1
    while str(number) in taken:
        number += 1
    return deepcopy(documents.to_document(rubric) | {"version": str(number)})


def named(name: str, taken: set[str]) -> str:
    """Return a key made of a name, such as `asks-for-the-answer`; a number keeps it apart from those taken."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    word = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:50]
    word = word if word[:1].isalpha() else f"c-{word}".strip("-")
    return next(key for key in (word, *(f"{word}-{n}" for n in range(2, 10_000))) if key not in taken)


def rename(plain: Tree, *, criteria: Mapping[str, str], stages: Mapping[str, str]) -> None:
    """Carry new keys of criteria and stages to everything that names them."""
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
    _rename_texts(plain, {"criteria": criteria, "stages": stages})


def _rename_texts(plain: Tree, keys: Mapping[str, Mapping[str, str]]) -> None:
    def moved(place: str) -> str:
        kind, _, rest = place.partition(".")
        key, dot, rest = rest.partition(".")
        return f"{kind}.{keys[kind].get(key, key)}{dot}{rest}" if kind in keys else place

    for words in _translations(plain):
        moved_words = {moved(place): text for place, text in words.items()}
        words.clear()
        words.update(moved_words)


def forget(plain: Tree, criterion: str) -> None:
    """Take a criterion that is gone out of the lists and mappings that named it; a rule about it alone is left."""
    for rule in _maps(plain, "rules"):
        for name in REFERENCES:
            if isinstance(rule.get(name), dict):
                rule[name].pop(criterion, None)
        _drop(rule, "named", criterion)
    _drop(plain.get("aggregate"), "criteria", criterion)


def prune(plain: Tree) -> None:
    """Drop translations of texts that are no longer there."""
    rubric, _ = documents.sketch(documents.write(plain), FILE)
    there = documents.strings(rubric)
    for words in _translations(plain):
        for place in words.keys() - there.keys():
            del words[place]


def _translations(plain: Tree) -> list[Tree]:
    found = plain.get("translations")
    return [words for words in found.values() if isinstance(words, dict)] if isinstance(found, dict) else []


def _maps(plain: Mapping[str, Any], key: str) -> Iterator[Tree]:
    found = plain.get(key)
    return (item for item in found if isinstance(item, dict)) if isinstance(found, list) else iter(())


def _replace(holder: Any, key: str, names: Mapping[str, str]) -> None:
    if isinstance(holder, dict) and isinstance(holder.get(key), str):
        holder[key] = names.get(holder[key], holder[key])


def _replace_each(holder: Any, key: str, names: Mapping[str, str]) -> None:
    if isinstance(holder, dict) and isinstance(holder.get(key), list):
        holder[key] = [names.get(item, item) if isinstance(item, str) else item for item in holder[key]]


def _drop(holder: Any, key: str, name: str) -> None:
    if isinstance(holder, dict) and isinstance(holder.get(key), list):
        holder[key] = [item for item in holder[key] if item != name]
