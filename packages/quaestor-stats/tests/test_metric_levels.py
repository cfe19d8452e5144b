"""Metrics against people at three levels: numbers by other programs, designs, which questions
count."""

import numpy as np
import pytest
from metric_studies import MetricStudy, metric_study
from scipy import stats

from quaestor_stats._association_measures import MEASURES
from quaestor_stats._associations import LEVELS, Association, against_people
from quaestor_stats._correlation import correlate_columns, fisher_interval
from quaestor_stats._design import Design, Facets, facets
from quaestor_stats._jackknife import infer_coefficients
from quaestor_stats._metric_differences import metric_differences
from quaestor_stats._pooled import pooled_correlations
from quaestor_stats._tie_calibration import pairwise_accuracy

NAN = np.nan


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def of_study(of: MetricStudy, **more) -> dict[tuple[str, str, str, str], Association]:
    design = more.pop("design", Design())
    here = more.pop("here", None) or facets(of.sources, of.systems, design=design)
    found = against_people(of.humans_by_name, of.metrics_by_name, facets=here, rng=rng(), **more)
    return {(row.human, row.metric, row.level, row.measure): row for row in found}


HAS_NONE = {
    ("pooled", "pairwise_accuracy"),
    ("pooled", "soft_pairwise_accuracy"),
    ("within_source", "soft_pairwise_accuracy"),
    ("systems", "kendall_c"),
}


def test_every_pair_of_columns_has_every_measure_at_every_level_that_has_it() -> None:
    found = of_study(metric_study())
    assert len(found) == 2 * 3 * (4 + 5 + 5)
    assert [key[2:] for key in found][:14] == [
        (level, measure)
        for level in LEVELS
        for measure in MEASURES
        if (level, measure) not in HAS_NONE
    ]


def test_pooled_values_with_p_as_published_and_p_over_sources() -> None:
    of = metric_study()
    found = of_study(of)
    for measure in ("pearson", "spearman", "kendall"):
        row, alone = (
            found["h1", "m2", "pooled", measure],
            correlate_columns(of.human[:, 1], of.metrics[:, 2], method=measure),
        )
        assert row.found.value == pytest.approx(alone.value)
        assert row.p_as_published == pytest.approx(alone.pvalue)
        left = pooled_correlations(
            of.human[:, 1:], of.metrics[:, 2:], facets(of.sources), coefficients=[measure]
        )[measure]
        limits = infer_coefficients(left, scale="fisher")
        assert (row.found.ci.low, row.found.ci.high, row.found.pvalue) == pytest.approx(
            (limits.low[0, 0], limits.high[0, 0], limits.p[0, 0])
        )
        assert (row.found.n, row.questions, row.sources, row.systems) == (48, 48, 12, 4)


def test_system_values_are_of_the_means_with_p_over_all_orders() -> None:
    of = metric_study(30, 5)
    found = of_study(of)
    people, own = (
        of.human[:, 0].reshape(30, 5).mean(axis=0),
        of.metrics[:, 1].reshape(30, 5).mean(axis=0),
    )
    for measure in ("pearson", "spearman", "kendall"):
        row, alone = (
            found["h0", "m1", "systems", measure],
            correlate_columns(people, own, method=measure),
        )
        assert row.found.value == pytest.approx(alone.value)
        assert row.found.pvalue == pytest.approx(alone.pvalue)  # which counts all orders of so few
        assert row.p_as_published == pytest.approx(alone.pvalue)
        assert (row.found.n, row.questions) == (5, 150)
    assert found["h0", "m1", "systems", "pearson"].smallest_p == pytest.approx(1 / 120)
    assert found["h0", "m1", "systems", "spearman"].smallest_p == pytest.approx(2 / 120)
    accuracy = found["h0", "m1", "systems", "pairwise_accuracy"]
    assert accuracy.found.value == pytest.approx(
        pairwise_accuracy(people, own, epsilon=0.0).accuracy.value
    )
    assert (accuracy.epsilon, accuracy.baseline) == (0, 0)


def test_over_fixed_systems_no_measure_has_an_interval_and_each_says_so() -> None:
    """Drawing sources held a true Pearson's r in a third of studies: noise of the means draws it
    towards 0."""
    found = of_study(metric_study(40, 5))
    over = [row.found for key, row in found.items() if key[2] == "systems"]
    assert len(over) == 2 * 3 * 5
    assert all(np.isnan([row.ci.low, row.ci.high, row.df]).all() for row in over)
    assert {row.reason for row in over} == {"no interval over systems is known to hold its level"}


