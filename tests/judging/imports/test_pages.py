"""The pages of a dataset's files, as a browser without scripts uses them."""

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judging import storage
from judging.imports.actions import adding
from judging.models import AddedFile, Collection, Judgment, Membership, Question, Score
from tests import factories
from tests.judging.imports.actions.test_proposals import HEADER, workbook
from tests.judging.imports.actions.test_proposals import SCORES as OTHER_SCORES
from tests.judging.imports.studies import BATCH, add, assembled, waiting
from tests.judging.imports.test_adding import BLEU, MATERIAL, SCORES, SECOND, of_one, ratings
from tests.judging.views.importing import form_of

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def assembled_once(lasting: None) -> int:
    return assembled().pk


@pytest.fixture
def collection(assembled_once: int) -> Collection:
    return Collection.objects.get(pk=assembled_once)


@pytest.fixture
def page(client: Client, collection: Collection) -> Client:
    client.force_login(collection.owner)
    return client


def at(name: str, added: AddedFile) -> str:
    return reverse(f"judging:{name}", args=[added.collection_id, added.number])


def send(page: Client, collection: Collection, **files: str) -> HttpResponse:
    given = [SimpleUploadedFile(f"{name}.csv", text.encode()) for name, text in files.items()]
    return page.post(reverse("judging:files_upload", args=[collection.pk]), {"files": given})


def mapped(page: Client, added: AddedFile, **said: Any) -> HttpResponse:
    return page.post(at("file_columns", added), form_of(page.get(at("file_columns", added))) | said)


def test_the_first_file_of_a_collection_is_matched_by_nothing(client: Client) -> None:
    empty = adding.start(name="Mills", by=factories.researcher())
    added = waiting(empty, BATCH, **MATERIAL)
    client.force_login(empty.owner)

    shown = client.get(at("file", added))

    assert "Matched by" not in shown.text
    assert "Rows without a match" not in shown.text
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="(\w+)"', shown.text))
    client.post(at("file_choices", added), {**hidden, "system-0": "Alba", "system-1": "BRISA"})
    adding.add(added=AddedFile.objects.get(pk=added.pk), by=empty.owner, now=timezone.now())
    assert set(empty.systems.values_list("name", flat=True)) == {"Alba", "BRISA"}


def test_files_of_three_raters_are_read_alike_and_added_at_once(page, collection):
    factories.rubric()
    send(
        page,
        collection,
        ana=ratings("", 3, 2, 1, 3),
        bo=ratings("", 3, 1, 1, 2),
        cy=ratings("", 2, 2, 1, 1),
    )
    first = collection.added_files.get(name="ana.csv")

    answer = mapped(page, first)

    assert answer.url == reverse("judging:files", args=[collection.pk])
    shown = page.get(answer.url).text
    assert shown.count("4 questions matched, 0 new; 4 ratings") == 3
    page.post(reverse("judging:files_add", args=[collection.pk]))
    campaign = collection.campaigns.get()
    assert set(campaign.enrollments.values_list("label", flat=True)) == {"ana", "bo", "cy"}
    assert Judgment.objects.count() == 12
    assert {each.state for each in collection.added_files.all()} == {"added"}


def test_list_shows_hash_who_when_and_what_each_file_brought(page, collection):
    add(collection, SCORES, name="bleu.csv", **MATERIAL, **BLEU)

    text = page.get(reverse("judging:files", args=[collection.pk])).text

    assert "first.csv" in text
    assert "3 scores" in text
    assert collection.added_files.get(number=2).file.sha256[:12] in text
    assert str(collection.owner) in text


def test_page_of_a_waiting_file_asks_about_rows_that_fit_nothing(page, collection):
    text = SCORES + "Nobody knows.,no,Alba,Why not?,0.5\n"
    added = waiting(collection, text, **MATERIAL, **BLEU)

    shown = page.get(at("file", added))

    assert "Rows without a match: 1" in shown.text
    assert "Why not?" in shown.text
    assert shown.context["form"].initial["unmatched"] == "leave"
    csv = b"".join(page.get(at("file_examples", added)).streaming_content).decode()
    assert csv.splitlines()[1] == "unmatched,5,Why not?,The dataset has no such question."


