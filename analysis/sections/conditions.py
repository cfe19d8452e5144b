"""Under which conditions annotators judged: the language of the instructions, the layout of the
page, the device, what they answered with, highlighted keywords and the review."""

from __future__ import annotations

from collections.abc import Iterator
from math import nan
from typing import TYPE_CHECKING

from analysis.reports.layout import Cell, PageTable
from analysis.reports.numerals import or_dash
from analysis.reports.rows import row_field, table_row
from analysis.reports.table_engine import Pivot, ReportTable, draw
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round
from judging.protocols.protocol_schema import ProtocolCriterion

if TYPE_CHECKING:
    import pandas as pd

NAMES = {
    "language": "Language of the instructions",
    "view": "Layout of the task",
    "device": "Device",
    "input": "Most answers given by",
    "keywords": "Keywords of the question in its passage",
    "review": "Review before Submit",
}
WORDS = {
    "focus": "one question at a time",
    "list": "list of all questions",
    "plain": "not highlighted",
    "off": "switched off by the annotator",
}


@table_row
class ConditionRow:
    """The ratings given under one condition; nothing is compared."""

    criterion: str = row_field("key of the criterion")
    condition: str = row_field("language, view, device, input, keywords or review")
    level: str = row_field("what the condition was, such as de, list, phone or touch")
    annotators: int = row_field("annotators who rated under it")
    n: int = row_field("ratings given under it")
    mean: float = row_field("their mean; empty where the values may not be averaged")


class Conditions(Section[ConditionRow]):
    """Number and mean of the ratings under each condition; empty where no condition was recorded."""

    key = "conditions"
    title = "Conditions of judging"
    identity = ("criterion", "condition", "level")
    note = (
        "These conditions were fixed in the plan, chosen by annotators, or follow from their devices. They were "
        "not assigned at random, so the means are described and not tested."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[ConditionRow]:
        if inputs.said.judgments.empty:
            return []
        ratings = inputs.said.judgments.dropna(subset=["value"])
        conditions = _conditions_of_tasks(inputs.said.campaign)
        rated = ratings.merge(conditions, on=["task", "annotator"])
        rows: list[ConditionRow] = []
        for criterion in inputs.said.protocol.criteria:
            of_criterion = rated[rated["criterion"] == criterion.key]
            for condition in NAMES:
                rows += _rows(criterion, condition, of_criterion)
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        table = ReportTable[ConditionRow](
            split="condition",
            title=lambda rows: f"Mean rating by condition: {NAMES[rows[0].condition]}",
            lines="level",
            first=lambda rows: NAMES[rows[0].condition],
            name=lambda row: WORDS.get(row.level, row.level),
            columns=Pivot("criterion", lambda row: Cell(or_dash(row.mean), f"n = {row.n:,}")),
        )
        rows = sorted(found.of(Conditions), key=lambda row: list(NAMES).index(row.condition))
        return draw(table, rows, found.names)


def _conditions_of_tasks(campaign: Campaign) -> pd.DataFrame:
    """Return the conditions of each annotator's work on each task of the main round."""
    import pandas as pd

    done = Assignment.objects.filter(
        round__campaign=campaign, round__kind=Round.Kind.MAIN, submitted_at__isnull=False
    )
    columns = ["task", "annotator", *NAMES]
    return pd.DataFrame(
        done.values_list("task__number", "enrollment__label", *NAMES), columns=columns
    )


def _rows(
    criterion: ProtocolCriterion, condition: str, rated: pd.DataFrame
) -> Iterator[ConditionRow]:
    known = rated[rated[condition] != ""]
    for level, own in known.groupby(condition, sort=True):
        mean = float(own["value"].mean()) if criterion.is_averaged else nan
        annotators = int(own["annotator"].nunique())
        yield ConditionRow(criterion.key, condition, str(level), annotators, len(own), mean)
