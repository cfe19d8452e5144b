"""The tutorial of the REST API, and the client in its pages, as programs run them."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from django.utils import timezone

from config.postgres import ROOT
from judging.actions import keys
from judging.models import Campaign, Judgment
from tests import factories

pytestmark = [pytest.mark.jobs, pytest.mark.django_db(transaction=True)]
GUIDE = ROOT / "docs" / "guide" / "api.md"
CODE = re.compile(r"```python\n(.*?)```", re.S)
MAX_LINES = 30


def test_tutorial_goes_from_a_dataframe_to_a_report(live_server, worker, tmp_path: Path) -> None:
    factories.rubric("qgeval")
    owner = factories.researcher()
    token = keys.make(user=owner, now=timezone.now(), scope="manage")
    [code] = CODE.findall(GUIDE.read_text())
    assert len(code.splitlines()) <= MAX_LINES
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={
            **os.environ,
            "QUAESTOR_URL": live_server.url,
            "QUAESTOR_TOKEN": token,
            "PYTHONPATH": str(ROOT / "packages" / "quaestor-client" / "src"),
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert found.returncode == 0, found.stderr
    assert "Alba" in found.stdout
    campaign = Campaign.objects.get(created_by=owner)
    assert campaign.state == "closed"
    assert campaign.enrollments.count() == 3
    assert Judgment.objects.standing().count() == 12 * 7 * 3
    with zipfile.ZipFile(tmp_path / "report.zip") as archive:
        assert {"report.json", "judgments.csv"} <= set(archive.namelist())
        assert archive.testzip() is None
