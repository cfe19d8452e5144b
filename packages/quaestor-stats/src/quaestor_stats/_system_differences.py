"""Differences between systems: contrasts within sources, adjusted for annotators.

For two systems, on the sources that both have::

    rating = source + system + annotator + error

Sources are fixed effects, so that a system gains nothing by having no output on hard sources.
Annotators are fixed effects too, so that severity does not count as a difference if annotators
rated the two systems unequally often. Each system weighs the same on every source, each of its
outputs on a source the same, and each rating of an output the same. The standard error leaves out
one source, or cluster of sources, at a time; if annotators are declared random, also one annotator
at a time (`_jackknife.standard_error`). Its degrees of freedom are few if few sources carry the
contrast.

If annotators are fixed and the same annotators rated all outputs of both systems on each source,
their severity cancels: the contrast is the mean over sources of the systems' differences, and
swapping the systems source by source gives its exact p.
"""

from collections.abc import Hashable
from dataclasses import dataclass, fields, replace
from itertools import combinations
from math import nan

import numpy as np

from quaestor_stats._design import SOURCE, ClusterUnit, Design
from quaestor_stats._inputs import BoolArray, FloatArray, IntArray, Labels, judged_rows
from quaestor_stats._jackknife import (
    Inferred,
    WithoutUnits,
    deal_groups,
    infer_coefficients,
    jackknife,
)
from quaestor_stats._paired_tests import paired_permutation
from quaestor_stats._result import ConfidenceInterval, Result

PERMUTATION, CONTRAST = "permutation", "contrast"
METHOD = "contrast within sources, adjusted for annotators"
CONFOUNDED = "annotators and systems cannot be separated: no annotator connects the two systems"
ONE_ANNOTATOR = "one annotator cannot show how annotators differ"


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemDifference(Result):
    """A difference of two systems' means; ``is_exact`` if its p comes from swapping the systems."""

    is_exact: bool = False

    @property
    def test(self) -> str:
        """The test that p comes from."""
        return PERMUTATION if self.is_exact else CONTRAST


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedOutputs:
    """Ratings of one criterion with the labels of each; rows without a rating are skipped.

    Parameters
    ----------
    ratings : (n,) nan where there is none
    systems, sources, annotators : (n,) labels
    outputs : (n,) labels of what was rated; by default a system has one output on each source
    clusters : (n,) labels of what the sources belong to; by default the sources
    unit : name of the clusters, and how many an interval needs
    """

    ratings: FloatArray
    systems: Labels
    sources: Labels
    annotators: Labels
    outputs: Labels | None = None
    clusters: Labels | None = None
    unit: ClusterUnit = SOURCE


@dataclass(frozen=True, slots=True)
class _Rows:
    """Ratings with the number of each label."""

    value: FloatArray
    system: IntArray
    source: IntArray
    annotator: IntArray
    output: IntArray
    cluster: IntArray

    def select(self, rows: BoolArray) -> "_Rows":
        return _Rows(*(getattr(self, field.name)[rows] for field in fields(self)))


def system_differences(
    rated: RatedOutputs,
    *,
    design: Design,
    rng: np.random.Generator,
    resamples: int = 10_000,
) -> dict[tuple[Hashable, Hashable], SystemDifference]:
    """Test every pair of systems.

    Parameters
    ----------
    rated : the ratings
    design : whether annotators are random
    rng, resamples : for the swaps of more than 16 sources

    Returns
    -------
    dict
        By pair, the first system minus the second. ``n`` counts the sources that both have.

    References
    ----------
    Bell, R. M. and McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression
    with multi-stage samples. Survey Methodology 28, 169-181.

    Cameron, A. C., Gelbach, J. B. and Miller, D. L. (2011). Robust inference with multiway
    clustering. Journal of Business and Economic Statistics 29, 238-249.

    MacKinnon, J. G., Nielsen, M. O. and Webb, M. D. (2023). Fast and reliable jackknife and
    bootstrap methods for cluster-robust inference. Journal of Applied Econometrics 38, 671-694.
    """
    systems, rows = _numbered(rated)
    differences = {}
    for first, second in combinations(range(len(systems)), 2):
        pair = _of_both(rows, first, second)
        if (n := np.unique(pair.source).size) < 2:
            reason = f"{n} sources have both scores: too few"
            difference = SystemDifference(value=nan, n=n, method=METHOD, reason=reason)
        elif design.random_annotators or not _have_same_annotators(pair):
            difference = _adjusted(pair, rated.unit, design)
        else:
            difference = _exact(pair, rated.unit, rng, resamples)
        differences[systems[first], systems[second]] = difference
    return differences


