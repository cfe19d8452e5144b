"""A manager's look at the first task: as an annotator sees it, before anything is opened, and
stored nowhere."""

import pytest
from django.test import Client
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Task
from judging.datasets.models.dataset import Dataset
from judging.work.models.assignment import Draft
from tests import factories
from tests.annotation import studies

pytestmark = pytest.mark.django_db


def manager_of(campaign) -> Client:
    return factories.logged_in(campaign.created_by)


@pytest.mark.parametrize(
    "key", [None, "qgbench", "qgstec2010-b", "nema-khapra", "schlichtkrull-cheng"]
)
def test_preview_shows_a_drafts_first_task(key: str | None) -> None:
    campaign = factories.campaign(
        protocol=factories.protocol(key), dataset=factories.dataset(expected=2)
    )
    html = manager_of(campaign).get(f"/campaigns/{campaign.uuid}/preview/").content.decode()
    assert studies.fields(html)
    assert 'data-draft-url=""' in html
    assert not Task.objects.exists()
    assert not Assignment.objects.exists()


def test_preview_asks_the_same_as_the_real_page() -> None:
    campaign = studies.opened("qgbench")
    client, enrollment = studies.annotator(campaign)
    real = client.get(f"/tasks/{studies.held(enrollment).pk}/").content.decode()
    shown = manager_of(campaign).get(f"/campaigns/{campaign.uuid}/preview/").content.decode()
    assert studies.fields(shown) == studies.fields(real)


def test_preview_goes_through_the_steps_and_hides_later_ones() -> None:
    campaign = factories.campaign(protocol=factories.protocol("qgbench-staged"))
    client, own = manager_of(campaign), f"/campaigns/{campaign.uuid}/preview/"
    assert "Agnes Tolliver" not in client.get(own).content.decode()
    response = client.post(f"{own}?step=0", {"action": "continue"}, follow=True)
    assert response.redirect_chain == [(f"{own}?task=1&step=1", 302)]
    assert "<mark>Agnes Tolliver</mark>" in response.content.decode()


def test_preview_stores_nothing() -> None:
    campaign = factories.campaign()
    client, own = manager_of(campaign), f"/campaigns/{campaign.uuid}/preview/"
    client.post(own, {"action": "submit", "q1.correctness": "3"}, follow=True)
    assert not Draft.objects.exists()


@pytest.mark.parametrize("step", ["99999999999", "-1", "x", ""])
def test_preview_of_a_step_that_is_none_shows_one_that_is(step: str) -> None:
    campaign = factories.campaign()
    assert (
        manager_of(campaign).get(f"/campaigns/{campaign.uuid}/preview/?step={step}").status_code
        == 200
    )


def test_preview_goes_through_the_tasks_of_a_campaign_that_has_them() -> None:
    campaign = studies.opened(sources=3)
    client, own = manager_of(campaign), f"/campaigns/{campaign.uuid}/preview/"
    pages = [client.get(f"{own}?task={number}").content.decode() for number in (1, 2, 3)]
    assert ["Task 1 of 3" in pages[0], "Task 2 of 3" in pages[1], "Task 3 of 3" in pages[2]] == [
        True
    ] * 3
    assert len({page.partition("<form")[2] for page in pages}) == 3
    assert ["Previous task" in page for page in pages] == [False, True, True]
    assert ["Next task" in page for page in pages] == [True, True, False]
    assert client.post(f"{own}?task=1", {"action": "submit"}).url == f"{own}?task=2&step=0"
    assert "Task 3 of 3" in client.get(f"{own}?task=99").content.decode()
    assert f"{own}?task=2" in client.get(f"/campaigns/{campaign.uuid}/tasks/").content.decode()


def test_who_judges_the_material_has_no_preview_of_a_part_of_it() -> None:
    campaign = studies.opened()
    owner = campaign.dataset.owner
    factories.enrollment(campaign, account=owner)
    part = factories.campaign(
        dataset=campaign.dataset, manager=owner, selection={"systems": ["Alba"]}
    )
    whole = factories.campaign(dataset=campaign.dataset, manager=owner)
    # one system's questions degraded, the others as they are
    worse = factories.dataset(owner=owner)
    of = {"dataset": campaign.dataset_id}
    Dataset.objects.filter(pk=worse.pk).update(mapping={"degraded": {"of": of}})
    copy = factories.campaign(dataset=worse, manager=owner)
    reader = factories.logged_in(owner)
    for each in (part, copy):
        page = reader.get(f"/campaigns/{each.uuid}/preview/", follow=True)
        assert page.redirect_chain == [(f"/campaigns/{each.uuid}/", 302)]
        assert "th question want to know" not in page.text
    assert "th question want to know" in reader.get(f"/campaigns/{whole.uuid}/preview/").text
    campaigns.close_campaign(campaign=campaign, now=timezone.now())
    assert "th question want to know" in reader.get(f"/campaigns/{part.uuid}/preview/").text
    assert reader.get(f"/campaigns/{copy.uuid}/preview/").status_code == 200
