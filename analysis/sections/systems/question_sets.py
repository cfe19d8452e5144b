"""Facts about question sets that need no annotators: counts from the texts, and facts that a
protocol computes in addition to its ratings."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from math import nan
from typing import Any

from analysis import frames
from analysis.frames import Material
from analysis.reports.layout import Cell, Line, PageTable
from analysis.reports.numerals import is_defined, or_dash
from analysis.reports.rows import row_field, stable_number, table_row
from analysis.reports.table_engine import Pivot, ReportColumn, ReportTable, draw
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.base.percentages import percent
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import System
from judging.protocols.protocol_schema import Fact, Quota
from judging.protocols.rules import TypeSpread, quota_scores, type_spread
from quaestor_metrics._languages import default_preparation, is_spaced
from quaestor_metrics._preparation import preparation_step, raw
from quaestor_metrics._question_types import TYPES, knows_types, question_type, type_by_head
from quaestor_metrics._set_properties import exact_duplicates, near_duplicates

TYPES_UNKNOWN = (
    "Question types are not counted: they are determined by English question words, "
    "so they are not for this language."
)
COLUMNS = ("question_set", "source", "system", "unit", "text", "submitted_answer", "answer")
LevelsByUnit = Mapping[int, Mapping[str, float]]  # by unit and annotator
NAMES = {
    "type_share": "Types a question",
    "type_balance": "Balance of types",
    "cardinality_difference": "References − questions",
    "cardinality_error": "Absolute difference",
    "exact_duplicates": "Repeated",
    "near_duplicates": "Nearly repeated",
}


@dataclass(frozen=True)
class HeldSet:
    """One system's questions about one source, slot by slot, with the types of those that were
    returned."""

    source: str
    system: str
    units: tuple[int, ...]
    texts: tuple[str | None, ...]
    types: tuple[str, ...]  # empty where the language's question words are not known
    head_types: tuple[str, ...] = ()  # the types by the head of the wh-phrase, likewise
    parted: tuple[str, ...] = ()  # the returned texts with their words parted by spaces

    @property
    def returned(self) -> list[str]:
        return [text for text in self.texts if text is not None]

    @property
    def asked(self) -> list[int]:
        """The units of the questions that were returned."""
        return [unit for unit, text in zip(self.units, self.texts, strict=True) if text is not None]

    @property
    def spread(self) -> TypeSpread | None:
        return type_spread(self.types) if self.types else None


@table_row
class SetFactsRow:
    """Counts from one system's texts."""

    system: str = row_field("name of the system")
    kind: str = row_field("model, human, or degradation (made worse on purpose)")
    sets: int = row_field("question sets")
    largest: int = row_field("questions in the largest set")
    returned: int = row_field("questions returned")
    type_share: float = row_field("mean over sets of different question types for each question")
    type_balance: float = row_field("mean over sets of how evenly the types are spread")
    with_references: int = row_field("sets whose source has references")
    cardinality_difference: float = row_field("mean over those of references minus questions")
    cardinality_error: float = row_field("the same, absolute")
    exact_duplicates: int = row_field("questions that repeat another of their set")
    near_duplicates: int = row_field("questions that nearly repeat another of their set")
    type_who: int = row_field("questions of the type who")
    type_when: int = row_field("questions of the type when")
    type_where: int = row_field("questions of the type where")
    type_what: int = row_field("questions of the type what")
    type_quantity: int = row_field("questions of the type how many or how much")
    type_how: int = row_field("questions of the type how")
    type_why: int = row_field("questions of the type why")
    type_which: int = row_field("questions of the type which")
    type_other: int = row_field("questions of no such type, yes-no questions among them")

    def asked(self) -> dict[str, int]:
        """Return how many questions there are of each type."""
        return {each: int(getattr(self, f"type_{each}")) for each in TYPES}


@table_row
class HeadTypeRow:
    """Number of a system's questions that have a type, determined in two ways."""

    system: str = row_field("name of the system")
    question_type: str = row_field("the type")
    by_word: int = row_field(
        "questions of the type by their question word, as in the text statistics"
    )
    by_head: int = row_field(
        "questions of the type if the head of the phrase after what or which decides"
    )


@table_row
class FactRow:
    """A fact that the protocol computes for one system; it is no rating and changes none."""

    fact: str = row_field("key of the fact")
    kind: str = row_field("quota or type_diversity")
    criterion: str = row_field("criterion that it is computed from, or shown with")
    system: str = row_field("name of the system")
    sets: int = row_field("question sets")
    n: int = row_field("sets that have a value")
    value: float = row_field(
        "mean score under the quota over all expected slots, or the share of sets that are diverse "
        "enough"
    )
    rated: float = row_field("mean rating that it is shown with")
    method: str = row_field("how it is computed")


