"""The report's pages and files: works, forbidden, unknown, malformed, wrong verb."""

import csv
import io
import json
import re
import zipfile
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from analysis.models import ReportPage, Result, Run
from analysis.runs.actions import exports, runs
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Membership
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from tests import factories
from tests.analysis import studies

pytestmark = pytest.mark.django_db
HUGE = "9" * 5_000  # more digits than Python reads as a number


@pytest.fixture(scope="module")
def made(lasting):
    return studies.analysed(studies.imported())


@pytest.fixture
def run(made, db):
    return Run.objects.get(pk=made.pk)


@pytest.fixture
def manager(client, run):
    client.force_login(run.campaign.created_by)
    return client


def again(run):
    """Make another run that found the same."""
    later = runs.start_run(
        campaign=run.campaign, by=run.campaign.created_by, seed=1, parameters=run.parameters
    )
    jobs.finish_job(job=jobs.claim_job(job_id=later.job_id), result={})
    copies = Result.objects.filter(run=run).values("key", "document", "file_id", "media_type")
    Result.objects.bulk_create(Result(run=later, **each) for each in copies)


def address(name, run, *args):
    return reverse(f"analysis:{name}", args=[run.campaign.uuid, *args])


def test_report_shows_sentences_tables_and_figures(manager, run):
    page = manager.get(address("report", run)).content.decode()
    assert "Krippendorff&#x27;s α over 2 annotators and 6 sources" in page
    assert "“Alba” has the best mean on" in page
    assert "Other packages computed Krippendorff" in page
    assert page.count("<picture>") == 4
    assert page.count("data-level=") >= 12


def test_report_shows_why_a_later_run_failed_and_keeps_the_last_good_one(manager, run):
    later = runs.start_run(campaign=run.campaign, by=run.campaign.created_by, seed=2, parameters={})
    jobs.fail(job=jobs.claim_job(job_id=later.job_id), error="ValueError: no such thing")
    page = manager.get(address("report", run)).content.decode()
    assert "Run 2 failed" in page
    assert "no such thing" in page
    assert "run 1, seed 1" in page


def test_start_enqueues_a_run_with_what_was_chosen(
    manager, run, django_capture_on_commit_callbacks
):
    form = {
        "metrics": ["bleu_4"],
        "prepare_hypothesis": "lower",
        "prepare_reference": "raw",
        "resamples": 200,
        "seed": 9,
    }
    answer = manager.post(address("start", run), form)
    assert answer.status_code == 302
    made = Run.objects.get(number=2)
    assert (made.seed, made.parameters["metrics"], made.parameters["prepare_hypothesis"]) == (
        9,
        ["bleu_4"],
        "lower",
    )
    assert Job.objects.get(run=made).state == "queued"


@pytest.mark.long
@pytest.mark.parametrize(
    "form",
    [
        {},
        {"resamples": "many", "seed": "x"},
        {"metrics": ["none such"], "resamples": 100, "seed": 1},
    ],
)
def test_start_malformed_names_the_field(manager, run, form):
    answer = manager.post(address("start", run), form)
    assert answer.status_code == 422
    assert "errorlist" in answer.content.decode()
    assert Run.objects.count() == 1


def test_tables_are_csv_with_every_row(manager, run):
    for name in (
        "agreement",
        "pairwise_kappa",
        "systems",
        "distributions",
        "aggregates",
        "correlations",
        "leaders",
        "ceiling",
        "metric_comparisons",
        "coverage",
    ):
        rows = list(
            csv.DictReader(
                io.StringIO(manager.get(address("table", run, 1, name)).content.decode("utf-8-sig"))
            )
        )
        assert len(rows) == len(dict(runs.StoredTables(run))[name]), name
        assert rows, name


def test_json_holds_everything_with_how_it_was_made(manager, run):
    document = json.loads(manager.get(address("everything", run, 1)).getvalue())
    assert document["made"]["seed"] == 1
    assert document["made"]["input_sha256"] == run.input_sha256
    assert document["tables"]["systems"] == dict(runs.StoredTables(run))["systems"]


