"""The command `quaestor-client`: a study from a file, its state and its report."""

from pathlib import Path

import pytest

from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Dataset
from judging.people.actions import tokens
from quaestor_client._command import main
from tests import factories
from tests.analysis import studies

STUDY = """
dataset:
  name: Locks
  file: locks.csv
  licence: CC0
  columns:
    score: {role: metric, direction: higher}
protocol: mine.yaml
campaign:
  title: Locks
  annotators_per_task: 2
  hypotheses:
    primary:
      - {criterion: correctness, first: Alba, second: Brisa}
selection:
  systems: [Alba, Brisa]
quality:
  repeats: 10
invitations:
  - {label: Students, places: 2}
state: draft
"""
CSV = """source_id,passage,system,question,score
s1,Bert built lock 1.,Alba,Who built it?,0.25
s1,Bert built lock 1.,Brisa,By whom was it built?,0.5
s1,Bert built lock 1.,Corvo,What?,0.125
s2,Cleo built lock 2.,Alba,Who built lock 2?,0.75
s2,Cleo built lock 2.,Brisa,By whom?,0.375
s2,Cleo built lock 2.,Corvo,What is it?,0.625
"""


@pytest.fixture
def folder(live_server, worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a study, for a user whose token is in the environment."""
    from django.utils import timezone

    token = tokens.make_token(user=factories.researcher("me"), now=timezone.now(), scope="manage")
    monkeypatch.setenv("QUAESTOR_URL", live_server.url)
    monkeypatch.setenv("QUAESTOR_TOKEN", token)
    (tmp_path / "study.yaml").write_text(STUDY)
    (tmp_path / "locks.csv").write_text(CSV)
    (tmp_path / "mine.yaml").write_text(factories.SMALL.replace("key: small", "key: mine"))
    return tmp_path


@pytest.mark.jobs
@pytest.mark.django_db(transaction=True)
def test_study_is_made_once_and_changed_while_it_is_a_draft(folder: Path, capsys) -> None:
    study = folder / "study.yaml"

    def applied() -> list[str]:
        assert main(["apply", str(study)]) == 0
        return capsys.readouterr().out.splitlines()

    *changes, last = applied()
    assert [line.split("“")[0].strip() for line in changes] == [
        "Created the protocol",
        "Created the dataset",
        "Created the campaign",
        "Selected 4 of 6 questions.",
        "Changed the quality plan: repeats.",
        "Created the invitation",
    ]
    assert "score: metric, higher is better" in changes[1]
    assert "/join/" in changes[5]
    campaign = Campaign.objects.get()
    assert last == f"Locks ({campaign.uuid}): draft, 0 of 0 assignments submitted"
    assert (campaign.annotators_per_task, campaign.hypotheses["primary"][0]["first"]) == (2, "Alba")
    assert applied() == ["Nothing changed.", last]
    study.write_text(STUDY.replace("per_task: 2", "per_task: 3").replace("draft", "open"))
    changed, opened, _state = applied()
    assert changed == "Changed the plan of the campaign: annotators_per_task."
    assert opened == "Opened the campaign."
    assert applied()[0] == "Nothing changed."
    study.write_text(STUDY.replace("per_task: 2", "per_task: 4"))
    assert main(["apply", str(study)]) == 1
    assert "is open: its annotators_per_task cannot change" in capsys.readouterr().err
    (folder / "locks.csv").write_text(CSV.replace("By whom?", "By who?"))
    assert main(["apply", str(study)]) == 1
    assert "holds other data" in capsys.readouterr().err
    assert main(["status", "Locks"]) == 0
    assert capsys.readouterr().out.startswith(f"Locks ({campaign.uuid}): open, 0 of")
    assert (Campaign.objects.count(), Dataset.objects.count()) == (1, 1)


@pytest.mark.jobs
@pytest.mark.django_db(transaction=True)
def test_study_that_cannot_be_made_leaves_no_dataset(folder: Path, capsys) -> None:
    study = folder / "study.yaml"
    study.write_text(STUDY.replace("score: {", "scor: {"))
    assert main(["apply", str(study)]) == 1
    assert "“scor”" in capsys.readouterr().err
    study.write_text(STUDY.replace("state:", "stat:"))
    assert main(["apply", str(study)]) == 1
    assert "unknown part stat" in capsys.readouterr().err
    assert main(["status", "Nothing"]) == 1
    assert "no campaign called “Nothing”" in capsys.readouterr().err
    assert not Dataset.objects.exists()


@pytest.mark.long
@pytest.mark.jobs
@pytest.mark.django_db(transaction=True)
def test_report_of_a_campaign_is_downloaded(folder: Path, capsys) -> None:
    from judging.people.models.user import User

    campaign = studies.imported(by=User.objects.get(username="me"), sources=3)
    target = folder / "reports"
    assert main(["report", str(campaign.uuid), "--to", str(target)]) == 0
    assert capsys.readouterr().out.split() == [
        str(target / "report.pdf"),
        str(target / "report.zip"),
    ]
    assert (target / "report.pdf").read_bytes().startswith(b"%PDF")
