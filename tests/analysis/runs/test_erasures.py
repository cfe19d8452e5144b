"""Somebody is erased after analyses read what they said: nothing of theirs is left anywhere, and
the numbers over several people stay."""

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from analysis.models import ReportPage, Result
from analysis.runs.actions import report_erasures, report_pages, runs
from analysis.sections.agreement.annotators import Annotators
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment
from judging.datasets.models.dataset import Unit
from judging.jobs import storage
from judging.jobs.actions import jobs
from judging.jobs.models.file import StoredFile
from judging.jobs.models.job import Job
from judging.llm_judges.actions import llm_judges
from judging.overview.actions import erasures
from judging.protocols.spans import parse_marks
from judging.quality.actions import exclusions
from judging.work.actions import drafts, judgments, sheets
from tests import factories
from tests.analysis.studies import analysed
from tests.annotation import studies

pytestmark = pytest.mark.django_db
OWN, OTHER = "A770077", "A78"  # three letters also stand in passwords and in compressed files
SAID = "zebra"  # in every text that the person, or somebody about them, wrote
# Of a run that only its annotators matter of
FEW = {
    "metrics": [],
    "mixed_model": "never",
    "without_criteria": ["syntax", "semantics", "qtype_correct", "composite"],
}
WITNESSES = {"judging_erasure", "judging_event", "judging_job"}  # that know whose label was erased


def judged(own: Enrollment, value: int) -> None:
    """Have somebody judge all there is, mark an answer of their own and comment on each task."""
    for _task in range(own.campaign.rounds.get().tasks.count()):
        held = studies.held(own)
        sheet = sheets.sheet_of_assignment(held)
        marks = {each: parse_marks(f"0-{value + 3}") for each in sheet.marks()}
        given = [(each, each.criterion.points[value % 2].value) for each in sheet.asked()]
        note = f"{SAID} {own.label}" if own.label == OWN else ""
        drafts.save_draft(assignment=held, page=drafts.SentPage(given, 1, note, marks=marks))
        held.refresh_from_db()
        judgments.submit_task(assignment=held, token=held.submit_token)


def asked_a_machine(campaign: Campaign) -> None:
    keys = [
        each.key for each in campaign.protocol.criteria.filter(unit="question", asked="per_unit")
    ]
    rows = [
        f"{each.token},{','.join('1' for _ in keys)}"
        for each in llm_judges.questions_with_tokens(campaign)
    ]
    llm_judges.add_llm_judge(
        campaign=campaign,
        by=campaign.created_by,
        file=storage.store_bytes("\n".join([f"item,{','.join(keys)}", *rows]).encode()),
        file_name="answers.csv",
        about={"name": "Judge", "model": "m", "prompt": "", "temperature": 0.0},
    )


def with_three(*, sources: int, key: str | None = "qgstec2010-a") -> Campaign:
    """Return a study that three annotators and a LLM judged."""
    campaign = studies.opened(
        key, sources=sources, expected=2, annotators_per_task=3, withdrawal=True
    )
    for value, label in enumerate((OWN, OTHER, "A79")):
        judged(factories.enrollment(campaign, label=label), value)
    asked_a_machine(campaign)
    return campaign


@pytest.fixture(scope="module")
def judged_once(lasting: None) -> Campaign:
    return with_three(sources=2)


@pytest.fixture
def study(judged_once: Campaign, db: None) -> Campaign:
    return Campaign.objects.get(pk=judged_once.pk)


def forgotten(campaign: Campaign) -> None:
    """Do what erasing left to a worker."""
    owed = campaign.jobs.unfinished().get(kind=jobs.FORGET_ANNOTATORS)
    job = jobs.claim_job(job_id=owed.pk)
    jobs.finish_job(job=job, result=report_erasures.execute_erasure(jobs.Work(job, worker="test")))


def everything() -> dict[str, str]:
    """Return all rows of each table as text, and behind them the files that are text."""
    with connection.cursor() as cursor:
        found = {}
        for table in connection.introspection.table_names():
            if table not in ("judging_storedfile", "judging_storedpart"):
                cursor.execute(
                    f"SELECT coalesce(string_agg(t::text, chr(10)), '') FROM \"{table}\" t"
                )
                found[table] = cursor.fetchone()[0]
    files = (
        storage.content_of(each).decode("utf-8", "replace") for each in StoredFile.objects.all()
    )
    return found | {"judging_storedfile": "\n".join(files)}


def tables_with(text: str) -> set[str]:
    return {table for table, rows in everything().items() if text in rows}


