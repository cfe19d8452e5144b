"""Small studies in which each number that a section could take by mistake is another one.

Raw and corrected p give other letters, systems and annotators declared random give other p, the two
verdicts on a judge differ, and so do the corrected means of all systems and the units of a metric.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from analysis import frames
from analysis.sections.llm_judges.alternative_annotator_test import (
    AlternativeAnnotatorTest,
    JudgeAgainstAnnotators,
)
from analysis.sections.llm_judges.prediction_powered_means import PredictionPoweredMeans
from analysis.sections.section import Found
from analysis.sections.systems.systems import Systems
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.score import Metric, Score
from judging.jobs import storage
from judging.llm_judges.actions import llm_judges
from tests.analysis import studies
from tests.analysis.sections import rated
from tests.analysis.sections.computing import picked, records

DESIGNS = ("sources", "sources+systems", "sources+annotators", "sources+systems+annotators")


def swapped_p(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the share of all swaps of two systems by source with as large a difference."""
    gap = np.asarray(first) - np.asarray(second)
    signs = 1 - 2 * ((np.arange(2 ** len(gap))[:, None] >> np.arange(len(gap))) & 1)
    return float(np.mean(np.abs(signs @ gap) >= abs(gap.sum()) - 1e-9))


def test_letters_raw_and_corrected_p_disagree_follow_the_corrected_p() -> None:
    """Alba differs from Corvo and from Delta by raw p, and only from Delta after Holm."""
    ratings = rated.drawn(4, 8, 3, seed=1, gap=0.3)
    of_sources = ratings.mean(axis=2)
    raw = {
        (rated.SYSTEMS[i], rated.SYSTEMS[j]): swapped_p(of_sources[i], of_sources[j])
        for i, j in combinations(range(4), 2)
    }
    assert {pair for pair, p in raw.items() if p < 0.05} == {("Alba", "Corvo"), ("Alba", "Delta")}
    assert 6 * raw["Alba", "Delta"] < 0.05 < 5 * raw["Alba", "Corvo"]

    tables = rated.computed(rated.study(ratings))

    found = {
        (row["first"], row["second"]): row["p"]
        for row in picked(tables["system_comparisons"], test="difference")
    }
    assert found == pytest.approx(raw)
    letters = {row["system"]: row["letters"] for row in tables["groups"]}
    assert letters == {"Alba": "a", "Brisa": "ab", "Corvo": "ab", "Delta": "b"}
    told = " ".join(Systems().sentences(Found(tables)))
    assert "Brisa and Corvo" in told
    assert "Delta" not in told


def test_mixed_model_systems_declared_random_keeps_annotators_fixed() -> None:
    """The declaration of systems must not stand for that of annotators."""
    study = rated.study(rated.drawn(3, 8, 6, seed=2, gap=0.3, taste=0.3))
    p, methods = {}, {}
    for design in DESIGNS:
        rows = picked(rated.computed(study, design)["mixed_models"], effect="difference")
        p[design] = [row["p"] for row in rows]
        methods[design] = {row["method"].split("annotators ")[1].split(";")[0] for row in rows}
    assert p["sources"] == p["sources+systems"]
    assert p["sources+annotators"] == p["sources+systems+annotators"]
    assert all(a > 1.2 * b for a, b in zip(p["sources+annotators"], p["sources"], strict=True))
    assert methods == {
        "sources": {"fixed"},
        "sources+systems": {"fixed"},
        "sources+annotators": {"random"},
        "sources+systems+annotators": {"random"},
    }


N = np.arange(40)
FIRST = 1 + (7 * N % 5) % 3
PEOPLE = np.stack(
    [FIRST, np.minimum(3, FIRST + (N % 4 == 0)), np.maximum(1, FIRST - (N % 3 == 0))], axis=1
)
SYSTEMS = np.array(["Alba", "Brisa"])[N % 2]
# It errs on both questions of some sources: a test that keeps a source together is weaker
JUDGE = FIRST.copy()
JUDGE[[0, 2, 3, 4, 5, 18, 19, 24, 25]] += [1, -1, -1, 1, 1, 1, 1, 1, 1]


def study_of_pairs() -> Campaign:
    """Import forty questions of two systems on twenty sources, with three annotators."""
    lines = [
        "source_id,passage,answer,system,question,correctness@A1,correctness@A2,correctness@A3"
    ]
    for n in N:
        question = f"Who built lock {n}?,{','.join(map(str, PEOPLE[n]))}"
        lines.append(f"{n // 2},Lock {n // 2} was built by Ada.,Ada,{SYSTEMS[n]},{question}")
    campaign = studies.campaign_of("\n".join(lines).encode())
    by_text = {item.text: item.token for item in llm_judges.questions_with_tokens(campaign)}
    rows = [f"{by_text[f'Who built lock {n}?']},{JUDGE[n]}" for n in N]
    llm_judges.add_llm_judge(
        campaign=campaign,
        by=campaign.created_by,
        file=storage.store_bytes("\n".join(["item,correctness", *rows]).encode()),
        file_name="judge.csv",
        about={"name": "Judge", "model": "maker/model", "prompt": "Rate."},
    )
    return campaign


