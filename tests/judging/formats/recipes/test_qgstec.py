"""QG-STEC Task B's XML."""

from judging.formats.mapping import Mapping
from judging.formats.study import study_from_frame
from tests.judging.imports.recipes.reading import read

EVALUATED = """<?xml version="1.0" encoding="utf-8"?>
<dataset>
<instance id="1">
  <id>Own</id><source>owls_1</source>
  <text>Owls hunt two hours at night.</text>
  <targetQuestionType>when</targetQuestionType>
  <targetQuestionType>how many</targetQuestionType>
  <submission id="a">
    <question type="when">When do owls hunt?
      <rating relevance="1" rater="ha" variety=" 31 " note="odd &amp; old"/>
      <rating rater="uw" variety="" relevance="2"/>
    </question>
    <question type="when"><rating rater="ha" relevance="4"/></question>
    <question type="why">Why?</question>
  </submission>
  <submission id="b"></submission>
</instance>
<instance id="1"><submission id="a"><question>Who?</question></submission></instance>
</dataset>"""


def test_frame_has_a_row_for_each_rating_with_its_line() -> None:
    found = read(EVALUATED)
    assert found.key == "qgstec_xml"
    assert found.frame.index.tolist() == [10, 11, 13, 3]
    assert found.cells("source_id", "target_type", "system", "position", "question", "rater") == [
        ("1/when", "when", "a", "1", "When do owls hunt?", "ha"),
        ("1/when", "when", "a", "1", "When do owls hunt?", "uw"),
        ("1/when", "when", "a", "2", "", "ha"),
        ("1/how many", "how many", "a", "1", "", ""),
    ]
    assert found.cells("rating:relevance", "rating:variety", "note")[0] == ("1", "31", "odd & old")
    assert found.cells("source:instance", "source:id", "source:source")[0] == ("1", "Own", "owls_1")
    assert found.columns["rating:relevance"].name == "relevance"
    assert [(each.row, each.value) for each in found.problems] == [(14, "Why?"), (18, "Who?")]


def test_propose_expects_two_questions_of_every_system() -> None:
    found = read(EVALUATED)
    study = study_from_frame(found.frame, Mapping(**found.known))
    assert found.known["expected"] == 2
    assert set(study.expected.values()) == {2}
    assert len(study.expected) == 2  # system b has no row: its submission is empty
    assert study.questions["text"].notna().sum() == 1


def test_frame_takes_human_questions_of_the_development_set() -> None:
    data = (
        "<dataset><instance id='1'><text>Owls hunt.</text>"
        "<question type='who'>\n Who hunts? \n</question><question type='who'>Who is it?</question>"
        "</instance></dataset>"
    )
    found = read(data)
    assert found.cells("source_id", "system", "position", "question") == [
        ("1/who", "human", "1", "Who hunts?"),
        ("1/who", "human", "2", "Who is it?"),
    ]
    assert "expected" not in found.known
