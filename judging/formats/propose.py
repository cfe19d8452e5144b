"""A proposal of what each column is, from its name and, above all, from witnesses in its values;
the researcher has the last word."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from judging.base.texts import inner_name, plain_name, without_scale
from judging.formats.check import groups_of, marked_rows
from judging.formats.facts import (
    MOST,
    PASSAGE_CHARACTERS,
    USUAL,
    Facts,
    are_of_one_scale,
    column_facts,
)
from judging.formats.families import Rated, count_mean_rows, find_rater_columns
from judging.formats.mapping import RATED, SINGLE, Column, Mapping
from judging.formats.pseudonyms import is_label
from judging.formats.vocabulary import (
    criterion_of_mean,
    is_adjudicated,
    is_criterion,
    is_model,
    order_scale_words,
    statistic,
    vocabulary,
    words_of,
)

_APART = "\x1f"
_SYSTEMS = 40  # of more, each name occurs three times
_PEOPLE = 500  # the largest usual number of people
_NAMED_FIRST = ("question", "passage", "sentence", "answer", "answer_start", "submitted_answer")
_NAMED_LATER = ("modality", "language", "position", "mark", "mark_start", "mark_end", "mark_text")
# Names of people that also mean other things: the values must show that questions repeat
_WEAK_PEOPLE = {"subject", "user", "expert", "person", "reviewer", "respondent", "username"}
_BY_NAME = "Its name and values suggest this."
_OWN_EXPORTS = ("bundle", "long", "judgments", "label_studio")  # their annotators may have any name


@dataclass(frozen=True)
class KnownDataset:
    """What a dataset that has questions tells of a further file: the names of its systems, and whom
    ratings are by if the file does not say."""

    systems: Sequence[str] = ()
    annotator: str = ""


def propose_mapping(
    frame: pd.DataFrame,
    given: Mapping,
    *,
    percent: Sequence[str] = (),
    known: KnownDataset | None = None,
) -> Mapping:
    """Return the mapping with a role for each column of the frame.

    Columns that `given` names keep their role. `percent` are columns whose numbers were written
    with a percent sign.
    """
    marked = marked_rows(frame)
    proposal = _Proposal(_without(frame, marked), given, percent, known or KnownDataset())
    for name in marked:
        proposal.take(name, "", "It marks rows that are excluded.")
    if not given.columns or set(frame.columns) - set(given.columns):
        proposal.texts()
        proposal.systems_by_name()
        proposal.people()
        proposal.rated_families()
        proposal.systems_by_values()
        proposal.types()
        proposal.ids()
        proposal.rated_by_row()
        proposal.measures()
        proposal.rest()
    options = {"exclude_rows": marked} if marked and not given.exclude_rows else {}
    return proposal.mapping().model_copy(update=options)


def _without(frame: pd.DataFrame, marked: dict[str, tuple[str, ...]]) -> pd.DataFrame:
    """Return the rows that are not marked."""
    for name, values in marked.items():
        frame = frame[~frame[name].str.strip().isin(values)]
    return frame


class _Proposal:
    """The roles proposed so far."""

    def __init__(
        self, frame: pd.DataFrame, given: Mapping, percent: Sequence[str], known: KnownDataset
    ) -> None:
        self.frame, self.given, self.percent, self.known = frame, given, set(percent), known
        self.facts = column_facts(frame)
        self.columns: dict[str, Column] = dict(given.columns)
        self.options: dict[str, Any] = {}
        self.means: dict[str, list[str]] = {}  # the columns of ratings of which each is the mean
        self.names = {
            other: name for name in reversed(list(frame.columns)) for other in _names(name)
        }

    def mapping(self) -> Mapping:
        """Return the proposals as a mapping, its columns in the order of the file."""
        columns = {name: self.columns[name] for name in self.frame.columns if name in self.columns}
        options = {**self.options, **self._spellings(), **self._numbers(), **self._rater_kinds()}
        options |= self._crossing()
        given = self.given.model_dump(exclude_defaults=True, exclude={"columns"})
        return Mapping(**{**options, **given, "columns": columns})

    # -- what is known so far -----------------------------------------------------------------

    def take(self, column: str, role: str, why: str = _BY_NAME, /, **details: Any) -> None:
        """Give a column a role, with the reason and the details of the role."""
        self.columns[column] = Column(role=role, why=why, **details)  # type: ignore[arg-type]

    def free(self) -> list[Facts]:
        """Return the columns without a role."""
        return [each for name, each in self.facts.items() if name not in self.columns]

    def column(self, role: str) -> str:
        """Return the column of a role, "" if there is none."""
        return next((name for name, each in self.columns.items() if each.role == role), "")

    def has(self, *roles: str) -> bool:
        return any(column.role in roles for column in self.columns.values())

    def cells(self, role: str) -> "pd.Series[str] | None":
        name = self.column(role)
        return self.facts[name].cells if name else None

    def named(self, role: str) -> Iterator[Facts]:
        """Yield the free columns that the vocabulary names for a role, the surest first."""
        for name in vocabulary()["roles"][role]:
            column = self.names.get(name)
            if column is not None and column not in self.columns:
                yield self.facts[column]

    def source(self) -> "pd.Series[str] | None":
        """Return what identifies the source of each row by its texts; None if nothing does."""
        return _joined(*map(self.cells, ("passage", "sentence", "answer", "target_type")))

    def unit(self) -> "pd.Series[str] | None":
        """Return what identifies the rated unit of each row; None if nothing does."""
        ids = [each.cells for each in self.free() if self._is_id_name(each)][:1]
        if self.has("question", "question_of"):
            ids = []
        return _joined(self.source(), *map(self.cells, ("system", "question", "criterion")), *ids)

    # -- texts --------------------------------------------------------------------------------

    def texts(self) -> None:
        """Find questions, passages, answers and references: by name, if the cells are such texts;
        else by their shape."""
        self._take_named(_NAMED_FIRST)
        self._passage_by_shape()
        self._references()
        self._questions_by_shape()
        self._answer_by_place()
        if plain_name(self.column("question")) in vocabulary()["noised"]:
            self.options["system"] = "noised"

    def _take_named(self, roles: Sequence[str]) -> None:
        """Take for each role the first column named for it whose cells fit."""
        for role in roles:
            fits = (each for each in self.named(role) if _fits(each, role))
            if not self.has(role) and (found := next(fits, None)):
                self.take(found.name, role)

    def _references(self) -> None:
        question = plain_name(self.column("question"))
        named = [each for each in self.free() if _is_reference(each)]
        if question and question not in ("question", "question_text"):
            named += [each for each in self.free() if each.plain == "question"]
        plains = {each.plain for each in named}
        for each in named:
            is_in_passage = not each.asks and self._is_in_passage(each)
            if each.plain.endswith("_raw") and each.plain[:-3] + "norm" in plains:
                why = "Published scores are computed from the normalised text beside it."
                self.take(each.name, "", why)
            elif is_in_passage and not self.has("answer"):
                self.take(each.name, "answer", "Its texts occur in the passages.")
            elif not self.has("question") and [e for e in self.free() if e.asks] == [each]:
                why = "It holds the only questions in the file."
                self.take(each.name, "question", why)
            elif not is_in_passage:
                self.take(each.name, "reference")

    def _questions_by_shape(self) -> None:
        """Take the only column of questions; several are one for each system, if no column names
        the system."""
        if self.has("question", "question_of"):
            return
        asking = [each for each in self.free() if each.asks]
        if len(asking) == 1:
            self.take(asking[0].name, "question", "Its texts end in question marks.")
        elif len(asking) > 1 and not any(
            _may_be_people(e) for e in (*self.named("system"), *self.named("rater"))
        ):
            for each, system in zip(asking, _systems_in([e.name for e in asking]), strict=True):
                why = "One of several columns of questions: each holds those of one system."
                self.take(each.name, "question_of", why, name=system)

    def _passage_by_shape(self) -> None:
        if self.has("passage", "sentence"):
            return
        texts = [e for e in self.free() if e.is_text and not (e.asks or _is_reference(e))]
        longest = max(texts, key=lambda each: each.length, default=None)
        if longest and longest.length >= PASSAGE_CHARACTERS:
            self.take(longest.name, "passage", "It holds the longest texts.")
            return
        named = [text for text in texts if set(text.words) & {"source", "src", "input", "doc"}]
        if len(named) == 1:
            self.take(named[0].name, "passage", "It is named like sources and holds sentences.")

    def _is_in_passage(self, column: Facts) -> bool:
        """Return whether the cells of a column occur in the passages of their rows."""
        passages = self.cells("passage")
        passages = self.cells("sentence") if passages is None else passages
        if passages is None or len(column.counts) < 2:
            return False
        pairs = zip(column.cells, passages, strict=True)
        found = [_is_part(cell, passage) for cell, passage in pairs if cell and passage]
        return bool(found) and sum(found) >= USUAL * len(found)

    def _answer_by_place(self) -> None:
        if self.has("answer"):
            return
        texts = [e for e in self.free() if not (e.asks or self._is_id_name(e))]
        found = [text for text in texts if self._is_in_passage(text)]
        if best := max(found, key=lambda each: each.length, default=None):
            self.take(best.name, "answer", "Its texts occur in the passages.")

    # -- systems and people -------------------------------------------------------------------

    def systems_by_name(self) -> None:
        """Take a column named like systems whose values are a few names."""
        if self.has("system", "question_of") or "system" in self.options:
            return
        of_dataset = set(self.known.systems)
        for each in self.free():
            if each.counts and not each.is_numeric and of_dataset.issuperset(each.counts):
                self.take(each.name, "system", "The dataset has systems of these names.")
                return
        fits = [each for each in self.named("system") if _may_be_systems(each)]
        several = [fit for fit in fits if len(fit.counts) > 1]
        if found := next(iter([*several, *fits]), None):
            self.take(found.name, "system")

    def systems_by_values(self) -> None:
        """Take the column whose few names each occur once on most passages."""
        if self.has("system", "question_of") or "system" in self.options:
            return
        source = self.source()
        if source is None or not self.has("question"):
            return
        people = self.cells("rater")
        rows = source if people is None else source + _APART + people
        named = [each for each in self.free() if not each.is_numeric and len(each.counts) > 1]
        found = [e for e in named if _may_be_systems(e) and _is_crossed(e.cells, rows)]
        if len(found) == 1:
            why = "Each of its values occurs once on most passages, as systems do."
            self.take(found[0].name, "system", why)

    def people(self) -> None:
        """Take the column of a few values with which the rated unit is unique, while the unit alone
        repeats: it holds the people, whatever it is called."""
        if self.has("rater"):
            return
        self._criterion_of_row()
        unit = self.unit()
        if unit is not None and unit.duplicated().mean() <= 0.3:
            unit = None
        named = list(self.named("rater"))
        told = [e for e in named if unit is not None and _tells_apart(e, unit, least=0.5)]
        sure = [e for e in named if e.plain not in _WEAK_PEOPLE and _may_be_people(e)]
        if told or sure:
            self.take([*told, *sure][0].name, "rater")
        elif unit is not None:
            self._people_by_values(unit)

    def _people_by_values(self, unit: "pd.Series[str]") -> None:
        found = [e for e in self.free() if self._may_tell_people(e)]
        found = [e for e in found if _tells_apart(e, unit, least=MOST)]
        best = min(found, key=lambda each: (each.is_numeric, len(each.counts)), default=None)
        if best:
            why = (
                f"Its {len(best.counts):,} values tell the rows of a question apart, as people do."
            )
            self.take(best.name, "rater", why)

    def _may_tell_people(self, column: Facts) -> bool:
        if column.plain in vocabulary()["roles"]["system"] or column.has_fractions:
            return False
        if is_criterion(column.name) or set(column.words) & set(vocabulary()["not_ratings"]):
            return False
        return column.plain != "rank"

    def _criterion_of_row(self) -> None:
        """Take a column of criteria with its column of values, if each row holds one rating."""
        if self.has("criterion", "value"):
            return
        words = [e for e in self.free() if not e.is_numeric and 0 < len(e.counts) <= 40]
        criteria = [word for word in words if self._may_name_criteria(word)]
        values = [each for each in self.named("value") if each.total]
        if criteria and values:
            self.take(criteria[0].name, "criterion")
            self.take(values[0].name, "value")

    def _may_name_criteria(self, column: Facts) -> bool:
        """Return whether a column is named like criteria, has the names of some, or tells the rows
        of one unit and person apart, as criteria do."""
        is_named = column.plain in vocabulary()["roles"]["criterion"]
        if is_named or all(map(is_criterion, column.counts)):
            return True
        unit, people = self.unit(), next(self.named("rater"), None)
        is_round = not set(column.words).isdisjoint(vocabulary()["rounds"])
        if unit is None or people is None or people is column or is_round:
            return False
        rows = unit + _APART + people.cells
        return rows.duplicated().mean() > 0.3 and _tells_apart(column, rows, least=MOST)

    # -- ratings ------------------------------------------------------------------------------

    def rated_families(self) -> None:
        """Take the columns with a common stem and the same small set of values: each holds the
        ratings of one person. A column that equals the mean of a family is excluded."""
        if self.has("question_of", "value"):
            return
        free = [each for each in self.free() if each.plain not in vocabulary()["roles"]["system"]]
        found = [] if self.has("rater") else self._families(free)
        for rated in found:
            self._take_rated(rated)
        by_criterion: dict[str, list[str]] = {}
        for rated in found:
            by_criterion.setdefault(rated.criterion, []).append(rated.column)
        for each in self.free() if found else ():
            self._exclude_statistic(each, by_criterion)
        self._name_after_means(by_criterion)

    def _families(self, free: Sequence[Facts]) -> list[Rated]:
        names = {each.name for each in free}
        return find_rater_columns(free, [name for name in self.frame.columns if name not in names])

    def _take_rated(self, rated: Rated) -> None:
        role, why = "ratings", rated.why
        if is_model(rated.rater):
            role, why = "llm_judge", "It is named like a language model, which is no annotator."
        elif is_adjudicated(rated.rater):
            role, why = "ask", "It may be an adjudicated rating: choose whether it is an annotator."
        about = {"name": rated.criterion, "rater": rated.rater, "round": rated.round}
        self.take(rated.column, role, why, **about)

    def _exclude_statistic(self, column: Facts, families_by: dict[str, list[str]]) -> None:
        """Exclude a column that is the mean of a family, or named like a statistic of one."""
        for members in families_by.values():
            if rows := count_mean_rows(column, [self.facts[name] for name in members]):
                named = " and ".join(f"“{name}”" for name in members[:3])
                why = f"It is the mean of {named} in {rows[0]:,} of {rows[1]:,} rows: excluded."
                self.take(column.name, "", why)
                self.means[column.name] = members
                return
        for criterion in families_by:
            if _is_statistic_of(column, criterion):
                why = f"It is named like the {statistic(column.name)} of “{criterion}”: excluded."
                self.take(column.name, "", why)

    def _name_after_means(self, families_by: dict[str, list[str]]) -> None:
        """Give ratings on an unknown criterion, such as `Rel_1`, the name of the column that is their
        mean, such as `Relevance`."""
        for criterion, members in families_by.items():
            means = [
                name
                for name, reason in self.means.items()
                if reason == members and is_criterion(_criterion_of(self.facts[name]))
            ]
            if len(means) == 1 and not is_criterion(criterion):
                for member in members:
                    kept = self.columns[member]
                    self.columns[member] = kept.model_copy(update={"name": means[0]})

    def rated_by_row(self) -> None:
        """Take the columns of ratings of a table that has a row for each person."""
        if not self.has("rater") or self.has("value"):
            return
        rated = self._rated_by_row()
        short = Counter(inner_name(each.name) for each in rated)
        for each in rated:
            others = [other.name for other in rated if other is not each]
            self._exclude_statistic(each, {"": others})
            if each.name not in self.columns:
                name = "rank" if _is_rank(each) else without_scale(each.name)
                name = inner_name(name) if short[inner_name(each.name)] == 1 else plain_name(name)
                why = "It holds ratings by the people in the rows."
                self.take(each.name, "ratings", why, name=name or each.name)

    def _rated_by_row(self) -> list[Facts]:
        """Return the columns named after a criterion and those named after a rating or, if there
        are none of the latter, those of few values that differ among people who rated the same."""
        free = [e for e in self.free() if e.total and (not _metric(e) or self._differs(e))]
        known = [e for e in free if is_criterion(inner_name(e.name)) or _is_rank(e)]
        differing = [each for each in free if self._differs(each)]
        if known:
            few = [e for e in differing if are_of_one_scale([e], is_sure=False)]
            differing = [e for e in few if e.is_numeric or order_scale_words(set(e.counts))]
        only = [each for each in free if each.plain in vocabulary()["roles"]["value"]]
        return list(dict.fromkeys([*known, *(only or differing)]))

    def _differs(self, column: Facts) -> bool:
        """Return whether a column of few points differs among rows of the same unit, and is neither
        a fact about the person nor a number that counts the rows of each."""
        unit, people = self.unit(), self.cells("rater")
        is_scale = are_of_one_scale([column], is_sure=True)
        is_scale = column.is_on_scale or (is_scale and max(column.numbers, default=0) <= 100)
        if unit is None or people is None or not is_scale:
            return False
        about = {*vocabulary()["about_ratings"], *vocabulary()["not_ratings"]}
        if statistic(inner_name(column.name)) not in ("", "mean") or about.intersection(
            column.words
        ):
            return False
        of_person = column.cells.groupby(people)
        is_numbered = _is_count(column) and (of_person.nunique() == of_person.size()).all()
        if is_numbered or (of_person.nunique() == 1).all():
            return False
        return bool((column.cells.groupby(unit).nunique() > 1).mean() > 0.1)

    # -- ids and types ------------------------------------------------------------------------

    def _is_id_name(self, column: Facts) -> bool:
        names = vocabulary()
        return column.plain in names["ids"] or column.plain.endswith(tuple(names["id_ends"]))

    def ids(self) -> None:
        """Give columns of ids the unit that their values name: the source, the question, or the
        rating."""
        named = [each for each in self.free() if self._is_id_name(each) and each.total]
        named.sort(key=lambda each: each.plain not in vocabulary()["source_ids"])
        for each in named:
            if role := self._named_by(each):
                if role in SINGLE and self.has(role):
                    role = "source_metadata" if role == "source_id" else "metadata"
                self.take(each.name, role, _WHY_ID[role])

    def _named_by(self, column: Facts) -> str:
        """Return the role of a column of ids, "" if its values show none."""
        unit, source, ids = self._question_unit(), self.source(), column.cells
        if column.total < MOST * len(ids):
            return ""
        if unit is None or not self.has("question", "question_of"):
            return self._id_without_texts(column)
        units, named = unit[ids != ""].nunique(), len(column.counts)
        if units < named == column.total:
            return "rating_metadata" if self.has("rater") else "metadata"
        if named >= units and _determines(ids, unit):
            is_alone = source is None or source.nunique() >= unit.nunique()
            return "source_id" if is_alone and self._may_name_sources(column) else "key"
        if source is None:
            return self._id_without_texts(column)
        if _determines(ids, source):
            return "source_id" if named > 1 else ""
        passages = self.cells("passage")
        is_wider = passages is not None and _determines(ids, passages)
        return "source_metadata" if is_wider else ""

    def _id_without_texts(self, column: Facts) -> str:
        """Return that ids name sources if several systems have most of them, else what their name
        says."""
        systems = self.cells("system")
        if systems is not None and (systems.groupby(column.cells).nunique() > 1).mean() > 0.5:
            return "source_id"
        return "source_id" if self._may_name_sources(column) else "key"

    def _question_unit(self) -> "pd.Series[str] | None":
        return _joined(self.source(), self.cells("system"), self.cells("question"))

    def _may_name_sources(self, column: Facts) -> bool:
        return column.plain in vocabulary()["source_ids"]

    def types(self) -> None:
        """Take the question types: those that are constant within each source over all systems are
        the target's, others the system's."""
        names = vocabulary()["roles"]
        candidates = [*names["target_type"], *names["question_type"], "target", "type"]
        for each in [each for each in self.free() if each.plain in candidates]:
            few = len(each.counts) <= 40 and not each.is_numeric and each.length <= 40
            if not few or not each.total or self.has("target_type"):
                continue
            if self._is_target(each):
                why = "Every system has the same types on a passage: the type was asked for."
                self.take(each.name, "target_type", why)
            elif each.plain in names["question_type"] and not self.has("question_type"):
                self.take(each.name, "question_type", "The types differ among systems.")

    def _is_target(self, column: Facts) -> bool:
        systems, source = self.cells("system"), self.source()
        by_name = column.plain not in vocabulary()["roles"]["question_type"]
        if systems is None or source is None:
            return by_name
        types = column.cells.groupby([source, systems]).agg(lambda of: _APART.join(sorted(set(of))))
        by_source = types.groupby(level=0)
        same = (by_source.nunique() == 1)[by_source.size() > 1]
        if same.empty:
            return by_name
        return bool(same.mean() >= (0.5 if by_name else 0.9))

    # -- scores and the rest ------------------------------------------------------------------

    def measures(self) -> None:
        """Take columns of numbers: automatic metrics by their names, mean human scores by the names
        of criteria, other numbers with fractions as metrics."""
        if self.has("question_of"):
            return
        for each in [each for each in self.free() if each.is_numeric]:
            if _metric(each):
                self._take_metric(each)
            elif criterion := _criterion_of(each):
                self._take_mean(each, criterion)
            elif (
                each.has_thirds
                and not self._is_id_name(each)
                and statistic(each.name) in ("", "mean")
            ):
                why = "It holds numbers with fractions. Nothing shows whether higher is better."
                self._take_score(each, "metric", why, is_guessed=True)

    def _take_metric(self, column: Facts) -> None:
        kind, scale = _metric(column), "none"
        if column.name in self.percent:
            scale = "percent"
        elif kind == "bounded" and min(column.numbers) >= 0 and max(column.numbers) <= 100:
            scale = "fraction" if max(column.numbers) <= 1 else "percent"
        direction = "lower" if kind == "lower" else "higher"
        self.take(column.name, "metric", name=column.name, direction=direction, scale=scale)

    def _take_mean(self, column: Facts, criterion: str) -> None:
        """Take a column named after a criterion as means or, in a further file of whole numbers, as
        the ratings of the person whom the file is named after."""
        rater = self.known.annotator
        if rater and column.is_whole and not column.has_thirds:
            why = f"Whole numbers of a criterion: ratings of “{rater}”, as the file is called."
            name = without_scale(column.name)
            self.take(column.name, "ratings", why, name=name, rater=rater)
            return
        why = "It is named after a criterion, and no column names the people who rated."
        is_guessed = criterion not in vocabulary()["criteria"]["higher"]
        if is_guessed:
            why = "It is named after a criterion. Check whether higher is better."
        self._take_score(column, "human_mean", why, is_guessed=is_guessed)

    def _take_score(self, column: Facts, role: str, why: str, *, is_guessed: bool) -> None:
        """Take a column as scores of which higher ones are better."""
        self.take(
            column.name,
            role,
            why,
            name=column.name,
            direction="higher",
            is_direction_guessed=is_guessed,
        )

    def rest(self) -> None:
        """Keep what is left as metadata: of the source if its rows agree, of the rating if people
        differ, else of the question."""
        self._take_named(_NAMED_LATER)
        if self._has_one_author():
            self._take_named(["note"])
        source, unit = self.source(), self._question_unit()
        for each in self.free():
            if not each.total:
                self.take(each.name, "", "It is blank in every row.")
            elif self._is_of_source(each, source):
                why = "It is the same in all rows of a source."
                self.take(each.name, "source_metadata", why)
            elif self.has("rater") and unit is not None and not _determines(unit, each.cells):
                why = "It differs among rows of the same question."
                self.take(each.name, "rating_metadata", why)
            else:
                self.take(each.name, "metadata", "Nothing suggests another role.")

    def _has_one_author(self) -> bool:
        """Return whether it is clear who wrote the notes."""
        raters = {column.rater for column in self.columns.values() if column.role == "ratings"}
        return self.has("rater") or (len(raters) == 1 and "" not in raters)

    def _is_of_source(self, column: Facts, source: "pd.Series[str] | None") -> bool:
        if self.has("question_of"):
            return True
        if column.plain in vocabulary()["of_sources"]:
            return source is None or _determines(source, column.cells)
        if source is None or not source.duplicated().any():
            return False
        return column.counts.total() > len(column.counts) > 1 and _determines(source, column.cells)

    # -- options ------------------------------------------------------------------------------

    def _numbers(self) -> dict[str, Any]:
        """Return how the numbers of scores and ratings are written, and words for blank cells."""
        measured = [
            self.facts[name]
            for name, each in self.columns.items()
            if each.role in (*RATED, "metric", "human_mean", "value") and name in self.facts
        ]
        found: dict[str, Any] = {}
        ways = [each.written for each in measured if each.written != "point"]
        if ways:
            found["numbers"] = "comma_thousands" if "comma_thousands" in ways else ways[0]
        asked = [self.facts[name] for name, e in self.columns.items() if e.role == "question"]
        words = dict.fromkeys(word for each in (*measured, *asked) for word in each.missing)
        return found | ({"blanks": tuple(words)} if words else {})

    def _spellings(self) -> dict[str, Any]:
        """Return that spellings become one if people or systems have several."""
        for role in ("rater", "system"):
            if name := self.column(role):
                names = [cell for cell in self.frame[name].unique() if cell.strip()]
                if len({" ".join(name.casefold().split()) for name in names}) < len(names):
                    return {"one_spelling": True}
        return {}

    def _crossing(self) -> dict[str, Any]:
        """Return that systems were not given the same sources if some share none with others, or if
        fewer than half of all outputs are there."""
        source, systems = self.cells("source_id"), self.cells("system")
        source = self.source() if source is None else source
        if source is None or systems is None:
            return {}
        pairs = pd.DataFrame({"source": source, "system": systems})
        pairs = pairs[pairs["system"] != ""].drop_duplicates()
        possible = pairs["source"].nunique() * pairs["system"].nunique()
        is_crossed = len(groups_of(pairs)) == 1 and 2 * len(pairs) >= possible
        return {} if is_crossed else {"crossed": False}

    def _rater_kinds(self) -> dict[str, Any]:
        """Return what the raters of a column are whose names are no annotators'."""
        name = self.column("rater")
        if self.given.recipe in _OWN_EXPORTS:
            return {}
        kinds: dict[str, str] = {}
        for rater in self.facts[name].counts if name in self.facts else ():
            if is_label(rater):
                continue
            if is_model(rater):
                kinds[rater] = "llm_judge"
            elif is_adjudicated(rater) or rater.casefold() in ("max", "min"):  # these are names too
                kinds[rater] = "ask"
            elif statistic(rater) and len(words_of(rater)[-1]) > 1:
                kinds[rater] = "exclude"
        return {"raters": kinds} if kinds else {}


