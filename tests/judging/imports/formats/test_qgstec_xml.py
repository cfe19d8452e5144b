"""QG-STEC Task B's XML."""

from collections import Counter

import pytest

from judging.imports.formats.qgstec_xml import read_qgstec
from judging.imports.readers.records import StudyRecords
from judging.imports.readers.text import Unreadable
from tests.shared_data import path

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
  </submission>
  <submission id="b">
  </submission>
</instance>
</dataset>"""


def submission(questions: str, *, system: str = 'id="a"') -> bytes:
    text = "<text>Owls hunt.</text><targetQuestionType>who</targetQuestionType>"
    return f"<d><instance id='1'>{text}<submission {system}>{questions}</submission></instance></d>".encode()


def reasons(study: StudyRecords) -> list[tuple[int, str, str]]:
    return [(problem.row, problem.kind, problem.reason) for problem in study.problems]


def test_read_makes_one_source_of_each_sentence_and_target_type() -> None:
    study = read_qgstec(EVALUATED.encode())
    assert [
        (each.key, each.target_type, each.sentence, each.passage, each.row)
        for each in study.sources
    ] == [
        ("1/when", "when", "Owls hunt two hours at night.", None, 3),
        ("1/how many", "how many", "Owls hunt two hours at night.", None, 3),
    ]
    assert study.sources[0].attributes == {"instance": "1", "id": "Own", "source": "owls_1"}


def test_read_expects_two_questions_of_every_system() -> None:
    study = read_qgstec(EVALUATED.encode())
    assert study.expected == {
        (f"1/{kind}", system): 2 for kind in ("when", "how many") for system in "ab"
    }
    assert (study.returned, study.missing) == ({"a": 1, "b": 0}, {"a": 3, "b": 4})
    assert read_qgstec(EVALUATED.encode(), expected=3).missing == {"a": 5, "b": 6}


def test_read_keeps_questions_with_lines_and_a_blank_one_as_empty_slot() -> None:
    study = read_qgstec(EVALUATED.encode())
    assert [
        (each.position, each.text, each.question_type, each.row) for each in study.questions
    ] == [
        (1, "When do owls hunt?", "when", 9),
        (2, None, "when", 13),
    ]
    assert (study.rows_read, study.rows_kept) == (2, 2)


def test_read_takes_criteria_from_attributes_in_any_order() -> None:
    study = read_qgstec(EVALUATED.encode())
    assert [
        (each.position, each.rater, each.criterion, each.value, each.row) for each in study.ratings
    ] == [
        (1, "ha", "relevance", "1", 10),
        (1, "ha", "variety", "31", 10),
        (1, "uw", "relevance", "2", 11),
        (2, "ha", "relevance", "4", 13),
    ]
    assert [(note.rater, note.text, note.row) for note in study.notes] == [("ha", "odd & old", 10)]
    assert reasons(study) == [(11, "value", "uw’s value is blank.")]


def test_read_refuses_questions_that_have_no_place() -> None:
    study = read_qgstec(
        submission(
            "<question type='who'>Who?</question>\n<question type='why'>Why?</question>\n"
            "<question>Who else?</question>\n"
            "<question type='who'>Who again?</question><remark>x</remark>"
        )
    )
    assert [(each.position, each.text) for each in study.questions] == [
        (1, "Who?"),
        (2, "Who else?"),
    ]
    assert reasons(study) == [
        (2, "row", "The question is of type “why”, which is not a target type of its instance."),
        (4, "warning", "<remark> is not a part of <submission> and is passed over."),
        (4, "row", "System “a” may return only 2 questions for each target type."),
    ]
    assert (study.rows_read, study.rows_kept) == (4, 2)


def test_read_refuses_questions_of_nobody() -> None:
    study = read_qgstec(submission("<question type='who'>Who?</question>", system=""))
    assert study.questions == ()
    assert reasons(study)[0][:2] == (1, "row")


def test_read_refuses_an_instance_of_known_id() -> None:
    twice = EVALUATED.replace(
        "</dataset>",
        "<instance id='1'><submission id='a'><question>Q</question></submission>"
        "</instance><instance id='1'/></dataset>",
    )
    study = read_qgstec(twice.encode())
    assert (len(study.sources), study.rows_read, study.rows_kept) == (2, 3, 2)
    assert [kind for _, kind, _ in reasons(study)] == ["value", "row", "warning"]


def test_read_tells_about_ratings_without_rater_and_twice_by_one() -> None:
    ratings = "<rating a='1'/><rating rater='x' a='1'/><rating rater='x' a='2'/>"
    study = read_qgstec(submission(f"<question type='who'>Who?{ratings}</question>"))
    assert [rating.value for rating in study.ratings] == ["1"]
    assert [reason for *_, reason in reasons(study)] == [
        "The rating names no annotator.",
        "x rated this question already.",
    ]


def test_read_takes_human_questions_of_the_development_set() -> None:
    data = (
        "\ufeff<dataset><instance id='1'><text>Owls hunt.</text><question type='who'>\n Who hunts? \n</question>"
        "<question type='what'>What do owls do?</question><question type='who'>Who is it?</question>"
        "</instance></dataset>"
    )
    study = read_qgstec(data.encode())
    assert [
        (each.source_key, each.system, each.position, each.text) for each in study.questions
    ] == [
        ("1/who", "human", 1, "Who hunts?"),
        ("1/what", "human", 1, "What do owls do?"),
        ("1/who", "human", 2, "Who is it?"),
    ]
    assert study.expected == {("1/who", "human"): 2, ("1/what", "human"): 1}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "The file is empty."),
        (b"question,system\n", "cannot be read at line 1"),
        (b"<dataset/>", "no <instance>"),
        (EVALUATED[:-20].encode(), "cannot be read at line"),
        ("<d><instance>\n\xe9</instance></d>".encode("latin-1"), "cannot be read at line 2"),
        (b"<d><instance>\x00</instance></d>", "cannot be read at line 1"),
        (
            b"<!DOCTYPE d [<!ENTITY a 'x'><!ENTITY b '&a;&a;'>]><d>&b;</d>",
            "declares a document type",
        ),
        (
            b"<!DOCTYPE d [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><d>&a;</d>",
            "declares a document type",
        ),
        (b"<!DOCTYPE d SYSTEM 'http://127.0.0.1/d.dtd'><d/>", "declares a document type"),
        (b"<a>" * 1_000_000, "nested more than 50 deep"),
        (b"<?xml version='1.0' encoding='rot13'?><d/>", "cannot be read"),
        (b"<?xml version='1.0' encoding='utf-7'?><d/>", "cannot be read"),
        (b"<?xml version='1.0' encoding='shift_jis'?><d/>", "cannot be read"),
        (b"PK\x03\x04", "cannot be read"),
    ],
)
def test_read_refuses_with_a_sentence(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_qgstec(data)


def test_read_follows_the_declared_encoding() -> None:
    data = "<?xml version='1.0' encoding='iso-8859-1'?><d><instance><question type='who'>Où?</question></instance></d>"
    assert read_qgstec(data.encode("latin-1")).questions[0].text == "Où?"
    assert (
        read_qgstec(data.replace("iso-8859-1", "utf-16").encode("utf-16")).questions[0].text
        == "Où?"
    )


def test_read_refuses_a_question_longer_than_can_be_kept() -> None:
    study = read_qgstec(submission(f"<question type='who'>{'x' * 10_000_000}</question>"))
    assert (study.questions, len(study.problems), study.rows_kept) == ((), 1, 0)


def test_read_counts_the_released_evaluation() -> None:
    study = read_qgstec(path("qgstec2010/EvaluatedSubmissions.xml").read_bytes())
    assert len({source.attributes["instance"] for source in study.sources}) == 90
    assert len(study.sources) == 180
    slots = Counter[str]()
    for (_, system), owed in study.expected.items():
        slots[system] += owed
    assert slots == {"a": 360, "b": 360, "c": 360, "d": 360}
    assert study.returned == {"a": 354, "b": 165, "c": 209, "d": 168}
    assert (
        len({(each.source_key, each.system, each.position, each.rater) for each in study.ratings})
        == 1791
    )
    assert (len(study.ratings), len(study.raters), len(study.notes)) == (1791 * 5, 6, 7)
    assert study.criteria == ("relevance", "questionType", "correctness", "ambiguity", "variety")
    odd = [
        (each.rater, each.value) for each in study.ratings if each.value not in ("1", "2", "3", "4")
    ]
    assert odd == [("ha", "31")]
    assert study.problems == ()
    assert (study.rows_read, study.rows_kept) == (896, 896)


def test_read_counts_the_released_development_set() -> None:
    study = read_qgstec(path("qgstec2010/Development.xml").read_bytes())
    assert study.systems == ("human",)
    assert len({source.attributes["instance"] for source in study.sources}) == 81
    assert (len(study.questions), study.missing, study.problems) == (180, {"human": 0}, ())
