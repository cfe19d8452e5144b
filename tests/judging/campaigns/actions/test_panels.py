"""Rotated panels: every annotator has a seat and judges each source once, and systems rotate."""

from collections import Counter

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.campaigns.actions import campaigns, panels, rounds
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, TaskUnit
from judging.campaigns.models.members import Enrollment
from judging.enrolments.actions import enrollments
from judging.quality.actions import exclusions
from judging.work.actions import assignments
from judging.work.actions.assignments import Finished, Here
from tests import factories
from tests.annotation import studies
from tests.refusing import refused

pytestmark = pytest.mark.django_db
SYSTEMS = ("Alba", "Brisa", "Corvo")


def planned(**fields) -> Campaign:
    material = factories.dataset(sources=6, systems=SYSTEMS)
    protocol = factories.protocol(task="question_set")
    defaults = {
        "dataset": material,
        "protocol": protocol,
        "order": "panel",
        "annotators_per_task": 2,
    }
    return factories.campaign(manager=material.owner, **(defaults | fields))


def opened() -> Campaign:
    campaign = planned()
    campaigns.lock_plan(campaign=campaign, now=timezone.now())
    campaigns.open_campaign(campaign=campaign, now=timezone.now())
    return campaign


def joined(campaign: Campaign) -> Enrollment:
    return enrollments.enroll(campaign=campaign, user=factories.user())


def work_through(enrollment: Enrollment) -> list[tuple[str, str]]:
    """Take every task to be had, and return its source and system in that order."""
    found = []
    while isinstance(
        outcome := assignments.claim_assignment(enrollment=enrollment, round=_round(enrollment)),
        Here,
    ):
        own = outcome.assignment
        pairs = TaskUnit.objects.filter(task=own.task_id).values_list(
            "unit__question_set__source__key", "unit__question_set__system__name"
        )
        found.append(pairs[0])
        Assignment.objects.filter(pk=own.pk).update(
            state="submitted", submitted_at=timezone.now(), lease_expires_at=None
        )
    assert isinstance(outcome, Finished)
    return found


def _round(enrollment: Enrollment):
    return studies.main_round(enrollment.campaign)


def test_each_annotator_meets_each_source_once_and_each_question_is_judged_by_as_many_as_planned() -> (
    None
):
    campaign = opened()
    seen = [work_through(joined(campaign)) for _seat in range(panels.seats(campaign))]

    assert [sorted(source for source, _ in own) for own in seen] == [
        [f"s{n}" for n in range(1, 7)]
    ] * 6
    assert all(Counter(system for _, system in own) == dict.fromkeys(SYSTEMS, 2) for own in seen)
    assert set(Counter(pair for own in seen for pair in own).values()) == {2}
    assert not Assignment.objects.open().exists()


def test_the_balance_is_counted_and_shown(client) -> None:
    campaign = opened()
    assert {each.key: each.spread for each in panels.count_panel_balance(campaign)} == {
        "seat by system": 0,
        "source by system": 0,
        "turn by system": 0,
        "system by the one before": 0,
    }
    client.force_login(campaign.created_by)
    assert (
        "The panel has 6 seats, 6 of them free."
        in client.get(reverse("judging:annotators", args=[campaign.uuid])).text
    )


def test_a_full_panel_takes_nobody_else_until_a_seat_is_free() -> None:
    campaign = opened()
    everybody = [joined(campaign) for _seat in range(6)]
    assert sorted(each.seat for each in everybody) == [1, 2, 3, 4, 5, 6]
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by)
    with pytest.raises(enrollments.InvitationOver):
        enrollments.check_invitation(invitation=link, now=timezone.now())
    first = assignments.claim_assignment(enrollment=everybody[2], round=_round(everybody[2]))
    assert isinstance(first, Here)

    exclusions.free_seat(enrollment=everybody[2])

    enrollments.check_invitation(invitation=link, now=timezone.now())
    successor = joined(campaign)
    assert successor.seat == 3
    assert len(work_through(successor)) == 6
    assert isinstance(
        assignments.claim_assignment(enrollment=everybody[2], round=_round(everybody[2])), Finished
    )


def test_whoever_is_excluded_leaves_the_seat_and_has_it_again_when_taken_back() -> None:
    campaign = opened()
    annotator = joined(campaign)
    assignments.claim_assignment(enrollment=annotator, round=_round(annotator))
    by = campaign.created_by
    exclusions.exclude_annotator(enrollment=annotator, reason="too fast", by=by, now=timezone.now())
    assert panels.free_seats(campaign) == [1, 2, 3, 4, 5, 6]
    exclusions.readmit(enrollment=annotator, by=by, now=timezone.now())
    annotator.refresh_from_db()
    assert annotator.seat == 1


def test_who_joined_before_the_plan_was_fixed_is_seated_at_the_opening() -> None:
    campaign = planned(order="depth")
    early = joined(campaign)
    assert early.seat is None
    campaigns.change_plan(campaign=campaign, plan={"order": "panel"})
    campaign.refresh_from_db()
    campaigns.lock_plan(campaign=campaign, now=timezone.now())
    campaigns.open_campaign(campaign=campaign, now=timezone.now())
    early.refresh_from_db()
    assert early.seat == 1


def test_a_protocol_that_shows_all_systems_at_once_has_no_panel(client) -> None:
    campaign = planned(protocol=factories.protocol())
    with refused("plan_misfit"):
        rounds.open_round(round=studies.main_round(campaign), now=timezone.now())
    client.force_login(campaign.created_by)
    form = {
        "title": "x",
        "protocol": campaign.protocol_id,
        "annotators_per_task": 2,
        "order": "panel",
    }
    answer = client.post(reverse("judging:plan_part", args=[campaign.uuid, "design"]), form)
    assert answer.status_code == 422
