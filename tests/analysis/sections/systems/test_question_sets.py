"""Facts of question sets, worked by hand: two sets of six about one paragraph with five
references."""

import pytest

from analysis import frames
from analysis.frames import Material
from analysis.reports.rows import Record
from analysis.sections.systems.question_sets import (
    ComputedFacts,
    HeldSet,
    Sets,
    TextStatistics,
    TypesByHead,
    held_sets,
    set_value,
)
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Reference, System
from judging.formats.recipes.writers import study_pieces
from judging.formats.records import QuestionRecord, RatingRecord, SourceRecord, StudyRecords
from tests import factories
from tests.analysis.sections import stored
from tests.analysis.sections.computing import records
from tests.analysis.studies import campaign_of

pytestmark = pytest.mark.django_db

ALBA = (
    "Who built the lock?",
    "Who paid for it?",
    "What was it made of?",
    "What broke first?",
    "Where is it?",
    "Where does the water go?",
)
BRISA = (
    "Who built the lock?",
    "Who built the  lock?",
    "Who built the old lock?",
    "How many gates are there?",
    None,
    None,
)
RATED = {
    ("Alba", "specificity", "Ann"): (1, 2, 2, 3, 3, 3),
    ("Alba", "specificity", "Bo"): (2, 2, 2, 3, 3, 3),
    ("Brisa", "specificity", "Ann"): (1, 2, 2, 3),
    ("Brisa", "specificity", "Bo"): (1, 2, 2),
    ("Alba", "diversity", "Ann"): (1, 1, 1, 1, 1, 1),
    ("Alba", "diversity", "Bo"): (2, 2, 2, 2, 2, 2),
}


def ratings() -> list[RatingRecord]:
    return [
        RatingRecord(
            source_key="1",
            system=system,
            position=position,
            rater=rater,
            criterion=criterion,
            value=str(value),
            row=2,
            column=criterion,
        )
        for (system, criterion, rater), values in RATED.items()
        for position, value in enumerate(values, start=1)
    ]


@pytest.fixture
def campaign() -> Campaign:
    questions = [
        QuestionRecord(source_key="1", system=system, position=position, text=text)
        for system, texts in (("Alba", ALBA), ("Brisa", BRISA))
        for position, text in enumerate(texts, start=1)
    ]
    study = StudyRecords(
        sources=(
            SourceRecord(
                key="1", passage="A lock.", references=("Who?", "What?", "Why?", "How?", "When?")
            ),
        ),
        questions=tuple(questions),
        ratings=tuple(ratings()),
        expected={("1", "Alba"): 6, ("1", "Brisa"): 6},
    )
    text = "".join(study_pieces(study))
    made = campaign_of(text.encode(), protocol=factories.protocol("qgstec2010-a"))
    assert not made.dataset.quarantine.exists()
    return made


@pytest.fixture
def read(campaign: Campaign) -> Material:
    return frames.read_campaign(campaign)


def of_systems(read: Material) -> dict[str, Record]:
    return {row["system"]: row for row in records(TextStatistics, read)}


def test_types_are_counted_and_their_spread_is_the_mean_over_sets(read):
    found = of_systems(read)

    assert [found["Alba"][f"type_{each}"] for each in ("who", "what", "where", "quantity")] == [
        2,
        2,
        2,
        0,
    ]
    assert [found["Brisa"][f"type_{each}"] for each in ("who", "what", "where", "quantity")] == [
        3,
        0,
        0,
        1,
    ]
    assert (found["Alba"]["type_share"], found["Alba"]["type_balance"]) == (0.5, 1)
    # entropy of 3/4 and 1/4, over log 2
    assert (found["Brisa"]["type_share"], found["Brisa"]["type_balance"]) == (0.5, 0.811278124459)


def test_cardinality_is_references_without_questions(read):
    found = of_systems(read)

    assert [found[name]["cardinality_difference"] for name in ("Alba", "Brisa")] == [-1, 1]
    assert [found[name]["cardinality_error"] for name in ("Alba", "Brisa")] == [1, 1]


def test_duplicates_are_exact_with_white_space_aside_and_near_from_a_likeness(read):
    found = of_systems(read)

    assert (found["Alba"]["exact_duplicates"], found["Alba"]["near_duplicates"]) == (0, 0)
    # 2 x 5 / (5 + 6) words: "who built the old lock ?" nearly repeats the first
    assert (found["Brisa"]["exact_duplicates"], found["Brisa"]["near_duplicates"]) == (1, 2)


def test_sources_without_references_have_no_cardinality(read):
    Reference.objects.all().delete()
    (alba, _) = records(TextStatistics, read)

    assert (alba["with_references"], alba["cardinality_difference"], alba["cardinality_error"]) == (
        0,
        None,
        None,
    )


def test_yes_no_answers_make_a_question_other(read):
    read.slots["submitted_answer"] = (
        read.slots["submitted_answer"]
        .astype("string")
        .where(read.slots["text"] != "Who paid for it?", "yes")
    )

    assert of_systems(read)["Alba"]["type_other"] == 1


def test_a_protocol_computes_its_quota_and_its_diversity_beside_the_ratings(read):
    rows = records(ComputedFacts, read)
    found = {(row["fact"], row["system"]): (row["value"], row["rated"], row["n"]) for row in rows}

    # Ann's walk of Alba's set finds every quota: 1; Bo's third 2 is one too many: (5 + 4) / 6
    assert found["specificity-quota", "Alba"][0] == (1 + 1.5) / 2
    # Ann: four kept and two missing, (4 + 8) / 6; Bo did not rate the fourth question and is left
    # out
    assert found["specificity-quota", "Brisa"][0] == 2
    assert found["set-diversity", "Alba"] == (1, 1.5, 1)
    assert found["set-diversity", "Brisa"] == (0, None, 1)


