"""The overview's part about the work under way, which refreshes by itself."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from math import ceil
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format, time_format
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from judging.base.percentages import percent
from judging.campaigns.actions import live_agreements, selections
from judging.campaigns.actions.live_agreements import AnnotatorPair, DisputedItem, ShownAgreement
from judging.campaigns.guards import campaign_for_staff, judges_now
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.members import Enrollment, Exclusion
from judging.enrolments.guards import may_manage
from judging.overview.views import needs
from judging.people.models.user import User
from judging.protocols.protocol_schema import CriterionPoint
from judging.quality import pay
from judging.quality.actions import snapshots
from judging.quality.actions.snapshots import AnnotatorStanding, Counted, counted_for
from judging.quality.models.exercise import QualificationTry
from judging.quality.views.quality import annotator_rows
from judging.work.actions import sheets
from judging.work.models.assignment import Note

SHOWN = 10  # annotators on the overview, those with flags first
SHADES = 20  # of a bar's parts and a matrix's cells, from light to dark


@never_cache
@campaign_for_staff
@require_GET
def show_live_part(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the part of the overview that changes while annotators work."""
    return render(request, "judging/overview/now.html", live_values(campaign, request.user))


def live_values(campaign: Campaign, user: User) -> dict[str, Any]:
    """Return the values of that part."""
    counted = counted_for(user, campaign)
    campaign.places, campaign.filled, campaign.held = counted.places, counted.filled, counted.held
    annotators = annotator_rows(campaign, counted, enrolled(campaign), user)
    judges = judges_now(user, campaign.dataset)
    agreement = _agreement(campaign, counted, user)
    shows_systems = counted.filled and not judges
    systems = list(snapshots.systems_so_far(campaign, counted)) if shows_systems else []
    return {
        **agreement,
        "campaign": campaign,
        "counted": counted,
        "annotators": [row | {"dots": _dots(row["standing"])} for row in annotators[:SHOWN]],
        "most_tasks": max(
            (annotator.work.tasks for annotator in counted.annotators.values()), default=0
        ),
        "not_shown": max(len(annotators) - SHOWN, 0),
        "needs": needs.list_needs(campaign, counted, annotators, problem_reports(campaign, user)),
        "is_manager": may_manage(user, campaign),
        "question_count": selections.question_count(campaign)
        if counted.questions is None
        else counted.questions,
        "trials": campaign.rounds.trials().exists(),
        "forecast": _forecast(counted, ZoneInfo(campaign.time_zone))
        if campaign.state == Campaign.State.OPEN
        else "",
        "rate": pay.rate_of(campaign.rate),
        "judges": judges,
        "systems": systems,
        "has_side": bool(agreement["matrix"] or systems),
        "largest_gap": _largest_gap(counted),
    }


