"""What watches a site may ask it, and what it writes down about each request."""

import io
import json
import logging

import pytest
from django.test import Client
from django.urls import reverse

from config import logs, requests
from judging import tasks
from judging.jobs.actions import jobs
from tests import factories
from tests.config.test_outages import database_away

TOKEN = {"Authorization": "Bearer let-me-see"}
ELSEWHERE = {"Host": "10.0.0.7"}  # as a probe asks, which a page would refuse


@pytest.fixture
def metrics(settings):
    settings.METRICS_TOKEN = "let-me-see"


@pytest.mark.django_db
def test_a_site_that_can_serve_says_so_and_whether_jobs_are_run(client: Client):
    assert client.get("/health/live/", headers=ELSEWHERE).text == "ok"
    answer = client.get("/health/ready/", headers=ELSEWHERE)
    assert (answer.status_code, answer.json()) == (
        200,
        {
            "database": "ok",
            "jobs": "no worker runs",
            "sweeps": "no beat or no worker of sweeps runs",
        },
    )

    tasks.sweep()
    assert client.get("/health/ready/").json()["jobs"] == "no worker runs"
    jobs.note_worker_alive(worker="worker@here")

    assert set(client.get("/health/ready/").json().values()) == {"ok"}


@pytest.mark.django_db(transaction=True)
def test_without_the_database_a_process_lives_and_is_not_ready(client: Client, metrics):
    with database_away():
        assert client.get("/health/live/").status_code == 200
        assert client.get("/health/ready/").status_code == 503
        assert client.get("/metrics/", headers=TOKEN).status_code == 503
    assert client.get("/health/ready/").status_code == 200


@pytest.mark.django_db
def test_measures_are_those_of_the_database(client: Client, metrics):
    for _ in range(3):
        jobs.enqueue(kind="judging.launch", parameters={}, by=factories.user())
    jobs.claim_job(job_id=jobs.reserve(queue="celery")[1])

    lines = client.get("/metrics/", headers=TOKEN).text.splitlines()

    said = dict(line.split() for line in lines if not line.startswith("#"))
    assert (
        said["quaestor_jobs_waiting"],
        said["quaestor_jobs_running"],
        said["quaestor_worker_up"],
        said["quaestor_sweeps_up"],
    ) == ("2", "1", "0", "0")
    assert float(said["quaestor_jobs_longest_wait_seconds"]) >= 0
    assert len([line for line in lines if line.startswith("# TYPE")]) == len(said) == 9


@pytest.mark.django_db
@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "let-me-see"}]
)
def test_measures_are_for_who_knows_the_token(client: Client, metrics, headers):
    assert client.get("/metrics/", headers=headers).status_code == 404


@pytest.fixture
def said():
    """Return what requests write into the log, as JSON."""
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    handler.setFormatter(logs.Json())
    handler.addFilter(logs.WithoutLinks())
    handler.addFilter(logs.WithRequest())
    level = requests.log.level
    requests.log.addHandler(handler)
    requests.log.setLevel(logging.INFO)
    yield lambda: [json.loads(line) for line in text.getvalue().splitlines()]
    requests.log.removeHandler(handler)
    requests.log.setLevel(level)


@pytest.mark.django_db
def test_each_request_has_a_name_that_answer_and_log_share_and_no_link(client: Client, said):
    answers = [client.get(reverse("login")), client.get("/join/abcdefghijklmnop/")]

    lines = said()
    assert [line["request"] for line in lines] == [answer["X-Request-ID"] for answer in answers]
    assert len({line["request"] for line in lines}) == 2
    assert [(line["method"], line["route"], line["status"]) for line in lines] == [
        ("GET", "login/", 200),
        ("GET", "join/<slug:token>/", answers[1].status_code),
    ]
    assert all(line["milliseconds"] > 0 for line in lines)
    assert "abcdefghijklmnop" not in json.dumps(lines)


def test_a_traceback_stays_in_its_line_and_hides_links():
    try:
        raise ValueError("no such /join/abcdefgh/ link")
    except ValueError as error:
        record = logging.LogRecord(
            "x", logging.ERROR, __file__, 1, "broken", (), (type(error), error, error.__traceback__)
        )

    line = json.loads(logs.Json().format(record))

    assert (
        line["message"],
        "abcdefgh" in line["traceback"],
        "ValueError" in line["traceback"],
    ) == (
        "broken",
        False,
        True,
    )
