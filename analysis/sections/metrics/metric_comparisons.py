"""Metric comparisons: which of two metrics correlates better with human ratings, for every pair,
and the set of metrics that do not differ significantly from the highest."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from math import comb, isclose, isnan, nan

import numpy as np

from analysis.reports.layout import Cell, PageTable
from analysis.reports.numerals import (
    EQUAL,
    MAX_NAMES,
    coefficient,
    effect,
    format_count,
    format_list,
    inside_sentence,
    interval_text,
    is_defined,
    listed_or_counted,
    p_alone,
)
from analysis.reports.rows import TestedResult, row_field, table_row
from analysis.reports.table_engine import Pivot, ReportColumn, ReportTable, draw
from analysis.sections.about import run_facts
from analysis.sections.metrics.columns import ComparedColumns
from analysis.sections.metrics.correlations import (
    LEVELS,
    Correlations,
    MetricLevel,
    describe_sources,
    headline_level,
)
from analysis.sections.section import Chance, Found, Inputs, Section
from analysis.sections.systems.system_comparisons import negate_difference
from judging.base.limits import MAX_SWAPPED_MEANS
from quaestor_stats._inputs import BoolArray
from quaestor_stats._metric_differences import MetricDifference, best_metrics, metric_differences
from quaestor_stats._multiplicity import holm
from quaestor_stats._result import Result
from quaestor_stats._williams import williams_of_columns

SURE = 0.05
AT = ("pooled", "within_source", "systems")


@table_row
class MetricPair:
    """Two metrics against one human column at one level."""

    criterion: str = row_field("key of the criterion, or the name of an imported column of means")
    level: str = row_field("pooled, within_source or systems")
    better: str = row_field("the metric with the higher coefficient")
    other: str = row_field("the other metric")
    coefficient: str = row_field("the coefficient that is compared")
    estimate: TestedResult = row_field(
        "the higher coefficient minus the other; p that there is no difference"
    )
    p_holm: float = row_field(
        "p after Holm's correction over the pairs of metrics of this column at this level"
    )
    questions: int = row_field("questions that the human column and both metrics have")
    sources: int = row_field("sources that they belong to")
    systems: int = row_field("systems that they belong to")
    williams_t: float = row_field(
        "Williams' t over all questions, as published: it takes questions as independent",
        default=nan,
    )
    p_williams: float = row_field("its two-sided p", default=nan)
    p_williams_one_sided: float = row_field(
        "its one-sided p for the better metric, half of the two-sided p", default=nan
    )
    p_williams_holm: float = row_field("its two-sided p after Holm's correction", default=nan)
    williams_reason: str = row_field("why it is missing", default="")


@table_row
class LeaderRow:
    """The metrics that are not significantly different from the highest one, at one level."""

    criterion: str = row_field("key of the criterion, or the name of an imported column of means")
    level: str = row_field("pooled, within_source or systems")
    coefficient: str = row_field("the coefficient that is compared")
    highest: str = row_field("the metric with the highest coefficient")
    members: list[str] = row_field(
        "the highest and those not significantly different from it; the truly highest metric is "
        "among them with 95% probability or more"
    )
    behind: list[str] = row_field("metrics that differ significantly from the highest")
    unknown: list[str] = row_field("metrics that could not be compared with it")


class MetricComparisons(Section[MetricPair]):
    """Every pair of metrics on every human column at every level."""

    key = "metric_comparisons"
    version = 2
    title = "Metric comparisons"
    identity = ("criterion", "level", "better", "other")
    by_reading = True
    note = (
        "The metric with the highest correlation against each other metric; p with Holm's correction over "
        "all pairs, bold below .05. Williams' test is given for comparison with published results only: it "
        "treats questions as independent, so its p is too small if systems share sources. Some papers give "
        "its one-sided p, which is half of the two-sided p. The file of this table has the other levels."
    )

    def sizes(self, inputs: Inputs) -> dict[str, int]:
        asked = inputs.compared_columns
        if asked is None:
            return {}
        return dict.fromkeys(asked.humans, len(AT) * comb(len(asked.metrics), 2))

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[MetricPair]:
        asked = inputs.compared_columns
        if asked is None or len(asked.metrics) < 2:
            return []
        rows: list[MetricPair] = []
        excluded = found.excluded(MetricComparisons)
        for human in asked.humans:
            if human in excluded:
                continue
            tell = partial(chance.step, f"Comparing metrics on {found.name_of(human)}")
            tell()
            pairs = metric_differences(
                {human: asked.humans[human]},
                asked.metrics,
                facets=asked.facets,
                rng=chance.rng,
                items=inputs.settings["items"],
                ratings={human: asked.ratings[human]} if human in asked.ratings else None,
                resamples=chance.resamples,
                most_swapped=MAX_SWAPPED_MEANS // max(1, len(asked.humans) - len(excluded)),
                tell=tell,
            )
            rows += _rows(pairs, asked, inputs.settings["items"], tell)
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        chosen, pairs = headline_level(found), _pairs(found)
        tables: list[PageTable] = []
        for leader in leaders_of(found):
            if leader.level == chosen:
                rows = pairs.get((leader.criterion, leader.level), [])
                title = f"{found.name_of(leader.criterion)}, {LEVELS[leader.level]}"
                against = [row for row in rows if leader.highest in (row.better, row.other)]
                tables += _against(leader.highest, against, f"{title}: {leader.highest}")
        return tables


def _pairs(found: Found) -> dict[tuple[str, str], list[MetricPair]]:
    """Return the pairs of metrics by human column and level."""
    pairs: dict[tuple[str, str], list[MetricPair]] = {}
    for row in found.of(MetricComparisons):
        pairs.setdefault((row.criterion, row.level), []).append(row)
    return pairs


def _against(best: str, pairs: Sequence[MetricPair], title: str) -> list[PageTable]:
    """Return the table of the metrics against the highest, the nearest first."""
    rows = [_led_by(best, row) for row in pairs]
    table = ReportTable[MetricPair](
        title=title,
        lines="other",
        first="against",
        columns=lambda rows: AGAINST_COLUMNS[: None if rows[0].level == "pooled" else 2],
        reasons=lambda rows: sorted(
            {row.estimate.reason for row in rows if isnan(row.estimate.pvalue)} - {""}
        ),
        folded=True,
    )
    return draw(table, sorted(rows, key=lambda row: row.estimate.value), {})


class Leaders(Section[LeaderRow]):
    """The set of metrics that are not significantly different from the highest, at each level."""

    key = "leaders"
    title = "Metrics not significantly different from the highest"
    identity = ("criterion", "level")
    by_reading = True
    note = (
        "With a confidence of at least 95%, this set contains the metric with the highest correlation among those "
        "that could be compared (tests of all pairs, Holm's correction). If the levels name different metrics, "
        "state the level with each claim."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[LeaderRow]:
        return leaders_of(found)

    def tables(self, found: Found) -> list[PageTable]:
        table = ReportTable[LeaderRow](
            title=self.title,
            lines="criterion",
            columns=Pivot(
                "level",
                _members_cell,
                head=lambda row: LEVELS[row.level],
                order=lambda row: AT.index(row.level),
            ),
            words=True,
        )
        return draw(table, found.of(Leaders), found.names)

    def sentences(self, found: Found) -> Iterator[str]:
        level = headline_level(found)
        by_human = _headline_rows(found)
        for human, own in by_human.items():
            yield metric_sentence(own, human, level, found)
        named = {human: _named(own) for human, own in by_human.items()}
        is_any_named = any(named.values())
        if (
            is_any_named
            and not _disagreements(found, level)
            and _none_is_ahead(found, level, named)
        ):
            yield "No other level puts a metric significantly ahead of these."

    def caveats(self, found: Found) -> Iterator[str]:
        if _headline_rows(found):
            yield from _disagreements(found, headline_level(found))


def _headline_rows(found: Found) -> dict[str, list[MetricLevel]]:
    """Return Spearman's ρ at the level of the headline, by human column."""
    level = headline_level(found)
    by_human: dict[str, list[MetricLevel]] = {}
    for row in found.of(Correlations):
        if (row.level, row.coefficient) == (level, "spearman"):
            by_human.setdefault(row.criterion, []).append(row)
    return by_human


