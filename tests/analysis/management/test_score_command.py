"""manage.py score: a plain table in, the same table with scores out; every mistake named by file,
row and column."""

import csv
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from quaestor_metrics._bleu import bleu
from quaestor_metrics._columns import references
from tests.shared_data import path

ROOT = Path(__file__).resolve().parents[3]
TABLE = 'id,h,r\n1,a b c d,a b c e\n2,"x, y",x y\n3,,z\n'


def write(folder: Path, text: str = TABLE, name: str = "in.csv") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def run(
    file: Path, *more: str, metric: str = "bleu_1", hypothesis: str = "h", reference: str = "r"
) -> list[dict[str, str]]:
    out = file.with_name("out.csv")
    asked = ["--metric", metric, "--hypothesis", hypothesis, "--out", str(out)]
    call_command(
        "score",
        str(file),
        *asked,
        *(["--reference", reference] if reference else []),
        *more,
        stdout=StringIO(),
    )
    with out.open(encoding="utf-8", newline="") as found:
        return list(csv.DictReader(found))


def test_the_table_comes_back_with_one_column_a_metric_at_full_precision(tmp_path: Path) -> None:
    found = run(write(tmp_path), metric="bleu_4,rouge_l,bleu_1")
    assert list(found[0]) == ["id", "h", "r", "bleu_4", "rouge_l", "bleu_1"]
    assert [row["h"] for row in found] == ["a b c d", "x, y", ""]
    assert float(found[0]["bleu_4"]) == bleu("a b c d", ["a b c e"])[3]
    assert found[2]["bleu_4"] == "0.0"


def test_published_columns_come_out_of_the_released_table(tmp_path: Path) -> None:
    file = write(tmp_path, path("qgbench/sample_300.csv").read_text(encoding="utf-8"))
    asked = ("--prepare-hypothesis", "nqg", "--prepare-reference", "raw")
    found = run(
        file, *asked, metric="bleu_4,rouge_l", hypothesis="prediction", reference="reference_norm"
    )
    assert len(found) == 300
    assert max(abs(float(row["bleu_4"]) - float(row["Bleu_4"])) for row in found) < 1e-6
    assert max(abs(float(row["rouge_l"]) - float(row["ROUGE_L"])) for row in found) < 1e-6


