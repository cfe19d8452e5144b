"""Metrics against people on a report: each number against another program, and what the sentences
claim."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from metric_studies import metric_study
from scipy import stats

from analysis import frames
from analysis.reports.layout import Cell, Line, PageTable
from analysis.sections.metrics.ceiling import Ceiling
from analysis.sections.metrics.correlations import Correlations, transpose_table
from analysis.sections.metrics.metric_comparisons import Leaders, MetricComparisons
from analysis.sections.section import Found
from judging.datasets.models.score import Metric
from judging.jobs.actions import jobs
from quaestor_stats._associations import against_people
from quaestor_stats._design import Design, facets
from quaestor_stats._multiplicity import holm
from quaestor_stats._williams import williams
from tests.analysis import studies
from tests.analysis.sections import stored
from tests.analysis.sections.computing import chance, inputs_of, picked, records
from tests.analysis.sections.stored import estimate


@pytest.fixture(scope="module")
def campaign(lasting):
    return studies.imported(sources=12)


@pytest.fixture(scope="module")
def columns(campaign):
    """Return people's mean correctness and the metric, (n_sources, n_systems)."""
    read = frames.read_campaign(campaign)
    rows = read.questions.assign(
        human=frames.align_values(read.questions["unit"], read.human("correctness")),
        metric=frames.align_values(read.questions["unit"], read.score(read.metrics[0])),
    )
    tables = (
        rows.pivot(index="source", columns="system", values=name) for name in ("human", "metric")
    )
    return tuple(table.to_numpy() for table in tables)


@pytest.fixture(scope="module")
def levels(campaign):
    return picked(records(Correlations, campaign), criterion="correctness", metric="meteor")


def value(rows, level, coefficient):
    [row] = picked(rows, level=level, coefficient=coefficient)
    return row["value"]


@pytest.mark.django_db
def test_correlations_over_all_questions_are_scipys(levels, columns):
    human, metric = (column.ravel() for column in columns)
    assert value(levels, "pooled", "pearson") == pytest.approx(
        stats.pearsonr(human, metric)[0], abs=1e-10
    )
    assert value(levels, "pooled", "spearman") == pytest.approx(
        stats.spearmanr(human, metric)[0], abs=1e-10
    )
    assert value(levels, "pooled", "kendall") == pytest.approx(
        stats.kendalltau(human, metric)[0], abs=1e-10
    )
    [row] = picked(levels, level="pooled", coefficient="pearson")
    assert (row["questions"], row["sources"], row["systems"]) == (36, 12, 3)
    assert row["low"] < row["value"] < row["high"]


@pytest.mark.django_db
def test_correlations_on_each_source_are_the_mean_of_scipys(levels, columns):
    pairs = list(zip(*columns, strict=True))
    taus = [stats.kendalltau(h, m)[0] for h, m in pairs]
    rhos = [stats.spearmanr(h, m)[0] for h, m in pairs]
    assert value(levels, "within_source", "kendall") == pytest.approx(np.nanmean(taus), abs=1e-10)
    assert value(levels, "within_source", "spearman") == pytest.approx(np.nanmean(rhos), abs=1e-10)
    [row] = picked(levels, level="within_source", coefficient="spearman")
    defined = int((~np.isnan(rhos)).sum())
    assert (row["n"], row["clusters"], row["sources"]) == (defined, defined, 12)
    assert (row["low"], row["high"]) == (None, None)
    assert row["reason"]
    asked = [stored.about(metric_level="within_source")]
    shown = Correlations().tables(stored.found(about=asked, correlations=[row]))[0]
    assert shown.reasons == [row["reason"]]
    assert value(levels, "pooled", "spearman") and not picked(levels, level="pooled")[0]["caution"]


@pytest.mark.django_db
def test_correlations_over_systems_are_those_of_their_means(levels, columns):
    human, metric = (column.mean(axis=0) for column in columns)
    assert value(levels, "systems", "pearson") == pytest.approx(
        stats.pearsonr(human, metric)[0], abs=1e-10
    )
    assert value(levels, "systems", "spearman") == 1
    [row] = picked(levels, level="systems", coefficient="spearman")
    assert row["n"] == 3
    assert row["smallest_p"] >= 1 / 6


