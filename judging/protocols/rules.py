"""A protocol's rules as data, and what they compute: no database, no clock, no randomness.

There are two separate kinds of rules. A forcing rule acts while an annotator judges: one answer
decides another, which the page then locks. The rules about question sets (missing, identical, lone)
and the fatal rule act only in analysis: their values are never asked for and never stored. Imported
ratings can therefore be read in two ways, as released and by the protocol.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from types import MappingProxyType
from typing import Literal

Values = Mapping[str, float]
Applied = Literal["per_rating", "on_means"]
Others = Literal["all_remaining", "named"]
RuleReading = Literal["by_protocol", "as_released"]

NOTHING: Values = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Force:
    """When `criterion` has `value`, the criteria in `sets` take theirs; the page locks them and
    shows `explanation`."""

    key: str
    criterion: str
    value: int
    sets: Mapping[str, int]
    explanation: str


@dataclass(frozen=True, slots=True)
class Missing:
    """An expected question that was not returned takes `sets`, or the worst value of every
    criterion if that is None."""

    key: str
    sets: Mapping[str, int] | None = None
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class Identical:
    """A question equal to an earlier one of its set counts as missing; the earlier one takes
    `sets`."""

    key: str
    sets: Mapping[str, int]
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class Lone:
    """The only question left in a set of which more were expected takes `sets`."""

    key: str
    sets: Mapping[str, int]
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class Fatal:
    """In aggregates only: one of the values in `when` sets other criteria to their worst.

    Published wordings leave two things open, so both are switches: whether the rule applies to each
    rating or to the mean of a question's ratings, and whether "the others" are all remaining
    criteria or only those `named`.
    """

    key: str
    when: Mapping[str, int]
    named: tuple[str, ...]
    applied: Applied = "per_rating"
    others: Others = "all_remaining"
    explanation: str = ""

    def revises(self) -> tuple[str, ...] | None:
        """Return the criteria that may be revised, None for all."""
        return self.named if self.others == "named" else None


Rule = Force | Missing | Identical | Lone | Fatal


class RuleCycle(ValueError):
    """Forcing rules that decide each other in a circle."""

    def __init__(self, criteria: Sequence[str]) -> None:
        super().__init__("forcing rules run in a circle: " + " -> ".join(criteria))
        self.criteria = tuple(criteria)


@dataclass(frozen=True, slots=True)
class Forced:
    """A value that a rule set, the criterion that caused it, and the sentence that says why."""

    value: int
    cause: str
    explanation: str


def forced_values(rules: Iterable[Rule], values: Values) -> dict[str, Forced]:
    """Return the values that the forcing rules set for one unit, given an annotator's values so far.

    A forced value may force others. The order of the rules never matters, and forcing again changes
    nothing. If two rules disagree (a protocol may not contain such), the cause first in the alphabet
    wins.
    """
    found: dict[str, Forced] = {}
    forces = [rule for rule in rules if isinstance(rule, Force)]
    for cause in _causes_first(forces):
        value = found[cause].value if cause in found else values.get(cause)
        for rule in forces:
            if rule.criterion == cause and rule.value == value:
                for criterion, target in rule.sets.items():
                    new = Forced(target, cause, rule.explanation)
                    found[criterion] = min(found.get(criterion, new), new, key=_precedence)
    return found


def _precedence(entry: Forced) -> tuple[str, int, str]:
    return entry.cause, entry.value, entry.explanation


def _causes_first(forces: Sequence[Force]) -> tuple[str, ...]:
    causes = dict.fromkeys(rule.criterion for rule in forces)
    if causes.keys().isdisjoint(criterion for rule in forces for criterion in rule.sets):
        return tuple(causes)  # no forced value forces another
    graph = TopologicalSorter[str]()
    for rule in forces:
        for criterion in rule.sets:
            graph.add(criterion, rule.criterion)
    try:
        return tuple(graph.static_order())
    except CycleError as error:
        raise RuleCycle(error.args[1]) from None


@dataclass(frozen=True, slots=True)
class Rating:
    """One rater's values for one question; `rater` is None for values that only a rule set."""

    rater: str | None
    values: Values


