"""Published coefficients of agreement come out of a whole run: imported as a study, read from the
database, kept."""

import numpy as np
import pytest
from django.utils import timezone

from analysis.actions import runs
from judging.actions import jobs, rubrics
from judging.imports.actions import new_collections
from judging.imports.readers.guessing import guess
from judging.imports.readers.mapping import to_study
from judging.imports.readers.tables import read_delimited
from judging.protocols import documents
from tests import factories
from tests.published import stats_data as data

pytestmark = pytest.mark.django_db
RUBRIC = """
key: scale
version: "1"
title: One scale
summary: One criterion for published examples.
citation: none
task: source
annotators: 4
estimated_seconds: 60
stages:
  - {key: all, title: Judge, shows: [passage]}
criteria:
  - {key: clarity, name: Clarity, prompt: "Is it clear?", definition: Clearness., level: ordinal, best: highest,
     stage: all, points: [POINTS]}
aggregate: {kind: mean}
guideline: Read the question first.
"""


def agreement(ratings: np.ndarray, *, points: int) -> dict[tuple[str, str], float]:
    """Import a table of units by raters as judgments of one system's questions and return what a
    run finds."""
    lines = [
        ",".join(
            ["source_id", "system", "question", *(f"clarity@J{i}" for i in range(ratings.shape[1]))]
        )
    ]
    for unit, values in enumerate(ratings):
        cells = ("" if np.isnan(value) else str(int(value)) for value in values)
        lines.append(",".join([str(unit), "A", f"What is {unit}?", *cells]))
    table = read_delimited("\n".join(lines).encode())
    scale = ", ".join(
        f'{{value: {value}, label: "point {value}"}}' for value in range(1, points + 1)
    )
    campaign = new_collections.import_study(
        study=to_study(table, guess(table.header, [row.cells for row in table.rows])),
        name="Published",
        by=factories.researcher(),
        now=timezone.now(),
        rubric=rubrics.install(
            document=documents.parse(RUBRIC.replace("POINTS", scale), "scale.yaml")
        ),
    ).campaign
    run = runs.start(
        campaign=campaign,
        by=campaign.created_by,
        seed=1,
        parameters={"resamples": 100, "metrics": []},
    )
    job = jobs.claim(job_id=run.job_id)
    jobs.finish(job=job, result=runs.execute(run=run, work=jobs.Work(job, worker="test")))
    return {
        (row["coefficient"], row["level"]): row["value"] for row in runs.tables_of(run)["agreement"]
    }


def test_gwets_four_raters():
    """Krippendorff 2011, example C, for alpha; irrCAC's cac.raw4raters, the same counts, for the
    others."""
    found = agreement(data.GWET_RAW4, points=5)
    published = {
        ("krippendorff_alpha", "nominal"): 0.743421,
        ("krippendorff_alpha", "ordinal"): 0.815388,
        ("krippendorff_alpha", "interval"): 0.849107,
        ("gwet_ac1", "nominal"): 0.77544,
        ("fleiss_kappa", "nominal"): 0.76117,
        ("conger_kappa", "nominal"): 0.76282,
        ("randolph_kappa", "nominal"): 0.77273,
        ("gwet_ac2_quadratic", "ordinal"): 0.91400,
        ("conger_kappa_quadratic", "ordinal"): 0.85771,
    }
    assert {key: found[key] for key in published} == pytest.approx(published, abs=5e-6)


def test_shrout_and_fleiss_1979():
    """Six targets and four judges, table 4."""
    found = agreement(data.SHROUT_FLEISS, points=10)
    published = {"1,1": 0.17, "2,1": 0.29, "3,1": 0.71, "1,k": 0.44, "2,k": 0.62, "3,k": 0.91}
    assert {form: round(found[f"icc_{form}", "interval"], 2) for form in published} == published
