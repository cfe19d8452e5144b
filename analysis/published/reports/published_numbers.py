"""The numbers of published studies: what each is called, and by what its values are listed."""

from collections.abc import Mapping

# By the name of a number: its name in words, and what each part of a value's path names.
NUMBERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "agreement": ("Agreement", ("criterion", "coefficient")),
    "aggregate": ("Aggregate, fatal rule on each rating", ("reading", "system")),
    "sums": ("Sum before the fatal rule", ("reading", "system", "criterion")),
    "fatal_rule": ("Aggregate", ("reading", "form", "system")),
    "mean_returned": ("Mean over returned questions", ("system", "criterion")),
    "returned": ("Questions returned", ("system",)),
    "spearman": ("Spearman's ρ", ("criterion", "metric")),
    "spearman_metrics": ("Spearman's ρ of two metrics", ("metric", "metric")),
    "spearman_criteria": ("Spearman's ρ of two criteria", ("criterion", "criterion")),
    "system_mean": ("Mean", ("system", "criterion")),
    "system_score": ("Mean score", ("system", "metric")),
    "metrics": ("Computed here beside the released column", ("metric", "difference")),
    "williams_p_two_sided": ("Williams' test, two-sided p", ("criterion", "metric", "metric")),
    "williams_p_one_sided": ("Williams' test, one-sided p", ("criterion", "metric", "metric")),
}
WORDS: Mapping[str, Mapping[str, str]] = {
    "criterion": {"total": "combined"},
    "coefficient": {
        "percent_agreement": "percent agreement",
        "krippendorff_alpha_nominal": "Krippendorff's α, nominal",
        "krippendorff_alpha_ordinal": "Krippendorff's α, ordinal",
        "krippendorff_alpha_interval": "Krippendorff's α, interval",
        "cohen_kappa_unweighted": "Cohen's κ, unweighted",
        "cohen_kappa_linear": "Cohen's κ, linear weights",
        "cohen_kappa_quadratic": "Cohen's κ, quadratic weights",
        "pearson": "Pearson's r",
        "spearman": "Spearman's ρ",
    },
    "reading": {"by_protocol": "by the protocol", "as_released": "as released"},
    "form": {
        "per_rating_all_remaining": "fatal rule on each rating, for all other criteria",
        "per_rating_named": "fatal rule on each rating, for named criteria only",
        "on_means_all_remaining": "fatal rule on means, for all other criteria",
        "on_means_named": "fatal rule on means, for named criteria only",
    },
    "difference": {
        "largest_difference": "largest difference",
        "within_1e-6": "share closer than 0.000001",
    },
}


def describe_path(
    path: str, *, criteria: Mapping[str, str], coefficients: Mapping[str, str]
) -> str:
    """Return a number's path in words: of criteria and coefficients their names by key, of systems
    and metrics the names they were released with.

    >>> called("agreement / fit / fleiss_kappa", criteria={"fit": "Fit"}, coefficients={})
    'Agreement: Fit, fleiss_kappa'
    """
    root, *parts = path.split(" / ")
    title, kinds = NUMBERS.get(root, (root, ()))
    named = {
        **WORDS,
        "criterion": {**WORDS["criterion"], **criteria},
        "coefficient": {**WORDS["coefficient"], **coefficients},
    }
    # a released name with " / " in it gives more parts than there are kinds: all stay unchanged
    if len(parts) == len(kinds):
        parts = [
            named.get(kind, {}).get(part, part) for kind, part in zip(kinds, parts, strict=True)
        ]
    return f"{title}: {', '.join(parts)}"
