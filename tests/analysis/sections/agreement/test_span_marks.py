"""The export of marked answers, on one passage of eight words."""

import pytest

from analysis import frames
from analysis.runs.actions import runs
from analysis.sections.agreement.span_marks import SpanMarks
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Passage
from judging.jobs.actions import jobs
from judging.protocols.spans import parse_marks
from judging.work.actions import drafts, judgments, sheets
from tests.analysis.sections.computing import records
from tests.annotation import studies

pytestmark = pytest.mark.django_db
TEXT = "One two three four five six seven eight."
WORDS = {"two": "4-7", "two three": "4-13", "four": "14-18"}


@pytest.fixture
def campaign() -> Campaign:
    made = studies.opened("qgstec2010-a", sources=1, systems=["Alba"], expected=2)
    Passage.objects.update(text=TEXT)
    return made


def judge(campaign: Campaign, first: str, second: str) -> None:
    """Answer everything, and mark the first and the second question of the set."""
    assignment = studies.held(studies.annotator(campaign)[1])
    sheet = sheets.sheet_of_assignment(assignment)
    given = [(asked, asked.criterion.points[0].value) for asked in sheet.asked()]
    marks = {sheet.find_mark("m1"): parse_marks(first), sheet.find_mark("m2"): parse_marks(second)}
    drafts.save_draft(assignment=assignment, page=drafts.SentPage(given, 1, marks=marks))
    judgments.submit_task(assignment=assignment, token=assignment.submit_token)


def test_the_list_of_marks_holds_the_beginning_of_a_long_one(campaign: Campaign) -> None:
    text = "".join(chr(ord("a") + number % 26) for number in range(503))
    Passage.objects.update(text=text)
    judge(campaign, "2-502", "2-503")
    rows = records(SpanMarks, campaign)
    assert [(row["end"], row["text"]) for row in rows] == [
        (502, text[2:502]),
        (503, text[2:502]),
    ]


def test_span_marks_without_marks_are_none() -> None:
    campaign = studies.opened(sources=1)
    assert records(SpanMarks, campaign) == []


def test_span_marks_of_a_run_are_stored_as_a_table(campaign: Campaign) -> None:
    judge(campaign, WORDS["two"], WORDS["four"])
    before = frames.hash_data(frames.read_campaign(campaign))
    judge(campaign, WORDS["two"], "none")
    run = runs.start_run(
        campaign=campaign,
        by=campaign.created_by,
        seed=1,
        parameters={"metrics": [], "resamples": 20},
    )
    job = jobs.claim_job(job_id=run.job_id)
    jobs.finish_job(job=job, result=runs.execute_run(run=run, work=jobs.Work(job, worker="test")))
    rows = [
        row
        for row in dict(runs.StoredTables(run))["span_marks"]
        if row["annotator"] == run.campaign.enrollments.first().label
    ]
    assert [row["text"] for row in rows] == ["two", "four"]
    assert frames.hash_data(frames.read_campaign(campaign)) != before
