"""Sources that belong together are left out, drawn and swapped together, by loops over clusters."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from metric_studies import MetricStudy, metric_study
from scipy import special, stats

from quaestor_stats._alpha import krippendorff_alpha
from quaestor_stats._associations import against_people
from quaestor_stats._design import SOURCE, ClusterUnit, Design, Facets, cluster_unit, facets
from quaestor_stats._human_ceiling import ceiling_of_arrays
from quaestor_stats._metric_differences import metric_differences
from quaestor_stats._paired_tests import cliffs_delta, paired_permutation, wilcoxon
from quaestor_stats._resampling import Jackknife
from quaestor_stats._result import Result
from quaestor_stats._system_means import system_means
from quaestor_stats._variance_components import variance_components

PASSAGES = cluster_unit(36, 12)
FEW = cluster_unit(14, 8)
CLUSTER_OF_SOURCE = np.arange(36) % 12
REASON = "the 14 sources share 8 passages; an interval needs at least 10"


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def clustered(of: MetricStudy, *, systems: bool = False) -> Facets:
    return facets(
        of.sources,
        of.systems,
        design=Design(systems="random" if systems else "fixed"),
        clusters=CLUSTER_OF_SOURCE[of.sources],
        unit=PASSAGES,
    )


def left_out_interval(value: float, without: np.ndarray) -> tuple[float, float]:
    """Return Student's t interval of a jackknife with one degree of freedom less than clusters."""
    n = len(without)
    error = np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    reach = special.stdtrit(n - 1, 0.975) * error
    return value - reach, value + reach


def test_cluster_unit_names_what_is_shared_and_when_it_is_too_few() -> None:
    assert cluster_unit(5, 5) == SOURCE
    assert SOURCE.reason_against(2) == "fewer than three sources: no interval"
    assert FEW.reason_against(8) == REASON
    assert FEW.reason_against(6) == "these sources share 6 passages; an interval needs at least 10"
    assert PASSAGES.reason_against(10) == ""
    by_column = cluster_unit(14, 8, column="article")
    assert by_column == ClusterUnit("cluster (article)", "clusters (article)", 14, 8)


def test_facets_a_source_in_two_clusters_is_refused() -> None:
    with pytest.raises(ValueError, match="a source belongs to two of them"):
        facets(["a", "a", "b"], clusters=["x", "y", "y"])


def test_facets_with_clusters_name_and_select_them() -> None:
    of = facets([1, 2, 3, 4], clusters=list("xxyy"), unit=FEW)
    assert of.select(np.array([True, False, True, True])).n_clusters == 2
    assert of.random == "2 passages"


def test_permutation_with_clusters_swaps_each_as_a_whole() -> None:
    gaps = rng(1).normal(0.3, size=24).round(1)
    clusters = np.arange(24) // 2
    found = paired_permutation(gaps, gaps * 0, rng=rng(), clusters=clusters, unit=PASSAGES)
    sums = gaps.reshape(12, 2).sum(axis=1)
    swapped = np.array(list(product([-1, 1], repeat=12))) @ sums
    assert found.pvalue == pytest.approx((np.abs(swapped) >= abs(sums.sum()) - 1e-9).mean())
    without = np.array([np.delete(gaps, [2 * c, 2 * c + 1]).mean() for c in range(12)])
    low, high = left_out_interval(gaps.mean(), without)
    assert (found.value, found.clusters, found.n) == (pytest.approx(gaps.mean()), 12, 24)
    assert low - 0.1 < found.ci.low < low + 0.02 and high - 0.02 < found.ci.high < high + 0.1
    assert "passages" in found.method


def test_permutation_with_fewer_than_ten_clusters_has_a_p_and_no_interval() -> None:
    gaps = rng(2).normal(1, size=14)
    found = paired_permutation(gaps, gaps * 0, rng=rng(), clusters=np.arange(14) % 8, unit=FEW)
    assert np.isnan([found.ci.low, found.ci.high]).all()
    assert found.pvalue >= 2 / 2**8
    assert found.reason == REASON


