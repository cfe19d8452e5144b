"""Agreement for the overview, computed by a real worker because of submissions."""

import time

import pytest

from analysis import frames
from tests.analysis.runs.actions.test_live_agreements import work_of_two
from tests.annotation.studies import opened


@pytest.mark.django_db(transaction=True)
def test_submissions_have_a_real_worker_compute_agreement(worker):
    campaign = opened(sources=12)
    work_of_two(campaign)
    deadline = time.monotonic() + 60
    while not (found := campaign.live_agreements.first()):
        assert time.monotonic() < deadline, worker.says()
        time.sleep(0.2)
    assert found.criteria.keys() == {each.key for each in frames.protocol_of(campaign).criteria}
