"""Webhooks for programs."""

import pytest

from judging.base.actions import seals
from judging.campaigns.actions import webhooks
from judging.campaigns.models.webhook import Webhook, WebhookDelivery
from tests.annotation import studies
from tests.judging.programs import API, counted, fields_of, program

pytestmark = pytest.mark.django_db
URL = "https://lab.example/hook"


@pytest.fixture
def campaign():
    return studies.opened()


@pytest.fixture
def api(campaign):
    return program(campaign.created_by)


@pytest.fixture
def path(campaign):
    return f"{API}/campaigns/{campaign.uuid}/webhooks/"


def test_webhook_is_created_with_a_secret_that_no_other_response_shows(api, path):
    made = api.post(path, {"url": URL})
    assert made.status_code == 201, made.content
    webhook = made.json()
    assert webhook["events"] == Webhook.Event.values
    assert seals.unseal_secret(Webhook.objects.get().secret) == webhook.pop("secret")
    assert api.get(path).json()["results"] == [webhook]
    assert api.get(f"{path}{webhook['id']}/").json() == webhook
    replaced = api.post(f"{path}{webhook['id']}/replace-secret/").json()
    assert seals.unseal_secret(Webhook.objects.get().secret) == replaced["secret"]


def test_webhook_is_changed_and_deleted(api, path):
    number = api.post(path, {"url": URL}).json()["id"]
    changed = api.patch(f"{path}{number}/", {"events": ["run.finished"], "is_active": False})
    assert changed.json()["events"] == ["run.finished"]
    assert changed.json()["is_active"] is False
    assert api.delete(f"{path}{number}/").status_code == 204
    assert api.get(f"{path}{number}/").status_code == 404


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"url": "https://" + "a" * 500}, {"url"}),
        ({"url": 7, "events": []}, {"url", "events"}),
        ({"url": URL, "events": ["everything"]}, {"events[0]"}),
    ],
)
def test_webhook_wrong_content_names_the_field(api, path, body, fields):
    found = {each.replace("events.0", "events[0]") for each in fields_of(api.post(path, body))}
    assert found == fields
    assert not Webhook.objects.exists()


def test_delivery_is_listed_and_sent_again(campaign, api, path):
    number = api.post(path, {"url": URL}).json()["id"]
    sent = api.post(f"{path}{number}/ping/")
    assert sent.status_code == 202
    deliveries = f"{path}{number}/deliveries/"
    [listed] = api.get(deliveries).json()["results"]
    assert listed == sent.json()
    assert listed["event"] == "ping"
    WebhookDelivery.objects.update(state="failed", attempts=8, problem="HTTP 500")
    assert [each["problem"] for each in api.get(f"{deliveries}?state=failed").json()["results"]]
    assert not api.get(f"{deliveries}?state=delivered").json()["results"]
    again = api.post(f"{deliveries}{listed['id']}/send-again/").json()
    assert (again["state"], again["attempts"], again["problem"]) == ("waiting", 0, "")


@pytest.mark.long
def test_deliveries_come_in_pages_with_a_constant_number_of_queries(campaign, api, path):
    made, _secret = webhooks.create_webhook(
        campaign=campaign, url=URL, events=["run.finished"], by=campaign.created_by
    )
    deliveries = f"{path}{made.pk}/deliveries/"

    def queries() -> int:
        with counted() as found:
            assert api.get(deliveries).status_code == 200
        return len(found)

    webhooks.queue_test_message(webhook=made)
    queries()  # the first request also notes that the token was used
    with_one = queries()
    for _ in range(60):
        webhooks.queue_test_message(webhook=made)
    assert queries() == with_one
    first = api.get(deliveries).json()
    second = api.get(first["next"]).json()
    assert (len(first["results"]), len(second["results"])) == (50, 11)


def test_webhooks_of_another_campaign_are_not_found(campaign, api):
    other = studies.opened()
    made, _secret = webhooks.create_webhook(
        campaign=other, url=URL, events=["run.finished"], by=other.created_by
    )
    sent = webhooks.queue_test_message(webhook=made)
    own = f"{API}/campaigns/{campaign.uuid}/webhooks/"
    assert api.get(f"{own}{made.pk}/").status_code == 404
    assert api.get(f"{own}{made.pk}/deliveries/{sent.pk}/").status_code == 404
