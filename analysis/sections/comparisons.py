"""Do systems differ? Every pair on every criterion by several tests, and letters that join systems
without a significant difference."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb, nan

import numpy as np

from analysis.frames import Material, aligned
from analysis.reports.evidence import ItemQuery
from analysis.reports.layout import Cell, Line, PageTable
from analysis.reports.numerals import (
    coefficient,
    counted,
    interval_text,
    known,
    listed,
    p_alone,
    signed,
)
from analysis.reports.rows import TestedResult
from analysis.reports.system_names import system_name
from analysis.sections.columns import averaged_criteria, units_of
from analysis.sections.criteria import criterion_rows
from analysis.sections.mixed_models import NOT_FITTED, MixedModels, ModelRow
from analysis.sections.section import Chance, Found, Inputs, Section
from analysis.sections.system_tests import NAMES, test_of
from judging.protocols.rubric_schema import RubricCriterion
from quaestor_stats._design import ClusterUnit
from quaestor_stats._inputs import FloatArray, Labels
from quaestor_stats._letters import letters
from quaestor_stats._multiplicity import benjamini_hochberg, holm
from quaestor_stats._paired_tests import (
    cliffs_delta,
    paired_permutation,
    smallest_p,
    two_sample_t,
    wilcoxon,
)
from quaestor_stats._result import ConfidenceInterval, Result
from quaestor_stats._system_means import by_source
from quaestor_stats._system_test import MIXED_MODEL, PERMUTATION

SURE = 0.05
NO_MODEL_TEST = "no test by the mixed model"
DEFAULT = PERMUTATION
TESTS = 4  # of each pair: permutation, Wilcoxon, t and Cliff's delta
# Swaps for each pair of systems: Holm multiplies the smallest p by the number of pairs
PER_PAIR = 100
PERMUTATIONS = 20_000
SIGNS_DRAWN = 200_000_000  # swaps x sources x pairs: some four seconds


@dataclass(frozen=True)
class SystemPair:
    """Two systems on one criterion under one test.

    criterion: key of the criterion
    test: permutation (paired, over sources), wilcoxon (signed ranks over sources), t_as_published (two-sample t of
      question means, which takes questions on one source as independent) or cliffs_delta (an effect, no test)
    first: one system
    second: the other
    estimate: the difference of means, first minus second; for Cliff's delta the delta
    floor: the smallest p that the permutation test can reach with these sources after Holm's
      correction; empty for the others
    p_holm: p after Holm's correction over the pairs of this criterion and test
    p_bh: p after Benjamini and Hochberg's correction over the same pairs
    """

    criterion: str
    test: str
    first: str
    second: str
    estimate: TestedResult
    floor: float
    p_holm: float
    p_bh: float


@dataclass(frozen=True)
class SystemLetters:
    """The letters of one system on one criterion: systems with one in common do not differ
      significantly.

    criterion: key of the criterion
    system: name of the system
    letters: its letters, a for the best; empty where a pair of systems has no test
    test: the test that compares the systems
    correction: correction over the pairs of the criterion
    level: level of the test after correction
    reason: why there are no letters
    """

    criterion: str
    system: str
    letters: str
    test: str
    correction: str
    level: float
    reason: str


@dataclass(frozen=True)
class SystemScores:
    """Systems' scores on one criterion: means on each source, and every question's mean."""

    criterion: RubricCriterion
    names: list[str]
    table: FloatArray  # (n_systems, n_sources), NaN where there is none
    questions: list[FloatArray]  # of each system
    clusters: Labels  # (n_sources,) cluster of each source
    unit: ClusterUnit

    @property
    def oriented(self) -> FloatArray:
        """Each system's mean over sources, sign-aligned so that high is best."""
        judged = ~np.isnan(self.table)
        total = np.nansum(self.table, axis=1) / np.maximum(judged.sum(axis=1), 1)
        means = np.where(judged.any(axis=1), total, np.nan)
        return -means if self.criterion.best == "lowest" else means


