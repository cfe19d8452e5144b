"""The contract of metrics, both built-in and plug-ins: their specification, input and results."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from quaestor_metrics._languages import primary


class ScoredUnit(StrEnum):
    """The unit that gets one score.

    `PAIR`: a question with one reference; several give the best. `MULTI_REF`: a question with all
    its references at once. `SET`: the questions on one source. `SYSTEM`: all questions of a system.
    """

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
    """Whether a result has a value: `OK`; `UNDEFINED`, nothing can be measured; `FAILED`, an error."""

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
    """One setting of a metric.

    Parameters
    ----------
    name : str
        Name of the keyword.
    default : any
        Value that is used if none is given.
    about : str
        Description for a form.
    choices : tuple
        Every possible value, if they can be listed.
    by_language : mapping of str to any
        Defaults of languages that need another one, by primary tag.
    in_recipe : bool
        False if no score depends on it.
    least, most : float, optional
        Limits of a number. A metric needs both if work or memory grows with the number.
    longest : int
        Maximum number of characters of a text, or of a list of words together.
    check : callable, optional
        Raises ValueError with a sentence for a text that it refuses.
    describe : callable, optional
        Returns, as plain JSON, what a value stands for, such as the revision of a model. The recipe
        stores it.
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
    describe: Callable[[Any], Any] | None = None


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """The names, input and range of a metric.

    Parameters
    ----------
    id, name : str
        Identifier (lower case, words joined by underscores) and printed name.
    version : str
        Changes with every change of a value.
    unit : ScoredUnit
        What gets one score.
    range : tuple of float
        Smallest and largest value.
    scale : Scale
        Fraction, percent or neither.
    higher_is_better : bool
        Direction of the scale.
    needs : frozenset of Need
        Input that the metric requires.
    parameters : tuple of Parameter
        Its settings.
    library : str
        The library behind it, with its version.
    languages : frozenset of str, optional
        Languages that it was made for; None for all.
    tokenises : bool
        Whether it splits texts by itself. Of a preparation only the Unicode form then reaches it.
    neural : bool
        Whether it runs a model.

    Examples
    --------
    >>> MetricSpec(id="shared_words", name="Shared words", version="1", unit=ScoredUnit.PAIR).range
    (0.0, 1.0)
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
    """A question to score.

    Parameters
    ----------
    hypothesis : str
        The generated question.
    references : tuple of str
        Human questions on the same passage and answer.
    context, answer : str
        Passage and answer, if the metric reads them.
    language : str
        Tag; blank if it is the language that the caller of the metric names.
    """

    hypothesis: str
    references: tuple[str, ...] = ()
    context: str = ""
    answer: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class ScoredSet:
    """The questions of one system on one source.

    Parameters
    ----------
    hypotheses : tuple of str
        The generated questions, (m,).
    references : tuple of str
        The human questions on the source, (n,).
    answers : tuple of str
        The answer of each hypothesis, (m,), or none.
    language, context : str
        Tag of the language, and passage.
    """

    hypotheses: tuple[str, ...]
    references: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    language: str = ""
    context: str = ""


@dataclass(frozen=True, slots=True)
class ScoredSystem:
    """All questions of one system.

    Parameters
    ----------
    questions : tuple of ScoredQuestion
        Each with its references.
    """

    questions: tuple[ScoredQuestion, ...]


Item = ScoredQuestion | ScoredSet | ScoredSystem


@dataclass(frozen=True, slots=True)
class MetricResult:
    """The result of one item.

    Parameters
    ----------
    value : float or None
        The score.
    status : Status
        Whether there is a value.
    reason : str
        Why there is none.
    detail : mapping
        Further values, such as precision and recall.
    """

    value: float | None
    status: Status = Status.OK
    reason: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


@runtime_checkable
class Scorer(Protocol):
    """A metric: takes items of its unit and returns one result per item, for a whole batch at a
    time, so that a model starts once.

    A metric may also have `keep_running()`: a context in which its programs and models stay alive from
    batch to batch (`keep_running`).
    """

    @property
    def spec(self) -> MetricSpec: ...

    def available(self) -> tuple[bool, str]: ...

    def score(self, batch: Sequence[Any], params: Mapping[str, Any]) -> list[MetricResult]: ...


@dataclass(frozen=True, slots=True)
class Preparation:
    """The named steps that prepare hypothesis and references for a metric.

    Parameters
    ----------
    hypothesis, reference : str
        A step of `STEPS`, or several that run from left to right, joined by a plus sign: `nfc+nqg`.
    """

    hypothesis: str = "raw"
    reference: str = "raw"


RAW = Preparation()
NORMAL_FORMS = ("nfc", "nfkc")
WORDS = frozenset({Need.REFS, Need.WORDS})  # what metrics need that compare words with references
ENGLISH = frozenset({"en"})
QUOTED = 60  # characters of a refused value that its message repeats


def undefined(reason: str) -> MetricResult:
    """Return the result of an item that has no value.

    Parameters
    ----------
    reason : str
        Why there is nothing to measure.

    Returns
    -------
    MetricResult
        Without a value, with status `UNDEFINED`.

    Examples
    --------
    >>> undefined("the set has no questions").status
    <Status.UNDEFINED: 'undefined'>
    """
    return MetricResult(None, Status.UNDEFINED, reason)


def failed_result(reason: str) -> MetricResult:
    """Return the result of an item whose value could not be computed."""
    return MetricResult(None, Status.FAILED, reason)


def resolve_parameters(
    spec: MetricSpec, params: Mapping[str, Any], language: str = "en"
) -> dict[str, Any]:
    """Return every parameter of a metric with its value; unknown names and values raise."""
    parameters = {parameter.name: parameter for parameter in spec.parameters}
    for name, value in params.items():
        if name not in parameters:
            raise UnknownParameter(
                f"{spec.id} has no parameter {name}; it has {', '.join(parameters) or 'none'}"
            )
        if refused := _refused(parameters[name], value):
            raise UnknownParameter(f"{spec.id}: {name} {refused}")
    tag = primary(language)
    return {
        name: params.get(name, parameter.by_language.get(tag, parameter.default))
        for name, parameter in parameters.items()
    }


def _refused(parameter: Parameter, value: Any) -> str:
    """Return why a parameter does not accept a value, with the values that it accepts; empty if it
    accepts it."""
    if parameter.choices:
        one_of = ", ".join(map(str, parameter.choices))
        return (
            "" if value in parameter.choices else f"is one of {one_of}, not {shorten_value(value)}"
        )
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
        return f"is {kind} {ends}, not {shorten_value(value)}"
    if isinstance(parameter.default, str | tuple):
        words = (value,) if isinstance(parameter.default, str) else value
        if not isinstance(words, list | tuple) or not all(isinstance(one, str) for one in words):
            return f"is written in letters, not {shorten_value(value)}"
        if (characters := sum(map(len, words))) > parameter.longest:
            return f"has {characters:,} characters; at most {parameter.longest:,} are taken"
    if parameter.check is not None:
        try:
            parameter.check(value)
        except ValueError as error:
            return f"cannot be used: {error}"
    return ""


def shorten_value(value: object) -> str:
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
    """Return how a score is made, as plain JSON.

    Parameters
    ----------
    spec : MetricSpec
        Specification of the metric.
    params : mapping
        Settings that differ from the defaults.
    preparation : Preparation
        Steps for either side.
    language : str
        Tag of the texts' language.

    Returns
    -------
    dict
        `id`, `version`, `library`, `params`, `preparation`; `models` if the metric runs any, with
        name, revision and device of each.
    """
    used = effective(spec, preparation)
    values = resolve_parameters(spec, params, language)
    models = {one.name: one.describe(values[one.name]) for one in spec.parameters if one.describe}
    return {
        "id": spec.id,
        "version": spec.version,
        "library": spec.library,
        "params": {one.name: values[one.name] for one in spec.parameters if one.in_recipe},
        "preparation": {"hypothesis": used.hypothesis, "reference": used.reference},
        **({"models": models} if models else {}),
    }


def with_defaults(spec: MetricSpec, settings: Mapping[str, Any]) -> MetricSpec:
    """Return a specification whose defaults are the settings; unknown ones raise."""
    resolve_parameters(spec, settings)
    parameters = (
        replace(one, default=settings[one.name], by_language={}) if one.name in settings else one
        for one in spec.parameters
    )
    return replace(spec, parameters=tuple(parameters))


def recipe_fingerprint(
    spec: MetricSpec, params: Mapping[str, Any], preparation: Preparation, language: str = "en"
) -> str:
    """Return the SHA-256 of a recipe: equal fingerprints and equal texts mean equal scores."""
    document = recipe(spec, params, preparation, language)
    text = json.dumps(
        document, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False
    )
    return hashlib.sha256(text.encode("ascii")).hexdigest()