@dataclass(frozen=True, slots=True)
class Slot:
    """An expected question of a set: its text, None where it was not returned, and its ratings."""

    text: str | None
    ratings: tuple[Rating, ...] = ()


@dataclass(frozen=True, slots=True)
class Settled:
    """The values that the rules about question sets give one slot, without any judgment."""

    missing: bool
    values: Values


def same_text(text: str | None) -> str:
    """Return the form in which two questions are compared: white space collapsed, case kept."""
    return " ".join((text or "").split())


def apply_slot_rules(
    texts: Sequence[str | None], rules: Iterable[Rule], worst: Values
) -> tuple[Settled, ...]:
    """Return the values that the missing, identical and lone rules set for each slot of one
    question set, in its order."""
    rules = tuple(rules)
    forms = [same_text(text) for text in texts]
    identical = [rule for rule in rules if isinstance(rule, Identical)]
    first: dict[str, int] = {}  # first place of each form; a set may have a thousand slots
    for place, form in enumerate(forms):
        first.setdefault(form, place)
    repeated = [bool(identical) and first[form] < place for place, form in enumerate(forms)]
    counts = Counter(forms)
    absent = [not form or again for form, again in zip(forms, repeated, strict=True)]
    for_missing = _merged(
        worst if rule.sets is None else rule.sets for rule in rules if isinstance(rule, Missing)
    )
    for_lone = _merged(rule.sets for rule in rules if isinstance(rule, Lone))
    is_lone = len(forms) > 1 and absent.count(False) == 1
    result = []
    for form, gone in zip(forms, absent, strict=True):
        kept = _merged(rule.sets for rule in identical) if counts[form] > 1 else {}
        result.append(
            Settled(gone, for_missing if gone else {**kept, **(for_lone if is_lone else {})})
        )
    return tuple(result)


def _merged(mappings: Iterable[Values]) -> dict[str, float]:
    return {key: value for mapping in mappings for key, value in mapping.items()}


def apply_reading(
    slots: Sequence[Slot], rules: Iterable[Rule], worst: Values, *, reading: RuleReading
) -> tuple[Slot, ...]:
    """Return one question set under a reading.

    `as_released`: questions that were not returned take the missing rule's values, ratings do not
    change. `by_protocol`: the identical and lone rules apply too, whatever the ratings.
    """
    obeyed = [rule for rule in rules if reading == "by_protocol" or isinstance(rule, Missing)]
    marks = apply_slot_rules([slot.text for slot in slots], obeyed, worst)
    return tuple(_overlaid(slot, mark) for slot, mark in zip(slots, marks, strict=True))


def _overlaid(slot: Slot, mark: Settled) -> Slot:
    if mark.missing:
        return Slot(None, (Rating(None, mark.values),))
    if not mark.values:
        return slot
    ratings = slot.ratings or (Rating(None, NOTHING),)
    return replace(
        slot, ratings=tuple(Rating(r.rater, {**r.values, **mark.values}) for r in ratings)
    )


def means(slot: Slot) -> dict[str, float]:
    """Return the mean of the ratings present, by criterion."""
    criteria = {key for rating in slot.ratings for key in rating.values}
    given = {
        key: [r.values[key] for r in slot.ratings if key in r.values] for key in sorted(criteria)
    }
    return {key: sum(values) / len(values) for key, values in given.items()}


def apply_fatal_rule(slots: Sequence[Slot], rule: Fatal, worst: Values) -> tuple[Slot, ...]:
    """Return the slots as the aggregate counts them under the fatal rule."""
    if rule.applied == "on_means":
        slots = [Slot(slot.text, (Rating(None, means(slot)),)) for slot in slots]
    return tuple(
        replace(
            slot,
            ratings=tuple(Rating(r.rater, _revised(r.values, rule, worst)) for r in slot.ratings),
        )
        for slot in slots
    )


def _revised(values: Values, rule: Fatal, worst: Values) -> Values:
    """Set the other criteria to their worst; a value that was not given stays missing, because the
    mean is of the ratings present."""
    causes = [key for key, value in rule.when.items() if values.get(key) == value]
    others = worst if rule.revises() is None else rule.named
    hit = {other for cause in causes for other in others if other != cause}
    return {key: worst[key] if key in hit else value for key, value in values.items()}


