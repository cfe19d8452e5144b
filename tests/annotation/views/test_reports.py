"""“This item is broken”: said with a comment, it takes the place of ratings and reaches the
manager."""

import pytest

from judging.actions import drafts, rubrics
from judging.models import Judgment, Note
from judging.protocols import documents
from tests import factories
from tests.annotation import studies
from tests.annotation.views.tasks import address, page, send

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
    assert "Still to answer" not in html.partition('id="q2"')[0]
    client.post(address(task, "submit/"), rate_nothing_of(task) | {"sequence": 5})
    task.refresh_from_db()
    assert (task.state, Judgment.objects.filter(assignment=task).count()) == ("submitted", 2)


def test_report_without_javascript_comes_with_the_page_and_can_be_taken_back(small) -> None:
    client, task = small
    client.post(address(task, "submit/"), studies.filled(task, action="save") | {"b2": WRONG})
    assert list(drafts.kept(task).reports.values()) == [WRONG]
    client.post(
        address(task, "submit/"), studies.filled(task, action="save", sequence=3) | {"b2": ""}
    )
    assert drafts.kept(task).reports == {}


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
    assert "1 question was reported as broken" in manager.get(f"/campaigns/{uuid}/").text
    html = manager.get(f"/campaigns/{uuid}/tasks/").text
    assert f"&lt;b&gt;{WRONG}" in html
    assert f"by {task.enrollment.label}" in html
    assert not {"Alba", "Brisa"} & set(html.split())


def test_report_is_not_offered_where_the_protocol_refuses_it() -> None:
    rubric = factories.rubric(broken_items="refused")
    client, enrollment = studies.annotator(factories.opened(rubric=rubric))
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

    made = rubrics.install(document=documents.parse(text, "small.yaml"))
    client, enrollment = studies.annotator(factories.opened(rubric=made))
    html = page(client, studies.held(enrollment))
    scale, apart, _rest = html.partition('<div class="scale apart">')
    assert "Cannot say" not in scale
    assert apart
    assert html.count('<div class="scale apart">') == 2
