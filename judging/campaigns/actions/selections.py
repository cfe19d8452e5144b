"""Selecting what a campaign judges: previewed in the draft, fixed by the lock, used when tasks are
laid out."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Case, Count, F, QuerySet, When, Window
from django.db.models.functions import RowNumber

from judging.base.actions.bulk import copy_rows, let_planner_know
from judging.campaigns.actions import locked_plans
from judging.campaigns.guards import judged_now, with_how_to_decline
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.selected_unit import SelectedUnit
from judging.campaigns.selection import (
    CannotChoose,
    ReadColumn,
    Selectable,
    Selection,
    describe_selection,
    select_units,
    selection_from_document,
    selection_to_document,
)
from judging.datasets.models.dataset import Attribute, Dataset, Question, Source, System, Unit
from judging.people.models.event import Event
from judging.people.models.user import User

ANOTHER = "\0"  # replaces a value that is not wanted; PostgreSQL stores no text with it


@dataclass(frozen=True, slots=True)
class ChosenPart:
    """The result of a selection: questions out of all, their sources and systems."""

    units: frozenset[int]
    questions: int
    out_of: int
    sources: int
    systems: int

    def in_words(self, selection: Selection) -> str:
        """Return how much is chosen and how, as in “120 of 3,000 questions: systems A and B”."""
        return f"{self.questions:,} of {self.out_of:,} questions: {describe_selection(selection)}"


def preview_selection(*, dataset: Dataset, selection: Selection) -> ChosenPart:
    """Return the result of a selection in a dataset, and store nothing.

    Raises
    ------
    CannotChoose
        If the selection does not fit the dataset.
    """
    rows = _rows(dataset)
    return _counted(rows, select_units(rows, selection, _reading(dataset, rows)))


def fix(campaign: Campaign) -> dict[str, Any]:
    """Store the result of the draft's selection and return the plan's entry on it; the caller
    has locked the campaign's row."""
    selection = planned_selection(campaign)
    if not selection_to_document(selection):
        return {}
    chosen = preview_selection(dataset=campaign.dataset, selection=selection)
    units = sorted(chosen.units)
    copy_rows(SelectedUnit, ("campaign_id", "unit_id"), ((campaign.pk, unit) for unit in units))
    let_planner_know(SelectedUnit)
    fixed = {
        "questions": chosen.questions,
        "out_of": chosen.out_of,
        "units": len(units),
        "units_sha256": _digest(chosen.units, campaign.dataset),
    }
    campaign.selection = selection_to_document(selection)
    Campaign.objects.filter(pk=campaign.pk).update(selection=campaign.selection)
    return {"selection": campaign.selection | {"chosen": fixed}}


def planned_selection(campaign: Campaign) -> Selection:
    """Return what a campaign's main round is to judge; in a draft, without the sources of pilots and
    calibrations that the main round excludes."""
    chosen = selection_from_document(campaign.selection)
    if campaign.state != Campaign.State.DRAFT:
        return chosen
    apart = judged_before(campaign).filter(task_units__task__round__apart=True)
    return replace(chosen, without=tuple(sorted({*chosen.without, *_keys(apart)})))


def is_narrowed(campaign: Campaign) -> bool:
    """Return whether a campaign judges less than all of its dataset."""
    return bool(selection_to_document(planned_selection(campaign)))


def names_systems(campaign: Campaign, user: User) -> bool:
    """Return whether seeing a campaign's questions would reveal their systems to a user who judges
    them."""
    return _tells(user, campaign.dataset, campaign)


def keep_from_who_judges(user: User, dataset: Dataset, *, campaign: Campaign | None = None) -> None:
    """Raise PermissionDenied if the questions of a campaign, or of a dataset, would reveal their
    systems to a user who judges them."""
    if _tells(user, dataset, campaign):
        said = (
            "You judge this dataset in a campaign that has not ended. Until it is closed you see no question of a "
            "plan that judges part of it, of a degraded copy, or of another dataset that contains some of it: it would "
            "show which system made a question."
        )
        raise PermissionDenied(with_how_to_decline(said, user, dataset))


