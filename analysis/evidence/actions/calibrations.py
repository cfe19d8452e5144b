"""Rounds side by side: alpha of each criterion, how many differences there were, and whether
another is needed.

A job computes the alphas, because no page may load the numeric libraries.
"""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, QuerySet

from analysis import frames
from analysis.evidence.rounds import Compared, compare_ratings
from analysis.reports.rows import decode_result, encode_result
from analysis.sections.agreement.agreement import level_of
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.members import Exclusion
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.work.models.judgment import Judgment
from quaestor_stats._alpha import krippendorff_alpha
from quaestor_stats._resampling import Jackknife
from quaestor_stats._result import Result

KIND = "analysis.calibration"
# Share of questions and criteria that must lie within one rank for calibration to end. QG-STEC+
# went on after a round with 17 differences among some 200 ratings of questions (92% within) and
# stopped after one with 3 (98%).
ENOUGH = 0.95


@dataclass(frozen=True)
class RoundMeasures:
    """Results of one round; alphas by the keys of criteria, empty until they are computed."""

    round: Round
    alphas: dict[str, Result]
    compared: Compared
    places: int
    filled: int

    @property
    def is_complete(self) -> bool:
        return self.filled == self.places

    @property
    def is_enough(self) -> bool:
        """Return whether a round is complete and within one rank as often as `ENOUGH` requires."""
        within = self.compared.within
        return self.is_complete and within is not None and within >= ENOUGH


def measured(campaign: Campaign, shown: int | None = None, page: int = 1) -> list[RoundMeasures]:
    """Return every closed pilot and calibration round of a campaign in the order of their opening.
    `shown`: the round of which a page shows the differences, and which of them."""
    job = current_job(campaign)
    alphas = job.result["alphas"] if job else {}
    return [
        _measure(each, alphas.get(str(each.pk), {}), page if each.pk == shown else None)
        for each in _closed(campaign)
    ]


def _closed(campaign: Campaign) -> QuerySet[Round]:
    closed = campaign.rounds.trials().filter(closed_at__isnull=False).order_by("opened_at", "pk")
    return closed.select_related("campaign")


def calibration_state(campaign: Campaign) -> dict[str, Any]:
    """Return counts and last ids that show whether what the alphas rest on has changed."""
    rounds = list(_closed(campaign).values_list("pk", flat=True))
    judgments = Judgment.objects.filter(assignment__round__in=rounds)
    excluded = Exclusion.objects.standing().filter(enrollment__campaign=campaign).order_by("pk")
    sources = campaign.dataset.sources
    return {
        "rounds": rounds,
        "protocol": campaign.protocol_id,
        "judgments": judgments.aggregate(count=Count("pk"), last=Max("pk")),
        "exclusions": list(excluded.values_list("pk", flat=True)),
        "sources": sources.aggregate(count=Count("pk"), last=Max("pk"), texts=Count("passage")),
    }


def current_job(campaign: Campaign) -> Job | None:
    """Return the finished job whose alphas are those of the present judgments."""
    return campaign.jobs.done(KIND).filter(result__state=calibration_state(campaign)).first()


def execute_calibration(work: jobs.Work) -> dict[str, Any]:
    """Compute the alphas of all closed rounds of a campaign, by the ids of rounds.

    The judgments may have changed since the job was asked for, so it tells which it read.
    """
    campaign = work.job.campaign
    if campaign is None:
        raise jobs.CannotDo("The agreement of rounds belongs to a campaign.")
    return {
        "state": calibration_state(campaign),
        "alphas": {
            str(round.pk): {
                key: encode_result(alpha) for key, alpha in _alphas(round, campaign).items()
            }
            for round in _closed(campaign)
        },
    }


def _alphas(round: Round, campaign: Campaign) -> dict[str, Result]:
    patterns = frames.count_values(
        campaign, round=round.kind, number=round.number, extras=True, by_source=True
    )
    interval = Jackknife(unit=frames.clusters_of_passages(campaign).unit)
    return {
        criterion.key: krippendorff_alpha(
            patterns[criterion.key],
            level=level_of(criterion),
            scale=criterion.values(),
            interval=interval,
        )
        for criterion in frames.protocol_of(campaign).criteria
    }


def _measure(round: Round, alphas: dict[str, Any], page: int | None) -> RoundMeasures:
    read = {key: decode_result(record) for key, record in alphas.items()}
    places = Assignment.objects.filter(
        round=round, state__in=["open", "held", "submitted", "extra"]
    )
    # an assignment submitted after the round closed is open again, and filled by the "extra" one
    extras = places.filter(state="extra").count()
    filled = places.filter(state="submitted").count() + extras
    return RoundMeasures(round, read, compare_ratings(round, page), places.count() - extras, filled)


def unfinished(round: Round) -> list[tuple[str, int, int]]:
    """Return annotators with unfinished tasks of a round: label, tasks submitted, tasks in all."""
    tasks = round.tasks.count()
    done: dict[str, int] = dict.fromkeys(
        round.campaign.enrollments.order_by("label").values_list("label", flat=True), 0
    )
    submitted = Assignment.objects.filter(round=round, submitted_at__isnull=False)
    for label in submitted.values_list("enrollment__label", flat=True):
        if label is not None:
            done[label] = done.get(label, 0) + 1
    return [(label, count, tasks) for label, count in done.items() if count < tasks]
