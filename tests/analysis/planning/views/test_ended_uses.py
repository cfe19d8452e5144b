"""What somebody leaves in a dataset whose use was ended keeps its owner from nothing, but for what
people said."""

import pytest
from django.utils import timezone

from analysis.planning.actions import dry_runs
from analysis.runs.actions import runs
from judging.campaigns.actions import campaigns, dataset_uses
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment
from judging.datasets.actions import datasets
from judging.datasets.models.dataset import Dataset
from judging.enrolments.actions import enrollments
from judging.imports.actions import files
from judging.overview.actions import dry_runs as copies
from judging.people.models.event import Event
from judging.people.models.user import User
from tests import factories
from tests.annotation import studies
from tests.refusing import refusals_on

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def used() -> tuple[Dataset, User]:
    """Return a dataset and somebody who may use it."""
    material, other = factories.dataset(sources=3), factories.researcher("guest")
    datasets.share_dataset(dataset=material, user=other, by=material.owner)
    return material, other


def ended(material: Dataset, other: User) -> None:
    dataset_uses.end_use(dataset=material, user=other, now=NOW, by=material.owner)


def test_owner_deletes_what_nobody_judged_in_and_then_the_dataset(used) -> None:
    material, other = used
    owner, about = factories.logged_in(material.owner), {"manager": other, "dataset": material}
    draft, locked = factories.campaign(**about), factories.campaign(**about)
    copies.copy_draft(draft=draft, by=other, now=NOW, settings={})
    campaigns.lock_plan(campaign=locked, now=NOW)
    campaigns.move_campaign(campaign=locked, to="archived", now=NOW)
    opened = factories.opened(**about)
    joined = factories.enrollment(opened)
    studies.held(joined)
    runs.start_run(campaign=opened, by=other, seed=1, parameters={})
    page, path = (
        f"/datasets/{material.pk}/",
        f"/datasets/{material.pk}/uses/{other.pk}/discard/",
    )
    assert path not in owner.get(page).text
    assert refusals_on(owner.post(path, follow=True)) == ["still_in_use"]
    ended(material, other)
    assert path in owner.get(page).text
    assert owner.post(f"{page}delete/").status_code == 409

    owner.post(path, follow=True)

    assert not Campaign.objects.exists()
    assert not Enrollment.objects.exists()
    gone = Event.objects.filter(act="campaign.discarded", who=material.owner_id)
    assert set(gone.values_list("campaign", "before")) == {
        (draft.uuid, "draft"),
        (locked.uuid, "archived"),
        (opened.uuid, "paused"),
    }
    assert owner.post(f"{page}delete/").status_code == 302
    assert not Dataset.objects.exists()


def test_what_people_judged_is_kept_and_what_others_reproduce(used) -> None:
    material, other = used
    opened = factories.opened(manager=other, dataset=material)
    own = studies.held(factories.enrollment(opened))
    client = factories.logged_in(own.enrollment.user)
    client.post(f"/tasks/{own.pk}/submit/?step=0", studies.filled(own))
    first = factories.opened(manager=other, dataset=material)
    campaigns.close_campaign(campaign=first, now=NOW)
    factories.campaign(manager=material.owner, dataset=material, reproduces=first)
    joined = enrollments.enroll(campaign=first, user=factories.user())
    ended(material, other)
    owner = factories.logged_in(material.owner)

    path = f"/datasets/{material.pk}/uses/{other.pk}/discard/"
    assert "Campaigns deleted: 0." in owner.post(path, follow=True).text

    assert Campaign.objects.count() == 3
    assert first.enrollments.get() == joined
    assert own.enrollment.assignments.filter(state="submitted").exists()
    assert owner.post(f"/datasets/{material.pk}/delete/").status_code == 409


def test_simulated_copy_fixes_nothing_of_a_dataset(used) -> None:
    material, other = used
    draft = factories.campaign(manager=other, dataset=material)
    copy = copies.copy_draft(draft=draft, by=other, now=NOW, settings={}).campaign
    assert files.locked_campaigns(material) == []
    dry_runs.remove_dry_run(campaign=copy, by=other)
    campaigns.lock_plan(campaign=draft, now=NOW)
    assert files.locked_campaigns(material) == [draft]
