"""Marking answers in the passage without JavaScript, and by the requests that scripts send."""

import re

import pytest

from judging.datasets.models.dataset import Passage
from judging.work.actions.drafts import LAST_SEQUENCE
from judging.work.models.assignment import SpanMark
from tests.annotation import studies
from tests.annotation.views.tasks import one_line

pytestmark = pytest.mark.django_db

TEXT = "👩‍🚀 The lock was 𝒜nna's lock; the e\u0301cole stood\r\nby it."


@pytest.fixture
def task():
    campaign = studies.opened("qgstec2010-a", sources=1, systems=["Alba"], expected=2)
    Passage.objects.update(text=TEXT)
    client, enrollment = studies.annotator(campaign)
    return client, studies.held(enrollment)


def pasted(task, piece: str, action: str = "mark m1", **more):
    client, assignment = task
    form = {
        "token": assignment.submit_token,
        "sequence": 0,
        "action": action,
        "m1": "",
        "m1.text": piece,
        "m2": "",
    }
    return client.post(f"/tasks/{assignment.pk}/submit/?step=0", form | more, follow=True)


def texts() -> list[str]:
    return [TEXT[mark.start : mark.end] for mark in SpanMark.objects.order_by("start")]


@pytest.mark.parametrize("piece", ["𝒜nna's lock", "e\u0301cole", "👩‍🚀 The", "stood by it"])
def test_a_pasted_piece_is_marked_where_it_stands(task, piece: str) -> None:
    response = pasted(task, piece)
    assert [" ".join(text.split()) for text in texts()] == [piece]
    assert response.redirect_chain[-1][0].endswith("#m1")
    assert "data-kept><li><q lang=" in response.content.decode()


def test_a_piece_that_stands_more_than_once_is_chosen(task) -> None:
    html = pasted(task, "lock").content.decode()
    choices = re.findall(r'value="(mark m1 \d+-\d+)"', html)
    assert len(choices) == 2
    assert texts() == []
    pasted(task, "", action=choices[1], sequence=1)
    mark = SpanMark.objects.get()
    assert (mark.start, mark.end) == (TEXT.rindex("lock"), TEXT.rindex("lock") + 4)


def test_a_mark_under_the_last_number_there_is_can_be_removed(task) -> None:
    assert (
        'name="sequence" value="0"'
        in pasted(task, "The", sequence=LAST_SEQUENCE - 1).content.decode()
    )
    assert texts() == ["The"]
    pasted(task, "", action="unmark m1 4-7", m1="4-7")
    assert texts() == []


def test_a_piece_that_is_not_in_the_passage_is_said(task) -> None:
    pasted(task, "weir")
    assert texts() == []


def test_a_mark_is_removed_by_its_button(task) -> None:
    pasted(task, "", action="unmark m1 4-7", m1="4-7 8-12")
    assert [(mark.start, mark.end) for mark in SpanMark.objects.all()] == [(8, 12)]


def test_a_piece_still_in_its_field_is_marked_when_the_page_is_saved(task) -> None:
    pasted(task, "𝒜nna", action="save")
    assert texts() == ["𝒜nna"]


def test_nothing_in_the_passage_is_an_answer(task) -> None:
    html = one_line(pasted(task, "", action="save", m1="4-7", **{"m1.nothing": "1"}))
    assert texts() == []
    assert re.search(r'name="m1.nothing" value="1" data-nothing checked', html)


def test_what_is_not_marked_is_named(task) -> None:
    client, assignment = task
    html = client.get(f"/tasks/{assignment.pk}/?missing").content.decode()
    assert '<a href="#m2">B Answer in the passage</a>' in html


def test_scripts_send_marks_like_answers(task) -> None:
    client, assignment = task

    def send(value: str, sequence: int, name: str = "m2") -> int:
        sent = {"name": name, "value": value, "sequence": sequence}
        return client.post(f"/tasks/{assignment.pk}/draft/", sent).status_code

    assert [send("4-7", 2), send("0-1", 1), send("4-7", 1)] == [204, 409, 204]
    assert [
        send("4-9999", 3),
        send("7-4", 3),
        send("4-7", 3, "m9"),
        send("4-7", 3, "q1.syntax"),
    ] == [
        422,
        400,
        422,
        400,
    ]
    assert [(mark.start, mark.end) for mark in SpanMark.objects.all()] == [(4, 7)]


def test_the_page_shows_the_submitted_answer_and_type_and_where_line_ends_are_two(task) -> None:
    from judging.datasets.models.dataset import Question

    Question.objects.update(submitted_answer="the lock", question_type="what")
    client, assignment = task
    html = client.get(f"/tasks/{assignment.pk}/").content.decode()
    assert html.count("Answer given with the question: ") == 2
    assert html.count("Declared type: ") == 2
    assert f'data-returns="{TEXT.index(chr(13))}"' in html


def test_a_button_that_names_no_range_marks_nothing(task) -> None:
    assert pasted(task, "", action="mark m1 7-4").status_code == 200
    assert pasted(task, "", action="mark m77 4-7").status_code == 200
    assert texts() == []
