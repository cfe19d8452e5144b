import pytest

from judging.campaigns.actions import dataset_uses
from judging.datasets.actions import dataset_counts, datasets
from judging.datasets.models.dataset import (
    Attribute,
    Dataset,
    Passage,
    Quarantine,
    Question,
    QuestionSet,
    Reference,
    Source,
    System,
    Unit,
)
from judging.datasets.models.score import Metric, Score
from judging.formats.frames import Problem
from judging.jobs.models.file import StoredFile
from tests import factories
from tests.judging.imports.studies import scored
from tests.judging.studies import COLUMNS, QUESTIONS, imported

pytestmark = pytest.mark.django_db


QUESTION = {"question": {"role": "question"}}
PLACED = {name: {"role": name} for name in ("passage", "system", "question")}


def stored(*text: str, **mapping) -> Dataset:
    return imported(*text, **mapping).dataset


def test_store_keeps_one_passage_for_equal_texts():
    made = stored()

    assert list(made.passages.values_list("text", flat=True).order_by("id")) == [
        "The lock was built by Agnes.",
        "The weir is old.",
    ]
    assert Passage.objects.get(text="The weir is old.").sources.count() == 1


def test_store_keeps_sources_in_the_order_of_the_file_with_their_marks():
    made = stored()

    assert list(made.sources.values_list("key", "position", "answer", "answer_start")) == [
        ("1", 1, "Agnes", 22),
        ("2", 2, "old", 12),
    ]


def test_store_makes_a_slot_for_a_question_that_is_missing():
    made = stored()

    assert QuestionSet.objects.filter(source__dataset=made).count() == 4
    empty = Unit.objects.get(
        question_set__source__key="2", question_set__system__name="Brisa", position=1
    )
    assert not Question.objects.filter(unit=empty).exists()
    assert Question.objects.filter(unit__question_set__source__dataset=made).count() == 3


def test_store_makes_a_unit_for_each_set_as_a_whole():
    made = stored()

    wholes = Unit.objects.filter(question_set__source__dataset=made, position__isnull=True)
    assert wholes.count() == 4


def test_store_keeps_how_many_questions_were_expected():
    made = stored(
        "passage,system,question,position\nA lock.,Alba,Why?,1\nA lock.,Alba,,2\nA lock.,Brisa,Who?,1\n",
        columns=PLACED | {"position": {"role": "position"}},
        expected=3,
    )

    assert set(QuestionSet.objects.values_list("system__name", "expected")) == {
        ("Alba", 3),
        ("Brisa", 3),
    }
    assert Unit.objects.filter(position__isnull=False).count() == 6
    assert made.systems.count() == 2


def test_store_keeps_a_score_with_every_digit_of_its_file():
    made = stored()

    score = Score.objects.get(unit__question__text="Who built the lock?")
    assert (score.value, score.text) == (0.5, "0.5000")
    metric = made.metrics.get()
    assert (metric.name, metric.kind, metric.direction, metric.scale) == (
        "Bleu_4",
        "imported",
        "higher",
        "fraction",
    )
    assert metric.made["column"] == "Bleu_4"


def test_store_takes_a_column_of_human_means_for_no_metric():
    stored(
        "question,fluency\nWhy?,2.4\n",
        columns=QUESTION | scored("fluency", role="human_mean"),
        system="Alba",
    )

    assert list(Metric.objects.values_list("name", "kind")) == [("fluency", "human_mean")]


def test_store_keeps_no_score_for_a_blank_cell():
    stored(
        "question,Bleu_4\nWhy?,\nWho?,0.5\n",
        columns=QUESTION | scored("Bleu_4"),
        system="Alba",
    )

    assert Score.objects.count() == 1


def test_store_keeps_metadata_as_attributes():
    stored()

    assert list(Attribute.objects.values_list("name", "value").order_by("unit_id")) == [
        ("topic", "locks"),
        ("topic", "locks"),
        ("topic", "weirs"),
    ]


def test_store_keeps_a_missing_passage_missing():
    stored("question\nWhy?\nWho?\n", columns=QUESTION, system="Alba")

    assert Passage.objects.count() == 0
    assert list(Source.objects.values_list("passage", flat=True)) == [None, None]
    assert list(System.objects.values_list("name", flat=True)) == ["Alba"]


@pytest.mark.parametrize(
    "text",
    [
        "tab\there",
        r"back\slash \N \.",
        "two\nlines",
        "carriage\rreturn",
        "=HYPERLINK(1)",
        "<b>ü</b> 🌊 \u0301",
        "'; --",
    ],
)
def test_store_keeps_every_character(text: str):
    stored(f'question\n"{text}"\n', columns=QUESTION, system="Alba")

    assert Question.objects.get().text == text


def test_quarantine_keeps_row_column_value_and_reason():
    made = factories.dataset()
    problem = Problem(row=7, column="c" * 300, value="31", reason="Not on the scale.", kind="value")

    assert datasets.quarantine_values(dataset=made, problems=[problem]) == 1

    kept = Quarantine.objects.get()
    assert (kept.row, kept.column, kept.value, kept.reason) == (
        7,
        "c" * 200,
        "31",
        "Not on the scale.",
    )


def test_counted_systems_tell_what_is_missing_and_what_repeats_another():
    text = "passage,system,question\nA,Alba,Why?\nA,Alba,Why  ?\nA,Alba,why?\nA,Alba, Why?\nA,Brisa,Who?\nB,Alba,Why?\n"
    made = stored(text, columns=PLACED)

    counts = [
        (each.name, each.returned, each.missing, each.duplicates)
        for each in dataset_counts.count_systems(made)
    ]

    assert counts == [("Alba", 5, 0, 1), ("Brisa", 1, 4, 0)]


def test_white_space_counts_in_texts_too_long_for_a_question():
    """To collapse it in 800 texts of 480,000 characters took the database 52 seconds."""
    long = "x" * 10_000
    text = "passage,system,question\n" + "".join(
        f"{passage},Alba,{question}\n"
        for passage, pair in {"A": (f"{long} y", f"{long}  y"), "B": (f"{long} y",) * 2}.items()
        for question in pair
    )
    made = stored(text, columns=PLACED)

    (alba,) = dataset_counts.count_systems(made)

    assert (alba.returned, alba.duplicates) == (4, 1)


def test_counted_datasets_tell_what_they_hold():
    made = stored()

    row = Dataset.objects.counted().get(pk=made.pk)

    counts = (row.source_count, row.system_count, row.question_count, row.quarantine_count)
    assert counts == (2, 2, 3, 0)


def test_delete_removes_everything_and_the_file_where_nobody_else_has_it():
    made, other = stored(), stored(f"{QUESTIONS}The weir is old.,old,Brisa,,,\n", columns=COLUMNS)

    dataset_uses.delete_dataset(dataset=made)

    assert list(Dataset.objects.all()) == [other]
    counted = (
        Passage,
        Source,
        Reference,
        System,
        QuestionSet,
        Unit,
        Question,
        Attribute,
        Metric,
        Score,
    )
    assert [model.objects.count() for model in counted] == [2, 2, 0, 2, 4, 8, 3, 3, 1, 3]
    assert StoredFile.objects.get() == other.file


def test_delete_keeps_a_file_that_another_dataset_came_from():
    made, again = stored(), stored()

    dataset_uses.delete_dataset(dataset=made)

    assert StoredFile.objects.get() == again.file
