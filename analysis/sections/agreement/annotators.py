"""The annotators themselves: severity, use of the scale, straight-lining, and what agreement is
without each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from analysis.frames import Material, hidden_repeats
from analysis.reports.evidence import ItemQuery
from analysis.reports.layout import Bar, Cell, PageTable
from analysis.reports.numerals import format_signed, or_dash
from analysis.reports.rows import row_field, table_row
from analysis.reports.table_engine import MISSING, ReportColumn, ReportTable, draw
from analysis.sections.agreement.agreement import level_of
from analysis.sections.criteria import Criteria
from analysis.sections.metrics.columns import clusters_of
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.base.percentages import percent
from judging.protocols.protocol_schema import ProtocolCriterion
from quaestor_stats._alpha import Level, krippendorff_alpha
from quaestor_stats._cohen_kappa import WEIGHTS, kappa_matrix
from quaestor_stats._inputs import FloatArray, Labels
from quaestor_stats._raters import leave_one_out, scale_use, severity, with_the_others
from quaestor_stats._resampling import Jackknife
from quaestor_stats._result import Result, undefined_result

if TYPE_CHECKING:
    import pandas as pd

MANY_POINTS = 12  # points of a scale up to which its use is drawn
NO_REPEATS = "not assessed: no question was shown to the same annotator twice"
NO_BETTER_END = "the values have no better end and are not averaged"
NO_ORDER = "not known: imported ratings have no order"


@table_row
class AnnotatorRow:
    """One annotator on one criterion."""

    criterion: str = row_field("key of the criterion")
    annotator: str = row_field("label of the annotator")
    n: int = row_field("values given")
    mean: float = row_field("mean value given; empty where the values may not be averaged")
    severity: float = row_field(
        "mean distance from the others' mean on the same units; below 0 is harsh where high is best"
    )
    shared: int = row_field("units that others judged too")
    top_share: float = row_field("share of the value given most often")
    longest_run: int | None = row_field(
        "most equal values in a row, in the order submitted; empty for imported ratings"
    )
    run_reason: str = row_field("why there is no longest run")
    rho_with_others: float = row_field("Spearman's rho with the mean of the others")
    rho_reason: str = row_field("why that is undefined")


@table_row
class ScaleUseRow:
    """Number of times that one annotator gave one point of a scale."""

    criterion: str = row_field("key of the criterion")
    annotator: str = row_field("label of the annotator")
    value: int = row_field("the point")
    label: str = row_field("its label")
    count: int = row_field("times it was given")
    share: float = row_field("its share of the annotator's values")


@table_row
class LeftOut:
    """Agreement without one annotator."""

    criterion: str = row_field("key of the criterion")
    without: str = row_field("label of the left-out annotator")
    level: str = row_field("level of measurement at which alpha takes the values")
    alpha: Result = row_field("Krippendorff's alpha of the others")
    change: float = row_field(
        "that alpha minus the alpha of all; above 0 the others agree better without this annotator"
    )


@table_row
class PairKappa:
    """Cohen's kappa of two annotators over the units both judged."""

    criterion: str = row_field("key of the criterion")
    weights: str = row_field("unweighted, linear or quadratic")
    first: str = row_field("label of one annotator")
    second: str = row_field("label of the other")
    value: float = row_field("kappa")
    n: int = row_field("units both judged")


@table_row
class RepeatRow:
    """Intra-annotator agreement on questions shown twice."""

    criterion: str = row_field("key of the criterion")
    estimate: Result = row_field("the agreement, or why there is none")


