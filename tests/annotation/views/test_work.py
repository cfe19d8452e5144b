"""An annotator's way through a campaign, and the pages beside it."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from judging.campaigns.actions import campaigns, dataset_uses
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Round
from judging.datasets.models.dataset import Unit
from judging.protocols import documents
from judging.protocols.actions import protocols
from judging.work.actions import assignments, sheets
from tests import factories
from tests.annotation import studies
from tests.annotation.views.tasks import one_line

pytestmark = pytest.mark.django_db


def hand_in(client: Client, task) -> None:
    client.post(f"/tasks/{task.pk}/submit/?step=0", studies.filled(task))


def test_work_leads_to_the_held_task() -> None:
    campaign = studies.opened()
    client, enrollment = studies.annotator(campaign)
    first = client.get(f"/work/{campaign.uuid}/?begin").url
    assert first == f"/tasks/{studies.held(enrollment).pk}/"
    assert client.get(f"/work/{campaign.uuid}/").url == first


def test_work_says_that_others_hold_the_rest() -> None:
    campaign = studies.opened(sources=1, annotators_per_task=1)
    client, _enrollment = studies.annotator(campaign)
    _other, busy = studies.annotator(campaign)
    studies.held(busy)
    page = client.get(f"/work/{campaign.uuid}/?begin")
    assert (page.templates[0].name, page.context["held"]) == ("annotation/none_now.html", 1)


def test_work_thanks_only_when_nothing_can_come_back() -> None:
    campaign = studies.opened(sources=1, annotators_per_task=1)
    client, enrollment = studies.annotator(campaign)
    hand_in(client, studies.held(enrollment))
    page = client.get(f"/work/{campaign.uuid}/")
    assert (page.templates[0].name, page.context["done"]) == ("annotation/finished.html", 1)


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_work_says_when_the_study_gives_out_no_tasks(state: str) -> None:
    campaign = studies.opened()
    client, _enrollment = studies.annotator(campaign)
    campaigns.move_campaign(campaign=campaign, to=state, now=timezone.now())
    page = client.get(f"/work/{campaign.uuid}/")
    assert page.templates[0].name == "annotation/closed.html"


def test_work_goes_through_the_open_rounds_in_their_order() -> None:
    campaign = studies.opened(sources=1)
    client, enrollment = studies.annotator(campaign)
    later = Round.objects.create(campaign=campaign, kind="calibration", opened_at=timezone.now())
    task = studies.held(enrollment)
    type(task).objects.create(round=later, task=later.tasks.create(number=1), place=1, position=99)
    assert client.get(f"/work/{campaign.uuid}/").url == f"/tasks/{task.pk}/"
    hand_in(client, task)
    second = client.get(f"/work/{campaign.uuid}/").url
    assert second == f"/tasks/{enrollment.assignments.get(round=later).pk}/"


def test_pause_says_until_when_the_task_is_kept() -> None:
    campaign = studies.opened()
    client, enrollment = studies.annotator(campaign)
    assert "stays yours" not in client.get(f"/work/{campaign.uuid}/pause/").content.decode()
    until = studies.held(enrollment).lease_expires_at
    html = client.get(f"/work/{campaign.uuid}/pause/").content.decode()
    assert "stays yours for 15 minutes, until" in html
    shown = f"{until.day} {until:%b %Y, %H:%M} UTC"
    assert f'<time datetime="{until.isoformat()}" data-local>{shown}</time>;' in html
    Assignment.objects.filter(enrollment=enrollment).update(
        lease_expires_at=timezone.now() + timedelta(hours=2)
    )
    html = client.get(f"/work/{campaign.uuid}/pause/").content.decode()
    assert "stays yours for 2 hours, until" in html


def test_guideline_is_whole_for_annotators_and_managers() -> None:
    campaign = studies.opened("qgbench-staged")
    client, _enrollment = studies.annotator(campaign)
    html = client.get(f"/work/{campaign.uuid}/guideline/").content.decode()
    assert "<h3>Correctness</h3>" in html
    assert "Asks exactly for it" in html
    assert "<li>Answer “Mill Lane”" in html
    manager = factories.logged_in(campaign.created_by)
    assert manager.get(f"/work/{campaign.uuid}/guideline/").status_code == 200


def test_guideline_lists_only_the_described_points_of_a_long_scale() -> None:
    three = '[{value: 1, label: "no"}, {value: 2, label: maybe}, {value: 3, label: "yes"}]'
    long = "{from: 0, to: 100, labels: {0: useless, 100: perfect}}"
    text = factories.SMALL.replace(f"points: {three}", f"scale: {long}")
    protocol = protocols.install(document=documents.parse(text, "long.yaml"))
    campaign = studies.opened(protocol=protocol)
    client, _enrollment = studies.annotator(campaign)
    html = client.get(f"/work/{campaign.uuid}/guideline/").content.decode()
    points = re.findall(r"<dt translate=\"no\"><b>(.*?)</b> (.*?)</dt>", html)
    assert points[3:] == [("0", "useless"), ("100", "perfect")]


def test_guideline_is_not_for_staff_after_the_use_of_the_dataset_ended() -> None:
    owner, other = factories.researcher(), factories.researcher()
    campaign = factories.opened(manager=other, dataset=factories.dataset(owner=owner))
    annotator, manager = studies.annotator(campaign)[0], factories.logged_in(other)
    guideline = f"/work/{campaign.uuid}/guideline/"
    assert manager.get(guideline).status_code == 200
    dataset_uses.end_use(dataset=campaign.dataset, user=other, now=timezone.now(), by=owner)
    assert manager.get(guideline).status_code == 404
    assert annotator.get(guideline).status_code == 200  # who may submit a task they hold
    campaign.memberships.filter(role="annotator").delete()
    assert annotator.get(guideline).status_code == 404


def test_home_lists_the_campaigns_one_judges_in() -> None:
    campaign = studies.opened(title="Locks of the north")
    client, _enrollment = studies.annotator(campaign)
    studies.opened(title="Somebody else's")
    html = client.get("/work/").content.decode()
    assert "Locks of the north" in html
    assert "Somebody else" not in html
    assert Client().get("/work/").url == "/login/?next=/work/"


def test_claim_of_a_task_after_its_lease_ran_out_keeps_answers() -> None:
    campaign = studies.opened(sources=1, annotators_per_task=1)
    client, enrollment = studies.annotator(campaign)
    task = studies.held(enrollment)
    client.post(f"/tasks/{task.pk}/draft/", {"name": "q1.correctness", "value": 2, "sequence": 1})
    assignments.give_back(assignment=task)
    html = one_line(client.get(f"/work/{campaign.uuid}/", follow=True))
    assert 'name="q1.correctness" value="2" checked' in html


def test_done_lists_what_was_handed_in_and_leads_back_to_it() -> None:
    campaign = studies.opened(sources=3)
    client, enrollment = studies.annotator(campaign)
    address = f"/work/{campaign.uuid}/done/"
    first = studies.held(enrollment)
    hand_in(client, first)
    Assignment.objects.filter(pk=first.pk).update(
        submitted_at=timezone.now() - timedelta(minutes=5)
    )
    second = studies.held(enrollment)
    hand_in(client, second)
    html = client.get(address).content.decode()
    assert 0 < html.index(f"/tasks/{second.pk}/") < html.index(f"/tasks/{first.pk}/")
    assert html.count("/tasks/") == 2
    assert client.get(address).context["is_open"]
    Round.objects.update(kind="pilot", closed_at=timezone.now())
    assert not client.get(address).context["is_open"]
    Round.objects.update(kind="main", closed_at=None)
    campaigns.move_campaign(campaign=campaign, to="closed", now=timezone.now())
    assert not client.get(address).context["is_open"]


def test_done_names_each_task_by_question_a_so_that_no_system_stands_out() -> None:
    campaign = studies.opened(sources=8, systems=[f"S{number}" for number in range(6)])
    client, enrollment = studies.annotator(campaign)
    questions, systems = set(), set()
    for _ in range(8):
        task = studies.held(enrollment)
        first = next(sheets.sheet_of_assignment(task).questions())
        questions.add(first.text)
        systems.add(Unit.objects.get(pk=first.unit).question_set.system.name)
        hand_in(client, task)
    html = client.get(f"/work/{campaign.uuid}/done/").content.decode()
    assert set(re.findall(r"What does the \d+th question want to know\?", html)) == questions
    assert len(systems) > 1


def test_done_shows_nobody_elses_tasks() -> None:
    campaign = studies.opened(sources=2)
    client, enrollment = studies.annotator(campaign)
    other, _other_enrollment = studies.annotator(campaign)
    stranger, _ = studies.annotator(studies.opened(sources=1))
    hand_in(client, studies.held(enrollment))
    assert "None yet." in other.get(f"/work/{campaign.uuid}/done/").content.decode()
    assert stranger.get(f"/work/{campaign.uuid}/done/").status_code == 404
