"""Datasets from DataFrames: what columns become, refusals, and what a failure leaves behind."""

from pathlib import Path

import pandas as pd
import pytest

from judging.datasets.models.dataset import Dataset
from judging.work.models.judgment import Judgment
from quaestor_client import Metric, QuaestorError
from tests import factories
from tests.analysis import studies

QUESTIONS = pd.DataFrame(
    [
        (f"s{number}", f"Bert built lock {number} in 18{number}0.", system, f"{stem} {number}?")
        for number in range(1, 5)
        for system, stem in (("Brisa", "Who built lock"), ("Alba", "By whom was lock"))
    ],
    columns=["source_id", "passage", "system", "question"],
)
ROLES = {
    "source_id": "source id",
    "passage": "passage",
    "system": "system",
    "question": "question",
}


@pytest.mark.jobs
@pytest.mark.django_db(transaction=True)
def test_dataframe_becomes_a_dataset_whose_columns_are_said(live_client, worker) -> None:
    client = live_client(factories.researcher())
    scores = [number / 7 for number in range(8)]
    dataset = client.datasets.create_from_dataframe(
        QUESTIONS.assign(score=scores, topic="locks"),
        columns={"score": Metric("higher")},
        name="Locks",
    )
    assert dataset.columns == ROLES | {
        "score": "metric, higher is better",
        "topic": "source metadata",
    }
    assert (dataset.data["sources"], dataset.data["questions"]) == (4, 8)
    [metric] = client.get(f"datasets/{dataset.id}/metrics/")
    stored = client.get(f"datasets/{dataset.id}/metrics/{metric['id']}/scores/")["results"]
    assert sorted(row["value"] for row in stored) == scores  # exactly
    assert dataset.update(name="Locks 2").refresh().name == "Locks 2"
    changes = [{"id": row["id"], "name": f"{row['name']} 2"} for row in dataset.systems()]
    assert len(dataset.change_systems(systems=changes, reason="A second version")) == 2
    assert [row["name"] for row in dataset.systems()] == ["Alba 2", "Brisa 2"]
    [file] = dataset.files()
    assert file.take_back().data["state"] == "taken_back"
    assert dataset.refresh().data["questions"] == 0


@pytest.mark.jobs
@pytest.mark.django_db(transaction=True)
def test_dataframe_that_is_refused_leaves_nothing_behind(live_client, worker) -> None:
    factories.protocol("qgeval")
    client = live_client(factories.researcher())
    create = client.datasets.create_from_dataframe
    rated = pd.concat([QUESTIONS.assign(fluency=2, annotator=name) for name in ("A1", "A2")])
    with pytest.raises(ValueError, match="“fluency”"):
        create(rated, name="No protocol")
    with pytest.raises(QuaestorError, match="“fluency”") as raised:
        create(QUESTIONS.assign(fluency=[1, 2] * 4), name="Nobody rated")
    assert raised.value.status == 422
    with pytest.raises(QuaestorError, match="no column “scor”"):
        create(QUESTIONS, columns={"scor": "metadata"}, name="Misspelt")
    assert not Dataset.objects.exists()
    dataset = create(rated, protocol="qgeval", name="Rated")
    assert dataset.columns == ROLES | {"fluency": "ratings on fluency", "annotator": "rater"}
    assert Judgment.objects.count() == 16
    [campaign] = client.campaigns.list(dataset=dataset.id)
    assert dataset.files()[0].data["campaign"] == campaign.uuid


@pytest.mark.jobs
@pytest.mark.django_db(transaction=True)
def test_file_of_a_dataset_is_previewed_and_discarded(live_client, worker, tmp_path: Path) -> None:
    client = live_client(factories.researcher())
    dataset = client.datasets.create("From a file")
    QUESTIONS.to_csv(tmp_path / "locks.csv", index=False)
    file = dataset.upload(tmp_path / "locks.csv")
    assert file.set_roles({"passage": "", "system": "system"})["passage"] == "excluded"
    assert file.preview()["summary"].startswith("8 questions by 2 systems")
    assert file.roles()["mapping"]["columns"]["passage"].get("role", "") == ""
    file.discard()
    assert not dataset.files()


@pytest.mark.jobs
@pytest.mark.django_db(transaction=True)
def test_bundle_of_a_run_is_imported_under_its_own_protocol(
    live_client, worker, tmp_path: Path
) -> None:
    imported = studies.imported(sources=2)
    client = live_client(imported.created_by)
    run = studies.analysed(imported, further=[])
    bundle = client.campaigns.get(str(imported.uuid)).get_run(run.number)
    path = bundle.download("report.zip", tmp_path / "report.zip")
    dataset = client.datasets.create_from_file(path, name="Again")
    assert dataset.files()[0].data["protocol"] == imported.protocol_id
    [campaign] = client.campaigns.list(dataset=dataset.id)
    assert len(list(campaign.judgments())) == 24


@pytest.mark.jobs
@pytest.mark.django_db(transaction=True)
def test_dataset_with_rows_in_quarantine_shows_their_number(live_client, worker) -> None:
    client = live_client(factories.researcher())
    blank = QUESTIONS.copy()
    blank.loc[0, "passage"] += " "
    dataset = client.datasets.create_from_dataframe(blank, name="Locks")
    assert dataset.data["quarantined"] == 1
    assert repr(dataset) == f"<Dataset {dataset.id}: Locks (7 questions, 1 in quarantine)>"
