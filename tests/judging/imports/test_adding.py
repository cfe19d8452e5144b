"""Files added to a dataset and taken back: what they add, what they leave."""

import csv
from functools import partial
from io import BytesIO
from typing import Any

import pytest
from django.db import connection, transaction
from django.urls import reverse
from openpyxl import Workbook

from analysis import frames
from judging import storage
from judging.actions import campaigns, collections, machine_judges
from judging.imports.actions import adding, proposals, reading_plans, taking_back
from judging.imports.actions.joining import JoiningChoices
from judging.imports.actions.reading_plans import Plan
from judging.imports.actions.refusals import CannotImport
from judging.imports.readers import limited
from judging.imports.readers.numbers import is_number
from judging.models import (
    AddedFile,
    Assignment,
    Attribute,
    Collection,
    Enrollment,
    Judgment,
    Metric,
    Question,
    QuestionSet,
    Reference,
    Score,
    Source,
    StoredFile,
    System,
    Task,
    TaskUnit,
    Unit,
)
from tests import factories
from tests.judging.imports.studies import BATCH, MATERIAL, add, assembled, waiting
from tests.judging.studies import NOW, rated

pytestmark = pytest.mark.django_db

SCORES = """\
passage,answer,system,question,Bleu_4
Herons wade at dawn.,at dawn,Alba,When do herons wade?,0.50
Herons wade at dawn.,at dawn,Brisa,What wades at dawn?,0.25
The mill was sold in 1850.,1850,Alba,When was the mill sold?,0.75
"""
BLEU = {
    "scores": [{"column": "Bleu_4", "name": "Bleu_4", "direction": "higher", "scale": "fraction"}]
}
BY_ID = {"source_id": "id", "system": "system"}
SECOND = """\
passage,answer,system,question
Owls hunt by ear.,by ear,Alba,How do owls hunt?
Owls hunt by ear.,by ear,Brisa,What hunts?
"""


@pytest.fixture(scope="module")
def assembled_once(lasting: None) -> int:
    return assembled().pk


@pytest.fixture
def collection(assembled_once: int) -> Collection:
    return Collection.objects.get(pk=assembled_once)


def ratings(rater: str, *values: int) -> str:
    """Return the file of one rater, named by sources and systems."""
    lines = [line.rsplit(",", 1) for line in BATCH.splitlines()[1:]]
    rows = [
        f"{given},{question},{value}"
        for (given, question), value in zip(lines, values, strict=False)
    ]
    return "\n".join(["passage,answer,system,question,grammaticality", *rows]) + "\n"


def of_one(rater: str) -> dict[str, Any]:
    return {
        **MATERIAL,
        "ratings": [{"column": "grammaticality", "criterion": "grammaticality", "rater": rater}],
    }


