"""The coefficients of agreement, for arrays of ratings and for tables with a row for each rating."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from inspect import Parameter, Signature, getdoc, signature
from typing import Any

import numpy as np

from quaestor_stats._alpha import krippendorff_alpha as alpha_of_array
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
from quaestor_stats._tables import RatingsTable, is_table, ratings_table
from quaestor_stats._version import VERSION

ArrayCoefficient = Callable[..., Result]
TABLE_PARAMETERS = """\
unit, rater, value : str, optional
    Columns of the unit, the rater and the rating, if ``ratings`` is a table with a row for each
    rating: a pandas data frame, a mapping of columns, or rows of a file. Give all three.
cluster : str, optional
    Column of what units share, as a rule the source or passage. The interval then leaves out whole
    clusters. It replaces ``clusters`` if ``ratings`` is a table. ValueError is raised if a table
    lacks a column."""
RETURNS = "\n\nReturns\n-------\n"


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
        if not is_table(ratings):
            if any(name is not None for name in (unit, rater, value, cluster)):
                raise ValueError(
                    "unit, rater, value and cluster name columns of a table, and ratings are an "
                    "array; for an array give clusters, a label for each unit"
                )
            return _at_level(replace(compute(ratings, **options), symbol=symbol), options)
        if unit is None or rater is None or value is None:
            raise ValueError("ratings are a table: name its columns unit, rater and value")
        words = _takes_words(options)
        table = ratings_table(
            ratings, unit=unit, rater=rater, value=value, cluster=cluster, words=words
        )
        if table.categories is not None and "scale" in options:
            options["scale"] = np.arange(len(table.categories))
        result = _at_level(compute(table.values, clusters=table.clusters, **options), options)
        chosen = {key: given for key, given in options.items() if isinstance(given, str)}
        return _described(result, table, symbol, name, chosen, cluster)

    coefficient.__name__ = coefficient.__qualname__ = name
    coefficient.__doc__ = _with_table_parameters(compute)
    coefficient.__signature__ = _with_columns(compute)  # type: ignore[attr-defined]
    return coefficient


def _at_level(result: Result, options: Mapping[str, Any]) -> Result:
    """Return a result whose interval names the level that was asked for."""
    interval = options.get("interval")
    if interval is None:
        return result
    return replace(result, ci=result.ci._replace(level=interval.confidence))


def _takes_words(options: Mapping[str, Any]) -> bool:
    """Return whether ratings may be words: only if no distance between values counts."""
    return options.get("level", "nominal") == "nominal" and "weights" not in options


def _with_table_parameters(compute: ArrayCoefficient) -> str:
    """Return the docstring with the columns of a table at the end of its parameters."""
    parameters, returns, rest = (getdoc(compute) or "").partition(RETURNS)
    return f"{parameters}\n{TABLE_PARAMETERS}{returns}{rest}"


def _with_columns(compute: ArrayCoefficient) -> Signature:
    """Return the signature with the columns of a table at its end."""
    of_array = signature(compute)
    names = ("unit", "rater", "value", "cluster")
    added = [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in names]
    return of_array.replace(parameters=[*of_array.parameters.values(), *added])


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
    kinds = [kind for kind in ("jackknife", "bootstrap") if kind in result.method]
    kind = kinds[0] if kinds else "F"
    interval = [f"{kind} over {over}" if kinds else "F interval"] if result.ci.defined else []
    counts = f"{result.n} units, {len(table.raters)} raters"
    method = "; ".join([*chosen.values(), *interval, counts])
    choices = [f"{key}:{given}" for key, given in chosen.items()]
    if result.ci.defined:
        choices.append(f"ci:{kind}:{cluster or 'unit'}:{result.ci.level:g}")
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
    """Return Cohen's kappa, or weighted kappa, of two raters.

    Parameters
    ----------
    ratings : array-like (n_units, 2)
        nan where a rater did not rate a unit; only units with both ratings are used.
    scale : sequence of float, optional
        Every point of the scale; by default the values that occur.
    weights : {"unweighted", "linear", "quadratic"}
        Whether near ratings agree in part. Linear weights fall with the distance of two points of
        the scale, quadratic weights with its square.
    clusters : sequence of labels (n_units,), optional
        What units share, as a rule the source. The interval then leaves out whole clusters.
    interval : Jackknife, Bootstrap or None
        How to compute the confidence interval; None computes none.

    Returns
    -------
    Result
        Kappa, at most 1; ``n`` counts the units with both ratings. It is undefined if both raters
        use the same single value.

    Raises
    ------
    ValueError
        There are not exactly two raters, the ratings are no table of numbers, a rating is not on
        the scale, or the weights are unknown.

    References
    ----------
    Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and Psychological
    Measurement 20, 37-46.

    Cohen, J. (1968). Weighted kappa: nominal scale agreement with provision for scaled disagreement
    or partial credit. Psychological Bulletin 70, 213-220.

    Examples
    --------
    Cohen's (1960) table of 200 units, which gives .492.

    >>> cells = [(first, second) for first in (1, 2, 3) for second in (1, 2, 3)]
    >>> ratings = np.repeat(cells, [88, 14, 18, 10, 40, 10, 2, 6, 12], axis=0)
    >>> round(cohen_kappa(ratings).value, 3)
    0.492
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
    ratings : array-like (n_units, n_raters)
        nan where a rater did not rate a unit; only units that every rater rated are used. A rater
        without any rating does not count.
    form : {"1,1", "2,1", "3,1", "1,k", "2,k", "3,k"}
        First the model: "1" if raters differ from unit to unit, "2" if they are a sample, so that
        their severity counts as error, "3" for these raters without their severity. Then whether
        one rater's rating ("1") or the mean of all ("k") is used.
    clusters : sequence of labels (n_units,), optional
        What units share, as a rule the source. The interval then leaves out whole clusters.

    Returns
    -------
    Result
        The correlation with the F interval of McGraw and Wong, which takes units as independent;
        with clusters, a jackknife over clusters. It is undefined if the ratings do not vary.

    Raises
    ------
    ValueError
        The ratings are no table of numbers, or the form is unknown.

    References
    ----------
    Shrout, P. E. and Fleiss, J. L. (1979). Intraclass correlations: uses in assessing rater
    reliability. Psychological Bulletin 86, 420-428.

    McGraw, K. O. and Wong, S. P. (1996). Forming inferences about some intraclass correlation
    coefficients. Psychological Methods 1, 30-46.

    Examples
    --------
    Shrout and Fleiss' (1979) six targets and four judges.

    >>> ratings = np.array([[9.0, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6],
    ...                     [10, 5, 6, 9], [6, 2, 4, 7]])
    >>> round(icc(ratings, form="2,1").value, 4)
    0.2898
    """
    return intraclass(ratings, forms=(form,), clusters=clusters)[form]


alpha = for_tables("α", alpha_of_array, "alpha")
krippendorff_alpha = for_tables("α", alpha_of_array, "krippendorff_alpha")
fleiss_kappa = for_tables("Fleiss' κ", fleiss_kappa_of_array, "fleiss_kappa")
conger_kappa = for_tables("Conger's κ", conger_kappa_of_array, "conger_kappa")
cohen_kappa = for_tables("Cohen's κ", _cohen_of_array, "cohen_kappa")
randolph_kappa = for_tables("Randolph's κ", randolph_kappa_of_array, "randolph_kappa")
gwet_ac = for_tables("Gwet's AC", gwet_ac_of_array, "gwet_ac")
icc = for_tables("ICC", _icc_of_array, "icc")
percent_agreement = for_tables("agreement", percent_agreement_of_array, "percent_agreement")
