"""Ids of external annotators become labels as a file is read."""

import base64
import hashlib
import hmac

import pytest

from judging.formats.frames import Problem
from judging.formats.mapping import Mapping
from judging.formats.pipeline import preview_of, read_study
from judging.formats.pseudonyms import Pseudonyms, pseudonymised, without_ids
from tests.judging.imports.tables import table

KEY = b"a key of twenty-four let"
ANN, BEN = "A1B2C3D4E5F6G7", "A9Z8Y7X6W5V4U3"
PROLIFIC = "5f1a2b3c4d5e6f7a8b9c0d1e"
EVA = "eva.owl@example.org"


def label(original: str) -> str:
    """Return the label by its definition, with another call of the library."""
    hashed = hmac.new(KEY, original.encode(), hashlib.sha256).digest()
    return "P-" + base64.b32encode(hashed).decode("ascii")[:10]


BATCH = (
    "WorkerId,AssignmentStatus,Input.question_1,Answer.fluency_1\n"
    f"{ANN},Approved,Who?,3\n{BEN},Approved,Who?,2\nW3,Approved,Who?,1\n"
    f"A0000000000001,Rejected,Who?,1\n{ANN},Approved\n"
)


def test_workers_of_a_batch_get_labels_and_no_id_is_in_the_study() -> None:
    key = Pseudonyms(KEY)
    study = read_study("a.csv", BATCH.encode(), Mapping(), key)

    assert set(study.ratings["rater"]) >= {label(ANN), label(BEN), label("W3")}
    assert key.table[label(ANN)] == ANN
    shown = repr([frame.to_dict() for frame in (study.ratings, study.questions, study.sources)])
    for original in (ANN, BEN, "A0000000000001"):
        assert original not in shown + repr(study.problems)


def test_preview_shows_no_id() -> None:
    data = f"question,rater,fluency\nWho?,{ANN},3\nWho?,{BEN},2\nWhy?,{EVA}\n".encode()

    shown = repr(preview_of("a.csv", data, Mapping(), Pseudonyms(KEY)))

    assert label(ANN) in shown
    assert not any(original in shown for original in (ANN, BEN, EVA))


def test_one_key_gives_one_person_one_label_in_every_file() -> None:
    assert Pseudonyms(KEY).label(ANN) == Pseudonyms(KEY).label(f" {ANN} ") == label(ANN)
    assert Pseudonyms(KEY).label(EVA.upper()) == label(EVA)
    assert Pseudonyms(b"another key altogether").label(ANN) != label(ANN)


def test_label_is_not_labelled_again() -> None:
    key = Pseudonyms(KEY)

    assert key.label(key.label(ANN)) == label(ANN)
    assert key.label(" ") == ""


def test_key_that_could_be_found_by_trying_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 16 bytes"):
        Pseudonyms(b"short")


@pytest.mark.parametrize(
    ("header", "cells", "labelled"),
    [
        ("Prolific ID", "x|y", "x|y"),
        ("PROLIFIC_PID", PROLIFIC, PROLIFIC),
        ("e-mail", "nobody", "nobody"),
        ("who", f"{ANN}|{BEN}|?", f"{ANN}|{BEN}|?"),
        ("who", "ann|ben", ""),
        ("judge", f"{EVA}|J1|J2", EVA),
        ("model", "T5|ALBERT-BASE-V2", ""),
        ("question_id", PROLIFIC, ""),
        ("HITId", "3ABCDEFGHIJKLMN1", ""),
        ("answer", f"{ANN}|{BEN}|at dawn", f"{ANN}|{BEN}|at dawn"),
        ("answer", f"{ANN}|at dawn|at dusk", ""),
        ("passage", f"Write to {EVA}.", ""),
        ("contact", f"{EVA}|-|-", EVA),
        ("topic", f"mail to {EVA}", ""),
    ],
)
def test_ids_of_people_are_known_by_name_and_by_shape(header, cells, labelled) -> None:
    given, expected = cells.split("|"), labelled.split("|")
    frame = table(f"question|{header}", *(f"Who?|{cell}" for cell in given))

    found = pseudonymised(frame, Pseudonyms(KEY))

    assert list(found[header]) == [label(cell) if cell in expected else cell for cell in given]


def test_answers_that_a_passage_quotes_are_left_alone() -> None:
    row = f"Write to {EVA}.|{EVA}|Where to write?"
    frame = table("passage|answer|question", row, row)

    assert pseudonymised(frame, Pseudonyms(KEY)).equals(frame)


def test_ids_in_names_of_columns_become_labels() -> None:
    names = f"question|fluency@{EVA}|fluency@J.Smith|fluency@{PROLIFIC}|{ANN}_clarity"
    frame = table(names, "Who?|3|2|1|1")

    assert list(pseudonymised(frame, Pseudonyms(KEY)).columns) == [
        "question",
        f"fluency@{label(EVA)}",
        "fluency@J.Smith",
        f"fluency@{label(PROLIFIC)}",
        f"{label(ANN)}_clarity",
    ]


def test_file_that_is_named_after_an_address_names_nobody() -> None:
    data = b'{"text": "Who built it?", "label": ["fluency:3"]}\n' * 3

    shown = preview_of(f"{EVA}.jsonl", data, Mapping(), Pseudonyms(KEY))

    assert shown["study"]["annotators"] == [label(EVA)]


def test_problems_quote_no_id() -> None:
    key = Pseudonyms(KEY)
    problem = Problem(row=2, column=f"fluency@{EVA}", value=ANN, reason=f"{BEN} rated it before.")

    found = without_ids(problem, key)

    assert (found.column, found.value) == (f"fluency@{label(EVA)}", label(ANN))
    assert found.reason == f"{label(BEN)} rated it before."
