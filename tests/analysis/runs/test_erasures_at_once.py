"""An annotator is erased while a run is made of what they said: real transactions, side by side."""

import threading

import pytest
from django.db import connection, transaction
from django.utils import timezone

from analysis.runs.actions import runs
from judging.campaigns.models.campaign import Campaign
from judging.jobs.actions import jobs
from judging.overview.actions import erasures
from tests.analysis.runs.test_erasures import OTHER, OWN, with_three
from tests.analysis.studies import analysed

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study() -> Campaign:
    return with_three(sources=2, key=None)


def test_two_who_are_erased_at_once_are_both_taken_out(study: Campaign) -> None:
    run, begin = analysed(study), threading.Barrier(2)

    def forget(label: str) -> None:
        begin.wait()
        runs.forget_annotators(run=run, labels=[label])
        connection.close()

    both = [threading.Thread(target=forget, args=[each]) for each in (OWN, OTHER)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert {each["annotator"] for each in dict(runs.StoredTables(run))["annotators"]} == {"A79"}


def test_erasing_waits_for_a_run_that_is_being_kept(study: Campaign) -> None:
    own = study.enrollments.get(label=OWN)
    waits = threading.Event()

    def erase() -> None:
        with connection.execute_wrapper(told):
            erasures.erase_annotator(enrollment=own, by=study.created_by, now=timezone.now())
        connection.close()

    def told(execute, statement, *given):
        if "pg_advisory_xact_lock(" in statement:
            waits.set()
        return execute(statement, *given)

    with transaction.atomic():
        erasures.hold_erasures(campaign=study)
        other = threading.Thread(target=erase)
        other.start()
        waits.wait()
        assert study.erasures.count() == 0
    other.join()
    assert study.erasures.count() == 1
    asked = study.jobs.exclude(kind=jobs.LIVE_AGREEMENT)
    assert not asked.exists(), "nothing was analysed, so no report is to forget anybody"