class Comparisons(Section[SystemPair]):
    """Every pair of systems under every test.

    The paired permutation test over sources compares the systems unless the mixed model does
    (`system_tests`). The two-sample t of question means is there for papers that print it: it takes
    questions on one source as independent.
    """

    key = "comparisons"
    listed = True
    title = "System comparisons"
    identity = ("criterion", "test", "first", "second")
    by_reading = True
    note = (
        "All pairs of systems; p with Holm's correction over the pairs of a criterion. The letters in the table of "
        "systems come from the test whose p is bold below .05. The two-sample t test is given for comparison with "
        "published results only: it treats the questions of two systems on one source as independent. If the mixed "
        "model compares the systems, the other tests are given for comparison only too: they treat annotators as "
        "fixed and equally allocated."
    )

    def sizes(self, inputs: Inputs) -> dict[str, int]:
        return {
            each.criterion.key: TESTS * comb(len(each.names), 2)
            for each in scores_of(inputs.counted)
        }

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[SystemPair]:
        rows: list[SystemPair] = []
        left_out = found.left_out(Comparisons)
        for each in scores_of(inputs.counted):
            if each.criterion.key in left_out:
                continue
            chance.step(f"Comparing systems on {each.criterion.key}")
            pairs = list(_pairs(each, chance))
            for test in dict.fromkeys(row.test for row in pairs):
                rows += _adjusted([row for row in pairs if row.test == test])
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        return [
            table
            for criterion in criterion_rows(found)
            if (table := _table(found, criterion.criterion, criterion.name))
        ]


class Groups(Section[SystemLetters]):
    """Each system's letters on each criterion, best mean first: systems that share one do not differ
    significantly."""

    key = "groups"
    title = "Groups of systems without a significant difference"
    identity = ("criterion", "system")
    by_reading = True

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[SystemLetters]:
        rows: list[SystemLetters] = []
        left_out = found.left_out(Comparisons)
        for each in scores_of(inputs.counted):
            key = each.criterion.key
            if key in left_out:  # no test says who shares a letter
                continue
            test, reason = test_of(found, key), _no_letters_because(found, key)
            place = {name: number for number, name in enumerate(each.names)}
            differ = {
                (place[row.first], place[row.second])
                for row in deciding_pairs(found, key)
                if differs(row)
            }
            means = _means_of_model(found, each) if test.name == MIXED_MODEL else each.oriented
            given = [""] * len(each.names) if reason else letters(means, differ)
            rows += [
                SystemLetters(key, name, own, test.name, "holm", SURE, reason)
                for name, own in zip(each.names, given, strict=True)
            ]
        return rows


def _means_of_model(found: Found, scores: SystemScores) -> FloatArray:
    """Return the model's mean of each system, sign-aligned so that high is best."""
    rows = found.on(MixedModels, scores.criterion.key)
    means = {row.first: row.estimate.value for row in rows if row.effect == "mean"}
    found_means = np.array([means.get(name, nan) for name in scores.names])
    return -found_means if scores.criterion.best == "lowest" else found_means


def deciding_pairs(found: Found, criterion: str) -> Sequence[SystemPair | ModelRow]:
    """Return the pairs of systems under the test that compares them on a criterion: letters, bold
    type and sentences come from these alone."""
    if test_of(found, criterion).name == MIXED_MODEL:
        model = found.on(MixedModels, criterion)
        return [row for row in model if row.effect == "difference" and row.first]
    return [row for row in found.on(Comparisons, criterion) if row.test == PERMUTATION]


def differs(pair: SystemPair | ModelRow) -> bool:
    """Return whether two systems differ significantly after Holm's correction."""
    return pair.p_holm < SURE


def is_compared(pair: SystemPair | ModelRow) -> bool:
    """Return whether the test that compares the systems has a result for this pair."""
    return known(pair.p_holm)


def not_compared_because(pair: SystemPair | ModelRow) -> str:
    """Return why no test compares a pair of systems."""
    if isinstance(pair, ModelRow):
        return pair.estimate.reason or NO_MODEL_TEST
    return "no common source" if pair.estimate.n == 0 else "only one common source"