def _members_cell(row: LeaderRow) -> Cell:
    return Cell(
        format_list(row.members), f"not compared: {format_list(row.unknown)}" if row.unknown else ""
    )


def leaders_of(found: Found) -> list[LeaderRow]:
    """Return the set of metrics not significantly different from the highest, for each human column and
    level."""
    if found.knows(Leaders):
        return found.of(Leaders)
    rows = []
    for (human, level), own in _pairs(found).items():
        values = {
            row.metric: row.estimate.value
            for row in found.on(Correlations, human)
            if (row.level, row.coefficient) == (level, "spearman")
        }
        if best := best_metrics(values, own, alpha=SURE):
            sets = [list(names) for names in (best.members, best.behind, best.unknown)]
            rows.append(LeaderRow(human, level, own[0].coefficient, best.highest, *sets))
    return rows


def metric_sentence(rows: Sequence[MetricLevel], human: str, level: str, found: Found) -> str:
    """Return which metric correlates best with a human column."""
    name = inside_sentence(found.name_of(human))
    ranked = _ranked(rows)
    if not ranked:
        return f"On {name}, no correlation of a metric with human ratings is defined: {rows[0].estimate.reason}."
    significant = [row for row in ranked if _is_above_zero(row)]
    if not significant:
        return _no_significant_metric(ranked, name, found)
    if not _has_leader(rows):
        sentence = _significant_metrics(significant, _highest(ranked), name, found)
        return f"{sentence}.{_ceiling(found, human, level)}"
    sentence = f"On {name}, {_highest_metrics(ranked, found)}"
    leader = next((row for row in found.on(Leaders, human) if row.level == level), None)
    if leader and len(rows) > 1:
        sentence += _apart_from(leader, [row.metric for row in _highest(ranked)], found)
    return f"{sentence}.{_ceiling(found, human, level)}"


