"""The kinds of faults that tests must notice, each as one change of the source, with the test
that notices it.

`before` occurs exactly once in its file. The tests are those that `bench/mutants.py --named` runs
for the fault.
"""

from dataclasses import dataclass

GOLDEN = "tests/analysis/golden/test_tables.py::"
WIRING = "tests/analysis/golden/test_wiring.py::"


@dataclass(frozen=True)
class Named:
    """One kind of fault, its place, and the test that must fail."""

    kind: str
    path: str
    before: str
    after: str
    test: str


NAMED = (
    Named(
        "sign of severity",
        "analysis/sections/agreement/annotators.py",
        "severity=float(gaps[place])",
        "severity=-float(gaps[place])",
        f"{GOLDEN}test_annotators[qgstec2010-a]",
    ),
    Named(
        "sign of leave-one-out",
        "analysis/sections/agreement/annotators.py",
        "change = alpha.value - whole.value",
        "change = whole.value - alpha.value",
        f"{GOLDEN}test_annotators[qgbench]",
    ),
    Named(
        "sign of Cliff's delta",
        "packages/quaestor-stats/src/quaestor_stats/_paired_tests.py",
        "np.asarray(lower - float(others.size))",
        "np.asarray(float(others.size) - lower)",
        "packages/quaestor-stats/tests/test_comparing.py::test_cliffs_delta_counts_pairs",
    ),
    Named(
        "side of the t-test",
        "packages/quaestor-stats/src/quaestor_stats/_system_pairs.py",
        "two_sample_t(*questions)",
        "two_sample_t(*questions[::-1])",
        f"{GOLDEN}test_comparisons[qgstec2010-a]",
    ),
    Named(
        "per-source correlation negated",
        "packages/quaestor-stats/src/quaestor_stats/_source_correlations.py",
        "return ratios(*sums)\n",
        "return -ratios(*sums)\n",
        "tests/analysis/sections/metrics/test_correlations.py::test_correlations_on_each_source_are_the_mean_of_scipys",
    ),
    Named(
        "every metric at system level shown as the first one's",
        "packages/quaestor-stats/src/quaestor_stats/_associations.py",
        "answer.result((k, m), dropped=shared.dropped)",
        'answer.result((k, 0 if level == "systems" else m), dropped=shared.dropped)',
        f"{GOLDEN}test_metrics_against_people[qgbench]",
    ),
    Named(
        "Brennan-Prediger weights",
        "packages/quaestor-stats/src/quaestor_stats/_agreement_table.py",
        'weighted = _of(randolph_kappa, scale=scale, weights="quadratic")',
        'weighted = _of(randolph_kappa, scale=scale, weights="linear")',
        f"{GOLDEN}test_agreement[qgstec-plus]",
    ),
    Named(
        "probability of a band inverted",
        "packages/quaestor-stats/src/quaestor_stats/_verbal_labels.py",
        "(agreement.value - cut) / error",
        "(cut - agreement.value) / error",
        "packages/quaestor-stats/tests/test_reliability.py::test_band_of_a_value_far_above_its_cut_is_all_but_certain_and_far_below_all_but_impossible",
    ),
    Named(
        "variances of the mixed model swapped",
        "analysis/sections/systems/mixed_models.py",
        "for name, value in model.variances.items():",
        "for name, value in zip(model.variances, reversed(model.variances.values()), strict=True):",
        f"{GOLDEN}test_mixed_model[qgbench]",
    ),
    Named(
        "two p columns on the page swapped",
        "analysis/sections/systems/system_comparisons.py",
        'Cell(p_alone(other(row, "t_as_published").p_holm))',
        'Cell(p_alone(other(row, "wilcoxon").p_holm))',
        f"{GOLDEN}test_comparisons[qgbench]",
    ),
    Named(
        "a criterion's direction ignored",
        "analysis/sections/metrics/columns.py",
        'up = criterion.best != "lowest"',
        "up = True",
        f"{GOLDEN}test_metrics_against_people[qgstec2010-b]",
    ),
    Named(
        "n of another criterion",
        "analysis/sections/agreement/agreement.py",
        "under=partial(_sample, unit=run_facts(found).unit)",
        "under=lambda row: _sample(rows[0], unit=facts_of(found).unit)",
        f"{GOLDEN}test_agreement[qgeval]",
    ),
    Named(
        "letters by raw p",
        "analysis/sections/systems/system_comparisons.py",
        "return pair.p_holm < SURE",
        "return pair.estimate.p < SURE",
        f"{WIRING}test_letters_raw_and_corrected_p_disagree_follow_the_corrected_p",
    ),
    Named(
        "declaration of systems used for annotators",
        "analysis/sections/section.py",
        "annotators_random=self.design.random_annotators",
        "annotators_random=self.design.random_systems",
        f"{WIRING}test_mixed_model_systems_declared_random_keeps_annotators_fixed",
    ),
    Named(
        "published verdict used for passes",
        "analysis/sections/llm_judges/alternative_annotator_test.py",
        "passes=found.passed,",
        "passes=found.passed_items,",
        f"{WIRING}test_verdict_published_and_own_test_disagree_keeps_each_in_its_column",
    ),
    Named(
        "winning rate of the own test in the published column",
        "analysis/sections/llm_judges/alternative_annotator_test.py",
        "winning_rate_published=found.winning_rate_items",
        "winning_rate_published=found.winning_rate",
        f"{WIRING}test_verdict_published_and_own_test_disagree_keeps_each_in_its_column",
    ),
    Named(
        "corrected mean of all systems shown for each",
        "analysis/sections/llm_judges/prediction_powered_means.py",
        'part = (systems == system) | (system == "")',
        "part = np.ones(len(systems), dtype=bool)",
        f"{WIRING}test_corrected_means_of_two_systems_are_each_of_its_own_questions",
    ),
    Named(
        "percent unit of an imported metric ignored",
        "analysis/frames.py",
        'other = given.to_numpy("float64"), own.reindex(given.index).to_numpy("float64") * unit',
        'other = given.to_numpy("float64"), own.reindex(given.index).to_numpy("float64")',
        f"{WIRING}test_imported_percent_column_of_a_computed_fraction_is_excluded_as_its_double",
    ),
)
