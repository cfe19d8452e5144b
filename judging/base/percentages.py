"""The one format of shares, and of differences, on pages and in reports."""

from math import isnan


def percent(share: float | None) -> str:
    """Write a share in whole percents; 0 and 100 only where it is none, or all.

    >>> [percent(share) for share in (0, 0.001, 0.126, 0.999, 1, None)]
    ['0%', '< 1%', '13%', '> 99%', '100%', '–']
    """
    if share is None or isnan(share):
        return "–"
    if 0 < share <= 0.005:
        return "< 1%"
    return "> 99%" if 0.995 <= share < 1 else f"{100 * share:.0f}%"


def format_difference(number: float | None) -> str:
    """Write a difference with its sign, and a true minus sign.

    >>> [format_difference(number) for number in (0.5, -0.5, -0.001, None)]
    ['+0.50', '−0.50', '0.00', '–']
    """
    if number is None:
        return "–"
    text = f"{number:+.2f}".replace("-", "−")
    return "0.00" if text[1:] == "0.00" else text
