"""The alternative annotator test (Calderon, Reichart and Dror 2025): may an LLM judge replace an
annotator?

Each annotator in turn is left out. On every item the judge and that annotator are compared by how
near each is to the others; the judge wins against the annotator if it is at least as near often
enough. Passing does not show that the judge is good: a judge that always gives the most frequent
value can pass if annotators nearly always give it. Read the verdict together with the ceiling, the
bias by system and the use of the scale.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._design import SOURCE, ClusterUnit
from quaestor_stats._inputs import BoolArray, FloatArray, IntArray, Labels, numeric, source_codes
from quaestor_stats._multiplicity import benjamini_yekutieli
from quaestor_stats._resampling import Jackknife, Resampled, jackknife_interval, with_spread
from quaestor_stats._result import Result, undefined_result

REQUIRED_ITEMS = 30
REQUIRED_ANNOTATORS = 3
FALSE_FINDINGS = 0.05
PASSES = 0.5  # the winning rate
TIE = 1e-9
LEVELS = ("nominal", "ordinal", "interval")
EPSILONS = {0.2: "trained experts", 0.15: "skilled annotators", 0.1: "crowd workers"}
NAME = "average advantage probability, mean over people"
TWO_PEOPLE = "two people only: each is compared by the other alone, so the test is weak"
COPIES = "its values are those of one of these people, who is among those that it is compared by"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainstPerson:
    """The judge against one left-out annotator.

    `advantage`: share of items on which the judge is at least as near to the others as this person;
    `person_advantage`: the reverse. `p_items` takes items as independent, as published; `p` keeps a
    source's items together.
    """

    person: str
    n: int
    advantage: float = nan
    person_advantage: float = nan
    p_items: float = nan
    p: float = nan
    adjusted_items: float = nan
    adjusted: float = nan
    reason: str = ""

    @property
    def won_items(self) -> bool:
        return self.adjusted_items <= FALSE_FINDINGS

    @property
    def won(self) -> bool:
        return self.adjusted <= FALSE_FINDINGS


@dataclass(frozen=True, slots=True, kw_only=True)
class AlternativeTest:
    """The test of one judge: against each annotator, and over all of them."""

    people: tuple[AgainstPerson, ...]
    epsilon: float
    winning_rate_items: float  # as published: items are independent
    winning_rate: float  # a source's items are kept together
    advantage: (
        Result  # average advantage probability; its interval over sources where these are given
    )
    items: int  # judged by the judge and two or more annotators
    dropped: int  # judged by the judge and fewer than two annotators
    reason: str = ""
    caution: str = ""

    @property
    def passed_items(self) -> bool | None:
        return None if np.isnan(self.winning_rate_items) else self.winning_rate_items >= PASSES

    @property
    def passed(self) -> bool | None:
        return None if np.isnan(self.winning_rate) else self.winning_rate >= PASSES


def alternative_test(
    people: ArrayLike,
    judge: ArrayLike,
    *,
    level: str,
    epsilon: float,
    names: Sequence[str] = (),
    sources: Labels | None = None,
    unit: ClusterUnit = SOURCE,
) -> AlternativeTest:
    """Test whether a judge may replace annotators.

    Parameters
    ----------
    people : (n_items, n_people), NaN where not judged
    judge : (n_items,), NaN where the judge has none
    level : "nominal" compares by equality, "ordinal" and "interval" by minus the root mean square difference
    epsilon : what replacing an annotator may cost: .2 for trained experts, .15 skilled, .1 crowd
    names : of the annotators, in the order of the columns
    sources : (n_items,) labels; items on one source, or cluster of sources, are kept together
    unit : the name of what is kept together, and how many a test needs

    Returns
    -------
    AlternativeTest
        ``winning_rate`` is the share of annotators against whom the judge wins; it passes from .5.
        Annotators with fewer than 30 items are excluded, with the reason.

    Notes
    -----
    For annotator h on item i, S(f) and S(h) are how near judge and annotator are to the others.
    W_f = [S(f) >= S(h)], W_h = [S(h) >= S(f)]. The null is mean(W_h - W_f) >= epsilon, by a
    one-sided t-test, adjusted by Benjamini and Yekutieli.
    With sources, the t-test's standard error comes from leaving out one source at a time.

    Examples
    --------
    >>> n = np.arange(40)
    >>> h1 = 1 + 7 * n % 5
    >>> h2, h3 = np.minimum(5, h1 + (n % 4 == 0)), np.maximum(1, h1 - (n % 3 == 0))
    >>> judge = np.maximum(1, h1 - (n % 8 == 0))
    >>> found = alternative_test(np.stack([h1, h2, h3], axis=1), judge, level="ordinal", epsilon=0.2)
    >>> round(found.advantage.value, 4), found.winning_rate
    (0.9333, 1.0)
    """
    if level not in LEVELS:
        raise ValueError(f"level: {level!r} is none of {', '.join(LEVELS)}")
    if not 0 <= epsilon < 1:
        raise ValueError(f"epsilon: {epsilon} does not lie between 0 and 1")
    data = _Judged.of(people, judge, sources, unit)
    n_people = data.people.shape[1]
    titles = list(names) or [f"person {place}" for place in range(1, n_people + 1)]
    wins = [data.wins(person, level) for person in range(n_people)]
    judged = _adjusted(
        [_against(*person, data, epsilon) for person in zip(titles, wins, strict=True)]
    )
    tested = [person for person in judged if not person.reason]
    few = f"no annotator has {REQUIRED_ITEMS} items that the judge and others judged too"
    return AlternativeTest(
        people=judged,
        epsilon=epsilon,
        winning_rate_items=_share([person.won_items for person in tested]),
        winning_rate=_share([person.won for person in tested]),
        advantage=_average([wins[place] for place, p in enumerate(judged) if not p.reason], data),
        items=int(data.usable.sum()),
        dropped=int((~np.isnan(data.judge) & ~data.usable).sum()),
        reason="" if tested else few,
        caution="; ".join(_cautions(data, tested=len(tested))),
    )


@dataclass(frozen=True, slots=True)
class _Wins:
    """Items on which the judge, and the left-out annotator, is at least as near to the others."""

    judge: FloatArray  # W_f
    person: FloatArray  # W_h
    items: BoolArray  # (n_items,) which they are of


@dataclass(frozen=True, slots=True)
class _Judged:
    """The values of annotators and of the judge on the same items."""

    people: FloatArray  # (n_items, n_people)
    judge: FloatArray  # (n_items,)
    codes: IntArray  # (n_items,) the source or cluster that is left out as a whole
    resampled: Resampled
    unit: ClusterUnit

    @classmethod
    def of(
        cls, people: ArrayLike, judge: ArrayLike, sources: Labels | None, unit: ClusterUnit
    ) -> Self:
        table = numeric(people, name="people", ndim=2)
        of_judge = numeric(judge, name="judge", ndim=1)
        if len(of_judge) != len(table):
            raise ValueError(f"judge: {len(of_judge)} values for {len(table)} items")
        resampled: Resampled = "unit" if sources is None else "cluster"
        return cls(table, of_judge, source_codes(sources, len(of_judge)), resampled, unit)

    @property
    def usable(self) -> BoolArray:
        """The items with the judge and two annotators."""
        return np.asarray(((~np.isnan(self.people)).sum(axis=1) >= 2) & ~np.isnan(self.judge))

    def wins(self, person: int, level: str) -> _Wins:
        """Compare the judge with one annotator by how near each is to the others."""
        of_person, others = self.people[:, person], np.delete(self.people, person, axis=1)
        items = self.usable & ~np.isnan(of_person)
        near_judge, near_person = (
            _nearness(values[items, None], others[items], level)
            for values in (self.judge, of_person)
        )
        gap = near_judge - near_person
        margin = TIE * np.maximum(1.0, np.abs(near_judge))
        return _Wins((gap >= -margin).astype(float), (gap <= margin).astype(float), items)


def _nearness(values: FloatArray, others: FloatArray, level: str) -> FloatArray:
    """Return a score that grows as the mean of equals, or as minus the root mean square difference,
    does."""
    if level == "nominal":
        return np.asarray((values == others).sum(axis=1), dtype=np.float64)
    return np.asarray(-np.nansum((values - others) ** 2, axis=1))


def _against(name: str, wins: _Wins, data: _Judged, epsilon: float) -> AgainstPerson:
    n = len(wins.judge)
    if n < REQUIRED_ITEMS:
        return AgainstPerson(
            person=name, n=n, reason=f"{n} items that the judge and others judged too: too few"
        )
    gap = wins.person - wins.judge
    p_items = p = gap_p(gap, epsilon)
    if data.resampled == "cluster":
        p = one_sided_by_source(gap, data.codes[wins.items], epsilon, data.unit)
    return AgainstPerson(
        person=name,
        n=n,
        advantage=float(wins.judge.mean()),
        person_advantage=float(wins.person.mean()),
        p_items=p_items,
        p=p,
    )


def _adjusted(people: Sequence[AgainstPerson]) -> tuple[AgainstPerson, ...]:
    """Return the tests with p adjusted over the annotators."""
    by_items = benjamini_yekutieli([person.p_items for person in people])
    by_sources = benjamini_yekutieli([person.p for person in people])
    return tuple(
        replace(person, adjusted_items=float(items), adjusted=float(sources))
        for person, items, sources in zip(people, by_items, by_sources, strict=True)
    )


def gap_p(gap: FloatArray, epsilon: float) -> float:
    """Return p that the mean of a gap is epsilon or more."""
    from scipy import stats

    if np.ptp(gap) == 0:
        return 0.0 if gap[0] < epsilon else 1.0
    return float(stats.ttest_1samp(gap, epsilon, alternative="less").pvalue)


def one_sided_by_source(
    gap: FloatArray, codes: IntArray, epsilon: float, unit: ClusterUnit = SOURCE
) -> float:
    """Return the one-sided p by Student's t on the standard error of a jackknife over sources."""
    from scipy import special, stats

    _, source = np.unique(codes, return_inverse=True)
    count = np.bincount(source).astype(float)
    units = len(count)
    if units < 2:
        return nan
    left_out = (gap.sum() - np.bincount(source, weights=gap)) / (len(gap) - count)
    value = float(gap.mean())
    spread = jackknife_interval(value, left_out, np.ones(units), Jackknife(unit=unit), of="cluster")
    if np.isnan(spread.high):
        return nan if np.ptp(left_out) > TIE or units < 3 else float(value >= epsilon)
    error = (spread.high - value) / special.stdtrit(spread.df, 0.975)
    return float(stats.t.cdf((value - epsilon) / error, spread.df))


