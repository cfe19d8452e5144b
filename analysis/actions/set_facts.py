"""What can be said of question sets without annotators, and the facts that a protocol computes beside its ratings."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pandas as pd

from analysis.frames import Material
from analysis.metrics.diversity import exact_duplicates, near_duplicates
from analysis.metrics.question_types import TYPES, question_type
from analysis.reports.records import Record, number
from judging.formats.rubric_schema import Fact, Quota
from judging.models import Campaign, System
from judging.rules import TypeSpread, quota_scores, type_spread

COLUMNS = ("question_set", "source", "system", "unit", "text", "submitted_answer", "answer")
Levels = Mapping[int, Mapping[str, float]]  # by unit and annotator


@dataclass(frozen=True)
class HeldSet:
    """One system's questions about one source, slot by slot, with the types of those that were returned."""

    source: str
    system: str
    units: tuple[int, ...]
    texts: tuple[str | None, ...]
    types: tuple[str, ...]

    @property
    def returned(self) -> list[str]:
        return [text for text in self.texts if text is not None]

    @property
    def asked(self) -> list[int]:
        """The units of the questions that were returned."""
        return [unit for unit, text in zip(self.units, self.texts, strict=True) if text is not None]

    @property
    def spread(self) -> TypeSpread | None:
        return type_spread(self.types) if self.types else None


def held_sets(material: Material) -> list[HeldSet]:
    """Return the question sets in the order of the material."""
    columns = (material.questions[name].tolist() for name in COLUMNS)
    rows = zip(*columns, strict=True)
    return [_held(list(slots)) for _, slots in groupby(rows, key=lambda row: row[0])]


def _held(slots: Sequence[tuple[Any, ...]]) -> HeldSet:
    _, sources, systems, units, texts, submitted, answers = zip(*slots, strict=True)
    given = [None if pd.isna(text) else str(text) for text in texts]
    told = [_text(own) or _text(asked) for own, asked in zip(submitted, answers, strict=True)]
    types = [question_type(text, answer) for text, answer in zip(given, told, strict=True) if text is not None]
    return HeldSet(str(sources[0]), str(systems[0]), units, tuple(given), tuple(types))


def _text(value: Any) -> str:
    return "" if pd.isna(value) else str(value)


def records(material: Material, sets: Sequence[HeldSet], references: Mapping[str, Sequence[str]]) -> list[Record]:
    """Return each system's question types, their diversity, differences of cardinality, and duplicates within sets."""
    kinds = kinds_of(material.campaign)
    return [
        {"system": system, "kind": kinds.get(system, ""), **_of_system(held, references)}
        for system, held in _by_system(sets)
    ]


def kinds_of(campaign: Campaign) -> dict[str, str]:
    """Return what each system is: a model, human, or a deliberate degradation."""
    return dict(System.objects.filter(collection=campaign.collection_id).values_list("name", "kind"))


def _by_system(sets: Iterable[HeldSet]) -> list[tuple[str, list[HeldSet]]]:
    found: dict[str, list[HeldSet]] = defaultdict(list)
    for held in sets:
        found[held.system].append(held)
    return sorted(found.items())


def _of_system(sets: Sequence[HeldSet], references: Mapping[str, Sequence[str]]) -> Record:
    spreads = [held.spread for held in sets if held.spread]
    gaps = [len(references[held.source]) - len(held.returned) for held in sets if references.get(held.source)]
    types = Counter(each for held in sets for each in held.types)
    return {
        "sets": len(sets),
        "largest": max(len(held.units) for held in sets),
        "returned": sum(len(held.returned) for held in sets),
        "type_share": _mean([spread.share for spread in spreads]),
        "type_balance": _mean([spread.balance for spread in spreads]),
        "with_references": len(gaps),
        "cardinality_difference": _mean(gaps),
        "cardinality_error": _mean([abs(gap) for gap in gaps]),
        "exact_duplicates": sum(exact_duplicates(held.returned) for held in sets),
        "near_duplicates": sum(near_duplicates(held.returned) for held in sets),
        **{f"type_{each}": types[each] for each in TYPES},
    }


