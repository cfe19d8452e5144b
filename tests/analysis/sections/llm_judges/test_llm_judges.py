"""LLM judges in a report: worked by hand or by scipy, and never among people's numbers."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from scipy.stats import false_discovery_control, spearmanr, ttest_1samp

from analysis import frames
from analysis.runs.actions import runs
from analysis.sections.agreement.agreement import Agreement
from analysis.sections.agreement.annotators import Annotators
from analysis.sections.llm_judges import bias
from analysis.sections.llm_judges.alternative_annotator_test import (
    AlternativeAnnotatorTest,
    JudgeAgainstAnnotators,
)
from analysis.sections.llm_judges.bias import (
    JudgeBias,
    JudgeCorrelations,
    JudgedItems,
    JudgeUseOfScale,
)
from analysis.sections.llm_judges.consistency import JudgeConsistency
from analysis.sections.llm_judges.judge_descriptions import JudgeDescriptions
from analysis.sections.llm_judges.prediction_powered_means import PredictionPoweredMeans
from analysis.sections.section import Found
from analysis.sections.systems.systems import Systems
from judging.campaigns.models.campaign import Campaign
from judging.jobs import storage
from judging.llm_judges.actions import llm_judges
from judging.protocols.models.protocol import Protocol
from judging.protocols.protocol_schema import Aggregate
from quaestor_stats._design import Design
from tests import factories
from tests.analysis import studies
from tests.analysis.sections.computing import chance, inputs_of, picked, records

pytestmark = pytest.mark.django_db
N = np.arange(40)
FIRST = 1 + (7 * N % 5) % 3
PEOPLE = np.stack(
    [FIRST, np.minimum(3, FIRST + (N % 4 == 0)), np.maximum(1, FIRST - (N % 3 == 0))], axis=1
)
JUDGE = np.maximum(1, FIRST - (N % 8 == 0))
SYSTEMS = np.where(N % 2 == 0, "Alba", "Brisa")  # two on each of twenty sources


def study(systems: Sequence[str] = tuple(SYSTEMS), *, protocol: Protocol | None = None) -> Campaign:
    header = ["source_id", "passage", "answer", "system", "question"]
    criteria = ["correctness"] if protocol is None else ["correctness", "grammaticality"]
    rows = [",".join(header + [f"{key}@A{a}" for key in criteria for a in (1, 2, 3)])]
    for n in range(40):
        text = f"Lock {n // 2} was built by Ada Lind."
        rows.append(
            ",".join(
                map(
                    str,
                    [
                        n // 2,
                        text,
                        "Ada Lind",
                        systems[n],
                        f"Who built lock {n}?",
                        *np.tile(PEOPLE[n], len(criteria)),
                    ],
                )
            )
        )
    return studies.campaign_of("\n".join(rows).encode(), protocol=protocol)


def judge(campaign: Campaign, values, name="Judge", again=None, **about):
    by_text = {item.text: item.token for item in llm_judges.questions_with_tokens(campaign)}
    rows = ["item,correctness,rationale"]
    for column in [values] + ([again] if again is not None else []):
        rows += [
            f"{by_text[f'Who built lock {n}?']},{value},because" for n, value in enumerate(column)
        ]
    return llm_judges.add_llm_judge(
        campaign=campaign,
        by=campaign.created_by,
        file=storage.store_bytes("\n".join(rows).encode()),
        file_name="judge.csv",
        about={"name": name, "model": "maker/model", "prompt": "Rate.", **about},
    )[0]


@pytest.fixture(scope="module")
def unjudged(lasting: None) -> Campaign:
    return study()


@pytest.fixture
def made(unjudged: Campaign, db: None) -> Campaign:
    """Return the study that no machine has judged."""
    return Campaign.objects.get(pk=unjudged.pk)


@pytest.fixture(scope="module")
def judged(lasting: None) -> Campaign:
    made = study()
    judge(
        made,
        JUDGE,
        again=np.where(N < 10, JUDGE % 3 + 1, JUDGE),
        temperature=0.5,
        judged_on=date(2026, 5, 4),
        own_systems=["Alba"],
    )
    return made


@pytest.fixture
def campaign(judged: Campaign, db: None) -> Campaign:
    """Return the study that a machine has judged twice."""
    return Campaign.objects.get(pk=judged.pk)


def test_the_judge_is_told_with_how_it_was_made(campaign):
    (row,) = records(JudgeDescriptions, campaign)
    assert (row["judge"], row["model"], row["temperature"]) == ("Judge", "maker/model", 0.5)
    assert (row["items"], row["judgments"], row["repeated"]) == (40, 80, 40)
    assert (row["own_systems"], row["judged_on"]) == (["Alba"], "2026-05-04")


def nearness(values, others):
    return -np.sqrt(np.mean((values[:, None] - others) ** 2, axis=1))


def test_the_verdict_is_the_published_test_and_the_ceiling_stands_beside_it(campaign):
    (row,) = records(AlternativeAnnotatorTest, campaign, judge_epsilon=0.2)
    shares, judged, person = [], [], []
    for a in range(3):
        others = np.delete(PEOPLE, a, axis=1)
        shares.append(np.mean(nearness(JUDGE, others) >= nearness(PEOPLE[:, a], others)))
        judged.append(spearmanr(JUDGE, others.mean(axis=1)).statistic)
        person.append(spearmanr(PEOPLE[:, a], others.mean(axis=1)).statistic)
    assert row["advantage_value"] == pytest.approx(np.mean(shares))
    assert row["follows_value"] == pytest.approx(np.mean(judged))
    assert row["person_value"] == pytest.approx(np.mean(person))
    assert row["difference_value"] == pytest.approx(np.mean(judged) - np.mean(person))
    assert row["severity_value"] == pytest.approx(np.mean(JUDGE - PEOPLE.mean(axis=1)))
    assert row["again_value"] == pytest.approx(30 / 40)
    assert row["method"]["advantage"]["clusters"] == 20
    assert (row["items"], row["people"], row["excluded"]) == (40, 3, 0)
    assert (row["epsilon"], row["epsilon_reason"]) == (0.2, "trained experts")
    most = np.bincount(JUDGE).argmax()
    assert row["most_given"] == most
    assert row["most_given_share"] == pytest.approx(np.bincount(JUDGE).max() / 40)
    assert row["most_given_by_people"] == pytest.approx((most == PEOPLE).mean())


def test_a_judge_is_compared_with_itself_over_repetitions_and_places(made):
    tokens = {item.text: item.token for item in llm_judges.questions_with_tokens(made)}
    again = np.where((N % 4 == 0) & (JUDGE > 1), JUDGE - 1, JUDGE)  # less where it stands second
    rows = ["item,correctness,shown_at"]
    for values, at in ((JUDGE, 1), (again, 2)):
        rows += [f"{tokens[f'Who built lock {n}?']},{values[n]},{at}" for n in range(40)]
    llm_judges.add_llm_judge(
        campaign=made,
        by=made.created_by,
        file=storage.store_bytes("\n".join(rows).encode()),
        file_name="twice.csv",
        about={"name": "Judge", "model": "m"},
    )
    (row,) = records(JudgeConsistency, made)
    lower = int((again != JUDGE).sum())
    assert (row["items"], row["times"], row["moved"]) == (40, 2, 40)
    assert row["same_value"] == row["same_moved_value"] == pytest.approx(1 - lower / 40)
    assert row["earlier_value"] == pytest.approx(lower / 40)
    assert row["same_still_value"] is None
    # alpha by hand: one minus observed over expected disagreement of the eighty values
    both = np.stack([JUDGE, again], axis=1)
    counts = np.bincount(both.ravel(), minlength=4)[1:]
    marks = {
        (a, b): (counts[a - 1 : b].sum() - (counts[a - 1] + counts[b - 1]) / 2) ** 2
        for a in (1, 2, 3)
        for b in (1, 2, 3)
        if a < b
    }
    observed = sum(2 * marks[tuple(sorted(pair))] for pair in both.tolist() if pair[0] != pair[1])
    expected = sum(2 * counts[a - 1] * counts[b - 1] * gap for (a, b), gap in marks.items()) / 79
    assert row["alpha_value"] == pytest.approx(1 - observed / expected)


def test_what_was_asked_once_has_no_consistency(campaign, made):
    judge(made, JUDGE)
    assert records(JudgeConsistency, made) == []
    (row,) = records(JudgeConsistency, campaign)  # asked twice, alone each time
    assert (row["same_value"], row["moved"]) == (pytest.approx(30 / 40), 0)
    assert row["earlier_reason"] == "no question was asked so twice"


def test_each_person_is_compared_apart(campaign):
    rows = records(JudgeAgainstAnnotators, campaign, judge_epsilon=0.2)
    assert [row["person"] for row in rows] == ["A1", "A2", "A3"]
    others = PEOPLE[:, 1:]
    assert rows[0]["advantage"] == pytest.approx(
        np.mean(nearness(JUDGE, others) >= nearness(PEOPLE[:, 0], others))
    )
    assert rows[0]["person_advantage"] == pytest.approx(
        np.mean(nearness(JUDGE, others) <= nearness(PEOPLE[:, 0], others))
    )
    assert rows[1]["rho"] == pytest.approx(spearmanr(JUDGE, PEOPLE[:, 1]).statistic)
    assert rows[0]["method"]["kappa"]["clusters"] == 20
    gap = (nearness(JUDGE, others) <= nearness(PEOPLE[:, 0], others)) * 1.0
    gap -= nearness(JUDGE, others) >= nearness(PEOPLE[:, 0], others)
    theirs = ttest_1samp(gap, 0.2, alternative="less").pvalue
    assert rows[0]["p_published"] == pytest.approx(theirs)
    for name, adjusted in (("p", "p_adjusted"), ("p_published", "p_published_adjusted")):
        p = [row[name] for row in rows]
        by_hand = false_discovery_control(p, method="by")
        assert [row[adjusted] for row in rows] == pytest.approx(by_hand.tolist())
    won = [row["p_adjusted"] <= 0.05 for row in rows]
    assert [(row["wins"], row["not_tested"]) for row in rows] == [(each, "") for each in won]
    (verdict,) = records(AlternativeAnnotatorTest, campaign, judge_epsilon=0.2)
    published = [row["p_published_adjusted"] <= 0.05 for row in rows]
    assert verdict["winning_rate"] == pytest.approx(np.mean(won))
    assert verdict["winning_rate_published"] == pytest.approx(np.mean(published))
    assert (verdict["passes"], verdict["passes_published"]) == (
        np.mean(won) >= 0.5,
        np.mean(published) >= 0.5,
    )


def test_each_epsilon_of_the_method_is_told_with_the_annotators_it_is_meant_for(campaign):
    """The first three are those of Calderon, Reichart and Dror (2025)."""
    told = {
        epsilon: records(AlternativeAnnotatorTest, campaign, judge_epsilon=epsilon)[0][
            "epsilon_reason"
        ]
        for epsilon in (0.2, 0.15, 0.1, 0.3)
    }
    assert told == {
        0.2: "trained experts",
        0.15: "skilled annotators",
        0.1: "crowd workers",
        0.3: "these annotators",
    }


def test_a_judge_of_few_items_is_not_tested(made):
    judge(made, ["" if n >= 20 else JUDGE[n] for n in N])
    (row,) = records(AlternativeAnnotatorTest, made)
    assert (row["items"], row["people"], row["passes"], row["passes_published"]) == (
        20,
        0,
        None,
        None,
    )
    assert row["reason"] == "no annotator has 30 items that the judge and others judged too"
    told = [
        (each["wins"], each["not_tested"], each["n"])
        for each in records(JudgeAgainstAnnotators, made)
    ]
    assert told == [(None, "20 items that the judge and others judged too: too few", 20)] * 3


def test_a_judge_of_faults_and_of_names_is_read_by_its_criteria():
    """Correctness counts faults, the fewer the better; grammaticality has names without order."""
    names, faults = factories.small().criteria
    made = study(
        protocol=factories.protocol(
            criteria=(replace(names, level="nominal", best="none"), replace(faults, best="lowest")),
            aggregate=Aggregate(kind="mean", criteria=("correctness",)),
        )
    )
    again = np.where((N % 4 == 0) & (JUDGE > 1), JUDGE - 1, JUDGE)  # less where it stands second
    tokens = {item.text: item.token for item in llm_judges.questions_with_tokens(made)}
    rows = ["item,correctness,grammaticality,shown_at"]
    for values, at in ((JUDGE, 1), (again, 2)):
        rows += [f"{tokens[f'Who built lock {n}?']},{values[n]},{values[n]},{at}" for n in N]
    llm_judges.add_llm_judge(
        campaign=made,
        by=made.created_by,
        file=storage.store_bytes("\n".join(rows).encode()),
        file_name="both.csv",
        about={"name": "Judge", "model": "m"},
    )
    read = frames.read_campaign(made)

    gap = JUDGE - PEOPLE.mean(axis=1)
    kinder = gap[SYSTEMS == "Brisa"].mean() - gap[SYSTEMS == "Alba"].mean()  # to Alba
    bias = {(row["criterion"], row["system"]): row["value"] for row in records(JudgeBias, read)}
    assert bias == {
        ("correctness", "Alba"): pytest.approx(kinder),
        ("correctness", "Brisa"): pytest.approx(-kinder),
    }
    assert {row["criterion"] for row in records(JudgeCorrelations, read)} == {"correctness"}

    same = {row["criterion"]: row for row in records(JudgeConsistency, read)}
    later = (again - JUDGE).mean()  # below 0: more faults are found where it stands earlier
    assert same["correctness"]["earlier_value"] == pytest.approx(later)
    assert same["correctness"]["earlier_low"] < later < same["correctness"]["earlier_high"]
    assert same["correctness"]["earlier_n"] == 40
    assert same["grammaticality"]["earlier_value"] is None
    assert same["grammaticality"]["earlier_reason"] == ("the values have no order: none is higher")

    verdicts = {row["criterion"]: row for row in records(AlternativeAnnotatorTest, read)}
    assert verdicts["correctness"]["severity_value"] == pytest.approx(gap.mean())
    named = verdicts["grammaticality"]
    empty = [named[f"{part}_value"] for part in ("follows", "person", "difference", "severity")]
    assert empty == [None] * 4
    assert (
        named["follows_reason"]
        == named["severity_reason"]
        == ("the values have no order: nothing can be followed")
    )
    shares = []
    for a in range(3):
        others = np.delete(PEOPLE, a, axis=1)
        equal = [(own[:, None] == others).sum(axis=1) for own in (JUDGE, PEOPLE[:, a])]
        shares.append(np.mean(equal[0] >= equal[1]))
    assert named["advantage_value"] == pytest.approx(np.mean(shares))

    against = {
        (row["criterion"], row["person"]): row for row in records(JudgeAgainstAnnotators, read)
    }
    observed = np.mean(PEOPLE[:, 1] == JUDGE)
    shares_of = [np.bincount(each, minlength=4) / 40 for each in (JUDGE, PEOPLE[:, 1])]
    chance_ = shares_of[0] @ shares_of[1]
    row = against["grammaticality", "A2"]
    assert row["kappa_value"] == pytest.approx((observed - chance_) / (1 - chance_))
    assert row["rho"] is None
    # nominal alpha of eighty values: n_c (80 - n_c) pairs of different ones over 79
    counts = np.bincount(np.append(JUDGE, PEOPLE[:, 1]), minlength=4)
    apart = 2 * (PEOPLE[:, 1] != JUDGE).sum() * 79 / (counts * (80 - counts)).sum()
    assert row["alpha_value"] == pytest.approx(1 - apart)
    weights = (np.arange(4)[:, None] - np.arange(4)) ** 2
    gaps = (JUDGE - PEOPLE[:, 1]) ** 2
    quadratic = 1 - gaps.mean() / (shares_of[0] @ weights @ shares_of[1])
    assert against["correctness", "A2"]["kappa_value"] == pytest.approx(quadratic)


def test_a_judge_that_favours_its_own_family_is_seen(made):
    judge(made, np.minimum(3, PEOPLE[:, 0] + (SYSTEMS == "Alba")), own_systems=["Alba"])
    told = {"judge_descriptions": records(JudgeDescriptions, made)}
    rows = {row["system"]: row for row in records(JudgeBias, made, told)}
    gap = np.minimum(3, PEOPLE[:, 0] + (SYSTEMS == "Alba")) - PEOPLE.mean(axis=1)
    expected = gap[SYSTEMS == "Alba"].mean() - gap[SYSTEMS == "Brisa"].mean()
    assert rows["Alba"]["value"] == pytest.approx(expected)
    assert rows["Brisa"]["value"] == pytest.approx(-expected)
    assert rows["Alba"]["low"] > 0
    assert rows["Alba"]["own_family"] is True
    assert {(row["criterion"], row["judge"]) for row in rows.values()} == {("correctness", "Judge")}


def test_a_jury_is_of_a_systems_family_where_all_of_its_judges_are(made):
    judge(made, JUDGE, "First", own_systems=["Alba", "Brisa"])
    judge(made, PEOPLE[:, 0], "Second", own_systems=["Alba"])
    rows = records(JudgeBias, made, {"judge_descriptions": records(JudgeDescriptions, made)})
    assert {(row["judge"], row["system"]) for row in rows if row["own_family"]} == {
        ("First", "Alba"),
        ("First", "Brisa"),
        ("Second", "Alba"),
        ("jury of 2", "Alba"),
    }


def test_a_judge_of_one_system_is_followed_over_all_questions_whatever_is_random():
    made = study(["Alba"] * 40)
    judge(made, JUDGE)
    asked = replace(inputs_of(frames.read_campaign(made)), design=Design(systems="random"))
    rows = JudgeCorrelations().records(asked, Found({}), chance())
    (row,) = picked(rows, level="pooled", measure="spearman")
    assert row["value"] == pytest.approx(spearmanr(JUDGE, PEOPLE.mean(axis=1)).statistic)


def test_a_judge_of_four_systems_is_followed_over_their_means():
    systems = np.tile(["Alba", "Brisa", "Cara", "Dora"], 10)
    made = study(tuple(systems))
    judge(made, JUDGE)
    (row,) = picked(records(JudgeCorrelations, made), level="systems", measure="spearman")
    means = [
        [values[systems == name].mean().round(9) for name in np.unique(systems)]
        for values in (JUDGE, PEOPLE.mean(axis=1))
    ]
    assert row["value"] == pytest.approx(spearmanr(*means).statistic)


def test_use_of_the_scale_stands_beside_peoples(campaign):
    rows = picked(records(JudgeUseOfScale, campaign), judge="Judge")
    counts = np.bincount(JUDGE, minlength=4)[1:]
    assert [(row["value"], row["label"]) for row in rows] == [(1, "no"), (2, "maybe"), (3, "yes")]
    assert [row["count"] for row in rows] == counts.tolist()
    assert [row["share"] for row in rows] == pytest.approx((counts / 40).tolist())
    assert [row["people_share"] for row in rows] == pytest.approx(
        [float((v == PEOPLE).mean()) for v in (1, 2, 3)]
    )


def test_levels_are_those_of_metrics(campaign):
    (row,) = picked(records(JudgeCorrelations, campaign), level="pooled", measure="spearman")
    assert (row["criterion"], row["judge"]) == ("correctness", "Judge")
    assert row["value"] == pytest.approx(spearmanr(JUDGE, PEOPLE.mean(axis=1)).statistic)


def test_several_judges_make_a_jury_and_an_always_top_judge_is_told_by_its_scale(made):
    judge(made, JUDGE, "First")
    judge(made, np.full(40, 3), "Top")
    judge(made, PEOPLE[:, 0], "Third")
    rows = {row["judge"]: row for row in records(AlternativeAnnotatorTest, made)}
    assert list(rows) == ["First", "Top", "Third", "jury of 3"]
    assert rows["Top"]["most_given_share"] == 1
    assert rows["Top"]["follows_value"] is None
    mean = (JUDGE + 3 + PEOPLE[:, 0]) / 3
    expected = np.mean(
        [spearmanr(mean, np.delete(PEOPLE, a, axis=1).mean(axis=1)).statistic for a in range(3)]
    )
    assert rows["jury of 3"]["follows_value"] == pytest.approx(expected)
    of_jury = picked(records(JudgeAgainstAnnotators, made), judge="jury of 3")
    assert {row["kappa_reason"] for row in of_jury} == {"a jury's means are no points of the scale"}
    assert all(row["kappa_value"] is None and row["alpha_value"] for row in of_jury)
    # its means lie between the points, so there is no share of each
    assert {row["judge"] for row in records(JudgeUseOfScale, made)} == {"First", "Top", "Third"}


def test_a_judge_on_half_the_items_is_compared_on_those(made):
    by_text = {item.text: item.token for item in llm_judges.questions_with_tokens(made)}
    rows = [
        "item,correctness",
        *(f"{by_text[f'Who built lock {n}?']},{JUDGE[n]}" for n in range(32)),
    ]
    llm_judges.add_llm_judge(
        campaign=made,
        by=made.created_by,
        file=storage.store_bytes("\n".join(rows).encode()),
        file_name="half.csv",
        about={"name": "Half", "model": "m"},
    )
    (row,) = records(AlternativeAnnotatorTest, made)
    assert row["items"] == 32


def test_people_correct_a_judge_that_has_more_items(made):
    assert records(PredictionPoweredMeans, made) == []
    judge(made, JUDGE)
    assert records(PredictionPoweredMeans, made) == []  # people judged all of its items
    units = frames.read_campaign(made).slots.query("position > 0")["unit"].tolist()
    read = frames.read_campaign(made)
    part = replace(read, judgments=read.judgments[read.judgments["unit"].isin(units[:24])])
    whole, *_ = records(PredictionPoweredMeans, part)
    assert (whole["system"], whole["items"], whole["judged"]) == ("", 40, 24)
    assert whole["people_value"] == pytest.approx(PEOPLE[:24].mean())
    gap = JUDGE.mean() - JUDGE[:24].mean()
    assert whole["corrected_value"] == pytest.approx(PEOPLE[:24].mean() + whole["tuning"] * gap)


def test_a_judge_of_one_system_has_no_corrected_mean_of_all(made):
    judge(made, np.where(SYSTEMS == "Alba", JUDGE.astype(object), ""))
    units = frames.read_campaign(made).slots.query("position > 0")["unit"].tolist()
    read = frames.read_campaign(made)
    part = replace(read, judgments=read.judgments[read.judgments["unit"].isin(units[:24])])
    assert [row["system"] for row in records(PredictionPoweredMeans, part)] == ["Alba"]


def test_every_value_can_be_downloaded_with_its_reason(campaign):
    every = records(JudgedItems, campaign)
    rows = picked(every, repeat=1)
    assert len(rows) == 40
    twice = picked(every, question="Who built lock 4?")
    assert [(row["repeat"], row["value"]) for row in twice] == [
        (1, JUDGE[4]),
        (2, JUDGE[4] % 3 + 1),
    ]
    row = next(row for row in rows if row["question"] == "Who built lock 4?")
    assert (row["value"], row["people"], row["rationale"]) == (
        JUDGE[4],
        pytest.approx(PEOPLE[4].mean()),
        "because",
    )
    assert (row["system"], row["position"], row["judge"]) == ("Alba", 1, "Judge")


def test_very_many_reasons_are_cut_in_the_table_of_all_judgments(campaign, monkeypatch):
    monkeypatch.setattr(bias, "SHORTEST_REASON", 1)
    monkeypatch.setattr(bias, "REASONS", 4 * len(records(JudgedItems, campaign)))
    assert {row["rationale"] for row in records(JudgedItems, campaign)} == {"beca…"}


def test_a_judge_is_set_against_what_people_said_in_whatever_reading_counts(campaign):
    read = frames.read_campaign(campaign)
    ruled = replace(read, judgments=read.judgments.iloc[:60])
    told = Found({"judge_descriptions": records(JudgeDescriptions, read)})
    for section in (
        AlternativeAnnotatorTest,
        JudgeAgainstAnnotators,
        JudgeBias,
        JudgeUseOfScale,
        JudgeConsistency,
        JudgedItems,
    ):
        asked = replace(inputs_of(read), counted=ruled)
        assert section().records(asked, told, chance()) == records(
            section, read, {"judge_descriptions": records(JudgeDescriptions, read)}
        )


def test_nothing_of_a_judge_enters_peoples_numbers(campaign, made):
    sections = (Agreement, Annotators, Systems)
    for section in sections:
        assert records(section, campaign) == records(section, made)
    material = frames.read_campaign(campaign)
    assert set(material.judgments["annotator"]) == {"A1", "A2", "A3"}
    assert len(material.judgments) == 120


def test_a_run_is_out_of_date_once_a_judge_comes(campaign):
    run = studies.analysed(campaign, metrics=[])
    assert runs.changed_since(run) == []
    judge(campaign, JUDGE, "Second")
    assert runs.changed_since(run) == ["LLM judges"]
    tables = dict(runs.StoredTables(run))
    assert {row["judge"] for row in tables["alternative_annotator_test"]} == {"Judge"}
    told = " ".join(each["text"] for each in tables["sentences"] if each["about"] == "LLM judges")
    assert "Correctness: Judge" in told
