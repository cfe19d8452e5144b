"""Jobs of campaigns, and sending messages to their webhooks."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from celery import Task, shared_task
from django.db import DatabaseError, InterfaceError, transaction
from django.dispatch import receiver

from judging.campaigns import guards as campaign_guards
from judging.campaigns.actions import campaigns, dataset_uses, draw_checks, draws, webhooks
from judging.datasets import guards as dataset_guards
from judging.jobs.actions import jobs
from judging.jobs.tasks import job_task, log

LONGEST_COUNTDOWN = 15 * 60  # seconds that a broker keeps a task
EXPIRY = 30  # seconds after which the sweep has sent another task for a webhook


@shared_task(
    name="judging.send_webhook",
    bind=True,
    max_retries=None,
    throws=(DatabaseError, InterfaceError),
)
def send_webhook(self: Task, webhook: int) -> None:
    """Send the messages of a webhook that are due, and those that were not accepted again later.

    The rows know when each message is due, so a task that is lost is started again by the sweep. It
    starts those of long delays as well, because brokers do not keep a task for hours.
    """
    delay = webhooks.send_due(webhook=webhook)
    if delay is not None and delay <= LONGEST_COUNTDOWN:
        raise self.retry(countdown=delay, expires=delay + EXPIRY)


@receiver(webhooks.messages_queued)
def send_after_commit(sender: Any, webhooks: Sequence[int], **about: Any) -> None:
    """Start the tasks that send new messages."""
    transaction.on_commit(lambda: send_webhooks(webhooks))


def send_webhooks(ids: Iterable[int]) -> None:
    for pk in ids:
        try:
            send_webhook.apply_async([pk], retry=False, expires=EXPIRY)
        except Exception:  # the broker's library may raise anything, and the page must not fail
            log.warning("The broker could not be reached; the sweep will send to webhook %s.", pk)
            return


@job_task(draw_checks.KIND, right=campaign_guards.manages)
def check_draws(work: jobs.Work) -> Mapping[str, Any]:
    """Check whether a closed campaign was drawn as its revealed secret says."""
    work.progress(0, 0, "Reading the draws")
    document = draws.draws_document(work.job.campaign)
    return {
        "problems": draw_checks.find_draw_problems(
            json.loads("".join(draws.json_document_pieces(document)))
        )
    }


@job_task(campaigns.DISCARD, right=campaign_guards.manages)
def run_discard_job(work: jobs.Work) -> Mapping[str, Any]:
    """Delete a draft with many tasks and places."""
    campaign = work.job.campaign
    campaigns.discard_draft(campaign=campaign, by=work.job.created_by, progress=work.progress)
    return {"removed": campaign.title}


@job_task(dataset_uses.DELETE, right=dataset_guards.owns)
def run_dataset_deletion(work: jobs.Work) -> Mapping[str, Any]:
    """Remove a large dataset."""
    dataset = work.job.dataset
    if dataset is None:
        raise jobs.CannotDo("The dataset is gone already.")
    dataset_uses.delete_dataset(dataset=dataset, by=work.job.created_by, progress=work.progress)
    return {"deleted": dataset.name}
