"""Simulated values: where they lie, how they are averaged, and how often what was planted is
found."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.proportion import proportion_confint

from analysis.planning import simulated
from analysis.planning.pair_tests import SimulatedRatings
from analysis.planning.simulated import Assumed, Newcomer, Seen, SimulatedAnnotator
from judging.protocols import documents
from judging.protocols.rules import Force
from quaestor_stats._design import SOURCE, Design, cluster_unit
from quaestor_stats._multiplicity import holm
from quaestor_stats._paired_tests import paired_permutation, permuted_p_of_many
from quaestor_stats._system_differences import RatedOutputs, system_differences
from tests import factories

CRITERIA = documents.parse(factories.SMALL, "small.yaml").criteria
NAMES = ("Alba", "Brisa", "Corvo", "Dorso")
EVEN = Assumed(gap=0.2, question=0.1, severity=0.1, noise=0.15, seed=2)


def layout(sources: int, annotators: int, systems: tuple[str, ...] = NAMES) -> pd.DataFrame:
    """Return who judges what where everybody judges everything."""
    cells = product(
        range(sources),
        systems,
        [f"S{n}" for n in range(annotators)],
        [each.key for each in CRITERIA],
    )
    rows = [
        (f"{source} {system}", key, who, system, f"s{source}") for source, system, who, key in cells
    ]
    found = pd.DataFrame(rows, columns=["unit", "criterion", "annotator", "system", "source"])
    return found.assign(set=found["unit"], cluster=found["source"])


def power(
    assumed: Assumed,
    sources: int,
    *,
    annotators: int = 2,
    design: str = "sources",
    **changes: object,
) -> list[dict]:
    order = simulated.planted_order(NAMES, assumed)
    people = simulated.people({f"S{n}": Newcomer() for n in range(annotators)}, assumed)
    asked = {
        "judgments": layout(sources, annotators),
        "design": Design.from_key(design),
        "criteria": CRITERIA,
        "forces": [],
        "order": order,
        "annotators": people,
        "assumed": assumed,
    } | changes
    return simulated.power_of(**asked, resamples=500)


@pytest.mark.parametrize("sources", [5, 20])
def test_many_studies_are_tested_as_each_alone(sources):
    rng = np.random.default_rng(1)
    gaps = np.round(rng.normal(0.3, 1, size=(40, sources)), 1)
    found = permuted_p_of_many(gaps, rng=np.random.default_rng(2), resamples=4_000)
    alone = [
        paired_permutation(
            row, np.zeros(sources), rng=np.random.default_rng(3), resamples=4_000
        ).pvalue
        for row in gaps
    ]
    assert found == pytest.approx(alone, abs=0 if sources == 5 else 0.03)
    assert np.isnan(permuted_p_of_many(gaps[:, :1], rng=rng)).all()


def test_lowest_is_best_turns_the_points_round_and_no_end_gives_a_system_no_quality():
    low = replace(CRITERIA[0], best="lowest")
    assert simulated.points_of(low) == [3, 2, 1]
    assert simulated.qualities([replace(low, best="none"), low], 0.9) == {"grammaticality": 0.9}
    nominal = replace(CRITERIA[1], best="none", level="nominal")
    assert simulated.qualities([low, nominal], 0.9) == {"grammaticality": 0.9, "correctness": 0.5}


def test_answers_depend_on_who_and_what_alone_and_severe_annotators_rate_lower():
    severe, mild = SimulatedAnnotator("S1", 0.3, False), SimulatedAnnotator("S2", -0.3, False)
    seen = [Seen(number, simulated.qualities(CRITERIA, 0.5)) for number in range(60)]

    def said(who: SimulatedAnnotator, **changes: object) -> list[int]:
        asked = {"again": False, "criteria": CRITERIA, "assumed": EVEN} | changes
        return [simulated.simulate_answers(each, who, 0, **asked)["correctness"] for each in seen]

    assert said(severe) == said(severe)
    assert np.mean(said(severe)) < 1.6 < 2.4 < np.mean(said(mild))
    assert said(mild, again=True) != said(mild)
    clear = replace(seen[0], clear=True, quality=simulated.qualities(CRITERIA, 1.0))
    assert {
        simulated.simulate_answers(clear, severe, at, again=False, criteria=CRITERIA, assumed=EVEN)[
            "correctness"
        ]
        for at in range(40)
    } == {3}
    careless = replace(severe, careless=True)
    assert set(said(careless)) == {1, 2, 3}


@pytest.mark.parametrize("found", [0, 3, 20])
def test_share_has_the_limits_of_another_program(found: int) -> None:
    expected = proportion_confint(found, 20, method="wilson")
    row = simulated.share_with_interval(np.arange(20) < found)
    assert (row["value"], row["low"], row["high"]) == pytest.approx((found / 20, *expected))


def test_steps_between_many_systems_shrink_to_fit_the_scale():
    assert simulated.planted_step(4, EVEN) == 0.2
    assert simulated.planted_step(11, EVEN) == pytest.approx(0.08)
    assert list(simulated.planted_quality(["b", "a"], EVEN).values()) == pytest.approx([0.6, 0.4])


def test_means_of_a_drawn_study_are_those_of_pandas_by_unit_then_source():
    rows = layout(3, 2)
    # annotators and a cell that are not there
    rows = rows.drop(rows.index[[0, 5, 9, 21]]).reset_index(drop=True)
    rows.loc[rows["source"] == "s2", "source"] = "s1"  # two questions of a system on one source
    people = [SimulatedAnnotator("S0", 0.0, False), SimulatedAnnotator("S1", 0.0, True)]
    drawn = simulated._Drawn(
        rows, CRITERIA, [], list(NAMES), people, EVEN, Design.from_key("sources")
    )
    values = drawn.values(np.random.default_rng(4))
    pairs = drawn.pairs.assign(**values).melt(
        ["unit", "annotator", "system", "source"], [each.key for each in CRITERIA], "criterion"
    )
    said = rows.merge(pairs, on=["unit", "annotator", "system", "source", "criterion"])
    for key, means in drawn.means.items():
        own = said[said["criterion"] == key].groupby(["system", "source", "unit"])["value"].mean()
        expected = own.groupby(["system", "source"]).mean().unstack().reindex(list(NAMES))
        table = means.table(values[key])
        assert table == pytest.approx(expected[rows["source"].unique()].to_numpy(), nan_ok=True)


def test_what_a_rule_forces_is_forced_in_every_repeat():
    drawn = simulated._Drawn(
        layout(6, 2),
        CRITERIA,
        [Force("f", "grammaticality", 1, {"correctness": 1}, "why")],
        list(NAMES),
        simulated.people({"S0": Newcomer(), "S1": Newcomer()}, EVEN),
        EVEN,
        Design.from_key("sources"),
    )
    values = drawn.values(np.random.default_rng(5))
    forced = values["grammaticality"] == 1
    assert forced.any()
    assert set(values["correctness"][forced]) == {1.0}


def test_power_grows_with_sources_and_few_sources_find_nothing():
    few, many = power(EVEN, 4)[0], power(EVEN, 40)[0]
    assert few["floor"] > 0.05
    assert few["neighbours"]["value"] == few["extremes"]["value"] == 0
    assert many["neighbours"]["value"] > 0.9
    assert many["order"]["value"] > 0.9
    assert many["step"] == pytest.approx(0.4)
    assert many["pairs"][0]["difference"] == pytest.approx(0.4, abs=0.1)


def test_nothing_planted_is_told_apart_as_seldom_as_the_test_allows():
    row = power(replace(EVEN, gap=0.0), 12)[0]
    found = row["reversed"]["value"] + row["extremes"]["value"]
    assert found < 0.08
    assert row["order"]["value"] < 0.15


@pytest.mark.long
def test_power_annotators_random_is_that_of_the_contrast(monkeypatch) -> None:
    """Three random annotators leave few degrees of freedom, so that fewer differences are found than
    by the permutation test, which takes these three as all there are."""
    monkeypatch.setattr(simulated, "CONTRAST_REPEATS", 40)
    asked = {"annotators": 3, "criteria": CRITERIA[:1]}
    [fixed] = power(EVEN, 20, **asked)
    [row] = power(EVEN, 20, design="sources+annotators", **asked)

    assert (fixed["test"], fixed["repeats"]) == ("permutation", simulated.REPEATS)
    assert (row["test"], row["repeats"]) == ("contrast", 40)
    assert row["reason"] == "annotators are declared random"
    assert row["floor"] is None
    assert row["neighbours"]["high"] < fixed["neighbours"]["low"]
    assert [pair["difference"] > 0 for pair in row["pairs"]] == [True] * 6


def test_power_annotators_random_tests_each_repeat_as_the_report_does() -> None:
    order = simulated.planted_order(NAMES, EVEN)
    drawn = simulated._Drawn(
        layout(6, 3),
        CRITERIA,
        [],
        order,
        simulated.people({f"S{n}": Newcomer() for n in range(3)}, EVEN),
        EVEN,
        Design.from_key("sources+annotators"),
    )
    trial = simulated._Trial.of(CRITERIA[1], drawn, 200)
    values = [drawn.values(np.random.default_rng(seed)) for seed in range(4)]
    for each in values:
        trial.keep(each, drawn)
    tests = simulated._tests(trial, drawn, order, 500, np.random.default_rng(1), SOURCE)

    for place, each in enumerate(values):
        columns = {
            f"{name}s": drawn.pairs[name].to_numpy(dtype=object)
            for name in ("system", "source", "annotator")
        } | {"outputs": drawn.pairs["unit"].to_numpy(dtype=object)}
        rated = RatedOutputs(ratings=each[CRITERIA[1].key], **columns)
        alone = system_differences(rated, design=drawn.design, rng=np.random.default_rng(1))
        p = holm([test.pvalue for test in alone.values()])
        expected = {
            frozenset(pair): (abs(test.value), own)
            for (pair, test), own in zip(alone.items(), p, strict=True)
        }
        for column, (better, worse) in enumerate(tests.pairs):
            value, own = expected[frozenset((order[better], order[worse]))]
            assert abs(tests.gap[place, column]) == pytest.approx(value)
            assert tests.p[place, column] == pytest.approx(own)


def test_power_unequal_allocation_is_that_of_the_contrast(monkeypatch) -> None:
    monkeypatch.setattr(simulated, "CONTRAST_REPEATS", 5)
    rows = layout(12, 2)
    missing = (rows["annotator"] == "S1") & (rows["system"] == "Alba") & (rows["source"] > "s3")
    row = power(EVEN, 12, judgments=rows[~missing])[0]
    assert row["test"] == "contrast"
    assert row["reason"] == "different annotators rated the two systems on some sources"


def test_power_one_random_annotator_is_untested_with_the_reason(monkeypatch) -> None:
    monkeypatch.setattr(simulated, "CONTRAST_REPEATS", 3)
    row = power(EVEN, 12, annotators=1, design="sources+annotators")[0]
    assert row["undefined"] == "one annotator cannot show how annotators differ"
    assert row["neighbours"]["value"] is row["pairs"][0]["value"] is None


def test_power_sources_in_clusters_swaps_whole_clusters() -> None:
    """Twelve sources on four passages have 2^4 swaps: no p below 6 x 2 / 2^4 after Holm."""
    rows = layout(12, 2)
    shared = "p" + (rows["source"].str[1:].astype(int) // 3).astype(str)
    row = power(EVEN, 12, judgments=rows.assign(cluster=shared), unit=cluster_unit(12, 4))[0]
    assert row["floor"] == pytest.approx(0.75)
    assert row["extremes"]["value"] == 0


def test_ratings_asked_once_per_set_are_one_rating_of_the_set() -> None:
    rows = layout(3, 2).query("criterion == 'grammaticality'").reset_index(drop=True)
    rows["set"] = rows["source"] + rows["system"].replace({"Brisa": "Alba"})
    made = SimulatedRatings.of(rows, np.arange(len(rows)), once_per_set=True)
    drawn = made.rated(np.where(rows["system"] == "Brisa", 3.0, 1.0))
    assert len(drawn.ratings) == 3 * 3 * 2
    assert sorted(set(drawn.ratings)) == [1.0, 2.0]
