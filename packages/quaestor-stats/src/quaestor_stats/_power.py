"""Power and precision by simulation: how many items and judges show a difference of two systems.

A rating is system + item + question + annotator + annotator:system + residual; an item is a source,
and the question is what a system made of it (system x source). Annotators rate both systems, and
both systems have the same items, so item and annotator cancel in the difference. For a statement
about these annotators question and residual are left; for one about others their differences
between systems (annotator:system) too, which no number of items makes smaller. Ratings may be
rounded to a scale with ends, which costs power where systems are near an end.
"""

from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np

from quaestor_stats._inputs import FloatArray
from quaestor_stats._result import ConfidenceInterval, Result
from quaestor_stats._variance_components import Components

ITEMS_SEARCHED = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Variances:
    """Variances of ratings that decide how precisely two systems can be compared.

    All are on the squared scale of the ratings.

    Parameters
    ----------
    question : float
        Of the true quality of one system's questions, between sources.
    residual : float
        Of the ratings that annotators give one question.
    annotator_system : float
        Of annotators' preferences for a system, if conclusions are about other annotators too.
    source : str
        Where the variances come from.

    Examples
    --------
    >>> round(Variances(question=0.1, residual=0.3).of_difference(judges=3), 2)
    0.4
    """

    question: float
    residual: float
    annotator_system: float = 0.0
    source: str = ""

    def of_difference(self, judges: int) -> float:
        """Return the variance of the difference of two systems' mean ratings on one item."""
        return 2 * (self.question + self.residual / judges)


def _of_paired_deviation(deviation: float, source: str) -> Variances:
    """Return variances from a published deviation of paired differences, which holds for its number
    of judges."""
    return Variances(question=deviation**2 / 2, residual=0.0, source=source)


QGEVAL = "QGEval (Fu et al. 2024), paired differences of systems, means of 3 judges, scale 1 to 3"
LIBRARY: dict[str, Variances] = {
    "qgeval/fluency": _of_paired_deviation(0.19, QGEVAL),
    "qgeval/answerability": _of_paired_deviation(0.56, QGEVAL),
    "qgeval/answer_consistency": _of_paired_deviation(0.76, QGEVAL),
}


@dataclass(frozen=True, slots=True)
class PowerPlan:
    """Items needed, and the power that many have."""

    items: int
    power: Result


def of_components(components: Components, *, source: str = "pilot") -> Variances:
    """Return the variances that a plan needs from a pilot's variance components.

    If a source has m questions of each system, an item is such a source: its question variance is
    source:system + question / m, its residual variance is residual / m.

    Raises
    ------
    ValueError
        Every question has one rating or one annotator, or there is one annotator: then the question's variance and the
        residual cannot be separated, and other numbers of annotators cannot be planned.
    """
    v = components.variances
    if not {"question", "annotator"} <= set(v):
        raise ValueError("; ".join(components.notes) or "annotators are fixed")
    slots = components.questions / components.cells
    return Variances(
        question=v.get("source:system", 0.0) + v["question"] / slots,
        residual=(v["residual"] + v.get("question:annotator", 0.0)) / slots,
        annotator_system=v.get("annotator:system", 0.0),
        source=source,
    )