def _highest_metrics(ranked: Sequence[MetricLevel], found: Found) -> str:
    """Return in words which metrics have the highest correlation, and what it rests on."""
    first, equal = ranked[0], [row.metric for row in _highest(ranked)]
    rho = effect("ρ =", first.estimate, first.p_holm, coefficient)
    if len(ranked) == 1:
        return f"{equal[0]} correlates with human ratings: {rho} {_where(first, found)}"
    return (
        f"{listed_or_counted(equal, 'metrics')} {'has' if len(equal) == 1 else 'share'} the highest "
        f"correlation with human ratings: {rho} {_where(first, found, 'Holm')}"
    )


def _where(row: MetricLevel, found: Found, test: str = "") -> str:
    """Return in brackets the level of a correlation, and what it rests on."""
    size = f"{describe_sources([row], run_facts(found))}, n = {row.questions:,}"
    if row.level == "systems":
        size = f"{format_count(row.systems, 'system')}, {size}"
    measure = f"Spearman's ρ, {LEVELS[row.level]}"
    return f"({'; '.join(filter(None, [measure, size, test]))})"


def _no_significant_metric(rows: Sequence[MetricLevel], name: str, found: Found) -> str:
    """State that no metric has a rho significantly above 0; `rows` are ranked."""
    range_of_values = _range_of([row.estimate for row in rows])
    n_tested = sum(is_defined(row.p_holm) for row in rows)
    if not n_tested:
        why = rows[0].estimate.reason or "it has no test"
        return (
            f"On {name}, no correlation of a metric with human ratings was tested {_where(rows[0], found)}: {why} "
            f"(ρ = {range_of_values})."
        )
    test = f"Holm, {n_tested} metrics, p ≥ .05" if n_tested > 1 else "p ≥ .05"
    return (
        f"On {name}, no metric correlates significantly with human ratings: "
        f"ρ = {range_of_values} {_where(rows[0], found, test)}."
    )


def _significant_metrics(
    rows: Sequence[MetricLevel], highest: Sequence[MetricLevel], name: str, found: Found
) -> str:
    """State which metrics have a rho significantly above 0, and that the highest has not."""
    correlate = "correlates" if len(rows) == 1 else "correlate"
    other = "has" if len(highest) == 1 else "share"
    lacks = "which is not significantly above 0"
    if not any(is_defined(row.p_holm) for row in highest):
        lacks = "which is not tested"
    return (
        f"On {name}, {listed_or_counted([row.metric for row in rows], 'metrics')} {correlate} significantly with human "
        f"ratings: ρ = {_range_of([row.estimate for row in rows])} {_where(rows[0], found, 'Holm, p < .05')}; "
        f"{listed_or_counted([row.metric for row in highest], 'metrics')} {other} the highest estimate, "
        f"{coefficient(highest[0].estimate.value)}, {lacks}"
    )


