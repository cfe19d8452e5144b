"""How far marked answers agree: between annotators, with the answer a system submitted, and within a question set."""

from collections.abc import Iterator, Mapping
from math import nan

import numpy as np
import pandas as pd

from analysis import frames
from analysis.frames import Material
from analysis.reports.records import Record, of_estimate
from analysis.stats.spans import Range, between_raters, set_overlap, with_submitted
from analysis.stats.systems import system_means
from judging.formats.spans import places

MEASURES = ("between_annotators", "with_submitted", "within_set")
Marks = Mapping[str, list[Range]]  # by annotator; an empty list where nothing answers the question


def records(material: Material) -> list[Record]:
    """Return token F1 of every system, a mean over questions (over sets and annotators for `within_set`)."""
    if material.rubric.span_mark is None:
        return []
    marked = frames.marks(material)
    if marked.empty:
        return []
    questions = material.questions[material.questions["unit"].isin(marked["unit"])].copy()
    by_unit = {int(str(unit)): _of_unit(rows) for unit, rows in marked.groupby("unit")}
    asked = [(row["passage"], list(by_unit[row["unit"]].values()), row) for _, row in questions.iterrows()]
    questions["between_annotators"] = [between_raters(text, marks) for text, marks, _row in asked]
    questions["with_submitted"] = [
        with_submitted(text, marks, _submitted(text, row["submitted_answer"])) for text, marks, row in asked
    ]
    overlaps = pd.DataFrame(_overlaps(questions, by_unit), columns=["system", "source", "within_set"])
    return [
        row for measure in MEASURES for row in _of_systems(overlaps if measure == "within_set" else questions, measure)
    ]


def every(material: Material) -> list[Record]:
    """Return every mark with its text."""
    if material.rubric.span_mark is None:
        return []
    slots = material.slots.set_index("unit")[["source", "system", "position", "passage"]]
    found = []
    for _, row in frames.marks(material).join(slots, on="unit").iterrows():
        where = {**{name: row[name] for name in ("source", "system", "annotator")}, "position": int(row["position"])}
        if row["nothing"] == frames.TRUE:
            found.append({**where, "start": None, "end": None, "text": ""})
        else:
            start, end = int(row["start"]), int(row["end"])
            found.append({**where, "start": start, "end": end, "text": row["passage"][start:end]})
    return found


def _of_unit(rows: pd.DataFrame) -> dict[str, list[Range]]:
    """Return each annotator's ranges."""
    return {
        str(annotator): [(int(start), int(end)) for start, end in own[["start", "end"]].dropna().to_numpy()]
        for annotator, own in rows.groupby("annotator")
    }


def _submitted(passage: str, answer: object) -> list[Range]:
    """Return where a submitted answer stands; nowhere, where it stands not at all or more than once."""
    found = places(passage, answer) if isinstance(answer, str) else ()
    return list(found) if len(found) == 1 else []


def _overlaps(questions: pd.DataFrame, by_unit: Mapping[int, Marks]) -> Iterator[tuple[str, str, float]]:
    """Yield the overlap of the answers within every set, an annotator at a time."""
    for _key, rows in questions.groupby("question_set", sort=False):
        first = rows.iloc[0]
        for annotator in sorted({name for unit in rows["unit"] for name in by_unit[unit]}):
            answers = [by_unit[unit].get(annotator, []) for unit in rows["unit"]]
            yield first["system"], first["source"], set_overlap(first["passage"], answers)


def _of_systems(table: pd.DataFrame, measure: str) -> Iterator[Record]:
    scores = table[measure].to_numpy(dtype="float64") if len(table) else np.array([nan])
    systems, sources = table["system"].to_numpy(), table["source"].to_numpy()
    for name, each in system_means(scores, systems=systems, sources=sources).items():
        yield of_estimate(each, measure=measure, system=name)