_WHY_ID = {
    "source_id": "Its values recur with each source.",
    "key": "It has one value for each question.",
    "rating_metadata": "It has one value for each rating.",
    "source_metadata": "It is the same in all rows of a passage.",
    "metadata": "It has one value for each row.",
}


def _is_rank(column: Facts) -> bool:
    return column.plain in ("rank", "ranking") and column.is_whole


def _is_statistic_of(column: Facts, criterion: str) -> bool:
    """Return whether a column is named like a statistic of a criterion, other than its mean."""
    people = vocabulary()["people"]
    about = {*people, *(f"{word}s" for word in people), *words_of(criterion)}
    others = [word for word in column.words if not statistic(word)]
    return statistic(column.name) not in ("", "mean") and about.issuperset(others)


def _names(column: str) -> Iterator[str]:
    """Yield the plain names of a column. One that was opened from an object, as in
    `questions.text`, is also named by its parts."""
    outer, dot, last = column.rpartition(".")
    if dot and not last.isdecimal():
        owner, inner = plain_name(outer.rpartition(".")[2]), plain_name(last)
        if inner not in ("text", "id", "name", "value", "answer", "score"):
            yield inner
        for whose in (owner, owner.removesuffix("s")):
            yield f"{whose}_{inner}"
            if inner in ("text", "name", whose):
                yield whose
    yield plain_name(column)


