"""Pages that show a large file wait for a job: the web process reads nothing of it."""

import pytest
from django.urls import reverse
from django.utils import timezone

from judging import storage
from judging.actions import jobs
from judging.imports.actions import adding, looks, reading_plans, uploads
from judging.imports.actions.reading_plans import Plan
from judging.imports.readers import limited
from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.limited import Limits
from judging.models import Collection, Job, Upload
from tests import factories
from tests.judging.imports.formats.test_workbook import saved
from tests.judging.views.importing import at, confirmed, form_of, mapped, sent

pytestmark = pytest.mark.django_db
NOW = timezone.now()
CP1252 = "question,system\nWho owns the café?,Alba\n".encode("cp1252")


@pytest.fixture
def all_large(monkeypatch):
    monkeypatch.setattr(looks, "AT_ONCE", 10)


@pytest.fixture
def unread(monkeypatch):
    """Fail a page that fetches the bytes of a file."""

    def fetched(file):
        raise AssertionError("the web process fetched a file")

    return lambda: monkeypatch.setattr(storage, "content_of", fetched)


def done(answer) -> Job:
    """Do the job whose page the answer leads to, as a worker does."""
    job = jobs.claim(job_id=answer.url.split("/")[2])
    if job.kind == "judging.import_study":
        wanted = uploads.WantedImport.from_job(job.parameters, by=job.created_by)
        result = {
            "collection": uploads.import_upload(
                wanted=wanted, by=job.created_by, now=NOW
            ).collection.pk
        }
    else:
        result = {"found": looks.look(kind=job.kind, parameters=job.parameters, by=job.created_by)}
    jobs.finish(job=job, result=result)
    return job


def goes_on_to(page, job: Job) -> str:
    return page.get(reverse("judging:job", args=[job.pk])).context["job"]["result_url"]


def test_each_step_of_a_large_file_is_a_job_and_shows_what_a_small_one_shows(page, monkeypatch):
    small = sent(page)
    mapped(page, small)
    wanted = [page.get(at(step, small)).context for step in ("preview", "check")]
    monkeypatch.setattr(looks, "AT_ONCE", 10)
    large = sent(page, "\ufeff" + storage.content_of(small.file).decode(), name="large.csv")

    job = done(page.get(at("columns", large)))
    assert goes_on_to(page, job) == at("columns", large)
    assert mapped(page, large).url == at("preview", large)
    job = done(page.get(at("preview", large)))
    assert goes_on_to(page, job) == at("preview", large)
    preview, check = page.get(at("preview", large)).context, page.get(at("check", large)).context
    job = done(page.get(at("check", large) + "?seed=2"))
    assert goes_on_to(page, job) == at("check", large) + "?seed=2"
    assert page.get(at("check", large) + "?seed=2").status_code == 200
    done(confirmed(page, large))

    for name in ("study", "systems", "refused_count", "ask_count", "warning_count", "obstacles"):
        assert preview[name] == wanted[0][name]
    assert [each["questions"] for each in check["samples"]] == [
        [list(pair) for pair in each["questions"]] for each in wanted[1]["samples"]
    ]
    assert Collection.objects.get().name == "Canal towns"


def test_no_page_fetches_a_large_file(page, all_large, unread):
    upload = sent(page)
    done(page.get(at("columns", upload)))
    form = form_of(page.get(at("columns", upload)))
    unread()

    assert page.get(at("columns", upload)).status_code == 200
    assert page.post(at("columns", upload), form).url == at("preview", upload)
    assert page.get(at("preview", upload)).status_code == 302


def test_the_same_look_is_asked_for_once_and_again_after_a_cancel(page, all_large):
    upload = sent(page)
    first, second = page.get(at("columns", upload)), page.get(at("columns", upload))
    assert first.url == second.url

    jobs.cancel(job=Job.objects.get())
    third = page.get(at("columns", upload))

    assert third.url != first.url
    assert Job.objects.filter(state="queued").count() == 1


def test_a_large_file_that_cannot_be_read_says_so_with_its_encodings(page, all_large):
    upload = sent(page, CP1252)
    done(page.get(at("columns", upload)))

    answer = page.get(at("columns", upload))

    assert "not UTF-8 at byte" in answer.text
    assert "Who owns the café?" in answer.text
    assert page.post(at("reading", upload), {"encoding": "cp1252"}).url == at("columns", upload)
    done(page.get(at("columns", upload)))
    assert page.get(at("columns", upload)).context["head"].values[0] == ("Who owns the café?",)


def test_a_large_file_of_a_collection_is_read_by_a_job(page, owner, all_large, unread):
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
    upload = sent(page)
    parameters = looks.of_upload(upload, reading_plans.Plan())

    with pytest.raises(Upload.DoesNotExist):
        looks.look(kind=looks.COLUMNS, parameters=parameters, by=factories.researcher())


def test_a_workbook_is_as_large_as_what_it_unpacks_to(page, monkeypatch):
    content = saved(("question", "system"), *(("Who owns it?", "Alba"),) * 500)
    monkeypatch.setattr(looks, "AT_ONCE", 3 * len(content))
    upload = sent(page, content, name="owners.xlsx")

    answer = page.get(at("columns", upload))

    assert answer.url == reverse("judging:job", args=[Job.objects.get().pk])
    done(answer)
    assert page.get(at("columns", upload)).context["head"].header == ("question", "system")


@pytest.fixture
def no_time(monkeypatch):
    """Leave a page no time to wait for a reading; a job has what it takes."""
    monkeypatch.setattr(limited, "_WHILE_A_PAGE_WAITS", Limits(patience=0, are_last=False))


# 80 KB, and more cells than a web process reads
SHORT_ROWS = (
    ",".join(["question", "system", *(f"c{number}" for number in range(98))])
    + "\n"
    + "".join(f"Who owns number {number}?,Alba\n" for number in range(2_600))
)


@pytest.mark.long
def test_a_small_file_that_takes_long_is_read_by_jobs(page, no_time):
    upload = sent(page, SHORT_ROWS)

    job = done(page.get(at("columns", upload)))
    assert goes_on_to(page, job) == at("columns", upload)
    assert mapped(page, upload).url == at("preview", upload)
    done(page.get(at("preview", upload)))
    assert page.get(at("preview", upload)).context["study"]["rows_kept"] == 2_600
    assert page.get(at("rows", upload)).status_code == 200
    done(page.get(at("check", upload)))
    done(confirmed(page, upload))

    assert Collection.objects.get().name == "Canal towns"


def test_what_a_job_read_of_a_small_file_is_not_read_again(page, no_time, unread):
    upload = sent(page, SHORT_ROWS)
    done(page.get(at("columns", upload)))
    unread()

    assert page.get(at("columns", upload)).status_code == 200


def test_while_one_page_waits_for_a_reading_others_have_jobs(page):
    upload, small = sent(page, SHORT_ROWS), sent(page, "question,system\nWhy?,A\n")

    with limited.limits_where(True):
        assert page.get(at("columns", small)).status_code == 200
        assert page.get(at("columns", upload)).url.startswith("/jobs/")


def test_a_small_file_of_a_collection_that_takes_long_is_added_by_jobs(page, owner, no_time):
    collection = adding.start(name="Canals", by=owner)
    file = storage.keep(SHORT_ROWS.encode())
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
