"""What the systems got: their means with intervals over sources."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial

from analysis.frames import Material, aligned
from analysis.reports import charts
from analysis.reports.evidence import ItemQuery
from analysis.reports.layout import Cell, Figure, Line, PageTable
from analysis.reports.numerals import between, briefly, counted, inside, listed, or_dash, two
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
        "over sources, 5 % after Holm's correction over the pairs of a criterion). A mean is bold where it is told "
        "apart from all others."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[SystemMean]:
        return list(means_of(inputs.counted))

    def tables(self, found: Found) -> list[PageTable]:
        rows = found.of(SystemMeans)
        shown = [each for each in criterion_rows(found) if each.averaged]
        by_place = {(row.system, row.criterion): row.mean for row in rows}
        if not by_place or not facts_of(found).judgments:
            return []
        letters, apart = letters_of(found), told_apart(found)
        returned = {row.system: row for row in found.of(Returned)}
        tops = {each.criterion: _sure_winner(rows, each, apart) for each in shown}
        systems = list(dict.fromkeys(row.system for row in rows))
        if len(shown) == 1:
            systems = by_merit(rows, shown[0])
        degraded = degraded_systems(found)

        def cell(name: str, criterion: str) -> Cell:
            mean, own = by_place.get((name, criterion)), letters.get((name, criterion), "")
            query = ItemQuery(criterion=criterion, system=name)
            return _cell(mean, name == tops[criterion], own, query)

        lines = []
        for name in systems:
            cells, row = [cell(name, each.criterion) for each in shown], returned.get(name)
            gave = f"{row.returned:,} of {row.expected:,}" if row else ""
            chip = "degraded on purpose" if name in degraded else ""
            lines.append(Line(name or "(no name)", cells, gave, chip))
        reasons = sorted({row.mean.reason for row in rows if row.mean.reason})
        reasons += [
            f"{each.name}: more groups of systems than there are letters; see every pair."
            for each in shown
            if not any(letters.get((name, each.criterion), "-") for name in systems)
        ]
        return [
            PageTable(
                self.title,
                [each.name for each in shown],
                lines,
                first="System",
                last="Returned",
                notes=[BEST.get(each.best, "") for each in shown],
                reasons=reasons,
            )
        ]

    def figures(self, found: Found) -> list[Figure]:
        panels = [
            (each.name, _points(found.of(SystemMeans), each), _ends(each))
            for each in criterion_rows(found)
            if each.averaged
        ]
        chart = partial(charts.means, [panel for panel in panels if panel[1]])
        alt = "Each system's mean with its 95 % interval over sources, best first, a panel for each criterion"
        return [Figure("systems", alt, chart)]

    def headline(self, found: Found) -> dict[str, Estimate]:
        return {
            f"{found.name_of(row.criterion)}, {row.system or '(no name)'}": row.mean
            for row in found.of(SystemMeans)
        }

    def sentences(self, found: Found) -> Iterator[str]:
        rows, apart = found.of(SystemMeans), told_apart(found)
        shown = [each for each in criterion_rows(found) if each.averaged and each.best != "none"]
        won: dict[str, list[str]] = {}
        for each in shown:
            order = by_merit(rows, each)
            if len(order) > 1:
                won.setdefault(order[0], []).append(_top(rows, each, order, apart))
        if not won:
            return
        study = facts_of(found)
        yield (
            f"Over {counted(study.sources_judged or study.sources, 'source')} and "
            f"{counted(study.annotators, 'annotator')}, "
            + "; ".join(
                f"{name or '(no name)'} has the best mean on {listed(on)}"
                for name, on in won.items()
            )
            + "."
        )
        yield from _out_of_reach(found)
        if any(
            not_told_apart(order[0], order[1:], each.criterion, apart)
            for each in shown
            if len(order := by_merit(rows, each)) > 1
        ):
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


def by_merit(rows: Sequence[SystemMean], criterion: CriterionRow) -> list[str]:
    """Return the systems with a mean on a criterion, best first; by value upwards where no end is
    best."""
    known = [row for row in rows if row.criterion == criterion.criterion and row.mean.defined]
    up = criterion.best == "highest"
    return [
        row.system
        for row in sorted(known, key=lambda row: -row.mean.value if up else row.mean.value)
    ]


def letters_of(found: Found) -> dict[tuple[str, str], str]:
    """Return the letters of each system on each criterion."""
    return {(row.system, row.criterion): row.letters for row in found.of(Groups)}


def told_apart(found: Found) -> set[tuple[str, str, str]]:
    """Return criterion and systems of every pair that the default test tells apart, both ways."""
    sure = [row for row in found.of(Comparisons) if row.test == DEFAULT and row.p_holm < SURE]
    return {
        pair
        for row in sure
        for pair in ((row.criterion, row.first, row.second), (row.criterion, row.second, row.first))
    }


def not_told_apart(
    system: str, others: Sequence[str], criterion: str, apart: Set[tuple[str, str, str]]
) -> list[str]:
    """Return the others that no test tells from a system."""
    return [other for other in others if (criterion, system, other) not in apart]


def degraded_systems(found: Found) -> set[str]:
    """Return the systems that were made worse on purpose."""
    return {
        row["system"]
        for row in found.documents.get("set_facts", [])
        if row["kind"] == "degradation"
    }


def _sure_winner(
    rows: Sequence[SystemMean], criterion: CriterionRow, apart: Set[tuple[str, str, str]]
) -> str | None:
    order = by_merit(rows, criterion)
    if len(order) < 2 or criterion.best == "none":
        return None
    return None if not_told_apart(order[0], order[1:], criterion.criterion, apart) else order[0]


def _cell(mean: Estimate | None, best: bool, letters: str, of_system: ItemQuery) -> Cell:
    if mean is None:
        return Cell("–")
    under = ", ".join(filter(None, [between(mean), f"n = {mean.n:,}"]))
    return Cell(
        or_dash(mean.value),
        under,
        best=best,
        letters=letters,
        items=replace(of_system, sort="mean") if of_system.system else None,
        of_letters=replace(of_system, sort="loss") if of_system.system and letters else None,
    )


def _points(rows: Sequence[SystemMean], criterion: CriterionRow) -> list[tuple[str, Estimate]]:
    means = {row.system: row.mean for row in rows if row.criterion == criterion.criterion}
    return [(name, means[name]) for name in by_merit(rows, criterion)]


def _ends(criterion: CriterionRow) -> tuple[float, float]:
    """Return the lowest and the highest point of a criterion's scale."""
    values = [float(value) for value, _label in criterion.points]
    return min(values, default=0.0), max(values, default=1.0)


def _top(
    rows: Sequence[SystemMean],
    criterion: CriterionRow,
    order: Sequence[str],
    apart: Set[tuple[str, str, str]],
) -> str:
    """Say what the best mean on a criterion is, and from whom it is not told apart."""
    means = {row.system: row.mean for row in rows if row.criterion == criterion.criterion}
    first = means[order[0]]
    near = not_told_apart(order[0], order[1:], criterion.criterion, apart)
    names = [name or "(no name)" for name in near]
    distance = f"not told apart from {briefly(names)}" if near else "told apart from all others"
    told = filter(None, [two(first.value), between(first), BEST.get(criterion.best), distance])
    return f"{inside(criterion.name)} ({', '.join(told)})"
