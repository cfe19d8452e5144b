"""What stores much is refused while the disk is nearly full: a full one stops the database."""

import shutil

import pytest
from celery import current_app
from django.urls import reverse

from config import serving
from config.postgres import Cluster
from judging import room, storage
from judging.actions import check_items, jobs
from judging.imports.actions import new_collections
from judging.models import Campaign, Collection, StoredFile, Unit
from tests import factories
from tests.judging.studies import NOW, study

pytestmark = pytest.mark.django_db


@pytest.fixture
def disk(settings, tmp_path):
    """Say how many bytes fewer than are wanted are free on the database's disk."""
    settings.DATABASE_FOLDER = str(tmp_path)

    def lacks(count: int) -> None:
        settings.KEEP_FREE = shutil.disk_usage(tmp_path).free + count

    return lacks


def test_disk_is_short_below_what_is_kept_free_and_where_it_is_here(disk, settings):
    disk(10**12)
    assert room.is_short()
    settings.KEEP_FREE = 0
    assert not room.is_short()
    disk(10**12)
    settings.DATABASE_FOLDER = ""
    assert not room.is_short()


def test_files_copies_and_checks_are_refused_on_a_page_that_says_so(disk):
    campaign = factories.campaign()
    client = factories.logged_in(campaign.created_by)
    client.raise_request_exception = False
    disk(10**12)

    answer = client.post(reverse("judging:duplicate", args=[campaign.uuid]))

    assert answer.status_code == 507 and "The disk is full" in answer.text
    assert Campaign.objects.get() == campaign
    with pytest.raises(OSError, match="nearly full"):
        storage.keep(b"a file")
    assert not StoredFile.objects.exists()
    with pytest.raises(OSError, match="nearly full"):
        new_collections.import_study(study=study(), name="Canals", by=campaign.created_by, now=NOW)
    assert Collection.objects.get() == campaign.collection
    criterion = campaign.rubric.criteria.first()
    first = Unit.objects.filter(position=1).first()
    accepted = {criterion.pk: [criterion.points.first().value]}
    with pytest.raises(OSError, match="nearly full"):
        check_items.add_gold(campaign=campaign, unit=first, text="", accepted=accepted)


@pytest.mark.parametrize(("kind", "is_refused"), [("judging.launch", True), (jobs.ERASE, False)])
def test_job_that_stores_much_is_refused_and_one_that_makes_room_is_done(
    kind, is_refused, disk, monkeypatch
):
    """One that had filled the disk was begun again by itself, and filled it once more."""
    monkeypatch.setattr(jobs.Work, "__enter__", lambda self: self)
    monkeypatch.setattr(jobs.Work, "__exit__", lambda self, *error: None)
    campaign = factories.campaign()
    disk(10**12)
    about = {"kind": kind, "parameters": {"enrollment": 0}, "campaign": campaign}
    job = jobs.enqueue(**about, by=campaign.created_by)

    current_app.tasks[kind](str(job.pk))

    job.refresh_from_db()
    assert job.state == "failed"
    assert (job.error == room.SENTENCE) == is_refused


def test_annotators_go_on_while_the_disk_is_nearly_full(disk):
    disk(10**12)
    campaign = factories.opened()
    assert factories.enrollment(campaign)


def test_site_with_a_database_of_its_own_knows_its_disk(settings, tmp_path, monkeypatch):
    settings.HOME = tmp_path
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("QUAESTOR_HOME", str(tmp_path))
    own = Cluster(tmp_path).data
    said = [each.environment["QUAESTOR_DATABASE_FOLDER"] for each in serving.programs(9)]
    assert said == [str(own), str(own)]
    monkeypatch.setenv("DATABASE_URL", "postgresql://elsewhere/quaestor")
    assert not any("QUAESTOR_DATABASE_FOLDER" in each.environment for each in serving.programs(9))
