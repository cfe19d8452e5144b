"""Deciding what a file adds to a dataset, storing it, and taking it back: rows, counts and
sentences."""

import csv
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from io import StringIO
from typing import Any
from unittest.mock import Mock

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.db.models import QuerySet

from analysis import frames
from judging import models
from judging.campaigns.actions import campaigns
from judging.datasets.actions import dataset_counts
from judging.formats import child, pipeline
from judging.formats import open as opening
from judging.formats.choices import JoiningChoices
from judging.formats.mapping import mapping_from
from judging.imports.actions import adding, files
from judging.imports.actions.decide import Joined, decide_rows
from judging.imports.actions.files import CannotImport
from judging.imports.actions.rated_campaigns import find_rated_campaign
from judging.imports.actions.take_back import Rests, remove_added_rows, rests_on
from judging.llm_judges.actions import llm_judges
from tests import factories, shared_data
from tests.judging.imports import studies
from tests.judging.imports.crowd import SYSTEMS, Crowd
from tests.judging.imports.studies import BATCH, MATERIAL, SECOND, add, assembled, ratings, waiting
from tests.judging.studies import NOW

pytestmark = pytest.mark.django_db
WHEN, WHAT = "When do herons wade?", "What wades at dawn?"
AUTO, ADD = JoiningChoices(), JoiningChoices(unmatched="add")
GOLDEN = "passage,gold\nHerons wade at dawn.,When?\n"
AS_PROPOSED: dict[str, Any] = {"columns": {}, "recipe": ""}
NO_PROTOCOLS = models.Protocol.objects.none()
EQUAL = """\
gold,question,grammaticality@Ana,grammaticality@Bo
What is it?,What it?,3,3
What is it?,What it?,3,3
Who is it?,Who it?,1,2
"""
NOT_DATA = ("Dataset", "AddedFile", "StoredFile", "Event")  # they tell the history of files


def roles(*names: str, **others: str) -> studies.Columns:
    """Return columns by their names: those that are called as their role, and others."""
    all_of_them = {name: name for name in names} | others
    return {name: {"role": role} for name, role in all_of_them.items()}


GOLD = roles("passage", gold="reference")
BY_ID = roles("system", id="source_id")
RATED = studies.rated("grammaticality")
SCORES, SCORED = studies.SCORES, MATERIAL | studies.BLEU
LETTERED = MATERIAL | roles("rater") | RATED
ASKED = roles("passage", "system", "question")
WIDE = roles("question", gold="reference") | studies.rated(
    "grammaticality@Ana", "grammaticality@Bo"
)


@cache
def answer(request: str, data: bytes) -> str:
    """Return the answer of the reading process as JSON."""
    lines = list(child._read(json.loads(request), data))
    return json.dumps(lines, default=lambda value: value.item())


def answers(request: dict[str, Any], data: bytes, *_limits: Any) -> Iterator[dict[str, Any]]:
    yield from json.loads(answer(json.dumps(request), data))


