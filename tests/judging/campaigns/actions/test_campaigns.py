"""A campaign's way from draft to archive."""

from datetime import UTC, datetime

import pytest

from judging.campaigns.actions import campaigns, rounds
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Task, TaskUnit
from judging.datasets.models.dataset import Question, Unit
from judging.imports.actions.rated_campaigns import closed_campaign
from judging.people.models.event import Event
from judging.quality.actions import check_items
from tests import factories
from tests.judging.trials import begun
from tests.refusing import refusals_on, refused

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_create_makes_the_creator_manager_and_a_main_round():
    user = factories.researcher()
    made = campaigns.create_campaign(
        by=user,
        dataset=factories.dataset(),
        protocol=factories.protocol(),
        plan={"title": "Canals", "lease_minutes": 7},
    )
    assert (
        made.state,
        made.lease_minutes,
        made.memberships.get().role,
        made.rounds.get().kind,
    ) == (
        "draft",
        7,
        "manager",
        "main",
    )


def test_lock_fixes_the_protocol_and_its_hash():
    one, other = factories.campaign(lease_minutes=1), factories.campaign(lease_minutes=2)
    for each in (one, other):
        campaigns.lock_plan(campaign=each, now=NOW)
    assert (one.state, one.locked_at, one.locked_plan["design"]["lease_minutes"]) == (
        "locked",
        NOW,
        1,
    )
    assert len(one.locked_digest) == 64
    assert one.locked_digest != other.locked_digest


def test_a_plan_of_more_places_than_a_database_should_hold_is_not_locked(monkeypatch):
    monkeypatch.setattr(rounds, "MAX_ASSIGNMENTS", 1_000)
    factories.dataset()  # of another user: it does not count
    campaign = factories.campaign(annotators_per_task=1_000)
    with refused("too_many_assignments"):
        campaigns.lock_plan(campaign=campaign, now=NOW)
    campaigns.change_plan(campaign=campaign, plan={"annotators_per_task": 3})
    campaigns.lock_plan(campaign=campaign, now=NOW)
    Campaign.objects.filter(pk=campaign.pk).update(annotators_per_task=1_000)
    with refused("too_many_assignments"):
        campaigns.open_campaign(campaign=Campaign.objects.get(pk=campaign.pk), now=NOW)


def test_a_plan_with_a_page_of_too_many_choices_is_not_locked_nor_shown(monkeypatch, client):
    campaign = factories.campaign()  # two systems, two criteria with three points each
    client.force_login(campaign.created_by)
    preview = f"/campaigns/{campaign.uuid}/preview/"
    assert client.get(preview).status_code == 200
    monkeypatch.setattr(rounds, "MAX_PAGE_CHOICES", 11)
    with refused("page_too_large"):
        campaigns.lock_plan(campaign=campaign, now=NOW)
    with refused("page_too_large"):
        begun(campaign)
    assert refusals_on(client.get(preview, follow=True)) == ["page_too_large"]
    monkeypatch.setattr(rounds, "MAX_PAGE_CHOICES", 12)
    monkeypatch.setattr(rounds, "MAX_PAGE_QUESTIONS", 1)
    assert refusals_on(client.get(preview, follow=True)) == ["page_too_large"]


def test_locked_plan_changes_only_as_a_deviation():
    campaign = factories.campaign(lease_minutes=30)
    campaigns.change_plan(campaign=campaign, plan={"annotators_per_task": 9})
    campaigns.lock_plan(campaign=campaign, now=NOW)
    with refused("plan_locked"):
        campaigns.change_plan(campaign=campaign, plan={"annotators_per_task": 10})
    with refused("plan_locked"):
        campaigns.amend_field(
            campaign=campaign,
            what="order",
            value="breadth",
            reason="better",
            by=campaign.created_by,
            now=NOW,
        )
    campaigns.amend_field(
        campaign=campaign,
        what="lease_minutes",
        value=60,
        reason="long texts",
        by=campaign.created_by,
        now=NOW,
    )
    campaign.refresh_from_db()
    assert (campaign.annotators_per_task, campaign.lease_minutes) == (9, 60)
    deviation = campaign.deviations.get()
    assert (deviation.what, deviation.before, deviation.after, deviation.reason) == (
        "lease_minutes",
        "30",
        "60",
        "long texts",
    )


def test_open_makes_a_task_a_source_and_every_place_once():
    campaign = factories.opened(dataset=factories.dataset(sources=3), annotators_per_task=2)
    assert Task.objects.filter(round__campaign=campaign).count() == 3
    places = sorted(Assignment.objects.values_list("task__number", "place"))
    assert places == [(task, place) for task in (1, 2, 3) for place in (1, 2)]
    assert sorted(Assignment.objects.values_list("position", flat=True)) == [1, 2, 3, 4, 5, 6]
    assert list(
        TaskUnit.objects.values("task")
        .distinct()
        .order_by("task")
        .values_list("task__number", flat=True)
    ) == [
        1,
        2,
        3,
    ]


