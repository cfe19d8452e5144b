"""The pages of metrics, columns side by side, matched questions and tuned weights: nothing for axe,
none too wide."""

from typing import Any

import pytest
from django.urls import reverse

from analysis.scoring.actions import matching, scores, scoring_jobs, tuning
from analysis.scoring.actions.scores import CORE, ChosenMetric
from judging.datasets.models.dataset import Reference
from judging.jobs.actions import jobs
from quaestor_metrics._contract import RAW
from tests.analysis.scoring.actions.test_tuning import ASKED, tunable
from tests.flows import test_accessibility as looks
from tests.flows.sessions import enter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
still = looks.still


def finished(job: Any, doing: Any) -> None:
    claimed = jobs.claim_job(job_id=job.pk)
    jobs.finish_job(job=claimed, result=doing(jobs.Work(claimed, worker="test")))


@pytest.mark.long
def test_metrics_columns_and_weights(still: Any) -> None:
    campaign = tunable()
    dataset, by = campaign.dataset, campaign.created_by
    Reference.objects.create(
        source=dataset.sources.first(), position=2, text="What is the old lock made of ?"
    )
    chosen = [
        *map(ChosenMetric, CORE),
        ChosenMetric("q_bleu_1"),
        ChosenMetric("multi_bleu_1"),
        ChosenMetric("corpus_bleu_4"),
    ]
    scores.compute_scores(dataset, chosen=chosen, preparation=RAW, step=lambda *_: None)
    asked = {
        "metrics": [{"id": "bleu_1", "params": {}}],
        "prepare_hypothesis": "raw",
        "prepare_reference": "raw",
    }
    estimate = scoring_jobs.start_scoring(
        dataset=dataset, by=by, kind=scoring_jobs.ESTIMATE, parameters=asked
    )
    finished(estimate, scoring_jobs.estimate_scoring)
    tuned = tuning.start_tuning(campaign=campaign, by=by, settings=tuning.TuningSettings(**ASKED))
    finished(tuned, tuning.execute_tuning)
    asked = {
        "metric": matching.multi_metrics(dataset).get().pk,
        "source": dataset.sources.first().key,
    }
    finished(
        scoring_jobs.start_scoring(dataset=dataset, by=by, kind=matching.KIND, parameters=asked),
        matching.execute_matching,
    )
    first, second = dataset.metrics.values_list("pk", flat=True)[:2]
    looks.done(campaign)
    enter(still, by)
    metrics, compare = (
        reverse(f"analysis:{name}", args=[dataset.pk]) for name in ("metrics", "metrics_compare")
    )
    pages = [
        metrics,
        f"{metrics}?tuning={tuned.pk}",
        compare,
        f"{compare}?first={first}&second={second}",
    ]
    pages.append(reverse("analysis:matching", args=[dataset.pk]))
    pages += [reverse(f"analysis:{name}", args=[campaign.uuid]) for name in ("tuning", "report")]
    assert looks.problems_of(still, pages) == []
