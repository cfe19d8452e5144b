"""Means of the systems, with the intervals and letters of the test that compares them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import inf, isclose, nan
from statistics import fmean
from typing import Self

from analysis.frames import Material, align_values
from analysis.reports import charts
from analysis.reports.evidence import ItemQuery
from analysis.reports.layout import Cell, Figure, Line, PageTable, Plot
from analysis.reports.numerals import (
    EQUAL,
    format_count,
    format_list,
    inside_sentence,
    interval_text,
    listed_or_counted,
    or_dash,
    two,
)
from analysis.reports.rows import row_field, table_row
from analysis.reports.system_names import system_name
from analysis.sections.about import StudyFacts, run_facts
from analysis.sections.criteria import CriterionRow, criterion_rows
from analysis.sections.metrics.columns import (
    averaged_criteria,
    clusters_of,
    criterion_slots,
    rated_outputs,
)
from analysis.sections.section import Chance, Found, Inputs, Section
from analysis.sections.systems.coverage import Coverage
from analysis.sections.systems.equivalence import tested_pairs
from analysis.sections.systems.system_comparisons import (
    SURE,
    Groups,
    SystemComparisons,
    SystemPair,
    contrast_reasons,
    deciding_pairs,
    differ_significantly,
    is_compared,
    named_tests,
    no_letters_because,
    not_compared_because,
    untested_because,
)
from judging.datasets.models.dataset import System
from judging.protocols.protocol_schema import ProtocolCriterion
from quaestor_stats._design import ClusterUnit
from quaestor_stats._result import ConfidenceInterval, Result
from quaestor_stats._system_differences import have_same_annotators, means_over_annotators
from quaestor_stats._system_means import system_means

FEW = 8  # systems whose means are drawn in the table; of more, the table would be long
UNTESTED = "systems are not compared: the table of their pairs would be too long"
MIXES_SEVERITY = (
    "different annotators rated the systems on some sources, so a mean mixes quality with severity; "
    "the differences are adjusted for annotators"
)
BEST = {"lowest": "low is best", "highest": "high is best"}


@table_row
class SystemMean:
    """One system's mean on one criterion."""

    criterion: str = row_field("key of the criterion")
    system: str = row_field("name of the system")
    mean: Result = row_field(
        "mean of the question means; `n` counts questions, `clusters` the sources of its interval"
    )


