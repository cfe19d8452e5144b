"""Systems compared by a model of the ratings, and how much of them is due to sources, questions and
annotators."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import nan

import numpy as np

from analysis.reports.cells import difference_cell
from analysis.reports.layout import Cell, PageTable
from analysis.reports.numerals import (
    MAX_NAMES,
    format_count,
    format_list,
    inside_sentence,
    is_defined,
    p_alone,
    two,
)
from analysis.reports.rows import TestedResult, row_field, table_row
from analysis.reports.system_names import system_name
from analysis.reports.table_engine import ReportColumn, ReportTable, draw
from analysis.sections.metrics.columns import averaged_criteria
from analysis.sections.section import Chance, Found, Inputs, Section
from analysis.sections.systems.system_comparisons import (
    SURE,
    SystemComparisons,
    SystemPair,
    comparison_families,
    deciding_pairs,
    is_compared,
)
from judging.protocols.protocol_schema import ProtocolCriterion
from quaestor_stats._multiplicity import holm
from quaestor_stats._reml import Unfit
from quaestor_stats._result import ConfidenceInterval, Result, undefined_result
from quaestor_stats._system_differences import CONTRAST, PERMUTATION
from quaestor_stats._system_pairs import DIFFERENCE
from quaestor_stats._variance_components import Components, Contrast

METHOD = "mixed model, REML"
ONE_ANNOTATOR = "one annotator cannot show how annotators differ"
SENSITIVITY = ("permutation test", "contrast within sources", "mixed model", "signed-rank test")
EFFECTS = {
    "source": "sources",
    "cluster": "clusters of sources",
    "source:system": "systems on sources",
    "question": "questions",
    "question:annotator": "annotators on questions",
    "annotator": "annotators",
    "annotator:system": "annotators on systems",
    "residual": "rest",
}


@table_row
class ModelRow:
    """A mean, a difference of two systems, or a variance, from the model of one criterion."""

    criterion: str = row_field("key of the criterion")
    effect: str = row_field(
        "mean of a system, difference of two systems' means, or the variance of what: clusters of "
        "sources, sources, systems on sources, questions (one system's on one source), annotators "
        "and annotators on systems (where annotators are declared random), annotators on questions "
        "(where they rated some twice), the rest"
    )
    first: str = row_field("the system, or the first of two")
    second: str = row_field("the other")
    estimate: TestedResult = row_field(
        "the mean, the difference, first minus second, or the variance"
    )
    p_holm: float = row_field(
        "p after Holm's correction over the pairs of the criterion, and of the criteria that the "
        "plan corrects together with it"
    )


class MixedModels(Section[ModelRow]):
    """The model's means and differences of systems and its variances, criterion by criterion, or why
    there are none.

    Sources and questions are random. Annotators are fixed, so that a difference is that for these
    annotators, unless the run declares them random.
    """

    key = "mixed_models"
    version = 3
    title = "Mixed model of systems"
    identity = ("criterion", "effect", "first", "second")
    by_reading = True
    note = (
        "A linear mixed model of the ratings with random effects of sources and of questions (the output of "
        "one system for one source), and of annotators if the run declares them random. It treats the steps "
        "of the scale as equal, and a system without outputs on hard sources gains by it: letters and sentences "
        "come from the differences within sources. p with Holm's correction over the same pairs as there. The "
        "variance components are below the table."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[ModelRow]:
        if inputs.settings["mixed_model"] == "never":
            return []
        of_criterion = {}
        for criterion in averaged_criteria(inputs.counted):
            chance.step(f"Mixed model of {criterion.key}")
            of_criterion[criterion.key] = list(_rows(inputs, criterion))
        rows: list[ModelRow] = []
        for family in comparison_families(list(of_criterion), inputs.declared):
            rows += _corrected([row for key in family for row in of_criterion[key]])
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        table = ReportTable[ModelRow](
            split="criterion",
            where=lambda row: row.effect == "difference" and row.estimate.defined,
            lines=("first", "second"),
            first="Systems",
            name=lambda row: f"{row.first} – {row.second}",
            columns=[
                ReportColumn("difference", lambda row: difference_cell(row.estimate)),
                ReportColumn("p", lambda row: Cell(p_alone(row.p_holm))),
            ],
            reasons=_remarks,
            folded=True,
        )
        return draw(table, found.of(MixedModels), found.names)

    def sentences(self, found: Found) -> Iterator[str]:
        yield from sensitivity(found)


def _remarks(rows: Sequence[ModelRow]) -> list[str]:
    """Return why numbers are missing, the variances, and what makes the numbers less sure."""
    reasons = {row.estimate.reason for row in rows} - {""}
    variances = [
        f"{row.effect} {two(row.estimate.value)}"
        for row in rows
        if row.effect.startswith("variance")
    ]
    cautions = dict.fromkeys(row.estimate.caution for row in rows if row.estimate.caution)
    return [*sorted(reasons), *variances, *cautions]


def sensitivity(found: Found) -> Iterator[str]:
    """Yield whether other tests agree with the one that compares two systems, for all pairs."""
    pairs = [
        pair
        for criterion in found.names
        for pair in deciding_pairs(found, criterion)
        if is_compared(pair)
    ]
    verdicts = [_verdicts(pair, found) for pair in pairs]
    tests = [name for name in SENSITIVITY if any(name in by_test for by_test in verdicts)]
    if len(tests) < 2:
        return
    disagreements = [
        _disagreement(pair, by_test, found)
        for pair, by_test in zip(pairs, verdicts, strict=True)
        if len(set(by_test.values())) > 1
    ]
    comparisons = format_count(len(pairs), "comparison of systems", "comparisons of systems")
    if disagreements:
        outcome = f"disagree on {len(disagreements)} of {comparisons}"
        if len(disagreements) <= MAX_NAMES:
            outcome += f": {format_list(disagreements)}"
    else:
        outcome = f"agree on {comparisons}" if len(pairs) == 1 else f"agree on all {comparisons}"
    yield f"Sensitivity: {format_list(tests)} (Holm, 5% level) {outcome}."


def _disagreement(pair: SystemPair, by_test: Mapping[str, bool], found: Found) -> str:
    systems = f"{system_name(pair.first)} and {system_name(pair.second)}"
    tests = format_list([name for name, differs in by_test.items() if differs])
    return f"{systems} on {inside_sentence(found.name_of(pair.criterion))} (significant by {tests} only)"


def _verdicts(pair: SystemPair, found: Found) -> dict[str, bool]:
    """Return whether each test finds a pair significantly different. Signed ranks and the permutation
    are tests only if the same annotators rated both systems on each source."""
    p_values = {}
    for row in found.on(SystemComparisons, pair.criterion):
        if (row.first, row.second) != (pair.first, pair.second):
            continue
        if row.test == CONTRAST:
            p_values["contrast within sources"] = row.p_holm
        elif row.test in (DIFFERENCE, "wilcoxon") and pair.p_from == PERMUTATION:
            name = "permutation test" if row.test == DIFFERENCE else "signed-rank test"
            p_values[name] = row.p_holm
    for model in found.on(MixedModels, pair.criterion):
        if (model.first, model.second) == (pair.first, pair.second):
            p_values["mixed model"] = model.p_holm
    return {name: p < SURE for name, p in p_values.items() if is_defined(p)}


def means_by_model(model: Components, inputs: Inputs) -> dict[str, Result]:
    """Return each system's mean by a model of the declared design."""
    means = {str(name): model.mean(name) for name in model.systems}
    if inputs.design.random_annotators and not model.random:
        return {
            name: replace(mean, ci=ConfidenceInterval(nan, nan), df=nan, reason=ONE_ANNOTATOR)
            for name, mean in means.items()
        }
    return means


