"""No section goes through the rows of a table once for each criterion or each judge: fifty of each
are 2,500 groups, and a table may have 120,000 rows."""

from collections import Counter
from collections.abc import Iterator

import pytest

from analysis import sections
from analysis.reports.rows import Record, encode
from analysis.runs.actions import runs
from analysis.sections.criteria import Criteria
from analysis.sections.llm_judges.alternative_annotator_test import (
    AgainstPersonRow,
    JudgeAgainstAnnotators,
)
from analysis.sections.llm_judges.prediction_powered_means import (
    CorrectedMeanRow,
    PredictionPoweredMeans,
)
from analysis.sections.section import Found
from quaestor_stats._result import undefined_result
from tests.analysis import studies

CRITERIA = 100
MOST = 40  # passes that do not depend on the number of criteria, as one for each coefficient


class Rows(list):
    """Rows of a table that count how often somebody goes through them."""

    passes = 0

    def __iter__(self) -> Iterator[object]:
        self.passes += 1
        return super().__iter__()


class CountingFound(Found):
    def __init__(self, documents: dict[str, object]) -> None:
        super().__init__(documents)
        self.rows: dict[str, Rows] = {}

    def of(self, section):
        if section.key not in self.rows:
            self.rows[section.key] = Rows(super().of(section))
        return self.rows[section.key]


@pytest.fixture(scope="module")
def documents(lasting):
    """Return the tables of a run, and two of LLM judges, as if each criterion were fifty."""
    run = studies.analysed(studies.imported(sources=8), mixed_model="always", slices=["source"])
    found = dict(runs.StoredTables(run))
    keys = [row["criterion"] for row in found["criteria"]]

    def many(row: Record) -> list[Record]:
        if row.get("criterion") not in keys:
            return [row]
        copies = range(CRITERIA // len(keys))
        return [row | {"criterion": f"{row['criterion']} {number}"} for number in copies]

    nothing = undefined_result("", "")
    found[JudgeAgainstAnnotators.key] = [
        encode(
            AgainstPersonRow(keys[0], "Corvo", "A1", 9, *[0.5] * 6, True, "", 0.5, nothing, nothing)
        )
    ]
    found[PredictionPoweredMeans.key] = [
        encode(CorrectedMeanRow(keys[0], "Corvo", "Alba", 9, 9, 0.5, 1.0, nothing, nothing))
    ]
    return {
        key: [copy for row in rows for copy in many(row)] if isinstance(rows, list) else rows
        for key, rows in found.items()
    }


@pytest.mark.long
@pytest.mark.django_db
def test_no_section_goes_through_a_table_once_for_each_criterion(documents):
    taken: Counter[tuple[str, str]] = Counter()
    for section in sections.SECTIONS:
        found = CountingFound(documents)
        section.tables(found)
        list(section.sentences(found))
        list(section.caveats(found))
        section.small_print(found)
        section.technical_notes(found)
        section.headline(found)
        taken |= Counter({(section.key, key): rows.passes for key, rows in found.rows.items()})
    often = {where: passes for where, passes in taken.items() if passes > MOST}
    assert {where: n for where, n in often.items() if where[1] != Criteria.key} == {}
    assert len(documents["agreement"]) > CRITERIA
