"""Questions kept as examples for a paper: keeping one, letting it go, and writing them down."""

from collections import defaultdict
from datetime import datetime

from django.db.models import F, QuerySet
from django.db.models.functions import Left

from analysis.evidence.source import judgments_by_unit
from analysis.models import KeptExample
from analysis.reports.rows import Record
from judging.base.limits import MAX_TEXT_CHARACTERS
from judging.base.long_texts import shortened
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Reference, Unit
from judging.people.models.user import User


class NotOfCampaign(ValueError):
    """The question is not judged in this campaign."""


def keep_example(
    *, campaign: Campaign, unit: int, note: str, by: User, now: datetime
) -> KeptExample:
    """Keep a question; one that is kept already gets the new note."""
    of_dataset = Unit.objects.filter(question_set__source__dataset=campaign.dataset_id, pk=unit)
    if not of_dataset.exists():
        raise NotOfCampaign(f"question {unit}")
    example, _made = KeptExample.objects.update_or_create(
        campaign=campaign,
        unit_id=unit,
        defaults={"note": note},
        create_defaults={"note": note, "kept_by": by, "kept_at": now},
    )
    return example


def drop_example(*, campaign: Campaign, unit: int) -> None:
    """Keep a question no longer."""
    KeptExample.objects.filter(campaign=campaign, unit=unit).delete()


def load_examples(campaign: Campaign) -> QuerySet[KeptExample]:
    """Return the examples whose questions are still there."""
    there = Unit.objects.filter(question_set__source__dataset=campaign.dataset_id)
    return KeptExample.objects.filter(campaign=campaign, unit__in=there)


def example_rows(campaign: Campaign, *, longest: int = MAX_TEXT_CHARACTERS) -> list[Record]:
    """Return the kept examples as rows: the texts, and every annotator's values by criterion.

    `longest`: characters of a text; of a longer one the row has the beginning and an ellipsis.
    """
    of_set, of_source = "unit__question_set__", "unit__question_set__source__"
    rows = list(
        load_examples(campaign)
        .values(
            "note",
            "unit",
            key=F(f"{of_source}key"),
            own_source=F(f"{of_set}source"),
            system=F(f"{of_set}system__name"),
            position=F("unit__position"),
            question=_beginning("unit__question__text", longest),
            answer=_beginning(f"{of_source}answer", longest),
            passage=_beginning(f"{of_source}passage__text", longest),
        )
        .order_by("kept_at", "pk")
    )
    units = [Unit(pk=row["unit"]) for row in rows]
    said = judgments_by_unit(units, campaign)
    criteria = list(campaign.protocol.criteria.all())
    references = _references({row["own_source"] for row in rows}, longest)
    found = []
    for row in rows:
        texts = {
            "source": row["key"],
            "system": row["system"],
            "position": row["position"] or 0,
            "question": shortened(row["question"] or "", longest),
            "answer": shortened(row["answer"], longest),
            "passage": shortened(row["passage"] or "", longest),
            "references": references.get(row["own_source"], ""),
            "note": row["note"],
        }
        values = {
            criterion.key: " ".join(
                str(one.value) for one in said.get((row["unit"], criterion.pk), [])
            )
            for criterion in criteria
        }
        found.append(texts | values)
    return found


def _beginning(name: str, longest: int) -> Left:
    """Return enough of a text to know whether it must be cut; the rest is not read."""
    return Left(name, longest + 1)


def _references(sources: set[int], longest: int) -> dict[int, str]:
    found: defaultdict[int, str] = defaultdict(str)
    held = Reference.objects.filter(source__in=sources)
    for key, text in held.values_list("source", _beginning("text", longest)).iterator():
        if len(found[key]) <= longest:
            found[key] = " | ".join(filter(None, [found[key], text]))
    return {key: shortened(text, longest) for key, text in found.items()}
