"""Questions that were reported as broken, as managers see them: where, by whom, and which tasks were
submitted without an answer."""

import pytest

from judging.models import Campaign, CheckItem, Note, SpanMark
from tests import factories
from tests.annotation import studies
from tests.annotation.views.tasks import address, send
from tests.judging.actions.test_checks import checked, evade, gold, person
from tests.judging.views.test_pay import RATE

pytestmark = pytest.mark.django_db
LACKS = "1 submitted task lacks an answer, without a report"


def pages(campaign: Campaign):
    """Return what a manager reads at an address of the campaign."""
    manager = factories.logged_in(campaign.created_by)
    return lambda what="": manager.get(f"/campaigns/{campaign.uuid}/{what}").text


@pytest.fixture
def emptied():
    """Return a campaign with a rate of pay in which A01 submitted one task with reports alone, with
    A01's client and the task."""
    campaign = studies.opened()
    Campaign.objects.filter(pk=campaign.pk).update(rate=RATE)
    client, enrollment = studies.annotator(campaign)
    task = studies.held(enrollment)
    form = {"token": task.submit_token, "sequence": 1, "action": "submit"}
    client.post(address(task, "submit/"), form | {"b1": "Broken", "b2": "Broken"})
    task.refresh_from_db()
    assert task.state == "submitted"
    return campaign, client, task


def test_tasks_without_a_value_are_told_with_whose_they_are(emptied) -> None:
    campaign, _client, task = emptied
    read = pages(campaign)
    assert "1 task was submitted without a value" in read()
    assert "lacks an answer" not in read()
    for what in ("annotators/", f"annotators/{task.enrollment_id}/", "plan/pay/"):
        assert "2 questions reported as broken" in read(what)
        assert "1 task without a value" in read(what)


def test_answered_tasks_are_none_of_them(emptied) -> None:
    campaign, client, task = emptied
    answers = studies.filled(task, sequence=5) | {"b1": "", "b2": ""}
    client.post(address(task, "submit/"), answers)
    read = pages(campaign)
    assert "without a value" not in read()
    assert "reported as broken" not in read("annotators/")


def test_task_whose_report_was_taken_back_before_is_named(emptied) -> None:
    campaign, client, task = emptied
    read = pages(campaign)
    assert "Submitted without an answer" not in read("tasks/")
    Note.objects.filter(assignment=task).update(text="")
    assert LACKS in read()
    assert f"Task {task.task.number}, by {task.enrollment.label}" in read("tasks/")
    task.refresh_from_db()
    client.post(address(task, "submit/"), studies.filled(task, sequence=5))
    assert "lacks an answer" not in read()


def test_task_whose_mark_was_taken_back_before_is_named() -> None:
    campaign = studies.opened("qgstec2010-a", sources=1, systems=["Alba"], expected=2)
    client, enrollment = studies.annotator(campaign)
    task = studies.held(enrollment)
    answers = studies.filled(task, qtype_correct=1) | {"m1": "0-3", "m2": "0-3"}
    client.post(address(task, "submit/"), answers)
    read = pages(campaign)
    assert "lacks an answer" not in read()
    SpanMark.objects.filter(assignment=task).first().delete()
    assert LACKS in read()
    for name in ("b1", "b2"):
        send(client, task, name, "Broken", 9)
    assert "lacks an answer" not in read()


@pytest.mark.long
def test_reports_on_checks_are_read_by_managers_who_do_not_judge() -> None:
    campaign = checked(sources=12, gold=60, prepare=gold)
    evade(person(campaign, "A01"), "What is this?")
    read = pages(campaign)
    assert "in a check, by A01" in read("tasks/")
    assert CheckItem.objects.get().unit.question.text in read("tasks/")
    assert "2 questions were reported as broken" in read()
    assert "2 questions reported as broken" in read("annotators/")

    factories.enrollment(campaign, account=campaign.created_by, label="A02")
    assert "in a check" not in read("tasks/")
    assert "were reported as broken" not in read()


@pytest.mark.long
def test_checks_that_lack_an_answer_are_told_to_nobody_who_judges() -> None:
    campaign = checked(sources=12, gold=60, prepare=gold)
    evade(person(campaign, "A01"))
    Note.objects.update(text="")
    read = pages(campaign)
    assert LACKS in read()
    assert "A check, by A01" in read("tasks/")
    factories.enrollment(campaign, account=campaign.created_by, label="A02")
    assert "lacks an answer" not in read()
    assert "A check, by A01" not in read("tasks/")
