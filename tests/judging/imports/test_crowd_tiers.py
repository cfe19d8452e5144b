"""Crowd batches joined with a score table: each question under the right system."""

import csv
import re
from collections import Counter
from collections.abc import Mapping
from io import StringIO

import pytest
from django.http import HttpResponse
from django.urls import reverse

from judging import storage
from judging.imports.actions import adding, proposals, reading_plans
from judging.imports.actions.joining import Joined
from judging.imports.actions.reading_plans import Plan
from judging.models import AddedFile, Collection, Judgment, Question, QuestionSet
from tests import factories, shared_data
from tests.judging.imports.crowd import CRITERIA, SYSTEMS, Crowd
from tests.judging.imports.studies import add, assembled, waiting
from tests.judging.studies import NOW

pytestmark = [pytest.mark.long, pytest.mark.django_db]
Sums = Mapping[tuple[str, str, str], int]


def upload(collection: Collection, name: str, data: bytes) -> AddedFile:
    """Return a waiting file with every proposal accepted."""
    added = adding.upload(
        collection=collection, name=name, file=storage.keep(data), by=collection.owner
    )
    head = reading_plans.read_head(name=name, data=data, plan=Plan())
    head = proposals.proposed(head, added=added)
    plan = Plan(format=head.format, columns=head.proposed)
    rubric = factories.rubric("qgbench") if head.criteria else None
    adding.decide(added=added, plan=plan, rubric=rubric)
    return added


def dataset_of(table: bytes) -> Collection:
    """Return a dataset that holds a score table."""
    collection = adding.start(name="Crowd", by=factories.researcher())
    adding.add(added=upload(collection, "scores.csv", table), by=collection.owner, now=NOW)
    return collection


def ratings_in(collection: Collection) -> Sums:
    """Return the sum of the ratings of each passage, system and criterion."""
    path = "unit__question_set__source__passage__text"
    sums: Counter[tuple[str, str, str]] = Counter()
    rows = Judgment.objects.filter(unit__question_set__source__collection=collection)
    for passage, system, criterion, value in rows.values_list(
        path, "unit__question_set__system__name", "criterion__key", "value"
    ):
        sums[passage, system, criterion] += value
    return sums


def changed_table(crowd: Crowd, *, known: int, typos: int) -> tuple[str, set[str]]:
    """Return the score table with what makes released tables hard, and its passages.

    It has the first `known` passages only, passages without the space after the first sentence, an
    answer of its own for one system, and typos in the first questions of another.
    """
    rows = list(csv.DictReader(StringIO(crowd.metrics())))
    kept = list(dict.fromkeys(row["paragraph_raw"] for row in rows))[:known]
    out = StringIO()
    writer = csv.DictWriter(out, rows[0])
    writer.writeheader()
    for row in rows:
        if row["paragraph_raw"] in kept:
            if row["model"] == "BART Large":
                row["answer_raw"] += " locks"
            if row["model"] == "LSTM" and row["paragraph_raw"] in kept[:typos]:
                row["prediction"] = row["prediction"].replace("locks has", "lock has")
            row["paragraph_raw"] = row["paragraph_raw"].replace(". It", ".It")
            writer.writerow(row)
    return out.getvalue(), {passage.replace(". It", ".It") for passage in kept}


def expected_of(crowd: Crowd, passages: set[str]) -> Sums:
    sums: Counter[tuple[str, str, str]] = Counter()
    for (passage, system, _worker, criterion), value in crowd.ratings.items():
        if passage.replace(". It", ".It") in passages:
            sums[passage.replace(". It", ".It"), system, criterion] += value
    return sums


@pytest.mark.parametrize(
    ("shuffled", "by_row"),
    [(False, False), (True, False), (True, True)],
    ids=["fixed", "shuffled", "shuffled by row"],
)
def test_add_batch_with_unknown_rows_and_typos_joins_the_others_under_their_systems(
    shuffled, by_row
):
    crowd = Crowd(batches=1, hits=4, shuffled=shuffled, by_row=by_row)
    table, passages = changed_table(
        crowd, known=12, typos=5
    )  # of 20, so 40% of the rows are unknown
    collection = dataset_of(table.encode())
    batch = upload(collection, "batch.csv", crowd.batches[0].encode())

    joined = adding.examine(added=batch)
    adding.add(added=batch, by=collection.owner, now=NOW)

    assert ratings_in(collection) == expected_of(crowd, passages)
    assert Question.objects.count() == 12 * len(SYSTEMS)
    assert joined.found.tiers["similar"] == 5
    assert batch.examined["by_row"] == shuffled