def _rows(inputs: Inputs, criterion: ProtocolCriterion) -> Iterator[ModelRow]:
    slots, judgments = inputs.counted.slots, inputs.counted.judgments
    units = judgments[judgments["criterion"] == criterion.key]["unit"]
    if slots[slots["unit"].isin(units)]["system"].nunique() < 2:
        return
    try:
        model = inputs.models[criterion.key].components
    except Unfit as reason:
        yield _no_difference(criterion, str(reason))
        return
    for name, mean in means_by_model(model, inputs).items():
        yield ModelRow(criterion.key, "mean", name, "", mean, nan)
    if inputs.design.random_annotators and not model.random:
        yield _no_difference(criterion, ONE_ANNOTATOR)
    else:
        pairs = combinations(model.systems, 2)
        yield from _differences({pair: model.difference(*pair) for pair in pairs}, criterion)
    yield from _variances(model, criterion)


def _variances(model: Components, criterion: ProtocolCriterion) -> Iterator[ModelRow]:
    notes = "; ".join(model.notes)
    for name, value in model.variances.items():
        variance = Result(value=value, n=model.n, method=model.method, caution=notes)
        yield ModelRow(criterion.key, f"variance of {EFFECTS[name]}", "", "", variance, nan)


def _no_difference(criterion: ProtocolCriterion, reason: str) -> ModelRow:
    return ModelRow(criterion.key, "difference", "", "", undefined_result(METHOD, reason), nan)


def _differences(
    tests: Mapping[tuple[Hashable, Hashable], Contrast], criterion: ProtocolCriterion
) -> Iterator[ModelRow]:
    for (first, second), test in tests.items():
        yield ModelRow(criterion.key, "difference", str(first), str(second), test, nan)


def _corrected(rows: Sequence[ModelRow]) -> Iterator[ModelRow]:
    """Yield rows with the p of their differences after Holm's correction over all of them."""
    differences = [row.effect == "difference" for row in rows]
    p = np.array([row.estimate.pvalue for row in rows])
    for row, p_holm in zip(rows, holm(np.where(differences, p, nan)), strict=True):
        yield replace(row, p_holm=float(p_holm))