@pytest.fixture(autouse=True)
def _without_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have files read in this process, and each once, which is faster."""
    monkeypatch.setattr(opening, "report", opening.report)
    monkeypatch.setattr(child, "_answers", answers)


@pytest.fixture
def dataset() -> models.Dataset:
    return assembled()


@pytest.fixture
def protocol() -> models.Protocol:
    return factories.protocol()


def decided(
    dataset: models.Dataset,
    text: str,
    *,
    protocol: models.Protocol | None = None,
    choices: JoiningChoices = AUTO,
    columns: studies.Columns = MATERIAL,
    **said: Any,
) -> Joined:
    """Return what a file would add."""
    mapping = mapping_from({"recipe": "table", "columns": columns, **said})
    study = pipeline.read_study("more.csv", text.encode(), mapping, None)
    campaign = find_rated_campaign(dataset, protocol) if protocol else None
    return decide_rows(study, mapping, dataset, choices, protocol=protocol, campaign=campaign)


def matched(added: models.AddedFile) -> dict[str, Any]:
    """Return what matching found about an added file."""
    return added.examined[files.MATCHED]


def questions_of(dataset: models.Dataset) -> QuerySet[models.Question]:
    return models.Question.objects.filter(unit__question_set__source__dataset=dataset)


def reasons(joined: Joined, kind: str) -> list[str]:
    return [finding.reason for finding in joined.findings if finding.kind == kind]


def table_of(dataset: models.Dataset) -> Any:
    """Return the ratings in the one campaign of a dataset, a column for each annotator."""
    return frames.read_campaign(dataset.campaigns.get()).ratings("grammaticality")


def everything() -> dict[str, list[str]]:
    """Return all rows that are stored, but for the history of the files."""
    return {
        model.__name__: sorted(map(str, model._default_manager.values_list()))
        for model in apps.get_app_config("judging").get_models()
        if model.__name__ not in NOT_DATA
    }


def add_all(waiting: list[models.AddedFile]) -> list[models.AddedFile]:
    """Add waiting files together, whatever is surprising about them."""
    said: dict[str, Any] = {"by": waiting[0].added_by, "now": NOW, "accept_surprises": True}
    return adding.add_waiting_files(waiting=waiting, protocols=NO_PROTOCOLS, **said)


def taken_back(*taken: models.AddedFile) -> None:
    """Take files back, one after the other."""
    for added in taken:
        remove_added_rows(added=added, by=added.dataset.owner, now=NOW)


def computed_score(dataset: models.Dataset) -> models.Score:
    """Return a score that was computed here."""
    metric = dataset.metrics.create(name="BLEU-4", kind="computed", fingerprint="f")
    unit = questions_of(dataset).earliest("unit").unit
    return models.Score.objects.create(metric=metric, unit=unit, value=1)


# -- questions --------------------------------------------------------------------------------


def test_first_file_begins_the_dataset_and_is_refused_again(dataset):
    assert list(dataset.sources.values_list("key", "position")) == [("1", 1), ("2", 2)]
    assert set(dataset.systems.values_list("name", flat=True)) == {"Alba", "Brisa"}
    assert questions_of(dataset).count() == 4
    first = dataset.added_files.get()
    assert (first.number, first.state, first.added_by) == (1, "added", dataset.owner)
    assert (dataset.file_name, first.brought["questions"]) == ("first.csv", 4)
    with pytest.raises(files.AlreadyThere, match=r"as “first.csv” \(file 1\)"):
        waiting(dataset, BATCH, name="again.csv")


def test_second_batch_brings_its_sources_and_shares_the_systems_once_confirmed(dataset):
    batch = waiting(dataset, SECOND)
    assert decided(dataset, SECOND).mostly_new(in_first_batch=True) == ""
    with pytest.raises(files.MostlyNew, match=r"would add 2 questions, and 0 of its questions m"):
        studies.add_waiting(batch, confirmed=False)

    added = studies.add_waiting(batch)

    assert list(dataset.sources.values_list("key", flat=True)) == ["1", "2", "1 (2)"]
    assert dataset.systems.count() == 2
    assert (added.brought["questions"], matched(added)["counts"]["new"]) == (2, 2)


def test_row_with_a_typo_is_listed_as_similar_and_can_be_declined(dataset):
    text = SCORES.replace("When was the mill sold?", "When was the mil sold?")
    text = text.replace(WHEN, "WHEN DO HERONS WADE ?")

    joined = decided(dataset, text, columns=SCORED)
    assert joined.tiers == {"parts": 1, "normalized": 1, "similar": 1}
    [listed] = joined.as_dict()["examples"]["similar"]
    assert (listed["row"], listed["what"]) == (4, "When was the mil sold?")
    assert listed["reason"] == "The dataset’s question is “When was the mill sold?” (97% similar)."
    declined = JoiningChoices(declined=["When was the mil sold?"])
    joined = decided(dataset, text, choices=declined, columns=SCORED)
    assert joined.tiers == {"parts": 1, "normalized": 1, "none": 1}
    assert reasons(joined, "unmatched") == [
        "The dataset has this source, but no such question of this system there. The closest one "
        "in the same passage is “When was the mill sold?” by Alba (97% similar)."
    ]


def test_file_that_matches_nothing_names_the_closest_match_and_shows_a_hundred(dataset):
    row = "Bees dance {0}.,bees,Alba,When do the herons wade here?,0.{0}\n".format
    text = SCORES.splitlines(keepends=True)[0] + "".join(map(row, range(120)))

    joined = decided(dataset, text, choices=JoiningChoices(unmatched="leave"), columns=SCORED)

    assert joined.obstacles == [
        "None of the 120 rows matches a question in the dataset. The closest match uses question text "
        "only (82%). Check how the rows are matched, or add them as new questions."
    ]
    assert (joined.counts()["unmatched"], len(joined.findings)) == (120, 120)
    assert len(joined.as_dict()["examples"]["unmatched"]) == 100


def test_source_that_differs_in_one_part_is_unmatched_with_the_part():
    text = "sentence,target_type,system,question\nHerons wade.,who,Alba,What wades?\n"
    dataset = assembled(text, columns=roles("sentence", "target_type", "system", "question"))
    text = "sentence,type,gold\nHerons wade.,Who,Who?\nHerons wade.,when,When?\nMice.,who,Who?\n"
    columns = roles("sentence", type="target_type", gold="reference")

    joined = decided(dataset, text, columns=columns)

    assert joined.references == [(0, "Who?")]
    assert reasons(joined, "unmatched") == [
        "The dataset has no such source. One with the same passage has another target type: “who”.",
        "The dataset has no such source.",
    ]


def test_blank_parts_of_sources_are_no_difference():
    text = BATCH.replace("question\n", "question,sentence\n").replace("?\n", "?,\n")
    text = text.replace("wade?,", "wade?,Herons wade at dawn.")
    dataset = assembled(text, columns=MATERIAL | roles("sentence"))

    joined = decided(dataset, SCORES, columns=SCORED)

    assert joined.tiers == {"parts": 3}


def test_slot_that_was_missing_is_filled_and_empty_again_once_taken_back():
    dataset = assembled(BATCH.replace("What was sold?", ""))
    before = everything()

    added = add(dataset, BATCH, choices=ADD)

    sold = questions_of(dataset).get(text="What was sold?")
    assert (sold.unit.position, added.brought["questions"]) == (1, 1)
    assert questions_of(dataset).count() == 4
    taken_back(added)
    assert everything() == before


def test_further_questions_enlarge_a_full_set_until_they_are_taken_back(dataset):
    before = everything()
    text = BATCH.splitlines()[0] + "\nHerons wade at dawn.,at dawn,Alba,Why do herons stand?\n"

    added = add(dataset, text, choices=ADD)

    grown = dataset.systems.get(name="Alba").question_sets.get(source__key="1")
    units = grown.units.filter(position__isnull=False).order_by("position")
    assert grown.expected == 2
    assert [unit.question.text for unit in units] == [WHEN, "Why do herons stand?"]
    taken_back(added)
    assert everything() == before


def test_new_systems_get_sets_if_a_person_says_so_and_go_with_their_file(dataset):
    before = everything()
    text = BATCH.replace("Alba", "Cala").replace("Brisa", "Dora")
    choices = JoiningChoices(unmatched="add", systems={"Cala": "Cala", "Dora": "Dora"})

    added = add(dataset, text, choices=choices)

    assert dataset.systems.count() == 4
    assert dataset.systems.get(name="Cala").question_sets.count() == 2
    assert dataset.sources.count() == 2
    taken_back(added)
    assert everything() == before
    assert models.AddedFile.objects.get(pk=added.pk).taken_back_by == dataset.owner


def test_new_questions_of_no_system_or_of_one_with_too_long_a_name_are_refused(dataset):
    long = JoiningChoices(unmatched="add", systems={"S" * 201: "S" * 201})
    parts = roles("passage", "answer", "question")

    nameless = decided(dataset, SECOND, choices=ADD, columns=parts)
    named = decided(dataset, BATCH.replace("Alba", "S" * 201), choices=long)

    assert nameless.obstacles[0].startswith("The file contains new questions and no column names t")
    assert named.obstacles[-1].endswith("has 201 characters; the limit is 200.")


# -- scores, metadata, references and parts of sources ------------------------------------------


def test_scores_find_their_questions_by_their_texts(dataset):
    added = add(dataset, SCORES, columns=SCORED)

    found = models.Score.objects.order_by("value").values_list("unit__question__text", "text")
    assert list(found) == [(WHAT, "0.25"), (WHEN, "0.50"), ("When was the mill sold?", "0.75")]
    assert (matched(added)["counts"]["matched"], matched(added)["tiers"]) == (3, {"parts": 3})
    assert models.Question.objects.count() == 4
    [obstacle] = decided(dataset, SCORES, columns=SCORED).obstacles
    assert obstacle == "The dataset already has everything in this file."


def test_scores_by_ids_need_no_texts():
    text = BATCH.replace("passage,", "id,passage,", 1)
    text = text.replace("\nHerons", "\nh1,Herons").replace("\nThe", "\nm1,The")
    dataset = assembled(text, columns=MATERIAL | BY_ID)
    by_id = "id,system,Bleu_4\nh1,Alba,0.5\nm1,Brisa,0.125\nx9,Alba,1\n"

    added = add(dataset, by_id, columns=BY_ID | studies.BLEU)

    found = models.Score.objects.values_list("unit__question__text", "text").order_by("value")
    assert list(found) == [("What was sold?", "0.125"), (WHEN, "0.5")]
    assert matched(added)["examples"]["unmatched"] == [
        {"row": 4, "what": "x9, Alba, 1", "reason": "The dataset has no such question."}
    ]


def test_column_of_scores_that_the_dataset_has_goes_on():
    dataset = assembled(SCORES, columns=SCORED)
    more = SECOND.replace("question\n", "question,Bleu_4\n").replace("?\n", "?,0.1\n")

    add(dataset, more, columns=SCORED)

    assert dataset.metrics.get().scores.count() == 5
    lower = studies.scored("Bleu_4", scale="fraction", direction="lower")
    [obstacle, *_] = decided(dataset, more, columns=MATERIAL | lower).obstacles
    assert "another direction or scale" in obstacle


def test_score_that_contradicts_goes_to_quarantine_and_metadata_are_added(dataset):
    add(dataset, SCORES, columns=SCORED)
    other = SCORES.replace("0.25", "0.99")
    [obstacle] = decided(dataset, other, columns=SCORED).obstacles
    assert "take back the file that they came from" in obstacle
    refuse = JoiningChoices(conflicts="refuse")
    first, *_ = decided(dataset, other, choices=refuse, columns=SCORED).obstacles
    assert first == "1 rows contradict the dataset, and you chose to add nothing in that case."
    text = other.replace("Bleu_4", "Bleu_4,topic").replace("0.50", "0.50,birds")
    text = text.replace("0.99", "0.99,birds").replace("0.75", "0.75,mills")

    added = add(dataset, text, columns=SCORED | roles(topic="metadata"))

    counts = matched(added)["counts"]
    assert (counts["conflicting"], counts["already_there"]) == (1, 2)
    assert dataset.quarantine.get().reason == "The dataset has 0.25 for Bleu_4."
    topics = questions_of(dataset).values_list("unit__attributes__value", flat=True)
    assert Counter(topics) == {"birds": 2, "mills": 1, None: 1}
    assert set(models.Score.objects.values_list("text", flat=True)) == {"0.50", "0.25", "0.75"}


def test_blank_answer_is_filled_and_blank_again_once_taken_back():
    text = "passage,system,question\nHerons wade at dawn.,Alba,When?\n"
    dataset = assembled(text, columns=ASKED)
    answers = "passage,answer\nHerons wade at dawn.,at dawn\nNo such text.,x\n"

    added = add(dataset, answers, columns=roles("passage", "answer"))

    source = dataset.sources.get()
    assert (source.answer, source.answer_start, added.brought["filled"]) == ("at dawn", 12, 1)
    taken_back(added)
    source.refresh_from_db()
    assert (source.answer, source.answer_start) == ("", None)


def test_other_part_of_a_source_is_reported_and_not_stored():
    text = "id,language,system,question\n1,en,Alba,Why?\n"
    dataset = assembled(text, columns=BY_ID | roles("language", "question"))
    more = "id,language,answer\n1,de,at dawn\n"

    joined = decided(dataset, more, columns=roles("language", "answer", id="source_id"))

    assert reasons(joined, "conflicting") == ["The dataset’s language of source “1” is another."]
    assert [(fill.name, fill.text) for fill in joined.fills] == [("answer", "at dawn")]


def test_references_are_appended_and_go_with_their_file():
    text = BATCH.replace("question\n", "question,gold\n").replace("?\n", "?,\n")
    text = text.replace("wade?,", "wade?,When is it?")
    dataset = assembled(text, columns=MATERIAL | roles(gold="reference"))
    more = "passage,gold\nHerons wade at dawn.,When do they?\nHerons wade at dawn.,When is it?\n"

    added = add(dataset, more, columns=GOLD)

    stored = models.Reference.objects.values_list("position", "text")
    assert list(stored) == [(1, "When is it?"), (2, "When do they?")]
    counts = matched(added)["counts"]
    assert (counts["references"], counts["already_there"]) == (1, 1)
    taken_back(added)
    assert models.Reference.objects.get().text == "When is it?"


def test_references_are_refused_where_scores_were_computed_from_others(dataset):
    computed_score(dataset)

    [obstacle] = decided(dataset, GOLDEN, columns=GOLD).obstacles

    assert obstacle.startswith("Scores of BLEU-4 were computed here from the references")


@pytest.mark.parametrize("state", ["locked", "open", "closed"])
def test_what_is_judged_stays_where_a_protocol_is_locked_and_scores_are_added(dataset, state):
    campaign = factories.opened(dataset=dataset, manager=dataset.owner)
    models.Campaign.objects.filter(pk=campaign.pk).update(state=state)

    with pytest.raises(CannotImport, match=r"2 new questions\. Metrics, references and metadata"):
        add(dataset, SECOND)
    add(dataset, SCORES, columns=SCORED)
    add(dataset, GOLDEN, columns=GOLD)

    assert questions_of(dataset).count() == 4
    assert (models.Score.objects.count(), models.Reference.objects.count()) == (3, 1)


# -- ratings, and ratings given again ----------------------------------------------------------------------------------


def test_ratings_of_three_files_share_one_campaign(dataset, protocol):
    for rater, values in (("Ana", (3, 2, 1, 3)), ("Bo", (3, 1, 1, 2)), ("Cy", (2, 2, 1))):
        add(dataset, ratings(*values), protocol=protocol, columns=studies.of_one(rater))
    second = ratings(1, 1, 2, 2).replace("grammaticality", "correctness")
    correctness = {"correctness": {"role": "ratings", "name": "correctness", "rater": "Ana"}}
    add(dataset, second, protocol=protocol, columns=MATERIAL | correctness)

    campaign = dataset.campaigns.get()
    state = (campaign.state, campaign.origin, campaign.annotators_per_task)
    assert state == ("closed", "imported", 3)
    table = table_of(dataset)
    assert table["Ana"].tolist() == [3, 2, 1, 3]
    assert table["Bo"].tolist() == [3, 1, 1, 2]
    assert table["Cy"].tolist()[:3] == [2, 2, 1]
    tasks = campaign.rounds.get().tasks
    assert (tasks.count(), tasks.filter(assignments__isnull=False).count()) == (2, 6)


def test_files_of_raters_and_metrics_join_together_as_they_are_proposed(dataset, protocol):
    texts = {"ana": ratings(3, 2, 1, 3), "bo": ratings(3, 1, 1, 2), "metrics": SCORES}
    said = {"protocol": protocol, **AS_PROPOSED}

    add_all([waiting(dataset, text, name=f"{n}.csv", **said) for n, text in texts.items()])

    table = table_of(dataset)
    assert (table["ana"].tolist(), table["bo"].tolist()) == ([3, 2, 1, 3], [3, 1, 1, 2])
    assert set(models.Score.objects.values_list("text", flat=True)) == {"0.25", "0.50", "0.75"}


def test_of_several_files_the_table_comes_before_its_letters_and_a_bad_one_stops_all(protocol):
    dataset = files.create_dataset(name="Birds and mills", by=factories.researcher())
    text = ratings(3, 2, 1, 3).replace("Alba", "b").replace("Brisa", "a")
    lettered = waiting(dataset, text, protocol=protocol, columns=studies.of_one("Ana"))
    table = waiting(dataset, BATCH, name="table.csv")
    bad = waiting(dataset, ratings(3, 2, 1, 2), name="bad.csv", columns=studies.of_one("Bo"))

    with pytest.raises(CannotImport, match=r"^bad.csv: The file holds ratings: choose the proto"):
        add_all([lettered, table, bad])
    assert not dataset.sources.exists()
    done = add_all([lettered, table])

    assert [added.name for added in done] == ["table.csv", "more.csv"]
    assert set(dataset.systems.values_list("name", flat=True)) == {"Alba", "Brisa"}
    assert table_of(dataset)["Ana"].tolist() == [3, 2, 1, 3]


def test_rating_that_contradicts_or_is_off_the_scale_goes_to_quarantine(dataset, protocol):
    add(dataset, ratings(3, 2, 1, 3), protocol=protocol, columns=studies.of_one("Ana"))

    joined = decided(
        dataset, ratings(3, 1, 31, 3), protocol=protocol, columns=studies.of_one("Ana")
    )

    assert [(each.value, each.reason) for each in joined.not_kept] == [
        ("31", "It is not on the scale of Grammaticality: 1, 2, 3."),
        ("1", "Ana gave 2 in a file that was added before."),
    ]
    assert joined.tally.read == {"Grammaticality": 2}
    assert joined.tally.by_reason() == {"off_scale": 1, "contradicts": 1}
    assert "2 of 2" in joined.tally.surprise()


def test_ratings_with_a_word_that_is_no_point_or_without_a_protocol_are_refused(dataset, protocol):
    text = ratings(3, "Nearly", "fine", 3)

    joined = decided(dataset, text, protocol=protocol, columns=studies.of_one("Ana"))

    assert joined.obstacles == [
        "Grammaticality: the word “fine” (1 rating) is no point of the scale 1, 2, 3. Map it to a "
        "point, or exclude it, where the columns are named."
    ]
    assert list(joined.ratings["point"]) == [3, 2, 3]
    first, *_ = decided(dataset, text, columns=studies.of_one("Ana")).obstacles
    assert first.startswith("The file contains ratings: choose the protocol they were given under")


def test_ratings_of_llm_judges_are_apart_and_their_file_rests_on_them(dataset, protocol):
    text = ratings("3,1", "2,2", "1,3", "3,2").replace("grammaticality", "grammaticality,gpt")
    gpt = {"gpt": {"role": "llm_judge", "name": "grammaticality", "rater": "Model"}}

    added = add(dataset, text, protocol=protocol, columns=studies.of_one("Ana") | gpt)

    counts = matched(added)["counts"]
    assert (counts["ratings"], counts["judge_ratings"]) == (4, 4)
    labels = models.Judgment.objects.values_list("assignment__enrollment__label", flat=True)
    assert set(labels) == {"Ana"}
    judge = dataset.campaigns.get().llm_judges.get(name="Model")
    values = models.LLMJudgment.objects.order_by("unit").values_list("judge", "value")
    assert list(values) == [(judge.pk, value) for value in (1, 2, 3, 2)]
    with pytest.raises(Rests, match=r"The LLM judge “Model” of .* judged with it; remove that"):
        taken_back(added)
    llm_judges.remove_llm_judge(judge=judge, by=dataset.owner)
    taken_back(added)
    assert not models.Judgment.objects.exists()


def test_notes_and_marks_stand_beside_ratings_and_others_go_to_quarantine(protocol):
    text = (
        "passage,question,rater,correctness,note,start,end\n"
        "Herons wade.,Who?,Ann,2,Nice,0,6\nHerons wade.,Who?,Bo,,Lost,7,11\n"
    )
    columns = roles("passage", "question", "rater", "note", start="mark_start", end="mark_end")
    columns |= studies.rated("correctness")

    dataset = assembled(text, protocol=protocol, columns=columns, system="Alba")

    assert models.Note.objects.get().text == "Nice"
    assert models.SpanMark.objects.values_list("start", "end").get() == (0, 6)
    left = dataset.quarantine.order_by("reason").values_list("row", "value", "reason")
    assert list(left) == [
        (3, "7-11", "The mark belongs to no rating that could be stored."),
        (3, "Lost", "The note belongs to no rating that could be stored."),
    ]


def repeated_values() -> list[tuple[Any, ...]]:
    """Return annotator, repeat and value of ratings that were given again."""
    source = "unit__question_set__source"
    again = models.Judgment.objects.filter(**{f"{source}__repeat_of__isnull": False})
    return sorted(again.values_list("assignment__enrollment__label", f"{source}__repeat", "value"))


@pytest.mark.parametrize(
    ("repeats", "ana", "bo", "refused"),
    [("", [3, 3, 1], [3, 3, 2], []), ("mistakes", [3, 1], [3, 2], [3])],
)
def test_equal_rows_all_count_unless_they_are_mistakes(protocol, repeats, ana, bo, refused):
    dataset = assembled(EQUAL, protocol=protocol, columns=WIDE, system="noised", repeats=repeats)

    table = table_of(dataset)
    assert (table["Ana"].tolist(), table["Bo"].tolist()) == (ana, bo)
    assert [row.row for row in dataset.quarantine.all()] == refused


def test_rating_given_again_is_about_a_copy_that_analyses_and_people_do_not_see(protocol):
    of_ana = (("Ana", "Alba", WHEN, 3), ("Ana", "Alba", WHEN, 1), ("Ana", "Brisa", WHAT, 2))
    text = by_row(*of_ana, ("Bo", "Alba", WHEN, 3), ("Bo", "Brisa", WHAT, 2))
    dataset = assembled(text, protocol=protocol, columns=LETTERED)

    assert table_of(dataset)[["Ana", "Bo"]].to_numpy().tolist() == [[3, 3], [2, 2]]
    assert repeated_values() == [("Ana", 2, 1)]
    assert models.Source.objects.get(repeat_of__isnull=False).key == "1 (repeat 2)"
    patterns = frames.count_values(dataset.campaigns.get())["grammaticality"]
    assert patterns.times.sum() == 2
    found = dataset_counts.count_systems(dataset)
    assert [(each.name, each.returned) for each in found] == [("Alba", 1), ("Brisa", 1)]
    campaign = factories.opened(dataset=dataset, manager=dataset.owner)
    assert models.TaskUnit.objects.filter(task__round__campaign=campaign).count() == 2


def test_ratings_given_again_in_two_files_share_the_copy(dataset, protocol):
    before = everything()
    text = by_row(("Ana", "Alba", WHEN, 3), ("Ana", "Alba", WHEN, 2), ("Ana", "Brisa", WHAT, 1))

    ana = add(dataset, text, protocol=protocol, columns=LETTERED)
    bo = add(dataset, text.replace("Ana", "Bo"), name="bo.csv", protocol=protocol, columns=LETTERED)

    assert repeated_values() == [("Ana", 2, 2), ("Bo", 2, 2)]
    assert "repeats" not in matched(bo)["counts"]
    assert models.Source.objects.filter(repeat_of__isnull=False).count() == 1
    assert "bo.csv" in rests_on(ana)[0]
    taken_back(bo, ana)
    assert everything() == before


def test_rating_given_again_may_join_under_a_locked_protocol(dataset, protocol):
    factories.opened(dataset=dataset, manager=dataset.owner)
    text = by_row(("Ana", "Alba", WHEN, 3), ("Ana", "Alba", WHEN, 2))

    add(dataset, text, protocol=protocol, columns=LETTERED)

    assert (models.Judgment.objects.count(), repeated_values()) == (2, [("Ana", 2, 2)])


# -- letters ----------------------------------------------------------------------------------


def by_row(*rows: tuple[str, str, str, int]) -> str:
    """Return a file of one source whose rows are annotator, letter, question and value."""
    lines = (
        f"Herons wade at dawn.,at dawn,{system},{text},{rater},{value}"
        for rater, system, text, value in rows
    )
    return "\n".join(["passage,answer,system,question,rater,grammaticality", *lines]) + "\n"


def test_letters_are_decided_by_hand_or_by_texts(dataset, protocol):
    by_hand = JoiningChoices(systems={"a": "Alba", "b": "Brisa"})
    letters = SCORES.replace("Alba", "a").replace("Brisa", "b")
    added = add(dataset, letters, choices=by_hand, columns=SCORED)
    assert matched(added)["counts"]["matched"] == 3

    text = ratings(3, 2, 1, 3).replace("Alba", "b").replace("Brisa", "a")
    added = add(dataset, text, protocol=protocol, columns=studies.of_one("Ana"))

    assert matched(added)["letters"] == {"a": "Brisa", "b": "Alba"}
    assert matched(added)["votes"][0] == {"letter": "b", "system": "Alba", "systems": [("Alba", 2)]}
    assert table_of(dataset)["Ana"].tolist() == [3, 2, 1, 3]
    assert dataset.systems.count() == 2


def test_letters_of_each_annotators_own_are_decided_in_each_row(dataset, protocol):
    text = by_row(
        ("Ana", "a", WHEN, 1), ("Ana", "b", WHAT, 2), ("Bo", "b", WHEN, 3), ("Bo", "a", WHAT, 1)
    )

    added = add(dataset, text, protocol=protocol, columns=LETTERED)

    assert (matched(added)["by_row"], matched(added)["counts"]["ratings"]) == (True, 4)
    table = table_of(dataset)
    assert table[["Ana", "Bo"]].dropna().to_numpy().tolist() == [[1, 3], [2, 1]]


def test_each_annotator_gets_the_same_questions_of_two_systems_once(protocol):
    dataset = assembled(BATCH.replace(WHAT, WHEN))
    text = by_row(
        ("Ana", "a", WHEN, 1), ("Ana", "b", WHEN, 2), ("Bo", "c", WHEN, 3), ("Bo", "d", WHEN, 1)
    )

    add(dataset, text, protocol=protocol, columns=LETTERED)

    values = models.Judgment.objects.values_list("assignment__enrollment__label", "value")
    assert sorted(values) == [("Ana", 1), ("Ana", 2), ("Bo", 1), ("Bo", 3)]
    assert models.Judgment.objects.values("unit").distinct().count() == 2


def test_what_is_rated_twice_under_two_letters_is_a_repeat(dataset, protocol):
    text = by_row(("Ana", "a", WHEN, 1), ("Ana", "b", WHAT, 2), ("Ana", "c", WHEN, 3))

    added = add(dataset, text, protocol=protocol, columns=LETTERED)

    assert matched(added)["counts"]["ratings"] == 3
    assert repeated_values() == [("Ana", 2, 3)]


def asked(system: str, what: str, *towns: str, value: str = "") -> list[str]:
    return [f"{town} has a mill and a port.,{system},{what} {town}?{value}" for town in towns]


def test_batch_whose_question_another_system_asked_adds_it_and_no_blank_slots(protocol):
    """Alba's row of two passages is missing in the table; only one of its questions is known."""
    towns = ("Aden", "Bonn", "Cork", "Dijon", "Essen")
    table = [*asked("Brisa", "Where is", *towns), *asked("Alba", "Who built", *towns[:3])]
    batch = asked("a", "Who built", *towns[:3], "Essen", value=",3")
    batch += asked("a", "Where is", "Dijon", value=",1")
    batch += asked("b", "Where is", *towns, value=",2")
    text = "\n".join(["passage,system,question", *table])
    dataset = assembled(text, columns=ASKED, crossed=False)
    text = "\n".join(["passage,system,question,grammaticality@Ana", *batch])

    columns = ASKED | studies.rated("grammaticality@Ana")
    found = matched(add(dataset, text, protocol=protocol, columns=columns))

    assert (found["letters"], found["counts"]["unmatched"]) == ({"a": "Alba", "b": "Brisa"}, 1)
    new = questions_of(dataset).get(text="Where is Dijon?", unit__judgments__value=1)
    alba = new.unit.question_set.system
    assert (alba.name, alba.question_sets.count()) == ("Alba", 4)


