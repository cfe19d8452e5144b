"""The protocol's aggregate of every system, in every reading of its rules."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isclose, isnan, nan

import numpy as np

from analysis.frames import Material
from analysis.reports.layout import Cell, PageTable
from analysis.reports.numerals import (
    EQUAL,
    format_count,
    format_list,
    format_number,
    inside_sentence,
    is_defined,
    or_dash,
)
from analysis.reports.rows import row_field, table_row
from analysis.reports.system_names import system_name
from analysis.reports.table_engine import Pivot, ReportTable, draw
from analysis.sections.about import About
from analysis.sections.criteria import CriterionRow, criterion_rows
from analysis.sections.section import Chance, Found, Inputs, Section
from analysis.sections.systems import protocol_aggregates
from analysis.sections.systems.coverage import Coverage
from judging.protocols.protocol_schema import ProtocolCriterion, ProtocolDocument
from judging.protocols.rules import Fatal, RuleReading, fatal_variants
from quaestor_stats._inputs import FloatArray

READINGS: tuple[RuleReading, ...] = ("by_protocol", "as_released")
FORMS = {
    "by_protocol": "by the protocol",
    "as_released": "as released",
    "per_rating": "fatal rule on each rating",
    "on_means": "fatal rule on means",
    "all_remaining": "all other criteria",
    "named": "named criteria only",
}


@table_row
class AggregateRow:
    """A system's aggregate on one criterion, or on all that the protocol combines, in one reading
    of the rules."""

    reading: str = row_field(
        "whether the rules about missing, lone and identical questions overrule the annotators"
    )
    fatal_applied: str = row_field(
        "how the fatal rule is applied: per_rating, on_means, or not at all where empty"
    )
    fatal_others: str = row_field(
        "which criteria the fatal rule sets to their worst: all_remaining or named"
    )
    system: str = row_field("name of the system")
    criterion: str = row_field("key of the criterion; empty for the combination")
    best: str = row_field(
        "which end of the aggregate is best; none if the combined criteria do not agree on it"
    )
    expected: int | None = row_field(
        "questions expected, on the sources that were judged", default=None
    )
    returned: int | None = row_field(
        "questions of these that this reading counts as returned", default=None
    )
    unrated: int | None = row_field(
        "slots without a value; if there are any the sum is not known", default=None
    )
    aggregate: float = row_field(
        "the aggregate as the protocol defines it, a sum or a mean", default=nan
    )
    mean_expected: float = row_field(
        "mean over all expected slots, missing ones as the rules value them; not known if returned "
        "questions also lack a value",
        default=nan,
    )
    mean_returned: float = row_field(
        "mean over the questions that this reading counts as returned", default=nan
    )
    unjudged: int | None = row_field(
        "questions counted as returned that have no value", default=None
    )

    @property
    def form(self) -> tuple[str, str, str]:
        return self.reading, self.fatal_applied, self.fatal_others


@dataclass(frozen=True)
class Ranking:
    """Systems in order, best first; equal ones share a place."""

    places: list[list[str]] = field(default_factory=list)

    def __str__(self) -> str:
        return " › ".join(" = ".join(map(system_name, names)) for names in self.places)


class Aggregates(Section[AggregateRow]):
    """The aggregate in both readings and under every form of the fatal rule.

    Protocols without rules about missing questions have one reading; the two differ only by such
    rules.
    """

    key = "aggregates"
    title = "Protocol aggregates"
    identity = ("reading", "fatal_applied", "fatal_others", "system", "criterion")
    beside = (("violations", "Ratings that contradict a rule"),)

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[AggregateRow]:
        material = inputs.said
        arranged, protocol = _arranged(material), material.protocol
        rows: list[AggregateRow] = []
        for reading in READINGS:
            for applied, others, rule in _fatal_forms(protocol):
                scored = protocol_aggregates.scores(
                    arranged, protocol.rules, protocol.worst(), reading=reading, fatal=rule
                )
                rows += _rows(scored, protocol, (reading, applied, others))
        if any(not isinstance(rule, Fatal) for rule in protocol.rules):
            return rows
        return [row for row in rows if row.reading == READINGS[0]]

    def tables(self, found: Found) -> list[PageTable]:
        rows = found.of(Aggregates)
        return [*_with_missing(found), *_combined_table(found), *_by_criterion(rows, found)]

    def small_print(self, found: Found) -> list[str]:
        return [
            f"{format_count(study.violations, 'rating contradicts', 'ratings contradict')} the protocol's "
            "rules; "
            + (
                "for systems and metrics the rule stands in their place, agreement is of what was rated."
                if study.reading == "by_protocol"
                else "analysed as released, and by the protocol in the readings of that name."
            )
            for study in found.of(About)
            if study.violations
        ]

    def sentences(self, found: Found) -> Iterator[str]:
        yield from _missing(found)
        yield from _readings(found)
        combined = [row for row in found.of(Aggregates) if not row.criterion]
        if not all(is_defined(row.aggregate) for row in combined):
            yield from (f"{told}." for told in _unknown(found))


def ranking(values: Mapping[str, float], *, best: str) -> Ranking:
    """Rank systems by their aggregate; systems with equal aggregates share a place. Empty where no
    end is best."""
    groups: dict[float, list[str]] = {}
    for name, value in values.items():
        if is_defined(value):
            groups.setdefault(value, []).append(name)
    if best not in ("highest", "lowest"):
        return Ranking()
    return Ranking([groups[value] for value in sorted(groups, reverse=best == "highest")])


def first_reading(found: Found) -> list[AggregateRow]:
    """Return the aggregates of criteria by the protocol, before its fatal rule."""
    return [
        row
        for row in found.of(Aggregates)
        if row.criterion and (row.reading, row.fatal_applied) == ("by_protocol", "")
    ]


def combined_best(protocol: ProtocolDocument) -> str:
    """Return which end of the combined aggregate is best: the one that all its criteria share, else
    none."""
    ends = {
        criterion.best for criterion in protocol.criteria if criterion.key in protocol.aggregated()
    }
    return ends.pop() if len(ends) == 1 else "none"


def _fatal_forms(protocol: ProtocolDocument) -> Iterator[tuple[str, str, Fatal | None]]:
    yield "", "", None
    for rule in protocol.rules:
        if isinstance(rule, Fatal):
            for form in fatal_variants(rule):
                yield form.applied, form.others, form


def _arranged(material: Material) -> protocol_aggregates.NumberedStudy:
    """Return the study on the sources that were judged: on another one only its missing questions
    would have values."""
    questions = material.questions
    judged = questions["unit"].isin(material.judgments.dropna(subset=["value"])["unit"])
    empty = questions["text"].isna().groupby(questions["source"]).transform("all")
    questions = questions[judged.groupby(questions["source"]).transform("any") | empty]
    keys = [
        criterion.key for criterion in material.protocol.criteria if criterion.unit == "question"
    ]
    slots = questions[["unit", "system", "question_set", "position", "text"]]
    slots = slots.rename(columns={"question_set": "source"})
    rows = material.judgments[material.judgments["criterion"].isin(keys)].dropna(subset=["value"])
    rows = rows[["unit", "annotator", "criterion", "value"]].rename(columns={"annotator": "rater"})
    return protocol_aggregates.arrange_study(
        slots, rows.merge(slots.drop(columns="text"), on="unit"), keys
    )


def _rows(
    scored: protocol_aggregates.SystemSums, protocol: ProtocolDocument, form: tuple[str, str, str]
) -> Iterator[AggregateRow]:
    """Yield the aggregate on every criterion that may be averaged, and on those that the protocol
    combines."""
    values, means_expected = _aggregates_and_means(scored, protocol)
    criteria = {
        criterion.key: criterion for criterion in protocol.criteria if criterion.is_averaged
    }
    places = [(j, criteria[key]) for j, key in enumerate(scored.criteria) if key in criteria]
    for i, system in enumerate(scored.systems):
        for j, criterion in places:
            yield replace(
                _row_without_aggregate(form, scored, (i, j), criterion),
                aggregate=float(values[i, j]),
                mean_expected=float(means_expected[i, j]),
            )
        if protocol.aggregate.combined != "none":
            yield _combined_row(
                form, system, protocol, zip(scored.criteria, values[i], strict=True)
            )


def _row_without_aggregate(
    form: tuple[str, str, str],
    scored: protocol_aggregates.SystemSums,
    place: tuple[int, int],
    criterion: ProtocolCriterion,
) -> AggregateRow:
    """Return the counts and the mean over returned questions of a system and a criterion."""
    return AggregateRow(
        *form,
        system=scored.systems[place[0]],
        criterion=criterion.key,
        best=criterion.best,
        expected=int(scored.expected[place[0]]),
        returned=int(scored.returned[place[0]]),
        unrated=int(scored.unrated[place]),
        mean_returned=float(scored.means_returned[place]),
        unjudged=int(scored.unjudged[place]),
    )


def _combined_row(
    form: tuple[str, str, str],
    system: str,
    protocol: ProtocolDocument,
    aggregates: Iterable[tuple[str, float]],
) -> AggregateRow:
    best, aggregate = combined_best(protocol), _combined(dict(aggregates), protocol)
    return AggregateRow(*form, system=system, criterion="", best=best, aggregate=aggregate)


def _aggregates_and_means(
    scored: protocol_aggregates.SystemSums, protocol: ProtocolDocument
) -> tuple[FloatArray, FloatArray]:
    """Return the aggregates, and the means over all expected slots (n_systems, n_criteria); nan
    where values are lacking."""
    missing = (scored.expected - scored.returned)[:, None] - (scored.unrated - scored.unjudged)
    is_partial = (scored.unjudged > 0) & (missing > 0)
    means_expected = np.where(is_partial, nan, scored.means_expected)
    if protocol.aggregate.kind == "sum_over_slots":
        return np.where(scored.unrated > 0, nan, scored.sums), means_expected
    return means_expected, means_expected


def _combined(values: Mapping[str, float], protocol: ProtocolDocument) -> float:
    """Return the weighted sum or mean of a system's aggregates; not known without criteria."""
    weights = {key: each for key, each in protocol.combined_weights().items() if key in values}
    if not weights:
        return nan
    total = sum(weight * float(values[key]) for key, weight in weights.items())
    return total if protocol.aggregate.combined == "sum" else total / sum(weights.values())


