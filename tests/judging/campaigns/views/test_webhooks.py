"""The page of a campaign's webhooks, and a worker that sends their messages."""

import re
import time

import pytest
from django.urls import reverse

from judging.base.actions import seals
from judging.campaigns.actions import webhooks
from judging.campaigns.models.webhook import Webhook, WebhookDelivery
from tests import factories
from tests.annotation import studies
from tests.webhook_server import WebhookServer

URL = "https://lab.example/hook"


@pytest.fixture(scope="module")
def worker_environment() -> dict[str, str]:
    return {"QUAESTOR_PRIVATE_WEBHOOKS": "1"}


@pytest.mark.django_db
def test_page_adds_a_webhook_shows_its_secret_once_and_lists_deliveries() -> None:
    campaign = studies.opened()
    client = factories.logged_in(campaign.created_by)
    page = reverse("judging:webhooks", args=[campaign.uuid])
    assert page in client.get(reverse("judging:history", args=[campaign.uuid])).text
    added = client.post(f"{page}add/", {"url": URL, "events": ["campaign.state"]})
    secret = seals.unseal_secret(Webhook.objects.get().secret)
    assert secret in added.text.replace("&#x3D;", "=")
    webhook = Webhook.objects.get()
    client.post(f"{page}{webhook.pk}/ping/")
    html = client.get(page).text
    assert secret not in html
    assert URL in html
    assert "ping" in html
    assert "waiting" in html
    WebhookDelivery.objects.update(state="failed", attempts=8, problem="HTTP 500")
    again = re.search(r'action="([^"]+/again/)"', client.get(page).text)
    assert again is not None
    client.post(again[1])
    assert WebhookDelivery.objects.get().state == "waiting"
    client.post(f"{page}{webhook.pk}/switch/")
    assert not Webhook.objects.get().is_active
    client.post(f"{page}{webhook.pk}/delete/")
    assert not Webhook.objects.exists()


@pytest.mark.django_db
def test_page_refuses_an_address_without_https_and_keeps_the_entry() -> None:
    campaign = studies.opened()
    client = factories.logged_in(campaign.created_by)
    page = reverse("judging:webhooks", args=[campaign.uuid])
    answer = client.post(f"{page}add/", {"url": "http://lab.example/", "events": ["run.finished"]})
    assert answer.status_code == 422
    assert 'value="http://lab.example/"' in answer.text


@pytest.mark.jobs
@pytest.mark.django_db(transaction=True)
def test_worker_sends_a_message_and_notes_its_delivery(worker, settings) -> None:
    settings.PRIVATE_WEBHOOKS = True
    server = WebhookServer()
    campaign = studies.opened()
    made, _secret = webhooks.create_webhook(
        campaign=campaign, url=server.url, events=["run.finished"], by=campaign.created_by
    )
    sent = webhooks.queue_test_message(webhook=made)
    assert server.arrived.wait(60)
    until = time.monotonic() + 60
    while WebhookDelivery.objects.get(pk=sent.pk).state == "waiting" and time.monotonic() < until:
        time.sleep(0.1)
    server.close()
    assert WebhookDelivery.objects.get(pk=sent.pk).state == "delivered"
