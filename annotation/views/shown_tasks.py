"""A task as its annotator sees it, with what was entered so far."""

from dataclasses import dataclass

from annotation.views.page import ShownRubric, State, Writer
from judging.actions import checks, discussions, drafts, sheets, span_marks
from judging.actions.drafts import KeptDraft
from judging.actions.sheets import Sheet
from judging.models import Assignment


@dataclass(frozen=True, slots=True)
class ShownTask:
    """What is asked and shown, the draft, and the number that the next draft counts on from."""

    sheet: Sheet
    rubric: ShownRubric
    draft: KeptDraft
    sequence: int


def shown_task(
    assignment: Assignment, *, name_missing: bool = False, choosing: tuple[str, str] = ("", "")
) -> ShownTask:
    """Return a task as its annotator sees it. `choosing`: a control, and the piece of the passage
    for which it offers a choice of places."""
    sheet, kept = sheets.of(assignment), drafts.kept(assignment)
    marked, number = span_marks.kept(assignment) if sheet.rubric.span_mark else ({}, 0)
    handed = (
        drafts.handed_in(assignment=assignment, sheet=sheet) if assignment.submitted_at else None
    )
    state = State(
        kept.answers, assignment.stage, name_missing, marked, handed, kept.reports, choosing
    )
    campaign = assignment.round.campaign
    shown = Writer(sheet, state).page(campaign.collection.language, discussions.decided(campaign))
    return ShownTask(sheet, shown, kept, usable_sequence(assignment, kept.sequence, number))


def usable_sequence(assignment: Assignment, *numbers: int) -> int:
    """Return the number the page counts on from; one that no clicks lead to was forged, and locks
    nobody out."""
    if max(numbers) <= drafts.MANY:
        return max(numbers)
    drafts.count_afresh(assignment=assignment)
    return 0


def progress(assignment: Assignment) -> dict[str, int | None]:
    """Return how many tasks the annotator has done, how many there are, and which one this is."""
    found = checks.progress(assignment=assignment)
    current = found.done + 1 if assignment.submitted_at is None else _number(assignment)
    return {"done": found.done, "total": found.total, "current": current}


def _number(assignment: Assignment) -> int:
    """Return which of an annotator's tasks it was that was submitted."""
    own = Assignment.objects.done_by(assignment.enrollment).filter(
        round__in=checks.own_rounds(assignment)
    )
    return own.filter(submitted_at__lte=assignment.submitted_at).count()
