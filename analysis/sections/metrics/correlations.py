"""Correlation of metrics with human ratings at three levels: on each source, over all questions,
and over the systems' means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.frames import Material, align_values
from analysis.reports import charts
from analysis.reports.evidence import ItemQuery
from analysis.reports.layout import Cell, Chart, Figure, Line, PageTable
from analysis.reports.metric_names import metric_names
from analysis.reports.numerals import (
    coefficient,
    format_count,
    format_list,
    interval_text,
    is_defined,
)
from analysis.reports.rows import TestedResult, row_field, table_row
from analysis.reports.system_names import system_name
from analysis.reports.table_engine import MISSING, Pivot, ReportTable, draw
from analysis.sections.about import StudyFacts, run_facts
from analysis.sections.metrics.columns import (
    ComparedColumns,
    averaged_criteria,
    clusters_of,
    goes_up,
)
from analysis.sections.metrics.metric_means import MetricMeans, sets_of
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.datasets.models.score import Metric
from quaestor_metrics._set_properties import WITHOUT_BETTER_END
from quaestor_stats._associations import Association, against_people
from quaestor_stats._correlation import METHODS, correlate_columns
from quaestor_stats._design import facets
from quaestor_stats._inputs import FloatArray, complete, orient_scores
from quaestor_stats._multiplicity import holm
from quaestor_stats._result import ConfidenceInterval, undefined_result

if TYPE_CHECKING:
    import pandas as pd

SHADES = 20
ORDERS = 10_000  # of systems, which their tests go through
MAX_BATCH_CELLS = 1_000_000  # questions, or orders, x human columns x metrics computed at once
MANY_COLUMNS = 8  # above so many metrics each is a line, because the columns do not fit a page
LEVELS = {
    "pooled": "pooled",
    "within_source": "per source",
    "systems": "system level",
    "sets": "over question sets",
    "whole_systems": "scores of whole systems",
}
COUNTED = {"sets": "sets", "whole_systems": "systems"}  # at other levels: questions
OF_QUESTIONS = ("pooled", "within_source", "systems")  # levels that rest on scores of questions
MEASURES = {
    "spearman": "Spearman's ρ",
    "pearson": "Pearson's r",
    "kendall": "Kendall's τ-b",
    "kendall_c": "Stuart's τ-c",
    "pairwise_accuracy": "pairwise accuracy",
    "soft_pairwise_accuracy": "soft pairwise accuracy",
}
DATA_ONLY = ("kendall_c",)  # CSV and JSON hold it; pages have tau-b


@table_row
class MetricLevel:
    """One metric against one human column at one level by one measure, both sign-aligned so that
    higher is better."""

    criterion: str = row_field("key of the criterion, or the name of an imported column of means")
    metric: str = row_field("name of the metric")
    level: str = row_field(
        "pooled (over all questions), within_source (across the systems on one source, the mean "
        "over sources), systems (means of systems), sets (scores of question sets), or "
        "whole_systems (scores that a metric gives systems as a whole)"
    )
    coefficient: str = row_field(
        "pearson, spearman, kendall, kendall_c, pairwise_accuracy or soft_pairwise_accuracy"
    )
    estimate: TestedResult = row_field(
        "the measure; `n` counts questions, sources or systems; p tests for no association; that "
        "of pairwise accuracy, pooled and within sources, is one-sided: better than chance with as "
        "many ties"
    )
    p_holm: float = row_field(
        "p after Holm's correction over the metrics of this column at this level"
    )
    p_as_published: float = row_field(
        "p that takes questions, or systems, as independent, as papers print it"
    )
    questions: int = row_field("questions that have both scores")
    sources: int = row_field("sources that they belong to")
    systems: int = row_field("systems that they belong to")
    smallest_p: float = row_field(
        "over systems, the smallest p that any order of so few systems can give", default=nan
    )
    epsilon: float = row_field(
        "of pairwise accuracy, the largest difference of the metric that counts as a tie",
        default=nan,
    )
    in_sample: float = row_field(
        "pairwise accuracy with the epsilon that is best for these very pairs, as published",
        default=nan,
    )
    baseline: float = row_field(
        "share of pairs tied in the human ratings, which is the accuracy of tying every pair",
        default=nan,
    )


class Correlations(Section[MetricLevel]):
    """Every metric against every human column at every level by every measure."""

    key = "correlations"
    leads = True
    version = 3
    title = "Correlation with human ratings"
    identity = ("criterion", "metric", "level", "coefficient")
    by_reading = True
    note = (
        "Metrics and ratings are sign-aligned so that higher is better. The levels answer different "
        "questions and can disagree. Per source: does a metric rank the systems' questions for one source "
        "as annotators do? Pooled: does it also distinguish easy from difficult sources? System level: "
        "does it rank the systems? Intervals and tests keep the questions on a source together. At system "
        "level there is an interval only if systems are declared random, because no interval for a few "
        "fixed systems is known to reach 95% coverage."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[MetricLevel]:
        asked = inputs.compared_columns
        if asked is None:
            return _of_sets_and_systems(inputs.counted)
        rows = []
        for humans in _batches(asked):
            chance.step(
                f"Metrics against {format_list([found.name_of(human) for human in humans])}"
            )
            associations = against_people(
                {human: asked.humans[human] for human in humans},
                asked.metrics,
                facets=asked.facets,
                rng=chance.rng,
                items=inputs.settings["items"],
                ratings={human: asked.ratings[human] for human in humans if asked.ratings},
            )
            rows += [_row(association) for association in associations]
        return [*_adjusted(rows), *_of_sets_and_systems(inputs.counted)]

    def tables(self, found: Found) -> list[PageTable]:
        chosen = headline_level(found)
        levels = sorted(LEVELS, key=lambda level: level != chosen)
        tables: list[PageTable] = []
        for measure in (name for name in MEASURES if name not in DATA_ONLY):
            for level in levels:
                place = level, measure
                rows = [
                    row for row in found.of(Correlations) if (row.level, row.coefficient) == place
                ]
                if rows:
                    tables += _heat_map(rows, found, folded=place != (chosen, "spearman"))
        return tables

    def headline(self, found: Found) -> dict[str, Any]:
        level = headline_level(found)
        return {
            f"{found.name_of(row.criterion)}, {row.metric}, {LEVELS[level]}": row.estimate
            for row in found.of(Correlations)
            if (row.level, row.coefficient) == (level, "spearman")
        }

    def figures(self, found: Found) -> list[Figure]:
        level = LEVELS[headline_level(found)]
        alt = (
            f"Mean rating of each system over its mean score, by the {charts.COLUMNS} metrics with the highest "
            f"ρ on each criterion ({level}; best first). Bars: 95% CI of a mean. Line and band: least squares "
            "over the systems with the 95% CI of its mean, for other systems on the same sources"
        )
        return [Figure("correlations", alt, partial(_chart, found))]

    def technical_notes(self, found: Found) -> list[str]:
        return charts.not_drawn(len(run_facts(found).systems), charts.DRAWN_SYSTEMS)


def _batches(columns: ComparedColumns) -> Iterator[list[str]]:
    """Yield the human columns in batches that share the computations about metrics alone; a batch
    is as large as memory permits."""
    humans = list(columns.humans)
    cells = max(len(columns.facets.source), ORDERS) * len(columns.metrics)
    size = max(1, MAX_BATCH_CELLS // cells)
    for start in range(0, len(humans), size):
        yield humans[start : start + size]


def _chart(found: Found) -> Chart | None:
    """Return the systems' mean ratings over their mean scores by the metrics that correlate best."""
    from analysis.sections.systems.systems import Systems  # whose tests need this module

    scores = {
        (row.metric, row.system): row.value
        for row in found.of(MetricMeans)
        if row.level == "question"
    }
    drawn = {}
    for key, name in found.names.items():
        means = {row.system: row.mean for row in found.on(Systems, key) if row.mean.defined}
        row = {
            metric: {
                system_name(system): (scores[metric, system], mean)
                for system, mean in means.items()
                if (metric, system) in scores
            }
            for metric in _best_metrics(found, key)
        }
        if means and row:
            drawn[name] = row
    return charts.scatter(drawn)


