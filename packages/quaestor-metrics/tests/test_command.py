"""quaestor-metrics: a plain table in, the same table with scores out; every mistake named by file,
row and column."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from released_data import path

from quaestor_metrics._bleu import bleu
from quaestor_metrics._command import cell_references, main

TABLE = 'id,h,r\n1,a b c d,a b c e\n2,"x, y",x y\n3,,z\n'


def write(folder: Path, text: str = TABLE, name: str = "in.csv") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def run(
    file: Path, *more: str, metric: str = "bleu_1", hypothesis: str = "h", reference: str = "r"
) -> list[dict[str, str]]:
    out = file.with_name("out.csv")
    columns = ["--hypothesis", hypothesis, *(["--reference", reference] if reference else [])]
    assert main(["score", str(file), *columns, "--metric", metric, "--out", str(out), *more]) == 0
    with out.open(encoding="utf-8", newline="") as found:
        return list(csv.DictReader(found))


def test_score_returns_the_table_with_one_column_a_metric(tmp_path: Path) -> None:
    found = run(write(tmp_path), metric="bleu_4,rouge_l,bleu_1")
    assert list(found[0]) == ["id", "h", "r", "bleu_4", "rouge_l", "bleu_1"]
    assert [row["h"] for row in found] == ["a b c d", "x, y", ""]
    assert float(found[0]["bleu_4"]) == bleu("a b c d", ["a b c e"])[3]
    assert found[2]["bleu_4"] == "0.0"


def test_score_of_the_released_table_gives_its_published_columns(tmp_path: Path) -> None:
    file = write(tmp_path, path("qgbench/sample_300.csv").read_text(encoding="utf-8"))
    sides = ("--prepare", "nqg", "--prepare-reference", "raw")
    found = run(
        file, *sides, metric="bleu_4,rouge_l", hypothesis="prediction", reference="reference_norm"
    )
    assert len(found) == 300
    assert max(abs(float(row["bleu_4"]) - float(row["Bleu_4"])) for row in found) < 1e-6
    assert max(abs(float(row["rouge_l"]) - float(row["ROUGE_L"])) for row in found) < 1e-6


def test_score_reads_json_lines_and_tabs(tmp_path: Path) -> None:
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
    assert cell_references(cell, separator) == expected


def test_a_separator_gives_several_references(tmp_path: Path) -> None:
    found = run(write(tmp_path, "h,r\na b,x y|a b\n"), "--reference-separator", "|")
    assert float(found[0]["bleu_1"]) == pytest.approx(1)


def test_a_row_without_references_is_blank_and_the_summary_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(write(tmp_path, "h,r\na,a\nb,[]\n"))
    assert (tmp_path / "out.csv").read_text().splitlines()[2] == "b,[],"
    printed = capsys.readouterr().out
    assert "1 without a value: the question has no reference" in printed
    assert "bleu_1|nrefs:var|case:mixed|prep:raw|" in printed


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


def test_a_metric_that_cannot_run_is_named_and_the_others_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("QUAESTOR_METEOR_JAR", str(tmp_path / "none.jar"))
    assert failure(write(tmp_path), capsys, metric="bleu_1,meteor").startswith(
        "quaestor-metrics: not computed:\nmeteor: "
    )
    assert (tmp_path / "out.csv").read_text().splitlines()[0] == "id,h,r,bleu_1"


def failure(
    file: Path,
    capsys: pytest.CaptureFixture[str],
    *more: str,
    metric: str = "bleu_1",
    reference: str = "r",
) -> str:
    """Return what the command prints where it cannot score a table."""
    out = file.with_name("out.csv")
    columns = ["--hypothesis", "h", *(["--reference", reference] if reference else [])]
    arguments = ["score", str(file), *columns, "--metric", metric, "--out", str(out), *more]
    assert main(arguments) == 1
    return capsys.readouterr().err


def test_list_names_every_metric_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    printed = capsys.readouterr().out
    assert "bleu_4 " in printed
    assert "no model is given" in printed
    assert "conservative_ID" in printed


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        (
            "h,r\na,a\nb,\n",
            (),
            "in.csv, row 3, column r: a reference is blank; write [] where there is none",
        ),
        ("h,r\na,a\nb\n", (), "in.csv, row 3: 1 cells, the header has 2"),
        ("h,x\na,a\n", (), "in.csv: there is no column r; there are h, x"),
        ("h,r,bleu_1\na,a,1\n", (), "in.csv: there is a column bleu_1 already"),
        ("", (), "in.csv: the file is empty"),
        (TABLE, ("--metric", "blue"), "no metric is called blue"),
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
            ("--prepare", "+".join(["nqg"] * 400)),
            "a preparation has at most 4 steps, this one has 400",
        ),
        (TABLE, ("--context", "passage"), "there is no column passage"),
    ],
)
def test_mistakes_are_named(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    more: tuple[str, ...],
    message: str,
) -> None:
    assert message in failure(write(tmp_path, text), capsys, *more)
    assert not (tmp_path / "out.csv").exists()


def test_a_metric_of_references_needs_a_column_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "bleu_1 needs --reference" in failure(write(tmp_path), capsys, reference="")


@pytest.mark.parametrize(
    ("name", "message"), [("none.csv", "No such file"), ("in.xlsx", "the ending is none of .csv")]
)
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, message: str
) -> None:
    assert message in failure(tmp_path / name, capsys)


def test_score_reads_passage_and_answer_from_their_columns(
    trained_reader: Path, tmp_path: Path
) -> None:
    text = "h,c,a\nWho built the bridge ?,In 1851 Agnes Moss built the bridge,Moss\n"
    columns = ("--context", "c", "--answer", "a", "--reader", f"toy={trained_reader}")
    metric = "answer_consistency_f1,answer_consistency_em"
    (found,) = run(write(tmp_path, text), *columns, metric=metric, reference="")
    assert (float(found["answer_consistency_f1"]), float(found["answer_consistency_em"])) == (
        2 / 3,
        0.0,
    )


def test_tune_prints_the_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("Who sang it?", "Who sang it?", 1), ("Who sang?", "Who sang it?", 0.4)]
    text = "h,r,rating\n" + "".join(f"{h},{r},{rating}\n" for h, r, rating in rows * 20)
    file = write(tmp_path, text)
    arguments = [str(file), "--hypothesis", "h", "--reference", "r", "--rating", "rating"]
    assert main(["tune", *arguments, "--metric", "rouge_l"]) == 0
    assert capsys.readouterr().out.split()[0] == "delta"
    assert main(["tune", *arguments[:-1], "h"]) == 1
    assert "row 2, column h: 'Who sang it?' is not a number" in capsys.readouterr().err


def test_degrade_adds_a_column_with_blanks_where_nothing_can_be_dropped(tmp_path: Path) -> None:
    file, out = write(tmp_path, "h\nWho is the director?\nWho?\n"), tmp_path / "out.tsv"
    arguments = ["--hypothesis", "h", "--kind", "function_words", "--out", str(out)]
    assert main(["degrade", str(file), *arguments]) == 0
    assert out.read_text() == ("h\th_function_words\nWho is the director?\tWho director?\nWho?\t\n")


def test_help_loads_no_large_library_and_takes_less_than_a_second() -> None:
    code = """
import json, sys, time
from quaestor_metrics._command import main
try:
    main(["--help"])
except SystemExit:
    pass
large = {"torch", "transformers", "scipy.stats", "pandas", "django"} & set(sys.modules)
print(json.dumps([sorted(large), time.process_time()]))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    large, seconds = json.loads(ran.stdout.splitlines()[-1])
    assert (large, seconds < 1) == ([], True)
