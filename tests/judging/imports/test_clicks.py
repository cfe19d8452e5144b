"""Six raw batches and a table of metrics in the browser: the clicks that the guide counts, and
nothing else."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.urls import reverse

from analysis import frames
from analysis.models import Run
from judging.datasets.models.added_file import AddedFile
from judging.datasets.models.dataset import Dataset
from judging.work.models.judgment import Judgment
from tests import factories
from tests.judging.imports.crowd import Crowd
from tests.working import WorkingClient

CLICKS = 6
pytestmark = [pytest.mark.long, pytest.mark.django_db]


class Stranger:
    """A user who accepts every proposal; counts the buttons and links they press."""

    def __init__(self) -> None:
        self.client, self.clicks = WorkingClient(), 0
        self.client.force_login(factories.researcher())

    def follow(self, name: str, *args: object) -> HttpResponse:
        self.clicks += 1
        return self.client.get(reverse(f"judging:{name}", args=args), follow=True)

    def press(self, name: str, *args: object, data: object = None) -> HttpResponse:
        self.clicks += 1
        return self.client.post(reverse(name, args=args), data or {}, follow=True)


def test_six_batches_and_a_score_table_take_a_few_clicks() -> None:
    factories.protocol("qgbench")
    crowd, stranger = Crowd(hits=1), Stranger()
    batches = [
        SimpleUploadedFile(f"batch_{n}.csv", batch.encode())
        for n, batch in enumerate(crowd.batches)
    ]
    metrics = SimpleUploadedFile("metrics.csv", crowd.metrics().encode())

    stranger.follow("dataset_new")
    entered = {"name": "Crowd", "language": "en", "files": [*batches, metrics]}
    listed = stranger.press("judging:dataset_new", data=entered)
    dataset = Dataset.objects.get()
    assert "Add all 7 files" in listed.text
    names = [each.name for each, _obstacles, _surprises in listed.context["waiting"]]
    assert names[0] == "metrics.csv", "it names the systems"
    stranger.press("judging:files_add", dataset.pk, data={"accepted": "on", "confirmed": "on"})
    stranger.clicks += 1  # the tick
    stranger.press("analysis:dataset_report", dataset.pk)

    assert stranger.clicks <= CLICKS
    assert set(AddedFile.objects.values_list("state", flat=True)) == {"added"}
    assert Judgment.objects.count() == len(crowd.ratings)
    read = frames.read_campaign(dataset.campaigns.get())
    assert set(read.questions["system"]) == {system for _, system in crowd.scores}
    assert Run.objects.get().campaign == read.campaign
