"""Rights on a dataset are its own: who may use it, and that the owner sees and ends every
use."""

import pytest
from django.test import Client
from django.urls import reverse

from judging.campaigns.actions import campaigns, dataset_uses
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Dataset
from judging.people.models.event import Event
from judging.people.models.user import User
from tests import factories
from tests.refusing import refusals_on, refused

pytestmark = pytest.mark.django_db


def planned(client: Client, campaign: Campaign) -> int:
    form = {
        "dataset": campaign.dataset_id,
        "protocol": campaign.protocol_id,
        "title": "My own",
        "order": "depth",
        "annotators_per_task": 1,
        "lease_minutes": 60,
        "time_zone": "UTC",
    }
    return client.post(reverse("judging:campaign_new"), form).status_code


@pytest.fixture
def shared() -> tuple[Campaign, User]:
    """Return a campaign about its manager's own dataset, and an analyst of it who may create
    campaigns."""
    campaign, analyst = factories.opened(), factories.researcher()
    campaigns.add_member(campaign=campaign, user=analyst, role="analyst")
    return campaign, analyst


def test_analyst_plans_no_campaign_about_what_they_only_see(shared) -> None:
    campaign, analyst = shared
    client, page = (
        factories.logged_in(analyst),
        reverse("judging:dataset", args=[campaign.dataset_id]),
    )
    assert "Start a campaign" not in client.get(page).text
    assert planned(client, campaign) == 422
    assert Campaign.objects.get() == campaign


def test_removed_analyst_reads_the_dataset_no_more(shared) -> None:
    campaign, analyst = shared
    client, page = (
        factories.logged_in(analyst),
        reverse("judging:dataset", args=[campaign.dataset_id]),
    )
    planned(client, campaign)
    assert client.get(page).status_code == 200
    campaigns.remove_member(campaign=campaign, user=analyst, role="analyst")
    assert client.get(page).status_code == 404
    assert client.get("/api/v1/datasets/").json()["results"] == []


def test_owner_lets_somebody_use_a_dataset_sees_it_and_ends_it(shared) -> None:
    campaign, other = shared
    material, owner = campaign.dataset, factories.logged_in(campaign.created_by)
    page = reverse("judging:dataset", args=[material.pk])
    owner.post(reverse("judging:dataset_share", args=[material.pk]), {"username": other.username})
    client = factories.logged_in(other)
    assert planned(client, campaign) == 302
    theirs = Campaign.objects.get(title="My own")
    campaigns.lock_plan(campaign=theirs, now=theirs.created_at)
    campaigns.open_campaign(campaign=theirs, now=theirs.created_at)
    campaigns.remove_member(campaign=campaign, user=other, role="analyst")
    overview = reverse("judging:campaign", args=[theirs.uuid])
    assert (client.get(overview).status_code, client.get(page).status_code) == (200, 200)
    assert "My own" in owner.get(page).text

    owner.post(reverse("judging:dataset_end_use", args=[material.pk, other.pk]))

    assert (client.get(overview).status_code, client.get(page).status_code) == (404, 404)
    assert client.get(f"/api/v1/campaigns/{theirs.uuid}/").status_code == 404
    assert planned(client, campaign) == 422
    assert Campaign.objects.get(pk=theirs.pk).state == "paused"
    assert "ended" in owner.get(page).text


def test_owner_hands_a_dataset_over_and_goes_on_using_it() -> None:
    campaign = factories.opened()
    old, new, dataset = campaign.created_by, factories.researcher("new"), campaign.dataset
    here, there = Client(), Client()
    here.force_login(old)
    there.force_login(new)
    address = f"/datasets/{dataset.pk}/hand-over/"
    assert address in here.get(f"/datasets/{dataset.pk}/").text
    assert there.post(address, {"username": "new"}).status_code == 404
    here.post(address, {"username": "new"})
    dataset.refresh_from_db()
    assert dataset.owner == new
    event = Event.objects.get(act="dataset.handed_over")
    assert (event.who, event.before, event.after) == (
        old.pk,
        f"account {old.pk}",
        f"account {new.pk}",
    )
    assert here.get(f"/campaigns/{campaign.uuid}/").status_code == 200
    assert here.post(address, {"username": old.username}).status_code == 403
    there.post(f"/datasets/{dataset.pk}/uses/{old.pk}/end/")
    assert here.get(f"/campaigns/{campaign.uuid}/").status_code == 404


@pytest.mark.parametrize(
    "fields", [{"may_create_campaigns": False}, {"is_active": False}, {"password": "!"}]
)
def test_dataset_goes_to_nobody_who_cannot_own_it(fields: dict[str, object]) -> None:
    dataset, other, client = factories.dataset(), factories.researcher("other"), Client()
    User.objects.filter(pk=other.pk).update(**fields)
    client.force_login(dataset.owner)
    client.post(f"/datasets/{dataset.pk}/hand-over/", {"username": "other"})
    dataset.refresh_from_db()
    assert dataset.owner != other


def test_who_gave_a_dataset_away_a_moment_ago_gives_it_to_nobody_else() -> None:
    """Two forms that were sent at once: the second waits for the first, and was allowed before it."""
    dataset, new, other = factories.dataset(), *(factories.researcher() for _ in range(2))
    as_seen = Dataset.objects.get(pk=dataset.pk)
    dataset_uses.transfer_dataset(dataset=dataset, to=new)
    with refused("cannot_hand_over"):
        dataset_uses.transfer_dataset(dataset=as_seen, to=other)
    assert Dataset.objects.get(pk=dataset.pk).owner == new


def test_administrator_hands_over_what_somebody_leaves_behind_and_sees_nothing_of_it() -> None:
    alone, shared = factories.opened(), factories.opened()
    gone = alone.created_by
    campaigns.add_member(campaign=shared, user=gone, role="manager")
    administrator, heir, client = (
        factories.user(is_superuser=True),
        factories.researcher("heir"),
        Client(),
    )
    client.force_login(administrator)
    User.objects.filter(pk=gone.pk).update(is_active=False)
    address = f"/accounts/{gone.pk}/hand-over/"
    client.post(address, {"username": "nobody"})
    assert not Campaign.objects.visible_to(heir).exists()
    client.post(address, {"username": "heir"})
    assert set(Campaign.objects.visible_to(heir)) == {alone}
    assert client.get(f"/campaigns/{alone.uuid}/").status_code == 404
    inside = factories.logged_in(heir)
    assert inside.get(f"/campaigns/{alone.uuid}/annotators/").status_code == 200
    assert inside.post(address, {"username": "heir"}).status_code == 403
    assert client.get(address).status_code == 405


@pytest.mark.parametrize("page", ["dataset_share", "dataset_hand_over"])
@pytest.mark.parametrize("name", ["", "nobody", "no\0body"])
def test_account_that_is_not_there_is_said_on_the_page(page: str, name: str) -> None:
    material = factories.dataset()
    client = factories.logged_in(material.owner)

    answer = client.post(
        reverse(f"judging:{page}", args=[material.pk]), {"username": name}, follow=True
    )

    assert refusals_on(answer) == ["no_such_account"]
    assert not material.shares.exists()
