"""A protocol as an immutable document, and how its parts are read.

docs/protocol-schema.md describes the YAML form. `READER` checks plain values against the types below;
an object that the product builds itself, such as an analysis without a criterion, is not checked.
"""

import re
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    GetPydanticSchema,
    PlainValidator,
    StringConstraints,
    TypeAdapter,
    model_validator,
)
from pydantic_core import PydanticCustomError

from judging.base.limits import MAX_DOCUMENT_CHARACTERS
from judging.protocols.rules import Applied, Fatal, Force, Identical, Lone, Missing, Others, Rule

TaskCut = Literal["source", "question_set", "unit"]
UnitKind = Literal["question", "set"]
AskedPer = Literal["per_unit", "once_per_set"]
ScaleLevel = Literal["nominal", "ordinal", "interval"]
Best = Literal["highest", "lowest", "none"]
ShownPart = Literal[
    "passage",
    "answer",
    "sentence",
    "target_type",
    "modality",
    "siblings",
    "submitted_answer",
    "submitted_type",
]
StandardKind = Literal["correctness", "goodness", "feature"]
StandardPart = Literal["form", "content", "both"]
StandardFrame = Literal["own", "input", "external"]
BrokenItems = Literal["reported", "refused"]
AggregateKind = Literal["mean", "sum_over_slots"]
Combined = Literal["none", "mean", "sum"]
ReportedStatistic = Literal[
    "krippendorff_alpha", "fleiss_kappa", "cohen_kappa", "pearson", "spearman", "percent_agreement"
]


BUTTONS_SHOWN = 10  # points of a scale that are shown side by side
LOWEST_VALUE, HIGHEST_VALUE = -32_768, 32_767  # as the database holds them
MAX_NUMBER = 999_999_999
Dataset = TypeVar("Dataset", bound=Sized)
NUMBER = re.compile(r"[+-]?\d{1,9}")
DECIMAL = re.compile(r"[+-]?\d{1,9}(\.\d{1,9})?")


def _whole(least: int = -MAX_NUMBER, most: int = MAX_NUMBER) -> PlainValidator:
    """Return the reader of a whole number within bounds."""
    bounds = f" from {least}" if least > -MAX_NUMBER else ""
    bounds += f" to {most}" if most < MAX_NUMBER else ""
    refusal = PydanticCustomError(
        "whole_number", "must be {wanted}", {"wanted": f"a whole number{bounds}", "least": least}
    )

    def read(value: object) -> int:
        if isinstance(value, bool) or not NUMBER.fullmatch(str(value)):
            raise refusal
        if not least <= int(str(value)) <= most:
            raise refusal
        return int(str(value))

    return PlainValidator(read)


def _read_flag(value: object) -> bool:
    if str(value).lower() not in ("true", "false"):
        raise PydanticCustomError("flag", "must be true or false")
    return str(value).lower() == "true"


def _read_share(value: object) -> float:
    if not DECIMAL.fullmatch(str(value)) or not 0 <= float(str(value)) <= 1:
        raise PydanticCustomError("share", "must be {wanted}", {"wanted": "a number from 0 to 1"})
    return float(str(value))


def _text(least: int = 1, most: int = MAX_DOCUMENT_CHARACTERS) -> StringConstraints:
    return StringConstraints(strip_whitespace=True, min_length=least, max_length=most)


