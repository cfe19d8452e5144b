"""Annotators never judge a system that they made: which tasks an author gets, and what is refused,
with the reason."""

import pytest
from django.db import transaction

from judging.campaigns.actions import authorships, campaigns
from judging.campaigns.models.authorship import BarredTask
from judging.campaigns.models.campaign import Campaign, Round, TaskUnit
from judging.campaigns.models.members import Enrollment
from judging.datasets.models.dataset import QuestionSet, System, Unit
from judging.enrolments.actions import enrollments
from judging.imports.actions import names
from judging.people.models.event import Event
from judging.quality.actions import check_items, checks
from judging.work.actions import assignments, own_systems
from judging.work.actions.assignments import Here
from judging.work.actions.own_systems import CannotBar
from tests import factories
from tests.judging import trials
from tests.judging.trials import NOW
from tests.refusing import refused

pytestmark = pytest.mark.django_db
SYSTEMS = ("Alba", "Brisa", "Corvo")


def planned(**fields: object) -> tuple[Campaign, Enrollment, System]:
    """Return a draft with a task for each question set, an annotator of it, and a system for them
    to have made."""
    made = factories.dataset(sources=4, systems=SYSTEMS, expected=2)
    asked = {
        "protocol": factories.protocol("qgstec2010-b"),
        "annotators_per_task": 1,
        "order": "depth",
    } | fields
    campaign = factories.campaign(dataset=made, **asked)
    own = enrollments.enroll(campaign=campaign, user=factories.user())
    return campaign, own, made.systems.get(name="Brisa")


def opened(campaign: Campaign) -> None:
    campaigns.lock_plan(campaign=campaign, now=NOW)
    campaigns.open_campaign(campaign=campaign, now=NOW)


def judged(own: Enrollment, main: Round) -> int:
    """Judge all that is given out, the best value everywhere; return how many tasks."""
    return trials.judged(own, main, lambda _text, _key: 1)


def judged_systems(own: Enrollment) -> set[str]:
    shown = TaskUnit.objects.filter(
        task__assignments__enrollment=own, task__assignments__state="submitted"
    )
    return set(shown.values_list("unit__question_set__system__name", flat=True))


@pytest.mark.parametrize("order", ["depth", "breadth"])
def test_an_author_judges_all_but_their_own_system_and_the_rest_is_left_for_others(
    order: str,
) -> None:
    campaign, own, system = planned(order=order)
    own_systems.set_systems(enrollment=own, systems=[system], by=campaign.created_by)
    opened(campaign)
    main = campaign.rounds.get(kind="main")
    main.campaign = campaign
    assert assignments.round_progress(enrollment=own, round=main).remaining == 8
    assert judged(own, main) == 8
    assert judged_systems(own) == {"Alba", "Corvo"}
    other = enrollments.enroll(campaign=campaign, user=factories.user())
    assert judged(other, main) == 4
    assert judged_systems(other) == {"Brisa"}


def test_a_mark_outlives_that_spellings_become_one_system_and_are_two_again() -> None:
    campaign, own, _made = planned()
    dataset, by = campaign.dataset, campaign.created_by
    System.objects.create(dataset=dataset, name="brisa ")
    other = System.objects.get(dataset=dataset, name="brisa ")
    own_systems.set_systems(enrollment=own, systems=[other], by=by)
    wanted = {"dataset": dataset, "kinds": {}, "by": by, "now": NOW}
    [merged] = names.rename_systems(names={other.pk: "Brisa"}, **wanted)
    assert authorships.own_names(own) == ["Brisa"]
    names.undo(change=merged, by=by, now=NOW)
    assert authorships.own_names(own) == ["brisa "]
    said = Event.objects.filter(act="dataset.systems").order_by("pk")
    assert list(said.values_list("before", "after")) == [("brisa ", "Brisa"), ("Brisa", "brisa ")]


def test_a_mark_while_it_runs_gives_the_held_task_back_and_taking_it_away_frees_the_tasks() -> None:
    campaign, own, _made = planned()
    opened(campaign)
    main = campaign.rounds.get(kind="main")
    main.campaign = campaign
    found = assignments.claim_assignment(enrollment=own, round=main)
    assert isinstance(found, Here)
    first = TaskUnit.objects.filter(task=found.assignment.task_id).first().unit.question_set.system
    own_systems.set_systems(enrollment=own, systems=[first], by=campaign.created_by)
    found.assignment.refresh_from_db()
    assert found.assignment.state == "released"
    assert judged(own, main) == 8
    assert first.name not in judged_systems(own)
    own_systems.set_systems(enrollment=own, systems=[], by=campaign.created_by)
    assert judged(own, main) == 4
    assert BarredTask.objects.count() == 0
    with refused("cannot_bar_author"):
        own_systems.set_systems(enrollment=own, systems=[first], by=campaign.created_by)
    noted = (
        Event.objects.filter(act="annotator.author")
        .order_by("pk")
        .values_list("about", "before", "after")
    )
    assert list(noted) == [(own.label, "", first.name), (own.label, first.name, "")]


