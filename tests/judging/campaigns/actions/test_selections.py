"""The part of its dataset that a campaign judges: fixed by the lock, laid out as tasks, counted by
reports."""

import hashlib
import json
from datetime import UTC, datetime

import pytest
from django.db import connection

from analysis import frames
from judging.campaigns.actions import campaigns, draw_checks, draws, rounds, selections
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import TaskUnit
from judging.campaigns.models.selected_unit import SelectedUnit
from judging.campaigns.selection import Sampling, Selection, selection_to_document
from judging.datasets.models.dataset import Attribute, Question, System, Unit
from judging.datasets.models.score import Metric, Score
from tests import factories
from tests.refusing import refused

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
OF_A = selection_to_document(Selection(systems=("Alba",)))


def judged(campaign):
    """Return (source, system) of every question on a task."""
    units = TaskUnit.objects.filter(task__round__campaign=campaign, unit__position__isnull=False)
    return sorted(
        units.values_list("unit__question_set__source__key", "unit__question_set__system__name")
    )


def with_topics(dataset, topics):
    for unit in Unit.objects.filter(question_set__source__dataset=dataset, question__isnull=False):
        Attribute.objects.create(
            unit=unit, name="topic", value=topics[unit.question_set.source.key]
        )


def test_tasks_are_laid_out_for_the_selection_alone():
    campaign = factories.opened(selection=OF_A, annotators_per_task=2)
    assert judged(campaign) == [("s1", "Alba"), ("s2", "Alba")]
    assert Assignment.objects.filter(round__campaign=campaign).count() == 4


def test_campaign_without_a_selection_judges_everything_and_stores_nothing():
    campaign = factories.opened()
    assert judged(campaign) == [("s1", "Alba"), ("s1", "Brisa"), ("s2", "Alba"), ("s2", "Brisa")]
    assert not SelectedUnit.objects.exists()
    assert "selection" not in campaign.locked_plan


def test_lock_fixes_the_selection_its_counts_and_its_hash():
    dataset = factories.dataset(sources=3)
    chosen = selection_to_document(Selection(pairs=(("s1", "Alba"), ("s3", ""))))
    one = factories.campaign(dataset=dataset, selection=chosen)
    other = factories.campaign(dataset=dataset)
    for each in (one, other):
        campaigns.lock_plan(campaign=each, now=NOW)
    lines = ["s1\tAlba\t0\n", "s1\tAlba\t1\n"]
    lines += [f"s3\t{system}\t{position}\n" for system in ("Alba", "Brisa") for position in (0, 1)]
    digest = hashlib.sha256("".join(lines).encode()).hexdigest()
    assert one.locked_plan["selection"] == {
        "list": [["s1", "Alba"], ["s3", ""]],
        "chosen": {"questions": 3, "out_of": 6, "units": 6, "units_sha256": digest},
    }
    assert one.locked_digest != other.locked_digest
    assert selections.describe_judged(one) == "3 of 6 questions: a list of 2 entries"


def test_renaming_a_system_after_the_lock_leaves_what_is_judged():
    campaign = factories.campaign(selection=OF_A)
    campaigns.lock_plan(campaign=campaign, now=NOW)
    System.objects.filter(name="Alba").update(name="Alba 2")
    campaigns.open_campaign(campaign=campaign, now=NOW)
    assert judged(campaign) == [("s1", "Alba 2"), ("s2", "Alba 2")]


def test_selection_that_does_not_fit_any_more_refuses_the_lock():
    campaign = factories.campaign(selection=OF_A)
    System.objects.filter(name="Alba").update(name="Alba 2")
    with refused("selection_misfit"):
        campaigns.lock_plan(campaign=campaign, now=NOW)
    campaign.refresh_from_db()
    assert campaign.state == "draft"
    assert (
        "does not fit the dataset any more: There is no system “Alba”"
        in selections.describe_judged(campaign)
    )
    assert not SelectedUnit.objects.exists()


def test_two_campaigns_on_one_dataset_judge_parts_of_their_own():
    dataset = factories.dataset(sources=4)
    with_topics(dataset, {"s1": "x", "s2": "x", "s3": "y", "s4": "y"})
    sample = Selection(systems=("Brisa",), sampling=Sampling(1, 7, "column", "topic", each=True))
    one = factories.opened(dataset=dataset, selection=selection_to_document(sample))
    other = factories.opened(dataset=dataset, selection=OF_A)
    again = factories.opened(dataset=dataset, selection=selection_to_document(sample))
    sources = [source for source, _ in judged(one)]
    assert {system for _, system in judged(one)} == {"Brisa"}
    assert [source in ("s1", "s2") for source in sources] == [True, False]
    assert judged(again) == judged(one)
    assert judged(other) == [(f"s{number}", "Alba") for number in range(1, 5)]
    assert (
        selections.describe_judged(one)
        == "2 of 8 questions: system Brisa; 1 source from each topic, seed 7"
    )