def _matching(pattern: str, reason: str) -> AfterValidator:
    """Return the check that a text has a form, whose refusal gives the reason."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise PydanticCustomError("form", "{reason}", {"reason": reason})
        return text

    return AfterValidator(check)


def _filled(items: Dataset) -> Dataset:
    if not items:
        raise PydanticCustomError("empty", "is empty; give one or more")
    return items


Text = Annotated[str, _text()]
OptionalText = Annotated[str, _text(least=0)]
Line = Annotated[str, _text(most=200)]
Key = Annotated[
    str,
    _text(most=60),
    _matching(
        r"[A-Za-z][A-Za-z0-9_-]*",
        "must begin with a letter and hold letters, digits, _ and - only",
    ),
]
Version = Annotated[
    str,
    _text(most=20),
    _matching(
        r"[A-Za-z0-9][A-Za-z0-9._+-]*",
        "must begin with a letter or digit and hold letters, digits, . _ + - only",
    ),
]
Flag = Annotated[bool, PlainValidator(_read_flag)]
Share = Annotated[float, PlainValidator(_read_share)]
Count = Annotated[int, _whole(0, 100_000)]
ScaleValue = Annotated[int, _whole(LOWEST_VALUE, HIGHEST_VALUE)]
AnyNumber = Annotated[int, _whole()]
Values = Annotated[Mapping[str, ScaleValue], AfterValidator(_filled)]  # of criteria
Shown = Annotated[
    tuple[ShownPart, ...],
    AfterValidator(lambda shows: tuple(part for part in get_args(ShownPart) if part in shows)),
]


def _written(keys: Any) -> GetPydanticSchema:
    """Return the annotation of a value that a document writes with other keys."""
    return GetPydanticSchema(lambda _source, handler: handler(keys))


def _with_key(written: Any) -> Any:
    """Give a rule or fact without a key the name of its kind."""
    has_kind = isinstance(written, dict) and "kind" in written
    return {"key": written["kind"], **written} if has_kind else written


WITH_KEY = BeforeValidator(_with_key)


def _misplaced(reason: str, *place: str) -> PydanticCustomError:
    """Return the refusal of a value inside the part that is being read."""
    return PydanticCustomError("misplaced", "{reason}", {"reason": reason, "place": place})


@dataclass(frozen=True, slots=True)
class ProtocolPart:
    """A part of a protocol; a document may not give it unknown keys."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class CriterionPoint(ProtocolPart):
    """One labelled value of a scale; a missing point ("cannot say") is an answer that no statistic
    counts."""

    value: ScaleValue
    label: Annotated[str, _text(most=300)]
    description: OptionalText = ""
    missing: Flag = False
    examples: tuple[Text, ...] = ()


# The point that a criterion with the flag `cannot_judge` has in addition to its scale
CANNOT_JUDGE = CriterionPoint(-99, "Cannot judge", missing=True)
CANNOT_JUDGE_LABELS: Mapping[str, str] = {"en": "Cannot judge", "de": "Kann ich nicht beurteilen"}


PARTS: Mapping[StandardPart, str] = {
    "form": "form",
    "content": "content",
    "both": "form and content",
}
FRAMES: Mapping[StandardFrame, str] = {
    "own": "in its own right",
    "input": "relative to the input",
    "external": "relative to something outside of the system",
}


@dataclass(frozen=True, slots=True)
class StandardCriterion(ProtocolPart):
    """The quality that a criterion measures, in the terms of the field.

    kind, part and frame are those of the datasheet HEDS (4.1.1 to 4.1.3); name is the criterion's
    in the taxonomy QCET, empty if none is known to fit.
    """

    kind: StandardKind
    part: StandardPart
    frame: StandardFrame
    name: Annotated[str, _text(least=0, most=100)] = ""

    @property
    def in_words(self) -> str:
        """Return the properties in a few words, after the name if there is one."""
        properties = f"{self.kind} of {PARTS[self.part]} {FRAMES[self.frame]}"
        return f"{self.name}, {properties}" if self.name else properties