@pytest.mark.django_db
def test_pairwise_accuracy_carries_its_epsilon_and_the_baseline_of_tying_all(levels, columns):
    [row] = picked(levels, level="within_source", coefficient="pairwise_accuracy")
    ties = [h[i] == h[j] for h in columns[0] for i in range(3) for j in range(i)]
    assert row["baseline"] == pytest.approx(np.mean(ties))
    assert row["epsilon"] >= 0
    assert row["value"] <= row["in_sample"] + 1e-12


@pytest.mark.django_db
def test_the_ceiling_is_one_annotator_against_the_mean_of_the_others(campaign):
    table = frames.read_campaign(campaign).ratings("correctness").to_numpy()
    [row] = picked(
        records(Ceiling, campaign), criterion="correctness", level="pooled", coefficient="spearman"
    )
    assert row["value"] == pytest.approx(stats.spearmanr(*table.T)[0], abs=1e-10)
    assert row["n"] == 12


@pytest.mark.django_db
def test_on_common_questions_tests_as_published_rest_on_them_too(campaign):
    """A metric that has the first half of the questions leaves the other two these alone."""
    read = frames.read_campaign(campaign)
    half = read.questions["unit"].iloc[:18]
    draw = np.random.default_rng(1)
    more = [
        Metric(pk=10**6 + i, name=f"m{i}", fingerprint=f"m{i}", direction="higher") for i in (0, 1)
    ]
    scored = {more[0].pk: half, more[1].pk: read.questions["unit"]}
    extra = [
        pd.DataFrame({"unit": of, "metric": pk, "value": draw.normal(size=len(of))})
        for pk, of in scored.items()
    ]
    read = replace(
        read,
        metrics=(*read.metrics, *more),
        scores=pd.concat([read.scores, *extra], ignore_index=True),
    )
    rows = picked(
        records(MetricComparisons, read, items="common"), criterion="correctness", level="pooled"
    )
    [row] = [row for row in rows if {row["better"], row["other"]} == {"meteor", "m1"}]
    frame = pd.DataFrame(
        {
            "people": frames.align_values(half, read.human("correctness")),
            row["better"]: frames.align_values(half, read.score(_named(read, row["better"]))),
            row["other"]: frames.align_values(half, read.score(_named(read, row["other"]))),
        }
    )
    r = stats.spearmanr(frame.to_numpy()).statistic
    assert row["questions"] == 18
    assert row["williams_t"] == pytest.approx(williams(r[0, 1], r[0, 2], r[1, 2], 18).statistic)


@pytest.mark.django_db
def test_a_comparison_of_metrics_asks_in_the_same_words_whether_to_go_on(campaign):
    read = frames.read_campaign(campaign)
    other = Metric(pk=10**6, name="other", fingerprint="other", direction="higher")
    noise = np.random.default_rng(1).normal(size=len(read.questions))
    scores = pd.DataFrame({"unit": read.questions["unit"], "metric": other.pk, "value": noise})
    read = replace(
        read,
        metrics=(*read.metrics, other),
        scores=pd.concat([read.scores, scores], ignore_index=True),
    )
    told = []

    def step(words):
        told.append(words)
        if len(told) == 4:
            raise jobs.JobCancelled

    with pytest.raises(jobs.JobCancelled):
        MetricComparisons().compute(inputs_of(read), Found({}), replace(chance(), step=step))
    assert len(set(told)) == 1


def _named(read, name):
    return next(each for each in read.metrics if each.name == name)


@pytest.mark.django_db
def test_one_annotator_who_is_declared_random_leaves_values_without_intervals(campaign):
    read = frames.read_campaign(campaign)
    alone = frames.exclude_parts(read, annotators=["A2"])
    inputs = replace(inputs_of(alone), design=Design(annotators="random"))
    rows = picked(Correlations().records(inputs, stored.found(), chance()), coefficient="spearman")
    of_questions = [row for row in rows if row["level"] != "systems" and row["value"] is not None]
    assert of_questions
    for row in of_questions:
        assert (row["low"], row["p"]) == (None, None)
        assert row["reason"] == "without one of the units it is undefined: no interval"


