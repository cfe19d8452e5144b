"""What the systems got: their means with intervals over sources."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import isclose
from typing import Self

from analysis.frames import Material, aligned
from analysis.reports import charts
from analysis.reports.evidence import ItemQuery
from analysis.reports.layout import Cell, Figure, Line, PageTable
from analysis.reports.numerals import EQUAL, between, briefly, counted, inside, listed, or_dash, two
from analysis.reports.system_names import system_name
from analysis.sections.columns import averaged_criteria, units_of
from analysis.sections.comparisons import DEFAULT, SURE, Comparisons, Groups
from analysis.sections.criteria import CriterionRow, criterion_rows
from analysis.sections.returned import Returned
from analysis.sections.section import Chance, Found, Inputs, Section
from analysis.sections.study import facts_of
from analysis.stats.estimate import Estimate
from analysis.stats.systems import system_means

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
        "finds its system better than all others."
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
        systems = list(dict.fromkeys(row.system for row in rows))
        if len(orders) == 1:
            systems = orders[0].systems

        def line(name: str) -> Line:
            cells = [
                order.cell(name, letters.get((name, order.criterion.criterion), ""))
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
        won: dict[tuple[str, ...], list[str]] = {}
        for each in orders:
            won.setdefault(tuple(each.best), []).append(each.told())
        if not won:
            return
        study = facts_of(found)
        yield (
            f"Over {counted(study.sources_judged or study.sources, 'source')} and "
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
    apart."""
    pairs = [row for row in found.of(Comparisons) if row.test == "permutation"]
    alone = {(row.first, row.second) for row in pairs if row.estimate.n < 2}
    short = [row for row in pairs if row.floor >= 0.05]
    if alone:
        have = "has" if len(alone) == 1 else "have"
        yield (
            f"{counted(len(alone), 'pair')} of systems {have} fewer than two sources in common, so no test compares "
            "them."
        )
    if short:
        most = counted(max(row.estimate.n for row in short), "source")
        of = {(row.first, row.second) for row in short}
        every = len(short) == sum(row.estimate.n > 1 for row in pairs)
        which = "these systems" if every else counted(len(of), "pair") + " of systems"
        yield (
            f"With {most} in common or fewer no p of this test can fall below {min(row.floor for row in short):.4g} "
            f"after Holm's correction, so {which} could not have been told apart, however they differ."
        )


def means_of(material: Material) -> Iterator[SystemMean]:
    """Yield every system's mean on every criterion that may be averaged."""
    for criterion in averaged_criteria(material):
        units = units_of(material, criterion)
        scores = aligned(units["unit"], material.human(criterion.key))
        systems, sources = units["system"].to_numpy(), units["source"].to_numpy()
        for name, mean in system_means(scores, systems=systems, sources=sources).items():
            yield SystemMean(criterion.key, str(name), mean)


@dataclass(frozen=True)
class SystemOrder:
    """The systems' means on one criterion, and which systems its default test tells apart."""

    criterion: CriterionRow
    means: dict[str, Estimate]
    ahead: frozenset[tuple[str, str]]  # the better system on the sources of both, and the worse

    @classmethod
    def of(cls, found: Found, criterion: CriterionRow) -> Self:
        key = criterion.criterion
        up = criterion.best != "lowest"
        ahead = (
            (row.first, row.second) if (row.estimate.value > 0) == up else (row.second, row.first)
            for row in found.of(Comparisons)
            if (row.criterion, row.test) == (key, DEFAULT) and row.p_holm < SURE
        )
        means = {row.system: row.mean for row in found.of(SystemMeans) if row.criterion == key}
        return cls(criterion, means, frozenset(ahead))

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
        """Return the other systems that the test does not tell from one with the best mean."""
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

    def cell(self, system: str, letters: str) -> Cell:
        if system not in self.means:
            return Cell("–")
        mean, query = (
            self.means[system],
            ItemQuery(criterion=self.criterion.criterion, system=system),
        )
        return Cell(
            or_dash(mean.value),
            ", ".join(filter(None, [between(mean), f"n = {mean.n:,}"])),
            best=system == self.winner,
            letters=letters,
            items=replace(query, sort="mean") if system else None,
            of_letters=replace(query, sort="loss") if system and letters else None,
        )

    def told(self) -> str:
        """Say what the best mean is, and from whom those who have it are not told apart."""
        mean, near = self.means[self.best[0]], self.near_the_best
        if near:
            distance = f"not told apart from {briefly([system_name(name) for name in near])}"
        else:
            others = [name for name in self.systems if name not in self.best]
            beat_all = all((one, other) in self.ahead for one in self.best for other in others)
            distance = "told apart from all others" if others and beat_all else ""
        interval = between(mean) if len(self.best) == 1 else ""
        every = max(each.clusters for each in self.means.values())
        fewest = min(self.means[name].clusters for name in self.best)
        part = f"over {fewest:,} of {counted(every, 'source')}" if 0 < fewest < every else ""
        best = BEST.get(self.criterion.best)
        told = filter(None, [two(mean.value), interval, part, best, distance])
        return f"{inside(self.criterion.name)} ({', '.join(told)})"


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