def test_examine_table_whose_ids_are_row_numbers_is_matched_by_texts():
    crowd = Crowd(batches=1, hits=1)
    rows = list(csv.reader(StringIO(crowd.metrics())))
    numbered = [["id", *rows[0]], *([str(n), *row] for n, row in enumerate(rows[1:], start=1))]
    backwards = [
        ["id", *rows[0], "chrF"],
        *([str(n), *row, "0.5"] for n, row in enumerate(rows[:0:-1], start=1)),
    ]
    first, second = StringIO(), StringIO()
    csv.writer(first).writerows(numbered)
    csv.writer(second).writerows(backwards)
    columns = {"source_id": "id", "passage": "paragraph_raw", "answer": "answer_raw"}
    columns |= {"system": "model", "question": "prediction"}
    chrf = {"column": "chrF", "name": "chrF", "direction": "higher", "scale": "fraction"}
    collection = assembled(first.getvalue(), **columns)

    added = waiting(collection, second.getvalue(), **columns, scores=[chrf])
    joined = adding.examine(added=added)

    assert joined.matching.doubtful_ids is not None
    assert joined.found.tiers == {"parts": 30}


def test_file_page_shows_the_share_of_each_tier_and_the_votes_for_letters(client):
    crowd = Crowd(batches=1, hits=4)
    table, _ = changed_table(crowd, known=12, typos=12)
    collection = dataset_of(table.encode())
    batch = upload(collection, "batch.csv", crowd.batches[0].encode())
    client.force_login(collection.owner)
    address = reverse("judging:file", args=[collection.pk, batch.number])

    shown = client.get(address)

    text = visible(shown)
    assert "Question text alone 60 50%" in text
    assert "No match 60 50%" in text
    assert "a T5 Large T5 Large: 12" in text
    assert "f undecided –" in text  # every question of this letter has a typo
    assert "No system is decided for the letter “f”. The closest one" in text
    names = {f"system-{n}": shown.context["form"].initial[f"system-{n}"] for n in range(6)}
    assert names["system-5"] == ""

    said = {"by": "auto", "similar": "on", "unmatched": "leave", "conflicts": "leave"}
    choices = reverse("judging:file_choices", args=[collection.pk, batch.number])
    client.post(choices, {**said, **names, "system-5": "LSTM"})
    decided = visible(client.get(address))

    assert "Similar text (85% or more, one clear candidate) 12 10%" in decided
    assert "f LSTM –" in decided