@pytest.mark.django_db
def test_low_values_that_are_best_are_turned(campaign):
    where = {"level": "pooled", "coefficient": "spearman", "criterion": "correctness"}
    metrics = campaign.dataset.metrics.filter(name="meteor")
    before = picked(records(Correlations, campaign), **where)
    metrics.update(direction="lower")
    after = picked(records(Correlations, campaign), **where)
    metrics.update(direction="higher")
    assert [row["value"] for row in after] == [-row["value"] for row in before]


def rho(metric, value, low=None, high=None, level="pooled", p_holm=0.001):
    return estimate(
        value,
        low,
        high,
        p_holm=p_holm,
        metric=metric,
        criterion="clarity",
        coefficient="spearman",
        level=level,
        questions=12,
        sources=6,
    )


def pair(better, other, difference, p, level="pooled"):
    return {
        "criterion": "clarity",
        "level": level,
        "better": better,
        "other": other,
        "coefficient": "spearman",
        "value": difference,
        "p": p,
        "p_holm": p,
        "questions": 12,
    }


def leader(highest, members, behind=(), level="pooled"):
    return {
        "criterion": "clarity",
        "level": level,
        "coefficient": "spearman",
        "highest": highest,
        "members": [highest, *members],
        "behind": list(behind),
        "unknown": [],
    }


def said(**documents) -> str:
    return " ".join(stored.in_words(Leaders(), stored.found(**documents)))


def test_the_highest_metric_is_told_with_those_not_told_apart_from_it():
    rows = [rho("bleu", 0.4, 0.3, 0.5), rho("meteor", 0.38, 0.2, 0.5), rho("chrf", 0.1, 0.0, 0.2)]
    assert said(correlations=rows, leaders=[leader("bleu", ["meteor"], ["chrf"])]).startswith(
        "On clarity, bleu has the highest correlation with human ratings: ρ = .40, 95% CI [.30, .50], p = .001 "
        "(Spearman's ρ, pooled; 6 sources, n = 12; Holm); not significantly different from it: meteor."
    )


def test_equal_metrics_share_the_highest_place():
    rows = [rho("bleu", 0.4, 0.3, 0.5), rho("copy", 0.4, 0.3, 0.5), rho("chrf", 0.1, 0.0, 0.2)]
    text = said(correlations=rows, leaders=[leader("bleu", ["copy", "chrf"])])
    assert text.startswith(
        "On clarity, bleu and copy share the highest correlation with human ratings"
    )
    assert "not significantly different from them: chrf." in text


def test_on_each_source_a_claim_names_the_sources_on_which_the_correlation_exists():
    rows = [rho("bleu", 0.4, 0.3, 0.5, "within_source") | {"n": 4}]
    asked = [stored.about(metric_level="within_source")]
    assert "(Spearman's ρ, per source; 4 of 6 sources, n = 12)" in said(
        about=asked, correlations=rows
    )
    more = [*rows, rho("chrf", 0.1, 0.0, 0.2, "within_source") | {"n": 6}]
    captions = [
        Correlations().tables(stored.found(about=asked, correlations=each))[0].caption
        for each in (rows, more)
    ]
    assert "per source (4 of 6 sources, n = 12" in captions[0]
    assert "per source (4 to 6 of 6 sources, n = 12" in captions[1]


def test_over_systems_no_epsilon_is_spoken_of():
    row = rho("bleu", 0.8, level="systems") | {"coefficient": "pairwise_accuracy", "epsilon": 0.0}
    (table,) = Correlations().tables(stored.found(correlations=[row]))
    assert "ε" not in table.caption


def test_a_lead_over_all_others_is_told():
    rows = [rho("bleu", 0.4, 0.3, 0.5), rho("chrf", 0.1, 0.0, 0.2)]
    assert "it differs significantly from all others." in said(
        correlations=rows, leaders=[leader("bleu", [], ["chrf"])]
    )


