"""How numbers and lists of names are written, at the edges of each form."""

from collections.abc import Callable
from math import nan
from typing import Any

import pytest

from analysis.reports import numerals
from judging.base.percentages import percent
from quaestor_stats._result import ConfidenceInterval, Result

NAMES = [f"s{place}" for place in range(1, 14)]


@pytest.mark.parametrize(
    ("write", "given", "text"),
    [
        (numerals.two, -0.004, "0.00"),
        (numerals.two, -1.236, "−1.24"),
        (numerals.two, None, "undefined"),
        (numerals.or_dash, 2.5, "2.50"),
        (numerals.or_dash, nan, "–"),
        (numerals.format_signed, 0.005, "+0.01"),
        (numerals.format_signed, 0.0049, "0.00"),
        (numerals.format_signed, -0.3, "−0.30"),
        (numerals.format_signed, nan, "–"),
        (numerals.format_number, 1234.5, "1,234.5"),
        (numerals.format_number, -20.0, "−20"),
        (numerals.format_number, None, "–"),
        (numerals.coefficient, -0.5, "−.50"),
        (numerals.coefficient, 1.0, "1.00"),
        (numerals.coefficient, -150.38, "−150.38"),
        (numerals.coefficient, -10.38, "−10.38"),
        (numerals.coefficient, nan, "–"),
        (percent, 0.126, "13%"),
        (percent, nan, "–"),
        (percent, 0.0, "0%"),
        (percent, 0.004, "< 1%"),
        (percent, 1 / 200, "< 1%"),
        (percent, 0.0051, "1%"),
        (percent, 199 / 200, "> 99%"),
        (percent, 0.9949, "99%"),
        (percent, 0.996, "> 99%"),
        (percent, 1.0, "100%"),
        (numerals.format_p, 0.00099, "p < .001"),
        (numerals.format_p, 0.001, "p = .001"),
        (numerals.format_p, 0.999, "p = .999"),
        (numerals.format_p, 0.9991, "p > .999"),
        (numerals.format_p, nan, "p undefined"),
        (numerals.p_alone, 0.04, ".040"),
        (numerals.p_alone, 0.0001, "< .001"),
        (numerals.p_alone, None, "–"),
        (
            numerals.interval_text,
            Result(
                value=2,
                ci=ConfidenceInterval(1, 3.5),
            ),
            "[1.00, 3.50]",
        ),
        (numerals.interval_text, Result(value=2, ci=ConfidenceInterval(low=1)), ""),
        (numerals.interval_text, Result(value=2, ci=ConfidenceInterval(high=3)), ""),
        (
            numerals.with_interval,
            Result(
                value=2,
                ci=ConfidenceInterval(1, 3),
            ),
            "2.00 [1.00, 3.00]",
        ),
        (numerals.with_interval, Result(value=2), "2.00"),
        (numerals.with_interval, Result(value=nan, reason="no rating"), "undefined: no rating"),
        (numerals.format_list, [], ""),
        (numerals.format_list, ["a"], "a"),
        (numerals.format_list, ["a", "b"], "a and b"),
        (numerals.format_list, ["a", "b", "c"], "a, b and c"),
        (numerals.format_short_list, NAMES[:12], ", ".join(NAMES[:11]) + " and s12"),
        (numerals.format_short_list, NAMES, ", ".join(NAMES[:8]) + " and 5 others"),
        (numerals.inside_sentence, "Fluency of all", "fluency of all"),
        (numerals.inside_sentence, "BLEU score", "BLEU score"),
    ],
)
def test_numbers_are_written(write: Callable[[Any], str], given: Any, text: str) -> None:
    assert write(given) == text


def test_counts_come_with_their_noun() -> None:
    assert numerals.format_count(1, "source") == "1 source"
    assert numerals.format_count(0, "source") == "0 sources"
    assert numerals.format_count(1200, "entry", "entries") == "1,200 entries"


def test_listed_or_counted_more_than_three_names_returns_their_number() -> None:
    assert numerals.listed_or_counted(NAMES[:3], "systems") == "s1, s2 and s3"
    assert numerals.listed_or_counted(NAMES[:4], "systems") == "4 systems"


def test_with_interval_coefficient_drops_the_leading_zero() -> None:
    estimate = Result(
        value=0.76,
        ci=ConfidenceInterval(0.68, 0.84),
    )
    assert numerals.with_interval(estimate, numerals.coefficient) == ".76 [.68, .84]"