def test_no_gold_question_shows_an_author_their_own_system() -> None:
    campaign, own, system = planned()
    campaigns.change_plan(campaign=campaign, plan={"quality": {"gold": 100}})
    campaign.refresh_from_db()
    [criterion] = campaign.protocol.criteria.filter(key="relevance").values_list("pk", flat=True)
    for unit in Unit.objects.filter(question_set__source__dataset=campaign.dataset, position=1):
        check_items.add_gold(campaign=campaign, unit=unit, text="", accepted={criterion: [1]})
    own_systems.set_systems(enrollment=own, systems=[system], by=campaign.created_by)
    opened(campaign)
    main = campaign.rounds.get(kind="main")
    main.campaign = campaign
    assert judged(own, main) == 8  # by `assignments`, without checks
    fitting = checks._fitting("gold", own, main, [], checks.CheckTask.objects.none())
    names = {each.item.unit.question_set.system.name for each in fitting}
    assert names == {"Alba", "Corvo"}


def test_no_gold_page_shows_an_author_their_own_system_beside_the_gold_question() -> None:
    """No task of the study does, so they would know the page by it."""
    campaign, own, system = planned(protocol=factories.protocol())
    of_it = campaign.dataset.sources.exclude(key__in=["s1", "s2"])
    QuestionSet.objects.filter(source__in=of_it, system=system).delete()
    campaigns.change_plan(campaign=campaign, plan={"quality": {"gold": 100}})
    campaign.refresh_from_db()
    criterion = campaign.protocol.criteria.values_list("pk", flat=True)[0]
    for unit in Unit.objects.filter(
        question_set__source__dataset=campaign.dataset,
        question_set__system__name="Alba",
        position=1,
    ):
        check_items.add_gold(campaign=campaign, unit=unit, text="", accepted={criterion: [1]})
    own_systems.set_systems(enrollment=own, systems=[system], by=campaign.created_by)
    opened(campaign)
    main = campaign.rounds.get(kind="main")
    main.campaign = campaign
    fitting = checks._fitting("gold", own, main, [], checks.CheckTask.objects.none())
    shown = [Unit.objects.filter(pk__in=each.units(campaign)) for each in fitting]
    names = [set(each.values_list("question_set__system__name", flat=True)) for each in shown]
    assert names == [{"Alba", "Corvo"}] * 2


def test_what_would_leave_nothing_to_judge_is_refused_with_the_reason() -> None:
    campaign, own, system = planned(order="panel")
    with refused("cannot_bar_author"):
        own_systems.set_systems(enrollment=own, systems=[system], by=campaign.created_by)
    Campaign.objects.filter(pk=campaign.pk).update(order="depth")
    own_systems.set_systems(enrollment=own, systems=[system], by=campaign.created_by)
    Campaign.objects.filter(pk=campaign.pk).update(order="panel")
    with refused("plan_misfit"):
        campaigns.lock_plan(campaign=campaign, now=NOW)
    whole, reader, brisa = planned(protocol=factories.protocol())
    with refused("cannot_bar_author"):
        own_systems.set_systems(enrollment=reader, systems=[brisa], by=whole.created_by)


@pytest.mark.parametrize("link", ["their own", "one without a name"])
def test_a_manager_who_judges_is_told_nothing_of_which_systems_were_judged(link: str) -> None:
    campaign, _own, _system = planned()
    boss, other = factories.researcher(), factories.researcher()
    for each in (boss, other):
        campaigns.add_member(campaign=campaign, user=each, role="manager")
    campaigns.add_member(campaign=campaign, user=boss, role="annotator")
    own = enrollments.enroll(campaign=campaign, user=boss)
    made = list(campaign.dataset.systems.order_by("name"))
    own_systems.set_systems(enrollment=own, systems=made[:1], by=boss)  # before the first task
    own_systems.set_systems(enrollment=own, systems=[], by=boss)
    opened(campaign)
    main = campaign.rounds.get(kind="main")
    main.campaign = campaign
    if link != "their own":
        own = enrollments.enroll(campaign=campaign, user=factories.user())
    trials.judged(own, main, lambda _text, _key: 1, most=1)
    [judged_one] = judged_systems(own)

    def refusals(by) -> dict[str, str]:
        found = {}
        for each in made:
            with transaction.atomic():
                try:
                    own_systems.set_systems(enrollment=own, systems=[each], by=by)
                except CannotBar as refused:
                    found[each.name] = str(refused)
                transaction.set_rollback(True)
        return found

    mine = refusals(boss)
    assert set(mine) == set(SYSTEMS)
    assert len(set(mine.values())) == 1
    assert "Another manager can note it" in mine["Alba"]
    assert list(refusals(other)) == [judged_one]
    campaigns.close_campaign(campaign=campaign, now=NOW)
    assert list(refusals(boss)) == [judged_one]