def test_metrics_that_no_test_compares_with_the_highest_are_told():
    rows = [rho("bleu", 0.4, 0.3, 0.5), rho("meteor", 0.38, 0.2, 0.5), rho("chrf", 0.1, 0.0, 0.2)]
    alone, some, near = (
        leader("bleu", *sets) for sets in (([], []), ([], ["chrf"]), (["chrf"], []))
    )
    assert "; no test compares it with meteor and chrf." in said(
        correlations=rows, leaders=[alone | {"unknown": ["meteor", "chrf"]}]
    )
    assert "; it differs significantly from chrf; no test compares it with meteor." in said(
        correlations=rows, leaders=[some | {"unknown": ["meteor"]}]
    )
    assert "; not significantly different from it: chrf; no test compares it with meteor." in said(
        correlations=rows, leaders=[near | {"unknown": ["meteor"]}]
    )
    (table,) = Leaders().tables(stored.found(leaders=[near | {"unknown": ["meteor"]}]))
    assert [(cell.text, cell.under) for cell in table.lines[0].cells] == [
        ("bleu and chrf", "not compared: meteor")
    ]


def test_without_interval_and_test_nothing_is_said_of_following():
    row = rho("bleu", 0.95, p_holm=None) | {"reason": "fewer than 3 sources: no interval"}
    assert said(correlations=[row]).startswith(
        "On clarity, no correlation of a metric with human ratings was tested "
        "(Spearman's ρ, pooled; 6 sources, n = 12): fewer than 3 sources: no interval (ρ = .95)."
    )


def test_levels_that_disagree_are_told():
    rows = [rho("bleu", 0.4, 0.3, 0.5), rho("chrf", 0.1, 0.0, 0.2)]
    other = [
        rho("bleu", 0.1, 0.0, 0.2, level="systems"),
        rho("chrf", 0.8, 0.7, 0.9, level="systems"),
    ]
    sets = [leader("bleu", [], ["chrf"]), leader("chrf", [], ["bleu"], level="systems")]
    assert said(correlations=rows + other, leaders=sets).endswith(
        "The levels disagree on clarity: chrf is significantly better than bleu (system level)."
    )


def test_leaders_other_levels_are_checked_for_every_named_metric():
    """BLEU has the highest estimate but is not significant: chrf and meteor are named. On each source
    bleu is ahead of meteor, which the leaders of the levels do not show."""
    rows = [
        rho("bleu", 0.5, 0.0, 0.8, p_holm=0.2),
        rho("chrf", 0.4, 0.3, 0.5),
        rho("meteor", 0.3, 0.2, 0.4),
    ]
    leaders = [
        leader("bleu", ["chrf", "meteor"]),
        leader("bleu", ["chrf"], ["meteor"], level="within_source"),
    ]
    pairs = [
        pair("bleu", "chrf", 0.1, 0.4, level="within_source"),
        pair("chrf", "meteor", 0.1, 0.4, level="within_source"),
    ]
    ahead = [*pairs, pair("bleu", "meteor", 0.3, 0.01, level="within_source")]
    equal = [*pairs, pair("bleu", "meteor", 0.1, 0.4, level="within_source")]
    sentence = "No other level puts a metric significantly ahead of these."
    assert sentence not in said(correlations=rows, leaders=leaders, metric_comparisons=ahead)
    assert sentence in said(correlations=rows, leaders=leaders, metric_comparisons=equal)
    assert sentence not in said(correlations=rows, leaders=leaders, metric_comparisons=pairs[:1])


def test_leaders_no_rho_significantly_above_zero_names_no_leader():
    rows = [rho("bleu", 0.0, -0.1, 0.1, p_holm=1.0), rho("meteor", -0.05, -0.2, 0.1, p_holm=1.0)]
    assert said(correlations=rows).startswith(
        "On clarity, no metric correlates significantly with human ratings: ρ = −.05 to .00 "
        "(Spearman's ρ, pooled; 6 sources, n = 12; Holm, 2 metrics, p ≥ .05)."
    )
    sets = [leader("bleu", ["meteor"]), leader("bleu", ["meteor"], level="systems")]
    assert "ahead of these" not in said(correlations=rows, leaders=sets)


