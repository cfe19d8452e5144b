"""A study whose sources share passages, from its file to the page: what is inferred rests on passages.

Witnesses are scipy, statsmodels and a few lines of numpy on the raw ratings.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from django.urls import reverse
from scipy import stats
from statsmodels.stats.multitest import multipletests

from analysis.runs.actions import runs
from judging.campaigns.hypotheses import (
    GREATER,
    Hypotheses,
    Margin,
    PrimaryHypothesis,
    hypotheses_to_document,
)
from tests import factories
from tests.analysis import studies
from tests.analysis.golden import conclusions
from tests.analysis.golden.pages import Page, p_text, short, signed, whole, written
from tests.analysis.sections.computing import picked

pytestmark = pytest.mark.django_db
ABOUT = {
    "test_comparisons_of_shared_passages_swap_passages": ("system_comparisons",),
    "test_means_of_shared_passages_leave_out_passages": ("system_means",),
    "test_equivalence_of_shared_passages_is_tested_for_the_declared_pairs": ("equivalence",),
    "test_primary_hypotheses_of_shared_passages_turn_the_pair": ("primary",),
    "test_ranks_of_shared_passages_draw_passages": ("ranks",),
    "test_ceiling_of_shared_passages_leaves_out_passages": ("ceiling",),
}
SYSTEMS = ("Alba", "Brisa", "Corvo", "Delta")
PAIRS = list(combinations(range(4), 2))
PASSAGE = np.repeat(np.arange(12), [2, 3, 4] * 4)  # of each of 36 sources
SWAPS = 1 - 2 * ((np.arange(2**12)[:, None] >> np.arange(12)) & 1)
NAMES = {"grammaticality": "Grammaticality", "correctness": "Correctness"}


def drawn(seed: int) -> np.ndarray:
    """Draw ratings (systems, sources, annotators) from 1 to 3; a system is as good on all sources of
    a passage."""
    rng = np.random.default_rng(seed)
    of_passages = rng.normal(0, 0.45, (4, 12, 1))[:, PASSAGE]
    noise = rng.normal(0, 0.4, (4, len(PASSAGE), 3))
    gaps = np.array([0, 0.1, 0.35, 0.7])[:, None, None]
    return np.clip(np.rint(2.4 - gaps + of_passages + noise), 1, 3)


RATINGS = {"grammaticality": drawn(21), "correctness": drawn(149)}
MARGIN = 0.6
# One pair on one criterion, and a metric on the other
DECLARED = Hypotheses(
    primary=(
        PrimaryHypothesis("correctness", "Corvo", "Alba", GREATER),
        PrimaryHypothesis("grammaticality", "METEOR", metric_level="pooled"),
    ),
    margins=dict.fromkeys(RATINGS, Margin(MARGIN, "smaller differences change no choice")),
)


def content() -> bytes:
    """Return the study as a file."""
    columns = [f"{key}@A{place}" for key in RATINGS for place in (1, 2, 3)]
    lines = [",".join(["source_id", "passage", "answer", "system", "question", *columns])]
    for source, passage in enumerate(PASSAGE):
        for place, system in enumerate(SYSTEMS):
            values = [str(int(v)) for given in RATINGS.values() for v in given[place, source]]
            about = f"t{source},Lock {passage} was built by Ada.,Answer {source},{system}"
            lines.append(",".join([about, f"Who built {source} of {system}?", *values]))
    return "\n".join(lines).encode()


@dataclass
class Made:
    """The study's run and its page."""

    tables: dict[str, Any]
    html: Page
    text: str  # of the page


@pytest.fixture(scope="module")
def made(lasting: None) -> Iterator[Made]:
    campaign = studies.campaign_of(content())
    campaign.locked_plan = {"hypotheses": hypotheses_to_document(DECLARED)}
    campaign.save()
    run = studies.analysed(campaign, metrics=[], resamples=1000)
    client = factories.logged_in(campaign.created_by)
    html = client.get(reverse("analysis:run", args=[campaign.uuid, run.number])).text
    yield Made(dict(runs.StoredTables(run)), whole(client, html), unescape(html))


