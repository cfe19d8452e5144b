"""What a file would add to a dataset that is not empty: decided here row by row, stored
elsewhere."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from judging.imports.actions import holdings, ratings
from judging.imports.actions.held import Held, HeldSlot, HeldSource, SlotKey
from judging.imports.actions.letters import Letters, by_row, find_letters, renamed
from judging.imports.actions.match_counts import NO_SUCH_QUESTION, MatchCounts
from judging.imports.actions.matching import By, Match, Matching, match
from judging.imports.actions.ratings import (
    RatedSlot,
    RatingsRead,
    RatingTally,
    StorableValue,
)
from judging.imports.actions.refusals import too_long, too_many
from judging.imports.actions.tiers import Similar
from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.records import (
    Problem,
    QuestionRecord,
    ScoreColumn,
    SourceRecord,
    StudyRecords,
)
from judging.imports.readers.repeats import unrolled
from judging.imports.readers.row_lists import RowKind, RowList
from judging.imports.readers.sameness import normalized
from judging.imports.readers.tables import shorten
from judging.models import Campaign, Collection, Metric, Rubric

Unmatched = Literal["", "add", "leave"]
Conflicts = Literal["leave", "refuse"]
FILLED = ("passage", "answer", "sentence", "target_type", "modality", "language")
SEEN_BY_ANNOTATORS = "What is judged cannot change"


@dataclass(frozen=True, slots=True, kw_only=True)
class JoiningChoices:
    """The researcher's decisions about matching, and about rows that have no match or contradict
    the dataset.

    `unmatched` blank: rows without a match are added if no row of the file matches, else skipped.
    `similar`: rows are also matched by similar texts, except for the questions that are `declined`,
    as pages show them. `systems` maps names of systems in this file, such as letters, to their
    names in the dataset; votes decide about the file's other names that the dataset does not have.
    """

    by: By = "auto"
    similar: bool = True
    declined: Sequence[str] = ()
    unmatched: Unmatched = ""
    conflicts: Conflicts = "leave"
    systems: Mapping[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data that JSON can hold."""
        return asdict(self)


def choices_from(data: Mapping[str, Any]) -> JoiningChoices:
    """Return the choices stored as plain data."""
    return JoiningChoices(**data)


@dataclass(kw_only=True)
class Joined:
    """All that a file would add, and the obstacles to adding it."""

    study: StudyRecords
    held: Held
    matching: Matching
    named: list[str] = field(default_factory=list)  # the systems, as the file calls them
    letters: Letters | None = None  # the systems behind them, if texts identify them
    found: MatchCounts = field(default_factory=MatchCounts)
    adds: bool = False  # whether rows without a match are added
    units: dict[SlotKey, int] = field(default_factory=dict)
    new_sources: list[SourceRecord] = field(default_factory=list)
    new_questions: list[QuestionRecord] = field(default_factory=list)
    source_of: dict[str, int] = field(default_factory=dict)
    scores: list[tuple[SlotKey, str, str]] = field(default_factory=list)
    attributes: list[tuple[SlotKey, str, str]] = field(default_factory=list)
    references: list[tuple[str, str]] = field(default_factory=list)
    fills: list[tuple[int, str, str, int | None]] = field(default_factory=list)
    ratings: list[StorableValue] = field(default_factory=list)
    judge_ratings: list[StorableValue] = field(default_factory=list)  # by LLM judges
    tally: RatingTally = field(default_factory=RatingTally)  # of the annotators' ratings
    judge_tally: RatingTally = field(default_factory=RatingTally)
    unmapped: tuple[str, ...] = ()  # words of ratings that are no scale points
    metrics: dict[str, Metric] = field(default_factory=dict)
    refused: list[Problem] = field(default_factory=list)
    contradicting: list[Problem] = field(default_factory=list)
    obstacles: list[str] = field(default_factory=list)
    left_out: set[SlotKey] = field(default_factory=set)

    def counts(self) -> dict[str, int]:
        """Return the number of rows of every kind; equal files and equal datasets give equal
        counts."""
        return {**self.found.counts, "refused": len(self.not_kept)}

    def mostly_new(self, *, in_first_batch: bool = False) -> str:
        """Return a sentence if most of the file's questions or systems are new to a dataset that
        has some, else an empty one.

        The first files of a dataset may each contain questions of their own, but share their
        systems (`in_first_batch`).
        """
        first = {source.pk for source in self.held.sources if source.repeat_of is None}
        there = sum(slot.text is not None and slot.source in first for slot in self.held.slots)
        new, matched = self.found.counts["new"], self.found.counts["matched"]
        systems = {question.system for question in self.new_questions} - self.held.systems
        parts = [
            ("questions", new > matched and not in_first_batch),
            ("systems", 2 * len(systems) > len(self.study.systems)),
        ]
        most = " and ".join(name for name, is_mostly_new in parts if is_mostly_new)
        if not there or not most:
            return ""
        added = counted(new, "question")
        if systems:
            added += f" and {counted(len(systems), 'system')}"
        return (
            f"Most of this file’s {most} are new to the dataset: it would add {added}, and {matched:,} "
            f"of its questions match one of the {there:,} in the dataset."
        )

    @property
    def not_kept(self) -> list[Problem]:
        """Return the values and rows that go to quarantine."""
        return self.refused + self.contradicting


