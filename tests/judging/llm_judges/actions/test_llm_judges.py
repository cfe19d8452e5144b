"""LLM judges of a campaign: imported, listed, removed, and stored separately from annotators."""

import csv
import hashlib
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, transaction
from django.urls import reverse

from analysis import frames
from judging.jobs import storage, tasks
from judging.jobs.actions import jobs
from judging.jobs.models.file import StoredFile
from judging.jobs.models.job import Job
from judging.llm_judges.actions import judge_jobs, llm_judges
from judging.llm_judges.models.llm_judge import SAME_TEXT, LLMJudge, LLMJudgment
from judging.people.models.event import Event
from judging.protocols.models.protocol import Criterion
from judging.work.models.judgment import Judgment
from tests import factories
from tests.analysis import studies
from tests.refusing import refused
from tests.working import WorkingClient

pytestmark = pytest.mark.django_db
ABOUT = {
    "name": "Judge",
    "model": "maker/model-7b",
    "version": "2026-05",
    "prompt": "Rate it.",
    "temperature": 0.0,
}


@pytest.fixture
def campaign():
    return studies.imported()


def table(campaign, value=lambda place: 1 + place % 3, most=None):
    rows = [
        f"{item.token},{value(place)},{value(place + 1)}"
        for place, item in enumerate(llm_judges.questions_with_tokens(campaign)[:most])
    ]
    return "\n".join(["item,grammaticality,correctness", *rows]).encode()


def added(campaign, content=None, **about):
    return llm_judges.add_llm_judge(
        campaign=campaign,
        by=campaign.created_by,
        file=storage.store_bytes(content or table(campaign)),
        file_name="answers.csv",
        about={**ABOUT, **about},
    )


def test_a_judge_is_stored_with_who_it_is_and_what_it_said(campaign):
    before = list(Judgment.objects.order_by("pk").values_list("pk", "value"))
    judge, found = added(campaign)
    assert (judge.model, judge.version, judge.temperature) == ("maker/model-7b", "2026-05", 0)
    assert judge.prompt_sha256 == hashlib.sha256(b"Rate it.").hexdigest()
    assert judge.judgments.count() == len(found.answers) == 36
    assert list(Judgment.objects.order_by("pk").values_list("pk", "value")) == before


def test_a_value_outside_the_scale_is_kept_with_its_row_and_stored_nowhere(campaign):
    judge, _ = added(campaign, table(campaign, lambda place: 7 if place == 4 else 2))
    assert sorted(each["row"] for each in judge.problems) == [5, 6]
    assert set(judge.judgments.values_list("value", flat=True)) == {2}
    correctness = Criterion.objects.get(protocol=campaign.protocol_id, key="correctness")
    unit = judge.judgments.values_list("unit", flat=True)[0]
    with pytest.raises(IntegrityError), transaction.atomic():
        LLMJudgment.objects.create(
            judge=judge, unit_id=unit, criterion=correctness, value=9, repeat=2
        )


def test_two_judges_of_one_name_are_refused(campaign):
    added(campaign)
    with refused("name_taken"):
        added(campaign)
    assert LLMJudge.objects.count() == 1


def test_a_draft_takes_no_judge():
    draft = factories.campaign()
    with refused("not_locked"):
        added(draft, b"item,correctness\nx,1\n")


def test_a_table_without_an_answer_names_its_first_problem(campaign):
    with refused("cannot_take_judge"):
        token = llm_judges.questions_with_tokens(campaign)[0].token
        added(campaign, f"item,correctness\n{token},9\n".encode())


def test_half_the_items_are_taken_as_half(campaign):
    judge, found = added(campaign, table(campaign, most=9))
    assert judge.judgments.values("unit").distinct().count() == 9
    assert found.problems == ()


def test_a_prompt_with_peoples_ratings_is_warned_about(campaign):
    assert llm_judges.prompt_warnings(campaign, "Annotator 1: 3, annotator 2: 2. What do you say?")
    assert llm_judges.prompt_warnings(campaign, "Rate from 1 to 3: 1 is worst.") == []
    assert llm_judges.prompt_warnings(campaign, "Judge b rating:\n\n 4; human scores = 2.")
    # it took hours, in which no other request was answered
    assert llm_judges.prompt_warnings(campaign, "The judge" + " " * 100_000 + "is fair.") == []