def test_leaders_raw_p_below_and_corrected_p_above_the_level_names_no_leader():
    rows = [
        rho("bleu", 0.3, 0.02, 0.54, p_holm=0.08) | {"p": 0.04},
        rho("chrf", 0.1, -0.2, 0.38, p_holm=0.5) | {"p": 0.5},
    ]
    assert said(correlations=rows).startswith(
        "On clarity, no metric correlates significantly with human ratings: ρ = .10 to .30 "
        "(Spearman's ρ, pooled; 6 sources, n = 12; Holm, 2 metrics, p ≥ .05)."
    )


def test_leaders_rho_significantly_below_zero_names_no_leader():
    rows = [rho("bleu", 0.1, -0.1, 0.3, p_holm=0.4), rho("chrf", -0.6, -0.8, -0.3)]
    assert said(correlations=rows).startswith(
        "On clarity, no metric correlates significantly with human ratings"
    )


def test_leaders_highest_rho_not_significant_names_those_that_are():
    """The highest estimate may rest on few questions."""
    rows = [
        rho("few", 0.67, p_holm=None) | {"questions": 5, "sources": 2},
        rho("bleu", 0.5, 0.2, 0.7, p_holm=0.02),
        rho("chrf", 0.4, 0.1, 0.6, p_holm=0.04),
    ]
    assert said(correlations=rows) == (
        "On clarity, bleu and chrf correlate significantly with human ratings: ρ = .40 to .50 "
        "(Spearman's ρ, pooled; 6 sources, n = 12; Holm, p < .05); few has the "
        "highest estimate, .67, which is not tested."
    )
    rows[0] |= {"p_holm": 0.2}
    assert said(correlations=rows[:2]) == (
        "On clarity, bleu correlates significantly with human ratings: ρ = .50 "
        "(Spearman's ρ, pooled; 6 sources, n = 12; Holm, p < .05); few has the "
        "highest estimate, .67, which is not significantly above 0."
    )


@pytest.mark.long
def test_leaders_metrics_unrelated_to_the_ratings_are_seldom_named():
    """Twenty metrics that know nothing, over 100 studies of 30 sources by 4 systems. With
    uncorrected p-values a leader was named in 44 of them."""
    named = 0
    for seed in range(100):
        rng = np.random.default_rng([36, seed])
        one = metric_study(30, 4, humans=1, metrics=1, seed=seed)
        metrics = {f"m{k}": rng.normal(size=len(one.human)) for k in range(20)}
        found = against_people(
            {"clarity": one.human[:, 0]},
            metrics,
            facets=facets(one.sources, one.systems, design=Design()),
            rng=rng,
            measures=("spearman",),
            levels=("pooled",),
        )
        corrected = holm([row.found.pvalue for row in found])
        rows = [
            rho(row.metric, row.found.value, row.found.ci.low, row.found.ci.high, p_holm=p)
            for row, p in zip(found, corrected, strict=True)
        ]
        named += "the highest correlation" in said(correlations=rows)
    assert named <= 7


def test_over_systems_without_intervals_the_tests_say_whether_a_metric_follows():
    """Over fixed systems there is a corrected p but no interval."""
    none = [
        rho("bleu", 0.9, level="systems", p_holm=0.06),
        rho("chrf", -1.0, level="systems", p_holm=0.01),
    ]
    some = [rho("bleu", 1.0, level="systems", p_holm=0.04), none[1]]
    asked = [stored.about(metric_level="systems")]
    assert said(about=asked, correlations=[row | {"systems": 5} for row in none]).startswith(
        "On clarity, no metric correlates significantly with human ratings: ρ = −1.00 to .90 "
        "(Spearman's ρ, system level; 5 systems, 6 sources, n = 12; Holm, 2 metrics, p ≥ .05)."
    )
    assert said(about=asked, correlations=[row | {"systems": 5} for row in some]).startswith(
        "On clarity, bleu has the highest correlation with human ratings: ρ = 1.00"
    )


def test_undefined_correlations_come_with_their_reason():
    rows = [rho("bleu", None) | {"reason": "all ratings are equal"}]
    assert said(correlations=rows).startswith(
        "On clarity, no correlation of a metric with human ratings is defined: all ratings are equal."
    )


def test_the_ceiling_stands_beside_the_highest_metric():
    ceiling = {"criterion": "clarity", "level": "pooled", "coefficient": "spearman", "value": 0.55}
    text = said(correlations=[rho("bleu", 0.4, 0.3, 0.5)], ceiling=[ceiling])
    assert "Human ceiling (one annotator against the mean of the others): ρ = .55." in text


