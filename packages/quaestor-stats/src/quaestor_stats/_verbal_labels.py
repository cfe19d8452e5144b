"""Words for agreement, such as "substantial": only with the probability that the band is reached.

Landis and Koch, Altman and Fleiss named their bands for kappas, Krippendorff his thresholds for
alpha. They are customs, not tests. Percent agreement has no bands.
"""

from dataclasses import dataclass
from math import isnan, nan
from typing import Literal, TypeAlias

from quaestor_stats._result import Result

Author: TypeAlias = Literal["landis-koch", "altman", "fleiss", "krippendorff"]
BANDS: dict[Author, tuple[tuple[float, str], ...]] = {
    "landis-koch": (
        (0.8, "almost perfect"),
        (0.6, "substantial"),
        (0.4, "moderate"),
        (0.2, "fair"),
        (0.0, "slight"),
    ),
    "altman": ((0.8, "very good"), (0.6, "good"), (0.4, "moderate"), (0.2, "fair")),
    "fleiss": ((0.75, "excellent"), (0.4, "intermediate to good")),
    "krippendorff": ((0.8, "reliable"), (0.667, "tentative conclusions only")),
}
LOWEST: dict[Author, str] = {
    "landis-koch": "poor",
    "altman": "poor",
    "fleiss": "poor",
    "krippendorff": "below .667",
}


@dataclass(frozen=True, slots=True)
class Band:
    """The highest band that is reached with the demanded probability."""

    word: str
    probability: float  # that agreement is in this band or above
    reason: str = ""


def band(
    agreement: Result,
    *,
    author: Author = "landis-koch",
    demanded: float = 0.95,
) -> Band:
    """Return the word for an agreement that its data support (Gwet 2014, ch. 6).

    The value alone would put .62 from ten units and .62 from ten thousand into one band. Here the
    standard error, read back from the jackknife-t 95% interval, gives the
    probability that the band is reached, with the interval's degrees of freedom.

    Parameters
    ----------
    agreement : a kappa with its jackknife-t interval, or alpha with ``author="krippendorff"``
    demanded : the probability with which the band, or a higher one, must be reached
    """
    from scipy import special

    df = (agreement.clusters or agreement.n) - 1.0 if isnan(agreement.df) else agreement.df
    if not agreement.defined or isnan(agreement.ci.low) or df < 2:
        return Band("", nan, agreement.reason or "there is no interval to judge the band by")
    error = (agreement.value - agreement.ci.low) / float(special.stdtrit(df, 0.975))
    for cut, word in BANDS[author]:
        probability = float(special.stdtr(df, (agreement.value - cut) / error))
        if probability >= demanded:
            return Band(word, probability)
    return Band(LOWEST[author], 1.0)