class Systems(Section[SystemMean]):
    """The systems' means over the questions they returned, with intervals of the declared
    design."""

    key = "systems"
    version = 2
    leads = True
    title = "Systems"
    identity = ("criterion", "system")
    by_reading = True
    note = (
        "Mean of the question means over the outputs that are present and judged, with its 95% CI, the number of "
        "questions (n), and the rank interval: 1 + the number of systems that are significantly better, to the number "
        "of systems less those that are significantly worse. Systems that share a letter do not differ significantly "
        "(5% level, Holm's correction over the pairs of a criterion; the test is named above the table). A mean is "
        "bold if its system is significantly better than all others. Up to eight systems are plotted; the axis shows "
        "the part of the scale where they are. A mean is over questions and a difference between systems over "
        "sources, so the two can disagree if sources have unequal numbers of questions. "
        "Systems are ordered by their mean rank over the criteria that have a best end."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[SystemMean]:
        return list(declared_means(inputs))

    def tables(self, found: Found) -> list[PageTable]:
        rows = found.of(Systems)
        orders = [SystemOrder.of(found, row) for row in criterion_rows(found) if row.averaged]
        if not rows or not run_facts(found).judgments:
            return []
        letters = {(row.system, row.criterion): row.letters for row in found.of(Groups)}
        systems = by_merit(orders, list(dict.fromkeys(row.system for row in rows)))
        shown = [order.criterion for order in orders]
        return [
            PageTable(
                self.title,
                [each.name for each in shown],
                _lines(found, orders, systems, letters),
                first="System",
                last="Outputs present",
                notes=[BEST.get(each.best, "") for each in shown],
                caption=_tests_named(found, shown) if len(systems) > 1 else "",
                reasons=list(_reasons(found, orders, systems, letters)),
            )
        ]

    def figures(self, found: Found) -> list[Figure]:
        orders = [SystemOrder.of(found, row) for row in criterion_rows(found) if row.averaged]
        systems = by_merit(orders, list(dict.fromkeys(row.system for row in found.of(Systems))))
        panels = [
            (
                order.criterion.name,
                {system_name(name): order.means[name] for name in systems if name in order.systems},
                _ends(order.criterion),
            )
            for order in orders
            if order.systems
        ]
        chart = partial(charts.intervals, panels, label="mean with 95% CI")
        alt = "Each system's mean with its 95% CI, a panel for each criterion"
        return [Figure("systems", alt, chart)]

    def technical_notes(self, found: Found) -> list[str]:
        return charts.not_drawn(len(found.of(Systems)), charts.DRAWN_MEANS)

    def headline(self, found: Found) -> dict[str, Result]:
        return {
            f"{found.name_of(row.criterion)}, {system_name(row.system)}": row.mean
            for row in found.of(Systems)
        }

    def sentences(self, found: Found) -> Iterator[str]:
        orders = _ordered(found)
        study = run_facts(found)
        won: dict[tuple[str, ...], list[str]] = {}
        for each in orders:
            won.setdefault(tuple(each.best), []).append(each.told(study))
        if not won:
            return
        yield (
            f"Over {study.sample} and "
            f"{format_count(study.annotators, 'annotator')}, "
            + "; ".join(
                f"{listed_or_counted([system_name(name) for name in names], 'systems')} "
                f"{'has' if len(names) == 1 else 'share'} the best mean on {format_list(on)}"
                for names, on in won.items()
            )
            + "."
        )
        for each in orders:
            yield from each.against_means()

    def caveats(self, found: Found) -> Iterator[str]:
        orders = _ordered(found)
        if orders:
            yield from contrast_reasons(found)
            yield from _out_of_reach(found)
        if any(order.without_equivalence_test for order in orders):
            yield "A difference that is not significant does not show that the systems are equal."


def _lines(
    found: Found,
    orders: Sequence["SystemOrder"],
    systems: Sequence[str],
    letters: Mapping[tuple[str, str], str],
) -> list[Line]:
    """Return a line of the table for each system: its means with their letters, and its outputs."""
    returned = {row.system: row for row in found.of(Coverage)}
    drawn = len(systems) <= FEW
    lines = []
    for name in systems:
        cells = [
            order.cell(name, letters.get((name, order.criterion.criterion), ""), drawn=drawn)
            for order in orders
        ]
        row = returned.get(name)
        gave = f"{row.returned:,} of {row.expected:,}" if row else ""
        chip = "degraded on purpose" if row and row.kind == System.Kind.DEGRADATION else ""
        lines.append(Line(system_name(name), cells, gave, chip))
    return lines


def _reasons(
    found: Found,
    orders: Sequence["SystemOrder"],
    systems: Sequence[str],
    letters: Mapping[tuple[str, str], str],
) -> Iterator[str]:
    """Yield why outputs, intervals, letters and tests are missing, and where means mislead."""
    rows = found.of(Systems)
    yield from _without_outputs(found, rows)
    yield from _without_interval(found, rows)
    yield from _without_letters(orders, systems, letters)
    yield from (
        f"{order.criterion.name}: {order.undefined}." for order in orders if order.undefined
    )
    for order in orders:
        yield from order.against_means()


def _without_outputs(found: Found, rows: Sequence[SystemMean]) -> Iterator[str]:
    """Yield which systems have no rated output on some sources, so that their means rest on
    others; of a system the criterion with the fewest."""
    unit, units = run_facts(found).unit, run_facts(found).units
    fewest: dict[str, SystemMean] = {}
    for row in sorted(rows, key=lambda row: row.mean.clusters):
        if 0 < row.mean.clusters < units:
            fewest.setdefault(row.system, row)
    criteria = {row.criterion for row in rows}
    for system, row in fewest.items():
        where = f" on {inside_sentence(found.name_of(row.criterion))}" if len(criteria) > 1 else ""
        missing = f"{units - row.mean.clusters:,} of {unit.counted(units)}"
        yield f"{system_name(system)} has no output rated{where} on {missing}"


def _without_interval(found: Found, rows: Sequence[SystemMean]) -> Iterator[str]:
    """Yield why some means have no interval, once for each reason."""
    concerned: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda row: row.mean.reason):
        if row.mean.reason:
            name = f"{system_name(row.system)} on {inside_sentence(found.name_of(row.criterion))}"
            concerned.setdefault(row.mean.reason, []).append(name)
    for reason, names in concerned.items():
        yield f"{listed_or_counted(names, 'means')}: {reason}"