def changed_table(crowd: Crowd, known: int, typos: int) -> tuple[str, set[str]]:
    """Return the table of the first `known` passages with what makes released tables hard, and the
    passages: a lost space, another answer for a system, and typos in questions of another."""
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


@pytest.mark.long
@pytest.mark.parametrize(
    "said", [{}, {"shuffled": True}, {"shuffled": True, "by_row": True}], ids=str
)
def test_crowd_batch_joins_its_table_under_the_right_systems(said):
    crowd = Crowd(batches=1, hits=4, **said)
    table, passages = changed_table(crowd, known=12, typos=5)  # 40% of the rows are unknown
    dataset = assembled(table, **AS_PROPOSED)
    expected = Counter(
        (told, system, criterion, value)
        for (passage, system, _worker, criterion), value in crowd.ratings.items()
        if (told := passage.replace(". It", ".It")) in passages
    )

    protocol = factories.protocol("qgbench")
    added = add(dataset, crowd.batches[0], protocol=protocol, **AS_PROPOSED)

    path = "unit__question_set__"
    about = (f"{path}source__passage__text", f"{path}system__name", "criterion__key", "value")
    assert expected == Counter(models.Judgment.objects.values_list(*about))
    assert questions_of(dataset).count() == 12 * len(SYSTEMS)
    assert (matched(added)["tiers"]["similar"], matched(added)["by_row"]) == (5, bool(said))