def list_questions(joined: Joined, listed: RowList) -> None:
    """Add to a list the questions that match or are new, and the rows that cannot be stored."""
    brought = {(q.source_key, q.system, q.position) for q in joined.new_questions}
    for question in joined.study.questions:
        key = (question.source_key, question.system, question.position)
        tier = joined.matching.questions[key].tier
        if tier != "similar" and (key in brought or key in joined.units):
            kind: RowKind = "new" if key in brought else "matched"
            slot = joined.matching.questions[key].slot  # its text, where the file names it by ids
            text = question.text or (slot and slot.text) or question.key or None
            listed.note(kind, question.row, text, question=question)
    listed.note_problems("refused", joined.refused)
    listed.note_problems("warning", joined.study.problems_of("warning"))


def join(
    *,
    study: StudyRecords,
    columns: ColumnRoles | None,
    collection: Collection,
    choices: JoiningChoices,
    rubric: Rubric | None,
    campaign: Campaign | None = None,
    held: Held | None = None,
    found: MatchCounts | None = None,
) -> Joined:
    """Decide about every row of a file; nothing is stored.

    `columns` is None if the format names everything by itself. `campaign` is the one that holds the
    dataset's ratings under this rubric, `held` the dataset's contents, and `found` has the rows
    that were skipped while the file was read.
    """
    named = [] if _is_any(columns) else list(study.systems)
    held, noted = held or holdings.held(collection), found or MatchCounts()
    has_ids = columns is not None and bool(columns.source_id)
    letters = find_letters(study, held, choices.systems) if named else None
    shuffled = letters is not None and letters.by_row
    if letters and shuffled:
        study = by_row(study, letters)
    names = {**(letters.names if letters else {}), **choices.systems}
    study = unrolled(renamed(study, names))
    any_system = _is_any(columns)
    matching = match(
        study,
        held,
        by=choices.by,
        has_ids=has_ids,
        any_system=any_system,
        similar=choices.similar,
        declined=choices.declined,
    )
    joined = Joined(
        study=study, held=held, matching=matching, named=named, letters=letters, found=noted
    )
    joined.obstacles += [problem.reason for problem in study.problems_of("file")]
    joined.refused += [problem for problem in study.problems if problem.kind in ("row", "value")]
    _Joining(joined, collection, choices, any_system, shuffled).decide(rubric, campaign)
    joined.obstacles += joined.unmapped if columns else ()
    return joined


def _is_any(columns: ColumnRoles | None) -> bool:
    """Return whether a file does not say which systems its questions are from."""
    if columns is None or columns.system or columns.by_system:
        return False
    return columns.default_system == ColumnRoles().default_system


