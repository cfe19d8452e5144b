"""The judging page and what it answers: autosave, steps, submitting, going back; and what never reaches it."""

import json
import re
import uuid

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from judging.actions import assignments, campaigns, drafts, enrollments
from judging.models import Assignment, Draft, Judgment, Membership, Note, Passage, Question, System, Unit
from tests.annotation import studies

pytestmark = pytest.mark.django_db


@pytest.fixture
def small():
    client, enrollment = studies.annotator(studies.opened())
    return client, studies.held(enrollment)


@pytest.fixture
def staged():
    client, enrollment = studies.annotator(studies.opened("qgbench-staged"))
    return client, studies.held(enrollment)


def address(assignment: Assignment, what: str = "", step: int | None = 0) -> str:
    base = f"/tasks/{assignment.pk}/{what}"
    return f"{base}?step={step}" if what == "submit/" else base


def page(client: Client, assignment: Assignment) -> str:
    response = client.get(address(assignment))
    assert response.status_code == 200
    return response.content.decode()


def send(client: Client, assignment: Assignment, name: str, value: object, sequence: object = 1):
    return client.post(address(assignment, "draft/"), {"name": name, "value": value, "sequence": sequence})


# ---- the page


def test_page_shows_the_passage_the_questions_and_a_control_for_each_criterion(small) -> None:
    client, task = small
    html = page(client, task)
    assert '<span class="sentence">' in html
    assert "<mark>Agnes Tolliver</mark>" in html
    assert studies.fields(html) == {"q1.grammaticality", "q1.correctness", "q2.grammaticality", "q2.correctness"}
    assert html.count("question want to know?") == 2


def test_page_shows_what_was_entered_and_the_comment(small) -> None:
    client, task = small
    send(client, task, "q2.correctness", 2, 7)
    send(client, task, "note", "Hm, <b>odd</b>", 8)
    html = page(client, task)
    assert re.search(r'name="q2.correctness" value="2" checked', html)
    assert "Hm, &lt;b&gt;odd&lt;/b&gt;" in html
    assert 'name="sequence" value="8"' in html


def test_page_locks_what_a_rule_forces_and_says_why() -> None:
    client, enrollment = studies.annotator(studies.opened("qgbench"))
    task = studies.held(enrollment)
    send(client, task, "q1.correctness", 3, 1)
    send(client, task, "q1.understandability", 1, 2)
    html = page(client, task)
    fieldset = re.search(r'<fieldset[^>]*id="q1.correctness".*?</fieldset>', html, re.DOTALL)[0]
    assert "data-locked" in fieldset
    assert 'data-own="3"' in fieldset
    assert fieldset.count("disabled") == 3
    assert "a question too complex to understand cannot be correct" in fieldset


def test_page_of_a_foreign_assignment_is_not_found(small) -> None:
    _client, task = small
    other, _enrollment = studies.annotator(task.round.campaign)
    manager = Client()
    manager.force_login(task.round.campaign.created_by)
    for client in (other, manager):
        assert client.get(address(task)).status_code == 404
        assert client.post(address(task, "draft/"), {}).status_code == 404
        assert client.post(address(task, "submit/"), {}).status_code == 404


def test_page_is_not_found_for_whom_the_role_was_taken_from(small) -> None:
    client, task = small
    Membership.objects.filter(user=task.enrollment.user).delete()
    assert client.get(address(task)).status_code == 404


def test_page_of_an_unknown_assignment_is_not_found(small) -> None:
    client, _task = small
    assert client.get(f"/tasks/{uuid.uuid4()}/").status_code == 404
    assert client.get("/tasks/1/").status_code == 404


def test_page_sends_strangers_to_the_log_in(small) -> None:
    _client, task = small
    assert Client().get(address(task)).url == f"/login/?next=/tasks/{task.pk}/"


def test_page_refuses_other_verbs(small) -> None:
    client, task = small
    assert client.post(address(task)).status_code == 405
    assert client.get(address(task, "draft/")).status_code == 405
    assert client.put(address(task, "submit/")).status_code == 405


def test_page_is_not_cached_and_keeps_the_content_security_policy(small) -> None:
    client, task = small
    response = client.get(address(task))
    assert "no-store" in response["Cache-Control"]
    assert "default-src 'self'" in response["Content-Security-Policy"]
    html = response.content.decode()
    assert not re.search(r"<script(?![^>]*\bsrc=)", html)
    assert not re.search(r"\son[a-z]+=|\sstyle=|<style", html)


