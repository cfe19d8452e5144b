"""“Report a problem with this question”: said with a comment, it takes the place of ratings and reaches the
manager."""

import pytest

from judging.protocols import documents
from judging.protocols.actions import protocols
from judging.work.actions import drafts, sheets, span_marks
from judging.work.models.assignment import Note
from judging.work.models.judgment import Judgment
from tests import factories
from tests.annotation import studies
from tests.annotation.views.tasks import address, page, send
from tests.refusing import refusals_on

pytestmark = pytest.mark.django_db
WRONG = "The passage is about something else"


def rate_nothing_of(task, letter: str = "q1") -> dict:
    return {
        name: value
        for name, value in studies.filled(task).items()
        if not name.startswith(f"{letter}.")
    }


def test_report_takes_the_place_of_the_ratings(small) -> None:
    client, task = small
    assert client.post(address(task, "submit/"), rate_nothing_of(task)).url.endswith("?missing")
    assert send(client, task, "b1", WRONG, 5).status_code == 204
    html = client.get(address(task) + "?missing").text
    assert WRONG in html
    client.post(address(task, "submit/"), rate_nothing_of(task) | {"sequence": 5})
    task.refresh_from_db()
    assert (task.state, Judgment.objects.filter(assignment=task).count()) == ("submitted", 2)


def test_report_without_javascript_comes_with_the_page_and_can_be_taken_back(small) -> None:
    client, task = small
    client.post(address(task, "submit/"), studies.filled(task, action="save") | {"b2": WRONG})
    assert list(drafts.load_draft(task).reports.values()) == [WRONG]
    client.post(
        address(task, "submit/"), studies.filled(task, action="save", sequence=3) | {"b2": ""}
    )
    assert drafts.load_draft(task).reports == {}


def test_report_that_comes_late_is_a_conflict(small) -> None:
    client, task = small
    send(client, task, "b1", WRONG, 5)
    response = send(client, task, "b1", "earlier", 4)
    assert (response.status_code, response.json()["lost"]) == (409, {"b1": WRONG})


def test_report_reaches_the_manager_without_a_system(small) -> None:
    client, task = small
    send(client, task, "b1", f"<b>{WRONG}</b>", 5)
    manager = factories.logged_in(task.round.campaign.created_by)
    uuid = task.round.campaign.uuid
    assert "reported questions as broken: 1." in manager.get(f"/campaigns/{uuid}/").text
    html = manager.get(f"/campaigns/{uuid}/tasks/").text
    assert f"&lt;b&gt;{WRONG}" in html
    assert f"by {task.enrollment.label}" in html
    assert not {"Alba", "Brisa"} & set(html.split())


def test_report_is_not_offered_where_the_protocol_refuses_it() -> None:
    protocol = factories.protocol(broken_items="refused")
    client, enrollment = studies.annotator(factories.opened(protocol=protocol))
    task = studies.held(enrollment)
    assert 'name="b1"' not in page(client, task)
    assert send(client, task, "b1", WRONG).status_code == 422
    assert not Note.objects.exists()


def test_cannot_say_stands_apart_from_the_scale() -> None:
    text = factories.SMALL.replace(
        '{value: 3, label: "yes"}',
        '{value: 3, label: "yes"}, {value: 9, label: Cannot say, missing: true}',
        1,
    )

    made = protocols.install(document=documents.parse(text, "small.yaml"))
    client, enrollment = studies.annotator(factories.opened(protocol=made))
    html = page(client, studies.held(enrollment))
    scale, apart, _rest = html.partition('<div class="scale apart" translate="no">')
    assert "Cannot say" not in scale
    assert apart
    assert html.count('<div class="scale apart" translate="no">') == 2


def hand_in(client, task, step: int = 0, **said):
    """Submit a page with nothing on it but what is said."""
    task.refresh_from_db()
    form = {"token": task.submit_token, "sequence": 1, "action": "submit"}
    return client.post(address(task, "submit/", step), form | said, follow=True)


