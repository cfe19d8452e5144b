"""A section of another package: how many questions of a system end with a question mark."""

from analysis.reports.layout import Cell, PageTable
from analysis.reports.rows import row_field, table_row
from analysis.reports.table_engine import ReportColumn, ReportTable, draw
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.base.percentages import percent


@table_row
class QuestionMarkRow:
    """Questions of one system that end with a question mark."""

    system: str = row_field("name of the system")
    questions: int = row_field("questions it returned")
    share: float = row_field("share of them that end with a question mark")


class QuestionMarks(Section[QuestionMarkRow]):
    """Questions that end with a question mark, system by system."""

    key = "question_marks"
    title = "Question marks"
    identity = ("system",)
    listed = True

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[QuestionMarkRow]:
        returned = inputs.said.questions.dropna(subset=["text"])
        ends = returned["text"].str.rstrip().str.endswith("?")
        return [
            QuestionMarkRow(str(system), len(marks), float(marks.mean()))
            for system, marks in ends.groupby(returned["system"])
        ]

    def tables(self, found: Found) -> list[PageTable]:
        table = ReportTable[QuestionMarkRow](
            title=self.title,
            lines="system",
            columns=[ReportColumn("share", lambda row: Cell(percent(row.share)))],
        )
        return draw(table, found.of(QuestionMarks), found.names)