def _without_letters(
    orders: Sequence["SystemOrder"],
    systems: Sequence[str],
    letters: Mapping[tuple[str, str], str],
) -> Iterator[str]:
    """Yield why the systems have no letters on criteria on which some of them were compared."""
    for order in orders:
        key = order.criterion.criterion
        if not order.undefined and not any(letters.get((name, key), "-") for name in systems):
            reason = order.no_letters or (
                "more groups of systems than there are letters; see every pair"
            )
            yield f"{order.criterion.name}: {reason}."


def _ordered(found: Found) -> list["SystemOrder"]:
    """Return the order of the systems on each criterion that may be averaged and has a best end."""
    orders = [
        SystemOrder.of(found, row)
        for row in criterion_rows(found)
        if row.averaged and row.best != "none"
    ]
    return [order for order in orders if len(order.systems) > 1]


def _out_of_reach(found: Found) -> Iterator[str]:
    """Yield sentences on pairs of systems with too few sources in common for the permutation test,
    or for a significant difference; with the criteria, unless it is so on all."""
    criteria = dict.fromkeys(row.criterion for row in found.of(SystemComparisons))
    for limit in (_without_test, _without_significance):
        concerned: dict[str, list[str]] = {}
        for criterion in criteria:
            if words := limit(deciding_pairs(found, criterion), run_facts(found).unit):
                concerned.setdefault(words, []).append(inside_sentence(found.name_of(criterion)))
        for words, names in concerned.items():
            if len(names) == len(criteria) and not found.excluded(SystemComparisons):
                yield f"{words[0].upper()}{words[1:]}."
            else:
                yield f"On {format_list(names)}, {words}."


def _without_test(pairs: Sequence[SystemPair], unit: ClusterUnit) -> str:
    """Return how many pairs have too few sources in common for a test; empty if none has."""
    alone = sum(pair.estimate.n < 2 for pair in pairs)
    if not alone:
        return ""
    have = "has" if alone == 1 else "have"
    return (
        f"{format_count(alone, 'pair')} of systems {have} fewer than two sources in common, so no test "
        "compares them"
    )


def _without_significance(pairs: Sequence[SystemPair], unit: ClusterUnit) -> str:
    """Return which pairs could not differ significantly by the permutation test, whatever the
    difference; empty if all could."""
    short = [pair for pair in pairs if pair.floor >= SURE]
    if not short:
        return ""
    most = unit.counted(max(pair.estimate.clusters or pair.estimate.n for pair in short))
    compared = sum(pair.estimate.n > 1 for pair in pairs)
    which = "these systems"
    if len(short) < compared:
        which = f"{format_count(len(short), 'pair')} of systems"
    return (
        f"with {most} in common or fewer no p of the permutation test can fall below "
        f"{f'{min(pair.floor for pair in short):.4g}'.removeprefix('0')} after Holm's correction, so {which} could not "
        "differ significantly, whatever the difference"
    )


