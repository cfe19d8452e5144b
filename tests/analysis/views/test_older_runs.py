"""A run that an earlier version made still has its page and its files."""

import csv
import io
import json
from pathlib import Path

import pytest
from django.urls import reverse

from analysis.actions import runs
from analysis.models import Result, Run
from judging.actions import jobs
from tests.analysis import studies

pytestmark = [pytest.mark.long, pytest.mark.django_db]
VERSIONS = sorted((Path(__file__).parents[1] / "old_runs").glob("*.json"))


@pytest.fixture(scope="module", params=VERSIONS, ids=lambda path: path.stem)
def kept(request, lasting):
    """Return a run whose tables an earlier version stored."""
    kept = json.loads(request.param.read_text())
    campaign = studies.imported(sources=8)
    run = runs.start(
        campaign=campaign, by=campaign.created_by, seed=1, parameters=kept["parameters"]
    )
    jobs.finish(job=jobs.claim(job_id=run.job_id), result={})
    Result.objects.bulk_create(
        Result(run=run, key=key, document=rows) for key, rows in kept["tables"].items()
    )
    return run


@pytest.fixture
def older(kept, db):
    return Run.objects.get(pk=kept.pk)


def test_page_of_an_older_run_shows_its_numbers_and_says_its_age(older, client):
    client.force_login(older.campaign.created_by)
    page = client.get(
        reverse("analysis:run", args=[older.campaign.uuid, older.number])
    ).content.decode()
    assert "made by an earlier version" in page
    [alpha] = [
        row["value"]
        for row in dict(runs.StoredTables(older))["agreement"]
        if (row["criterion"], row["coefficient"], row["level"])
        == ("correctness", "krippendorff_alpha", "ordinal")
    ]
    assert f"{alpha:.2f}".lstrip("0") in page
    assert "Alba has the best mean on" in page


def test_every_table_of_an_older_run_is_csv_with_all_its_columns(older, client):
    client.force_login(older.campaign.created_by)
    for name, rows in dict(runs.StoredTables(older)).items():
        if isinstance(rows, list) and rows and name != "sentences":
            answer = client.get(
                reverse("analysis:table", args=[older.campaign.uuid, older.number, name])
            )
            held = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
            assert (len(held), set(held[0])) == (len(rows), {key for row in rows for key in row}), (
                name
            )


def test_an_older_run_forgets_an_annotator_and_keeps_its_page(older, client):
    [label] = {row["annotator"] for row in dict(runs.StoredTables(older))["annotators"]} - {"A2"}
    assert runs.forget_annotators(run=older, labels=[label])
    left = dict(runs.StoredTables(older))
    assert {row["annotator"] for row in left["annotators"]} == {"A2"}
    client.force_login(older.campaign.created_by)
    address = reverse("analysis:run", args=[older.campaign.uuid, older.number])
    assert "made by an earlier version" in client.get(address).text
