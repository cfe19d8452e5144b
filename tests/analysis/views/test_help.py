"""Help on a report: every piece is there; works, unknown, forbidden, wrong verb."""

import pytest
from django.urls import reverse

from analysis.reports import help as texts
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("key", sorted(texts.PIECES))
def test_every_piece_stands_in_the_documentation(key):
    title, text = texts.piece(key)
    assert title == texts.PIECES[key][1]
    assert len(text) > 200
    assert "<a " not in text
    assert "##" not in text


def test_piece_ends_where_the_next_begins():
    _title, text = texts.piece("agreement")
    assert "Which α" in text
    assert "<table>" in text
    assert "Scores of systems" not in text


def test_page_and_place(client):
    address = reverse("analysis:help", args=["agreement"])
    assert client.get(address).status_code == 302
    client.force_login(factories.researcher())
    whole = client.get(address).content.decode()
    part = client.get(address, headers={"HX-Request": "true"}).content.decode()
    assert "<html" in whole
    assert "<html" not in part
    assert "Which α" in part
    assert all(reverse("analysis:help", args=[key]) in whole for key in texts.PIECES)
    assert client.get(reverse("analysis:help", args=["nothing"])).status_code == 404
    assert client.post(address).status_code == 405


@pytest.mark.parametrize(
    ("name", "piece"),
    [
        ("judging:campaigns", "planning"),
        ("judging:collections", "material"),
        ("judging:rubrics", "planning"),
    ],
)
def test_every_page_leads_to_the_piece_that_fits(client, name, piece):
    client.force_login(factories.researcher())
    page = client.get(reverse(name)).text
    address = reverse("analysis:help", args=[piece])
    assert f'href="{address}">Help</a>' in page
    assert client.get(address).status_code == 200


def test_pages_of_a_campaign_lead_to_judging_and_the_report(client):
    campaign = factories.campaign()
    client.force_login(campaign.created_by)
    for name, piece in (
        ("judging:tasks", "judging"),
        ("analysis:report", "report"),
        ("judging:campaign", "planning"),
    ):
        assert (
            reverse("analysis:help", args=[piece])
            in client.get(reverse(name, args=[campaign.uuid])).text
        )