def test_copies_of_questions_rated_again_are_neither_chosen_nor_counted():
    dataset = factories.dataset(sources=3)
    first, copy = dataset.sources.get(key="s1"), dataset.sources.get(key="s3")
    dataset.sources.filter(pk=copy.pk).update(repeat_of=first, repeat=2)
    look = selections.preview_selection(dataset=dataset, selection=Selection(systems=("Alba",)))
    assert (look.questions, look.out_of, look.sources, look.systems) == (2, 4, 2, 1)


def test_panel_of_a_selection_has_seats_for_its_systems_alone():
    dataset = factories.dataset(sources=4, systems=("Alba", "Brisa", "Corvo"))
    campaign = factories.campaign(
        dataset=dataset,
        protocol=factories.protocol(task="question_set"),
        order="panel",
        annotators_per_task=1,
        selection=selection_to_document(
            Selection(systems=("Alba", "Corvo"), pairs=(("s1", ""), ("s2", "")))
        ),
    )
    campaigns.lock_plan(campaign=campaign, now=NOW)
    campaigns.open_campaign(campaign=campaign, now=NOW)
    places = Assignment.objects.filter(round__campaign=campaign)
    met = places.values_list("seat", "task__task_units__unit__question_set__system__name")
    assert sorted(set(met)) == [(1, "Alba"), (1, "Corvo"), (2, "Alba"), (2, "Corvo")]
    assert places.count() == 4
    assert sorted(selections.judged_sources(campaign).values_list("key", flat=True)) == ["s1", "s2"]
    assert sorted(selections.judged_systems(campaign).values_list("name", flat=True)) == [
        "Alba",
        "Corvo",
    ]
    assert {system for _, system in judged(campaign)} == {"Alba", "Corvo"}


def test_report_counts_the_selection_alone():
    """Of 3 sources by 2 systems, Alba's on s1 and s2 are judged; s2 came without a question."""
    dataset = factories.dataset(sources=3)
    Question.objects.filter(
        unit__question_set__source__key="s2", unit__question_set__system__name="Alba"
    ).delete()
    metric = Metric.objects.create(
        dataset=dataset, name="bleu", fingerprint="bleu", kind="imported"
    )
    for unit in Unit.objects.filter(question_set__source__dataset=dataset, question__isnull=False):
        Score.objects.create(metric=metric, unit=unit, value=0.5)
    for system in dataset.systems.all():
        Score.objects.create(metric=metric, system=system, value=0.25)
    chosen = Selection(pairs=(("s1", "Alba"), ("s2", "Alba")))
    campaign = factories.campaign(dataset=dataset, selection=selection_to_document(chosen))
    assert len(frames.read_campaign(campaign).questions) == 6
    campaigns.lock_plan(campaign=campaign, now=NOW)
    read = frames.read_campaign(campaign)
    assert read.questions[["source", "system"]].values.tolist() == [["s1", "Alba"], ["s2", "Alba"]]
    assert read.questions["text"].isna().tolist() == [False, True]
    assert (len(read.slots), len(read.scores)) == (4, 1)
    assert read.system_scores["system"].tolist() == ["Alba"]
    assert len(frames.hash_data(read)) == 64
    assert selections.question_count(campaign) == 1


def test_report_without_a_selection_is_of_the_whole_dataset():
    campaign = factories.campaign()
    before = frames.hash_data(frames.read_campaign(campaign))
    campaigns.lock_plan(campaign=campaign, now=NOW)
    assert frames.hash_data(frames.read_campaign(campaign)) == before
    assert len(frames.read_campaign(campaign).questions) == 4


def test_pilot_of_a_draft_judges_what_is_chosen_now():
    campaign = factories.campaign(selection=OF_A)
    rounds.open_round(round=campaign.rounds.create(kind="pilot"), now=NOW)
    assert judged(campaign) == [("s1", "Alba"), ("s2", "Alba")]
    System.objects.filter(name="Alba").update(name="Alba 2")
    with refused("nothing_to_judge"):
        rounds.open_round(round=campaign.rounds.create(kind="training"), now=NOW)


