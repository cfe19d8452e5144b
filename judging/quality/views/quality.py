"""Pages about the quality of annotators' work: the plan of checks, and one annotator's flags with
their evidence."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from judging.base.percentages import format_difference, percent
from judging.base.texts import whole_number
from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import campaigns
from judging.campaigns.guards import (
    campaign_for_managers,
    campaign_for_staff,
    hidden_enrollments,
    unproposed_enrollments,
)
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Exclusion
from judging.people.models.user import User
from judging.quality.actions import exclusion_rules
from judging.quality.actions.snapshots import AnnotatorStanding, Counted, counted_for
from judging.quality.drift import Day, SourceSpread
from judging.quality.forms.quality import QualityForm
from judging.quality.quality import Flag
from judging.work.actions import sheets


@campaign_for_managers
@require_http_methods(["GET", "POST"])
def plan_quality(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Choose a draft's thresholds and rules, or read the locked ones."""
    form = QualityForm(request.POST if request.method == "POST" else None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        with refusals_shown(request):
            campaigns.set_quality(campaign=campaign, plan=form.plan())
            messages.success(request, _("Saved."))
        return redirect("judging:quality", campaign.uuid)
    context = {"campaign": campaign, "tab": "checks", "form": form}
    return render(
        request, "judging/quality/quality.html", context, status=422 if form.errors else 200
    )


@campaign_for_staff
@require_GET
def annotator(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Show one annotator's work, and the evidence of each flag."""
    enrollment = get_object_or_404(campaign.enrollments, pk=pk)
    counted = counted_for(request.user, campaign)
    standing = counted.annotators.get(enrollment.pk)
    context = {
        "campaign": campaign,
        "tab": "annotators",
        "each": enrollment,
        "standing": standing,
        "reported": counted.reported.get(enrollment.pk),
        "is_hidden": enrollment.pk in hidden_enrollments(request.user, campaign),
        "counted": counted,
        "flags": describe_flags(campaign, counted, enrollment),
        "uses": _uses(campaign, counted, standing) if standing else [],
        "days": days_of(campaign, standing.work.days) if standing else [],
        "exclusion": Exclusion.objects.standing().filter(enrollment=enrollment).first(),
        "systems": campaign.dataset.systems.order_by("name"),
        "own_systems": set(enrollment.authorships.values_list("system", flat=True)),
        "is_manager": campaign.memberships.filter(user=request.user, role="manager").exists(),
    }
    return render(request, "judging/quality/annotator.html", context)


@dataclass(frozen=True, slots=True)
class FlagInWords:
    """A flag in words: short for a list, as a sentence with the annotator and the evidence, and what
    a manager can do, with its page."""

    flag: Flag
    short: str
    whole: str
    act: str
    url: str


def describe_flags(
    campaign: Campaign, counted: Counted, enrollment: Enrollment
) -> list[FlagInWords]:
    """Return the flags of an annotator in words, with the numbers they are based on."""
    flags = counted.flags_of(enrollment.pk)
    names = criteria_of(campaign) if flags else {}
    return [_describe_flag(flag, names, campaign, enrollment) for flag in flags]


@dataclass(frozen=True, slots=True)
class DayRow:
    """One day of a table: number of judgments, their mean, and their distance from others'
    values."""

    day: date
    sources: int
    values: int
    mean: str
    apart: str


def days_of(
    campaign: Campaign, days: Mapping[str, Sequence[Day]]
) -> list[tuple[str, list[DayRow]]]:
    """Return a table for each criterion judged on two days or more; one day shows no drift."""
    names = criteria_of(campaign)
    return [
        (names[key], [_day(day) for day in days[key]])
        for key in names
        if len(days.get(key, ())) > 1
    ]


def _day(day: Day) -> DayRow:
    return DayRow(
        date.fromisoformat(day.day),
        day.spread.n,
        day.values,
        _ranged(day.spread, "{:.2f}".format),
        _ranged(day.distances, format_difference) if day.distances else "–",
    )


def _ranged(spread: SourceSpread, write: Callable[[float], str]) -> str:
    ends = spread.interval
    return write(spread.mean) + (f" ({write(ends[0])} to {write(ends[1])})" if ends else "")


def criteria_of(campaign: Campaign) -> dict[str, str]:
    """Return the names of the campaign's criteria by their keys."""
    return {
        criterion.key: criterion.name
        for criterion in sheets.cached_protocol(campaign.protocol).document.criteria
    }


FLAG_TEXTS = {  # for each reason: a few words, and a sentence
    "speed": (
        gettext_lazy("%(own)s s a value (others %(others)s s)"),
        gettext_lazy(
            "%(label)s worked %(own)s seconds for each of %(n)s values, without idle time over two "
            "minutes; "
            "the median of the others is %(others)s seconds."
        ),
    ),
    "speed alone": (
        gettext_lazy("%(own)s s a value"),
        gettext_lazy("%(label)s worked %(own)s seconds for each of %(n)s values."),
    ),
    "quick": (
        gettext_lazy("%(length)s of %(n)s within 400 ms"),
        gettext_lazy(
            "%(label)s gave %(length)s of %(n)s answers within 400 ms of seeing the criterion: too "
            "fast to read it."
        ),
    ),
    "same": (
        gettext_lazy("%(criterion)s: %(share)s are %(value)s (others %(of_others)s)"),
        gettext_lazy(
            "On %(criterion)s, %(label)s gave the value %(value)s to %(share)s of %(n)s questions; "
            "the others give it to %(of_others)s."
        ),
    ),
    "gold": (
        gettext_lazy("passed %(share)s of %(n)s gold questions"),
        gettext_lazy(
            "%(label)s gave only accepted values to %(share)s of %(n)s gold questions; the plan "
            "asks for %(of_others)s."
        ),
    ),
    "repeats": (
        gettext_lazy("agrees with themselves in %(share)s"),
        gettext_lazy(
            "%(label)s gave the same value again in %(share)s of %(n)s values of hidden repeats; "
            "the plan asks for %(of_others)s."
        ),
    ),
    "degraded": (
        gettext_lazy("scored %(share)s of %(n)s degraded copies lower"),
        gettext_lazy(
            "%(label)s scored %(share)s of %(n)s degraded copies below the questions they are made "
            "of; a coin does as well (one-sided sign test)."
        ),
    ),
    "drift": (
        gettext_lazy("%(criterion)s: drifts on %(day)s (%(apart)s, else %(usually)s)"),
        gettext_lazy(
            "On %(criterion)s, %(label)s was %(apart)s points from the others on the same questions "
            "on %(day)s, and %(usually)s on all other days (Welch's test over sources, 1 %% over "
            "this annotator's days and criteria)."
        ),
    ),
    "run": (
        gettext_lazy("%(criterion)s: %(length)s times %(value)s in a row"),
        gettext_lazy(
            "On %(criterion)s, %(label)s gave the value %(value)s %(length)s times in a row, in the "
            "order submitted; the others give it to %(of_others)s of the questions."
        ),
    ),
    "idle": (
        gettext_lazy("no save since %(day)s"),
        gettext_lazy(
            "%(label)s holds a task, and has saved no answer in it since %(day)s. When its reserved "
            "time ends, others can take it."
        ),
    ),
}
IN_CHECKS = ("gold", "repeats", "degraded")


def _describe_flag(
    flag: Flag, names: Mapping[str, str], campaign: Campaign, enrollment: Enrollment
) -> FlagInWords:
    words = {
        "label": enrollment.label,
        "own": number_format(round(flag.own, 1), 1),
        "others": "" if flag.others is None else number_format(round(flag.others, 1), 1),
        "n": number_format(flag.n, 0, force_grouping=True),
        "value": flag.value,
        "criterion": names.get(flag.criterion, flag.criterion),
        "share": percent(flag.own),
        "of_others": percent(flag.others or 0),
        "length": round(flag.own),
        "day": flag.day and date_format(date.fromisoformat(flag.day), "j F"),
        "apart": format_difference(flag.own),
        "usually": format_difference(flag.others or 0),
    }
    of = flag.reason if flag.reason != "speed" or words["others"] else "speed alone"
    short, whole = FLAG_TEXTS[of]
    act, url = _act(flag, campaign, enrollment)
    return FlagInWords(flag, str(short) % words, str(whole) % words, act, url)


def _act(flag: Flag, campaign: Campaign, enrollment: Enrollment) -> tuple[str, str]:
    """Return what a manager can do about a flag, and the address for it."""
    person = reverse("judging:annotator", args=[campaign.uuid, enrollment.pk])
    if flag.reason == "idle":
        return _("Remind the annotator"), person
    if flag.reason in IN_CHECKS:
        return _("See the results in the checks"), f"{person}#sums"
    if flag.reason == "drift":
        return _("See the days"), f"{person}#days"
    query = {"annotator": enrollment.label, "sort": "outlier"}
    if flag.criterion:
        query["criterion"] = flag.criterion
    items = reverse("analysis:items", args=[campaign.uuid])
    return _("See the questions"), f"{items}?{urlencode(query)}"


def annotator_rows(
    campaign: Campaign, counted: Counted, enrollments: Iterable[Enrollment], user: User
) -> list[dict[str, Any]]:
    """Return a table's rows as the user may see them: each annotator with their standing and flags;
    flagged ones first."""
    hidden = hidden_enrollments(user, campaign)
    rows = [
        {
            "each": enrollment,
            "standing": counted.annotators.get(enrollment.pk),
            "is_hidden": enrollment.pk in hidden,
            "flags": describe_flags(campaign, counted, enrollment),
            "reported": counted.reported.get(enrollment.pk),
        }
        for enrollment in enrollments
    ]
    return sorted(
        rows,
        key=lambda row: (not row["flags"], -(row["standing"].work.tasks if row["standing"] else 0)),
    )


def _uses(
    campaign: Campaign, counted: Counted, standing: AnnotatorStanding
) -> list[dict[str, Any]]:
    """Return the annotator's and the others' use of each criterion's scale, a row for each
    point."""
    rows = []
    for criterion in sheets.cached_protocol(campaign.protocol).document.criteria:
        if use := standing.work.uses.get(criterion.key):
            others = Counter(counted.criteria[criterion.key])
            others.subtract(use.counts)
            total = others.total()
            points = [
                {
                    "point": point,
                    "count": use.counts.get(point.value, 0),
                    "share": percent(use.counts.get(point.value, 0) / use.total),
                    "others": percent(others[point.value] / total) if total else "–",
                }
                for point in criterion.points
            ]
            rows.append(
                {
                    "criterion": criterion.name,
                    "key": criterion.key,
                    "run": use.run,
                    "points": points,
                }
            )
    return rows


@campaign_for_managers
@require_http_methods(["GET", "POST"])
def apply_exclusion_rules(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the annotators proposed by the rules of the locked plan, and exclude those chosen from
    that list."""
    now = timezone.now()
    hidden = unproposed_enrollments(request.user, campaign)
    if request.method == "POST":
        sent = request.POST.getlist("annotator")
        chosen = set(filter(None, (whole_number(pk, least=1) for pk in sent))) - hidden
        done = exclusion_rules.exclude_proposed(
            campaign=campaign, chosen=chosen, by=request.user, now=now
        )
        sentence = ngettext(
            "%(n)d annotator is excluded.", "%(n)d annotators are excluded.", len(done)
        )
        messages.success(request, sentence % {"n": len(done)})
        return redirect("judging:annotators", campaign.uuid)
    context = {
        "campaign": campaign,
        "tab": "exclusion_rules",
        "rules": exclusion_rules.standing_rules(campaign),
        "proposals": [
            proposal
            for proposal in exclusion_rules.proposals(campaign, now=now)
            if proposal.enrollment.pk not in hidden
        ],
    }
    return render(request, "judging/quality/exclusion_rules.html", context)


@campaign_for_managers
@require_POST
def reopen_assignments_view(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Open the assignments of excluded annotators for others again."""
    with refusals_shown(request):
        made = exclusion_rules.reopen_assignments(campaign=campaign, by=request.user)
        sentence = ngettext(
            "%(n)d assignment is open for others.", "%(n)d assignments are open for others.", made
        )
        messages.success(request, sentence % {"n": made})
    return redirect("judging:annotators", campaign.uuid)