def test_nothing_of_who_withdrew_is_left_anywhere(study: Campaign) -> None:
    own = study.enrollments.get(label=OWN)
    exclusions.exclude_annotator(
        enrollment=own, reason=f"{SAID} slept", by=study.created_by, now=timezone.now()
    )
    run = analysed(study, with_excluded=True)
    report_pages.render_parts(run)
    [page] = ReportPage.objects.all()
    before = dict(runs.StoredTables(run))
    files = dict(Result.objects.filter(run=run).values_list("key", "file__sha256"))
    assert tables_with(SAID) > {"judging_note", "judging_exclusion", "analysis_result"}
    assert tables_with(OWN) > {"analysis_result", "analysis_reportpage"}

    erasures.withdraw_annotator(enrollment=own, now=timezone.now())
    forgotten(study)

    assert tables_with(SAID) == set()
    assert tables_with(OWN) == WITNESSES
    after = dict(runs.StoredTables(run))
    for key in ("systems", "agreement", "distributions", "intra_annotator_agreement"):
        assert after[key] == before[key], "numbers over several people stay"
    for key in ("annotators", "span_marks", "scale_use", "pairwise_kappa"):
        assert 0 < len(after[key]) < len(before[key])
    assert {each["people"] for each in after["judged_items"]} == {None}
    now = dict(Result.objects.filter(run=run).values_list("key", "file__sha256"))
    assert set(now) == set(files)
    assert now["report-pdf"] != files["report-pdf"]
    gone = {each for each in files.values() if each} - {each for each in now.values() if each}
    assert not StoredFile.objects.filter(sha256__in=gone).exists()

    page.save(force_insert=True)  # by somebody who began to look before
    client = factories.logged_in(study.created_by)
    address = reverse("analysis:run", args=[study.uuid, run.number])
    unit = Unit.objects.filter(question_set__source__dataset=study.dataset).first()
    pages = [
        client.get(address).text,
        client.get(f"{address}report.json").getvalue().decode(),
        client.get(reverse("judging:export", args=[study.uuid, "jsonl"])).getvalue().decode(),
        client.get(reverse("analysis:item", args=[study.uuid, unit.question_set.source_id])).text,
        client.get(f"/api/v1/campaigns/{study.uuid}/enrolments/").text,
        client.get(reverse("judging:annotators", args=[study.uuid])).text,
    ]
    assert all(OTHER in page for page in pages)
    assert not any(OWN in page or SAID in page for page in pages)


@pytest.mark.long
def test_a_report_that_says_nothing_of_the_person_stays_as_it_is(study: Campaign) -> None:
    run = analysed(study, without_annotators=[OWN], **FEW)
    before = list(Result.objects.order_by("pk").values("pk", "file"))
    erasures.erase_annotator(
        enrollment=study.enrollments.get(label=OWN), by=study.created_by, now=timezone.now()
    )
    forgotten(study)
    assert list(Result.objects.order_by("pk").values("pk", "file")) == before
    assert not ReportPage.objects.filter(run=run).exists()


def test_taking_somebody_out_of_reports_cannot_be_cancelled(study: Campaign) -> None:
    runs.start_run(campaign=study, by=study.created_by, seed=1, parameters={})
    for label in (OWN, OTHER):
        erasures.erase_annotator(
            enrollment=study.enrollments.get(label=label), by=study.created_by, now=timezone.now()
        )
    job = study.jobs.get(kind=jobs.FORGET_ANNOTATORS)
    assert job.parameters == {"labels": [OWN, OTHER]}
    client = factories.logged_in(study.created_by)
    assert "cancel" not in client.get(reverse("judging:job", args=[job.pk])).text.lower()
    client.post(reverse("judging:job_cancel", args=[job.pk]))
    job.refresh_from_db()
    assert (job.state, job.cancel_requested_at) == (Job.State.QUEUED, None)


def test_a_run_that_read_somebody_who_is_erased_before_its_end_keeps_nothing_of_them(
    study: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, own = runs._pdf, study.enrollments.get(label=OWN)

    def erase_first(*given):
        if Enrollment.objects.filter(pk=own.pk).exists():
            erasures.erase_annotator(enrollment=own, by=study.created_by, now=timezone.now())
        return plain(*given)

    monkeypatch.setattr(runs, "_pdf", erase_first)
    tables = dict(runs.StoredTables(analysed(study, **FEW)))
    assert {each["annotator"] for each in tables["annotators"]} == {OTHER, "A79"}
    assert {each["people"] for each in tables["judged_items"]} == {None}
    assert tables_with(SAID) == set()


@pytest.mark.long
def test_many_reports_are_gone_through_by_one_job_after_the_other(
    study: Campaign, monkeypatch
) -> None:
    """Others' jobs come in between; whoever goes meanwhile is taken out of the reports before, too."""
    monkeypatch.setattr(report_erasures, "PART", -1.0)
    made = [analysed(study, with_excluded=True) for _ in range(3)]
    by = study.created_by

    def owed() -> list[tuple[list[str], int]]:
        waiting = study.jobs.unfinished().filter(kind=jobs.FORGET_ANNOTATORS)
        told = waiting.order_by("created_at").values_list("parameters", flat=True)
        return [(each["labels"], each.get("after", 0)) for each in told]

    erasures.erase_annotator(enrollment=study.enrollments.get(label=OWN), by=by, now=timezone.now())
    forgotten(study)
    assert owed() == [([OWN], made[0].number)]
    erasures.erase_annotator(
        enrollment=study.enrollments.get(label=OTHER), by=by, now=timezone.now()
    )
    assert owed() == [([OWN], made[0].number), ([OTHER], 0)]
    while waiting := study.jobs.unfinished().order_by("created_at").first():
        job = jobs.claim_job(job_id=waiting.pk)
        jobs.finish_job(
            job=job, result=report_erasures.execute_erasure(jobs.Work(job, worker="test"))
        )
    for run in made:
        left = {each["annotator"] for each in dict(runs.StoredTables(run))["annotators"]}
        assert left == {"A79"}


@pytest.mark.long
def test_what_cannot_be_drawn_any_more_is_not_kept_as_it_was(
    study: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = analysed(study, **FEW)
    monkeypatch.setattr(Annotators, "figures", lambda self, found: found.documents["gone"])
    assert runs.forget_annotators(run=run, labels=[OWN])
    left = Result.objects.filter(run=run)
    assert not left.filter(file__isnull=False).exists()
    assert left.get(key="sentences").document == []
    assert {each["annotator"] for each in dict(runs.StoredTables(run))["annotators"]} == {
        OTHER,
        "A79",
    }
