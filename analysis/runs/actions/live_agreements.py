"""The agreement of a campaign's annotators so far, computed in the background for its overview."""

from collections.abc import Mapping, Sequence
from itertools import chain
from math import isfinite
from typing import Any

from django.utils import timezone

from analysis import frames
from analysis.evidence import listing
from analysis.sections.agreement.agreement import level_of
from judging.base.models.statements import query_rows
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.live_agreement import LiveAgreement
from judging.datasets.models.dataset import Source
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from quaestor_stats._alpha import krippendorff_alpha
from quaestor_stats._resampling import Jackknife

KIND = jobs.LIVE_AGREEMENT
MAX_MOMENTS = 60  # of the line over time; beyond it every second one is deleted
MAX_ANNOTATORS = 12  # of the matrix
MAX_ITEMS = 30  # of the strip
# ratings of the main round that count, as in the list of questions (analysis.evidence.listing)
PAIRS = """
WITH said AS MATERIALIZED (
    SELECT own.enrollment_id AS who, j.unit_id, j.criterion_id, j.value
    FROM judging_judgment j
    JOIN judging_assignment own ON own.id = j.assignment_id
    JOIN judging_round round ON round.id = own.round_id
    JOIN judging_scalepoint point
        ON point.criterion_id = j.criterion_id AND point.value = j.value AND NOT point.missing
    WHERE round.campaign_id = %(campaign)s AND round.kind = 'main' AND own.state = 'submitted'
        AND j.superseded_at IS NULL AND NOT EXISTS (SELECT FROM judging_exclusion x
            WHERE x.enrollment_id = own.enrollment_id AND x.lifted_at IS NULL))
SELECT one.who, other.who, count(*) FILTER (WHERE one.value = other.value), count(*)
FROM said one JOIN said other USING (unit_id, criterion_id)
WHERE one.who < other.who GROUP BY 1, 2 ORDER BY 1, 2
"""


def execute_agreement(work: jobs.Work) -> Mapping[str, Any]:
    """Compute and store a campaign's agreement; keep few earlier moments, without their details."""
    campaign = Campaign.objects.select_related("dataset", "protocol").get(jobs=work.job.pk)
    earlier = campaign.live_agreements
    computed = LiveAgreement(
        campaign=campaign,
        computed_at=timezone.now(),
        criteria=alphas(campaign),
        pairs=_pairs(campaign),
        items=_items(campaign),
    )
    earlier.update(pairs=[], items=[])
    computed.save()
    moments = list(earlier.values_list("pk", flat=True))
    if len(moments) > MAX_MOMENTS:
        earlier.filter(pk__in=moments[1:-1:2]).delete()
    campaign.jobs.filter(kind=KIND, state=Job.State.DONE).delete()
    return {}


def alphas(campaign: Campaign) -> dict[str, dict[str, Any]]:
    """Return each criterion's alpha as the report has it, from counts made in the database."""
    patterns = frames.count_values(campaign, by_source=True)
    interval = Jackknife(unit=frames.clusters_of_passages(campaign).unit)
    found: dict[str, dict[str, Any]] = {}
    for criterion in frames.protocol_of(campaign).criteria:
        alpha = krippendorff_alpha(
            patterns[criterion.key],
            level=level_of(criterion),
            scale=criterion.values(),
            interval=interval,
        )
        named = {"value": alpha.value, "low": alpha.ci.low, "high": alpha.ci.high}
        known = {key: number for key, number in named.items() if isfinite(number)}
        found[criterion.key] = known | {"n": alpha.n, "reason": alpha.reason}
    return found


def _pairs(campaign: Campaign) -> list[dict[str, int]]:
    """Return the pairs of annotators who rated the same items; of many annotators, those who agree
    least with the others."""
    names = ("first", "second", "equal", "n")
    pairs = [
        dict(zip(names, row, strict=True)) for row in query_rows(PAIRS, {"campaign": campaign.pk})
    ]
    shown = _who_agree_least(pairs)
    return [pair for pair in pairs if pair["first"] in shown and pair["second"] in shown]


def _who_agree_least(pairs: Sequence[Mapping[str, int]]) -> list[int]:
    annotators = set(chain.from_iterable((pair["first"], pair["second"]) for pair in pairs))
    equal, shared = dict.fromkeys(annotators, 0), dict.fromkeys(annotators, 0)
    for pair in pairs:
        for annotator in (pair["first"], pair["second"]):
            equal[annotator] += pair["equal"]
            shared[annotator] += pair["n"]
    by_agreement = sorted(annotators, key=lambda one: (equal[one] / shared[one], one))
    return by_agreement[:MAX_ANNOTATORS]


def _items(campaign: Campaign) -> list[dict[str, Any]]:
    """Return the most disputed units, in the order of the list of questions."""
    chosen = listing.Chosen(dataset=campaign.dataset, campaign=campaign, sort="disagreement")
    disputed = [row for row in listing.read_page(chosen, size=MAX_ITEMS).rows if row.key]
    key_of = dict(
        Source.objects.filter(pk__in=[row.source for row in disputed]).values_list("pk", "key")
    )
    return [
        {
            "unit": row.unit,
            "source": row.source,
            "source_key": key_of[row.source],
            "disagreement": row.key,
        }
        for row in disputed
    ]