@dataclass(frozen=True, slots=True)
class ProtocolCriterion(ProtocolPart):
    """A criterion: its question, kind of unit, scale, and stage of the page."""

    key: Key
    name: Annotated[str, _text(most=100)]
    prompt: Text
    definition: Text
    points: tuple[CriterionPoint, ...]
    level: ScaleLevel
    best: Best
    stage: Key
    unit: UnitKind = "question"
    asked: AskedPer = "per_unit"
    optional: Flag = False
    visibility_note: Annotated[str, _text(least=0, most=200)] = ""
    standard: StandardCriterion | None = None
    cannot_judge: Flag = False  # its last point is then `CANNOT_JUDGE`

    def values(self) -> tuple[int, ...]:
        """Return the values that count, without "cannot say"."""
        return tuple(point.value for point in self.points if not point.missing)

    @property
    def has_every_number(self) -> bool:
        """Whether the scale has every whole number between its ends."""
        values = [point.value for point in self.points]
        return values == list(range(values[0], values[-1] + 1))

    @property
    def shown_scale(self) -> str:
        """The values of the scale in words, such as 1–3."""
        values = [str(point.value) for point in self.points]
        return f"{values[0]}–{values[-1]}" if self.has_every_number else ", ".join(values)

    @property
    def is_typed(self) -> bool:
        """Whether its value is typed in: the scale is long, and has every whole number."""
        return len(self.points) > BUTTONS_SHOWN and self.has_every_number

    @property
    def is_averaged(self) -> bool:
        """Whether its values may be averaged and tested.

        Without a better end only those of an interval scale may: the mean of "1 clearly, 2 somewhat,
        4 undecidable" is meaningless.
        """
        return self.best != "none" or self.level == "interval"

    def worst(self) -> int | None:
        """Return the worst value, None if no end is best."""
        if self.best == "none":
            return None
        return max(self.values()) if self.best == "lowest" else min(self.values())


@dataclass(frozen=True, slots=True)
class WrittenScale(ProtocolPart):
    """All whole numbers between two ends, of which at least the ends have labels."""

    from_: Annotated[ScaleValue, Field(alias="from")]
    to: ScaleValue
    labels: Mapping[str, Text] = field(default_factory=dict)

    def points(self) -> tuple[CriterionPoint, ...]:
        """Return the points of the scale."""
        values = range(self.from_, self.to + 1)
        return tuple(CriterionPoint(value, self.labels.get(str(value), "")) for value in values)

    @model_validator(mode="after")
    def _check_labels(self) -> Self:
        if self.to <= self.from_:
            raise _misplaced(f"must be above {self.from_}", "to")
        for end in (self.from_, self.to):
            if str(end) not in self.labels:
                raise _misplaced(f"{end} is an end of the scale and needs a label", "labels")
        for value in self.labels.keys() - {str(point.value) for point in self.points()}:
            raise _misplaced("is not on the scale", "labels", value)
        return self


@dataclass(frozen=True, slots=True)
class WrittenCriterion(ProtocolCriterion):
    """A criterion as a document writes it: a scale by its ends, by its points, or by both."""

    scale: WrittenScale | None = None

    @model_validator(mode="before")
    @classmethod
    def _allow_scale_alone(cls, written: Any) -> Any:
        has_scale = isinstance(written, dict) and "scale" in written
        return {"points": [], **written} if has_scale else written

    def criterion(self) -> ProtocolCriterion:
        """Return the criterion with all its points."""
        points = (*(self.scale.points() if self.scale else ()), *self.points)
        points = (*points, CANNOT_JUDGE) if self.cannot_judge else points
        values = {field.name: getattr(self, field.name) for field in fields(ProtocolCriterion)}
        return ProtocolCriterion(**values | {"points": points})


ReadCriterion = Annotated[WrittenCriterion, AfterValidator(WrittenCriterion.criterion)]


@dataclass(frozen=True, slots=True)
class Stage(ProtocolPart):
    """A part of the page and what it shows besides the questions; a later stage opens only once
    this one is frozen."""

    key: Key
    title: Line
    shows: Shown = ()


@dataclass(frozen=True, slots=True)
class AskedSpan(ProtocolPart):
    """A passage part that the annotator marks for each question."""

    key: Key
    prompt: Text
    stage: Key
    optional: Flag = False


@dataclass(frozen=True, slots=True)
class WorkedItem(ProtocolPart):
    """One question rated as an example, which annotators read before their first task.

    `shows` holds the parts shown with it, by the names that stages use; `siblings` the other
    questions of its set.
    """

    question: Text
    values: Values
    why: Mapping[str, Text] = field(default_factory=dict)
    shows: Mapping[str, Text] = field(default_factory=dict)
    siblings: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Quota(ProtocolPart):
    """A computed column: questions are counted in order, and a level whose quota is used up costs
    `surplus`."""

    key: Key
    criterion: Key
    quota: Annotated[Mapping[AnyNumber, AnyNumber], AfterValidator(_filled)]
    kept: Count
    surplus: Count
    explanation: Text
    kind: Literal["quota"] = "quota"