def power(
    variances: Variances,
    *,
    difference: float,
    items: int,
    judges: int,
    rng: np.random.Generator,
    level: float = 0.05,
    simulations: int = 2000,
) -> Result:
    """Simulate the power of a two-sided paired t test of two systems.

    Parameters
    ----------
    variances : Variances
        Of ratings, from a pilot or a published study.
    difference : float
        True difference of the systems' means, on the scale of the ratings.
    items : int
        Number of items (sources) that both systems have, two or more.
    judges : int
        Number of judges of each item and system.
    rng : numpy.random.Generator
        Source of the random numbers.
    level : float
        Level of the test. If Holm's correction will cover several pairs, divide the level by their
        number.
    simulations : int
        Number of simulated studies.

    Returns
    -------
    Result
        ``value`` is the power, the share of simulated studies with a significant difference, ``ci``
        Wilson's 95% interval of the simulation, and ``n`` the number of simulated studies.

    Raises
    ------
    ValueError
        There are fewer than two items, or no judge.

    References
    ----------
    Card, D., Henderson, P., Khandelwal, U., Jia, R., Mahowald, K. and Jurafsky, D. (2020). With
    little power comes great responsibility. EMNLP.

    Examples
    --------
    Answerability in QGEval (Fu et al. 2024): means of three judges differ between systems with a
    standard deviation of .56. A true difference of .1 is found in about 80% of studies of 249 items.

    >>> variances = Variances(question=0.56**2 / 2, residual=0.0)
    >>> result = power(
    ...     variances, difference=0.1, items=249, judges=3, rng=np.random.default_rng(1))
    >>> round(result.value, 1)
    0.8
    """
    if items < 2 or judges < 1:
        raise ValueError("a study needs two items and one judge or more")
    significant = 0
    step = max(1, 4_000_000 // items)
    spread = sqrt(variances.of_difference(judges))
    for start in range(0, simulations, step):
        size = min(step, simulations - start)
        gaps = difference + rng.normal(size=(size, items)) * spread
        significant += int(_significant(gaps, level).sum())
    method = f"paired t test at {level:g}, {items} items, {judges} judges, simulated"
    return share_of(significant, simulations, method)


def items_needed(
    variances: Variances,
    *,
    difference: float,
    judges: int,
    target: float = 0.8,
    level: float = 0.05,
) -> PowerPlan:
    """Return the fewest items that reach the target power, and their power by the noncentral t.

    Simulated power would be searched for its luckiest size: of 4,000 studies a size, it named 115
    items where 120 are needed.

    Examples
    --------
    Paired differences with deviation .56 (QGEval, answerability) and a true difference of .1.

    >>> items_needed(LIBRARY["qgeval/answerability"], difference=0.1, judges=3).items
    249
    """
    from scipy import special

    if difference == 0:
        raise ValueError("a difference of zero is found by no number of items")

    def at(items: int) -> float:
        spread = sqrt(variances.of_difference(judges) / items)
        return _power_of_t(abs(difference) / spread if spread else inf, items, level)

    rough = special.ndtri(1 - level / 2) + special.ndtri(target)
    guess = float(rough**2 * variances.of_difference(judges) / difference**2)
    if guess > ITEMS_SEARCHED:
        raise ValueError(f"about {guess:.2g} items would be needed, more than {ITEMS_SEARCHED}")
    low, high = 1, max(2, round(1.1 * guess) + 2)
    while at(high) < target:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if at(middle) >= target else (middle, high)
    method = f"paired t test at {level:g}, {high} items, {judges} judges, noncentral t"
    return PowerPlan(high, Result(value=at(high), n=high, method=method))


def _power_of_t(shift: float, items: int, level: float) -> float:
    """Return the power of a two-sided paired t test whose t is shifted by so much."""
    from scipy import special

    if shift == inf:
        return 1.0
    critical = float(special.stdtrit(items - 1, 1 - level / 2))
    below, beyond = (special.nctdtr(items - 1, shift, t) for t in (-critical, critical))
    return float(below + 1 - beyond)


def half_width(variances: Variances, *, items: int, judges: int, confidence: float = 0.95) -> float:
    """Return how far the interval of a difference will reach to either side, on average."""
    from scipy import special

    if items < 2:
        return nan
    reach = float(special.stdtrit(items - 1, (1 + confidence) / 2))
    return reach * sqrt(variances.of_difference(judges) / items)


def half_width_for_others(
    variances: Variances, *, items: int, judges: int, systems: int, confidence: float = 0.95
) -> float:
    """Return how far the interval of a difference reaches where the statement is about other
    annotators too.

    Notes
    -----
    The variance is of_difference / items + 2 annotator:system / judges, with items - 1 and (systems - 1) (judges - 1)
    degrees of freedom, joined after Satterthwaite (1946). nan with one annotator, or two of two systems.
    """
    from scipy import special

    freedom = (systems - 1) * (judges - 1)
    if items < 2 or freedom < 2:
        return nan
    of_items, of_judges = (
        variances.of_difference(judges) / items,
        2 * variances.annotator_system / judges,
    )
    whole = of_items + of_judges
    if whole == 0:
        return 0.0
    df = whole**2 / (of_items**2 / (items - 1) + of_judges**2 / freedom)
    return float(special.stdtrit(df, (1 + confidence) / 2)) * sqrt(whole)


def _significant(gaps: FloatArray, level: float) -> FloatArray:
    from scipy import special

    n = gaps.shape[1]
    error = gaps.std(axis=1, ddof=1) / sqrt(n)
    t = np.abs(gaps.mean(axis=1)) / np.where(error > 0, error, nan)
    critical = float(special.stdtrit(n - 1, 1 - level / 2))
    return np.asarray((t > critical) | ((error == 0) & (gaps[:, 0] != 0)))


def share_of(found: int, n: int, method: str) -> Result:
    """Return a share with Wilson's 95% limits."""
    z, p = 1.959964, found / n
    middle, reach = p + z**2 / (2 * n), z * sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    below = 1 + z**2 / n
    return Result(
        value=p,
        ci=ConfidenceInterval((middle - reach) / below, (middle + reach) / below),
        n=n,
        method=method,
    )