def _is_reference(column: Facts) -> bool:
    """Return whether a column is named like reference questions and holds texts."""
    names = vocabulary()["references"]
    is_named = column.plain in names or column.plain.rstrip("0123456789_") in ("ref", "reference")
    return is_named and not column.is_numeric and (column.is_text or column.asks)


def _fits(column: Facts, role: str) -> bool:
    """Return whether the cells of a column may have a role that its name suggests."""
    if not column.total:
        return False
    if role == "question":
        return column.is_text or column.asks
    if role in ("passage", "sentence"):
        return column.is_text and not column.asks
    if role == "answer_start":
        return column.is_numeric
    if role == "position":
        return column.is_whole and min(column.numbers, default=0) >= 1
    return True


def _is_part(cell: str, passage: str) -> bool:
    """Return whether a passage contains a text as whole words; one or two digits are rather a
    number of the row."""
    if len(cell) >= len(passage) or (cell.isdecimal() and len(cell) < 3):
        return False
    start = passage.find(cell)
    if start < 0:
        return False
    around = passage[max(0, start - 1) : start] + passage[start + len(cell) : start + len(cell) + 1]
    return not any(map(str.isalnum, around)) or not cell.isascii()


def _may_be_systems(column: Facts) -> bool:
    """Return whether the values are few, or repeat often, and could be names of systems."""
    names = len(column.counts)
    is_few = 0 < names <= _SYSTEMS or 0 < 3 * names <= column.total
    short = all(len(value) <= 60 for value in column.counts)
    return is_few and short and not column.asks and not column.has_fractions


