"""The quality of an annotator's work: pace, equal values and runs, and which of these a manager
should check.

Plain Python over counts, without a database. The thresholds are a part of a campaign's plan
(`QualityPlan`), so that they are fixed by the lock; a flag reports the annotator's numbers and the
others', and never acts by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    at their repeat. lower, higher, ties: degraded copies scored below, above or the same as their
    questions. differences: by copy, how much higher it was scored, summed over criteria, with the
    better end up.
    over criteria, the better end up.
    """

    gold: int = 0
    passed: int = 0
    evaded: int = 0
    pairs: int = 0
    same: int = 0
    unrepeated: int = 0
    lower: int = 0
    higher: int = 0
    ties: int = 0
    differences: Sequence[int] = ()

    @property
    def copies(self) -> int:
        return self.lower + self.higher + self.ties

    @property
    def with_oneself(self) -> float | None:
        """Return the share of equal values in hidden repeats; None if there are none."""
        return self.same / self.pairs if self.pairs else None

    @property
    def asked_again(self) -> int:
        """Return the number of values of repeated questions, also those reported at the repeat."""
        return self.pairs + self.unrepeated

    @property
    def given_again(self) -> float | None:
        """Return the share of these that were given again; None if there are none."""
        return self.same / self.asked_again if self.asked_again else None

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


def flags(works: Sequence[Workload], plan: QualityPlan) -> dict[str, list[Flag]]:
    """Return the flags by the annotator's label.

    Speed: fewer than `fastest` seconds a value, or `faster_than_others` times as fast as the
    others' median. Quick: a quarter of 12 answers or more were given within 400 ms. Equal values:
    at least `same_share` of a criterion's values are one that the others give in less than 80%.
    Runs: at least `longest_run` equal values in a row, if the others' share of the value makes such
    a run rarer than 1 in 1,000. Below `least_values` values neither pace nor equal values are
    flagged. Drift: a day unlike the annotator's others (`judging.quality.drift`).
    """
    enough = [each for each in works if each.values >= plan.least_values and each.seconds > 0]
    totals = _totals(works)
    found: dict[str, list[Flag]] = {}
    for work in works:
        own = [*_speed(work, enough, plan), *_quick(work), *_checked(work.checked, plan)] + [
            flag for key, use in work.uses.items() for flag in _equal(key, use, totals[key], plan)
        ]
        own += [
            Flag("drift", each.criterion, each.own, each.others, each.n, day=each.day)
            for each in work.drifts
        ]
        if own:
            found[work.label] = own
    return found


def _checked(own: Checked, plan: QualityPlan) -> Iterable[Flag]:
    if own.gold >= REQUIRED_GOLD and own.passed / own.gold < plan.least_gold:
        yield Flag("gold", "", own.passed / own.gold, plan.least_gold, own.gold)
    elif _breaks_gold_rule(own, plan):
        allowed = (plan.exclude_gold or 0) / own.gold
        yield Flag("gold", "", own.passed / own.gold, 1 - allowed, own.gold)
    if (
        own.given_again is not None
        and own.asked_again >= plan.least_values
        and own.given_again < plan.least_same
    ):
        yield Flag("repeats", "", own.given_again, plan.least_same, own.asked_again)
    if own.copies >= REQUIRED_COPIES and own.p is not None and own.p > LEVEL:
        yield Flag("degraded", "", own.lower / own.copies, own.p, own.copies)


def broken_rules(work: Workload, found: Sequence[Flag], plan: QualityPlan) -> list[str]:
    """Return the names of the plan's rules that an annotator breaks, in the plan's order."""
    own, reasons = work.checked, {flag.reason for flag in found}
    rules = {
        "exclude_speed": plan.exclude_speed and "speed" in reasons,
        "exclude_same": plan.exclude_same and bool(reasons & {"same", "run"}),
        "exclude_gold": _breaks_gold_rule(own, plan),
        "exclude_repeats": plan.exclude_repeats is not None
        and own.given_again is not None
        and own.asked_again >= plan.least_values
        and own.given_again < plan.exclude_repeats,
        "exclude_degraded": plan.exclude_degraded and "degraded" in reasons,
    }
    return [name for name, breaks in rules.items() if breaks]


def _breaks_gold_rule(own: Checked, plan: QualityPlan) -> bool:
    if plan.exclude_gold is None or own.gold < (plan.exclude_gold_of or 1):
        return False
    return own.gold - own.passed > plan.exclude_gold


def _totals(works: Iterable[Workload]) -> dict[str, dict[int, int]]:
    """Return how often all annotators together gave each value of each criterion."""
    totals: dict[str, dict[int, int]] = {}
    for work in works:
        for key, use in work.uses.items():
            of_key = totals.setdefault(key, {})
            for value, count in use.counts.items():
                of_key[value] = of_key.get(value, 0) + count
    return totals


def _speed(work: Workload, enough: Sequence[Workload], plan: QualityPlan) -> Iterable[Flag]:
    if work not in enough or (pace := work.pace) is None:
        return
    others = [each.pace for each in enough if each is not work and each.pace is not None]
    usual = median(others) if others else None
    if pace < plan.fastest or (usual is not None and pace * plan.faster_than_others < usual):
        yield Flag("speed", "", pace, usual, work.values)


def _quick(work: Workload) -> Iterable[Flag]:
    if work.timed >= MIN_TIMED_ANSWERS and work.quick / work.timed >= QUICK_SHARE:
        yield Flag("quick", "", work.quick, None, work.timed)


def _equal(key: str, use: Use, everybody: Mapping[int, int], plan: QualityPlan) -> Iterable[Flag]:
    n, of_others = use.total, sum(everybody.values()) - use.total
    if n < plan.least_values or of_others < plan.least_values:
        return
    value, count = max(use.counts.items(), key=lambda pair: (pair[1], -pair[0]))
    others = (everybody[value] - count) / of_others
    if count / n >= plan.same_share and others < OTHERS_DIFFER:
        yield Flag("same", key, count / n, others, n, value)
    elif use.run >= plan.longest_run:
        theirs = (everybody[use.run_value] - use.counts.get(use.run_value, 0) + 1) / (of_others + 2)
        if n * theirs**use.run < RARE_RUN:
            yield Flag("run", key, use.run, theirs, n, use.run_value)


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
