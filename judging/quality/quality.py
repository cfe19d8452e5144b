"""The quality of an annotator's work: pace, equal values and runs, and which of these a manager
should check.

Plain Python over counts, without a database. The thresholds are a part of a campaign's plan
(`QualityPlan`), so that they are fixed by the lock; a flag reports the annotator's numbers and the
others', and never acts by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import comb, sqrt
from statistics import fmean, median, stdev
from typing import Literal

from judging.campaigns.quality_plan import QualityPlan
from judging.quality import signed_ranks
from judging.quality.drift import Day, Drift

Reason = Literal["speed", "quick", "same", "run", "gold", "repeats", "degraded", "drift", "idle"]
QUICK_SHARE = 0.25  # of the answers with known times; flagged from here on
MIN_TIMED_ANSWERS = 12
# Equal values are no sign of anything if others give that value to more than this share
OTHERS_DIFFER = 0.8
RARE_RUN = 0.001  # a long run is rarer than this, given the others' share of the value
LEVEL = 0.05
REQUIRED_GOLD = 3
REQUIRED_COPIES = 5  # fewer cannot be lower at this level
TWO_SIDED = 1.96  # standard errors on either side of a forecast


@dataclass(frozen=True, slots=True)
class Use:
    """One annotator's use of one criterion's scale.

    counts: how often each value was given. run, run_value: the most equal values in a row, in the
    order of submission.
    """

    counts: Mapping[int, int]
    run: int = 0
    run_value: int = 0

    @property
    def total(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class Checked:
    """One annotator's results in the checks.

    gold, passed: gold questions met, and those with accepted values only. evaded: those that were
    reported as broken and not answered, none of them passed. pairs, same: values given twice, and
    those that were equal. unrepeated: values given once, to questions that were reported as broken
    at their repeat. differences: by degraded copy, how much higher it was scored than its question,
    summed over criteria, with the better end up.
    """

    gold: int = 0
    passed: int = 0
    evaded: int = 0
    pairs: int = 0
    same: int = 0
    unrepeated: int = 0
    differences: Sequence[int] = ()

    @property
    def copies(self) -> int:
        return len(self.differences)

    @property
    def lower(self) -> int:
        return sum(difference < 0 for difference in self.differences)

    @property
    def higher(self) -> int:
        return sum(difference > 0 for difference in self.differences)

    @property
    def ties(self) -> int:
        return self.copies - self.lower - self.higher

    @property
    def repeated_values(self) -> int:
        """Return the number of values of repeated questions, also those reported at the repeat."""
        return self.pairs + self.unrepeated

    @property
    def repeat_agreement(self) -> float | None:
        """Return the share of these that were given again; None if there are none."""
        return self.same / self.repeated_values if self.repeated_values else None

    @property
    def p(self) -> float | None:
        """Return p of a one-sided sign test: the chance that as many copies or more score lower if
        each is decided by a coin; ties are excluded."""
        n = self.lower + self.higher
        if not self.copies:
            return None
        return float(sum(comb(n, k) for k in range(self.lower, n + 1)) / 2**n)

    @property
    def p_of_ranks(self) -> float | None:
        """Return p of a one-sided signed-rank test, which also weighs by how much copies score
        lower."""
        return signed_ranks.one_sided_p(self.differences)


@dataclass(frozen=True, slots=True)
class Workload:
    """One annotator's work: seconds at work with idle time capped, the values they clicked, and
    their use of each scale by the criterion's key. days: by criterion; drifts: those to be
    checked. timed: answers with known times; quick: those given too soon after their criterion was
    first shown."""

    label: str
    tasks: int
    seconds: float
    values: int
    uses: Mapping[str, Use]
    checked: Checked = Checked()
    days: Mapping[str, Sequence[Day]] = field(default_factory=dict)
    drifts: Sequence[Drift] = ()
    quick: int = 0
    timed: int = 0

    @property
    def pace(self) -> float | None:
        """Return the seconds for each value; None before there is one."""
        return self.seconds / self.values if self.values else None


@dataclass(frozen=True, slots=True)
class Flag:
    """A sign that a manager should check: its kind, its criterion, and the numbers it is based
    on.

    own, others: the annotator's number and the others', seconds or shares; of a drift, the
    distance from the others on that day and on all other days. n: values it rests on. day: of a
    drift, or of the last save in an idle task.
    """

    reason: Reason
    criterion: str
    own: float
    others: float | None
    n: int
    value: int | None = None
    day: str = ""


def flag_annotators(works: Sequence[Workload], plan: QualityPlan) -> dict[str, list[Flag]]:
    """Return the flags by the annotator's label.

    Speed: fewer than `fastest` seconds a value, or `faster_than_others` times as fast as the
    others' median. Quick: a quarter of 12 answers or more were given within 400 ms. Equal values:
    at least `same_share` of a criterion's values are one that the others give in less than 80%.
    Runs: at least `longest_run` equal values in a row, if the others' share of the value makes such
    a run rarer than 1 in 1,000. Below `least_values` values neither pace nor equal values are
    flagged. Drift: a day unlike the annotator's others (`judging.quality.drift`).
    """
    everybody = count_given_values(works)
    paces = {
        work.label: work.pace
        for work in works
        if work.values >= plan.least_values and work.seconds > 0 and work.pace is not None
    }
    flags: dict[str, list[Flag]] = {}
    for work in works:
        signs = [
            *flag_speed(work, paces, plan),
            *flag_quick_answers(work),
            *flag_gold(work.checked, plan),
            *flag_repeats(work.checked, plan),
            *flag_degraded(work.checked),
        ]
        for criterion, use in work.uses.items():
            signs += flag_straightlining(criterion, use, everybody[criterion], plan)
        signs += flag_drift(work)
        if signs:
            flags[work.label] = signs
    return flags


def count_given_values(works: Iterable[Workload]) -> dict[str, Counter[int]]:
    """Return how often all annotators together gave each value, by the criterion's key."""
    values: dict[str, Counter[int]] = {}
    for work in works:
        for criterion, use in work.uses.items():
            values.setdefault(criterion, Counter()).update(use.counts)
    return values


