"""The page that asks a model: off unless the operator names addresses; estimate first, then a job."""

from functools import partial

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.jobs.models.job import Job
from judging.llm_judges.models.llm_judge import JudgeKey
from judging.protocols import documents
from tests import factories
from tests.analysis import studies
from tests.annotation import studies as judging_studies

pytestmark = pytest.mark.django_db
ADDRESS = "http://127.0.0.1:9/v1"  # no server listens there


@pytest.fixture(scope="module")
def imported(lasting):
    return studies.imported(sources=2)  # six questions


@pytest.fixture
def campaign(imported):
    return Campaign.objects.get(pk=imported.pk)


@pytest.fixture
def page(client, campaign, settings):
    settings.JUDGE_ADDRESSES = [ADDRESS]
    client.force_login(campaign.created_by)
    address = reverse("judging:judge_ask", args=[campaign.uuid])

    def sent(verb="get", **given):
        base = {
            "address": ADDRESS,
            "model": "maker/small",
            "temperature": 0,
            "repeats": 1,
            "at_once": 2,
            "criteria": ["correctness"],
        }
        return getattr(client, verb)(address, {**base, **given})

    return sent


def test_the_estimate_shows_prompt_and_cost_and_nothing_is_asked(page):
    text = page(price_in="2", currency="EUR", budget="1", repeats=2, first=5).content.decode()
    assert "<dd>10</dd>" in text  # five questions, twice
    assert "Is it grammatical?" not in text
    assert "Passage: Lock" in text
    assert "EUR, budget 1" in text
    assert not Job.objects.exists()


def test_who_judges_the_material_is_shown_no_question_of_a_part_of_it(client, settings):
    settings.JUDGE_ADDRESSES = [ADDRESS]
    judged = judging_studies.opened()
    owner = judged.dataset.owner
    part = factories.campaign(
        dataset=judged.dataset, manager=owner, selection={"systems": ["Alba"]}
    )
    campaigns.lock_plan(campaign=part, now=timezone.now())
    factories.enrollment(judged, account=owner)
    client.force_login(owner)
    given = {"address": ADDRESS, "model": "m", "temperature": 0, "repeats": 1, "at_once": 2}
    given["criteria"] = [
        each.key for each in documents.protocol_from_document(part.protocol.document).criteria
    ]
    asked = partial(client.get, reverse("judging:judge_ask", args=[part.uuid]), given)
    listed = partial(client.get, reverse("judging:llm_judge_items", args=[part.uuid]))

    page, refused = asked().text, listed()

    assert "Passage: Lock" not in page
    given = {"name": "m", "file": SimpleUploadedFile("a.csv", b"source,question\n1,Who?\n")}
    added = client.post(reverse("judging:llm_judge_add", args=[part.uuid]), given)
    assert (refused.status_code, added.status_code) == (403, 403)
    campaigns.close_campaign(campaign=judged, now=timezone.now())
    assert "Passage: Lock" in asked().text
    assert b"question want to know" in listed().getvalue()


def test_a_key_that_no_header_holds_is_refused_and_stands_nowhere(page):
    for key in ("secret-key\nX: y", "secret key", "secret-\u2026key", "secret-\\key"):
        answer = page("post", key=key)
        assert answer.status_code == 422
        text = answer.content.decode()
        assert answer.context["form"].non_field_errors()
        assert "secret-" not in text and "secret key" not in text
    assert not Job.objects.exists()


def test_asking_makes_a_job_and_leads_to_it(page, campaign, client):
    answer = page("post", key="secret-key", own_systems=["Alba"])
    job = Job.objects.get()
    assert answer.url == reverse("judging:job", args=[job.pk])
    assert job.parameters["own_systems"] == ["Alba"]
    assert JudgeKey.objects.filter(job=job).exists()
    twice = page("post", key="secret-key")
    assert twice.status_code == 422
    assert "secret-key" not in twice.content.decode()
    client.get(reverse("judging:llm_judges", args=[campaign.uuid])).content.decode()
    again = client.get(reverse("judging:judge_ask", args=[campaign.uuid]), {"again": "maker/small"})
    assert 'value="maker/small"' in again.content.decode()
    assert client.post(reverse("judging:job_cancel", args=[job.pk])).status_code == 302
    assert not JudgeKey.objects.exists()