def _end(row: AggregateRow, criteria: Sequence[CriterionRow]) -> str:
    """Return which end is best; runs from before it was stored take it from their criteria."""
    if row.best:
        return row.best
    ends = {
        criterion.best
        for criterion in criteria
        if criterion.best != "none" and row.criterion in ("", criterion.criterion)
    }
    return ends.pop() if len(ends) == 1 else "none"


def _totals(found: Found) -> dict[tuple[str, str, str], list[AggregateRow]]:
    """Return the combined aggregates by the form they were made in, where any is known."""
    forms: dict[tuple[str, str, str], list[AggregateRow]] = {}
    for row in found.of(Aggregates):
        if not row.criterion:
            forms.setdefault(row.form, []).append(row)
    return {
        form: rows for form, rows in forms.items() if any(is_defined(row.aggregate) for row in rows)
    }


def _rank(rows: Sequence[AggregateRow], found: Found) -> Ranking:
    best = _end(rows[0], criterion_rows(found))
    if has_sums_of_unequal_numbers(found):
        return Ranking()
    return ranking({row.system: row.aggregate for row in rows}, best=best)


def has_sums_of_unequal_numbers(found: Found) -> bool:
    """Return whether the aggregates are sums over more questions of some systems than of others."""
    rows = [row for row in first_reading(found) if is_defined(row.aggregate)]
    sums = any(not isclose(row.aggregate, row.mean_expected, rel_tol=EQUAL) for row in rows)
    return sums and len({row.expected for row in rows}) > 1


