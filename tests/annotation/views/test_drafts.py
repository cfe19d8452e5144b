"""Autosave: what is kept, what comes late, what is refused."""

import json

import pytest
from django.test import Client

from judging.work.actions import drafts
from judging.work.models.assignment import Draft, Note
from tests.annotation import studies
from tests.annotation.views.tasks import address, page, send

pytestmark = pytest.mark.django_db


def test_draft_is_kept_and_says_nothing(small) -> None:
    client, task = small
    response = send(client, task, "q1.correctness", 2)
    assert (response.status_code, response.content) == (204, b"")
    assert Draft.objects.get(assignment=task).value == 2


def test_draft_answer_carries_the_token_that_a_submission_changes(small) -> None:
    client, task = small
    before = send(client, task, "q1.correctness", 2).headers["X-Quaestor-Token"]
    assert before == str(task.submit_token)
    client.post(f"/tasks/{task.pk}/submit/?step=0", studies.filled(task, sequence=5))
    task.refresh_from_db()
    for sequence, value in ((9, 1), (8, 2), (10, 31)):  # stored, late, off the scale
        answer = send(client, task, "q1.correctness", value, sequence)
        assert answer.headers["X-Quaestor-Token"] == str(task.submit_token) != before


@pytest.mark.parametrize(("name", "kept", "late"), [("q1.correctness", 2, 3), ("note", "b", "a")])
def test_draft_that_comes_late_is_a_conflict_unless_it_says_the_same(small, name, kept, late):
    client, task = small
    send(client, task, name, kept, 5)
    assert send(client, task, name, late, 4).status_code == 409
    assert send(client, task, name, kept, 4).status_code == 204
    drafted = drafts.load_draft(task)
    assert kept in [*drafted.answers.values(), drafted.note]


@pytest.mark.parametrize(("name", "value"), [("q1.correctness", 2), ("note", "said")])
def test_draft_under_the_last_number_there_is_keeps_nobody_from_going_on(
    small, name, value
) -> None:
    client, task = small
    assert send(client, task, name, value, drafts.LAST_SEQUENCE).status_code == 204
    assert send(client, task, name, 3, 7).status_code == 409
    assert 'name="sequence" value="0"' in page(client, task)
    kept = drafts.load_draft(task)
    assert [*kept.answers.values(), kept.note] == ([value, ""] if name != "note" else [value])
    assert send(client, task, name, 3, 1).status_code == 204
    client.post(address(task, "submit/"), studies.filled(task, sequence=0))
    task.refresh_from_db()
    assert task.state == "submitted"


@pytest.mark.parametrize(
    ("name", "value", "sequence", "status"),
    [
        ("q1.correctness", 31, 1, 422),
        ("q9.correctness", 1, 1, 422),
        ("q1.correctness", "two", 1, 400),
        ("q1.correctness", 1, -1, 400),
        ("q1.correctness", 1, 2**64, 400),
        ("note", "x" * 5001, 1, 400),
        ("note", "zero \x00 byte", 1, 400),
    ],
)
def test_draft_that_is_wrong_is_refused_with_a_reason(small, name, value, sequence, status) -> None:
    client, task = small
    response = send(client, task, name, value, sequence)
    assert response.status_code == status
    assert json.loads(response.content)["error"]
    assert not Draft.objects.exists()
    assert not Note.objects.exists()


def test_draft_needs_the_token_against_forgery(small) -> None:
    _client, task = small
    careful = Client(enforce_csrf_checks=True)
    careful.force_login(task.enrollment.user)
    assert send(careful, task, "q1.correctness", 1).status_code == 403


def test_note_that_lost_against_another_windows_is_said_and_not_submitted_over(small) -> None:
    client, task = small
    said = {"note": "two\r\nlines"}
    for note, answer in [("two\nlines ", True), ("another", False)]:
        send(client, task, "note", note, 9)
        sent = client.post(
            address(task, "submit/"), studies.filled(task, action="save") | said, follow=True
        )
        assert (
            [message.level_tag for message in sent.context["messages"]] == ["success"]
        ) == answer
        Note.objects.all().delete()


def test_note_of_half_characters_is_kept_as_replaced_ones(small) -> None:
    client, task = small
    body = f"note=a%ED%A0%80%FF&sequence=0&action=save&token={task.submit_token}"
    client.post(address(task, "submit/"), body, content_type="application/x-www-form-urlencoded")
    assert Note.objects.get().text == "a" + "\ufffd" * 4


def test_drafts_come_several_at_once(small) -> None:
    client, task = small
    sent = {
        "name": ["q1.correctness", "q2.correctness", "note"],
        "value": ["2", "3", "Hm"],
        "sequence": 4,
    }
    assert client.post(address(task, "draft/"), sent).status_code == 204
    assert sorted(drafts.draft_answers(task).values()) == [2, 3]
    assert drafts.task_comment(task) == "Hm"


def test_draft_that_lost_is_told_what_stands_and_the_number_to_count_on_from(small) -> None:
    client, task = small
    send(client, task, "q1.correctness", 2, 5)
    send(client, task, "note", "later", 6)
    sent = {
        "name": ["q1.correctness", "q2.correctness", "note"],
        "value": ["3", "1", ""],
        "sequence": 4,
    }
    response = client.post(address(task, "draft/"), sent)
    assert response.status_code == 409
    said = response.json()
    assert (said["lost"], said["sequence"]) == ({"q1.correctness": "2", "note": "later"}, 6)
    assert sorted(drafts.draft_answers(task).values()) == [1, 2]


def test_submit_that_lost_names_the_question_and_both_values(small) -> None:
    client, task = small
    send(client, task, "q1.correctness", 2, 9)
    answer = client.post(address(task, "submit/"), studies.filled(task), follow=True)
    told = " ".join(map(str, answer.context["messages"]))
    assert all(named in told for named in ("A Correctness", "3 yes", "2 maybe"))
