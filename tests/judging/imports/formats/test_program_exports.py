"""Files that annotation programs wrote themselves, about the same four questions.

Two annotators rate two systems on two passages; the second annotator does not rate the last question.
The files in `exports` were made once, outside the project, with these versions:

- argilla1.jsonl: argilla 1.29.1, `FeedbackDataset.format_as("datasets").to_json()`
- argilla2.json, argilla2.jsonl: argilla 2.8.0, `JsonIO.to_json` and `GenericIO.to_list(flatten=True)`
- doccano.csv, doccano.json, doccano.jsonl: doccano 1.8.4, `ExportApplicationService` of a project of
  one annotator
- label_studio.csv, label_studio.json, label_studio_min.json: label-studio-sdk 2.1.2, `LabelInterface`
  and `Converter`
- pearmut.jsonl: pearmut 1.1.6, `save_db_payload`, with one page before a reset
- potato2.csv, potato2.jsonl: potato-annotation 2.12.1, `CSVExporter` and `JSONLExporter`
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from judging.imports.readers.outline import outline
from judging.imports.readers.records import StudyRecords
from judging.imports.readers.registry import sniff

EXPORTS = Path(__file__).parent / "exports"
QUESTIONS = ["When do owls hunt?", "Who hunts?", "When do mice sleep?", "When mice sleep?"]
ANN, BEN = (f"00000000-0000-0000-0000-00000000000{number}" for number in (1, 2))
BY_TWO = {"fluency": [4, 3], "relevance": [4, 3]}
FILES = {
    "argilla1.jsonl": ("argilla", {"fluency": [4, 3], "relevance": [4], "faults": [3]}),
    "argilla2.json": ("argilla", {"fluency": [4, 4], "relevance": [4]}),
    "argilla2.jsonl": ("argilla", {"fluency": [4, 3], "relevance": [4]}),
    "doccano.csv": ("doccano", {"fluency": [4], "relevance": [4]}),
    "doccano.json": ("doccano", {"fluency": [4], "relevance": [4]}),
    "doccano.jsonl": ("doccano", {"fluency": [4], "relevance": [4]}),
    "label_studio.csv": ("csv", BY_TWO),
    "label_studio.json": ("label_studio", BY_TWO),
    "label_studio_min.json": ("label_studio", BY_TWO),
    "pearmut.jsonl": ("pearmut", {"score": [4, 4]}),
    "potato2.csv": ("potato", BY_TWO),
    "potato2.jsonl": ("potato", BY_TWO),
}


def read(name: str, *, adding: bool = False) -> tuple[str, StudyRecords]:
    """Return the format and the study under the proposed columns; `adding` lets rows name questions
    by ids."""
    data = (EXPORTS / name).read_bytes()
    known = sniff(name, data)
    columns = outline(data=data, known=known, name=name).proposed
    assert columns is not None
    columns = replace(columns, without_questions=adding)
    return known.key, known.read(data, name=name, columns=columns)


def counts(study: StudyRecords) -> dict[str, list[int]]:
    """Return the number of ratings by each annotator for each criterion."""
    given = Counter((rating.criterion, rating.rater) for rating in study.ratings)
    return {
        criterion: [count for (named, _), count in given.items() if named == criterion]
        for criterion in study.criteria
    }


@pytest.mark.parametrize("name", FILES)
def test_export_of_a_program_gives_ratings_by_annotator(name: str) -> None:
    key, expected = FILES[name]

    known, study = read(name, adding=name.startswith("potato2"))

    assert (known, counts(study)) == (key, expected)
    assert not study.score_columns
    if not name.startswith("potato2"):
        assert [question.text for question in study.questions] == QUESTIONS
        assert (study.systems, len(study.sources)) == (("A", "B"), 2)


def test_argilla_gives_comments_as_notes_and_suggestions_as_metadata() -> None:
    for name in ("argilla1.jsonl", "argilla2.json", "argilla2.jsonl"):
        _, study = read(name)
        assert {note.text for note in study.notes} == {"The question is a little odd to read."}
        assert {rating.rater for rating in study.ratings} == {ANN, BEN}
        assert {question.attributes["fluency-suggestion"] for question in study.questions} == {"3"}


def test_argilla_passes_over_a_discarded_response_and_several_labels() -> None:
    _, study = read("argilla1.jsonl")

    assert [(each.row, each.kind) for each in study.problems] == [(1, "value"), (4, "warning")]


def test_pearmut_passes_over_pages_before_a_reset() -> None:
    _, study = read("pearmut.jsonl")

    assert "10" not in {rating.value for rating in study.ratings}
    assert [(each.row, each.kind) for each in study.problems] == [(1, "row")]


def test_potato_2_names_questions_by_their_ids_and_gives_texts_as_notes() -> None:
    _, study = read("potato2.csv", adding=True)

    assert [question.key for question in study.questions] == ["q0", "q1", "q2", "q3"]
    assert [(note.rater, note.text) for note in study.notes] == [("ann", "odd")]
