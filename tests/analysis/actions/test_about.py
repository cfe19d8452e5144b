"""Who is named in a report as having judged while knowing the systems."""

import pytest
from django.test import Client
from django.utils import timezone

from analysis import frames
from analysis.actions import about, runs
from judging.actions import campaigns, enrollments
from judging.models import Assignment, Campaign, User
from tests import factories
from tests.annotation import studies

pytestmark = pytest.mark.django_db


def begun(campaign: Campaign, person: User) -> Assignment:
    campaigns.add_member(campaign=campaign, user=person, role="annotator")
    return studies.held(enrollments.enroll(campaign=campaign, user=person))


def handed_in(task: Assignment) -> tuple[str, str]:
    """Submit a task and return its annotator's label and what became of it."""
    client = Client()
    client.force_login(task.enrollment.user)
    client.post(f"/tasks/{task.pk}/submit/?step=0", studies.filled(task))
    task.refresh_from_db()
    return task.enrollment.label, task.state


def unblinded(campaign: Campaign) -> list[str]:
    return about.study(frames.material(campaign), runs.DEFAULTS)["unblinded"]


def test_unblinded_are_managers_who_judged() -> None:
    campaign, manager = studies.opened(annotators_per_task=3), factories.researcher()
    handed_in(begun(campaign, factories.user()))
    campaigns.add_member(campaign=campaign, user=manager, role="manager")
    task = begun(campaign, manager)
    assert unblinded(campaign) == []
    label, state = handed_in(task)
    assert state == "submitted"
    assert unblinded(campaign) == [label]


def test_unblinded_are_managers_whose_task_came_too_late() -> None:
    campaign = studies.opened()
    task = begun(campaign, campaign.created_by)
    campaigns.close(campaign=campaign, now=timezone.now())
    label, state = handed_in(task)
    assert state == "extra"
    assert unblinded(campaign) == [label]


def test_unblinded_are_former_managers_as_far_as_the_data_can_tell() -> None:
    campaign, other, judge = studies.opened(annotators_per_task=3), factories.researcher(), factories.user()
    campaigns.add_member(campaign=campaign, user=other, role="manager")
    maker, excluder = campaign.created_by, factories.researcher()
    labels = [handed_in(begun(campaign, person))[0] for person in (maker, excluder, judge)]
    campaigns.remove_member(campaign=campaign, user=maker, role="manager")
    assert unblinded(campaign) == [labels[0]]
    left_out = campaign.enrollments.get(user=judge)
    enrollments.exclude(enrollment=left_out, reason="A trial.", by=excluder, now=timezone.now())
    assert unblinded(campaign) == labels[:2]