def _may_be_people(column: Facts) -> bool:
    short = all(len(value) <= 60 for value in column.counts)
    few = 0 < len(column.counts) <= min(_PEOPLE, max(2, column.total // 2))
    return few and short and not column.asks


def _tells_apart(column: Facts, unit: "pd.Series[str]", *, least: float) -> bool:
    """Return whether a unit has each value at most once in most rows, and most values several
    units."""
    is_known = column.plain in vocabulary()["roles"]["rater"]
    if len(column.counts) < 2 or not (is_known or _may_be_people(column)):
        return False
    given = column.cells != ""
    pairs = unit[given] + _APART + column.cells[given]
    return bool((~pairs.duplicated(keep=False)).mean() >= least)


def _is_crossed(cells: "pd.Series[str]", source: "pd.Series[str]") -> bool:
    """Return whether most sources have every value once."""
    grouped = cells.groupby(source)
    complete = (grouped.nunique() == cells.nunique()) & (grouped.size() == cells.nunique())
    return bool(complete.mean() >= USUAL)


def _determines(keys: "pd.Series[str]", values: "pd.Series[str]") -> bool:
    """Return whether rows of one key nearly always have one value; blank ones do not count."""
    given = (keys != "") & (values != "")
    if not given.any():
        return True
    different = values[given].groupby(keys[given]).nunique()
    return bool((different <= 1).mean() >= 0.99)


def _joined(*parts: "pd.Series[str] | None") -> "pd.Series[str] | None":
    """Return what the given parts of each row identify together; None if there are none."""
    joined = None
    for part in parts:
        if part is not None:
            joined = part if joined is None else joined + _APART + part
    return joined


def _is_count(column: Facts) -> bool:
    """Return whether the values are consecutive whole numbers, more than a small scale has."""
    numbers = column.numbers
    return column.is_whole and len(numbers) > 5 and max(numbers) - min(numbers) < len(numbers)


def _metric(column: Facts) -> str:
    """Return the kind of metric that a name means: bounded, higher or lower; "" if none."""
    for kind in ("lower", "bounded", "higher"):
        if re.search(rf"(?:^|_)(?:{vocabulary()['metrics'][kind]})", column.plain):
            return kind
    return ""


def _criterion_of(column: Facts) -> str:
    """Return the criterion of a column of means, "" if its name contains none."""
    name = criterion_of_mean(column.name)
    return name if is_criterion(name) else ""


def _systems_in(names: Sequence[str]) -> list[str]:
    """Return the systems that names of columns of questions mean: without the words that all have,
    if the rest is different for each."""
    around = re.compile(
        r"(?<![^\W_])(generated|predicted|systems?|models?|output|questions?|predictions?|preds?|hyp|text|by|from|of)"
        r"(?![^\W_])",
        re.I,
    )
    short = [
        re.sub(r"([\s_.:@-])[\s_.:@-]+", r"\1", around.sub("", name)).strip(" _.:@-()[]")
        for name in names
    ]
    return short if all(short) and len(set(short)) == len(short) else list(names)
