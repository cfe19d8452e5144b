"""Marked answers with their positions, as an export."""

from __future__ import annotations

from analysis import frames
from analysis.reports.rows import row_field, table_row
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.base.limits import MAX_EXCERPT_CHARACTERS


@table_row
class MarkRow:
    """One marked answer."""

    source: str = row_field("key of the source")
    system: str = row_field("name of the system")
    annotator: str = row_field("label of the annotator")
    position: int = row_field("place of the question in its set")
    start: int | None = row_field("first code point of the passage")
    end: int | None = row_field("code point after the last")
    text: str = row_field(
        "the first 500 characters of the marked text; empty where the annotator said that nothing "
        "answers the question"
    )


class SpanMarks(Section[MarkRow]):
    """Every mark with its text."""

    key = "span_marks"
    people = ("annotator",)
    title = "Marked answers with their positions"
    download_only = True

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[MarkRow]:
        material = inputs.said
        if material.protocol.span_mark is None:
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
