"""The page on which an adjudicator decides."""

import re

import pytest
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.protocols import documents
from judging.protocols.actions import protocols
from judging.quality.actions import adjudications
from tests import factories
from tests.annotation import studies
from tests.judging.workers import work

pytestmark = pytest.mark.django_db

THREE_POINTS = '[{value: 1, label: "no"}, {value: 2, label: maybe}, {value: 3, label: "yes"}]'
LONG_SCALE = "{from: 0, to: 100, labels: {0: useless, 100: perfect}}"


def test_adjudicator_types_the_rating_on_a_long_scale() -> None:
    text = factories.SMALL.replace(f"points: {THREE_POINTS}", f"scale: {LONG_SCALE}")
    protocol = protocols.install(document=documents.parse(text, "long.yaml"))
    campaign = studies.opened(sources=1, systems=["Alba"], annotators_per_task=2, protocol=protocol)
    for label, value in (("A01", 1), ("A02", 3)):
        work(factories.enrollment(campaign, label=label), tasks=1, choose=value)
    manager, adjudicator = campaign.created_by, factories.user("adjudicator")
    campaigns.close_campaign(campaign=campaign, by=manager, now=timezone.now())
    adjudications.name_adjudicator(
        campaign=campaign, adjudicator=adjudicator, threshold=1, by=manager, now=timezone.now()
    )
    page = f"/campaigns/{campaign.uuid}/settle/"
    client = factories.logged_in(adjudicator)
    html = client.get(page).content.decode()
    assert re.findall(r'type="(number|radio)"', html) == ["radio"] * 3 + ["number"]
    assert "0 useless" in html
    assert "100 perfect" in html
    token = re.findall(r'name="token" value="(\w+)"', html)[-1]
    client.post(page, {"token": token, "value": "55", "reason": ""})
    assert 'value="55"' in client.get(page).content.decode()
