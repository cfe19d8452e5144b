"""From a frame and its mapping to the five frames of a study."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any, cast

import pandas as pd

from judging.base.limits import MAX_PAGE_ROWS, MAX_QUESTIONS_PER_SET, MAX_TABLE_ROWS
from judging.base.texts import as_number, count_with_noun, is_number, language_tag, whole_number
from judging.formats.frames import (
    NOTE_COLUMNS,
    QUESTION_COLUMNS,
    RATING_COLUMNS,
    SCORE_COLUMNS,
    SOURCE_COLUMNS,
    Problem,
    ProblemKind,
    Study,
    Unreadable,
    iterate_rows,
    shorten_line,
)
from judging.formats.locating import AnswerPlace, locate
from judging.formats.mapping import RATED, SCORED, UNNAMED, Column, Mapping, check_mapping
from judging.formats.records import StudyRecords
from judging.formats.spans import WrittenMark, span_of
from judging.protocols.spans import Range

GIVEN = (
    "passage",
    "sentence",
    "answer",
    "answer_start",
    "target_type",
    "modality",
    "language",
)
# Columns of free text, in which a word for "missing" is kept
_FREE_TEXT = ("passage", "sentence", "answer", "submitted_answer", "note", "mark", "mark_text")
_MARK_ROLES = ("mark", "mark_start", "mark_end", "mark_text")
_APART = "\x1f"  # between the parts of a key; no text of a file may contain it
_WHOLE_SET = 0  # the position of a row that is about the whole set


def study_from_frame(
    frame: pd.DataFrame, mapping: Mapping, problems: Sequence[Problem] = ()
) -> Study:
    """Return the study in a frame.

    There is a row for each question or, if a column names the raters, for each rating of it. A
    blank question is a slot in which the system gave none; a row with neither question nor
    position, in a table of ratings with positions, rates the whole set. `problems` are rows that
    are in quarantine already.

    Raises
    ------
    MappingRefused
        If the mapping does not fit the frame.
    """
    check_mapping(mapping, list(frame.columns))
    reading = _Reading(frame, mapping.in_order(list(frame.columns)))
    reading.problems.extend(problems)
    return reading.study(rows_read=len(frame) + sum(problem.kind == "row" for problem in problems))


class _Reading:
    """One frame while it is read. Rows in quarantine leave `rows`, and so do their ratings."""

    def __init__(self, frame: pd.DataFrame, mapping: Mapping) -> None:
        self.problems: list[Problem] = []
        self.lost: Counter[tuple[str, str]] = Counter()
        frame = self._without_excluded(frame, mapping)
        frame, self.mapping = _one_row_a_system(frame, mapping)
        self.numbers = frame.index.to_numpy()
        self.rows = _prepared(frame.reset_index(drop=True), self.mapping)
        self.refused: set[int] = set()
        self.rated = self._rated()
        self._lose_excluded_words()

    def study(self, rows_read: int) -> Study:
        self._refuse_incomplete()
        self._refuse_repeated_mistakes()
        given = self._given()
        sources = self._sources(given)
        units = self._units()
        questions = self._questions(units)
        self._warn_of_repeats(units)
        scores = self._scores(units)
        ratings = self._ratings(units)
        notes = pd.concat([self._notes(units), self._marks(units, sources)], ignore_index=True)
        self._warn_of_differing_metadata(units)
        self._count_closed_rows()
        refused_rows = {problem.row for problem in self.problems if problem.kind == "row"}
        return Study(
            sources=_plain(sources),
            questions=_plain(questions),
            ratings=_plain(ratings),
            scores=_plain(scores),
            notes=_plain(notes[list(NOTE_COLUMNS)]),
            problems=sorted(self.problems, key=lambda each: each.row),
            expected=self._expected(units),
            lost=dict(self.lost),
            rows_read=rows_read,
            rows_kept=rows_read - len(refused_rows),
        )

    # -- what rows are read, and what is refused ---------------------------------------------

    def _without_excluded(self, frame: pd.DataFrame, mapping: Mapping) -> pd.DataFrame:
        for name, values in mapping.exclude_rows.items():
            wanted = {value.strip().casefold() for value in values}
            marked = frame[name].str.strip().str.casefold().isin(wanted)
            count = int(marked.sum())
            if count:
                said = ", ".join(f"“{value}”" for value in values)
                verb = "is" if count == 1 else "are"
                rows = count_with_noun(count, "row")
                reason = f"{rows} with {said} in this column {verb} excluded."
                self._note_problem(0, name, "", reason, "warning")
            frame = frame[~marked]
        return frame

    def _note_problem(
        self, row: int, column: str, value: str, reason: str, kind: ProblemKind = "value"
    ) -> None:
        self.problems.append(
            Problem(row=row, column=column, value=shorten_line(value), reason=reason, kind=kind)
        )

    def _note_row(self, place: int, column: str, reason: str, kind: ProblemKind = "value") -> None:
        """Note a problem in a row, with the value of a column."""
        value = self.rows[column].loc[place] if column else ""
        self._note_problem(int(self.numbers[place]), column, value, reason, kind)

    def _refuse(self, reasons: dict[int, str], column: str = "", why: str = "refused_row") -> None:
        """Put rows in quarantine, each with its reason; their ratings are counted as lost."""
        for place, reason in reasons.items():
            self._note_row(place, column, reason, "row")
        self.refused.update(int(place) for place in reasons)
        lost = self.rated["place"].isin(list(reasons))
        self._count_lost(self.rated[lost], why)
        self.rated = self.rated[~lost]
        self.rows = self.rows.drop(index=list(reasons))

    def _refuse_incomplete(self) -> None:
        """Refuse rows without a system or source, and positions and starts that are no numbers."""
        for role, reason in (
            ("system", "The row names no system."),
            ("source_id", "The row names no source."),
        ):
            self._refuse_cells(role, self._cells(role) == "", reason)
        starts = self._cells("answer_start")
        wrong = (starts != "") & ~_are_whole(starts, least=0)
        reason = "The start of an answer is a whole number from 0, counted in characters."
        self._refuse_cells("answer_start", wrong, reason)
        wrong = ~_are_whole(self._cells("position"), least=1) & ~self._is_whole_set()
        self._refuse_cells("position", wrong, "A position is a whole number from 1.")

    def _refuse_cells(self, role: str, wrong: "pd.Series[bool]", reason: str) -> None:
        """Refuse the rows whose cell of a role is wrong, if a column has that role."""
        if column := self.mapping.column(role):
            self._refuse(dict.fromkeys(self._places(wrong), reason), column)

    def _is_whole_set(self) -> "pd.Series[bool]":
        """Return which rows are about a whole set: ratings with neither question nor position."""
        if not (self.mapping.has_rater_rows and self.mapping.column("position")):
            return pd.Series(False, index=self.rows.index)
        return (self._cells("position") == "") & (self._cells("question") == "")

    def _refuse_repeated_mistakes(self) -> None:
        """Find the rows that equal an earlier one cell for cell, and refuse them if they are
        mistakes."""
        firsts = _first_equal(self.rows)
        self.repeated = firsts[firsts != firsts.index]
        if self.mapping.repeats == "mistakes":
            reasons = {
                int(place): f"The row repeats row {self.numbers[first]:,} cell for cell; by the "
                "mapping that is a mistake."
                for place, first in zip(self.repeated.index, self.repeated, strict=True)
            }
            self._refuse(reasons, why="mistake")
            self.repeated = self.repeated.iloc[:0]

    def _cells(self, role: str) -> "pd.Series[str]":
        """Return the cells of a role without surrounding blanks; blank if no column has it."""
        column = self.mapping.column(role)
        if not column:
            return pd.Series("", index=self.rows.index, dtype=object)
        return self.rows[column].str.strip()

    def _written(self, role: str) -> "pd.Series[str]":
        """Return the cells of a role as they are written."""
        column = self.mapping.column(role)
        return self.rows[column] if column else pd.Series("", index=self.rows.index, dtype=object)

    @staticmethod
    def _places(mask: "pd.Series[bool]") -> Sequence[int]:
        return list(mask.index[mask.to_numpy(dtype=bool)])

    # -- sources ------------------------------------------------------------------------------

    def _given(self) -> pd.DataFrame:
        """Return the inputs of the system in each row, and the number of its source; rows that
        contradict an earlier row about their source are refused."""
        as_written = ("passage", "sentence", "answer")
        given = pd.DataFrame(
            {
                role: self._written(role) if role in as_written else self._cells(role)
                for role in GIVEN
            },
            index=self.rows.index,
        )
        given["modality"] = given["modality"].where(given["modality"] != "", self.mapping.modality)
        given["language"] = self._languages(given["language"])
        given["references"] = self._references()
        given["identity"] = self._identity(given)
        if self.mapping.column("source_id"):
            given = self._filled(given)
        given["source"] = pd.factorize(given["identity"])[0]
        self.source_of = given["source"]
        return given

    def _languages(self, cells: "pd.Series[str]") -> "pd.Series[str]":
        """Return language tags; report texts that are none, and ignore them."""
        tags = cells.map(language_tag)
        for place in self._places((cells != "") & (tags == "")):
            reason = "This is no language tag such as en, de or zh-Hant; it is ignored."
            self._note_row(place, self.mapping.column("language"), reason, "warning")
        return tags

    def _references(self) -> "pd.Series[Any]":
        columns = list(self.mapping.of_role("reference"))
        if not columns:
            return pd.Series([()] * len(self.rows), index=self.rows.index, dtype=object)
        cells = zip(*(self.rows[name] for name in columns), strict=True)
        return pd.Series([_references_in(row) for row in cells], index=self.rows.index)

    def _identity(self, given: pd.DataFrame) -> "pd.Series[str]":
        """Return what identifies the source of each row: its id; else passage, answer, start and
        target type; without them the references, else the same question by several raters, else
        the row."""
        if self.mapping.column("source_id"):
            return self._cells("source_id")
        text = given["passage"].where(given["passage"] != "", given["sentence"])
        parts = [text, given["answer"], given["answer_start"], given["target_type"]]
        identity = "given" + _joined(parts)
        has_nothing = (text == "") & (given["answer"] == "") & (given["target_type"] == "")
        references = given["references"].map(_APART.join)
        name = self._name() if self.mapping.has_rater_rows else pd.Series("", self.rows.index)
        by_row = "row" + pd.Series(self.rows.index.astype(str), index=self.rows.index)
        otherwise = (
            ("references" + references)
            .where(references != "", "question" + name)
            .where((references != "") | (name != ""), by_row)
        )
        return identity.where(~has_nothing, otherwise)

    def _filled(self, given: pd.DataFrame) -> pd.DataFrame:
        """Fill blank inputs from another row of the same source, and refuse rows whose input is
        another one than that of the source's first row."""
        groups = given["identity"]
        first_place = pd.Series(given.index, given.index).groupby(groups).transform("first")
        wrong: set[int] = set()
        for role in GIVEN:
            first = given[role].replace("", None).groupby(groups).transform("first").fillna("")
            differs = (given[role] != "") & (given[role] != first) & ~given.index.isin(wrong)
            reasons = {
                place: f"Source “{shorten_line(groups[place])}” has another {role.replace('_', ' ')} in row "
                f"{self.numbers[first_place[place]]:,}."
                for place in self._places(differs)
            }
            self._refuse(reasons, self.mapping.column(role))
            wrong.update(reasons)
            given[role] = first
        return given.drop(index=list(wrong))

    def _sources(self, given: pd.DataFrame) -> pd.DataFrame:
        first = given[~given["source"].duplicated()].reset_index(names="place")
        sources = first[[*GIVEN]].copy()
        sources["key"] = (first.index + 1).astype(str)
        if self.mapping.column("source_id"):
            sources["key"] = self._cells("source_id")[first["place"]].to_numpy()
        sources["row"] = self.numbers[first["place"]]
        columns = list(self.mapping.of_role("source_metadata"))
        metadata: Any = _dictionaries(self.rows.loc[first["place"]], columns, "source:")
        sources["metadata"] = metadata
        sources["references"] = _united(given)
        starts = [self._starts_of(dict(row._asdict())) for row in iterate_rows(sources)]
        names = ["answer_start", "sentence_start"]
        sources[names] = pd.DataFrame(starts, columns=names, dtype=object)
        self._warn_of_unknown_starts(set(sources["key"]))
        return sources[list(SOURCE_COLUMNS)]

    def _warn_of_unknown_starts(self, keys: set[str]) -> None:
        for key in self.mapping.starts:
            if key not in keys:
                reason = (
                    f"A start is chosen for source “{shorten_line(key)}”, which the file lacks."
                )
                self._note_problem(0, self.mapping.column("answer"), "", reason, "warning")

    def _starts_of(self, source: dict[str, Any]) -> tuple[int | None, int | None]:
        """Return the starts of a source's answer and sentence; ask about an answer that occurs more
        than once."""
        found = locate(
            passage=source["passage"] or None,
            sentence=source["sentence"],
            answer=source["answer"],
            declared=whole_number(source["answer_start"], least=0),
        )
        start = self._chosen(source["key"], found)
        if found.choices and start is None:
            self._ask_for_start(source, found.choices)
        if found.warning and (source["passage"] or source["sentence"]):
            column = self.mapping.column("answer") or self.mapping.column("sentence")
            self._note_problem(source["row"], column, source["answer"], found.warning, "warning")
        return start, found.sentence_start

    def _ask_for_start(self, source: dict[str, Any], choices: tuple[int, ...]) -> None:
        often = f"{len(choices)} times" + (" or more" if len(choices) >= MAX_PAGE_ROWS else "")
        self.problems.append(
            Problem(
                row=source["row"],
                column=self.mapping.column("answer"),
                value=shorten_line(source["answer"]),
                reason=f"The answer occurs {often} in the text; say which is meant.",
                kind="ask",
                source_key=source["key"],
                choices=choices,
            )
        )

    def _chosen(self, key: str, found: AnswerPlace) -> int | None:
        if not found.choices:
            return found.answer_start
        chosen = self.mapping.starts.get(key)
        if chosen is None and self.mapping.first_start:
            return found.choices[0]
        return chosen if chosen in found.choices else None

    # -- questions ----------------------------------------------------------------------------

    def _name(self) -> "pd.Series[str]":
        """Return what identifies a question among those of its set: its key, else its text."""
        key = self._cells("key")
        return key.where(key != "", self._written("question"))

    def _units(self) -> pd.DataFrame:
        """Return, by row, the unit that it is about: its source, system, position and the number of
        its question; rows that contradict another row of their slot are refused."""
        units = pd.DataFrame(
            {
                "source": self.source_of,
                "system": self._cells("system")
                if self.mapping.column("system")
                else self.mapping.system or UNNAMED,
                "name": self._name(),
                "is_set": self._is_whole_set(),
            },
            index=self.rows.index,
        )
        units["pair"] = _joined([units["source"].astype(str), units["system"]])
        units["declared"] = pd.to_numeric(self._cells("position"), errors="coerce").fillna(0)
        units["slot"] = self._slot(units)
        units = self._without_contradicting(units)
        units["position"] = _positions(units)
        units = self._without_surplus(units)
        asked = units[~units["is_set"]]
        numbers, _ = pd.factorize(asked["slot"])
        units["question"] = pd.Series(numbers, index=asked.index, dtype=object)
        return units

    def _without_surplus(self, units: pd.DataFrame) -> pd.DataFrame:
        """Refuse questions beyond those that a system is expected to return, or can return."""
        most = self.mapping.expected or MAX_QUESTIONS_PER_SET
        verb = "is expected to return" if self.mapping.expected else "can return"
        reasons = {
            place: f"System “{shorten_line(str(units.at[place, 'system']))}” {verb} only {most:,} questions "
            "for a source."
            for place in self._places(units["position"] > most)
        }
        self._refuse(reasons, self.mapping.column("question"))
        return units.drop(index=list(reasons))

    def _slot(self, units: pd.DataFrame) -> "pd.Series[str]":
        """Return the key of the slot of each row: by its position; else, if a column names raters,
        by the question; else each row is a slot of its own, unless repeated rows are ratings."""
        by_position = units["pair"] + _APART + units["declared"].astype(str)
        if self.mapping.column("position"):
            return by_position
        if self.mapping.has_rater_rows:
            return units["pair"] + _APART + units["name"]
        own = pd.Series(units.index, index=units.index)
        if self.mapping.repeats == "ratings":
            own.update(self.repeated)
        return units["pair"] + _APART + own.astype(str)

    def _without_contradicting(self, units: pd.DataFrame) -> pd.DataFrame:
        """Refuse rows that give a slot another question than the slot's first row."""
        if not self.mapping.column("position"):
            return units
        first = pd.Series(units.index, index=units.index).groupby(units["slot"]).transform("first")
        again = (first != units.index) & ~units["is_set"]
        text = self._written("question")
        if self.mapping.has_rater_rows:
            wrong = again & (text != text[first].to_numpy())
        else:
            wrong = again & ~units.index.isin(self.repeated.index)
        reasons = {
            row.Index: f"Position {row.declared} of system “{shorten_line(row.system)}” holds the "
            f"question of row {self.numbers[first[row.Index]]:,}."
            for row in iterate_rows(units[wrong])
        }
        self._refuse(reasons, self.mapping.column("question"))
        return units.drop(index=list(reasons))

    def _questions(self, units: pd.DataFrame) -> pd.DataFrame:
        first = units[units["question"].notna() & ~units["question"].duplicated()]
        text = self._written("question")[first.index]
        metadata = list(self.mapping.of_role("metadata"))
        questions = pd.DataFrame(
            {
                "source": first["source"],
                "system": first["system"],
                "position": first["position"],
                "text": text.where(text.str.strip() != "", None),
                "key": self._cells("key")[first.index],
                "question_type": self._cells("question_type")[first.index],
                "submitted_answer": self._written("submitted_answer")[first.index],
                "metadata": _dictionaries(self.rows.loc[first.index], metadata, "attribute:"),
                "row": self.numbers[first.index],
            }
        )
        # a question that repeats another of its set is expected of no other system
        again = first[first.index.isin(self.repeated.index)]
        self.again = Counter(zip(again["source"], again["system"], strict=True))
        return questions[list(QUESTION_COLUMNS)].reset_index(drop=True)

    def _expected(self, units: pd.DataFrame) -> dict[tuple[int, str], int]:
        """Return the slots of each question set: as declared, else as many as were filled, by any
        system if systems and sources are crossed."""
        sizes = units["position"].groupby([units["source"], units["system"]]).max()
        found: dict[tuple[int, str], int] = {
            cast(tuple[int, str], pair): self.mapping.expected or int(size)
            for pair, size in sizes.items()
        }
        if not self.mapping.crossed:
            return found
        systems = list(dict.fromkeys(units["system"]))
        _limit_sets(named=len(found), systems=len(systems), sources=units["source"].nunique())
        return {
            (source, system): max(size, found.get((source, system), 0))
            for source, size in self._largest_sets(found).items()
            for system in systems
        }

    def _largest_sets(self, sizes: dict[tuple[int, str], int]) -> dict[int, int]:
        """Return the size of each source's largest set, without the questions that only repeat."""
        largest: dict[int, int] = {}
        for (source, system), size in sizes.items():
            largest[source] = max(size - self.again[source, system], largest.get(source, 0))
        return largest

    def _warn_of_repeats(self, units: pd.DataFrame) -> None:
        """Say how many rows repeat an earlier one, unless the mapping says what they are."""
        if self.mapping.repeats or self.repeated.empty:
            return
        places = [place for place in self.repeated.index if place in units.index]
        rated = set(self.rated["place"])
        if not places or (self.mapping.has_rater_rows and not rated.intersection(places)):
            return
        kept = "a question of its own"
        if self.mapping.has_rater_rows:
            kept = "further ratings of the same question"
        verb = "repeats an earlier row" if len(places) == 1 else "repeat an earlier row"
        self._tell_repeats(
            [int(self.numbers[place]) for place in places],
            f"{verb} cell for cell. Such a row is kept as {kept}; say whether that is right, or a "
            "mistake.",
        )

    def _tell_repeats(self, numbers: Sequence[int], what: str) -> None:
        """Say how rows repeat earlier ones; the first five are named."""
        shown = ", ".join(f"{number:,}" for number in numbers[:5])
        more = " and others" if len(numbers) > 5 else ""
        reason = f"{count_with_noun(len(numbers), 'row')} ({shown}{more}) {what}"
        self._note_problem(int(numbers[0]), "", "", reason, "repeat")

    # -- ratings ------------------------------------------------------------------------------

    def _rated(self) -> pd.DataFrame:
        """Return every rating of every row: one for each column of ratings that is not blank, and
        the value of a row that names its criterion."""
        mapping = self.mapping
        parts = [
            self._rated_in(name, column, column.name)
            for name, column in mapping.of_role(*RATED).items()
        ]
        if name := mapping.column("value"):
            parts.append(self._rated_in(name, Column(role="ratings"), self._cells("criterion")))
        empty = pd.DataFrame(
            columns=["place", "column", "criterion", "rater", "is_judge", "value", "round"]
        ).astype({"is_judge": bool})
        rated = pd.concat([part for part in parts if len(part)] or [empty], ignore_index=True)
        kinds = rated["rater"].map(mapping.raters)
        rated["is_judge"] |= kinds == "llm_judge"
        rated = rated[kinds != "exclude"]
        return rated.sort_values(["place", "round"], kind="stable", ignore_index=True)

    def _rated_in(
        self, name: str, column: Column, criteria: "str | pd.Series[str]"
    ) -> pd.DataFrame:
        """Return the ratings in one column."""
        raters = self._cells("rater") if self.mapping.has_rater_rows else self.mapping.rater
        rated = pd.DataFrame({"value": self.rows[name].str.strip()})
        rated["place"] = rated.index
        rated["column"] = name
        rated["criterion"] = criteria
        rated["rater"] = column.rater or raters
        rated["is_judge"] = column.role == "llm_judge"
        rated["round"] = column.round
        return rated[rated["value"] != ""]

    def _lose_excluded_words(self) -> None:
        """Replace words by the points that they mean; count and drop those that are excluded."""
        if not self.mapping.points or self.rated.empty:
            return
        points = self.mapping.points
        pairs = zip(self.rated["criterion"], self.rated["value"], strict=True)
        self.rated["value"] = [
            points.get(criterion, {}).get(value, value) for criterion, value in pairs
        ]
        excluded = self.rated["value"] == ""
        self._count_lost(self.rated[excluded], "word")
        self.rated = self.rated[~excluded]

    def _count_lost(self, rated: pd.DataFrame, why: str) -> None:
        """Count ratings by annotators that are excluded."""
        for criterion in rated.loc[~rated["is_judge"].astype(bool), "criterion"]:
            self.lost[criterion, why] += 1

    def _ratings(self, units: pd.DataFrame) -> pd.DataFrame:
        """Return the ratings with what they are about, numbered if one person rates it repeatedly."""
        rated = self._named(self.rated)
        about = units.loc[rated["place"], ["question", "source", "system"]]
        ratings = rated.assign(
            question=about["question"].to_numpy(),
            source=about["source"].to_numpy(),
            system=about["system"].to_numpy(),
            row=self.numbers[rated["place"].to_numpy(dtype=int)],
        )
        parts = ["question", "source", "system", "rater", "criterion", "is_judge"]
        unit = _joined([ratings[part].astype(str) for part in parts])
        ratings["repeat"] = unit.groupby(unit).cumcount() + 1
        ratings = self._without_mistakes(ratings)
        ratings["metadata"] = self._rating_metadata(ratings)
        return ratings[list(RATING_COLUMNS)].reset_index(drop=True)

    def _rating_metadata(self, ratings: pd.DataFrame) -> "pd.Series[Any]":
        columns = list(self.mapping.of_role("rating_metadata"))
        for name in columns if ratings.empty else ():
            reason = "This is about ratings, of which the file has none: the column is skipped."
            self._note_problem(0, name, "", reason, "warning")
        metadata = _dictionaries(self.rows.loc[ratings["place"]], columns, "judgment:")
        return pd.Series(metadata, index=ratings.index, dtype=object)

    def _named(self, rated: pd.DataFrame) -> pd.DataFrame:
        """Return the ratings that name an annotator and a criterion; report the others."""
        for part, what in (("rater", "annotator"), ("criterion", "criterion")):
            nameless = rated[rated[part] == ""]
            for row in iterate_rows(nameless):
                self._note_row(row.place, str(row.column), f"The rating names no {what}.")
            self._count_lost(nameless, "unnamed")
            rated = rated[rated[part] != ""]
        return rated

    def _without_mistakes(self, ratings: pd.DataFrame) -> pd.DataFrame:
        """Exclude further ratings of a unit by its rater if the mapping says that these are
        mistakes; otherwise say that there are such ratings."""
        again = ratings[(ratings["repeat"] > 1) & ~ratings["place"].isin(self.repeated.index)]
        if self.mapping.repeats == "mistakes":
            for row in iterate_rows(again):
                reason = (
                    f"{shorten_line(str(row.rater))} rated {shorten_line(str(row.criterion))} of the same "
                    "question in an earlier row."
                )
                self._note_row(row.place, str(row.column), reason)
            self._count_lost(again, "mistake")
            return ratings.drop(index=again.index)
        has_rounds = any(each.round > 1 for each in self.mapping.of_role(*RATED).values())
        if not (again.empty or self.mapping.repeats or has_rounds):
            rows = list(dict.fromkeys(again["row"]))
            self._tell_repeats(
                rows,
                f"{'rates' if len(rows) == 1 else 'rate'} what the same annotator rated before. All "
                "ratings are kept, numbered in the order of the file; say whether they are repeated "
                "ratings or mistakes.",
            )
        return ratings

    def _count_closed_rows(self) -> None:
        """Count the ratings in rows that could not be opened: one in each column of ratings."""
        closed = sum(problem.kind == "row" for problem in self.problems) - len(self.refused)
        for column in self.mapping.of_role("ratings").values() if closed > 0 else ():
            self.lost[column.name, "refused_row"] += closed

    # -- scores, notes and marks --------------------------------------------------------------

    def _scores(self, units: pd.DataFrame) -> pd.DataFrame:
        questions = units["question"].dropna()
        parts = [
            self._scores_in(name, column.name or name.removeprefix("score:"), questions)
            for name, column in self.mapping.of_role(*SCORED).items()
        ]
        empty = pd.DataFrame(columns=list(SCORE_COLUMNS))
        return pd.concat(parts or [empty], ignore_index=True)[list(SCORE_COLUMNS)]

    def _scores_in(self, column: str, name: str, questions: "pd.Series[Any]") -> pd.DataFrame:
        """Return one score of each question; report those that are no numbers, and rows that give a
        question another score."""
        cells = self.rows.loc[questions.index, column].str.strip()
        cells = cells[cells != ""]
        numeric = cells.map(is_number).astype(bool)
        for place, cell in cells[~numeric].items():
            hint = " If the file writes decimals with a comma, say so." if "," in cell else ""
            self._note_row(cast(int, place), column, f"The score is not a number.{hint}")
        cells = cells[numeric]
        scores = pd.DataFrame({"question": questions[cells.index], "value": cells})
        first = scores.groupby("question")["value"].transform("first")
        for place in scores.index[scores["value"] != first]:
            self._note_row(place, column, "An earlier row gives this question another score.")
        scores = scores.assign(name=name, row=self.numbers[cells.index.to_numpy(dtype=int)])
        return scores.assign(column=column)[~scores["question"].duplicated()]

    def _notes(self, units: pd.DataFrame) -> pd.DataFrame:
        """Return the notes of annotators; report those that name none."""
        column = self.mapping.column("note")
        cells = self._cells("note")[units.index]
        notes = units.loc[cells != "", ["question", "source", "system"]].copy()
        notes["text"] = cells[notes.index]
        notes["rater"] = self._rater_of_notes()[notes.index]
        for place in notes.index[notes["rater"] == ""]:
            self._note_row(place, column, "The note names no annotator.")
        kinds = self.mapping.raters
        people = notes["rater"].map(lambda name: kinds.get(name, "annotator") == "annotator")
        notes = notes[(notes["rater"] != "") & people.astype(bool)]
        return notes.assign(kind="note", start=None, end=None, row=self.numbers[notes.index])

    def _rater_of_notes(self) -> "pd.Series[str]":
        """Return who wrote the note of each row: the rater it names, else the only one."""
        raters = {each.rater for each in self.mapping.of_role("ratings").values()}
        only = self.mapping.rater or (raters.pop() if len(raters) == 1 else "")
        named = self._cells("rater")
        return named.where(named != "", only)

    def _marks(self, units: pd.DataFrame, sources: pd.DataFrame) -> pd.DataFrame:
        """Return the marked spans that fit their passages; report the others."""
        rows = []
        first: dict[tuple[Any, str], tuple[bool, int]] = {}
        for unit, mark in self._written_marks(units, sources):
            found = span_of(mark, unit.passage, rater=unit.rater, is_set=bool(unit.is_set))
            if not isinstance(found, str):
                said = (bool(found), unit.row)
                before, row = first.setdefault((unit.question, unit.rater), said)
                if before != bool(found):
                    found = f"In row {row:,} the annotator says otherwise: a span is marked, or nothing answers."
            if isinstance(found, str):
                column = self.mapping.column("mark_start") or self.mapping.column("mark")
                self._note_problem(unit.row, column, str(mark), found)
            else:
                rows.append(_mark_row(unit, mark.text, found))
        return pd.DataFrame(rows, columns=list(NOTE_COLUMNS), dtype=object)

    def _written_marks(
        self, units: pd.DataFrame, sources: pd.DataFrame
    ) -> Iterator[tuple[Any, WrittenMark]]:
        """Yield the marks, each with its unit, passage, rater and row."""
        units = units.assign(rater=self._cells("rater"), row=self.numbers[units.index])
        units["passage"] = units["source"].map(sources["passage"])
        cells = [self._cells(role)[units.index] for role in _MARK_ROLES]
        for unit in iterate_rows(units[(cells[0] != "") | (cells[1] != "")]):
            yield unit, WrittenMark(*(cell[unit.Index] for cell in cells))

    def _warn_of_differing_metadata(self, units: pd.DataFrame) -> None:
        """Say once for each column of metadata that its rows differ, of which the first is kept."""
        hint = ""
        if self.mapping.has_rater_rows:
            hint = " If it is about each rating, call it metadata of the rating."
        for role, what in (("source_metadata", "source"), ("metadata", "question")):
            groups = units[what].dropna()
            for name in self.mapping.of_role(role):
                cells = self.rows.loc[groups.index, name]
                given = cells[cells != ""]
                first = given.groupby(groups[given.index]).transform("first")
                if (differs := given.index[given != first]).size:
                    reason = (
                        f"Rows of the same {what} differ in this, and only the first is kept.{hint}"
                    )
                    self._note_row(differs[0], name, reason, "warning")