@pytest.mark.parametrize("key", [None, "qgbench-staged", "qgstec2010-b", "nema-khapra", "schlichtkrull-cheng"])
def test_number_of_queries_does_not_grow_with_the_questions(key: str | None, django_assert_num_queries) -> None:
    counts = []
    for systems in (("Alba",), ("Alba", "Brisa", "Corvo", "Duna", "Eira", "Fonte")):
        client, enrollment = studies.annotator(studies.opened(key, systems=systems, expected=3))
        task = studies.held(enrollment)
        page(client, task)
        with django_assert_num_queries(11) as counted:
            page(client, task)
        counts.append(len(counted))
    assert counts[0] == counts[1]


# ---- nothing that names a system


SYSTEMS = ("GPT-9 secret", "zebra-large", "human-gold")


@pytest.mark.parametrize(
    "key", [None, "qgbench-staged", "qgstec2010-a", "qgstec2010-b", "nema-khapra", "qgeval", "schlichtkrull-cheng"]
)
def test_nothing_of_systems_or_keys_reaches_the_page(key: str | None) -> None:
    shift_keys()
    campaign = studies.opened(key, systems=SYSTEMS, expected=2)
    client, enrollment = studies.annotator(campaign)
    task = studies.held(enrollment)
    html = page(client, task)
    for system in System.objects.all():
        assert system.name not in html
    assert not set(re.findall(r"\d+", html)) & database_keys(campaign)


def shift_keys() -> None:
    """Give units, sets and systems keys that no number on a page equals by chance."""
    with connection.cursor() as cursor:
        for table in ("judging_unit", "judging_questionset", "judging_system", "judging_source", "judging_taskunit"):
            cursor.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), 7000001)")


def database_keys(campaign) -> set[str]:
    units = Unit.objects.filter(question_set__source__collection=campaign.collection)
    rows = units.values_list("pk", "question_set", "question_set__system", "question_set__source", "task_units")
    return {str(key) for row in rows for key in row if key is not None}


def test_order_of_questions_is_each_annotators_own() -> None:
    campaign = studies.opened(sources=1, systems=[f"S{n}" for n in range(8)])
    orders = set()
    for _ in range(3):
        client, enrollment = studies.annotator(campaign)
        orders.add(tuple(re.findall(r"the (\d+)th question", page(client, studies.held(enrollment)))))
    assert len(orders) == 3
    assert len({frozenset(order) for order in orders}) == 1


# ---- autosave


def test_draft_is_kept_and_says_nothing(small) -> None:
    client, task = small
    response = send(client, task, "q1.correctness", 2)
    assert (response.status_code, response.content) == (204, b"")
    assert Draft.objects.get(assignment=task).value == 2


def test_draft_that_comes_late_is_a_conflict_unless_it_says_the_same(small) -> None:
    client, task = small
    send(client, task, "q1.correctness", 2, 5)
    assert send(client, task, "q1.correctness", 3, 4).status_code == 409
    assert send(client, task, "q1.correctness", 2, 4).status_code == 204
    assert Draft.objects.get(assignment=task).value == 2


def test_draft_note_that_comes_late_is_a_conflict_unless_it_says_the_same(small) -> None:
    client, task = small
    send(client, task, "note", "later", 5)
    assert send(client, task, "note", "earlier", 4).status_code == 409
    assert send(client, task, "note", "later", 5).status_code == 204
    assert Note.objects.get(assignment=task).text == "later"


def test_draft_without_a_value_takes_the_answer_back(small) -> None:
    client, task = small
    send(client, task, "q1.correctness", 2, 1)
    assert send(client, task, "q1.correctness", "", 2).status_code == 204
    assert drafts.answers(task) == {}


