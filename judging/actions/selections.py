"""Choosing what a campaign judges: looked at in the draft, fixed by the lock, used when tasks are
laid out."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Case, Count, F, QuerySet, When, Window
from django.db.models.functions import RowNumber

from judging.actions.bulk import copy, let_planner_know
from judging.guards import judged_now, with_how_to_decline
from judging.models import (
    Attribute,
    Campaign,
    Collection,
    Event,
    Question,
    Round,
    SelectedUnit,
    Source,
    System,
    Unit,
    User,
)
from judging.selection import (
    CannotChoose,
    ReadColumn,
    Selectable,
    Selection,
    choose,
    from_document,
    in_words,
    to_document,
)

ANOTHER = "\0"  # stands for a value that is not wanted; PostgreSQL stores no text that holds it


@dataclass(frozen=True, slots=True)
class ChosenPart:
    """What a selection comes to: questions out of all, their sources and systems."""

    units: frozenset[int]
    questions: int
    out_of: int
    sources: int
    systems: int

    def in_words(self, selection: Selection) -> str:
        """Say how much is chosen and how, as in “120 of 3,000 questions: systems A and B”."""
        return f"{self.questions:,} of {self.out_of:,} questions: {in_words(selection)}"


def look(*, collection: Collection, selection: Selection) -> ChosenPart:
    """Return what a selection comes to in a collection, and store nothing.

    Raises
    ------
    CannotChoose
        If the selection does not fit the collection.
    """
    rows = _rows(collection)
    return _counted(rows, choose(rows, selection, _reading(collection, rows)))


def fix(campaign: Campaign) -> dict[str, Any]:
    """Store what the draft's selection comes to and return what the protocol says of it; the caller
    holds the lock."""
    selection = planned(campaign)
    if not to_document(selection):
        return {}
    chosen = look(collection=campaign.collection, selection=selection)
    units = sorted(chosen.units)
    copy(SelectedUnit, ("campaign_id", "unit_id"), ((campaign.pk, unit) for unit in units))
    let_planner_know(SelectedUnit)
    fixed = {
        "questions": chosen.questions,
        "out_of": chosen.out_of,
        "units": len(units),
        "units_sha256": _digest(chosen.units, campaign.collection),
    }
    campaign.selection = to_document(selection)
    Campaign.objects.filter(pk=campaign.pk).update(selection=campaign.selection)
    return {"selection": campaign.selection | {"chosen": fixed}}


def planned(campaign: Campaign) -> Selection:
    """Return what a campaign's main round is to judge: of a draft, without the sources kept
    apart."""
    chosen = from_document(campaign.selection)
    if campaign.state != Campaign.State.DRAFT:
        return chosen
    apart = judged_before(campaign).filter(task_units__task__round__apart=True)
    return replace(chosen, without=tuple(sorted({*chosen.without, *_keys(apart)})))


def narrows(campaign: Campaign) -> bool:
    """Say whether a campaign judges less than all of its collection."""
    return bool(to_document(planned(campaign)))


def names_systems(campaign: Campaign, user: User) -> bool:
    """Say whether to see which questions a campaign is about would tell somebody who judges them
    their systems."""
    return _tells(user, campaign.collection, campaign)


def keep_from_who_judges(
    user: User, collection: Collection, *, campaign: Campaign | None = None
) -> None:
    """Refuse somebody the questions of a campaign, or of a collection, where these would name their
    systems."""
    if _tells(user, collection, campaign):
        said = (
            "You judge this dataset in a campaign that has not ended. Until it is closed you see no question of a "
            "plan that judges part of it, of a degraded copy, or of another dataset that holds some of it: it would "
            "show which system made a question."
        )
        raise PermissionDenied(with_how_to_decline(said, user, collection))


def _tells(user: User, collection: Collection, campaign: Campaign | None) -> bool:
    """Say whether somebody judges this dataset, and its questions here would tell systems: those
    of a plan of one system would, those of a collection that has fewer systems than the one they
    judge, and those of a copy in which one system's are degraded."""
    judged = judged_now(user, collection)
    if not judged:
        return False
    if judged != {collection.pk} or (campaign is not None and narrows(campaign)):
        return True
    made = Event.objects.filter(
        act=Event.Act.COLLECTION_DEGRADED, after=f"collection {collection.pk}"
    )
    # adding a file to a copy overwrites its mapping, and the history stays
    return "degraded" in collection.mapping or made.exists()


def judged_before(campaign: Campaign) -> QuerySet[Unit]:
    """Return the units of a campaign's pilot and calibration rounds."""
    return Unit.objects.filter(
        task_units__task__round__in=Round.objects.trials().filter(campaign=campaign)
    )


def _keys(units: QuerySet[Unit]) -> set[str]:
    return set(units.values_list("question_set__source__key", flat=True).distinct())


def fresh(campaign: Campaign, *, apart: bool) -> dict[str, list[int]]:
    """Return the units that a further round may judge by their sources: none that an earlier round
    was judged on.

    Material that the main round leaves out may come from all that fits the filters, not from the
    main sample alone.

    Raises
    ------
    CannotChoose
        If the draft's selection does not fit the collection any more.
    """
    chosen = planned(campaign)
    selection = replace(chosen, sampling=None) if apart else chosen
    rows = _rows(campaign.collection)
    units = choose(rows, selection, _reading(campaign.collection, rows))
    used = _keys(judged_before(campaign))
    asked = {row.source for row in rows if row.unit in units and row.asked and not row.whole} - used
    found: dict[str, list[int]] = {}
    for row in rows:
        if row.unit in units and row.source in asked:
            found.setdefault(row.source, []).append(row.unit)
    return found


