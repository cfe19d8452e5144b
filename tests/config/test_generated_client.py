"""The API's document in the hands of other tools: a validator, and a generator of clients."""

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.utils import timezone

from judging.people.actions import tokens
from tests import factories
from tests.analysis import studies
from tests.openapi import COMMITTED
from tests.test_installing import call, folder, uv  # noqa: F401

pytestmark = pytest.mark.long
TOOLS = ("openapi-spec-validator", "openapi-python-client")
OFFLINE = "error sending request"
BYTES = (  # media types whose content the generator would take for no bytes
    *("application/jsonl", "application/pdf", "application/yaml", "application/zip"),
    "image/svg+xml",
)
GENERATOR = {
    "project_name_override": "generated",
    "package_name_override": "generated",
    "post_hooks": [],
    "content_type_overrides": dict.fromkeys(BYTES, "application/octet-stream"),
}
PROGRAM = """
import os, time

from generated import AuthenticatedClient
from generated.api.campaigns import campaigns_create, campaigns_list
from generated.api.jobs import jobs_retrieve
from generated.api.runs import campaigns_runs_create, campaigns_runs_report, campaigns_runs_table
from generated.models import NewCampaignRequest, NewRunRequest

client = AuthenticatedClient(
    base_url=os.environ["SITE"], token=os.environ["TOKEN"], prefix="Token"
)
[campaign] = campaigns_list.sync(client=client).results
plan = NewCampaignRequest(title="Gates", dataset=campaign.dataset, protocol=campaign.protocol)
draft = campaigns_create.sync(client=client, body=plan)
assert (draft.title, draft.state, draft.fixed_view) == ("Gates", "draft", ""), draft
settings = NewRunRequest(resamples=100)
started = campaigns_runs_create.sync(campaign.uuid, client=client, body=settings)
while (job := jobs_retrieve.sync(started.id, client=client)).state in ("queued", "running"):
    time.sleep(0.2)
assert job.state == "done", job.error
rows = campaigns_runs_table.sync(campaign.uuid, started.run, "systems", client=client)
assert {row["system"] for row in rows} == {"Alba", "Brisa", "Corvo"}, rows
report = campaigns_runs_report.sync(campaign.uuid, started.run, "pdf", client=client)
assert report.payload.read(4) == b"%PDF"
"""


@pytest.mark.jobs
@pytest.mark.django_db(transaction=True)
def test_document_is_valid_and_a_client_generated_from_it_works(
    live_server: Any,
    worker: Any,
    uv: list[str],  # noqa: F811
    folder: Path,  # noqa: F811
) -> None:
    programs = folder / "tools" / "bin"
    call(*uv, "venv", "--python", sys.executable, folder / "tools", folder=folder)
    install(uv, programs, *TOOLS, folder=folder)
    call(programs / "openapi-spec-validator", COMMITTED, folder=folder)
    settings = folder / "generator.yaml"
    settings.write_text(yaml.safe_dump(GENERATOR))
    client = folder / "generated"
    options = ("--meta", "setup", "--config", settings, "--output-path", client)
    generate = programs / "openapi-python-client"
    printed = call(generate, "generate", "--path", COMMITTED, *options, folder=folder)
    assert "WARNING" not in printed and "Unable" not in printed
    install(uv, programs, client, folder=folder)
    owner = factories.researcher()
    studies.imported(by=owner, sources=3)
    token = tokens.make_token(user=owner, now=timezone.now(), scope="manage")
    python = programs / "python"
    call(python, "-c", PROGRAM, folder=folder, SITE=live_server.url, TOKEN=token)


def install(uv: list[str], programs: Path, *packages: str | Path, folder: Path) -> None:  # noqa: F811
    """Install packages into an environment; skip the test if PyPI cannot be reached."""
    try:
        call(*uv, "pip", "install", "--python", programs / "python", *packages, folder=folder)
    except AssertionError as failed:
        if OFFLINE in str(failed):
            pytest.skip("PyPI cannot be reached")
        raise
