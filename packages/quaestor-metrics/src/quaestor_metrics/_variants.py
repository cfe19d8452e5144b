"""The variants of a metric of one question, by the prefix of their ids."""

from collections.abc import Mapping

AVERAGES = {"avg": "Average", "conservative": "Conservative", "liberal": "Liberal"}
# those that a form offers, with their names
VARIANTS: Mapping[str, str] = {
    "q": "Q",
    "p": "P",
    "r": "R",
    "f": "F",
    "multi": "Multi",
    "multi_q": "Multi-Q",
    **AVERAGES,
    "avg_q": "Average-Q",
    "rank5_avg": "Rank@5 Average",
    "rank5_multi": "Rank@5 Multi",
}
