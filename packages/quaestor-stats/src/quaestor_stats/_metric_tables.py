"""Metrics against human ratings, for tables with a row for each question.

A metric of which lower values are better is named with a minus sign: ``metrics=["bleu", "-wer"]``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._associations import Association, CorrelationLevel, against_people
from quaestor_stats._correlation import METHODS, coefficients, correlate_columns
from quaestor_stats._design import Design, Facets, cluster_unit, facets
from quaestor_stats._human_ceiling import ceiling_of_arrays
from quaestor_stats._inputs import Labels, complete, orient_scores
from quaestor_stats._metric_differences import MetricDifference, best_metrics, metric_differences
from quaestor_stats._multiplicity import holm
from quaestor_stats._result import Result
from quaestor_stats._result_table import ResultTable, table_from_rows
from quaestor_stats._soft_accuracy import pair_tests, soft_accuracy
from quaestor_stats._tables import Table, labels, numeric_column
from quaestor_stats._version import VERSION
from quaestor_stats._williams import williams

Level: TypeAlias = Literal["by_source", "pooled", "by_system"]
Human: TypeAlias = str | Sequence[str] | Mapping[str, Sequence[str]]
Names: TypeAlias = str | Sequence[str]
_LEVELS: dict[Level, CorrelationLevel] = {
    "by_source": "within_source",
    "pooled": "pooled",
    "by_system": "systems",
}
SEED = 1
INDEPENDENT = (
    "Rows count as independent. If systems share sources, name the column of the source; without it, "
    "intervals are too narrow and p too small."
)


def correlate(
    scores: Table,
    *,
    human: Human,
    metrics: Names,
    source: str | None = None,
    system: str | None = None,
    level: Level = "pooled",
    design: Design | None = None,
) -> ResultTable:
    """Correlate metrics with human ratings.

    Parameters
    ----------
    scores : data frame, mapping of columns, or rows of a file
        A row for each question.
    human : list of str, or dict
        Columns of human ratings, higher is better. Where annotators are random: a dict from the
        name of a criterion to the columns of its annotators.
    metrics : list of str
        Columns of metrics; "-name" if lower is better.
    source, system : str, optional
        Columns of the source (text) and of the system of each question. Without a source, rows
        count as independent.
    level : {"by_source", "pooled", "by_system"}
        Across the systems on one source, averaged over sources; over all questions; or over the
        means of the systems.
    design : Design, optional
        What is random besides the sources, and the column of what sources share.

    Returns
    -------
    ResultTable
        Columns ``human``, ``metric``, ``measure``, ``value``, ``low``, ``high``, ``p``, ``n``,
        ``clusters`` and ``reason``.

    Raises
    ------
    ValueError
        A column is missing or holds no numbers, or the level needs a source or a system.

    References
    ----------
    Deutsch, D., Dror, R. and Roth, D. (2021). A statistical analysis of summarization evaluation
    metrics using resampling methods. TACL 9, 1132-1146.

    Examples
    --------
    >>> scores = {"fluency": [1, 2, 3, 4, 5], "bleu": [5, 6, 7, 8, 7]}
    >>> table = correlate(scores, human=["fluency"], metrics=["bleu"])
    >>> [(row["measure"], round(row["value"], 3)) for row in table][1]
    ('spearman', 0.821)
    """
    people, own = _humans(scores, human), _metrics(scores, metrics)
    chosen = design or Design()
    signature = _signature("correlate", level, chosen)
    if source is None:
        _require_source(level)
        rows = [
            _row(name, metric, method, correlate_columns(x, y, method=method))
            for name, x in people.items()
            for metric, y in own.items()
            for method in METHODS
        ]
        return table_from_rows(rows, notes=[INDEPENDENT], signature=signature)
    found = against_people(
        people,
        own,
        facets=_facets(scores, source, system, level, chosen),
        rng=np.random.default_rng(SEED),
        levels=[_LEVELS[level]],
        ratings=_by_annotator(scores, human, chosen),
    )
    rows = [_row(row.human, row.metric, row.measure, row.found) for row in found]
    return table_from_rows(rows, signature=signature)


def compare_metrics(
    scores: Table,
    *,
    human: Human,
    metrics: Names,
    source: str | None = None,
    system: str | None = None,
    level: Level = "pooled",
    design: Design | None = None,
) -> ResultTable:
    """Test for every pair of metrics whether one correlates better with human ratings (Spearman).

    Parameters
    ----------
    scores, human, metrics, source, system, level, design
        As for `correlate`.

    Returns
    -------
    ResultTable
        Columns ``human``, ``better``, ``other``, ``difference``, ``low``, ``high``, ``p``,
        ``p_holm``, ``n`` and ``reason``. A note names the metrics that do not differ significantly
        from the highest. Without a source the test is Williams' and has no interval.

    Raises
    ------
    ValueError
        A column is missing or holds no numbers, or the level needs a source or a system.

    References
    ----------
    Deutsch, D., Dror, R. and Roth, D. (2021). A statistical analysis of summarization evaluation
    metrics using resampling methods. TACL 9, 1132-1146.

    Williams, E. J. (1959). Regression Analysis. Wiley.

    Examples
    --------
    >>> scores = {"fluency": [1, 2, 3, 4, 5], "bleu": [1, 2, 3, 5, 4], "rouge": [5, 3, 4, 1, 2]}
    >>> table = compare_metrics(scores, human=["fluency"], metrics=["bleu", "rouge"])
    >>> [(row["better"], round(row["difference"], 1)) for row in table]
    [('bleu', 1.7)]
    """
    people, own = _humans(scores, human), _metrics(scores, metrics)
    if len(own) < 2:
        raise ValueError("a comparison needs two metrics")
    chosen = design or Design()
    signature = _signature("compare_metrics", level, chosen)
    if source is None:
        _require_source(level)
        rows = [row for name, column in people.items() for row in _by_williams(name, column, own)]
        return table_from_rows(rows, notes=[INDEPENDENT], signature=signature)
    study: dict[str, Any] = {
        "facets": _facets(scores, source, system, level, chosen),
        "levels": [_LEVELS[level]],
        "ratings": _by_annotator(scores, human, chosen),
    }
    pairs = metric_differences(people, own, rng=np.random.default_rng(SEED), **study)
    single = against_people(
        people, own, rng=np.random.default_rng(SEED), measures=["spearman"], **study
    )
    rows = [
        _difference(pair.human, (pair.better, pair.other), pair.found, pair.p_holm)
        for pair in pairs
    ]
    notes = [
        note
        for name in people
        if (note := _best(name, [row for row in single if row.human == name], pairs))
    ]
    return table_from_rows(rows, notes=notes, signature=signature)


def soft_pairwise_accuracy(
    human: ArrayLike, metric: ArrayLike, *, sources: Labels, systems: Labels
) -> Result:
    """Compare how confidently a metric and human ratings distinguish every pair of systems.

    Parameters
    ----------
    human, metric : (n_questions,), higher is better, nan where missing
    sources, systems : (n_questions,) labels

    Returns
    -------
    Result
        1 less the mean of abs(p_human - p_metric) over pairs of systems; ``n`` counts systems.

    Raises
    ------
    ValueError
        Columns differ in length or hold no numbers.

    References
    ----------
    Thompson, B., Mathur, N., Deutsch, D. and Khayrallah, H. (2024). Improving statistical
    significance in human evaluation of automatic metrics via soft pairwise accuracy. WMT.

    Examples
    --------
    >>> human = np.array([1.0, 2, 3, 1, 2, 3])
    >>> found = soft_pairwise_accuracy(
    ...     human, human, sources=[1, 1, 1, 2, 2, 2], systems=["a", "b", "c"] * 2)
    >>> found.value
    1.0
    """
    items = complete([human, metric], names=["human", "metric"])
    of = facets(sources, systems).select(items.kept)
    p = pair_tests(items.columns, of, rng=np.random.default_rng(SEED))
    return Result(
        value=float(soft_accuracy(p[..., :1], p[..., 1:])[0, 0]),
        n=of.n_systems,
        dropped=items.dropped,
        method=f"soft pairwise accuracy over {of.n_systems} systems and {of.n_sources} sources",
        symbol="SPA",
    )


def human_ceiling(
    ratings: Table,
    *,
    system: str,
    source: str,
    annotator: str,
    value: str,
    level: Level = "pooled",
) -> Result:
    """Correlate one annotator with the mean of the others: what a metric can hope to reach.

    Parameters
    ----------
    ratings : data frame, mapping of columns, or rows of a file
        A row for each rating.
    system, source, annotator, value : str
        Columns of the system and source of the rated question, of the annotator and the rating.
    level : {"by_source", "pooled", "by_system"}
        As for `correlate`.

    Returns
    -------
    Result
        Spearman's rho, averaged over annotators; its interval leaves out one source at a time.

    Raises
    ------
    ValueError
        A column is missing or a rating is no number.

    Examples
    --------
    >>> ratings = [
    ...     {"system": s, "text": t, "who": who, "fluency": (3 * t + s) % 5 + (who == "B") * (t == 1)}
    ...     for s in range(2) for t in range(4) for who in "ABC"
    ... ]
    >>> round(human_ceiling(
    ...     ratings, system="system", source="text", annotator="who", value="fluency").value, 2)
    0.99
    """
    result = ceiling_of_arrays(
        numeric_column(ratings, value),
        systems=labels(ratings, system),
        sources=labels(ratings, source),
        annotators=labels(ratings, annotator),
        level=_LEVELS[level],
    )
    return replace(result, symbol="ρ")


def _humans(scores: Table, human: Human) -> dict[str, Any]:
    if not isinstance(human, Mapping):
        return {name: numeric_column(scores, name) for name in _names(human)}
    means = {}
    for name, columns in human.items():
        table = np.column_stack([numeric_column(scores, column) for column in columns])
        total, times = np.nansum(table, axis=1), (~np.isnan(table)).sum(axis=1)
        means[name] = np.where(times > 0, total / np.maximum(times, 1), np.nan)
    return means


def _by_annotator(scores: Table, human: Human, design: Design) -> dict[str, Any] | None:
    """Return the ratings of each annotator, which random annotators need."""
    if not design.random_annotators:
        return None
    if not isinstance(human, Mapping):
        raise ValueError(
            "annotators are random: give human as a dict from a criterion to its annotators' columns"
        )
    return {
        name: np.column_stack([numeric_column(scores, column) for column in columns])
        for name, columns in human.items()
    }


def _names(names: Names) -> list[str]:
    listed = [names] if isinstance(names, str) else list(names)
    plain = [name.removeprefix("-") for name in listed]
    if twice := [name for name in plain if plain.count(name) > 1]:
        raise ValueError(f"column {twice[0]!r} is named twice")
    return listed


def _metrics(scores: Table, metrics: Names) -> dict[str, Any]:
    return {
        name.removeprefix("-"): orient_scores(
            numeric_column(scores, name.removeprefix("-")),
            higher_is_better=not name.startswith("-"),
        )
        for name in _names(metrics)
    }


def _require_source(level: Level) -> None:
    _require_level(level)
    if level != "pooled":
        raise ValueError(f"level {level!r} needs the columns of source and system")


def _require_level(level: Level) -> None:
    if level not in get_args(Level):
        raise ValueError(f"level: {level!r} is none of {', '.join(get_args(Level))}")


def _facets(scores: Table, source: str, system: str | None, level: Level, design: Design) -> Facets:
    _require_level(level)
    if system is None and (level != "pooled" or design.random_systems):
        raise ValueError(f"level {level!r} with this design needs the column of the system")
    sources = labels(scores, source)
    systems = None if system is None else labels(scores, system)
    if not design.cluster:
        return facets(sources, systems, design=design)
    clusters = labels(scores, design.cluster)
    unit = cluster_unit(len(set(sources)), len(set(clusters)), column=design.cluster)
    return facets(sources, systems, design=design, clusters=clusters, unit=unit)


def _row(human: str, metric: str, measure: str, result: Result) -> dict[str, Any]:
    return {
        "human": human,
        "metric": metric,
        "measure": measure,
        "value": result.value,
        "low": result.ci.low,
        "high": result.ci.high,
        "p": result.pvalue,
        "n": result.n,
        "clusters": result.clusters,
        "reason": result.reason,
    }


def _difference(
    human: str, names: tuple[str, str], result: Result, p_holm: float
) -> dict[str, Any]:
    return {
        "human": human,
        "better": names[0],
        "other": names[1],
        "difference": result.value,
        "low": result.ci.low,
        "high": result.ci.high,
        "p": result.pvalue,
        "p_holm": p_holm,
        "n": result.n,
        "reason": result.reason,
    }


def _best(human: str, values: Sequence[Association], pairs: Sequence[MetricDifference]) -> str:
    """Return which metrics do not differ significantly from the highest; empty without a value."""
    of_metrics = {row.metric: row.found.value for row in values}
    best = best_metrics(of_metrics, [pair for pair in pairs if pair.human == human])
    if best is None:
        return ""
    others = ", ".join(best.members[1:]) or "none"
    return (
        f"{human}: {best.highest} is highest; not significantly different from it: {others} "
        "(Holm, 5% level)."
    )


def _by_williams(name: str, human: Any, metrics: Mapping[str, Any]) -> list[dict[str, Any]]:
    tested = []
    for first, second in combinations(metrics, 2):
        items = complete([human, metrics[first], metrics[second]])
        r = coefficients(items.columns, method="spearman")
        better, other = (1, 2) if not r[0, 1] < r[0, 2] else (2, 1)
        names = (first, second) if better == 1 else (second, first)
        triple = float(r[0, better]), float(r[0, other]), float(r[1, 2])
        tested.append((names, williams(*triple, items.n)))
    adjusted = holm([result.pvalue for _, result in tested])
    return [
        _difference(name, names, result, float(p))
        for (names, result), p in zip(tested, adjusted, strict=True)
    ]


def _signature(function: str, level: Level, design: Design) -> str:
    cluster = design.cluster or "source"
    return (
        f"{function}|level:{level}|random:{design.key}|unit:{cluster}|seed:{SEED}|version:{VERSION}"
    )
