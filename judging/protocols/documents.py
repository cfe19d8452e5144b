"""Reading and writing rubrics: YAML and JSON to documents with every problem named, documents to
canonical JSON and YAML."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from judging.protocols import rubric_checks as checks
from judging.protocols.rubric_nodes import (
    Node,
    OpenMapping,
    ProblemReport,
    RubricError,
    RubricProblem,
    from_plain,
    from_yaml,
)
from judging.protocols.rubric_reader import read_rubric
from judging.protocols.rubric_schema import (
    CANNOT_JUDGE,
    CANNOT_JUDGE_LABELS,
    FACT_KINDS,
    RULE_KINDS,
    CriterionPoint,
    RubricCriterion,
    RubricDocument,
    WorkedItem,
)
from judging.rules import Force, Rule

__all__ = [
    "RubricDocument",
    "RubricError",
    "RubricProblem",
    "digest",
    "from_document",
    "localized",
    "parse",
    "shipped",
    "shipped_keys",
    "sketch",
    "strings",
    "to_document",
    "to_yaml",
    "untranslated",
    "warnings",
    "write",
]

SHIPPED = Path(__file__).resolve().parents[1] / "rubrics"
KIND_NAMES: Mapping[type[Any], str] = {
    kind: name for name, kind in (*RULE_KINDS.items(), *FACT_KINDS.items())
}


def parse(text: str, file: str) -> RubricDocument:
    """Return the rubric that a YAML text holds, or raise RubricError with every problem, its line
    and its key."""
    return _document(from_yaml(text, file), file)


def from_document(document: Mapping[str, Any]) -> RubricDocument:
    """Return the rubric of a document as `to_document` made it; the same checks, without line
    numbers."""
    return _document(from_plain(document), "document")


def warnings(rubric: RubricDocument) -> tuple[tuple[str, str], ...]:
    """Return warnings about valid but unwise parts, as pairs of key and reason."""
    return tuple(checks.warnings(rubric))


@cache
def shipped(key: str) -> RubricDocument:
    """Return a protocol that comes with the software; KeyError for an unknown key."""
    if key not in shipped_keys():
        raise KeyError(key)
    return parse((SHIPPED / f"{key}.yaml").read_text(encoding="utf-8"), f"{key}.yaml")


@cache
def shipped_keys() -> tuple[str, ...]:
    """Return the keys of the protocols that come with the software."""
    return tuple(sorted(path.stem for path in SHIPPED.glob("*.yaml")))


def sketch(text: str, file: str) -> tuple[RubricDocument, tuple[RubricProblem, ...]]:
    """Return as much of a rubric as can be read, with every problem; raise RubricError if the text
    is no YAML at all."""
    rubric, report = _read(from_yaml(text, file), file)
    return rubric, report.sorted()


def _document(root: Node, file: str) -> RubricDocument:
    rubric, report = _read(root, file)
    report.close()
    return rubric


def _read(root: Node, file: str) -> tuple[RubricDocument, ProblemReport]:
    report = ProblemReport(file, root)
    rubric = read_rubric(OpenMapping(root, report))
    if not report.problems:  # checks between the parts need parts without problems
        found = (*checks.problems(rubric), *checks.translation_problems(rubric, strings(rubric)))
        for place, reason in found:
            report.add(place, reason)
    return rubric, report


def to_document(rubric: RubricDocument) -> dict[str, Any]:
    """Return the rubric as plain JSON values. Values equal to their default are omitted, so that
    the schema can grow."""
    document: dict[str, Any] = _plain(rubric)
    return document


def digest(rubric: RubricDocument) -> str:
    """Return the SHA-256 of the canonical JSON; equal rubrics have equal digests, however they were
    written."""
    canonical = json.dumps(
        to_document(rubric), sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    return hashlib.sha256(canonical.encode()).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, RubricCriterion):
        return _with_short_scale(value)
    if is_dataclass(value):
        kind = KIND_NAMES.get(type(value))
        return ({"kind": kind} if kind else {}) | _fields(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _fields(value: Any) -> dict[str, Any]:
    return {
        f.name: _plain(getattr(value, f.name))
        for f in fields(value)
        if getattr(value, f.name) != _default(f)
    }


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _with_short_scale(criterion: RubricCriterion) -> dict[str, Any]:
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


def to_yaml(rubric: RubricDocument) -> str:
    """Return the rubric as YAML that `parse` reads back to an equal rubric."""
    return write(to_document(rubric))


def write(document: Mapping[str, Any]) -> str:
    """Return a document as YAML, also if it is incomplete."""
    return yaml.dump(dict(document), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


def strings(rubric: RubricDocument) -> dict[str, str]:
    """Return every text an annotator reads, by its place, such as
    `criteria.fluency.points.1.label`."""
    found: dict[str, str] = {}

    def note(place: str, text: str) -> str:
        if text:
            found[place] = text
        return text

    _spoken(rubric, note)
    return found


def localized(rubric: RubricDocument, language: str) -> RubricDocument:
    """Return the rubric with its texts in a language; `de-AT` falls back to `de`, untranslated
    texts stay."""
    words = rubric.translations.get(language) or rubric.translations.get(language.split("-")[0])
    shown = _spoken(rubric, words.get) if words else rubric
    is_translated = bool(words) or language.split("-")[0] == rubric.language.split("-")[0]
    label = CANNOT_JUDGE_LABELS.get((language if is_translated else rubric.language).split("-")[0])
    if label is None or not any(criterion.cannot_judge for criterion in shown.criteria):
        return shown
    return replace(
        shown, criteria=tuple(_with_cannot_judge(each, label) for each in shown.criteria)
    )


def _with_cannot_judge(criterion: RubricCriterion, label: str) -> RubricCriterion:
    """Return a criterion whose point “Cannot judge” has a label in another language."""
    if not criterion.cannot_judge:
        return criterion
    own = replace(criterion.points[-1], label=label)
    return replace(criterion, points=(*criterion.points[:-1], own))


def untranslated(rubric: RubricDocument, language: str) -> tuple[str, ...]:
    """Return the places whose texts that language does not have."""
    return tuple(
        place for place in strings(rubric) if place not in rubric.translations.get(language, {})
    )


TellProblem = Callable[[str, str], str]


def _spoken(rubric: RubricDocument, say: TellProblem) -> RubricDocument:
    """Return the rubric with `say` applied to each text that an annotator reads."""
    mark = rubric.span_mark
    return replace(
        rubric,
        title=say("title", rubric.title),
        summary=say("summary", rubric.summary),
        guideline=say("guideline", rubric.guideline),
        stages=tuple(
            replace(s, title=say(f"stages.{s.key}.title", s.title)) for s in rubric.stages
        ),
        criteria=tuple(_spoken_criterion(c, say) for c in rubric.criteria),
        span_mark=mark and replace(mark, prompt=say("span_mark.prompt", mark.prompt)),
        rules=tuple(_spoken_rule(rule, say) for rule in rubric.rules),
        worked_item=rubric.worked_item and _spoken_item(rubric.worked_item, say),
    )


def _spoken_criterion(criterion: RubricCriterion, say: TellProblem) -> RubricCriterion:
    place = f"criteria.{criterion.key}"
    return replace(
        criterion,
        name=say(f"{place}.name", criterion.name),
        prompt=say(f"{place}.prompt", criterion.prompt),
        definition=say(f"{place}.definition", criterion.definition),
        visibility_note=say(f"{place}.visibility_note", criterion.visibility_note),
        points=tuple(
            _spoken_point(point, f"{place}.points.{point.value}", say) for point in criterion.points
        ),
    )


def _spoken_point(point: CriterionPoint, place: str, say: TellProblem) -> CriterionPoint:
    if point == CANNOT_JUDGE:
        return point
    return replace(
        point,
        label=say(f"{place}.label", point.label),
        description=say(f"{place}.description", point.description),
        examples=tuple(say(f"{place}.examples.{n}", text) for n, text in enumerate(point.examples)),
    )


def _spoken_item(item: WorkedItem, say: TellProblem) -> WorkedItem:
    place = "worked_item"
    return replace(
        item,
        question=say(f"{place}.question", item.question),
        why={key: say(f"{place}.why.{key}", text) for key, text in item.why.items()},
        shows={name: say(f"{place}.shows.{name}", text) for name, text in item.shows.items()},
        siblings=tuple(say(f"{place}.siblings.{n}", text) for n, text in enumerate(item.siblings)),
    )


def _spoken_rule(rule: Rule, say: TellProblem) -> Rule:
    """Return a rule with its text passed through `say`; only forcing rules have texts for
    annotators."""
    if not isinstance(rule, Force):
        return rule
    return replace(rule, explanation=say(f"rules.{rule.key}.explanation", rule.explanation))