def test_equal_means_of_systems_tie_exactly() -> None:
    """The scores 1, 1, 5/3 of A and 1, 4/3, 4/3 of B have equal means, added as floats they have
    not.

    C is lower and D higher, and a metric has A, B, C, D at 2, 3, 1, 4. Ranks 2.5, 2.5, 1, 4 against 2, 3, 1, 4 give
    4.5 / sqrt(4.5 x 5) = .9487; of six pairs five are in order and people tie one: 5 / sqrt(5 x 6).
    """
    people = np.array([1, 1, 5 / 3, 1, 4 / 3, 4 / 3, 1, 1, 1, 3, 3, 3])
    assert people[:3].sum() != people[3:6].sum()
    metric = np.repeat([2.0, 3, 1, 4], 3)
    here = facets(np.tile([1, 2, 3], 4), np.repeat(list("ABCD"), 3))
    found = against_people({"h": people}, {"m": metric}, facets=here, rng=rng(), levels=["systems"])
    by_measure = {row.measure: row for row in found}
    assert by_measure["spearman"].found.value == pytest.approx(4.5 / np.sqrt(22.5))
    assert by_measure["kendall"].found.value == pytest.approx(5 / np.sqrt(30))
    assert by_measure["pairwise_accuracy"].baseline == pytest.approx(1 / 6)
    turned = against_people(
        {"h": metric}, {"m": people}, facets=here, rng=rng(), levels=["systems"]
    )
    for row in turned:
        if row.measure in ("spearman", "kendall"):
            alone = correlate_columns([2, 3, 1, 4], [2.5, 2.5, 1, 4], method=row.measure)
            assert (row.found.value, row.p_as_published) == pytest.approx(
                (alone.value, alone.pvalue)
            )


def test_orders_of_nine_systems_are_drawn() -> None:
    here = facets(np.tile([1, 2, 3], 9), np.repeat(np.arange(9), 3))
    worth = np.repeat(np.arange(9.0), 3)
    found = against_people({"h": worth}, {"m": worth}, facets=here, rng=rng(), levels=["systems"])
    assert [row.measure for row in found] == [each for each in MEASURES if each != "kendall_c"]
    for row in found:
        assert row.found.method.endswith("9,999 orders drawn")
        assert (row.found.value, row.found.pvalue) == pytest.approx((1, 1e-4))


def test_calibrated_accuracy_carries_its_epsilon_and_what_tying_everything_gets() -> None:
    of = metric_study(30, 5)
    row = of_study(of)["h0", "m0", "within_source", "pairwise_accuracy"]
    theirs = pairwise_accuracy(of.human[:, 0], of.metrics[:, 0], groups=of.sources)
    assert (row.in_sample, row.epsilon, row.baseline) == pytest.approx(
        (theirs.accuracy.value, theirs.epsilon, theirs.baseline)
    )
    held_out = theirs.held_out
    assert (
        row.found.value,
        row.found.ci.low,
        row.found.ci.high,
        row.found.pvalue,
    ) == pytest.approx((held_out.value, held_out.ci.low, held_out.ci.high, held_out.pvalue))


def test_a_metric_of_a_part_of_the_questions_shrinks_only_its_own_rows() -> None:
    of = metric_study(30, 5)
    of.metrics[40:, 1] = NAN
    found = of_study(of)
    assert [found["h0", f"m{m}", "pooled", "spearman"].found.n for m in range(3)] == [150, 40, 150]
    assert found["h0", "m1", "pooled", "spearman"].found.dropped == 110
    accuracy = found["h0", "m1", "within_source", "pairwise_accuracy"].found
    assert (accuracy.n, accuracy.dropped) == (8, 110), "forty questions are eight sources"
    common = of_study(of, items="common")
    assert [common["h0", f"m{m}", "pooled", "spearman"].found.n for m in range(3)] == [40, 40, 40]
    own = of_study(MetricStudy(of.human, of.metrics[:, [0, 2]], of.sources, of.systems))
    assert (
        own["h0", "m1", "pooled", "spearman"].found == found["h0", "m2", "pooled", "spearman"].found
    )


