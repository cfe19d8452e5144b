"""The reference of the REST API: its pages name every operation, and their examples run."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.utils import timezone

from config.data_folder import ROOT
from judging.campaigns.actions import campaigns
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.people.actions import tokens
from judging.people.models.user import User
from judging.work.models.assignment import SpanMark
from judging.work.models.judgment import Judgment
from tests import factories, openapi
from tests.analysis import studies
from tests.annotation import studies as annotated
from tests.client.clients import client_of
from tests.client.conftest import in_process  # noqa: F401

DOCS = ROOT / "docs" / "api"
CLIENT = ROOT / "packages" / "quaestor-client" / "src"
PAGES = sorted(page.stem for page in DOCS.glob("*.md") if page.stem not in ("README", "errors"))
OPERATION = re.compile(r"^\| `([A-Z]+) (\S+)` \|", re.M)
METHODS = ("get", "post", "put", "patch", "delete")
FIRST_READ = {"annotators", "datasets"}
JUDGED_NOW = {"annotators", "people"}
SECONDS = 300
SHIPPED = sorted(file.stem for file in (ROOT / "judging/protocols/shipped").glob("*.yaml"))


def block(page: str, language: str) -> str:
    [found] = re.findall(rf"```{language}\n(.*?)```", (DOCS / f"{page}.md").read_text(), re.S)
    return found


def test_pages_name_every_operation_of_the_schema_once() -> None:
    paths = yaml.safe_load((ROOT / "docs" / "openapi.yaml").read_text())["paths"]
    wanted = [
        (method.upper(), path.removeprefix("/api/v1/"))
        for path, item in paths.items()
        for method in METHODS
        if method in item
    ]
    named = [
        (method, path.removeprefix("/api/v1/"))
        for page in [*PAGES, "README"]
        for method, path in OPERATION.findall((DOCS / f"{page}.md").read_text())
    ]
    assert sorted(named) == sorted(wanted)
    assert [page for page in PAGES if f"]({page}.md)" not in (DOCS / "README.md").read_text()] == []


def world_of(page: str, owner: User) -> Campaign:
    """Return an open campaign for pages about annotators, and one with judgments for the others."""
    if page not in JUDGED_NOW:
        return studies.imported(by=owner, sources=3)
    is_staged = page == "annotators"
    made = annotated.opened("qgbench-staged" if is_staged else None, systems=("Alba",), sources=2)
    campaigns.add_member(campaign=made, user=owner, role="manager", by=made.created_by)
    return made


@pytest.mark.jobs
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "page",
    [page if page in FIRST_READ else pytest.param(page, marks=pytest.mark.long) for page in PAGES],
)
def test_examples_of_a_page_run(live_server: Any, worker: Any, tmp_path: Path, page: str) -> None:
    owner = factories.researcher()
    campaign = world_of(page, owner)
    invitation = (
        campaigns.create_invitation(campaign=campaign, by=owner, places=9).token
        if page in JUDGED_NOW
        else ""
    )
    environment = {
        **os.environ,
        "SITE": live_server.url,
        "TOKEN": tokens.make_token(user=owner, now=timezone.now(), scope="manage"),
        "DATASET": str(campaign.dataset_id),
        "CAMPAIGN": str(campaign.uuid),
        "PROTOCOL": str(campaign.protocol_id),
        "INVITATION": invitation,
        "PYTHONPATH": str(CLIENT),
    }
    shell = "\n".join(["set -eu", block("README", "sh"), block(page, "sh")])
    python = "\n".join([block("README", "python"), block(page, "python")])
    for command in (["bash", "-c", shell], [sys.executable, "-c", python]):
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=SECONDS
        )
        assert done.returncode == 0, done.stderr


@pytest.mark.django_db
@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("key", SHIPPED)
def test_program_of_the_annotators_page_judges_under_every_protocol(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = annotated.opened(key, sources=1, expected=2)
    owner = campaign.created_by
    invitation = campaigns.create_invitation(campaign=campaign, by=owner, places=1)
    monkeypatch.setenv("INVITATION", invitation.token)
    names: dict[str, Any] = {"client": client_of(owner), "os": os}
    exec(block("annotators", "python"), names)  # the docs are ours
    assert names["annotator"].outcome == "finished"
    tasks = Assignment.objects.filter(enrollment__label=names["annotator"].label)
    assert {task.state for task in tasks} == {"submitted"}
    criteria = Judgment.objects.filter(assignment__in=tasks).values("criterion").distinct()
    assert criteria.count() == campaign.protocol.criteria.count()
    is_marked = bool(campaign.protocol.document.get("span_mark"))
    assert SpanMark.objects.filter(assignment__in=tasks).exists() == is_marked


def test_marks_of_the_annotators_page_are_valid_content_of_a_draft() -> None:
    schema = openapi.document()["components"]["schemas"]["DraftRequest"]
    openapi.validator(schema).validate(json.loads(block("annotators", "json")))
