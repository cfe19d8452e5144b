"""Our own exports, which are read back as they were written, whatever their texts look like."""

from collections.abc import Callable

import pytest

from judging.imports.formats.label_studio import write_label_studio
from judging.imports.formats.long import write_long_csv, write_long_jsonl
from judging.imports.readers.records import (
    QuestionRecord,
    RatingRecord,
    ScoreColumn,
    SourceRecord,
    StudyRecords,
)
from tests.judging.imports.readers.shape.reading import read, remarks, texts

QUESTIONS = ("1. Who hunts? 2. Why?", "['Who?', 'Why?']", "<pad> Who || What?</s>", None)
STUDY = StudyRecords(
    sources=tuple(
        SourceRecord(
            key=key,
            passage=f"Owls [{key}] hunt.",
            references=("Who? | Which?", "['x', 'y']"),
            attributes={"tags": "['a', 'b']", "share": "61%"},
            row=1,
        )
        for key in ("1", "2")
    ),
    questions=tuple(
        QuestionRecord(
            source_key="12"[place % 2],
            system=("Average", "Total")[place // 2],
            position=1,
            text=text,
            scores={"bleu": "0.5"},
            attributes={"meta": "{'a': 1}"},
            row=place + 1,
        )
        for place, text in enumerate(QUESTIONS)
    ),
    ratings=(
        RatingRecord(
            source_key="1",
            system="Average",
            position=1,
            rater="mean",
            criterion="fluency",
            value="3",
            row=1,
            column="",
        ),
    ),
    expected={(source, system): 1 for system in ("Average", "Total") for source in ("1", "2")},
    score_columns=(ScoreColumn(column="bleu", name="bleu"),),
)


@pytest.mark.parametrize(
    ("write", "name"),
    [(write_long_csv, "a.csv"), (write_long_jsonl, "a.jsonl"), (write_label_studio, "a.json")],
)
def test_an_export_is_read_back_as_it_was_written(
    write: Callable[[StudyRecords], str], name: str
) -> None:
    found, study = read(write(STUDY), name)

    assert texts(study) == list(QUESTIONS)
    assert [(each.references, dict(each.attributes)) for each in study.sources] == [
        (each.references, dict(each.attributes)) for each in STUDY.sources
    ]
    assert [dict(each.attributes) for each in study.questions] == [{"meta": "{'a': 1}"}] * 4
    assert (study.missing, len(study.ratings)) == ({"Average": 0, "Total": 1}, 1)
    assert remarks(found) == []
