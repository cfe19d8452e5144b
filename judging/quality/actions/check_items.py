"""The gold questions and degraded copies of a campaign, stored in a dataset of their own."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max

from judging.base.refusals import Refused
from judging.campaigns.models.campaign import Campaign, Deviation
from judging.datasets.models.dataset import Dataset, Question, QuestionSet, Source, System, Unit
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.protocols.models.protocol import Criterion
from judging.quality.models.check import AcceptedValue, CheckItem, CheckKind

# of a source; a check shows the same page as its origin
COPIED_FIELDS = (
    *("answer", "answer_start", "sentence", "sentence_start"),
    *("target_type", "modality", "language"),
)


class NotAQuestion(Refused):
    """The check is not made from a question of the campaign's dataset, it has no accepted value, or
    the plan is locked."""

    code = "invalid_check"


def add_gold(
    *,
    campaign: Campaign,
    unit: Unit,
    text: str,
    accepted: Mapping[int, Iterable[int]],
    by: User | None = None,
) -> CheckItem:
    """Store a gold question with its accepted values by criterion; an empty text leaves the
    question's text unchanged."""
    values = _ticked(accepted)
    with transaction.atomic():
        item = _add(campaign, CheckKind.GOLD, unit, text, "")
        _accept(item, values)
        history.record_event(
            Event.Act.GOLD_CHANGED,
            by=by,
            campaign=campaign,
            about=f"gold {item.pk}",
            after=_written(values),
        )
    return item


def add_degraded(*, campaign: Campaign, unit: Unit, text: str, method: str) -> CheckItem:
    """Store a degraded copy of a question; it is shown long after its original."""
    with transaction.atomic():
        return _add(campaign, CheckKind.DEGRADED, unit, text, method)


def correct_gold(
    *,
    item: CheckItem,
    accepted: Mapping[int, Iterable[int]],
    by: User,
    now: datetime,
    reason: str,
) -> None:
    """Change a gold question's accepted values. Annotators' answers stay; whether they passed is
    computed from the new values.

    After the lock this is a deviation, which the report lists with its reason.
    """
    values = _ticked(accepted)
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update(no_key=True).get(pk=item.campaign_id)
        item = CheckItem.objects.select_for_update().get(pk=item.pk)
        before = _written(item.accepted_values())
        item.accepted.all().delete()
        _accept(item, values)
        change = {"before": before, "after": _written(values)}
        history.record_event(
            Event.Act.GOLD_CHANGED, by=by, campaign=campaign, about=f"gold {item.pk}", **change
        )
        if campaign.state != Campaign.State.DRAFT:
            Deviation.objects.create(
                campaign=campaign,
                what=f"accepted values of gold question {item.pk}",
                reason=reason,
                made_by=by,
                made_at=now,
                **change,
            )


def copy_checks(of: Campaign, to: Campaign) -> None:
    """Give a draft the checks of another campaign on the same dataset and by the same protocol."""
    standing = of.check_items.filter(retired_at__isnull=True)
    for item in standing.select_related(
        "unit__question", "original__question_set__source"
    ).order_by("pk"):
        copy = _add(to, item.kind, item.original, item.unit.question.text, item.method)
        _accept(copy, item.accepted_values())


def retire_check(*, item: CheckItem, by: User, now: datetime) -> None:
    """Show a check to no further annotator, and exclude it from all results; its judgments stay."""
    with transaction.atomic():
        if CheckItem.objects.filter(pk=item.pk, retired_at__isnull=True).update(retired_at=now):
            about = f"{item.kind} {item.pk}"
            history.record_event(
                Event.Act.CHECK_RETIRED, by=by, campaign=item.campaign, about=about
            )


def discard_checks(campaign: Campaign) -> None:
    """Delete the checks of a draft in which no annotator has judged."""
    CheckItem.objects.filter(campaign=campaign).delete()
    for dataset in Dataset.objects.filter(checks_of=campaign):
        dataset.sources.all().delete()
        dataset.delete()


def _ticked(accepted: Mapping[int, Iterable[int]]) -> dict[int, list[int]]:
    values = {criterion: sorted(set(ticks)) for criterion, ticks in accepted.items() if ticks}
    if not values:
        raise NotAQuestion("Tick at least one accepted value.")
    return values


def _written(values: Mapping[int, Sequence[int]]) -> str:
    names = dict(Criterion.objects.filter(pk__in=values).values_list("pk", "key"))
    return "; ".join(f"{names[key]}: {', '.join(map(str, values[key]))}" for key in sorted(values))


