"""What the systems got: their means with intervals over sources."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import inf, isclose
from statistics import fmean
from typing import Self

import pandas as pd

from analysis.frames import Material, aligned
from analysis.reports import charts
from analysis.reports.evidence import ItemQuery
from analysis.reports.layout import Cell, Figure, Line, PageTable, Plot
from analysis.reports.numerals import EQUAL, between, briefly, counted, inside, listed, or_dash, two
from analysis.reports.system_names import system_name
from analysis.sections.columns import averaged_criteria, clusters_of, units_of
from analysis.sections.comparisons import DEFAULT, SURE, Comparisons, Groups, SystemPair
from analysis.sections.criteria import CriterionRow, criterion_rows
from analysis.sections.returned import Returned
from analysis.sections.section import Chance, Found, Inputs, Section
from analysis.sections.study import StudyFacts, facts_of
from analysis.stats.estimate import Estimate
from analysis.stats.systems import system_means

FEW = 8  # systems whose means are drawn in the table; of more, the table would be long
UNTESTED = "systems are not compared, for the table of their pairs would be too long"
BEST = {"lowest": "low is best", "highest": "high is best"}


@dataclass(frozen=True)
class SystemMean:
    """One system's mean on one criterion.

    criterion: key of the criterion
    system: name of the system
    mean: mean of the question means; `n` counts questions, `clusters` the sources of its interval
    """

    criterion: str
    system: str
    mean: Estimate


class SystemMeans(Section[SystemMean]):
    """The systems' means over the questions they returned, with intervals over sources."""

    key = "systems"
    leads = True
    title = "Systems"
    identity = ("criterion", "system")
    by_reading = True
    note = (
        "Mean of the question means over the questions that were returned and judged, with its 95 % interval over "
        "sources and the number of questions. Systems that share a letter are not told apart (paired permutation "
        "over sources, 5 % after Holm's correction over the pairs of a criterion). A mean is bold where that test "
        "finds its system better than all others. Of eight systems or fewer the means are drawn on the "
        "criterion's scale. Systems stand by their mean rank over the criteria of which one end is best."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[SystemMean]:
        return list(means_of(inputs.counted))

    def tables(self, found: Found) -> list[PageTable]:
        rows = found.of(SystemMeans)
        orders = [SystemOrder.of(found, each) for each in criterion_rows(found) if each.averaged]
        if not rows or not facts_of(found).judgments:
            return []
        letters = {(row.system, row.criterion): row.letters for row in found.of(Groups)}
        returned = {row.system: row for row in found.of(Returned)}
        degraded = degraded_systems(found)
        systems = by_merit(orders, list(dict.fromkeys(row.system for row in rows)))
        drawn = len(systems) <= FEW

        def line(name: str) -> Line:
            cells = [
                order.cell(name, letters.get((name, order.criterion.criterion), ""), drawn=drawn)
                for order in orders
            ]
            row = returned.get(name)
            gave = f"{row.returned:,} of {row.expected:,}" if row else ""
            chip = "degraded on purpose" if name in degraded else ""
            return Line(system_name(name), cells, gave, chip)

        shown = [order.criterion for order in orders]
        reasons = sorted({row.mean.reason for row in rows if row.mean.reason})
        reasons += [
            f"{each.name}: more groups of systems than there are letters; see every pair."
            for each in shown
            if not any(letters.get((name, each.criterion), "-") for name in systems)
        ]
        reasons += [f"{each.criterion.name}: {UNTESTED}." for each in orders if not each.is_tested]
        reasons += [told for order in orders for told in order.against_means()]
        return [
            PageTable(
                self.title,
                [each.name for each in shown],
                [line(name) for name in systems],
                first="System",
                last="Returned",
                notes=[BEST.get(each.best, "") for each in shown],
                reasons=reasons,
            )
        ]

    def figures(self, found: Found) -> list[Figure]:
        orders = [SystemOrder.of(found, each) for each in criterion_rows(found) if each.averaged]
        panels = [
            (
                each.criterion.name,
                [(name, each.means[name]) for name in each.systems],
                _ends(each.criterion),
            )
            for each in orders
            if each.systems
        ]
        chart = partial(charts.means, panels)
        alt = "Each system's mean with its 95 % interval over sources, best first, a panel for each criterion"
        return [Figure("systems", alt, chart)]

    def small_print(self, found: Found) -> list[str]:
        return charts.not_drawn(len(found.of(SystemMeans)), charts.DRAWN_MEANS)

    def headline(self, found: Found) -> dict[str, Estimate]:
        return {
            f"{found.name_of(row.criterion)}, {system_name(row.system)}": row.mean
            for row in found.of(SystemMeans)
        }

    def sentences(self, found: Found) -> Iterator[str]:
        orders = [
            order
            for each in criterion_rows(found)
            if each.averaged and each.best != "none"
            if len((order := SystemOrder.of(found, each)).systems) > 1
        ]
        study = facts_of(found)
        won: dict[tuple[str, ...], list[str]] = {}
        for each in orders:
            won.setdefault(tuple(each.best), []).append(each.told(study))
        if not won:
            return
        yield (
            f"Over {study.sample} and "
            f"{counted(study.annotators, 'annotator')}, "
            + "; ".join(
                f"{briefly([system_name(name) for name in names])} "
                f"{'has' if len(names) == 1 else 'share'} the best mean on {listed(on)}"
                for names, on in won.items()
            )
            + "."
        )
        for each in orders:
            yield from each.against_means()
        yield from _out_of_reach(found)
        if any(each.near_the_best or len(each.best) > 1 for each in orders):
            yield "Systems that are not told apart may differ all the same: this study does not show which is better."


def _out_of_reach(found: Found) -> Iterator[str]:
    """Say which pairs of systems have too few sources in common to be compared, or to be told
    apart; on which criteria, where not on all."""
    tests: dict[str, list[SystemPair]] = {}
    for row in found.of(Comparisons):
        if row.test == DEFAULT:
            tests.setdefault(row.criterion, []).append(row)
    alone = {key: [row for row in rows if row.estimate.n < 2] for key, rows in tests.items()}
    for place, pairs in _together(alone, found):
        have = "has" if len(pairs) == 1 else "have"
        yield (
            f"{place}{counted(len(pairs), 'pair')} of systems {have} fewer than two sources in "
            f"common, so no test compares them{' there' if place else ''}."
        )
    short = {key: [row for row in rows if row.floor >= SURE] for key, rows in tests.items()}
    for place, pairs in _together(short, found):
        rows = [row for own in pairs.values() for row in own]
        unit = facts_of(found).unit
        most = unit.counted(max(row.estimate.clusters or row.estimate.n for row in rows))
        compared = {
            (row.first, row.second)
            for key in {row.criterion for row in rows}
            for row in tests[key]
            if row.estimate.n > 1
        }
        which = (
            "these systems"
            if len(pairs) == len(compared)
            else counted(len(pairs), "pair") + " of systems"
        )
        yield (
            f"{place}{'with' if place else 'With'} {most} in common or fewer no p of this test can "
            f"fall below {min(row.floor for row in rows):.4g} after Holm's correction, so {which} "
            "could not have been told apart, however they differ."
        )


def _together(
    by_criterion: Mapping[str, Sequence[SystemPair]], found: Found
) -> Iterator[tuple[str, dict[tuple[str, str], list[SystemPair]]]]:
    """Join the criteria that speak of the same pairs of systems. Yield where, with a comma, or
    nothing where it is everywhere, and the rows of each pair."""
    groups: dict[frozenset[tuple[str, str]], list[str]] = {}
    for key, rows in by_criterion.items():
        groups.setdefault(frozenset((row.first, row.second) for row in rows), []).append(key)
    everywhere = 0 if found.left_out(Comparisons) else len(by_criterion)
    for pairs, keys in groups.items():
        names = [inside(found.name_of(key)) for key in keys]
        held: dict[tuple[str, str], list[SystemPair]] = {}
        for row in (row for key in keys for row in by_criterion[key]):
            held.setdefault((row.first, row.second), []).append(row)
        if pairs:
            yield f"On {listed(names)}, " if len(keys) != everywhere else "", held


def means_of(material: Material) -> Iterator[SystemMean]:
    """Yield every system's mean on every criterion that may be averaged."""
    for criterion in averaged_criteria(material):
        units = units_of(material, criterion)
        scores = aligned(units["unit"], material.human(criterion.key))
        means = system_means(
            scores,
            systems=units["system"].to_numpy(),
            sources=clusters_of(material, pd.Index(units["unit"])),
            unit=material.cluster_unit,
            scale=(min(criterion.values()), max(criterion.values())),
        )
        for name, mean in means.items():
            yield SystemMean(criterion.key, str(name), mean)


@dataclass(frozen=True)
class SystemOrder:
    """The systems' means on one criterion, and which systems its default test tells apart."""

    criterion: CriterionRow
    means: dict[str, Estimate]
    ahead: frozenset[tuple[str, str]]  # the better system on the sources of both, and the worse
    is_tested: bool = True  # False where the pairs of systems are too many to be listed

    @classmethod
    def of(cls, found: Found, criterion: CriterionRow) -> Self:
        key = criterion.criterion
        up = criterion.best != "lowest"
        ahead = (
            (row.first, row.second) if (row.estimate.value > 0) == up else (row.second, row.first)
            for row in found.on(Comparisons, key)
            if row.test == DEFAULT and row.p_holm < SURE
        )
        means = {row.system: row.mean for row in found.on(SystemMeans, key)}
        return cls(criterion, means, frozenset(ahead), key not in found.left_out(Comparisons))

    @cached_property
    def systems(self) -> list[str]:
        """Return the systems with a mean, best first; by value upwards where no end is best."""
        up = self.criterion.best == "highest"
        known = {name: mean.value for name, mean in self.means.items() if mean.defined}
        return sorted(known, key=lambda name: -known[name] if up else known[name])

    @cached_property
    def best(self) -> list[str]:
        """Return the systems whose mean is best: several where their means are equal."""
        top = self.means[self.systems[0]].value
        return [
            name for name in self.systems if isclose(self.means[name].value, top, abs_tol=EQUAL)
        ]

    @cached_property
    def near_the_best(self) -> list[str]:
        """Return the other systems that the test does not tell from one with the best mean; none
        where nothing was tested."""
        if not self.is_tested:
            return []
        return [
            other
            for other in self.systems
            if other not in self.best
            and any(not {(one, other), (other, one)} & self.ahead for one in self.best)
        ]

    @cached_property
    def winner(self) -> str | None:
        """Return the system with the best mean where the test finds it better than all others."""
        if len(self.systems) < 2 or self.criterion.best == "none":
            return None
        first, *others = self.systems
        return first if all((first, other) in self.ahead for other in others) else None

    def against_means(self) -> Iterator[str]:
        """Say where systems are better than one with a better mean, on the sources that both have:
        its mean rests on easier sources, or weighs them otherwise."""
        for place, name in enumerate(self.systems):
            better = [other for other in self.systems[place + 1 :] if (other, name) in self.ahead]
            if better and self.criterion.best != "none":
                named = briefly([system_name(other) for other in better])
                yield (
                    f"On {inside(self.criterion.name)} {named} {'is' if len(better) == 1 else 'are'} "
                    f"better than {system_name(name)} on the sources that both were judged on, though "
                    "the means say the opposite: they rest on different sources, or weigh them "
                    "otherwise, so go by the test."
                )

    def cell(self, system: str, letters: str, *, drawn: bool) -> Cell:
        if system not in self.means:
            return Cell("–")
        mean, (lowest, highest) = self.means[system], _ends(self.criterion)
        query = ItemQuery(criterion=self.criterion.criterion, system=system)
        return Cell(
            or_dash(mean.value),
            ", ".join(filter(None, [between(mean), f"n = {mean.n:,}"])),
            best=system == self.winner,
            letters=letters,
            items=replace(query, sort="mean") if system else None,
            of_letters=replace(query, sort="loss") if system and letters else None,
            plot=Plot.of(mean, lowest=lowest, highest=highest) if drawn else None,
        )

    def better(self, system: str) -> int:
        """Count the systems that have a better mean."""
        mean, up = self.means[system].value, self.criterion.best == "highest"
        others = (self.means[other].value for other in self.systems)
        return sum((each > mean) == up for each in others if not isclose(each, mean, abs_tol=EQUAL))

    def told(self, study: StudyFacts) -> str:
        """Say what the best mean is, over how many of the study's sources where not all, and from
        whom those who have it are not told apart."""
        mean, near = self.means[self.best[0]], self.near_the_best
        if near:
            distance = f"not told apart from {briefly([system_name(name) for name in near])}"
        else:
            others = [name for name in self.systems if name not in self.best]
            beat_all = all((one, other) in self.ahead for one in self.best for other in others)
            distance = "told apart from all others" if others and beat_all else ""
        if not self.is_tested:
            distance = UNTESTED
        interval = between(mean) if len(self.best) == 1 else ""
        fewest = min(self.means[name].clusters for name in self.best)
        part = ""
        if 0 < fewest < study.units:
            part = f"over {fewest:,} of {study.unit.counted(study.units)}"
        best = BEST.get(self.criterion.best)
        told = filter(None, [two(mean.value), interval, part, best, distance])
        return f"{inside(self.criterion.name)} ({', '.join(told)})"


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


def degraded_systems(found: Found) -> set[str]:
    """Return the systems that were made worse on purpose."""
    return {
        row["system"]
        for row in found.documents.get("set_facts", [])
        if row["kind"] == "degradation"
    }


def _ends(criterion: CriterionRow) -> tuple[float, float]:
    """Return the lowest and the highest point of a criterion's scale."""
    values = [float(value) for value, _label in criterion.points]
    return min(values, default=0.0), max(values, default=1.0)