@pytest.mark.parametrize("order", ["depth", "breadth", "panel"])
def test_draws_of_a_selection_can_be_checked(order):
    dataset = factories.dataset(sources=5, systems=("Alba", "Brisa", "Corvo"))
    chosen = Selection(systems=("Alba", "Corvo"), sampling=Sampling(3, seed=7))
    campaign = factories.opened(
        dataset=dataset,
        protocol=factories.protocol(task="question_set"),
        order=order,
        annotators_per_task=1,
        selection=selection_to_document(chosen),
    )
    campaigns.close_campaign(campaign=campaign, now=NOW)
    draws.reveal_secret(campaign=campaign, now=NOW)
    assert len(judged(campaign)) == 6
    assert (
        draw_checks.find_draw_problems(
            json.loads("".join(draws.json_document_pieces(draws.draws_document(campaign))))
        )
        == []
    )


def rows_read(monkeypatch, act):
    """Return how many rows each statement about metadata returned while `act` ran."""
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)
    found = []

    def note(execute, sql, params, many, context):
        answer = execute(sql, params, many, context)
        if "judging_attribute" in sql:
            found.append(context["cursor"].rowcount)
        return answer

    with connection.execute_wrapper(note):
        act()
    return found


def with_columns(dataset, values):
    """Give the n-th question, from 0, of a dataset `values(n)`: by column."""
    units = Unit.objects.filter(question_set__source__dataset=dataset, question__isnull=False)
    Attribute.objects.bulk_create(
        Attribute(unit=unit, name=name, value=value)
        for number, unit in enumerate(units.order_by("pk"))
        for name, value in values(number).items()
    )


def test_values_of_columns_are_read_at_once_and_no_further_than_they_are_shown(monkeypatch):
    dataset = factories.dataset(sources=30)
    with_columns(
        dataset,
        lambda number: (
            {f"c{column}": f"v{number % 2}" for column in range(5)} | {"id": f"i{number:02}"}
        ),
    )
    found = {}
    names = selections.column_names(dataset)
    assert names == ["c0", "c1", "c2", "c3", "c4", "id"]

    def act():
        found.update(selections.column_values(dataset, ["c1", "id", "mood"], most=3))

    assert rows_read(monkeypatch, act) == [2 + 4]
    assert found == {"c1": ["v0", "v1"], "id": ["i00", "i01", "i02", "i03"], "mood": []}
    assert list(found) == ["c1", "id", "mood"]


def test_only_wanted_values_of_ticked_columns_are_read(monkeypatch):
    dataset = factories.dataset(sources=30)
    with_columns(
        dataset,
        lambda number: {f"c{column}": f"v{(number + column) % 6}" for column in range(5)},
    )
    chosen = Selection(columns={"c0": ("v1", "v2"), "c1": ("v3",)})
    looks = []

    def act():
        looks.append(selections.preview_selection(dataset=dataset, selection=chosen))

    assert rows_read(monkeypatch, act) == [20, 10]
    assert (looks[0].questions, looks[0].out_of) == (10, 60)


def test_columns_of_a_slot_without_a_question_are_those_of_its_set_whatever_is_wanted():
    """Alba's set on s1 lacks its second question, and its first is of another topic than wanted, so that the missing
    one does not have the topic of its source either."""
    dataset = factories.dataset(sources=2, expected=2)
    topics = {"Alba": "x", "Brisa": "y"}
    units = Unit.objects.filter(question_set__source__dataset=dataset, position__isnull=False)
    for unit in units:
        Attribute.objects.create(
            unit=unit, name="topic", value=topics[unit.question_set.system.name]
        )
    gone = units.filter(question_set__source__key="s1", position=2)
    Attribute.objects.filter(unit__in=gone).delete()
    Question.objects.filter(unit__in=gone).delete()
    look = selections.preview_selection(
        dataset=dataset, selection=Selection(columns={"topic": ("y",)})
    )
    left = Unit.objects.filter(pk__in=look.units, position__isnull=False)
    assert sorted(
        left.values_list("question_set__source__key", "question_set__system__name", "position")
    ) == [("s1", "Brisa", 1), ("s1", "Brisa", 2), ("s2", "Brisa", 1), ("s2", "Brisa", 2)]
    assert look.questions == 3


def test_empty_value_is_none():
    dataset = factories.dataset(sources=2)
    with_topics(dataset, {"s1": "", "s2": "x"})
    with refused("selection_misfit"):
        selections.preview_selection(
            dataset=dataset, selection=Selection(columns={"topic": ("", "x")})
        )
