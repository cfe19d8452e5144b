"""What is asked about, or corrected, before a study is added."""

import json
from typing import Any

import pandas as pd
import pytest

from judging.formats.check import count_study, findings, marked_rows, refuse_other_designs
from judging.formats.frames import Unreadable
from judging.formats.mapping import Mapping
from judging.formats.pipeline import preview_of
from judging.formats.propose import propose_mapping
from judging.formats.study import study_from_frame
from tests.judging.imports.tables import SYSTEMS, TOWNS, long, means, passage, points, table, wide

ONE, TWO = points(1), points(2)


def found(frame: pd.DataFrame, **changes: Any) -> list[tuple[str, bool]]:
    """Return the sentences of the findings, and whether each needs a yes."""
    mapping = propose_mapping(frame, Mapping()).model_copy(update=changes)
    study = study_from_frame(frame, mapping)
    return [(each.sentence, each.needs_yes) for each in findings(frame, mapping, study)]


def asked(frame: pd.DataFrame, **changes: Any) -> list[str]:
    return [sentence for sentence, needs_yes in found(frame, **changes) if needs_yes]


def sentence_of(frame: pd.DataFrame) -> str:
    mapping = propose_mapping(frame, Mapping())
    return str(count_study(study_from_frame(frame, mapping), mapping)["sentence"])


def test_summary_counts_in_one_sentence() -> None:
    people = {
        name: {"fluency": points(n), "relevance": points(n + 9)} for n, name in enumerate("abc")
    }
    assert sentence_of(long(people, "rater")) == (
        "24 questions by 3 systems on 8 sources, 3 annotators, 144 ratings on 2 criteria"
    )


def test_summary_counts_missing_outputs_judges_and_scores() -> None:
    frame = wide({"gpt4_fluency": ONE, "bleu": [f"0.{n:02}" for n in range(24)]})
    frame.loc[3, "question"] = ""

    assert sentence_of(frame) == (
        "23 questions by 3 systems on 8 sources, 1 missing output, 1 LLM judge, 1 column of scores"
    )


def test_plain_study_of_two_annotators_needs_no_yes() -> None:
    frame = long({"a": {"fluency": ONE}, "b": {"fluency": TWO}}, "rater")

    assert found(frame) == [("Each rated question has 2 annotators, whom “rater” names.", False)]


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"depth": ONE}, "“depth” holds whole numbers from 1 to 5, as ratings do, and becomes metadata"),
        ({"depth": means(ONE, TWO, points(3))}, "In “depth” higher is better; no name shows this."),
        ({"fluency": ONE}, "from 1 to 5, as ratings do, and becomes a mean human score"),
        ({"good_mary": ["Y", "N"] * 12}, "“good_mary” holds “Y” and “N”, as ratings may, and becomes metadata"),
        ({"question_1": ["Who is it?", "Why is it?"] * 12}, "“question_1” holds questions and becomes metadata"),
        ({"User Score 1": ONE, "User Score 2": TWO}, "The file does not name the criterion of “User Score 1” and"),
        ({"rank_a": [1, 2, 3] * 8, "rank_b": [2, 3, 1] * 8}, "hold ranks: ratings on the criterion “rank”"),
        ({"relevance": means(ONE, TWO)}, "In “relevance” higher is better; no name shows this."),
        ({"ppl": ["1,203.5"] * 24}, "are read as one thousand two hundred and three and a half"),
    ],
)  # fmt: skip
def test_column_that_may_hold_ratings_is_asked_about(columns, sentence) -> None:
    assert any(sentence in each for each in asked(wide(columns)))


@pytest.mark.parametrize(
    "columns",
    [
        {"bleu": [f"0.{n:02}" for n in range(24)]},
        {"fluency": means(ONE, TWO, decimals=1)},
        {"tokens": range(24)},
        {"seconds": range(100, 124)},
        {"fluency_A": ONE, "fluency_B": TWO, "fluency_avg": means(ONE, TWO)},
        {"topic": ["harbours", "towns"] * 12},
    ],
)
def test_column_whose_fate_is_plain_is_not_asked_about(columns) -> None:
    assert asked(wide(columns)) == []


def test_fate_of_every_column_of_numbers_is_said() -> None:
    columns = {"bleu": [f"0.{n:02}" for n in range(24)], "seconds": range(100, 124)}

    assert found(wide(columns)) == [
        ("“bleu” becomes the score of a metric.", False),
        ("“seconds” becomes metadata of the question.", False),
    ]


@pytest.mark.parametrize(
    ("one_spelling", "sentence"),
    [(True, "are taken for one annotator: “ANNA”, “Anna”"), (False, "are several annotators")],
)
def test_spellings_of_one_person_are_asked_about(one_spelling, sentence) -> None:
    frame = long({"Anna": {"fluency": ONE}, "Ben": {"fluency": TWO}}, "rater")
    frame.loc[2, "rater"] = "ANNA"

    assert any(sentence in each for each in asked(frame, one_spelling=one_spelling))


