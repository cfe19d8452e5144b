"""Adjudication: where annotators differ by more than a threshold, an adjudicator whom the manager
names decides on the rating.

Judgments are never changed: adjudicated ratings are rows of their own. An analysis uses them on
request; agreement never does.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import starmap
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils.crypto import salted_hmac

from judging.base.models.statements import named_statements, query_rows
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
from judging.protocols.protocol_schema import ProtocolCriterion
from judging.quality.models.adjudication import Adjudication, SettledValue
from judging.work.actions import sheets
from judging.work.models.assignment import Note
from judging.work.models.judgment import Judgment

ENDED = (Campaign.State.CLOSED, Campaign.State.ARCHIVED)
MAX_THRESHOLD = 32_767  # ranks; as the column holds
SQL = named_statements(Path(__file__).with_suffix(".sql"))


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

    @property
    def place(self) -> tuple[int, int]:
        """The unit and the criterion, as ratings are adjudicated."""
        return self.unit, self.criterion


@dataclass(frozen=True, slots=True)
class ShownRating:
    """One annotator's rating, with the label of its value."""

    annotator: str
    value: int
    label: str


@dataclass(frozen=True, slots=True)
class ShownComment:
    """One annotator's comment on a unit."""

    annotator: str
    text: str


@dataclass(frozen=True, slots=True)
class ToSettle:
    """A difference as its adjudicator sees it: texts, judgments and the adjudicated rating, if any.
    No system is named."""

    token: str
    source: SourceExcerpt
    question: str  # "" for a set as a whole
    criterion: Criterion
    wording: ProtocolCriterion
    apart: int
    ratings: list[ShownRating]
    comments: list[ShownComment]
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
    arguments = {"campaign": campaign.pk, "protocol": campaign.protocol_id, "threshold": threshold}
    differences = list(starmap(Differing, query_rows(SQL["differences"], arguments)))
    criteria = list(dict.fromkeys(difference.criterion for difference in differences))
    # by token, not by key: the order of keys would reveal systems
    return sorted(
        differences,
        key=lambda difference: (
            criteria.index(difference.criterion),
            -difference.apart,
            token_of(campaign, difference),
        ),
    )


def settled_of(campaign: Campaign) -> dict[tuple[int, int], int]:
    """Return the adjudicated ratings that are not superseded, by unit and criterion."""
    standing = SettledValue.objects.standing().filter(campaign=campaign)
    return {
        (unit, criterion): value
        for unit, criterion, value in standing.values_list("unit", "criterion", "value")
    }


def token_of(campaign: Campaign, difference: Differing) -> str:
    """Return a form's name for a difference, which does not reveal the unit."""
    name = f"{campaign.uuid}/{difference.unit}/{difference.criterion}"
    digest = salted_hmac("judging.settle", name, secret=settings.PSEUDONYM_KEY, algorithm="sha256")
    return digest.hexdigest()[:24]


def describe_differences(campaign: Campaign, differences: Iterable[Differing]) -> list[ToSettle]:
    """Return differences with everything an adjudicator needs."""
    differences = list(differences)
    units = Unit.objects.filter(pk__in=[difference.unit for difference in differences])
    source_of = dict(units.values_list("pk", "question_set__source"))
    sources = excerpts.source_excerpts(set(source_of.values()))
    questions = excerpts.question_excerpts(source_of)
    criteria = Criterion.objects.prefetch_related("points").in_bulk(
        {difference.criterion for difference in differences}
    )
    document = sheets.cached_protocol(campaign.protocol).document
    wordings = {criterion.key: criterion for criterion in document.criteria}
    ratings, comments = _ratings(campaign, source_of), _comments(campaign, source_of)
    standing = SettledValue.objects.standing().filter(campaign=campaign, unit__in=source_of)
    adjudicated = {(row.unit_id, row.criterion_id): row for row in standing}
    return [
        ToSettle(
            token=token_of(campaign, difference),
            source=sources[source_of[difference.unit]],
            question=questions.get(difference.unit, ""),
            criterion=criteria[difference.criterion],
            wording=wordings[criteria[difference.criterion].key],
            apart=difference.apart,
            ratings=ratings[difference.place],
            comments=comments[difference.unit],
            settled=adjudicated.get(difference.place),
        )
        for difference in differences
    ]


