"""Agreement of marked answers: between annotators, with the answer a system submitted, and within
a question set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from analysis import frames
from analysis.reports.cells import estimate_cell
from analysis.reports.layout import Line, PageTable
from analysis.sections.columns import clusters_of
from analysis.sections.section import Chance, Found, Inputs, Section
from analysis.stats.cluster_unit import ClusterUnit
from analysis.stats.estimate import Estimate
from analysis.stats.spans import MarkedRange, between_raters, set_overlap, with_submitted
from analysis.stats.systems import system_means
from judging.limits import MAX_EXCERPT_CHARACTERS
from judging.spans import Searched

if TYPE_CHECKING:
    import pandas as pd

MEASURES = {
    "between_annotators": "between annotators",
    "with_submitted": "with the submitted answer",
    "within_set": "within a set",
}
# by annotator; an empty list where nothing answers the question
MarkedRanges = Mapping[str, list[MarkedRange]]


@dataclass(frozen=True)
class SpanRow:
    """Token F1 of one system's marked answers.

    measure: between_annotators, with_submitted (the answer a system submitted) or within_set
    system: name of the system
    f1: mean over its questions; for within_set over its sets and annotators
    """

    measure: str
    system: str
    f1: Estimate


@dataclass(frozen=True)
class MarkRow:
    """One marked answer.

    source: key of the source
    system: name of the system
    annotator: label of the annotator
    position: place of the question in its set
    start: first code point of the passage
    end: code point after the last
    text: the first 500 characters of the marked text; empty where the annotator said that nothing answers the
        question
    """

    source: str
    system: str
    annotator: str
    position: int
    start: int | None
    end: int | None
    text: str


class Spans(Section[SpanRow]):
    """Token F1 of every system."""

    key = "spans"
    title = "Marked answers"
    identity = ("measure", "system")
    beside = (("span_marks", "Every mark"),)
    note = (
        "Token F1 with its 95% CI over sources: how far annotators mark the same words of the passage, how far "
        "their marks agree with the answer a system submitted, and how far the answers to the questions of a set "
        "overlap (0: none overlap). Two annotators who say that the passage does not answer a question agree. A "
        "submitted answer counts if it occurs in the passage exactly once."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[SpanRow]:
        import pandas as pd

        material = inputs.said
        marked = frames.marks(material) if material.rubric.span_mark else pd.DataFrame()
        if marked.empty:
            return []
        questions = material.questions[material.questions["unit"].isin(marked["unit"])].copy()
        by_unit = {int(str(unit)): _of_unit(rows) for unit, rows in marked.groupby("unit")}
        asked = [
            (row["passage"], list(by_unit[row["unit"]].values()), row)
            for _, row in questions.iterrows()
        ]
        questions["between_annotators"] = [between_raters(text, marks) for text, marks, _ in asked]
        questions["with_submitted"] = [
            with_submitted(text, marks, _submitted(text, row["submitted_answer"]))
            for text, marks, row in asked
        ]
        questions["cluster"] = clusters_of(material, pd.Index(questions["unit"]))
        columns = ["system", "cluster", "within_set"]
        overlaps = pd.DataFrame(_overlaps(questions, by_unit), columns=columns)
        return [
            row
            for measure in MEASURES
            for row in _of_systems(
                overlaps if measure == "within_set" else questions, measure, material.cluster_unit
            )
        ]

    def tables(self, found: Found) -> list[PageTable]:
        rows = found.of(Spans)
        by_place = {(row.system, row.measure): row.f1 for row in rows}
        lines = [
            Line(name, [estimate_cell(by_place.get((name, measure))) for measure in MEASURES])
            for name in dict.fromkeys(row.system for row in rows)
        ]
        reasons = sorted({row.f1.reason for row in rows if not row.f1.defined and row.f1.reason})
        heads = list(MEASURES.values())
        return (
            [PageTable(self.title, heads, lines, first="System", reasons=reasons)] if lines else []
        )


class SpanMarks(Section[MarkRow]):
    """Every mark with its text."""

    key = "span_marks"
    people = ("annotator",)
    title = "Marked answers with their positions"
    download_only = True

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[MarkRow]:
        material = inputs.said
        if material.rubric.span_mark is None:
            return []
        slots = material.slots.set_index("unit")[["source", "system", "position", "passage"]]
        rows = []
        for _, row in frames.marks(material).join(slots, on="unit").iterrows():
            nothing = row["nothing"] == frames.TRUE
            start, end = (None, None) if nothing else (int(row["start"]), int(row["end"]))
            text = "" if nothing else row["passage"][start:end][:MAX_EXCERPT_CHARACTERS]
            where = str(row["source"]), str(row["system"]), str(row["annotator"])
            rows.append(MarkRow(*where, int(row["position"]), start, end, text))
        return rows


def _of_unit(rows: pd.DataFrame) -> dict[str, list[MarkedRange]]:
    """Return each annotator's ranges."""
    return {
        str(annotator): [
            (int(start), int(end)) for start, end in own[["start", "end"]].dropna().to_numpy()
        ]
        for annotator, own in rows.groupby("annotator")
    }


def _submitted(passage: str, answer: object) -> list[MarkedRange]:
    """Return the range of a submitted answer in the passage; none unless it occurs exactly once."""
    found = list(islice(_searched(passage).places(answer), 2)) if isinstance(answer, str) else []
    return found if len(found) == 1 else []


@lru_cache(maxsize=2)
def _searched(passage: str) -> Searched:
    """Prepare a passage for search, cached because questions about a passage follow one another."""
    return Searched(passage)


def _overlaps(
    questions: pd.DataFrame, by_unit: Mapping[int, MarkedRanges]
) -> Iterator[tuple[str, str, float]]:
    """Yield the overlap of the answers within every set, an annotator at a time."""
    for _key, rows in questions.groupby("question_set", sort=False):
        first = rows.iloc[0]
        for annotator in sorted({name for unit in rows["unit"] for name in by_unit[unit]}):
            answers = [by_unit[unit].get(annotator, []) for unit in rows["unit"]]
            yield first["system"], first["cluster"], set_overlap(first["passage"], answers)


def _of_systems(table: pd.DataFrame, measure: str, unit: ClusterUnit) -> Iterator[SpanRow]:
    scores = table[measure].to_numpy(dtype="float64") if len(table) else np.array([nan])
    means = system_means(
        scores,
        systems=table["system"].to_numpy(),
        sources=table["cluster"].to_numpy(),
        unit=unit,
        scale=(0.0, 1.0),
    )
    for name, each in means.items():
        yield SpanRow(measure, str(name), each)
