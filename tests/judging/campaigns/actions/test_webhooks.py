"""Webhooks: which events are queued, how they are signed, and what a server may do to them."""

import base64
import hashlib
import hmac
import json
import socket
from datetime import timedelta
from ipaddress import ip_address

import pytest
from celery.exceptions import Retry
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from analysis.runs.actions import runs
from judging.base.actions import redirects, seals
from judging.campaigns import tasks
from judging.campaigns.actions import campaigns, webhooks
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.members import Enrollment
from judging.campaigns.models.webhook import WebhookDelivery
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.work.actions import judgments
from tests.analysis import studies as analysed
from tests.annotation import studies
from tests.webhook_server import Received, WebhookServer

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def private(settings):
    settings.PRIVATE_WEBHOOKS = True


@pytest.fixture
def server():
    made = WebhookServer()
    yield made
    made.close()


@pytest.fixture
def campaign():
    return studies.opened(sources=2, annotators_per_task=1)


def added(campaign, server, *events: str):
    wanted = events or webhooks.Webhook.Event.values
    return webhooks.create_webhook(
        campaign=campaign, url=server.url, events=wanted, by=campaign.created_by
    )


def signature_by_the_specification(received: Received, secret: str) -> str:
    """Compute the signature as standardwebhooks.com describes it."""
    headers = received.headers
    content = ".".join(
        [headers["webhook-id"], headers["webhook-timestamp"], received.body.decode()]
    )
    key = base64.b64decode(secret.split("_")[1])
    return base64.b64encode(hmac.new(key, content.encode(), hashlib.sha256).digest()).decode()


def make_due() -> None:
    """Let the time until the next attempts pass."""
    earlier = timezone.now() - timedelta(seconds=1)
    WebhookDelivery.objects.update(next_attempt_at=earlier)


def send_due() -> int:
    """Send what is due as the tasks do; return how many messages were tried."""
    before = attempts()
    for pk in webhooks.due_webhooks():
        webhooks.send_due(webhook=pk)
    return attempts() - before


def attempts() -> int:
    return sum(WebhookDelivery.objects.values_list("attempts", flat=True))


def submitted(client: Client, enrollment: Enrollment) -> Assignment:
    """Submit the annotator's next task, as a browser does."""
    assignment = studies.held(enrollment)
    address = reverse("annotation:submit", args=[assignment.pk]) + "?step=0"
    answer = client.post(address, studies.filled(assignment))
    assert answer.status_code == 302, answer.content
    assignment.refresh_from_db()
    assert assignment.state == "submitted"
    return assignment


def test_state_change_sends_a_message_that_verifies_with_the_secret(campaign, server) -> None:
    _webhook, secret = added(campaign, server)
    campaigns.move_campaign(campaign=campaign, to="paused", now=timezone.now())
    assert send_due() == 1
    [received] = server.received
    message = json.loads(received.body)
    assert message["type"] == "campaign.state"
    assert message["data"] == {
        "campaign": str(campaign.uuid),
        "title": campaign.title,
        "state": "paused",
        "before": "open",
    }
    version, signature = received.headers["webhook-signature"].split(",")
    assert (version, signature) == ("v1", signature_by_the_specification(received, secret))
    delivery = WebhookDelivery.objects.get()
    assert (delivery.state, delivery.status, delivery.attempts) == ("delivered", 204, 1)
    assert received.headers["webhook-id"] == str(delivery.pk)
    assert send_due() == 0


def test_secret_is_stored_encrypted(campaign, server) -> None:
    webhook, secret = added(campaign, server)
    webhook.refresh_from_db()
    assert secret not in webhook.secret
    assert seals.unseal_secret(webhook.secret) == secret


def test_submission_names_the_annotator_by_label_and_no_system(campaign, server) -> None:
    added(campaign, server, "task.submitted")
    client, annotator = studies.annotator(campaign)
    assignment = submitted(client, annotator)
    send_due()
    [received] = server.received
    data = json.loads(received.body)["data"]
    assert data["annotator"] == annotator.label
    assert data["assignment"] == str(assignment.pk)
    assert not data["resubmitted"]
    text = received.body.decode()
    assert not any(name in text for name in ("Alba", "Brisa", annotator.user.username))


def test_replayed_submission_sends_nothing_more(campaign, server) -> None:
    added(campaign, server, "task.submitted")
    client, annotator = studies.annotator(campaign)
    assignment = studies.held(annotator)
    token = assignment.submit_token
    submitted(client, annotator)
    assignment.refresh_from_db()
    judgments.submit_task(assignment=assignment, token=token)
    assert WebhookDelivery.objects.count() == 1


def test_target_is_reported_once_when_the_last_assignment_is_submitted(campaign, server) -> None:
    added(campaign, server, "target.reached")
    client, annotator = studies.annotator(campaign)
    planned = Assignment.objects.filter(round__kind="main").count()
    for number in range(planned):
        webhooks.note_reached_targets()
        assert WebhookDelivery.objects.count() == 0, f"after {number} of {planned}"
        submitted(client, annotator)
    webhooks.note_reached_targets()
    webhooks.note_reached_targets()
    delivery = WebhookDelivery.objects.get()
    assert delivery.data["submitted"] == planned
    assert delivery.data["round"] == "main 1"


