"""Agreement of the annotators on each criterion."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import nan
from typing import TYPE_CHECKING

from analysis.frames import Material
from analysis.reports import charts
from analysis.reports.cells import estimate_cell
from analysis.reports.evidence import ItemQuery
from analysis.reports.layout import Cell, Figure, PageTable, Plot
from analysis.reports.numerals import (
    coefficient,
    format_count,
    format_list,
    inside_sentence,
    interval_text,
    listed_or_counted,
    with_interval,
)
from analysis.reports.rows import row_field, table_row
from analysis.reports.table_engine import MISSING, Pivot, ReportColumn, ReportTable, draw
from analysis.sections.about import StudyFacts, run_facts
from analysis.sections.agreement.distributions import Distributions
from analysis.sections.criteria import CriterionRow, alpha_level, criterion_rows
from analysis.sections.metrics.columns import clusters_of
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.base.limits import MAX_RATING_CELLS
from judging.base.percentages import percent
from judging.protocols.protocol_schema import ProtocolCriterion, ProtocolDocument
from quaestor_stats._agreement_table import coefficients_of_ratings
from quaestor_stats._alpha import Level, krippendorff_alpha
from quaestor_stats._design import SOURCE, ClusterUnit
from quaestor_stats._inputs import FloatArray, Labels
from quaestor_stats._resampling import Jackknife
from quaestor_stats._result import Result
from quaestor_stats._verbal_labels import LOWEST, band

if TYPE_CHECKING:
    import pandas as pd

# Above this share of values forced by rules, agreement without them is reported too
MANY_FORCED = 0.01
SKEWED = 0.8  # share of the commonest value from which the report states it with alpha
NAMES = {
    "gwet_ac1": "Gwet's AC1",
    "gwet_ac2_linear": "Gwet's AC2, linear weights",
    "gwet_ac2_quadratic": "Gwet's AC2, quadratic weights",
    "randolph_kappa": "Randolph's κ",
    "brennan_prediger_quadratic": "Brennan–Prediger, quadratic weights",
    "conger_kappa": "Conger's κ",
    "conger_kappa_quadratic": "Conger's κ, quadratic weights",
    "fleiss_kappa": "Fleiss' κ",
    "icc_1,1": "ICC(1,1)",
    "icc_2,1": "ICC(2,1)",
    "icc_3,1": "ICC(3,1)",
    "icc_1,k": "ICC(1,k)",
    "icc_2,k": "ICC(2,k)",
    "icc_3,k": "ICC(3,k)",
}
KAPPAS = {"conger_kappa", "fleiss_kappa"}
# Our coefficient for one that a protocol's authors report: for two annotators Conger's κ
# is Cohen's κ
COMPUTED_FOR = {
    "krippendorff_alpha": "krippendorff_alpha",
    "fleiss_kappa": "fleiss_kappa",
    "cohen_kappa": "conger_kappa",
}


@table_row
class Coefficient:
    """One coefficient of agreement on one criterion."""

    criterion: str = row_field("key of the criterion")
    basis: str = row_field(
        '"all" judgments; "without forced values": those that no rule of the protocol set; or '
        '"once per set": of what is asked once per set, those of each set\'s first judged '
        "question"
    )
    coefficient: str = row_field("name of the coefficient")
    level: str = row_field("level of measurement at which it takes the values")
    estimate: Result = row_field("the coefficient")
    band: str = row_field("the word that its value reaches with 95% probability")
    band_probability: float = row_field("probability that agreement is in this band or above")
    reported: bool = row_field(
        "whether the protocol's authors report this coefficient", default=False
    )


class Agreement(Section[Coefficient]):
    """Every coefficient that a criterion's scale and design permit."""

    key = "agreement"
    leads = True
    title = "Agreement"
    identity = ("criterion", "basis", "coefficient", "level")
    beside = (("pairwise_kappa", "Pairs of annotators"),)
    note = (
        "Krippendorff's α with its 95% CI over sources: 1 is perfect agreement, 0 is what chance "
        "alone gives. Krippendorff accepts data from .800 on as reliable and from .667 on for tentative "
        "conclusions; the last column names a threshold if it is reached with a probability of 95%. "
        "Percent agreement is the share of equal pairs of ratings. κ is Cohen's for two annotators, else Fleiss'. A "
        "coefficient that the protocol's authors report has a column of its own; the files contain further "
        "coefficients."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[Coefficient]:
        rows: list[Coefficient] = []
        for criterion in inputs.said.protocol.criteria:
            reported = _reported(inputs.said.protocol, criterion)
            for basis, judgments in _bases(inputs.said, criterion):
                chance.step(f"Agreement on {criterion.key}")
                ratings = inputs.said.ratings(criterion.key, judgments=judgments)
                computed = of_table(
                    ratings.to_numpy(),
                    criterion,
                    clusters=clusters_of(inputs.said, ratings.index),
                    unit=inputs.said.cluster_unit,
                    basis=basis,
                )
                rows += [
                    replace(row, reported=(row.coefficient, row.level) in reported)
                    for row in computed
                ]
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        if not run_facts(found).judgments:
            return []  # nothing but dashes
        return [*_main_table(found), *_other_coefficients(found)]

    def figures(self, found: Found) -> list[Figure]:
        points = {
            each.name: row.estimate
            for each in criterion_rows(found)
            if (row := alpha_row(found, each)) and row.estimate.defined
        }
        chart = partial(
            charts.intervals, [("Krippendorff's α", points, None)], label="α with 95% CI"
        )
        alt = "Krippendorff's α of each criterion with its 95% CI"
        return [Figure("agreement", alt, chart)]

    def sentences(self, found: Found) -> Iterator[str]:
        rows = [(each, row) for each in criterion_rows(found) if (row := alpha_row(found, each))]
        if not rows or not run_facts(found).judgments:
            return
        known = sorted(
            (pair for pair in rows if pair[1].estimate.defined),
            key=lambda pair: -pair[1].estimate.value,
        )
        if known:
            study = run_facts(found)
            has_intervals = any(interval_text(row.estimate) for _each, row in known)
            method = " (95% CI, cluster jackknife)" if has_intervals else ""
            phrases = [
                f"{inside_sentence(each.name)} {with_interval(row.estimate, coefficient)}{_fewer(row, study)}"
                for each, row in known
            ]
            yield (
                f"Krippendorff's α over {format_count(study.annotators, 'annotator')} and "
                f"{study.sample}{method}: {'; '.join(phrases)}."
            )

    def caveats(self, found: Found) -> Iterator[str]:
        rows = [(each, row) for each in criterion_rows(found) if (row := alpha_row(found, each))]
        if not run_facts(found).judgments:
            return
        unrated = [inside_sentence(each.name) for each, row in rows if _is_unrated(row)]
        if unrated:
            yield f"No annotator rated {format_list(unrated)}."
        if below := [inside_sentence(each.name) for each, row in rows if row.estimate.ci.high < 0]:
            yield f"On {listed_or_counted(below, 'criteria')}, annotators agree less than chance alone would have them."
        if around := [
            inside_sentence(each.name)
            for each, row in rows
            if row.estimate.ci.low <= 0 <= row.estimate.ci.high
        ]:
            yield f"On {listed_or_counted(around, 'criteria')}, the 95% CI includes 0."
        yield from _undefined_and_skewed(found, [pair for pair in rows if not _is_unrated(pair[1])])

    def headline(self, found: Found) -> dict[str, Result]:
        return {
            f"{each.name}, α": row.estimate
            for each in criterion_rows(found)
            if (row := alpha_row(found, each))
        }

    def small_print(self, found: Found) -> list[str]:
        forced = [
            f"{coefficient(row.estimate.value)} on {inside_sentence(found.name_of(row.criterion))}"
            for each in criterion_rows(found)
            if (row := alpha_row(found, each, basis="without forced values"))
        ]
        told = [
            "A rule of the protocol set more than 1% of the judgments. Without these, α is "
            f"{format_list(forced)}."
        ]
        by_set = [
            f"{each.name} is asked once per set, and each question of the set has its rating; counted once "
            f"per set, α is {with_interval(row.estimate, coefficient)}, n = {row.estimate.n:,}."
            for each in criterion_rows(found)
            if (row := alpha_row(found, each, basis="once per set")) and row.estimate.defined
        ]
        return [*(told if forced else []), *by_set]


def _fewer(row: Coefficient, study: StudyFacts) -> str:
    """Return in words the number of sources of a coefficient, unless it is based on all."""
    own, unit = row.estimate.clusters, study.unit
    of = "them" if unit.is_source else f"the {unit.plural}"
    return f" (on {own:,} of {of})" if 0 < own < study.units else ""


def _is_unrated(row: Coefficient) -> bool:
    """Return whether no annotator gave a value on the row's criterion."""
    return not row.estimate.defined and not row.estimate.n and not row.estimate.dropped


def of_table(
    table: FloatArray,
    criterion: ProtocolCriterion,
    *,
    clusters: Labels | None = None,
    unit: ClusterUnit = SOURCE,
    basis: str = "all",
) -> Iterator[Coefficient]:
    """Yield every coefficient of a table of ratings (n_units, n_annotators).

    Intervals are jackknives over `clusters`, which are sources or groups of sources; without
    clusters the units count as independent.
    """
    scale = criterion.values()
    found = coefficients_of_ratings(
        table,
        scale=scale,
        level=criterion.level,
        clusters=clusters,
        unit=unit,
        by_annotator=table.size * len(scale) <= MAX_RATING_CELLS,
    )
    for name, level, estimate in found:
        yield _row(criterion, basis, name, level, estimate)


def alpha_of(material: Material, criterion: ProtocolCriterion) -> Result:
    """Return a criterion's alpha at the level of measurement that the report uses (`level_of`)."""
    ratings = material.ratings(criterion.key)
    return krippendorff_alpha(
        ratings.to_numpy(),
        level=level_of(criterion),
        scale=criterion.values(),
        clusters=clusters_of(material, ratings.index),
        interval=Jackknife(unit=material.cluster_unit),
    )


def level_of(criterion: ProtocolCriterion) -> Level:
    """Return the level of measurement of the reported alpha."""
    return alpha_level(criterion.level, points=len(criterion.values()))


def coefficient_row(
    found: Found, criterion: str, name: str, level: str, basis: str = "all"
) -> Coefficient | None:
    """Return one coefficient of one criterion."""
    wanted = (criterion, basis, name, level)
    for row in found.on(Agreement, criterion):
        if (row.criterion, row.basis, row.coefficient, row.level) == wanted:
            return row
    return None


def alpha_row(found: Found, criterion: CriterionRow, basis: str = "all") -> Coefficient | None:
    """Return the row of the alpha that the report states for a criterion."""
    level = criterion.alpha_level
    return coefficient_row(found, criterion.criterion, "krippendorff_alpha", level, basis)


def _row(
    criterion: ProtocolCriterion,
    basis: str,
    name: str,
    level: str,
    estimate: Result,
) -> Coefficient:
    reached = None
    if name == "krippendorff_alpha":
        reached = band(estimate, author="krippendorff")
    elif name != "percent_agreement" and not name.startswith("icc"):
        reached = band(estimate)
    return Coefficient(
        criterion=criterion.key,
        basis=basis,
        coefficient=name,
        level=level,
        estimate=estimate,
        band=reached.word if reached and reached.word not in LOWEST.values() else "",
        band_probability=reached.probability if reached else nan,
    )


def _reported(protocol: ProtocolDocument, criterion: ProtocolCriterion) -> set[tuple[str, str]]:
    """Return the coefficients, with their levels, that the protocol's authors report."""
    reported: set[tuple[str, str]] = set()
    for each in protocol.agreement:
        if each.statistic == "krippendorff_alpha":
            reported.add((each.statistic, each.level or level_of(criterion)))
        elif each.statistic in COMPUTED_FOR:
            reported.add((COMPUTED_FOR[each.statistic], "nominal"))
    return reported


def _bases(material: Material, criterion: ProtocolCriterion) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the judgments that agreement is computed on: all; without forced ones, if rules forced
    many; and one per set, if the criterion is asked once per set."""
    yield "all", material.judgments
    rows = material.judgments[material.judgments["criterion"] == criterion.key]
    forced = rows["origin"] == "rule"
    if len(rows) and forced.mean() > MANY_FORCED:
        yield "without forced values", rows[~forced]
    if len(rows) and criterion.asked == "once_per_set":
        judged = material.questions[material.questions["unit"].isin(rows["unit"])]
        first = judged.drop_duplicates("question_set")["unit"]
        yield "once per set", rows[rows["unit"].isin(first)]


def _main_table(found: Found) -> list[PageTable]:
    """Return α of each criterion, percent agreement, a κ, and the coefficients that the protocol's
    authors report."""
    rows = [row for criterion in criterion_rows(found) if (row := alpha_row(found, criterion))]
    ends = [end for row in rows for end in (row.estimate.ci.low, row.estimate.value)]
    start = -1.0 if any(end < 0 for end in ends) else 0.0
    has_two = run_facts(found).annotators == 2
    table = ReportTable[Coefficient](
        title="Agreement",
        lines="criterion",
        under=partial(_sample, unit=run_facts(found).unit),
        columns=[
            ReportColumn("α", partial(_alpha_cell, start=start)),
            ReportColumn("percent agreement", partial(_percent_cell, found=found)),
            *(
                ReportColumn(
                    _title(*place, has_two=has_two),
                    partial(_beside_cell, found=found, place=place),
                )
                for place in _beside_alpha(found)
            ),
        ],
        last=("threshold reached", lambda row: row.band),
        reasons=lambda rows: sorted({row.estimate.reason for row in rows} - {""}),
    )
    return draw(table, rows, found.names)


def _beside_alpha(found: Found) -> list[tuple[str, str]]:
    """Return the coefficients, with their levels, beside the α that the report shows: those that
    the protocol's authors report, and a κ."""
    beside: list[tuple[str, str]] = []
    for criterion in criterion_rows(found):
        for row in found.on(Agreement, criterion.criterion):
            place = row.coefficient, row.level
            is_shown = place == ("krippendorff_alpha", criterion.alpha_level)
            if row.reported and not is_shown and place not in beside:
                beside.append(place)
    if not KAPPAS & {coefficient for coefficient, _ in beside}:
        kappa = "conger_kappa" if run_facts(found).annotators == 2 else "fleiss_kappa"
        beside.append((kappa, "nominal"))
    return beside


def _title(coefficient: str, level: str, *, has_two: bool) -> str:
    """Return the name of a coefficient. Of two annotators Conger's κ is Cohen's."""
    if coefficient == "krippendorff_alpha":
        return f"α ({level})"
    return "Cohen's κ" if has_two and coefficient == "conger_kappa" else NAMES[coefficient]


def _sample(row: Coefficient, *, unit: ClusterUnit) -> str:
    """Return in words the level and the units that a coefficient rests on."""
    sample = f"{row.level}, n = {row.estimate.n:,}"
    clusters = row.estimate.clusters
    return f"{sample} on {unit.counted(clusters)}" if clusters else sample


def _alpha_cell(row: Coefficient, *, start: float) -> Cell:
    """Return a criterion's α on an axis from `start`."""
    return replace(
        estimate_cell(row.estimate, coefficient, with_n=False),
        plot=Plot.of(row.estimate, lowest=start, highest=1.0, zero=50 if start < 0 else None),
        items=ItemQuery(sort="disagreement", criterion=row.criterion),
    )


def _percent_cell(row: Coefficient, *, found: Found) -> Cell:
    equal = coefficient_row(found, row.criterion, "percent_agreement", "nominal")
    return Cell(percent(equal.estimate.value if equal else None))


def _beside_cell(row: Coefficient, *, found: Found, place: tuple[str, str]) -> Cell:
    other = coefficient_row(found, row.criterion, *place)
    return _cell(other) if other else MISSING


def _cell(row: Coefficient) -> Cell:
    if not row.estimate.defined:
        return MISSING
    return estimate_cell(row.estimate, coefficient, with_n=False)


def _other_coefficients(found: Found) -> list[PageTable]:
    """Return the coefficients that the main table lacks."""
    in_main_table = {name for name, _level in _beside_alpha(found)}
    names = [name for name in NAMES if name not in in_main_table]
    rows = [row for row in found.of(Agreement) if row.basis == "all"]
    reasons = {row.estimate.reason for row in rows if not row.estimate.defined}
    shown = [row for row in rows if row.coefficient in names]
    table = ReportTable[Coefficient](
        title="Other coefficients",
        lines="coefficient",
        name=lambda row: NAMES[row.coefficient],
        columns=Pivot("criterion", _cell),
        caption=(
            "κ takes the scale as categories unless weights are named; intraclass correlations take "
            "the scale's steps as equal. 95% CI, cluster jackknife."
        ),
        reasons=lambda _: sorted(reasons - {""}),
        folded=True,
    )
    return draw(table, sorted(shown, key=lambda row: names.index(row.coefficient)), found.names)


def _times_given(found: Found) -> tuple[dict[str, Counter[tuple[int, str]]], frozenset[str]]:
    """Return how often annotators gave each value of each criterion, with its label, and the
    criteria whose values are too many to be listed.

    Distributions count the values behind the systems' numbers. If the protocol's rules or
    adjudicated ratings overrule annotators, the annotators' use of the scale is counted instead.
    """
    study = run_facts(found)
    overruled = study.reading == "by_protocol" or study.adjudicated > 0
    table = "scale_use" if overruled else Distributions.key
    counts: dict[str, Counter[tuple[int, str]]] = defaultdict(Counter)
    for row in found.documents.get(table, []):
        counts[row["criterion"]][row["value"], row["label"]] += row["count"]
    unlisted = found.documents.get("omitted_tables", [])
    return counts, frozenset(row["part"] for row in unlisted if row["table"] == table)


def _undefined_and_skewed(
    found: Found, rows: Sequence[tuple[CriterionRow, Coefficient]]
) -> Iterator[str]:
    """Yield on which criteria alpha is undefined, and on which one value dominates the ratings."""
    given, unlisted = _times_given(found)
    for criterion, row in rows:
        if not row.estimate.defined:
            yield f"On {inside_sentence(criterion.name)}, α is undefined: {row.estimate.reason}."
        if criterion.criterion in unlisted:
            yield (
                "The report does not state whether one value dominates the ratings on "
                f"{inside_sentence(criterion.name)}, because the scale has too many values to list."
            )
        elif counts := given.get(criterion.criterion):
            yield from _skew(found, criterion, counts)


def _skew(found: Found, criterion: CriterionRow, counts: Counter[tuple[int, str]]) -> Iterator[str]:
    """Yield percent agreement and Gwet's AC1 if most ratings have the same value; no cause of a low
    alpha is given."""
    total = counts.total()
    if not total:
        return
    (value, label), most = max(counts.items(), key=lambda pair: pair[1])
    equal = coefficient_row(found, criterion.criterion, "percent_agreement", "nominal")
    gwet = coefficient_row(found, criterion.criterion, "gwet_ac1", "nominal")
    if most / total >= SKEWED and equal and gwet and equal.estimate.defined:
        told = f"{value} (“{label}”)" if label else str(value)
        yield (
            f"On {inside_sentence(criterion.name)}, {percent(most / total)} of ratings are {told}; "
            f"percent agreement is {percent(equal.estimate.value)}, and Gwet's AC1 is "
            f"{coefficient(gwet.estimate.value)}."
        )