def test_the_set_in_front_holds_those_whose_p_is_not_below_five_percent():
    rows = [rho("bleu", 0.4), rho("meteor", 0.38), rho("chrf", 0.1), rho("gone", None)]
    pairs = [
        pair("bleu", "meteor", 0.02, 0.6),
        pair("bleu", "chrf", 0.3, 0.01),
        pair("meteor", "chrf", 0.28, 0.02),
    ]
    found = stored.found(correlations=rows, metric_comparisons=pairs)
    [row] = Leaders().compute(None, found, None)  # type: ignore[arg-type]
    assert (row.highest, row.members, row.behind, row.unknown) == (
        "bleu",
        ["bleu", "meteor"],
        ["chrf"],
        ["gone"],
    )


def test_a_metric_ahead_on_shared_questions_but_untested_is_not_called_indistinct():
    rows = [rho("bleu", 0.4), rho("chrf", 0.3)]
    found = stored.found(correlations=rows, metric_comparisons=[pair("chrf", "bleu", 0.1, None)])
    [row] = Leaders().compute(None, found, None)  # type: ignore[arg-type]
    assert (row.highest, row.members, row.unknown) == ("bleu", ["bleu"], ["chrf"])


def test_a_pair_with_the_highest_second_is_turned_round():
    """On the questions of a pair the other may lead: bleu is highest, and lower than chrf by .10
    ([.02, .18]) there."""
    rows = [rho("bleu", 0.4), rho("chrf", 0.3)]
    there = pair("chrf", "bleu", 0.1, 0.03) | {"low": 0.02, "high": 0.18}
    there |= {"p_williams_one_sided": 0.02}
    (table,) = MetricComparisons().tables(
        stored.found(correlations=rows, metric_comparisons=[there])
    )
    assert [
        (line.name, [(cell.text, cell.under) for cell in line.cells[:2]]) for line in table.lines
    ] == [
        ("chrf", [("−.10", "[−.18, −.02], n = 12"), (".030", "")]),
    ]
    assert table.lines[0].cells[3].text == ".980"  # that bleu is the higher one


def test_tables_show_each_pair_with_the_highest_in_its_own_columns():
    rows = [rho("bleu", 0.4), rho("meteor", 0.38), rho("chrf", 0.1)]
    pairs = [
        pair("bleu", "meteor", 0.02, 0.6)
        | {"p_williams": 0.04, "p_williams_one_sided": 0.02, "p_williams_holm": 0.04},
        pair("bleu", "chrf", 0.3, 0.01)
        | {"p_williams": 0.001, "p_williams_one_sided": 0.0005, "p_williams_holm": 0.002},
        pair("meteor", "chrf", 0.28, 0.02),
    ]
    (table,) = MetricComparisons().tables(stored.found(correlations=rows, metric_comparisons=pairs))
    assert (table.title, table.columns) == (
        "Clarity, pooled: bleu",
        ["Δρ", "p", "p Williams, two-sided", "p Williams, one-sided"],
    )
    assert table.notes == ["", "", "as published, Holm", "as published"]
    assert [
        (line.name, [(cell.text, cell.best) for cell in line.cells]) for line in table.lines
    ] == [
        ("meteor", [(".02", False), (".600", False), (".040", False), (".020", False)]),
        ("chrf", [(".30", False), (".010", True), (".002", False), ("< .001", False)]),
    ]


def test_heat_map_shades_by_size_and_shows_the_interval_and_n_where_it_differs():
    each = [rho("bleu", 0.41, 0.3, 0.5), rho("chrf", -0.3), rho("x", None)]
    (table,) = Correlations().tables(stored.found(correlations=each))
    assert [cell.under for cell in table.lines[0].cells] == ["[.30, .50]", "", ""]
    assert "n = 12" in table.caption
    other = rho("fewer", 0.2) | {"n": 9, "questions": 9}
    (table,) = Correlations().tables(stored.found(correlations=[*each, other]))
    assert "n = 12" not in table.caption
    assert [(cell.text, cell.under, cell.shade, cell.minus) for cell in table.lines[0].cells] == [
        (".41", "[.30, .50], n = 12", 8, False),
        ("−.30", "n = 12", 6, True),
        ("–", "", None, False),
        (".20", "n = 9", 4, False),
    ]
    assert (table.columns, table.heat, table.folded) == (
        ["bleu", "chrf", "x", "fewer"],
        True,
        False,
    )