def test_repeated_rating_of_one_person_is_asked_about() -> None:
    frame = long({"A": {"fluency": ONE}, "B": {"fluency": TWO}}, "rater")
    again = pd.concat([frame, frame.iloc[:1].assign(fluency="4")], ignore_index=True)

    assert any("rates what the same annotator rated before" in each for each in asked(again))


@pytest.mark.parametrize("name", ["Max", "Min", "alpha"])
def test_column_excluded_as_a_statistic_by_its_name_alone_is_asked_about(name) -> None:
    frame = wide({"fluency_Ann": ONE, "fluency_Bo": TWO, f"fluency_{name}": points(3)})

    [sentence] = asked(frame)
    assert f"“fluency_{name}” holds whole numbers from 1 to 5, as ratings do" in sentence
    assert "excluded" in sentence


def test_column_written_otherwise_than_the_file_is_asked_about() -> None:
    places = range(24)
    columns = {
        "perplexity": ["1.954,4", "721,8"] * 12,
        "BLEU": [f"22.{n + 500}" for n in places],
        "BERTScore": [f"0.{n + 700}" for n in places],
    }
    sentences = asked(wide(columns))

    assert any("“BLEU” is read as other columns are written: 22.5" in each for each in sentences)
    assert not any("BERTScore" in each for each in sentences)


def test_thousands_of_a_later_column_are_read() -> None:
    columns = {"BLEU": [f"42,{n + 10}" for n in range(24)], "perplexity": ["1.025,5", "721,8"] * 12}

    assert propose_mapping(wide(columns), Mapping()).numbers == "comma_thousands"


@pytest.mark.parametrize("people", [("Bea", "Kim"), ("Bea", "Kim", "Max")])
def test_criteria_and_annotators_that_only_numbers_tell_are_asked_about(people) -> None:
    criteria = ("Zest", "Tiefe", "Klarheit", "Pepp")
    columns = {f"{c}_{p}": points(n) for n, c in enumerate(criteria) for p in people}

    assert any("They may be the other way round." in each for each in asked(wide(columns)))


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ([-99, *ONE[1:]], "“fluency” has ratings below zero, such as -99."),
        (points(2, (20, 40, 60, 80, 100)), "the ratings of “Bo” begin at 20, and those of “Ann” end at 5"),
    ],
)  # fmt: skip
def test_ratings_of_other_ranges_are_asked_about(other, sentence) -> None:
    frame = long({"Ann": {"fluency": ONE}, "Bo": {"fluency": other}}, "rater")

    assert any(sentence in each for each in asked(frame))


def test_statistic_among_the_raters_is_excluded_with_a_question() -> None:
    frame = long(
        {"A": {"fluency": ONE}, "B": {"fluency": TWO}, "mean": {"fluency": means(ONE, TWO)}},
        "rater",
    )
    assert any("“mean” is named like a statistic" in each for each in asked(frame))


def test_file_without_passages_is_asked_about() -> None:
    frame = wide({"fluency_A": ONE}).drop(columns="passage")

    assert any("The file gives no passage" in each for each in asked(frame))


def test_passage_under_several_ids_is_asked_about() -> None:
    frame = wide({"source_id": [f"s{n // 3}" for n in range(24)]})
    frame["passage"] = passage("Alm")

    mapping = propose_mapping(frame, Mapping(columns={"source_id": {"role": "source_id"}}))
    sentences = [
        each.sentence for each in findings(frame, mapping, study_from_frame(frame, mapping))
    ]
    assert any("8 sources have a passage and answer that another id" in each for each in sentences)


def test_systems_that_lack_outputs_are_said_and_can_be_excused() -> None:
    frame = wide({"fluency_A": ONE}).iloc[:-1]
    mapping = propose_mapping(frame, Mapping())

    [lacking] = [
        each for each in findings(frame, mapping, study_from_frame(frame, mapping)) if each.fix
    ]
    assert lacking.sentence.startswith(
        "No output: “Cedar” on 1 of 8 sources. Outputs that the file"
    )
    assert (lacking.needs_yes, lacking.fix) == (False, {"crossed": False})


def test_systems_that_share_no_source_are_asked_about() -> None:
    frame = wide({})
    apart = frame[(frame["system"] == "Alder") == (frame.index < 14)]

    assert any("share no source" in each for each in asked(apart, crossed=True))
    assert any("do not count as missing" in each for each in asked(apart))


@pytest.mark.parametrize(
    ("name", "cells", "marks"),
    [
        ("is_attention_check", ["1", "0", "0"], ("1",)),
        ("Status", ["Rejected", "Approved", "Approved"], ("Rejected",)),
        ("excluded", ["no", "yes", "no"], ("yes",)),
        ("passed", ["True", "False", "True"], ("False",)),
        ("status", ["test", "done", "done"], ("test",)),
    ],
)
def test_rows_that_are_marked_as_no_ratings_are_found(name, cells, marks) -> None:
    assert marked_rows(table(f"question|{name}", *(f"Who?|{cell}" for cell in cells))) == {
        name: marks
    }


