"""The page of rounds: works, forbidden, malformed, and what it says when nothing can be opened."""

import pytest

from judging.campaigns.models.campaign import Round
from tests.judging.campaign_pages import address

pytestmark = pytest.mark.django_db
ASKED = {"kind": "calibration", "size": 1, "annotators": 2, "apart": "on"}


def test_manager_opens_a_round_and_closes_it(page, draft) -> None:
    page.post(address("round_begin", draft), ASKED)
    round = Round.objects.trials().get(campaign=draft)
    assert (round.per_task, round.apart, round.closed_at) == (2, True, None)
    page.post(address("round_end", draft, round.pk))
    round.refresh_from_db()
    assert round.closed_at
    assert page.post(address("round_end", draft, round.pk)).status_code == 404
