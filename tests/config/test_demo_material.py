"""The demo's questions: whole, balanced, and with metric columns that are what the README says."""

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from config import demo

ROWS = list(
    csv.DictReader(
        (Path(demo.__file__).parent / "questions.csv").open(encoding="utf-8", newline="")
    )
)
SYSTEMS = ["Alba", "Brisa", "Corvo", "Dorso"]


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def f1(question: str, reference: str) -> float:
    shared = (Counter(words(question)) & Counter(words(reference))).total()
    return 2 * shared / (len(words(question)) + len(words(reference)))


def test_every_system_has_one_question_for_every_source():
    sources = dict.fromkeys(row["source_id"] for row in ROWS)

    assert [(row["source_id"], row["system"]) for row in ROWS] == [
        (key, name) for key in sources for name in SYSTEMS
    ]
    assert len(sources) == 22
    assert len({row["passage"] for row in ROWS}) == 16
    assert len({row["question"] for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['source_id']}-{row['system']}")
def test_answer_stands_where_the_row_says_and_scores_are_computed_from_the_text(row):
    start, answer = int(row["answer_start"]), row["answer"]
    references = [row[name] for name in ("reference_1", "reference_2") if row[name]]
    question, known = words(row["question"]), set(words(row["passage"]))

    assert row["passage"][start : start + len(answer)] == answer
    assert answer in row["sentence"] and row["sentence"] in row["passage"]
    assert 60 <= len(row["passage"].split()) <= 130
    assert (
        row["token_f1"] == f"{max(f1(row['question'], reference) for reference in references):.4f}"
    )
    assert (
        row["passage_overlap"] == f"{sum(word in known for word in question) / len(question):.4f}"
    )
