"""Sensitivity of a ranking to the weights of criteria, worked by hand."""

from dataclasses import replace

import pytest

from analysis.sections.aggregates import Aggregates
from analysis.sections.weightings import DRAWS, Weightings
from judging.actions import rubrics
from judging.protocols import documents
from judging.protocols.rubric_schema import Aggregate
from tests import factories
from tests.analysis import studies
from tests.analysis.golden import material
from tests.analysis.sections import stored
from tests.analysis.sections.computing import records

pytestmark = pytest.mark.django_db


def weightings(campaign) -> list[dict]:
    aggregates = records(Aggregates, campaign)
    return records(Weightings, campaign, {"aggregates": aggregates})


def small(aggregate: Aggregate):
    document = documents.parse(factories.SMALL, "small.yaml")
    return studies.imported(rubric=rubrics.install(document=replace(document, aggregate=aggregate)))


def row(system: str, weighting: str, place: float, first: float, criterion: str = "") -> dict:
    return {
        "system": system,
        "weighting": weighting,
        "criterion": criterion,
        "place": place,
        "first": first,
        "weightings": DRAWS if weighting == "random" else 1,
    }


def test_places_under_each_weighting_follow_from_the_aggregates() -> None:
    # grammaticality is 2.75 for all three; correctness 3, 2.25 and 1.25
    campaign = small(Aggregate("mean", "sum", weights={"correctness": 2}))
    found = {
        (each["weighting"], each["criterion"], each["system"]): (each["place"], each["first"])
        for each in weightings(campaign)
    }
    for system, place in (("Alba", 1), ("Brisa", 2), ("Corvo", 3)):
        expected = (place, float(place == 1))
        assert found["protocol", "", system] == expected
        assert found["criterion", "correctness", system] == expected
        assert found["random", "", system] == expected
        assert found["criterion", "grammaticality", system] == (2, pytest.approx(1 / 3))


def test_weightings_of_task_b_take_its_five_criteria_and_share_out_the_first_place() -> None:
    rows = weightings(material.imported(material.QGSTEC_PLUS))
    own = [each for each in rows if each["weighting"] == "protocol"]
    alone = {each["criterion"] for each in rows if each["weighting"] == "criterion"}
    assert sum(each["first"] for each in own) == pytest.approx(1)
    assert alone == {"relevance", "questionType", "correctness", "ambiguity", "variety"}
    random = [each for each in rows if each["weighting"] == "random"]
    assert sum(each["first"] for each in random) == pytest.approx(1)


@pytest.mark.parametrize(
    "aggregate", [Aggregate("mean"), Aggregate("mean", "sum", criteria=("correctness",))]
)
def test_without_a_combination_of_criteria_nothing_is_weighed(aggregate) -> None:
    assert weightings(small(aggregate)) == []


def test_table_and_sentence_name_the_leader_with_its_share() -> None:
    rows = [
        row("b", "protocol", 2, 0),
        row("a", "protocol", 1, 1),
        row("b", "criterion", 1, 1, "clarity"),
        row("a", "criterion", 2, 0, "clarity"),
        row("b", "criterion", 2, 0, "charm"),
        row("a", "criterion", 1, 1, "charm"),
        row("b", "random", 1.66, 0.34),
        row("a", "random", 1.34, 0.66),
    ]
    criteria = [stored.criterion("clarity"), stored.criterion("charm")]
    found = stored.found(criteria=criteria, weightings=rows)
    (table,) = Weightings().tables(found)
    assert table.columns[0] == "Protocol's weights"
    cells = [[(cell.text, cell.under) for cell in line.cells] for line in table.lines]
    assert [line.name for line in table.lines] == ["a", "b"]
    assert cells[0] == [("1", ""), ("2", ""), ("1", ""), ("66%", "mean place 1.34")]
    assert list(Weightings().sentences(found)) == [
        "a is first by the protocol's combined aggregate, on 1 of 2 criteria taken alone, and in "
        "66% of 10,000 random weightings of the criteria."
    ]


def test_sentence_of_systems_that_share_the_first_place_is_left_out() -> None:
    rows = [row("a", "protocol", 1.5, 0.5), row("b", "protocol", 1.5, 0.5)]
    assert list(Weightings().sentences(stored.found(weightings=rows))) == []
