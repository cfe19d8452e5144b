"""The demo: what it makes, that it makes it once, and the command as a stranger runs it."""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.test import override_settings

from config.data_folder import ROOT
from config.demo import logins, study
from config.management.commands.demo import greeting
from config.processes import free_port
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment
from judging.datasets.models.dataset import Dataset
from judging.datasets.models.score import Score
from judging.protocols.actions import protocols
from judging.work.models.judgment import Judgment

NOW = datetime(2026, 5, 4, tzinfo=UTC)


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def first_made(lasting, home) -> study.DemoStudy:
    """Return the study that the first start makes."""
    with override_settings(HOME=home):
        protocols.install_shipped()
        return ensured(logins.ensure_logins())


@pytest.fixture
def people(first_made, home, settings, db):
    """Return the logins as a later start finds them."""
    settings.HOME = home
    return logins.ensure_logins()


@pytest.fixture
def made(people) -> study.DemoStudy:
    """Return the study as a later start finds it."""
    return ensured(people)


def ensured(people) -> study.DemoStudy:
    researcher, annotator = people
    return study.ensure_demo_study(researcher=researcher.user, annotator=annotator.user, now=NOW)


def test_demo_has_a_dataset_with_everything_of_the_file(made):
    dataset = Dataset.objects.counted().get()
    assert (dataset.source_count, dataset.system_count, dataset.question_count) == (
        22,
        4,
        88,
    )
    assert dataset.quarantine_count == 0
    assert Counter(Score.objects.values_list("metric__name", flat=True)) == {
        "token_f1": 88,
        "passage_overlap": 88,
    }


def test_demo_has_an_open_campaign_with_a_place_for_the_annotator_and_a_link_for_anybody(
    made, people
):
    assert made.to_rate.state == Campaign.State.OPEN
    assert Assignment.objects.open().filter(round__campaign=made.to_rate).count() == 22 * 3
    assert made.to_rate.enrollments.get().user == people[1].user
    assert made.invitation.places == 100


def test_demo_has_a_closed_campaign_that_says_it_is_simulated(made):
    judged = Campaign.objects.get(pk=made.judged.pk)
    assert (judged.state, judged.origin) == (Campaign.State.CLOSED, Campaign.Origin.SIMULATED)
    assert "SIMULATED" in judged.title
    assert Judgment.objects.filter(assignment__round__campaign=judged).count() == 88 * 3 * 3
    assert not Enrollment.objects.filter(campaign=judged, user__is_active=True).exists()


def test_demo_is_made_once(first_made, made):
    assert first_made == made
    assert (Dataset.objects.count(), Campaign.objects.count()) == (1, 2)


def test_links_that_are_printed_open(made, people, client):
    researcher, annotator = people
    said = greeting("http://testserver", researcher, annotator, made)
    login, join, report = (
        re.findall(rf"http://testserver(/\S*{word}\S*)", said)[0]
        for word in ("login", "join", "report")
    )

    assert client.get(login).status_code == 200
    assert client.get(join).status_code == 200
    client.force_login(annotator.user)
    assert study.TO_RATE in client.get("/", follow=True).content.decode()
    assert client.get(report).status_code == 404
    client.force_login(researcher.user)
    assert study.SIMULATED in client.get("/", follow=True).content.decode()
    assert client.get(report, follow=True).status_code == 200


def run_demo(home: str) -> str:
    kept = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    command = [sys.executable, "manage.py", "demo", "--exit", "--port", str(free_port(18300))]
    environment = {**kept, "QUAESTOR_HOME": home, "QUAESTOR_WEB_PROCESSES": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=180
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long
@pytest.mark.jobs
def test_demo_writes_its_report_and_says_the_same_at_the_next_start():
    with tempfile.TemporaryDirectory(prefix="quaestor-") as home:
        Path(home).chmod(0o755)
        first = run_demo(home)
        report = json.loads((Path(home) / "demo-report" / "report.json").read_text())
        methods = (Path(home) / "demo-report" / "methods.txt").read_text()
        second = run_demo(home)

    passwords = re.findall(r"user (\w+), password (\S+)", first)
    assert [name for name, _ in passwords] == ["researcher", "annotator"]
    assert re.findall(r"user (\w+), password (\S+)", second) == passwords
    assert re.findall(r"http\S+(/join/\S+)", second) == re.findall(r"http\S+(/join/\S+)", first)
    assert f"files in {home}/demo-report" in first
    assert report["tables"]["about"][0]["origin"] == "simulated"
    assert re.search("from input with SHA-256 [0-9a-f]{64}", methods)
    assert report["tables"]["about"][0]["judgments"] == 88 * 3 * 3