def _unknown(found: Found) -> list[str]:
    """Return sentences on returned questions without a value, because of which a system's sum over
    every expected question is not known."""
    held: dict[tuple[str, int], list[str]] = {}
    for row in first_reading(found):
        if row.unjudged and not is_defined(row.aggregate):
            place = system_name(row.system), row.unjudged
            held.setdefault(place, []).append(inside_sentence(found.name_of(row.criterion)))
    return [
        f"{system}: {format_count(n, 'returned question')} {'has' if n == 1 else 'have'} no value on "
        f"{format_list(names)}, so what counts every expected question is not known"
        for (system, n), names in held.items()
    ]


def _words(form: tuple[str, str, str]) -> str:
    return ", ".join(FORMS[part] for part in form if part)


def _combined_table(found: Found) -> list[PageTable]:
    """Return the combined aggregate of every system in every reading, with the ranking that it
    gives."""
    totals = _totals(found)
    if not totals:
        return []
    rows = [row for combined in totals.values() for row in combined]
    no_ranking = "no ranking: the criteria's best ends differ"
    if has_sums_of_unequal_numbers(found):
        no_ranking = "no ranking: sums over different numbers of questions"
    best = {"lowest": "; low is best", "highest": "; high is best"}.get(
        _end(rows[0], criterion_rows(found)), ""
    )
    table = ReportTable[AggregateRow](
        title="All criteria together",
        lines="form",
        first="Reading",
        name=lambda row: _words(row.form),
        columns=Pivot(
            "system", lambda row: Cell(format_number(row.aggregate)), order=lambda row: row.system
        ),
        last=("Ranking", lambda row: str(_rank(totals[row.form], found)) or no_ranking),
        caption=(
            "The criteria that the protocol combines, in every way its rules can be read"
            f"{best}; the ranking is best first."
        ),
        reasons=lambda rows: _unknown(found),
    )
    return draw(table, rows, found.names)