def _tests_named(found: Found, criteria: Sequence[CriterionRow]) -> str:
    """Name the test that letters, bold type and intervals come from."""
    by_test: dict[str, list[str]] = {}
    for criterion in criteria:
        if test := named_tests(found, criterion.criterion):
            by_test.setdefault(test, []).append(criterion.name)
    several = len(by_test) > 1
    named = [
        f"{test} ({format_list(names)})" if several else test for test, names in by_test.items()
    ]
    return f"Test of the systems: {'; '.join(named)}." if named else ""


def means_of(material: Material) -> Iterator[SystemMean]:
    """Yield every system's mean of question means, with its interval over sources, on every
    criterion that may be averaged."""
    for criterion in averaged_criteria(material):
        yield from _means_on(material, criterion)


def declared_means(inputs: Inputs) -> Iterator[SystemMean]:
    """Yield the same means with intervals of the declared design: for other annotators, too, where
    annotators are random."""
    for criterion in averaged_criteria(inputs.counted):
        yield from declared_means_on(inputs, criterion)


def declared_means_on(inputs: Inputs, criterion: ProtocolCriterion) -> Iterator[SystemMean]:
    """Yield the means on one criterion with intervals of the declared design."""
    if inputs.design.random_annotators:
        yield from _means_for_other_annotators(inputs.counted, criterion)
    elif have_same_annotators(rated_outputs(inputs.counted, criterion, [])):
        yield from _means_on(inputs.counted, criterion)
    else:
        yield from map(_without_limits, _means_on(inputs.counted, criterion))


def _without_limits(row: SystemMean) -> SystemMean:
    """Return a mean of unequally allocated annotators, whose interval would not keep its level."""
    mean = replace(row.mean, ci=ConfidenceInterval(), df=nan, reason=MIXES_SEVERITY)
    return replace(row, mean=mean)


def _means_on(material: Material, criterion: ProtocolCriterion) -> Iterator[SystemMean]:
    import pandas as pd

    units = criterion_slots(material, criterion)
    scores = align_values(units["unit"], material.human(criterion.key))
    means = system_means(
        scores,
        systems=units["system"].to_numpy(),
        sources=clusters_of(material, pd.Index(units["unit"])),
        unit=material.cluster_unit,
        scale=(min(criterion.values()), max(criterion.values())),
    )
    for name, mean in means.items():
        yield SystemMean(criterion.key, str(name), mean)


def _means_for_other_annotators(
    material: Material, criterion: ProtocolCriterion
) -> Iterator[SystemMean]:
    systems = criterion_slots(material, criterion)["system"].astype(str).unique().tolist()
    means = means_over_annotators(
        rated_outputs(material, criterion, systems),
        scale=(min(criterion.values()), max(criterion.values())),
    )
    for name, mean in means.items():
        yield SystemMean(criterion.key, str(name), mean)


def _better_and_worse(pair: SystemPair, up: bool) -> tuple[str, str]:
    """Return the systems of a pair, the better one first."""
    is_first_better = (pair.estimate.value > 0) == up
    return (pair.first, pair.second) if is_first_better else (pair.second, pair.first)


