"""Submitting a task, too late, twice and malformed; saving and going back."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.campaigns.actions import campaigns, discussions, draws, rounds
from judging.campaigns.models.assignment import Assignment
from judging.quality.actions import exclusions
from judging.work.actions import assignments, drafts
from judging.work.models.judgment import Judgment
from tests import factories
from tests.annotation import studies
from tests.annotation.views.tasks import address, page, send
from tests.judging import trials
from tests.refusing import refusals_on

pytestmark = pytest.mark.django_db


def test_submit_stores_and_leads_to_the_next_task(small) -> None:
    client, task = small
    response = client.post(address(task, "submit/"), studies.filled(task))
    following = Assignment.objects.held_by(task.enrollment).get()
    assert response.url == f"/tasks/{following.pk}/"
    assert Judgment.objects.filter(assignment=task).count() == 4


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
    first = client.post(address(task, "submit/"), sent)
    # as a script sends it
    second = client.post(address(task, "submit/"), sent, headers={"accept": "application/json"})
    assert second.json() == {"next": first.url, "submitted": True}
    assert Judgment.objects.count() == 4


def test_submit_by_get_leads_back_to_the_page(small) -> None:
    client, task = small
    assert client.get(address(task, "submit/")).url == f"/tasks/{task.pk}/"


def test_submit_from_an_older_tab_shows_the_later_answers(small) -> None:
    client, task = small
    older = studies.filled(task, correctness=1)
    send(client, task, "q1.correctness", 3, 50)
    response = client.post(address(task, "submit/"), older, follow=True)
    assert [message.level_tag for message in response.context["messages"]] == ["warning"]
    assert not Judgment.objects.exists()


def test_submit_while_paused_keeps_the_answers_and_says_so(small) -> None:
    client, task = small
    campaigns.move_campaign(campaign=task.round.campaign, to="paused", now=timezone.now())
    response = client.post(address(task, "submit/"), studies.filled(task), follow=True)
    assert refusals_on(response) == ["task_closed"]
    assert len(drafts.draft_answers(task)) == 4


def test_held_task_of_a_study_whose_draws_are_revealed_is_taken_no_more(small) -> None:
    client, task = small
    campaign = task.round.campaign
    campaigns.close_campaign(campaign=campaign, now=timezone.now())
    work = reverse("annotation:work", args=[campaign.uuid])
    assert client.get(work).context["held_url"]
    draws.reveal_secret(campaign=campaign, now=timezone.now())
    task.round.campaign.refresh_from_db()
    assert assignments.closed_reason(task.round) in page(client, task)
    assert not client.get(work).context["held_url"]
    response = client.post(address(task, "submit/"), studies.filled(task), follow=True)
    assert refusals_on(response) == ["task_closed"]
    task.refresh_from_db()
    assert (task.state, Judgment.objects.exists()) == ("held", False)


def test_held_task_of_a_calibration_that_was_decided_on_is_taken_no_more() -> None:
    campaign = factories.campaign(annotators_per_task=2)
    round = trials.begun(campaign)
    client, annotator = studies.annotator(campaign)
    claimed = [assignments.claim_assignment(enrollment=annotator, round=round).assignment]
    claimed.append(
        assignments.claim_assignment(
            enrollment=factories.enrollment(campaign), round=round
        ).assignment
    )
    known = Assignment.objects.select_related("task", "enrollment", "round__campaign__protocol")
    first, second = (known.get(pk=each.pk) for each in claimed)
    by, now = campaign.created_by, timezone.now()
    rounds.end_round(round=round, by=by, now=now)
    factories.logged_in(second.enrollment.user).post(
        address(second, "submit/"), studies.filled(second)
    )
    second.refresh_from_db()
    assert second.state == "extra"  # before anything was decided
    discussions.store_decisions(
        campaign=campaign, text="All of it is a 3.", round=round, by=by, now=now
    )
    first.round.refresh_from_db()
    assert assignments.closed_reason(first.round) in page(client, first)
    client.post(address(first, "submit/"), studies.filled(first))
    first.refresh_from_db()
    assert first.state == "held"


def test_nothing_is_entered_in_an_archived_study(small) -> None:
    client, task = small
    campaigns.close_campaign(campaign=task.round.campaign, now=timezone.now())
    assert send(client, task, "q1.correctness", 3).status_code == 204
    campaigns.move_campaign(campaign=task.round.campaign, to="archived", now=timezone.now())
    refused = [send(client, task, "q1.correctness", 1, 2), send(client, task, "note", "late", 3)]
    assert [each.status_code for each in refused] == [409, 409]
    assert (list(drafts.draft_answers(task).values()), drafts.task_comment(task)) == ([3], "")


def test_save_without_javascript_keeps_answers_and_comment(small) -> None:
    client, task = small
    sent = studies.filled(task, action="save", correctness=None) | {"note": "half done"}
    response = client.post(address(task, "submit/"), sent, follow=True)
    assert "Saved." in response.content.decode()
    assert len(drafts.draft_answers(task)) == 2
    assert drafts.task_comment(task) == "half done"


def test_back_leads_to_the_task_before_and_submitting_again_revises_it(small) -> None:
    client, first = small
    client.post(address(first, "submit/"), studies.filled(first))
    second = studies.held(first.enrollment)
    response = client.post(
        address(second, "submit/"), studies.filled(second, action="back", correctness=None)
    )
    assert response.url == f"/tasks/{first.pk}/"
    assert len(drafts.draft_answers(second)) == 2
    html = page(client, first)
    assert 'value="back"' not in html
    response = client.post(
        address(first, "submit/"), studies.filled(first, sequence=9, correctness=1)
    )
    assert response.url == f"/tasks/{second.pk}/"
    assert "Submitted again." in page(client, second)
    assert "Submitted again." not in page(client, second)
    changed = Judgment.objects.standing().filter(assignment=first, revision=2)
    assert set(changed.values_list("criterion__key", "value")) == {("correctness", 1)}


# ---- what no page sends


def test_submit_of_whom_was_left_out_takes_no_place() -> None:
    client, enrollment = studies.annotator(studies.opened(annotators_per_task=1, sources=1))
    task = studies.held(enrollment)
    sent = studies.filled(task)
    boss = task.round.campaign.created_by
    exclusions.exclude_annotator(
        enrollment=enrollment, reason="Guesses", by=boss, now=timezone.now()
    )

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
    client.post(
        address(task, "submit/"),
        studies.filled(task) | {"q9.correctness": 1, "state": "extra", "stage": 7},
    )
    task.refresh_from_db()
    assert (task.state, task.stage, Judgment.objects.count()) == ("submitted", 0, 4)


def test_what_a_page_sends_after_somebody_else_logged_in_is_refused_as_after_a_session_ended(
    small,
) -> None:
    client, task = small
    [account] = re.findall('data-account="([0-9a-f]{64})"', page(client, task))
    other, _enrollment = studies.annotator(task.round.campaign)
    said = {"headers": {"X-Quaestor-Account": account}}
    for sent in ("submit/", "draft/"):
        refused = other.post(address(task, sent), studies.filled(task), **said)
        assert refused.status_code == 401
        assert refused.json() == {"error": "Somebody else has logged in in this browser."}
        assert other.post(address(task, sent), studies.filled(task)).status_code == 404
    assert client.post(address(task, "submit/"), studies.filled(task), **said).status_code == 302
    assert Judgment.objects.filter(assignment=task).count() == 4