def means_over_annotators(
    rated: RatedOutputs, *, scale: tuple[float, float]
) -> dict[Hashable, Result]:
    """Return the mean of each system's outputs, with an interval for other annotators, too.

    Parameters
    ----------
    rated : the ratings
    scale : the lowest and the highest possible rating; an interval ends there

    Returns
    -------
    dict
        By system, the mean of its outputs' mean ratings. The interval leaves out one source, or
        cluster, and one annotator at a time; ``n`` counts outputs.
    """
    systems, rows = _numbered(rated)
    return {
        name: _mean_over_annotators(rows.select(rows.system == place), rated.unit, scale)
        for place, name in enumerate(systems)
    }


def _mean_over_annotators(rows: _Rows, unit: ClusterUnit, scale: tuple[float, float]) -> Result:
    clusters, cluster = np.unique(rows.cluster, return_inverse=True)
    _, annotator = np.unique(rows.annotator, return_inverse=True)
    columns = rows.value, rows.output
    value, without_cluster = jackknife(_mean_of_outputs, deal_groups(cluster), *columns)
    _, without_annotator = jackknife(_mean_of_outputs, deal_groups(annotator), *columns)
    left_out = WithoutUnits(value=value, sources=without_cluster, unit=unit)
    limits, reason = _limits(left_out, clusters.size, without_annotator)
    low, high = max(float(limits.low), scale[0]), min(float(limits.high), scale[1])
    return Result(
        value=float(value),
        ci=ConfidenceInterval() if reason else ConfidenceInterval(low, high),
        df=nan if reason else float(limits.df),
        n=np.unique(rows.output).size,
        clusters=clusters.size,
        method=f"mean of outputs; jackknife over {unit.plural} and annotators",
        reason=reason,
    )


def _limits(
    left_out: WithoutUnits, clusters: int, without_annotator: FloatArray | None
) -> tuple[Inferred, str]:
    """Return the limits of a number and why there are none, from what it is without each cluster
    and, where annotators are random, without each of these."""
    reason = left_out.unit.reason_against(clusters)
    if without_annotator is not None and len(without_annotator) < 2:
        reason = ONE_ANNOTATOR
    elif without_annotator is not None:
        fragile = np.asarray(np.isnan(without_annotator).any())
        left_out = left_out.with_annotators(without_annotator, fragile)
    limits = infer_coefficients(left_out, scale="plain")
    return limits, reason or str(limits.reason)


def _mean_of_outputs(value: FloatArray, output: IntArray) -> float:
    if not value.size:
        return nan
    _, codes = np.unique(output, return_inverse=True)
    return float((np.bincount(codes, value) / np.bincount(codes)).mean())


def _numbered(rated: RatedOutputs) -> tuple[list[Hashable], _Rows]:
    labels = {"systems": rated.systems, "sources": rated.sources, "annotators": rated.annotators}
    if rated.outputs is not None:
        labels["outputs"] = rated.outputs
    labels["clusters"] = rated.sources if rated.clusters is None else rated.clusters
    values, names, codes = judged_rows(rated.ratings, **labels)
    system, source = codes["systems"], codes["sources"]
    output = codes.get("outputs", source * len(names["systems"]) + system)
    rows = _Rows(values, system, source, codes["annotators"], output, codes["clusters"])
    return names["systems"], rows


def _of_both(rows: _Rows, first: int, second: int) -> _Rows:
    """Return the ratings of two systems on the sources that both have; the first system is 0."""
    pair = rows.select((rows.system == first) | (rows.system == second))
    pair = replace(pair, system=np.asarray(pair.system == second, dtype=np.intp))
    return pair.select(_is_on_common_source(pair))


def _is_on_common_source(pair: _Rows) -> BoolArray:
    has = np.zeros((2, pair.source.max(initial=0) + 1), dtype=bool)
    has[pair.system, pair.source] = True
    in_both = has[0] & has[1]
    return np.asarray(in_both[pair.source])


def have_same_annotators(rated: RatedOutputs) -> bool:
    """Return whether, on each source, the same annotators rated all outputs of all systems."""
    return _have_same_annotators(_numbered(rated)[1])


def _have_same_annotators(pair: _Rows) -> bool:
    outputs, source_of_output = np.unique(np.column_stack([pair.output, pair.source]), axis=0).T
    by_output = np.unique(np.column_stack([pair.output, pair.annotator]), axis=0)
    by_source = np.unique(np.column_stack([pair.source, pair.annotator]), axis=0)
    annotators_of_output = np.bincount(by_output[:, 0])
    annotators_of_source = np.bincount(by_source[:, 0])
    return bool((annotators_of_output[outputs] == annotators_of_source[source_of_output]).all())


