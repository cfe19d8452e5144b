"""Exports of survey tools."""

import pytest

from tests.judging.imports.readers.shape.reading import as_csv, case, read, remarks, values

QUESTIONS = ("Who built the mill?", "What is glass made from?")


def criteria(study):
    return list(dict.fromkeys(rating.criterion for rating in study.ratings))


def test_a_qualtrics_export_is_ratings_of_the_questions_in_its_header():
    _, study = case("11-survey-exports", "23.csv")

    assert len(study.raters) == 4
    assert (criteria(study), len(study.ratings)) == (["fluency", "relevance"], 16)
    assert [question.text for question in study.questions] == [
        "When do ravens store food?",
        "What store ravens?",
    ]


def test_a_google_form_is_ratings_of_the_questions_in_its_header():
    found, study = case("11-survey-exports", "24.csv")

    assert study.raters == ("rater0@example.org", "rater1@example.org", "rater2@example.org")
    assert (criteria(study), len(study.questions), len(study.ratings)) == (["fluency"], 8, 24)
    assert found.words_of["fluency"] == {"3 - fluent": 11, "1 - broken": 6, "2 - minor errors": 7}
    assert "Columns about the response are excluded: “Timestamp”" in remarks(found)[0]


@pytest.mark.parametrize(
    "header",
    [
        ("Participant ID", *(f"{text} | Clarity" for text in QUESTIONS)),
        ("Participant ID", *(f"How clear is this? Clarity: {text}" for text in QUESTIONS)),
        ("Participant ID", *(f"Clarity [{text}]" for text in QUESTIONS)),
        ("Participant ID", *(f"How is its clarity? [{text}]" for text in QUESTIONS)),
    ],
)
def test_names_may_be_divided_in_several_ways(header):
    _, study = read(as_csv(header, [("p1", 3, 1), ("p2", 2, 2)]))

    assert values(study) == {"p1": ["3", "1"], "p2": ["2", "2"]}
    assert [question.text for question in study.questions] == list(QUESTIONS)
    assert criteria(study) == ["clarity"]


def test_responses_without_a_person_are_numbered():
    header = [f"Clarity [{text}]" for text in QUESTIONS]

    _, study = read(as_csv(header, [(3, 1), (2, 2)]))

    assert study.raters == ("respondent 1", "respondent 2")


def test_a_survey_whose_names_say_nothing_gets_advice():
    header = ("StartDate", "ResponseId", "Q3_1", "Q3_2")

    found, _ = read(as_csv(header, [("2025-03-01", "R_1", 3, 2), ("2025-03-02", "R_2", 1, 2)]))

    assert "export with the texts of the questions in the header" in remarks(found)[0]
    assert found.header == header


def test_columns_of_comments_are_no_ratings():
    header = ["Email", *(f"Any comments? [{text}]" for text in QUESTIONS)]
    rows = [(f"a{n}@b.org", f"A long remark, number {n}, about it", "") for n in range(9)]

    found, _ = read(as_csv(header, rows))

    assert found.header == tuple(header)


def test_the_step_can_be_left_out():
    header = ["Email", *(f"Clarity [{text}]" for text in QUESTIONS)]

    found, _ = read(as_csv(header, [("a@b.org", 3, 1)]), options={"as_is": "survey"})

    assert found.header == tuple(header)
