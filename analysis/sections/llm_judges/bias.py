"""Details behind the verdict on an LLM judge: bias towards systems, use of the scale, correlation
with human ratings at each level."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from analysis import frames
from analysis.frames import Material
from analysis.reports.cells import difference_cell, estimate_cell
from analysis.reports.layout import Cell, PageTable
from analysis.reports.numerals import coefficient, with_interval
from analysis.reports.rows import Record, TestedResult, row_field, table_row
from analysis.reports.table_engine import MISSING, Pivot, ReportTable, draw
from analysis.sections.llm_judges.alternative_annotator_test import level_for
from analysis.sections.llm_judges.judge_descriptions import (
    Judged,
    JudgeDescriptions,
    judged_criteria,
    mean_of_people,
)
from analysis.sections.metrics.correlations import LEVELS, MEASURES
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.base.long_texts import shortened
from judging.base.percentages import percent
from quaestor_stats._associations import Association, against_people
from quaestor_stats._design import Design, facets
from quaestor_stats._inputs import BoolArray, FloatArray, Labels, orient_scores
from quaestor_stats._llm_judges import bias_by_system
from quaestor_stats._result import Result

SHOWN = ("spearman", "pairwise_accuracy", "soft_pairwise_accuracy")
# Characters of all reasons in a table, which repeats that of a row of answers for each criterion
REASONS = 20_000_000
SHORTEST_REASON = 200  # of a long one, however many there are


@table_row
class JudgeBiasRow:
    """Bias of one judge towards one system: how much higher than annotators it rates the system,
    compared with the other systems."""

    criterion: str = row_field("key of the criterion")
    judge: str = row_field("name of the judge")
    system: str = row_field("name of the system")
    own_family: bool = row_field(
        "whether the system is of the judge's own model family; for a jury, of every judge's"
    )
    bias: Result = row_field(
        "mean of judge minus annotators on the system's items, minus the same on all other items, "
        "sign-aligned so that above 0 the judge favours the system more than annotators do"
    )


@table_row
class JudgeUseRow:
    """Use of one point of a scale by one judge, and by annotators."""

    criterion: str = row_field("key of the criterion")
    judge: str = row_field("name of the judge")
    value: int = row_field("the point")
    label: str = row_field("its label")
    count: int = row_field("times the judge gave it")
    share: float = row_field("its share of the judge's values")
    people_share: float = row_field("its share of the annotators' values on the same items")


@table_row
class JudgeLevelRow:
    """Correlation of one judge with the mean human ratings at one level by one measure."""

    criterion: str = row_field("key of the criterion")
    judge: str = row_field("name of the judge")
    level: str = row_field("pooled, within_source or systems")
    measure: str = row_field(
        "pearson, spearman, kendall, kendall_c, pairwise_accuracy or soft_pairwise_accuracy"
    )
    baseline: float = row_field(
        "share of pairs tied in the human ratings, which is the accuracy of tying every pair"
    )
    estimate: TestedResult = row_field(
        "the measure with its interval and test, over the declared design"
    )


@table_row
class JudgedItemRow:
    """One value of one judge and the mean human rating, with the judge's reason."""

    criterion: str = row_field("key of the criterion")
    judge: str = row_field("name of the judge")
    source: str = row_field("key of the source")
    system: str = row_field("name of the system")
    position: int = row_field("slot of the question in its set; 0 for the set as a whole")
    question: str = row_field("its text")
    repeat: int = row_field("number of the repeat, if the judge was asked more than once")
    value: float = row_field('the judge\'s value; empty for "cannot say"')
    people: float = row_field("mean of the annotators' values")
    rationale: str = row_field(
        "the judge's reason, or its beginning if all reasons together are very long"
    )