def test_the_items_can_be_downloaded_filled_and_given_back(client, campaign):
    client.force_login(campaign.created_by)
    page = client.get(reverse("judging:llm_judge_items", args=[campaign.uuid]))
    rows = list(csv.DictReader(io.StringIO(page.getvalue().decode("utf-8-sig"))))
    assert len(rows) == 18
    assert Event.objects.get(act=Event.Act.EXPORTED).about == "items-for-a-judge.csv"
    assert rows[0]["passage"].startswith("Lock 0 was built by")
    for row in rows:
        row["correctness"] = "yes"
    given = io.StringIO()
    writer = csv.DictWriter(given, fieldnames=rows[0])
    writer.writeheader()
    writer.writerows(rows)
    judge, found = added(campaign, given.getvalue().encode())
    assert set(judge.judgments.values_list("value", flat=True)) == {3}
    assert found.blank == 18


def test_the_page_takes_a_judge_and_removes_it(campaign):
    client = WorkingClient()
    client.force_login(campaign.created_by)
    file = io.BytesIO(table(campaign, lambda place: 5 if place == 2 else 3))
    file.name = "answers.csv"
    sent = {
        "file": file,
        "name": "Big judge",
        "model": "m-1",
        "prompt": "Annotator 2: 3",
        "own_systems": ["Alba"],
    }
    page = client.post(reverse("judging:llm_judge_add", args=[campaign.uuid]), sent, follow=True)
    text = page.content.decode()
    assert LLMJudge.objects.get().judgments.count() == 34
    assert "row 4, grammaticality" in text
    judge = LLMJudge.objects.get()
    assert judge.own_systems == ["Alba"]
    client.post(reverse("judging:llm_judge_remove", args=[campaign.uuid, judge.pk]))
    assert not LLMJudge.objects.exists()
    assert not StoredFile.objects.filter(pk=judge.file_id).exists()


@pytest.fixture
def unheard(monkeypatch):
    """Notify no worker of a job: the test runs it."""
    monkeypatch.setattr(tasks, "announce_job", lambda job_id: None)


def sent_by_page(client, campaign, content):
    """Send a table by the page; return its job when a worker has done it."""
    client.force_login(campaign.created_by)
    said = {"name": "Big judge", "model": "m-1", "cost": "1.25", "judged_on": "2026-05-01"}
    page = client.post(
        reverse("judging:llm_judge_add", args=[campaign.uuid]),
        {**said, "file": SimpleUploadedFile("answers.csv", content)},
    )
    job = Job.objects.get(kind="judging.add_judge")
    assert page.url == reverse("judging:job", args=[job.pk])
    tasks.current_app.tasks[job.kind].run(str(job.pk))
    return Job.objects.get(pk=job.pk)


@pytest.mark.django_db(transaction=True)
def test_a_table_is_taken_by_a_worker(client, campaign, unheard):
    job = sent_by_page(client, campaign, table(campaign, lambda place: 5 if place == 2 else 3))
    assert job.result == {"judge": "Big judge", "answers": 34, "problems": 2}
    judge = LLMJudge.objects.get()
    assert (str(judge.cost), str(judge.judged_on)) == ("1.2500000000", "2026-05-01")
    assert judge.judgments.count() == 34
    assert [each["row"] for each in judge.problems] == [3, 4]
    page = client.get(reverse("judging:job", args=[job.pk]))
    assert page.url == reverse("judging:llm_judges", args=[campaign.uuid])


@pytest.mark.django_db(transaction=True)
def test_a_table_that_cannot_be_taken_is_not_kept(client, campaign, unheard):
    job = sent_by_page(client, campaign, b"item,fluency\nx,1\n")
    assert job.state == "failed"
    assert not LLMJudge.objects.exists()
    assert not StoredFile.objects.filter(size=19).exists()


