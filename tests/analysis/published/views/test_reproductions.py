"""A published study again, in the browser."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

import analysis.tasks  # noqa: F401  # registers the jobs
from analysis.management.commands import reproduce
from analysis.published.actions import reproductions
from judging.campaigns.models.campaign import Campaign
from judging.jobs import storage, tasks
from judging.jobs.actions import jobs
from judging.jobs.models.file import StoredFile
from judging.jobs.models.job import Job
from tests import factories, shared_data
from tests.judging.imports.crowd import Crowd
from tests.judging.imports.qgeval import QGEval
from tests.judging.studies import NOW


@pytest.fixture(autouse=True)
def quiet_bell(monkeypatch):
    monkeypatch.setattr(tasks, "announce_job", lambda job_id: None)


@pytest.mark.django_db(transaction=True)
def test_batches_and_a_table_become_a_page_of_whoever_asks(client):
    crowd, asker = Crowd(batches=2, hits=1), factories.researcher()
    client.force_login(asker)
    files = [
        SimpleUploadedFile(f"b{n}.csv", batch.encode()) for n, batch in enumerate(crowd.batches)
    ]
    files.insert(1, SimpleUploadedFile("m.csv", crowd.metrics().encode()))
    given = {"study": "qgbench", "files": files}

    answer = client.post(reverse("analysis:reproduce"), given)

    job = Job.objects.get(kind=reproductions.KIND)
    assert answer.url == reverse("judging:job", args=[job.pk])
    tasks.current_app.tasks[reproductions.KIND].run(str(job.pk))
    campaign = Campaign.objects.get()
    page = reverse("analysis:published", args=[campaign.uuid])
    assert page in client.get(answer.url).text
    shown = client.get(page)
    names = re.findall(r'<th scope="row">(.*?)</th>', shown.text)
    assert "Agreement: Correctness, Fleiss&#x27; κ" in names
    assert "Mean: T5 Large, Correctness" in names
    for sides in ("two-sided", "one-sided"):
        assert f"Williams&#x27; test, {sides} p: Correctness, Bleu_4, METEOR" in names
    assert not [name for name in names if re.search("[a-z]_[a-z]| / ", name)]
    assert "about other data" in shown.text
    assert campaign.dataset.owner == asker


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_reproduce_page_qgeval_workbooks_are_listed_on_the_pages(client):
    asker, stranger = factories.researcher(), factories.researcher()
    client.force_login(asker)
    url = reverse("analysis:reproduce")
    files = [SimpleUploadedFile(name, data) for name, data in QGEval(passages=2).files().items()]

    client.post(url, {"study": "qgeval", "files": files})
    tasks.current_app.tasks[reproductions.KIND].run(str(Job.objects.get().pk))

    campaign = Campaign.objects.get()
    page = reverse("analysis:published", args=[campaign.uuid])
    shown = client.get(page).text
    assert "annotator2.xlsx: 12 of 12 questions joined (passage, answer and question 12)" in shown
    assert "Spearman&#x27;s ρ: Fluency, UniEval.fluency" in shown
    assert f'<a href="{page}">QGEval</a>' in client.get(url).text
    assert page in client.get(reverse("judging:campaign", args=[campaign.uuid])).text
    client.force_login(stranger)
    assert page not in client.get(url).text


@pytest.mark.django_db
def test_campaign_page_of_a_reproduction_shows_published_beside_computed(client):
    content = shared_data.path("qgstec2010/EvaluatedSubmissions.xml").read_bytes()
    file = reproductions.ReleasedFile("EvaluatedSubmissions.xml", storage.store_bytes(content))
    found = reproductions.reproduce_study(
        key="qgstec2010", files=[file], by=factories.researcher(), now=NOW
    )
    client.force_login(found.campaign.created_by)

    shown = client.get(reverse("judging:campaign", args=[found.campaign.uuid])).text

    name = "Agreement: Question type, Krippendorff&#x27;s α, interval"
    assert re.search(rf'{name}</th><td class="n">0.323</td><td class="n">0.3196</td>', shown)
    assert "alpha, ordinal" not in shown, "only published numbers are on this page"


@pytest.mark.django_db
def test_page_asks_for_files_and_is_for_those_who_may_create_campaigns(client):
    url = reverse("analysis:reproduce")
    client.force_login(factories.user())
    assert client.get(url).status_code == 403
    client.force_login(factories.researcher())
    assert client.get(url).status_code == 200
    assert client.post(url, {"study": "qgbench"}).status_code == 422
    assert client.post(url, {"study": "none"}).status_code == 422


@pytest.mark.django_db(transaction=True)
def test_job_says_why_files_cannot_be_used(client):
    client.force_login(factories.researcher())
    client.post(
        reverse("analysis:reproduce"),
        {"study": "nema2018", "files": [SimpleUploadedFile("x.tsv", b"\x00")]},
    )
    job = Job.objects.get()

    tasks.current_app.tasks[reproductions.KIND].run(str(job.pk))

    job.refresh_from_db()
    assert job.state == "failed"
    assert "Traceback" not in job.error
    assert job.error
    assert jobs.forget_files() == 1
    assert not StoredFile.objects.exists()


@pytest.mark.django_db
def test_a_p_that_is_nearly_none_is_not_written_as_none(client):
    """Four decimals of .00001 are 0, which no p can be."""
    campaign = factories.campaign()
    rows = [("returned / a / b", None, 1e-7), ("returned / a", 2.5, 0.0)]
    kept = {"study": "qgbench", "title": "T", "why": [], "rows": rows, "published": True}
    campaign.dataset.mapping = {reproductions.REPRODUCED: kept}
    campaign.dataset.save()
    client.force_login(campaign.created_by)
    page = client.get(reverse("analysis:published", args=[campaign.uuid])).text
    assert "&lt; 0.0001</td>" in page
    assert '<td class="n">0</td>' in page
    folded = page.index("1 number that was not published")
    assert page.index("returned: a<") < folded < page.index("returned: a, b<")
    assert reproduce._shown(1e-7) == "<0.0001"
    assert reproduce._shown(0.0) == "0"
