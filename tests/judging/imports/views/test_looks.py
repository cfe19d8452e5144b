"""Pages that show a file wait for a job: the web process reads nothing of it."""

import pytest
from django.test import Client
from django.urls import reverse

from judging import storage
from judging.actions import jobs
from judging.imports.actions import adding, looks, reading_plans
from judging.imports.actions.reading_plans import Plan
from judging.imports.readers.columns import ColumnRoles
from judging.models import AddedFile, Job, Question
from tests import factories
from tests.judging.views.importing import added_by, at, form_of, mapped, sent
from tests.working import carry_out

pytestmark = pytest.mark.django_db
CP1252 = "question,system\nWho owns the café?,Alba\n".encode("cp1252")


@pytest.fixture
def client() -> Client:
    """Return a browser beside which no worker works."""
    return Client()


@pytest.fixture
def unread(monkeypatch):
    """Fail a page that fetches the bytes of a file."""

    def fetched(file):
        raise AssertionError("the web process fetched a file")

    return lambda: monkeypatch.setattr(storage, "content_of", fetched)


def done(answer) -> Job:
    """Do the job whose page the answer leads to, as a worker does."""
    return carry_out(Job.objects.get(pk=answer.url.split("/")[2]))


def goes_on_to(page, job: Job) -> str:
    return page.get(reverse("judging:job", args=[job.pk])).url


def test_each_step_of_an_import_is_a_job(page):
    added = sent(page)

    job = done(page.get(at("columns", added)))
    assert goes_on_to(page, job) == at("columns", added)
    assert mapped(page, added).url == at("preview", added)
    job = done(page.get(at("preview", added)))
    assert goes_on_to(page, job) == at("preview", added)
    assert page.get(at("preview", added)).context["expected"]["new"] == 3
    assert page.get(at("rows", added)).status_code == 200
    done(added_by(page, added))

    assert Question.objects.count() == 3


def test_no_page_fetches_a_file(page, unread):
    upload = sent(page)
    done(page.get(at("columns", upload)))
    form = form_of(page.get(at("columns", upload)))
    unread()

    assert page.get(at("columns", upload)).status_code == 200
    assert page.post(at("columns", upload), form).url == at("preview", upload)
    assert page.get(at("preview", upload)).status_code == 302


def test_the_same_look_is_asked_for_once_and_again_after_a_cancel(page):
    upload = sent(page)
    first, second = page.get(at("columns", upload)), page.get(at("columns", upload))
    assert first.url == second.url

    jobs.cancel(job=Job.objects.get())
    third = page.get(at("columns", upload))

    assert third.url != first.url
    assert Job.objects.filter(state="queued").count() == 1


def test_a_file_that_cannot_be_read_says_so_with_its_encodings(page):
    upload = sent(page, CP1252)
    done(page.get(at("columns", upload)))

    answer = page.get(at("columns", upload))

    assert "not UTF-8 at byte" in answer.text
    assert "Who owns the café?" in answer.text
    assert page.post(at("reading", upload), {"encoding": "cp1252"}).url == at("columns", upload)
    done(page.get(at("columns", upload)))
    assert page.get(at("columns", upload)).context["head"].values[0] == ("Who owns the café?",)


def test_a_file_of_a_collection_is_read_by_a_job(page, owner, unread):
    collection = adding.start(name="Canals", by=owner)
    added = adding.upload(
        collection=collection,
        name="a.csv",
        file=storage.keep(b"question,system\nWhy?,A\n"),
        by=owner,
    )
    url = reverse("judging:file_columns", args=[collection.pk, added.number])

    job = done(page.get(url))
    unread()

    assert goes_on_to(page, job) == url
    assert page.get(url).context["head"].header == ("question", "system")


def test_a_look_at_a_file_of_somebody_else_finds_nothing(page, owner):
    parameters = looks.of_added(sent(page), reading_plans.Plan())

    with pytest.raises(AddedFile.DoesNotExist):
        looks.read_columns(parameters=parameters, by=factories.researcher())


def test_adding_that_fails_leads_back_to_the_files(page):
    added = sent(page)
    done(page.get(at("columns", added)))
    mapped(page, added)
    done(page.get(at("preview", added)))
    answer = added_by(page, added)
    jobs.fail(job=jobs.claim(job_id=answer.url.split("/")[2]), error="The disk is full.")

    shown = page.get(answer.url)
    assert "The disk is full." in shown.text
    assert shown.context["job"]["result_url"] == reverse(
        "judging:files", args=[added.collection_id]
    )


def test_the_page_of_a_job_asks_at_once_and_then_every_second(page):
    answer = page.get(page.get(at("columns", sent(page))).url)
    assert 'hx-trigger="load, every 1s"' in answer.text
    partial = page.get(answer.request["PATH_INFO"], headers={"HX-Request": "true"})
    assert 'hx-trigger="every 1s"' in partial.text


def test_a_file_of_a_collection_is_looked_at_and_added_by_jobs(page, owner):
    collection = adding.start(name="Canals", by=owner)
    file = storage.keep(b"question,system\nWhy?,A\n")
    added = adding.upload(collection=collection, name="a.csv", file=file, by=owner)
    columns = ColumnRoles(question="question", system="system")
    adding.decide(added=added, plan=Plan(format="csv", columns=columns))
    address = {
        name: reverse(f"judging:{name}", args=[collection.pk, added.number])
        for name in ("file", "file_add")
    }

    asked = page.get(address["file"])
    assert Job.objects.get().kind == "judging.examine_file"
    assert asked.url == reverse("judging:job", args=[Job.objects.get().pk])
    page.post(address["file_add"])

    assert Job.objects.filter(kind="judging.add_files").count() == 1
    assert not collection.sources.exists()
