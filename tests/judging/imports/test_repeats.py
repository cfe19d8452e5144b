"""Equal rows and ratings given again: nothing is lost, and an analysis takes one value of a rater
for each question."""

import pytest

from analysis import frames
from judging.actions import collection_counts
from judging.imports.actions import datasets, taking_back
from judging.imports.readers.columns import columns_from
from judging.imports.readers.mapping import to_study
from judging.imports.readers.repeats import unrolled
from judging.imports.readers.tables import read_delimited
from judging.models import Judgment, Source, TaskUnit
from tests import factories
from tests.judging.imports.studies import BATCH, MATERIAL, add, assembled
from tests.judging.imports.test_adding import everything
from tests.judging.studies import NOW

pytestmark = [pytest.mark.long, pytest.mark.django_db]
AGAIN = """\
passage,system,question,rater,grammaticality
Herons wade.,Alba,Who wades?,Ana,3
Herons wade.,Alba,Who wades?,Ana,1
Herons wade.,Alba,Who wades?,Bo,3
Herons wade.,Brisa,What wades?,Ana,2
Herons wade.,Brisa,What wades?,Bo,2
"""
COLUMNS = {
    "passage": "passage",
    "system": "system",
    "question": "question",
    "rater": "rater",
    "ratings": [{"column": "grammaticality", "criterion": "grammaticality"}],
}
EQUAL = """\
gold,question,grammaticality@Ana,grammaticality@Bo
What is it?,What it?,3,3
What is it?,What it?,3,3
Who is it?,Who it?,1,2
"""
WIDE = {
    "question": "question",
    "references": ["gold"],
    "default_system": "noised",
    "ratings": [
        {"column": f"grammaticality@{who}", "criterion": "grammaticality", "rater": who}
        for who in ("Ana", "Bo")
    ],
}


def repeated_values(collection):
    """Return annotator, criterion, repeat and value of ratings that were given again."""
    again = Judgment.objects.filter(
        unit__question_set__source__collection=collection,
        unit__question_set__source__repeat_of__isnull=False,
    )
    columns = (
        "assignment__enrollment__label",
        "criterion__key",
        "unit__question_set__source__repeat",
        "value",
    )
    return sorted(again.values_list(*columns))


def read(text, **columns):
    return to_study(read_delimited(text.encode()), columns_from(columns))


def imported(text, **columns):
    return datasets.import_study(
        study=read(text, **columns),
        name="Birds",
        by=factories.researcher(),
        now=NOW,
        rubric=factories.rubric(),
    )


def test_rows_that_are_equal_cell_for_cell_all_count():
    made = imported(EQUAL, **WIDE)

    table = frames.material(made.campaign).ratings("grammaticality")

    assert table["Ana"].tolist() == [3, 3, 1]
    assert table["Bo"].tolist() == [3, 3, 2]
    assert made.quarantined == 0


def test_rows_that_are_mistakes_are_left_out_with_their_number():
    made = imported(EQUAL, **WIDE, repeats_are="mistakes")

    assert frames.material(made.campaign).ratings("grammaticality")["Ana"].tolist() == [3, 1]
    assert [row.row for row in made.collection.quarantine.all()] == [3]


def test_rating_given_again_is_kept_apart_from_the_first():
    made = imported(AGAIN, **COLUMNS)

    read_ = frames.material(made.campaign)
    table = read_.ratings("grammaticality")
    assert table["Ana"].tolist() == [3, 2]
    assert table["Bo"].tolist() == [3, 2]
    assert repeated_values(made.collection) == [("Ana", "grammaticality", 2, 1)]
    assert Judgment.objects.count() == 5
    assert [
        (each.name, each.returned, each.missing)
        for each in collection_counts.systems(made.collection)
    ] == [("Alba", 1, 0), ("Brisa", 1, 0)]


def test_counted_patterns_take_the_first_rating_alone():
    made = imported(AGAIN, **COLUMNS)

    patterns = frames.counted(made.campaign)["grammaticality"]

    assert patterns.times.sum() == 2


def test_repeats_are_not_laid_out_for_people_to_judge():
    made = imported(AGAIN, **COLUMNS)

    campaign = factories.opened(collection=made.collection, manager=made.collection.owner)

    assert TaskUnit.objects.filter(task__round__campaign=campaign).count() == 2
    assert Source.objects.filter(repeat_of__isnull=False).get().key == "1 (repeat 2)"


def test_unrolled_leaves_a_study_without_repeats_as_it_is():
    study = read(EQUAL, **WIDE)

    assert unrolled(study) is study


def test_file_with_ratings_given_again_joins_and_is_taken_back():
    collection, rubric = assembled(), factories.rubric()
    before = everything(collection)
    lines = BATCH.splitlines()
    text = "\n".join(
        [
            lines[0] + ",rater,grammaticality",
            lines[1] + ",Ana,3",
            lines[1] + ",Ana,2",
            lines[2] + ",Ana,1",
        ]
    )
    columns = {**MATERIAL, "rater": "rater", "ratings": COLUMNS["ratings"]}

    added = add(collection, text + "\n", rubric=rubric, **columns)
    other = add(
        collection, text.replace("Ana", "Bo") + "\n", name="bo.csv", rubric=rubric, **columns
    )

    assert repeated_values(collection) == [
        ("Ana", "grammaticality", 2, 2),
        ("Bo", "grammaticality", 2, 2),
    ]
    assert Source.objects.filter(repeat_of__isnull=False).count() == 1
    assert "bo.csv" in taking_back.rests_on(added)[0]
    for each in (other, added):
        taking_back.take_back(added=each, by=collection.owner, now=NOW)
    assert everything(collection) == before


def test_rating_given_again_may_join_under_a_locked_protocol():
    collection, rubric = assembled(), factories.rubric()
    factories.opened(collection=collection, manager=collection.owner)
    line = BATCH.splitlines()[1]
    text = f"passage,answer,system,question,rater,grammaticality\n{line},Ana,3\n{line},Ana,2\n"

    add(collection, text, rubric=rubric, **MATERIAL, rater="rater", ratings=COLUMNS["ratings"])

    assert Judgment.objects.count() == 2