def _ratings(
    campaign: Campaign, units: Iterable[int]
) -> defaultdict[tuple[int, int], list[ShownRating]]:
    """Return the ratings of annotators who are not excluded, by unit and criterion."""
    judgments = Judgment.objects.standing().filter(
        unit__in=units,
        assignment__round__campaign=campaign,
        assignment__round__kind="main",
        assignment__state=Assignment.State.SUBMITTED,
    )
    excluded = campaign.enrollments.filter(
        exclusions__lifted_at__isnull=True, exclusions__isnull=False
    )
    shown = judgments.exclude(assignment__enrollment__in=excluded)
    label = "assignment__enrollment__label"
    ratings: defaultdict[tuple[int, int], list[ShownRating]] = defaultdict(list)
    columns = ("unit", "criterion", label, "value", "point__label")
    for unit, criterion, *rating in shown.order_by(label).values_list(*columns):
        ratings[unit, criterion].append(ShownRating(*rating))
    return ratings


def _comments(campaign: Campaign, units: Iterable[int]) -> defaultdict[int, list[ShownComment]]:
    notes = Note.objects.filter(unit__in=units, assignment__round__campaign=campaign)
    label = "assignment__enrollment__label"
    comments: defaultdict[int, list[ShownComment]] = defaultdict(list)
    for unit, *comment in notes.exclude(text="").order_by(label).values_list("unit", label, "text"):
        comments[unit].append(ShownComment(*comment))
    return comments


def store_adjudicated_rating(
    *, campaign: Campaign, token: str, value: int, reason: str, by: User, now: datetime
) -> int:
    """Store an adjudicated rating; an earlier one is superseded and kept. Return how many units it
    applies to."""
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        difference = _difference_to_adjudicate(campaign, token, by)
        criterion = Criterion.objects.get(pk=difference.criterion)
        scale = list(criterion.points.filter(missing=False).values_list("value", flat=True))
        if value not in scale:
            points = ", ".join(map(str, sorted(scale)))
            raise CannotSettle(
                f"{value} is not on the scale {points}.", code="not_on_scale", field="value"
            )
        units = _units(campaign, difference.unit, criterion)
        earlier = SettledValue.objects.standing().filter(campaign=campaign, criterion=criterion)
        earlier.filter(unit__in=units).update(superseded_at=now)
        SettledValue.objects.bulk_create(
            SettledValue(
                campaign=campaign,
                unit_id=unit,
                criterion=criterion,
                value=value,
                reason=reason.strip()[:500],
                settled_by=by,
                settled_at=now,
            )
            for unit in units
        )
        history.record_event(
            Event.Act.VALUE_SETTLED, by=by, campaign=campaign, about=criterion.key, after=str(value)
        )
    return len(units)


def _difference_to_adjudicate(campaign: Campaign, token: str, by: User) -> Differing:
    """Return the difference of a token; refuse it to users who may not adjudicate it now."""
    adjudication = Adjudication.objects.filter(campaign=campaign, adjudicator=by).first()
    if adjudication is None:
        raise NotAllowedNow("You are not the adjudicator of this campaign.", code="not_adjudicator")
    if campaign.state not in ENDED:
        raise NotAllowedNow(
            "Adjudication begins once the campaign is closed.", code="campaign_not_closed"
        )
    for difference in find_differences(campaign, adjudication.threshold):
        if token_of(campaign, difference) == token:
            return difference
    raise CannotSettle("Annotators do not differ there any more. Load the page again.")


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
