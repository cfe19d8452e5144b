"""Tuning a Q-metric's weights on a campaign's own judgments, and what that gains on questions held
out."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from analysis import frames
from analysis.reports.rows import Record, stable_number
from analysis.scoring.actions.scores import REFUSALS
from analysis.scoring.actions.site_metrics import registry
from analysis.scoring.actions.versions import MAX_SEED, versions
from analysis.sections.metrics.columns import clusters_of
from judging.base.refusals import InvalidInput, check_between
from judging.campaigns.models.campaign import Campaign
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.people.models.user import User
from quaestor_metrics import ScoredQuestion
from quaestor_metrics._answerability import CLASSES, PUBLISHED_WEIGHTS, classes, has_capitals
from quaestor_metrics._progress import on_each_text
from quaestor_metrics._q_metric import PUBLISHED_DELTA
from quaestor_metrics._weight_tuning import (
    TRAIN,
    CannotTune,
    HeldOut,
    JudgedScores,
    Tuned,
    WeightSearch,
    bag_size,
    collinear,
    judged_scores,
    tune_weights,
    validate_weights,
)
from quaestor_stats._inputs import FloatArray, orient_scores

KIND = "analysis.tuning"
SPLITS = 5
REQUIRED_QUESTIONS = 40  # judged questions: half to learn from, half to test on
METHODS = ("grid", "exact")
REMEMBERED = 20_000  # references whose words are: questions of one source share them
FORMULAS = ("per_class_f", "paper", "clipped_f")
PARTS = ("delta", *CLASSES)


def bases() -> list[tuple[str, str]]:
    """Return id and name of every metric that answerability can be mixed into here."""
    return [
        (entry.id, entry.metric.spec.name)
        for entry in registry().list_metrics()
        if entry.usable and entry.metric and "q" in registry().variants(entry.id)
    ]


def criteria(campaign: Campaign) -> list[tuple[str, str]]:
    """Return key and name of every criterion of questions that has a better end."""
    found = frames.protocol_of(campaign).criteria
    return [
        (each.key, each.name) for each in found if each.unit == "question" and each.best != "none"
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class TuningSettings:
    """Settings of a tuning: the criterion, the metric that answerability is mixed into, and the
    search for weights."""

    criterion: str
    metric: str = "bleu_1"
    formula: str = FORMULAS[0]
    method: str = METHODS[0]
    seed: int = 1


def start_tuning(*, campaign: Campaign, by: User, settings: TuningSettings) -> Job:
    """Create a queued job that tunes weights, or return an equal unfinished one. The caller
    notifies workers."""
    _check_settings(campaign, settings)
    parameters = asdict(settings)
    same = campaign.jobs.unfinished().filter(kind=KIND, parameters=parameters)
    return same.first() or jobs.enqueue(kind=KIND, parameters=parameters, by=by, campaign=campaign)


def _check_settings(campaign: Campaign, settings: TuningSettings) -> None:
    """Raise InvalidInput for the first setting that cannot be used."""
    choices = {
        "criterion": [key for key, _name in criteria(campaign)],
        "metric": [key for key, _name in bases()],
        "formula": FORMULAS,
        "method": METHODS,
    }
    for field, known in choices.items():
        if getattr(settings, field) not in known:
            raise InvalidInput(f"The choices are {', '.join(known)}.", field=field)
    check_between(settings.seed, 0, MAX_SEED, field="seed")
    if (settings.formula, settings.method) == ("paper", "exact"):
        raise InvalidInput(
            "The formula of the paper is not linear in its weights: tune it by a grid.",
            field="method",
        )


def latest_tuning(campaign: Campaign) -> Job | None:
    """Return the newest tuning that is done."""
    return campaign.jobs.done(KIND).first()


def tuned_settings(done: Job) -> dict[str, dict[str, Any]]:
    """Return a tuning's weights as settings by metric, as `offers.chosen` reads them."""
    weights = {row["part"]: row["mean"] for row in done.result["weights"]}
    delta = weights.pop("delta")
    return {
        "answerability": {**weights, "formula": done.parameters["formula"]},
        "": {"delta": delta},
    }