def _tells(user: User, dataset: Dataset, campaign: Campaign | None) -> bool:
    """Return whether a user judges this dataset, and its questions here would reveal systems: in a
    plan of one system, in a dataset with fewer systems than the one they judge, and in a copy in
    which one system's questions are degraded."""
    judged = judged_now(user, dataset)
    if not judged:
        return False
    if judged != {dataset.pk} or (campaign is not None and is_narrowed(campaign)):
        return True
    made = Event.objects.filter(act=Event.Act.DATASET_DEGRADED, after=f"dataset {dataset.pk}")
    # adding a file to a copy overwrites its mapping, and the history stays
    return "degraded" in dataset.mapping or made.exists()


def judged_before(campaign: Campaign) -> QuerySet[Unit]:
    """Return the units of a campaign's pilot and calibration rounds."""
    return Unit.objects.filter(
        task_units__task__round__in=Round.objects.trials().filter(campaign=campaign)
    )


def _keys(units: QuerySet[Unit]) -> set[str]:
    return set(units.values_list("question_set__source__key", flat=True).distinct())


def fresh_units(campaign: Campaign, *, apart: bool) -> dict[str, list[int]]:
    """Return the units that a further round may judge by their sources: none that an earlier round
    was judged on.

    `apart`: for a round whose sources the main round excludes, they may come from all that fits the
    filters, not from the main sample alone.

    Raises
    ------
    CannotChoose
        If the draft's selection does not fit the dataset any more.
    """
    chosen = planned_selection(campaign)
    selection = replace(chosen, sampling=None) if apart else chosen
    rows = _rows(campaign.dataset)
    units = select_units(rows, selection, _reading(campaign.dataset, rows))
    used = _keys(judged_before(campaign))
    asked = {row.source for row in rows if row.unit in units and row.asked and not row.whole} - used
    found: dict[str, list[int]] = {}
    for row in rows:
        if row.unit in units and row.source in asked:
            found.setdefault(row.source, []).append(row.unit)
    return found


def describe_judged(campaign: Campaign) -> str:
    """Return in words what a campaign judges; if a draft's selection no longer fits, also why."""
    selection = planned_selection(campaign)
    if campaign.locked_plan is not None:
        chosen = locked_plans.read_locked_plan(campaign)["selection"].get("chosen")
        counts = f"{chosen['questions']:,} of {chosen['out_of']:,} questions: " if chosen else ""
        return counts + describe_selection(selection)
    if not selection_to_document(selection):
        return f"{question_count(campaign):,} questions: {describe_selection(selection)}"
    try:
        return preview_selection(dataset=campaign.dataset, selection=selection).in_words(selection)
    except CannotChoose as refused:
        return f"{describe_selection(selection)}. This does not fit the dataset any more: {refused}"


def question_count(campaign: Campaign) -> int:
    """Return how many questions a campaign judges; for a draft, how many there are to choose
    from."""
    questions = _questions(campaign.dataset)
    if _is_part(campaign):
        questions = questions.filter(unit__selected_in__campaign=campaign)
    return questions.count()


def judged_units(campaign: Campaign) -> QuerySet[Unit]:
    """Return the units that are judged; for a draft, the current result of its selection.

    Raises
    ------
    CannotChoose
        If a draft's selection does not fit the dataset any more.
    """
    if _is_part(campaign):
        return Unit.objects.filter(selected_in__campaign=campaign)
    selection = planned_selection(campaign)
    if not selection_to_document(selection):
        return Unit.objects.all()
    chosen = preview_selection(dataset=campaign.dataset, selection=selection)
    return Unit.objects.filter(pk__in=chosen.units)


def judged_sources(campaign: Campaign) -> QuerySet[Source]:
    """Return the sources that are judged."""
    if not _is_part(campaign):
        return campaign.dataset.sources.all()
    units = SelectedUnit.objects.filter(campaign=campaign)
    return Source.objects.filter(pk__in=units.values("unit__question_set__source"))


