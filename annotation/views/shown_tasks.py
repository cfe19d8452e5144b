"""A task as its annotator sees it, with the answers entered so far."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from annotation.views.page import ShownProtocol, State, Writer
from judging.base.models.statements import query_rows
from judging.campaigns.actions import discussions
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.quality.actions import checks
from judging.quality.pay import Earned, rate_of
from judging.work.actions import drafts, sheets, span_marks
from judging.work.actions.drafts import StoredDraft
from judging.work.actions.sheets import Sheet

LARGEST_TOTAL = """
SELECT coalesce(max(total_shown), 0) FROM judging_assignment
WHERE enrollment_id = %(enrollment)s AND round_id = ANY(%(rounds)s::bigint[])
"""
SYMBOLS = {"EUR": "€", "GBP": "£", "USD": "$"}


@dataclass(frozen=True, slots=True)
class ShownTask:
    """The sheet and its page, the draft, and the number from which the next draft counts."""

    sheet: Sheet
    protocol: ShownProtocol
    draft: StoredDraft
    sequence: int


def shown_task(
    assignment: Assignment, *, name_missing: bool = False, choosing: tuple[str, str] = ("", "")
) -> ShownTask:
    """Return a task as its annotator sees it. `choosing`: a control, and the piece of the passage
    for which it offers a choice of places."""
    sheet, kept = sheets.sheet_of_assignment(assignment), drafts.load_draft(assignment)
    marked, number = span_marks.load_marks(assignment) if sheet.protocol.span_mark else ({}, 0)
    handed = (
        drafts.submitted_values(assignment=assignment, sheet=sheet)
        if assignment.submitted_at
        else None
    )
    state = State(
        kept.answers, assignment.stage, name_missing, marked, handed, kept.reports, choosing
    )
    campaign = assignment.round.campaign
    writer = Writer(sheet, state, fixed_view=campaign.fixed_view)
    shown = writer.page(campaign.dataset.language, discussions.current_decisions(campaign))
    return ShownTask(sheet, shown, kept, usable_sequence(assignment, kept.sequence, number))


def usable_sequence(assignment: Assignment, *numbers: int) -> int:
    """Return the number from which the page counts on. One that no clicks could reach was forged;
    it is reset, so that it does not block later drafts."""
    if max(numbers) <= drafts.MANY:
        return max(numbers)
    drafts.renumber_draft(assignment=assignment)
    return 0


def task_progress(assignment: Assignment) -> dict[str, Any]:
    """Return how many tasks the annotator has done, how many there are, which one this is, about
    how many minutes are left, and the pay for the tasks done so far, if pay is planned."""
    progress, campaign = (
        checks.progress_with_checks(assignment=assignment),
        assignment.round.campaign,
    )
    done, total, minutes_left = progress.done, progress.total, None
    if total is not None:
        total = _largest_total(assignment, total)
        minutes_left = round(task_minutes(campaign) * (total - done))
    return {
        "done": done,
        "total": total,
        "current": done + 1 if assignment.submitted_at is None else _number(assignment),
        "minutes_left": minutes_left,
        "earned": _earned(assignment) if campaign.rate else "",
    }


def _largest_total(assignment: Assignment, total: int) -> int:
    """Return the largest number of tasks shown to the annotator, and store it: others may take
    places, and the number must not shrink."""
    names = {"enrollment": assignment.enrollment_id, "rounds": checks.own_rounds(assignment)}
    [(shown_before,)] = query_rows(LARGEST_TOTAL, names)
    if total > shown_before:
        Assignment.objects.filter(pk=assignment.pk).update(total_shown=total)
    return max(total, shown_before)


def task_minutes(campaign: Campaign) -> float:
    """Return the minutes for a task that its planned pay assumes, else the protocol's estimate.

    They are rounded to half minutes, so that they and the total of several tasks can both be shown
    without another rounding.
    """
    rate = rate_of(campaign.rate)
    estimated_minutes = sheets.cached_protocol(campaign.protocol).document.estimated_seconds / 60
    minutes = float(rate.minutes) if rate else estimated_minutes
    return max(0.5, round(minutes * 2) / 2)


def _earned(assignment: Assignment) -> str:
    """Return the pay for all tasks that the annotator submitted; "" if no pay is planned."""
    rate = rate_of(assignment.round.campaign.rate)
    if rate is None:
        return ""
    done = Assignment.objects.done_by(assignment.enrollment).count()
    return _money(Earned(done, 0, rate).amount, rate.currency)


def _money(amount: Decimal, currency: str) -> str:
    """Return an amount as written in the annotator's language."""
    number = number_format(amount, decimal_pos=2)
    if currency not in SYMBOLS:
        return f"{number} {currency}"
    return _("%(symbol)s%(number)s") % {"symbol": SYMBOLS[currency], "number": number}


def _number(assignment: Assignment) -> int:
    """Return the number of a submitted task among the annotator's tasks."""
    own = Assignment.objects.done_by(assignment.enrollment).filter(
        round__in=checks.own_rounds(assignment)
    )
    return own.filter(submitted_at__lte=assignment.submitted_at).count()
