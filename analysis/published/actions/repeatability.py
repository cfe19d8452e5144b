"""A study beside its reproduction: order of the systems, CV* of their scores, and findings that
hold."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import transaction

from analysis import frames
from analysis.frames import Material, align_values
from analysis.reports.numerals import is_defined
from analysis.reports.rows import Record, stable_number
from analysis.runs.actions import runs
from analysis.sections.metrics.columns import averaged_criteria, clusters_of, criterion_slots
from analysis.sections.section import Inputs
from analysis.sections.systems.system_comparisons import SURE, contrast_reason, differences_of
from analysis.sections.systems.systems import means_of
from judging.base.models.statements import query_rows as select
from judging.base.refusals import Refused
from judging.campaigns.models.campaign import Campaign
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.people.models.user import User
from judging.protocols.protocol_schema import ProtocolCriterion
from quaestor_stats._design import Design
from quaestor_stats._inputs import FloatArray
from quaestor_stats._multiplicity import holm
from quaestor_stats._repeatability import cv_star, order_kept
from quaestor_stats._system_differences import CONTRAST

if TYPE_CHECKING:
    import pandas as pd

KIND = "analysis.repeatability"
ENDED = (Campaign.State.CLOSED, Campaign.State.ARCHIVED)
SEED, RESAMPLES = 1, 1000
COLUMNS = (  # of the table for spreadsheets
    "what", "criterion", "system", "against", "n", "value", "low", "high", "first", "first_p", "second", "second_p",
    "significant", "confirmed", "reason",
)  # fmt: skip

# A hundred systems on fifty criteria are 247,500 pairs with two names each, which the database takes
# apart in less memory than a web process needs to read them.
WITHOUT_PAIRS = "SELECT (result - 'pairs')::text FROM judging_job WHERE id = %(job)s::uuid"
FIRST_PAIRS = """
SELECT pair.told::text FROM judging_job
CROSS JOIN jsonb_array_elements(result -> 'pairs') WITH ORDINALITY AS pair (told, place)
WHERE id = %(job)s::uuid
ORDER BY CASE WHEN NOT %(by_finding)s::bool THEN 0 WHEN (told ->> 'confirmed')::bool THEN 2
    WHEN (told ->> 'significant')::bool THEN 1 ELSE 3 END, place
LIMIT %(most)s::int
"""
SHARES = """
SELECT pair.told ->> 'criterion', count(*), count(*) FILTER (WHERE (told ->> 'significant')::bool),
    count(*) FILTER (WHERE (told ->> 'confirmed')::bool)
