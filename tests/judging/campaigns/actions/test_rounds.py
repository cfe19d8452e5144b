"""Pilot and calibration rounds: fresh sources each, drawn from the secret, and excluded from the
main round."""

import json

import pytest
from django.db import IntegrityError, transaction

from judging.campaigns.actions import campaigns, draw_checks, draws, rounds, selections
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round, Task
from judging.enrolments.actions import enrollments
from judging.people.models.event import Event
from tests import factories
from tests.judging.trials import NOW, begun, judged, sources

pytestmark = pytest.mark.django_db


def draft(*, size: int = 8, **fields) -> Campaign:
    return factories.campaign(dataset=factories.dataset(sources=size), **fields)


def ended(round: Round) -> Round:
    rounds.end_round(round=round, by=round.campaign.created_by, now=NOW)
    return round


def test_rounds_take_fresh_sources_each_and_the_main_round_the_rest() -> None:
    campaign = draft()
    first, second = ended(begun(campaign)), ended(begun(campaign, size=3))
    campaigns.lock_plan(campaign=campaign, now=NOW)
    campaigns.open_campaign(campaign=campaign, now=NOW)
    main = campaign.rounds.get(kind="main")
    parts = [sources(each) for each in (first, second, main)]
    assert [len(part) for part in parts] == [2, 3, 3]
    assert len(set.union(*parts)) == 8
    assert [str(first), str(second)] == ["calibration 1", "calibration 2"]
    assert campaign.locked_plan["selection"]["without"] == sorted(parts[0] | parts[1])
    assert "without 5 sources of earlier rounds" in selections.describe_judged(campaign)


def test_pilot_that_is_judged_again_stays_in_the_main_round() -> None:
    campaign = draft()
    pilot = ended(begun(campaign, kind="pilot", apart=False))
    campaigns.lock_plan(campaign=campaign, now=NOW)
    campaigns.open_campaign(campaign=campaign, now=NOW)
    assert sources(pilot) < sources(campaign.rounds.get(kind="main"))
    assert "selection" not in campaign.locked_plan


def test_a_sample_of_the_main_round_is_drawn_from_what_calibration_left() -> None:
    sample = {"sample": {"size": 4, "seed": 7, "over": "sources", "column": "", "each": False}}
    campaign = draft(selection=sample)
    first = ended(begun(campaign, size=4))
    campaigns.lock_plan(campaign=campaign, now=NOW)
    campaigns.open_campaign(campaign=campaign, now=NOW)
    main = sources(campaign.rounds.get(kind="main"))
    assert len(main) == 4
    assert not main & sources(first)


def test_the_same_secret_draws_the_same_sources() -> None:
    drawn = []
    for _again in range(2):
        campaign = draft()
        Campaign.objects.filter(pk=campaign.pk).update(secret="5" * 64)
        drawn.append(sources(begun(campaign)))
    assert drawn[0] == drawn[1]


def test_every_task_has_a_place_for_each_annotator_whatever_the_plan_says() -> None:
    campaign = draft(annotators_per_task=3, tasks_per_annotator=1)
    round = begun(campaign, annotators=2, size=4)
    one, other = (enrollments.enroll(campaign=campaign, user=factories.user()) for _ in range(2))
    assert judged(one, round) == judged(other, round) == 4
    assert Assignment.objects.filter(round=round, state="submitted").count() == 8
    assert not Assignment.objects.filter(round=round).exclude(state="submitted").exists()


def test_panels_are_for_the_main_round() -> None:
    campaign = draft(
        protocol=factories.protocol(task="question_set"), order="panel", annotators_per_task=1
    )
    round = begun(campaign)
    assert set(Assignment.objects.filter(round=round).values_list("seat", flat=True)) == {None}


@pytest.mark.parametrize("order", ["depth", "breadth"])
def test_draws_of_all_rounds_can_be_checked(order: str) -> None:
    campaign = draft(order=order)
    ended(begun(campaign))
    campaigns.lock_plan(campaign=campaign, now=NOW)
    campaigns.open_campaign(campaign=campaign, now=NOW)
    campaigns.close_campaign(campaign=campaign, now=NOW)
    draws.reveal_secret(campaign=campaign, now=NOW)
    document = json.loads("".join(draws.json_document_pieces(draws.draws_document(campaign))))
    assert [each["name"] for each in document["rounds"]] == ["main/1", "calibration/1"]
    assert draw_checks.find_draw_problems(document) == []
    document["rounds"][1]["places"][0][1:3] = [9, 9]
    assert draw_checks.find_draw_problems(document) == [
        "calibration/1: the assignments are not in the order that is drawn."
    ]


def test_lock_ends_the_round_that_runs() -> None:
    campaign = draft()
    running = begun(campaign)
    campaigns.lock_plan(campaign=campaign, now=NOW)
    running.refresh_from_db()
    assert running.closed_at == NOW


def test_opening_and_closing_are_noted() -> None:
    campaign = draft()
    ended(begun(campaign))
    noted = Event.objects.of_campaign(campaign.uuid).filter(about="calibration 1").order_by("pk")
    assert list(noted.values_list("act", "after")) == [
        ("round.opened", "2 sources, 2 annotators each, kept apart"),
        ("round.closed", ""),
    ]


def test_places_are_checked_as_they_are_stored_so_that_the_end_does_not_hold_the_history() -> None:
    """Millions of checks at the end would come after the history's lock, which is taken there."""
    campaign, told = draft(), []
    campaigns.lock_plan(campaign=campaign, now=NOW)

    def progress(_done: int, _total: int, stage: str) -> None:
        told.append(stage)
        with pytest.raises(IntegrityError), transaction.atomic():
            Task.objects.filter(round__campaign=campaign).update(round=0)

    campaigns.open_campaign(campaign=campaign, now=NOW, progress=progress)
    assert "Drawing assignments" in told