def test_human_columns_with_gaps_of_their_own_keep_their_own_questions() -> None:
    of = metric_study(30, 5)
    of.human[:10, 0] = NAN
    found = of_study(of)
    assert [found[f"h{k}", "m0", "pooled", "spearman"].questions for k in range(2)] == [140, 150]


def test_systems_that_are_random_widen_what_rests_on_few_of_them() -> None:
    of = metric_study(40, 6, seed=3)
    of.metrics[:, 0] += 2 * rng(9).normal(size=6)[of.systems]
    fixed, random = of_study(of), of_study(of, design=Design(systems="random"))
    for level in ("pooled", "within_source"):
        key = ("h0", "m0", level, "pearson")
        assert random[key].found.value == fixed[key].found.value
        assert random[key].found.pvalue > fixed[key].found.pvalue
        assert "40 sources and 6 systems" in random[key].found.method
    row = random["h0", "m0", "systems", "pearson"].found
    assert (row.ci.low, row.ci.high) == pytest.approx(
        fisher_interval(row.value, 6, method="pearson")
    )
    soft = random["h0", "m0", "systems", "soft_pairwise_accuracy"].found
    assert np.isnan(soft.ci.low)
    assert soft.reason


def test_annotators_that_are_random_add_to_the_standard_error() -> None:
    draw = rng(2)
    worth = draw.normal(size=200)
    severity = np.array([0.0, 0.0, 0.0])
    ratings = worth[:, None] + severity + np.array([0.2, 0.5, 3.0]) * draw.normal(size=(200, 3))
    metric = worth + draw.normal(size=200)
    here = facets(np.arange(200) // 4, np.arange(200) % 4, design=Design(annotators="random"))
    columns = {"h": ratings.mean(axis=1)}, {"m": metric}
    found = against_people(*columns, facets=here, rng=rng(), ratings={"h": ratings})
    fixed = against_people(*columns, facets=facets(here.source, here.system), rng=rng())
    wide, narrow = (
        {(row.level, row.measure): row.found for row in rows} for rows in (found, fixed)
    )
    key = ("pooled", "pearson")
    assert wide[key].ci.high - wide[key].ci.low > 1.5 * (narrow[key].ci.high - narrow[key].ci.low)
    assert "50 sources and annotators" in wide[key].method
    without = [
        stats.pearsonr(np.delete(ratings, r, axis=1).mean(axis=1), metric).statistic
        for r in range(3)
    ]
    added = 2 / 3 * ((np.arctanh(without) - np.arctanh(without).mean()) ** 2).sum()
    reach = np.arctanh(narrow[key].ci.high) - np.arctanh(narrow[key].value)
    error = np.sqrt((reach / stats.t.ppf(0.975, 49)) ** 2 + added)
    assert wide[key].ci.high == pytest.approx(
        np.tanh(np.arctanh(wide[key].value) + stats.t.ppf(0.975, 2) * error)
    )
    assert np.isnan(wide["systems", "spearman"].ci.low)
    both = {"m": metric, "l": metric[::-1]}
    of_both = against_people(columns[0], both, facets=here, rng=rng(), ratings={"h": ratings})
    again = {(row.level, row.measure): row.found for row in of_both if row.metric == "m"}
    for level in ("pooled", "within_source"):
        one, alone = again[level, "spearman"], wide[level, "spearman"]
        assert (one.ci.low, one.ci.high) == pytest.approx((alone.ci.low, alone.ci.high))
    strangers = np.column_stack([ratings, np.full((200, 7), np.nan)])  # they judged other questions
    same = against_people(*columns, facets=here, rng=rng(), ratings={"h": strangers})
    assert [repr(row.found) for row in same] == [repr(row.found) for row in found]
    with pytest.raises(ValueError, match="annotators are random, but there are none of"):
        against_people(*columns, facets=here, rng=rng())


@pytest.mark.parametrize("alone", [1, 197])
def test_annotators_without_whom_nothing_is_left_give_no_interval_where_they_are_random(
    alone,
) -> None:
    """One annotator judged all; or all but three questions, which another judged alone."""
    draw = rng(3)
    worth, metric = draw.normal(size=(2, 200))
    ratings = worth[:, None] if alone == 1 else np.column_stack([worth, worth])
    if alone > 1:
        ratings[:alone, 1] = ratings[alone:, 0] = np.nan
        # Without the first people and metric are the same throughout
        worth[alone:] = metric[alone:] = 1.0
        ratings[alone:, 1] = 1.0
    here = facets(np.arange(200) // 4, np.arange(200) % 4, design=Design(annotators="random"))
    columns = {"h": np.nanmean(ratings, axis=1)}, {"m": metric, "l": metric[::-1]}
    rows = against_people(*columns, facets=here, rng=rng(), ratings={"h": ratings})
    kept = [row for row in rows if row.level != "systems" and row.measure == "spearman"]
    pairs = metric_differences(
        *columns, facets=here, rng=rng(), ratings={"h": ratings}, levels=("pooled", "within_source")
    )
    for row in (*kept, *pairs):
        assert row.found.value == row.found.value
        assert np.isnan([row.found.ci.low, row.found.pvalue]).all()
        assert row.found.reason == "without one of the units it is undefined: no interval"


@pytest.mark.parametrize("level", LEVELS)
def test_neither_the_order_of_questions_nor_the_scale_of_scores_changes_anything(
    level: str,
) -> None:
    of = metric_study(15, 5)
    order = rng(1).permutation(75)
    other = MetricStudy(
        2 * of.human[order], 8 * of.metrics[order], of.sources[order], of.systems[order]
    )
    one, again = (
        of_study(of, levels=[level]),
        of_study(other, levels=[level]),
    )
    for key, row in one.items():
        same = again[key].found
        assert (
            row.found.value,
            row.found.ci.low,
            row.found.ci.high,
            row.found.pvalue,
        ) == pytest.approx(
            (same.value, same.ci.low, same.ci.high, same.pvalue), nan_ok=True, abs=1e-9
        )


def test_accuracy_names_what_is_random_where_it_has_no_interval() -> None:
    of = metric_study(10, 4, humans=1)
    ratings = {"h0": np.column_stack([of.human[:, 0], of.human[:, 0], of.human[:, 0]])}
    reasons = {}
    for design in (
        Design(systems="random"),
        Design(annotators="random"),
        Design(systems="random", annotators="random"),
    ):
        found = of_study(of, design=design, ratings=ratings)
        row = found["h0", "m0", "within_source", "pairwise_accuracy"].found
        reasons[design.key] = row.reason
        assert np.isnan(row.ci.low) == (row.reason != "")
    no_interval = "annotators are random: no interval"
    assert reasons == {
        Design(systems="random").key: "",
        Design(annotators="random").key: no_interval,
        Design(systems="random", annotators="random").key: no_interval,
    }


def test_what_cannot_be_known_says_why() -> None:
    of = metric_study(10, 4)
    of.metrics[:, 1] = 7
    of.metrics[2:, 2] = NAN
    found = of_study(of)
    assert (
        found["h0", "m1", "pooled", "kendall"].found.reason
        == "the metric score is the same for every question"
    )
    assert (
        found["h0", "m1", "systems", "pearson"].found.reason
        == "the metric score is the same for every question"
    )
    assert (
        found["h0", "m2", "pooled", "pearson"].found.reason
        == "2 questions have both scores: too few"
    )
    assert (
        found["h0", "m2", "systems", "pearson"].found.reason
        == "2 systems and 1 sources: three of each are needed"
    )
    alone = of_study(of, here=facets(of.sources))
    assert (
        alone["h0", "m0", "within_source", "spearman"].found.reason
        == "fewer than two systems are named"
    )
    assert (
        alone["h0", "m0", "systems", "soft_pairwise_accuracy"].found.reason
        == "fewer than two systems are named"
    )
    assert alone["h0", "m0", "pooled", "spearman"].found.pvalue < 1
    few = facets(of.sources % 2, of.systems)
    assert (
        of_study(of, here=few)["h0", "m0", "pooled", "spearman"].found.reason
        == "fewer than three sources: no interval"
    )


def test_a_metric_that_does_not_vary_takes_no_interval_from_the_others() -> None:
    of = metric_study(10, 6)
    of.metrics[:, 1] = 7
    found = of_study(of, design=Design(systems="random"))
    for measure in ("pearson", "spearman", "kendall"):
        row = found["h0", "m0", "systems", measure].found
        limits = fisher_interval(row.value, 6, method=measure)
        assert (row.ci.low, row.ci.high) == pytest.approx(limits)
        assert np.isnan(found["h0", "m1", "systems", measure].found.ci.low)


def test_where_systems_are_alike_it_says_at_which_level_there_is_nothing() -> None:
    draw = rng(3)
    here = facets(np.repeat(np.arange(6), 3), np.tile(np.arange(3), 6))
    flat_on_each = np.repeat(draw.normal(size=6), 3)
    rotated = np.concatenate([np.roll([1.0, 2, 3], shift) for shift in range(3)] * 2)
    found = against_people(
        {"h": draw.normal(size=18)}, {"flat": flat_on_each, "even": rotated}, facets=here, rng=rng()
    )
    reasons = {
        (row.metric, row.level): row.found.reason for row in found if row.measure == "spearman"
    }
    assert reasons["flat", "within_source"] == "on no source does it exist"
    assert reasons["even", "systems"] == "the systems' means do not vary"
    assert reasons["flat", "pooled"] == ""


def test_methods_say_what_was_counted_and_left_out() -> None:
    of = metric_study(12, 4)
    fixed = of_study(of)
    left = "delete-one jackknife-t over 12 sources"
    words = "pairwise accuracy, pairs on a source, mean over sources, epsilon of the other sources"
    accuracy = fixed["h0", "m0", "within_source", "pairwise_accuracy"].found
    assert accuracy.method == f"{words}; {left}, 95%"
    methods = {key[2:]: row.found.method for key, row in fixed.items() if key[:2] == ("h0", "m0")}
    assert methods["pooled", "kendall_c"] == f"Stuart's tau-c; {left}, 95%"
    assert methods["within_source", "kendall"] == f"Kendall's tau-b, mean over sources; {left}, 95%"
    assert methods["systems", "pearson"] == (
        "Pearson's r, over systems; all 24 orders of 4 systems"
    )
    assert methods["systems", "soft_pairwise_accuracy"] == (
        "soft pairwise accuracy, over systems; all 24 orders of 4 systems"
    )


def test_outcomes_carry_the_sources_and_degrees_of_freedom_they_rest_on() -> None:
    of = metric_study(12, 4)
    fixed, random = of_study(of), of_study(of, design=Design(systems="random"))
    row = fixed["h0", "m2", "within_source", "spearman"].found
    assert (row.clusters, row.df) == (row.n, row.n - 1)
    row = fixed["h0", "m2", "pooled", "spearman"].found
    assert (row.n, row.clusters, row.df) == (48, 12, 11)
    assert {random["h0", f"m{m}", "pooled", "spearman"].found.df for m in range(3)} <= {3, 11}
    assert fixed["h0", "m2", "systems", "kendall"].found.clusters == 12
    assert random["h0", "m2", "systems", "kendall"].found.clusters == 0


def test_a_mean_over_few_sources_has_no_interval_but_p_and_names_where_the_metric_varies() -> None:
    """m0 is the same for every system on 30 of 40 sources, m1 on none."""
    of = metric_study(40, 6, humans=1, decimals=3)
    of.metrics[of.sources >= 10, 0] = 1
    found = of_study(of)
    told = [found["h0", f"m{m}", "within_source", "spearman"].found for m in range(2)]
    varies = np.ptp(of.human[:, 0].reshape(40, 6), axis=1) > 0
    assert [each.n for each in told] == [varies[:10].sum(), varies.sum()]
    assert varies.sum() >= 15 > told[0].n
    assert [each.reason for each in told] == [
        f"the correlation exists on {told[0].n} sources: with fewer than 15 no interval of their "
        "mean is known to hold its level",
        "",
    ]
    assert np.isnan([told[0].ci.low, told[0].ci.high]).all() and told[0].pvalue < 1
    rhos = [
        stats.spearmanr(of.human[of.sources == source, 0], of.metrics[of.sources == source, 1])[0]
        for source in np.flatnonzero(varies)
    ]
    limits = stats.t.interval(0.95, told[1].df, loc=np.mean(rhos), scale=stats.sem(rhos))
    assert (told[1].ci.low, told[1].ci.high) == pytest.approx(limits, abs=1e-9)


def test_columns_are_checked() -> None:
    of: Facets = facets([1, 2], [1, 2])
    with pytest.raises(ValueError, match="m: expected numbers"):
        against_people({"h": [1, 2]}, {"m": ["a", "b"]}, facets=of, rng=rng())
    with pytest.raises(ValueError, match="no column is given"):
        against_people({"h": [1, 2]}, {}, facets=of, rng=rng())
    with pytest.raises(ValueError, match="items: 'all' is neither own nor common"):
        against_people({"h": [1, 2]}, {"m": [1, 2]}, facets=of, rng=rng(), items="all")
