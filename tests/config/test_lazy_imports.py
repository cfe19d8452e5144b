"""What a web process and a worker do not import before somebody needs it."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from celery import current_app
from django.db import connection

import analysis.tasks  # noqa: F401  # registers the jobs
from analysis.evidence.actions import calibrations
from analysis.planning.actions import dry_runs, ended_uses, planning
from analysis.published.actions import repeatability, reproductions
from analysis.runs.actions import live_agreements, runs
from analysis.scoring.actions import degradations, matching, scoring_jobs, scoring_parts, tuning
from config.data_folder import ROOT
from config.postgres import Cluster
from judging.jobs.actions import jobs
from tests import factories
from tests.config import populated

HEAVY = "numpy scipy pandas statsmodels matplotlib krippendorff"
WEB = (
    "import config.wsgi; from django.urls import reverse; reverse('analysis:reproduce'); "
    "import annotation.views.tasks, analysis.evidence.views.items"
)
WORKER = (
    "import django; from config.celery import app, load_tasks; django.setup(); load_tasks(); "
    "assert 'analysis.run' in app.tasks"
)
STATISTICS = "scipy pandas statsmodels krippendorff sklearn matplotlib"
# Addresses of analyses that take only POST, and whose parts nothing of the site fills
ONLY_POST = {"api:published-study-reproduce"}
# Reads sessions and addresses; writes the status of each, and which address first loaded a module
READS_PAGES = """
import json, sys
from django.conf import settings

settings.ALLOWED_HOSTS = ["testserver"]
plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
settings.STORAGES["staticfiles"]["BACKEND"] = plain
import django

django.setup()
from django.test import Client

asked, statuses, loaded = json.load(sys.stdin), [], {}
client = Client(raise_request_exception=False)
for session, address in asked["pages"]:
    client.cookies[settings.SESSION_COOKIE_NAME] = session
    response = client.get(address)
    b"".join(response) if response.streaming else response.content
    statuses.append(response.status_code)
    for name in asked["modules"]:
        if name in sys.modules:
            loaded.setdefault(name, address)
json.dump({"statuses": statuses, "loaded": loaded}, sys.stdout)
"""


@pytest.mark.parametrize("code", [WEB, WORKER])
def test_numerics_are_imported_where_used(code):
    asked = f"{code}; import sys; print(*[name for name in {HEAVY.split()} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", asked],
        cwd=ROOT,
        env=dict(os.environ),
        capture_output=True,
        text=True,
    )

    assert (done.stdout.strip(), done.returncode) == ("", 0), done.stderr


def test_every_kind_of_job_has_its_task():
    modules = (
        calibrations,
        degradations,
        dry_runs,
        ended_uses,
        live_agreements,
        matching,
        planning,
        repeatability,
        reproductions,
        runs,
        scoring_jobs,
        tuning,
    )
    kinds = {module.KIND for module in modules} | {
        scoring_jobs.ESTIMATE,
        scoring_parts.KIND,
        dry_runs.REMOVE,
        jobs.FORGET_ANNOTATORS,
    }

    assert {name for name in current_app.tasks if name.startswith("analysis.")} == kinds


def read_in_a_new_process(pages: list[list[str]], database: str) -> dict[str, Any]:
    """Read pages, each by a session, one after the other; return their statuses, and the first page
    that loaded each module of statistics."""
    asked = {"pages": pages, "modules": STATISTICS.split()}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", READS_PAGES],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": database},
        input=json.dumps(asked),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_pages_of_every_kind_of_result_are_read_without_statistics(cluster: Cluster) -> None:
    pages, sessions = list(populated.pages()), {}
    for page in pages:
        if page.user.pk not in sessions:
            sessions[page.user.pk] = str(factories.logged_in(page.user).session.session_key)
    read = read_in_a_new_process(
        [[sessions[page.user.pk], page.address] for page in pages],
        cluster.url(str(connection.settings_dict["NAME"])),
    )

    answered: dict[str, set[int]] = {}
    for page, status in zip(pages, read["statuses"], strict=True):
        answered.setdefault(page.name, set()).add(status)
    assert [name for name, statuses in answered.items() if max(statuses) >= 500] == []
    assert read["loaded"] == {}
    named = {route.name for route in populated.routes() if route.app == "analysis"}
    unread = {name for name in named if not answered.get(name, set()) & {200, 405}}
    assert unread == ONLY_POST
