"""Machine judges in a report: worked by hand or by scipy, and never among people's numbers."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from django.utils import timezone
from scipy.stats import spearmanr

from analysis import frames
from analysis.actions import runs
from analysis.sections.agreement import Agreement
from analysis.sections.annotators import Annotators
from analysis.sections.judge_bias import JudgeBias, JudgedItems, JudgeLevels, JudgeUse
from analysis.sections.judge_consistency import JudgeConsistency
from analysis.sections.judge_corrections import CorrectedMeans
from analysis.sections.judge_verdicts import AgainstPeople, Verdicts
from analysis.sections.machine_judges import MachineJudges
from analysis.sections.section import Found
from analysis.sections.system_means import SystemMeans
from analysis.stats.inference import Inference
from judging import storage
from judging.actions import machine_judges
from judging.imports.actions import new_collections
from judging.imports.readers.guessing import guess
from judging.imports.readers.mapping import to_study
from judging.imports.readers.tables import read_delimited
from judging.models import Campaign
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


def study(systems: Sequence[str] = tuple(SYSTEMS)) -> Campaign:
    header = ["source_id", "passage", "answer", "system", "question"]
    rows = [",".join(header + [f"correctness@A{a}" for a in (1, 2, 3)])]
    for n in range(40):
        text = f"Lock {n // 2} was built by Ada Lind."
        rows.append(
            ",".join(
                map(str, [n // 2, text, "Ada Lind", systems[n], f"Who built lock {n}?", *PEOPLE[n]])
            )
        )
    table = read_delimited("\n".join(rows).encode())
    made = new_collections.import_study(
        study=to_study(table, guess(table.header, [row.cells for row in table.rows])),
        name="Locks",
        by=factories.researcher(),
        now=timezone.now(),
        rubric=factories.rubric(),
    )
    assert made.campaign is not None
    return made.campaign


def judge(campaign: Campaign, values, name="Judge", again=None, **about):
    by_text = {item.text: item.token for item in machine_judges.items(campaign)}
    rows = ["item,correctness,rationale"]
    for column in [values] + ([again] if again is not None else []):
        rows += [
            f"{by_text[f'Who built lock {n}?']},{value},because" for n, value in enumerate(column)
        ]
    return machine_judges.add(
        campaign=campaign,
        by=campaign.created_by,
        file=storage.keep("\n".join(rows).encode()),
        file_name="judge.csv",
        about={"name": name, "model": "maker/model", "prompt": "Rate.", **about},
    )[0]


@pytest.fixture
def campaign() -> Campaign:
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


def test_the_judge_is_told_with_how_it_was_made(campaign):
    (row,) = records(MachineJudges, campaign)
    assert (row["judge"], row["model"], row["temperature"]) == ("Judge", "maker/model", 0.5)
    assert (row["items"], row["judgments"], row["repeated"]) == (40, 80, 40)
    assert (row["own_systems"], row["judged_on"]) == (["Alba"], "2026-05-04")


def nearness(values, others):
    return -np.sqrt(np.mean((values[:, None] - others) ** 2, axis=1))


def test_the_verdict_is_the_published_test_and_the_ceiling_stands_beside_it(campaign):
    (row,) = records(Verdicts, campaign, judge_epsilon=0.2)
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
    assert row["advantage_clusters"] == 20
    assert (row["items"], row["people"], row["epsilon_reason"]) == (40, 3, "trained experts")
    assert row["most_given_share"] == pytest.approx(np.bincount(JUDGE).max() / 40)


def test_a_judge_is_compared_with_itself_over_repetitions_and_places():
    made = study()
    tokens = {item.text: item.token for item in machine_judges.items(made)}
    again = np.where((N % 4 == 0) & (JUDGE > 1), JUDGE - 1, JUDGE)  # less where it stands second
    rows = ["item,correctness,shown_at"]
    for values, at in ((JUDGE, 1), (again, 2)):
        rows += [f"{tokens[f'Who built lock {n}?']},{values[n]},{at}" for n in range(40)]
    machine_judges.add(
        campaign=made,
        by=made.created_by,
        file=storage.keep("\n".join(rows).encode()),
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


def test_what_was_asked_once_has_no_consistency(campaign):
    made = study()
    judge(made, JUDGE)
    assert records(JudgeConsistency, made) == []
    (row,) = records(JudgeConsistency, campaign)  # asked twice, alone each time
    assert (row["same_value"], row["moved"]) == (pytest.approx(30 / 40), 0)
    assert row["earlier_reason"] == "no question was asked so twice"


def test_each_person_is_compared_apart(campaign):
    rows = records(AgainstPeople, campaign, judge_epsilon=0.2)
    assert [row["person"] for row in rows] == ["A1", "A2", "A3"]
    others = PEOPLE[:, 1:]
    assert rows[0]["advantage"] == pytest.approx(
        np.mean(nearness(JUDGE, others) >= nearness(PEOPLE[:, 0], others))
    )
    assert rows[0]["person_advantage"] == pytest.approx(
        np.mean(nearness(JUDGE, others) <= nearness(PEOPLE[:, 0], others))
    )
    assert rows[1]["rho"] == pytest.approx(spearmanr(JUDGE, PEOPLE[:, 1]).statistic)
    assert rows[0]["kappa_clusters"] == 20


def test_a_judge_that_favours_its_own_family_is_seen():
    made = study()
    judge(made, np.minimum(3, PEOPLE[:, 0] + (SYSTEMS == "Alba")), own_systems=["Alba"])
    told = {"machine_judges": records(MachineJudges, made)}
    rows = {row["system"]: row for row in records(JudgeBias, made, told)}
    gap = np.minimum(3, PEOPLE[:, 0] + (SYSTEMS == "Alba")) - PEOPLE.mean(axis=1)
    expected = gap[SYSTEMS == "Alba"].mean() - gap[SYSTEMS == "Brisa"].mean()
    assert rows["Alba"]["value"] == pytest.approx(expected)
    assert rows["Brisa"]["value"] == pytest.approx(-expected)
    assert rows["Alba"]["low"] > 0
    assert rows["Alba"]["own_family"] is True
    assert {(row["criterion"], row["judge"]) for row in rows.values()} == {("correctness", "Judge")}


def test_a_judge_of_one_system_is_followed_over_all_questions_whatever_is_random():
    made = study(["Alba"] * 40)
    judge(made, JUDGE)
    asked = replace(inputs_of(frames.material(made)), design=Inference(systems=True))
    rows = JudgeLevels().records(asked, Found({}), chance())
    (row,) = picked(rows, level="pooled", measure="spearman")
    assert row["value"] == pytest.approx(spearmanr(JUDGE, PEOPLE.mean(axis=1)).statistic)


def test_use_of_the_scale_stands_beside_peoples(campaign):
    rows = picked(records(JudgeUse, campaign), judge="Judge")
    assert [row["count"] for row in rows] == np.bincount(JUDGE, minlength=4)[1:].tolist()
    assert [row["people_share"] for row in rows] == pytest.approx(
        [float((v == PEOPLE).mean()) for v in (1, 2, 3)]
    )


def test_levels_are_those_of_metrics(campaign):
    (row,) = picked(records(JudgeLevels, campaign), level="pooled", measure="spearman")
    assert row["value"] == pytest.approx(spearmanr(JUDGE, PEOPLE.mean(axis=1)).statistic)


def test_several_judges_make_a_jury_and_an_always_top_judge_is_told_by_its_scale():
    made = study()
    judge(made, JUDGE, "First")
    judge(made, np.full(40, 3), "Top")
    judge(made, PEOPLE[:, 0], "Third")
    rows = {row["judge"]: row for row in records(Verdicts, made)}
    assert list(rows) == ["First", "Top", "Third", "jury of 3"]
    assert rows["Top"]["most_given_share"] == 1
    assert rows["Top"]["follows_value"] is None
    mean = (JUDGE + 3 + PEOPLE[:, 0]) / 3
    expected = np.mean(
        [spearmanr(mean, np.delete(PEOPLE, a, axis=1).mean(axis=1)).statistic for a in range(3)]
    )
    assert rows["jury of 3"]["follows_value"] == pytest.approx(expected)


def test_a_judge_on_half_the_items_is_compared_on_those():
    made = study()
    by_text = {item.text: item.token for item in machine_judges.items(made)}
    rows = [
        "item,correctness",
        *(f"{by_text[f'Who built lock {n}?']},{JUDGE[n]}" for n in range(32)),
    ]
    machine_judges.add(
        campaign=made,
        by=made.created_by,
        file=storage.keep("\n".join(rows).encode()),
        file_name="half.csv",
        about={"name": "Half", "model": "m"},
    )
    (row,) = records(Verdicts, made)
    assert row["items"] == 32


def test_people_correct_a_judge_that_has_more_items():
    made = study()
    assert records(CorrectedMeans, made) == []
    judge(made, JUDGE)
    assert records(CorrectedMeans, made) == []  # people judged all of its items
    units = frames.material(made).slots.query("position > 0")["unit"].tolist()
    read = frames.material(made)
    part = replace(read, judgments=read.judgments[read.judgments["unit"].isin(units[:24])])
    whole, *_ = records(CorrectedMeans, part)
    assert (whole["system"], whole["items"], whole["judged"]) == ("", 40, 24)
    assert whole["people_value"] == pytest.approx(PEOPLE[:24].mean())
    gap = JUDGE.mean() - JUDGE[:24].mean()
    assert whole["corrected_value"] == pytest.approx(PEOPLE[:24].mean() + whole["tuning"] * gap)


def test_every_value_can_be_downloaded_with_its_reason(campaign):
    rows = picked(records(JudgedItems, campaign), repeat=1)
    assert len(rows) == 40
    row = next(row for row in rows if row["question"] == "Who built lock 4?")
    assert (row["value"], row["people"], row["rationale"]) == (
        JUDGE[4],
        pytest.approx(PEOPLE[4].mean()),
        "because",
    )


def test_nothing_of_a_judge_enters_peoples_numbers(campaign):
    people = study()
    sections = (Agreement, Annotators, SystemMeans)
    for section in sections:
        assert records(section, campaign) == records(section, people)
    material = frames.material(campaign)
    assert set(material.judgments["annotator"]) == {"A1", "A2", "A3"}
    assert len(material.judgments) == 120


def test_a_run_is_out_of_date_once_a_judge_comes(campaign):
    run = studies.analysed(campaign, metrics=[])
    assert runs.changed_since(run) == []
    judge(campaign, JUDGE, "Second")
    assert runs.changed_since(run) == ["machine judges"]
    tables = runs.tables_of(run)
    assert {row["judge"] for row in tables["judge_verdicts"]} == {"Judge"}
    told = " ".join(
        each["text"] for each in tables["sentences"] if each["about"] == "Machine judges"
    )
    assert "Correctness: Judge" in told
