"""What analyses keep of an annotator, taken out after the person was erased."""

from collections.abc import Mapping
from typing import Any

from analysis.actions import runs
from analysis.models import OrderedQuestion, QuestionOrder, Run
from judging.actions import jobs
from judging.models import Job


def execute(work: jobs.Work) -> Mapping[str, Any]:
    """Go through a campaign's finished runs, and forget its orders of questions."""
    label, campaign = work.job.parameters["label"], work.job.campaign
    done = list(Run.objects.filter(campaign=campaign, job__state=Job.State.DONE).order_by("number"))
    changed = 0
    for place, run in enumerate(done):
        work.progress(place, len(done), f"Report {run.number}")
        changed += runs.forget_annotator(run=run, label=label)
    orders = QuestionOrder.objects.filter(campaign=campaign)
    OrderedQuestion.objects.filter(order__in=orders).delete()
    orders.delete()
    return {"erased": label, "reports": changed}
