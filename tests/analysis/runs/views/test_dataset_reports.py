"""A report on imported ratings or means, at the press of a button."""

import re

import pytest
from django.urls import reverse

import analysis.tasks  # noqa: F401  # registers the jobs
from analysis import frames
from analysis.models import ReportPage, Run
from analysis.runs.actions import exports, papers, runs
from analysis.sections import page
from judging.imports.actions import take_back
from judging.jobs import tasks
from tests import factories
from tests.judging.imports.studies import (
    BLEU,
    MATERIAL,
    SCORES,
    SECOND,
    Columns,
    add,
    assembled,
    of_one,
    ratings,
    scored,
)
from tests.judging.studies import NOW
from tests.refusing import refusals_on

pytestmark = pytest.mark.django_db


def means(name: str) -> Columns:
    """Return the columns of SCORES with its scores as means of ratings."""
    return MATERIAL | scored("Bleu_4", role="human_mean", name=name)


@pytest.fixture(autouse=True)
def quiet_bell(monkeypatch):
    monkeypatch.setattr(tasks, "announce_job", lambda job_id: None)


def press(client, dataset):
    client.force_login(dataset.owner)
    return client.post(reverse("analysis:dataset_report", args=[dataset.pk]))


LATER = re.compile(
    r'name="csrfmiddlewaretoken" value="[^"]*"|<p class="small quiet runs">.*?</p>'
    r"|(?<=Report of )[^,<]+, \d\d:\d\d",  # the minute in which it was made
    re.S,
)
NUMBER = re.compile(r'([Rr]uns?[ /]|"run": )\d+')


def report_of(client, dataset):
    """Press the button and have a worker make the report; return its digest, its page and its files
    of text, without the number of the run and the list of all."""
    answer = press(client, dataset)
    run = Run.objects.latest("number")
    assert answer.url == reverse("analysis:report", args=[run.campaign.uuid])
    tasks.current_app.tasks[runs.KIND].run(str(run.job_id))
    assert ReportPage.objects.filter(run=run, language="en").exists()
    page = client.get(answer.url).text
    texts = {"page": page[page.index("<main") :]}  # the header tells of the jobs just done
    texts |= {
        name: content.decode()
        for name, content in exports.files(run)
        if not name.endswith((".pdf", ".png", ".parquet", "croissant.json", "metadata.json"))
    }
    return Run.objects.get(pk=run.pk).input_sha256, {
        name: NUMBER.sub(r"\1N", LATER.sub("", text)).strip() for name, text in texts.items()
    }


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_button_makes_the_same_report_to_the_letter_when_files_are_taken_back(client):
    dataset, protocol = assembled(), factories.protocol()
    for rater, values in (("Ana", (3, 2, 1, 3)), ("Bo", (3, 1, 1, 2))):
        add(dataset, ratings(*values), protocol=protocol, columns=of_one(rater))
    client.force_login(dataset.owner)
    digest, texts = report_of(client, dataset)

    rated = add(dataset, ratings(1, 2, 3, 1), protocol=protocol, columns=of_one("Cy"))
    scored = add(dataset, SCORES, columns=MATERIAL | BLEU)
    batch = add(dataset, SECOND)
    assert frames.hash_data(frames.read_campaign(dataset.campaigns.get())) != digest
    for added in (batch, scored, rated):
        take_back.remove_added_rows(added=added, by=dataset.owner, now=NOW)
    again, again_texts = report_of(client, dataset)

    assert again == digest
    assert again_texts == texts
    assert {"page", "report.json", "tables/agreement.csv", "data/judgments.csv"} <= texts.keys()


def test_button_makes_the_campaign_that_means_need_once(client):
    factories.protocol()
    dataset = assembled(SCORES, columns=means("grammaticality"))

    press(client, dataset)
    press(client, dataset)

    campaign = dataset.campaigns.get()
    assert (campaign.state, campaign.origin) == ("closed", "imported")
    assert Run.objects.get().campaign == campaign


@pytest.mark.parametrize(
    "name",
    [
        "Grammaticality (1-3)",
        pytest.param("avg_grammaticality", marks=pytest.mark.long),
        pytest.param("mean grammaticality", marks=pytest.mark.long),
    ],
)
def test_button_finds_the_protocol_of_means_under_other_names(client, name):
    factories.protocol()
    dataset = assembled(SCORES, columns=means(name))

    press(client, dataset)

    assert Run.objects.get().campaign.origin == "imported"


@pytest.mark.django_db(transaction=True)
def test_report_of_means_says_what_they_are_and_shows_no_dashes(client):
    factories.protocol()
    dataset = assembled(SCORES, columns=means("grammaticality"))
    press(client, dataset)
    run = Run.objects.get()
    tasks.current_app.tasks[runs.KIND].run(str(run.job_id))
    found = runs.found_by(run)
    cards = {card.key: card for each in page.chapters(found, []) for card in each.cards}
    assert not {"agreement", "systems", "aggregates"} & set(cards), cards
    text = papers.methods_text(run, found)
    assert "imported as means over annotators" in text
    assert "0 annotators" not in text
    assert "were judged by" not in text


def test_button_says_what_is_lacking(client):
    dataset = assembled()

    answer = press(client, dataset)

    assert answer.url == reverse("judging:dataset", args=[dataset.pk])
    assert refusals_on(client.get(answer.url)) == ["nothing_to_analyse"]
    assert not Run.objects.exists()


def test_button_says_that_no_protocol_fits(client):
    dataset = assembled(SCORES, columns=means("loveliness"))

    answer = press(client, dataset)

    assert refusals_on(client.get(answer.url)) == ["nothing_to_analyse"]
