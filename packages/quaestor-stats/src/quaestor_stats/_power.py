"""Power and precision: how many items and judges show a difference of two systems.

A rating is system + item + question + annotator + annotator:system + residual; an item is a source,
and the question is what a system made of it (system x source). Annotators rate both systems, and
both systems have the same items, so item and annotator cancel in the difference. For a statement
about these annotators question and residual are left; for one about others their differences
between systems (annotator:system) too, which no number of items makes smaller. Ratings that are
rounded to a scale with ends have less power where systems are near an end.
"""

from dataclasses import dataclass
from math import nan, sqrt

from quaestor_stats._inputs import FloatArray
from quaestor_stats._result import Result
from quaestor_stats._variance_components import Components

ITEMS_SEARCHED = 100_000
NODES = 400  # of Gauss's rule: the error of a power is below 1e-6


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


QGEVAL = (
    "QGEval (Fu et al. 2024), paired differences of systems, means of 3 annotators, scale 1 to 3"
)
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
    level: float = 0.05,
) -> Result:
    """Return the power of a two-sided paired t test of two systems.

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
    level : float
        Level of the test. If Holm's correction will cover several pairs, divide the level by their
        number.

    Returns
    -------
    Result
        ``value`` is the power: the share of studies with a significant difference.

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
    Answerability in QGEval (Fu et al. 2024): means of three annotators differ between systems with a
    standard deviation of .56. A true difference of .1 is found in 80% of studies of 249 items.

    >>> variances = Variances(question=0.56**2 / 2, residual=0.0)
    >>> round(power(variances, difference=0.1, items=249, judges=3).value, 2)
    0.8
    """
    if items < 2 or judges < 1:
        raise ValueError("a study needs two items and one judge or more")
    error = sqrt(variances.of_difference(judges) / items)
    method = f"paired t test at {level:g}, {items} items, {judges} judges, noncentral t"
    if error == 0:
        return Result(value=float(difference != 0), n=items, method=method)
    return Result(value=_power_of_t(abs(difference) / error, items, level), n=items, method=method)


def items_needed(
    variances: Variances,
    *,
    difference: float,
    judges: int,
    target: float = 0.8,
    level: float = 0.05,
) -> PowerPlan:
    """Return the fewest items that reach the target power, and their power.

    Examples
    --------
    Paired differences with deviation .56 (QGEval, answerability) and a true difference of .1.

    >>> items_needed(LIBRARY["qgeval/answerability"], difference=0.1, judges=3).items
    249
    """
    if difference == 0:
        raise ValueError("a difference of zero is found by no number of items")

    def at(items: int) -> Result:
        return power(variances, difference=difference, items=items, judges=judges, level=level)

    guess = _rough_items(variances.of_difference(judges), difference, target, level)
    if guess > ITEMS_SEARCHED:
        raise ValueError(f"about {guess:,.0f} items would be needed, more than {ITEMS_SEARCHED:,}")
    low, high = 1, max(2, round(1.1 * guess) + 2)
    while at(high).value < target:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if at(middle).value >= target else (middle, high)
    return PowerPlan(high, at(high))


def _rough_items(variance: float, difference: float, target: float, level: float) -> float:
    """Return the items needed by the normal approximation."""
    from scipy import special

    reach = special.ndtri(1 - level / 2) + special.ndtri(target)
    return float(reach**2 * variance / difference**2)


def _power_of_t(shift: float, items: int, level: float) -> float:
    """Return the power of a two-sided paired t test whose t is shifted by so much.

    It is the normal test's power, averaged over the estimated standard error, whose square has a
    chi-squared distribution. scipy's noncentral t is nan for many shifts above 3.
    """
    from scipy import integrate, special

    critical = float(special.stdtrit(items - 1, 1 - level / 2))

    def found(chance: FloatArray) -> FloatArray:
        error = (special.chdtri(items - 1, chance) / (items - 1)) ** 0.5
        beyond, below = shift - critical * error, -shift - critical * error
        return special.ndtr(beyond) + special.ndtr(below)

    return float(integrate.fixed_quad(found, 0, 1, n=NODES)[0])


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
