"""Webhooks: queueing the events of a campaign, and sending them to the addresses that managers named.

Messages follow the Standard Webhooks specification: the headers `webhook-id`, `webhook-timestamp` and
`webhook-signature`, and a JSON body with `type`, `timestamp` and `data`. A message is queued in the
transaction of what it reports, and is sent at least once.
"""

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from http.client import HTTPException
from typing import Any
from urllib import request
from urllib.error import HTTPError
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Greatest, Now
from django.dispatch import Signal

from judging.base.actions import seals
from judging.base.actions.redirects import CONFINED, PUBLIC
from judging.base.refusals import Refused
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.webhook import Webhook, WebhookDelivery
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User

PING = "ping"  # the event that a manager sends to try a webhook
TIMEOUT_SECONDS = 10
ATTEMPTS = 8
FIRST_DELAY_SECONDS = 10
DELAY_FACTOR = 4  # from one attempt to the next; the last attempt is 15 hours after the first
LEASE = timedelta(seconds=60)  # of a message that is being sent
SENDER_LOCK = 0x5748  # "WH": the first number of the advisory lock of a webhook's only sender
KEPT_FOR = timedelta(days=30)  # deliveries in the log
SECRET_PREFIX = "whsec_"  # noqa: S105
SECRET_BYTES = 32
URL_CHARACTERS = 500  # of the database column

Describe = Callable[[], Mapping[str, Any]]
messages_queued = Signal()  # sent with `webhooks`, their ids, in the transaction of the messages


class CannotSend(Refused):
    """An address to which nothing can be sent; the message says why."""

    code = "address_not_allowed"
    field = "url"


def check_url(url: str) -> None:
    """Raise CannotSend if the site sends nothing to such an address."""
    allowed = ("https://", "http://") if settings.PRIVATE_WEBHOOKS else ("https://",)
    if not url.lower().startswith(allowed):
        raise CannotSend(f"The address must begin with {' or '.join(allowed)}.")
    try:
        target = urlsplit(url)
        has_host, user = bool(target.hostname), target.username
        _ = target.port
    except ValueError:
        has_host, user = False, None
    if not has_host or not url.isascii() or any(sign.isspace() for sign in url):
        raise CannotSend("This is not a web address.")
    if user is not None:
        raise CannotSend("The address must not contain a user name or password.")


def create_webhook(
    *, campaign: Campaign, url: str, events: Sequence[str], by: User
) -> tuple[Webhook, str]:
    """Create a webhook; return it with its secret, which is not shown again."""
    check_url(url)
    secret = _new_secret()
    with transaction.atomic():
        webhook = Webhook.objects.create(
            campaign=campaign,
            url=url,
            events=_in_order(events),
            secret=seals.seal_secret(secret),
            created_by=by,
        )
        history.record_event(
            Event.Act.WEBHOOK_ADDED, by=by, campaign=campaign, about=_name(webhook), after=url
        )
    return webhook, secret


def change_webhook(*, webhook: Webhook, by: User, **columns: Any) -> None:
    """Change the `url`, the `events` or `is_active` of a webhook."""
    if "url" in columns:
        check_url(columns["url"])
    if "events" in columns:
        columns["events"] = _in_order(columns["events"])
    before = {name: getattr(webhook, name) for name in columns}
    if before == columns:
        return
    with transaction.atomic():
        for name, value in columns.items():
            setattr(webhook, name, value)
        webhook.save(update_fields=list(columns))
        history.record_event(
            Event.Act.WEBHOOK_CHANGED,
            by=by,
            campaign=webhook.campaign,
            about=_name(webhook),
            before=json.dumps(before),
            after=json.dumps(columns),
        )


def replace_secret(*, webhook: Webhook, by: User) -> str:
    """Give a webhook a new secret, and return it; it is not shown again."""
    secret = _new_secret()
    with transaction.atomic():
        webhook.secret = seals.seal_secret(secret)
        webhook.save(update_fields=["secret"])
        history.record_event(
            Event.Act.WEBHOOK_CHANGED,
            by=by,
            campaign=webhook.campaign,
            about=_name(webhook),
            after="new secret",
        )
    return secret


def delete_webhook(*, webhook: Webhook, by: User) -> None:
    """Delete a webhook with its log; messages that wait are not sent."""
    with transaction.atomic():
        history.record_event(
            Event.Act.WEBHOOK_DELETED,
            by=by,
            campaign=webhook.campaign,
            about=_name(webhook),
            before=webhook.url,
        )
        webhook.delete()


def rotate_webhook_secrets() -> int:
    """Encrypt every webhook's secret with the site's newest key; return how many."""
    with transaction.atomic():
        webhooks = list(Webhook.objects.select_for_update())
        for webhook in webhooks:
            webhook.secret = seals.reseal_secret(webhook.secret)
            webhook.save(update_fields=["secret"])
    return len(webhooks)


