"""Six raw batches and a table of metrics in the browser: the clicks that the guide counts, and nothing else."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from analysis import frames
from analysis.models import Run
from judging import tasks
from judging.models import AddedFile, Collection, Job, Judgment
from judging.views import added_files
from tests import factories
from tests.judging.imports.crowd import Crowd
from tests.judging.views.importing import form_of

pytestmark = pytest.mark.django_db


class Stranger:
    """Somebody who takes every proposal, and counts the buttons and links they press."""

    def __init__(self, client: Client) -> None:
        self.client, self.clicks = client, 0

    def follow(self, name: str, *args: object):
        self.clicks += 1
        return self.client.get(reverse(f"judging:{name}", args=args))

    def press(self, name: str, *args: object, data: object = None, app: str = "judging"):
        self.clicks += 1
        return self.client.post(reverse(f"{app}:{name}", args=args), data or {}, follow=True)


def test_six_batches_and_metrics_take_twelve_clicks(client, monkeypatch):
    monkeypatch.setattr(added_files, "LARGE", 10_000_000)
    monkeypatch.setattr(tasks, "ring", lambda job_id: None)
    factories.rubric("qgbench")
    crowd, owner = Crowd(hits=1), factories.researcher()
    client.force_login(owner)
    stranger = Stranger(client)
    batches = [SimpleUploadedFile(f"batch_{n}.csv", batch.encode()) for n, batch in enumerate(crowd.batches)]
    metrics = SimpleUploadedFile("metrics.csv", crowd.metrics().encode())

    stranger.follow("collections")
    stranger.follow("collection_new")
    stranger.press("collection_new", data={"name": "Crowd", "language": "en", "files": [*batches, metrics]})
    collection = Collection.objects.get()
    table = collection.added_files.get(name="metrics.csv")
    columns = stranger.follow("file_columns", collection.pk, table.number)
    looked = stranger.press("file_columns", collection.pk, table.number, data=form_of(columns))
    assert looked.context["found"]["obstacles"] == []
    stranger.press("file_add", collection.pk, table.number)
    columns = stranger.follow("file_columns", collection.pk, 1)
    looked = stranger.press("file_columns", collection.pk, 1, data=form_of(columns))
    assert looked.context["found"]["letters"]["a"] == "T5 Large"
    stranger.follow("files", collection.pk)
    stranger.press("files_add", collection.pk)
    stranger.follow("collection", collection.pk)
    stranger.press("collection_report", collection.pk, app="analysis")

    assert stranger.clicks == 12
    assert set(AddedFile.objects.values_list("state", flat=True)) == {"added"}
    assert Judgment.objects.count() == len(crowd.ratings)
    read = frames.material(collection.campaigns.get())
    assert set(read.questions["system"]) == {system for _, system in crowd.scores}
    assert Run.objects.get().campaign == read.campaign
    assert Job.objects.filter(kind="analysis.run").count() == 1
