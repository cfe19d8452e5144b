from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from judging.actions import rubrics
from judging.models import (
    Campaign,
    Collection,
    Judgment,
    Metric,
    Quarantine,
    Question,
    Source,
    StoredFile,
    User,
)
from judging.protocols import documents
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


def test_a_file_is_imported_with_its_guessed_columns(file, owner, capsys):
    run(file, "--licence", "CC BY 4.0", "--language", "de")

    made = Collection.objects.get()
    assert (made.name, made.owner, made.licence, made.language) == (
        "Canals",
        owner,
        "CC BY 4.0",
        "de",
    )
    assert (made.file_name, made.file_sha256) == ("canals.csv", StoredFile.objects.get().sha256)
    assert Question.objects.count() == 3
    said = capsys.readouterr().out
    assert "3 rows read, 3 kept, 0 refused." in said
    assert "Brisa: 1 questions, 1 missing, 0 repeated in their set" in said


def test_columns_are_what_the_arguments_say(file, owner):
    run(file, "--map", "answer=topic", "--metric", "Bleu_4:lower:percent", "--metadata", "answer")

    metric = Metric.objects.get()
    assert (metric.name, metric.direction, metric.scale) == ("Bleu_4", "lower", "percent")
    assert set(Source.objects.values_list("answer", flat=True)) == {"locks", "weirs"}


def test_each_system_may_have_a_column_of_its_own(tmp_path, owner):
    file = tmp_path / "beside.csv"
    file.write_text("passage,eins,zwei\nThe lock.,Warum?,Wer?\nThe weir.,Wann?,\n")

    run(file, "--questions", "eins=Alba", "--questions", "zwei=Brisa")

    asked = Question.objects.values_list("unit__question_set__system__name", "text")
    assert sorted(asked) == [("Alba", "Wann?"), ("Alba", "Warum?"), ("Brisa", "Wer?")]


def test_a_field_can_be_left_out(file, owner):
    run(file, "--map", "answer=")

    assert set(Source.objects.values_list("answer", flat=True)) == {""}


def test_ratings_become_a_campaign_and_what_is_impossible_ends_with_three(tmp_path, owner, capsys):
    key = factories.rubric().key
    file = tmp_path / "rated.csv"
    file.write_text("question,a,b\nWhy?,1,3\nWho?,31,2\n")

    with pytest.raises(SystemExit) as ended:
        run(
            file,
            "--system",
            "Alba",
            "--rubric",
            key,
            "--ratings",
            "a=correctness@Ann",
            "--ratings",
            "b=correctness@Bo",
            "--ratings-title",
            "As released",
            "--accept",
        )

    assert ended.value.code == 3
    assert Campaign.objects.get().title == "As released"
    assert Judgment.objects.count() == 3
    assert Quarantine.objects.get().row == 3
    assert "row 3, a: It is not on the scale" in capsys.readouterr().err


def test_the_same_file_twice_ends_with_four_unless_again(file, owner):
    run(file)

    with pytest.raises(CommandError, match="imported before") as refused:
        run(file)
    assert refused.value.returncode == 4
    run(file, "--again")

    assert Collection.objects.count() == 2


@pytest.mark.parametrize(
    ("arguments", "reason", "code"),
    [
        (("--map", "question=nothing"), "The file has no column “nothing”", 1),
        (("--map", "colour=topic"), "there is no such field", 2),
        (("--map", "topic"), "write it as NAME=VALUE", 2),
        (("--metric", "Bleu_4"), "must say higher or lower", 2),
        (("--metric", "Bleu_4:sideways"), "must say higher or lower", 2),
        (("--rubric", "nothing"), "There is no protocol nothing", 2),
        (("--map", "system="), "say with --system", 2),
        (("--ratings", "topic=correctness@Ann"), "choose the protocol", 1),
        (("--format", "qgstec_xml"), "XML cannot be read", 1),
    ],
)
def test_wrong_arguments_end_in_a_sentence(file, owner, arguments, reason, code):
    with pytest.raises(CommandError, match=reason) as refused:
        run(file, *arguments)

    assert refused.value.returncode == code
    assert Collection.objects.count() == 0


def test_an_unknown_owner_or_file_ends_in_a_sentence(file, tmp_path, owner):
    with pytest.raises(CommandError, match="no account called nobody"):
        call_command("import_study", str(file), "--name", "Canals", "--owner", "nobody")
    with pytest.raises(CommandError, match="cannot be read"):
        run(tmp_path / "nothing.csv")


def test_a_file_that_cannot_be_read_says_why(tmp_path, owner):
    file = tmp_path / "bad.csv"
    file.write_bytes(b"")

    with pytest.raises(CommandError, match="The file is empty"):
        run(file)


def test_qgstec_as_released(owner):
    rubrics.install(document=documents.shipped("qgstec2010-b"))

    with pytest.raises(SystemExit):
        run(shared_data.path("qgstec2010/EvaluatedSubmissions.xml"), "--rubric", "qgstec2010-b")

    assert Quarantine.objects.count() == 3


def test_nema_2018_as_released(owner):
    rubrics.install(document=documents.shipped("nema-khapra"))

    run(shared_data.path("nema2018/squad.tsv"), "--rubric", "nema-khapra")

    assert Judgment.objects.count() == 2 * 897
    assert set(Source.objects.values_list("modality", flat=True)) == {"document"}
    assert Collection.objects.get().systems.get().name == "noised"


def test_words_and_raters_are_what_the_arguments_say(tmp_path, owner, capsys):
    key = factories.rubric().key
    file = tmp_path / "rated.csv"
    rows = [
        f"What has town {town}?,{rater},{word}"
        for town in range(4)
        for rater, word in {"Ann": "fine", "gold": "fine", "majority": "fine"}.items()
    ]
    file.write_text("\n".join(["question,rater,correctness", *rows]))
    told = ("--system", "Alba", "--rubric", key, "--rater", "gold=annotator")

    with pytest.raises(CommandError, match="the word “fine”"):
        run(file, *told, "--rater", "majority=exclude")
    run(file, *told, "--rater", "majority=exclude", "--point", "correctness:fine=3")

    labels = set(Judgment.objects.values_list("assignment__enrollment__label", "value"))
    assert labels == {("Ann", 3), ("gold", 3)}


def test_a_column_that_is_left_out_for_its_values_is_told(tmp_path, owner, capsys):
    key = factories.rubric().key
    file = tmp_path / "rated.csv"
    rows = [f"What has town {town}?,{1 + town % 3},3,{2 + town % 3 / 2}" for town in range(9)]
    file.write_text("\n".join(["question,correctness_A,correctness_B,correctness_avg", *rows]))

    run(file, "--system", "Alba", "--rubric", key)

    assert "“correctness_avg” is the mean of" in capsys.readouterr().out
    assert Judgment.objects.count() == 18
