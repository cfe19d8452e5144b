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