def _mark_row(unit: Any, text: str, span: Range | None) -> tuple[Any, ...]:
    """Return a mark as a row of notes."""
    kind, (start, end) = ("span", span) if span else ("nothing", (None, None))
    about = (unit.question, unit.source, unit.system, unit.rater)
    return (*about, kind, text, start, end, unit.row)


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame of Python objects in which None stands for every missing value."""
    objects = frame.astype(object)
    return objects.where(objects.notna(), None)


def _one_row_a_system(frame: pd.DataFrame, mapping: Mapping) -> tuple[pd.DataFrame, Mapping]:
    """Return a frame with a column of questions for each system as one with a row for each, in
    which a blank cell is a slot without a question."""
    asked = mapping.of_role("question_of")
    if not asked:
        return frame, mapping
    kept = [name for name in frame.columns if name not in asked]
    question, system = _unused("question", kept), _unused("system", kept)
    parts = [
        frame[kept].assign(**cast(dict[str, Any], {question: frame[name], system: column.name}))
        for name, column in asked.items()
    ]
    # the rows of one line of the file stay together
    long = pd.concat(parts).sort_index(kind="stable")
    columns = {name: each for name, each in mapping.columns.items() if name not in asked}
    columns |= {question: Column(role="question"), system: Column(role="system")}
    return long, mapping.model_copy(update={"columns": columns})


def _prepared(rows: pd.DataFrame, mapping: Mapping) -> pd.DataFrame:
    """Return the rows with words for "missing" blanked, numbers written with a point, and one
    spelling of people and systems, as the mapping says."""
    rows = rows.copy()
    if mapping.blanks:
        words = {word.strip().casefold() for word in mapping.blanks}
        texts = {mapping.column(role) for role in _FREE_TEXT}
        for name in rows.columns:
            if name not in texts:
                is_word = rows[name].str.strip().str.casefold().isin(words)
                rows[name] = rows[name].mask(is_word, "")
    if mapping.numbers != "point":
        for name in (*mapping.of_role(*RATED, *SCORED), *mapping.of_role("value")):
            rows[name] = rows[name].map(lambda cell: as_number(cell.strip(), mapping.numbers))
    if mapping.one_spelling:
        for role in ("rater", "system"):
            if name := mapping.column(role):
                rows[name] = rows[name].replace(commonest_spellings(rows[name]))
    return rows


def commonest_spellings(names: "pd.Series[str]") -> dict[str, str]:
    """Return the most common spelling of each name that has several, which differ only in case and
    blanks."""
    counts = Counter(names[names != ""])
    spellings: dict[str, list[str]] = {}
    for name in counts:
        spellings.setdefault(" ".join(name.casefold().split()), []).append(name)
    found: dict[str, str] = {}
    for same in spellings.values():
        usual = max(same, key=lambda name: (counts[name], name.strip() == name)).strip()
        found |= {name: usual for name in same if name != usual}
    return found


def _first_equal(rows: pd.DataFrame) -> "pd.Series[int]":
    """Return, for each row, the first row that equals it cell for cell."""
    keys = _joined([rows[name] for name in rows.columns])
    places = pd.Series(rows.index, index=rows.index)
    return places.groupby(keys).transform("first")


def _joined(parts: Sequence["pd.Series[str]"]) -> "pd.Series[str]":
    """Return one key for the parts of each row."""
    joined = parts[0]
    for part in parts[1:]:
        joined = joined + _APART + part
    return joined


def _positions(units: pd.DataFrame) -> "pd.Series[int]":
    """Return the position of each row's question: the declared one, else counted in the order of
    the file within its source and system."""
    firsts = units[~units["slot"].duplicated()]
    counted = firsts.groupby("pair").cumcount() + 1
    by_slot = pd.Series(counted.to_numpy(), index=firsts["slot"])
    counted_of_row = units["slot"].map(by_slot)
    declared = units["declared"].astype(int)
    positions = declared.where(declared > 0, counted_of_row)
    return positions.mask(units["is_set"], _WHOLE_SET).astype(int)


def _references_in(cells: Sequence[str]) -> tuple[str, ...]:
    """Return the references of a row: one in a cell, or a JSON list of them."""
    found: list[str] = []
    for cell in cells:
        listed: Any = None
        if cell.startswith("["):
            with suppress(ValueError, RecursionError):
                listed = json.loads(cell)
        is_list = isinstance(listed, list) and all(isinstance(each, str) for each in listed)
        found += listed if is_list else [cell]
    return tuple(text for text in found if text.strip())


def _united(given: pd.DataFrame) -> list[list[str]]:
    """Return the different references of each source, in the order of the file."""
    found: list[dict[str, None]] = [{} for _ in range(given["source"].nunique())]
    for source, references in zip(given["source"], given["references"], strict=True):
        found[source].update(dict.fromkeys(references))
    return [list(each) for each in found]


_NOTHING: dict[str, str] = {}


def _dictionaries(rows: pd.DataFrame, columns: Sequence[str], prefix: str) -> list[dict[str, str]]:
    """Return the cells of each row that are not blank, by the column's name without the prefix of
    our own exports."""
    if not columns:
        return [_NOTHING] * len(rows)
    names = [name.removeprefix(prefix) for name in columns]
    cells = zip(*(rows[name] for name in columns), strict=True)
    return [
        {name: cell for name, cell in zip(names, row, strict=True) if cell.strip()} for row in cells
    ]


def _are_whole(cells: "pd.Series[str]", *, least: int) -> "pd.Series[bool]":
    """Return which cells are whole numbers that are not below the least one."""
    return cells.map(lambda cell: whole_number(cell, least=least) is not None).astype(bool)


def _limit_sets(*, named: int, systems: int, sources: int) -> None:
    """Refuse a file for which far more question sets would be stored than it names."""
    if systems * sources - named > MAX_TABLE_ROWS:
        raise Unreadable(
            f"Of {systems:,} systems for {sources:,} sources there would be {systems * sources:,} "
            f"question sets, of which the file names {named:,}. Check that the right columns were "
            "chosen for source and system."
        )


def _unused(name: str, names: Sequence[str]) -> str:
    while name in names:
        name += "_"
    return name


def study_of_records(records: StudyRecords) -> Study:
    """Return the sources and questions of records as a study without ratings."""
    numbers = {source.key: number for number, source in enumerate(records.sources)}
    sources = [
        {
            **asdict(source),
            "references": list(source.references),
            "metadata": dict(source.attributes),
        }
        for source in records.sources
    ]
    questions = [
        {
            **asdict(question),
            "source": numbers[question.source_key],
            "metadata": dict(question.attributes),
        }
        for question in records.questions
    ]
    found = pd.DataFrame(sources, columns=list(SOURCE_COLUMNS), dtype=object)
    found["passage"] = found["passage"].fillna("")
    return Study(
        sources=_plain(found),
        questions=_plain(pd.DataFrame(questions, columns=list(QUESTION_COLUMNS), dtype=object)),
        ratings=pd.DataFrame(columns=list(RATING_COLUMNS)),
        scores=pd.DataFrame(columns=list(SCORE_COLUMNS)),
        notes=pd.DataFrame(columns=list(NOTE_COLUMNS)),
        expected={
            (numbers[key], system): slots for (key, system), slots in records.expected.items()
        },
    )
