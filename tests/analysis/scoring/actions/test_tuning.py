"""Weights tuned on a campaign's judgments: the released SQuAD ratings through the whole road, and
small studies."""

import csv
import io
import random

import pytest

from analysis.scoring.actions import tuning
from judging.datasets.models.dataset import Reference
from judging.jobs.actions import jobs
from tests.analysis.studies import campaign_of, imported
from tests.refusing import refused

pytestmark = pytest.mark.django_db
ASKED = {
    "criterion": "correctness",
    "metric": "bleu_1",
    "formula": "per_class_f",
    "method": "grid",
    "seed": 1,
}


def tunable(sources=60, *, loose=True, per_passage=1):
    """Return a study whose ratings follow the entity, which BLEU-1 hardly sees.

    Unless `loose`, the function words of a question depend on whether the entity is named.
    """
    rng, buffer = random.Random(5), io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(
        [
            "source_id",
            "passage",
            "answer",
            "system",
            "question",
            "reference",
            "grammaticality@A1",
            "correctness@A1",
        ]
    )
    for number in range(sources):
        reference = f"Who built the old lock of Arden{number} near the wide river ?"
        named, wordy = rng.random() < 0.5, rng.random() < 0.5
        asks = rng.choice(("Who", "When", "Why"))
        article = rng.choice(("the", "that")) if loose else "the"
        thing = "old lock" if wordy else "thing"
        question = f"{asks} built {article} {thing} of {f'Arden{number}' if named else 'it'} ?"
        row = (
            number,
            f"Lock {number // per_passage}.",
            "Ada",
            "Alba",
            question,
            reference,
            3,
            3 if named else 1 + (rng.random() < 0.2),
        )
        writer.writerow(row)
    return campaign_of(buffer.getvalue().encode())


def carried_out(campaign, **changes):
    job = tuning.start_tuning(
        campaign=campaign, by=campaign.created_by, settings=tuning.TuningSettings(**ASKED | changes)
    )
    job = jobs.claim_job(job_id=job.pk)
    found = tuning.execute_tuning(jobs.Work(job, worker="test"))
    jobs.finish_job(job=job, result=found)
    return found


@pytest.mark.parametrize("method", ["grid", "exact"])
def test_weights_go_to_what_people_followed_and_help_on_questions_held_out(method):
    found = carried_out(tunable(), method=method)
    weights = {row["part"]: row for row in found["weights"]}
    assert weights["entity"]["mean"] == max(
        row["mean"] for part, row in weights.items() if part != "delta"
    )
    assert weights["entity"]["published"] == 0.41
    assert sum(row["mean"] for part, row in weights.items() if part != "delta") == pytest.approx(1)
    assert (found["n"], found["train"], found["splits"][0]["n"], found["bag"]) == (60, 30, 30, 40)
    assert len(found["splits"]) == 5
    assert found["gain"] > 0.25
    assert found["cased"]
    assert found["collinear"] == []


@pytest.mark.long
def test_classes_that_cannot_be_told_apart_have_weights_by_the_grid():
    found = carried_out(tunable(loose=False), method="grid")
    assert found["gain"] > 0.2
    assert found["collinear"] == ["entity", "function"]


@pytest.mark.parametrize(
    ("study", "asked"),
    [
        pytest.param(lambda: tunable(loose=False), {"method": "exact"}, id="classes alike"),
        pytest.param(lambda: tunable(per_passage=60), {}, id="one passage"),
        pytest.param(imported, {}, id="18 judged questions"),
        pytest.param(tunable, {"criterion": "grammaticality"}, id="judgments alike"),
    ],
)
def test_tuning_on_judgments_that_give_no_weights_is_refused(study, asked):
    with refused("cannot_do"):
        carried_out(study(), **asked)


def test_splits_keep_sources_with_a_shared_passage_together():
    """Eight passages have 7 questions and one has 4, so that the first 30 or more are 35 or 32."""
    found = carried_out(tunable(per_passage=7))
    assert {split["n"] for split in found["splits"]} <= {60 - 35, 60 - 32}


@pytest.mark.long
def test_the_same_seed_gives_the_same_weights_and_another_seed_other_splits():
    campaign = tunable()
    first, again, other = (
        carried_out(campaign),
        carried_out(campaign),
        carried_out(campaign, seed=2),
    )
    assert first == again
    assert first["splits"] != other["splits"]


def test_questions_without_a_reference_are_excluded():
    campaign = tunable()
    Reference.objects.filter(source__position__gt=50).delete()
    assert carried_out(campaign)["n"] == 50


def test_what_waits_is_not_asked_for_twice():
    campaign = imported()
    jobs_made = {
        tuning.start_tuning(
            campaign=campaign, by=campaign.created_by, settings=tuning.TuningSettings(**ASKED)
        ).pk
        for _ in range(2)
    }
    assert len(jobs_made) == 1


def test_only_metrics_that_answerability_mixes_into_are_offered():
    ids = [id for id, _ in tuning.bases()]
    assert {"bleu_1", "rouge_l", "nist"} <= set(ids)
    assert not {"q_bleu_1", "self_bleu_2", "corpus_bleu_4"} & set(ids)
