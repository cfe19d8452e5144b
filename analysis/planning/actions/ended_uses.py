"""Delete the unused campaigns of a user whose use of a dataset its owner has ended: they would
prevent the dataset from ever being deleted."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import ProtectedError

from analysis.models import Result, Run
from analysis.planning.actions import dry_runs
from judging.base.progress import TellProgress, ignore_progress
from judging.base.refusals import Refused
from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Dataset
from judging.jobs.actions.jobs import CannotDo, Work
from judging.jobs.models.job import Job
from judging.llm_judges.actions import llm_judges
from judging.overview.actions import erasures
from judging.overview.actions.dry_runs import CannotTry
from judging.people.models.user import User
from judging.work.models.judgment import Judgment

KIND = "analysis.discard_ended"


class StillInUse(Refused):
    """The user may still use the dataset."""

    code = "still_in_use"


@dataclass(frozen=True, slots=True)
class Discarded:
    """Number of deleted campaigns, and of kept ones: these have judgments, or other objects depend
    on them."""

    deleted: int
    kept: int


def discard_unused(
    *,
    dataset: Dataset,
    user: User,
    by: User,
    now: datetime,
    progress: TellProgress = ignore_progress,
) -> Discarded:
    """Delete the campaigns without judgments, and their enrolments, of a user whose use was ended.
    Simulated copies are always deleted.

    Raises
    ------
    StillInUse
        If the user may still use the dataset.
    CannotTry
        If a simulated copy is being made.
    """
    with transaction.atomic():
        held = Dataset.objects.select_for_update(no_key=True).get(pk=dataset.pk)
        if held.owner_id == user.pk or held.shares.filter(user=user).exists():
            raise StillInUse("End this use first.")
        theirs = held.campaigns.filter(created_by=user).order_by("-pk")
        copies = list(theirs.filter(origin=Campaign.Origin.SIMULATED))
        for copy in copies:
            dry_runs.remove_dry_run(campaign=copy, by=by, progress=progress)
        left = list(theirs.exclude(origin=Campaign.Origin.SIMULATED))
        gone = sum(_discard(each, by, now, progress) for each in left)
    return Discarded(deleted=len(copies) + gone, kept=len(left) - gone)


def execute_discard(work: Work, now: datetime) -> dict[str, Any]:
    """Run `discard` as a job."""
    dataset, by = work.job.dataset, work.job.created_by
    if dataset is None:
        raise CannotDo("The dataset is gone already.")
    user = User.objects.get(pk=work.job.parameters["user"])
    try:
        done = discard_unused(dataset=dataset, user=user, by=by, now=now, progress=work.progress)
    except (StillInUse, CannotTry) as refused:
        raise CannotDo(str(refused)) from None
    return {"dataset": dataset.pk, "campaigns": done.deleted, "kept": done.kept}


def _discard(campaign: Campaign, by: User, now: datetime, progress: TellProgress) -> bool:
    """Delete a campaign unless it has judgments, a running job or dependent objects; return whether
    it was deleted."""
    held = Campaign.objects.select_for_update().get(pk=campaign.pk)
    is_judged = Judgment.objects.filter(assignment__round__campaign=held).exists()
    if is_judged or held.jobs.filter(state=Job.State.RUNNING).exists():
        return False
    try:
        with transaction.atomic():
            for enrollment in held.enrollments.order_by("pk"):
                erasures.erase_annotator(enrollment=enrollment, by=by, now=now)
            held.erasures.all().delete()
            for judge in held.llm_judges.all():
                llm_judges.remove_llm_judge(judge=judge, by=by)
            Result.objects.filter(run__campaign=held).delete()
            Run.objects.filter(campaign=held).delete()
            campaigns.remove_campaign(campaign=held, by=by, progress=progress)
    except ProtectedError:  # others reproduce it
        return False
    return True