def no_letters_because(found: Found, criterion: str) -> str:
    """Return why the systems have no letters on a criterion; empty where they have some."""
    return next((row.reason for row in found.on(Groups, criterion)), "")


def untested_because(found: Found, criterion: str) -> str:
    """Return why no test compares any two systems on a criterion; empty if one compares some."""
    if any(map(is_compared, deciding_pairs(found, criterion))):
        return ""
    return no_letters_because(found, criterion)


def _no_letters_because(found: Found, criterion: str) -> str:
    """Return why letters would say something untrue of a pair on a criterion: a letter in common
    says that two systems do not differ significantly, and none that they do."""
    pairs = deciding_pairs(found, criterion)
    without = [row for row in pairs if not is_compared(row)]
    if len(without) == len(pairs) and test_of(found, criterion).name == MIXED_MODEL:
        rows = [row for row in found.on(MixedModels, criterion) if row.effect == "difference"]
        return rows[0].estimate.reason if rows else NOT_FITTED
    if not without:
        return ""
    reasons = listed(list(dict.fromkeys(map(not_compared_because, without))))
    if len(without) == len(pairs):
        return f"the systems are not compared: {reasons}"
    if len(without) == 1:
        both = listed([system_name(name) for name in (without[0].first, without[0].second)])
        return f"no letters, because {both} are not compared: {reasons}"
    return f"no letters, because {counted(len(without), 'pair')} of systems are not compared: {reasons}"


def _table(found: Found, criterion: str, name: str) -> PageTable | None:
    """Return every pair on one criterion; None where there is none."""
    by_pair: dict[tuple[str, str], dict[str, SystemPair]] = {}
    for row in found.on(Comparisons, criterion):
        by_pair.setdefault((row.first, row.second), {})[row.test] = row
    if not by_pair:
        return None
    decides_by_model = test_of(found, criterion).name == MIXED_MODEL
    model = {(row.first, row.second): row for row in deciding_pairs(found, criterion)}
    cautions = _cautions(found, criterion)
    lines, reasons = [], set()
    for pair, tests in by_pair.items():
        deciding = model.get(pair) if decides_by_model else tests[DEFAULT]
        line = _line(" – ".join(pair), tests, deciding, by_model=decides_by_model)
        under = cautions.get(pair, "")
        if deciding and not is_compared(deciding):
            under = f"not compared: {not_compared_because(deciding)}"
        lines.append(replace(line, under=under))
        estimates = [row.estimate for row in tests.values()]
        estimates += [deciding.estimate] if deciding else []
        reasons |= {each.reason for each in estimates if not each.defined and each.reason}
    heads = [
        "difference",
        "sources",
        "p permutation",
        "p Wilcoxon",
        "Cliff's δ",
        "p two-sample t",
    ]
    notes = ["", "in common", "", "", "", "as published"]
    if decides_by_model:
        heads.insert(2, "p mixed model")
        notes = ["", "in common", "", "as published", "as published", "", "as published"]
    reason = no_letters_because(found, criterion)
    if reason:
        reasons.add(reason)
    source = "p in bold comes" if reason else "The letters come"
    return PageTable(
        name,
        heads,
        lines,
        first="Systems",
        notes=notes,
        caption=f"{source} from the {NAMES[test_of(found, criterion).name]}.",
        reasons=sorted(reasons),
        folded=True,
    )


def scores_of(material: Material) -> Iterator[SystemScores]:
    """Yield the scores on every criterion that may be averaged and that two systems or more were
    judged on."""
    import pandas as pd

    for criterion in averaged_criteria(material):
        units = units_of(material, criterion)
        values = aligned(units["unit"], material.human(criterion.key))
        judged = ~np.isnan(values)
        system, source = units["system"].to_numpy()[judged], units["source"].to_numpy()[judged]
        if len(pd.unique(system)) > 1:
            table, names, sources = by_source(values[judged], systems=system, sources=source)
            cluster_of = dict(
                zip(units["source"], material.clusters.loc[units["unit"]], strict=True)
            )
            clusters = [cluster_of[each] for each in sources]
            questions = [values[judged][system == name] for name in names]
            yield SystemScores(
                criterion,
                [str(name) for name in names],
                table,
                questions,
                clusters,
                material.cluster_unit,
            )


