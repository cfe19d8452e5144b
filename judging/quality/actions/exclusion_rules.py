"""Exclusion rules that were fixed beforehand: whom they propose, applying them, and opening the
places again.

Rules propose; a manager checks and applies them. No job excludes an annotator, and nothing here
changes an annotator's pay.
"""

from collections.abc import Collection as Members
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path

from django.db import transaction

from judging.base.models.statements import named_statements, query_rows
from judging.campaigns import quality_plan
from judging.campaigns.actions.campaigns import NotAllowedNow
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.members import Enrollment, Exclusion
from judging.campaigns.quality_plan import QualityPlan
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.quality import quality
from judging.quality.actions import exclusions, snapshots
from judging.quality.actions.snapshots import AnnotatorStanding

RUNNING = (Campaign.State.OPEN, Campaign.State.PAUSED)
SQL = named_statements(Path(__file__).with_suffix(".sql"))


@dataclass(frozen=True, slots=True)
class Proposal:
    """An annotator whom rules propose to exclude: their counted work, and the rules in words."""

    enrollment: Enrollment
    standing: AnnotatorStanding
    rules: tuple[str, ...]

    @property
    def reason(self) -> str:
        """The reason that the exclusion stores and the report prints."""
        return f"By rules fixed beforehand: {'; '.join(self.rules)}."


def proposals(campaign: Campaign, *, now: datetime) -> list[Proposal]:
    """Return the annotators whom the campaign's rules propose and who are not excluded yet, by
    counts taken now."""
    plan = quality_plan.quality_plan_from_document(campaign.quality)
    if not plan.has_rules:
        return []
    counted = snapshots.read_counts(campaign, snapshots.take_snapshot(campaign=campaign, now=now))
    excluded = set(
        Exclusion.objects.standing()
        .filter(enrollment__campaign=campaign)
        .values_list("enrollment", flat=True)
    )
    proposed = []
    for enrollment in campaign.enrollments.order_by("label"):
        standing = counted.annotators.get(enrollment.pk)
        if standing is None or enrollment.pk in excluded:
            continue
        if names := quality.broken_rules(standing.work, standing.flags, plan):
            rules = tuple(describe_rule(name, plan, standing) for name in names)
            proposed.append(Proposal(enrollment, standing, rules))
    return proposed


def describe_rule(name: str, plan: QualityPlan, standing: AnnotatorStanding | None = None) -> str:
    """Return a rule in words, with the result of an annotator whom it proposes."""
    rule = {
        "exclude_speed": "flagged as too fast",
        "exclude_same": "flagged for equal values or a long run of one",
        "exclude_gold": f"failed more than {plan.exclude_gold}"
        + (f" of at least {plan.exclude_gold_of}" if plan.exclude_gold_of else "")
        + " gold questions",
        "exclude_repeats": "agrees with themselves in less than "
        f"{plan.exclude_repeats} of hidden repeats",
        "exclude_degraded": "did not score degraded copies lower",
    }[name]
    result = _describe_result(name, standing) if standing else ""
    return f"{rule}: {result}" if result else rule


def _describe_result(name: str, standing: AnnotatorStanding) -> str:
    """Return an annotator's result by a rule in words; "" if the rule's own words say all."""
    checked = standing.work.checked
    if name == "exclude_speed":
        return f"{standing.work.pace:.1f} s a value"
    if name == "exclude_gold":
        failed = f"{checked.gold - checked.passed} of {checked.gold}"
        evaded = f", {checked.evaded} of them reported as broken and not answered"
        return failed + evaded if checked.evaded else failed
    if name == "exclude_repeats":
        unrepeated = (
            f", {checked.unrepeated} of {checked.repeated_values} values of questions reported as "
            "broken when they were repeated"
        )
        share = f"{checked.repeat_agreement:.2f}"
        return share + unrepeated if checked.unrepeated else share
    if name == "exclude_degraded":
        return f"{checked.lower} of {checked.copies}, p {checked.p:.3f}"
    return ""


def standing_rules(campaign: Campaign) -> list[str]:
    """Return the rules of a campaign's plan in words."""
    plan = quality_plan.quality_plan_from_document(campaign.quality)
    set_to = {
        "exclude_speed": plan.exclude_speed,
        "exclude_same": plan.exclude_same,
        "exclude_gold": plan.exclude_gold is not None,
        "exclude_repeats": plan.exclude_repeats is not None,
        "exclude_degraded": plan.exclude_degraded,
    }
    return [describe_rule(name, plan) for name, is_set in set_to.items() if is_set]


def exclude_proposed(
    *, campaign: Campaign, chosen: Members[int], by: User, now: datetime
) -> list[Proposal]:
    """Exclude those of `chosen` whom the rules propose now; each exclusion is logged and can be
    lifted."""
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        confirmed = [
            proposal
            for proposal in proposals(campaign, now=now)
            if proposal.enrollment.pk in chosen
        ]
        for proposal in confirmed:
            exclusions.exclude_annotator(
                enrollment=proposal.enrollment, reason=proposal.reason, by=by, now=now
            )
    return confirmed


def count_lacking_assignments(campaign: Campaign) -> int:
    """Return how many places excluded annotators filled that no other annotator can take yet."""
    return sum(short for _task, short, _last in _lacking(campaign))


def _lacking(campaign: Campaign) -> Iterable[tuple[int, int, int]]:
    main = campaign.rounds.filter(kind=Round.Kind.MAIN, opened_at__isnull=False).first()
    if main is None:
        return []
    main.campaign = campaign
    return query_rows(SQL["lacking_places"], {"round": main.pk, "wanted": main.per_task})


def reopen_assignments(*, campaign: Campaign, by: User) -> int:
    """Give each task as many more places as excluded annotators have filled; return how many.

    Their judgments stay, so that the report can state what excluding them changes. A second call
    does nothing.
    """
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        if campaign.state not in RUNNING:
            raise NotAllowedNow(
                "Open the campaign again first: its assignments are given out only while it runs.",
                code="campaign_not_open",
            )
        reopened = list(_further_places(campaign))
        Assignment.objects.bulk_create(reopened)
        if reopened:
            after = f"{len(reopened)} assignments"
            history.record_event(Event.Act.PLACES_REOPENED, by=by, campaign=campaign, after=after)
    return len(reopened)


def _further_places(campaign: Campaign) -> Iterator[Assignment]:
    """Yield further places of the tasks that lack some, like those that excluded annotators fill."""
    lacking = {task: (count, last) for task, count, last in _lacking(campaign)}
    excluded = Exclusion.objects.standing().filter(enrollment__campaign=campaign)
    filled = Assignment.objects.submitted().filter(
        task__in=lacking, enrollment__in=excluded.values("enrollment")
    )
    for task, places in groupby(filled.order_by("task", "place"), key=attrgetter("task_id")):
        count, last = lacking[task]
        for number, place in enumerate(islice(places, count), start=1):
            yield Assignment(
                round_id=place.round_id,
                task_id=task,
                place=last + number,
                position=place.position,
                seat=place.seat,
                reopened=True,
            )