@dataclass(frozen=True, slots=True)
class TypeDiversity(ProtocolPart):
    """A computed fact shown beside a criterion: enough different question types in a set, evenly
    spread."""

    key: Key
    beside: Key
    share: Share
    balance: Share
    explanation: Text
    kind: Literal["type_diversity"] = "type_diversity"


Fact = Quota | TypeDiversity

RULE_KINDS: Mapping[str, type[Rule]] = {
    "force": Force,
    "missing": Missing,
    "identical": Identical,
    "lone": Lone,
    "fatal": Fatal,
}
FACT_KINDS: Mapping[str, type[Fact]] = {"quota": Quota, "type_diversity": TypeDiversity}


@dataclass(frozen=True, slots=True)
class WrittenForce(ProtocolPart):
    """A forcing rule as a document writes it."""

    kind: Literal["force"]
    key: Key
    criterion: Key
    value: ScaleValue
    sets: Values
    explanation: Annotated[str, _text(most=500)]


@dataclass(frozen=True, slots=True)
class WrittenMissing(ProtocolPart):
    """A rule about questions that were not returned as a document writes it."""

    kind: Literal["missing"]
    key: Key
    sets: Values | None = None
    explanation: OptionalText = ""


@dataclass(frozen=True, slots=True)
class WrittenSetRule(ProtocolPart):
    """A rule about identical or lone questions as a document writes it."""

    kind: Literal["identical", "lone"]
    key: Key
    sets: Values
    explanation: OptionalText = ""


@dataclass(frozen=True, slots=True)
class WrittenFatal(ProtocolPart):
    """A fatal rule as a document writes it."""

    kind: Literal["fatal"]
    key: Key
    when: Values
    named: tuple[Text, ...] = ()
    applied: Applied = "per_rating"
    others: Others = "all_remaining"
    explanation: OptionalText = ""


WrittenRule = WrittenForce | WrittenMissing | WrittenSetRule | WrittenFatal


def _as_rule(written: WrittenRule) -> Rule:
    values = {field.name: getattr(written, field.name) for field in fields(written)}
    return RULE_KINDS[values.pop("kind")](**values)


ReadRule = Annotated[WrittenRule, Field(discriminator="kind"), WITH_KEY, AfterValidator(_as_rule)]


@dataclass(frozen=True, slots=True)
class Aggregate(ProtocolPart):
    """A system's numbers: means over questions, or sums over every expected slot, of `criteria`
    (all if empty).

    `weights`: of criteria in the combined score; 1 if a criterion has none.
    """

    kind: AggregateKind
    combined: Combined = "none"
    criteria: tuple[Text, ...] = ()
    weights: Mapping[str, Annotated[int, _whole(1)]] = field(default_factory=dict)
    note: OptionalText = ""


@dataclass(frozen=True, slots=True)
class ReportedAgreement(ProtocolPart):
    """A coefficient as the protocol's authors reported it."""

    statistic: ReportedStatistic
    level: ScaleLevel | None = None
    note: OptionalText = ""