def test_page_of_a_waiting_file_counts_ratings_of_questions_that_are_left_out(page, collection):
    rubric = factories.rubric()
    header = "passage,answer,system,question,rater,grammaticality\n"
    rows = [line + ",Ana,3" for line in (*BATCH.splitlines()[1:], "Nobody knows.,no,Alba,Why not?")]
    rated = {
        "rater": "rater",
        "ratings": [{"column": "grammaticality", "criterion": "grammaticality"}],
    }
    added = waiting(collection, header + "\n".join(rows) + "\n", rubric=rubric, **MATERIAL, **rated)

    shown = page.get(at("file", added))

    assert shown.context["expected"]["ratings_left_out"] == 1
    assert "1 rating, because its question is excluded" in shown.text


def test_choices_add_what_fits_nothing_and_map_letters(page, collection):
    added = waiting(collection, SECOND.replace("Alba", "a").replace("Brisa", "b"))
    form = page.get(at("file", added)).context["form"]
    assert form.systems == ["a", "b"]

    said = {
        "by": "auto",
        "unmatched": "add",
        "conflicts": "leave",
        "system-0": "Alba",
        "system-1": "Brisa",
    }
    page.post(at("file_choices", added), said)
    page.get(at("file", added))
    page.post(at("file_add", added), {"confirmed": "on"})

    assert collection.systems.count() == 2
    assert Question.objects.count() == 6


def test_add_says_why_it_cannot_and_keeps_the_old_state(page, collection):
    campaign = factories.opened(collection=collection, manager=collection.owner)
    added = waiting(collection, SECOND)

    answer = page.post(at("file_add", added), follow=True)

    assert campaign.title in answer.text
    assert "What is judged cannot change" in answer.text
    assert Question.objects.count() == 4


def test_take_back_by_the_page(page, collection):
    added = add(collection, SCORES, **MATERIAL, **BLEU)
    assert "Take the file back" in page.get(at("file", added)).text

    answer = page.post(at("file_take_back", added), follow=True)

    assert "is taken back" in answer.text
    assert not Score.objects.exists()
    assert page.get(at("file", added)).status_code == 200


def test_take_back_names_what_rests_on_it(page, collection):
    add(collection, SCORES, name="bleu.csv", **MATERIAL, **BLEU)

    text = page.get(at("file", collection.added_files.get(number=1))).text

    assert "The file cannot be taken back" in text
    assert "bleu.csv" in text


def test_discard_forgets_a_waiting_file(page, collection):
    page.post(at("file_discard", waiting(collection, SCORES)))

    assert collection.added_files.count() == 1


def test_upload_of_the_same_bytes_says_where_they_are(page, collection):
    answer = page.post(
        reverse("judging:files_upload", args=[collection.pk]),
        {"files": [SimpleUploadedFile("again.csv", BATCH.encode())]},
        follow=True,
    )

    assert "as “first.csv” (file 1)" in answer.text


def test_new_collection_from_several_files(client):
    owner = factories.researcher()
    client.force_login(owner)
    files = [
        SimpleUploadedFile("one.csv", BATCH.encode()),
        SimpleUploadedFile("two.csv", SECOND.encode()),
    ]

    answer = client.post(
        reverse("judging:collection_new"), {"name": "Birds", "language": "en", "files": files}
    )

    collection = owner.collections.get()
    assert answer.url == reverse("judging:file_columns", args=[collection.pk, 1])
    assert [each.name for each in collection.added_files.all()] == ["one.csv", "two.csv"]
    mapped(client, collection.added_files.get(number=1))
    client.post(reverse("judging:files_add", args=[collection.pk]))
    assert Question.objects.filter(unit__question_set__source__collection=collection).count() == 6


@pytest.mark.parametrize("name", ["file", "file_columns", "file_examples"])
def test_pages_of_a_foreign_collection_are_unknown(client, collection, name):
    client.force_login(factories.researcher())

    assert client.get(at(name, collection.added_files.get())).status_code == 404


