"""The page that degrades questions on purpose: works, forbidden, unknown, malformed, wrong verb."""

import pytest
from django.urls import reverse

from analysis.actions import runs
from analysis.models import Run
from judging.actions import jobs
from judging.models import Collection, Job, Membership, System
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def canals():
    return factories.collection()


@pytest.fixture
def page(client, canals):
    client.force_login(canals.owner)
    return client


def at(collection):
    return reverse("analysis:degrade", args=[collection.pk])


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


def test_the_collection_leads_its_owner_to_the_page(page, canals):
    assert at(canals) in page.get(reverse("judging:collection", args=[canals.pk])).text

    answer = page.get(at(canals))

    assert answer.status_code == 200
    assert answer.context["form"]["name"].value() == "Canals, degraded"
    assert [label for _, label in answer.context["form"].fields["systems"].choices] == [
        "Alba",
        "Brisa",
    ]


def test_a_new_collection_shows_its_degradations_and_what_was_left_out(page, canals):
    answer = page.post(at(canals), form(canals), follow=True)

    made = Collection.objects.get(name="Canals, degraded")
    assert answer.redirect_chain == [(reverse("judging:collection", args=[made.pk]), 302)]
    assert dict(made.systems.values_list("name", "kind")) == {
        "Alba": "model",
        "Brisa": "model",
        "Alba, entities dropped": "degradation",
    }
    assert answer.text.count("degraded on purpose") == 1
    assert "2 questions have no word of their sort and were left out" in answer.text
    assert "Made from “Canals”: 100% of its sources, seed 1." in answer.text
    assert "The row is that of their source." in answer.text


def test_a_degradation_is_not_degraded_again(page, canals):
    canals.systems.filter(name="Brisa").update(kind=System.Kind.DEGRADATION)

    assert [name for _, name in page.get(at(canals)).context["form"].fields["systems"].choices] == [
        "Alba"
    ]


def test_references_are_offered_where_there_are_any(page, canals):
    canals.sources.get(key="s1").references.create(position=1, text="Who was the builder?")

    page.post(at(canals), form(canals, systems=["references"], beside="none"))

    made = Collection.objects.get(name="Canals, degraded")
    assert [each.name for each in made.systems.all()] == ["References, function words dropped"]


@pytest.mark.parametrize("limit", ["LARGE", "HELD"])  # of what is made, and of what is read for it
def test_much_of_it_becomes_a_job(page, canals, monkeypatch, limit):
    monkeypatch.setattr(f"analysis.actions.degradations.{limit}", 3)

    answer = page.post(at(canals), form(canals))

    job = Job.objects.get()
    assert answer.url == reverse("judging:job", args=[job.pk])
    assert (job.kind, job.collection, job.parameters["systems"]) == (
        "analysis.degrade",
        canals,
        ["Alba"],
    )
    assert "Degrading questions" in page.get(answer.url).text
    assert Collection.objects.count() == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"systems": []},
        {"systems": ["999999"]},
        {"systems": ["references"]},
        {"noise": ["loudness"]},
        {"noise": []},
        {"percent": "0"},
        {"percent": "101"},
        {"seed": "-1"},
        {"seed": str(2**40)},
        {"beside": "everything"},
        {"name": ""},
        {"name": "x" * 201},
    ],
)
def test_malformed_is_told_beside_its_field(page, canals, changes):
    answer = page.post(at(canals), form(canals, **changes))

    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == list(changes)
    assert Collection.objects.count() == 1


def test_nothing_to_degrade_is_told_beside_the_kinds_of_noise(page, canals):
    answer = page.post(at(canals), form(canals, noise=["function_words"]))

    assert answer.status_code == 422
    assert answer.context["form"].errors == {
        "noise": ["None of the chosen questions has words of the chosen sorts."]
    }


def test_a_system_of_another_collection_is_no_choice(page, canals):
    other = factories.collection(systems=["Corvo"]).systems.get()

    assert page.post(at(canals), form(canals, systems=[str(other.pk)])).status_code == 422


def test_readers_are_forbidden_and_strangers_find_nothing(client, canals):
    campaign = factories.campaign(collection=canals)
    reader = factories.researcher()
    Membership.objects.create(user=reader, campaign=campaign, role="analyst")
    answers = {}
    for name, user in (
        ("reader", reader),
        ("stranger", factories.researcher()),
        ("annotator", factories.user()),
    ):
        client.force_login(user)
        answers[name] = (
            client.get(at(canals)).status_code,
            client.post(at(canals), form(canals)).status_code,
        )

    assert answers == {"reader": (403, 403), "stranger": (404, 404), "annotator": (403, 403)}
    client.force_login(reader)
    assert at(canals) not in client.get(reverse("judging:collection", args=[canals.pk])).text
    client.logout()
    assert client.get(at(canals)).status_code == 302
    assert Collection.objects.filter(name="Canals, degraded").count() == 0


def test_unknown_collections_are_not_found(page):
    assert page.get(reverse("analysis:degrade", args=[999_999])).status_code == 404


def test_wrong_verbs_are_refused(page, canals):
    assert page.put(at(canals)).status_code == 405
    assert page.delete(at(canals)).status_code == 405


def test_the_report_marks_degradations_and_shows_facts_without_annotators(page, canals):
    page.post(at(canals), form(canals, noise=["entities"]))
    made = Collection.objects.get(name="Canals, degraded")
    campaign = factories.opened(collection=made, manager=canals.owner)
    run = runs.start(
        campaign=campaign, by=canals.owner, seed=1, parameters={"metrics": [], "resamples": 100}
    )
    job = jobs.claim(job_id=run.job_id)
    jobs.finish(job=job, result=runs.execute(run=run, work=jobs.Work(job, worker="test")))

    text = page.get(reverse("analysis:report", args=[campaign.uuid])).text
    table = page.get(
        reverse("analysis:table", args=[campaign.uuid, Run.objects.get().number, "set_facts"])
    )

    assert "degraded on purpose" in text
    assert "Text statistics" in text
    assert '"Alba, entities dropped",degradation' in table.content.decode()


def test_who_judges_the_material_makes_no_copy_that_would_name_its_systems(page, canals):
    campaign = factories.opened(collection=canals, manager=canals.owner)
    factories.enrollment(campaign, account=canals.owner)

    for refused in (page.get(at(canals)), page.post(at(canals), form(canals))):
        assert refused.status_code == 403
        assert "You judge this dataset in a campaign that has not ended." in refused.text
    assert Collection.objects.count() == 1