@pytest.mark.long
def test_genuine_batch_joins_its_questions_under_the_right_systems():
    table = shared_data.path("qgbench/raw/final_result_part.csv").read_text()
    batch = shared_data.path("qgbench/raw/batch_part.csv").read_text()
    dataset = assembled(table, **AS_PROPOSED)
    asked = ("unit__question_set__system__name", "text")
    texts = Counter(questions_of(dataset).values_list(*asked))

    added = add(dataset, batch, protocol=factories.protocol("qgbench"), **AS_PROPOSED)

    names = ("T5 Large", "T5 Small", "BART Large", "T5 Large (No Passage)", "T5 Large (No Answer)")
    found = matched(added)
    assert found["letters"] == dict(zip("abcdef", (*names, "LSTM"), strict=True))
    # three questions have a text that the table has in that passage from other systems only
    assert (found["counts"]["matched"], found["counts"]["new"]) == (580, 3)
    assert found["tiers"] == {"parts": 331, "passage": 237, "letter": 3, "question": 9, "none": 20}
    rated_questions = questions_of(dataset).filter(unit__judgments__isnull=False).distinct()
    assert set(Counter(rated_questions.values_list(*asked)) - texts) == {
        ("T5 Large", "Who was the first torchbearer?"),
        ("BART Large", "Who was the first torchbearer?"),
        ("T5 Large (No Answer)", "What is the busiest vehicular tunnel in the world?"),
    }
    assert models.Judgment.objects.count() == 583 * 3 * 3