class JudgedItems(Section[JudgedItemRow]):
    """Every value of every judge, to download."""

    key = "judged_items"
    title = "LLM judgments beside mean human ratings"
    identity = ("criterion", "judge", "source", "system", "position", "repeat")
    download_only = True

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[JudgedItemRow]:
        records = _judged_items(inputs.said)
        texts = ("criterion", "judge", "source", "system")
        longest = max(SHORTEST_REASON, REASONS // max(1, len(records)))
        return [
            JudgedItemRow(
                **{name: str(row[name]) for name in texts},
                position=int(row["position"]),
                question=str(row["text"]),
                repeat=int(row["repeat"]),
                value=float(row["value"]),
                people=float(row["people"]),
                rationale=shortened(str(row["rationale"]), longest),
            )
            for row in records
        ]

    @classmethod
    def without(cls, records: Sequence[Record], labels: Collection[str]) -> list[Record]:
        """Return the rows without the human means: with the question's other values known, a mean
        would reveal the rating of an erased annotator."""
        return [{**record, "people": None} for record in records]


class JudgeBias(Section[JudgeBiasRow]):
    """Bias by system."""

    key = "judge_bias"
    title = "LLM judge bias by system"
    identity = ("criterion", "judge", "system")
    note = (
        "The judge's mean difference from the annotators on a system's items, minus that difference on all other "
        "items, which removes its severity. Above 0 it favours the system more than annotators do. Intervals are "
        "jackknives over sources."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[JudgeBiasRow]:
        families = {row.judge: set(row.own_systems) for row in found.of(JudgeDescriptions)}
        rows = []
        for judged in judged_criteria(inputs.said):
            if level_for(judged.criterion) != "ordinal":
                continue
            up = judged.criterion.best != "lowest"
            of_judges = [families[name] for name in judged.judges if name in families]
            of_jury = set.intersection(*of_judges) if of_judges else set()
            for name, values in judged.judges.items():
                biases = bias_by_system(
                    oriented_table(judged.people, up),
                    orient_scores(values, higher_is_better=up),
                    systems=judged.systems,
                    sources=judged.clusters,
                    unit=judged.unit,
                )
                rows += [
                    JudgeBiasRow(
                        judged.criterion.key,
                        name,
                        system,
                        system in families.get(name, of_jury),
                        bias,
                    )
                    for system, bias in sorted(biases.items())
                ]
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        rows = found.of(JudgeBias)
        related = {(row.criterion, row.system) for row in rows if row.own_family}
        table = ReportTable[JudgeBiasRow](
            split="criterion",
            lines="system",
            chip=lambda row: "its own family" if (row.criterion, row.system) in related else "",
            columns=Pivot(
                "judge",
                lambda row: difference_cell(row.bias) if row.bias.defined else MISSING,
            ),
        )
        return draw(table, rows, found.names)

    def sentences(self, found: Found) -> Iterator[str]:
        for row in found.of(JudgeBias):
            if row.own_family and row.bias.ci.low > 0:
                name = found.name_of(row.criterion)
                yield f"{name}: {row.judge} is kinder to {row.system}, of its own family, by {with_interval(row.bias)}."


class JudgeUseOfScale(Section[JudgeUseRow]):
    """Use of the scale by judges and annotators."""

    key = "judge_use_of_scale"
    title = "LLM judge rating distributions"
    identity = ("criterion", "judge", "value")

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[JudgeUseRow]:
        rows = []
        for judged in judged_criteria(inputs.said):
            for name, values in judged.judges.items():
                given = values[~np.isnan(values)]
                if not np.isin(given, judged.criterion.values()).all():
                    continue  # a jury's means lie between the points
                people = judged.people[~np.isnan(values)]
                people = people[~np.isnan(people)]
                rows += [
                    JudgeUseRow(
                        criterion=judged.criterion.key,
                        judge=name,
                        value=point.value,
                        label=point.label,
                        count=int((given == point.value).sum()),
                        share=_share(given == point.value),
                        people_share=_share(people == point.value),
                    )
                    for point in judged.criterion.points
                    if not point.missing
                ]
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        table = ReportTable[JudgeUseRow](
            split="criterion",
            lines="judge",
            columns=Pivot(
                "value",
                lambda row: Cell(percent(row.share), f"people {percent(row.people_share)}"),
                head=lambda row: f"{row.value} {row.label}",
            ),
            folded=True,
        )
        return draw(table, found.of(JudgeUseOfScale), found.names)


class JudgeCorrelations(Section[JudgeLevelRow]):
    """Correlations of judges with mean human ratings at each level, by the measures of metrics."""

    key = "judge_correlations"
    title = "LLM judge correlation with human ratings"
    identity = ("criterion", "judge", "level", "measure")

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[JudgeLevelRow]:
        rows = []
        for judged in judged_criteria(inputs.said):
            if level_for(judged.criterion) != "ordinal":
                continue
            chance.step(f"LLM judges by level on {judged.criterion.key}")
            rows += [
                JudgeLevelRow(
                    criterion=association.human,
                    judge=association.metric,
                    level=association.level,
                    measure=association.measure,
                    baseline=association.baseline,
                    estimate=association.found,
                )
                for association in _associations(judged, inputs.design, chance)
            ]
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        table = ReportTable[JudgeLevelRow](
            split="criterion",
            where=lambda row: row.measure in SHOWN,
            lines="judge",
            columns=Pivot(
                ("measure", "level"),
                lambda row: estimate_cell(row.estimate, coefficient, with_n=False),
                head=lambda row: MEASURES[row.measure],
                note=lambda row: LEVELS[row.level],
            ),
        )
        return draw(table, found.of(JudgeCorrelations), found.names)


def _judged_items(material: Material) -> list[dict[str, Any]]:
    """Return the judges' answers with their questions and mean human ratings."""
    answers = frames.llm_judgments(material)
    if answers.empty:
        return []
    slots = material.slots.set_index("unit")[["source", "system", "position", "text"]]
    people = material.judgments.groupby(["unit", "criterion"])["value"].mean().rename("people")
    table = answers.join(slots, on="unit").join(people, on=["unit", "criterion"])
    table[["system", "text", "rationale"]] = table[["system", "text", "rationale"]].fillna("")
    return table.to_dict("records")  # type: ignore[return-value]


def _associations(judged: Judged, design: Design, chance: Chance) -> list[Association]:
    """Return the correlations of every judge with the mean human ratings of a criterion."""
    up, key = judged.criterion.best != "lowest", judged.criterion.key
    systems: Labels | None = judged.systems
    if len(set(np.asarray(systems, dtype=object).tolist())) < 2:
        systems, design = None, replace(design, systems="fixed")
    people = oriented_table(judged.people, up)
    return against_people(
        {key: mean_of_people(people)},
        {
            name: orient_scores(values, higher_is_better=up)
            for name, values in judged.judges.items()
        },
        facets=facets(
            judged.sources, systems, design=design, clusters=judged.clusters, unit=judged.unit
        ),
        rng=chance.rng,
        ratings={key: people} if design.random_annotators else None,
    )


def oriented_table(table: FloatArray, up: bool) -> FloatArray:
    """Return ratings sign-aligned so that higher is better."""
    return table if up else -table


def _share(mask: BoolArray) -> float:
    return float(mask.mean()) if mask.size else float("nan")