def flag_speed(work: Workload, paces: Mapping[str, float], plan: QualityPlan) -> Iterator[Flag]:
    """Yield a flag if an annotator is too fast; `paces` are of the annotators with enough values,
    by label."""
    if work.label not in paces:
        return
    pace = paces[work.label]
    others = [other for label, other in paces.items() if label != work.label]
    usual = median(others) if others else None
    if pace < plan.fastest or (usual is not None and pace * plan.faster_than_others < usual):
        yield Flag("speed", "", pace, usual, work.values)


def flag_quick_answers(work: Workload) -> Iterator[Flag]:
    """Yield a flag if many answers were given too soon after their criterion was shown."""
    if work.timed >= MIN_TIMED_ANSWERS and work.quick / work.timed >= QUICK_SHARE:
        yield Flag("quick", "", work.quick, None, work.timed)


def flag_gold(checked: Checked, plan: QualityPlan) -> Iterator[Flag]:
    """Yield a flag if too few gold questions were passed, by the threshold or the rule."""
    if checked.gold >= REQUIRED_GOLD and checked.passed / checked.gold < plan.least_gold:
        yield Flag("gold", "", checked.passed / checked.gold, plan.least_gold, checked.gold)
    elif _breaks_gold_rule(checked, plan):
        failures = (plan.exclude_gold or 0) / checked.gold
        yield Flag("gold", "", checked.passed / checked.gold, 1 - failures, checked.gold)


def flag_repeats(checked: Checked, plan: QualityPlan) -> Iterator[Flag]:
    """Yield a flag if too few values were given again in hidden repeats."""
    if (share := _repeat_agreement(checked, plan)) is not None and share < plan.least_same:
        yield Flag("repeats", "", share, plan.least_same, checked.repeated_values)


