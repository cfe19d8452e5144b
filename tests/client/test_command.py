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
def test_study_that_differs_is_changed_or_refused_by_name(folder: Path, capsys) -> None:
    study = folder / "study.yaml"

    def printed(changed: str, status: int = 0) -> str:
        study.write_text(changed)
        assert main(["apply", str(study)]) == status
        output = capsys.readouterr()
        return output.err if status else output.out

    printed(STUDY)
    relicensed = STUDY.replace("CC0", "CC-BY-4.0")
    assert "Changed the licence of the dataset “Locks” to “CC-BY-4.0”." in printed(relicensed)
    assert Dataset.objects.get().licence == "CC-BY-4.0"
    excluded = STUDY.replace("{role: metric, direction: higher}", '""')
    assert "column “score”" in printed(excluded, 1)
    assert "column “score”" in printed(STUDY.replace(": higher", ": lower"), 1)
    assert "column “question”" in printed(
        STUDY.replace("    score:", "    question: metric\n    score:"), 1
    )
    assert "`language`" in printed(STUDY.replace("  licence: CC0", "  language: ar"), 1)
    assert "its places cannot change" in printed(STUDY.replace("places: 2", "places: 3"), 1)
    whole = STUDY.replace("selection:\n  systems: [Alba, Brisa]\nquality:\n  repeats: 10\n", "")
    changes = printed(whole)
    assert "Selected 6 of 6 questions." in changes
    assert "Changed the quality plan: repeats." in changes
    campaign = Campaign.objects.get()
    assert (campaign.selection, campaign.quality["repeats"]) == ({}, 0)
    assert printed(whole).startswith("Nothing changed.")
    opened = STUDY.replace("draft", "open")
    assert "Opened the campaign." in printed(opened)
    assert printed(opened).startswith("Nothing changed.")
    assert "is open: its selection cannot change" in printed(whole, 1)
    unchecked = STUDY.replace("quality:\n  repeats: 10\n", "")
    assert "is open: its repeats cannot change" in printed(unchecked, 1)
    assert Campaign.objects.count() == 1


@pytest.mark.jobs
@pytest.mark.django_db(transaction=True)
def test_sample_and_expiry_of_a_study_are_compared_as_the_server_stores_them(
    folder: Path, capsys
) -> None:
    study = folder / "study.yaml"
    sampled = STUDY.replace("systems: [Alba, Brisa]", "sample: {size: 1, seed: 7}")
    limited = "{label: A, expires_at: 2099-01-01T10:00:00Z}\n  - {label: B, expires_at: 2099-01-01 10:00:00}"
    study.write_text(sampled.replace("{label: Students, places: 2}", limited))
    assert main(["apply", str(study)]) == 0
    assert main(["apply", str(study)]) == 0
    assert "Nothing changed." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("faulty", "sentence"),
    [
        (
            STUDY.replace("  licence", "  lisence"),
            "in `dataset` “lisence”. Did you mean “licence”?",
        ),
        (STUDY.replace("state: draft", "state: opened"), "state “opened”. Did you mean “open”?"),
        (STUDY.replace("per_task", "per_tasks"), "Did you mean “annotators_per_task”?"),
        (STUDY.replace("repeats: 10", "repeat: 10"), "Did you mean “repeats”?"),
        (STUDY.replace("places: 2", "place: 2"), "Did you mean “places”?"),
        (STUDY.replace("role: metric", "role: metrc"), "Did you mean “metric”?"),
        ("dataset:\nprotocol: small\ncampaign: {title: Locks}", "`dataset` must hold `name`"),
        (STUDY.replace("mine.yaml", "9"), "`protocol` must hold the key"),
        (STUDY.replace("  file: locks.csv\n", ""), "`dataset.file` must hold the name of a file"),
        (STUDY.replace("  name: Locks\n", ""), "`dataset.name` must hold"),
        (STUDY.replace("  title: Locks\n", ""), "`campaign.title` must hold"),
        (STUDY.replace("label: Students, ", ""), "`invitations[].label` must hold"),
        (
            STUDY.replace("- {label: Students, places: 2}", "- Students"),
            "`invitations[]` must hold",
        ),
        (STUDY.replace("  repeats: 10\n", ""), "`quality` must hold"),
        (STUDY.replace("systems: [Alba, Brisa]", "sample: 5"), "`selection.sample` must hold"),
        ("", "The file of a study must hold the keys `dataset`"),
    ],
)
def test_study_with_a_faulty_key_is_refused_in_a_sentence(
    faulty: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.setenv("QUAESTOR_URL", "http://localhost:1")
    (tmp_path / "study.yaml").write_text(faulty)
    assert main(["apply", str(tmp_path / "study.yaml")]) == 1
    assert sentence in capsys.readouterr().err


@pytest.mark.jobs
@pytest.mark.django_db(transaction=True)
def test_study_that_cannot_be_made_leaves_no_dataset(folder: Path, capsys) -> None:
    study = folder / "study.yaml"
    study.write_text(STUDY.replace("score: {", "scor: {"))
    assert main(["apply", str(study)]) == 1
    assert "“scor”" in capsys.readouterr().err
    study.write_text(STUDY.replace("state:", "stat:"))
    assert main(["apply", str(study)]) == 1
    assert "unknown key “stat”. Did you mean “state”?" in capsys.readouterr().err
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