@pytest.fixture(scope="module")
def judged(lasting: None) -> Campaign:
    return study_of_pairs()


def gaps() -> list[np.ndarray]:
    """Return for each person on which questions they are nearer than the judge, less the reverse."""
    found = []
    for place in range(3):
        others = np.delete(PEOPLE, place, axis=1)
        judge, person = (
            np.sqrt(((values[:, None] - others) ** 2).mean(axis=1)).round(9)
            for values in (JUDGE, PEOPLE[:, place])
        )
        found.append((person <= judge) * 1.0 - (judge <= person))
    return found


def p_by_source(gap: np.ndarray, epsilon: float) -> float:
    """Return the one-sided p of a t test over sources; each has two questions."""
    return float(ttest_1samp(gap.reshape(20, 2).mean(axis=1), epsilon, alternative="less").pvalue)


def wins(p: Sequence[float]) -> list[bool]:
    """Say against whom a judge wins, after Benjamini and Yekutieli over three people."""
    order = np.argsort(p)
    thresholds = 0.05 * np.arange(1, 4) / (3 * (1 + 1 / 2 + 1 / 3))
    below = np.flatnonzero(np.sort(p) <= thresholds)
    last = below.max() + 1 if below.size else 0
    return [bool(place in order[:last]) for place in range(3)]


@pytest.mark.django_db
def test_verdict_published_and_own_test_disagree_keeps_each_in_its_column(judged: Campaign) -> None:
    own = wins([p_by_source(gap, 0.2) for gap in gaps()])
    published = wins([ttest_1samp(gap, 0.2, alternative="less").pvalue for gap in gaps()])
    assert (sum(own), sum(published)) == (1, 2)

    (row,) = records(AlternativeAnnotatorTest, judged, judge_epsilon=0.2)

    assert row["winning_rate"] == pytest.approx(1 / 3)
    assert row["winning_rate_published"] == pytest.approx(2 / 3)
    assert (row["passes"], row["passes_published"]) == (False, True)
    assert [
        each["wins"] for each in records(JudgeAgainstAnnotators, judged, judge_epsilon=0.2)
    ] == own
    found = Found({"alternative_annotator_test": [row]})
    (table,) = AlternativeAnnotatorTest().tables(found)
    cell = table.lines[0].cells[0]
    assert (cell.text, cell.under) == ("no", "wins against 33% of 3; as published yes")
    assert "does not pass" in " ".join(AlternativeAnnotatorTest().sentences(found))


@pytest.mark.django_db
def test_corrected_means_of_two_systems_are_each_of_its_own_questions(judged: Campaign) -> None:
    """People judged the first 24 questions, twelve of each system; the judge all forty."""
    read = frames.read_campaign(judged)
    units = read.slots.query("position > 0")["unit"].tolist()
    part = replace(read, judgments=read.judgments[read.judgments["unit"].isin(units[:24])])

    rows = {row["system"]: row for row in records(PredictionPoweredMeans, part)}

    assert set(rows) == {"", "Alba", "Brisa"}
    for system, row in rows.items():
        own = (system == SYSTEMS) | (system == "")
        both = own & (N < 24)
        people, gap = PEOPLE[both].mean(), JUDGE[own].mean() - JUDGE[both].mean()
        assert (row["items"], row["judged"]) == (own.sum(), both.sum())
        assert row["people_value"] == pytest.approx(people)
        assert row["corrected_value"] == pytest.approx(people + row["tuning"] * gap)
    values = sorted(row["corrected_value"] for row in rows.values())
    assert min(np.diff(values)) > 0.005


@pytest.mark.django_db
def test_imported_percent_column_of_a_computed_fraction_is_excluded_as_its_double() -> None:
    campaign = studies.imported(sources=8)
    imported = Metric.objects.get(dataset=campaign.dataset, name="meteor")
    imported.scale = Metric.Scale.PERCENT
    imported.save()
    computed = Metric.objects.create(
        dataset=campaign.dataset,
        name="METEOR",
        kind="computed",
        fingerprint="f",
        scale=Metric.Scale.FRACTION,
    )
    for score in Score.objects.filter(metric=imported):
        Score.objects.create(metric=computed, unit_id=score.unit_id, value=score.value / 100)
    kept = frames.without_doubles(frames.read_campaign(campaign))
    assert [each.name for each in kept.metrics] == ["METEOR"]
    (double,) = kept.doubled
    assert (double.n, double.tolerance) == (24, 0.005)
    assert double.largest == pytest.approx(0, abs=1e-9)
