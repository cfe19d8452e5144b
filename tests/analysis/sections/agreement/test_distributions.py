"""How ratings spread: shares counted by hand, and the spread that a protocol asks for beside
them."""

import pytest

from analysis.sections.agreement.distributions import Distributions
from tests.analysis import studies
from tests.analysis.sections import stored
from tests.analysis.sections.computing import picked, records

POINTS = [[1, "general"], [2, "medium"], [3, "specific"]]


@pytest.mark.django_db
def test_shares_are_those_counted_by_hand():
    rows = records(Distributions, studies.imported())
    # Corvo: annotator A1 gives correctness 1 six times; A2 gives 1 + (source + 2) % 2, so 1 and 2
    # three times each
    corvo = picked(rows, criterion="correctness", system="Corvo")
    assert [(row["value"], row["count"], row["share"]) for row in corvo] == [
        (1, 9, 0.75),
        (2, 3, 0.25),
        (3, 0, 0),
    ]


def test_values_without_a_better_end_stand_beside_their_target_and_are_said_not_to_be_averaged():
    target = [[1, 1], [2, 2], [3, 3]]
    criteria = [stored.criterion(best="none", level="nominal", points=POINTS, target=target)]
    rows = [
        {
            "criterion": "clarity",
            "system": "a",
            "value": value,
            "label": "",
            "count": count,
            "share": count / 12,
        }
        for value, count in ((1, 6), (2, 3), (3, 3))
    ]
    found = stored.found(criteria=criteria, distributions=rows)
    (table,) = Distributions().tables(found)
    assert [(line.name, [cell.text for cell in line.cells]) for line in table.lines] == [
        ("a", ["50%", "25%", "25%"]),
        ("Asked for by the protocol", ["17%", "33%", "50%"]),
    ]
    assert list(Distributions().caveats(found)) == [
        "Clarity has no better end, so it is shown as a distribution and neither averaged nor tested."
    ]


def test_criteria_that_are_averaged_have_their_distribution_drawn_and_its_table_folded():
    found = stored.found(distributions=stored.spread(3, 4, 5))
    (table,) = Distributions().tables(found)
    assert table.folded
    assert [cell.under for cell in table.lines[0].cells] == ["3", "4", "5"]
    assert [figure.name for figure in Distributions().figures(found)] == ["distributions"]
