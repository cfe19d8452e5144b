"""Ids of outside annotators become labels as they are read."""

import base64
import hashlib
import hmac
from dataclasses import replace

import pytest

from judging.imports.readers.pseudonyms import Pseudonyms, id_columns, pseudonymised
from judging.imports.readers.records import SourceRecord, StudyRecords
from judging.imports.readers.registry import FORMAT, sniff
from judging.imports.readers.tables import read_delimited

KEY = b"a key of twenty-four let"
ANN, BEN = "A1B2C3D4E5F6G7", "A9Z8Y7X6W5V4U3"
EVA = "eva.owl@example.org"


def label(original: str) -> str:
    """The definition, with another call of the library."""
    hashed = hmac.new(KEY, original.encode(), hashlib.sha256).digest()
    return "P-" + base64.b32encode(hashed).decode("ascii")[:10]


def read(data: str, name: str = "a.csv") -> tuple[StudyRecords, Pseudonyms]:
    key = Pseudonyms(KEY)
    return sniff(name, data.encode()).read(data.encode(), name=name, pseudonyms=key), key


BATCH = (
    "WorkerId,AssignmentStatus,Input.question_1,Answer.fluency_1\n"
    f"{ANN},Approved,Who?,3\n{BEN},Approved,Who?,2\nW3,Approved,Who?,1\nA0000000000001,Rejected,Who?,1\n{ANN},Approved\n"
)


def test_workers_of_a_batch_get_labels_and_their_ids_stand_nowhere() -> None:
    study, key = read(BATCH)
    assert study.raters == (label(ANN), label(BEN), label("W3"))
    assert dict(key.table) == {label(ANN): ANN, label(BEN): BEN, label("W3"): "W3"}
    for original in (ANN, BEN, "A0000000000001"):
        assert original not in repr(study)


def test_the_same_key_gives_one_person_one_label_in_every_file() -> None:
    other = f"question,rater,fluency\nWho?,{ANN},3\nWho?,{BEN},2\n"
    assert read(other)[0].raters == read(BATCH)[0].raters[:2]
    assert Pseudonyms(b"another key altogether").label(ANN) != label(ANN)


def test_addresses_are_known_by_their_shape_in_columns_of_people() -> None:
    data = f"question,judge,fluency\nWho?,{EVA},3\nWho?,{EVA.upper()},2\nWhy?,J1,2\nWhy?,J2,2\nWhy?,J3,2\n"
    study, _ = read(data)
    assert study.raters == (label(EVA), "J1", "J2", "J3")
    assert [each.repeat for each in study.ratings][:2] == [1, 2]


def test_addresses_in_names_of_columns_are_labels() -> None:
    study, _ = read(
        f"question,fluency@{EVA},fluency@J.Smith,fluency@5f1a2b3c4d5e6f7a8b9c0d1e\nWho?,3,2,1\n"
    )
    assert study.raters == (label(EVA), "J.Smith", label("5f1a2b3c4d5e6f7a8b9c0d1e"))
    assert study.criteria == ("fluency",)


def test_texts_and_ids_of_questions_are_left_alone() -> None:
    key = "5f1a2b3c4d5e6f7a8b9c0d1"
    rows = "".join(f"{key}{end},Write to {EVA}.,{EVA},Where to write?\n" for end in "0123")
    study, pseudonyms = read("id,passage,answer,question\n" + rows)
    assert (study.sources[0].answer, study.questions[0].key) == (EVA, key + "0")
    assert dict(pseudonyms.table) == {}


@pytest.mark.parametrize(
    ("header", "cells", "known"),
    [
        ("Prolific ID", ["x", "y"], True),
        ("PROLIFIC_PID", ["5f1a2b3c4d5e6f7a8b9c0d1e"], True),
        ("e-mail", ["nobody"], True),
        ("who", [ANN, BEN, "?"], True),
        ("who", [EVA, EVA], True),
        ("who", ["ann", "ben"], False),
        ("model", ["T5", "ALBERT-BASE-V2"], False),
        ("question_id", ["5f1a2b3c4d5e6f7a8b9c0d1e"], False),
        ("answer", [ANN, BEN, "at dawn"], True),
        ("answer", [ANN, "at dawn"], False),
        ("sentence", [EVA, EVA], True),
        ("passage", [f"Write to {EVA}."], False),
        ("target_type", [EVA, BEN, "who"], True),
    ],
)
def test_columns_of_ids_are_known_by_name_and_by_shape(
    header: str, cells: list[str], known: bool
) -> None:
    lines = [f"question,{header}", *(f"Who?,{cell}" for cell in cells)]
    table = read_delimited("\n".join(lines).encode(), header=True)
    assert id_columns(table) == ((header,) if known else ())


def test_an_address_is_a_label_in_every_column_but_those_of_texts() -> None:
    data = (
        "id,passage,answer,system,target_type,contact,question\n"
        f"{EVA},Write to {EVA}.,{EVA},rules,{EVA},-,Where to write?\n"
        f"2,Owls hunt.,Owls,{EVA},what,{EVA},{EVA}\n"
        "3,Owls hunt.,Owls,rules,what,who knows,What?\n4,Owls hunt.,Owls,rules,what,-,What?\n"
    )
    study, key = read(data)
    assert dict(key.table) == {label(EVA): EVA}
    first, second = study.questions[:2]
    assert (study.sources[0].answer, second.text) == (EVA, EVA), "texts are left alone"
    assert first.attributes["contact"] == "-"
    assert (second.system, second.attributes["contact"]) == (label(EVA), label(EVA))


def test_metadata_of_a_study_that_is_read_whole_name_nobody() -> None:
    said = {"made by": EVA, "topic": f"mail to {EVA}"}
    source = SourceRecord(key="1", answer=EVA, attributes=said)
    found = pseudonymised(StudyRecords(sources=(source,)), Pseudonyms(KEY))
    assert isinstance(found, StudyRecords)
    assert found.sources == (replace(source, attributes=said | {"made by": label(EVA)}),)


def test_a_study_that_is_read_whole_gets_labels_too() -> None:
    data = (
        "<dataset><instance id='1'><text>Owls.</text><targetQuestionType>who</targetQuestionType><submission id='a'>"
        f"<question type='who'>Who?<rating rater='{EVA}' fluency='1'/></question></submission></instance></dataset>"
    )
    study, _ = read(data, "a.xml")
    assert study.raters == (label(EVA),)


def test_a_key_that_could_be_found_by_trying_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 16 bytes"):
        Pseudonyms(b"short")


def test_nothing_changes_where_nobody_is_named() -> None:
    data = b"question,system,BLEU\nWho?,a,0.1\nWhy?,b,0.2\n"
    assert FORMAT["csv"].read(data, pseudonyms=Pseudonyms(KEY)) == FORMAT["csv"].read(data)
