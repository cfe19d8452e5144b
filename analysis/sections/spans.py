"""Marked answers with their positions, as an export."""

from __future__ import annotations

from dataclasses import dataclass

from analysis import frames
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.limits import MAX_EXCERPT_CHARACTERS


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