FROM judging_job CROSS JOIN jsonb_array_elements(result -> 'pairs') AS pair (told)
WHERE id = %(job)s::uuid GROUP BY 1
"""


class CannotCompare(Refused):
    """The campaign reproduces no study, one of the two is not closed, or the user may not see the
    first; the message says which."""

    code = "cannot_compare"


def reproduced_study(campaign: Campaign, *, by: User) -> Campaign:
    """Return the study that a campaign reproduces; raise where `by` cannot have the two compared."""
    first = campaign.reproduces
    if first is None:
        raise CannotCompare("This campaign reproduces no study.")
    for each in (first, campaign):
        if each.state not in ENDED:
            raise CannotCompare(f"“{each.title}” is not closed yet.", code="campaign_not_closed")
    if not Campaign.objects.visible_to(by).filter(pk=first.pk).exists():
        raise CannotCompare(
            f"You do not see “{first.title}”. A manager or an analyst of both studies can compare them."
        )
    return first


def start_comparison(*, campaign: Campaign, by: User) -> Job:
    """Create a queued job that compares a study with the one it reproduces, or return its
    unfinished one. The caller notifies workers. The user must be allowed to see both."""
    reproduced_study(campaign, by=by)
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        if waiting := campaign.jobs.filter(kind=KIND).unfinished().first():
            return waiting
        return jobs.enqueue(kind=KIND, parameters={}, by=by, campaign=campaign)


def latest_comparison(campaign: Campaign) -> Job | None:
    """Return the newest comparison that is done, its result unread."""
    return campaign.jobs.done(KIND).defer("result").first()


@dataclass(frozen=True, slots=True)
class ShownComparison:
    """The part of a comparison that a page shows; it may have hundreds of thousands of pairs."""

    orders: list[Record]
    scores: list[Record]
    tests: list[Record]  # empty in comparisons older than the tests besides the permutation
    states: list[Record]
    pairs: list[Record]  # the first of them; of many, findings that were not confirmed come first
    all_pairs: int
    shares: dict[str, tuple[int, int]]  # as `_shares` has them


def shown_comparison(done: Job, most: int) -> ShownComparison:
    """Return the part of a finished comparison that a page shows, with at most `most` pairs."""
    asked = {"job": str(done.pk)}
    [[told]] = select(WITHOUT_PAIRS, asked)
    found = json.loads(told)
    all_pairs = sum(row[1] for row in select(SHARES, asked))
    first = select(FIRST_PAIRS, {**asked, "most": most, "by_finding": all_pairs > most})
    return ShownComparison(
        orders=found["orders"],
        scores=found["scores"],
        tests=found.get("tests", []),
        states=found["states"],
        pairs=[json.loads(pair) for [pair] in first],
        all_pairs=all_pairs,
        shares=_shares(done),
    )


def _shares(done: Job) -> dict[str, tuple[int, int]]:
    """Return how many findings of the first study hold in the second, and of how many, by
    criterion; over all of them under an empty name."""
    counted = select(SHARES, {"job": str(done.pk)})
    of_all = (sum(row[3] for row in counted), sum(row[2] for row in counted))
    return {**{row[0]: (row[3], row[2]) for row in counted}, "": of_all}


def is_stale(campaign: Campaign, states: list[Record]) -> bool:
    """Return whether judgments or exclusions of one of the studies changed since."""
    now = [runs.analysis_state(each) for each in (campaign.reproduces, campaign) if each]
    return states != now


def execute_comparison(work: jobs.Work) -> dict[str, Any]:
    """Compare a study with the one it reproduces."""
    campaign = work.job.campaign
    if campaign is None:
        raise jobs.CannotDo("A comparison belongs to a campaign.")
    first = reproduced_study(campaign, by=work.job.created_by)  # a right may have ended meanwhile
    states = [runs.analysis_state(each) for each in (first, campaign)]
    settings = _declared_settings(first)
    work.progress(0, 3, "Reading both studies")
    read = (_material(first, settings), _material(campaign, settings))
    work.progress(1, 3, "Comparing orders and scores")
    orders, scores = list(_orders(*read)), list(_scores(*read))
    work.progress(2, 3, "Comparing findings")
    compared = [list(_compared(_inputs(each, settings))) for each in read]
    return {
        "orders": orders,
        "scores": scores,
        "pairs": list(_findings(*compared)),
        "tests": [*_tests("first", compared[0]), *_tests("reproduction", compared[1])],
        "states": states,
        "annotators": [int(each.judgments["annotator"].nunique()) for each in read],
        "seed": SEED,
    }


def _declared_settings(first: Campaign) -> Mapping[str, Any]:
    """Return the settings of the newest report of the first study, or the defaults if it has none.


    The findings are those of the first study, so its declaration holds for both.
    """
    run = runs.latest_run(first)
    return {**runs.DEFAULTS, **(run.parameters if run else {})}


def _material(campaign: Campaign, settings: Mapping[str, Any]) -> Material:
    read, column = frames.read_campaign(campaign), settings["clusters"]
    return frames.with_declared_clusters(read, column) if column else read


def _inputs(read: Material, settings: Mapping[str, Any]) -> Inputs:
    design = Design.from_key(settings["design"])
    return Inputs(said=read, counted=read, design=design, settings=settings, failures={})


def _orders(first: Material, second: Material) -> Iterator[Record]:
    """Yield how far each criterion orders the systems alike in both studies."""
    for place, criterion in enumerate(averaged_criteria(first)):
        one, other = (_question_means(each, criterion) for each in (first, second))
        systems = sorted(set(one["system"]) & set(other["system"]))
        sources = set(one["source"]) | set(other["source"])
        clusters = sorted(set(one["cluster"]) | set(other["cluster"]))
        rng = np.random.default_rng([SEED, place])
        found = order_kept(
            _cells(one, systems, clusters), _cells(other, systems, clusters), rng=rng,
            resamples=RESAMPLES,
        )  # fmt: skip
        yield {
            "criterion": criterion.key,
            "name": criterion.name,
            "systems": len(systems),
            "sources": len(sources),
            "value": stable_number(found.value),
            "low": stable_number(found.ci.low),
            "high": stable_number(found.ci.high),
            "reason": found.reason,
        }


def _question_means(read: Material, criterion: ProtocolCriterion) -> pd.DataFrame:
    """Return the mean of each question that was judged, with its system, source and cluster."""
    import pandas as pd

    units = criterion_slots(read, criterion)
    means = align_values(units["unit"], read.human(criterion.key))
    clusters = clusters_of(read, pd.Index(units["unit"]))
    found = units[["system", "source"]].assign(cluster=clusters, value=means)
    return found.dropna(subset=["value"])


def _cells(
    questions: pd.DataFrame, systems: list[str], clusters: list[str]
) -> tuple[FloatArray, FloatArray]:
    """Return sums and counts of question means, systems by clusters of sources."""
    grouped = questions.groupby(["system", "cluster"])["value"].agg(["sum", "count"])
    tables = (
        grouped[of].unstack(fill_value=0).reindex(index=systems, columns=clusters, fill_value=0)
        for of in ("sum", "count")
    )
    sums, counts = (table.to_numpy(dtype="float64") for table in tables)
    return sums, counts


def _scores(first: Material, second: Material) -> Iterator[Record]:
    """Yield every system's score in both studies, and CV* of the two."""
    scales = {each.key: each for each in averaged_criteria(first)}
    again = {(row.criterion, row.system): row.mean.value for row in means_of(second)}
    for row in means_of(first):
        other = again.get((row.criterion, row.system), nan)
        found = cv_star([row.mean.value, other], lowest=min(scales[row.criterion].values()))
        yield {
            "criterion": row.criterion,
            "name": scales[row.criterion].name,
            "system": row.system,
            "first": stable_number(row.mean.value),
            "second": stable_number(other),
            "cv": stable_number(found.value),
            "reason": found.reason,
        }


