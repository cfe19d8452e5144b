"""The overview's part about the work under way, which refreshes by itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from judging import pay
from judging.actions import selections, sheets
from judging.actions.snapshots import Counted
from judging.guards import campaign_for_staff, judges_now
from judging.models import (
    AnalysedAgreement,
    Campaign,
    Enrollment,
    Exclusion,
    Membership,
    Note,
    QualificationTry,
    Round,
    User,
)
from judging.percentages import percent
from judging.quality import Forecast
from judging.views import needs
from judging.views.quality import counted_for, rows_of

SHOWN = 10  # annotators on the overview, those with flags first
A_DAY = 24


@never_cache
@campaign_for_staff
@require_GET
def now(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the part of the overview that changes while annotators work."""
    return render(request, "judging/campaigns/now.html", of(campaign, request.user))


def of(campaign: Campaign, user: User) -> dict[str, Any]:
    """Return the values of that part."""
    counted = counted_for(user, campaign)
    campaign.places, campaign.filled, campaign.held = counted.places, counted.filled, counted.held
    annotators = rows_of(campaign, counted, enrolled(campaign), user)
    return {
        "campaign": campaign,
        "counted": counted,
        "annotators": annotators[:SHOWN],
        "not_shown": max(len(annotators) - SHOWN, 0),
        "needs": needs.of(campaign, counted, annotators, reports(campaign, user)),
        "is_manager": manages(user, campaign),
        "question_count": selections.question_count(campaign)
        if counted.questions is None
        else counted.questions,
        "trials": campaign.rounds.trials().exists(),
        "forecast": _forecast(counted.forecast) if campaign.state == Campaign.State.OPEN else "",
        "rate": pay.rate_of(campaign.rate),
        "criteria": list(_criteria(campaign, counted)),
        "agreement": AnalysedAgreement.objects.filter(campaign=campaign).first(),
        "systems": []
        if judges_now(user, campaign.collection)
        else list(_systems(campaign, counted)),
        "largest_gap": _largest_gap(counted),
    }


def enrolled(campaign: Campaign) -> QuerySet[Enrollment]:
    """Return the annotators of a campaign with whether each is excluded, and whether each finally
    failed the qualification."""
    out = Exclusion.objects.standing().filter(enrollment=OuterRef("pk"))
    last = QualificationTry.objects.filter(enrollment=OuterRef("pk"), number__gte=campaign.tries)
    return (
        campaign.enrollments.annotate(
            excluded=Exists(out), screened_out=Q(qualified_at=None) & Exists(last)
        )
        .select_related("twin_of")
        .order_by("label")
    )


def reports(campaign: Campaign, user: User) -> QuerySet[Note]:
    """Return the problems that annotators reported with questions, the latest first, without naming
    a system, because managers may judge too. Managers who still do see only reports of others
    outside checks: their own, or one on a check, would reveal which tasks are checks."""
    found = Note.objects.reports().filter(assignment__round__campaign=campaign)
    if judges_now(user, campaign.collection):
        checks = Q(assignment__round__kind=Round.Kind.CHECKS)
        found = found.exclude(checks | Q(assignment__enrollment__user=user))
    related = (
        "assignment__enrollment",
        "assignment__round",
        "assignment__task",
        "unit__question",
        "unit__question_set__source",
    )
    return found.select_related(*related).order_by("-saved_at", "-pk")


def manages(user: User, campaign: Campaign) -> bool:
    return campaign.memberships.filter(user=user, role=Membership.Role.MANAGER).exists()


def _forecast(found: Forecast | None) -> str:
    """Return when the last place will be filled at the pace so far, with the interval."""
    if found is None:
        return ""
    days = found.hours >= 2 * A_DAY
    unit = A_DAY if days else 1
    middle, low = (max(1, round(hours / unit)) for hours in (found.hours, found.earliest))
    words = (
        ngettext("%(n)s day", "%(n)s days", middle)
        if days
        else ngettext("%(n)s hour", "%(n)s hours", middle)
    ) % {"n": number_format(middle, force_grouping=True)}
    if found.latest is None:
        return _("%(words)s or longer, too irregular to say (at least %(low)s)") % {
            "words": words,
            "low": low,
        }
    return _("%(words)s (%(low)s to %(high)s)") % {
        "words": words,
        "low": low,
        "high": number_format(max(1, round(found.latest / unit)), force_grouping=True),
    }


@dataclass(frozen=True, slots=True)
class CriterionNow:
    """The distribution of a criterion's values so far, and its agreement in the latest analysis."""

    name: str
    values: list[tuple[str, int, str]]
    alpha: str
    reason: str


def _criteria(campaign: Campaign, counted: Counted) -> Iterator[CriterionNow]:
    kept = (
        AnalysedAgreement.objects.filter(campaign=campaign)
        .values_list("criteria", flat=True)
        .first()
        or {}
    )
    for each in sheets.known(campaign.rubric).document.criteria:
        counts = counted.criteria.get(each.key)
        if not counts:
            continue
        total = sum(counts.values())
        found = kept.get(each.key, {})
        yield CriterionNow(
            name=each.name,
            values=[
                (
                    f"{point.value} {point.label}",
                    counts.get(point.value, 0),
                    percent(counts.get(point.value, 0) / total),
                )
                for point in each.points
            ],
            alpha=_alpha(found),
            reason=found.get("reason", ""),
        )


def _alpha(found: dict[str, Any]) -> str:
    if found.get("value") is None:
        return ""
    told = {
        key: number_format(round(found[key], 2), 2).replace("-", "−")
        for key in ("value", "low", "high")
        if found.get(key) is not None
    }
    return _("%(value)s (%(low)s to %(high)s)") % told if "low" in told else told["value"]


@dataclass(frozen=True, slots=True)
class SystemNow:
    """The number of judged units of a system, with the range over annotators."""

    name: str
    judged: int
    fewest: int
    most: int


def _systems(campaign: Campaign, counted: Counted) -> Iterator[SystemNow]:
    everybody = counted.annotators.keys()
    if not everybody:
        return
    for pk, name in selections.systems_of(campaign).order_by("name").values_list("pk", "name"):
        own = counted.systems.get(pk, {})
        by = [judged for who, judged in own.items() if who in everybody]
        fewest = min(by, default=0) if len(by) == len(everybody) else 0
        yield SystemNow(name, sum(by), fewest, max(by, default=0))


def _largest_gap(counted: Counted) -> tuple[str, int] | None:
    """Return the annotator whose questions are distributed most unevenly over systems, with the
    difference in questions."""
    if len(counted.systems) < 2:
        return None
    judged: dict[int, list[int]] = {who: [] for who in counted.annotators}
    for counts in counted.systems.values():
        for who, units in counts.items():
            if who in judged:
                judged[who].append(units)
    gaps = []
    for who, own in judged.items():
        fewest = min(own, default=0) if len(own) == len(counted.systems) else 0
        gaps.append((max(own, default=0) - fewest, counted.annotators[who].work.label))
    gap, label = max(gaps, default=(0, ""))
    return (label, gap) if gap else None