class _Joining:
    """The decisions about one file."""

    def __init__(
        self,
        joined: Joined,
        collection: Collection,
        choices: JoiningChoices,
        any_system: bool,
        shuffled: bool,
    ) -> None:
        self.joined, self.collection, self.choices = joined, collection, choices
        self.any_system = any_system
        # the file does not name the systems of new questions
        self.nameless = any_system or shuffled
        self.study, self.held, self.found = joined.study, joined.held, joined.found
        self.sources = {source.pk: source for source in self.held.sources}
        self.records = {source.key: source for source in self.study.sources}
        self.left_out = joined.left_out
        self.known_texts = self._known_texts()

    def _known_texts(self) -> set[SlotKey]:
        """Return the questions whose texts the dataset has in that passage from other systems than
        that of their letter; none if a locked campaign forbids adding questions."""
        letters = self.joined.letters
        if letters is None or letters.by_row or holdings.resting(self.collection):
            return set()
        return {
            (source, system, position)
            for source, name, position in letters.candidates
            if (system := letters.names.get(name)) in self.held.systems
        }

    def decide(self, rubric: Rubric | None, campaign: Campaign | None) -> None:
        if self.joined.obstacles:
            return
        self._decide_sources()
        self._decide_questions()
        self._decide_scores()
        self._decide_metadata()
        self._decide_references()
        self._decide_ratings(rubric, campaign)
        self.joined.obstacles += self._obstacles(rubric)

    def _adds(self) -> bool:
        """Return whether rows without a match are added: as the researcher decided, else if no row
        of the file matches."""
        if self.choices.unmatched:
            return self.choices.unmatched == "add"
        if not self.held.sources:
            return True
        texts = any(question.text for question in self.study.questions)
        return (
            texts
            and not self.nameless
            and not any(each.slot for each in self.joined.matching.questions.values())
        )

    def _decide_sources(self) -> None:
        for key, candidates in self.joined.matching.sources.items():
            if len(candidates) == 1:
                self.joined.source_of[key] = candidates[0]
                self._fill(self.records[key], self.sources[candidates[0]])

    def _fill(self, record: SourceRecord, source: HeldSource) -> None:
        """Fill the blank fields of a source; a field with another value is kept and reported."""
        for name in FILLED:
            new, old = getattr(record, name) or "", getattr(source, name)
            if not new or normalized(new) == normalized(old):
                continue
            if old:
                reason = f"The dataset’s {name.replace('_', ' ')} of source “{shorten(source.key)}” is another."
                self.found.note("conflicting", record.row, new, reason)
            else:
                start = record.answer_start if name == "answer" else record.sentence_start
                self.joined.fills.append(
                    (source.pk, name, new, start if name in ("answer", "sentence") else None)
                )
                self.found.counts["filled"] += 1

    def _decide_questions(self) -> None:
        adds, new_sources = self._adds(), dict[str, SourceRecord]()
        self.joined.adds = adds
        for question in self.study.questions:
            key = (question.source_key, question.system, question.position)
            found = self.joined.matching.questions[key]
            if repeated := self.records[question.source_key].repeat_of:
                self._take_repeat(question, key, found.slot, (repeated, *key[1:]), new_sources)
            elif slot := found.slot:
                self._take_slot(question, key, slot, found)
            elif self._says_something(question):
                self.found.tiers["none"] += 1
                self._take_unmatched(question, key, found, new_sources)
            elif adds and not found.sources:  # no system returned a question for this source
                new_sources[question.source_key] = self.records[question.source_key]
        if not self.held.sources:
            asked = {question.source_key for question in self.study.questions}
            new_sources |= {key: each for key, each in self.records.items() if key not in asked}
            if not any(question.text for question in self.study.questions):
                new_sources = {key: each for key, each in new_sources.items() if _has_text(each)}
        self.joined.new_sources += [each for each in self.study.sources if each.key in new_sources]

    def _take_repeat(
        self,
        question: QuestionRecord,
        key: SlotKey,
        slot: HeldSlot | None,
        first: SlotKey,
        new: dict[str, SourceRecord],
    ) -> None:
        """Find the copy of a question that was rated again, or create one; if the question itself
        is missing, there is no copy."""
        known = self.joined.matching.questions[first].slot
        if first in self.left_out or (self.any_system and slot is None):
            self.left_out.add(key)
        elif slot is not None:
            self.joined.units[key] = slot.unit
        elif text := question.text or (known and known.text):
            self.joined.new_questions.append(replace(question, text=text))
            self.found.counts["repeats"] += 1
            if question.source_key not in self.joined.source_of:
                new[question.source_key] = self.records[question.source_key]

    def _take_unmatched(
        self,
        question: QuestionRecord,
        key: SlotKey,
        found: Match,
        new_sources: dict[str, SourceRecord],
    ) -> None:
        """Add a question that no tier matched, or exclude it with the reason."""
        adds = self.joined.adds
        if found.candidates:
            self._leave_out("ambiguous", question, key, _ambiguity(found))
        elif found.of_id:
            reason = f"The dataset’s question there is “{shorten(found.of_id.text or '')}”."
            self._leave_out("conflicting", question, key, reason)
        elif len(found.sources) > 1 and adds:
            reason = f"{len(found.sources)} sources of the dataset look like this one."
            self._leave_out("ambiguous", question, key, reason)
        elif question.text is not None and (adds or self._is_known_text(key, found)):
            self.joined.new_questions.append(question)
            self.found.counts["new"] += 1
            if not found.sources:
                new_sources[question.source_key] = self.records[question.source_key]
        elif adds and not found.sources:  # the file has ratings or scores of a missing question
            new_sources[question.source_key] = self.records[question.source_key]
        else:
            self._leave_out("unmatched", question, key, self._lack(found, question))

    def _is_known_text(self, key: SlotKey, found: Match) -> bool:
        return len(found.sources) == 1 and key in self.known_texts

    def _leave_out(
        self, kind: RowKind, question: QuestionRecord, key: SlotKey, reason: str
    ) -> None:
        self.left_out.add(key)
        self.found.note(kind, question.row, _name(question), reason, question)

    def _take_slot(
        self, question: QuestionRecord, key: SlotKey, slot: HeldSlot, found: Match
    ) -> None:
        self.found.tiers[found.tier or "none"] += 1
        if question.text is not None and slot.text is None:
            self.joined.new_questions.append(question)  # a slot that was missing
            self.joined.units[key] = slot.unit
            self.found.counts["new"] += 1
        else:
            self.joined.units[key] = slot.unit
            self.found.counts["matched"] += 1
            if found.tier == "similar":
                reason = f"The dataset’s question is “{shorten(slot.text or '')}” ({found.similarity:.0%} similar)."
                self.found.note("similar", question.row, _name(question), reason, question)

    def _says_something(self, question: QuestionRecord) -> bool:
        """Return whether a row gives anything about a question besides naming its source."""
        if question.text is not None or question.scores or question.attributes:
            return True
        return (question.source_key, question.system, question.position) in self._rated

    @cached_property
    def _rated(self) -> set[tuple[str, str, int | None]]:
        return {(each.source_key, each.system, each.position) for each in self.study.ratings}

    def _lack(self, found: Match, question: QuestionRecord) -> str:
        if self.joined.letters and question.system in self.joined.letters.undecided:
            lack = f"No system is decided for the letter “{shorten(question.system)}”."
        elif found.sources:
            lack = "The dataset has this source, but no such question of this system there."
        else:
            lack = NO_SUCH_QUESTION
        return f"{lack} {_describe_closest(found.closest)}" if found.closest else lack

    def _difference(self, source: SourceRecord) -> str:
        """Return which part of a source differs, if the dataset has its passage."""
        nearby = self.joined.matching.nearby.get(source.key)
        for name in ("answer", "target_type") if nearby else ():
            new, old = getattr(source, name), getattr(nearby, name)
            if new and old and normalized(new) != normalized(old):
                part = name.replace("_", " ")
                return f" One with the same passage has another {part}: “{shorten(old)}”."
        return ""

    def _decide_scores(self) -> None:
        """Continue columns of the same name and kind; a value that the dataset has is not stored
        again."""
        columns = {column.name: column for column in self.study.score_columns}
        known = holdings.metrics_of(self.collection, columns)
        for name, metric in known.items():
            if (metric.direction, metric.scale) != _declared(columns[name]):
                self.joined.obstacles.append(
                    f"The dataset has a column “{shorten(name)}” with another direction or scale: give this file’s "
                    "another name, or declare both alike."
                )
        self.joined.metrics = known
        there = holdings.scores_of(known.values())
        for question in self.study.questions:
            key = (question.source_key, question.system, question.position)
            if key in self.left_out or not question.scores:
                continue
            unit = self.joined.units.get(key, 0)
            for name, text in question.scores.items():
                if self._is_new(
                    "scores", question, name, text, there.get((unit, name)), number=True
                ):
                    self.joined.scores.append((key, name, text))

    def _is_new(
        self,
        what: str,
        question: QuestionRecord,
        name: str,
        new: str,
        old: str | None,
        *,
        number: bool = False,
    ) -> bool:
        row = question.row
        if old is None:
            self.found.counts[what] += 1
            return True
        if old == new or (number and float(old) == float(new)):
            self.found.counts["already_there"] += 1
        else:
            reason = f"The dataset has {shorten(old)} for {shorten(name)}."
            self.found.note("conflicting", row, f"{name}: {new}", reason, question)
            self.joined.contradicting.append(
                Problem(row=row, column=name, value=new, reason=reason, kind="value")
            )
        return False

    def _decide_metadata(self) -> None:
        of_sources = {
            source.key: source.attributes for source in self.study.sources if source.attributes
        }
        names = {name for each in of_sources.values() for name in each}
        names |= {name for question in self.study.questions for name in question.attributes}
        there = holdings.attributes_of(self.collection, names)
        for question in self.study.questions:
            key = (question.source_key, question.system, question.position)
            if key in self.left_out:
                continue
            unit = self.joined.units.get(key, 0)
            for name, value in {
                **of_sources.get(question.source_key, {}),
                **question.attributes,
            }.items():
                if value.strip() and self._is_new(
                    "metadata", question, name, value, there.get((unit, name))
                ):
                    self.joined.attributes.append((key, name, value))

    def _decide_references(self) -> None:
        given = [source for source in self.study.sources if source.references]
        there = holdings.references_of(self.collection) if given else {}
        brought = {source.key for source in self.joined.new_sources}
        for source in given:
            pk = self.joined.source_of.get(source.key)
            if pk is None and source.key not in brought:
                if source.key not in self._sources_left_out:  # else counted with its questions
                    reason = f"The dataset has no such source.{self._difference(source)}"
                    self.found.note("unmatched", source.row, source.references[0], reason)
                continue
            new = [text for text in source.references if text not in there.get(pk or 0, ())]
            self.joined.references += [(source.key, text) for text in new]
            self.found.counts["references"] += len(new)
            self.found.counts["already_there"] += len(source.references) - len(new)

    @cached_property
    def _brought_sets(self) -> set[tuple[str, str]]:
        return {key[:2] for key in self._brought}

    @cached_property
    def _sources_left_out(self) -> set[str]:
        return {key[0] for key in self.left_out}

    def _decide_ratings(self, rubric: Rubric | None, campaign: Campaign | None) -> None:
        if not self.study.ratings or rubric is None:
            return
        reading = ratings.read(study=self.study, rubric=rubric)
        self.joined.refused += reading.problems
        self.joined.unmapped = reading.unmapped
        self._check_scales(reading, rubric)
        there = holdings.judgments_of(campaign, self.study.raters) if campaign else {}
        excluded, already_there = dict(reading.refused), set[int]()
        for value in reading.values:
            known, unit = self._unit_of(value.slot)
            old = there.get((unit, value.rater, value.criterion.pk))
            if not known:
                self.found.counts["ratings_left_out"] += 1
                excluded[value.number] = "no_question"
            elif self._is_new_rating(value, old):
                self.joined.ratings.append(value)
            elif old == value.value:
                already_there.add(value.number)
            else:
                excluded[value.number] = "contradicts"
        if excluded or already_there:  # a set's rating may be stored on some of its questions only
            for value in self.joined.ratings:
                excluded.pop(value.number, None)
                already_there.discard(value.number)
        self.joined.tally = ratings.tally(
            study=self.study,
            rubric=rubric,
            excluded=excluded,
            already_there=already_there - excluded.keys(),
        )
        self._decide_judge_ratings(rubric)

    def _decide_judge_ratings(self, rubric: Rubric) -> None:
        """Collect the ratings of LLM judges, which are stored separately from annotators'."""
        by_judges = replace(self.study, ratings=self.study.judge_ratings)
        reading = ratings.read(study=by_judges, rubric=rubric)
        self.joined.refused += reading.problems
        self.joined.judge_ratings = [
            value for value in reading.values if self._unit_of(value.slot)[0]
        ]
        self.found.counts["judge_ratings"] += len(self.joined.judge_ratings)
        self.joined.judge_tally = ratings.tally(
            study=replace(by_judges, lost_ratings=()),
            rubric=rubric,
            excluded=reading.refused,
            already_there=(),
        )

    def _check_scales(self, reading: RatingsRead, rubric: Rubric) -> None:
        if not reading.values:
            first = reading.problems[0].reason if reading.problems else ""
            self.joined.obstacles.append(
                f"None of the {len(self.study.ratings):,} ratings fits {rubric}: {first}"
            )

    def _unit_of(self, slot: RatedSlot) -> tuple[bool, int]:
        """Return whether a rated slot is in dataset or file, and its unit, 0 if it is new."""
        (source, system), position = slot
        if position is None:
            return self._set_of(source, system)
        key = (source, system, position)
        if key in self.joined.units:
            return True, self.joined.units[key]
        return key in self._brought, 0

    def _set_of(self, source: str, system: str) -> tuple[bool, int]:
        pk = self.joined.source_of.get(source)
        if pk is not None and (pk, system) in self.held.sets:
            return True, self.held.sets[pk, system].whole
        return (source, system) in self._brought_sets, 0

    @cached_property
    def _brought(self) -> set[SlotKey]:
        return {(q.source_key, q.system, q.position) for q in self.joined.new_questions}

    def _is_new_rating(self, value: StorableValue, old: int | None) -> bool:
        if old is None:
            self.found.counts["ratings"] += 1
            return True
        if old == value.value:
            self.found.counts["already_there"] += 1
            return False
        reason = f"{shorten(value.rater)} gave {old} in a file that was added before."
        self.found.note("conflicting", 0, f"{value.criterion.name}: {value.value}", reason)
        self.joined.contradicting.append(
            Problem(
                row=0,
                column=value.criterion.name,
                value=str(value.value),
                reason=reason,
                kind="value",
            )
        )
        return False

    def _obstacles(self, rubric: Rubric | None) -> Iterator[str]:
        joined, study = self.joined, self.study
        if study.ratings and rubric is None:
            yield "The file contains ratings: choose the protocol they were given under, or exclude their columns."
        if study.judge_ratings and not study.ratings:
            yield (
                "All ratings are by LLM judges. Exclude their columns; after the import, add each "
                "judge with this table on a campaign’s page of LLM judges."
            )
        for column in study.score_columns:
            if column.direction == "unknown":
                yield f"Say whether higher or lower is better in “{shorten(column.column)}”."
        if self.nameless and len(joined.new_questions) > self.found.counts["repeats"]:
            yield "The file contains new questions and no column names the system. Name their system."
        if self.choices.conflicts == "refuse" and self.found.counts["conflicting"]:
            count = self.found.counts["conflicting"]
            yield f"{count:,} rows contradict the dataset, and you chose to add nothing in that case."
        if not (self.held.sources or joined.new_sources):
            yield (
                "The file has no question and no passage that could be stored. Say which column "
                "holds the generated questions."
            )
            return
        yield from self._fixed()
        yield from too_many(study)
        yield from too_long(study)
        if not any(
            (
                joined.new_sources,
                joined.new_questions,
                joined.scores,
                joined.attributes,
                joined.references,
                joined.fills,
                joined.ratings,
            )
        ):
            yield self._nothing()

    def _nothing(self) -> str:
        """Return why the file adds nothing: the dataset has everything, or nothing matches."""
        joined, counts = self.joined, self.found.counts
        left = counts["unmatched"] + counts["ambiguous"]
        if counts["conflicting"]:
            return (
                "The file adds nothing: all its new values contradict the dataset, which keeps its own. "
                "To replace them, take back the file that they came from, on that file’s page; then add "
                "this one."
            )
        if counts["matched"] or counts["already_there"] or not left:
            return "The dataset already has everything in this file."
        closest = [found.closest for found in joined.matching.questions.values() if found.closest]
        said = f"None of the {left:,} rows matches a question in the dataset."
        if closest:
            said += f" {self._describe_best(closest)}"
        return f"{said} Check how the rows are matched, or add them as new questions."

    def _describe_best(self, closest: Sequence[Similar]) -> str:
        best = max(closest, key=lambda each: each.similarity)
        used = "the passage and the question text" if best.in_passage else "question text only"
        return f"The closest match uses {used} ({best.similarity:.0%})."

    def _fixed(self) -> Iterator[str]:
        """Yield obstacles: changes of what campaigns have fixed, or of what scores were computed
        from."""
        joined = self.joined
        changes = list(_changes(joined))
        if changes and (campaigns := holdings.resting(self.collection)):
            named = ", ".join(
                f"“{each.title}” ({each.get_state_display()})" for each in campaigns[:3]
            )
            yield (
                f"{SEEN_BY_ANNOTATORS} under a campaign whose protocol is locked: {named}. The file would add "
                f"{' and '.join(changes)}. Metrics, references and metadata of existing questions can be added."
            )
        touched = {joined.source_of[key] for key, _ in joined.references if key in joined.source_of}
        touched |= {fill[0] for fill in joined.fills}
        if touched and (computed := holdings.computed_on(touched)):
            yield (
                f"Scores of {', '.join(computed[:5])} were computed here from the references and answers of these "
                "sources; other references or answers would change the scores."
            )