def swapped_p(gap: np.ndarray) -> float:
    """Return the share of all swaps of two systems by passage with as large a difference."""
    sums = np.bincount(PASSAGE, gap)
    return float(np.mean(np.abs(SWAPS @ sums) >= abs(sums.sum()) - 1e-9))


def without_passages(scores: np.ndarray) -> tuple[float, float, float]:
    """Return the mean over sources, its standard error from leaving out each passage, and the
    degrees of freedom that the kurtosis of the changes leaves."""
    left = np.array([scores[passage != PASSAGE].mean() for passage in range(12)])
    change = left - left.mean()
    error = np.sqrt(11 / 12 * (change**2).sum())
    df = min(11, 24 / (stats.kurtosis(change, fisher=False) - 9 / 11))
    return float(scores.mean()), float(error), float(df)


def limits(scores: np.ndarray, level: float = 0.95) -> tuple[float, float]:
    mean, error, df = without_passages(scores)
    return stats.t.interval(level, df, mean, error)


def pairs_of(means: np.ndarray) -> list[tuple[str, str, np.ndarray]]:
    return [(SYSTEMS[one], SYSTEMS[other], means[one] - means[other]) for one, other in PAIRS]


def holm(p: list[float]) -> np.ndarray:
    return multipletests(p, method="holm")[1]


def in_brackets(low: float, high: float) -> str:
    return f"[{written(low)}, {written(high)}]"


@pytest.mark.parametrize("key", RATINGS)
def test_comparisons_of_shared_passages_swap_passages(made: Made, key: str) -> None:
    pairs = pairs_of(RATINGS[key].mean(axis=2))
    p = [swapped_p(gap) for *_, gap in pairs]
    corrected = holm(p)
    assert ((np.array(p) < 0.045) & (corrected > 0.055)).any()  # raw and corrected p disagree
    assert (corrected < 0.045).any()
    table = made.html.table("system_comparisons", NAMES[key])
    for (first, second, gap), raw, p_holm in zip(pairs, p, corrected, strict=True):
        where = {"criterion": key, "first": first, "second": second}
        (row,) = picked(made.tables["system_comparisons"], test="difference", **where)
        low, high = limits(gap)
        assert (row["value"], row["low"], row["high"]) == pytest.approx((gap.mean(), low, high))
        assert (row["p"], row["p_holm"]) == pytest.approx((raw, p_holm))
        assert (row["n"], row["clusters"], row["p_from"]) == (36, 12, "permutation")
        assert row["floor"] == pytest.approx(6 * 2 / 2**12)
        line = f"{first} – {second}"
        cell, shown_p = table.cell(line, "difference"), table.cell(line, "p difference")
        assert (cell.text, cell.under) == (signed(gap.mean()), in_brackets(low, high))
        assert (shown_p.text, shown_p.bold) == (p_text(p_holm), bool(p_holm < 0.05))


@pytest.mark.parametrize("key", RATINGS)
def test_means_of_shared_passages_leave_out_passages(made: Made, key: str) -> None:
    table = made.html.table("systems")
    for system, scores in zip(SYSTEMS, RATINGS[key].mean(axis=2), strict=True):
        (row,) = picked(made.tables["systems"], criterion=key, system=system)
        mean, (low, high) = scores.mean(), limits(scores)
        assert (row["value"], row["low"], row["high"]) == pytest.approx((mean, low, high))
        cell = table.cell(system, NAMES[key])
        assert cell.text == written(mean)
        assert cell.under.startswith(f"{in_brackets(low, high)}, n = 36, rank ")


def equivalence_of(gap: np.ndarray) -> tuple[float, float]:
    """Return p that a difference is above minus the margin, and p that it is below the margin."""
    mean, error, df = without_passages(gap)
    return (
        float(stats.t.sf((mean + MARGIN) / error, df)),
        float(stats.t.cdf((mean - MARGIN) / error, df)),
    )