def _range_of(estimates: Sequence[Result]) -> str:
    """Return the lowest and the highest of estimates in descending order."""
    ends = [coefficient(each.value) for each in (estimates[-1], estimates[0])]
    return " to ".join(dict.fromkeys(ends))


def _ranked(rows: Sequence[MetricLevel]) -> list[MetricLevel]:
    """Return the rows with a value, the highest first."""
    defined = [row for row in rows if row.estimate.defined]
    return sorted(defined, key=lambda row: -row.estimate.value)


def _highest(ranked: Sequence[MetricLevel]) -> list[MetricLevel]:
    """Return the rows that share the highest value."""
    return [
        row
        for row in ranked
        if isclose(row.estimate.value, ranked[0].estimate.value, abs_tol=EQUAL)
    ]


def _has_leader(rows: Sequence[MetricLevel]) -> bool:
    """Return whether the highest rho is significantly above 0."""
    ranked = _ranked(rows)
    return bool(ranked) and any(_is_above_zero(row) for row in _highest(ranked))


def _apart_from(leader: LeaderRow, equal: Sequence[str], found: Found) -> str:
    """Return clauses on the metrics that do not differ significantly from the highest, those that do,
    and those that no test compares with it; `equal` metrics are named already."""
    near = [metric for metric in leader.members[1:] if metric not in equal]
    it, it_differs = ("it", "it differs") if len(equal) == 1 else ("them", "they differ")
    clauses = []
    if near:
        which = f"{len(near)} metrics"
        if len(near) <= MAX_NAMES:
            which = format_list(
                [f"{metric}{_in_brackets(leader, metric, found)}" for metric in near]
            )
        clauses.append(f"not significantly different from {it}: {which}")
    elif leader.behind:
        others = listed_or_counted(leader.behind, "metrics") if leader.unknown else "all others"
        clauses.append(f"{it_differs} significantly from {others}")
    if leader.unknown:
        clauses.append(f"no test compares {it} with {listed_or_counted(leader.unknown, 'metrics')}")
    return "".join(f"; {clause}" for clause in clauses)


def _in_brackets(leader: LeaderRow, metric: str, found: Found) -> str:
    """Return by how much the highest metric correlates better than another, with interval and p."""
    for row in found.on(MetricComparisons, leader.criterion):
        if row.level == leader.level and {row.better, row.other} == {leader.highest, metric}:
            pair = _led_by(leader.highest, row)
            return f" ({effect('Δρ =', pair.estimate, pair.p_holm, coefficient)})"
    return ""


def _is_above_zero(row: MetricLevel) -> bool:
    """Return whether a correlation is significantly above 0 after Holm's correction."""
    return row.estimate.value > 0 and row.p_holm < SURE


def _ceiling(found: Found, human: str, level: str) -> str:
    for row in found.documents.get("ceiling", []):
        if (row["criterion"], row["level"], row["coefficient"]) == (
            human,
            level,
            "spearman",
        ) and is_defined(row["value"]):
            return f" Human ceiling (one annotator against the mean of the others): ρ = {coefficient(row['value'])}."
    return ""


def _disagreements(found: Found, level: str) -> list[str]:
    """Return on which criteria another level puts another metric first and this one behind it."""
    leaders = {(row.criterion, row.level): row for row in found.of(Leaders)}
    told: dict[tuple[str, str, str], list[str]] = {}
    for (human, other), row in leaders.items():
        here = leaders.get((human, level))
        if here and other != level and here.highest in row.behind:
            told.setdefault((other, row.highest, here.highest), []).append(
                inside_sentence(found.name_of(human))
            )
    return [
        f"The levels disagree on {format_list(humans)}: {first} is significantly better than {behind} "
        f"({LEVELS[other]})."
        for (other, first, behind), humans in told.items()
    ]