def _cautions(data: _Judged, *, tested: int) -> Iterator[str]:
    """Yield reasons that make a test weak or empty."""
    table, judge = data.people[data.usable], data.judge[data.usable]
    judged = ~np.isnan(table)
    people = int(judged.any(axis=0).sum())
    if 0 < tested < REQUIRED_ANNOTATORS:
        few = f"{tested} of {people} people could be compared, so the test is weak"
        yield TWO_PEOPLE if people < REQUIRED_ANNOTATORS else few
    for items, ratings in zip(judged.T, table.T, strict=True):
        enough = items.sum() >= REQUIRED_ITEMS and np.ptp(judge[items]) > 0
        if enough and (np.abs(ratings - judge)[items] <= TIE).all():
            yield COPIES
            return


def _share(won: Sequence[bool]) -> float:
    return sum(won) / len(won) if won else nan


def _average(wins: Sequence[_Wins], data: _Judged) -> Result:
    """Return the mean over annotators of the share of items that the judge wins, with its interval
    over sources."""
    if not wins:
        return undefined_result(NAME, "nobody can be compared with the judge")
    value = float(np.mean([person.judge.mean() for person in wins]))
    items = np.logical_or.reduce([person.items for person in wins])
    n, units = int(items.sum()), np.unique(data.codes[items])
    left_out = np.zeros(len(units))
    for person in wins:
        unit = np.searchsorted(units, data.codes[person.items])
        rest = len(person.judge) - np.bincount(unit, minlength=len(units))
        if (rest == 0).any():
            reason = "a person judged one source alone"
            return Result(value=value, n=n, method=NAME, reason=reason)
        won = np.bincount(unit, weights=person.judge, minlength=len(units))
        left_out += (person.judge.sum() - won) / rest
    spread = jackknife_interval(
        value,
        left_out / len(wins),
        np.ones(len(units)),
        Jackknife(unit=data.unit),
        of=data.resampled,
    )
    return with_spread(value, spread, n=n, dropped=0, method=NAME, at_most=1.0)
