"""Jobs of planning: power, dry runs, and deleting unused campaigns."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from judging.campaigns import guards
from judging.datasets.guards import owns
from judging.jobs.actions import jobs
from judging.jobs.tasks import imported, job_task

ACTIONS = "analysis.planning.actions"

job_task("analysis.planning", right=guards.analyses)(
    imported(f"{ACTIONS}.planning.execute_planning")
)
job_task("analysis.remove_dry_run", right=guards.manages)(
    imported(f"{ACTIONS}.dry_runs.execute_removal")
)
job_task(
    jobs.DRY_RUN,
    right=guards.manages,
    first=imported(f"{ACTIONS}.dry_runs.copy_for_dry_run"),
    undo=imported(f"{ACTIONS}.dry_runs.remove_unfilled_copy"),
)(imported(f"{ACTIONS}.dry_runs.execute_dry_run"))


@job_task("analysis.discard_ended", right=owns)
def discard_ended(work: jobs.Work) -> Mapping[str, Any]:
    """Delete a user's unused campaigns in a dataset whose use was ended, if that takes long."""
    from analysis.planning.actions import ended_uses

    return ended_uses.execute_discard(work, now=timezone.now())
