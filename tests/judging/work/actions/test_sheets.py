"""The sheet of a page: shown order, names that reveal nothing, and forced or missing answers."""

import pytest

from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Question
from judging.work.actions import assignments, sheets
from tests import factories

pytestmark = pytest.mark.django_db


def sheet_for(campaign: Campaign, label: str = "A01") -> sheets.Sheet:
    round = campaign.rounds.select_related("campaign").get()
    enrollment = factories.enrollment(campaign, label=label)
    return sheets.sheet_of_assignment(
        assignments.claim_assignment(enrollment=enrollment, round=round).assignment
    )


def opened(key: str | None = None, **material) -> Campaign:
    return factories.opened(protocol=factories.protocol(key), dataset=factories.dataset(**material))


def test_sheet_names_hold_shown_order_and_criterion_only() -> None:
    sheet = sheet_for(opened())
    assert [asked.name for asked in sheet.asked()] == [
        "q1.grammaticality",
        "q1.correctness",
        "q2.grammaticality",
        "q2.correctness",
    ]
    assert [question.letter for question in sheet.questions()] == ["A", "B"]


def test_sheet_order_is_the_annotators_own_and_stays() -> None:
    campaign = opened(sources=1, systems=[f"S{n}" for n in range(12)])
    orders = {
        label: tuple(question.unit for question in sheet_for(campaign, label).questions())
        for label in ("A01", "A02", "A03")
    }
    assert len(set(orders.values())) == 3
    assert {frozenset(order) for order in orders.values()} == {frozenset(orders["A01"])}
    held = campaign.rounds.get().assignments.get(enrollment__label="A01")
    assert (
        tuple(question.unit for question in sheets.sheet_of_assignment(held).questions())
        == orders["A01"]
    )


def test_sheet_of_a_question_set_keeps_the_order_of_the_file() -> None:
    sheet = sheet_for(opened("qgstec2010-b", sources=1, systems=["Alba"], expected=2))
    assert [question.text[-3:] for question in sheet.questions()] == ["1)?", "2)?"]
    assert [asked.name for asked in sheet.asked()][-1] == "s1.variety"


def test_sheet_of_a_lone_question_does_not_ask_for_its_variety() -> None:
    material = factories.dataset(sources=1, systems=["Alba"], expected=2)
    Question.objects.get(unit__position=2).delete()
    sheet = sheet_for(
        factories.opened(protocol=factories.protocol("qgstec2010-b"), dataset=material)
    )
    assert [asked.criterion.key for asked in sheet.asked()] == [
        "relevance",
        "questionType",
        "correctness",
        "ambiguity",
    ]


def test_sheet_groups_sets_where_sets_are_judged() -> None:
    campaign = opened("schlichtkrull-cheng", sources=1, systems=["Alba", "Brisa"], expected=3)
    sheet = sheet_for(campaign)
    assert [len(group.questions) for group in sheet.groups] == [3, 3]
    assert [asked.name for asked in sheet.asked()][:2] == ["s1.fluency", "s1.relevancy"]
    assert {asked.where for asked in sheet.asked()} == {"A–C", "D–F"}


def test_find_refuses_a_name_that_is_not_asked() -> None:
    sheet = sheet_for(opened())
    assert sheet.find("q2.correctness").where == "B"
    with pytest.raises(sheets.NotAsked):
        sheet.find("q3.correctness")


def test_settled_values_are_not_missing_and_replace_the_annotators_own() -> None:
    sheet = sheet_for(opened("qgbench", sources=1, systems=["Alba"]))
    places = {asked.criterion.key: asked.place for asked in sheet.asked()}
    answers = {places["grammaticality"]: 3, places["understandability"]: 1}
    assert sheet.missing(answers) == ()
    assert sheet.values(answers)[places["correctness"]] == (1, "understandability")
    assert sheet.values({**answers, places["correctness"]: 3})[places["correctness"]] == (
        1,
        "understandability",
    )
    assert sheet.values({**answers, places["understandability"]: 2, places["correctness"]: 3}) == {
        places["grammaticality"]: (3, ""),
        places["understandability"]: (2, ""),
        places["correctness"]: (3, ""),
    }


def test_values_copy_what_is_asked_once_to_each_question_of_the_set() -> None:
    sheet = sheet_for(opened("qgstec2010-b", sources=1, systems=["Alba"], expected=2))
    variety = sheet.find("s1.variety")
    values = sheet.values({variety.place: 2})
    assert values == {
        (question.unit, variety.criterion_id): (2, "") for question in sheet.questions()
    }


def test_sheet_of_a_set_says_which_of_its_slots_are_empty() -> None:
    material = factories.dataset(sources=1, systems=["Alba"], expected=6)
    Question.objects.filter(unit__position__in=(3, 6)).delete()
    sheet = sheet_for(
        factories.opened(protocol=factories.protocol("qgstec2010-a"), dataset=material)
    )
    assert [(question.letter, question.text[-3:]) for question in sheet.questions()] == [
        ("A", "1)?"),
        ("B", "2)?"),
        ("D", "4)?"),
        ("E", "5)?"),
    ]
    assert [slot.letter for slot in sheet.groups[0].slots()] == list("ABCDEF")
    assert [slot.letter for slot in sheet.groups[0].empty] == ["C", "F"]
    assert {asked.name.partition(".")[0] for asked in sheet.asked()} == {"q1", "q2", "q4", "q5"}