def visible(page: HttpResponse) -> str:
    """Return the words of a page."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.text))


def test_add_genuine_batch_joins_its_questions_under_the_right_systems():
    table = shared_data.path("qgbench/raw/final_result_part.csv").read_bytes()
    batch = shared_data.path("qgbench/raw/batch_part.csv").read_bytes()
    collection = dataset_of(table)
    texts = Counter(Question.objects.values_list("unit__question_set__system__name", "text"))
    added = upload(collection, "batch.csv", batch)

    joined: Joined = adding.examine(added=added)
    adding.add(added=added, by=collection.owner, now=NOW)

    names = ("T5 Large", "T5 Small", "BART Large", "T5 Large (No Passage)", "T5 Large (No Answer)")
    assert added.examined["letters"] == dict(zip("abcdef", (*names, "LSTM"), strict=True))
    # three questions have a text that the table has in that passage from other systems only
    assert (joined.counts()["matched"], joined.counts()["new"]) == (580, 3)
    assert Judgment.objects.values("unit").distinct().count() == 583
    rated = Question.objects.filter(unit__judgments__isnull=False).distinct()
    new = Counter(rated.values_list("unit__question_set__system__name", "text")) - texts
    assert set(new) == {
        ("T5 Large", "Who was the first torchbearer?"),
        ("BART Large", "Who was the first torchbearer?"),
        ("T5 Large (No Answer)", "What is the busiest vehicular tunnel in the world?"),
    }
    assert Judgment.objects.count() == 583 * 3 * len(CRITERIA)


def test_add_batch_whose_question_another_system_asked_too_adds_it_and_no_blank_slots():
    """Alba's row of two passages is missing in the table; only one of its questions is known."""
    towns = ["Aden", "Bonn", "Cork", "Dijon", "Essen"]
    rows = [(f"{town} has a mill and a port.", town, f"Who built {town}?") for town in towns]
    batch = [
        line
        for passage, town, asked in rows
        for line in (f"{passage},a,{asked},3", f"{passage},b,Where is {town}?,2")
    ]
    table = [f"{passage},Brisa,Where is {town}?" for passage, town, _ in rows]
    table += [f"{passage},Alba,{asked}" for passage, _, asked in rows[:3]]
    batch[6] = "Dijon has a mill and a port.,a,Where is Dijon?,1"
    columns = {name: name for name in ("passage", "system", "question")}
    rating = {"column": "grammaticality", "criterion": "grammaticality", "rater": "Ana"}
    text = "\n".join(["passage,system,question", *table]) + "\n"
    collection = assembled(text, **columns, crossed=False)

    added = add(
        collection,
        "\n".join(["passage,system,question,grammaticality", *batch]) + "\n",
        rubric=factories.rubric(),
        **columns,
        ratings=[rating],
    )

    assert added.examined["letters"] == {"a": "Alba", "b": "Brisa"}
    [new] = Question.objects.filter(unit__question_set__system__name="Alba").exclude(
        text__startswith="Who"
    )
    assert (new.text, new.unit.judgments.get().value) == ("Where is Dijon?", 1)
    assert QuestionSet.objects.filter(system__name="Alba").count() == 4
    assert added.examined["counts"]["unmatched"] == 1


def test_choices_of_a_batch_made_before_its_table_leave_letters_open(client):
    crowd = Crowd(batches=1, hits=2)
    collection = assembled()
    batch = upload(collection, "batch.csv", crowd.batches[0].encode())
    client.force_login(collection.owner)
    file = reverse("judging:file", args=[collection.pk, batch.number])
    choices = reverse("judging:file_choices", args=[collection.pk, batch.number])
    shown = client.get(file).context["form"].initial
    names = {name: value for name, value in shown.items() if name.startswith("system-")}
    assert names["system-0"] == "a"
    said = {"by": "auto", "similar": "on", "unmatched": "leave", "conflicts": "leave"}

    client.post(choices, {**said, **names})
    table = upload(collection, "scores.csv", crowd.metrics().encode())
    adding.add(added=table, by=collection.owner, now=NOW, confirmed=True)
    batch.refresh_from_db()
    adding.look_again(batch)

    assert client.get(file).context["found"]["letters"] == dict(zip("abcdef", SYSTEMS, strict=True))


def test_file_page_declined_question_is_not_matched_while_others_of_its_row_are(client):
    crowd = Crowd(batches=1, hits=1)
    table, _ = changed_table(crowd, known=5, typos=2)
    collection = dataset_of(table.encode())
    batch = upload(collection, "batch.csv", crowd.batches[0].encode())
    client.force_login(collection.owner)
    file = reverse("judging:file", args=[collection.pk, batch.number])
    shown = client.get(file)
    assert "Rows matched by similar text: 2" in shown.text
    offered = [text for text, _ in shown.context["form"].fields["declined"].choices]
    assert offered == [f"How many locks has canal 0-0-{n}, LSTM?" for n in (0, 1)]

    said = {"by": "auto", "similar": "on", "unmatched": "leave", "conflicts": "leave"}
    choices = reverse("judging:file_choices", args=[collection.pk, batch.number])
    client.post(choices, {**said, "declined": offered[:1]})

    again = client.get(file)
    tiers = again.context["found"]["tiers"]
    assert (tiers["similar"], tiers["none"]) == (1, 1)
    assert again.context["form"].initial["declined"] == offered[:1]
    assert [text for text, _ in again.context["form"].fields["declined"].choices] == offered
