"""Agreement of marked answers in a run: worked by hand on one passage of eight words."""

import pytest

from analysis import frames
from analysis.actions import runs
from analysis.sections.spans import SpanMarks, Spans
from judging.actions import drafts, jobs, judgments, sheets
from judging.models import Campaign, Passage, Question
from judging.spans import read
from tests import factories
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
    sheet = sheets.of(assignment)
    given = [(asked, asked.criterion.points[0].value) for asked in sheet.asked()]
    marks = {sheet.find_mark("m1"): read(first), sheet.find_mark("m2"): read(second)}
    drafts.save(assignment=assignment, page=drafts.SentPage(given, 1, marks=marks))
    judgments.submit(assignment=assignment, token=assignment.submit_token)


def value_of(campaign: Campaign) -> dict[str, float | None]:
    return {row["measure"]: row["value"] for row in records(Spans, campaign)}


def test_marks_agree_by_the_words_they_touch(campaign: Campaign) -> None:
    Question.objects.update(submitted_answer="two three")
    judge(campaign, WORDS["two"], WORDS["four"])
    judge(campaign, WORDS["two three"], "none")
    found = value_of(campaign)
    # first question: F1 of {two} and {two, three} is 2/3; second: {four} and nothing share nothing
    assert found["between_annotators"] == pytest.approx((2 / 3 + 0) / 2)
    # with {two, three}: 2/3 and 1 on the first question, 0 and 0 on the second
    assert found["with_submitted"] == pytest.approx(((2 / 3 + 1) / 2 + 0) / 2)
    # {two} and {four} lie apart; the other annotator answered one question only, which compares
    # with none
    assert found["within_set"] == 0


def test_the_list_of_marks_holds_the_beginning_of_a_long_one(campaign: Campaign) -> None:
    text = "".join(chr(ord("a") + number % 26) for number in range(503))
    Passage.objects.update(text=text)
    judge(campaign, "2-502", "2-503")
    rows = records(SpanMarks, campaign)
    assert [(row["end"], row["text"]) for row in rows] == [
        (502, text[2:502]),
        (503, text[2:502]),
    ]


def test_a_submitted_answer_that_stands_nowhere_or_twice_does_not_count(campaign: Campaign) -> None:
    Question.objects.filter(unit__position=1).update(submitted_answer="nine")
    Question.objects.filter(unit__position=2).update(submitted_answer="e")
    judge(campaign, WORDS["two"], WORDS["two"])
    found = value_of(campaign)
    assert found["with_submitted"] is None
    assert found["within_set"] == 1


def test_no_marks_no_tables() -> None:
    campaign = studies.opened(sources=1)
    assert records(Spans, campaign) == records(SpanMarks, campaign) == []


def test_a_run_shows_marks_on_its_page_and_as_csv(campaign: Campaign) -> None:
    judge(campaign, WORDS["two"], WORDS["four"])
    before = frames.digest(frames.material(campaign))
    judge(campaign, WORDS["two"], "none")
    run = runs.start(
        campaign=campaign,
        by=campaign.created_by,
        seed=1,
        parameters={"metrics": [], "resamples": 20},
    )
    job = jobs.claim(job_id=run.job_id)
    jobs.finish(job=job, result=runs.execute(run=run, work=jobs.Work(job, worker="test")))
    client = factories.logged_in(campaign.created_by)
    assert "Marked answers" in client.get(f"/campaigns/{campaign.uuid}/report/").content.decode()
    rows = [
        row
        for row in dict(runs.StoredTables(run))["span_marks"]
        if row["annotator"] == run.campaign.enrollments.first().label
    ]
    assert [row["text"] for row in rows] == ["two", "four"]
    assert frames.digest(frames.material(campaign)) != before
