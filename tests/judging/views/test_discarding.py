"""Deleting a draft from its page."""

import pytest
from django.urls import reverse

from analysis.actions import runs
from judging.models import Campaign, Membership
from tests import factories

pytestmark = pytest.mark.django_db


def address(campaign: Campaign) -> str:
    return reverse("judging:discard", args=[campaign.uuid])


def test_a_manager_deletes_a_draft(client):
    draft = factories.campaign(title="Spring")
    client.force_login(draft.created_by)
    assert address(draft) in client.get(reverse("judging:campaign", args=[draft.uuid])).text
    assert client.get(address(draft)).status_code == 405
    answer = client.post(address(draft), follow=True)
    assert "“Spring” is deleted." in answer.text
    assert not Campaign.objects.exists()


def test_a_campaign_that_is_open_says_why_it_stays(client):
    opened = factories.opened()
    client.force_login(opened.created_by)
    assert address(opened) not in client.get(reverse("judging:campaign", args=[opened.uuid])).text
    assert "Only a draft can be deleted." in client.post(address(opened), follow=True).text


def test_a_draft_of_which_a_report_was_asked_for_says_why_it_stays(client):
    campaign = factories.campaign()
    runs.start(campaign=campaign, by=campaign.created_by, seed=1, parameters={})
    client.force_login(campaign.created_by)
    page = client.post(reverse("judging:discard", args=[campaign.uuid]), follow=True)
    assert "This draft was analysed already" in page.text
    assert campaign.rounds.exists()


def test_only_managers_delete(client):
    draft = factories.campaign()
    analyst = factories.user()
    Membership.objects.create(user=analyst, campaign=draft, role="analyst")
    assert client.post(address(draft)).url.startswith(reverse("login"))
    for user, status in ((analyst, 403), (factories.researcher(), 404)):
        client.force_login(user)
        assert client.post(address(draft)).status_code == status
    assert Campaign.objects.exists()