@pytest.mark.long
def test_it_needs_no_database_and_no_server(tmp_path: Path) -> None:
    file, out = write(tmp_path), tmp_path / "out.tsv"
    environment = os.environ | {
        "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
        "QUAESTOR_HOME": str(tmp_path),
    }
    asked = ["--hypothesis", "h", "--reference", "r", "--metric", "rouge_l", "--out", str(out)]
    ran = subprocess.run(
        [sys.executable, "manage.py", "score", str(file), *asked],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "rouge_l: 3 rows" in ran.stdout
    assert out.read_text().splitlines()[0] == "id\th\tr\trouge_l"


def test_json_lines_and_tabs_are_read(tmp_path: Path) -> None:
    as_json = run(
        write(tmp_path, '{"h": "a b", "r": ["a b", "c"]}\n{"h": "c", "r": "c"}\n', "in.jsonl")
    )
    as_tabs = run(write(tmp_path, 'h\tr\na b\t["a b", "c"]\nc\tc\n', "in.tsv"))
    assert [float(row["bleu_1"]) for row in as_json] == pytest.approx([1, 1])
    assert [row["bleu_1"] for row in as_json] == [row["bleu_1"] for row in as_tabs]


@pytest.mark.parametrize(
    ("cell", "separator", "expected"),
    [
        ("a b", "", ("a b",)),
        ('["a", "b"]', "", ("a", "b")),
        ("[]", "", ()),
        ("[sic] what?", "", ("[sic] what?",)),
        ("[1, 2]", "", ("[1, 2]",)),
        ("a ||| b", "|||", ("a", "b")),
        ('["a"]', ";", ('["a"]',)),
    ],
)
def test_references_of_a_cell(cell: str, separator: str, expected: tuple[str, ...]) -> None:
    assert references(cell, separator) == expected


def test_a_separator_gives_several_references(tmp_path: Path) -> None:
    found = run(write(tmp_path, "h,r\na b,x y|a b\n"), "--reference-separator", "|")
    assert float(found[0]["bleu_1"]) == pytest.approx(1)


def test_a_row_without_references_has_a_blank_and_the_summary_says_why(tmp_path: Path) -> None:
    file, said = write(tmp_path, "h,r\na,a\nb,[]\n"), StringIO()
    out = tmp_path / "out.csv"
    call_command(
        "score",
        str(file),
        "--hypothesis=h",
        "--reference=r",
        "--metric=bleu_1",
        f"--out={out}",
        stdout=said,
    )
    assert out.read_text().splitlines()[2] == "b,[],"
    assert "1 without a value: the question has no reference" in said.getvalue()


def test_rows_of_a_source_and_system_are_a_set_and_share_its_score(tmp_path: Path) -> None:
    text = "src,sys,h,r\n1,A,a b,a b\n1,A,c d,c d\n1,B,a b,a b\n1,B,a b,c d\n"
    found = run(
        write(tmp_path, text),
        "--source",
        "src",
        "--system",
        "sys",
        metric="multi_bleu_1,corpus_bleu_4,type_ratio",
    )
    assert [round(float(row["multi_bleu_1"]), 6) for row in found] == [1, 1, 0.5, 0.5]
    assert found[0]["corpus_bleu_4"] == found[1]["corpus_bleu_4"] != found[2]["corpus_bleu_4"]


def test_parameters_are_passed_on(tmp_path: Path) -> None:
    plain = run(write(tmp_path), metric="q_bleu_1")
    other = run(
        write(tmp_path),
        "--param",
        "q_bleu_1.delta=0",
        "--param",
        "q_bleu_1.prepare=raw",
        metric="q_bleu_1",
    )
    assert float(other[0]["q_bleu_1"]) == bleu("a b c d", ["a b c e"])[0]
    assert plain[0]["q_bleu_1"] != other[0]["q_bleu_1"]


def test_a_metric_that_is_missing_is_said_and_the_others_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUAESTOR_METEOR_JAR", str(tmp_path / "none.jar"))
    file = write(tmp_path)
    with pytest.raises(CommandError, match="Not computed:\nmeteor: "):
        run(file, metric="bleu_1,meteor")
    assert (tmp_path / "out.csv").read_text().splitlines()[0] == "id,h,r,bleu_1"


def test_list_names_every_metric_with_its_reason() -> None:
    said = StringIO()
    call_command("score", "--list", stdout=said)
    assert "bleu_4 " in said.getvalue()
    assert "multi_bleu_4" in said.getvalue()


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        (
            "h,r\na,a\nb,\n",
            (),
            "in.csv, row 3, column r: a reference is blank; write [] where a question has none",
        ),
        ("h,r\na,a\nb\n", (), "in.csv, row 3: The row has 1 cells where the header has 2."),
        ("h,x\na,a\n", (), "in.csv: there is no column r; there are h, x"),
        ("h,r,bleu_1\na,a,1\n", (), "in.csv: there is a column bleu_1 already"),
        ("", (), "in.csv: The file is empty."),
        (TABLE, ("--metric", "blue"), "--metric: no metric is called blue"),
        (TABLE, ("--metric", "f_bleu_1"), "f_bleu_1 needs --source"),
        (TABLE, ("--param", "bleu_1.x=1"), "--param: bleu_1 has no parameter x"),
        (TABLE, ("--param", "rouge_l.x=1"), "write METRIC.NAME=VALUE"),
        (
            TABLE,
            ("--metric", "chrf", "--param", "chrf.char_order=700"),
            "--param: chrf: char_order is a whole number from 1 to 10, not 700",
        ),
        (
            TABLE,
            ("--prepare-hypothesis", "+".join(["nqg"] * 400)),
            "a preparation has at most 4 steps, this one has 400",
        ),
        (TABLE, ("--context", "passage"), "there is no column passage"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, more: tuple[str, ...], message: str) -> None:
    with pytest.raises(CommandError) as error:
        run(write(tmp_path, text), *more)
    assert message in str(error.value)
    assert not (tmp_path / "out.csv").exists()


def test_a_metric_of_references_needs_a_column_of_them(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="bleu_1 needs --reference"):
        run(write(tmp_path), reference="")


@pytest.mark.parametrize(
    ("name", "message"), [("none.csv", "No such file"), ("in.xlsx", "the ending is none of .csv")]
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(CommandError, match=message):
        run(tmp_path / name)


def test_what_is_missing_on_the_command_line_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="--out is missing"):
        call_command("score", str(write(tmp_path)), "--metric", "bleu_1", "--hypothesis", "h")


def test_the_command_reads_passage_and_answer_from_their_columns(
    qa_model: Path, tmp_path: Path
) -> None:
    file = tmp_path / "in.csv"
    file.write_text(
        "h,c,a\nWho built the bridge ?,In 1851 Agnes Moss built the bridge,Moss\n", encoding="utf-8"
    )
    asked = "answer_consistency_f1,answer_consistency_em"
    (found,) = run(file, "--context", "c", "--answer", "a", metric=asked, reference="")
    assert (float(found["answer_consistency_f1"]), float(found["answer_consistency_em"])) == (
        2 / 3,
        0.0,
    )
