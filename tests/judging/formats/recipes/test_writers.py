"""What Quaestor exports, out and in again."""

import json
from dataclasses import replace

import pytest

from judging.formats.mapping import Mapping
from judging.formats.recipes import writers
from judging.formats.recipes.writers import write_qgstec
from judging.formats.study import study_from_frame
from tests.judging.imports.recipes.reading import read
from tests.judging.imports.recipes.studies import FULL, rating

LONG = "".join(writers.study_pieces(FULL))
FORMS = {
    "long.csv": LONG,
    "long.jsonl": "".join(writers.jsonl_pieces([FULL])),
    "tasks.json": "".join(writers.label_studio_pieces([FULL], raters=("ha", "uw"))),
}
HEADER = ["id", "source_id", "system", "position", "question", "annotator", "criterion", "value"]
HEADER += ["revision", "round", "state", "excluded"]


@pytest.mark.parametrize("name", FORMS)
def test_export_is_read_as_the_same_study(name: str) -> None:
    found = read(FORMS[name], name)
    study = study_from_frame(found.frame, Mapping(**found.known), found.problems)
    keys = study.sources["key"]
    asked = study.questions[study.questions["text"].notna()]
    assert sorted(asked["text"]) == sorted(each.text for each in FULL.questions if each.text)
    assert {(keys[at], name): n for (at, name), n in study.expected.items()} == FULL.expected
    assert sorted(study.ratings["value"]) == sorted(each.value for each in FULL.ratings)
    assert sorted(study.notes["kind"]) == ["note", "nothing", "span", "span"]
    assert study.sources["references"].map(list).tolist() == [["When do owls hunt?", '["odd"]'], []]
    scores = {name: each for name, each in found.columns.items() if each.direction}
    assert [(each.role, each.name, each.direction, each.scale) for each in scores.values()] == [
        ("metric", "BLEU", "higher", "fraction"),
        ("human_mean", "fluency", "lower", "none"),
    ]
    assert study.problems == []


def test_csv_is_guarded_on_request_and_written_in_pieces(monkeypatch) -> None:
    monkeypatch.setattr(writers, "PIECE", 300)
    pieces = list(writers.study_pieces(FULL, guarded=True))
    assert len(pieces) > 5
    assert '"=When ""do"" owls\nhunt?"' in LONG
    assert '"\'=When ""do"" owls\nhunt?"' in "".join(pieces)


def test_tasks_are_written_as_one_list() -> None:
    for study in (FULL, replace(FULL, expected={})):
        text = "".join(writers.label_studio_pieces([study], raters=("ha", "uw")))
        assert json.dumps(json.loads(text), ensure_ascii=False, indent=1) + "\n" == text


def test_xml_is_read_as_the_same_rows() -> None:
    source = replace(FULL.sources[1], attributes={"instance": "7", "id": "Own", "source": "x"})
    question = replace(FULL.questions[3], source_key="z2", text="What <is>\nit?", position=2)
    given = (replace(rating("h&a", "relevance", "31", 2), source_key="z2", system="+b"),)
    study = replace(FULL, sources=(source,), questions=(question,), ratings=given, marks=())
    found = read(write_qgstec(replace(study, expected={("z2", "+b"): 2}, notes=())))
    shown = ("source:instance", "sentence", "system", "position", "question", "rater")
    assert found.cells(*shown, "rating:relevance") == [
        ("7", "Mice hide.", "+b", "1", "", "", ""),
        ("7", "Mice hide.", "+b", "2", "What <is>\nit?", "h&a", "31"),
    ]


def test_judgments_of_the_api_leave_out_what_no_report_counts() -> None:
    given = ["9", "p1", "Alder", "1", "Who?", "J1", "fluency", "3", "1"]
    states = [["main", "submitted", "False"], ["pilot", "extra", "True"]]
    rows = [HEADER, *([*given, *state] for state in states)]
    found = read("\n".join(map(",".join, rows)), "judgments.csv")
    assert found.key == "judgments"
    excluded = {"round": ("pilot",), "state": ("extra",), "excluded": ("True",)}
    assert found.known["exclude_rows"] == excluded
    assert (found.roles["id"], found.roles["annotator"], found.roles["round"]) == ("", "rater", "")