@dataclass(frozen=True, slots=True)
class _ComparedPair:
    """Two systems on one criterion of a study."""

    difference: float | None  # first minus second
    p: float | None  # after Holm's correction over the pairs of the criterion

    @property
    def is_significant(self) -> bool:
        return self.p is not None and self.p < SURE


@dataclass(frozen=True, slots=True)
class _ComparedCriterion:
    """The pairs of systems on one criterion of a study, by the test that its report makes."""

    criterion: ProtocolCriterion
    test: str
    reason: str  # why it is adjusted for annotators
    pairs: dict[tuple[str, str], _ComparedPair]
    undefined: str  # why no two systems are compared


def _compared(inputs: Inputs) -> Iterator[_ComparedCriterion]:
    """Yield the pairs of every criterion that two systems or more were judged on."""
    for place, scores in enumerate(inputs.scores_of_systems):
        rng = np.random.default_rng([SEED, place])
        tests = differences_of(scores, inputs, rng=rng, resamples=RESAMPLES)
        compared = [one for one in tests.values() if is_defined(one.pvalue)]
        test = " and ".join(sorted({one.test for one in compared})) or CONTRAST
        reason = (
            contrast_reason(inputs.design)
            if CONTRAST in {one.test for one in tests.values()}
            else ""
        )
        undefined = "" if compared else next((one.reason for one in tests.values()), "")
        adjusted = holm(np.array([test.pvalue for test in tests.values()]))
        pairs = {
            (str(first), str(second)): _ComparedPair(
                stable_number(each.value), stable_number(float(p))
            )
            for ((first, second), each), p in zip(tests.items(), adjusted, strict=True)
        }
        yield _ComparedCriterion(scores.criterion, test, reason, pairs, undefined)


def _tests(study: str, compared: Sequence[_ComparedCriterion]) -> Iterator[Record]:
    """Yield which test compares the systems on every criterion of a study, and why."""
    for each in compared:
        yield {
            "study": study,
            "criterion": each.criterion.key,
            "name": each.criterion.name,
            "test": each.test,
            "reason": each.reason,
            "undefined": each.undefined,
        }


def _findings(
    first: Sequence[_ComparedCriterion], second: Sequence[_ComparedCriterion]
) -> Iterator[Record]:
    """Yield every pair of systems with its difference and p in both studies."""
    again = {each.criterion.key: each.pairs for each in second}
    for each in first:
        for pair, one in each.pairs.items():
            other = again.get(each.criterion.key, {}).get(pair)
            same = other is not None and (one.difference or 0) * (other.difference or 0) > 0
            yield {
                "criterion": each.criterion.key,
                "name": each.criterion.name,
                "systems": list(pair),
                "first": one.difference,
                "first_p": one.p,
                "second": other and other.difference,
                "second_p": other and other.p,
                "significant": one.is_significant,
                "confirmed": bool(one.is_significant and other and same and other.is_significant),
            }


def comparison_rows(done: Job) -> Iterator[Record]:
    """Yield a finished comparison as the lines of one table for spreadsheets."""
    found = done.result
    for row in found["orders"]:
        told = {"what": "spearman over systems", "criterion": row["criterion"], "n": row["systems"]}
        yield told | {name: row[name] for name in ("value", "low", "high", "reason")}
    for row in found["scores"]:
        told = {"what": "cv star", "criterion": row["criterion"], "system": row["system"], "n": 2}
        yield told | {
            "value": row["cv"], "first": row["first"], "second": row["second"],
            "reason": row["reason"],
        }  # fmt: skip
    for row in found["pairs"]:
        one, other = row["systems"]
        told = {"what": "pair", "criterion": row["criterion"], "system": one, "against": other}
        names = ("first", "first_p", "second", "second_p", "significant", "confirmed")
        yield told | {name: row[name] for name in names}
    for name, (held, of) in _shares(done).items():
        yield {
            "what": "share of confirmed findings",
            "criterion": name,
            "n": of,
            "value": stable_number(held / of) if of else None,
        }