def _best_metrics(found: Found, criterion: str) -> list[str]:
    """Return the metrics with the highest coefficients of the headline, as many as are drawn."""
    headline = (headline_level(found), "spearman")
    rows = [
        row
        for row in found.on(Correlations, criterion)
        if (row.level, row.coefficient) == headline and row.estimate.defined
    ]
    rows.sort(key=lambda row: -row.estimate.value)
    return [row.metric for row in rows[: charts.COLUMNS]]


def headline_level(found: Found) -> str:
    """Return the level of the headline: the run's setting, or "pooled" without one."""
    return next(
        (row["metric_level"] for row in found.documents.get("about", []) if "metric_level" in row),
        "pooled",
    )


def _row(each: Association) -> MetricLevel:
    estimate = each.found
    if each.measure == "pairwise_accuracy" and each.baseline == 1:
        estimate = undefined_result(
            each.found.method, "people order no two of them", n=each.found.n
        )
    return MetricLevel(
        criterion=each.human,
        metric=each.metric,
        level=each.level,
        coefficient=each.measure,
        estimate=estimate,
        p_holm=nan,
        p_as_published=each.p_as_published,
        questions=each.questions,
        sources=each.sources,
        systems=each.systems,
        smallest_p=each.smallest_p,
        epsilon=each.epsilon,
        in_sample=each.in_sample,
        baseline=each.baseline,
    )