def everything(collection: Collection) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of a dataset and its campaigns, by the names of their columns, without
    times."""
    ids = [collection.pk]
    found = {}
    for model, path in (
        (Source, "collection"),
        (System, "collection"),
        (QuestionSet, "source__collection"),
        (Unit, "question_set__source__collection"),
        (Question, "unit__question_set__source__collection"),
        (Attribute, "unit__question_set__source__collection"),
        (Reference, "source__collection"),
        (Metric, "collection"),
        (Score, "metric__collection"),
        (Task, "round__campaign__collection"),
        (TaskUnit, "task__round__campaign__collection"),
        (Assignment, "round__campaign__collection"),
        (Judgment, "assignment__round__campaign__collection"),
        (Enrollment, "campaign__collection"),
    ):
        found[model.__name__] = sorted(
            map(str, model.objects.filter(**{f"{path}__in": ids}).values_list())
        )
    found["passages"] = sorted(map(str, collection.passages.values_list()))
    found["campaigns"] = sorted(
        collection.campaigns.values_list("pk", "annotators_per_task", "state")
    )
    return found


def test_add_begins_an_empty_collection_with_its_first_file(collection):
    assert collection.sources.count() == 2
    assert set(collection.systems.values_list("name", flat=True)) == {"Alba", "Brisa"}
    assert Question.objects.filter(unit__question_set__source__collection=collection).count() == 4
    assert collection.file_name == "first.csv"
    first = collection.added_files.get()
    assert (first.number, first.state, first.added_by) == (1, "added", collection.owner)
    assert first.brought["questions"] == 4


def test_add_of_a_second_batch_brings_its_sources_and_shares_the_systems(collection):
    added = add(collection, SECOND)

    assert list(collection.sources.values_list("key", "position")) == [
        ("1", 1),
        ("2", 2),
        ("1 (2)", 3),
    ]
    assert collection.systems.count() == 2
    assert added.brought["questions"] == 2
    assert added.examined["counts"]["new"] == 2


def test_add_of_scores_finds_its_questions_by_their_texts(collection):
    added = add(collection, SCORES, **MATERIAL, **BLEU)

    scored = Score.objects.filter(metric__collection=collection).order_by("value")
    assert [(row.unit.question.text, row.text) for row in scored] == [
        ("What wades at dawn?", "0.25"),
        ("When do herons wade?", "0.50"),
        ("When was the mill sold?", "0.75"),
    ]
    assert added.examined["counts"]["matched"] == 3
    assert Question.objects.count() == 4


def test_add_of_scores_by_ids_needs_no_texts():
    text = (
        BATCH.replace("passage,", "item,passage,", 1)
        .replace("\nHerons", "\nh1,Herons")
        .replace("\nThe", "\nm1,The")
    )
    collection = assembled(text, source_id="item", **MATERIAL)

    add(
        collection,
        "item,system,Bleu_4\nh1,Alba,0.5\nm1,Brisa,0.125\nx9,Alba,1\n",
        source_id="item",
        system="system",
        **BLEU,
    )

    found = Score.objects.values_list("unit__question__text", "text").order_by("value")
    assert list(found) == [("What was sold?", "0.125"), ("When do herons wade?", "0.5")]
    added = collection.added_files.get(number=2)
    assert added.examined["counts"]["unmatched"] == 1
    assert added.examined["examples"]["unmatched"][0]["row"] == 4


def test_examine_row_in_capitals_is_matched_by_normalized_text(collection):
    shouted = SCORES.replace("When do herons wade?", "WHEN DO HERONS WADE ?")

    joined = adding.examine(added=waiting(collection, shouted, **MATERIAL, **BLEU))

    assert joined.counts()["matched"] == 3
    assert joined.found.tiers == {"parts": 2, "normalized": 1}


def test_examine_row_with_a_typo_is_listed_as_similar_and_can_be_declined(collection):
    text = SCORES.replace("When was the mill sold?", "When was the mil sold?")
    added = waiting(collection, text, **MATERIAL, **BLEU)

    adding.examine(added=added)
    [listed] = added.examined["examples"]["similar"]
    assert listed == {
        "row": 4,
        "what": "When was the mil sold?",
        "reason": "The dataset’s question is “When was the mill sold?” (97% similar).",
    }
    adding.decide(added=added, choices=JoiningChoices(declined=["When was the mil sold?"]))
    joined = adding.examine(added=added)

    assert joined.found.tiers == {"parts": 2, "none": 1}
    [listed] = added.examined["examples"]["unmatched"]
    assert listed["reason"] == (
        "The dataset has this source, but no such question of this system there. The closest one "
        "in the same passage is “When was the mill sold?” by Alba (97% similar)."
    )


def test_examine_file_that_matches_nothing_names_the_closest_match(collection):
    text = SCORES.splitlines()[0] + "\nBees dance.,bees,Alba,When do the herons wade here?,0.5\n"
    choices = JoiningChoices(unmatched="leave")

    joined = adding.examine(added=waiting(collection, text, choices=choices, **MATERIAL, **BLEU))

    assert joined.obstacles == [
        "None of the 1 rows matches a question in the dataset. The closest match uses question text "
        "only (82%). Check how the rows are matched, or add them as new questions."
    ]


def test_add_goes_on_with_a_column_that_the_collection_has():
    collection = assembled(SCORES, **MATERIAL, **BLEU)
    more = (
        SECOND.replace("question\n", "question,Bleu_4\n")
        .replace("hunt?\n", "hunt?,0.1\n")
        .replace("hunts?\n", "hunts?,0.2\n")
    )

    add(collection, more, **MATERIAL, **BLEU)

    assert collection.metrics.get().scores.count() == 5


def test_add_keeps_a_score_that_contradicts_in_quarantine():
    collection = assembled(SCORES, **MATERIAL, **BLEU)
    other = SCORES.replace("0.25", "0.99")

    with pytest.raises(CannotImport, match="adds nothing"):
        add(collection, other, name="other.csv", **MATERIAL, **BLEU)
    two = (
        other.replace("Bleu_4", "Bleu_4,topic", 1)
        .replace("0.50", "0.50,birds")
        .replace("0.99", "0.99,birds")
    )
    added = add(
        collection, two.replace("0.75", "0.75,mills"), **MATERIAL, **BLEU, metadata=["topic"]
    )

    assert added.examined["counts"]["conflicting"] == 1
    assert added.examined["counts"]["already_there"] == 2
    assert collection.quarantine.get().reason == "The dataset has 0.25 for Bleu_4."
    assert set(Score.objects.values_list("text", flat=True)) == {"0.50", "0.25", "0.75"}


def test_add_puts_the_ratings_of_three_files_into_one_campaign(collection):
    rubric = factories.rubric()

    for rater, values in (("Ana", (3, 2, 1, 3)), ("Bo", (3, 1, 1, 2)), ("Cy", (2, 2, 1))):
        add(collection, ratings(rater, *values), rubric=rubric, **of_one(rater))

    campaign = collection.campaigns.get()
    assert (campaign.state, campaign.origin, campaign.annotators_per_task) == (
        "closed",
        "imported",
        3,
    )
    read = frames.material(campaign)
    table = read.ratings("grammaticality")
    assert table["Ana"].tolist() == [3, 2, 1, 3]
    assert table["Bo"].tolist() == [3, 1, 1, 2]
    assert table["Cy"].tolist()[:3] == [2, 2, 1]
    assert Task.objects.count() == 2


def as_workbook(text: str) -> bytes:
    book, out = Workbook(), BytesIO()
    for row in csv.reader(text.splitlines()):
        book.active.append([float(cell) if is_number(cell) else cell for cell in row])
    book.save(out)
    return out.getvalue()


def test_workbooks_of_three_raters_and_one_of_metrics_join_as_they_are_proposed(collection):
    rubric = factories.rubric()
    texts = {"ana": ratings("", 3, 2, 1, 3), "bo": ratings("", 3, 1, 1, 2)}
    texts |= {"cy": ratings("", 2, 2, 1), "metrics": SCORES}
    for name, text in texts.items():
        data = as_workbook(text)
        added = adding.upload(
            collection=collection,
            name=f"{name}.xlsx",
            file=storage.keep(data),
            by=collection.owner,
        )
        head = reading_plans.read_head(name=added.name, data=data, plan=Plan())
        head = proposals.proposed(head, added=added)
        plan = Plan(format=head.format, columns=head.proposed)
        adding.decide(added=added, plan=plan, rubric=rubric if head.criteria else None)
        adding.add(added=added, by=collection.owner, now=NOW)

    table = frames.material(collection.campaigns.get()).ratings("grammaticality")
    assert table[["ana", "bo", "cy"]].dropna().to_numpy().tolist() == [
        [3, 3, 2],
        [2, 1, 2],
        [1, 1, 1],
    ]
    assert table["bo"].tolist() == [3, 1, 1, 2]
    assert sorted(Score.objects.values_list("text", flat=True)) == ["0.25", "0.5", "0.75"]


def test_add_gives_one_rater_who_comes_in_two_files_one_assignment_a_task(collection):
    rubric = factories.rubric()
    add(collection, ratings("Ana", 3, 2, 1, 3), rubric=rubric, **of_one("Ana"))
    second = ratings("Ana", 1, 1, 2, 2).replace("grammaticality", "correctness")

    add(
        collection,
        second,
        rubric=rubric,
        **MATERIAL,
        ratings=[{"column": "correctness", "criterion": "correctness", "rater": "Ana"}],
    )

    assert Assignment.objects.count() == 2
    assert Judgment.objects.count() == 8


def test_take_back_restores_the_former_state_row_for_row_and_the_digest(collection):
    rubric = factories.rubric()
    add(collection, ratings("Ana", 3, 2, 1, 3), rubric=rubric, **of_one("Ana"))
    before, digest = (
        everything(collection),
        frames.digest(frames.material(collection.campaigns.get())),
    )

    rated_by = add(collection, ratings("Bo", 1, 2, 3, 1), rubric=rubric, **of_one("Bo"))
    scored = add(collection, SCORES, **MATERIAL, **BLEU)
    batch = add(collection, SECOND)
    assert frames.digest(frames.material(collection.campaigns.get())) != digest
    for added in (scored, batch, rated_by):
        taking_back.take_back(added=added, by=collection.owner, now=NOW)

    assert everything(collection) == before
    assert frames.digest(frames.material(collection.campaigns.get())) == digest
    assert [each.state for each in collection.added_files.all()] == [
        "added",
        "added",
        *["taken_back"] * 3,
    ]


def test_take_back_of_all_leaves_an_empty_collection(collection):
    rubric = factories.rubric()
    rated_by = add(collection, ratings("Ana", 3, 2, 1, 3), rubric=rubric, **of_one("Ana"))

    taking_back.take_back(added=rated_by, by=collection.owner, now=NOW)
    taking_back.take_back(added=collection.added_files.get(number=1), by=collection.owner, now=NOW)

    assert not any(rows for rows in everything(collection).values())
    collection.refresh_from_db()
    assert collection.file is None


def test_take_back_names_the_file_that_rests_on_it(collection):
    add(collection, SCORES, name="bleu.csv", **MATERIAL, **BLEU)

    with pytest.raises(taking_back.Rests) as refused:
        taking_back.take_back(
            added=collection.added_files.get(number=1), by=collection.owner, now=NOW
        )

    assert refused.value.reasons == [
        "“bleu.csv” (file 2) added 3 values about its questions; take that file back first."
    ]
    assert Question.objects.count() == 4


def test_take_back_names_the_campaign_that_rests_on_it(collection):
    campaign = factories.campaign(collection=collection, manager=collection.owner)
    campaigns.lock(campaign=campaign, now=NOW)

    with pytest.raises(
        taking_back.Rests,
        match=r"The campaign “Canal towns” \(locked\) judges questions of this file",
    ):
        taking_back.take_back(added=collection.added_files.get(), by=collection.owner, now=NOW)


@pytest.mark.long
def test_take_back_names_the_machine_judge_that_rests_on_it(collection):
    rubric = factories.rubric()
    rated_by = add(collection, ratings("Ana", 3, 2, 1, 3), rubric=rubric, **of_one("Ana"))
    campaign = collection.campaigns.get()
    token = machine_judges.items(campaign)[0].token
    judge, _ = machine_judges.add(
        campaign=campaign,
        by=collection.owner,
        file=storage.keep(f"item,correctness\n{token},2\n".encode()),
        file_name="j.csv",
        about={"name": "Small", "model": "m"},
    )

    with pytest.raises(
        taking_back.Rests,
        match=r"The LLM judge “Small” of .* judged with it; remove that judge",
    ):
        taking_back.take_back(added=rated_by, by=collection.owner, now=NOW)
    machine_judges.remove(judge=judge, by=judge.created_by)
    taking_back.take_back(added=rated_by, by=collection.owner, now=NOW)


def test_take_back_names_the_scores_that_were_computed_from_it(collection):
    computed = Metric.objects.create(
        collection=collection, name="BLEU-4", kind="computed", fingerprint="f"
    )
    Score.objects.create(metric=computed, unit=Question.objects.first().unit, value=1)

    with pytest.raises(
        taking_back.Rests, match="Scores of BLEU-4 were computed here from its data"
    ):
        taking_back.take_back(added=collection.added_files.get(), by=collection.owner, now=NOW)


def test_add_fills_blank_answers_and_take_back_empties_them():
    collection = assembled(
        "passage,system,question\nHerons wade at dawn.,Alba,When?\n",
        passage="passage",
        system="system",
        question="question",
    )

    added = add(
        collection,
        "passage,answer\nHerons wade at dawn.,at dawn\nNo such text.,x\n",
        passage="passage",
        answer="answer",
    )

    source = collection.sources.get()
    assert (source.answer, source.answer_start) == ("at dawn", 12)
    assert added.brought["filled"] == 1
    taking_back.take_back(added=added, by=collection.owner, now=NOW)
    source.refresh_from_db()
    assert (source.answer, source.answer_start) == ("", None)


def test_add_appends_references_and_take_back_removes_them():
    collection = assembled(
        BATCH.replace("question", "question,gold", 1)
        .replace("wade?\n", "wade?,When is it?\n", 1)
        .replace("dawn?\n", "dawn?,\n")
        .replace("sold?\n", "sold?,\n"),
        **MATERIAL,
        references=["gold"],
    )

    added = add(
        collection,
        "passage,gold\nHerons wade at dawn.,When do they?\nHerons wade at dawn.,When is it?\n",
        passage="passage",
        references=["gold"],
    )

    assert list(Reference.objects.values_list("position", "text")) == [
        (1, "When is it?"),
        (2, "When do they?"),
    ]
    taking_back.take_back(added=added, by=collection.owner, now=NOW)
    assert list(Reference.objects.values_list("text", flat=True)) == ["When is it?"]


@pytest.mark.parametrize("state", ["locked", "open", "closed"])
def test_add_of_what_is_judged_is_refused_where_a_protocol_is_locked(collection, state):
    campaign = factories.opened(collection=collection, manager=collection.owner)
    type(campaign).objects.filter(pk=campaign.pk).update(state=state)

    with pytest.raises(CannotImport, match=r"2 new questions\. Metrics, references and metadata"):
        add(collection, SECOND)
    add(collection, SCORES, **MATERIAL, **BLEU)
    add(
        collection,
        "passage,gold\nHerons wade at dawn.,When?\n",
        passage="passage",
        references=["gold"],
    )

    assert Question.objects.count() == 4
    assert (Score.objects.count(), Reference.objects.count()) == (3, 1)


def test_add_of_references_is_refused_where_scores_were_computed_from_others(collection):
    computed = Metric.objects.create(
        collection=collection, name="BLEU-4", kind="computed", fingerprint="f"
    )
    Score.objects.create(metric=computed, unit=Question.objects.first().unit, value=1)

    with pytest.raises(
        CannotImport, match="Scores of BLEU-4 were computed here from the references"
    ):
        add(
            collection,
            "passage,gold\nHerons wade at dawn.,When?\n",
            passage="passage",
            references=["gold"],
        )


def test_add_maps_the_letters_of_a_file_to_the_names_of_systems(collection):
    letters = SCORES.replace("Alba", "a").replace("Brisa", "b")

    added = add(
        collection,
        letters,
        choices=JoiningChoices(systems={"a": "Alba", "b": "Brisa"}),
        **MATERIAL,
        **BLEU,
    )

    assert added.examined["counts"]["matched"] == 3
    assert collection.systems.count() == 2


def test_add_does_nothing_where_the_collection_changed_since_the_preview(collection):
    mine = waiting(collection, SCORES, name="mine.csv", **MATERIAL, **BLEU)
    adding.examine(added=mine)
    add(collection, SCORES.replace("0.75", "0.7"), name="theirs.csv", **MATERIAL, **BLEU)

    with pytest.raises(adding.Changed, match="changed after the preview"):
        adding.add(added=mine, by=collection.owner, now=NOW)

    assert Score.objects.count() == 3
    mine.refresh_from_db()
    assert mine.state == "waiting"


def test_upload_refuses_the_same_bytes_twice(collection):
    with pytest.raises(adding.AlreadyThere, match=r"as “first.csv” \(file 1\)"):
        adding.upload(
            collection=collection, name="x", file=storage.keep(BATCH.encode()), by=collection.owner
        )


def test_examine_keeps_a_hundred_examples_and_counts_all(collection):
    rows = "".join(f"No {n}.,no,Alba,Why {n}?,0.5\n" for n in range(300))
    text = SCORES.splitlines(keepends=True)[0] + rows

    joined = adding.examine(
        added=waiting(
            collection, text, choices=JoiningChoices(unmatched="leave"), **MATERIAL, **BLEU
        )
    )

    assert joined.counts()["unmatched"] == 300
    assert len(joined.found.examples["unmatched"]) == 100
    [reason] = joined.obstacles
    assert reason.startswith(
        "None of the 300 rows matches a question in the dataset. Check how the rows"
    )


@pytest.mark.long
def test_rows_about_nothing_that_are_too_many_to_hold_are_left_out(monkeypatch):
    """Without a decision of the user, they would be new questions if no row matched."""
    collection = assembled("id,system,question\n1,Alba,Why?\n", **{**BY_ID, "question": "question"})
    rows = "".join(f"Who never built weir {n}?,Alba,{n}\n" for n in range(60_000))
    columns = {"question": "question", "system": "system", **BLEU}
    added = waiting(collection, f"question,system,Bleu_4\nWhy?,Alba,0.5\n{rows}", **columns)
    monkeypatch.setattr(limited, "Limits", partial(limited.Limits, memory=110_000_000))

    joined = adding.examine(added=added)

    assert (joined.obstacles, joined.counts()["unmatched"]) == ([], 60_000)
    assert joined.counts()["scores"] == 1


@pytest.mark.long
def test_rows_about_nothing_are_counted_a_hundred_shown_and_all_kept_for_download(client):
    collection = assembled("id,system,question\n1,Alba,Why?\n", **{**BY_ID, "question": "question"})
    rows = "".join(f"{row},Alba,0.5\n" for row in range(1, 152))
    added = waiting(collection, f"id,system,Bleu_4\n{rows}1,Brisa,0.5\n", **BY_ID, **BLEU)

    adding.examine(added=added)
    client.force_login(collection.owner)
    lines = (
        client.get(reverse("judging:file_examples", args=[collection.pk, added.number]))
        .getvalue()
        .splitlines()
    )

    found = added.examined
    assert (
        found["counts"]["unmatched"],
        found["counts"]["scores"],
        len(found["examples"]["unmatched"]),
    ) == (
        151,
        1,
        100,
    )
    assert (lines[0], len(lines)) == (b"\xef\xbb\xbfkind,row,what,reason", 152)
    assert lines[1] == b'unmatched,3,"2, Alba",The dataset has no such question.'
    assert lines[-1].startswith(b'unmatched,153,"1, Brisa, 1","The dataset has this source')
    adding.add(added=added, by=collection.owner, now=NOW)
    assert added.examined["rows_file"] == found["rows_file"]

    same = StoredFile.objects.filter(sha256=found["rows_file"])
    other = waiting(assembled(), "id,system,Bleu_4\n1,Alba,.5\n", **BY_ID, **BLEU)
    AddedFile.objects.filter(pk=other.pk).update(examined={"rows_file": found["rows_file"]})
    collections.delete(collection=collection)
    assert same.exists(), "a file of another dataset has the same rows"
    other.refresh_from_db()
    adding.discard(added=other)
    assert not same.exists()
    assert not StoredFile.objects.filter(pk=other.file_id).exists()


def test_examine_says_that_all_of_a_file_is_there(collection):
    add(collection, SCORES, **MATERIAL, **BLEU)

    joined = adding.examine(added=waiting(collection, SCORES + "\n", **MATERIAL, **BLEU))

    assert joined.obstacles == ["The dataset already has everything in this file."]


def test_judgments_of_a_file_go_only_with_their_file(collection):
    rubric = factories.rubric()
    add(collection, ratings("Ana", 3, 2, 1, 3), rubric=rubric, **of_one("Ana"))

    never = pytest.raises(Exception, match="judgments are never deleted")
    with never, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('quaestor.take_back', '0', true); DELETE FROM judging_judgment"
        )


def test_add_fills_a_slot_that_was_missing_and_take_back_empties_it():
    collection = assembled(BATCH.replace("What was sold?", ""))
    before = everything(collection)

    added = add(collection, BATCH, choices=JoiningChoices(unmatched="add"))

    sold = Question.objects.get(
        text="What was sold?", unit__question_set__source__collection=collection
    )
    assert sold.unit.position == 1
    assert added.brought["questions"] == 1
    taking_back.take_back(added=added, by=collection.owner, now=NOW)
    assert everything(collection) == before


def test_add_of_a_further_system_makes_its_sets_and_take_back_removes_them(collection):
    before = everything(collection)

    added = add(
        collection,
        BATCH.replace("Alba", "Cala")
        .replace("Brisa", "Cala")
        .replace("What was sold?", "Sold?")
        .replace("When was the mill sold?", "")
        .replace("The mill was sold in 1850.,1850,Cala,\n", ""),
    )

    cala = collection.systems.get(name="Cala")
    assert cala.question_sets.count() == 2
    taking_back.take_back(added=added, by=collection.owner, now=NOW)
    assert everything(collection) == before
    assert AddedFile.objects.get(pk=added.pk).taken_back_by == collection.owner


def test_one_file_brings_ratings_of_several_raters_side_by_side(collection):
    rubric = factories.rubric()
    text = ratings("x", 3, 2, 1, 3).replace(
        "grammaticality", "grammaticality@Ana,grammaticality@Bo"
    )
    text = "".join(
        line + (line[-2:] if n else "") + "\n" for n, line in enumerate(text.splitlines())
    )

    add(
        collection,
        text,
        rubric=rubric,
        **MATERIAL,
        ratings=rated("grammaticality@Ana", "grammaticality@Bo"),
    )

    assert set(Enrollment.objects.values_list("label", flat=True)) == {"Ana", "Bo"}
    assert Judgment.objects.count() == 8


def test_add_finds_the_systems_behind_letters_by_their_texts(collection):
    rubric = factories.rubric()
    text = ratings("", 3, 2, 1, 3).replace("Alba", "b").replace("Brisa", "a")

    added = add(collection, text, rubric=rubric, **of_one("Ana"))

    assert added.examined["letters"] == {"a": "Brisa", "b": "Alba"}
    read = frames.material(collection.campaigns.get())
    assert read.ratings("grammaticality")["Ana"].tolist() == [3, 2, 1, 3]
    assert collection.systems.count() == 2


def test_add_finds_the_system_of_each_row_where_letters_are_shuffled(collection):
    rubric = factories.rubric()
    lines = ratings("", 3, 2, 1, 3).splitlines()
    shuffled = [
        lines[0],
        *(line.replace("Alba", "b").replace("Brisa", "a") for line in lines[1:3]),
        *(line.replace("Alba", "a").replace("Brisa", "b") for line in lines[3:]),
    ]

    added = add(collection, "\n".join(shuffled) + "\n", rubric=rubric, **of_one("Ana"))

    assert added.examined["letters"] == {}
    assert frames.material(collection.campaigns.get()).ratings("grammaticality")[
        "Ana"
    ].tolist() == [3, 2, 1, 3]


def by_row(*rows: tuple[str, str, str, int]) -> str:
    """Return a file of one source whose rows are annotator, letter, question and value."""
    lines = (
        f"Herons wade at dawn.,at dawn,{system},{text},{rater},{value}"
        for rater, system, text, value in rows
    )
    return "\n".join(["passage,answer,system,question,rater,grammaticality", *lines]) + "\n"


LETTERED = {
    **MATERIAL,
    "rater": "rater",
    "ratings": [{"column": "grammaticality", "criterion": "grammaticality"}],
}


def test_add_finds_the_system_of_each_row_where_every_annotator_has_letters_of_their_own(
    collection,
):
    rubric = factories.rubric()
    when, what = "When do herons wade?", "What wades at dawn?"
    text = by_row(
        ("Ana", "a", when, 1), ("Ana", "b", what, 2), ("Bo", "b", when, 3), ("Bo", "a", what, 1)
    )

    added = add(collection, text, rubric=rubric, **LETTERED)

    assert added.examined["counts"]["ratings"] == 4
    assert (
        added.examined["counts"].keys().isdisjoint({"ambiguous", "unmatched", "ratings_left_out"})
    )
    read = frames.material(collection.campaigns.get())
    assert read.ratings("grammaticality")[["Ana", "Bo"]].dropna().to_numpy().tolist() == [
        [1, 3],
        [2, 1],
    ]


def test_add_gives_each_annotator_the_same_questions_of_two_systems_once():
    same = BATCH.replace("What wades at dawn?", "When do herons wade?")
    collection, rubric = assembled(same), factories.rubric()
    when = "When do herons wade?"
    text = by_row(
        ("Ana", "a", when, 1), ("Ana", "b", when, 2), ("Bo", "c", when, 3), ("Bo", "d", when, 1)
    )

    added = add(collection, text, rubric=rubric, **LETTERED)

    assert added.examined["counts"]["ratings"] == 4
    assert sorted(Judgment.objects.values_list("assignment__enrollment__label", "value")) == [
        ("Ana", 1),
        ("Ana", 2),
        ("Bo", 1),
        ("Bo", 3),
    ]
    assert Judgment.objects.values("unit").distinct().count() == 2


def test_add_keeps_what_an_annotator_rated_twice_under_two_letters_as_a_repeat(collection):
    rubric = factories.rubric()
    when, what = "When do herons wade?", "What wades at dawn?"
    text = by_row(("Ana", "a", when, 1), ("Ana", "b", what, 2), ("Ana", "c", when, 3))

    added = add(collection, text, rubric=rubric, **LETTERED)

    assert added.examined["counts"]["ratings"] == 3
    assert Judgment.objects.filter(unit__question_set__source__repeat=2).get().value == 3


def test_add_takes_a_system_for_new_where_somebody_says_so(collection):
    text = BATCH.replace("Alba", "Cala").replace("Brisa", "Dora")

    said = JoiningChoices(unmatched="add", systems={"Cala": "Cala", "Dora": "Dora"})
    add(collection, text, choices=said)

    assert set(collection.systems.values_list("name", flat=True)) == {
        "Alba",
        "Brisa",
        "Cala",
        "Dora",
    }


def test_blank_parts_of_sources_are_no_difference():
    text = BATCH.replace("question", "question,sentence", 1).replace(
        "wade?\n", "wade?,Herons wade at dawn.\n"
    )
    collection = assembled(
        "\n".join(
            line if ("," in line[-30:] and line.endswith(".")) or not n else line + ","
            for n, line in enumerate(text.splitlines())
        )
        + "\n",
        **MATERIAL,
        sentence="sentence",
    )
    more = (
        SCORES.replace("answer", "answer,sentence", 1)
        .replace("at dawn,", "at dawn,Herons wade at dawn.,")
        .replace("1850,Alba", "1850,The mill was sold in 1850.,Alba")
    )

    added = add(collection, more, **MATERIAL, **BLEU, sentence="sentence")

    assert added.examined["counts"]["matched"] == 3


def test_examine_source_that_differs_in_one_part_is_unmatched_with_the_part() -> None:
    text = "sentence,target_type,system,question\nHerons wade.,who,Alba,What wades?\n"
    parts = {name: name for name in ("sentence", "target_type", "system", "question")}
    collection = assembled(text, **parts)
    references = (
        "sentence,type,gold\nHerons wade.,Who,Who wades?\nHerons wade.,when,When?\n"
        "Mice hide.,who,Who hides?\n"
    )
    added = waiting(
        collection, references, sentence="sentence", target_type="type", references=["gold"]
    )

    joined = adding.examine(added=added)

    assert joined.references == [("1", "Who wades?")]
    reasons = [each["reason"] for each in added.examined["examples"]["unmatched"]]
    assert reasons == [
        "The dataset has no such source. One with the same passage has another target type: “who”.",
        "The dataset has no such source.",
    ]


def test_examine_says_how_a_file_that_corrects_another_takes_its_place(collection):
    add(collection, SCORES, **MATERIAL, **BLEU)
    corrected = "".join(
        line.replace("0.50", "0.60")
        for line in SCORES.splitlines(keepends=True)
        if "0.25" not in line and "0.75" not in line
    )

    joined = adding.examine(added=waiting(collection, corrected, **MATERIAL, **BLEU))

    [told] = joined.obstacles
    assert "take back the file that they came from" in told
