"""Changing what was submitted: nothing counts unseen, and nothing waits unseen."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.work.actions import judgments
from judging.work.models.judgment import Judgment
from tests import factories
from tests.annotation import studies
from tests.annotation.views.tasks import address, page, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def submitted(small):
    """Return a client and a task that was submitted with 3 everywhere."""
    client, task = small
    client.post(address(task, "submit/"), studies.filled(task))
    task.refresh_from_db()
    return client, task


def around(task, what: str = "") -> str:
    return f"/work/{task.round.campaign.uuid}/{what}"


def is_told(client, task, what: str = "") -> bool:
    """Return whether a page names tasks that were changed and not resubmitted."""
    return bool(client.get(around(task, what)).context["corrections"])


def values(task) -> list[int]:
    standing = Judgment.objects.standing().filter(assignment=task)
    return sorted(standing.values_list("value", flat=True))


def test_correction_is_said_on_the_page_in_the_list_and_on_the_pages_around(submitted) -> None:
    client, task = submitted
    assert 'id="changed" hidden' in page(client, task)
    assert not is_told(client, task, "done/")
    send(client, task, "q1.correctness", 1, 9)
    html = page(client, task)
    assert 'id="changed" hidden' not in html
    assert 'data-handed="3"' in html
    # above the list, and at the task
    assert is_told(client, task, "done/")
    assert is_told(client, task, "pause/")
    assert values(task) == [3, 3, 3, 3]


def test_correction_is_said_at_the_end(submitted) -> None:
    client, task = submitted
    last = studies.held(task.enrollment)
    client.post(address(last, "submit/"), studies.filled(last))
    assert not is_told(client, task)
    send(client, task, "q1.correctness", 1, 9)
    html = client.get(around(task)).text
    assert is_told(client, task)
    campaigns.move_campaign(campaign=task.round.campaign, to="closed", now=timezone.now())
    html = client.get(around(task)).text
    assert is_told(client, task)
    assert "again/" not in html


def test_correction_taken_back_is_none(submitted) -> None:
    client, task = submitted
    send(client, task, "q1.correctness", 1, 9)
    send(client, task, "q1.correctness", 3, 10)
    assert 'id="changed" hidden' in page(client, task)
    assert judgments.corrections(enrollment=task.enrollment) == []


def test_corrections_are_handed_in_again_by_one_button(submitted) -> None:
    client, task = submitted
    send(client, task, "q1.correctness", 1, 9)
    client.post(around(task, "again/"))
    assert values(task) == [1, 3, 3, 3]
    assert not is_told(client, task, "done/")


def test_of_very_many_corrections_the_last_are_told_first(monkeypatch) -> None:
    client, enrollment = studies.annotator(studies.opened(sources=3))
    tasks = []
    for _ in range(3):
        tasks.append(studies.held(enrollment))
        client.post(address(tasks[-1], "submit/"), studies.filled(tasks[-1]))
    asked = []
    for task in tasks:
        send(client, task, "q1.correctness", 1, 9)
        with CaptureQueriesContext(connection) as statements:
            judgments.corrections(enrollment=enrollment)
        asked.append(len(statements))
    assert asked[1] == asked[2]  # however many there are

    monkeypatch.setattr(judgments, "LOOKED_AT", 1)
    monkeypatch.setattr(judgments, "MAX_PAGE_ROWS", 2)
    assert [each.pk for each in judgments.corrections(enrollment=enrollment)] == [
        tasks[2].pk,
        tasks[1].pk,
    ]
    client.post(around(tasks[0], "again/"))
    assert [each.pk for each in judgments.corrections(enrollment=enrollment)] == [tasks[0].pk]


def test_correction_that_lacks_an_answer_stays(submitted) -> None:
    client, task = submitted
    send(client, task, "q1.correctness", "", 9)
    client.post(around(task, "again/"))
    assert is_told(client, task, "done/")
    assert values(task) == [3, 3, 3, 3]


def test_corrections_are_an_annotators_own(submitted) -> None:
    client, task = submitted
    send(client, task, "q1.correctness", 1, 9)
    other, _ = studies.annotator(task.round.campaign)
    assert other.post(around(task, "again/")).status_code == 302
    assert other.get(around(task, "again/")).status_code == 405
    stranger, _ = studies.annotator(studies.opened(sources=1))
    assert stranger.post(around(task, "again/")).status_code == 404
    assert values(task) == [3, 3, 3, 3]


def test_corrections_are_told_to_managers(submitted) -> None:
    client, task = submitted
    manager = factories.logged_in(task.round.campaign.created_by)
    overview = f"/campaigns/{task.round.campaign.uuid}/"
    said = "changed submitted tasks and did not resubmit them: 1"
    assert said not in manager.get(overview).text
    send(client, task, "q1.correctness", 1, 9)
    assert said in manager.get(overview).text


@pytest.mark.long
@pytest.mark.parametrize("key", ["qgstec2010-b", "schlichtkrull-cheng", "qgbench"])
def test_what_stands_is_found_at_the_control_it_was_given_with(key: str) -> None:
    client, enrollment = studies.annotator(studies.opened(key, systems=["Alba"], expected=2))
    task = studies.held(enrollment)
    client.post(address(task, "submit/"), studies.filled(task, understandability=1, questionType=2))
    html = page(client, task)
    assert 'id="changed" hidden' in html
    assert 'data-handed=""' not in html
    assert html.count('data-handed="3"') >= 2


def test_reopened_task_keeps_its_number() -> None:
    client, enrollment = studies.annotator(studies.opened(sources=3))
    tasks = []
    for _ in range(3):
        tasks.append(studies.held(enrollment))
        client.post(address(tasks[-1], "submit/"), studies.filled(tasks[-1]))
    for number, task in enumerate(tasks, start=1):
        assert f"Task {number} of 3" in page(client, task)