def test_bundle_holds_tables_figures_judgments_and_codebook_and_is_the_same_twice(manager, run):
    first, second = (manager.get(address("bundle", run, 1)).content for _ in range(2))
    names = zipfile.ZipFile(io.BytesIO(first)).namelist()
    assert {
        "report.json",
        "report.txt",
        "data/judgments.csv",
        "codebook.csv",
        "tables/agreement.csv",
        "figures/systems.svg",
        "figures/systems.png",
        "README.md",
        "report.pdf",
        "methods.txt",
        "latex/report.tex",
        "latex/figures/systems.pdf",
    } <= set(names)
    archive = zipfile.ZipFile(io.BytesIO(first))
    assert not [
        name
        for name in names
        if len(archive.read(name).splitlines()) < 2 and name.startswith("tables/")
    ]
    assert run.campaign.title in archive.read("README.md").decode()
    assert first == second


def test_judgments_in_long_form_hold_every_judgment(manager, run):
    export = manager.get(reverse("judging:export", args=[run.campaign.uuid, "csv"]))
    content = export.getvalue().decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(content)))
    assert len([row for row in rows if row["value"]]) == 6 * 3 * 2 * 2
    assert {row["annotator"] for row in rows} == {"A1", "A2"}
    codebook = manager.get(reverse("judging:codebook", args=[run.campaign.uuid])).content.decode()
    assert "value of correctness,3,yes" in codebook


def test_figures_are_svg(manager, run):
    answer = manager.get(address("figure", run, 1, "systems-dark"))
    assert answer["Content-Type"] == "image/svg+xml"
    assert b"<svg" in answer.content
    assert "style-src 'unsafe-inline'" in answer["Content-Security-Policy"]


@pytest.mark.parametrize(
    "path",
    [
        "runs/9/",
        "runs/1/tables/nothing.csv",
        "runs/1/tables/sentences.csv",
        "runs/1/figures/nothing.svg",
        "runs/1/sections/nothing/",
        "runs/9/sections/levels/",
        pytest.param(f"runs/1/tables/correlations.tex?table={HUGE}", id="huge table"),
        pytest.param(f"runs/{HUGE}/", id="huge run"),
    ],
)
def test_unknown_is_a_404(manager, run, path):
    assert manager.get(f"/campaigns/{run.campaign.uuid}/{path}").status_code == 404


def test_strangers_and_annotators_find_nothing(client, run):
    stranger = factories.researcher()
    annotator = factories.user()
    Membership.objects.create(user=annotator, campaign=run.campaign, role="annotator")
    for user in (stranger, annotator):
        client.force_login(user)
        for each in (
            address("report", run),
            address("everything", run, 1),
            address("bundle", run, 1),
            address("section", run, 1, "correlations"),
        ):
            assert client.get(each).status_code == 404
    client.logout()
    assert client.get(address("report", run)).status_code == 302


def test_section_has_all_its_tables_and_the_report_the_first_of_many(manager, run):
    report, whole = (
        manager.get(each).text
        for each in (address("report", run), address("section", run, 1, "correlations"))
    )
    titles = re.findall(r"<h3>(.+?)</h3>", whole)
    assert len(titles) > 6
    assert titles[0] == "Spearman&#x27;s ρ, pooled"
    assert whole.count("<table") == len(titles)
    shown = report.split('id="correlations"')[1].split('id="metric_comparisons"')[0]
    assert shown.count("<table") == 1
    assert [shown.count(f">{title}</option>") for title in titles] == [1] * len(titles)


@pytest.mark.long
@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("1", 1),
        ("999", 0),
        pytest.param("-1", 0, marks=pytest.mark.long),
        pytest.param("x", 0, marks=pytest.mark.long),
        pytest.param("", 0, marks=pytest.mark.long),
        pytest.param(HUGE, 0, id="huge", marks=pytest.mark.long),
    ],
)
def test_section_shows_the_table_that_the_address_names(manager, run, asked, shown):
    """A place that is none, as of a report made anew, shows them all."""
    where = address("section", run, 1, "correlations")
    titles = re.findall(r"<h3>(.+?)</h3>", manager.get(where).text)
    answer = manager.get(f"{where}?table={asked}").text
    assert re.findall(r"<h3>(.+?)</h3>", answer) == (titles[1:2] if shown else titles)
    part = manager.get(f"{where}?table={asked}", headers={"HX-Request": "true"}).text
    assert re.findall(r"<h4>(.+?)</h4>", part) == (titles[1:2] if shown else titles)
    assert "<html" not in part