@dataclass(frozen=True, slots=True)
class ProtocolDocument(ProtocolPart):
    """A protocol: criteria, scales, stages, rules, aggregates and the words annotators read."""

    key: Key
    version: Version
    title: Line
    summary: Text
    citation: Text
    language: Annotated[str, _text(most=20)]
    task: TaskCut
    expected: Annotated[int, _whole(1, 1000)]
    annotators: Annotated[int, _whole(1, 1000)]
    estimated_seconds: Annotated[int, _whole(1, 100_000)]
    stages: Annotated[tuple[Stage, ...], AfterValidator(_filled)]
    criteria: Annotated[
        tuple[Annotated[ProtocolCriterion, _written(ReadCriterion)], ...],
        AfterValidator(_filled),
    ]
    aggregate: Aggregate
    guideline: Text
    page_size: Annotated[int, _whole(1, 100)] = 1
    # Whether annotators may report a question as broken instead of rating it
    broken_items: BrokenItems = "reported"
    rules: tuple[Annotated[Rule, _written(ReadRule)], ...] = ()
    facts: tuple[Annotated[Fact, Field(discriminator="kind"), WITH_KEY], ...] = ()
    span_mark: AskedSpan | None = None
    agreement: tuple[ReportedAgreement, ...] = ()
    quality_control: tuple[Text, ...] = ()
    worked_item: WorkedItem | None = None
    translations: Mapping[str, Mapping[str, Text]] = field(default_factory=dict)

    def criterion(self, key: str) -> ProtocolCriterion:
        """Return the criterion of that key, or raise KeyError."""
        return {criterion.key: criterion for criterion in self.criteria}[key]

    def stage(self, key: str) -> Stage:
        """Return the stage of that key, or raise KeyError."""
        return {stage.key: stage for stage in self.stages}[key]

    def worst(self) -> dict[str, int]:
        """Return the worst value of each question criterion that has one."""
        found = {c.key: c.worst() for c in self.criteria if c.unit == "question"}
        return {key: value for key, value in found.items() if value is not None}

    def aggregated(self) -> tuple[str, ...]:
        """Return the criteria that enter sums and means: those named, else every one with a best
        end."""
        return self.aggregate.criteria or tuple(c.key for c in self.criteria if c.best != "none")

    def combined_weights(self) -> dict[str, int]:
        """Return the weight in the combined score of each criterion that enters it."""
        return {key: self.aggregate.weights.get(key, 1) for key in self.aggregated()}

    def rated_example(self) -> tuple[tuple[ProtocolCriterion, CriterionPoint, str], ...]:
        """Return each criterion of the worked item with its value and the reason."""
        item = self.worked_item
        if item is None:
            return ()
        rated = [criterion for criterion in self.criteria if criterion.key in item.values]
        points = [
            next(point for point in each.points if point.value == item.values[each.key])
            for each in rated
        ]
        return tuple(
            (each, point, item.why[each.key]) for each, point in zip(rated, points, strict=True)
        )

    def languages(self) -> tuple[str, ...]:
        """Return the languages annotators can read it in, its own first."""
        return (self.language, *sorted(self.translations))


def _with_defaults(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Give a document the values of keys that need not be written although each protocol has them."""
    return {"language": "en", "expected": 1, **plain}


READER = TypeAdapter(Annotated[ProtocolDocument, BeforeValidator(_with_defaults)])


def without_criteria(protocol: ProtocolDocument, keys: Sequence[str]) -> ProtocolDocument:
    """Return the protocol for an analysis that excludes criteria.

    Rules lose their values for those criteria, and a combined aggregate that contains one of them
    is dropped.
    """
    aggregate = protocol.aggregate
    if set(keys) & set(protocol.aggregated()):
        aggregate = replace(aggregate, combined="none", criteria=(), weights={})
    return replace(
        protocol,
        criteria=tuple(criterion for criterion in protocol.criteria if criterion.key not in keys),
        rules=tuple(
            rule for each in protocol.rules if (rule := _rule_without(each, keys)) is not None
        ),
        facts=tuple(
            fact
            for fact in protocol.facts
            if (fact.criterion if isinstance(fact, Quota) else fact.beside) not in keys
        ),
        aggregate=aggregate,
    )


def _rule_without(rule: Rule, keys: Sequence[str]) -> Rule | None:
    if isinstance(rule, Force):
        return None if rule.criterion in keys or set(rule.sets) & set(keys) else rule
    if isinstance(rule, Fatal):
        when = {key: value for key, value in rule.when.items() if key not in keys}
        named = tuple(key for key in rule.named if key not in keys)
        return replace(rule, when=when, named=named) if when else None
    if rule.sets is None:
        return rule
    return replace(rule, sets={key: value for key, value in rule.sets.items() if key not in keys})
