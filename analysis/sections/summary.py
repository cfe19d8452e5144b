"""The summary at the top of a report: a few sentences and one small table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from analysis.reports.layout import Cell, Line, PageTable
from analysis.reports.numerals import (
    MAX_NAMES,
    coefficient,
    effect,
    format_count,
    format_list,
    inside_sentence,
    interval_text,
    listed_or_counted,
    or_dash,
    with_interval,
)
from analysis.reports.system_names import system_name
from analysis.sections.about import OF_MEANS, ORIGINS, are_means, nothing_judged, run_facts
from analysis.sections.agreement.agreement import Coefficient, alpha_row
from analysis.sections.agreement.dependability import DependabilityOfSystems
from analysis.sections.criteria import CriterionRow, criterion_rows
from analysis.sections.metrics.correlations import Correlations, headline_level
from analysis.sections.metrics.metric_comparisons import metric_sentence
from analysis.sections.section import Found
from analysis.sections.systems.equivalence import Equivalences
from analysis.sections.systems.primary_hypotheses import primary_in_short
from analysis.sections.systems.system_comparisons import Groups, named_tests
from analysis.sections.systems.systems import FEW, SystemOrder, by_merit


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


def summarise_run(found: Found) -> Summary:
    """Return the summary of a run: declared results first, then exploratory ones, the criteria whose
    agreement allows conclusions first."""
    criteria = _by_agreement(found)
    texts = (
        ("primary", "Declared results", _declared(found)),
        ("agreement", "Exploratory: agreement", _agreement(found, criteria)),
        ("systems", "Exploratory: systems", _systems(found, criteria)),
        ("metrics", "Exploratory: metrics", _metrics(found, criteria)),
        ("study", "Study", _study(found)),
    )
    parts = [
        SummaryPart(chapter, about, text)
        for chapter, about, sentences in texts
        if (text := " ".join(sentences))
    ]
    return Summary(parts, _table(found, criteria))


def _by_agreement(found: Found) -> list[CriterionRow]:
    """Return the criteria by their α, the highest first; those without α last."""
    alphas = {row.criterion: alpha_row(found, row) for row in criterion_rows(found)}

    def rank(criterion: CriterionRow) -> tuple[bool, bool, float]:
        row = alphas[criterion.criterion]
        if row is None or not row.estimate.defined:
            return True, True, 0.0
        return not row.band, False, -row.estimate.value

    return sorted(criterion_rows(found), key=rank)


def _study(found: Found) -> Iterator[str]:
    """Yield the caveat on where the ratings come from, if there is one."""
    study = run_facts(found)
    if are_means(found):
        yield OF_MEANS
    elif not study.judgments:
        yield nothing_judged(study)
    elif sentence := ORIGINS.get(study.origin):
        yield sentence


def _declared(found: Found) -> Iterator[str]:
    """Yield the results of the primary hypotheses, then those of the declared equivalence tests."""
    yield from primary_in_short(found)
    yield from Equivalences().sentences(found)


def _agreement(found: Found, criteria: Sequence[CriterionRow]) -> Iterator[str]:
    if not run_facts(found).judgments:
        return
    rows = [(criterion, row) for criterion in criteria if (row := alpha_row(found, criterion))]
    defined = [(each, row) for each, row in rows if row.estimate.defined]
    if not defined:
        return
    threshold = "Krippendorff's customary .667 for single ratings with 95% probability"
    reached = [_alpha(*pair) for pair in defined if pair[1].band]
    if not reached:
        highest = "The highest agreement is" if len(rows) > 1 else "Agreement is"
        criterion, row = defined[0]
        yield (
            f"{highest} {_alpha(criterion, row)}, which does not reach {threshold}"
            f"{_dependability(found, criterion)}."
        )
        return
    others = [_alpha(*pair) for pair in defined if not pair[1].band]
    sentence = f"Agreement reaches {threshold} on {listed_or_counted(reached, 'criteria')}"
    if others:
        sentence += f", and does not on {listed_or_counted(others, 'other criteria')}"
    yield f"{sentence}."


def _dependability(found: Found, criterion: CriterionRow) -> str:
    """Return how dependable a system's mean is with the study's own annotators and sources."""
    study = run_facts(found)
    for row in found.of(DependabilityOfSystems):
        size = row.annotators, row.sources
        if row.criterion == criterion.criterion and size == (
            study.annotators,
            study.sources_judged,
        ):
            return f"; the mean of a system has a dependability of {coefficient(row.dependability)}"
    return ""


def _alpha(criterion: CriterionRow, row: Coefficient) -> str:
    return f"{inside_sentence(criterion.name)} ({_alpha_text(row)})"


def _alpha_text(row: Coefficient) -> str:
    """Return α with its interval: `α = .76, 95% CI [.68, .84]`."""
    interval = interval_text(row.estimate, coefficient)
    return f"α = {coefficient(row.estimate.value)}{f', 95% CI {interval}' if interval else ''}"


def _systems(found: Found, criteria: Sequence[CriterionRow]) -> Iterator[str]:
    """Yield which system has the best mean on the leading criterion, on which others it has it too,
    and from which systems it does not differ significantly."""
    orders = [
        order
        for criterion in criteria
        if criterion.averaged and criterion.best != "none"
        if len((order := SystemOrder.of(found, criterion)).systems) > 1
    ]
    if not orders:
        return
    lead = orders[0]
    yield _best_mean(lead, orders)
    name = inside_sentence(lead.criterion.name)
    if lead.undefined:
        yield f"On {name}, {lead.undefined}."
        return
    yield from _near_the_best(found, lead)
    yield from _behind_the_best(found, lead)
    is_not = "it is" if len(lead.best) == 1 else "they are"
    for reason, systems in lead.not_compared.items():
        names = listed_or_counted([_quoted(system) for system in systems], "other systems")
        yield f"On {name}, {is_not} not compared with {names}: {reason}."


def _best_mean(lead: SystemOrder, orders: Sequence[SystemOrder]) -> str:
    """Return which system has the best mean on the leading criterion, and on which others."""
    same = [inside_sentence(order.criterion.name) for order in orders if order.best == lead.best]
    on = listed_or_counted(same, "criteria")
    if len(same) == len(orders) > 1:
        on = f"all {len(same)} criteria"
    mean = with_interval(lead.means[lead.best[0]])
    if len(same) > 1:
        mean = f"{inside_sentence(lead.criterion.name)}: {mean}"
    has = "has" if len(lead.best) == 1 else "share"
    best = listed_or_counted([_quoted(system) for system in lead.best], "systems")
    return f"{best} {has} the best mean on {on} ({mean})."


def _near_the_best(found: Found, order: SystemOrder) -> Iterator[str]:
    """Yield from which systems the best does not differ significantly, with the effects."""
    near = order.near_the_best
    if not near:
        return
    if len(near) <= MAX_NAMES:
        which = format_list([f"{_quoted(name)} ({_difference(order, name)})" for name in near])
    else:
        farthest = max(near, key=lambda name: abs(order.against_the_best(name).estimate.value))
        which = f"{len(near)} other systems, most from {_quoted(farthest)} ({_difference(order, farthest)})"
    does = "it does" if len(order.best) == 1 else "they do"
    yield (
        f"On {inside_sentence(order.criterion.name)}, {does} not differ significantly from {which}; "
        f"{_test(found, order)}{_caveat(order)}."
    )


def _caveat(order: SystemOrder) -> str:
    """Return that no significant difference does not show equality, for systems whose equivalence
    was not tested."""
    near = order.near_the_best
    untested = [_quoted(name) for name in near if name in order.without_equivalence_test]
    if len(untested) == len(near):
        return ". This does not show that they are equal"
    if untested:
        return (
            f". Equivalence to the best is not tested for {listed_or_counted(untested, 'of them')}"
        )
    return ""


def _behind_the_best(found: Found, order: SystemOrder) -> Iterator[str]:
    """Yield that the best differs from all others, with the smallest of these differences."""
    others = [system for system in order.systems if system not in order.best]
    ahead = all((best, other) in order.ahead for best in order.best for other in others)
    if not others or not ahead:
        return
    nearest = min(others, key=lambda name: abs(order.against_the_best(name).estimate.value))
    which = f"{_quoted(nearest)} ({_difference(order, nearest)})"
    if len(others) > 1:
        which = f"all others, least from {which}"
    differs = "it differs" if len(order.best) == 1 else "they differ"
    yield (
        f"On {inside_sentence(order.criterion.name)}, {differs} significantly from {which}; "
        f"{_test(found, order)}."
    )


def _difference(order: SystemOrder, other: str) -> str:
    """Return by how much the best mean differs from another system's, with interval and p."""
    pair = order.against_the_best(other)
    return effect("difference", pair.estimate, pair.p_holm)


