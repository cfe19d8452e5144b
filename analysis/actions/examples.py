"""Questions kept as examples for a paper: keeping one, letting it go, and writing them down."""

from datetime import datetime

from django.db.models import QuerySet

from analysis.evidence.source import said_of
from analysis.models import KeptExample
from analysis.reports.rows import Record
from judging.models import Campaign, Reference, Unit, User


class NotOfCampaign(ValueError):
    """The question is not judged in this campaign."""


def keep(*, campaign: Campaign, unit: int, note: str, by: User, now: datetime) -> KeptExample:
    """Keep a question; one that is kept already gets the new note."""
    of_collection = Unit.objects.filter(
        question_set__source__collection=campaign.collection_id, pk=unit
    )
    if not of_collection.exists():
        raise NotOfCampaign(f"question {unit}")
    example, _made = KeptExample.objects.update_or_create(
        campaign=campaign,
        unit_id=unit,
        defaults={"note": note},
        create_defaults={
            "note": note,
            "kept_by": by,
            "kept_at": now,
        },
    )
    return example


def let_go(*, campaign: Campaign, unit: int) -> None:
    """Keep a question no longer."""
    KeptExample.objects.filter(campaign=campaign, unit=unit).delete()


def kept(campaign: Campaign) -> QuerySet[KeptExample]:
    """Return the examples whose questions are still there."""
    there = Unit.objects.filter(question_set__source__collection=campaign.collection_id)
    return KeptExample.objects.filter(campaign=campaign, unit__in=there)


def records(campaign: Campaign) -> list[Record]:
    """Return the kept examples as rows: the texts, and every annotator's values by criterion."""
    related = (
        "unit__question",
        "unit__question_set__system",
        "unit__question_set__source__passage",
    )
    rows = list(kept(campaign).select_related(*related))
    said = said_of([row.unit for row in rows], campaign)
    criteria = list(campaign.rubric.criteria.all())
    sources = {row.unit.question_set.source_id for row in rows}
    references: dict[int, list[str]] = {}
    for key, text in Reference.objects.filter(source__in=sources).values_list("source", "text"):
        references.setdefault(key, []).append(text)
    found = []
    for row in rows:
        held, unit = row.unit.question_set, row.unit
        source = held.source
        texts = {
            "source": source.key,
            "system": held.system.name,
            "position": unit.position or 0,
            "question": unit.question.text if hasattr(unit, "question") else "",
            "answer": source.answer,
            "passage": source.passage.text if source.passage else "",
            "references": " | ".join(references.get(source.pk, [])),
            "note": row.note,
        }
        values = {
            each.key: " ".join(str(one.value) for one in said.get((unit.pk, each.pk), []))
            for each in criteria
        }
        found.append(texts | values)
    return found