@pytest.mark.parametrize(
    "name", ["file_add", "file_take_back", "file_discard", "file_choices", "file_reading"]
)
def test_who_only_reads_a_collection_may_change_nothing(client, collection, name):
    campaign = factories.campaign(collection=collection, manager=collection.owner)
    reader = factories.researcher()
    Membership.objects.create(user=reader, campaign=campaign, role="analyst")
    client.force_login(reader)

    assert client.get(reverse("judging:files", args=[collection.pk])).status_code == 200
    assert client.get(at("file", collection.added_files.get())).status_code == 200
    assert client.post(at(name, collection.added_files.get())).status_code == 403
    assert collection.added_files.get().state == "added"


def test_wrong_verbs_and_unknown_files_are_refused(page, collection):
    added = collection.added_files.get()

    assert page.get(at("file_add", added)).status_code == 405
    assert page.post(reverse("judging:files", args=[collection.pk])).status_code == 405
    assert page.get(reverse("judging:file", args=[collection.pk, 99])).status_code == 404


def test_unreadable_file_says_so_and_asks_how_to_read_it(page, collection):
    send(page, collection, broken="\x00")

    answer = page.get(at("file_columns", collection.added_files.get(number=2)))

    assert "cannot be read" in answer.text
    assert answer.status_code == 200


def test_list_takes_the_same_queries_for_one_file_and_three(
    page, collection, django_assert_num_queries
):
    url = reverse("judging:files", args=[collection.pk])
    page.get(url)
    with django_assert_num_queries(5):
        page.get(url)
    for text in (SCORES, SCORES.replace("0.5", "0.6")):
        added = waiting(collection, text, **MATERIAL, **BLEU)
        adding.examine(added=added)
    with django_assert_num_queries(5):
        page.get(url)


def test_file_of_one_rater_is_proposed_as_theirs(page, collection):
    factories.rubric()
    send(page, collection, dora=ratings("", 3, 2, 1, 3))

    answer = page.get(at("file_columns", collection.added_files.get(number=2)))

    proposed = answer.context["head"].proposed.ratings
    assert [(each.criterion, each.rater) for each in proposed] == [("grammaticality", "dora")]
    assert of_one("dora")["ratings"][0]["rater"] == "dora"


@pytest.mark.long
def test_file_in_another_encoding_is_shown_in_those_it_may_be_in_and_read_in_one(page, collection):
    text = "passage,answer,system,question\nDas Café öffnet früh.,früh,Alba,Wann öffnet es?\n"
    given = SimpleUploadedFile("cafe.csv", text.encode("cp1252"))
    page.post(reverse("judging:files_upload", args=[collection.pk]), {"files": [given]})
    added = collection.added_files.get(number=2)

    shown = page.get(at("file_columns", added))
    assert "Windows, Western Europe (1252)" in shown.text
    assert "öffnet" in shown.text
    page.post(at("file_reading", added), {"encoding": "cp1252"})

    assert page.get(at("file_columns", added)).context["head"].values[3] == ("Wann öffnet es?",)
    mapped(page, added)
    page.get(at("file", added))
    page.post(at("file_add", added), {"confirmed": "on"})
    assert Question.objects.filter(text="Wann öffnet es?").exists()


@pytest.mark.long
def test_columns_form_keeps_missing_words_decimals_and_what_repeats_are(page, collection):
    send(page, collection, more=SCORES)
    added = collection.added_files.get(number=2)

    mapped(page, added, missing_words="NaN, n/a", decimal="comma", repeats_are="mistakes")

    added.refresh_from_db()
    columns = adding.plan_of(added).columns
    assert (columns.missing_words, columns.decimal, columns.repeats_are) == (
        ("NaN", "n/a"),
        "comma",
        "mistakes",
    )


@pytest.mark.long
def test_ids_behind_labels_are_handed_out_once(page, collection):
    line = BATCH.splitlines()[1]
    text = f"passage,answer,system,question,WorkerId,grammaticality\n{line},A3F5K2J9XQ1LMN,3\n"
    columns = {
        **MATERIAL,
        "rater": "WorkerId",
        "ratings": [{"column": "grammaticality", "criterion": "grammaticality"}],
    }
    added = add(collection, text, rubric=factories.rubric(), **columns)
    label = collection.campaigns.get().enrollments.get().label
    assert label.startswith("P-")
    assert "A3F5K2J9XQ1LMN" not in page.get(at("file", added)).text

    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s, 0)", [adding.READING_IDS])
        early = page.post(at("file_ids", added), follow=True)
    other.close()
    first, second = page.post(at("file_ids", added)), page.post(at("file_ids", added), follow=True)

    assert "ids of another file are being read" in early.text
    assert first.text.splitlines() == ["\ufefflabel,id", f"{label},A3F5K2J9XQ1LMN"]
    assert "already downloaded" in second.text
    assert page.get(at("file_ids", added)).status_code == 405


