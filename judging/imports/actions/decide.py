"""What a file would add to its dataset: decided here for every row, stored elsewhere."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from pandas import DataFrame, Series

from judging.base.limits import MAX_NAME_CHARACTERS, MAX_SYSTEMS, MAX_TABLE_ROWS
from judging.base.texts import count_with_noun
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Dataset
from judging.datasets.models.score import Metric
from judging.formats.choices import JoiningChoices
from judging.formats.frames import Problem, Study, iterate_rows, shorten_line
from judging.formats.letters import (
    Letters,
    find_letters,
    of_several_systems,
    renamed,
    systems_in_file,
)
from judging.formats.mapping import SCORED, Column, Mapping
from judging.formats.match import Matched, match
from judging.formats.shuffled import replace_row_letters
from judging.formats.tiers import NONE, Held, cell, iterate_cells, lookup, normalize_for_match
from judging.imports.actions import files, holdings, scales
from judging.imports.actions.fit import RatingTally
from judging.imports.actions.scales import RatingsRead
from judging.protocols.models.protocol import Protocol

Kind = Literal["similar", "unmatched", "ambiguous", "conflicting"]
SHOWN = 100
LABEL_CHARACTERS = 100  # of the database columns of labels
NAMES_SHOWN = 5
FILLED = ("passage", "answer", "sentence", "target_type", "modality", "language")
STARTS = {"answer": "answer_start", "sentence": "sentence_start"}
NO_SUCH_QUESTION = "The dataset has no such question."
SCALES = {
    "fraction": Metric.Scale.FRACTION,
    "percent": Metric.Scale.PERCENT,
    "none": Metric.Scale.OTHER,
}


class RowFinding(NamedTuple):
    """A row of the file that needs a decision, with its text and the reason."""

    kind: Kind
    row: int
    what: str
    reason: str
    question: int = NONE


class Fill(NamedTuple):
    """A blank part of a source of the dataset that the file fills."""

    source: int
    name: str
    text: str
    start: int | None


@dataclass(kw_only=True)
class Joined:
    """All that a file would add, and the obstacles to adding it.

    `questions` are those of the study with their matches, `unit` 0 for none, and a `fate`: matched;
    filled, a slot whose question was missing; new; repeat, a new copy of a question that was rated
    again; excluded; or "", nothing to store. `sources` have `match`, the dataset's source or NONE,
    and `is_new`.
    """

    study: Study
    mapping: Mapping
    held: Held
    matched: Matched
    named: Sequence[str] = ()  # the systems, as the file calls them
    letters: Letters | None = None
    questions: DataFrame
    sources: DataFrame
    adds: bool = False  # whether rows without a match are added
    row_counts: Counter[str] = field(default_factory=Counter)
    tiers: Counter[str] = field(default_factory=Counter)
    findings: list[RowFinding] = field(default_factory=list)
    scores: DataFrame = field(default_factory=DataFrame)
    metadata: DataFrame = field(default_factory=DataFrame)
    references: list[tuple[int, str]] = field(default_factory=list)
    fills: list[Fill] = field(default_factory=list)
    ratings: DataFrame = field(default_factory=DataFrame)
    judge_ratings: DataFrame = field(default_factory=DataFrame)  # by LLM judges
    tally: RatingTally = field(default_factory=RatingTally)  # of the annotators' ratings
    judge_tally: RatingTally = field(default_factory=RatingTally)
    metrics: dict[str, Metric] = field(default_factory=dict)
    unmapped: tuple[str, ...] = ()  # a sentence for each word that is no scale point
    refused: list[Problem] = field(default_factory=list)
    contradicting: list[Problem] = field(default_factory=list)
    obstacles: list[str] = field(default_factory=list)

    @property
    def not_kept(self) -> list[Problem]:
        """Return the values and rows that go to quarantine."""
        return self.refused + self.contradicting

    @property
    def added(self) -> DataFrame:
        """Return the questions that are added."""
        return self.questions[self.questions["fate"].isin(["filled", "new", "repeat"])]

    def counts(self) -> dict[str, int]:
        """Return the number of rows of every kind; equal files and equal datasets give equal
        counts."""
        return {**self.row_counts, "refused": len(self.not_kept)}

    def as_dict(self) -> dict[str, Any]:
        """Return counts, tiers and the first examples of each kind as plain data."""
        examples: dict[str, list[dict[str, Any]]] = {}
        for finding in self.findings:
            shown = examples.setdefault(finding.kind, [])
            if len(shown) < SHOWN:
                shown.append(
                    {
                        "row": finding.row,
                        "what": shorten_line(finding.what),
                        "reason": finding.reason,
                    }
                )
        return {
            "counts": dict(self.row_counts),
            "tiers": dict(self.tiers),
            "examples": examples,
        }

    def mostly_new(self, *, in_first_batch: bool = False) -> str:
        """Return a sentence if most of the file's questions or systems are new to a dataset that
        has some, else an empty one.

        The first files of a dataset may each contain questions of their own, but share their
        systems (`in_first_batch`).
        """
        originals = self.held.sources.index[self.held.sources["repeat_of"] == NONE]
        slots = self.held.slots
        there = int((slots["text"].notna() & slots["source"].isin(originals)).sum())
        new, matched = self.row_counts["new"], self.row_counts["matched"]
        systems = set(self.added["system"]) - self.held.systems
        parts = [
            ("questions", new > matched and not in_first_batch),
            ("systems", 2 * len(systems) > len(systems_in_file(self.study))),
        ]
        most = " and ".join(name for name, is_mostly_new in parts if is_mostly_new)
        if not there or not most:
            return ""
        added = count_with_noun(new, "question")
        if systems:
            added += f" and {count_with_noun(len(systems), 'system')}"
        return (
            f"Most of this file’s {most} are new to the dataset: it would add {added}, and {matched:,} "
            f"of its questions match one of the {there:,} in the dataset."
        )

    def note(self, kind: Kind, row: int, what: str, reason: str, question: int = NONE) -> None:
        """Count a row that needs a decision, and keep it with the reason."""
        self.row_counts[kind] += 1
        self.findings.append(RowFinding(kind, row, what, reason, question))


def decide_rows(
    study: Study,
    mapping: Mapping,
    dataset: Dataset,
    choices: JoiningChoices,
    *,
    protocol: Protocol | None = None,
    campaign: Campaign | None = None,
    held: Held | None = None,
) -> Joined:
    """Decide about every row of a file; nothing is stored.

    `campaign` is the one that holds the dataset's ratings under this protocol, `held` the dataset's
    contents.
    """
    held = held or holdings.read_holdings(dataset)
    named = systems_in_file(study) if mapping.names_systems else []
    letters = find_letters(study, held, choices.systems) if named else None
    joined = _matched(_with_systems(study, letters, choices), mapping, held, choices, letters)
    joined.named = named
    if not joined.obstacles:
        _decide_sources(joined)
        _decide_questions(joined, dataset, choices)
        _decide_scores(joined, dataset)
        _decide_metadata(joined, dataset)
        _decide_references(joined, dataset)
        _decide_ratings(joined, protocol, campaign)
        joined.obstacles += _obstacles(joined, dataset, choices, protocol)
        joined.obstacles += joined.unmapped
    return joined


def _with_systems(study: Study, letters: Letters | None, choices: JoiningChoices) -> Study:
    """Return a study with the systems behind its letters, and repeated ratings about copies."""
    if letters and letters.by_row:
        study = replace_row_letters(study, letters)
    return unroll_repeats(renamed(study, {**(letters.names if letters else {}), **choices.systems}))


def _matched(
    study: Study, mapping: Mapping, held: Held, choices: JoiningChoices, letters: Letters | None
) -> Joined:
    """Match a study with a dataset; nothing is decided yet."""
    matched = match(
        study.sources,
        study.questions,
        held,
        choices,
        has_ids=bool(mapping.column("source_id")),
        any_system=not mapping.names_systems,
        lettered=of_several_systems(study, letters) if letters and not letters.by_row else None,
    )
    return Joined(
        study=study,
        mapping=mapping,
        held=held,
        matched=matched,
        letters=letters,
        questions=_with_matches(study, matched, held),
        sources=_with_candidates(study, matched),
        obstacles=[problem.reason for problem in study.problems if problem.kind == "file"],
        refused=[problem for problem in study.problems if problem.kind in ("row", "value")],
    )


def unroll_repeats(study: Study) -> Study:
    """Return a study in which no rater rates a unit twice: a value with a higher `repeat` is about a
    copy of its question, in a copy of its source (ADR 0013).

    `copy_of` names the first of both by its number; it is NONE for all others.
    """
    sources = study.sources.assign(copy_of=NONE, repeat=1)
    questions = study.questions.assign(copy_of=NONE)
    is_again = (study.ratings["repeat"] > 1) & ~study.ratings["is_judge"].astype(bool)
    sets = study.ratings.loc[is_again, ["source", "system", "repeat"]].drop_duplicates()
    if sets.empty:
        return replace(study, sources=sources, questions=questions)
    copies = _copied_sources(sources, sets)
    number = {
        (first, repeat): copy for copy, first, repeat in iterate_cells(copies, "copy_of", "repeat")
    }
    again = _copied_questions(questions, sets, number)
    return replace(
        study,
        sources=pd.concat([sources, copies]),
        questions=pd.concat([questions, again]),
        ratings=_about_copies(study.ratings, again, number),
        expected={**study.expected, **_expected_copies(study, sets, number)},
    )


def _expected_copies(
    study: Study, sets: DataFrame, number: dict[tuple[int, int], int]
) -> dict[tuple[int, str], int]:
    return {
        (number[source, repeat], system): study.expected[source, system]
        for _, source, system, repeat in iterate_cells(sets, "source", "system", "repeat")
    }


def _copied_sources(sources: DataFrame, sets: DataFrame) -> DataFrame:
    """Return copies of sources, without their references and metadata."""
    repeats = sets[["source", "repeat"]].drop_duplicates().sort_values("source", kind="stable")
    copies = sources.loc[repeats["source"]]
    start = sources.index.max() + 1
    keys = zip(copies["key"], repeats["repeat"], strict=True)
    copies = copies.assign(
        copy_of=copies.index,
        repeat=repeats["repeat"].to_numpy(),
        key=[f"{key} (repeat {repeat})" for key, repeat in keys],
        references=Series([[]] * len(copies), copies.index, dtype=object).to_numpy(),
        metadata=Series([{}] * len(copies), copies.index, dtype=object).to_numpy(),
    )
    return copies.set_index(pd.RangeIndex(start, start + len(copies)))


def _copied_questions(
    questions: DataFrame, sets: DataFrame, number: dict[tuple[int, int], int]
) -> DataFrame:
    """Return copies of the questions of sets that were rated again, without their metadata."""
    copies = questions.assign(copy_of=questions.index).merge(sets, on=["source", "system"])
    copies = copies.sort_values("copy_of", kind="stable")
    start = questions.index.max() + 1
    pairs = zip(copies["source"], copies["repeat"], strict=True)
    copies = copies.assign(
        source=[number[pair] for pair in pairs],
        key="",
        metadata=Series([{}] * len(copies), copies.index, dtype=object),
    )
    return copies.set_index(pd.RangeIndex(start, start + len(copies)))[questions.columns]


def _about_copies(
    ratings: DataFrame, copies: DataFrame, number: dict[tuple[int, int], int]
) -> DataFrame:
    """Return ratings of which the repeated ones are about the copies."""
    firsts = iterate_cells(copies, "source", "copy_of")
    question_of = {(source, first): copy for copy, source, first in firsts}
    repeat = ratings["repeat"].where(~ratings["is_judge"].astype(bool), 1)
    pairs = list(zip(ratings["source"], repeat, strict=True))
    sources = [number.get(pair, pair[0]) for pair in pairs]
    moved = zip(sources, ratings["question"], strict=True)
    questions = [question_of.get(pair, pair[1]) for pair in moved]
    return ratings.assign(source=sources, question=Series(questions, ratings.index, dtype=object))


def _with_matches(study: Study, matched: Matched, held: Held) -> DataFrame:
    questions = study.questions.join(matched.questions)
    questions["unit"] = questions["unit"].fillna(0).astype(int)
    questions["there"] = questions["unit"].map(held.slots["text"])
    questions["choices"] = questions["source"].map(matched.sources["candidates"]).map(len)
    questions["fate"] = ""
    return questions


def _with_candidates(study: Study, matched: Matched) -> DataFrame:
    candidates = matched.sources["candidates"]
    matches = [pks[0] if len(pks) == 1 else NONE for pks in candidates]
    return study.sources.assign(match=matches, nearby=matched.sources["nearby"], is_new=False)


def _decide_sources(joined: Joined) -> None:
    """Fill the blank parts of sources; a part with another value is kept and reported."""
    there = {pk: parts for pk, *parts in iterate_cells(joined.held.sources, *FILLED)}
    found = joined.sources[joined.sources["match"] != NONE]
    for source, pk, *given in iterate_cells(found, "match", *FILLED):
        for name, new, old in zip(FILLED, given, there[pk], strict=True):
            if new and new != old and normalize_for_match(new) != normalize_for_match(old):
                _decide_part(joined, source, pk, name, is_blank=not old)


def _decide_part(joined: Joined, source: int, pk: int, name: str, *, is_blank: bool) -> None:
    new = cell(joined.sources, source, name)
    if not is_blank:
        part, key = name.replace("_", " "), shorten_line(cell(joined.held.sources, pk, "key"))
        reason = f"The dataset’s {part} of source “{key}” is another."
        joined.note("conflicting", cell(joined.sources, source, "row"), new, reason)
        return
    start = cell(joined.sources, source, STARTS[name]) if name in STARTS else None
    joined.fills.append(Fill(pk, name, new, None if pd.isna(start) else int(start)))
    joined.row_counts["filled"] += 1


def _adds(joined: Joined, choices: JoiningChoices) -> bool:
    """Return whether rows without a match are added: as the researcher decided, else if no row of
    the file matches."""
    if choices.unmatched:
        return choices.unmatched == "add"
    if joined.held.sources.empty:
        return True
    questions = joined.questions
    return bool(
        questions["text"].notna().any()
        and not _is_nameless(joined)
        and (questions["unit"] == 0).all()
    )


def _is_nameless(joined: Joined) -> bool:
    """Return whether the file does not say whose its new questions are."""
    is_shuffled = joined.letters is not None and joined.letters.by_row
    return is_shuffled or not joined.mapping.names_systems


def _decide_questions(joined: Joined, dataset: Dataset, choices: JoiningChoices) -> None:
    """Decide the fate of every question, and which sources are new."""
    joined.adds = _adds(joined, choices)
    says, known = _saying_something(joined), _known_texts(joined, dataset)
    fates: dict[int, str] = {}
    for row in iterate_rows(joined.questions):
        if row.copy_of != NONE:
            fates[row.Index] = _fate_of_copy(joined, row, fates[row.copy_of])
        elif row.unit:
            fates[row.Index] = _fate_of_match(joined, row)
        elif row.Index in says:
            joined.tiers["none"] += 1
            fates[row.Index] = _fate_of_unmatched(joined, row, is_known=row.Index in known)
        else:
            fates[row.Index] = "missing" if joined.adds and not row.choices else ""
    joined.questions["fate"] = Series(fates, dtype=object)
    _mark_new_sources(joined)


def _saying_something(joined: Joined) -> set[int]:
    """Return the questions of which the file gives anything besides naming their sources."""
    questions, ratings = joined.study.questions, joined.study.ratings
    by_annotators = ratings["question"][~ratings["is_judge"].astype(bool)].dropna()
    says = questions["text"].notna() | questions["metadata"].map(bool).astype(bool)
    return {*questions.index[says], *joined.study.scores["question"], *by_annotators}


def _known_texts(joined: Joined, dataset: Dataset) -> set[int]:
    """Return the questions whose texts the dataset has in that passage from other systems than that
    of their letter; none if a locked campaign forbids adding questions."""
    letters = joined.letters
    if letters is None or letters.by_row or files.locked_campaigns(dataset):
        return set()
    decided = set(letters.names.values()) & joined.held.systems
    systems = joined.questions["system"].reindex(letters.found.labels.index)
    return set(systems.index[systems.isin(decided)])


def _fate_of_copy(joined: Joined, row: Any, first: str) -> str:
    """Find the copy of a question that was rated again, or create one; if the question itself is
    missing, there is no copy."""
    if first == "excluded" or (not row.unit and not joined.mapping.names_systems):
        return "excluded"
    if row.unit:
        return "matched"
    if pd.isna(row.text):
        return ""
    joined.row_counts["repeats"] += 1
    return "repeat"


def _fate_of_match(joined: Joined, row: Any) -> str:
    joined.tiers[row.tier] += 1
    if not pd.isna(row.text) and pd.isna(row.there):
        joined.row_counts["new"] += 1
        return "filled"
    joined.row_counts["matched"] += 1
    if row.tier == "similar":
        reason = f"The dataset’s question is “{shorten_line(row.there)}” ({row.similarity:.0f}% similar)."
        joined.note("similar", row.row, _name(joined, row), reason, row.Index)
    return "matched"


def _fate_of_unmatched(joined: Joined, row: Any, *, is_known: bool) -> str:
    """Add a question that no tier matched, or exclude it with the reason."""
    if row.reason == "ambiguous":
        return _exclude(joined, "ambiguous", row, _ambiguity(row.alike))
    if row.reason == "conflicting":
        text = cell(joined.held.slots, row.pointed_at, "text")
        reason = f"The dataset’s question there is “{shorten_line(text)}”."
        return _exclude(joined, "conflicting", row, reason)
    if row.choices > 1 and joined.adds:
        reason = f"{row.choices} sources of the dataset look like this one."
        return _exclude(joined, "ambiguous", row, reason)
    if not pd.isna(row.text) and (joined.adds or (is_known and row.choices == 1)):
        joined.row_counts["new"] += 1
        return "new"
    if joined.adds and not row.choices:  # ratings or scores of a missing question
        return "missing"
    return _exclude(joined, "unmatched", row, _lack(joined, row))


def _exclude(joined: Joined, kind: Kind, row: Any, reason: str) -> str:
    joined.note(kind, row.row, _name(joined, row), reason, row.Index)
    return "excluded"


def _mark_new_sources(joined: Joined) -> None:
    questions, sources = joined.questions, joined.sources
    no_source = questions["source"].map(sources["match"]) == NONE
    has_new = questions["fate"].isin(["new", "missing", "repeat"]) & no_source
    is_new = sources.index.isin(questions["source"][has_new])
    if joined.held.sources.empty:
        unasked = ~sources.index.isin(questions["source"])
        if questions["text"].isna().all():
            has_text = (sources["passage"].fillna("") != "") | (sources["sentence"] != "")
            is_new = (is_new | unasked) & has_text
        else:
            is_new |= unasked
    sources["is_new"] = is_new


def _name(joined: Joined, row: Any) -> str:
    if isinstance(row.text, str) and row.text:
        return row.text
    key = cell(joined.sources, row.source, "key")
    return str(row.key) or f"{key}, {row.system}, {row.position}"


def _ambiguity(alike: int) -> str:
    if alike == 1:
        return "An earlier row of the file is about the same question."
    return f"{alike} questions of the dataset read like this one."


def _lack(joined: Joined, row: Any) -> str:
    letters = joined.letters
    if letters and not letters.decided.get(row.system, "decided"):
        lack = f"No system is decided for the letter “{shorten_line(row.system)}”."
    elif row.choices:
        lack = "The dataset has this source, but no such question of this system there."
    else:
        lack = NO_SUCH_QUESTION
    if pd.isna(row.closest):
        return lack
    found_by = "in the same passage" if row.in_passage else "by question text only"
    closest = joined.held.slots.loc[row.closest]
    return (
        f"{lack} The closest one {found_by} is “{shorten_line(closest['text'])}” by "
        f"{shorten_line(closest['system'])} ({row.closeness:.0f}% similar)."
    )


def _score_columns(joined: Joined) -> dict[str, tuple[str, Column]]:
    """Return the columns of scores by the names of their scores, with their headers."""
    columns = joined.mapping.of_role(*SCORED)
    return {column.name or header: (header, column) for header, column in columns.items()}


def _decide_scores(joined: Joined, dataset: Dataset) -> None:
    """Continue columns of the same name and kind; a value that the dataset has is not stored
    again."""
    columns = _score_columns(joined)
    joined.metrics = holdings.metrics_of(dataset, columns)
    for name, metric in joined.metrics.items():
        column = columns[name][1]
        if (metric.direction, metric.scale) != (column.direction, SCALES[column.scale]):
            joined.obstacles.append(
                f"The dataset has a column “{shorten_line(name)}” with another direction or scale: give this file’s "
                "another name, or declare both alike."
            )
    there = holdings.stored_scores(joined.metrics.values())
    joined.scores = _new_values(joined, "scores", joined.study.scores, there)


def _decide_metadata(joined: Joined, dataset: Dataset) -> None:
    """Give each question the metadata of its source and its own."""
    of_source = joined.study.sources["metadata"].to_dict()
    questions = joined.study.questions
    cells = (questions.index, questions["source"], questions["metadata"], questions["row"])
    rows = [
        (question, name, value, row)
        for question, source, own, row in zip(*cells, strict=True)
        for name, value in {**of_source[source], **own}.items()
        if value.strip()
    ]
    metadata = DataFrame(rows, columns=["question", "name", "value", "row"], dtype=object)
    there = holdings.attributes_of(dataset, set(metadata["name"]))
    joined.metadata = _new_values(joined, "metadata", metadata, there)


def _new_values(joined: Joined, what: str, values: DataFrame, there: DataFrame) -> DataFrame:
    """Return the values that the dataset does not have; report those that contradict it."""
    questions = joined.questions
    kept = questions.index[questions["fate"] != "excluded"]
    values = values[values["question"].isin(kept)]
    values = values.assign(unit=values["question"].map(questions["unit"]).astype(int))
    found = values.merge(there, on=["unit", "name"], how="left")
    is_new = found["old"].isna()
    joined.row_counts[what] += int(is_new.sum())
    for row in iterate_rows(found[~is_new]):
        is_number = what == "scores"
        if row.old == row.value or (is_number and float(row.old) == float(row.value)):
            joined.row_counts["already_there"] += 1
        else:
            _contradict(joined, row)
    return found.loc[is_new, ["question", "name", "value"]]


def _contradict(joined: Joined, value: Any) -> None:
    reason = f"The dataset has {shorten_line(value.old)} for {shorten_line(value.name)}."
    row = cell(joined.questions, value.question, "row")
    joined.note("conflicting", row, f"{value.name}: {value.value}", reason, value.question)
    joined.contradicting.append(_problem(row, value.name, value.value, reason))


def _problem(row: int, column: str, value: str, reason: str) -> Problem:
    return Problem(row=row, column=column, value=value, reason=reason, kind="value")


def _decide_references(joined: Joined, dataset: Dataset) -> None:
    sources = joined.sources
    given = sources[sources["references"].map(bool).astype(bool)]
    there = holdings.references_of(dataset) if len(given) else {}
    questions = joined.questions
    excluded = set(questions["source"][questions["fate"] == "excluded"])
    columns = ("references", "match", "is_new", "row")
    for source, texts, pk, is_new, row in given[list(columns)].itertuples():
        if pk == NONE and not is_new:
            if source not in excluded:  # else counted with its questions
                reason = f"The dataset has no such source.{_difference(joined, source)}"
                joined.note("unmatched", row, texts[0], reason)
            continue
        new = [text for text in texts if text not in there.get(pk, ())]
        joined.references += [(source, text) for text in new]
        joined.row_counts["references"] += len(new)
        joined.row_counts["already_there"] += len(texts) - len(new)


def _difference(joined: Joined, source: int) -> str:
    """Return which part of a source differs, if the dataset has its passage."""
    ours = joined.sources.loc[source]
    if pd.isna(ours["nearby"]):
        return ""
    there = joined.held.sources.loc[ours["nearby"]]
    for name in ("answer", "target_type"):
        new, old = ours[name], there[name]
        if new and old and normalize_for_match(new) != normalize_for_match(old):
            part = name.replace("_", " ")
            return f" One with the same passage has another {part}: “{shorten_line(old)}”."
    return ""


def _decide_ratings(joined: Joined, protocol: Protocol | None, campaign: Campaign | None) -> None:
    """Collect the ratings that are stored: annotators', and LLM judges' apart from them."""
    is_judge = joined.study.ratings["is_judge"].astype(bool)
    if is_judge.all() or protocol is None:
        return
    ratings = joined.study.ratings[~is_judge]
    reading = scales.read_ratings(ratings, joined.study.questions, protocol)
    _refuse(joined, ratings, reading)
    if reading.values.empty:
        first = next((sentence for _, sentence in reading.refused.values()), "")
        joined.obstacles.append(f"None of the {len(ratings):,} ratings fits {protocol}: {first}")
    joined.unmapped = reading.unmapped
    excluded = {number: why for number, (why, _) in reading.refused.items()}
    already_there = _new_ratings(joined, reading, campaign, excluded)
    joined.tally = scales.count_excluded(
        ratings, joined.study.lost, reading.scales, excluded=excluded, already_there=already_there
    )
    _decide_judge_ratings(joined, joined.study.ratings[is_judge], protocol)


def _decide_judge_ratings(joined: Joined, ratings: DataFrame, protocol: Protocol) -> None:
    reading = scales.read_ratings(ratings, joined.study.questions, protocol)
    _refuse(joined, ratings, reading)
    joined.judge_ratings = reading.values[_units(joined, reading.values).notna()]
    joined.row_counts["judge_ratings"] += len(joined.judge_ratings)
    excluded = {number: why for number, (why, _) in reading.refused.items()}
    joined.judge_tally = scales.count_excluded(
        ratings, {}, reading.scales, excluded=excluded, already_there=()
    )


def _refuse(joined: Joined, ratings: DataFrame, reading: RatingsRead) -> None:
    """Send refused ratings to quarantine."""
    lost = ratings.loc[list(reading.refused)]
    for number, row, column, value in iterate_cells(lost, "row", "column", "value"):
        joined.refused.append(_problem(row, column, value, reading.refused[number][1]))


def _units(joined: Joined, values: DataFrame) -> Series:
    """Return the unit of each value: 0 if it is new, NA if neither dataset nor file has it."""
    questions = joined.questions
    is_stored = questions["fate"].isin(["matched", "filled", "new", "repeat"])
    units = lookup(questions["unit"].where(is_stored))
    new = {
        (source, system) for _, source, system in iterate_cells(joined.added, "source", "system")
    }
    sets = iterate_cells(joined.held.sets, "source", "system", "whole")
    known = {(source, system): whole for _, source, system, whole in sets}
    match_of = lookup(joined.sources["match"])
    found = []
    for _, question, source, system in iterate_cells(values, "question", "source", "system"):
        if question != NONE:
            found.append(units[question])
        else:
            is_new = 0.0 if (source, system) in new else np.nan
            found.append(known.get((match_of[source], system), is_new))
    return Series(found, values.index, dtype=float)


def _new_ratings(
    joined: Joined, reading: RatingsRead, campaign: Campaign | None, excluded: dict[int, str]
) -> set[int]:
    """Keep the ratings that the dataset does not have, and note in `excluded` why others are not
    stored; return the numbers of those that it has already."""
    values = _beside_old(joined, reading.values, campaign)
    is_unknown, is_new = values["unit"].isna(), values["old"].isna()
    is_same = values["old"] == values["point"]
    joined.ratings = values[~is_unknown & is_new]
    joined.row_counts["ratings"] += len(joined.ratings)
    joined.row_counts["ratings_excluded"] += int(is_unknown.sum())
    joined.row_counts["already_there"] += int(is_same.sum())
    excluded |= dict.fromkeys(values["rating"][is_unknown], "no_question")
    _contradict_ratings(joined, values[~is_new & ~is_same], reading, excluded)
    for rating in joined.ratings["rating"]:  # a set's, which is new on some questions only
        excluded.pop(rating, None)
    return set(values["rating"][is_same]) - set(joined.ratings["rating"]) - excluded.keys()


def _beside_old(joined: Joined, values: DataFrame, campaign: Campaign | None) -> DataFrame:
    """Return values with their units and the values that the dataset has."""
    there = holdings.judgments_of(campaign, set(values["rater"]))
    values = values.assign(unit=_units(joined, values))
    return values.merge(there, on=["unit", "rater", "criterion"], how="left")


def _contradict_ratings(
    joined: Joined, values: DataFrame, reading: RatingsRead, excluded: dict[int, str]
) -> None:
    names = {scale.criterion.pk: scale.criterion.name for scale in reading.scales.values()}
    for row in iterate_rows(values):
        excluded[row.rating] = "contradicts"
        criterion = names[row.criterion]
        reason = f"{shorten_line(row.rater)} gave {int(row.old)} in a file that was added before."
        joined.note("conflicting", 0, f"{criterion}: {row.point}", reason)
        joined.contradicting.append(_problem(0, criterion, str(row.point), reason))


def _obstacles(
    joined: Joined, dataset: Dataset, choices: JoiningChoices, protocol: Protocol | None
) -> Iterator[str]:
    is_judge = joined.study.ratings["is_judge"].astype(bool)
    if not is_judge.all() and protocol is None:
        yield "The file contains ratings: choose the protocol they were given under, or exclude their columns."
    if len(is_judge) and is_judge.all():
        yield (
            "All ratings are by LLM judges. Exclude their columns; after the import, add each "
            "judge with this table on a campaign’s page of LLM judges."
        )
    if _is_nameless(joined) and len(joined.added) > joined.row_counts["repeats"]:
        yield "The file contains new questions and no column names the system. Name their system."
    conflicts = joined.row_counts["conflicting"]
    if choices.conflicts == "refuse" and conflicts:
        yield f"{conflicts:,} rows contradict the dataset, and you chose to add nothing in that case."
    if joined.held.sources.empty and not joined.sources["is_new"].any():
        yield (
            "The file has no question and no passage that could be stored. Say which column "
            "holds the generated questions."
        )
        return
    yield from _changes_of_fixed(joined, dataset)
    yield from _too_many(joined.study)
    yield from _too_long(joined)
    if _is_nothing_new(joined):
        yield _nothing(joined)


def _is_nothing_new(joined: Joined) -> bool:
    brought = (joined.scores, joined.metadata, joined.references, joined.fills, joined.ratings)
    is_any_source_new = bool(joined.sources["is_new"].any())
    return not is_any_source_new and joined.added.empty and not any(len(each) for each in brought)


def _nothing(joined: Joined) -> str:
    """Return why the file adds nothing: the dataset has everything, or nothing matches."""
    counts = joined.row_counts
    left = counts["unmatched"] + counts["ambiguous"]
    if counts["conflicting"]:
        return (
            "The file adds nothing: all its new values contradict the dataset, which keeps its own. "
            "To replace them, take back the file that they came from, on that file’s page; then add "
            "this one."
        )
    if counts["matched"] or counts["already_there"] or not left:
        return "The dataset already has everything in this file."
    said = f"None of the {left:,} rows matches a question in the dataset."
    closest = joined.questions[joined.questions["closest"].notna()]
    if len(closest):
        best = max(iterate_rows(closest), key=lambda each: each.closeness)
        used = "the passage and the question text" if best.in_passage else "question text only"
        said += f" The closest match uses {used} ({best.closeness:.0f}%)."
    return f"{said} Check how the rows are matched, or add them as new questions."


def _changes_of_fixed(joined: Joined, dataset: Dataset) -> Iterator[str]:
    """Yield obstacles: changes of what campaigns have fixed, or of what scores were computed
    from."""
    changes = []  # of what annotators see; they never see copies made for repeated ratings
    if new := len(joined.added) - joined.row_counts["repeats"]:
        changes.append(f"{new:,} new questions")
    if joined.fills:
        changes.append(f"{len(joined.fills):,} answers or other parts of sources")
    if changes and (campaigns := files.locked_campaigns(dataset)):
        named = ", ".join(
            f"“{campaign.title}” ({campaign.get_state_display()})" for campaign in campaigns[:3]
        )
        yield (
            f"What is judged cannot change under a campaign whose plan is locked: {named}. The file would add "
            f"{' and '.join(changes)}. Metrics, references and metadata of existing questions can be added."
        )
    match_of = lookup(joined.sources["match"])
    touched = {match_of[source] for source, _ in joined.references}
    touched = (touched | {fill.source for fill in joined.fills}) - {NONE}
    if touched and (computed := holdings.computed_on(touched)):
        yield (
            f"Scores of {', '.join(computed[:5])} were computed here from the references and answers of these "
            "sources; other references or answers would change the scores."
        )


def _too_many(study: Study) -> Iterator[str]:
    """Yield a sentence for each kind of thing of which the file names too many."""
    if (systems := len(systems_in_file(study))) > MAX_SYSTEMS:
        yield (
            f"The file names {systems:,} systems; the limit is {MAX_SYSTEMS:,}. Check which column "
            "names the system."
        )
    slots = sum(study.expected.values())
    if (blank := slots - len(study.questions)) > MAX_TABLE_ROWS:
        yield (
            f"There would be {slots:,} slots for questions, {blank:,} of them blank; the limit is "
            f"{MAX_TABLE_ROWS:,}. Check the positions and the number of questions expected."
        )


def _too_long(joined: Joined) -> Iterator[str]:
    """Yield a sentence for each of the first names that are too long to be stored."""
    long = [name for name in _stored_names(joined) if len(name[2]) > name[3]]
    for row, what, name, limit in long[:NAMES_SHOWN]:
        where = f"Row {row:,}: the" if row else "The"
        shown = f"{what} “{shorten_line(name)}”"
        yield f"{where} {shown} has {len(name):,} characters; the limit is {limit}."


def _stored_names(joined: Joined) -> Iterator[tuple[int, str, str, int]]:
    """Yield row, kind, name and longest length of everything with a limited length."""
    study = joined.study
    limited = (
        (study.sources, "key", "source's key", MAX_NAME_CHARACTERS),
        (study.sources, "target_type", "target type", LABEL_CHARACTERS),
        (study.sources, "modality", "modality", LABEL_CHARACTERS),
        (study.questions, "key", "question's key", MAX_NAME_CHARACTERS),
        (study.questions, "question_type", "question type", LABEL_CHARACTERS),
    )
    for frame, column, what, limit in limited:
        for row, name in zip(frame["row"], frame[column], strict=True):
            yield row, what, name, limit
    for what, names in _labels(joined):
        yield from ((0, what, name, LABEL_CHARACTERS) for name in dict.fromkeys(names))
    for system in systems_in_file(study):
        yield 0, "system", system, MAX_NAME_CHARACTERS


def _labels(joined: Joined) -> Iterator[tuple[str, Iterable[str]]]:
    study = joined.study
    for frame in (study.sources, study.questions, study.ratings):
        yield "metadata column", (name for metadata in frame["metadata"] for name in metadata)
    yield "annotator", study.ratings["rater"]
    yield "score column", _score_columns(joined)