def test_each_measure_has_a_table_of_its_own_name_the_chosen_level_first():
    rows = [
        rho("bleu", value, level=level) | {"coefficient": measure}
        for level in ("systems", "pooled")
        for measure, value in (
            ("pairwise_accuracy", 0.6),
            ("kendall_c", 0.2),
            ("spearman", 0.4),
            ("kendall", 0.3),
        )
    ]
    tables = Correlations().tables(stored.found(correlations=rows))
    assert [
        (table.title, table.lines[0].cells[0].text)
        for table in tables
        if "system level" not in table.title
    ] == [
        ("Spearman's ρ, pooled", ".40"),
        ("Kendall's τ-b, pooled", ".30"),
        ("pairwise accuracy, pooled", ".60"),
    ]
    assert tables[1].title == "Spearman's ρ, system level"


def test_what_one_annotator_reaches_stands_at_the_end_of_a_criterion_s_line():
    rows = [rho("bleu", 0.4), rho("bleu", 0.5) | {"criterion": "depth"}]
    ceiling = [
        {"criterion": "clarity", "level": "pooled", "coefficient": "spearman", "value": 0.55}
    ]
    (table,) = Correlations().tables(stored.found(correlations=rows, ceiling=ceiling))
    assert (table.last, [line.last for line in table.lines]) == ("human ceiling", [".55", "–"])
    (table,) = Correlations().tables(stored.found(correlations=rows))
    assert (table.last, [line.last for line in table.lines]) == ("", ["", ""])


def test_pairwise_accuracy_stands_with_its_epsilon_and_the_accuracy_of_tying_all():
    row = rho("bleu", 0.6, 0.5, 0.7) | {
        "coefficient": "pairwise_accuracy",
        "epsilon": 0.0421,
        "baseline": 0.41,
    }
    (table,) = Correlations().tables(stored.found(correlations=[row]))
    assert table.lines[0].cells[0].under == "[.50, .70], ε = 0.0421"
    assert table.lines[0].under == "all ties: 0.41"
    over = row | {"level": "systems", "epsilon": 0.0}
    (table,) = Correlations().tables(stored.found(correlations=[over]))
    assert table.lines[0].cells[0].under == "[.50, .70]"


def test_a_table_without_intervals_says_why_and_does_not_promise_them():
    without = [rho("bleu", 0.4, level="systems") | {"reason": "no interval is known"}]
    (table,) = Correlations().tables(stored.found(correlations=without))
    assert table.caption == (
        "Spearman's ρ between metric and mean human rating, system level (6 sources, n = 12)."
    )
    assert table.reasons == ["no interval is known"]
    (table,) = Correlations().tables(stored.found(correlations=[rho("bleu", 0.4, 0.3, 0.5)]))
    assert table.caption.endswith("n = 12; 95% CI, cluster jackknife).")
    assert table.reasons == []


def test_a_turned_table_has_its_lines_as_columns_and_their_last_words_as_its_last_line():
    lines = [
        Line("clarity", [Cell("1"), Cell("2"), Cell("3")], "c", under="all ties: .10"),
        Line("fluency", [Cell("4"), Cell("5"), Cell("6")], "f", under="all ties: .20"),
    ]
    table = PageTable("t", ["m1", "m2", "m3"], lines, first="Criterion", last="one annotator")
    found = transpose_table(table, first="Metric")
    assert (found.title, found.first, found.last) == ("t", "Metric", "")
    assert (found.columns, found.notes) == (
        ["clarity", "fluency"],
        ["all ties: .10", "all ties: .20"],
    )
    assert [(line.name, [cell.text for cell in line.cells]) for line in found.lines] == [
        ("m1", ["1", "4"]),
        ("m2", ["2", "5"]),
        ("m3", ["3", "6"]),
        ("one annotator", ["c", "f"]),
    ]
