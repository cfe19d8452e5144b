"""A job that takes longer than a job may ends with a sentence and leaves nothing half done."""

import time

import pytest

from judging.datasets.models.dataset import Passage
from tests import factories
from tests.judging.imports.test_jobs import started
from tests.judging.imports.watching import imports_held, over, wait_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.jobs]

LIMIT_SECONDS = 2


@pytest.fixture(scope="module")
def worker_environment() -> dict[str, str]:
    return {"QUAESTOR_JOB_SECONDS": str(LIMIT_SECONDS)}


@pytest.mark.long
def test_import_beyond_its_time_limit_fails_and_stores_nothing(worker):
    with imports_held():
        job = started(factories.researcher())
        wait_for(job, lambda job: job.state != "queued")
        time.sleep(LIMIT_SECONDS + 1)
    ended = wait_for(job, over)

    assert (ended.state, ended.attempts) == ("failed", 1)
    assert "the longest that a job may take" in ended.error
    assert "QUAESTOR_JOB_SECONDS" in ended.error
    assert Passage.objects.count() == 0