def _changes(joined: Joined) -> Iterator[str]:
    """Yield changes that annotators would see; they never see copies made for repeated ratings."""
    if new := len(joined.new_questions) - joined.found.counts["repeats"]:
        yield f"{new:,} new questions"
    if joined.fills:
        yield f"{len(joined.fills):,} answers or other parts of sources"


def _declared(column: ScoreColumn) -> tuple[str, str]:
    scales = {
        "fraction": Metric.Scale.FRACTION,
        "percent": Metric.Scale.PERCENT,
        "none": Metric.Scale.OTHER,
    }
    return column.direction, scales[column.scale]


def counted(number: int, name: str) -> str:
    """Return a number with the noun that it counts."""
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def _has_text(source: SourceRecord) -> bool:
    return bool(source.passage or source.sentence)


def _name(question: QuestionRecord) -> str:
    return (
        question.text
        or question.key
        or f"{question.source_key}, {question.system}, {question.position}"
    )


def _ambiguity(found: Match) -> str:
    if found.taken:
        return "An earlier row of the file is about the same question."
    return f"{len(found.candidates)} questions of the dataset read like this one."


def _describe_closest(closest: Similar) -> str:
    """Describe the closest question and how it was found."""
    found_by = "in the same passage" if closest.in_passage else "by question text only"
    return (
        f"The closest one {found_by} is “{shorten(closest.slot.text or '')}” by "
        f"{shorten(closest.slot.system)} ({closest.similarity:.0%} similar)."
    )