def _new_secret() -> str:
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def _in_order(events: Sequence[str]) -> list[str]:
    return [event for event in Webhook.Event.values if event in events]


def _name(webhook: Webhook) -> str:
    return f"webhook {webhook.pk}"


def note_state(*, campaign: Campaign, state: str) -> None:
    """Queue the change of a campaign's state."""
    before = campaign.state
    _queue(
        campaign,
        Webhook.Event.CAMPAIGN_STATE,
        lambda: {**_about(campaign), "state": state, "before": before},
    )


def note_submission(*, assignment: Assignment, resubmitted: bool) -> None:
    """Queue the submission of a task."""

    def describe() -> dict[str, Any]:
        annotator = assignment.enrollment
        return {
            **_about(assignment.round.campaign),
            "round": str(assignment.round),
            "assignment": str(assignment.pk),
            "task": assignment.task.number,
            "annotator": annotator.label if annotator else "",
            "resubmitted": resubmitted,
        }

    _queue(assignment.round.campaign, Webhook.Event.TASK_SUBMITTED, describe)


def note_run(*, campaign: Campaign, number: int, state: str) -> None:
    """Queue the end of an analysis."""
    _queue(
        campaign,
        Webhook.Event.RUN_FINISHED,
        lambda: {**_about(campaign), "run": number, "state": state},
    )


def note_reached_targets() -> None:
    """Queue, once for each webhook and round, that all assignments of a round are submitted."""
    unfinished = Assignment.objects.filter(
        round=OuterRef("pk"), state__in=[Assignment.State.OPEN, Assignment.State.HELD]
    )
    wanted = Webhook.objects.filter(
        campaign=OuterRef("campaign"),
        is_active=True,
        events__contains=[Webhook.Event.TARGET_REACHED],
    )
    reached = Round.objects.filter(
        Exists(wanted), ~Exists(unfinished), opened_at__isnull=False
    ).exclude(kind=Round.Kind.CHECKS)
    for found in reached.select_related("campaign"):
        submitted = found.assignments.submitted().count()
        if submitted:
            _queue_target(found, submitted)


def _queue_target(found: Round, submitted: int) -> None:
    campaign = found.campaign
    data = {**_about(campaign), "round": str(found), "submitted": submitted}
    with transaction.atomic():
        for webhook in _wanting(campaign, Webhook.Event.TARGET_REACHED).select_for_update():
            known = webhook.deliveries.filter(
                event=Webhook.Event.TARGET_REACHED, data__round=data["round"]
            )
            if not known.exists():
                _queue_for([webhook.pk], Webhook.Event.TARGET_REACHED, data)


def queue_test_message(*, webhook: Webhook) -> WebhookDelivery:
    """Queue a message that tries a webhook."""
    [delivery] = _queue_for([webhook.pk], PING, _about(webhook.campaign))
    return delivery


def _about(campaign: Campaign) -> dict[str, Any]:
    return {"campaign": str(campaign.uuid), "title": campaign.title}


def _wanting(campaign: Campaign, event: str) -> Any:
    return Webhook.objects.filter(campaign=campaign, is_active=True, events__contains=[event])


def _queue(campaign: Campaign, event: str, describe: Describe) -> None:
    webhooks = list(_wanting(campaign, event).values_list("pk", flat=True))
    if webhooks:
        _queue_for(webhooks, event, dict(describe()))


def _queue_for(
    webhooks: Sequence[int], event: str, data: Mapping[str, Any]
) -> list[WebhookDelivery]:
    queued = WebhookDelivery.objects.bulk_create(
        WebhookDelivery(webhook_id=pk, event=event, data=data) for pk in webhooks
    )
    messages_queued.send(WebhookDelivery, webhooks=webhooks)
    return queued


def due_webhooks() -> list[int]:
    """Return the webhooks with messages that are due."""
    return list(_due().values_list("webhook", flat=True).distinct())


def send_due(*, webhook: int) -> float | None:
    """Send the messages of a webhook that are due, one after the other; return the seconds until
    one that was not accepted is sent again.

    While another process sends to the same webhook, nothing is done: a slow target occupies one.
    """
    delays = []
    with _only_sender(webhook) as is_only:
        while is_only and (delivery := _lease(webhook)):
            if delay := _attempt(delivery):
                delays.append(delay.total_seconds())
    return min(delays, default=None)


@contextmanager
def _only_sender(webhook: int) -> Iterator[bool]:
    """Hold the lock of a webhook's only sender, and yield whether it could be taken."""
    lock = SENDER_LOCK, webhook
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", lock)
        [is_only] = cursor.fetchone()
    yield is_only
    if is_only:  # after an error the task's connection is closed, which ends the lock
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s, %s)", lock)