def judged_systems(campaign: Campaign) -> QuerySet[System]:
    """Return the systems that are judged; for a draft, all."""
    if not _is_part(campaign):
        return campaign.dataset.systems.all()
    units = SelectedUnit.objects.filter(campaign=campaign)
    return System.objects.filter(pk__in=units.values("unit__question_set__system"))


def column_names(dataset: Dataset) -> list[str]:
    """Return the names of the metadata columns."""
    own = Attribute.objects.filter(unit__question_set__source__dataset=dataset)
    return list(own.order_by("name").values_list("name", flat=True).distinct())


def column_values(dataset: Dataset, names: Sequence[str], *, most: int) -> dict[str, list[str]]:
    """Return the values of some metadata columns, at most `most` of each, and one more if there are
    more."""
    own = Attribute.objects.filter(unit__question_set__source__dataset=dataset, name__in=names)
    firsts = (
        own.values("name", "value")
        .annotate(rows=Count("pk"))  # groups equal values, which are then numbered
        .annotate(place=Window(RowNumber(), partition_by="name", order_by="value"))
        .filter(place__lte=most + 1)
    )
    found: dict[str, list[str]] = {name: [] for name in names}
    for name, value in firsts.order_by("name", "value").values_list("name", "value"):
        found[name].append(value)
    return found


def _is_part(campaign: Campaign) -> bool:
    return bool(campaign.selection) and campaign.state != Campaign.State.DRAFT


def _questions(dataset: Dataset) -> QuerySet[Question]:
    first = {"unit__question_set__source__repeat_of__isnull": True}
    return Question.objects.filter(unit__question_set__source__dataset=dataset, **first)


def _units(dataset: Dataset) -> QuerySet[Unit]:
    return Unit.objects.filter(
        question_set__source__dataset=dataset, question_set__source__repeat_of__isnull=True
    )


def _rows(dataset: Dataset) -> list[Selectable]:
    columns = (
        "pk",
        "question_set__source__key",
        "question_set__system__name",
        "position",
        "question",
    )
    none: Mapping[str, str] = {}  # metadata is read by column, when it is needed
    return [
        Selectable(unit, source, system, none, position is None, asked is not None)
        for unit, source, system, position, asked in _units(dataset)
        .values_list(*columns)
        .iterator()
    ]


def _reading(dataset: Dataset, rows: Iterable[Selectable]) -> ReadColumn:
    """Return a function that reads one metadata column of a dataset for `choose`.

    Values that are not wanted stay in the database. Which questions have such a value is queried
    only if slots lack a question, because those have the values of their set.
    """
    lacks_questions = any(not row.asked and not row.whole for row in rows)

    def read(name: str, wanted: Sequence[str]) -> dict[int, str]:
        own = Attribute.objects.filter(unit__in=_units(dataset), name=name).exclude(value="")
        if not wanted:
            return dict(own.values_list("unit", "value").iterator())
        if not lacks_questions:
            own = own.filter(value__in=wanted)
        held = Case(When(value__in=wanted, then=F("value")))
        return {
            unit: ANOTHER if value is None else value
            for unit, value in own.values_list("unit", held).iterator()
        }

    return read


def _counted(rows: Iterable[Selectable], units: frozenset[int]) -> ChosenPart:
    questions = [row for row in rows if row.asked and not row.whole]
    judged = [row for row in questions if row.unit in units]
    sources, systems = {row.source for row in judged}, {row.system for row in judged}
    return ChosenPart(units, len(judged), len(questions), len(sources), len(systems))


def _digest(units: frozenset[int], dataset: Dataset) -> str:
    """Return a SHA-256 over the chosen units by source, system and position, so that anyone can
    check them."""
    columns = ("pk", "question_set__source__key", "question_set__system__name", "position")
    lines = sorted(
        f"{source}\t{system}\t{position or 0}\n"
        for unit, source, system, position in _units(dataset).values_list(*columns).iterator()
        if unit in units
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()