def _adjusted(rows: Sequence[MetricLevel]) -> list[MetricLevel]:
    """Add Holm's p over the metrics of one human column at one level under one measure."""
    families: dict[tuple[str, str, str], list[int]] = {}
    for place, row in enumerate(rows):
        families.setdefault((row.criterion, row.level, row.coefficient), []).append(place)
    corrected: dict[int, float] = {}
    for own in families.values():
        p = holm(np.array([rows[place].estimate.pvalue for place in own]))
        corrected |= {place: float(each) for place, each in zip(own, p, strict=True)}
    return [replace(row, p_holm=corrected[place]) for place, row in enumerate(rows)]


def _heat_map(rows: Sequence[MetricLevel], found: Found, *, folded: bool) -> list[PageTable]:
    """Return the table of one measure at one level: human columns by metrics."""
    level, measure = rows[0].level, rows[0].coefficient
    sizes = {row.questions or row.estimate.n for row in rows if row.estimate.defined}
    ceilings = _ceilings(rows, found)
    baselines = _baselines(rows)
    table = ReportTable[MetricLevel](
        title=f"{MEASURES[measure]}, {LEVELS[level]}",
        lines="criterion",
        under=lambda row: baselines.get(row.criterion, ""),
        columns=Pivot("metric", partial(_heat_cell, found=found, with_n=len(sizes) > 1)),
        last=("human ceiling" if ceilings else "", lambda row: ceilings.get(row.criterion, "")),
        caption=_caption(rows, level, measure, sizes, run_facts(found)),
        reasons=_without_interval,
        heat=_is_shaded(measure),
        folded=folded,
    )
    return [
        transpose_table(shown, first="Metric") if len(shown.columns) > MANY_COLUMNS else shown
        for shown in draw(table, rows, found.names)
    ]


def _baselines(rows: Sequence[MetricLevel]) -> dict[str, str]:
    """Return the accuracy of tying every pair of each human column that has one."""
    known_first = [row for row in reversed(rows) if is_defined(row.baseline)]
    return {row.criterion: f"all ties: {row.baseline:.2f}" for row in known_first}


def _ceilings(rows: Sequence[MetricLevel], found: Found) -> dict[str, str]:
    """Return the human ceiling of each human column by this measure; empty if none has one."""
    place = rows[0].level, rows[0].coefficient
    ceilings = {
        row["criterion"]: coefficient(row["value"])
        for row in found.documents.get("ceiling", [])
        if (row["level"], row["coefficient"]) == place and row["value"] is not None
    }
    texts = {row.criterion: ceilings.get(row.criterion, "–") for row in rows}
    return texts if ceilings.keys() & texts.keys() else {}