def _with_missing(found: Found) -> list[PageTable]:
    """Return the means over returned questions and over all expected slots, where these differ."""
    rows = sorted(first_reading(found), key=lambda row: row.system)
    if all(row.mean_returned == row.mean_expected or isnan(row.mean_returned) for row in rows):
        return []
    over_returned = ReportTable[AggregateRow](
        title="Over returned questions",
        lines="system",
        columns=Pivot("criterion", lambda row: Cell(or_dash(row.mean_returned))),
        last=("Questions", lambda row: f"{row.returned or 0:,}"),
        caption=(
            "Means over the questions that were returned, by the protocol's rules, which may count an "
            "identical second question as missing; so they can differ from the means above, which are "
            "of everything that was judged."
        ),
    )
    over_expected = ReportTable[AggregateRow](
        title="Over all expected questions",
        lines="system",
        columns=Pivot("criterion", lambda row: Cell(or_dash(row.mean_expected))),
        last=("Questions", lambda row: f"{row.expected or 0:,}"),
        caption=(
            "The same means over all questions that were expected: a missing one counts as the rules "
            "value it. A system that returns only its best questions gains there and pays here."
        ),
        reasons=lambda rows: _unknown(found),
    )
    return [
        table
        for declared in (over_returned, over_expected)
        for table in draw(declared, rows, found.names)
    ]


def _by_criterion(rows: Sequence[AggregateRow], found: Found) -> list[PageTable]:
    """Return each reading's aggregates as a table of systems by criteria; none where they are the
    means above."""
    if all(
        row.mean_returned == row.aggregate or isnan(row.mean_returned)
        for row in rows
        if row.criterion
    ):
        return []
    table = ReportTable[AggregateRow](
        split="form",
        title=lambda rows: _words(rows[0].form),
        lines="system",
        columns=Pivot(
            "criterion",
            lambda row: Cell(format_number(row.aggregate)),
            head=lambda row: found.name_of(row.criterion) if row.criterion else "Combined",
        ),
        reasons=lambda rows: _unknown(found),
        folded=True,
    )
    forms = list(dict.fromkeys(row.form for row in rows))
    ordered = sorted(rows, key=lambda row: (forms.index(row.form), row.system))
    return draw(table, ordered, found.names)


def _missing(found: Found) -> Iterator[str]:
    """Yield sentences on criteria where counting the missing questions changes the best system."""
    missing = sum(row.missing for row in found.of(Coverage))
    changed: dict[str, list[str]] = {}
    by_criterion: dict[str, list[AggregateRow]] = {}
    for row in first_reading(found) if missing else ():
        by_criterion.setdefault(row.criterion, []).append(row)
    for criterion, rows in by_criterion.items():
        if change := _changed_best(rows, found):
            changed.setdefault(change, []).append(inside_sentence(found.name_of(criterion)))
    if changed:
        changes = "; ".join(
            f"{change} on {format_list(names)}" for change, names in changed.items()
        )
        are, them = ("is", "it") if missing == 1 else ("are", "them")
        yield (
            f"{format_count(missing, 'question')} {are} missing. Counting {them} as the protocol does "
            f"changes which mean is best: {changes}."
        )


def _changed_best(rows: Sequence[AggregateRow], found: Found) -> str:
    """Return in words the system that is best on a criterion if missing questions count, and the
    one that it replaces; empty if it is the same."""
    if any(is_defined(row.mean_returned) and not is_defined(row.mean_expected) for row in rows):
        return ""
    best = _end(rows[0], criterion_rows(found))
    returned = ranking({row.system: row.mean_returned for row in rows}, best=best).places[:1]
    expected = ranking({row.system: row.mean_expected for row in rows}, best=best).places[:1]
    if not returned or not expected or returned == expected:
        return ""
    before, now = ([system_name(name) for name in places[0]] for places in (returned, expected))
    return f"{format_list(now)} instead of {format_list(before)}"


def _readings(found: Found) -> Iterator[str]:
    """Yield a sentence on whether the ranking of systems depends on the reading of the protocol.

    It compares the systems that have an aggregate in every reading.
    """
    totals = _totals(found)
    rows = [row for rows in totals.values() for row in rows]
    without = {row.system for row in rows if not is_defined(row.aggregate)}
    compared = [[row for row in rows if row.system not in without] for rows in totals.values()]
    rankings = Counter(order for rows in compared if rows and (order := str(_rank(rows, found))))
    which = " that have an aggregate in every reading" if without else ""
    if len(rankings) > 1:
        told = [f"{order} in {n}" for order, n in rankings.most_common()]
        yield (
            f"The ranking of the systems{which} by the combined aggregate depends on how the "
            "protocol's rules are read. "
            f"Of {len(totals)} readings it is, best first, {format_list(told)}."
        )
    elif len(totals) > 1 and rankings:
        order = next(iter(rankings))
        yield (
            f"All {len(totals)} readings of the protocol's rules rank the systems{which} alike, best "
            f"first: {order}."
        )