def _named(rows: Sequence[MetricLevel]) -> list[str]:
    """Return the metrics that the sentence about a human column names as following it."""
    ranked = _ranked(rows)
    significant = [row.metric for row in ranked if _is_above_zero(row)]
    if not significant or not _has_leader(rows):
        return significant
    return [row.metric for row in _highest(ranked)]


def _none_is_ahead(found: Found, level: str, named: Mapping[str, Sequence[str]]) -> bool:
    """Return whether every named metric was tested against all others at each other level, and
    none was significantly better."""
    if found.excluded(MetricComparisons):
        return False
    pairs = _pairs(found)
    for human, metrics in named.items():
        others = [own for place, own in pairs.items() if place[0] == human and place[1] != level]
        if metrics and not others:
            return False
        for metric, own in product(metrics, others):
            rows = [row for row in own if metric in (row.better, row.other)]
            if not rows or any(not is_defined(row.p_holm) for row in rows):
                return False
            if any(row.other == metric and row.p_holm < SURE for row in rows):
                return False
    return True


def _rows(
    pairs: Sequence[MetricDifference],
    asked: ComparedColumns,
    items: str,
    tell: Callable[[], None],
) -> list[MetricPair]:
    rows = []
    columns = np.column_stack(list(asked.metrics.values()))
    every = np.asarray(~np.isnan(columns).any(axis=1)) if items == "common" else None
    for pair in pairs:
        tell()
        is_pooled = pair.level == "pooled"
        rows.append(_as_in_papers(pair, asked, every) if is_pooled else _pair(pair))
    pooled = [place for place, row in enumerate(rows) if row.level == "pooled"]
    adjusted = holm(np.array([rows[place].p_williams for place in pooled]))
    for place, p in zip(pooled, adjusted, strict=True):
        rows[place] = replace(rows[place], p_williams_holm=float(p))
    return rows


def _pair(difference: MetricDifference) -> MetricPair:
    return MetricPair(
        criterion=difference.human,
        level=difference.level,
        better=difference.better,
        other=difference.other,
        coefficient=difference.measure,
        estimate=difference.found,
        p_holm=difference.p_holm,
        questions=difference.questions,
        sources=difference.sources,
        systems=difference.systems,
    )


def _as_in_papers(
    difference: MetricDifference, asked: ComparedColumns, every: BoolArray | None
) -> MetricPair:
    """Add what papers print, on the questions that all three columns have; `every`: those that
    all metrics have, where only these count."""
    pair = _pair(difference)
    columns = [asked.humans[pair.criterion], asked.metrics[pair.better], asked.metrics[pair.other]]
    shared = columns if every is None else [column[every] for column in columns]
    by_williams, one_sided = williams_of_columns(shared, method=difference.measure)
    return replace(
        pair,
        williams_t=by_williams.statistic,
        p_williams=by_williams.pvalue,
        p_williams_one_sided=one_sided,
        williams_reason=by_williams.reason,
    )


def _led_by(best: str, row: MetricPair) -> MetricPair:
    """Return a pair with the highest metric first.

    On the questions that a pair shares, the metric that is highest on its own questions may be the
    lower one.
    """
    if row.better == best:
        return row
    return replace(
        row,
        better=row.other,
        other=row.better,
        estimate=negate_difference(row.estimate),
        p_williams_one_sided=1 - row.p_williams_one_sided,
    )


def _difference_cell(row: MetricPair) -> Cell:
    interval = interval_text(row.estimate, coefficient)
    under = ", ".join(filter(None, [interval, f"n = {row.questions:,}"]))
    return Cell(coefficient(row.estimate.value), under)


# The last two are of pooled correlations only.
AGAINST_COLUMNS = [
    ReportColumn[MetricPair]("Δρ", _difference_cell),
    ReportColumn[MetricPair]("p", lambda row: Cell(p_alone(row.p_holm), best=row.p_holm < SURE)),
    ReportColumn[MetricPair](
        "p Williams, two-sided",
        lambda row: Cell(p_alone(row.p_williams_holm)),
        "as published, Holm",
    ),
    ReportColumn[MetricPair](
        "p Williams, one-sided",
        lambda row: Cell(p_alone(row.p_williams_one_sided)),
        "as published",
    ),
]
