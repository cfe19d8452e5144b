"""Agreement, correlation with human ratings and comparison of systems.

Functions take arrays, or tables with a row for each rating or question: a pandas data frame, a
mapping of columns, or rows as `csv.DictReader` gives them. Missing ratings are nan or blank.

Agreement     `alpha` `fleiss_kappa` `conger_kappa` `cohen_kappa` `randolph_kappa` `gwet_ac` `icc`
              `percent_agreement`
Metrics       `correlate` `compare_metrics` `williams` `human_ceiling` `pairwise_accuracy`
              `soft_pairwise_accuracy`
Systems       `compare_systems` `mixed_model` `letters` `ranks` `equivalence`
LLM judges    `alt_test` `prediction_powered_mean`
Planning      `power` `d_study`
Annotators    `dawid_skene` `many_facet`
Many tests    `holm` `benjamini_hochberg`

Modules with a leading underscore may change without notice.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quaestor_stats._agreement import (
        alpha,
        cohen_kappa,
        conger_kappa,
        fleiss_kappa,
        gwet_ac,
        icc,
        krippendorff_alpha,
        percent_agreement,
        randolph_kappa,
    )
    from quaestor_stats._dawid_skene import dawid_skene
    from quaestor_stats._design import Design
    from quaestor_stats._equivalence import two_one_sided as equivalence
    from quaestor_stats._judge_tables import alt_test, prediction_powered_mean
    from quaestor_stats._letters import letters
    from quaestor_stats._many_facet import annotator_severities as many_facet
    from quaestor_stats._metric_tables import (
        compare_metrics,
        correlate,
        human_ceiling,
        soft_pairwise_accuracy,
    )
    from quaestor_stats._multiplicity import benjamini_hochberg, holm
    from quaestor_stats._power import Variances, power
    from quaestor_stats._resampling import Bootstrap, Jackknife
    from quaestor_stats._result import ConfidenceInterval, Result
    from quaestor_stats._result_table import ResultTable
    from quaestor_stats._system_tables import compare_systems, d_study, mixed_model, ranks
    from quaestor_stats._tie_calibration import pairwise_accuracy
    from quaestor_stats._version import VERSION as __version__
    from quaestor_stats._williams import williams

__all__ = [
    "Bootstrap",
    "ConfidenceInterval",
    "Design",
    "Jackknife",
    "Result",
    "ResultTable",
    "Variances",
    "__version__",
    "alpha",
    "alt_test",
    "benjamini_hochberg",
    "cohen_kappa",
    "compare_metrics",
    "compare_systems",
    "conger_kappa",
    "correlate",
    "d_study",
    "dawid_skene",
    "equivalence",
    "fleiss_kappa",
    "gwet_ac",
    "holm",
    "human_ceiling",
    "icc",
    "krippendorff_alpha",
    "letters",
    "many_facet",
    "mixed_model",
    "pairwise_accuracy",
    "percent_agreement",
    "power",
    "prediction_powered_mean",
    "randolph_kappa",
    "ranks",
    "soft_pairwise_accuracy",
    "williams",
]

# A name is imported with its first use, so that importing the package takes no time
_NAMES_OF = {
    "_agreement": "alpha cohen_kappa conger_kappa fleiss_kappa gwet_ac icc krippendorff_alpha "
    "percent_agreement randolph_kappa",
    "_dawid_skene": "dawid_skene",
    "_design": "Design",
    "_equivalence": "equivalence",
    "_judge_tables": "alt_test prediction_powered_mean",
    "_letters": "letters",
    "_many_facet": "many_facet",
    "_metric_tables": "compare_metrics correlate human_ceiling soft_pairwise_accuracy",
    "_multiplicity": "benjamini_hochberg holm",
    "_power": "Variances power",
    "_resampling": "Bootstrap Jackknife",
    "_result": "ConfidenceInterval Result",
    "_result_table": "ResultTable",
    "_system_tables": "compare_systems d_study mixed_model ranks",
    "_tie_calibration": "pairwise_accuracy",
    "_version": "__version__",
    "_williams": "williams",
}
_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names.split()}
_RENAMED: dict[str, str] = {
    "equivalence": "two_one_sided",
    "many_facet": "annotator_severities",
    "__version__": "VERSION",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{_MODULE_OF[name]}")
    value = getattr(module, _RENAMED.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
