"""The summary at the top of a report: a few sentences and one small table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analysis.reports.layout import Cell, Line, PageTable
from analysis.reports.numerals import (
    coefficient,
    counted,
    inside,
    interval_text,
    listed_or_counted,
    or_dash,
    with_interval,
)
from analysis.reports.system_names import system_name
from analysis.sections.agreement import Coefficient, alpha_row
from analysis.sections.comparisons import Groups, named_tests
from analysis.sections.criteria import CriterionRow, criterion_rows
from analysis.sections.dependability import DependabilityOfSystems
from analysis.sections.differences import metric_sentence
from analysis.sections.equivalence import Equivalences
from analysis.sections.levels import Levels, headline_level
from analysis.sections.primary import PrimaryHypotheses, primary_in_short
from analysis.sections.section import Found
from analysis.sections.study import OF_MEANS, ORIGINS, are_means, facts_of, nothing_judged
from analysis.sections.system_means import FEW, SystemOrder, by_merit


@dataclass(frozen=True)
class SummaryPart:
    """The summary's sentences about one chapter."""

    chapter: str  # key of the chapter
    about: str
    text: str


@dataclass(frozen=True)
class Summary:
    """The top of a report."""

    parts: list[SummaryPart]
    table: PageTable | None


def summary_of(found: Found) -> Summary:
    """Return the summary of a run, the criteria whose agreement allows conclusions first."""
    criteria = _by_agreement(found)
    texts = (
        ("primary", "Primary hypothesis", _primary(found)),
        ("agreement", "Exploratory: agreement", _agreement(found, criteria)),
        ("systems", "Exploratory: systems", _systems(found, criteria)),
        ("metrics", "Exploratory: metrics", _metrics(found, criteria)),
        ("study", "Study", _study(found)),
    )
    parts = [
        SummaryPart(chapter, about, " ".join(sentences))
        for chapter, about, told in texts
        if (sentences := list(told))
    ]
    return Summary(parts, _table(found, criteria))


def _by_agreement(found: Found) -> list[CriterionRow]:
    """Return the criteria by their α, the highest first; those without α last."""
    alphas = {each.criterion: alpha_row(found, each) for each in criterion_rows(found)}

    def rank(criterion: CriterionRow) -> tuple[bool, bool, float]:
        row = alphas[criterion.criterion]
        if row is None or not row.estimate.defined:
            return True, True, 0.0
        return not row.band, False, -row.estimate.value

    return sorted(criterion_rows(found), key=rank)


def _study(found: Found) -> Iterator[str]:
    """Yield the caveat on where the ratings come from, if there is one."""
    study = facts_of(found)
    if are_means(found):
        yield OF_MEANS
    elif not study.judgments:
        yield nothing_judged(study)
    elif sentence := ORIGINS.get(study.origin):
        yield sentence


def _primary(found: Found) -> Iterator[str]:
    """Yield the declared results: of the primary hypothesis, and of the equivalence test of its
    systems."""
    yield from primary_in_short(found)
    if _has_primary_pair(found):
        yield from Equivalences().sentences(found)


def _has_primary_pair(found: Found) -> bool:
    return any(not row.metric for row in found.of(PrimaryHypotheses))


def _agreement(found: Found, criteria: Sequence[CriterionRow]) -> Iterator[str]:
    if not facts_of(found).judgments:
        return
    rows = [(each, row) for each in criteria if (row := alpha_row(found, each))]
    defined = [(each, row) for each, row in rows if row.estimate.defined]
    if not defined:
        return
    reached = [(each, row) for each, row in defined if row.band]
    limit = "α ≥ .667, 95% probability"
    if not reached:
        highest = "The highest agreement is" if len(rows) > 1 else "Agreement is"
        yield (
            f"{highest} {_alpha(*defined[0])}, which does not reach Krippendorff's customary .667 for "
            f"single ratings with 95% probability{_dependability(found, defined[0][0])}."
        )
        return
    rest = [inside(each.name) for each, row in rows if not row.band]
    sentence = (
        "Agreement allows at least tentative conclusions "
        f"(Krippendorff's {limit}) on {listed_or_counted([_alpha(*pair) for pair in reached], 'criteria')}"
    )
    yield (
        f"{sentence}, but not on {listed_or_counted(rest, 'other criteria')}."
        if rest
        else f"{sentence}."
    )


def _dependability(found: Found, criterion: CriterionRow) -> str:
    """Return how dependable a system's mean is with the study's own annotators and sources."""
    study = facts_of(found)
    for row in found.of(DependabilityOfSystems):
        size = row.annotators, row.sources
        if row.criterion == criterion.criterion and size == (study.annotators, study.units):
            return f"; the mean of a system has a dependability of {coefficient(row.dependability)}"
    return ""


def _alpha(criterion: CriterionRow, row: Coefficient) -> str:
    return f"{inside(criterion.name)} ({_alpha_text(row)})"


def _alpha_text(row: Coefficient) -> str:
    """Return α with its interval: `α = .76, 95% CI [.68, .84]`."""
    interval = interval_text(row.estimate, coefficient)
    return f"α = {coefficient(row.estimate.value)}{f', 95% CI {interval}' if interval else ''}"


