"""Exclusion rules that were fixed beforehand: whom they propose, applying them, and opening the
places again.

Rules propose; a manager checks and applies them. No job excludes an annotator, and nothing here
changes an annotator's pay.
"""

from collections.abc import Collection as Members
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from judging.base.models.statements import query_rows
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
    out = set(
        Exclusion.objects.standing()
        .filter(enrollment__campaign=campaign)
        .values_list("enrollment", flat=True)
    )
    found = []
    for each in campaign.enrollments.order_by("label"):
        standing = counted.annotators.get(each.pk)
        if standing is None or each.pk in out:
            continue
        if names := quality.broken_rules(standing.work, standing.flags, plan):
            found.append(
                Proposal(
                    each, standing, tuple(describe_rule(name, plan, standing) for name in names)
                )
            )
    return found


def describe_rule(name: str, plan: QualityPlan, standing: AnnotatorStanding | None = None) -> str:
    """Return a rule in words, with the result of an annotator whom it proposes."""
    own = standing.work.checked if standing else None
    flagged = {flag.reason: flag for flag in standing.flags} if standing else {}
    if name == "exclude_speed":
        did = f": {flagged['speed'].own:.1f} s a value" if "speed" in flagged else ""
        return f"flagged as too fast{did}"
    if name == "exclude_same":
        return "flagged for equal values or a long run of one"
    if name == "exclude_gold":
        of = f" of at least {plan.exclude_gold_of}" if plan.exclude_gold_of else ""
        did = f": {own.gold - own.passed} of {own.gold}" if own else ""
        if own and own.evaded:
            did += f", {own.evaded} of them reported as broken and not answered"
        return f"failed more than {plan.exclude_gold}{of} gold questions{did}"
    if name == "exclude_repeats":
        did = f": {own.given_again:.2f}" if own and own.given_again is not None else ""
        if own and own.unrepeated:
            did += (
                f", {own.unrepeated} of {own.asked_again} values of questions reported as broken "
                "when they were repeated"
            )
        return f"agrees with themselves in less than {plan.exclude_repeats} of hidden repeats{did}"
    did = f": {own.lower} of {own.copies}, p {own.p:.3f}" if own and own.p is not None else ""
    return f"did not score degraded copies lower{did}"


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
        done = [each for each in proposals(campaign, now=now) if each.enrollment.pk in chosen]
        for each in done:
            exclusions.exclude_annotator(
                enrollment=each.enrollment, reason=each.reason, by=by, now=now
            )
    return done


# Tasks with fewer places than planned, not counting those of excluded annotators; how many are
# lacking, and the last place. Only tasks of excluded annotators can lack any.
LACKING = """
WITH out AS (
    SELECT DISTINCT own.task_id FROM judging_exclusion x
    JOIN judging_assignment own ON own.enrollment_id = x.enrollment_id
    WHERE x.lifted_at IS NULL AND own.round_id = %(round)s),
counted AS (
    SELECT place.task_id, count(*) FILTER (WHERE place.enrollment_id IS NULL OR NOT EXISTS (
            SELECT FROM judging_exclusion x WHERE x.enrollment_id = place.enrollment_id AND x.lifted_at IS NULL)) AS n,
        max(place.place) AS last
    FROM judging_assignment place
    WHERE place.task_id IN (SELECT task_id FROM out) AND place.round_id = %(round)s
        AND place.state IN ('open', 'held', 'submitted') GROUP BY place.task_id)
SELECT task_id, %(wanted)s - n, last FROM counted WHERE n < %(wanted)s
"""


def count_lacking_assignments(campaign: Campaign) -> int:
    """Return how many places excluded annotators filled that no other annotator can take yet."""
    return sum(short for _task, short, _last in _lacking(campaign))


def _lacking(campaign: Campaign) -> Iterable[tuple[int, int, int]]:
    main = campaign.rounds.filter(kind=Round.Kind.MAIN, opened_at__isnull=False).first()
    if main is None:
        return []
    main.campaign = campaign
    return query_rows(LACKING, {"round": main.pk, "wanted": main.per_task})


def reopen_assignments(*, campaign: Campaign, by: User) -> int:
    """Give each task as many more places as excluded annotators have filled; return how many.

    Their judgments stay, so that the report can state what excluding them changes. A second call
    does nothing.
    """
    with transaction.atomic():
        held = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        if held.state not in RUNNING:
            raise NotAllowedNow(
                "Open the campaign again first: its assignments are given out only while it runs.",
                code="campaign_not_open",
            )
        wanted = {task: (short, last) for task, short, last in _lacking(held)}
        out = Exclusion.objects.standing().filter(enrollment__campaign=held).values("enrollment")
        theirs: dict[int, list[Assignment]] = {}
        for each in (
            Assignment.objects.submitted()
            .filter(task__in=wanted, enrollment__in=out)
            .order_by("place")
        ):
            theirs.setdefault(each.task_id, []).append(each)
        made = [
            Assignment(
                round_id=own.round_id,
                task_id=task,
                place=last + number,
                position=own.position,
                seat=own.seat,
                reopened=True,
            )
            for task, (short, last) in wanted.items()
            for number, own in enumerate(theirs.get(task, [])[:short], start=1)
        ]
        Assignment.objects.bulk_create(made)
        if made:
            history.record_event(
                Event.Act.PLACES_REOPENED, by=by, campaign=held, after=f"{len(made)} assignments"
            )
    return len(made)
