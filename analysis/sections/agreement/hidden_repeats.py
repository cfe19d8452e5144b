"""Agreement of annotators with themselves in hidden repeats, each and together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from analysis import frames
from analysis.reports.cells import estimate_cell
from analysis.reports.layout import Cell, PageTable
from analysis.reports.numerals import coefficient, or_dash
from analysis.reports.rows import row_field, table_row
from analysis.reports.table_engine import Pivot, ReportTable, draw
from analysis.sections.agreement.annotators import IntraAnnotatorAgreement
from analysis.sections.metrics.columns import clusters_of
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.protocols.protocol_schema import ProtocolCriterion
from quaestor_stats._percent_agreement import percent_agreement
from quaestor_stats._resampling import Jackknife
from quaestor_stats._result import Result

if TYPE_CHECKING:
    import pandas as pd

ALPHA = "Krippendorff's α"  # the last line of the table, below the annotators


@table_row
class OwnRepeatRow:
    """Equal values of hidden repeats."""

    criterion: str = row_field("key of the criterion")
    annotator: str = row_field("label of the annotator; empty for all together")
    estimate: Result = row_field("share of values that were equal the second time")


class HiddenRepeats(Section[OwnRepeatRow]):
    """Share of equal values in hidden repeats, by annotator and together; empty if no item was
    shown twice."""

    key = "hidden_repeats"
    title = "Hidden repeats"
    identity = ("criterion", "annotator")
    people = ("annotator",)
    note = (
        "Some tasks were repeated unannounced. The second ratings are compared with the first and used for nothing "
        "else. 95% CI, cluster jackknife over sources."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[OwnRepeatRow]:
        if inputs.said.judgments.empty:
            return []
        given = frames.hidden_repeats(inputs.said)
        return [
            row
            for criterion in inputs.said.protocol.criteria
            for row in _rows(inputs, criterion, given[given["criterion"] == criterion.key])
        ]

    def tables(self, found: Found) -> list[PageTable]:
        shares = found.of(HiddenRepeats)
        alphas = [
            OwnRepeatRow(row.criterion, ALPHA, row.estimate)
            for row in found.of(IntraAnnotatorAgreement)
        ]

        def cell(row: OwnRepeatRow) -> Cell:
            return estimate_cell(row.estimate, coefficient if row.annotator == ALPHA else or_dash)

        table = ReportTable[OwnRepeatRow](
            title="Equal values the second time",
            lines="annotator",
            name=lambda row: row.annotator or "All together",
            columns=Pivot("criterion", cell),
        )
        return draw(table, [*shares, *alphas] if shares else [], found.names)


def _rows(
    inputs: Inputs, criterion: ProtocolCriterion, given: pd.DataFrame
) -> Iterator[OwnRepeatRow]:
    import pandas as pd

    for label in ["", *sorted(given["annotator"].unique())]:
        own = given if label == "" else given[given["annotator"] == label]
        if own.empty:
            continue
        estimate = percent_agreement(
            own[["first", "again"]].to_numpy("float64"),
            scale=criterion.values(),
            clusters=clusters_of(inputs.said, pd.Index(own["unit"])),
            interval=Jackknife(unit=inputs.said.cluster_unit),
        )
        yield OwnRepeatRow(criterion.key, str(label), estimate)