def _exact(
    pair: _Rows, unit: ClusterUnit, rng: np.random.Generator, resamples: int
) -> SystemDifference:
    sources, source = np.unique(pair.source, return_inverse=True)
    means = np.zeros((2, sources.size))
    np.add.at(means, (pair.system, source), _weights(pair) * pair.value)
    clusters = np.zeros(sources.size, dtype=np.intp)
    clusters[source] = pair.cluster
    tested = paired_permutation(
        means[0],
        means[1],
        rng=rng,
        clusters=None if unit.is_source else clusters,
        unit=unit,
        resamples=resamples,
    )
    parts = {field.name: getattr(tested, field.name) for field in fields(tested)}
    return SystemDifference(**parts, is_exact=True)


def _adjusted(pair: _Rows, unit: ClusterUnit, design: Design) -> SystemDifference:
    clusters, cluster = np.unique(pair.cluster, return_inverse=True)
    method = f"{METHOD}; jackknife over {unit.plural}"
    method += " and annotators" if design.random_annotators else ""
    n = np.unique(pair.source).size
    weights = _contrast_weights(pair)
    value = float(weights @ pair.value)
    if np.isnan(value):
        return SystemDifference(value=nan, n=n, method=method, reason=CONFOUNDED)
    without_cluster = _weights_without(pair, deal_groups(cluster))
    left_out = WithoutUnits(
        value=np.asarray(value),
        sources=without_cluster @ pair.value,
        fragile=np.asarray(np.isnan(without_cluster).any()),
        df=np.asarray(_degrees_of_freedom(without_cluster)),
        unit=unit,
    )
    without_annotator = None
    if design.random_annotators:
        _, annotator = np.unique(pair.annotator, return_inverse=True)
        without_annotator = _weights_without(pair, annotator) @ pair.value
    limits, reason = _limits(left_out, clusters.size, without_annotator)
    interval = ConfidenceInterval(float(limits.low), float(limits.high))
    return SystemDifference(
        value=value,
        ci=ConfidenceInterval() if reason else interval,
        pvalue=nan if reason else float(limits.p),
        df=float(limits.df),
        n=n,
        clusters=clusters.size,
        method=method,
        reason=reason,
    )


def _weights_without(pair: _Rows, groups: IntArray) -> FloatArray:
    """Return the contrast's weights without each group of ratings, (n_groups, n_ratings)."""
    without = np.zeros((groups.max() + 1, groups.size))
    for group, weights in enumerate(without):
        rest = groups != group
        weights[rest] = _contrast_weights(pair.select(rest))
    return without


def _degrees_of_freedom(without: FloatArray) -> float:
    """Return Satterthwaite's degrees of freedom of the jackknife's variance, under errors that are
    independent and equally large: few if few sources carry the contrast (Bell and McCaffrey 2002).
    """
    changes = without - without.mean(axis=0)
    products = changes @ changes.T
    return float(np.trace(products) ** 2 / (products**2).sum())


def _weights(pair: _Rows) -> FloatArray:
    """Return the weight of each rating; those of a system on a source add up to 1."""
    outputs, output = np.unique(pair.output, return_inverse=True)
    ratings_of_output = np.bincount(output)
    cell = pair.source * 2 + pair.system
    cell_of_output = np.zeros(outputs.size, dtype=np.intp)
    cell_of_output[output] = cell
    outputs_of_cell = np.bincount(cell_of_output, minlength=cell.max() + 1)
    return np.asarray(1 / (ratings_of_output[output] * outputs_of_cell[cell]))


def _contrast_weights(pair: _Rows) -> FloatArray:
    """Return the weight of each rating in the estimate of the first system minus the second, by
    weighted least squares; nan where annotators and systems cannot be separated."""
    weights = np.zeros(pair.value.size)
    is_common = _is_on_common_source(pair)
    common = pair.select(is_common)
    if not common.value.size:
        return np.full_like(weights, nan)
    weight = _weights(common)
    sources, source = np.unique(common.source, return_inverse=True)
    _, annotator = np.unique(common.annotator, return_inverse=True)
    by_source = np.zeros((sources.size, annotator.max() + 1))
    np.add.at(by_source, (source, annotator), weight)  # weights of annotators; 2 on each source

    treatment = np.where(common.system == 0, 0.5, -0.5)  # its weighted mean on each source is 0
    # normal equations of the annotators' effects, once the sources' are taken out
    equations = np.diag(by_source.sum(axis=0)) - by_source.T @ by_source / 2
    effects = np.linalg.lstsq(equations, np.bincount(annotator, weight * treatment), rcond=1e-10)[0]
    residual = treatment - effects[annotator] + (by_source @ effects / 2)[source]
    squares = weight @ (treatment * residual)
    weights[is_common] = weight * residual / squares if squares > 1e-9 * sources.size else nan
    return weights