@pytest.mark.parametrize(
    ("name", "value", "sequence", "status"),
    [
        ("q1.correctness", 31, 1, 422),
        ("q1.correctness", 99999999999, 1, 422),
        ("q9.correctness", 1, 1, 422),
        ("q1.beauty", 1, 1, 422),
        ("q1.correctness", "two", 1, 400),
        ("q1.correctness", 1, "x", 400),
        ("q1.correctness", 1, -1, 400),
        ("q1.correctness", 1, 2**64, 400),
        ("", 1, 1, 400),
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


def test_draft_of_a_stranger_is_sent_to_the_log_in(small) -> None:
    _client, task = small
    assert send(Client(), task, "q1.correctness", 1).status_code == 302


# ---- steps


def test_a_later_step_is_in_no_response_before_it(staged) -> None:
    client, task = staged
    hidden = ("Agnes Tolliver", "iron gates", "q1.correctness", "q1.understandability", "Lock 1", "Lock 2")
    responses = [
        client.get(address(task)),
        client.get(address(task) + "?step=1"),
        client.get(address(task) + "?missing"),
        send(client, task, "q1.correctness", 3),
        client.post(address(task, "submit/"), studies.filled(task, stage=1), follow=True),
        client.post(address(task, "submit/"), studies.filled(task, action="save"), follow=True),
        client.post(address(task, "submit/"), studies.filled(task, action="submit", sequence=2), follow=True),
    ]
    for response in responses:
        for text in hidden:
            assert text not in response.content.decode()
    assert responses[3].status_code == 409
    assert not Judgment.objects.exists()


def test_continue_freezes_the_step_and_opens_the_next(staged) -> None:
    client, task = staged
    response = client.post(address(task, "submit/"), studies.filled(task, action="continue"))
    assert response.url == f"/tasks/{task.pk}/"
    html = page(client, task)
    assert "<mark>Agnes Tolliver</mark>" in html
    first = re.search(r'<fieldset[^>]*id="q1.grammaticality".*?</fieldset>', html, re.DOTALL)[0]
    assert first.count("disabled") == 3
    assert send(client, task, "q1.grammaticality", 1, 9).status_code == 409


def test_continue_with_missing_answers_names_them(staged) -> None:
    client, task = staged
    sent = studies.filled(task, action="continue", grammaticality=None)
    response = client.post(address(task, "submit/"), sent, follow=True)
    assert response.redirect_chain == [(f"/tasks/{task.pk}/?missing", 302)]
    html = response.content.decode()
    assert '<a href="#q1.grammaticality">A Grammaticality</a>' in html
    assert "Agnes" not in html


def test_continue_twice_goes_one_step(staged) -> None:
    client, task = staged
    sent = studies.filled(task, action="continue")
    client.post(address(task, "submit/"), sent)
    assert client.post(address(task, "submit/"), sent).url == f"/tasks/{task.pk}/"
    task.refresh_from_db()
    assert (task.stage, task.state) == (1, "held")


def test_steps_to_the_end_without_javascript(staged) -> None:
    client, task = staged
    client.post(address(task, "submit/"), studies.filled(task, action="continue"))
    sent = studies.filled(task, stage=1, sequence=1)
    response = client.post(address(task, "submit/", 1), sent)
    assert response.status_code == 302
    assert Judgment.objects.filter(assignment=task).count() == 6


# ---- submitting


def test_submit_stores_and_leads_to_the_next_task(small) -> None:
    client, task = small
    response = client.post(address(task, "submit/"), studies.filled(task))
    following = Assignment.objects.held_by(task.enrollment).get()
    assert response.url == f"/tasks/{following.pk}/"
    assert Judgment.objects.filter(assignment=task).count() == 4


def test_submit_of_the_last_task_leads_to_the_end(small) -> None:
    client, task = small
    client.post(address(task, "submit/"), studies.filled(task))
    last = studies.held(task.enrollment)
    response = client.post(address(last, "submit/"), studies.filled(last), follow=True)
    assert "You judged 2 tasks" in response.content.decode()


def test_submit_with_missing_answers_keeps_the_others(small) -> None:
    client, task = small
    sent = studies.filled(task) | {"q1.correctness": ""}
    response = client.post(address(task, "submit/"), sent, follow=True)
    html = response.content.decode()
    assert '<a href="#q1.correctness">A Correctness</a>' in html
    assert html.count("checked") >= 3
    assert not Judgment.objects.exists()


def test_submit_twice_stores_once_and_leads_to_the_same_place(small) -> None:
    client, task = small
    sent = studies.filled(task)
    first, second = (client.post(address(task, "submit/"), sent) for _ in range(2))
    assert first.url == second.url
    assert Judgment.objects.count() == 4


@pytest.mark.parametrize(
    "wrong",
    [{"q1.correctness": "31"}, {"q1.correctness": "many"}, {"sequence": "-3"}, {"token": "no"}, {"action": "destroy"}],
)
def test_submit_of_something_wrong_says_so_and_stores_nothing(small, wrong) -> None:
    client, task = small
    response = client.post(address(task, "submit/"), studies.filled(task) | wrong, follow=True)
    assert 'class="message error"' in response.content.decode()
    assert not Judgment.objects.exists()


def test_submit_by_get_leads_back_to_the_page(small) -> None:
    client, task = small
    assert client.get(address(task, "submit/")).url == f"/tasks/{task.pk}/"


def test_submit_from_an_older_tab_shows_the_later_answers(small) -> None:
    client, task = small
    older = studies.filled(task, correctness=1)
    send(client, task, "q1.correctness", 3, 50)
    response = client.post(address(task, "submit/"), older, follow=True)
    assert "changed later in another window" in response.content.decode()
    assert not Judgment.objects.exists()


def test_submit_late_is_stored(small) -> None:
    client, task = small
    assignments.give_back(assignment=task)
    client.post(address(task, "submit/"), studies.filled(task))
    task.refresh_from_db()
    assert task.state == "submitted"


def test_submit_while_paused_keeps_the_answers_and_says_so(small) -> None:
    client, task = small
    campaigns.move(campaign=task.round.campaign, to="paused", now=timezone.now())
    response = client.post(address(task, "submit/"), studies.filled(task), follow=True)
    assert "takes no answers now" in response.content.decode()
    assert len(drafts.answers(task)) == 4


def test_save_without_javascript_keeps_answers_and_comment(small) -> None:
    client, task = small
    sent = studies.filled(task, action="save", correctness=None) | {"note": "half done"}
    response = client.post(address(task, "submit/"), sent, follow=True)
    assert "Saved." in response.content.decode()
    assert len(drafts.answers(task)) == 2
    assert drafts.note(task) == "half done"


def test_back_leads_to_the_task_before_and_submitting_again_revises_it(small) -> None:
    client, first = small
    client.post(address(first, "submit/"), studies.filled(first))
    second = studies.held(first.enrollment)
    response = client.post(address(second, "submit/"), studies.filled(second, action="back", correctness=None))
    assert response.url == f"/tasks/{first.pk}/"
    assert len(drafts.answers(second)) == 2
    html = page(client, first)
    assert 'value="back"' not in html
    response = client.post(address(first, "submit/"), studies.filled(first, sequence=9, correctness=1))
    assert response.url == f"/tasks/{second.pk}/"
    changed = Judgment.objects.standing().filter(assignment=first, revision=2)
    assert set(changed.values_list("criterion__key", "value")) == {("correctness", 1)}


def test_progress_counts_this_task(small) -> None:
    client, task = small
    assert "Task 1 of 2" in page(client, task)
    client.post(address(task, "submit/"), studies.filled(task))
    assert "Task 2 of 2" in page(client, studies.held(task.enrollment))


def test_page_of_texts_with_markup_renders_them_as_text() -> None:
    campaign = studies.opened(sources=1)
    Question.objects.update(text="<script>alert(1)</script> =cmd()")
    Passage.objects.update(text="<b>bold</b> & brave")
    client, enrollment = studies.annotator(campaign)
    html = page(client, studies.held(enrollment))
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; =cmd()" in html
    assert "<b>bold</b>" not in html


# ---- what no page sends


def test_submit_of_whom_was_left_out_takes_no_place() -> None:
    client, enrollment = studies.annotator(studies.opened(annotators_per_task=1, sources=1))
    task = studies.held(enrollment)
    sent = studies.filled(task)
    boss = task.round.campaign.created_by
    enrollments.exclude(enrollment=enrollment, reason="Guesses", by=boss, now=timezone.now())

    response = client.post(address(task, "submit/"), sent, follow=True)

    assert response.status_code == 200
    assert 'id="judging"' not in response.content.decode()
    task.refresh_from_db()
    assert (task.state, Judgment.objects.filter(assignment=task).count()) == ("extra", 4)
    assert Assignment.objects.filter(task=task.task, state="open").count() == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"q1.correctness": 31},
        {"q1.correctness": "x"},
        {"q1.correctness": 2**70},
        {"token": "x"},
        {"sequence": -1},
        {"sequence": 2**80},
        {"note": "zero \x00 byte"},
        {"note": "x" * 5001},
        {"action": "drop"},
        {"action": "mark m1 1-2"},
    ],
)
def test_submit_that_is_malformed_stores_nothing_and_comes_back(small, wrong: dict) -> None:
    client, task = small
    response = client.post(address(task, "submit/"), studies.filled(task) | wrong)
    assert response.url == f"/tasks/{task.pk}/"
    assert not Judgment.objects.exists()


def test_submit_ignores_fields_that_are_not_asked(small) -> None:
    client, task = small
    client.post(address(task, "submit/"), studies.filled(task) | {"q9.correctness": 1, "state": "extra", "stage": 7})
    task.refresh_from_db()
    assert (task.state, task.stage, Judgment.objects.count()) == ("submitted", 0, 4)


@pytest.mark.parametrize("body", ["note=" + "x" * 5_000_000, "&".join(f"f{n}=1" for n in range(20_001))])
def test_submit_that_is_too_large_is_refused(small, body: str) -> None:
    client, task = small
    kind = "application/x-www-form-urlencoded"
    assert client.post(address(task, "submit/"), body, content_type=kind).status_code == 400
    assert not Judgment.objects.exists()


def test_note_of_half_characters_is_kept_as_replaced_ones(small) -> None:
    client, task = small
    body = f"note=a%ED%A0%80%FF&sequence=0&action=save&token={task.submit_token}"
    client.post(address(task, "submit/"), body, content_type="application/x-www-form-urlencoded")
    assert Note.objects.get().text == "a" + "\ufffd" * 4