def flag_degraded(checked: Checked) -> Iterator[Flag]:
    """Yield a flag if degraded copies were not scored lower than their questions."""
    if checked.copies >= REQUIRED_COPIES and checked.p is not None and checked.p > LEVEL:
        yield Flag("degraded", "", checked.lower / checked.copies, checked.p, checked.copies)


def flag_straightlining(
    criterion: str, use: Use, everybody: Mapping[int, int], plan: QualityPlan
) -> Iterator[Flag]:
    """Yield a flag if most values of a criterion, or many in a row, are one that others seldom
    give. `everybody`: the annotator's values and the others'."""
    others_total = sum(everybody.values()) - use.total
    if min(use.total, others_total) < plan.least_values:
        return
    value, count = max(use.counts.items(), key=lambda pair: (pair[1], -pair[0]))
    share = count / use.total
    others_share = (everybody[value] - count) / others_total
    if share >= plan.same_share and others_share < OTHERS_DIFFER:
        yield Flag("same", criterion, share, others_share, use.total, value)
        return
    if use.run < plan.longest_run:
        return
    # one success and one failure more: a value that no other annotator gave is not impossible
    others_count = everybody[use.run_value] - use.counts.get(use.run_value, 0)
    chance = (others_count + 1) / (others_total + 2)
    if use.total * chance**use.run < RARE_RUN:
        yield Flag("run", criterion, use.run, chance, use.total, use.run_value)


def flag_drift(work: Workload) -> Iterator[Flag]:
    """Yield a flag for each criterion with a day unlike the annotator's others."""
    for drift in work.drifts:
        yield Flag("drift", drift.criterion, drift.own, drift.others, drift.n, day=drift.day)


def broken_rules(work: Workload, flags: Sequence[Flag], plan: QualityPlan) -> list[str]:
    """Return the names of the plan's rules that an annotator breaks, in the plan's order."""
    reasons = {flag.reason for flag in flags}
    agreement = _repeat_agreement(work.checked, plan)
    rules = {
        "exclude_speed": plan.exclude_speed and "speed" in reasons,
        "exclude_same": plan.exclude_same and bool(reasons & {"same", "run"}),
        "exclude_gold": _breaks_gold_rule(work.checked, plan),
        "exclude_repeats": plan.exclude_repeats is not None
        and agreement is not None
        and agreement < plan.exclude_repeats,
        "exclude_degraded": plan.exclude_degraded and "degraded" in reasons,
    }
    return [name for name, breaks in rules.items() if breaks]


def _repeat_agreement(checked: Checked, plan: QualityPlan) -> float | None:
    """Return the share of values that were given again; None if the plan asks for more values."""
    return checked.repeat_agreement if checked.repeated_values >= plan.least_values else None


def _breaks_gold_rule(checked: Checked, plan: QualityPlan) -> bool:
    if plan.exclude_gold is None or checked.gold < (plan.exclude_gold_of or 1):
        return False
    return checked.gold - checked.passed > plan.exclude_gold


@dataclass(frozen=True, slots=True)
class Forecast:
    """The hours left at the pace so far; `latest` is None if the pace does not allow an upper
    end."""

    hours: float
    earliest: float
    latest: float | None


def forecast_completion(by_hour: Sequence[int], remaining: int) -> Forecast | None:
    """Return when the remaining places will be filled, from how many were filled in each hour so
    far.

    The interval is for the mean hour: 95%, by the spread over days if there are three whole ones,
    else over hours.
    """
    blocks, length = list(by_hour), 1
    if len(by_hour) >= 72:
        whole = len(by_hour) // 24 * 24
        blocks, length = [sum(by_hour[-whole:][at : at + 24]) for at in range(0, whole, 24)], 24
    if remaining <= 0 or len(blocks) < 3 or not any(blocks):
        return None
    mean, error = fmean(blocks), TWO_SIDED * stdev(blocks) / sqrt(len(blocks))
    slow = mean - error
    return Forecast(
        hours=remaining / mean * length,
        earliest=remaining / (mean + error) * length,
        latest=remaining / slow * length if slow > 0 else None,
    )
