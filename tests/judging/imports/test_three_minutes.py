"""Six raw batches and a table of metrics in the browser: the clicks that the guide counts, and
nothing else."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from analysis import frames
from analysis.models import Run
from judging import tasks
from judging.models import AddedFile, Collection, Job, Judgment
from tests import factories
from tests.judging.imports.crowd import Crowd
from tests.judging.views.importing import form_of

CLICKS = 7
pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


class Stranger:
    """A user who accepts every proposal; counts the buttons and links they press."""

    def __init__(self, client: Client) -> None:
        self.client, self.clicks = client, 0

    def follow(self, name: str, *args: object):
        self.clicks += 1
        return self._done(self.client.get(reverse(f"judging:{name}", args=args), follow=True))

    def press(self, name: str, *args: object, data: object = None, app: str = "judging"):
        self.clicks += 1
        return self._done(
            self.client.post(reverse(f"{app}:{name}", args=args), data or {}, follow=True)
        )

    def _done(self, answer):
        """Do queued jobs; the page of each goes on to its result by itself."""
        while job := Job.objects.filter(state="queued", kind__startswith="judging.").first():
            tasks.current_app.tasks[job.kind].run(str(job.pk))
            page = self.client.get(reverse("judging:job", args=[job.pk]), follow=True)
            answer = page
            if not page.redirect_chain:  # something to read on the job's page
                self.clicks += 1
                answer = self.client.get(page.context["job"]["result_url"], follow=True)
        return answer


def test_six_batches_and_a_score_table_take_a_few_clicks(client, monkeypatch):
    monkeypatch.setattr(tasks, "ring", lambda job_id: None)
    factories.rubric("qgbench")
    crowd, owner = Crowd(hits=1), factories.researcher()
    client.force_login(owner)
    stranger = Stranger(client)
    batches = [
        SimpleUploadedFile(f"batch_{n}.csv", batch.encode())
        for n, batch in enumerate(crowd.batches)
    ]
    metrics = SimpleUploadedFile("metrics.csv", crowd.metrics().encode())

    stranger.follow("collections")
    stranger.follow("collection_new")
    columns = stranger.press("collection_new", data={"name": "Crowd", "files": [*batches, metrics]})
    collection = Collection.objects.get()
    columns = stranger.press("file_columns", collection.pk, 1, data=form_of(columns))
    assert columns.context["added"].name == "metrics.csv"
    files = stranger.press("file_columns", collection.pk, 7, data=form_of(columns))
    assert "Add all 7 files" in files.text
    assert files.context["waiting"][0].name == "metrics.csv", "it names the systems"
    assert files.context["waiting"][1].examined["letters"]["a"] == "T5 Large"
    stranger.press("files_add", collection.pk)
    stranger.press("collection_report", collection.pk, app="analysis")

    assert stranger.clicks == CLICKS
    assert set(AddedFile.objects.values_list("state", flat=True)) == {"added"}
    assert Judgment.objects.count() == len(crowd.ratings)
    read = frames.material(collection.campaigns.get())
    assert set(read.questions["system"]) == {system for _, system in crowd.scores}
    assert Run.objects.get().campaign == read.campaign
    assert Job.objects.filter(kind="analysis.run").count() == 1