@table_row
class SetRow:
    """One question set with its types and computed facts."""

    source: str = row_field("key of the source")
    system: str = row_field("name of the system")
    expected: int = row_field("questions expected")
    returned: int = row_field("questions returned")
    types: list[str] = row_field("question types of those returned, in order")
    type_share: float = row_field("different types for each question")
    type_balance: float = row_field("how evenly the types are spread")
    exact_duplicates: int = row_field("questions that repeat another of the set")
    near_duplicates: int = row_field("questions that nearly repeat another of the set")
    facts: list[Any] = row_field(
        "computed facts, each a key, its value, and the mean rating it is shown with"
    )


class TextStatistics(Section[SetFactsRow]):
    """Question types, their diversity, cardinality and duplicates of each system."""

    key = "text_statistics"
    title = "Text statistics"
    identity = ("system",)
    note = (
        "Computed from the texts. A question's type is the first of who, when, where, what, how many, how, why and "
        "which in its text; a yes-no question is “other”. Two questions are near-duplicates from a similarity of .8 "
        "(twice their longest common subsequence of words, divided by the words of both)."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[SetFactsRow]:
        references = frames.human_references(inputs.said.campaign)
        kinds = kinds_of(inputs.said.campaign)
        return [
            _of_system(system, kinds.get(system, ""), held, references)
            for system, held in _by_system(held_sets(inputs.said))
        ]

    def tables(self, found: Found) -> list[PageTable]:
        rows = found.of(TextStatistics)
        tables = [table for table in (_types_table(rows), _sets_table(rows)) if table.columns]
        return [shown for table in tables for shown in draw(table, rows, found.names)]

    def small_print(self, found: Found) -> list[str]:
        rows = found.of(TextStatistics)
        untold = any(row.returned for row in rows) and not any(
            sum(row.asked().values()) for row in rows
        )
        return [TYPES_UNKNOWN] if untold else []


class TypesByHead(Section[HeadTypeRow]):
    """Question types of each system by the head of the wh-phrase, beside those by question word."""

    key = "types_by_head"
    title = "Question types by the head of the wh-phrase"
    identity = ("system", "question_type")
    note = (
        "A question with what or which takes the type of the noun that heads the phrase after it: “What researcher” "
        "asks who, “In which year” asks when. Nouns are looked up in a list; if the head is not on it, the question "
        "word decides."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[HeadTypeRow]:
        rows = []
        for system, sets in _by_system(held_sets(inputs.said)):
            by_word = Counter(each for held in sets for each in held.types)
            by_head = Counter(each for held in sets for each in held.head_types)
            rows += [
                HeadTypeRow(system, each, by_word[each], by_head[each])
                for each in TYPES
                if by_word[each] or by_head[each]
            ]
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        rows = found.of(TypesByHead)
        if all(row.by_word == row.by_head for row in rows):
            return []
        table = ReportTable[HeadTypeRow](
            title=self.title,
            lines="system",
            columns=Pivot(
                "question_type",
                lambda row: Cell(f"{row.by_head:,}", f"{row.by_word:,}"),
                missing=Cell("0", "0"),
                order=lambda row: TYPES.index(row.question_type),
            ),
            caption="Questions of each type by the head; below, by the question word.",
        )
        return draw(table, rows, found.names)


class ComputedFacts(Section[FactRow]):
    """The protocol's computed facts for each system, each shown with a mean rating."""

    key = "computed_facts"
    title = "Facts computed by the protocol"
    identity = ("fact", "system")
    beside = (("sets", "Set by set"),)

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[FactRow]:
        rows: list[FactRow] = []
        sets = held_sets(inputs.said) if inputs.said.protocol.facts else []
        for fact in inputs.said.protocol.facts:
            levels = levels_of(inputs.said, criterion_of(fact))
            for system, held in _by_system(sets):
                values = [v for each in held if (v := set_value(fact, each, levels)) is not None]
                rated = [mean for each in held if (mean := _rated(each, levels)) is not None]
                rows.append(
                    FactRow(
                        fact=fact.key,
                        kind="quota" if isinstance(fact, Quota) else "type_diversity",
                        criterion=criterion_of(fact),
                        system=system,
                        sets=len(held),
                        n=len(values),
                        value=_mean(values),
                        rated=_mean(rated),
                        method=fact.explanation,
                    )
                )
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        """Return the table of computed facts: the quota's mean, and the share of sets that are
        diverse enough beside the rating of diversity."""
        cells: dict[str, list[Cell]] = {}
        heads: dict[str, None] = {}
        for row in found.of(ComputedFacts):
            name, own = found.name_of(row.criterion), cells.setdefault(row.system, [])
            if row.kind == "quota":
                heads[f"{name}: quota composite"] = None
                own.append(Cell(or_dash(row.value), f"n = {row.n:,}"))
            else:
                heads |= dict.fromkeys([f"{name}: sets that reach it", name])
                share = (
                    Cell(percent(row.value), f"of {row.sets:,}")
                    if is_defined(row.value)
                    else Cell("–")
                )
                own += [share, Cell(or_dash(row.rated), "mean rating")]
        lines = [Line(system, own) for system, own in cells.items()]
        return [PageTable(self.title, list(heads), lines, first="System")] if lines else []

    def small_print(self, found: Found) -> list[str]:
        return list(dict.fromkeys(row.method for row in found.of(ComputedFacts) if row.method))


class Sets(Section[SetRow]):
    """Every set with its types and the protocol's computed facts; empty if the protocol computes
    none."""

    key = "sets"
    title = "Every question set with its types and computed facts"
    download_only = True

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[SetRow]:
        material = inputs.said
        facts = [
            (fact, levels_of(material, criterion_of(fact))) for fact in material.protocol.facts
        ]
        return [_set_row(held, facts) for held in held_sets(material)] if facts else []


def held_sets(material: Material) -> list[HeldSet]:
    """Return the question sets in the order of the dataset."""
    columns = (material.questions[name].tolist() for name in COLUMNS)
    rows = zip(*columns, strict=True)
    language = material.campaign.dataset.language
    return [_held(list(slots), language) for _, slots in groupby(rows, key=lambda row: row[0])]


def judges_sets(inputs: Inputs) -> bool:
    """Return whether the protocol judges sets of questions, or computes facts of them."""
    protocol = inputs.said.protocol
    return bool(protocol.facts) or any(criterion.unit == "set" for criterion in protocol.criteria)


def kinds_of(campaign: Campaign) -> dict[str, str]:
    """Return the kind of each system: model, human, or deliberate degradation."""
    systems = System.objects.filter(dataset=campaign.dataset_id)
    return dict(systems.values_list("name", "kind"))


def criterion_of(fact: Fact) -> str:
    """Return the criterion that a fact is computed from, or shown with."""
    return fact.criterion if isinstance(fact, Quota) else fact.beside


def set_value(fact: Fact, held: HeldSet, levels: LevelsByUnit) -> float | None:
    """Return a set's mean score under a quota, or 1 or 0 as it reaches the diversity that is asked
    for."""
    if isinstance(fact, Quota):
        return _quota(fact, held, levels)
    if held.returned and not held.types:
        return None
    return float(
        held.spread is not None and held.spread.reaches(share=fact.share, balance=fact.balance)
    )


def levels_of(material: Material, criterion: str) -> LevelsByUnit:
    """Return the values on a criterion by unit and annotator."""
    rows = material.judgments
    rows = rows[rows["criterion"] == criterion].dropna(subset=["value"])
    found: dict[int, dict[str, float]] = defaultdict(dict)
    for unit, annotator, value in zip(rows["unit"], rows["annotator"], rows["value"], strict=True):
        found[int(unit)][str(annotator)] = float(value)
    return found


def _held(slots: Sequence[tuple[Any, ...]], language: str) -> HeldSet:
    import pandas as pd

    _, sources, systems, units, texts, submitted, answers = zip(*slots, strict=True)
    given = [None if pd.isna(text) else str(text) for text in texts]
    answered = [
        (text, _text(own) or _text(asked))
        for text, own, asked in zip(given, submitted, answers, strict=True)
        if text is not None
    ]
    typed = answered if knows_types(language) else []
    parted = raw if is_spaced(language) else preparation_step(default_preparation(language))
    return HeldSet(
        source=str(sources[0]),
        system=str(systems[0]),
        units=units,
        texts=tuple(given),
        types=tuple(question_type(text, answer) for text, answer in typed),
        head_types=tuple(type_by_head(text, answer) for text, answer in typed),
        parted=tuple(parted(text) for text, _answer in answered),
    )


def _text(value: Any) -> str:
    import pandas as pd

    return "" if pd.isna(value) else str(value)


def _by_system(sets: Iterable[HeldSet]) -> list[tuple[str, list[HeldSet]]]:
    found: dict[str, list[HeldSet]] = defaultdict(list)
    for held in sets:
        found[held.system].append(held)
    return sorted(found.items())


def _of_system(
    system: str, kind: str, sets: Sequence[HeldSet], references: Mapping[str, Sequence[str]]
) -> SetFactsRow:
    spreads = [question_set.spread for question_set in sets if question_set.spread]
    gaps = [
        len(references[question_set.source]) - len(question_set.returned)
        for question_set in sets
        if references.get(question_set.source)
    ]
    return SetFactsRow(
        system=system,
        kind=kind,
        sets=len(sets),
        largest=max(len(question_set.units) for question_set in sets),
        returned=sum(len(question_set.returned) for question_set in sets),
        type_share=_mean([spread.share for spread in spreads]),
        type_balance=_mean([spread.balance for spread in spreads]),
        with_references=len(gaps),
        cardinality_difference=_mean(gaps),
        cardinality_error=_mean([abs(gap) for gap in gaps]),
        exact_duplicates=sum(exact_duplicates(question_set.returned) for question_set in sets),
        near_duplicates=sum(near_duplicates(question_set.parted) for question_set in sets),
        **_counts_of_types(sets),
    )


def _counts_of_types(sets: Sequence[HeldSet]) -> dict[str, int]:
    types = Counter(name for question_set in sets for name in question_set.types)
    return {f"type_{name}": types[name] for name in TYPES}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else nan


def _set_row(held: HeldSet, facts: Iterable[tuple[Fact, LevelsByUnit]]) -> SetRow:
    spread = held.spread
    computed = [
        [
            fact.key,
            stable_number(set_value(fact, held, levels)),
            stable_number(_rated(held, levels)),
        ]
        for fact, levels in facts
    ]
    return SetRow(
        source=held.source,
        system=held.system,
        expected=len(held.units),
        returned=len(held.returned),
        types=list(held.types),
        type_share=spread.share if spread else nan,
        type_balance=spread.balance if spread else nan,
        exact_duplicates=exact_duplicates(held.returned),
        near_duplicates=near_duplicates(held.parted),
        facts=computed,
    )


def _quota(fact: Quota, held: HeldSet, levels: LevelsByUnit) -> float | None:
    """Return the mean over annotators who rated every returned question; a missing one finds no
    quota left."""
    raters = [set(levels.get(unit, {})) for unit in held.asked]
    walks = [
        quota_scores(
            [levels.get(unit, {}).get(rater) for unit in held.units],
            fact.quota,
            kept=fact.kept,
            surplus=fact.surplus,
        )
        for rater in (sorted(set.intersection(*raters)) if raters else [""])
    ]
    return sum(map(sum, walks)) / (len(walks) * len(held.units)) if walks else None


def _rated(held: HeldSet, levels: LevelsByUnit) -> float | None:
    """Return the mean of the question means."""
    means = [sum(given.values()) / len(given) for unit in held.asked if (given := levels.get(unit))]
    return sum(means) / len(means) if means else None


def _types_table(rows: Sequence[SetFactsRow]) -> ReportTable[SetFactsRow]:
    """Return the table of how many questions of each type each system asked, the most frequent type
    first."""
    counts = Counter[str]()
    for row in rows:
        counts.update(row.asked())
    return ReportTable(
        title="Question types",
        lines="system",
        chip=_kind,
        columns=[
            ReportColumn(name, partial(_type_cell, name)) for name, n in counts.most_common() if n
        ],
        last=("Questions", lambda row: f"{row.returned:,}"),
    )


def _type_cell(name: str, row: SetFactsRow) -> Cell:
    count = row.asked()[name]
    return Cell(f"{count:,}", percent(count / row.returned) if row.returned else "")


def _sets_table(rows: Sequence[SetFactsRow]) -> ReportTable[SetFactsRow]:
    """Return the table of means over sets; without columns if no set has several questions or
    references."""
    several = any(row.largest > 1 for row in rows)
    referred = any(row.with_references for row in rows)
    keys = [
        *(("type_share", "type_balance") if several else ()),
        *(("cardinality_difference", "cardinality_error") if referred else ()),
        *(("exact_duplicates", "near_duplicates") if several else ()),
    ]
    return ReportTable(
        title="Within a set",
        lines="system",
        chip=_kind,
        columns=[ReportColumn(NAMES[key], partial(_number_cell, key)) for key in keys],
        last=("Sets", lambda row: f"{row.sets:,}"),
        caption="Means over sets; repeated questions count.",
    )


def _kind(row: SetFactsRow) -> str:
    return "degraded on purpose" if row.kind == "degradation" else ""


def _number_cell(key: str, row: SetFactsRow) -> Cell:
    value = getattr(row, key)
    return Cell(f"{value:,}" if isinstance(value, int) else or_dash(value))