def execute_tuning(work: jobs.Work) -> dict[str, Any]:
    """Tune on all judged questions, then on half of them five times over, testing on the rest."""
    asked, campaign = TuningSettings(**work.job.parameters), work.job.campaign
    if campaign is None:
        raise jobs.CannotDo("Weights are tuned on a campaign's judgments.")
    work.progress(0, 3, "Reading judgments")
    questions, gold, clusters = _judged(campaign, asked.criterion)
    if len(gold) < REQUIRED_QUESTIONS:
        raise jobs.CannotDo(
            f"{len(gold)} judged questions have a reference; weights need at least "
            f"{REQUIRED_QUESTIONS} to mean anything."
        )
    try:
        return _tuned(work, questions, gold, clusters, asked)
    except (CannotTune, *REFUSALS) as reason:
        raise jobs.CannotDo(f"Weights could not be tuned: {reason}.") from None


def _judged(
    campaign: Campaign, criterion: str
) -> tuple[list[ScoredQuestion], FloatArray, list[str]]:
    """Return the judged questions that have a reference, their mean judgments sign-aligned so that
    higher is better, and the clusters of their sources."""
    import pandas as pd

    read, given = frames.read_campaign(campaign), frames.human_references(campaign)
    kept = read.questions.dropna(subset=["text"])
    kept = kept[kept["source"].isin(list(given))]
    best = {criterion.key: criterion.best for criterion in read.protocol.criteria}[criterion]
    values = orient_scores(
        frames.align_values(kept["unit"], read.human(criterion)), higher_is_better=best != "lowest"
    )
    has = ~np.isnan(values)
    sources = kept["source"][has].tolist()
    rows = zip(kept["text"][has].tolist(), sources, strict=True)
    questions = [ScoredQuestion(text, given[source]) for text, source in rows]
    return questions, values[has], clusters_of(read, pd.Index(kept["unit"][has])).tolist()


def _tuned(
    work: jobs.Work,
    questions: Sequence[ScoredQuestion],
    gold: FloatArray,
    clusters: Sequence[str],
    asked: TuningSettings,
) -> Record:
    judged = _scored(work, questions, gold, asked)
    train = min(TRAIN, len(gold) // 2)
    how = WeightSearch(asked.formula, asked.method, bag=bag_size(len(gold)))
    work.progress(1, 3, "Tuning on all judged questions")
    whole = tune_weights(judged, how, rng=np.random.default_rng([asked.seed, 0]))
    work.progress(2, 3, "Tuning and testing on halves")
    splits = validate_weights(
        judged,
        replace(how, bag=bag_size(train)),
        rng=np.random.default_rng([asked.seed, 1]),
        train=train,
        splits=SPLITS,
        clusters=clusters,
    )
    texts = (text for one in questions for text in (one.hypothesis, *one.references))
    return {
        "n": len(gold),
        "train": train,
        "bags": whole.bags,
        "bag": how.bag,
        "cased": has_capitals(texts),
        "collinear": collinear(judged.scores, judged.base),
        "weights": _weights(whole),
        **_gains(splits),
        "versions": versions(),
    }


def _scored(
    work: jobs.Work, questions: Sequence[ScoredQuestion], gold: FloatArray, asked: TuningSettings
) -> JudgedScores:
    """Compute the metric and the parts of answerability of each judged question."""
    metric, bags_of = registry().get(asked.metric), lru_cache(maxsize=REMEMBERED)(classes)
    with on_each_text(work.again):
        return judged_scores(questions, gold, metric=metric, formula=asked.formula, bags_of=bags_of)


def _gains(splits: Sequence[HeldOut]) -> Record:
    """Return the correlations of base and tuned metric on the questions held out."""
    base = [split.base for split in splits]
    tuned = [split.tuned_metric for split in splits]
    gain = [after - before for after, before in zip(tuned, base, strict=True)]
    means = {"gain": gain, "base": base, "tuned": tuned}
    return {
        "splits": [
            {
                "split": place,
                "n": one.n,
                "base": stable_number(one.base),
                "tuned": stable_number(one.tuned_metric),
            }
            for place, one in enumerate(splits, 1)
        ],
        **{name: stable_number(float(np.mean(values))) for name, values in means.items()},
    }


def _weights(found: Tuned) -> list[Record]:
    published = (PUBLISHED_DELTA, *PUBLISHED_WEIGHTS)
    means, spreads = (
        (found.weights.delta, *found.weights.words),
        (found.spread.delta, *found.spread.words),
    )
    return [
        {
            "part": part,
            "published": old,
            "mean": stable_number(mean),
            "spread": stable_number(spread),
        }
        for part, old, mean, spread in zip(PARTS, published, means, spreads, strict=True)
    ]
