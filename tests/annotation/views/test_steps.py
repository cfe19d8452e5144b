"""A task in steps: a later one is in no response before it."""

import re

import pytest

from judging.work.models.judgment import Judgment
from tests.annotation import studies
from tests.annotation.views.tasks import address, page, send

pytestmark = pytest.mark.django_db


def test_a_later_step_is_in_no_response_before_it(staged) -> None:
    client, task = staged
    hidden = (
        "Agnes Tolliver",
        "iron gates",
        "q1.correctness",
        "q1.understandability",
        "Lock 1",
        "Lock 2",
    )
    responses = [
        client.get(address(task)),
        client.get(address(task) + "?step=1"),
        client.get(address(task) + "?missing"),
        send(client, task, "q1.correctness", 3),
        client.post(address(task, "submit/"), studies.filled(task, stage=1), follow=True),
        client.post(address(task, "submit/"), studies.filled(task, action="save"), follow=True),
        client.post(
            address(task, "submit/"), studies.filled(task, action="submit", sequence=2), follow=True
        ),
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


def test_steps_to_the_end_without_javascript(staged) -> None:
    client, task = staged
    client.post(address(task, "submit/"), studies.filled(task, action="continue"))
    sent = studies.filled(task, stage=1, sequence=1)
    response = client.post(address(task, "submit/", 1), sent)
    assert response.status_code == 302
    assert Judgment.objects.filter(assignment=task).count() == 6