@pytest.mark.parametrize("again", [False, True])
def test_a_table_whose_job_made_nothing_of_it_goes_unless_it_is_wanted(campaign, again):
    file, about = storage.store_bytes(b"item,fluency\nx,1\n"), {"name": "Big judge"}
    sent = {"by": campaign.created_by, "file": file, "file_name": "a.csv", "about": about}
    jobs.cancel_job(job=judge_jobs.start_adding(campaign=campaign, **sent))
    if again:
        judge_jobs.start_adding(campaign=campaign, **sent)
    assert [jobs.forget_files(), jobs.forget_files()] == [1, 0]
    assert StoredFile.objects.filter(pk=file.pk).exists() == again


def test_a_table_of_a_judge_that_is_there_already_is_not_kept(client, campaign, unheard):
    added(campaign, name="Big judge")
    client.force_login(campaign.created_by)
    said = {
        "name": "Big judge",
        "model": "m",
        "file": SimpleUploadedFile("a.csv", b"item,x\n1,2\n"),
    }
    page = client.post(reverse("judging:llm_judge_add", args=[campaign.uuid]), said)
    assert page.status_code == 422
    assert not Job.objects.filter(kind="judging.add_judge").exists()
    assert not StoredFile.objects.filter(size=11).exists()


def test_judge_with_a_prompt_that_is_too_long_is_refused(campaign):
    with refused("cannot_take_judge"):
        added(campaign, prompt="x" * 50_001)
    assert not LLMJudge.objects.filter(campaign=campaign).exists()


def with_texts(campaign, *rows):
    """A table of answers to the first questions, each row with its reason and its raw answer."""
    said = zip(llm_judges.questions_with_tokens(campaign), rows, strict=False)
    lines = [f"{item.token},2,3,{reason},{raw}" for item, (reason, raw) in said]
    return "\n".join(["item,grammaticality,correctness,rationale,raw", *lines]).encode()


def test_of_long_texts_in_a_table_as_much_is_kept_as_of_a_judge_that_is_asked(client, campaign):
    long = "x" * 20_001
    judge, found = added(campaign, with_texts(campaign, (long, long), (long, "short"), ("", "")))

    assert {len(each.rationale) for each in found.answers} == {20_000, 0}
    assert {len(each.raw) for each in found.answers} == {20_000, 5, 0}
    assert llm_judges.problem_lines(judge) == [
        "rationale: 2 texts are longer than 20,000 characters, of which the first are kept.",
        "raw: 1 text is longer than 20,000 characters, of which the first are kept.",
    ]
    client.force_login(campaign.created_by)
    page = client.get(reverse("judging:llm_judges", args=[campaign.uuid])).text
    assert "2 texts are longer than 20,000 characters" in page


def test_columns_that_are_not_read_are_named(campaign):
    token = llm_judges.questions_with_tokens(campaign)[0].token
    judge, _found = added(campaign, f"item,grammaticality,corectness\n{token},2,3".encode())
    assert llm_judges.problem_lines(judge) == [
        "No criterion and no part of an answer has the name of “corectness”: not read."
    ]


@pytest.mark.long
def test_the_texts_of_a_row_are_stored_once_and_read_for_each_of_its_criteria(campaign):
    judge, found = added(campaign, with_texts(campaign, ("Clear.", "{2}"), ("", "{3}")))

    stored = judge.judgments.order_by("pk").values_list("rationale", "raw")
    assert list(stored) == [
        ("Clear.", "{2}"),
        (SAME_TEXT, SAME_TEXT),
        ("", "{3}"),
        ("", SAME_TEXT),
    ]
    said = frames.llm_judgments(frames.read_campaign(campaign))
    by_unit = said.groupby("unit")["rationale"].agg(list)
    assert [by_unit[each.unit] for each in found.answers[::2]] == [["Clear.", "Clear."], ["", ""]]


def test_answers_with_reasons_of_their_own_keep_each(campaign):
    token = llm_judges.questions_with_tokens(campaign)[0].token
    rows = [f"{token},grammaticality,2,Clear.", f"{token},correctness,3,"]
    content = "\n".join(["item,criterion,value,rationale", *rows]).encode()
    judge, _ = added(campaign, content)

    assert list(judge.judgments.order_by("pk").values_list("rationale", flat=True)) == [
        "Clear.",
        "",
    ]
