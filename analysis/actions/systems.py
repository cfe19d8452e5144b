"""What the systems got: means, distributions and the protocol's own aggregate, in every reading of its rules."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from analysis.frames import Material, aligned
from analysis.reports.records import Record, number, of_estimate
from analysis.stats import protocol
from analysis.stats.systems import system_distributions, system_means
from judging.formats.rubric_schema import Criterion, RubricDocument
from judging.rules import Fatal, Reading, fatal_variants

READINGS: tuple[Reading, ...] = ("by_protocol", "as_released")


def of_units(material: Material, criterion: Criterion) -> pd.DataFrame:
    """Return the slots that a criterion is about: questions, or sets as a whole."""
    slots = material.slots
    return slots[slots["position"] == 0] if criterion.unit == "set" else slots[slots["position"] > 0]


def means(material: Material) -> list[Record]:
    """Return each system's mean of question means, with an interval over sources, over the returned questions."""
    found = []
    for criterion in material.rubric.criteria:
        units = of_units(material, criterion)
        scores = aligned(units["unit"], material.human(criterion.key))
        estimates = system_means(scores, systems=units["system"].to_numpy(), sources=units["source"].to_numpy())
        found += [of_estimate(each, criterion=criterion.key, system=name) for name, each in estimates.items()]
    return found


def distributions(material: Material) -> list[Record]:
    """Return how often each system got each point of each scale."""
    found = []
    for criterion in material.rubric.criteria:
        table = material.ratings(criterion.key)
        if table.empty:
            continue
        system_of = material.slots.set_index("unit")["system"]
        labels = {point.value: point.label for point in criterion.points}
        counted = system_distributions(
            table.to_numpy(), systems=system_of.loc[table.index].to_numpy(), scale=criterion.values()
        )
        for system, each in sorted(counted.items(), key=lambda pair: str(pair[0])):
            for value, count, share in zip(each.scale, each.counts, each.shares, strict=True):
                row = {"criterion": criterion.key, "system": system, "value": int(value), "label": labels[int(value)]}
                found.append({**row, "count": int(count), "share": number(share)})
    return found


def returned(material: Material) -> list[Record]:
    """Return how many questions each system was expected to give and gave."""
    counted = material.questions.groupby("system")["text"].agg(expected="size", returned="count")
    return [
        {
            "system": name,
            "expected": int(row.expected),
            "returned": int(row.returned),
            "missing": int(row.expected - row.returned),
        }
        for name, row in counted.iterrows()
    ]


def aggregates(material: Material) -> list[Record]:
    """Return the protocol's aggregate of every system, in both readings and under every form of the fatal rule.

    Protocols without rules about missing questions have one reading; the two differ only by such rules.
    """
    arranged, worst = _study(material), material.rubric.worst()
    found: list[Record] = []
    for reading in READINGS:
        for applied, others, rule in _fatal_forms(material.rubric):
            scored = protocol.scores(arranged, material.rubric.rules, worst, reading=reading, fatal=rule)
            found += _rows(
                scored, material.rubric, {"reading": reading, "fatal_applied": applied, "fatal_others": others}
            )
    return (
        found
        if any(not _is_fatal(rule) for rule in material.rubric.rules)
        else [r for r in found if r["reading"] == READINGS[0]]
    )


def _is_fatal(rule: object) -> bool:
    return isinstance(rule, Fatal)


def _fatal_forms(rubric: RubricDocument) -> Iterator[tuple[str, str, Fatal | None]]:
    yield "", "", None
    for rule in rubric.rules:
        if isinstance(rule, Fatal):
            for form in fatal_variants(rule):
                yield form.applied, form.others, form


def _study(material: Material) -> protocol.Study:
    questions = material.questions
    keys = [each.key for each in material.rubric.criteria if each.unit == "question"]
    slots = list(
        zip(questions["system"], questions["question_set"], questions["position"], _texts(questions), strict=True)
    )
    rows = material.judgments[material.judgments["criterion"].isin(keys)].dropna(subset=["value"])
    rows = rows.merge(questions[["unit", "system", "question_set", "position"]], on="unit")
    columns = ("system", "question_set", "position", "annotator", "criterion", "value")
    return protocol.study(slots, list(zip(*(rows[column] for column in columns), strict=True)), keys)


def _texts(questions: pd.DataFrame) -> list[str | None]:
    return [None if pd.isna(text) else str(text) for text in questions["text"]]


def _rows(scored: protocol.SystemScores, rubric: RubricDocument, form: Mapping[str, str]) -> Iterator[Record]:
    sums = rubric.aggregate.kind == "sum_over_slots"
    values = scored.sums if sums else scored.means_expected
    for i, system in enumerate(scored.systems):
        for j, criterion in enumerate(scored.criteria):
            yield {
                **form,
                "system": system,
                "criterion": criterion,
                "expected": int(scored.expected[i]),
                "returned": int(scored.returned[i]),
                "unrated": int(scored.unrated[i, j]),
                "aggregate": number(values[i, j]),
                "mean_expected": number(scored.means_expected[i, j]),
                "mean_returned": number(scored.means_returned[i, j]),
            }
        if rubric.aggregate.combined != "none":
            yield {
                **form,
                "system": system,
                "criterion": "",
                "aggregate": number(_combined(values[i], scored.criteria, rubric)),
            }


def _combined(values: np.ndarray, criteria: tuple[str, ...], rubric: RubricDocument) -> float:
    chosen = [criteria.index(key) for key in rubric.aggregated() if key in criteria]
    return float(values[chosen].sum() if rubric.aggregate.combined == "sum" else values[chosen].mean())