def test_a_set_nobody_rated_has_no_quota_and_an_empty_one_finds_none_left(read):
    (fact,) = (each for each in read.protocol.facts if each.key == "specificity-quota")
    (alba, _) = held_sets(read)
    empty = HeldSet("1", "Corvo", alba.units, (None,) * 6, ())

    assert set_value(fact, alba, {}) is None
    assert set_value(fact, empty, {}) == 4


def test_sets_are_listed_where_the_protocol_has_facts(read):
    rows = records(Sets, read)

    facts = [{name: (value, rated) for name, value, rated in row["facts"]} for row in rows]
    assert [(row["system"], row["returned"]) for row in rows] == [("Alba", 6), ("Brisa", 4)]
    assert [each["set-diversity"] for each in facts] == [(1, 1.5), (0, None)]
    assert rows[0]["types"] == ["who", "who", "what", "what", "where", "where"]


def test_a_protocol_without_facts_lists_no_sets():
    read = frames.read_campaign(factories.opened())

    assert (records(ComputedFacts, read), records(Sets, read)) == ([], [])
    assert {row["type_who"] for row in records(TextStatistics, read)} == {2}


def test_deliberate_degradations_are_told_from_models(campaign, read):
    System.objects.filter(name="Brisa").update(kind=System.Kind.DEGRADATION)

    assert {name: row["kind"] for name, row in of_systems(read).items()} == {
        "Alba": "model",
        "Brisa": "degradation",
    }


def row(system: str, **changes: object) -> Record:
    return {
        "system": system,
        "kind": "model",
        "sets": 2,
        "largest": 6,
        "returned": 8,
        "type_share": 0.5,
        "with_references": 2,
        "cardinality_difference": -1.5,
        "cardinality_error": 1.5,
        "exact_duplicates": 0,
        "near_duplicates": 1200,
        "type_who": 2,
        "type_what": 6,
        **changes,
    }


RULES = [
    {
        "fact": "quota",
        "kind": "quota",
        "criterion": "clarity",
        "system": "Alba",
        "sets": 2,
        "n": 2,
        "value": 1.25,
        "rated": 2.0,
        "method": "Our reading.",
    },
    {
        "fact": "even",
        "kind": "type_diversity",
        "criterion": "charm",
        "system": "Alba",
        "sets": 2,
        "n": 2,
        "value": 0.5,
        "rated": None,
        "method": "Half.",
    },
]


def cells(table):
    return [[(cell.text, cell.under) for cell in line.cells] for line in table.lines]


def test_types_stand_by_how_often_they_are_asked_with_their_shares():
    types, _ = TextStatistics().tables(stored.found(text_statistics=[row("Alba")]))

    assert types.columns == ["what", "who"]
    assert cells(types) == [[("6", "75%"), ("2", "25%")]]


def test_sets_show_what_there_is_to_show():
    _, several = TextStatistics().tables(stored.found(text_statistics=[row("Alba")]))
    _, single = TextStatistics().tables(stored.found(text_statistics=[row("Alba", largest=1)]))

    assert [cell for cell, _ in cells(several)[0]] == ["0.50", "–", "−1.50", "1.50", "0", "1,200"]
    assert single.columns == ["References − questions", "Absolute difference"]
    assert (
        len(
            TextStatistics().tables(
                stored.found(text_statistics=[row("Alba", largest=1, with_references=0)])
            )
        )
        == 1
    )


def test_computed_facts_stand_beside_their_ratings():
    criteria = [stored.criterion("clarity"), stored.criterion("charm")]
    found = stored.found(computed_facts=RULES, criteria=criteria)
    (table,) = ComputedFacts().tables(found)

    assert table.columns == ["Clarity: quota composite", "Charm: sets that reach it", "Charm"]
    assert cells(table) == [[("1.25", "n = 2"), ("50%", "of 2"), ("–", "mean rating")]]
    assert ComputedFacts().small_print(found) == ["Our reading.", "Half."]


def test_a_run_without_facts_has_no_table():
    assert TextStatistics().tables(stored.found()) == ComputedFacts().tables(stored.found()) == []


def test_types_by_head_beside_those_by_word_count_each_question_twice(read):
    read.slots["text"] = (
        read.slots["text"]
        .astype("string")
        .replace("What broke first?", "In what year did it break?")
    )
    rows = [row for row in records(TypesByHead, read) if row["system"] == "Alba"]

    found = {row["question_type"]: (row["by_word"], row["by_head"]) for row in rows}
    assert found == {"who": (2, 2), "when": (0, 1), "where": (2, 2), "what": (2, 1)}


def test_types_by_head_are_shown_where_they_differ_from_those_by_word():
    same = {"system": "Alba", "question_type": "who", "by_word": 2, "by_head": 2}
    moved = [
        {"system": "Alba", "question_type": "what", "by_word": 3, "by_head": 1},
        {"system": "Brisa", "question_type": "when", "by_word": 0, "by_head": 2},
    ]
    assert TypesByHead().tables(stored.found(types_by_head=[same])) == []
    [table] = TypesByHead().tables(stored.found(types_by_head=[same, *moved]))

    assert table.columns == ["who", "when", "what"]
    assert cells(table) == [
        [("2", "2"), ("0", "0"), ("1", "3")],
        [("0", "0"), ("2", "0"), ("0", "0")],
    ]
