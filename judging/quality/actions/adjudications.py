"""Adjudication: where annotators differ by more than a threshold, an adjudicator whom the manager
names decides on the rating.

Judgments are never changed: adjudicated ratings are rows of their own. An analysis uses them on
request; agreement never does.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.utils.crypto import salted_hmac

from judging.base.models.statements import query_rows
from judging.base.refusals import Refused, check_between
from judging.campaigns.actions.campaigns import NotAllowedNow, check_own_people
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.datasets.actions import excerpts
from judging.datasets.actions.excerpts import SourceExcerpt
from judging.datasets.models.dataset import Unit
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.protocols.models.protocol import Criterion
from judging.quality.models.adjudication import Adjudication, SettledValue
from judging.work.actions import sheets
from judging.work.models.assignment import Note
from judging.work.models.judgment import Judgment

ENDED = (Campaign.State.CLOSED, Campaign.State.ARCHIVED)
MAX_THRESHOLD = 32_767  # ranks; as the column holds
# a criterion that is asked once per set gives one row per set, with the set's first unit
DIFFERING = """
WITH points AS (
    SELECT point.criterion_id, point.value,
        row_number() OVER (PARTITION BY point.criterion_id ORDER BY point.value) AS rank
    FROM judging_scalepoint point JOIN judging_criterion own ON own.id = point.criterion_id
    WHERE own.protocol_id = %(protocol)s AND NOT point.missing),
said AS (
    SELECT j.unit_id, j.criterion_id, points.rank, unit.question_set_id
    FROM judging_judgment j
    JOIN judging_assignment own ON own.id = j.assignment_id AND own.state = 'submitted'
    JOIN judging_round round ON round.id = own.round_id AND round.kind = 'main'
    JOIN points ON points.criterion_id = j.criterion_id AND points.value = j.value
    JOIN judging_unit unit ON unit.id = j.unit_id
    WHERE round.campaign_id = %(campaign)s AND j.superseded_at IS NULL
        AND NOT EXISTS (SELECT FROM judging_exclusion x
                        WHERE x.enrollment_id = own.enrollment_id AND x.lifted_at IS NULL)),
apart AS (
    SELECT said.unit_id, said.criterion_id, said.question_set_id, max(rank) - min(rank) AS ranks
    FROM said JOIN judging_criterion criterion ON criterion.id = said.criterion_id
    GROUP BY said.unit_id, said.criterion_id, said.question_set_id, criterion.level
    HAVING CASE criterion.level WHEN 'nominal' THEN count(DISTINCT rank) > 1
           ELSE max(rank) - min(rank) > %(threshold)s::int END)
SELECT min(apart.unit_id), apart.criterion_id, max(apart.ranks)
FROM apart JOIN judging_criterion criterion ON criterion.id = apart.criterion_id
GROUP BY apart.criterion_id, criterion.position, apart.question_set_id,
    CASE criterion.asked WHEN 'once_per_set' THEN 0 ELSE apart.unit_id END
ORDER BY criterion.position
"""


class CannotSettle(Refused):
    """The value is not on the scale, or annotators do not differ there; the message says which."""

    code = "cannot_adjudicate"
    field = "value"


@dataclass(frozen=True, slots=True)
class Differing:
    """One unit on one criterion on which annotators lie too far apart."""

    unit: int
    criterion: int
    apart: int


@dataclass(frozen=True, slots=True)
class ToSettle:
    """A difference as its adjudicator sees it: texts, judgments and the adjudicated rating, if any.
    No system is named."""

    token: str
    source: SourceExcerpt
    question: str  # "" for a set as a whole
    criterion: Criterion
    prompt: str
    apart: int
    said: list[tuple[str, int, str]]  # label, value, its words
    comments: list[tuple[str, str]]
    settled: SettledValue | None


def name_adjudicator(
    *, campaign: Campaign, adjudicator: User, threshold: int, by: User, now: datetime
) -> Adjudication:
    """Name the adjudicator. One named before loses the page; their adjudicated ratings stay."""
    check_own_people(campaign)
    check_between(threshold, 0, MAX_THRESHOLD, field="threshold")
    if not adjudicator.has_usable_password():
        raise NotAllowedNow(
            "An adjudicator needs an account with a password of their own.", code="account_required"
        )
    with transaction.atomic():
        held = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        before = Adjudication.objects.filter(campaign=held).first()
        made, _new = Adjudication.objects.update_or_create(
            campaign=held,
            defaults={"adjudicator": adjudicator, "threshold": threshold, "named_at": now},
        )
        history.record_event(
            Event.Act.ADJUDICATOR_NAMED,
            by=by,
            campaign=held,
            about=history.account_name(adjudicator),
            before=str(before or ""),
            after=str(made),
        )
    return made


def find_differences(campaign: Campaign, threshold: int) -> list[Differing]:
    """Return where ratings of the main round lie more than `threshold` ranks apart.

    On a nominal scale any two different values count. "Cannot say" is no value, and excluded
    annotators do not count. A criterion that is asked once per set gives one difference per set.
    """
    names = {"campaign": campaign.pk, "protocol": campaign.protocol_id, "threshold": threshold}
    found = [Differing(unit, key, ranks) for unit, key, ranks in query_rows(DIFFERING, names)]
    order = {
        key: place for place, key in enumerate(dict.fromkeys(each.criterion for each in found))
    }
    # by token, not by key: the order of keys would reveal systems
    return sorted(
        found, key=lambda each: (order[each.criterion], -each.apart, token_of(campaign, each))
    )


def settled_of(campaign: Campaign) -> dict[tuple[int, int], int]:
    """Return the adjudicated ratings that are not superseded, by unit and criterion."""
    standing = SettledValue.objects.standing().filter(campaign=campaign)
    return {
        (unit, criterion): value
        for unit, criterion, value in standing.values_list("unit", "criterion", "value")
    }


def token_of(campaign: Campaign, each: Differing) -> str:
    """Return a form's name for a difference, which does not reveal the unit."""
    said = f"{campaign.uuid}/{each.unit}/{each.criterion}"
    digest = salted_hmac("judging.settle", said, secret=settings.PSEUDONYM_KEY, algorithm="sha256")
    return digest.hexdigest()[:24]


