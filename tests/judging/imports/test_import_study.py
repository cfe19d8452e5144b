"""manage.py import_study: a file into a dataset from the shell."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Dataset, Quarantine, Question, Source
from judging.datasets.models.score import Metric
from judging.jobs.models.file import StoredFile
from judging.people.models.user import User
from judging.protocols import documents
from judging.protocols.actions import protocols
from judging.work.models.judgment import Judgment
from tests import factories, shared_data
from tests.judging.studies import QUESTIONS

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return factories.researcher("ada")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "canals.csv"
    path.write_text(QUESTIONS)
    return path


def run(file: Path, *arguments: str, **options: Any) -> None:
    call_command(
        "import_study", str(file), "--name", "Canals", "--owner", "ada", *arguments, **options
    )


def test_a_file_is_imported_under_its_proposed_mapping(file, owner, capsys):
    run(file, "--licence", "CC BY 4.0", "--language", "de", "--accept")

    made = Dataset.objects.get()
    assert (made.name, made.owner, made.licence, made.language) == (
        "Canals",
        owner,
        "CC BY 4.0",
        "de",
    )
    assert (made.file_name, made.file_sha256) == ("canals.csv", StoredFile.objects.get().sha256)
    assert Question.objects.count() == 3
    assert "3 questions by 2 systems on 2 sources" in capsys.readouterr().err


def test_the_mapping_is_shown_and_imports_the_same_when_given_back(file, tmp_path, owner, capsys):
    run(file, "--show")
    shown = json.loads(capsys.readouterr().out)
    assert not Dataset.objects.exists()
    given = tmp_path / "mapping.json"
    shown["columns"]["Bleu_4"]["name"] = "BLEU"
    given.write_text(json.dumps(shown))

    run(file, "--mapping", str(given), "--accept")

    assert Question.objects.count() == 3
    assert Metric.objects.get().name == "BLEU"


def test_columns_are_what_the_arguments_say(file, owner):
    run(file, "--column", "Bleu_4=metric:B4:lower:percent", "--column", "answer=", "--accept")

    metric = Metric.objects.get()
    assert (metric.name, metric.direction, metric.scale) == ("B4", "lower", "percent")
    assert set(Source.objects.values_list("answer", flat=True)) == {""}


def test_each_system_may_have_a_column_of_its_own(tmp_path, owner):
    file = tmp_path / "beside.csv"
    file.write_text("passage,eins,zwei\nThe lock.,Warum?,Wer?\nThe weir.,Wann?,\n")

    said = ("--column", "eins=question_of:Alba", "--column", "zwei=question_of:Brisa")
    run(file, *said, "--accept")

    asked = Question.objects.values_list("unit__question_set__system__name", "text")
    assert sorted(asked) == [("Alba", "Wann?"), ("Alba", "Warum?"), ("Brisa", "Wer?")]


def test_ratings_become_a_campaign_and_what_is_impossible_ends_with_three(tmp_path, owner, capsys):
    key = factories.protocol().key
    file = tmp_path / "rated.csv"
    file.write_text("question,a,b\nWhy?,1,3\nWho?,31,2\n")
    said = ("--column", "a=ratings:correctness@Ann", "--column", "b=ratings:correctness@Bo")

    with pytest.raises(SystemExit) as ended:
        run(
            file,
            *("--set", "system=Alba", "--protocol", key, *said),
            *("--ratings-title", "As released", "--accept"),
        )

    assert ended.value.code == 3
    assert Campaign.objects.get().title == "As released"
    assert Judgment.objects.count() == 3
    assert Quarantine.objects.get().row == 3
    assert "row 3, a: " in capsys.readouterr().err


def test_what_is_surprising_is_refused_without_accept(tmp_path, owner):
    key = factories.protocol().key
    file = tmp_path / "rated.csv"
    file.write_text("question,correctness@Ann\nWhy?,1\nWho?,7\nWhen?,7\n")

    with pytest.raises(CommandError, match="say --accept"):
        run(file, "--set", "system=Alba", "--protocol", key)

    assert not Dataset.objects.exists()


def test_the_same_file_twice_ends_with_four_unless_again(file, owner):
    run(file, "--accept")

    with pytest.raises(CommandError, match="imported before") as refused:
        run(file, "--accept")
    assert refused.value.returncode == 4
    run(file, "--again", "--accept")

    assert Dataset.objects.count() == 2


@pytest.mark.parametrize(
    ("arguments", "reason", "code"),
    [
        (("--column", "nothing=question"), "nothing", 1),
        (("--column", "topic=colour"), "columns.topic", 2),
        (("--column", "topic"), "write it as COLUMN=ROLE", 2),
        (("--set", "topic"), "write it as FIELD=VALUE", 2),
        (("--set", "colour=red"), "colour", 2),
        (("--column", "Bleu_4=metric:B:sideways"), "direction", 2),
        (("--protocol", "nothing"), "There is no protocol nothing", 2),
        (("--column", "topic=ratings:correctness@Ann"), "protocol", 1),
        (("--set", "recipe=unknown"), "No recipe is called", 1),
    ],
)
def test_wrong_arguments_end_in_a_sentence(file, owner, arguments, reason, code):
    with pytest.raises(CommandError, match=reason) as refused:
        run(file, *arguments, "--accept")

    assert refused.value.returncode == code
    assert Dataset.objects.count() == 0


def test_an_unknown_owner_or_file_ends_in_a_sentence(file, tmp_path, owner):
    with pytest.raises(CommandError, match="no account called nobody"):
        call_command("import_study", str(file), "--name", "Canals", "--owner", "nobody")
    with pytest.raises(CommandError, match="cannot be read"):
        run(tmp_path / "nothing.csv")
    with pytest.raises(CommandError, match="--name"):
        call_command("import_study", str(file), "--owner", "ada")
    (tmp_path / "bad.csv").write_bytes(b"")
    with pytest.raises(CommandError, match="empty"):
        run(tmp_path / "bad.csv")


def test_qgstec_as_released(owner):
    protocols.install(document=documents.shipped("qgstec2010-b"))
    file = shared_data.path("qgstec2010/EvaluatedSubmissions.xml")

    with pytest.raises(SystemExit):
        run(file, "--protocol", "qgstec2010-b", "--accept")

    assert Question.objects.count() == 896
    assert Campaign.objects.get().enrollments.count() == 6
    assert Quarantine.objects.count() == 3


def test_nema_2018_as_released(owner):
    protocols.install(document=documents.shipped("nema-khapra"))

    run(shared_data.path("nema2018/squad.tsv"), "--protocol", "nema-khapra", "--accept")

    assert Judgment.objects.count() == 2 * 897
    assert Dataset.objects.get().systems.count() == 1
