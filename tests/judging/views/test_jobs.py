import uuid

import pytest
from django.urls import reverse
from django.utils import timezone

from config.celery import SHORT_TASKS, load_tasks
from config.celery import app as celery
from judging.actions import jobs
from judging.models import Job, User
from judging.views.jobs import TITLES
from tests import factories

pytestmark = pytest.mark.django_db


def job(owner: User, **columns) -> Job:
    made = jobs.enqueue(kind="judging.add_files", parameters={}, by=owner)
    Job.objects.filter(pk=made.pk).update(**columns)
    return made


def running(owner: User, **columns) -> Job:
    now = timezone.now()
    return job(owner, state="running", started_at=now, heartbeat_at=now, **columns)


def test_waiting_job_says_that_no_worker_lives_and_how_to_start_one(page, owner):
    answer = page.get(reverse("judging:job", args=[job(owner).pk]))

    assert answer.status_code == 200
    assert "No worker is running" in answer.text
    assert "celery -A config worker" in answer.text
    assert "Look again" in answer.text


def test_waiting_job_says_nothing_of_workers_while_one_lives(page, owner):
    jobs.say_alive(worker="worker@here")

    assert "No worker is running" not in page.get(reverse("judging:job", args=[job(owner).pk])).text


def test_every_kind_of_job_has_a_title_and_long_ones_exist():
    load_tasks()
    known = {name for name in celery.tasks if name.startswith(("judging.", "analysis."))}
    known -= set(SHORT_TASKS)

    assert known - set(TITLES) == set()
    assert set(Job.COMPUTES) - known == set()


def test_running_job_shows_how_far_it_is(page, owner):
    made = running(owner, done=1200, total=5000, message="Storing questions")

    answer = page.get(reverse("judging:job", args=[made.pk]))

    assert "Storing questions" in answer.text
    assert 'value="1200" max="5000"' in answer.text
    assert reverse("judging:job_cancel", args=[made.pk]) in answer.text


def test_htmx_is_given_the_state_alone(page, owner):
    made = running(owner)

    answer = page.get(reverse("judging:job", args=[made.pk]), headers={"HX-Request": "true"})

    assert f'id="job-{made.pk}"' in answer.text
    assert "<html" not in answer.text


def test_finished_import_leads_to_its_collection(page, owner):
    collection = factories.collection(owner=owner)
    made = job(
        owner,
        state="done",
        finished_at=timezone.now(),
        result={"collection": collection.pk, "quarantined": 3},
    )

    answer = page.get(reverse("judging:job", args=[made.pk]))

    assert reverse("judging:collection", args=[collection.pk]) in answer.text
    assert "3 values could not be stored" in answer.text
    assert "Cancel" not in answer.text


def test_finished_launch_leads_to_its_campaign(page, owner):
    campaign = factories.campaign(manager=owner)
    made = jobs.enqueue(kind="judging.launch", parameters={}, by=owner, campaign=campaign)
    Job.objects.filter(pk=made.pk).update(state="done", finished_at=timezone.now())

    assert (
        reverse("judging:campaign", args=[campaign.uuid])
        in page.get(reverse("judging:job", args=[made.pk])).text
    )


def test_finished_analysis_leads_to_its_report(page, owner):
    campaign = factories.campaign(manager=owner)
    made = jobs.enqueue(kind="analysis.run", parameters={}, by=owner, campaign=campaign)
    Job.objects.filter(pk=made.pk).update(state="done", finished_at=timezone.now())

    answer = page.get(reverse("judging:job", args=[made.pk]))

    assert "The new report is ready: reload" in answer.text
    assert reverse("analysis:report", args=[campaign.uuid]) in answer.text


def test_failed_job_says_why(page, owner):
    made = job(owner, state="failed", finished_at=timezone.now(), error="Row 7 <b> is odd.")

    answer = page.get(reverse("judging:job", args=[made.pk]))

    assert "Row 7 &lt;b&gt; is odd." in answer.text
    assert "Nothing of it was kept." in answer.text


def test_waiting_job_can_be_cancelled(page, owner):
    made = job(owner)

    answer = page.post(reverse("judging:job_cancel", args=[made.pk]))

    assert answer.url == reverse("judging:job", args=[made.pk])
    made.refresh_from_db()
    assert made.state == "cancelled"