def _without_interval(rows: Sequence[MetricLevel]) -> list[str]:
    reasons = {row.estimate.reason for row in rows if isnan(row.estimate.ci.low)}
    return sorted(reasons - {""})


def _is_shaded(measure: str) -> bool:
    """Return whether a measure is shown as a heat map; an accuracy is not 0 by chance."""
    return not measure.endswith("accuracy")


def _heat_cell(row: MetricLevel, *, found: Found, with_n: bool) -> Cell:
    """Return a cell of a heat map with the interval and what it rests on below; it leads to the
    largest gaps."""
    if not row.estimate.defined:
        return MISSING
    value, shaded = row.estimate.value, _is_shaded(row.coefficient)
    interval = interval_text(row.estimate, coefficient)
    tie = f"ε = {row.epsilon:.3g}" if row.epsilon > 0 else ""
    n = f"n = {row.questions or row.estimate.n:,}" if with_n else ""
    leads = row.criterion in found.names and row.level in OF_QUESTIONS
    query = ItemQuery(sort="gap", criterion=row.criterion, metric=row.metric)
    return Cell(
        coefficient(value),
        ", ".join(filter(None, [interval, tie, n])),
        shade=round(SHADES * abs(value)) if shaded else None,
        minus=shaded and value < -0.005,
        items=query if leads else None,
    )


def transpose_table(table: PageTable, *, first: str) -> PageTable:
    """Return a table with its lines as columns; the words at the end of the lines become its last
    line."""
    last = [Line(table.last, [Cell(line.last) for line in table.lines])] if table.last else []
    lines = [
        Line(name, [line.cells[place] for line in table.lines])
        for place, name in enumerate(table.columns)
    ]
    return replace(
        table,
        columns=[line.name for line in table.lines],
        notes=[line.under for line in table.lines],
        lines=[*lines, *last],
        first=first,
        last="",
    )


def _caption(
    rows: Sequence[MetricLevel], level: str, measure: str, sizes: Set[int], study: StudyFacts
) -> str:
    sample = []
    if max(row.sources for row in rows):
        sample.append(describe_sources(rows, study))
    if len(sizes) == 1:  # one n for all is here, not in every cell
        sample.append(f"n = {next(iter(sizes)):,}")
    else:
        sample.append(f"n: {COUNTED.get(level, 'questions')}")
    has_intervals = any(not isnan(row.estimate.ci.low) for row in rows)
    based_on = "; ".join([", ".join(sample), *["95% CI, cluster jackknife"] * has_intervals])
    caption = (
        f"{MEASURES[measure]} between metric and mean human rating, {LEVELS[level]} ({based_on})."
    )
    if measure == "pairwise_accuracy":
        if level != "systems":  # epsilon is 0 there
            caption += (
                " A difference of the metric up to ε counts as a tie, with ε chosen on the other "
                "sources; the ε that is best for all pairs is shown below."
            )
        caption += " Below each criterion: the accuracy of a metric that ties every pair."
    floor = min((row.smallest_p for row in rows if is_defined(row.smallest_p)), default=0.0)
    if level == "systems" and floor >= 0.05:
        caption += f" With so few systems no p can fall below {floor:.2g}."
    return caption


def describe_sources(rows: Sequence[MetricLevel], study: StudyFacts) -> str:
    """Return in words the number of sources of coefficients, and of the clusters that keep them
    together; on the level of each source, the sources where the coefficients exist."""
    clusters = max(row.estimate.clusters for row in rows)
    kept = ""
    if clusters and not study.unit.is_source:
        kept = f" in {study.unit.counted(clusters)}"
    every = max(row.sources for row in rows)
    used = {row.estimate.n for row in rows if row.level == "within_source" and row.estimate.defined}
    if used <= {every}:
        return f"{format_count(every, 'source')}{kept}"
    span = " to ".join(f"{n:,}" for n in sorted({min(used), max(used)}))
    return f"{span} of {format_count(every, 'source')}{kept}"


