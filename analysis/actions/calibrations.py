"""Rounds side by side: alpha of each criterion, how many differences there were, and whether
another is needed."""

from dataclasses import dataclass

from analysis import frames
from analysis.evidence.rounds import Compared, compared
from analysis.sections.agreement import level_of
from analysis.stats.alpha import krippendorff_alpha
from analysis.stats.estimate import Estimate
from analysis.stats.resampling import Jackknife
from judging.models import Assignment, Campaign, Round

# Share of questions and criteria that must lie within one rank for calibration to end. QG-STEC+
# went on after a round with 17 differences among some 200 ratings of questions (92% within) and
# stopped after one with 3 (98%).
ENOUGH = 0.95


@dataclass(frozen=True)
class RoundMeasures:
    """Results of one round; alphas by the keys of criteria."""

    round: Round
    alphas: dict[str, Estimate]
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
    closed = campaign.rounds.trials().filter(closed_at__isnull=False).order_by("opened_at", "pk")
    return [_measure(each, campaign, page if each.pk == shown else None) for each in closed]


def _measure(round: Round, campaign: Campaign, page: int | None) -> RoundMeasures:
    round.campaign = campaign
    patterns = frames.counted(
        campaign, round=round.kind, number=round.number, extras=True, by_source=True
    )
    interval = Jackknife(unit=frames.clusters_of_passages(campaign).unit)
    alphas = {
        each.key: krippendorff_alpha(
            patterns[each.key], level=level_of(each), scale=each.values(), interval=interval
        )
        for each in frames.rubric_of(campaign).criteria
    }
    places = Assignment.objects.filter(
        round=round, state__in=["open", "held", "submitted", "extra"]
    )
    # an assignment submitted after the round closed is open again, and filled by the "extra" one
    extras = places.filter(state="extra").count()
    filled = places.filter(state="submitted").count() + extras
    return RoundMeasures(round, alphas, compared(round, page), places.count() - extras, filled)


def unfinished(round: Round) -> list[tuple[str, int, int]]:
    """Return annotators with unfinished tasks of a round: label, tasks submitted, tasks in all."""
    tasks = round.tasks.count()
    done: dict[str, int] = dict.fromkeys(
        round.campaign.enrollments.order_by("label").values_list("label", flat=True), 0
    )
    handed_in = Assignment.objects.filter(round=round, submitted_at__isnull=False)
    for label in handed_in.values_list("enrollment__label", flat=True):
        if label is not None:
            done[label] = done.get(label, 0) + 1
    return [(label, count, tasks) for label, count in done.items() if count < tasks]