@dataclass(frozen=True)
class SystemOrder:
    """The systems' means on one criterion, and which systems differ significantly by its test."""

    criterion: CriterionRow
    means: dict[str, Result]
    ahead: frozenset[tuple[str, str]]  # the better system and the worse, by the test of the two
    compared: frozenset[frozenset[str]] = frozenset()  # pairs that a test compares
    reasons: Mapping[frozenset[str], str] = field(default_factory=dict)  # of the other pairs
    undefined: str = ""  # why no pair of systems is tested
    no_letters: str = ""  # why the systems have no letters
    pairs: Sequence[SystemPair] = ()  # by the test that compares the systems
    equivalence_tested: frozenset[frozenset[str]] = frozenset()  # pairs with a declared test

    @classmethod
    def of(cls, found: Found, criterion: CriterionRow) -> Self:
        key = criterion.criterion
        up = criterion.best != "lowest"
        rows = found.on(Systems, key)
        means = {row.system: row.mean for row in rows}
        if key in found.excluded(SystemComparisons):
            return cls(criterion, means, frozenset(), undefined=UNTESTED)
        pairs = deciding_pairs(found, key)
        systems_of = {frozenset((row.first, row.second)): row for row in pairs}
        compared = {both for both, row in systems_of.items() if is_compared(row)}
        return cls(
            criterion,
            means,
            frozenset(_better_and_worse(row, up) for row in pairs if differ_significantly(row)),
            compared=frozenset(compared),
            reasons={
                both: not_compared_because(row)
                for both, row in systems_of.items()
                if both not in compared
            },
            undefined=untested_because(found, key),
            no_letters=no_letters_because(found, key),
            pairs=pairs,
            equivalence_tested=tested_pairs(found, key),
        )

    @cached_property
    def systems(self) -> list[str]:
        """Return the systems with a mean, best first; by value upwards where no end is best."""
        up = self.criterion.best == "highest"
        values = {name: mean.value for name, mean in self.means.items() if mean.defined}
        return sorted(values, key=lambda name: -values[name] if up else values[name])

    @cached_property
    def best(self) -> list[str]:
        """Return the systems whose mean is best: several where their means are equal."""
        top = self.means[self.systems[0]].value
        return [
            name for name in self.systems if isclose(self.means[name].value, top, abs_tol=EQUAL)
        ]

    @cached_property
    def near_the_best(self) -> list[str]:
        """Return the other systems that a test compares with each that has the best mean, and that do
        not differ significantly from any of these."""
        return [
            other
            for other in self.systems
            if other not in self.best
            and all(
                frozenset((one, other)) in self.compared
                and not {(one, other), (other, one)} & self.ahead
                for one in self.best
            )
        ]

    @cached_property
    def without_equivalence_test(self) -> list[str]:
        """Return the systems that share the best mean or do not differ significantly from it, and
        whose equivalence to the best is not tested."""
        return [
            other
            for other in [*self.best[1:], *self.near_the_best]
            if not {frozenset((one, other)) for one in self.best if one != other}
            <= self.equivalence_tested
        ]

    def against_the_best(self, other: str) -> SystemPair:
        """Return the comparison of the best mean, the first of equal ones, with another system."""
        best = self.best[0]
        for pair in self.pairs:
            if {pair.first, pair.second} == {best, other}:
                return pair if pair.first == best else pair.reversed()
        raise ValueError(f"no test compares {best} with {other}")

    @cached_property
    def not_compared(self) -> dict[str, list[str]]:
        """Return the other systems that no test compares with any that has the best mean, by the
        reason."""
        found: dict[str, list[str]] = {}
        for other in self.systems:
            pairs = [frozenset((one, other)) for one in self.best]
            if all(pair in self.reasons for pair in pairs):
                found.setdefault(self.reasons[pairs[0]], []).append(other)
        return found

    @cached_property
    def winner(self) -> str | None:
        """Return the system with the best mean where the test finds it better than all others."""
        if len(self.systems) < 2 or self.criterion.best == "none":
            return None
        first, *others = self.systems
        return first if all((first, other) in self.ahead for other in others) else None

    def against_means(self) -> Iterator[str]:
        """Yield sentences on systems that are better than one with a better mean, on the sources
        that both have: its mean is over easier sources, or weighs them otherwise."""
        for place, name in enumerate(self.systems):
            better = [other for other in self.systems[place + 1 :] if (other, name) in self.ahead]
            if better and self.criterion.best != "none":
                named = listed_or_counted([system_name(other) for other in better], "systems")
                yield (
                    f"On {inside_sentence(self.criterion.name)} {named} {'is' if len(better) == 1 else 'are'} "
                    f"better than {system_name(name)} on the sources that both were judged on, though "
                    "the means say the opposite: they rest on different sources, or weigh them "
                    "otherwise, so go by the test."
                )

    def cell(self, system: str, letters: str, *, drawn: bool) -> Cell:
        if system not in self.means:
            return Cell("–")
        mean, (lowest, highest) = self.means[system], _ends(self.criterion)
        query = ItemQuery(criterion=self.criterion.criterion, system=system)
        under = [interval_text(mean), f"n = {mean.n:,}", self.rank_interval(system)]
        return Cell(
            or_dash(mean.value),
            ", ".join(filter(None, under)),
            best=system == self.winner,
            letters=letters,
            items=replace(query, sort="mean") if system else None,
            of_letters=replace(query, sort="loss") if system and letters else None,
            plot=Plot.of(mean, lowest=lowest, highest=highest) if drawn else None,
        )

    def rank_interval(self, system: str) -> str:
        """Return the ranks that the tests leave open, if they compare all pairs: rank 1–2."""
        if self.undefined or self.no_letters or self.criterion.best == "none" or not self.pairs:
            return ""
        highest = 1 + sum(worse == system for _, worse in self.ahead)
        lowest = len(self.means) - sum(better == system for better, _ in self.ahead)
        return f"rank {highest}" if highest == lowest else f"rank {highest}–{lowest}"

    def better(self, system: str) -> int:
        """Count the systems that have a better mean."""
        mean, up = self.means[system].value, self.criterion.best == "highest"
        others = (self.means[other].value for other in self.systems)
        return sum(
            (other > mean) == up for other in others if not isclose(other, mean, abs_tol=EQUAL)
        )

    def told(self, study: StudyFacts) -> str:
        """Return in words the best mean, the number of its sources if not all, the systems that do
        not differ significantly from those that have it, and those that no test compares with them."""
        mean = self.means[self.best[0]]
        interval = interval_text(mean) if len(self.best) == 1 else ""
        estimate = " ".join(filter(None, [two(mean.value), interval]))
        fewest = min(self.means[name].clusters for name in self.best)
        part = ""
        if 0 < fewest < study.units:
            part = f"over {fewest:,} of {study.unit.counted(study.units)}"
        best = BEST.get(self.criterion.best)
        distance = self.undefined or ", ".join(self._distances())
        words = filter(None, [estimate, part, best, distance])
        return f"{inside_sentence(self.criterion.name)} ({', '.join(words)})"

    def _distances(self) -> Iterator[str]:
        """Yield how the other systems differ from those that have the best mean."""
        if near := [system_name(name) for name in self.near_the_best]:
            yield f"not significantly different from {listed_or_counted(near, 'systems')}"
        for reason, names in self.not_compared.items():
            named = listed_or_counted([system_name(name) for name in names], "systems")
            yield f"not compared with {named}: {reason}"
        others = [name for name in self.systems if name not in self.best]
        if others and all((one, other) in self.ahead for one in self.best for other in others):
            yield "significantly different from all others"


def by_merit(orders: Sequence[SystemOrder], systems: Sequence[str]) -> list[str]:
    """Return the systems by their mean rank over the criteria of which one end is best; of no such
    criterion, as they came, or by value if there is but one."""
    ranked = [order for order in orders if order.criterion.best != "none"]
    if not ranked:
        return list(orders[0].systems if len(orders) == 1 else systems)

    def mean_rank(name: str) -> float:
        ranks = [order.better(name) for order in ranked if name in order.systems]
        return fmean(ranks) if ranks else inf

    return sorted(systems, key=mean_rank)


def _ends(criterion: CriterionRow) -> tuple[float, float]:
    """Return the lowest and the highest point of a criterion's scale."""
    values = [float(value) for value, _label in criterion.points]
    return min(values, default=0.0), max(values, default=1.0)
