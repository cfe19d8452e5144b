from datetime import timedelta

import pytest
from django.urls import reverse, reverse_lazy
from django.utils import timezone

from config.celery import SHORT_TASKS, load_tasks
from config.celery import app as celery
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.jobs.views.jobs import TITLES
from judging.people.models.user import User
from tests import factories

pytestmark = pytest.mark.django_db


def job(owner: User, **columns) -> Job:
    made = jobs.enqueue(kind="judging.add_files", parameters={}, by=owner)
    Job.objects.filter(pk=made.pk).update(**columns)
    return made


def running(owner: User, **columns) -> Job:
    now = timezone.now()
    return job(owner, state="running", started_at=now, heartbeat_at=now, **columns)


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


def test_finished_import_leads_to_its_dataset(page, owner):
    dataset = factories.dataset(owner=owner)
    made = job(
        owner,
        state="done",
        finished_at=timezone.now(),
        result={"dataset": dataset.pk, "quarantined": 3},
    )

    answer = page.get(reverse("judging:job", args=[made.pk]))

    assert reverse("judging:dataset", args=[dataset.pk]) in answer.text
    assert "3 values could not be stored" in answer.text
    assert "Cancel" not in answer.text


def test_failed_job_says_why(page, owner):
    made = job(owner, state="failed", finished_at=timezone.now(), error="Row 7 <b> is odd.")

    answer = page.get(reverse("judging:job", args=[made.pk]))

    assert "Row 7 &lt;b&gt; is odd." in answer.text


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
    Job.objects.filter(pk=done.pk).update(result={"dataset": 1, "quarantined": 2})
    assert "HX-Redirect" not in asked(here)  # it shows what is in quarantine


@pytest.mark.parametrize("kind", Job.COMPUTES)
def test_owner_of_a_dataset_sees_and_cancels_what_others_compute_on_it(page, owner, kind):
    dataset = factories.dataset(owner=owner)
    asked = {"secret": "a setting of theirs"}
    made = jobs.enqueue(kind=kind, parameters=asked, by=factories.user("vera"), dataset=dataset)
    address = reverse("judging:job", args=[made.pk])

    answer = page.get(address)

    assert answer.status_code == 200
    assert "vera" in answer.text
    assert asked["secret"] not in answer.text
    page.post(reverse("judging:job_cancel", args=[made.pk]))
    made.refresh_from_db()
    assert made.state == "cancelled"


def test_job_of_another_dataset_is_unknown_to_an_owner(page):
    elsewhere = jobs.enqueue(
        kind="analysis.score",
        parameters={},
        by=factories.user(),
        dataset=factories.dataset(),
    )
    assert page.get(reverse("judging:job", args=[elsewhere.pk])).status_code == 404


HEADER = reverse_lazy("judging:header_jobs")


def test_header_shows_how_far_a_job_is_and_the_time_left(page, owner):
    began = timezone.now() - timedelta(minutes=3, seconds=1)
    made = running(owner, kind="analysis.run", done=3, total=9)
    Job.objects.filter(pk=made.pk).update(started_at=began)
    html = page.get(reverse("judging:campaigns")).text
    assert reverse("judging:job", args=[made.pk]) in html
    assert "Analysing the judgments" in html
    assert "3 of 9, 6\xa0minutes left" in html
    assert f'data-refresh hx-get="{HEADER}?since=' in " ".join(html.split())


def test_header_gives_notice_once_a_job_on_show_is_done(page, owner):
    made = running(owner, kind="analysis.run")
    ended = timezone.now() - timedelta(hours=1)  # while the page was out of sight
    Job.objects.filter(pk=made.pk).update(state="done", finished_at=ended)
    part = page.get(f"{HEADER}?since={int(ended.timestamp()) - 1}").text
    assert 'id="job-notices" role="status" hx-swap-oob="innerHTML"' in part
    assert "Analysing the judgments: done" in part
    assert "data-refresh" not in part
    assert "Analysing" not in page.get(reverse("judging:campaigns")).text
    assert "Analysing" not in page.get(f"{HEADER}?since={10**17}").text


def test_header_of_a_new_page_gives_notice_of_what_ended_just_now(page, owner):
    campaign = factories.campaign(manager=owner, title="Canals of Tilling")
    made = running(owner, kind="analysis.run", campaign=campaign)
    Job.objects.filter(pk=made.pk).update(state="done", finished_at=timezone.now())
    html = page.get(reverse("judging:datasets")).text
    assert "Analysing the judgments: done" in html
    assert "Canals of Tilling" in html


def test_header_shows_neither_jobs_of_others_nor_steps_that_lead_on_by_themselves(page, owner):
    running(factories.researcher(), kind="analysis.run")
    running(owner, kind="judging.add_files")
    running(owner, kind=jobs.LIVE_AGREEMENT)
    assert "jobs/" not in page.get(HEADER).text