@pytest.mark.parametrize(
    ("name", "cells"),
    [("status", ["rejected"] * 3), ("status", ["done"] * 3), ("verdict", ["rejected", "accepted"])],
)
def test_rows_are_not_marked_if_all_are_or_none(name, cells) -> None:
    assert marked_rows(table(f"question|{name}", *(f"Who?|{cell}" for cell in cells))) == {}


def test_marked_rows_are_left_out_and_asked_about() -> None:
    frame = wide({"fluency_A": ONE, "excluded": ["yes"] * 4 + ["no"] * 20})

    assert "4 rows with “yes” in “excluded” are excluded." in asked(frame)
    assert "4 rows with “yes” in “excluded” are kept." in asked(frame, exclude_rows={})


def test_ratings_of_missing_questions_are_asked_about() -> None:
    frame = wide({"fluency@A": ONE})
    frame.loc[2, "question"] = ""

    assert asked(frame) == ["1 rating is about questions that are missing."]


def test_study_of_blank_questions_is_asked_about() -> None:
    frame = wide({"fluency_A": ONE})
    mapping = propose_mapping(frame, Mapping())
    blank = frame.assign(question="")

    sentences = [
        each.sentence for each in findings(blank, mapping, study_from_frame(blank, mapping))
    ]

    assert "The file holds no question: every cell is blank." in sentences


def test_cells_of_several_questions_are_asked_about() -> None:
    frame = table(
        "passage|question", *(f"{passage(town)}|Who built it?\nWhen was it?" for town in TOWNS)
    )
    assert any("8 cells of questions hold several questions" in each for each in asked(frame))


@pytest.mark.parametrize(
    ("header", "row", "sentence"),
    [
        ("model_a|model_b|winner", "t5|bart|a", "Comparisons cannot be judged"),
        ("question_1|question_2|preferred", "Who?|Why?|1", "“preferred” names the better one"),
        ("Q1|Q2", '{"ImportId":"QID1"}|x', "export of Qualtrics"),
        ("Is it clear? [A?]|Is it? [B?]|And? [C?]", "1|2|3", "responses of a form"),
    ],
)
def test_other_designs_are_refused_with_a_sentence(header, row, sentence) -> None:
    with pytest.raises(Unreadable) as refused:
        refuse_other_designs(table(header, row))

    assert sentence in refused.value.reason


# -- the preview, which shows the check -----------------------------------------------------------


def preview(text: str, name: str = "ratings.csv") -> dict[str, Any]:
    return preview_of(name, text.encode(), Mapping(), None)


RATED = "passage,system,question,fluency_A,fluency_B\n" + "".join(
    f"{passage(town).replace(',', ' ')},{system},Who built {town}?,{n % 3 + 1},{n % 2 + 1}\n"
    for n, town in enumerate(TOWNS)
    for system in SYSTEMS
)


def test_preview_shows_rows_values_and_counts_by_system() -> None:
    shown = preview(RATED)

    assert [number for number, _ in shown["rows"]] == list(range(2, 10))
    [fluency] = [each for each in shown["columns"] if each["name"] == "fluency_A"]
    assert (fluency["low"], fluency["high"], fluency["looks_rated"]) == ("1", "3", True)
    study = shown["study"]
    assert study["criteria"] == {"fluency": {"1": 21, "2": 21, "3": 6}}
    expected = {"returned": 8, "missing": 0, "duplicates": 0}
    assert study["per_system"] == [{"name": name, **expected} for name in SYSTEMS]


def test_preview_shows_the_places_of_an_answer_in_doubt() -> None:
    shown = preview("passage,answer,question\nOwls hunt at night. At night owls see.,night,When?\n")

    [asks] = shown["study"]["asks"]
    assert [place[0] for place in asks["places"]] == [13, 23]
    assert asks["places"][0][1:] == ("Owls hunt at ", "night", ". At night owls see.")


def test_preview_names_the_annotator_after_the_file_if_nothing_else_does() -> None:
    items = '{"text": "Who built it?", "label": ["fluency:3"]}\n' * 3
    shown = preview(items, name="anna.jsonl")

    assert shown["mapping"]["rater"] == "anna"
    assert shown["study"]["annotators"] == ["anna"]


def test_preview_reads_lists_of_ratings_beside_one_another_as_people() -> None:
    def item(number, town):
        expert = [{"clarity": 3, "wit": 1}, {"clarity": 2, "wit": number % 5 + 1}]
        rated = {"expert": expert, "crowd": [{"clarity": 1, "wit": 4}]}
        texts = {"passage": passage(town), "question": f"Who built {town}?", "system": "Alder"}
        return json.dumps({**texts, **rated, "spans": [{"start": 1, "end": 4}]}) + "\n"

    study = preview("".join(map(item, range(8), TOWNS)), name="a.jsonl")["study"]

    assert study["annotators"] == ["expert 1", "expert 2", "crowd 1"]
    assert (study["questions"], study["ratings"]) == (8, 48)
    assert study["criteria_rated"] == ["clarity", "wit"]