@pytest.mark.long
def test_report_needs_as_many_queries_with_one_run_as_with_three(manager, run):
    manager.get(address("report", run))  # the first request notes the browser
    with CaptureQueriesContext(connection) as once:
        manager.get(address("report", run))
    for _ in range(2):
        again(run)
    Job.objects.update(
        finished_at=timezone.now() - timedelta(hours=1)
    )  # the header tells of later ones
    manager.get(address("report", run))  # the first look at a report writes its page
    with CaptureQueriesContext(connection) as thrice:
        page = manager.get(address("report", run)).content.decode()
    assert "run 3, seed 1" in page
    assert len(once) == len(thrice)


def test_page_is_written_once_and_shown_as_it_was_kept(manager, run):
    manager.get(address("report", run))
    [kept] = ReportPage.objects.all()
    assert "“Alba”" in kept.parts["short"]
    kept.parts["chapters"] = "<h2>As it was kept</h2>"
    kept.save()
    page = manager.get(address("report", run)).text
    assert "<h2>As it was kept</h2>" in page
    assert "“Alba” has the best mean on" in page


@pytest.mark.long
def test_page_that_other_code_wrote_is_written_again(manager, run):
    ReportPage.objects.create(run=run, language="en", made_with="older code", parts={})
    first, second = (manager.get(address("report", run)).text for _ in range(2))
    assert "“Alba” has the best mean on" in first
    assert first.count("<table") == second.count("<table") > 6
    [kept] = ReportPage.objects.all()
    assert kept.made_with != "older code"


@pytest.mark.long
def test_page_is_kept_in_english_for_every_browser(manager, run):
    for language in ("de", "en", "de"):
        manager.get(address("report", run), headers={"Accept-Language": language})
    assert set(ReportPage.objects.values_list("language", flat=True)) == {"en"}


@pytest.mark.long
def test_kept_page_still_says_what_has_changed_since(manager, run):
    assert 'id="changed"' not in manager.get(address("report", run)).text
    annotator = run.campaign.enrollments.first()
    studies.exclude(annotator, by=run.campaign.created_by)
    page = manager.get(address("report", run)).text
    assert "Changed since it was made: exclusions." in page


@pytest.mark.long
def test_page_can_be_read_where_it_cannot_be_kept(manager, run):
    """A full disk, or a database that only reads, must not hide a report."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE analysis_reportpage ADD CHECK (language = 'none')")
    assert "“Alba” has the best mean on" in manager.get(address("report", run)).text
    assert not ReportPage.objects.exists()


def test_run_asked_for_twice_before_anybody_began_it_is_one(manager, run):
    form = {"prepare_hypothesis": "nqg", "prepare_reference": "nqg", "resamples": 100, "seed": 9}
    for _ in range(2):
        manager.post(address("start", run), form)
    jobs.claim_job(job_id=Run.objects.get(seed=9).job_id)
    manager.post(address("start", run), form)
    assert Run.objects.filter(seed=9).count() == 2
    manager.post(address("start", run), form | {"resamples": 200})
    assert Run.objects.filter(seed=9).count() == 3


@pytest.mark.long
def test_report_primary_declared_marks_the_other_chapters_in_page_and_files(client):
    campaign = studies.imported()
    declared = {
        "primary": [
            {
                "criterion": "correctness",
                "first": "Alba",
                "second": "Brisa",
                "direction": "greater",
            }
        ],
        "margins": {"correctness": {"points": 0.5, "reason": "One step is noticed."}},
    }
    protocol = {**(campaign.locked_plan or {}), "hypotheses": declared}
    Campaign.objects.filter(pk=campaign.pk).update(locked_plan=protocol)
    run = studies.analysed(Campaign.objects.get(pk=campaign.pk))
    client.force_login(campaign.created_by)
    page = client.get(address("report", run)).content.decode()
    assert 'id="chapter-primary">Primary hypotheses</h2>' in page
    assert 'id="chapter-systems">Systems <span class="chip">exploratory</span></h2>' in page
    assert "“Alba” is better than “Brisa” on correctness" in page
    assert "within ±0.5 scale points" in page
    archive = dict(exports.files(run))
    latex = archive["latex/report.tex"].decode()
    assert r"\section{Systems (exploratory)}" in latex
    assert b"greater" in archive["tables/primary_hypotheses.csv"]
    assert json.loads(archive["report.json"])["tables"]["primary_hypotheses"]