def resend_message(*, delivery: WebhookDelivery) -> None:
    """Queue a message again, with all its attempts."""
    WebhookDelivery.objects.filter(pk=delivery.pk).update(
        state=WebhookDelivery.State.WAITING,
        attempts=0,
        next_attempt_at=Now(),
        delivered_at=None,
        status=None,
        problem="",
    )
    messages_queued.send(WebhookDelivery, webhooks=[delivery.webhook_id])


def delete_old_messages(*, now: datetime) -> int:
    """Delete the messages in the log that are older than 30 days; return how many."""
    old = WebhookDelivery.objects.filter(created_at__lt=now - KEPT_FOR)
    return old.exclude(state=WebhookDelivery.State.WAITING).delete()[0]


def _due() -> QuerySet[WebhookDelivery]:
    return WebhookDelivery.objects.filter(
        state=WebhookDelivery.State.WAITING, webhook__is_active=True, next_attempt_at__lte=Now()
    )


def _lease(webhook: int) -> WebhookDelivery | None:
    """Take the next message that is due; no other worker takes it while it is being sent."""
    with transaction.atomic():
        locked = _due().filter(webhook=webhook).select_for_update(of=("self",), skip_locked=True)
        delivery = locked.select_related("webhook").order_by("next_attempt_at").first()
        if delivery:
            delivery.attempts += 1
            own = WebhookDelivery.objects.filter(pk=delivery.pk)
            own.update(attempts=delivery.attempts, next_attempt_at=Now() + LEASE)
    return delivery


def _attempt(delivery: WebhookDelivery) -> timedelta | None:
    """Send a message once, and store the outcome; return when it is sent again, if it is."""
    status, problem = _post(delivery)
    own = WebhookDelivery.objects.filter(pk=delivery.pk, attempts=delivery.attempts)
    if not problem:
        own.update(
            state=WebhookDelivery.State.DELIVERED, delivered_at=Now(), status=status, problem=""
        )
        return None
    is_last = delivery.attempts >= ATTEMPTS
    delay = timedelta(seconds=FIRST_DELAY_SECONDS * DELAY_FACTOR ** (delivery.attempts - 1))
    own.update(
        state=WebhookDelivery.State.FAILED if is_last else WebhookDelivery.State.WAITING,
        next_attempt_at=Now() + delay,
        status=status,
        problem=problem[:200],
    )
    if status is None or status >= 500:  # the server is away: its other messages wait as long
        others = delivery.webhook.deliveries.filter(state=WebhookDelivery.State.WAITING)
        others.update(next_attempt_at=Greatest(F("next_attempt_at"), Now() + delay))
    return None if is_last else delay


def _post(delivery: WebhookDelivery) -> tuple[int | None, str]:
    """Return the HTTP status of the response, if there was one, and why the message was not
    accepted."""
    webhook = delivery.webhook
    secret = seals.unseal_secret(webhook.secret)
    if not secret:
        return None, "The secret can no longer be read. Replace it."
    body = _body(delivery)
    headers = _headers(delivery, body, secret)
    call = request.Request(webhook.url, body, headers, method="POST")  # noqa: S310  check_url has looked
    opener = CONFINED if settings.PRIVATE_WEBHOOKS else PUBLIC
    try:
        check_url(webhook.url)  # the operator may have changed what is allowed
        with opener.open(call, timeout=TIMEOUT_SECONDS) as response:
            return response.status, ""
    except CannotSend as refused:
        return None, str(refused)
    except HTTPError as error:
        error.close()
        is_elsewhere = 300 <= error.code < 400
        return error.code, f"HTTP {error.code}" + "; redirects are not followed" * is_elsewhere
    except OSError as error:
        return None, str(getattr(error, "reason", "") or error) or type(error).__name__
    except (HTTPException, ValueError) as error:
        return None, f"no HTTP response ({type(error).__name__})"


def _body(delivery: WebhookDelivery) -> bytes:
    message = {
        "type": delivery.event,
        "timestamp": delivery.created_at.isoformat(),
        "data": delivery.data,
    }
    return json.dumps(message, ensure_ascii=False).encode()


def _headers(delivery: WebhookDelivery, body: bytes, secret: str) -> dict[str, str]:
    sent_at = str(int(time.time()))
    return {
        "Content-Type": "application/json",
        "User-Agent": "Quaestor",
        "webhook-id": str(delivery.pk),
        "webhook-timestamp": sent_at,
        "webhook-signature": _signature(secret, str(delivery.pk), sent_at, body),
    }


def _signature(secret: str, message_id: str, sent_at: str, body: bytes) -> str:
    """Return the signature of a message by the Standard Webhooks specification, version 1."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = f"{message_id}.{sent_at}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