# -- taking back ------------------------------------------------------------------------------


def test_what_is_taken_back_leaves_the_former_rows_and_the_former_digest(protocol):
    dataset = files.create_dataset(name="Birds and mills", by=factories.researcher())
    empty, first = everything(), add(dataset, BATCH)
    by_ana = add(dataset, ratings(3, 2, 1, 3), protocol=protocol, columns=studies.of_one("Ana"))
    before, campaign = everything(), dataset.campaigns.get()
    digest = frames.hash_data(frames.read_campaign(campaign))
    by_bo = add(dataset, ratings(1, 2, 3, 1), protocol=protocol, columns=studies.of_one("Bo"))
    scores = add(dataset, SCORES, columns=SCORED)
    second = add(dataset, SECOND)
    assert frames.hash_data(frames.read_campaign(campaign)) != digest

    taken_back(scores, second, by_bo)
    assert everything() == before
    assert frames.hash_data(frames.read_campaign(campaign)) == digest
    taken_back(by_ana, first)
    assert everything() == empty
    dataset.refresh_from_db()
    assert dataset.file is None


def test_file_that_others_rest_on_stays_and_they_are_named(dataset):
    first = dataset.added_files.get()
    add(dataset, SCORES, name="bleu.csv", columns=SCORED)
    computed_score(dataset)
    campaign = factories.campaign(dataset=dataset, manager=dataset.owner)
    campaigns.lock_plan(campaign=campaign, now=NOW)

    with pytest.raises(Rests) as refused:
        taken_back(first)

    assert refused.value.reasons == [
        "The campaign “Canal towns” (locked) judges questions of this file.",
        "“bleu.csv” (file 2) added 3 values about its questions; take that file back first.",
        "Scores of BLEU-4 were computed here from its data; remove them first.",
    ]
    assert questions_of(dataset).count() == 4