def _of_sets_and_systems(material: Material) -> list[MetricLevel]:
    """Return how metrics of sets follow the means of sets, and metrics of systems the means of
    systems."""
    metrics = [metric for metric in material.metrics if metric.kind != Metric.Kind.HUMAN_MEAN]
    sets = sets_of(material)
    of_sets = _columns_of_sets(material, metrics, sets["unit"]) if len(sets) else {}
    of_systems = {
        metric: scores for metric in metrics if (scores := material.scores_of_systems(metric))
    }
    if not of_sets and not of_systems:
        return []
    rows: list[MetricLevel] = []
    for criterion in averaged_criteria(material):
        people, up = material.human(criterion.key), criterion.best != "lowest"
        for part in (
            _sets(material, sets, of_sets, people, up),
            _whole_systems(material, of_systems, people, up),
        ):
            rows += _adjusted([replace(row, criterion=criterion.key) for row in part])
    return rows


def _sets(
    material: Material,
    sets: pd.DataFrame,
    columns: Mapping[str, FloatArray],
    people: pd.Series,
    up: bool,
) -> Iterator[MetricLevel]:
    """Yield metrics of question sets against the sets' mean ratings, by the pooled inference of
    sets."""
    import pandas as pd

    means = align_values(sets["question_set"], _means_by(material, people, "question_set"))
    human = orient_scores(means, higher_is_better=up)
    if not columns or np.isnan(human).all():
        return
    associations = against_people(
        {"": human},
        columns,
        facets=facets(
            sets["source"].to_numpy(dtype=object),
            sets["system"].to_numpy(dtype=object),
            clusters=clusters_of(material, pd.Index(sets["unit"])),
            unit=material.cluster_unit,
        ),
        rng=np.random.default_rng(0),
        measures=METHODS,
        levels=("pooled",),
    )
    yield from (replace(_row(association), level="sets") for association in associations)


def _means_by(material: Material, people: pd.Series, column: str) -> pd.Series:
    """Return the mean human rating of the questions of each set or system."""
    slots = material.slots
    return slots.assign(value=align_values(slots["unit"], people)).groupby(column)["value"].mean()


def _columns_of_sets(
    material: Material, metrics: Sequence[Metric], units: pd.Series[int]
) -> dict[str, FloatArray]:
    """Return the metrics of question sets that have a better end and some score."""
    names = metric_names(material.metrics)
    directed = [metric for metric in metrics if metric.made.get("id") not in WITHOUT_BETTER_END]
    scores = {each: align_values(units, material.score(each)) for each in directed}
    return {
        names[metric.pk]: orient_scores(values, higher_is_better=goes_up(metric))
        for metric, values in scores.items()
        if not np.isnan(values).all()
    }


def _whole_systems(
    material: Material,
    of_metrics: Mapping[Metric, Mapping[str, float]],
    people: pd.Series,
    up: bool,
) -> Iterator[MetricLevel]:
    import pandas as pd

    names, means = metric_names(material.metrics), _means_by(material, people, "system")
    if means.isna().all():
        return
    human = orient_scores(means.to_numpy(dtype="float64"), higher_is_better=up)
    for each, scores in of_metrics.items():
        column = align_values(means.index.to_series(), pd.Series(scores))
        items = complete([human, orient_scores(column, higher_is_better=goes_up(each))])
        for method in METHODS:
            estimate = correlate_columns(*items.columns.T, method=method)
            without_interval = ConfidenceInterval(nan, nan)
            yield MetricLevel(
                criterion="",
                metric=names[each.pk],
                level="whole_systems",
                coefficient=method,
                estimate=replace(estimate, dropped=items.dropped, ci=without_interval),
                p_holm=nan,
                p_as_published=estimate.pvalue,
                questions=0,
                sources=0,
                systems=items.n,
            )