def fatal_variants(rule: Fatal) -> tuple[Fatal, ...]:
    """Return the rule with both switches in all four combinations, for the report."""
    applied: tuple[Applied, ...] = ("per_rating", "on_means")
    others: tuple[Others, ...] = ("all_remaining", "named")
    return tuple(replace(rule, applied=when, others=which) for when in applied for which in others)


def overall(slots: Iterable[Slot]) -> dict[str, float]:
    """Return the sum of the slots' means, by criterion; a slot without ratings adds nothing."""
    sums: Counter[str] = Counter()
    for slot in slots:
        sums.update(means(slot))
    return dict(sums)


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """A rating that contradicts a rule, as imported ratings may; positions count from 1."""

    rule: str
    position: int
    rater: str | None
    criterion: str
    rated: float
    expected: float


def violations(slots: Sequence[Slot], rules: Iterable[Rule]) -> tuple[BrokenRule, ...]:
    """List the ratings of returned questions that contradict a lone, identical or forcing rule."""
    found: list[BrokenRule] = []
    for rule in rules:
        marks = apply_slot_rules([slot.text for slot in slots], [rule], {})
        for position, (slot, mark) in enumerate(zip(slots, marks, strict=True), start=1):
            for rating in slot.ratings:
                found += _contradicted(rule, position, rating, mark)
    return tuple(found)


def _contradicted(rule: Rule, position: int, rating: Rating, mark: Settled) -> list[BrokenRule]:
    expected = NOTHING if mark.missing else mark.values
    if isinstance(rule, Force):
        expected = {key: entry.value for key, entry in forced_values([rule], rating.values).items()}
    given = {key: rating.values[key] for key in expected if key in rating.values}
    return [
        BrokenRule(rule.key, position, rating.rater, key, value, expected[key])
        for key, value in given.items()
        if value != expected[key]
    ]


def unequal(slots: Sequence[Slot], criterion: str) -> tuple[str | None, ...]:
    """Return the raters who gave members of one set different values on a criterion that is asked
    once per set."""
    given: dict[str | None, set[float]] = {}
    for slot in slots:
        for rating in slot.ratings:
            if criterion in rating.values:
                given.setdefault(rating.rater, set()).add(rating.values[criterion])
    return tuple(rater for rater, values in given.items() if len(values) > 1)


def quota_scores(
    levels: Sequence[float | None], quota: Mapping[int, int], *, kept: int = 1, surplus: int = 4
) -> list[int]:
    """Go through a set in its order and use up the quota of each level; a question for whose level
    none is left scores `surplus`.

    >>> quota_scores([1, 2, 3, 3, 3, 3], {1: 1, 2: 2, 3: 3})
    [1, 1, 1, 1, 1, 4]
    """
    left: dict[float | None, int] = dict(quota.items())
    scores = []
    for level in levels:
        scores.append(kept if left.get(level, 0) > 0 else surplus)
        left[level] = left.get(level, 0) - 1
    return scores


@dataclass(frozen=True, slots=True)
class TypeSpread:
    """The spread of question types in a set: distinct types per question, and how evenly they
    occur (0 to 1)."""

    share: float
    balance: float

    def reaches(self, *, share: float, balance: float) -> bool:
        """Return whether both are at least the required ones."""
        return self.share >= share and self.balance >= balance


def type_spread(types: Sequence[str]) -> TypeSpread:
    """Return the spread of question types; balance is the entropy of their counts over its greatest
    possible value.

    >>> type_spread(["who", "who", "what", "what", "where", "where"])
    TypeSpread(share=0.5, balance=1.0)
    """
    if not types:
        raise ValueError("types: a set without questions has no spread")
    counts = Counter(types).values()
    if len(counts) == 1:
        return TypeSpread(1 / len(types), float(len(types) == 1))
    entropy = -sum(n / len(types) * math.log(n / len(types)) for n in counts)
    return TypeSpread(len(counts) / len(types), round(entropy / math.log(len(counts)), 12))