def _mean(values: Sequence[float]) -> float | None:
    return number(sum(values) / len(values)) if values else None


def computed(material: Material, sets: Sequence[HeldSet]) -> list[Record]:
    """Return the protocol's computed facts, system by system, each with the mean rating that it stands beside.

    `value` of a quota is the mean score over all expected slots; of type diversity, the share of the sets that reach
    what is asked for. A fact is no rating and changes none.
    """
    found: list[Record] = []
    for fact in material.rubric.facts:
        levels = _levels(material, criterion_of(fact))
        for system, held in _by_system(sets):
            values = [value for each in held if (value := value_of(fact, each, levels)) is not None]
            rated = [mean for each in held if (mean := _rated(each, levels)) is not None]
            where = {"fact": fact.key, "kind": kind_of(fact), "criterion": criterion_of(fact), "system": system}
            counts = {"sets": len(held), "n": len(values)}
            found.append({**where, **counts, "value": _mean(values), "rated": _mean(rated), "method": fact.explanation})
    return found


def set_by_set(material: Material, sets: Sequence[HeldSet]) -> list[Record]:
    """Return every set with its types and the protocol's computed facts; nothing where the protocol has none."""
    facts = [(fact, _levels(material, criterion_of(fact))) for fact in material.rubric.facts]
    return [_shown(held) | dict(_facts(held, facts)) for held in sets] if facts else []


def _shown(held: HeldSet) -> Record:
    spread = held.spread
    return {
        "source": held.source,
        "system": held.system,
        "expected": len(held.units),
        "returned": len(held.returned),
        "types": list(held.types),
        "type_share": number(spread.share) if spread else None,
        "type_balance": number(spread.balance) if spread else None,
        "exact_duplicates": exact_duplicates(held.returned),
        "near_duplicates": near_duplicates(held.returned),
    }


def _facts(held: HeldSet, facts: Iterable[tuple[Fact, Levels]]) -> Iterator[tuple[str, float | None]]:
    for fact, levels in facts:
        yield fact.key, number(value_of(fact, held, levels))
        yield f"rated {criterion_of(fact)}", number(_rated(held, levels))


def criterion_of(fact: Fact) -> str:
    """Return the criterion that a fact is computed from, or stands beside."""
    return fact.criterion if isinstance(fact, Quota) else fact.beside


def kind_of(fact: Fact) -> str:
    return "quota" if isinstance(fact, Quota) else "type_diversity"


def value_of(fact: Fact, held: HeldSet, levels: Levels) -> float | None:
    """Return a set's mean score under a quota, or 1 or 0 as it reaches the diversity that is asked for."""
    if isinstance(fact, Quota):
        return _quota(fact, held, levels)
    return float(held.spread is not None and held.spread.reaches(share=fact.share, balance=fact.balance))


def _quota(fact: Quota, held: HeldSet, levels: Levels) -> float | None:
    """Return the mean over annotators who rated every returned question; a missing one finds no quota left."""
    raters = [set(levels.get(unit, {})) for unit in held.asked]
    walks = [
        quota_scores(
            [levels.get(unit, {}).get(rater) for unit in held.units],
            fact.quota,
            kept=fact.kept,
            surplus=fact.surplus,
        )
        for rater in (sorted(set.intersection(*raters)) if raters else [""])
    ]
    return sum(map(sum, walks)) / (len(walks) * len(held.units)) if walks else None


def _levels(material: Material, criterion: str) -> Levels:
    rows = material.judgments
    rows = rows[rows["criterion"] == criterion].dropna(subset=["value"])
    found: dict[int, dict[str, float]] = defaultdict(dict)
    for unit, annotator, value in zip(rows["unit"], rows["annotator"], rows["value"], strict=True):
        found[int(unit)][str(annotator)] = float(value)
    return found


def _rated(held: HeldSet, levels: Levels) -> float | None:
    """Return the mean of the question means."""
    means = [sum(given.values()) / len(given) for unit in held.asked if (given := levels.get(unit))]
    return sum(means) / len(means) if means else None