def _agreement(campaign: Campaign, counted: Counted, user: User) -> dict[str, Any]:
    """Return the values of the criteria, the matrix of annotators and the disputed items."""
    agreement = live_agreements.look_at_agreement(campaign=campaign, by=user, now=timezone.now())
    return {
        "agreement": agreement,
        "criteria": list(_criteria(campaign, counted, agreement)),
        "no_interval": _reasons(campaign, agreement),
        "threshold": _coefficient(live_agreements.THRESHOLD),
        "place_of_threshold": _percent_of_axis(live_agreements.THRESHOLD),
        "matrix": _matrix(agreement.pairs) if agreement else [],
        "items": _strip(agreement.items) if agreement else [],
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


def problem_reports(campaign: Campaign, user: User) -> QuerySet[Note]:
    """Return the problems that annotators reported with questions, the latest first, without naming
    a system, because managers may judge too. Managers who still do see only reports of others
    outside checks: their own, or one on a check, would reveal which tasks are checks."""
    found = Note.objects.reports().filter(assignment__round__campaign=campaign)
    if judges_now(user, campaign.dataset):
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


def _forecast(counted: Counted, zone: tzinfo) -> str:
    """Return when the last place will be filled at the pace so far, with the interval."""
    found = counted.forecast
    if found is None:
        return ""
    likely, earliest = (_when(counted.at, hours, zone) for hours in (found.hours, found.earliest))
    if found.latest is None:
        return _(
            "At this pace %(likely)s or later, too irregular to say (%(low)s at the earliest)."
        ) % {
            "likely": likely,
            "low": earliest,
        }
    latest = _when(counted.at, found.latest, zone)
    if earliest == latest:
        return _("At this pace %(likely)s.") % {"likely": likely}
    words = {"likely": likely, "low": earliest, "high": latest}
    return _("At this pace %(likely)s (95%% interval: %(low)s to %(high)s).") % words


def _when(start: datetime, hours: float, zone: tzinfo) -> str:
    """Return the moment some hours after another in words, as exactly as a forecast can be."""
    today, moment = start.astimezone(zone), (start + timedelta(hours=hours)).astimezone(zone)
    if moment.date() == today.date():
        return _("today at %(time)s") % {"time": time_format(moment, "H:i")}
    if moment.date() < today.date() + timedelta(days=7):
        return date_format(moment, "l")
    return date_format(moment, "j F Y")


@dataclass(frozen=True, slots=True)
class ValueShare:
    """One value of a criterion: its label, count and share, and its part of a bar from 0 to 100."""

    label: str
    count: int
    share: str
    start: float
    width: float
    shade: int


@dataclass(frozen=True, slots=True)
class AlphaPlot:
    """Alpha and its interval on an axis from 0 to 100, which stands for alphas from -1 to 1."""

    low: float
    estimate: float
    high: float


@dataclass(frozen=True, slots=True)
class CriterionNow:
    """The distribution of a criterion's values so far, and its agreement so far. `line`: the points
    of alpha over time, from 0 to 100 on both axes."""

    name: str
    values: list[ValueShare]
    alpha: str = ""
    plot: AlphaPlot | None = None
    line: str = ""
    over_time: list[tuple[datetime, str]] = field(default_factory=list)


def _criteria(
    campaign: Campaign, counted: Counted, agreement: ShownAgreement | None
) -> Iterator[CriterionNow]:
    for criterion in sheets.cached_protocol(campaign.protocol).document.criteria:
        counts = counted.criteria.get(criterion.key)
        if not counts:
            continue
        values = list(_values(criterion.points, counts))
        alpha = agreement.criteria.get(criterion.key) if agreement else None
        if agreement is None or alpha is None:
            yield CriterionNow(criterion.name, values)
            continue
        moments = agreement.over_time.get(criterion.key, [])
        yield CriterionNow(
            criterion.name,
            values,
            alpha=_alpha(alpha),
            plot=_plot(alpha),
            line=_line(moments),
            over_time=[(moment, _coefficient(value)) for moment, value in moments],
        )


def _values(points: Sequence[CriterionPoint], counts: Mapping[int, int]) -> Iterator[ValueShare]:
    total, start = sum(counts.values()), 0.0
    for place, point in enumerate(points, 1):
        count = counts.get(point.value, 0)
        width = 100 * count / total
        yield ValueShare(
            label=f"{point.value} {point.label}",
            count=count,
            share=percent(count / total),
            start=round(start, 2),
            width=round(width, 2),
            shade=round(SHADES * place / len(points)),
        )
        start += width


def _alpha(alpha: Mapping[str, Any]) -> str:
    if "value" not in alpha:
        return ""
    interval = (
        f" [{_coefficient(alpha['low'])}, {_coefficient(alpha['high'])}]" if "low" in alpha else ""
    )
    return f"{_coefficient(alpha['value'])}{interval}"


def _coefficient(value: float) -> str:
    """Return a coefficient of at most 1 as reports write it: without the zero before its point."""
    text = f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")
    return text.replace("0.", ".", 1) if text.lstrip("−").startswith("0.") else text


def _plot(alpha: Mapping[str, Any]) -> AlphaPlot | None:
    if "value" not in alpha:
        return None
    value = alpha["value"]
    ends = alpha.get("low", value), value, alpha.get("high", value)
    return AlphaPlot(*(_percent_of_axis(end) for end in ends))


def _percent_of_axis(alpha: float) -> float:
    return round(50 * (min(max(alpha, -1.0), 1.0) + 1), 2)


def _reasons(campaign: Campaign, agreement: ShownAgreement | None) -> list[tuple[str, list[str]]]:
    """Return why alphas or their intervals are missing, each with the names of its criteria."""
    names: dict[str, list[str]] = {}
    if agreement:
        for criterion in sheets.cached_protocol(campaign.protocol).document.criteria:
            if reason := agreement.criteria.get(criterion.key, {}).get("reason"):
                names.setdefault(reason, []).append(criterion.name)
    return list(names.items())


def _line(moments: Sequence[tuple[datetime, float]]) -> str:
    """Return alpha over time as the points of a polyline; empty for one moment."""
    if len(moments) < 2:
        return ""
    first, last = moments[0][0], moments[-1][0]
    points = [
        (100 * ((moment - first) / (last - first)), 100 - _percent_of_axis(value))
        for moment, value in moments
    ]
    return " ".join(f"{across:.1f},{down:.1f}" for across, down in points)


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """The agreement of two annotators: in per cent, its shade, and the ratings it rests on."""

    percent: int
    shade: int
    n: int


def _matrix(pairs: Sequence[AnnotatorPair]) -> list[tuple[str, list[MatrixCell | None]]]:
    """Return a row for each annotator with a cell for each; None on the diagonal, and for two who
    rated nothing in common."""
    cells: dict[tuple[str, str], MatrixCell] = {}
    for pair in pairs:
        cell = MatrixCell(round(100 * pair.share), round(SHADES * pair.share), pair.n)
        cells[pair.first, pair.second] = cells[pair.second, pair.first] = cell
    labels = sorted({label for label, _other in cells})
    return [(row, [cells.get((row, column)) for column in labels]) for row in labels]


def _strip(items: Sequence[DisputedItem]) -> list[tuple[DisputedItem, str, int]]:
    """Return each disputed item with its disagreement in per cent and its shade."""
    return [(item, percent(item.disagreement), round(SHADES * item.disagreement)) for item in items]


def _dots(standing: AnnotatorStanding | None) -> str:
    """Return a dot for each started tenth of an annotator's answers that were quick."""
    if standing is None or not standing.quick:
        return ""
    return "●" * ceil(10 * standing.quick / standing.work.values)


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
