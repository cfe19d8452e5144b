"""Jobs about whole campaigns: opening a large one, and erasing an annotator."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from judging.campaigns import guards as campaign_guards
from judging.campaigns.actions import campaigns
from judging.campaigns.models.members import Enrollment
from judging.jobs.actions import jobs
from judging.jobs.tasks import job_task
from judging.overview.actions import erasures
from judging.quality.actions import snapshots


@job_task(campaigns.LAUNCH, right=campaign_guards.manages)
def run_launch_job(work: jobs.Work) -> Mapping[str, Any]:
    """Open a large campaign: lay out its tasks and places."""
    campaign = work.job.campaign
    campaigns.open_campaign(
        campaign=campaign, now=timezone.now(), by=work.job.created_by, progress=work.progress
    )
    snapshots.take_snapshot(campaign=campaign, now=timezone.now())  # so that no page waits for it
    return {"campaign": str(campaign.uuid)}


@job_task(jobs.ERASE, right=campaign_guards.manages)
def run_erasure_job(work: jobs.Work) -> Mapping[str, Any]:
    """Erase an annotator with many tasks, on their demand."""
    own = Enrollment.objects.filter(campaign=work.job.campaign)
    person = own.filter(pk=work.job.parameters["enrollment"]).first()
    if person is None:
        raise jobs.CannotDo("This annotator is erased already.")
    erasures.erase_annotator(
        enrollment=person, by=work.job.created_by, now=timezone.now(), progress=work.progress
    )
    return {}
