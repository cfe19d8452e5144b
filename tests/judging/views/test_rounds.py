"""The page of rounds: works, forbidden, malformed, and what it says when nothing can be opened."""

import pytest
from django.test import Client

from judging.actions import campaigns
from judging.models import Round
from tests import factories
from tests.judging.trials import NOW, begun
from tests.judging.views.campaign_pages import address

pytestmark = pytest.mark.django_db
ASKED = {"kind": "calibration", "size": 1, "annotators": 2, "apart": "on"}


def test_manager_opens_a_round_and_closes_it(page, draft) -> None:
    asked = page.post(address("round_begin", draft), ASKED, follow=True)
    assert "Calibration 1 is open" in asked.text
    round = Round.objects.trials().get(campaign=draft)
    assert (round.per_task, round.apart, round.closed_at) == (2, True, None)
    assert "One round runs at a time" in asked.text
    page.post(address("round_end", draft, round.pk))
    round.refresh_from_db()
    assert round.closed_at
    assert page.post(address("round_end", draft, round.pk)).status_code == 404


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"size": 0}, "must be at least 1"),
        ({"size": 99}, "The round takes 99 sources; only 2 are left"),
        ({"kind": "main"}, "is not on the list"),
        ({"annotators": "many"}, "whole number"),
    ],
)
def test_what_cannot_be_opened_is_said_and_stores_nothing(page, draft, wrong, said) -> None:
    answer = page.post(address("round_begin", draft), ASKED | wrong)
    assert answer.status_code == 422
    assert said in answer.text
    assert not Round.objects.trials().exists()


def test_analyst_reads_and_opens_nothing(draft) -> None:
    analyst, client = factories.researcher(), Client()
    campaigns.add_member(campaign=draft, user=analyst, role="analyst")
    client.force_login(analyst)
    assert "A manager opens rounds" in client.get(address("rounds", draft)).text
    assert client.post(address("round_begin", draft), ASKED).status_code == 403


def test_locked_campaign_offers_none(page, draft) -> None:
    begun(draft, size=1)
    campaigns.lock(campaign=draft, now=NOW)
    text = page.get(address("rounds", draft)).text
    assert "Calibration 1" in text
    assert "Open the round" not in text
