"""What a web process and a worker do not import before somebody needs it."""

import os
import subprocess
import sys

import pytest

from analysis import tasks  # noqa: F401  (registers its jobs)
from config.postgres import ROOT

HEAVY = "numpy scipy pandas statsmodels altair vl_convert krippendorff"
WEB = (
    "import config.wsgi; from django.urls import reverse; reverse('analysis:reproduce'); "
    "import annotation.views.tasks, analysis.views.items"
)
WORKER = "from config.celery import app; app.loader.import_default_modules(); assert 'analysis.run' in app.tasks"


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