def values(task) -> int:
    return Judgment.objects.standing().filter(assignment=task).count()


@pytest.fixture
def reported(small):
    """Return a client and a task that was submitted with reports and no answer."""
    client, task = small
    hand_in(client, task, b1=WRONG, b2=WRONG)
    task.refresh_from_db()
    assert (task.state, values(task)) == ("submitted", 0)
    return client, task


@pytest.mark.parametrize("blank", ["", "  \n"])
def test_report_that_a_task_was_handed_in_with_is_not_taken_back_by_a_save(reported, blank) -> None:
    client, task = reported
    response = send(client, task, "b1", blank, 9)
    assert response.status_code == 409
    assert response.json()["held_back"] == ["b1"]
    assert set(drafts.load_draft(task).reports.values()) == {WRONG}
    assert len(drafts.load_draft(task).reports) == 2


def test_report_that_a_task_was_handed_in_with_is_not_taken_back_by_the_plain_form(
    reported,
) -> None:
    client, task = reported
    page_ = studies.filled(task, action="save", sequence=9) | {"b1": "", "b2": "Another text"}
    answer = client.post(address(task, "submit/"), page_, follow=True)
    assert refusals_on(answer) == ["answer_first"]
    assert sorted(drafts.load_draft(task).reports.values()) == ["Another text", WRONG]
    assert len(drafts.draft_answers(task)) == 4  # all else that was sent is kept


def test_handing_in_takes_a_report_back_with_answers_alone(reported) -> None:
    client, task = reported
    assert refusals_on(hand_in(client, task, b1="", sequence=9)) == ["answer_first"]
    task.refresh_from_db()
    assert len(drafts.load_draft(task).reports) == 2
    client.post(address(task, "submit/"), studies.filled(task, sequence=12) | {"b1": "", "b2": ""})
    assert (drafts.load_draft(task).reports, values(task)) == ({}, 4)


def test_page_that_is_sent_again_takes_no_report_back(reported) -> None:
    client, task = reported
    form = {"token": "5e" * 16, "sequence": 20, "action": "submit", "b1": ""}
    assert refusals_on(client.post(address(task, "submit/"), form, follow=True)) == ["answer_first"]
    assert len(drafts.load_draft(task).reports) == 2


def test_answers_that_wait_take_no_reports_place(reported) -> None:
    client, task = reported
    for name in ("q1.correctness", "q1.grammaticality"):
        send(client, task, name, 3, 9)
    assert send(client, task, "b1", "", 10).status_code == 409


def test_report_beside_answers_that_stand_is_taken_back(small) -> None:
    client, task = small
    client.post(address(task, "submit/"), studies.filled(task) | {"b1": WRONG})
    assert values(task) == 4
    assert send(client, task, "b1", "", 9).status_code == 204
    assert drafts.load_draft(task).reports == {}


def test_handing_in_again_without_values_needs_the_report(small) -> None:
    client, task = small
    client.post(address(task, "submit/"), studies.filled(task))
    emptied = {"q1.correctness": "", "q1.grammaticality": "", "b1": WRONG}
    task.refresh_from_db()
    client.post(address(task, "submit/"), studies.filled(task, sequence=9) | emptied)
    assert values(task) == 2
    assert send(client, task, "b1", "", 20).status_code == 409
    assert list(drafts.load_draft(task).reports.values()) == [WRONG]


def test_window_that_was_opened_before_handing_in_takes_no_report_back(small, monkeypatch) -> None:
    client, task = small
    hand_in(client, task, b1=WRONG, b2=WRONG)
    stale = type(task).objects.select_related("round__campaign__protocol").get(pk=task.pk)
    stale.state = "held"  # as it was read before the other window's transaction ended
    gone = dict.fromkeys(sheets.sheet_of_assignment(stale).reports(), "")
    with pytest.raises(drafts.AnswerFirst):
        drafts.save_draft(assignment=stale, page=drafts.SentPage([], 9, reports=gone))
    assert len(drafts.load_draft(task).reports) == 2


