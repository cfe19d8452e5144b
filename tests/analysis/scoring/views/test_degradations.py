"""The page that degrades questions on purpose: works, forbidden, unknown, malformed, wrong verb."""

import pytest
from django.urls import reverse

from analysis.models import Run
from analysis.runs.actions import runs
from judging.datasets.models.dataset import Dataset, System
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def canals():
    return factories.dataset()


@pytest.fixture
def page(client, canals):
    client.force_login(canals.owner)
    return client


def at(dataset):
    return reverse("analysis:degrade", args=[dataset.pk])


def form(canals, **changes):
    alba = canals.systems.get(name="Alba").pk
    return {
        "systems": [str(alba)],
        "noise": ["entities", "function_words"],
        "percent": "100",
        "beside": "all",
        "seed": "1",
        "name": "Canals, degraded",
    } | changes


def test_a_new_dataset_shows_its_degradations_and_what_was_excluded(page, canals):
    answer = page.post(at(canals), form(canals), follow=True)

    made = Dataset.objects.get(name="Canals, degraded")
    assert answer.redirect_chain == [(reverse("judging:dataset", args=[made.pk]), 302)]
    assert dict(made.systems.values_list("name", "kind")) == {
        "Alba": "model",
        "Brisa": "model",
        "Alba, entities dropped": "degradation",
    }
    assert answer.text.count("degraded on purpose") == 1
    assert made.quarantine.count() == 2


def test_a_degradation_is_not_degraded_again(page, canals):
    canals.systems.filter(name="Brisa").update(kind=System.Kind.DEGRADATION)

    assert [name for _, name in page.get(at(canals)).context["form"].fields["systems"].choices] == [
        "Alba"
    ]


def test_references_are_offered_where_there_are_any(page, canals):
    canals.sources.get(key="s1").references.create(position=1, text="Who was the builder?")

    page.post(at(canals), form(canals, systems=["references"], beside="none"))

    made = Dataset.objects.get(name="Canals, degraded")
    assert [each.name for each in made.systems.all()] == ["References, function words dropped"]


@pytest.mark.parametrize("limit", ["LARGE", "HELD"])  # of what is made, and of what is read for it
def test_much_of_it_becomes_a_job(page, canals, monkeypatch, limit):
    monkeypatch.setattr(f"analysis.scoring.actions.degradations.{limit}", 3)

    answer = page.post(at(canals), form(canals))

    job = Job.objects.get()
    assert answer.url == reverse("judging:job", args=[job.pk])
    assert (job.kind, job.dataset, job.parameters["systems"]) == (
        "analysis.degrade",
        canals,
        ["Alba"],
    )
    assert "Degrading questions" in page.get(answer.url).text
    assert Dataset.objects.count() == 1


def test_the_report_marks_degradations_and_shows_facts_without_annotators(page, canals):
    page.post(at(canals), form(canals, noise=["entities"]))
    made = Dataset.objects.get(name="Canals, degraded")
    campaign = factories.opened(dataset=made, manager=canals.owner)
    run = runs.start_run(
        campaign=campaign,
        by=canals.owner,
        seed=1,
        parameters={"metrics": [], "resamples": 100, "further": ["texts"]},
    )
    job = jobs.claim_job(job_id=run.job_id)
    jobs.finish_job(job=job, result=runs.execute_run(run=run, work=jobs.Work(job, worker="test")))

    text = page.get(reverse("analysis:report", args=[campaign.uuid])).text
    table = page.get(
        reverse("analysis:table", args=[campaign.uuid, Run.objects.get().number, "text_statistics"])
    )

    assert "degraded on purpose" in text
    assert "Text statistics" in text
    assert '"Alba, entities dropped",degradation' in table.content.decode()


def test_who_judges_the_material_makes_no_copy_that_would_name_its_systems(page, canals):
    campaign = factories.opened(dataset=canals, manager=canals.owner)
    factories.enrollment(campaign, account=canals.owner)

    for refused in (page.get(at(canals)), page.post(at(canals), form(canals))):
        assert refused.status_code == 403
    assert Dataset.objects.count() == 1
