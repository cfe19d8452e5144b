"""Tables that are omitted, or not listed in full, because they would have too many rows."""

from collections.abc import Iterator, Mapping
from typing import Any

from analysis.reports.layout import Cell, Line, PageTable
from analysis.reports.numerals import format_short_list, inside_sentence
from analysis.reports.rows import row_field, table_row
from analysis.sections.agreement.annotators import PairwiseKappa, ScaleUse
from analysis.sections.agreement.distributions import Distributions
from analysis.sections.metrics.metric_comparisons import MetricComparisons
from analysis.sections.section import Chance, Found, Inputs, Section
from analysis.sections.systems.slices import Slices
from analysis.sections.systems.system_comparisons import SystemComparisons
from judging.base.limits import MAX_REPORT_ROWS

MULTIPLYING: tuple[Section[Any], ...] = (
    PairwiseKappa(),
    ScaleUse(),
    Distributions(),
    SystemComparisons(),
    MetricComparisons(),
    Slices(),
)


@table_row
class UnlistedPart:
    """A part of a table that is omitted, because the table would have too many rows."""

    table: str = row_field("key of the table")
    title: str = row_field("title of the table")
    part: str = row_field(
        "the criterion, human column or attribute that is omitted; empty for the whole table"
    )
    rows: int = row_field("largest number of rows that this part could have")
    whole: int = row_field("largest number of rows that the whole table could have")
    most: int = row_field("limit on the rows of a table")


class OmittedTables(Section[UnlistedPart]):
    """The parts of tables that are omitted because of their number of rows.

    A part is omitted as a whole, the largest first, so that no test, letter or sentence depends on
    only some of its rows.
    """

    key = "omitted_tables"
    title = "Omitted tables"
    identity = ("table", "part")
    note = (
        "The number of rows of a table is limited. Above the limit, the rows of whole criteria, columns or "
        "attributes are omitted, beginning with those that have the most rows. Agreement, means and "
        "correlations do not depend on them; omitted pairs are not tested."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[UnlistedPart]:
        rows: list[UnlistedPart] = []
        for section in MULTIPLYING:
            chance.step(self.title)
            sizes = section.sizes(inputs)
            whole = sum(sizes.values())
            rows += [
                UnlistedPart(section.key, section.title, part, sizes[part], whole, MAX_REPORT_ROWS)
                for part in _too_many(sizes)
            ]
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        lines = [
            Line(
                rows[0].title,
                [
                    Cell(_parts(rows, found)),
                    Cell(f"{sum(row.rows for row in rows):,}"),
                    Cell(f"{rows[0].whole:,}"),
                    Cell(f"{rows[0].most:,}"),
                ],
            )
            for rows in _by_table(found).values()
        ]
        heads = ["omitted", "rows", "rows of the whole table", "maximum of rows"]
        return [PageTable(self.title, heads, lines, first="Table", words=True)] if lines else []

    def caveats(self, found: Found) -> Iterator[str]:
        for key in _by_table(found):
            yield from unlisted(found, key)


def too_long(section: Section[Any], rows: int) -> UnlistedPart | None:
    """Return the note that a whole table is omitted if it still has too many rows, else None.
    Tables that are only downloaded have no limit."""
    if rows <= MAX_REPORT_ROWS or section.download_only:
        return None
    return UnlistedPart(section.key, section.title, "", rows, rows, MAX_REPORT_ROWS)


def unlisted(found: Found, key: str) -> list[str]:
    """Return the sentences on what a table omits and why; none if it is complete."""
    return [
        f"“{rows[0].title}” would have {rows[0].whole:,} rows, more than the limit of "
        f"{rows[0].most:,}; it omits {_parts(rows, found)}."
        for rows in [_by_table(found).get(key, [])]
        if rows
    ]


def _too_many(sizes: Mapping[str, int]) -> list[str]:
    """Return the parts to omit, in their order: the smallest are kept; of equal ones the first."""
    listed, kept = 0, set()
    for part in sorted(sizes, key=lambda part: sizes[part]):
        listed += sizes[part]
        if listed > MAX_REPORT_ROWS:
            break
        kept.add(part)
    return [part for part in sizes if part not in kept]


def _by_table(found: Found) -> dict[str, list[UnlistedPart]]:
    tables: dict[str, list[UnlistedPart]] = {}
    for row in found.of(OmittedTables):
        tables.setdefault(row.table, []).append(row)
    return tables


def _parts(rows: list[UnlistedPart], found: Found) -> str:
    """Name the omitted parts; if there are many, the first ones and the number of the others."""
    if any(not row.part for row in rows):
        return "all of it"
    return format_short_list([inside_sentence(found.name_of(row.part)) for row in rows])
