"""What a metric is, what it is given and what it answers: the contract of built-in metrics and plug-ins alike."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable


class Unit(StrEnum):
    """What gets one value: a question with one reference or several, a question set, or a system."""

    PAIR = "pair"
    MULTI_REF = "multi_ref"
    SET = "set"
    SYSTEM = "system"


class Scale(StrEnum):
    """How a value is written: 0.42, 42, or a figure that is neither (NIST, a difference of counts)."""

    FRACTION = "fraction"
    PERCENT = "percent"
    NUMBER = "number"


class Need(StrEnum):
    """What a metric cannot do without. `STUDY`: it weighs by the whole batch, which must not be cut into chunks."""

    REFS = "refs"
    CONTEXT = "context"
    ANSWER = "answer"
    CASED = "cased"
    STUDY = "study"


class Status(StrEnum):
    OK = "ok"
    UNDEFINED = "undefined"
    FAILED = "failed"


class MetricUnavailable(Exception):
    """The metric cannot run here; the message says what is missing."""


class MetricFailed(Exception):
    """A metric that broke on a whole batch; the message names it and says how."""


class UnknownParameter(ValueError):
    """A parameter that the metric does not have, or a value it does not take."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One setting of a metric: its default, and the values it takes where they can be listed."""

    name: str
    default: Any
    about: str
    choices: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """What a metric is called and what its values mean. `library`: the library or model behind it, with its version."""

    id: str
    name: str
    version: str
    unit: Unit
    range: tuple[float, float] = (0.0, 1.0)
    scale: Scale = Scale.FRACTION
    higher_is_better: bool = True
    needs: frozenset[Need] = frozenset({Need.REFS})
    parameters: tuple[Parameter, ...] = ()
    deterministic: bool = True
    library: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A hypothesis with its references, and the passage and answer where a metric reads them."""

    hypothesis: str
    references: tuple[str, ...] = ()
    context: str = ""
    answer: str = ""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions that one system gave for one source, and the references of that source."""

    hypotheses: tuple[str, ...]
    references: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class System:
    """All questions of one system."""

    questions: tuple[Question, ...]


Item = Question | QuestionSet | System


@dataclass(frozen=True, slots=True)
class MetricResult:
    """A value, or none and why: undefined (nothing to measure) or failed (it should have worked)."""

    value: float | None
    status: Status = Status.OK
    reason: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


@runtime_checkable
class Metric(Protocol):
    """Items of its unit in, one result an item out; a whole batch at a time, so that a model starts once.

    A metric may also have `kept()`: a context in which what it starts stays alive from batch to batch (`scoring.kept`).
    """

    @property
    def spec(self) -> MetricSpec: ...

    def available(self) -> tuple[bool, str]: ...

    def score(self, batch: Sequence[Any], params: Mapping[str, Any]) -> list[MetricResult]: ...


@dataclass(frozen=True, slots=True)
class Preparation:
    """The named steps that the two sides go through before a metric sees them (see `preparation.STEPS`)."""

    hypothesis: str = "raw"
    reference: str = "raw"


RAW = Preparation()


def undefined(reason: str) -> MetricResult:
    """Return the result of an item that has no value."""
    return MetricResult(None, Status.UNDEFINED, reason)


def failed(reason: str) -> MetricResult:
    """Return the result of an item whose value could not be computed."""
    return MetricResult(None, Status.FAILED, reason)


def resolved(spec: MetricSpec, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return every parameter of a metric with its value; unknown names and values raise."""
    known = {parameter.name: parameter for parameter in spec.parameters}
    for name, value in params.items():
        if name not in known:
            raise UnknownParameter(f"{spec.id} has no parameter {name}; it has {', '.join(known) or 'none'}")
        choices = known[name].choices
        if choices and value not in choices:
            raise UnknownParameter(f"{spec.id}: {name} is one of {', '.join(map(str, choices))}, not {value}")
    return {name: params.get(name, parameter.default) for name, parameter in known.items()}


def effective(spec: MetricSpec, preparation: Preparation) -> Preparation:
    """Return the preparation that a metric gets: one that reads capitals is always given the raw text."""
    return RAW if Need.CASED in spec.needs else preparation


def recipe(spec: MetricSpec, params: Mapping[str, Any], preparation: Preparation) -> dict[str, Any]:
    """Return how a score is made, as plain JSON: to be stored beside it."""
    used = effective(spec, preparation)
    return {
        "id": spec.id,
        "version": spec.version,
        "library": spec.library,
        "params": resolved(spec, params),
        "preparation": {"hypothesis": used.hypothesis, "reference": used.reference},
    }


def fingerprint(spec: MetricSpec, params: Mapping[str, Any], preparation: Preparation) -> str:
    """Return the SHA-256 of the recipe: equal fingerprints and equal texts mean equal scores."""
    return _digest(recipe(spec, params, preparation))


def text_hash(item: Item) -> str:
    """Return the SHA-256 of everything a metric reads of an item, before preparation."""
    return _digest(_plain(item))


def _plain(item: Item) -> list[Any]:
    if isinstance(item, System):
        return [_plain(question) for question in item.questions]
    if isinstance(item, QuestionSet):
        return [item.hypotheses, item.references, item.answers]
    return [item.hypothesis, item.references, item.context, item.answer]


def _digest(document: object) -> str:
    text = json.dumps(document, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