@pytest.mark.parametrize("key", RATINGS)
def test_equivalence_of_shared_passages_is_tested_for_the_declared_pairs(
    made: Made, key: str
) -> None:
    """All pairs on grammaticality, whose hypothesis is about a metric; one pair on correctness."""
    pairs = pairs_of(RATINGS[key].mean(axis=2))
    if key == "correctness":
        pairs = [pair for pair in pairs if pair[:2] == ("Alba", "Corvo")]
    p = [equivalence_of(gap) for *_, gap in pairs]
    corrected = holm([max(both) for both in p])
    if key == "grammaticality":  # raw and corrected p disagree
        assert sum(max(both) < 0.048 for both in p) > sum(corrected < 0.055)
        assert corrected.min() < 0.045
    rows = picked(made.tables["equivalence"], criterion=key)
    assert [(row["first"], row["second"]) for row in rows] == [pair[:2] for pair in pairs]
    table, told = made.html.table("equivalence", NAMES[key]), {True: [], False: []}
    for row, (*names, gap), (lower, upper), p_holm in zip(rows, pairs, p, corrected, strict=True):
        low, high = limits(gap, 0.9)
        expected = (gap.mean(), low, high, without_passages(gap)[2])
        assert (row["value"], row["low"], row["high"], row["df"]) == pytest.approx(expected)
        assert (row["p_lower"], row["p_upper"]) == pytest.approx((lower, upper))
        assert (row["p"], row["p_holm"]) == pytest.approx((max(lower, upper), p_holm))
        assert (row["margin"], row["test"]) == (MARGIN, "permutation")
        is_shown = bool(p_holm < 0.05)
        assert row["equivalent"] is is_shown
        line, interval = " – ".join(names), in_brackets(low, high)
        difference = table.cell(line, "difference")
        assert (difference.text, difference.under) == (signed(gap.mean()), interval)
        assert table.cell(line, "p above −margin").text == p_text(lower)
        assert table.cell(line, "p below margin").text == p_text(upper)
        shown = table.cell(line, "p")
        assert (shown.text, shown.bold) == (p_text(p_holm), is_shown)
        told[is_shown].append(
            f"“{names[0]}” and “{names[1]}” (difference {signed(gap.mean())}, 90% CI {interval}, "
            f"p = {p_text(p_holm)})"
        )
    for is_shown, results in told.items():
        how = "equivalent" if is_shown else "not shown to be equivalent"
        if results:
            listed = " and ".join(filter(None, [", ".join(results[:-1]), results[-1]]))
            assert f"{how} within ±0.6 scale points: {listed}" in made.text


def test_primary_hypotheses_of_shared_passages_turn_the_pair(made: Made) -> None:
    """Corvo is declared to be better than Alba, and is worse."""
    means = RATINGS["correctness"].mean(axis=2)
    gap = means[2] - means[0]
    p, (low, high) = 1 - swapped_p(gap) / 2, limits(gap)
    assert gap.mean() < 0
    row, metric = made.tables["primary_hypotheses"]
    assert (row["value"], row["low"], row["high"]) == pytest.approx((gap.mean(), low, high))
    assert (row["p_declared"], row["p_adjusted"]) == pytest.approx((p, p))
    assert (row["supported"], metric["p_adjusted"]) == (False, None)
    line = "“Corvo” is better than “Alba” on correctness (one-sided)"
    table, interval = made.html.table("primary_hypotheses"), f"95% CI {in_brackets(low, high)}"
    estimate, shown = table.cell(line, "estimate"), table.cell(line, "p corrected")
    assert (estimate.text, estimate.under) == (signed(gap.mean()), interval)
    assert (shown.text, shown.bold) == (f"≥ {p_text(p)}", False)  # a lower bound
    result = f"difference {signed(gap.mean())}, {interval}, p ≥ {p_text(p)}; not supported."
    assert f"{line}: {result}" in made.text


