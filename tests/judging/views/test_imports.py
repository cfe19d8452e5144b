import gzip
import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from judging.actions import rubrics
from judging.formats import rubric as documents
from judging.models import Campaign, Collection, Job, Judgment, Quarantine, Question, Source, Upload, User
from tests import factories, shared_data
from tests.judging.studies import QUESTIONS

pytestmark = pytest.mark.django_db

DETAILS = {"name": "Canal towns", "language": "en"}
BOMB = b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><dataset>&b;</dataset>'


@pytest.fixture
def owner() -> User:
    return factories.researcher()


@pytest.fixture
def page(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def send(page: Client, content: str | bytes, name: str = "canals.csv") -> HttpResponse:
    data = content.encode() if isinstance(content, str) else content
    return page.post(reverse("judging:import"), {"file": SimpleUploadedFile(name, data)})


def sent(page: Client, content: str | bytes = QUESTIONS, name: str = "canals.csv") -> Upload:
    assert send(page, content, name).status_code == 302
    return Upload.objects.latest("id")


def at(step: str, upload: Upload) -> str:
    return reverse(f"judging:import_{step}", args=[upload.pk])


def form_of(answer: HttpResponse) -> dict[str, Any]:
    """Return what a browser would send of the second step's forms as they are shown."""
    formset, form = answer.context.get("formset"), answer.context["form"]
    shown = {bound.html_name: bound.value() for bound in form}
    for each in formset or ():
        shown |= {bound.html_name: bound.value() for bound in each}
    if formset:
        shown |= {bound.html_name: bound.value() for bound in formset.management_form}
    return {name: value for name, value in shown.items() if value not in (None, False)}


def use(form: dict[str, Any], header: str, column: str, **said: str) -> dict[str, Any]:
    place = header.split(",").index(column)
    return form | {f"columns-{place}-{key}": value for key, value in said.items()}


def mapped(page: Client, upload: Upload, **said: Any) -> HttpResponse:
    return page.post(at("columns", upload), form_of(page.get(at("columns", upload))) | said)


def confirmed(page: Client, upload: Upload, **details: Any) -> HttpResponse:
    """Tick that the handful is right, and import."""
    assert page.post(at("check", upload), {"seed": "1", "checked": "on"}).url == at("confirm", upload)
    return page.post(at("confirm", upload), DETAILS | details)


def imported(page: Client, upload: Upload, **details: Any) -> HttpResponse:
    assert mapped(page, upload).url == at("preview", upload)
    assert page.get(at("preview", upload)).status_code == 200
    return confirmed(page, upload, **details)


def test_upload_keeps_the_file_for_its_owner(page, owner):
    answer = send(page, QUESTIONS)

    kept = Upload.objects.get()
    assert (kept.owner, kept.name, bytes(kept.file.content)) == (owner, "canals.csv", QUESTIONS.encode())
    assert answer.url == at("columns", kept)


def test_columns_shows_first_values_and_a_proposal(page):
    answer = page.get(at("columns", sent(page)))

    assert "The lock was built by Agnes." in answer.text
    uses = [each["use"].value() for each in answer.context["formset"]]
    assert uses == ["passage", "answer", "system", "question", "metric", "metadata"]


def test_a_file_is_imported_in_five_steps(page, owner):
    answer = imported(page, sent(page), licence="CC BY 4.0")

    made = Collection.objects.get()
    assert answer.url == reverse("judging:collection", args=[made.pk])
    assert (made.name, made.owner, made.licence, made.language) == ("Canal towns", owner, "CC BY 4.0", "en")
    assert made.file_name == "canals.csv"
    assert made.mapping["columns"]["question"] == "question"
    assert (made.sources.count(), made.systems.count(), Question.objects.count()) == (2, 2, 3)
    assert made.metrics.get().scale == "fraction"


def test_preview_counts_what_would_be_stored_and_stores_nothing(page):
    upload = sent(page, QUESTIONS + "x,y,Alba,Why?,high,z\n")
    mapped(page, upload)

    answer = page.get(at("preview", upload))

    assert [(each.name, each.returned, each.missing) for each in answer.context["systems"]] == [
        ("Alba", 3, 0),
        ("Brisa", 1, 2),
    ]
    assert answer.context["refused_count"] == 1
    assert "The score is not a number." in answer.text
    assert "<mark>Agnes</mark>" in answer.text
    assert Collection.objects.count() == 0


def test_going_back_loses_nothing(page):
    upload = sent(page)
    header = QUESTIONS.splitlines()[0]
    form = use(form_of(page.get(at("columns", upload))), header, "Bleu_4", name="BLEU", direction="lower")
    page.post(at("columns", upload), form | {"expected": "2"})
    page.get(at("preview", upload))

    answer = page.get(at("columns", upload))

    assert answer.context["formset"][4]["name"].value() == "BLEU"
    assert answer.context["formset"][4]["direction"].value() == "lower"
    assert answer.context["form"]["expected"].value() == 2


def test_what_the_collection_is_called_is_asked_once(page):
    upload = sent(page)
    mapped(page, upload)
    page.get(at("preview", upload))
    page.post(at("check", upload), {"seed": "1", "checked": "on"})
    assert page.get(at("confirm", upload)).context["form"]["name"].value() == "canals"

    confirmed(page, upload, language="not a tag")

    assert Collection.objects.count() == 0


@pytest.mark.parametrize("step", ["preview", "check", "confirm"])
def test_a_later_step_without_the_earlier_ones_leads_back(page, step):
    upload = sent(page)

    assert page.get(at(step, upload)).status_code == 302


def test_a_metric_without_direction_is_refused_beside_its_column(page):
    text = "question,oddity\nWhy?,0.5\nWho?,0.7\n"
    upload = sent(page, text)

    answer = mapped(page, upload, default_system="Alba")

    assert answer.status_code == 422
    assert "Say whether higher or lower is better." in answer.text


def test_a_file_that_names_no_system_asks_whose_questions_they_are(page):
    upload = sent(page, "question\nWhy?\n")

    answer = mapped(page, upload)

    assert answer.status_code == 422
    assert "say whose questions these are" in answer.text
    assert mapped(page, upload, default_system="Alba").status_code == 302


def test_two_columns_for_one_thing_are_refused_with_both_names(page):
    upload = sent(page)
    header = QUESTIONS.splitlines()[0]
    form = use(form_of(page.get(at("columns", upload))), header, "topic", use="question")

    answer = page.post(at("columns", upload), form)

    assert answer.status_code == 422
    assert "Only one column can be the question, not “question” and “topic”." in answer.text


def test_no_column_of_questions_is_refused(page):
    upload = sent(page)
    form = use(form_of(page.get(at("columns", upload))), QUESTIONS.splitlines()[0], "question", use="")

    assert "Say which column holds the generated questions." in page.post(at("columns", upload), form).text


@pytest.mark.parametrize(
    "tampered",
    [
        {"columns-TOTAL_FORMS": "1"},
        {"columns-TOTAL_FORMS": "x"},
        {"columns-0-use": "nonsense"},
        {"rubric": "999999"},
        {"expected": "-1"},
    ],
)
def test_tampered_columns_are_refused(page, tampered):
    assert mapped(page, sent(page), **tampered).status_code == 422


RATED = "question,system,correctness@Ann,correctness@Bo\nWhy?,Alba,1,3\nWho?,Brisa,31,2\n"


def test_ratings_ask_for_their_protocol(page):
    assert "choose the protocol they were given under" in mapped(page, sent(page, RATED)).text


def test_ratings_of_a_criterion_the_protocol_lacks_are_told_with_those_it_has(page):
    rubric = factories.rubric()
    text = RATED.replace("correctness", "charm")

    answer = mapped(page, sent(page, text), rubric=str(rubric.pk))

    assert answer.status_code == 422
    assert "It has no criterion “charm”; it has Grammaticality, Correctness." in answer.text


def test_ratings_become_a_campaign_and_an_impossible_value_stands_in_quarantine(page, owner):
    rubric, upload = factories.rubric(), sent(page, RATED)
    mapped(page, upload, rubric=str(rubric.pk))

    preview = page.get(at("preview", upload))
    assert "It is not on the scale of Correctness: 1, 2, 3." in preview.text
    confirmed(page, upload, ratings_title="As released")

    campaign = Campaign.objects.get()
    assert (campaign.title, campaign.state, campaign.rubric) == ("As released", "closed", rubric)
    assert campaign.memberships.get().user == owner
    assert Judgment.objects.count() == 3
    assert Quarantine.objects.get().value == "31"


def test_a_protocol_of_somebody_else_is_no_choice(page):
    theirs = rubrics.install(document=documents.shipped("qgbench"), owner=factories.user())

    assert mapped(page, sent(page, RATED), rubric=str(theirs.pk)).status_code == 422


TWICE = "passage,answer,system,question\nA lock is a lock.,lock,Alba,Why?\nThe weir.,weir,Alba,Who?\n"


def test_an_answer_that_stands_twice_is_asked_about_and_marked_where_one_says(page):
    upload = sent(page, TWICE)
    mapped(page, upload)

    preview = page.get(at("preview", upload))
    assert preview.context["ask_count"] == 1
    assert [start for start, _ in preview.context["asks"][0][1]] == [2, 12]
    assert page.post(at("starts", upload), {"start:1": "12", "others": "ask"}).url == at("preview", upload)
    assert page.get(at("preview", upload)).context["ask_count"] == 0
    confirmed(page, upload)

    assert list(Source.objects.values_list("key", "answer_start")) == [("1", 12), ("2", 4)]


def test_an_answer_that_stands_twice_may_stay_unmarked_or_take_its_first_place(page):
    upload = sent(page, TWICE)
    imported(page, upload)
    assert Source.objects.get(key="1").answer_start is None

    mapped(page, upload)
    page.get(at("preview", upload))
    page.post(at("check", upload), {"seed": "1", "checked": "on"})
    assert (
        "1 answer stands more than once in its text and will be left unmarked" in page.get(at("confirm", upload)).text
    )
    page.post(at("starts", upload), {"others": "first"})
    page.get(at("preview", upload))
    page.post(at("check", upload), {"seed": "1", "checked": "on"})
    assert "left unmarked" not in page.get(at("confirm", upload)).text
    confirmed(page, upload, again="on")

    assert Source.objects.filter(key="1", answer_start=2).count() == 1


def test_chosen_places_survive_going_back_but_not_another_passage(page):
    upload = sent(page, TWICE)
    mapped(page, upload)
    page.post(at("starts", upload), {"start:1": "12"})
    mapped(page, upload)
    assert page.get(at("preview", upload)).context["ask_count"] == 0

    form = use(form_of(page.get(at("columns", upload))), TWICE.splitlines()[0], "passage", use="sentence")
    page.post(at("columns", upload), form)

    assert page.get(at("preview", upload)).context["ask_count"] == 1


def test_places_can_be_chosen_anew(page):
    upload = sent(page, TWICE)
    mapped(page, upload)
    page.post(at("starts", upload), {"start:1": "12"})
    assert "Choose anew" in page.get(at("preview", upload)).text

    page.post(at("starts", upload), {"anew": "yes"})

    assert page.get(at("preview", upload)).context["ask_count"] == 1


@pytest.mark.parametrize("start", ["x", "-1", "9" * 30, ""])
def test_malformed_places_are_passed_over(page, start):
    upload = sent(page, TWICE)
    mapped(page, upload)

    assert page.post(at("starts", upload), {"start:1": start}).status_code == 302
    assert page.get(at("preview", upload)).context["ask_count"] == 1


def test_a_place_under_a_key_no_text_may_hold_is_passed_over(page):
    upload = sent(page)
    mapped(page, upload)
    page.get(at("preview", upload))
    page.post(at("starts", upload), {"start:zero \x00 byte": "3"})
    page.get(at("preview", upload))
    assert imported(page, upload).status_code == 302
    assert Collection.objects.get().mapping["columns"]["starts"] == {}


def test_the_same_file_twice_is_told_and_imported_only_on_demand(page):
    imported(page, sent(page))
    first = Collection.objects.get()
    upload = sent(page)

    assert reverse("judging:collection", args=[first.pk]) in page.get(at("columns", upload)).text
    refused = imported(page, upload)
    assert refused.status_code == 422
    assert "You imported this very file before." in refused.text
    assert Collection.objects.count() == 1

    confirmed(page, upload, again="on")
    assert Collection.objects.count() == 2


def test_another_way_of_reading_starts_the_columns_over(page):
    upload = sent(page, "question;b,system;c\nWhy?;1,Alba;2\n")
    answer = page.get(at("columns", upload))
    assert answer.context["head"].header == ("question", "b,system", "c")

    page.post(reverse("judging:import_reading", args=[upload.pk]), {"delimiter": ","})

    assert page.get(at("columns", upload)).context["head"].header == ("question;b", "system;c")


def test_qgstec_xml_has_no_columns_to_name(page):
    rubric = rubrics.install(document=documents.shipped("qgstec2010-b"))
    upload = sent(page, shared_data.path("qgstec2010/EvaluatedSubmissions.xml").read_bytes(), "released.xml")

    assert page.get(at("columns", upload)).context["formset"] is None
    mapped(page, upload, rubric=str(rubric.pk))
    preview = page.get(at("preview", upload))
    assert preview.context["refused_count"] == 3
    confirmed(page, upload)

    assert Question.objects.count() == 896
    assert Campaign.objects.get().enrollments.count() == 6


def test_a_large_file_becomes_a_job(page, owner, monkeypatch, settings, tmp_path):
    monkeypatch.setattr("judging.views.imports.LARGE", 2)

    answer = imported(page, sent(page))

    job = Job.objects.get()
    assert answer.url == reverse("judging:job", args=[job.pk])
    assert (job.kind, job.state, job.created_by) == ("judging.import_study", "queued", owner)
    assert job.parameters["name"] == "Canal towns"
    assert Collection.objects.count() == 0


def lone_lines() -> bytes:
    return b"question,system\nWhy?,Alba\n" + b"x" * 3_000_000 + b",Brisa\n"


@pytest.mark.parametrize(
    ("content", "name", "sentence"),
    [
        (b"\xef\xbb\xbf", "a.csv", "The file is empty"),
        (b"question,system\n", "a.csv", "has a header but no rows"),
        (b'question,system\n"Why?,Alba\n', "a.csv", "never closed"),
        ("question,system\nWhy?,Alba\n".encode("utf-16-le"), "a.csv", "UTF-16 without its mark"),
        (bytes(range(256)) * 20, "a.csv", "not"),
        (gzip.compress(b"question\n"), "a.csv", "compressed by gzip"),
        ("question,system\nWarum heißt es so?,Alba\n".encode("latin-1"), "a.csv", "not UTF-8 at byte"),
        (b"question,question\nWhy?,Who?\n", "a.csv", "names the column “question” 2 times"),
        (BOMB, "a.xml", "declares a document type or entities"),
        (b"<dataset><instance>", "a.xml", "cannot be read at line"),
        (b'{"question": ', "a.jsonl", "No row can be read"),
        (b"PK\x03\x04 no workbook", "a.xlsx", "workbook"),
    ],
)
def test_hostile_files_end_in_a_sentence(page, content, name, sentence):
    answer = page.get(at("columns", sent(page, content, name)))

    assert answer.status_code == 200
    assert "The file cannot be read" in answer.text
    assert sentence in answer.text


def test_a_file_of_no_bytes_is_refused(page):
    answer = send(page, b"")

    assert answer.status_code == 422
    assert "The file is empty." in answer.text
    assert Upload.objects.count() == 0


def test_a_file_beyond_the_limit_is_refused(page, settings):
    settings.UPLOAD_LIMIT = 10

    assert "larger than" in send(page, QUESTIONS).text


def test_a_line_of_three_megabytes_is_told_and_the_rest_kept(page):
    upload = sent(page, lone_lines())
    mapped(page, upload)

    answer = page.get(at("preview", upload))

    assert "holds 3,000,000 characters" in answer.text
    assert answer.context["study"].rows_kept == 1
    assert len(answer.content) < 100_000


def test_html_and_formula_cells_render_as_text(page):
    text = 'question,system,note\n"<script>alert(1)</script>",Alba,=HYPERLINK(1)\n"<img src=x onerror=a>",<b>B</b>,@x\n'
    upload = sent(page, text)
    answers = [page.get(at("columns", upload))]
    mapped(page, upload)
    answers.append(page.get(at("preview", upload)))

    for answer in answers:
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in answer.text
        assert not re.search(r"<script>alert|<img src=x|<b>B</b>", answer.text)


def test_an_upload_of_nothing_is_refused(page):
    answer = page.post(reverse("judging:import"), {})

    assert answer.status_code == 422


@pytest.mark.parametrize(
    ("step", "verb"),
    [("columns", "get"), ("columns", "post"), ("preview", "get"), ("check", "get"), ("check", "post"),
     ("confirm", "get"), ("confirm", "post"),     ("reading", "post"), ("starts", "post")],
)  # fmt: skip
def test_uploads_of_others_and_unknown_ones_are_not_found(page, client, step, verb):
    upload = sent(page)
    client.force_login(factories.researcher())

    assert getattr(client, verb)(at(step, upload)).status_code == 404
    assert getattr(client, verb)(reverse(f"judging:import_{step}", args=[999_999])).status_code == 404


@pytest.mark.parametrize("step", ["columns", "preview", "check", "confirm"])
def test_who_may_not_create_is_told_so_and_strangers_are_sent_to_log_in(client, page, step):
    upload = sent(page)
    client.force_login(upload.owner)
    User.objects.filter(pk=upload.owner.pk).update(may_create_campaigns=False)

    assert client.get(at(step, upload)).status_code == 403
    assert client.get(reverse("judging:import")).status_code == 403
    client.logout()
    assert client.get(at(step, upload)).url.startswith(reverse("login"))


@pytest.mark.parametrize(
    ("step", "verb"), [("preview", "post"), ("reading", "get"), ("starts", "get"), ("check", "put"), ("confirm", "put")]
)
def test_wrong_verbs_are_refused(page, step, verb):
    assert getattr(page, verb)(at(step, sent(page))).status_code == 405