def test_running_job_is_asked_to_stop_and_the_page_says_so(page, owner):
    made = running(owner)

    page.post(reverse("judging:job_cancel", args=[made.pk]))

    answer = page.get(reverse("judging:job", args=[made.pk]))
    assert "stopping" in answer.text
    assert reverse("judging:job_cancel", args=[made.pk]) not in answer.text


def test_finished_job_stays_as_it_is_when_cancelled(page, owner):
    made = job(owner, state="done", finished_at=timezone.now())

    page.post(reverse("judging:job_cancel", args=[made.pk]))

    made.refresh_from_db()
    assert made.state == "done"


@pytest.mark.parametrize(("name", "verb"), [("judging:job", "get"), ("judging:job_cancel", "post")])
def test_job_of_somebody_else_and_unknown_jobs_are_not_found(page, name, verb):
    theirs = job(factories.user())

    assert getattr(page, verb)(reverse(name, args=[theirs.pk])).status_code == 404
    assert getattr(page, verb)(reverse(name, args=[uuid.uuid4()])).status_code == 404
    theirs.refresh_from_db()
    assert theirs.state == "queued"


def test_managers_see_the_jobs_of_their_campaign(page, owner):
    campaign = factories.campaign(manager=owner)
    made = jobs.enqueue(
        kind="judging.launch", parameters={}, by=factories.user(), campaign=campaign
    )

    assert page.get(reverse("judging:job", args=[made.pk])).status_code == 200


@pytest.mark.parametrize(("name", "verb"), [("judging:job", "post"), ("judging:job_cancel", "get")])
def test_wrong_verbs_are_refused_and_strangers_sent_to_log_in(client, owner, name, verb):
    url = reverse(name, args=[job(owner).pk])

    right = "get" if verb == "post" else "post"
    assert getattr(client, right)(url).url.startswith(reverse("login"))
    client.force_login(owner)
    assert getattr(client, verb)(url).status_code == 405


def test_own_page_of_a_job_goes_on_by_itself_when_it_is_done(page, owner):
    campaign = factories.campaign()
    page.force_login(campaign.created_by)
    done = jobs.enqueue(
        kind="analysis.run", parameters={}, by=campaign.created_by, campaign=campaign
    )
    here = reverse("judging:job", args=[done.pk])

    def asked(where):
        return page.get(
            here, headers={"HX-Request": "true", "HX-Current-URL": f"http://testserver{where}"}
        )

    assert "HX-Redirect" not in asked(here)
    Job.objects.filter(pk=done.pk).update(
        state="done", finished_at=timezone.now(), result={"run": 1}
    )
    report = reverse("analysis:report", args=[campaign.uuid])
    assert asked(here)["HX-Redirect"] == report
    assert "HX-Redirect" not in asked(report)  # a part of another page, which a user reads
    alone = page.get(f"{here}?alone", headers={"hx-request": "true", "hx-current-url": report})
    assert alone["HX-Redirect"] == report  # there is nothing else on that page yet
    assert "HX-Redirect" not in page.get(here)
    Job.objects.filter(pk=done.pk).update(result={"collection": 1, "quarantined": 2})
    assert "HX-Redirect" not in asked(here)  # it shows what is in quarantine


@pytest.mark.parametrize("kind", Job.COMPUTES)
def test_owner_of_a_collection_sees_and_cancels_what_others_compute_on_it(page, owner, kind):
    collection = factories.collection(owner=owner)
    asked = {"secret": "a setting of theirs"}
    made = jobs.enqueue(
        kind=kind, parameters=asked, by=factories.user("vera"), collection=collection
    )
    address = reverse("judging:job", args=[made.pk])

    answer = page.get(address)

    assert answer.status_code == 200
    assert "vera" in answer.text
    assert asked["secret"] not in answer.text
    page.post(reverse("judging:job_cancel", args=[made.pk]))
    made.refresh_from_db()
    assert made.state == "cancelled"


def test_job_of_another_collection_is_unknown_to_an_owner(page):
    elsewhere = jobs.enqueue(
        kind="analysis.score",
        parameters={},
        by=factories.user(),
        collection=factories.collection(),
    )
    assert page.get(reverse("judging:job", args=[elsewhere.pk])).status_code == 404
