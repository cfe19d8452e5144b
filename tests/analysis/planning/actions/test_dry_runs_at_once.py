"""Dry runs while others work beside them: real transactions, as workers and people make them."""

import threading

import pytest
from celery import current_app
from django.db import connection, transaction
from django.utils import timezone

import analysis.tasks  # noqa: F401  # registers the jobs
from analysis.planning.actions import dry_runs
from judging.campaigns.actions import campaigns, dataset_uses
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.dry_run import DryRun
from judging.campaigns.models.members import Membership
from judging.datasets.actions import datasets
from judging.datasets.models.dataset import Dataset
from judging.enrolments.actions import enrollments
from judging.imports.actions import files
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.jobs.tasks import NO_MORE
from judging.overview.actions import dry_runs as copies
from judging.protocols.actions import protocol_drafts
from tests import factories
from tests.analysis.planning.actions.test_dry_runs import CLEAR, SYSTEMS, entered, rows_by_model
from tests.judging.trials import NOW
from tests.refusing import refused

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def draft() -> Campaign:
    return factories.campaign(
        dataset=factories.dataset(sources=3, systems=SYSTEMS), annotators_per_task=2
    )


def asked_for(draft: Campaign, **settings: object) -> Job:
    return dry_runs.start_dry_run(
        campaign=draft, by=draft.created_by, settings=entered(**CLEAR | settings)
    )


@pytest.mark.parametrize(
    "ending",
    ["fails", *(pytest.param(end, marks=pytest.mark.long) for end in ("role taken", "cancelled"))],
)
def test_a_dry_run_that_does_not_come_to_its_end_leaves_nothing(draft, monkeypatch, ending) -> None:
    before, by, job = rows_by_model(), draft.created_by, asked_for(draft)
    fill = dry_runs.simulate_study

    def ended(*, made: DryRun, **asked: object) -> None:
        """Meet the ending while the copy is there; no other user sees it."""
        assert not made.campaign.memberships.exists()
        with refused("cannot_dry_run"):
            dry_runs.remove_dry_run(campaign=made.campaign, by=by)
        fill(made=made, **asked)
        if ending == "fails":
            raise ZeroDivisionError
        if ending == "cancelled":
            raise jobs.JobCancelled
        Membership.objects.filter(campaign=draft).delete()

    monkeypatch.setattr(dry_runs, "simulate_study", ended)
    current_app.tasks[dry_runs.KIND](str(job.pk))
    job.refresh_from_db()
    said = {"fails": "ZeroDivisionError: ", "role taken": copies.NO_MANAGER, "cancelled": ""}
    assert job.error == said[ending]
    assert job.state == ("cancelled" if ending == "cancelled" else "failed")
    assert rows_by_model() == before


def test_who_joins_or_leaves_a_draft_does_not_wait_for_its_dry_run(draft, monkeypatch) -> None:
    """What a worker holds while it fills the copy is held by another connection here."""
    analyst = factories.researcher()
    campaigns.add_member(campaign=draft, user=analyst, role="analyst")
    link = campaigns.create_invitation(campaign=draft, by=draft.created_by)
    job = asked_for(draft)
    begun, go_on, waited = threading.Event(), threading.Event(), []
    conclude = copies.conclude_dry_run

    def held(**asked: object) -> None:
        begun.set()
        waited.append(go_on.wait(60))
        conclude(**asked)

    monkeypatch.setattr(copies, "conclude_dry_run", held)
    worker = threading.Thread(target=in_a_thread, args=(job,))
    worker.start()
    try:
        assert begun.wait(120)
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '2s'")
        campaigns.remove_member(campaign=draft, user=analyst, role="analyst")
        enrollments.join_by_link(invitation=link, user=None, agreed=True, now=timezone.now())
        campaigns.lock_plan(campaign=factories.campaign(dataset=draft.dataset), now=NOW)
        with transaction.atomic():
            files.lock_dataset_files(draft.dataset)
        protocol_drafts.start_protocol_draft(by=draft.created_by, text=factories.SMALL, now=NOW)
    finally:
        go_on.set()
        worker.join()
        with connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout")
    job.refresh_from_db()
    assert (job.state, job.error, waited) == ("done", "", [True])
    copy = Campaign.objects.get(uuid=job.result["campaign"])
    assert not copy.memberships.filter(user=analyst).exists()
    assert copy.memberships.filter(user=draft.created_by, role="manager").exists()


def in_a_thread(job: Job) -> None:
    try:
        current_app.tasks[dry_runs.KIND](str(job.pk))
    finally:
        connection.close()


@pytest.mark.parametrize("after", ["copy", pytest.param("report", marks=pytest.mark.long)])
def test_use_of_a_dataset_ends_while_a_dry_run_goes_on_which_then_leaves_nothing(
    draft, monkeypatch, after
) -> None:
    maker, owner = draft.created_by, factories.researcher()
    Dataset.objects.filter(pk=draft.dataset_id).update(owner=owner)
    draft.dataset.refresh_from_db()
    datasets.share_dataset(dataset=draft.dataset, user=maker, by=owner)
    job = asked_for(draft)
    place, name = (dry_runs, "simulate_study") if after == "copy" else (copies, "conclude_dry_run")
    begun, go_on, done = threading.Event(), threading.Event(), getattr(place, name)

    def held(**asked: object) -> None:
        begun.set()
        assert go_on.wait(60)
        done(**asked)

    monkeypatch.setattr(place, name, held)
    worker = threading.Thread(target=in_a_thread, args=(job,))
    worker.start()
    try:
        assert begun.wait(120)
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '2s'")
        dataset_uses.end_use(dataset=draft.dataset, user=maker, now=timezone.now(), by=owner)
    finally:
        go_on.set()
        worker.join()
        with connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout")
    job.refresh_from_db()
    assert job.state == "failed"
    assert job.error in (copies.NO_MANAGER, NO_MORE), "its worker looks every few seconds"
    assert not DryRun.objects.exists()
