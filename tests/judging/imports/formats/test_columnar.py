"""Parquet and Arrow files."""

import io
import math
import subprocess
import sys
from datetime import date, datetime

import pyarrow
import pytest
from pyarrow import feather, ipc, parquet

from judging.imports.actions import reading_plans
from judging.imports.actions.reading_plans import Plan
from judging.imports.readers.limited import Request, outline_of
from judging.imports.readers.registry import FORMAT
from judging.imports.readers.text import Unreadable
from tests import shared_data

RATED = pyarrow.table(
    {
        "system": ["A", "B"],
        "question": ["Who hunts?", "What hunts?"],
        "reference": ["Who is hunting?", None],
        "bleu": [0.5, 1.0],
        "fluency@Ann": [3, 1],
        "fluency@Ben": [2, None],
    }
)


def as_parquet(table: pyarrow.Table) -> bytes:
    out = io.BytesIO()
    parquet.write_table(table, out)
    return out.getvalue()


def as_feather(table: pyarrow.Table) -> bytes:
    out = io.BytesIO()
    feather.write_feather(table, out)
    return out.getvalue()


def as_stream(table: pyarrow.Table) -> bytes:
    out = io.BytesIO()
    with ipc.new_stream(out, table.schema) as stream:
        stream.write_table(table)
    return out.getvalue()


@pytest.mark.parametrize("written", [as_parquet, as_feather, as_stream])
@pytest.mark.parametrize("name", ["owls.parquet", "owls"])
def test_read_study_of_a_columnar_file_gives_questions_and_ratings(written, name) -> None:
    data = written(RATED)
    head = reading_plans.read_head(name=name, data=data, plan=Plan())
    assert (head.format, head.header) == ("parquet", tuple(RATED.column_names))
    study = reading_plans.read_study(
        name=name, data=data, plan=Plan(format=head.format, columns=head.proposed)
    )
    assert study.problems == ()
    assert [(each.system, each.text, dict(each.scores)) for each in study.questions] == [
        ("A", "Who hunts?", {"bleu": "0.5"}),
        ("B", "What hunts?", {"bleu": "1"}),
    ]
    assert [(each.rater, each.value, each.row) for each in study.ratings] == [
        ("Ann", "3", 2),
        ("Ben", "2", 2),
        ("Ann", "1", 3),
    ]


def test_open_columnar_writes_values_as_text() -> None:
    table = pyarrow.table(
        {
            "question": ["Who?"],
            "list": [["Who hunts?", "What hünts?"]],
            "struct": [{"lemma": "owl", "tags": ["noun"]}],
            "day": [date(2010, 5, 1)],
            "time": [datetime(2010, 5, 1, 12, 30)],
            "whole": [3.0],
            "nan": pyarrow.array([math.nan]),
            "is_gold": [True],
        }
    )
    assert FORMAT["parquet"].open(as_parquet(table)).rows[0].cells == (
        "Who?",
        '["Who hunts?", "What hünts?"]',
        "owl",
        '["noun"]',
        "2010-05-01",
        "2010-05-01T12:30:00",
        "3",
        "",
        "true",
    )


def test_read_study_of_a_parquet_file_of_other_people_gives_its_ratings() -> None:
    data = shared_data.path("cases/10-parquet-arrow-ods-spss-stata/01.parquet").read_bytes()
    study = reading_plans.read_study(name="01.parquet", data=data, plan=Plan())
    assert (len(study.questions), study.systems, study.raters) == (8, ("S1", "S2"), ("A", "B"))
    assert study.problems == ()


@pytest.mark.parametrize("written", [as_parquet, as_feather, as_stream])
def test_read_head_of_a_damaged_columnar_file_says_so(written) -> None:
    data = written(RATED)
    with pytest.raises(Unreadable, match=r"damaged"):
        reading_plans.read_head(name="a.parquet", data=data[: len(data) // 2], plan=Plan())


@pytest.mark.long
def test_read_head_of_a_parquet_file_that_unpacks_to_too_much_names_the_memory() -> None:
    table = pyarrow.table({"question": ["x" * 1_000_000] * 600, "system": ["A"] * 600})
    data = as_parquet(table)
    assert len(data) < 1_000_000
    with pytest.raises(Unreadable, match="more than 1,000 MB of memory"):
        outline_of(Request(data=data, name="a.parquet"))


def test_open_columnar_without_pyarrow_names_the_extra() -> None:
    program = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from judging.imports.readers.registry import sniff\n"
        "data = sys.stdin.buffer.read()\n"
        "print(sniff('a.parquet', data).read(data).problems[0].reason)"
    )
    said = subprocess.run(
        [sys.executable, "-c", program], input=as_parquet(RATED), capture_output=True, check=True
    )
    assert said.stdout.decode().startswith(
        "This is a Parquet or Arrow file. Install the extra `parquet` (python3 run.py extras parquet)"
    )
