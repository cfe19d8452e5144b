"""The reference of the REST API: its pages name every operation, and their examples run."""

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
from judging.campaigns.models.campaign import Campaign
from judging.people.actions import tokens
from judging.people.models.user import User
from tests import factories
from tests.analysis import studies
from tests.annotation import studies as annotated

DOCS = ROOT / "docs" / "api"
CLIENT = ROOT / "packages" / "quaestor-client" / "src"
PAGES = sorted(page.stem for page in DOCS.glob("*.md") if page.stem not in ("README", "errors"))
OPERATION = re.compile(r"^\| `([A-Z]+) (\S+)` \|", re.M)
METHODS = ("get", "post", "put", "patch", "delete")
FIRST_READ = {"annotators", "datasets"}
JUDGED_NOW = {"annotators", "people"}
SECONDS = 300


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
        each for page in PAGES for each in OPERATION.findall((DOCS / f"{page}.md").read_text())
    ]
    assert sorted(named) == sorted(wanted)
    assert [page for page in PAGES if f"]({page}.md)" not in (DOCS / "README.md").read_text()] == []


def world_of(page: str, owner: User) -> Campaign:
    """Return an open campaign for pages about annotators, and one with judgments for the others."""
    if page not in JUDGED_NOW:
        return studies.imported(by=owner, sources=3)
    made = annotated.opened(sources=2)
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
