"""Words for agreement, such as "substantial": only with the probability that the band is reached."""

from dataclasses import dataclass
from math import isnan, nan
from typing import Literal, TypeAlias

from scipy import special

from analysis.stats.estimate import Estimate

Author: TypeAlias = Literal["landis-koch", "altman", "fleiss"]
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
}
LOWEST = "poor"  # all three authors call it so


@dataclass(frozen=True, slots=True)
class Band:
    """The highest band that is reached with the demanded probability."""

    word: str
    probability: float  # that agreement is in this band or above
    reason: str = ""


def band(
    agreement: Estimate, *, author: Author = "landis-koch", demanded: float = 0.95, confidence: float = 0.95
) -> Band:
    """Return the word for an agreement that its data support (Gwet 2014, ch. 6).

    The value alone would put .62 from ten units and .62 from ten thousand into one band. Here the standard error,
    read back from the jackknife-t interval of level ``confidence``, gives the probability that the band is reached.
    """
    if not agreement.defined or isnan(agreement.low) or agreement.n < 3:
        return Band("", nan, agreement.reason or "there is no interval to judge the band by")
    df = agreement.n - 1
    error = (agreement.value - agreement.low) / float(special.stdtrit(df, (1 + confidence) / 2))
    for cut, word in BANDS[author]:
        probability = float(special.stdtr(df, (agreement.value - cut) / error))
        if probability >= demanded:
            return Band(word, probability)
    return Band(LOWEST, 1.0)