class Annotators(Section[AnnotatorRow]):
    """Each annotator's judgments, mean, severity, straight-lining and correlation with the
    others."""

    key = "annotators"
    title = "Annotators"
    identity = ("criterion", "annotator")
    people = ("annotator",)
    beside = (
        ("scale_use", "Use of the scale"),
        ("agreement_without_each", "Without each annotator"),
    )
    note = (
        "Severity is the mean difference from the other annotators on the same questions; if high is best, an "
        "annotator below 0 is severe. A long run of one value may indicate straight-lining, or questions of equal "
        "quality."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[AnnotatorRow]:
        rows: list[AnnotatorRow] = []
        for criterion in inputs.said.protocol.criteria:
            chance.step(f"Annotators on {criterion.key}")
            rows += _annotator_rows(inputs.said, criterion)
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        levels = {row.criterion: row.alpha_level for row in found.of(Criteria)}
        without = {
            (row.criterion, row.without): row.alpha.value for row in found.of(AgreementWithoutEach)
        }
        use = _use_by_annotator(found)
        table = ReportTable[AnnotatorRow](
            split="criterion",
            lines="annotator",
            columns=lambda rows: [
                *COLUMNS,
                ReportColumn(
                    f"{levels[rows[0].criterion]} α without",
                    lambda row: Cell(or_dash(without.get((row.criterion, row.annotator)))),
                ),
                ReportColumn("use of the scale", partial(_use_cell, use=use)),
            ],
            folded=True,
        )
        return draw(table, found.of(Annotators), found.names)

    def small_print(self, found: Found) -> list[str]:
        reasons = sorted(
            {
                row.estimate.reason
                for row in found.of(IntraAnnotatorAgreement)
                if row.estimate.reason
            }
        )
        return [f"Intra-annotator agreement: {reason}." for reason in reasons]


class ScaleUse(Section[ScaleUseRow]):
    """Number of times that each annotator gave each point of each scale."""

    key = "scale_use"
    title = "Scale use by annotator"
    identity = ("criterion", "annotator", "value")
    people = ("annotator",)

    def sizes(self, inputs: Inputs) -> dict[str, int]:
        return {
            criterion.key: inputs.said.ratings(criterion.key).shape[1] * len(criterion.points)
            for criterion in inputs.said.protocol.criteria
        }

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[ScaleUseRow]:
        rows: list[ScaleUseRow] = []
        excluded = found.excluded(ScaleUse)
        for criterion in inputs.said.protocol.criteria:
            chance.step(f"Use of the scale of {criterion.key}")
            ratings = inputs.said.ratings(criterion.key)
            labels = {point.value: point.label for point in criterion.points}
            if ratings.empty or criterion.key in excluded:
                continue
            use = scale_use(ratings.to_numpy(), scale=criterion.values())
            for annotator, counts in zip(ratings.columns, use.counts, strict=True):
                whole = max(counts.sum(), 1)
                for value, count in zip(use.scale, counts, strict=True):
                    point = int(value)
                    share = float(count / whole)
                    rows.append(
                        ScaleUseRow(
                            criterion.key, str(annotator), point, labels[point], int(count), share
                        )
                    )
        return rows


class AgreementWithoutEach(Section[LeftOut]):
    """Alpha without each annotator in turn: if it rises, that annotator had lowered it."""

    key = "agreement_without_each"
    title = "Agreement without each annotator"
    identity = ("criterion", "without")
    people = ("without",)

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[LeftOut]:
        rows: list[LeftOut] = []
        for criterion in inputs.said.protocol.criteria:
            chance.step(f"Agreement without each annotator on {criterion.key}")
            ratings, level = inputs.said.ratings(criterion.key), level_of(criterion)
            clusters = clusters_of(inputs.said, ratings.index)
            leaving_out = Jackknife(unit=inputs.said.cluster_unit)
            table, scale = ratings.to_numpy(), criterion.values()
            whole = krippendorff_alpha(table, level=level, scale=scale, interval=None)
            for label, alpha in zip(
                ratings.columns,
                _without_each(table, criterion, level, clusters, leaving_out),
                strict=True,
            ):
                change = alpha.value - whole.value
                rows.append(LeftOut(criterion.key, str(label), level, alpha, change))
        return rows


class PairwiseKappa(Section[PairKappa]):
    """Pairwise Cohen's kappa under three weightings."""

    key = "pairwise_kappa"
    title = "Pairwise Cohen's κ"
    identity = ("criterion", "weights", "first", "second")
    people = ("first", "second")

    def sizes(self, inputs: Inputs) -> dict[str, int]:
        return {
            criterion.key: len(WEIGHTS) * _pairs_sharing(inputs.said.ratings(criterion.key))
            for criterion in inputs.said.protocol.criteria
        }

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[PairKappa]:
        excluded = found.excluded(PairwiseKappa)
        rows: list[PairKappa] = []
        for criterion in inputs.said.protocol.criteria:
            if criterion.key not in excluded:
                chance.step(f"Pairs of annotators on {criterion.key}")
                rows += _kappas(criterion, inputs.said.ratings(criterion.key))
        return rows


class IntraAnnotatorAgreement(Section[RepeatRow]):
    """The agreement of annotators with themselves, which needs questions shown twice."""

    key = "intra_annotator_agreement"
    title = "Intra-annotator agreement"
    identity = ("criterion",)

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[RepeatRow]:
        if inputs.said.judgments.empty:
            return []
        given = hidden_repeats(inputs.said)
        return [
            RepeatRow(
                criterion.key,
                _with_themselves(
                    inputs.said, criterion, given[given["criterion"] == criterion.key]
                ),
            )
            for criterion in inputs.said.protocol.criteria
        ]


def _annotator_rows(material: Material, criterion: ProtocolCriterion) -> Iterator[AnnotatorRow]:
    ratings, has_order = material.ratings(criterion.key), criterion.is_averaged
    runs = _longest_runs(material, criterion)
    gaps, others = severity(ratings.to_numpy()), with_the_others(ratings.to_numpy())
    for place, label in enumerate(ratings.columns):
        values = ratings[label].dropna()
        yield AnnotatorRow(
            criterion=criterion.key,
            annotator=str(label),
            n=len(values),
            mean=float(values.mean()) if has_order else nan,
            severity=float(gaps[place]) if has_order else nan,
            shared=others[place].n,
            top_share=float((values == values.mode().iloc[0]).mean()) if len(values) else nan,
            longest_run=runs.get(label),
            run_reason="" if label in runs else NO_ORDER,
            rho_with_others=others[place].value if has_order else nan,
            rho_reason=others[place].reason if has_order else NO_BETTER_END,
        )


def _with_themselves(
    material: Material, criterion: ProtocolCriterion, given: pd.DataFrame
) -> Result:
    """Return alpha of first and second values, each annotator's second look as another's."""
    import pandas as pd

    if given.empty:
        return undefined_result("agreement of annotators with themselves", NO_REPEATS)
    return krippendorff_alpha(
        given[["first", "again"]].to_numpy("float64"),
        level=level_of(criterion),
        scale=criterion.values(),
        clusters=clusters_of(material, pd.Index(given["unit"])),
        interval=Jackknife(unit=material.cluster_unit),
    )


def _longest_runs(material: Material, criterion: ProtocolCriterion) -> dict[str, int]:
    """Return the most equal values in a row of each annotator; none for imported values, which have
    no order."""
    rows = material.judgments[material.judgments["criterion"] == criterion.key]
    is_imported = (rows["origin"] == "imported").groupby(rows["annotator"]).transform("any")
    ordered = rows[~is_imported].sort_values(["created_at", "unit"], kind="stable")
    return {
        str(label): int(
            scale_use(part[["value"]].to_numpy(np.float64), scale=criterion.values()).longest_run[0]
        )
        for label, part in ordered.groupby("annotator")
    }


def _without_each(
    table: FloatArray,
    criterion: ProtocolCriterion,
    level: Level,
    clusters: Labels,
    interval: Jackknife,
) -> list[Result]:
    return leave_one_out(
        table,
        lambda rest: krippendorff_alpha(
            rest, level=level, scale=criterion.values(), clusters=clusters, interval=interval
        ),
    )


def _pairs_sharing(ratings: pd.DataFrame) -> int:
    """Count the pairs of annotators who judged something in common: of a crowd they are few."""
    from scipy import sparse

    judged = sparse.csc_array(ratings.notna().to_numpy(), dtype=np.float32)
    # in blocks, because every pair occurs if a large crowd all judged the same units
    starts = range(0, judged.shape[1], 500)
    shared = sum((judged[:, start : start + 500].T @ judged).nnz for start in starts)
    # minus each annotator's pair with itself
    return int(shared - ratings.notna().any().sum()) // 2


def _kappas(criterion: ProtocolCriterion, ratings: pd.DataFrame) -> Iterator[PairKappa]:
    if ratings.shape[1] < 2:
        return
    table, labels = ratings.to_numpy(), list(ratings.columns)
    for weights in WEIGHTS:
        matrix = kappa_matrix(table, scale=criterion.values(), weights=weights)
        for i, j in combinations(range(len(labels)), 2):
            if not matrix.shared[i, j]:
                continue
            value = float(matrix.values[i, j])
            yield PairKappa(
                criterion=criterion.key,
                weights=weights,
                first=str(labels[i]),
                second=str(labels[j]),
                value=value,
                n=int(matrix.shared[i, j]),
            )


def _severity_cell(row: AnnotatorRow) -> Cell:
    query = ItemQuery(sort="outlier", criterion=row.criterion, annotator=row.annotator)
    return Cell(format_signed(row.severity), items=query)


def _run_cell(row: AnnotatorRow) -> Cell:
    return MISSING if row.longest_run is None else Cell(str(row.longest_run))


COLUMNS = [
    ReportColumn[AnnotatorRow]("ratings", lambda row: Cell(f"{row.n:,}")),
    ReportColumn[AnnotatorRow]("mean", lambda row: Cell(or_dash(row.mean))),
    ReportColumn[AnnotatorRow]("severity", _severity_cell),
    ReportColumn[AnnotatorRow]("longest run", _run_cell),
]


def _use_by_annotator(found: Found) -> dict[tuple[str, str], list[ScaleUseRow]]:
    use: dict[tuple[str, str], list[ScaleUseRow]] = {}
    for point in found.of(ScaleUse):
        use.setdefault((point.criterion, point.annotator), []).append(point)
    return use


def _use_cell(
    annotator: AnnotatorRow, use: Mapping[tuple[str, str], Sequence[ScaleUseRow]]
) -> Cell:
    """Return the shares of the values as a bar, each with the questions that got it; an empty cell
    if there are many."""
    points = use.get((annotator.criterion, annotator.annotator), [])
    if len(points) > MANY_POINTS:
        return Cell("")
    bars, shares, start = [], [], 0.0
    for place, row in enumerate(points, 1):
        width = 100 * row.share
        bars.append(Bar(round(start, 2), round(width, 2), round(20 * place / len(points))))
        start += width
        query = ItemQuery(criterion=row.criterion, value=str(row.value), annotator=row.annotator)
        shares.append((f"{row.value}: {percent(row.share)}", query))
    return Cell("", bars=tuple(bars), shares=tuple(shares))
