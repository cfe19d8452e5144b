"""A judge asked as a job: its key for the job's time alone, cancelled, resumed, repeated, allowed."""

import json
from decimal import Decimal

import pytest
from django.db import connection

from judging.campaigns import guards
from judging.campaigns.models.campaign import Campaign
from judging.jobs import tasks as job_tasks
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.llm_judges import tasks as llm_judge_tasks
from judging.llm_judges.actions import asking, judge_jobs
from judging.llm_judges.actions.asking import QuestionsPart
from judging.llm_judges.actions.judge_jobs import WantedJudge
from judging.llm_judges.models.llm_judge import JudgeKey, LLMJudge
from judging.people.models.event import Event
from tests.analysis import studies
from tests.judging.llm_judges.actions.test_machine_asking import Server, asked, server
from tests.refusing import refused

__all__ = ["server"]
pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def imported(lasting):
    return studies.imported(sources=2)  # six questions


@pytest.fixture
def campaign(imported):
    return Campaign.objects.get(pk=imported.pk)


@pytest.fixture
def allowed(server: Server, settings) -> Server:
    settings.JUDGE_ADDRESSES = [server.address]
    return server


def wanted(server: Server, **other) -> WantedJudge:
    return WantedJudge(
        address=server.address, model="maker/small", name="Small", **{"at_once": 1} | other
    )


def begun(campaign, server: Server, key: str = "secret-key", **other) -> Job:
    return judge_jobs.start_judge_job(
        campaign=campaign, by=campaign.created_by, wanted=wanted(server, **other), key=key
    )


def done(job: Job, monkeypatch, cancelled_after: int | None = None) -> Job:
    """Do a job as its worker does, in this transaction: without the thread that beats for it."""
    monkeypatch.setattr(jobs.Work, "__enter__", lambda self: self)
    monkeypatch.setattr(jobs.Work, "__exit__", lambda self, *error: None)
    if cancelled_after is not None:
        plain = jobs.Work.progress

        def progress(self, done, total, message=""):
            if done == cancelled_after:
                self._cancelled.set()
            plain(self, done, total, message)

        monkeypatch.setattr(jobs.Work, "progress", progress)
    claimed = jobs.claim_job(job_id=job.pk)
    job_tasks._carry_out(
        claimed, llm_judge_tasks.ask_judge, right=guards.manages, whole=False, first=None
    )
    if cancelled_after is not None:
        monkeypatch.setattr(jobs.Work, "progress", plain)
    job.refresh_from_db()
    return job


def test_the_key_lives_as_long_as_its_job_and_stands_nowhere_readable(
    campaign, allowed, monkeypatch
):
    job = begun(campaign, allowed)
    held = JudgeKey.objects.get(job=job)
    assert "secret-key" not in held.sealed
    assert "secret-key" not in json.dumps(job.parameters)
    assert done(job, monkeypatch).result["answered"] == 6
    assert set(allowed.keys) == {"Bearer secret-key"}
    assert not JudgeKey.objects.exists()
    assert "secret-key" not in json.dumps(LLMJudge.objects.values().get(), default=str)
    noted = Event.objects.get(act=Event.Act.MACHINE_JUDGE_ASKED)
    assert (noted.about, noted.after) == ("LLM judge Small", allowed.address)


@pytest.mark.parametrize("state", ["done", "failed", "cancelled"])
def test_whatever_ends_a_job_removes_its_key(campaign, allowed, state):
    job = begun(campaign, allowed)
    with connection.cursor() as cursor:  # as a sweep does that has never heard of keys
        cursor.execute(
            "UPDATE judging_job SET state = %s, error = 'x', finished_at = now() WHERE id = %s",
            [state, str(job.pk)],
        )
    assert not JudgeKey.objects.exists()


def test_a_key_that_cannot_be_read_any_more_is_asked_for_again(
    campaign, allowed, monkeypatch, settings
):
    job = begun(campaign, allowed)
    settings.SECRET_KEY = "another key of this site, as long as it must be"
    settings.SECRET_KEY_FALLBACKS = []
    assert done(job, monkeypatch).state == "failed"
    assert allowed.asked == []


def test_what_was_answered_before_a_cancel_stands_and_is_not_asked_again(
    campaign, allowed, monkeypatch
):
    job = done(begun(campaign, allowed), monkeypatch, cancelled_after=2)
    assert job.state == "cancelled"
    assert LLMJudge.objects.get().judgments.count() == 4  # two criteria
    again = done(begun(campaign, allowed), monkeypatch)
    assert (again.result["answered"], len(allowed.asked)) == (4, 6)


def test_an_address_that_nobody_allowed_is_asked_nothing(campaign, server, settings):
    settings.JUDGE_ADDRESSES = ["http://127.0.0.1:1/v1"]
    with refused("cannot_ask_judge"):
        begun(campaign, server)


def test_an_address_forbidden_meanwhile_is_asked_nothing(campaign, allowed, monkeypatch, settings):
    job = begun(campaign, allowed)
    settings.JUDGE_ADDRESSES = []
    assert done(job, monkeypatch).state == "failed"
    assert allowed.asked == []


def test_one_judge_is_asked_by_one_job_at_a_time(campaign, allowed):
    begun(campaign, allowed)
    with refused("cannot_ask_judge"):
        begun(campaign, allowed)


def test_a_server_that_refuses_fails_the_job_with_its_words(campaign, allowed, monkeypatch):
    allowed.rule = lambda text: (401, {"error": "bad key"})
    job = done(begun(campaign, allowed), monkeypatch)
    assert job.state == "failed"
    assert "refuses (HTTP 401)" in job.error


def test_repetitions_criteria_and_a_random_part_that_a_larger_one_continues(campaign, allowed):
    allowed.rule = lambda text: (200, {"correctness": 2})
    part = QuestionsPart(criteria=("correctness",), repeats=2, first=2)
    done = asked(campaign, allowed, part=part)
    assert done.answered == 4
    judge = LLMJudge.objects.get()
    assert sorted(judge.judgments.values_list("repeat", flat=True)) == [1, 1, 2, 2]
    assert "Is it grammatical?" not in judge.prompt
    texts = [call["messages"][1]["content"] for call in allowed.asked]
    assert texts[:2] == texts[2:]  # every question once before any is asked again
    more = asked(
        campaign, allowed, part=QuestionsPart(criteria=("correctness",), repeats=2, first=3)
    )
    assert more.answered == 2
    with refused("name_taken"):
        asked(campaign, allowed)  # all criteria are another prompt


def test_small_costs_add_up(campaign, allowed):
    prices = asking.Prices(Decimal("0.00001"), Decimal(0), Decimal("0.00000003"))
    done = asked(campaign, allowed, prices=prices)  # a thousand tokens cost .00000001
    assert (done.answered, done.stopped) == (3, "the budget is spent")
    assert LLMJudge.objects.get().cost == Decimal("0.00000003")


def test_a_key_is_not_carried_to_where_an_address_leads(campaign, allowed):
    other = Server()
    allowed.redirect = other.address
    done = asked(campaign, allowed, most=1, key="secret-key")
    other.close()
    assert "refuses (HTTP 307)" in done.stopped
    assert other.asked == []