@pytest.mark.parametrize("state", ["done", "failed", "cancelled", "lost"])
def test_end_of_a_run_is_reported(server, state: str) -> None:
    campaign = analysed.imported(sources=2)
    added(campaign, server, "run.finished")
    run = runs.start_run(campaign=campaign, by=campaign.created_by, seed=1, parameters={})
    if state == "cancelled":
        jobs.cancel_job(job=run.job)
    else:
        job = jobs.claim_job(job_id=run.job_id)
        if state == "done":
            jobs.finish_job(job=job, result={})
        elif state == "failed":
            jobs.fail(job=job, error="no ratings")
        else:
            long_ago = timezone.now() - timedelta(hours=1)
            Job.objects.filter(pk=job.pk).update(attempts=jobs.ATTEMPTS, heartbeat_at=long_ago)
            jobs.requeue_lost()
    send_due()
    data = json.loads(server.received[-1].body)["data"]
    assert (data["run"], data["state"]) == (run.number, "failed" if state == "lost" else state)


def test_only_wanted_events_are_queued_and_none_while_off(campaign, server) -> None:
    webhook, _secret = added(campaign, server, "run.finished")
    campaigns.move_campaign(campaign=campaign, to="paused", now=timezone.now())
    webhooks.change_webhook(webhook=webhook, by=campaign.created_by, events=["campaign.state"])
    webhooks.change_webhook(webhook=webhook, by=campaign.created_by, is_active=False)
    campaigns.move_campaign(campaign=campaign, to="open", now=timezone.now())
    assert not WebhookDelivery.objects.exists()


def test_server_error_is_tried_again_later_and_other_messages_wait(campaign, server) -> None:
    webhook, _secret = added(campaign, server)
    webhooks.queue_test_message(webhook=webhook)
    webhooks.queue_test_message(webhook=webhook)
    server.statuses = [503]
    assert send_due() == 1
    waiting = WebhookDelivery.objects.filter(state="waiting", next_attempt_at__gt=timezone.now())
    assert waiting.count() == 2
    assert waiting.get(attempts=1).problem == "HTTP 503"
    make_due()
    assert send_due() == 2
    assert WebhookDelivery.objects.filter(state="delivered").count() == 2


def test_refused_message_does_not_hold_up_the_others(campaign, server) -> None:
    webhook, _secret = added(campaign, server)
    webhooks.queue_test_message(webhook=webhook)
    webhooks.queue_test_message(webhook=webhook)
    server.statuses = [400]
    assert send_due() == 2
    states = WebhookDelivery.objects.values_list("state", "status")
    assert sorted(states) == [("delivered", 204), ("waiting", 400)]


def test_delays_grow_until_the_message_is_given_up(campaign, server) -> None:
    webhook, _secret = added(campaign, server)
    webhooks.queue_test_message(webhook=webhook)
    server.statuses = [500] * webhooks.ATTEMPTS
    delays = []
    for _ in range(webhooks.ATTEMPTS):
        before = timezone.now()
        assert send_due() == 1
        delays.append((WebhookDelivery.objects.get().next_attempt_at - before).total_seconds())
        make_due()
    assert send_due() == 0
    delivery = WebhookDelivery.objects.get()
    assert (delivery.state, delivery.problem) == ("failed", "HTTP 500")
    assert delays == sorted(delays)
    assert sum(delays[:-1]) > 12 * 3600
    webhooks.resend_message(delivery=delivery)
    assert send_due() == 1
    delivery.refresh_from_db()
    assert (delivery.state, delivery.problem) == ("delivered", "")


def test_redirect_is_not_followed(campaign, server) -> None:
    elsewhere = WebhookServer()
    webhook, _secret = added(campaign, server)
    webhooks.queue_test_message(webhook=webhook)
    server.statuses, server.location = [307], elsewhere.url
    send_due()
    elsewhere.close()
    assert elsewhere.received == []
    problem = WebhookDelivery.objects.get().problem
    assert problem == "HTTP 307; redirects are not followed"


def test_server_that_hangs_is_given_up_for_now(campaign, server, monkeypatch) -> None:
    monkeypatch.setattr(webhooks, "TIMEOUT_SECONDS", 0.2)
    webhook, _secret = added(campaign, server)
    webhooks.queue_test_message(webhook=webhook)
    server.hangs = True
    assert send_due() == 1
    delivery = WebhookDelivery.objects.get()
    assert (delivery.state, delivery.status) == ("waiting", None)
    assert "timed out" in delivery.problem


