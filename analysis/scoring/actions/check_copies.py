"""Degraded copies for a campaign's checks: questions of its own material, made worse in one of four
ways."""

from collections.abc import Iterator
from random import Random

from django.db import transaction

from analysis.scoring.actions.degrading import KINDS
from judging.base.refusals import Refused
from judging.campaigns.actions import draws, selections
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Unit
from judging.quality.actions import check_items
from judging.quality.models.check import CheckItem, CheckKind
from quaestor_metrics._degradations import DEGRADATIONS, knows_noise

COPIES = 40  # an annotator who does hundreds of tasks meets one in every ten or so


class NoCopies(Refused):
    """No copy can be made of this campaign's questions; the message says why."""

    code = "cannot_degrade"


def make_degraded_copies(*, campaign: Campaign) -> int:
    """Make degraded copies of up to 40 questions, one per source, drawn by the campaign's secret;
    return their number.

    The four ways of degrading alternate. If a way cannot change a question, the next way is tried.
    """
    if not knows_noise(campaign.dataset.language):
        raise NoCopies(
            "Questions are degraded by lists of English words, and this dataset is in another language."
        )
    with transaction.atomic():
        held = Campaign.objects.select_for_update().get(pk=campaign.pk)
        if held.state != Campaign.State.DRAFT:
            raise NoCopies(
                "The plan is locked, and with it which checks there are.",
                code="plan_locked",
            )
        if CheckItem.objects.filter(
            campaign=held, kind=CheckKind.DEGRADED, retired_at__isnull=True
        ).exists():
            raise NoCopies("This campaign has degraded copies already.", code="already_there")
        draws.keep_secret(campaign=held)
        rng = Random(int(held.secret, 16) ^ int.from_bytes(b"degraded copies"))
        made = 0
        for unit in _drawn(held, rng):
            found = _degraded(unit.question.text, rng, first=made)
            if found:
                text, way = found
                check_items.add_degraded(campaign=held, unit=unit, text=text, method=KINDS[way])
                made += 1
            if made == COPIES:
                break
    if not made:
        raise NoCopies("No question of this campaign can be degraded.")
    return made


def _drawn(campaign: Campaign, rng: Random) -> Iterator[Unit]:
    """Yield one question of each source in a drawn order."""
    own = selections.judged_units(campaign).filter(
        question__isnull=False,
        question_set__source__dataset=campaign.dataset,
        question_set__source__repeat_of__isnull=True,
    )
    rows = list(
        own.values_list("question_set__source", "pk").order_by("question_set__source", "pk")
    )
    rng.shuffle(rows)
    chosen = list(dict(rows).values())
    rng.shuffle(chosen)
    related = Unit.objects.select_related("question", "question_set__source__passage")
    for start in range(0, len(chosen), COPIES):
        some = chosen[start : start + COPIES]
        units = related.in_bulk(some)
        yield from (units[pk] for pk in some)


def _degraded(text: str, rng: Random, *, first: int) -> tuple[str, str] | None:
    ways = list(DEGRADATIONS)
    for turn in range(len(ways)):
        way = ways[(first + turn) % len(ways)]
        worse = DEGRADATIONS[way](text, rng)
        if worse and worse.strip() and worse != text:
            return worse, way
    return None
