"""What is too much to be removed while a page waits is removed by a worker, once, and for good."""

import pytest
from celery import current_app
from django.utils import timezone

import analysis.tasks  # noqa: F401  # registers the jobs
from analysis.planning.actions import ended_uses
from judging.campaigns.actions import campaigns, dataset_uses
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Task
from judging.campaigns.models.members import Enrollment
from judging.datasets.actions import datasets
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.overview.actions import dry_runs
from judging.people.models.event import Event
from judging.work.models.judgment import Judgment
from tests import factories
from tests.annotation import studies
from tests.judging import trials

NOW = timezone.now()
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def little_is_much(monkeypatch) -> None:
    monkeypatch.setattr(campaigns, "LARGE", 0)


def asked_twice(manager, path: str, **form: str) -> Job:
    """Press the button two times; return the one job there is."""
    client = factories.logged_in(manager)
    first, second = (client.post(path, form).url for _ in range(2))
    job = Job.objects.exclude(kind=jobs.LIVE_AGREEMENT).get()
    assert first == second == f"/jobs/{job.pk}/"
    assert job.state == "queued"
    return job


def done(job: Job) -> Job:
    """Do a job as a worker does, with the thread that shows its signs of life."""
    current_app.tasks[job.kind](str(job.pk))
    job.refresh_from_db()
    assert (job.state, job.error) == ("done", "")
    return job


def piloted() -> Campaign:
    """Return a draft with a pilot in which nobody has begun."""
    draft = factories.campaign()
    trials.begun(draft, kind="pilot")
    assert Assignment.objects.exists()
    return draft


def test_draft_with_many_places_is_deleted_by_a_worker() -> None:
    draft = piloted()
    job = asked_twice(draft.created_by, f"/campaigns/{draft.uuid}/discard/")

    done(job)

    assert not Campaign.objects.exists() and not Task.objects.exists()
    assert Event.objects.get(act="campaign.discarded").who == draft.created_by_id
    assert job.campaign is None and job.result == {"removed": draft.title}
    page = factories.logged_in(draft.created_by).get(f"/jobs/{job.pk}/").text
    assert 'href="/campaigns/"' in page
    assert factories.logged_in(factories.researcher()).get(f"/jobs/{job.pk}/").status_code == 404


def test_draft_that_somebody_joined_meanwhile_stays_and_the_job_says_why() -> None:
    draft = piloted()
    job = asked_twice(draft.created_by, f"/campaigns/{draft.uuid}/discard/")
    factories.enrollment(draft)

    current_app.tasks[job.kind](str(job.pk))

    job.refresh_from_db()
    assert job.error == "Annotators have joined this draft already, so it cannot be deleted."
    assert Assignment.objects.exists()


def test_copy_with_many_places_is_deleted_by_a_worker() -> None:
    draft = factories.campaign()
    copy = dry_runs.copy_draft(draft=draft, by=draft.created_by, now=NOW, settings={}).campaign
    dry_runs.show(run=copy.dry_run)
    job = asked_twice(draft.created_by, f"/campaigns/{copy.uuid}/dry-run/remove/")

    done(job)

    assert Campaign.objects.get() == draft
    assert not Task.objects.exists()


def test_what_an_ended_use_left_is_deleted_by_a_worker() -> None:
    material, other = factories.dataset(), factories.researcher("guest")
    datasets.share_dataset(dataset=material, user=other, by=material.owner)
    opened = factories.opened(manager=other, dataset=material)
    dry_runs.copy_draft(
        draft=factories.campaign(manager=other, dataset=material), by=other, now=NOW, settings={}
    )
    studies.held(factories.enrollment(opened))
    dataset_uses.end_use(dataset=material, user=other, now=NOW, by=material.owner)
    job = asked_twice(material.owner, f"/datasets/{material.pk}/uses/{other.pk}/discard/")
    assert job.kind == ended_uses.KIND

    assert done(job).result == {"dataset": material.pk, "campaigns": 3, "kept": 0}

    assert not Campaign.objects.exists() and not Assignment.objects.exists()
    assert (
        f'href="/datasets/{material.pk}/"'
        in factories.logged_in(material.owner).get(f"/jobs/{job.pk}/").text
    )


def judged_by(campaign: Campaign) -> Enrollment:
    own = factories.enrollment(campaign)
    held = studies.held(own)
    client = factories.logged_in(own.user)
    client.post(f"/tasks/{held.pk}/submit/?step=0", studies.filled(held))
    assert own.assignments.submitted().get() == held
    return own


def test_annotator_with_many_tasks_is_erased_by_a_worker_and_nobody_cancels_it() -> None:
    campaign = studies.opened(annotators_per_task=1)
    own = judged_by(campaign)
    taken = own.assignments.count()
    before = sorted(Assignment.objects.values_list("task", "place", "position", "seat"))
    path = f"/campaigns/{campaign.uuid}/annotators/{own.pk}/erase/"
    job = asked_twice(campaign.created_by, path, label=own.label)
    jobs.cancel_job(job=job)
    assert "Cancel" not in factories.logged_in(campaign.created_by).get(f"/jobs/{job.pk}/").text

    done(job)

    assert not Judgment.objects.exists() and not Enrollment.objects.exists()
    assert set(Assignment.objects.values_list("state", "enrollment", "active_seconds")) == {
        ("open", None, 0)
    }
    assert sorted(Assignment.objects.values_list("task", "place", "position", "seat")) == before
    assert Assignment.objects.filter(reopened=True).count() == taken
    assert Event.objects.get(act="annotator.erased").before == "4 judgments"
    again = jobs.enqueue(
        kind=job.kind, parameters=job.parameters, by=job.created_by, campaign=campaign
    )
    current_app.tasks[again.kind](str(again.pk))
    again.refresh_from_db()
    assert again.error == "This annotator is erased already."


def test_erasure_that_a_second_manager_asked_for_outlives_the_role_of_the_first() -> None:
    campaign, second = studies.opened(annotators_per_task=1), factories.researcher("second")
    own, first = judged_by(campaign), factories.researcher("first")
    path = f"/campaigns/{campaign.uuid}/annotators/{own.pk}/erase/"
    for manager in (first, second):
        campaigns.add_member(campaign=campaign, user=manager, role="manager")
        factories.logged_in(manager).post(path, {"label": own.label})
    asked, again = Job.objects.get(created_by=first), Job.objects.get(created_by=second)
    campaigns.remove_member(campaign=campaign, user=first, role="manager")

    current_app.tasks[asked.kind](str(asked.pk))
    asked.refresh_from_db()
    assert asked.state == "failed" and Judgment.objects.exists()
    done(again)

    assert not Judgment.objects.exists()
