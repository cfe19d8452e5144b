"""An annotator's own tasks by their state."""

from dataclasses import dataclass

from django.urls import reverse

from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.members import Enrollment
from judging.quality.actions import checks
from judging.work.models.assignment import Draft


@dataclass(frozen=True, slots=True)
class OwnTasks:
    """The number of tasks an annotator has yet to do (None: unknown), has begun, has submitted, and
    has lost because their time ran out; `draft_url` leads to the task that was begun."""

    to_do: int | None
    drafts: int
    draft_url: str
    submitted: int
    returned: int


def own_tasks(enrollment: Enrollment) -> OwnTasks:
    """Count an annotator's tasks by state."""
    own = Assignment.objects.filter(enrollment=enrollment).select_related("round__campaign")
    draft = own.filter(state=Assignment.State.HELD).order_by("-held_at").first()
    is_begun = draft is not None and Draft.objects.filter(assignment=draft).exists()
    latest = draft or own.order_by("-held_at").first()
    remaining = None
    if latest is not None:
        latest.enrollment = enrollment
        remaining = checks.progress_with_checks(assignment=latest).remaining
    return OwnTasks(
        to_do=None if remaining is None else max(0, remaining - is_begun),
        drafts=int(is_begun),
        draft_url=reverse("annotation:task", args=[draft.pk]) if draft and is_begun else "",
        submitted=Assignment.objects.done_by(enrollment).count(),
        returned=own.filter(state=Assignment.State.RELEASED, submitted_at__isnull=True).count(),
    )
