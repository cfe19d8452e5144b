"""LLM judges against annotators, for tables with a row for each item."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from quaestor_stats._alternative_annotator import AlternativeTest, alternative_test
from quaestor_stats._prediction_powered import corrected_mean
from quaestor_stats._result import Result
from quaestor_stats._tables import Table, labels, numeric_column


def alt_test(
    table: Table,
    *,
    annotators: Sequence[str],
    judge: str,
    level: str,
    epsilon: float,
    source: str | None = None,
) -> AlternativeTest:
    """Test whether an LLM judge may replace annotators.

    Parameters
    ----------
    table : data frame, mapping of columns, or rows of a file
        A row for each item.
    annotators : sequence of str
        Columns of the annotators' ratings, three or more; blank where one did not rate.
    judge : str
        Column of the judge's ratings.
    level : {"nominal", "ordinal", "interval"}
        Nominal values are compared for equality, others by their distance.
    epsilon : float
        What replacing an annotator may cost: .2 for experts, .15 skilled annotators, .1 crowd.
    source : str, optional
        Column of the source; the items of a source are kept together.

    Returns
    -------
    AlternativeTest
        ``passed``, ``winning_rate``, ``advantage`` (the average advantage probability, a `Result`)
        and ``people``, one test for each annotator.

    Raises
    ------
    ValueError
        A column is missing, a value is no number, or the level is unknown.

    References
    ----------
    Calderon, N., Reichart, R. and Dror, R. (2025). The alternative annotator test for
    LLM-as-a-judge. ACL.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.integers(1, 6, 200)
    >>> table = {name: truth + rng.integers(-1, 2, 200) for name in ("a", "b", "c", "judge")}
    >>> found = alt_test(
    ...     table, annotators=["a", "b", "c"], judge="judge", level="ordinal", epsilon=0.2)
    >>> found.passed, found.items
    (True, 200)
    """
    names = [*annotators, judge]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"column {twice[0]!r} is named twice among annotators and judge")
    return alternative_test(
        np.column_stack([numeric_column(table, name) for name in annotators]),
        numeric_column(table, judge),
        level=level,
        epsilon=epsilon,
        names=list(annotators),
        sources=None if source is None else labels(table, source),
    )


def prediction_powered_mean(
    table: Table, *, human: str, judge: str, source: str | None = None
) -> Result:
    """Estimate a mean human rating from many judgments of an LLM and few human ratings.

    Parameters
    ----------
    table : data frame, mapping of columns, or rows of a file
        A row for each item.
    human : str
        Column of the mean human rating, blank where no annotator rated the item. The rated items
        must be a random part.
    judge : str
        Column of the judge's ratings.
    source : str, optional
        Column of the source; the items of a source are kept together.

    Returns
    -------
    Result
        The corrected mean with its interval.

    Raises
    ------
    ValueError
        A column is missing or a value is no number.

    References
    ----------
    Angelopoulos, A. N., Duchi, J. C. and Zrnic, T. (2023). PPI++: Efficient prediction-powered
    inference. arXiv:2311.01453.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> judge = rng.normal(3, 1, 400)
    >>> human = judge - 0.5 + rng.normal(0, 0.3, 400)
    >>> human[100:] = np.nan
    >>> round(prediction_powered_mean({"h": human, "j": judge}, human="h", judge="j").value, 1)
    2.5
    """
    found = corrected_mean(
        numeric_column(table, human),
        numeric_column(table, judge),
        sources=None if source is None else labels(table, source),
    )
    return replace(found.corrected, symbol="mean")