def _pairs(each: SystemScores, chance: Chance) -> Iterator[SystemPair]:
    pairs = list(combinations(range(len(each.names)), 2))
    swaps = swaps_for(len(pairs), each.table.shape[1], chance.resamples)
    judged = ~np.isnan(each.table)
    clusters = None if each.unit.is_source else each.clusters
    # Holm corrects over these alone
    tested = sum(int(np.sum(judged[i] & judged[j])) > 1 for i, j in pairs)
    for i, j in pairs:
        one, two = each.table[i], each.table[j]
        permuted = paired_permutation(
            one, two, rng=chance.rng, clusters=clusters, unit=each.unit, resamples=swaps
        )
        floor = (
            smallest_p(permuted.clusters or permuted.n, pairs=tested, resamples=swaps)
            if known(permuted.pvalue)
            else nan
        )
        for test, estimate in (
            (DEFAULT, permuted),
            ("wilcoxon", wilcoxon(one, two, clusters=clusters)),
            ("t_as_published", two_sample_t(each.questions[i], each.questions[j])),
            ("cliffs_delta", _untested(cliffs_delta(one, two, clusters=clusters, unit=each.unit))),
        ):
            names = (each.names[i], each.names[j])
            lowest = floor if test == DEFAULT else nan
            yield SystemPair(each.criterion.key, test, *names, estimate, lowest, nan, nan)


def _untested(effect: Result) -> Result:
    return Result(
        value=effect.value,
        ci=ConfidenceInterval(effect.ci.low, effect.ci.high),
        n=effect.n,
        dropped=effect.dropped,
        clusters=effect.clusters,
        method=effect.method,
        reason=effect.reason,
    )


def swaps_for(pairs: int, sources: int, asked: int) -> int:
    """Return how many swaps to draw: enough for Holm's correction over the pairs, within bounded
    time."""
    affordable = SIGNS_DRAWN // max(1, pairs * sources)
    return max(100, min(max(asked, PER_PAIR * pairs), PERMUTATIONS, affordable))


def _adjusted(rows: Sequence[SystemPair]) -> list[SystemPair]:
    p = np.array([row.estimate.pvalue for row in rows])
    return [
        replace(row, p_holm=float(of_holm), p_bh=float(of_bh))
        for row, of_holm, of_bh in zip(rows, holm(p), benjamini_hochberg(p), strict=True)
    ]


def _cautions(found: Found, criterion: str) -> dict[tuple[str, str], str]:
    """Return a caution for each significant pair of systems whose difference few sources carry."""
    return {
        (row["first"], row["second"]): f"{row['carried_by']} of {row['units']:,} carry it"
        for row in found.documents.get("few_sources", [])
        if row["criterion"] == criterion
    }


def _line(
    name: str,
    tests: dict[str, SystemPair],
    deciding: SystemPair | ModelRow | None,
    *,
    by_model: bool,
) -> Line:
    """Return a pair of systems under every test; `deciding` is the one the letters come from."""
    permuted, delta = tests[DEFAULT], tests["cliffs_delta"].estimate
    of_test = [Cell(p_alone(deciding.p_holm), best=differs(deciding))] if deciding else [Cell("–")]
    others = [permuted, tests["wilcoxon"]] if by_model else [tests["wilcoxon"]]
    query = ItemQuery(
        sort="loss",
        criterion=permuted.criterion,
        system=permuted.first,
        against=permuted.second,
    )
    return Line(
        name,
        [
            Cell(
                signed(deciding.estimate.value) if deciding else "–",
                interval_text(deciding.estimate) if deciding else "",
                items=query if permuted.first and permuted.second else None,
            ),
            Cell(f"{permuted.estimate.n:,}"),
            *of_test,
            *(Cell(p_alone(each.p_holm)) for each in others),
            # its interval takes annotators as fixed and equally allocated
            Cell(coefficient(delta.value), "" if by_model else interval_text(delta, coefficient)),
            Cell(p_alone(tests["t_as_published"].p_holm)),
        ],
    )