def words(campaign: Campaign) -> str:
    """Say what a campaign judges; of a draft whose selection no longer fits, why."""
    selection = planned(campaign)
    if campaign.protocol is not None:
        chosen = campaign.protocol.get("selection", {}).get("chosen")
        counts = f"{chosen['questions']:,} of {chosen['out_of']:,} questions: " if chosen else ""
        return counts + in_words(selection)
    if not to_document(selection):
        return f"{question_count(campaign):,} questions: {in_words(selection)}"
    try:
        return look(collection=campaign.collection, selection=selection).in_words(selection)
    except CannotChoose as refused:
        return f"{in_words(selection)}. This does not fit the dataset any more: {refused}"


def question_count(campaign: Campaign) -> int:
    """Return how many questions a campaign judges; of a draft, how many there are to choose
    from."""
    questions = _questions(campaign.collection)
    if _is_part(campaign):
        questions = questions.filter(unit__selected_in__campaign=campaign)
    return questions.count()


def units_of(campaign: Campaign) -> QuerySet[Unit]:
    """Return the units that are judged; of a draft, those that its selection comes to now.

    Raises
    ------
    CannotChoose
        If a draft's selection does not fit the collection any more.
    """
    if _is_part(campaign):
        return Unit.objects.filter(selected_in__campaign=campaign)
    selection = planned(campaign)
    if not to_document(selection):
        return Unit.objects.all()
    chosen = look(collection=campaign.collection, selection=selection)
    return Unit.objects.filter(pk__in=chosen.units)


def sources_of(campaign: Campaign) -> QuerySet[Source]:
    """Return the sources that are judged."""
    if not _is_part(campaign):
        return campaign.collection.sources.all()
    units = SelectedUnit.objects.filter(campaign=campaign)
    return Source.objects.filter(pk__in=units.values("unit__question_set__source"))


def systems_of(campaign: Campaign) -> QuerySet[System]:
    """Return the systems that are judged; of a draft, all."""
    if not _is_part(campaign):
        return campaign.collection.systems.all()
    units = SelectedUnit.objects.filter(campaign=campaign)
    return System.objects.filter(pk__in=units.values("unit__question_set__system"))


def column_names(collection: Collection) -> list[str]:
    """Return the names of the metadata columns."""
    own = Attribute.objects.filter(unit__question_set__source__collection=collection)
    return list(own.order_by("name").values_list("name", flat=True).distinct())


def column_values(
    collection: Collection, names: Sequence[str], *, most: int
) -> dict[str, list[str]]:
    """Return the values of some metadata columns, as many as `most` each and one more where there
    are more."""
    own = Attribute.objects.filter(
        unit__question_set__source__collection=collection, name__in=names
    )
    firsts = (
        own.values("name", "value")
        .annotate(rows=Count("pk"))  # groups equal values, which are then counted off
        .annotate(place=Window(RowNumber(), partition_by="name", order_by="value"))
        .filter(place__lte=most + 1)
    )
    found: dict[str, list[str]] = {name: [] for name in names}
    for name, value in firsts.order_by("name", "value").values_list("name", "value"):
        found[name].append(value)
    return found


def _is_part(campaign: Campaign) -> bool:
    return bool(campaign.selection) and campaign.state != Campaign.State.DRAFT


def _questions(collection: Collection) -> QuerySet[Question]:
    first = {"unit__question_set__source__repeat_of__isnull": True}
    return Question.objects.filter(unit__question_set__source__collection=collection, **first)


def _units(collection: Collection) -> QuerySet[Unit]:
    return Unit.objects.filter(
        question_set__source__collection=collection, question_set__source__repeat_of__isnull=True
    )


def _rows(collection: Collection) -> list[Selectable]:
    columns = (
        "pk",
        "question_set__source__key",
        "question_set__system__name",
        "position",
        "question",
    )
    none: Mapping[str, str] = {}  # which are read by column, when they are looked at
    return [
        Selectable(unit, source, system, none, position is None, asked is not None)
        for unit, source, system, position, asked in _units(collection)
        .values_list(*columns)
        .iterator()
    ]


def _reading(collection: Collection, rows: Iterable[Selectable]) -> ReadColumn:
    """Return what reads one column of a collection for `choose`.

    Values that are not wanted stay in the database. Which questions have such a value is asked only
    where slots are without a question, which have the values of their set.
    """
    lacks_questions = any(not row.asked and not row.whole for row in rows)

    def read(name: str, wanted: Sequence[str]) -> dict[int, str]:
        own = Attribute.objects.filter(unit__in=_units(collection), name=name).exclude(value="")
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


def _digest(units: frozenset[int], collection: Collection) -> str:
    """Return a SHA-256 over the chosen units by source, system and position, so that anybody can
    check them."""
    columns = ("pk", "question_set__source__key", "question_set__system__name", "position")
    lines = sorted(
        f"{source}\t{system}\t{position or 0}\n"
        for unit, source, system, position in _units(collection).values_list(*columns).iterator()
        if unit in units
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()
