"""manage.py judge-test on plain tables: the authors' numbers, several judges, and what is
refused."""

import json

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from scipy.stats import spearmanr
from test_alternative_annotator import NAMES, NAMES_JUDGE, SCALE, SCALE_JUDGE

import manage


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "judged.csv"
    rows = ["item,source,h1,h2,h3,judge,top,name1,name2,name3,named"]
    words = ["red", "green", "blue"]
    for n in range(40):
        named = [words[value] for value in [*NAMES[n], NAMES_JUDGE[n]]]
        rows.append(",".join(map(str, [n, n // 2, *SCALE[n], SCALE_JUDGE[n], 5, *named])))
    path.write_text("\n".join(rows))
    return path


def said(capsys, *words):
    call_command("judge_test", *map(str, words))
    return capsys.readouterr().out


def test_the_published_numbers_come_out_of_a_table(table, capsys):
    (found,) = json.loads(
        said(capsys, table, "--people=h1,h2,h3", "--judge=judge", "--epsilon=.2", "--json")
    )
    assert [one["advantage"] for one in found["people"]] == [0.9, 0.975, 0.925]
    assert [one["p_items"] for one in found["people"]] == pytest.approx(
        [0.0219919, 4.80233e-6, 5.25855e-5], abs=1e-3
    )
    assert found["winning_rate_items"] == 1
    assert found["passes"] is True
    assert (found["items"], found["dropped"]) == (40, 0)


def test_names_are_read_as_names(table, capsys):
    asked = [
        "--people=name1,name2,name3",
        "--judge=named",
        "--level=nominal",
        "--epsilon=.1",
        "--json",
    ]
    (found,) = json.loads(said(capsys, table, *asked))
    assert [one["p_items"] for one in found["people"]] == pytest.approx(
        [0.5, 0.0720963, 0.0720963], abs=1e-6
    )
    assert found["winning_rate_items"] == 0
    assert "rho_of_judge" not in found


def test_what_a_person_reaches_stands_beside_what_the_judge_reaches(table, capsys):
    (found, top) = json.loads(
        said(capsys, table, "--people=h1,h2,h3", "--judge=judge,top", "--epsilon=.2", "--json")
    )
    others = [SCALE[:, [b for b in range(3) if b != a]].mean(axis=1) for a in range(3)]
    judge = np.mean([spearmanr(SCALE_JUDGE, other).statistic for other in others])
    person = np.mean([spearmanr(SCALE[:, a], others[a]).statistic for a in range(3)])
    assert found["rho_of_judge"]["value"] == pytest.approx(judge)
    assert found["rho_of_a_person"]["value"] == pytest.approx(person)
    assert found["severity"]["value"] == pytest.approx(np.mean(SCALE_JUDGE - SCALE.mean(axis=1)))
    assert top["rho_of_judge"]["value"] is None
    assert (top["most_given"], top["most_given_share"]) == (5, 1)


@pytest.mark.long
def test_power_says_how_many_items_decide(table, capsys):
    words = [table, "--people=h1,h2,h3", "--judge=judge", "--epsilon=.2", "--power"]
    (found,) = json.loads(said(capsys, *words, "--json"))
    assert [each["items"] for each in found["power"]] == [30, 50, 100, 200, 400, 800]
    assert found["power"][-1]["passes"] == 1


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--people=h1,h9", "--judge=judge"], "h9"),
        (["--people=h1,h2", "--judge=h1"], "h1"),
        (["--people=h1,h1", "--judge=judge"], "h1"),
        (["--people=,", "--judge=judge"], "column"),
        (["--people=h1,h2", "--judge=named"], "green"),
    ],
)
def test_what_cannot_be_read_is_told(table, words, reason):
    with pytest.raises(CommandError, match=reason):
        call_command("judge_test", str(table), *words, "--epsilon=.2")


def test_the_hyphened_name_is_the_command_and_needs_no_database(table, capsys):
    words = [
        str(table),
        "--people",
        "h1,h2,h3",
        "--judge",
        "judge",
        "--level",
        "ordinal",
        "--epsilon",
        ".2",
        "--json",
    ]
    manage.main(["manage.py", "judge-test", *words])
    assert json.loads(capsys.readouterr().out)[0]["winning_rate"] == 1