def test_wilcoxon_with_clusters_ranks_their_mean_differences() -> None:
    gaps = rng(3).normal(0.4, size=24)
    found = wilcoxon(gaps, gaps * 0, clusters=np.arange(24) // 2)
    means = gaps.reshape(12, 2).mean(axis=1)
    assert found.pvalue == pytest.approx(stats.wilcoxon(means).pvalue)
    assert (found.n, found.clusters) == (24, 12)


def test_cliffs_delta_with_clusters_leaves_each_out_as_a_whole() -> None:
    draw, clusters = rng(4), np.arange(24) // 2
    first, second = draw.normal(0.5, size=24), draw.normal(size=24)

    def delta(kept: np.ndarray) -> float:
        return float(np.sign(first[kept][:, None] - second[kept]).mean())

    found = cliffs_delta(first, second, clusters=clusters, unit=PASSAGES)
    whole = delta(np.full(24, True))
    without = np.arctanh([delta(clusters != c) for c in range(12)])
    limits = left_out_interval(float(np.arctanh(whole)), without)
    assert (found.ci.low, found.ci.high) == pytest.approx(np.tanh(limits))
    few = cliffs_delta(first[:14], second[:14], clusters=np.arange(14) % 8, unit=FEW)
    assert few.reason == REASON


def test_pooled_correlation_with_clusters_is_that_of_clusters_as_sources() -> None:
    """Over all questions the source has no part in the value: leaving out its cluster is all."""
    of = metric_study(36, 4)
    as_sources = facets(CLUSTER_OF_SOURCE[of.sources], of.systems)
    for measure in ("pearson", "spearman", "kendall", "pairwise_accuracy"):
        both = [
            against_people(
                of.humans_by_name,
                of.metrics_by_name,
                facets=each,
                rng=rng(),
                levels=["pooled"],
                measures=[measure],
            )
            for each in (clustered(of), as_sources)
        ]
        for one, other in zip(*both, strict=True):
            assert one.found.ci.low == pytest.approx(other.found.ci.low)
            assert one.found.pvalue == pytest.approx(other.found.pvalue)
            assert (one.sources, one.found.clusters) == (36, 12)


def test_correlation_on_each_source_with_clusters_leaves_each_out_as_a_whole() -> None:
    of = metric_study(36, 4, humans=1, metrics=1)
    found = against_people(
        of.humans_by_name,
        of.metrics_by_name,
        facets=clustered(of),
        rng=rng(),
        levels=["within_source"],
        measures=["spearman"],
    )[0].found
    r = np.array(
        [
            stats.spearmanr(of.human[of.sources == s, 0], of.metrics[of.sources == s, 0]).statistic
            for s in range(36)
        ]
    )
    without = np.array([np.nanmean(r[c != CLUSTER_OF_SOURCE]) for c in range(12)])
    _, high = left_out_interval(np.nanmean(r), without)
    error = (high - np.nanmean(r)) / special.stdtrit(11, 0.975)
    assert found.pvalue == pytest.approx(2 * special.stdtr(11, -abs(np.nanmean(r)) / error))
    assert (found.n, found.clusters) == ((~np.isnan(r)).sum(), 12)
    assert found.reason.startswith("the correlation exists on 12 passages")


def test_random_systems_with_clusters_are_crossed_with_these() -> None:
    of = metric_study(36, 4)
    as_sources = facets(CLUSTER_OF_SOURCE[of.sources], of.systems, design=Design(systems="random"))
    both = [
        metric_differences(
            of.humans_by_name, of.metrics_by_name, facets=each, rng=rng(), levels=["pooled"]
        )
        for each in (clustered(of, systems=True), as_sources)
    ]
    for one, other in zip(*both, strict=True):
        assert (one.found.ci.low, one.found.pvalue) == pytest.approx(
            (other.found.ci.low, other.found.pvalue)
        )


def test_metrics_over_systems_with_clusters_change_places_cluster_by_cluster() -> None:
    of = metric_study(36, 4)
    as_sources = facets(CLUSTER_OF_SOURCE[of.sources], of.systems)
    both = [
        metric_differences(
            of.humans_by_name, of.metrics_by_name, facets=each, rng=rng(), levels=["systems"]
        )
        for each in (clustered(of), as_sources)
    ]
    for one, other in zip(*both, strict=True):
        assert one.found.pvalue == pytest.approx(other.found.pvalue)
        assert one.found.clusters == 12
        assert "by passage" in one.found.method


def test_correlation_with_fewer_than_ten_clusters_has_neither_interval_nor_p() -> None:
    of = metric_study(14, 4)
    few = facets(of.sources, of.systems, clusters=of.sources % 8, unit=FEW)
    for level in ("pooled", "within_source"):
        found = against_people(
            of.humans_by_name,
            of.metrics_by_name,
            facets=few,
            rng=rng(),
            levels=[level],
            measures=["spearman"],
        )[0].found
        assert np.isnan([found.ci.low, found.ci.high, found.pvalue]).all()
        assert found.reason == REASON


def test_system_mean_with_clusters_leaves_each_out_and_ends_at_the_scale() -> None:
    scores = np.append(np.full(14, 3.0), [2.0, 2.5, 2, 2, 3, 2.5, 3, 2.5, 3, 2])
    how = {"systems": ["a"] * 24, "sources": np.arange(24) // 2, "unit": PASSAGES}
    found = system_means(scores, scale=(1, 2.9), **how)["a"]
    wide = system_means(scores, **how)["a"]
    assert (found.clusters, found.ci.high) == (12, 2.9)
    assert wide.ci.high > 2.9 and wide.ci.low == found.ci.low
    few = system_means(scores[:14], systems=["a"] * 14, sources=np.arange(14) % 8, unit=FEW)["a"]
    assert few.reason == REASON


def test_agreement_with_fewer_than_ten_clusters_says_what_is_shared() -> None:
    table = rng(5).integers(1, 4, (56, 3)).astype(float)
    clusters, interval = np.repeat(np.arange(14), 4) % 8, Jackknife(unit=FEW)
    found = krippendorff_alpha(table, level="nominal", clusters=clusters, interval=interval)
    assert (found.reason, found.clusters) == (REASON, 8)


@pytest.mark.parametrize("level", ["pooled", "within_source"])
def test_ceiling_with_clusters_leaves_each_out_as_a_whole(level: str) -> None:
    draw, shape = rng(6), (36, 4, 3)
    worth = draw.normal(size=shape[:2])[..., None] + 0.7 * draw.normal(size=shape)
    source, system, annotator = (each.ravel() for each in np.indices(shape))
    clusters = CLUSTER_OF_SOURCE[source]

    def ceiling(kept: np.ndarray, **more: Any) -> Result:
        return ceiling_of_arrays(
            worth.ravel()[kept],
            systems=system[kept],
            sources=source[kept],
            annotators=annotator[kept],
            level=level,
            **more,
        )

    found = ceiling(clusters >= 0, clusters=clusters, unit=PASSAGES)
    without = np.array([ceiling(clusters != c).value for c in range(12)])
    assert (found.ci.low, found.ci.high) == pytest.approx(left_out_interval(found.value, without))
    assert (found.n, found.clusters) == (36, 12)


def test_model_with_clusters_has_a_variance_for_them_and_tests_by_them() -> None:
    """60 clusters of three sources, two systems, two annotators; the difference of the systems
    varies from cluster to cluster."""
    draw = rng(7)
    cluster, source, system, annotator = (each.ravel() for each in np.indices((60, 3, 2, 2)))
    source = 3 * cluster + source
    own = draw.normal(size=60)[cluster] + 0.5 * draw.normal(size=180)[source]
    own += 0.8 * draw.normal(size=(60, 2))[cluster, system]
    y = own + 0.4 * draw.normal(size=(180, 2))[source, system] + 0.5 * draw.normal(size=len(source))
    how = {"systems": system, "sources": source, "annotators": annotator}
    fixed = {"annotators_random": False}
    found = variance_components(y, **how, **fixed, clusters=cluster, unit=cluster_unit(180, 60))
    alone = variance_components(y, **how, **fixed)
    assert found.variance("cluster") == pytest.approx(1, abs=0.5)
    assert "cluster" not in alone.variances
    by_cluster = (y * np.where(system == 0, 1, -1)).reshape(60, -1).mean(axis=1) * 2
    contrast = found.difference(0, 1)
    assert contrast.value == pytest.approx(by_cluster.mean())
    assert contrast.pvalue == pytest.approx(stats.ttest_1samp(by_cluster, 0).pvalue, rel=0.02)
    assert contrast.error > 1.3 * alone.difference(0, 1).error


def test_model_with_fewer_than_ten_clusters_tests_no_difference() -> None:
    source, system, annotator = (each.ravel() for each in np.indices((14, 2, 2)))
    found = variance_components(
        rng(8).normal(size=56),
        systems=system,
        sources=source,
        annotators=annotator,
        clusters=source % 8,
        unit=FEW,
        annotators_random=False,
    )
    assert found.difference(0, 1).reason == REASON