def test_private_address_gets_no_connection_unless_the_operator_allows_it(
    campaign, server, settings
) -> None:
    url = f"https://localhost:{server.port}/hook"
    webhook, _secret = webhooks.create_webhook(
        campaign=campaign, url=url, events=["run.finished"], by=campaign.created_by
    )
    settings.PRIVATE_WEBHOOKS = False
    webhooks.queue_test_message(webhook=webhook)
    send_due()
    delivery = WebhookDelivery.objects.get()
    assert delivery.problem == "localhost is not a public address"
    assert not server.arrived.is_set()


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "::1",
        "fe80::1%eth0",
        "fd00::1",
        "::ffff:127.0.0.1",
        "64:ff9b::10.1.2.3",
    ],
)
def test_one_private_address_of_a_name_is_enough_to_refuse(address: str, monkeypatch) -> None:
    def resolved(host: str, port: int, **kind: int) -> list:
        return [(2, 1, 6, "", (each, port)) for each in ("93.184.216.34", address)]

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    with pytest.raises(redirects.PrivateAddress, match=r"lab\.example"):
        redirects.connect_publicly(("lab.example", 443), 1.0)


FORMS_OF_IPV4 = ("{}", "::ffff:{}", "64:ff9b::{}", "::{}", "2002:{}::")  # the last in hexadecimal


def in_form(form: str, address: str) -> str:
    """Return an IPv4 address in a form of IPv6."""
    number = int(ip_address(address))
    return form.format(f"{number >> 16:x}:{number & 0xFFFF:x}" if "2002" in form else address)


@pytest.mark.parametrize("form", FORMS_OF_IPV4)
@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("0.0.0.0", False),
        ("10.1.2.3", False),
        ("127.0.0.1", False),
        ("169.254.169.254", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("93.184.216.34", True),
    ],
)
def test_ipv4_address_is_as_public_in_every_form_of_ipv6(form, address, public) -> None:
    assert redirects.is_public(in_form(form, address)) is public


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("2606:4700::1111", True),
        ("2a01:4f8::1", True),
        ("::", False),
        ("::1", False),
        ("::ffff:0:10.1.2.3", False),  # translated (RFC 2765)
        ("64:ff9b:1::8.8.8.8", False),  # translated within one network (RFC 8215)
        ("2001:0:4136:e378:8000:63bf:f5ff:fffe", False),  # Teredo
        ("2001:db8::1", False),
        ("fc00::1", False),
        ("fe80::1%eth0", False),
        ("fec0::1", False),
        ("ff02::1", False),
        ("ff0e::1", False),
    ],
)
def test_ipv6_address_is_public_if_it_is_global_unicast(address, public) -> None:
    assert redirects.is_public(address) is public


@pytest.mark.parametrize(
    "url",
    [
        "http://lab.example/hook",
        "https://",
        "https://user:pass@lab.example/",
        "https://lab.example:port/",
        "https://[::1/",
    ],
)
def test_address_that_cannot_be_used_is_refused(url: str, settings) -> None:
    settings.PRIVATE_WEBHOOKS = False
    with pytest.raises(webhooks.CannotSend):
        webhooks.check_url(url)


def test_message_being_sent_is_taken_by_no_other_sender(campaign, server) -> None:
    webhook, _secret = added(campaign, server)
    webhooks.queue_test_message(webhook=webhook)
    assert webhooks._lease(webhook.pk) is not None
    assert webhooks._lease(webhook.pk) is None


def test_task_of_a_message_that_is_not_accepted_is_retried_for_as_long_as_a_broker_keeps_it(
    campaign, server
) -> None:
    webhook, _secret = added(campaign, server)
    webhooks.queue_test_message(webhook=webhook)
    server.statuses = [503] * 5
    for _ in range(4):  # after 10, 40, 160 and 640 seconds
        with pytest.raises(Retry):
            tasks.send_webhook(webhook.pk)
        tasks.send_webhook(webhook.pk)  # too early
        make_due()
    tasks.send_webhook(webhook.pk)
    assert attempts() == len(server.received) == 5


def test_old_deliveries_are_deleted_and_waiting_ones_kept(campaign, server) -> None:
    webhook, _secret = added(campaign, server)
    webhooks.queue_test_message(webhook=webhook)
    send_due()
    webhooks.queue_test_message(webhook=webhook)
    later = timezone.now() + webhooks.KEPT_FOR + timedelta(hours=1)
    assert webhooks.delete_old_messages(now=later) == 1
    assert WebhookDelivery.objects.get().state == "waiting"


def test_draft_with_a_webhook_can_be_discarded(server) -> None:
    draft = studies.factories.campaign()
    added(draft, server)
    campaigns.discard_draft(campaign=draft, by=draft.created_by)
    assert not WebhookDelivery.objects.exists()


def test_secret_outlasts_the_old_key_of_the_site(campaign, server, settings) -> None:
    webhook, secret = added(campaign, server)
    old = settings.SECRET_KEY
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "n" * 60, [old]
    assert webhooks.rotate_webhook_secrets() == 1
    settings.SECRET_KEY_FALLBACKS = []
    webhook.refresh_from_db()
    assert seals.unseal_secret(webhook.secret) == secret


def test_message_is_not_sent_if_the_secret_can_no_longer_be_read(
    campaign, server, settings
) -> None:
    webhook, _secret = added(campaign, server)
    webhooks.queue_test_message(webhook=webhook)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "n" * 60, []
    send_due()
    assert server.received == []
    problem = WebhookDelivery.objects.get().problem
    assert problem == "The secret can no longer be read. Replace it."