def test_pause_close_and_open_again_keep_the_tasks():
    campaign = factories.opened()
    tasks = Task.objects.count()
    campaigns.move_campaign(campaign=campaign, to=Campaign.State.PAUSED, now=NOW)
    campaigns.open_campaign(campaign=campaign, now=NOW)
    campaigns.close_campaign(campaign=campaign, now=NOW)
    assert (campaign.state, campaign.closed_at, campaign.rounds.get().closed_at) == (
        "closed",
        NOW,
        NOW,
    )
    campaigns.open_campaign(campaign=campaign, now=NOW)
    assert (campaign.state, campaign.closed_at, campaign.rounds.get().closed_at) == (
        "open",
        None,
        None,
    )
    assert Task.objects.count() == tasks


def test_single_questions_come_several_to_a_page():
    factories.opened(
        protocol=factories.protocol("nema-khapra"), dataset=factories.dataset(sources=12)
    )
    sizes = [task.task_units.count() for task in Task.objects.order_by("number")]
    assert sizes == [10, 10, 4]


def test_question_sets_come_whole_and_leave_out_what_rules_settle():
    """A lone question is judged but for its variety; a second identical one counts as missing and
    is not asked."""
    dataset = factories.dataset(sources=1, systems=("Alba", "Brisa", "Corvo"), expected=2)
    Question.objects.filter(unit__question_set__system__name="Brisa", unit__position=2).delete()
    Question.objects.filter(unit__question_set__system__name="Corvo").update(text="Who built  it?")
    factories.opened(protocol=factories.protocol("qgstec2010-b"), dataset=dataset)
    units = [
        [unit.unit.position for unit in task.task_units.select_related("unit")]
        for task in Task.objects.all()
    ]
    # systems are in a drawn order
    assert sorted(units, key=len) == [
        [None, 1],
        [None, 1],
        [None, 1, 2],
    ]


def test_same_secret_lays_the_same_places_and_another_does_not():
    laid = []
    for secret in ("5" * 64, "5" * 64, "6" * 64):
        material = factories.dataset(sources=20)
        campaign = factories.campaign(dataset=material, annotators_per_task=2, origin="simulated")
        campaigns.lock_plan(campaign=campaign, now=NOW, secret=secret)
        campaigns.open_campaign(campaign=campaign, now=NOW)
        rows = Assignment.objects.filter(round__campaign=campaign).order_by("position")
        laid.append(list(rows.values_list("task__number", "place")))
    assert laid[0] == laid[1] != laid[2]


def test_duplicate_asked_for_twice_at_once_is_one_draft_with_each_check_once():
    campaign = factories.campaign()
    unit = Unit.objects.filter(position=1).first()
    criterion = campaign.protocol.criteria.first()
    check_items.add_gold(
        campaign=campaign,
        unit=unit,
        text="Who?",
        accepted={criterion.pk: [1]},
        by=campaign.created_by,
    )
    one, other = (
        campaigns.duplicate_campaign(campaign=campaign, by=campaign.created_by) for _ in range(2)
    )
    assert one == other
    assert one.check_items.count() == campaign.check_items.count() == 1
    told = Event.objects.filter(campaign=one.uuid).order_by("pk")
    assert list(told.values_list("act", "about")) == [
        ("campaign.made", f"dataset {campaign.dataset_id}"),
        ("campaign.copied", f"campaign {campaign.uuid}"),
    ]


@pytest.mark.parametrize("state", ["closed", "paused"])
def test_campaign_of_imported_ratings_is_opened_to_nobody(state):
    """Judgments made there would not be ratings from the file."""
    owner = factories.researcher()
    campaign = closed_campaign(
        dataset=factories.dataset(owner=owner),
        protocol=factories.protocol(),
        plan={"title": "Released"},
        by=owner,
        now=NOW,
    )
    Campaign.objects.filter(pk=campaign.pk).update(state=state)  # paused by an older version
    with refused("campaign_state"):
        campaigns.open_campaign(campaign=campaign, now=NOW, by=owner)
    campaign.refresh_from_db()
    assert campaign.state == state


def test_last_manager_stays():
    campaign = factories.campaign()
    with refused("last_manager"):
        campaigns.remove_member(campaign=campaign, user=campaign.created_by, role="manager")
    second = factories.researcher()
    campaigns.add_member(campaign=campaign, user=second, role="manager")
    campaigns.remove_member(campaign=campaign, user=campaign.created_by, role="manager")
    assert campaign.memberships.get().user == second


def test_discard_removes_a_draft_with_its_pilot_and_leaves_the_dataset():
    campaign = factories.campaign()
    campaigns.create_invitation(campaign=campaign, by=campaign.created_by)
    rounds.open_round(round=campaign.rounds.create(kind="pilot"), now=NOW)
    material = campaign.dataset

    campaigns.discard_draft(campaign=campaign)

    assert not Campaign.objects.exists()
    assert not Assignment.objects.exists()
    assert material.sources.count() == 2


def test_limit_of_tasks_is_part_of_the_protocol_only_where_there_is_one() -> None:
    limited, free = factories.campaign(tasks_per_annotator=5), factories.campaign()
    for each in (limited, free):
        campaigns.lock_plan(campaign=each, now=NOW)
    assert limited.locked_plan["design"]["tasks_per_annotator"] == 5
    assert "tasks_per_annotator" not in free.locked_plan["design"]
