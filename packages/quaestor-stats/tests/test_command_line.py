"""The command quaestor-stats on files."""

import csv
import json
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import quaestor_stats as qs
from quaestor_stats._cli import main


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    """Ratings of two systems on eight texts by two annotators."""
    rng = np.random.default_rng(2)
    file = tmp_path / "ratings.csv"
    with file.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened)
        writer.writerow(["text", "system", "output", "who", "fluency"])
        for text in range(8):
            for system in "AB":
                score = 2 + (system == "B") + rng.integers(0, 2)
                for who in "xy":
                    value = score + int(rng.random() < 0.2)
                    writer.writerow([text, system, f"{text}{system}", who, value])
    return file


RATED = ["--system", "system", "--source", "text", "--annotator", "who", "--value", "fluency"]


def run(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main([str(word) for word in words]) == 0
    return capsys.readouterr().out


def test_agreement_prints_every_coefficient(
    ratings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = ["--unit", "output", "--rater", "who", "--value", "fluency", "--cluster", "text"]
    text = run(capsys, "agreement", ratings, *columns, "--scale", "2,3,4,5", "--format", "json")
    rows = {row["coefficient"]: row for row in json.loads(text)["rows"]}
    assert list(rows) == [
        "alpha",
        "percent_agreement",
        "fleiss_kappa",
        "conger_kappa",
        "randolph_kappa",
        "gwet_ac1",
        "cohen_kappa",
    ]
    with ratings.open(encoding="utf-8", newline="") as opened:
        table = list(csv.DictReader(opened))
    expected = qs.alpha(
        table, unit="output", rater="who", value="fluency", cluster="text", level="ordinal"
    )
    assert rows["alpha"]["value"] == pytest.approx(expected.value)
    assert (rows["alpha"]["n"], rows["alpha"]["clusters"]) == (16, 8)


def test_compare_prints_differences_and_ranks(
    ratings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = run(capsys, "compare", ratings, *RATED)
    assert "permutation" in text
    assert "system  best  worst" in text


def test_power_prints_power_and_the_items_needed(
    ratings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = ["--difference", "0.5", "--items", "40", "--format", "json"]
    rows = json.loads(run(capsys, "power", ratings, *RATED, *wanted))["rows"]
    assert rows[0]["items"] == 40
    assert rows[1]["power"] >= 0.8


def test_correlate_takes_json_lines_and_a_metric_where_lower_is_better(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "scores.jsonl"
    rows = [{"h": number, "m": number**2, "wer": -number} for number in range(12)]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    text = run(capsys, "correlate", file, "--human", "h", "--metrics", "m,-wer", "--format", "csv")
    assert "h,m,spearman,1.0" in text
    assert "h,wer,spearman,1.0" in text


def test_alt_test_prints_its_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(1, 6, 200)
    lines = ["a,b,c,j", *(",".join(str(t + rng.integers(-1, 2)) for _ in range(4)) for t in truth)]
    file = tmp_path / "items.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    people = ["--annotators", "a,b,c", "--judge", "j", "--epsilon", "0.2"]
    assert "j passes at epsilon 0.2: 200 items." in run(capsys, "alt-test", file, *people)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", "h,m\n1,2,3\n", "line 2: the row has not as many cells as the header"),
        ("a.csv", "h,m\n", "a.csv: the file has no rows"),
        ("a.csv", "h,m\n1,x\n2,3\n", "column 'm', row 1: 'x' is not a number"),
        ("a.jsonl", "[1]\n", 'line 1: a row is an object such as {"unit": "q1"}'),
    ],
)
def test_faults_of_a_file_are_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: str, sentence: str
) -> None:
    file = tmp_path / name
    file.write_text(content, encoding="utf-8")
    assert main(["correlate", str(file), "--human", "h", "--metrics", "m"]) == 2
    assert capsys.readouterr().err.strip().endswith(sentence)


def test_help_takes_less_than_a_second_of_processor_time() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "quaestor_stats", "correlate", "--help"],
        check=True,
        capture_output=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 1
