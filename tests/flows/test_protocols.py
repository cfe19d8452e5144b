"""One task of every protocol that comes with the software, judged in a real browser by keyboard:
the rows that are stored are those that were meant. Expected values are written by hand, question by
question in the order shown."""

from typing import Any

import pytest

from judging.campaigns.models.campaign import Campaign
from judging.protocols import documents
from judging.work.models.assignment import SpanMark
from judging.work.models.judgment import Judgment
from tests.annotation import studies
from tests.flows.sessions import enter, press_keys

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Rows = list[dict[str, int]]  # by question, or by set; a value with a minus was set by a rule
PAIR = {"systems": ["Alba"], "expected": 2}
TASK_B = [
    {"relevance": 1, "questionType": 2, "correctness": 1, "ambiguity": 3, "variety": 2},
    {"relevance": 1, "questionType": 2, "correctness": 4, "ambiguity": 1, "variety": 2},
]
JUDGED: dict[str, tuple[dict[str, Any], str, Rows]] = {
    "nema-khapra": ({}, "4 2", [{"answerability": 4}, {"answerability": 2}]),
    "qgbench": (
        {},
        "332 21",
        [
            {"grammaticality": 3, "understandability": 3, "correctness": 2},
            {"grammaticality": 2, "understandability": 1, "correctness": -1},
        ],
    ),
    "qgbench-staged": (
        {},
        "3 2 Enter 13 2",
        [
            {"grammaticality": 3, "understandability": 1, "correctness": -1},
            {"grammaticality": 2, "understandability": 3, "correctness": 2},
        ],
    ),
    "qgeval": (
        {},
        "3213213 1231231",
        [
            {
                "fluency": 3,
                "clarity": 2,
                "conciseness": 1,
                "relevance": 3,
                "consistency": 2,
                "answerability": 1,
                "answer_consistency": 3,
            },
            {
                "fluency": 1,
                "clarity": 2,
                "conciseness": 3,
                "relevance": 1,
                "consistency": 2,
                "answerability": 3,
                "answer_consistency": 1,
            },
        ],
    ),
    "qgstec-plus": (PAIR, "1213 1241 2", TASK_B),
    "qgstec2010-b": (PAIR, "1213 1241 2", TASK_B),
    "qgstec2010-a": (
        PAIR,
        "32104 Enter End Enter Escape 11213 0",
        [
            {"specificity": 3, "syntax": 2, "semantics": 1, "qtype_correct": 0, "diversity": 4},
            {"specificity": 1, "syntax": 1, "semantics": 2, "qtype_correct": 1, "diversity": 3},
        ],
    ),
    "schlichtkrull-cheng": (
        {"expected": 2},
        "321 213",
        [
            {"fluency": 3, "relevancy": 2, "diversity": 1},
            {"fluency": 2, "relevancy": 1, "diversity": 3},
        ],
    ),
}


def test_every_shipped_protocol_is_judged_here() -> None:
    assert set(JUDGED) == set(documents.shipped_keys())


def press(page: Any, keys: str) -> None:
    """Press digits one by one and named keys; a key that opens the next step waits for it."""
    for word in keys.split():
        step = page.locator(".above .chip").all_inner_texts()
        press_keys(page, [word] if word.isalpha() else word)
        if word == "Enter" and step:
            page.get_by_text("Step 2 of 2").wait_for()
            page.wait_for_selector("#judging.scripted")  # before that a key is nobody's


def shown(page: Any, rows: Rows) -> list[str]:
    """Return the texts of what is judged, in the order of the page: of each question, or of each
    set's first one."""
    texts = page.locator(".question h2.text > span:last-child").all_inner_texts()
    return texts[:: len(texts) // len(rows)]


def stored(campaign: Campaign) -> set[tuple[str, str, int, str]]:
    """Return text, criterion, value and origin of each judgment; a set goes by its first
    question."""
    found = set()
    for row in Judgment.objects.filter(assignment__round__campaign=campaign).select_related(
        "unit__question_set"
    ):
        unit = row.unit if row.unit.position else row.unit.question_set.units.get(position=1)
        found.add((unit.question.text, row.criterion.key, row.value, row.origin))
    return found


@pytest.mark.long
@pytest.mark.parametrize("key", JUDGED)
def test_a_task_judged_by_keyboard_stores_what_was_meant(page: Any, key: str) -> None:
    material, keys, rows = JUDGED[key]
    campaign = studies.opened(key, sources=1, **material)
    enter(page, studies.annotator(campaign)[1].user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    press(page, keys)
    texts = shown(page, rows)
    assert page.locator("#missing").inner_text() == "Everything is answered"
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/tasks/" not in url)
    assert stored(campaign) == {
        (text, criterion, abs(value), "rule" if value < 0 else "judged")
        for text, row in zip(texts, rows, strict=True)
        for criterion, value in row.items()
    }
    marks = [(mark.unit.question.text, mark.start, mark.end) for mark in SpanMark.objects.all()]
    passage = "Lock 1 was built by Agnes Tolliver. It has iron gates."
    gates = passage.index("gates")
    assert marks == ([(texts[0], gates, gates + 5)] if key == "qgstec2010-a" else [])
