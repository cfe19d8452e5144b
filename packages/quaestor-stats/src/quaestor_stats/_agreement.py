"""The coefficients of agreement, for arrays of ratings and for tables with a row for each rating."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from inspect import Parameter, signature
from typing import Any

import numpy as np

from quaestor_stats._alpha import krippendorff_alpha
from quaestor_stats._cohen_kappa import Weights
from quaestor_stats._cohen_kappa import cohen_kappa as cohen_kappa_of_two
from quaestor_stats._fleiss import conger_kappa as conger_kappa_of_array
from quaestor_stats._fleiss import fleiss_kappa as fleiss_kappa_of_array
from quaestor_stats._fleiss import randolph_kappa as randolph_kappa_of_array
from quaestor_stats._gwet import gwet_ac as gwet_ac_of_array
from quaestor_stats._icc import Form, intraclass
from quaestor_stats._inputs import Labels, RatingScale
from quaestor_stats._percent_agreement import percent_agreement as percent_agreement_of_array
from quaestor_stats._resampling import Interval, Jackknife
from quaestor_stats._result import Result
from quaestor_stats._tables import RatingsTable, ratings_table
from quaestor_stats._version import VERSION

ArrayCoefficient = Callable[..., Result]
OF_TABLES = """

    A table with a row for each rating is taken, too: a pandas data frame, a mapping of columns or
    rows of a file. Then `unit`, `rater` and `value` name its columns, and `cluster` the column of
    what units share (as a rule the source or passage): the interval keeps a cluster together.
"""


def for_tables(symbol: str, compute: ArrayCoefficient, name: str) -> ArrayCoefficient:
    """Return a coefficient that takes a table of ratings as well as an array.

    Parameters
    ----------
    symbol : letter of the coefficient in its one-line text
    compute : function of an array (n_units, n_raters), with `clusters` (n_units,)
    name : public name
    """

    @wraps(compute)
    def coefficient(
        ratings: Any,
        *,
        unit: str | None = None,
        rater: str | None = None,
        value: str | None = None,
        cluster: str | None = None,
        **options: Any,
    ) -> Result:
        if unit is None or rater is None or value is None:
            return replace(compute(ratings, **options), symbol=symbol)
        words = options.get("level", "nominal") == "nominal" and "weights" not in options
        table = ratings_table(
            ratings, unit=unit, rater=rater, value=value, cluster=cluster, words=words
        )
        if table.categories is not None and "scale" in options:
            options["scale"] = np.arange(len(table.categories))
        result = compute(table.values, clusters=table.clusters, **options)
        chosen = {key: given for key, given in options.items() if isinstance(given, str)}
        return _described(result, table, symbol, name, chosen, cluster)

    coefficient.__name__ = coefficient.__qualname__ = name
    coefficient.__doc__ = (compute.__doc__ or "").rstrip() + OF_TABLES
    coefficient.__signature__ = _with_columns(compute)  # type: ignore[attr-defined]
    return coefficient


def _with_columns(compute: ArrayCoefficient) -> Any:
    own = signature(compute)
    names = ("unit", "rater", "value", "cluster")
    added = [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in names]
    return own.replace(parameters=[*own.parameters.values(), *added])


def _described(
    result: Result,
    table: RatingsTable,
    symbol: str,
    name: str,
    chosen: dict[str, str],
    cluster: str | None,
) -> Result:
    """Return a result with its choices in words and as a signature."""
    over = f"{result.clusters} {cluster}s" if result.clusters and cluster else "units"
    by_jackknife = f"jackknife over {over}" if "jackknife" in result.method else "F interval"
    interval = [by_jackknife] if result.ci.defined else []
    counts = f"{result.n} units, {len(table.raters)} raters"
    method = "; ".join([*chosen.values(), *interval, counts])
    choices = [f"{key}:{given}" for key, given in chosen.items()]
    choices.append(f"ci:jackknife:{cluster or 'unit'}")
    signature_of_result = "|".join([name, *choices, f"version:{VERSION}"])
    return replace(result, method=method, symbol=symbol, signature=signature_of_result)


def _cohen_of_array(
    ratings: Any,
    *,
    scale: RatingScale | None = None,
    weights: Weights = "unweighted",
    clusters: Labels | None = None,
    interval: Interval | None = Jackknife(),  # noqa: B008  frozen
) -> Result:
    """Return Cohen's kappa of the two columns of an array (n_units, 2).

    Parameters
    ----------
    ratings : (n_units, 2), nan where a rater did not rate a unit
    clusters : (n_units,) labels, optional
    scale : points of the scale; by default those that occur
    weights : "unweighted", "linear" or "quadratic"
    interval : `Jackknife`, `Bootstrap` or None

    Raises
    ------
    ValueError
        There are not exactly two raters.

    References
    ----------
    Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and Psychological
    Measurement 20, 37-46.

    Examples
    --------
    >>> ratings = np.array([[1.0, 1], [2, 1], [2, 2], [1, 1]])
    >>> round(_cohen_of_array(ratings, scale=[1, 2]).value, 2)
    0.5
    """
    array = np.asarray(ratings, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(
            f"Cohen's kappa is for two raters, and there are {array.shape[-1]}; "
            "fleiss_kappa and conger_kappa take more"
        )
    points = np.unique(array[~np.isnan(array)]) if scale is None else scale
    return cohen_kappa_of_two(
        array[:, 0],
        array[:, 1],
        scale=points,
        weights=weights,
        clusters=clusters,
        interval=interval,
    )


def _icc_of_array(ratings: Any, *, form: Form = "2,1", clusters: Labels | None = None) -> Result:
    """Return an intraclass correlation of Shrout and Fleiss.

    Parameters
    ----------
    ratings : (n_units, n_raters); units that a rater did not rate are not used
    form : "1,1", "2,1", "3,1", "1,k", "2,k" or "3,k"
    clusters : (n_units,) labels, optional

    References
    ----------
    Shrout, P. E. and Fleiss, J. L. (1979). Intraclass correlations: uses in assessing rater
    reliability. Psychological Bulletin 86, 420-428.

    Examples
    --------
    >>> ratings = np.array([[9.0, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6],
    ...                     [10, 5, 6, 9], [6, 2, 4, 7]])
    >>> round(_icc_of_array(ratings, form="2,1").value, 4)
    0.2898
    """
    return intraclass(ratings, forms=(form,), clusters=clusters)[form]


alpha = for_tables("α", krippendorff_alpha, "alpha")
fleiss_kappa = for_tables("κ", fleiss_kappa_of_array, "fleiss_kappa")
conger_kappa = for_tables("κ", conger_kappa_of_array, "conger_kappa")
cohen_kappa = for_tables("κ", _cohen_of_array, "cohen_kappa")
randolph_kappa = for_tables("κ", randolph_kappa_of_array, "randolph_kappa")
gwet_ac = for_tables("AC", gwet_ac_of_array, "gwet_ac")
icc = for_tables("ICC", _icc_of_array, "icc")
percent_agreement = for_tables("agreement", percent_agreement_of_array, "percent_agreement")