def checks_document(campaign: Campaign) -> dict[str, Any]:
    """Return what the lock fixes of the checks: how many there are of each kind, and their hash."""
    lines: list[list[Any]] = []
    for item in campaign.check_items.filter(retired_at__isnull=True).select_related(
        "unit__question", "original"
    ):
        right = sorted(item.accepted.values_list("criterion__key", "value"))
        lines.append([item.kind, item.unit.question.text, item.method, right])
    if not lines:
        return {}
    kinds = [line[0] for line in lines]
    written = json.dumps(sorted(lines), ensure_ascii=False)
    counts: dict[str, Any] = {str(kind): kinds.count(kind) for kind in sorted(set(kinds))}
    return {"checks": counts | {"sha256": hashlib.sha256(written.encode()).hexdigest()}}


def _accept(item: CheckItem, values: Mapping[int, Sequence[int]]) -> None:
    AcceptedValue.objects.bulk_create(
        AcceptedValue(item=item, criterion_id=criterion, value=value)
        for criterion in values
        for value in values[criterion]
    )


def _add(campaign: Campaign, kind: str, unit: Unit, text: str, method: str) -> CheckItem:
    """Copy a question's source into the dataset of the checks; `text`, if not empty, replaces the
    question's text."""
    if Campaign.objects.select_for_update().get(pk=campaign.pk).state != Campaign.State.DRAFT:
        raise NotAQuestion("The plan is locked, so its checks cannot change.", code="plan_locked")
    origin = unit.question_set.source
    if origin.dataset_id != campaign.dataset_id or not Question.objects.filter(unit=unit).exists():
        raise NotAQuestion("This is no question of the campaign's dataset.")
    key = f"{kind} {CheckItem.objects.count() + 1} {unit.pk}"
    copied = _copy(origin, _dataset(campaign), key)[unit.pk]
    if text.strip():
        Question.objects.filter(unit=copied).update(text=text.strip())
    return CheckItem.objects.create(
        campaign=campaign, kind=kind, unit_id=copied, original=unit, method=method
    )


def _dataset(campaign: Campaign) -> Dataset:
    dataset, _new = Dataset.objects.get_or_create(
        checks_of=campaign,
        defaults={
            "name": f"Checks of {campaign.title}"[:200],
            "owner": campaign.dataset.owner,
            "language": campaign.dataset.language,
        },
    )
    return dataset


def _copy(origin: Source, into: Dataset, key: str) -> dict[int, int]:
    """Copy a source with every system's questions; return the copy of each unit."""
    source = _copy_source(origin, into, key)
    sets = list(origin.question_sets.select_related("system").prefetch_related("units__question"))
    names = sorted({question_set.system.name for question_set in sets})
    System.objects.bulk_create(
        (System(dataset=into, name=name) for name in names), ignore_conflicts=True
    )
    systems = {system.name: system for system in into.systems.filter(name__in=names)}
    copied_sets = QuestionSet.objects.bulk_create(
        QuestionSet(
            source=source,
            system=systems[question_set.system.name],
            expected=question_set.expected,
        )
        for question_set in sets
    )
    return _copy_units(zip(sets, copied_sets, strict=True))


def _copy_source(origin: Source, into: Dataset, key: str) -> Source:
    """Copy a source with its passage, without its questions."""
    passage = origin.passage
    if passage:
        passage, _new = into.passages.get_or_create(
            digest=passage.digest, defaults={"text": passage.text}
        )
    last = into.sources.aggregate(last=Max("position"))["last"] or 0
    return Source.objects.create(
        dataset=into,
        key=key[:200],
        position=last + 1,
        passage=passage,
        **{name: getattr(origin, name) for name in COPIED_FIELDS},
    )


def _copy_units(sets: Iterable[tuple[QuestionSet, QuestionSet]]) -> dict[int, int]:
    """Copy the units and questions of question sets, each given with its copy; return the copy of
    each unit."""
    units = [(unit, copied_set) for origin, copied_set in sets for unit in origin.units.all()]
    copies = Unit.objects.bulk_create(
        Unit(question_set=copied_set, position=unit.position) for unit, copied_set in units
    )
    copied = {unit.pk: copy.pk for (unit, _set), copy in zip(units, copies, strict=True)}
    Question.objects.bulk_create(
        Question(
            unit_id=copied[unit.pk],
            text=unit.question.text,
            question_type=unit.question.question_type,
            submitted_answer=unit.question.submitted_answer,
        )
        for unit, _set in units
        if hasattr(unit, "question")
    )
    return copied
