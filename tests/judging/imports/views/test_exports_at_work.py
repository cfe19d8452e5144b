"""An export that is sent while annotators go on."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.urls import reverse

from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Source
from judging.imports.actions import exports
from tests import factories
from tests.analysis import studies

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_is_judged_while_an_export_is_sent_is_not_in_it(monkeypatch):
    campaign = studies.imported(sources=2)
    page = factories.logged_in(campaign.created_by)
    url = reverse("judging:export", args=[campaign.uuid, "csv-raw"])
    monkeypatch.setattr(exports, "SOURCES_A_PART", 1)
    whole = page.get(url).getvalue()
    sent = iter(page.get(url))
    start = next(sent)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(_answer_anew, campaign).result()
    assert b"".join([start, *sent]) == whole
    assert page.get(url).getvalue() != whole


def _answer_anew(campaign: Campaign) -> None:
    Source.objects.filter(dataset=campaign.dataset).update(answer="another")
    connection.close()