def _systems(found: Found, criteria: Sequence[CriterionRow]) -> Iterator[str]:
    """Yield which system has the best mean on the leading criterion, on which others it has it too,
    and from which systems it does not differ significantly."""
    orders = [
        order
        for each in criteria
        if each.averaged and each.best != "none"
        if len((order := SystemOrder.of(found, each)).systems) > 1
    ]
    if not orders:
        return
    lead = orders[0]
    name = inside(lead.criterion.name)
    best = [_quoted(system) for system in lead.best]
    one = len(best) == 1
    same = [inside(each.criterion.name) for each in orders if each.best == lead.best]
    on = (
        f"all {len(same)} criteria"
        if len(same) == len(orders) > 1
        else listed_or_counted(same, "criteria")
    )
    yield (
        f"{listed_or_counted(best, 'systems')} {'has' if one else 'share'} the best mean on {on} "
        f"({name}: {with_interval(lead.means[lead.best[0]])})."
    )
    near = [_quoted(system) for system in lead.near_the_best]
    others = [system for system in lead.systems if system not in lead.best]
    beats_all = all((first, other) in lead.ahead for first in lead.best for other in others)
    it, differs = ("it", "differs") if one else ("they", "differ")
    if lead.undefined:
        yield f"On {name}, {lead.undefined}."
    elif near:
        does = "does" if one else "do"
        tested = any(lead.equivalence.are_tested(lead.best, name) for name in lead.near_the_best)
        caveat = "" if tested else ", which does not show that they are equal"
        yield (
            f"On {name}, {it} {does} not differ significantly from {listed_or_counted(near, 'other systems')} "
            f"({_test(found, lead)}){caveat}."
        )
        yield from _equivalence(lead, is_told=_has_primary_pair(found))
    elif others and beats_all:
        yield f"On {name}, {it} {differs} significantly from all others ({_test(found, lead)})."
    for reason, systems in lead.not_compared.items() if not lead.undefined else ():
        names = listed_or_counted([_quoted(system) for system in systems], "other systems")
        yield f"On {name}, {it} {'is' if one else 'are'} not compared with {names}: {reason}."


def _equivalence(order: SystemOrder, *, is_told: bool) -> Iterator[str]:
    """Yield the results of the declared equivalence tests of the best system and those that do not
    differ significantly from it, unless `is_told`, and a caveat on those without such a test."""
    results, near = order.equivalence, order.near_the_best
    tested = [name for name in near if results.are_tested(order.best, name)]
    if not tested:
        return
    shown = [_quoted(name) for name in tested if results.are_equivalent(order.best, name)]
    others = [_quoted(name) for name in tested if not results.are_equivalent(order.best, name)]
    without = [_quoted(name) for name in near if name not in tested]
    it, them = ("it is", "it") if len(order.best) == 1 else ("they are", "them")
    within = f"within ±{results.margin:g} scale points (two one-sided tests, Holm, 5% level)"
    if shown and not is_told:
        yield f"By the declared test {it} equivalent to {listed_or_counted(shown, 'systems')} {within}."
    if others and not is_told:
        ends = "" if shown else f" {within}"
        yield f"The equivalence to {listed_or_counted(others, 'systems')} is not shown{ends}."
    if without:
        named = listed_or_counted(without, "systems")
        yield f"No test shows that {named} {'is' if len(without) == 1 else 'are'} equal to {them}."


def _test(found: Found, order: SystemOrder) -> str:
    """Return the test that compares the systems on a criterion, with correction and level."""
    test = named_tests(found, order.criterion.criterion)
    return f"{test}, Holm-corrected, 5% level"


def _metrics(found: Found, criteria: Sequence[CriterionRow]) -> Iterator[str]:
    """Yield which metric correlates best with the ratings on the leading criterion."""
    level = headline_level(found)
    keys = [each.criterion for each in criteria]
    keys += [row.criterion for row in found.of(Levels) if row.criterion not in keys]
    for key in keys:
        rows = [
            row
            for row in found.on(Levels, key)
            if (row.level, row.coefficient) == (level, "spearman")
        ]
        if rows:
            yield metric_sentence(rows, key, level, found)
            return


def _table(found: Found, criteria: Sequence[CriterionRow]) -> PageTable | None:
    """Return agreement for each criterion, and below it the means of the systems with letters."""
    if not facts_of(found).judgments:
        return None
    alphas = {each.criterion: alpha_row(found, each) for each in criteria}
    orders = {each.criterion: SystemOrder.of(found, each) for each in criteria if each.averaged}
    letters = {(row.system, row.criterion): row.letters for row in found.of(Groups)}
    systems = (
        by_merit(
            list(orders.values()), list(dict.fromkeys(s for o in orders.values() for s in o.means))
        )
        if orders
        else []
    )

    def mean(criterion: CriterionRow, system: str) -> Cell:
        order = orders.get(criterion.criterion)
        if order is None or system not in order.means:
            return Cell("–")
        estimate = order.means[system]
        return Cell(
            or_dash(estimate.value),
            interval_text(estimate),
            best=system == order.winner,
            letters=letters.get((system, criterion.criterion), ""),
        )

    def alpha(criterion: CriterionRow) -> Cell:
        row = alphas[criterion.criterion]
        if row is None:
            return Cell("–")
        return Cell(coefficient(row.estimate.value), interval_text(row.estimate, coefficient))

    lines = [Line("Agreement (α)", [alpha(each) for each in criteria])]
    lines += [
        Line(system_name(system), [mean(each, system) for each in criteria])
        for system in systems[:FEW]
    ]
    reasons = []
    if len(systems) > FEW:
        reasons = [
            f"The table shows {FEW} of {counted(len(systems), 'system')}; all are in the chapter Systems."
        ]
    caption = "Krippendorff's α"
    if systems:
        caption += (
            ", and mean of each system; systems that share a letter do not differ significantly"
        )
    return PageTable(
        "Agreement and system means",
        [each.name for each in criteria],
        lines,
        caption=f"{caption} (95% CI in brackets).",
        reasons=reasons,
    )


def _quoted(system: str) -> str:
    """Return the name of a system in quotes, so that a name such as “a” reads as one."""
    return f"“{system_name(system)}”"
