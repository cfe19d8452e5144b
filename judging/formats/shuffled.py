"""A study in which each row's letters are replaced by systems: one rater's `a` can be another's `b`.
No database."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from pandas import DataFrame, Series

from judging.formats.frames import Problem, Study, shorten_line
from judging.formats.letters import Letters
from judging.formats.similar import most_similar
from judging.formats.tiers import (
    NONE,
    Sides,
    iterate_cells,
    lookup,
    sources_of_passage,
    units_by_row,
)

ABOUT = ["question", "source", "system", "rater", "criterion"]
Raters = dict[int, list[str]]  # of each question
LineOf = dict[
    tuple[int, Any], int
]  # the new question, by the old one and its rater (None: the first)


class _Units:
    """The unit of each question for each of its raters; `used` are each rater's units and systems
    about a source."""

    def __init__(self, system_of: Mapping[int, str]) -> None:
        self.system_of = system_of
        self.chosen: dict[tuple[int, str], int] = {}
        self.used: dict[tuple[int, str], set[int | str]] = {}

    def of_other_systems(self, source: int, rater: str, units: Iterable[int]) -> list[int]:
        """Return the units of systems that are not used."""
        used = self.used.get((source, rater), set())
        return [unit for unit in units if self.system_of[unit] not in used]

    def best(self, source: int, rater: str, units: Sequence[int]) -> int:
        """Return a unit of a system that is not used, else one that is not used, else the first."""
        used = self.used.get((source, rater), set())
        unused = [unit for unit in units if unit not in used]
        return [*self.of_other_systems(source, rater, units), *unused, units[0]][0]

    def choose(self, question: int, source: int, rater: str, unit: int) -> None:
        """Choose the unit of a question and its rater."""
        self.chosen[question, rater] = unit
        self.used.setdefault((source, rater), set()).update((unit, self.system_of[unit]))


def replace_row_letters(study: Study, letters: Letters) -> Study:
    """Return a study in which each row's letters are replaced by the names of their systems.

    Each rater judged one question of each system: questions that only one system can have given are
    placed first, then the others, in the order of the file, then those that are similar to a
    question of a system not yet used. A question that is not found keeps its letter.
    """
    raters = _raters_of(study.ratings)
    units = _units_by_rater(study.questions, letters, raters)
    pairs = _pairs_of(study.questions, raters, units)
    questions, problems = _new_questions(study.questions, pairs, letters.system_of)
    line_of = {
        **{
            (question, None): line
            for _, question, line in iterate_cells(pairs[::-1], "question", "line")
        },
        **dict(
            zip(zip(pairs["question"], pairs["rater"], strict=True), pairs["line"], strict=True)
        ),
    }
    scores, other_scores = _scores(study.scores, line_of)
    ratings = _moved(study.ratings, line_of, questions)
    return replace(
        study,
        questions=questions,
        ratings=ratings.assign(repeat=ratings.groupby(ABOUT, dropna=False).cumcount() + 1),
        scores=scores,
        notes=_moved(study.notes, line_of, questions),
        expected=lookup(questions.groupby(["source", "system"], sort=False)["position"].max()),
        problems=[*study.problems, *problems, *other_scores],
    )


def _raters_of(ratings: DataFrame) -> Raters:
    """Return the raters of each question, in the order of the file."""
    raters: Raters = {}
    pairs = ratings[ratings["question"].notna()].drop_duplicates(["question", "rater"])
    for _, question, rater in iterate_cells(pairs, "question", "rater"):
        raters.setdefault(question, []).append(rater)
    return raters


def _units_by_rater(questions: DataFrame, letters: Letters, raters: Raters) -> _Units:
    """Choose units for the questions of undecided letters."""
    undecided = [letter for letter, system in letters.decided.items() if not system]
    asked = questions[questions["system"].isin(undecided) & questions["text"].notna()]
    found, units = units_by_row(letters.found), _Units(letters.system_of)
    is_found = asked.index.isin(found)
    located = iterate_cells(asked[is_found], "source")
    for question, source in sorted(located, key=lambda each: len(found[each[0]])):
        for rater in raters.get(question, [""]):
            units.choose(question, source, rater, units.best(source, rater, found[question]))
    _choose_similar(units, asked[~is_found], letters.sides, raters)
    return units


def _choose_similar(units: _Units, asked: DataFrame, sides: Sides, raters: Raters) -> None:
    """Choose similar questions of systems that are not used, about the same passage."""
    nearby = units_by_row(sources_of_passage(sides, "loose"))
    slots = sides.slots[sides.slots["has_text"]].set_index("unit")
    for question, source, text in iterate_cells(asked, "source", "text"):
        pool = lookup(slots["text"][slots["source"].isin(nearby.get(source, ()))])
        for rater in raters.get(question, [""]):
            free = units.of_other_systems(source, rater, pool)
            if similar := most_similar(text, {unit: pool[unit] for unit in free}):
                units.choose(question, source, rater, similar.unit)


def _pairs_of(questions: DataFrame, raters: Raters, units: _Units) -> DataFrame:
    """Return each question with each of its raters, the unit chosen (0 for none) and its `line`: the
    number of the new question, one for each unit."""
    rows = [
        (question, rater, source, units.chosen.get((question, rater), 0))
        for question, source in iterate_cells(questions, "source")
        for rater in raters.get(question, [""])
    ]
    pairs = DataFrame(rows, columns=["question", "rater", "source", "unit"])
    place = pairs["unit"].where(pairs["unit"] > 0, NONE - pairs["question"])
    pairs["line"] = pairs.assign(place=place).groupby(["source", "place"], sort=False).ngroup()
    return pairs


def _new_questions(
    questions: DataFrame, pairs: DataFrame, system_of: Mapping[int, str]
) -> tuple[DataFrame, list[Problem]]:
    """Return the question of each line, with the metadata of all its rows."""
    first = pairs.drop_duplicates("line").set_index("line")
    made = questions.loc[first["question"]].set_index(first.index)
    pairs_of = zip(first["unit"], made["system"], strict=True)
    made["system"] = [system_of.get(unit, letter) for unit, letter in pairs_of]
    places = made[first["unit"] > 0].groupby(["source", "system"]).cumcount() + 1
    made["position"] = places.reindex(made.index).fillna(made["position"].astype(int)).astype(int)
    return _with_metadata(made, questions, pairs)


def _with_metadata(
    made: DataFrame, questions: DataFrame, pairs: DataFrame
) -> tuple[DataFrame, list[Problem]]:
    """Add the metadata of further rows to each line; report values that differ."""
    again = pairs.drop_duplicates(["line", "question"])
    again = again[again.duplicated("line")]
    metadata, rows, problems = list(made["metadata"]), list(made["row"]), list[Problem]()
    others = questions.loc[again["question"]].assign(line=again["line"].to_numpy())
    for _, line, other, row in iterate_cells(others, "line", "metadata", "row"):
        for name, value in other.items():
            if (old := metadata[line].get(name, value)) != value:
                problems.append(_difference(row, name, value, rows[line], old))
        metadata[line] = {**other, **metadata[line]}
    return made.assign(metadata=metadata), problems


def _moved(frame: DataFrame, line_of: LineOf, questions: DataFrame) -> DataFrame:
    """Return ratings or notes with the new questions that their raters meant."""
    lines, systems, names = [], [], list(questions["system"])
    for _, question, rater, system in iterate_cells(frame, "question", "rater", "system"):
        is_whole = pd.isna(question)
        line = None if is_whole else line_of.get((question, rater), line_of.get((question, None)))
        lines.append(line)
        systems.append(system if line is None else names[line])
    return frame.assign(question=Series(lines, frame.index, dtype=object), system=systems)


def _scores(scores: DataFrame, line_of: LineOf) -> tuple[DataFrame, list[Problem]]:
    """Return the scores of the new questions, and a problem for each value that differs."""
    pairs = {(old, line): None for (old, _), line in line_of.items()}
    lines = DataFrame(list(pairs), columns=["question", "line"], dtype=object)
    moved = scores.merge(lines, on="question")
    moved = moved.assign(question=moved["line"]).drop(columns="line")
    first: dict[tuple[int, str], tuple[int, str]] = {}
    problems = []
    for _, line, name, value, row in iterate_cells(moved, "question", "name", "value", "row"):
        first_row, old = first.setdefault((line, name), (row, value))
        if old != value:
            problems.append(_difference(row, name, value, first_row, old))
    return moved.drop_duplicates(["question", "name"]), problems


def _difference(row: int, column: str, value: str, first_row: int, old: str) -> Problem:
    reason = f"Row {first_row} says {shorten_line(old)} of the same question."
    return Problem(row=row, column=column, value=value, reason=reason, kind="value")
