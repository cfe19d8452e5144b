"""Orders of questions that are kept: asking for one, working it out, and letting the oldest go."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from analysis.evidence import kept_orders
from analysis.evidence.listing import Chosen
from analysis.models import OrderedQuestion, QuestionOrder
from judging.actions import jobs
from judging.models import Job, User
from judging.models.statements import rows

KIND = "analysis.sort"
KEPT = 40  # orders of one collection
# Who forgets an annotator waits for it, or has removed it; who looks at the list does not wait.
HOLD = "SELECT id FROM analysis_questionorder WHERE id = %(order)s FOR KEY SHARE"


def ask(*, chosen: Chosen, address: str, by: User) -> tuple[QuestionOrder, bool]:
    """Return the order that a list needs; say whether a job was written down for it, which the
    caller rings for.

    `address`: where the list is to be seen.
    """
    with transaction.atomic():
        order = kept_orders.found(chosen)
        if order:
            return order, False
        job = _job(chosen, address, by)
        order, made = QuestionOrder.objects.get_or_create(
            **kept_orders.wanted(chosen), defaults={"job": job}
        )
        if not made:  # somebody else asked at the same moment
            job.delete()
        return order, made


def ask_again(*, order: QuestionOrder, address: str, by: User) -> bool:
    """Have an order worked out anew, unless that is under way; what was kept stands until then."""
    with transaction.atomic():
        held = (
            QuestionOrder.objects.select_for_update(of=("self",), no_key=True)
            .select_related("job")
            .get(pk=order.pk)
        )
        if held.job.state in (Job.State.QUEUED, Job.State.RUNNING):
            return False
        held.job = order.job = _job(kept_orders.rested_on(held), address, by)
        held.save(update_fields=["job"])
        return True


def execute(work: jobs.Work, *, now: datetime) -> Mapping[str, Any]:
    """Work an order out and keep it. Called by the worker inside one transaction."""
    work.progress(0, 1, "Sorting the questions")
    order = QuestionOrder.objects.filter(job=work.job).first()
    if order is None or not rows(HOLD, {"order": order.pk}):
        raise jobs.CannotDo("Nobody waits for this order any more.")
    kept_orders.store(order)
    order.sorted_at = now
    order.save(force_update=True)
    _forget_oldest(order)
    return {"list": work.job.parameters["address"], "questions": order.questions}


def _job(chosen: Chosen, address: str, by: User) -> Job:
    about = {"campaign": chosen.campaign} if chosen.campaign else {"collection": chosen.collection}
    return jobs.enqueue(kind=KIND, parameters={"address": address}, by=by, **about)


def _forget_oldest(order: QuestionOrder) -> None:
    """Let go of a collection's orders beyond those that were worked out last."""
    kept = QuestionOrder.objects.filter(collection=order.collection, sorted_at__isnull=False)
    gone = list(kept.order_by("-sorted_at").values_list("pk", flat=True)[KEPT:])
    OrderedQuestion.objects.filter(order__in=gone).delete()
    QuestionOrder.objects.filter(pk__in=gone).delete()