def describe_differences(campaign: Campaign, places: Iterable[Differing]) -> list[ToSettle]:
    """Return differences with everything an adjudicator needs."""
    places = list(places)
    units = dict(
        Unit.objects.filter(pk__in=[each.unit for each in places]).values_list(
            "pk", "question_set__source"
        )
    )
    sources = excerpts.source_excerpts(set(units.values()))
    questions = excerpts.question_excerpts(units)
    criteria = Criterion.objects.prefetch_related("points").in_bulk(
        {each.criterion for each in places}
    )
    protocol = sheets.cached_protocol(campaign.protocol).document
    prompts = {each.key: each.prompt for each in protocol.criteria}
    said, comments = _said(campaign, units), _comments(campaign, units)
    standing = {
        (each.unit_id, each.criterion_id): each
        for each in SettledValue.objects.standing().filter(campaign=campaign, unit__in=units)
    }
    return [
        ToSettle(
            token=token_of(campaign, each),
            source=sources[units[each.unit]],
            question=questions.get(each.unit, ""),
            criterion=criteria[each.criterion],
            prompt=prompts[criteria[each.criterion].key],
            apart=each.apart,
            said=said[each.unit, each.criterion],
            comments=comments[each.unit],
            settled=standing.get((each.unit, each.criterion)),
        )
        for each in places
    ]


def _said(
    campaign: Campaign, units: Iterable[int]
) -> dict[tuple[int, int], list[tuple[str, int, str]]]:
    found: dict[tuple[int, int], list[tuple[str, int, str]]] = defaultdict(list)
    wanted = Judgment.objects.standing().filter(
        unit__in=units,
        assignment__round__campaign=campaign,
        assignment__round__kind="main",
        assignment__state=Assignment.State.SUBMITTED,
    )
    excluded = campaign.enrollments.filter(
        exclusions__lifted_at__isnull=True, exclusions__isnull=False
    )
    columns = ("unit", "criterion", "assignment__enrollment__label", "value", "point__label")
    kept = wanted.exclude(assignment__enrollment__in=excluded)
    for unit, criterion, label, value, words in kept.order_by(columns[2]).values_list(*columns):
        found[unit, criterion].append((label, value, words))
    return found


def _comments(campaign: Campaign, units: Iterable[int]) -> dict[int, list[tuple[str, str]]]:
    found: dict[int, list[tuple[str, str]]] = defaultdict(list)
    notes = Note.objects.filter(unit__in=units, assignment__round__campaign=campaign)
    columns = ("unit", "assignment__enrollment__label", "text")
    for unit, label, text in notes.exclude(text="").order_by(columns[1]).values_list(*columns):
        found[unit].append((label, text))
    return found


def store_adjudicated_rating(
    *, campaign: Campaign, token: str, value: int, reason: str, by: User, now: datetime
) -> int:
    """Store an adjudicated rating; an earlier one is superseded and kept. Return how many units it
    applies to."""
    with transaction.atomic():
        held = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        own = Adjudication.objects.filter(campaign=held, adjudicator=by).first()
        if own is None:
            raise NotAllowedNow(
                "You are not the adjudicator of this campaign.", code="not_adjudicator"
            )
        if held.state not in ENDED:
            raise NotAllowedNow(
                "Adjudication begins once the campaign is closed.", code="campaign_not_closed"
            )
        found = [
            each for each in find_differences(held, own.threshold) if token_of(held, each) == token
        ]
        if not found:
            raise CannotSettle("Annotators do not differ there any more. Load the page again.")
        criterion = Criterion.objects.get(pk=found[0].criterion)
        if not criterion.points.filter(value=value, missing=False).exists():
            raise CannotSettle(
                f"{value} is not on the scale of {criterion.name}.", code="not_on_scale"
            )
        units = _units(held, found[0].unit, criterion)
        same = {"campaign": held, "criterion": criterion, "unit__in": units}
        SettledValue.objects.standing().filter(**same).update(superseded_at=now)
        SettledValue.objects.bulk_create(
            SettledValue(
                campaign=held, unit_id=unit, criterion=criterion, value=value,
                reason=reason.strip()[:500], settled_by=by, settled_at=now,
            )
            for unit in units
        )  # fmt: skip
        history.record_event(
            Event.Act.VALUE_SETTLED, by=by, campaign=held, about=criterion.key, after=str(value)
        )
    return len(units)


def _units(campaign: Campaign, unit: int, criterion: Criterion) -> list[int]:
    """Return the units that an adjudicated rating applies to: this one, or all judged units of its
    set if the criterion is asked once per set."""
    if criterion.asked != Criterion.Asked.ONCE_PER_SET:
        return [unit]
    judged = Judgment.objects.standing().filter(
        criterion=criterion,
        unit__question_set__units=unit,
        assignment__round__campaign=campaign,
        assignment__round__kind="main",
    )
    return sorted(set(judged.values_list("unit", flat=True)))
