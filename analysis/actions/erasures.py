"""What analyses keep of annotators, taken out after they were erased."""

from collections.abc import Mapping
from typing import Any

from analysis.actions import runs
from analysis.models import OrderedQuestion, QuestionOrder, Run
from judging.actions import jobs
from judging.models import Job


def execute(work: jobs.Work) -> Mapping[str, Any]:
    """Go through a campaign's finished runs, and forget its orders of questions."""
    labels, campaign = work.job.parameters["labels"], work.job.campaign
    done = list(Run.objects.filter(campaign=campaign, job__state=Job.State.DONE).order_by("number"))
    changed = 0
    for place, run in enumerate(done):
        work.progress(place, len(done), f"Report {run.number}")
        changed += runs.forget_annotators(run=run, labels=labels)
    orders = QuestionOrder.objects.filter(campaign=campaign)
    list(orders.select_for_update())  # one that is being worked out is removed with what it made
    OrderedQuestion.objects.filter(order__in=orders).delete()
    orders.delete()
    return {"erased": labels, "reports": changed}
