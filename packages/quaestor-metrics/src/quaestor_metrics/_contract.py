"""The contract of metrics, both built-in and plug-ins: their specification, input and results."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from quaestor_metrics._languages import primary


class ScoredUnit(StrEnum):
    """The unit that gets one score: a question with one reference or several, a question set, or a
    system."""

    PAIR = "pair"
    MULTI_REF = "multi_ref"
    SET = "set"
    SYSTEM = "system"


class Scale(StrEnum):
    """The scale of a value: a fraction (0.42), a percent (42), or neither (NIST, a difference of
    counts)."""

    FRACTION = "fraction"
    PERCENT = "percent"
    NUMBER = "number"


class Need(StrEnum):
    """Input that a metric requires.

    `STUDY`: its weights depend on the whole batch, which must not be cut into chunks. `WORDS`: it
    compares words separated by white space, so a language that is written without spaces must be
    segmented by the preparation.
    """

    REFS = "refs"
    CONTEXT = "context"
    ANSWER = "answer"
    CASED = "cased"
    STUDY = "study"
    WORDS = "words"


class Status(StrEnum):
    OK = "ok"
    UNDEFINED = "undefined"
    FAILED = "failed"


class MetricUnavailable(Exception):
    """The metric cannot run here; the message says what is missing."""


class NotForLanguage(MetricUnavailable):
    """The metric has no recipe for the language of the texts; the message says what it lacks."""


class MetricFailed(Exception):
    """A metric that failed on a whole batch; the message names the metric and the error."""


class UnknownParameter(ValueError):
    """A parameter that the metric does not have, or a value that it does not accept."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One setting of a metric: its default, and its possible values if they can be listed.

    `by_language`: defaults of languages that need another one. `in_recipe`: False if no score
    depends on it. `least`, `most`: limits of a number; any user may set it, so a built-in metric
    has both if work or memory grows with it. `longest`: maximum of characters of a text, or of
    words together. `check` raises ValueError with a sentence for a text that it refuses.
    """

    name: str
    default: Any
    about: str
    choices: tuple[Any, ...] = ()
    by_language: Mapping[str, Any] = field(default_factory=dict)
    in_recipe: bool = True
    least: float | None = None
    most: float | None = None
    longest: int = 200
    check: Callable[[str], object] | None = None


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """The names, input and range of a metric.

    `library`: the library or model behind it, with its version. `languages`: those it was made for;
    None for all. `tokenises`: it splits texts by itself, so of a preparation only the Unicode
    normal form reaches it. `neural`: it runs a model, so workers of the queue `gpu` compute it.
    """

    id: str
    name: str
    version: str
    unit: ScoredUnit
    range: tuple[float, float] = (0.0, 1.0)
    scale: Scale = Scale.FRACTION
    higher_is_better: bool = True
    needs: frozenset[Need] = frozenset({Need.REFS})
    parameters: tuple[Parameter, ...] = ()
    library: str = ""
    languages: frozenset[str] | None = None
    tokenises: bool = False
    neural: bool = False


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """A hypothesis with its references, and the passage and answer if the metric reads them.

    `language` is a tag; blank if it is the language of most texts, as the caller of a metric says.
    """

    hypothesis: str
    references: tuple[str, ...] = ()
    context: str = ""
    answer: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class ScoredSet:
    """The questions that one system gave for one source, and the references and passage of that
    source."""

    hypotheses: tuple[str, ...]
    references: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    language: str = ""
    context: str = ""


@dataclass(frozen=True, slots=True)
class ScoredSystem:
    """All questions of one system."""

    questions: tuple[ScoredQuestion, ...]


Item = ScoredQuestion | ScoredSet | ScoredSystem


@dataclass(frozen=True, slots=True)
class MetricResult:
    """A value, or None with the reason: undefined (there is nothing to measure) or failed (an
    error)."""

    value: float | None
    status: Status = Status.OK
    reason: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


@runtime_checkable
class Scorer(Protocol):
    """A metric: takes items of its unit and returns one result per item, for a whole batch at a
    time, so that a model starts once.

    A metric may also have `kept()`: a context in which its programs and models stay alive from
    batch to batch (`scoring.kept`).
    """

    @property
    def spec(self) -> MetricSpec: ...

    def available(self) -> tuple[bool, str]: ...

    def score(self, batch: Sequence[Any], params: Mapping[str, Any]) -> list[MetricResult]: ...


@dataclass(frozen=True, slots=True)
class Preparation:
    """The named steps that prepare hypothesis and references for a metric (see
    `preparation.STEPS`).

    Several steps are joined in one name by a plus sign, as in `nfc+nqg`, and run from left to
    right.
    """

    hypothesis: str = "raw"
    reference: str = "raw"


RAW = Preparation()
NORMAL_FORMS = ("nfc", "nfkc")
WORDS = frozenset({Need.REFS, Need.WORDS})  # what metrics need that compare words with references
ENGLISH = frozenset({"en"})
QUOTED = 60  # characters of a refused value that its message repeats


def undefined(reason: str) -> MetricResult:
    """Return the result of an item that has no value."""
    return MetricResult(None, Status.UNDEFINED, reason)


def failed(reason: str) -> MetricResult:
    """Return the result of an item whose value could not be computed."""
    return MetricResult(None, Status.FAILED, reason)


def resolved(spec: MetricSpec, params: Mapping[str, Any], language: str = "en") -> dict[str, Any]:
    """Return every parameter of a metric with its value; unknown names and values raise."""
    known = {parameter.name: parameter for parameter in spec.parameters}
    for name, value in params.items():
        if name not in known:
            raise UnknownParameter(
                f"{spec.id} has no parameter {name}; it has {', '.join(known) or 'none'}"
            )
        if refused := _refused(known[name], value):
            raise UnknownParameter(f"{spec.id}: {name} {refused}")
    tag = primary(language)
    return {
        name: params.get(name, parameter.by_language.get(tag, parameter.default))
        for name, parameter in known.items()
    }


def _refused(parameter: Parameter, value: Any) -> str:
    """Return why a parameter does not accept a value, with the values that it accepts; empty if it
    accepts it."""
    if parameter.choices:
        one_of = ", ".join(map(str, parameter.choices))
        return "" if value in parameter.choices else f"is one of {one_of}, not {shorten(value)}"
    if value == parameter.default:
        return ""
    if parameter.least is not None and parameter.most is not None:
        whole = isinstance(parameter.default, int)
        kinds = int if whole else int | float
        fits = isinstance(value, kinds) and not isinstance(value, bool)
        if fits and parameter.least <= value <= parameter.most:
            return ""
        kind = "a whole number" if whole else "a number"
        ends = f"from {parameter.least:g} to {parameter.most:g}"
        return f"is {kind} {ends}, not {shorten(value)}"
    if isinstance(parameter.default, str | tuple):
        words = (value,) if isinstance(parameter.default, str) else value
        if not isinstance(words, list | tuple) or not all(isinstance(one, str) for one in words):
            return f"is written in letters, not {shorten(value)}"
        if (characters := sum(map(len, words))) > parameter.longest:
            return f"has {characters:,} characters; at most {parameter.longest:,} are taken"
    if parameter.check is not None:
        try:
            parameter.check(value)
        except ValueError as error:
            return f"cannot be used: {error}"
    return ""


def shorten(value: object) -> str:
    """Return a value as a message quotes it: the beginning of a long one."""
    text = str(value)
    return text if len(text) <= QUOTED else f"{text[:QUOTED]}…"


def effective(spec: MetricSpec, preparation: Preparation) -> Preparation:
    """Return the preparation that a metric gets.

    One that reads capitals or has a tokeniser of its own gets the raw text, in the Unicode normal
    form that was asked.
    """
    if Need.CASED not in spec.needs and not spec.tokenises:
        return preparation
    return Preparation(_form_of(preparation.hypothesis), _form_of(preparation.reference))


def _form_of(steps: str) -> str:
    return "+".join(step for step in steps.split("+") if step in NORMAL_FORMS) or "raw"


def recipe(
    spec: MetricSpec, params: Mapping[str, Any], preparation: Preparation, language: str = "en"
) -> dict[str, Any]:
    """Return how a score is made, as plain JSON: to be stored beside it."""
    used = effective(spec, preparation)
    asked = resolved(spec, params, language)
    return {
        "id": spec.id,
        "version": spec.version,
        "library": spec.library,
        "params": {each.name: asked[each.name] for each in spec.parameters if each.in_recipe},
        "preparation": {"hypothesis": used.hypothesis, "reference": used.reference},
    }


def fingerprint(
    spec: MetricSpec, params: Mapping[str, Any], preparation: Preparation, language: str = "en"
) -> str:
    """Return the SHA-256 of the recipe: equal fingerprints and equal texts mean equal scores."""
    return _digest(recipe(spec, params, preparation, language))


def _digest(document: object) -> str:
    text = json.dumps(
        document, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False
    )
    return hashlib.sha256(text.encode("ascii")).hexdigest()