def test_a_column_of_the_collections_names_is_proposed_for_systems_and_sources(client):
    """A workbook's own words say nothing here: its values do. Its notes are the annotator's."""
    factories.rubric()
    text = "id,system,question\nh1,Alba,Who?\nh1,Brisa,Why?\nh2,Alba,When?\nh2,Brisa,Where?\n"
    collection = assembled(text, source_id="id", system="system", question="question")
    client.force_login(collection.owner)
    rows = "h1,Alba,3,odd\nh1,Brisa,2,\nh2,Alba,1,\n"
    send(client, collection, carla=f"ID,Which one,Fluency (1-3),Comments\n{rows}")
    page = client.get(at("file_columns", collection.added_files.get(name="carla.csv")))
    shown = {each.column: each.initial for each in page.context["formset"]}
    assert shown["ID"]["use"] == "source_id"
    assert shown["Which one"]["use"] == "system"
    assert shown["Fluency (1-3)"] == {"use": "ratings", "name": "Fluency", "rater": "carla"}
    assert shown["Comments"]["use"] == "note"


@pytest.mark.long
def test_columns_page_workbooks_with_other_columns_are_left_as_they_are(page, collection):
    for name, header in (("a", HEADER), ("b", HEADER), ("c", OTHER_SCORES)):
        data = workbook(*header, sheet="Scores", score=ord(name))
        adding.upload(
            collection=collection,
            name=f"{name}.xlsx",
            file=storage.keep(data),
            by=collection.owner,
        )
    first = collection.added_files.get(name="a.xlsx")
    shown = page.get(at("file_columns", first))

    mapped(page, first)

    plans = {each.name: each.plan for each in collection.added_files.waiting()}
    assert plans["c.xlsx"] == {}
    reasons = {each: plans[each]["columns"].pop("evidence") for each in ("a.xlsx", "b.xlsx")}
    assert set(reasons["b.xlsx"].values()) == {"Read in the same way as “a.xlsx”."}
    assert plans["b.xlsx"]["columns"] == plans["a.xlsx"]["columns"]
    assert "b.xlsx" in shown.text
    assert "c.xlsx" not in shown.text


@pytest.mark.long
def test_columns_page_a_named_file_without_its_tick_is_left_as_it_is(page, collection):
    factories.rubric()
    send(page, collection, ana=ratings("", 3, 2, 1, 3), bo=ratings("", 3, 1, 1, 2))
    first = collection.added_files.get(name="ana.csv")

    mapped(page, first, siblings=[])

    assert collection.added_files.get(name="bo.csv").plan == {}


@pytest.mark.long
def test_columns_page_a_file_that_was_not_named_is_refused(page, collection):
    factories.rubric()
    values = {"ana": (3, 2, 1, 3), "bo": (3, 1, 1, 2)}
    texts = {name: ratings("", *given) for name, given in values.items()}
    send(page, collection, **texts, bleu=SCORES)
    first, other = (collection.added_files.get(name=name) for name in ("ana.csv", "bleu.csv"))

    answer = mapped(page, first, siblings=[str(other.number)])

    assert answer.status_code == 422
    assert "no longer waits" in answer.text
    assert collection.added_files.get(name="bleu.csv").plan == {}


@pytest.mark.long
def test_choices_of_a_file_are_made_for_the_ticked_files_alone(page, collection):
    send(page, collection, one=SECOND, two=SECOND + "\n", three=SECOND + "\n\n")
    one, two, three = (collection.added_files.get(name=f"{n}.csv") for n in ("one", "two", "three"))
    mapped(page, one)
    shown = page.get(at("file", one))
    assert "two.csv" in shown.text
    said = {"by": "texts", "unmatched": "add", "conflicts": "leave", "siblings": [str(two.number)]}

    page.post(at("file_choices", one), said)

    two.refresh_from_db()
    three.refresh_from_db()
    assert (two.choices["by"], three.choices.get("by")) == ("texts", None)