def drawn_shares(means: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return how often each system has each rank if the sources of a label are drawn together."""
    number = int(labels.max()) + 1
    of_label = labels == np.arange(number)[:, None]
    ranks = np.zeros((4, 4))
    rng = np.random.default_rng(0)
    for _ in range(4_000):
        times = of_label[rng.integers(0, number, number)].sum(axis=0)
        above = stats.rankdata(np.round(-(means @ times), 9), method="average")
        for system, rank in enumerate(above):
            ranks[system, int(np.floor(rank)) - 1] += 0.5
            ranks[system, int(np.ceil(rank)) - 1] += 0.5
    return ranks / 4_000


@pytest.mark.parametrize("key", RATINGS)
def test_ranks_of_shared_passages_draw_passages(made: Made, key: str) -> None:
    means = RATINGS[key].mean(axis=2)
    shares = drawn_shares(means, PASSAGE)
    of_sources = drawn_shares(means, np.arange(len(PASSAGE)))
    assert np.abs(shares - of_sources).max() > 0.1
    pairs = pairs_of(means)
    ahead = {
        (first, second) if gap.mean() > 0 else (second, first)
        for (first, second, gap), p in zip(
            pairs, holm([swapped_p(gap) for *_, gap in pairs]), strict=True
        )
        if p < 0.05
    }
    order = [SYSTEMS[place] for place in np.argsort(-means.mean(axis=1), kind="stable")]
    rows = picked(made.tables["ranks"], criterion=key)
    assert [row["system"] for row in rows] == order
    table = made.html.table("ranks", NAMES[key])
    for row in rows:
        name, own = row["system"], shares[SYSTEMS.index(row["system"])]
        assert row["shares"] == pytest.approx(own, abs=0.05)  # a thousand draws beside four
        assert row["best"] == row["shares"][0]
        assert row["expected_rank"] == pytest.approx(np.dot(row["shares"], [1, 2, 3, 4]))
        highest = 1 + sum(worse == name for _, worse in ahead)
        lowest = 4 - sum(better == name for better, _ in ahead)
        assert (row["highest_rank"], row["lowest_rank"]) == (highest, lowest)
        assert row["cluster"] == conclusions.cluster(name, order, ahead)
        interval = str(highest) if highest == lowest else f"{highest}–{lowest}"
        assert table.cell(name, "rank interval").text == interval
        assert table.cell(name, "cluster").text == str(row["cluster"])
        assert table.cell(name, "mean rank").text == f"{row['expected_rank']:.1f}"
        for place, share in enumerate(row["shares"], 1):
            assert table.cell(name, f"rank {place}").text == short(share)


def of_one_annotator(given: np.ndarray, level: str, sources: np.ndarray) -> float:
    """Return Spearman's rho of one annotator with the mean of the others, averaged over them."""
    found = []
    for place in range(3):
        own, others = given[:, sources, place], np.delete(given, place, axis=2)[:, sources]
        means = others.mean(axis=2)
        if level == "pooled":
            found.append(stats.spearmanr(own.ravel(), means.ravel()).statistic)
            continue
        columns = zip(own.T, means.T, strict=True)
        varied = [(a, b) for a, b in columns if len(set(a)) > 1 and len(set(b)) > 1]
        found.append(np.mean([stats.spearmanr(a, b).statistic for a, b in varied]))
    return float(np.mean(found))


@pytest.mark.parametrize("level", ["pooled", "within_source"])
@pytest.mark.parametrize("key", RATINGS)
def test_ceiling_of_shared_passages_leaves_out_passages(made: Made, key: str, level: str) -> None:
    given = RATINGS[key]
    value = of_one_annotator(given, level, PASSAGE >= 0)
    left = [of_one_annotator(given, level, passage != PASSAGE) for passage in range(12)]
    error = np.sqrt(11 * np.var(left))
    where = {"criterion": key, "level": level, "coefficient": "spearman"}
    (row,) = picked(made.tables["ceiling"], **where)
    low, high = stats.t.interval(0.95, 11, value, error)
    assert (row["value"], row["low"], row["high"]) == pytest.approx((value, low, high))
    assert (row["n"], row["clusters"]) == (36, 12)