def test_judgments_of_a_file_go_only_with_their_file(dataset, protocol):
    add(dataset, ratings(3, 2, 1, 3), protocol=protocol, columns=studies.of_one("Ana"))

    never = pytest.raises(Exception, match="judgments are never deleted")
    with never, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('quaestor.take_back', '0', true); DELETE FROM judging_judgment"
        )


# -- two people at one moment, and work that ends in the middle -----------------------------------


def killed_after(steps: int) -> Mock:
    """Return a progress that ends the work after some signs of life."""
    return Mock(side_effect=[*[None] * steps, KeyboardInterrupt])


def few_of(most: int) -> list[Any]:
    """Return the steps after which work is killed; all but the middle and the last are long."""
    long = [pytest.param(each, marks=pytest.mark.long) for each in range(1, most)]
    return [*long[: most // 2 - 1], most // 2, *long[most // 2 :], most]


@pytest.mark.parametrize("steps", few_of(9))
def test_adding_that_is_killed_leaves_nothing(dataset, protocol, steps):
    text = ratings(1, 2, 3, 1) + SECOND.split("\n", 1)[1].replace("?\n", "?,2\n")
    before = everything()
    added = waiting(dataset, text, protocol=protocol, choices=ADD, columns=studies.of_one("Ana"))

    with pytest.raises(KeyboardInterrupt):
        studies.add_waiting(added, progress=killed_after(steps))

    assert everything() == before
    added.refresh_from_db()
    assert added.state == "waiting"
    studies.add_waiting(added)
    assert questions_of(dataset).count() == 6


@pytest.mark.parametrize("steps", few_of(11))
def test_taking_back_that_is_killed_takes_nothing(dataset, protocol, steps):
    added = add(dataset, ratings(1, 2, 3, 1), protocol=protocol, columns=studies.of_one("Ana"))
    before = everything()

    with pytest.raises(KeyboardInterrupt):
        remove_added_rows(added=added, by=dataset.owner, now=NOW, progress=killed_after(steps))

    assert everything() == before


def test_file_is_not_added_where_the_dataset_changed_since_its_preview(dataset):
    mine = waiting(dataset, SCORES, name="mine.csv", columns=SCORED)
    adding.examine_waiting_file(added=mine, protocols=NO_PROTOCOLS)
    add(dataset, SCORES.rsplit("The mill", 1)[0], name="theirs.csv", columns=SCORED)

    with pytest.raises(files.Changed, match="changed after the preview"):
        studies.add_waiting(mine)

    mine.refresh_from_db()
    assert (mine.state, models.Score.objects.count()) == ("waiting", 2)


def at_once(*works: Callable[[], object]) -> list[object]:
    """Do works in threads that begin at one moment; return what each gave, or its refusal."""
    ready = threading.Barrier(len(works), timeout=120)

    def do(work: Callable[[], object]) -> object:
        try:
            ready.wait()
            return work()
        except CannotImport as refused:
            return refused
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(do, works, timeout=120))


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_one_file_that_two_add_at_one_moment_is_added_once(dataset):
    added = waiting(dataset, SCORES, columns=SCORED)

    found = at_once(*[lambda: studies.add_waiting(added)] * 2)

    assert sorted(type(each).__name__ for each in found) == ["AddedFile", "CannotImport"]
    assert models.Score.objects.count() == 3


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_two_files_that_two_add_at_one_moment_both_come(dataset):
    scores = waiting(dataset, SCORES, columns=SCORED)
    batch = waiting(dataset, SECOND, name="batch.csv")

    at_once(lambda: studies.add_waiting(scores), lambda: studies.add_waiting(batch))

    assert {each.state for each in dataset.added_files.all()} == {"added"}
    assert (models.Score.objects.count(), models.Question.objects.count()) == (3, 6)


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_what_is_judged_comes_before_the_lock_or_not_at_all(dataset):
    campaign = factories.campaign(dataset=dataset, manager=dataset.owner)
    added = waiting(dataset, SECOND)

    lock = partial(campaigns.lock_plan, campaign=campaign, now=NOW)
    found = at_once(lambda: studies.add_waiting(added), lock)

    assert models.Campaign.objects.get().state == "locked"
    assert models.Question.objects.count() == (4 if isinstance(found[0], CannotImport) else 6)
    campaign.refresh_from_db()
    judged = campaign.locked_plan["dataset"].get("files", [dataset.file_sha256])
    standing = dataset.added_files.standing().order_by("number")
    assert judged == [each.file.sha256 for each in standing]
