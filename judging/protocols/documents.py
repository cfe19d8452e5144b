"""Reading and writing protocols: YAML and JSON to documents with every problem named, documents to
canonical JSON and YAML."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from judging.protocols import protocol_checks as checks
from judging.protocols.protocol_schema import (
    CANNOT_JUDGE,
    CANNOT_JUDGE_LABELS,
    FACT_KINDS,
    READER,
    RULE_KINDS,
    AskedSpan,
    CriterionPoint,
    ProtocolCriterion,
    ProtocolDocument,
    ProtocolPart,
    Stage,
    WorkedItem,
    WrittenCriterion,
)
from judging.protocols.protocol_yaml import (
    ProtocolError,
    ProtocolProblem,
    compose,
    located,
    refusals,
    to_plain,
)
from judging.protocols.rules import Force

__all__ = [
    "ProtocolDocument",
    "ProtocolError",
    "ProtocolProblem",
    "check",
    "hash_document",
    "localized",
    "parse",
    "protocol_from_document",
    "protocol_to_document",
    "protocol_warnings",
    "shipped",
    "shipped_keys",
    "strings",
    "to_yaml",
    "untranslated",
    "write_yaml",
]

SHIPPED = Path(__file__).with_name("shipped")
KIND_NAMES: Mapping[type[Any], str] = {
    kind: name for name, kind in (*RULE_KINDS.items(), *FACT_KINDS.items())
}
# The keys of all parts, among which the one meant by an unknown key is looked for
PARTS = (*ProtocolPart.__subclasses__(), WrittenCriterion)
KEYS = sorted({field.name.strip("_") for part in PARTS for field in fields(part)})
# The fields with texts that annotators read
SPOKEN: Mapping[type[Any], tuple[str, ...]] = {
    ProtocolDocument: (
        "title",
        "summary",
        "guideline",
        "stages",
        "criteria",
        "span_mark",
        "rules",
        "worked_item",
    ),
    Stage: ("title",),
    ProtocolCriterion: ("name", "prompt", "definition", "visibility_note", "points"),
    CriterionPoint: ("label", "description", "examples"),
    AskedSpan: ("prompt",),
    Force: ("explanation",),
    WorkedItem: ("question", "why", "shows", "siblings"),
}
Translate = Callable[[str, str], str]


def parse(text: str, file: str) -> ProtocolDocument:
    """Return the protocol that a YAML text holds, or raise ProtocolError with every problem, its
    line and its key."""
    root = compose(text, file)
    return _checked(to_plain(root), file, root)


def protocol_from_document(document: Mapping[str, Any]) -> ProtocolDocument:
    """Return the protocol of a document as `to_document` made it; the same checks, without line
    numbers."""
    return _checked(document, "document", None)


def _checked(plain: Any, file: str, root: yaml.Node | None) -> ProtocolDocument:
    try:
        protocol = READER.validate_python(plain)
    except ValidationError as wrong:
        found = refusals(wrong, names=KEYS, tagged=("rules", "facts"))
        raise ProtocolError(located(found, file, root)) from None
    # checks between the parts need parts without problems
    between = (
        *checks.find_protocol_problems(protocol),
        *checks.translation_problems(protocol, strings(protocol)),
    )
    if between:
        raise ProtocolError(located(between, file, root))
    return protocol


def check(text: str, file: str) -> tuple[tuple[ProtocolProblem, ...], tuple[tuple[str, str], ...]]:
    """Return the problems of a YAML text; if there are none, its warnings."""
    try:
        return (), protocol_warnings(parse(text, file))
    except ProtocolError as error:
        return error.problems, ()


def protocol_warnings(protocol: ProtocolDocument) -> tuple[tuple[str, str], ...]:
    """Return warnings about valid but unwise parts, as pairs of key and reason."""
    return tuple(checks.find_protocol_warnings(protocol))


@cache
def shipped(key: str) -> ProtocolDocument:
    """Return a protocol that comes with the software; KeyError for an unknown key."""
    if key not in shipped_keys():
        raise KeyError(key)
    return parse((SHIPPED / f"{key}.yaml").read_text(encoding="utf-8"), f"{key}.yaml")


@cache
def shipped_keys() -> tuple[str, ...]:
    """Return the keys of the protocols that come with the software."""
    return tuple(sorted(path.stem for path in SHIPPED.glob("*.yaml")))


def protocol_to_document(protocol: ProtocolDocument) -> dict[str, Any]:
    """Return the protocol as plain JSON values. Values equal to their default are omitted, so that
    the schema can grow."""
    document: dict[str, Any] = _plain(protocol)
    return document


def hash_document(protocol: ProtocolDocument) -> str:
    """Return the SHA-256 of the canonical JSON; equal protocols have equal digests, however they
    were written."""
    canonical = json.dumps(
        protocol_to_document(protocol), sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    return hashlib.sha256(canonical.encode()).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, ProtocolCriterion):
        return _with_short_scale(value)
    if is_dataclass(value):
        kind = KIND_NAMES.get(type(value))
        return ({"kind": kind} if kind else {}) | _fields(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _fields(value: Any) -> dict[str, Any]:
    return {
        field.name: _plain(getattr(value, field.name))
        for field in fields(value)
        if getattr(value, field.name) != _default(field)
    }


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _with_short_scale(criterion: ProtocolCriterion) -> dict[str, Any]:
    """Return a criterion whose scale is given by its ends; its points have no labels."""
    if criterion.cannot_judge:
        criterion = replace(criterion, points=criterion.points[:-1])
    plain = _fields(criterion)
    if all(point.label for point in criterion.points):
        return plain
    counted = [point for point in criterion.points if not point.missing]
    labels = {str(point.value): point.label for point in counted if point.label}
    plain["scale"] = {"from": counted[0].value, "to": counted[-1].value, "labels": labels}
    plain["points"] = [_plain(point) for point in criterion.points if point.missing]
    return (
        plain if plain["points"] else {key: item for key, item in plain.items() if key != "points"}
    )


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    )


_Dumper.add_representer(str, _text)


def to_yaml(protocol: ProtocolDocument) -> str:
    """Return the protocol as YAML that `parse` reads back to an equal protocol."""
    return write_yaml(protocol_to_document(protocol))


def write_yaml(document: Mapping[str, Any]) -> str:
    """Return a document as YAML, also if it is incomplete."""
    return yaml.dump(dict(document), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


def strings(protocol: ProtocolDocument) -> dict[str, str]:
    """Return every text an annotator reads, by its place, such as
    `criteria.fluency.points.1.label`."""
    texts: dict[str, str] = {}

    def note(place: str, text: str) -> str:
        if text:
            texts[place] = text
        return text

    _translated(protocol, "", note)
    return texts


def localized(protocol: ProtocolDocument, language: str) -> ProtocolDocument:
    """Return the protocol with its texts in a language; `de-AT` falls back to `de`, untranslated
    texts stay."""
    base = language.split("-")[0]
    words = protocol.translations.get(language) or protocol.translations.get(base)
    shown: ProtocolDocument = _translated(protocol, "", words.get) if words else protocol
    is_translated = bool(words) or base == protocol.language.split("-")[0]
    label = CANNOT_JUDGE_LABELS.get(
        (language if is_translated else protocol.language).split("-")[0]
    )
    if label is None or not any(criterion.cannot_judge for criterion in shown.criteria):
        return shown
    return replace(
        shown,
        criteria=tuple(_with_cannot_judge(criterion, label) for criterion in shown.criteria),
    )


def _with_cannot_judge(criterion: ProtocolCriterion, label: str) -> ProtocolCriterion:
    """Return a criterion whose point “Cannot judge” has a label in another language."""
    if not criterion.cannot_judge:
        return criterion
    point = replace(criterion.points[-1], label=label)
    return replace(criterion, points=(*criterion.points[:-1], point))


def untranslated(protocol: ProtocolDocument, language: str) -> tuple[str, ...]:
    """Return the places whose texts that language does not have."""
    translations = protocol.translations.get(language, {})
    return tuple(place for place in strings(protocol) if place not in translations)


def _translated(value: Any, place: str, translate: Translate) -> Any:
    """Return a part of a protocol with `translate` applied to each text that annotators read."""
    if isinstance(value, str):
        return translate(place, value)
    if isinstance(value, Mapping):
        return {
            name: _translated(text, f"{place}.{name}", translate) for name, text in value.items()
        }
    if isinstance(value, tuple):
        return tuple(
            _translated(item, f"{place}.{_name(item, index)}", translate)
            for index, item in enumerate(value)
        )
    names = () if value == CANNOT_JUDGE else SPOKEN.get(type(value), ())
    changes = {
        name: _translated(getattr(value, name), f"{place}.{name}".lstrip("."), translate)
        for name in names
    }
    return replace(value, **changes) if changes else value


def _name(item: Any, index: int) -> Any:
    """Return what names an item in a list: its key, a point's value, or its position."""
    return item.value if isinstance(item, CriterionPoint) else getattr(item, "key", index)
