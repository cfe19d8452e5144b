"""Checks between the parts of a protocol; each problem is a place and a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from judging.protocols.protocol_schema import ProtocolCriterion, ProtocolDocument, Quota, WorkedItem
from judging.protocols.rules import (
    Fatal,
    Force,
    Identical,
    Lone,
    Missing,
    Rule,
    RuleCycle,
    forced_values,
)

KeyedProblem = tuple[str, str]
TAG = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_WORD = re.compile(r"\w+")
_WHOLE = ("overall", "general", "total")


def find_protocol_problems(protocol: ProtocolDocument) -> Iterator[KeyedProblem]:
    """Yield every problem between the parts; each part by itself must have passed its checks."""
    yield from _stages(protocol)
    yield from _criteria(protocol)
    yield from _repeated("rules", [rule.key for rule in protocol.rules])
    yield from _repeated("facts", [fact.key for fact in protocol.facts])
    for index, rule in enumerate(protocol.rules):
        yield from _rule(protocol, rule, f"rules[{index}]")
    yield from _rules_together(protocol)
    yield from _facts(protocol)
    yield from _aggregate(protocol)
    if protocol.worked_item:
        yield from _worked_item(protocol, protocol.worked_item)


def asks_overall(text: str) -> bool:
    """Return whether a name or key asks for quality as a whole, checked word by word without
    backtracking patterns.

    >>> asks_overall("Overall quality"), asks_overall("Quality of grammar")
    (True, False)
    """
    words = _WORD.findall(text.casefold())
    if "quality" not in words:
        return False
    first, last = words.index("quality"), len(words) - 1 - words[::-1].index("quality")
    before, behind = words[:last], words[first + 1 :]
    return words == ["quality"] or "overall" in behind or any(word in before for word in _WHOLE)


def find_protocol_warnings(protocol: ProtocolDocument) -> Iterator[KeyedProblem]:
    """Yield warnings about valid but unwise parts."""
    for index, criterion in enumerate(protocol.criteria):
        if asks_overall(criterion.name) or asks_overall(criterion.key):
            yield (
                f"criteria[{index}].name",
                f"“{criterion.name}” asks for overall quality: annotators weigh its parts differently and "
                "unseen, so its scores can neither be explained nor compared between studies; ask for "
                "each quality by itself",
            )
        if criterion.standard is None:
            yield (
                f"criteria[{index}].standard",
                f"“{criterion.name}” is not named in standard terms: say which kind of quality it is, of which part "
                "and judged against what, so that others can tell which of their criteria it is",
            )


def _repeated(place: str, keys: Sequence[object], name: str = "key") -> Iterator[KeyedProblem]:
    for index, key in enumerate(keys):
        if key in keys[:index]:
            yield f"{place}[{index}].{name}", f"{key} is given twice"


def _stages(protocol: ProtocolDocument) -> Iterator[KeyedProblem]:
    yield from _repeated("stages", [stage.key for stage in protocol.stages])
    used = {c.stage for c in protocol.criteria} | (
        {protocol.span_mark.stage} if protocol.span_mark else set()
    )
    for index, stage in enumerate(protocol.stages):
        if stage.key not in used:
            yield f"stages[{index}]", "nothing is judged in this stage"
    if protocol.span_mark and protocol.span_mark.stage not in {
        stage.key for stage in protocol.stages
    }:
        yield "span_mark.stage", f"there is no stage {protocol.span_mark.stage}"
    if protocol.page_size > 1 and protocol.task != "unit":
        yield "page_size", "only single questions (task: unit) come several to a page"


def _criteria(protocol: ProtocolDocument) -> Iterator[KeyedProblem]:
    yield from _repeated("criteria", [criterion.key for criterion in protocol.criteria])
    stages = {stage.key for stage in protocol.stages}
    for index, criterion in enumerate(protocol.criteria):
        place = f"criteria[{index}]"
        if criterion.stage not in stages:
            yield f"{place}.stage", f"there is no stage {criterion.stage}"
        if criterion.asked == "once_per_set" and (criterion.unit == "set" or protocol.expected < 2):
            yield (
                f"{place}.asked",
                "once_per_set is for questions of sets of which two or more are expected",
            )
        yield from _scale(criterion, place)


def _scale(criterion: ProtocolCriterion, place: str) -> Iterator[KeyedProblem]:
    yield from _repeated(f"{place}.points", [point.value for point in criterion.points], "value")
    if len(set(criterion.values())) < 2:
        yield f"{place}.points", "a scale needs two values or more, not counting missing ones"


def _rule(protocol: ProtocolDocument, rule: Rule, place: str) -> Iterator[KeyedProblem]:
    if isinstance(rule, Force):
        yield from _named(
            protocol, {rule.criterion: rule.value}, f"{place}.criterion", inside=False
        )
        yield from _named(protocol, rule.sets, f"{place}.sets")
        yield from _reach(protocol, rule, place)
    elif isinstance(rule, Fatal):
        yield from _named(protocol, rule.when, f"{place}.when")
        yield from _fatal_others(protocol, rule, place)
    else:
        yield from _named(protocol, rule.sets or {}, f"{place}.sets")
        yield from _set_rule(protocol, rule, place)


def _named(
    protocol: ProtocolDocument, values: Mapping[str, int], place: str, *, inside: bool = True
) -> Iterator[KeyedProblem]:
    known = {criterion.key: criterion for criterion in protocol.criteria}
    for key, value in values.items():
        where = f"{place}.{key}" if inside else place
        if key not in known:
            yield where, f"there is no criterion {key}"
        elif value not in {point.value for point in known[key].points}:
            yield where, f"{value} is not on the scale of {key}"


def _reach(protocol: ProtocolDocument, rule: Force, place: str) -> Iterator[KeyedProblem]:
    """A cause and the criterion it sets must be about one unit, the cause not in a later stage."""
    known = {criterion.key: criterion for criterion in protocol.criteria}
    order = [stage.key for stage in protocol.stages]
    cause = known.get(rule.criterion)
    for target in (known[key] for key in rule.sets if key in known):
        if cause and (cause.unit, cause.asked) != (target.unit, target.asked):
            yield (
                f"{place}.sets.{target.key}",
                f"{rule.criterion} and {target.key} are not judged of the same unit",
            )
        if cause and cause.stage in order and target.stage in order[: order.index(cause.stage)]:
            yield (
                f"{place}.sets.{target.key}",
                f"{target.key} is set in a stage before {rule.criterion}",
            )


def _fatal_others(protocol: ProtocolDocument, rule: Fatal, place: str) -> Iterator[KeyedProblem]:
    worst = protocol.worst()
    for index, key in enumerate(rule.named):
        if key not in worst:
            yield (
                f"{place}.named[{index}]",
                f"there is no criterion {key} of questions with a worst value",
            )
    if not rule.named:
        yield (
            f"{place}.named",
            "name the criteria that the narrow reading of the fatal rule revises",
        )


def _set_rule(
    protocol: ProtocolDocument, rule: Missing | Identical | Lone, place: str
) -> Iterator[KeyedProblem]:
    if isinstance(rule, Missing):
        given = protocol.worst() if rule.sets is None else rule.sets
        for criterion in protocol.criteria:
            if (
                criterion.unit == "question"
                and not criterion.optional
                and criterion.key not in given
            ):
                yield f"{place}.sets", f"say what a missing question gets on {criterion.key}"
    elif protocol.expected < 2:
        yield place, "this rule is about sets of which two or more questions are expected"


def _rules_together(protocol: ProtocolDocument) -> Iterator[KeyedProblem]:
    for kind in (Missing, Identical, Lone, Fatal):
        places = [index for index, rule in enumerate(protocol.rules) if isinstance(rule, kind)]
        for index in places[1:]:
            yield f"rules[{index}]", f"a protocol has at most one {kind.__name__.lower()} rule"
    forces = [(index, rule) for index, rule in enumerate(protocol.rules) if isinstance(rule, Force)]
    yield from _disagreements(forces)
    try:
        forced_values(protocol.rules, {})
    except RuleCycle as cycle:
        index = next(
            i
            for i, rule in forces
            if rule.criterion in cycle.criteria and set(rule.sets) & set(cycle.criteria)
        )
        yield f"rules[{index}]", str(cycle)


def _disagreements(forces: Sequence[tuple[int, Force]]) -> Iterator[KeyedProblem]:
    """Yield pairs of rules that set one criterion differently although both can apply together."""
    for place, (index, rule) in enumerate(forces):
        for _, earlier in forces[:place]:
            apart = rule.criterion == earlier.criterion and rule.value != earlier.value
            for key in rule.sets.keys() & earlier.sets.keys():
                if not apart and rule.sets[key] != earlier.sets[key]:
                    yield (
                        f"rules[{index}].sets.{key}",
                        f"rule {earlier.key} sets {key} to {earlier.sets[key]}",
                    )


def _facts(protocol: ProtocolDocument) -> Iterator[KeyedProblem]:
    known = {criterion.key: criterion for criterion in protocol.criteria}
    for index, fact in enumerate(protocol.facts):
        place = f"facts[{index}]"
        if isinstance(fact, Quota):
            for level in fact.quota:
                yield from _named(
                    protocol, {fact.criterion: level}, f"{place}.criterion", inside=False
                )
        elif fact.beside not in known:
            yield f"{place}.beside", f"there is no criterion {fact.beside}"


def _aggregate(protocol: ProtocolDocument) -> Iterator[KeyedProblem]:
    known = {criterion.key: criterion for criterion in protocol.criteria}
    for index, key in enumerate(protocol.aggregate.criteria):
        if key not in known:
            yield f"aggregate.criteria[{index}]", f"there is no criterion {key}"
        elif known[key].best == "none":
            yield (
                f"aggregate.criteria[{index}]",
                f"{key} has no best end, so a mean of it says nothing of quality",
            )
        elif known[key].unit == "set" and protocol.aggregate.combined != "none":
            yield (
                f"aggregate.criteria[{index}]",
                f"{key} is judged of whole sets; only what questions get is combined",
            )
    if protocol.aggregate.combined != "none" and not protocol.worst():
        yield (
            "aggregate.combined",
            "no criterion of questions has a best end, so there is nothing to combine",
        )
    ends = {
        criterion.best for criterion in protocol.criteria if criterion.key in protocol.aggregated()
    }
    if protocol.aggregate.combined != "none" and len(ends) > 1:
        yield "aggregate.combined", "criteria whose best ends differ cannot be added up"
    yield from _weights(protocol)


def _weights(protocol: ProtocolDocument) -> Iterator[KeyedProblem]:
    if protocol.aggregate.weights and protocol.aggregate.combined == "none":
        yield "aggregate.weights", "there is no combined score; combine the criteria to weigh them"
        return
    for key in protocol.aggregate.weights:
        if key not in protocol.aggregated():
            yield (
                f"aggregate.weights.{key}",
                f"{key} does not enter the combined score; add it to the criteria or drop its weight",
            )


def _worked_item(protocol: ProtocolDocument, item: WorkedItem) -> Iterator[KeyedProblem]:
    """Yield problems of the worked item: it must rate every criterion, give reasons, obey the
    rules, and show nothing that annotators will not see."""
    yield from _named(protocol, item.values, "worked_item.values")
    for criterion in protocol.criteria:
        if criterion.key not in item.values and not criterion.optional:
            yield "worked_item.values", f"{criterion.key} has no value"
    for key in item.values.keys() ^ item.why.keys():
        missing = "has a value and no reason" if key in item.values else "has a reason and no value"
        yield f"worked_item.why.{key}", f"{key} {missing}"
    yield from _against_rules(protocol, item)
    shown = {name for stage in protocol.stages for name in stage.shows}
    for name in item.shows:
        if name == "siblings" or name not in shown:
            yield f"worked_item.shows.{name}", f"no stage shows {name}"
    if item.siblings and "siblings" not in shown:
        yield "worked_item.siblings", "no stage shows siblings"


def _against_rules(protocol: ProtocolDocument, item: WorkedItem) -> Iterator[KeyedProblem]:
    try:
        settled_by_rules = forced_values(protocol.rules, item.values)
    except RuleCycle:
        return  # reported with the rules
    for key, settled in settled_by_rules.items():
        if item.values.get(key) != settled.value:
            yield f"worked_item.values.{key}", f"a rule sets {key} to {settled.value} here"


def translation_problems(
    protocol: ProtocolDocument, strings: Mapping[str, str]
) -> Iterator[KeyedProblem]:
    """Yield problems of the translations, given the texts to translate."""
    for language, words in protocol.translations.items():
        if not TAG.fullmatch(language) or language == protocol.language:
            yield (
                f"translations.{language}",
                "must be the tag of another language, such as de or pt-BR",
            )
        for place in words:
            if place not in strings:
                yield f"translations.{language}.{place}", "there is no such text to translate"