def _test(found: Found, order: SystemOrder) -> str:
    """Return the test that compares the systems on a criterion, with correction and level."""
    return f"{named_tests(found, order.criterion.criterion)}, Holm-corrected, 5% level"


def _metrics(found: Found, criteria: Sequence[CriterionRow]) -> Iterator[str]:
    """Yield which metric correlates best with the ratings on the leading criterion."""
    level = headline_level(found)
    keys = [criterion.criterion for criterion in criteria]
    keys += [row.criterion for row in found.of(Correlations) if row.criterion not in keys]
    for key in keys:
        rows = [
            row
            for row in found.on(Correlations, key)
            if (row.level, row.coefficient) == (level, "spearman")
        ]
        if rows:
            yield metric_sentence(rows, key, level, found)
            return


def _table(found: Found, criteria: Sequence[CriterionRow]) -> PageTable | None:
    """Return agreement for each criterion, and below it the means of the systems with letters."""
    if not run_facts(found).judgments:
        return None
    orders = {row.criterion: SystemOrder.of(found, row) for row in criteria if row.averaged}
    names = dict.fromkeys(name for order in orders.values() for name in order.means)
    systems = by_merit(list(orders.values()), list(names)) if orders else []
    agreement = Line("Agreement (α)", [_alpha_cell(alpha_row(found, row)) for row in criteria])
    caption = "Krippendorff's α"
    if systems:
        caption += (
            ", and mean of each system; systems that share a letter do not differ significantly"
        )
    count = format_count(len(systems), "system")
    omitted = f"The table shows {FEW} of {count}; all are in the chapter Systems."
    return PageTable(
        "Agreement and system means",
        [row.name for row in criteria],
        [agreement, *_lines_of_systems(found, criteria, orders, systems[:FEW])],
        caption=f"{caption} (95% CI in brackets).",
        reasons=[omitted] if len(systems) > FEW else [],
    )


def _lines_of_systems(
    found: Found,
    criteria: Sequence[CriterionRow],
    orders: Mapping[str, SystemOrder],
    systems: Sequence[str],
) -> Iterator[Line]:
    """Yield the line of each system: its means with letters."""
    letters = {(row.system, row.criterion): row.letters for row in found.of(Groups)}
    keys = [row.criterion for row in criteria]
    for system in systems:
        cells = [
            _mean_cell(orders.get(key), system, letters.get((system, key), "")) for key in keys
        ]
        yield Line(system_name(system), cells)


def _alpha_cell(row: Coefficient | None) -> Cell:
    if row is None:
        return Cell("–")
    return Cell(coefficient(row.estimate.value), interval_text(row.estimate, coefficient))


def _mean_cell(order: SystemOrder | None, system: str, letters: str) -> Cell:
    if order is None or system not in order.means:
        return Cell("–")
    mean = order.means[system]
    return Cell(
        or_dash(mean.value), interval_text(mean), best=system == order.winner, letters=letters
    )


def _quoted(system: str) -> str:
    """Return the name of a system in quotes, so that a name such as “a” reads as one."""
    return f"“{system_name(system)}”"
