"""The contents of a rubric: a protocol as an immutable document. docs/rubric-schema.md describes
its form as YAML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from judging.rules import Fatal, Force, Identical, Lone, Missing, Rule

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


@dataclass(frozen=True, slots=True)
class CriterionPoint:
    """One labelled value of a scale; a missing point ("cannot say") is an answer that no statistic
    counts."""

    value: int
    label: str
    description: str = ""
    missing: bool = False
    examples: tuple[str, ...] = ()


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
class StandardCriterion:
    """The quality that a criterion measures, in the terms of the field.

    kind, part and frame are those of the datasheet HEDS (4.1.1 to 4.1.3); name is the criterion's
    in the taxonomy QCET, empty if none is known to fit.
    """

    kind: StandardKind
    part: StandardPart
    frame: StandardFrame
    name: str = ""

    @property
    def in_words(self) -> str:
        """Return the properties in a few words, after the name if there is one."""
        said = f"{self.kind} of {PARTS[self.part]} {FRAMES[self.frame]}"
        return f"{self.name}, {said}" if self.name else said


@dataclass(frozen=True, slots=True)
class RubricCriterion:
    """A criterion: its question, kind of unit, scale, and stage of the page."""

    key: str
    name: str
    prompt: str
    definition: str
    points: tuple[CriterionPoint, ...]
    level: ScaleLevel
    best: Best
    stage: str
    unit: UnitKind = "question"
    asked: AskedPer = "per_unit"
    optional: bool = False
    visibility_note: str = ""
    standard: StandardCriterion | None = None
    cannot_judge: bool = False  # its last point is then `CANNOT_JUDGE`

    def values(self) -> tuple[int, ...]:
        """Return the values that count, without "cannot say"."""
        return tuple(point.value for point in self.points if not point.missing)

    @property
    def is_typed(self) -> bool:
        """Whether its value is typed in: the scale is long, and has every whole number."""
        values = [point.value for point in self.points]
        return len(values) > BUTTONS_SHOWN and values == list(range(values[0], values[-1] + 1))

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
class Stage:
    """A part of the page and what it shows besides the questions; a later stage opens only once
    this one is frozen."""

    key: str
    title: str
    shows: tuple[ShownPart, ...] = ()


@dataclass(frozen=True, slots=True)
class AskedSpan:
    """A passage part that the annotator marks for each question."""

    key: str
    prompt: str
    stage: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class WorkedItem:
    """One question rated as an example, which annotators read before their first task.

    `shows` holds the parts shown with it, by the names that stages use; `siblings` the other
    questions of its set.
    """

    question: str
    values: Mapping[str, int]
    why: Mapping[str, str]
    shows: Mapping[str, str] = field(default_factory=dict)
    siblings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Quota:
    """A computed column: questions are counted in order, and a level whose quota is used up costs
    `surplus`."""

    key: str
    criterion: str
    quota: Mapping[int, int]
    kept: int
    surplus: int
    explanation: str


@dataclass(frozen=True, slots=True)
class TypeDiversity:
    """A computed fact shown beside a criterion: enough different question types in a set, evenly
    spread."""

    key: str
    beside: str
    share: float
    balance: float
    explanation: str


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
class Aggregate:
    """A system's numbers: means over questions, or sums over every expected slot, of `criteria`
    (all if empty).

    `weights`: of criteria in the combined score; 1 if a criterion has none.
    """

    kind: AggregateKind
    combined: Combined = "none"
    criteria: tuple[str, ...] = ()
    weights: Mapping[str, int] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class ReportedAgreement:
    """A coefficient as the protocol's authors reported it."""

    statistic: ReportedStatistic
    level: ScaleLevel | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class RubricDocument:
    """A protocol: criteria, scales, stages, rules, aggregates and the words annotators read."""

    key: str
    version: str
    title: str
    summary: str
    citation: str
    language: str
    task: TaskCut
    expected: int
    annotators: int
    estimated_seconds: int
    stages: tuple[Stage, ...]
    criteria: tuple[RubricCriterion, ...]
    aggregate: Aggregate
    guideline: str
    page_size: int = 1
    # Whether annotators may report a question as broken instead of rating it
    broken_items: BrokenItems = "reported"
    rules: tuple[Rule, ...] = ()
    facts: tuple[Fact, ...] = ()
    span_mark: AskedSpan | None = None
    agreement: tuple[ReportedAgreement, ...] = ()
    quality_control: tuple[str, ...] = ()
    worked_item: WorkedItem | None = None
    translations: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def criterion(self, key: str) -> RubricCriterion:
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

    def rated_example(self) -> tuple[tuple[RubricCriterion, CriterionPoint, str], ...]:
        """Return each criterion of the worked item with its value and the reason."""
        item = self.worked_item
        if item is None:
            return ()
        rated = [each for each in self.criteria if each.key in item.values]
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


def without_criteria(rubric: RubricDocument, keys: Sequence[str]) -> RubricDocument:
    """Return the protocol for an analysis that excludes criteria.

    Rules lose their values for those criteria, and a combined aggregate that contains one of them
    is dropped.
    """
    aggregate = rubric.aggregate
    if set(keys) & set(rubric.aggregated()):
        aggregate = replace(aggregate, combined="none", criteria=(), weights={})
    return replace(
        rubric,
        criteria=tuple(each for each in rubric.criteria if each.key not in keys),
        rules=tuple(
            rule for each in rubric.rules if (rule := _rule_without(each, keys)) is not None
        ),
        facts=tuple(
            fact
            for fact in rubric.facts
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
