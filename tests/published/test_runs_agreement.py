"""Published coefficients of agreement come out of a whole run: imported as a study, read from the
database, kept."""

import numpy as np
import published_data as data
import pytest

from analysis.runs.actions import runs
from judging.jobs.actions import jobs
from judging.protocols import documents
from judging.protocols.actions import protocols
from tests.analysis.studies import campaign_of

pytestmark = pytest.mark.django_db
PROTOCOL = """
key: scale
version: "1"
title: Two scales
summary: Two criteria for published examples.
citation: none
task: source
annotators: 4
estimated_seconds: 60
stages:
  - {key: all, title: Judge, shows: [passage]}
criteria:
  - {key: clarity, name: Clarity, prompt: "Is it clear?", definition: Clearness., level: ordinal, best: highest,
     stage: all, points: [TO_FIVE]}
  - {key: fluency, name: Fluency, prompt: "Is it fluent?", definition: Flow., level: ordinal, best: highest,
     stage: all, points: [TO_TEN]}
aggregate: {kind: mean}
guideline: Read the question first.
"""


def points(most: int) -> str:
    return ", ".join(f'{{value: {value}, label: "point {value}"}}' for value in range(1, most + 1))


@pytest.fixture(scope="module")
def found(lasting: None) -> dict[tuple[str, str, str], float]:
    """Import two tables of units by raters as judgments of one system's questions on two criteria
    and return what a run finds."""
    tables = {"clarity": data.GWET_RAW4, "fluency": data.SHROUT_FLEISS}
    raters = range(4)
    lines = [
        ",".join(
            ["source_id", "system", "question", *(f"{k}@J{i}" for k in tables for i in raters)]
        )
    ]
    for unit in range(max(map(len, tables.values()))):
        values = [
            ratings[unit][i] if unit < len(ratings) else np.nan
            for ratings in tables.values()
            for i in raters
        ]
        cells = ("" if np.isnan(value) else str(int(value)) for value in values)
        lines.append(",".join([str(unit), "A", f"What is {unit}?", *cells]))
    protocol = PROTOCOL.replace("TO_FIVE", points(5)).replace("TO_TEN", points(10))
    campaign = campaign_of(
        "\n".join(lines).encode(),
        protocol=protocols.install(document=documents.parse(protocol, "scale.yaml")),
    )
    run = runs.start_run(
        campaign=campaign,
        by=campaign.created_by,
        seed=1,
        parameters={"resamples": 100, "metrics": []},
    )
    job = jobs.claim_job(job_id=run.job_id)
    jobs.finish_job(job=job, result=runs.execute_run(run=run, work=jobs.Work(job, worker="test")))
    return {
        (row["criterion"], row["coefficient"], row["level"]): row["value"]
        for row in dict(runs.StoredTables(run))["agreement"]
    }


def test_gwets_four_raters(found):
    """Krippendorff 2011, example C, for alpha; irrCAC's cac.raw4raters, the same counts, for the
    others."""
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
    assert {key: found["clarity", *key] for key in published} == pytest.approx(published, abs=5e-6)


def test_shrout_and_fleiss_1979(found):
    """Six targets and four judges, table 4."""
    published = {"1,1": 0.17, "2,1": 0.29, "3,1": 0.71, "1,k": 0.44, "2,k": 0.62, "3,k": 0.91}
    icc = {form: found["fluency", f"icc_{form}", "interval"] for form in published}
    assert {form: round(value, 2) for form, value in icc.items()} == published
