"""Systems compared on human ratings, for tables with a row for each rating."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from quaestor_stats._design import SOURCE, Design, cluster_unit
from quaestor_stats._generalisability import systems_apart
from quaestor_stats._multiplicity import holm
from quaestor_stats._resampling import require_share
from quaestor_stats._result_table import ResultTable, table_from_rows
from quaestor_stats._system_differences import CONTRAST, RatedOutputs, system_differences
from quaestor_stats._tables import Table, labels, numeric_column
from quaestor_stats._variance_components import Components, variance_components
from quaestor_stats._version import VERSION

SEED = 1


def compare_systems(
    ratings: Table,
    *,
    system: str,
    source: str,
    annotator: str,
    value: str,
    output: str | None = None,
    design: Design | None = None,
) -> ResultTable:
    """Test for every pair of systems whether their mean ratings differ.

    Parameters
    ----------
    ratings : data frame, mapping of columns, or rows of a file
        A row for each rating of one criterion.
    system, source, annotator, value : str
        Columns of the system and source of the rated output, of the annotator and the rating.
    output : str, optional
        Column of what was rated, if a system has several outputs on a source.
    design : Design, optional
        Whether annotators are random, and the column of what sources share.

    Returns
    -------
    ResultTable
        Columns ``first``, ``second``, ``difference`` (first minus second), ``low``, ``high``,
        ``p``, ``p_holm``, ``n`` (sources that both have), ``test`` and ``reason``. The test is a
        paired permutation over sources where annotators are fixed and the same ones rated both
        systems on each source; otherwise a contrast within sources, adjusted for annotators.

    Raises
    ------
    ValueError
        A column is missing, a label is blank or a rating is no number.

    References
    ----------
    MacKinnon, J. G., Nielsen, M. O. and Webb, M. D. (2023). Fast and reliable jackknife and
    bootstrap methods for cluster-robust inference. Journal of Applied Econometrics 38, 671-694.

    Pitman, E. J. G. (1937). Significance tests which may be applied to samples from any
    populations. Supplement to the Journal of the Royal Statistical Society 4, 119-130.

    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal
    of Statistics 6, 65-70.

    Examples
    --------
    >>> ratings = [
    ...     {"system": s, "text": t, "who": who, "fluency": 2 + (s == "B") - (t % 4 == 0)}
    ...     for s in "AB" for t in range(8) for who in "xy"
    ... ]
    >>> table = compare_systems(
    ...     ratings, system="system", source="text", annotator="who", value="fluency")
    >>> [(row["difference"], round(row["p"], 4)) for row in table]
    [(-1.0, 0.0078)]
    """
    chosen = design or Design()
    if chosen.random_systems:
        raise ValueError("design: systems that are compared with each other are fixed")
    columns = (system, source, annotator, output)
    rated = _rated_outputs(ratings, value, *columns, chosen)
    pairs = system_differences(rated, design=chosen, rng=np.random.default_rng(SEED))
    adjusted = holm([result.pvalue for result in pairs.values()])
    rows = [
        {
            "first": first,
            "second": second,
            "difference": result.value,
            "low": result.ci.low,
            "high": result.ci.high,
            "p": result.pvalue,
            "p_holm": float(p),
            "n": result.n,
            "test": result.test,
            "reason": result.reason,
        }
        for ((first, second), result), p in zip(pairs.items(), adjusted, strict=True)
    ]
    notes = [f"p_holm: Holm's correction over the pairs of {len(systems_in_table(rows))} systems."]
    if any(row["test"] == CONTRAST for row in rows):
        notes.append(
            "contrast: annotators are random, or different ones rated the two systems on a source; "
            "the difference is adjusted for them."
        )
    has_rating = set(rated.systems)
    all_systems = dict.fromkeys(labels(ratings, system))
    notes += [f"{name} has no rating." for name in all_systems if name not in has_rating]
    unit = chosen.cluster or "source"
    signature = f"compare_systems|random:{chosen.key}|unit:{unit}|seed:{SEED}|version:{VERSION}"
    return table_from_rows(rows, notes=notes, signature=signature, keeps_zero=True)


def mixed_model(
    ratings: Table,
    *,
    system: str,
    source: str,
    annotator: str,
    value: str,
    output: str | None = None,
    design: Design | None = None,
) -> Components:
    """Fit system means and variance components by REML.

    Parameters
    ----------
    ratings, system, source, annotator, value, output, design
        As for `compare_systems`.

    Returns
    -------
    Components
        ``systems``, ``means`` and ``errors``, and ``variances`` by name; `d_study` reads it.

    Raises
    ------
    ValueError
        A column is missing, a label is blank, a rating is no number, or nothing can be fitted.

    References
    ----------
    Patterson, H. D. and Thompson, R. (1971). Recovery of inter-block information when block sizes
    are unequal. Biometrika 58, 545-554.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> ratings = [
    ...     {"system": s, "text": t, "who": who, "fluency": rng.normal() + t}
    ...     for s in "AB" for t in range(8) for who in "xy"
    ... ]
    >>> model = mixed_model(
    ...     ratings, system="system", source="text", annotator="who", value="fluency")
    >>> model.systems, sorted(model.variances)[-1]
    (['A', 'B'], 'source')
    """
    chosen = design or Design()
    rated = _rated_outputs(ratings, value, system, source, annotator, output, chosen)
    return variance_components(
        rated.ratings,
        systems=rated.systems,
        sources=rated.sources,
        annotators=rated.annotators,
        questions=rated.outputs,
        clusters=rated.clusters,
        unit=rated.unit,
        annotators_random=chosen.random_annotators,
    )


def d_study(model: Components, *, annotators: Sequence[int], sources: Sequence[int]) -> ResultTable:
    """Predict how well other numbers of annotators and sources would distinguish systems.

    Parameters
    ----------
    model : Components
        From `mixed_model` with random annotators.
    annotators, sources : sequences of int
        Every number of annotators is combined with every number of sources.

    Returns
    -------
    ResultTable
        Columns ``annotators``, ``sources``, ``generalisability``, ``dependability`` and
        ``error_of_difference`` (a standard error on the scale of the ratings).

    Raises
    ------
    NotGeneralisable
        Annotators are fixed, or their variance cannot be estimated.

    References
    ----------
    Brennan, R. L. (2001). Generalizability Theory. Springer.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> effect = {who: rng.normal() for who in "xyz"}
    >>> ratings = [
    ...     {"system": s, "text": t, "who": who, "fluency": rng.normal() + 2 * (s == "B") + effect[who]}
    ...     for s in "ABC" for t in range(8) for who in "xyz"
    ... ]
    >>> model = mixed_model(ratings, system="system", source="text", annotator="who",
    ...                     value="fluency", design=Design(annotators="random"))
    >>> [row["sources"] for row in d_study(model, annotators=[2], sources=[8, 80])]
    [8, 80]
    """
    rows = [
        {
            "annotators": study.annotators,
            "sources": study.sources,
            "generalisability": study.generalisability,
            "dependability": study.dependability,
            "error_of_difference": study.error_of_difference,
        }
        for study in systems_apart(model, annotators=annotators, sources=sources)
    ]
    return table_from_rows(rows, signature=f"d_study|version:{VERSION}")


def systems_in_table(comparisons: Iterable[dict[str, Any]]) -> list[Hashable]:
    """Return the systems of a table of comparisons."""
    return list(dict.fromkeys(row[name] for row in comparisons for name in ("first", "second")))


def ranks(comparisons: ResultTable, *, level: float = 0.05) -> ResultTable:
    """Return the interval of each system's rank.

    Parameters
    ----------
    comparisons : ResultTable
        From `compare_systems`.
    level : float
        Of the tests, after Holm's correction.

    Returns
    -------
    ResultTable
        Columns ``system``, ``best`` and ``worst``: 1 + the number of systems that are significantly
        better, and K less the number that are significantly worse.

    References
    ----------
    Mohamad, D., van Zwet, E., Solari, A. and Goeman, J. (2022). Simultaneous confidence intervals
    for ranks. Biometrical Journal 64, 339-360.

    Examples
    --------
    >>> ratings = [
    ...     {"system": s, "text": t, "who": who, "fluency": 2 + (s == "B") - (t % 4 == 0)}
    ...     for s in "AB" for t in range(8) for who in "xy"
    ... ]
    >>> table = compare_systems(
    ...     ratings, system="system", source="text", annotator="who", value="fluency")
    >>> [(row["system"], row["best"], row["worst"]) for row in ranks(table)]
    [('B', 1, 1), ('A', 2, 2)]
    """
    require_share("level", level)
    systems = systems_in_table(comparisons)
    better, worse = dict.fromkeys(systems, 0), dict.fromkeys(systems, 0)
    for row in comparisons:
        if row["p_holm"] < level:
            names = row["first"], row["second"]
            leader, follower = names if row["difference"] > 0 else names[::-1]
            better[follower] += 1
            worse[leader] += 1
    rows = [
        {"system": system, "best": 1 + better[system], "worst": len(systems) - worse[system]}
        for system in systems
    ]
    return table_from_rows(sorted(rows, key=lambda row: (row["best"], row["worst"])))


def _rated_outputs(
    ratings: Table,
    value: str,
    system: str,
    source: str,
    annotator: str,
    output: str | None,
    design: Design,
) -> RatedOutputs:
    """Return the columns of a table of ratings, without the rows that have no rating."""
    numbers = numeric_column(ratings, value)
    rows = np.flatnonzero(~np.isnan(numbers))

    def column(name: str) -> list[Hashable]:
        names = labels(ratings, name)
        return [names[row] for row in rows]

    systems, sources, annotators = column(system), column(source), column(annotator)
    outputs = column(output) if output else list(zip(systems, sources, strict=True))
    _require_one_rating(outputs, annotators, has_outputs=bool(output))
    unit, clusters = SOURCE, sources
    if design.cluster:
        clusters = column(design.cluster)
        unit = cluster_unit(len(set(sources)), len(set(clusters)), column=design.cluster)
    return RatedOutputs(
        ratings=numbers[rows],
        systems=systems,
        sources=sources,
        annotators=annotators,
        outputs=outputs,
        clusters=None if unit.is_source else clusters,
        unit=unit,
    )


def _require_one_rating(
    outputs: Sequence[Hashable], annotators: Sequence[Hashable], *, has_outputs: bool
) -> None:
    """Raise ValueError if an annotator has two ratings of an output."""
    times = Counter(zip(outputs, annotators, strict=True))
    (output, who), most = times.most_common(1)[0] if times else (("", ""), 1)
    if most == 1:
        return
    remedy = "" if has_outputs else "; if a system has several outputs on a source, name output"
    raise ValueError(f"annotator {who} has two ratings of {output}{remedy}")