@pytest.fixture
def marked():
    """Return a client and a task that was submitted with a mark for each question."""
    client, enrollment = studies.annotator(
        studies.opened("qgstec2010-a", sources=1, systems=["Alba"], expected=2)
    )
    task = studies.held(enrollment)
    answers = studies.filled(task, qtype_correct=1) | {"m1": "0-3", "m2": "0-3"}
    client.post(address(task, "submit/"), answers)
    task.refresh_from_db()
    return client, task


def marks(task) -> list[str]:
    return sorted(str(each) for each in span_marks.load_marks(task)[0].values())


def test_mark_that_a_task_was_handed_in_with_stands_until_another_is_made(marked) -> None:
    client, task = marked
    assert task.state == "submitted"
    response = send(client, task, "m1", "", 9)
    assert response.status_code == 409
    assert response.json()["held_back"] == ["m1"]
    assert marks(task) == ["0-3", "0-3"]
    assert send(client, task, "m1", "4-6", 10).status_code == 204
    assert marks(task) == ["0-3", "4-6"]
    assert send(client, task, "m1", "none", 11).status_code == 204
    form = {"token": task.submit_token, "sequence": 12, "action": "unmark m2 0-3", "m2": "0-3"}
    answer = client.post(address(task, "submit/"), form, follow=True)
    assert refusals_on(answer) == ["answer_first"]
    assert marks(task) == ["0-3", "none"]


def test_mark_and_report_are_not_taken_back_one_after_the_other(marked) -> None:
    client, task = marked
    send(client, task, "b1", WRONG, 9)
    assert send(client, task, "m1", "", 10).status_code == 204
    assert send(client, task, "b1", "", 11).status_code == 409
    both = {"name": ["m1", "b1"], "value": ["4-6", ""], "sequence": 12}
    assert client.post(address(task, "draft/"), both).status_code == 204
    assert (marks(task), drafts.load_draft(task).reports) == (["0-3", "4-6"], {})


def test_button_that_hands_all_in_again_takes_no_report_back_and_makes_answers_count(
    reported,
) -> None:
    client, task = reported
    answers = studies.filled(task, action="save", sequence=9) | {"b1": ""}
    client.post(address(task, "submit/"), answers)
    client.post(f"/work/{task.round.campaign.uuid}/again/")
    assert values(task) == 4
    assert len(drafts.load_draft(task).reports) == 2
    assert send(client, task, "b1", "", 20).status_code == 204, "answers stand by now"
    assert len(drafts.load_draft(task).reports) == 1


def go_on(client, task, **said) -> None:
    """Leave the first step with a page on which nothing is answered but what is said."""
    task.refresh_from_db()
    form = {"token": task.submit_token, "sequence": 2, "action": "continue"}
    client.post(address(task, "submit/"), form | said)
    task.refresh_from_db()
    assert task.stage == 1


def test_report_of_a_step_that_is_closed_stands_for_good(staged) -> None:
    client, task = staged
    go_on(client, task, b1=WRONG, b2=WRONG)
    assert send(client, task, "b1", "", 3).status_code == 204, "not submitted yet"
    assert hand_in(client, task, step=1, b2=WRONG, sequence=4).status_code == 200
    assert (task.state, values(task)) == ("held", 0)
    hand_in(client, task, step=1, b1=WRONG, b2=WRONG, sequence=5)
    task.refresh_from_db()
    assert (task.state, values(task)) == ("submitted", 0)
    answers = studies.filled(task, stage=1, sequence=9) | {"b1": "", "b2": WRONG}
    answer = client.post(address(task, "submit/", 1), answers, follow=True)
    assert refusals_on(answer) == ["answer_first"]
    assert send(client, task, "q1.grammaticality", 3, 12).status_code == 409
    assert send(client, task, "b1", "", 13).status_code == 409
    assert set(drafts.load_draft(task).reports.values()) == {WRONG}
    assert len(drafts.load_draft(task).reports) == 2
