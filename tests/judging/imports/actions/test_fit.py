"""The scales of a file's ratings beside those of protocols."""

from dataclasses import replace

import pytest

from judging.imports.actions import fit
from judging.protocols.actions import protocols
from judging.protocols.models.protocol import Protocol
from judging.protocols.protocol_schema import CriterionPoint
from tests import factories

pytestmark = pytest.mark.django_db
THREE = ((1, "no"), (2, "partly"), (3, "yes"))


def protocol(*keys: str, points=THREE, best: str = "highest", key: str = "three") -> Protocol:
    """Return a protocol whose criteria have these points."""
    small = factories.small()
    criteria = tuple(
        replace(
            small.criteria[0],
            key=each,
            name=each.title(),
            best=best,
            points=tuple(CriterionPoint(value, label) for value, label in points),
        )
        for each in keys
    )
    return protocols.install(document=replace(small, key=key, criteria=criteria))


def fluency(**counts: int) -> dict[str, dict[str, int]]:
    """Return the number of ratings with each value, whose names begin with a letter."""
    return {
        "fluency": {value.removeprefix("v").replace("_", "."): n for value, n in counts.items()}
    }


@pytest.mark.parametrize(
    ("rated", "fits"),
    [
        (fluency(v1=50, v2=45, v5=5), True),
        (fluency(v1=50, v2=44, v5=6), False),
        (fluency(v1=90, v2_5=10), False),
        (fluency(yes=50, no=50), True),
        (fluency(good=50, bad=40, fair=10), True),
        (fluency(v1=50, lovely=50), True),
        (fluency(lovely=50, odd=50), False),
        ({"FLUENCY ": {"1": 5}}, True),
        ({"zest": {"1": 5}}, False),
        ({"fluency": {"1": 100}, "relevance": {"2": 92, "7": 8}}, False),
        ({}, False),
    ],
)
def test_fitting_protocol_has_the_criteria_and_95_percent_of_the_ratings(rated, fits) -> None:
    made = protocol("fluency", "relevance")

    assert fit.find_fitting_protocol([made], rated) == (made if fits else None)


def test_beside_shows_values_and_scale_of_each_criterion() -> None:
    made = protocol("fluency")
    rated = {"fluency": {"1": 6, "3": 2, "7": 1, "N/A": 1}, "zest": {"4": 5}}

    first, second = fit.compare_with_scales(made, rated, {})

    assert (first.values, first.scale, first.off, first.total) == (
        "1 to 7, “N/A”",
        "1, 2, 3",
        2,
        10,
    )
    assert first.share == 0.2
    assert (second.values, second.scale, second.off) == ("4 to 4", "", 5)
    assert [
        each.off
        for each in fit.compare_with_scales(made, rated, {"fluency": {"N/A": "", "7": "3"}})
    ] == [
        0,
        5,
    ]


def test_proposed_points_are_those_of_words_that_are_no_labels() -> None:
    made = protocol("fluency")
    rated = fluency(v1=5, yes=5, good=1, bad=1)

    assert fit.proposed_points(made, rated) == {"fluency": {"good": "3", "bad": "1"}}
    assert fit.proposed_points(made, fluency(v1=5, odd=1)) == {"fluency": {"odd": ""}}


def test_proposed_points_of_a_reversed_scale_are_reversed() -> None:
    made = protocol("fluency", points=((1, "a"), (2, "b"), (3, "c")), best="lowest")
    rated = fluency(good=1, fair=1, bad=1)

    assert fit.proposed_points(made, rated) == {"fluency": {"good": "1", "fair": "2", "bad": "3"}}


@pytest.mark.parametrize(
    ("words", "scale", "points"),
    [
        ("Good|Fair|Bad", (1, 2, 3), (3, 2, 1)),
        ("Good|Fair|Bad", (1, 2, 3, 4, 5), (5, 3, 1)),
        ("good|bad", (1, 2, 3), (3, 1)),
        ("TRUE|FALSE", (0, 1), (1, 0)),
        ("yes|no|partly", (1, 2, 3), (3, 1, 2)),
        ("Strongly agree|agree|neutral", (1, 2, 3, 4, 5), (5, 4, 3)),
        ("malo|regular|bueno", (1, 2, 3), (1, 2, 3)),
        ("3 - Correct|1 - Wrong", (1, 2, 3), (3, 1)),
        ("٣|２ - ok", (1, 2, 3), (3, 2)),
        ("7 - perfect|lovely", (1, 2, 3), (None, None)),
        ("good|bad|odd", (1, 2, 3), (None, None, None)),
    ],
)
def test_points_of_words_follow_known_orders_and_leading_numbers(words, scale, points) -> None:
    found = fit.propose_points(words.split("|"), labels={}, scale=list(scale))

    assert tuple(found.values()) == points


def test_points_of_words_are_those_of_the_labels_first() -> None:
    labels = {"bad": 3, "good": 1, "cannot say": 9}

    found = fit.propose_points(["Bad", "GOOD", "cannot  say"], labels=labels, scale=[1, 2, 3])

    assert list(found.values()) == [3, 1, 9]


@pytest.mark.parametrize(
    ("lost", "off", "surprise"),
    [({}, 1, False), ({}, 2, True), ({("fluency", "refused_row"): 2}, 0, True), ({("fluency", "word"): 40}, 0, False)],
)  # fmt: skip
def test_more_than_one_percent_of_the_ratings_in_quarantine_is_a_surprise(
    lost, off, surprise
) -> None:
    rated = fluency(v1=100 - off, v9=off)
    tally = fit.tally_of(protocol("fluency"), rated, {}, lost)

    assert bool(tally.surprise()) is surprise


def test_one_criterion_in_quarantine_is_a_surprise_beside_many_others() -> None:
    rated = {"fluency": {"1": 1000}, "zest": {"1": 3}}
    sentence = fit.tally_of(protocol("fluency"), rated, {}, {}).surprise()

    assert "3 of the 1,003 ratings (0.3%) go to quarantine" in sentence
    assert "3 on no criterion of the protocol" in sentence
    assert "(zest: 3 of 3)" in sentence


@pytest.mark.parametrize(
    ("rated", "scales"),
    [
        (fluency(v1=3, v7=2), ["Fluency from 1 to 7"]),
        (fluency(v0=3, v2=2), ["Fluency from 0 to 2"]),
        (fluency(v0=3, v37=1, v100=2), ["Fluency from 0 to 100"]),
        (fluency(bad=3, fair=1, good=1, ok=1), ["Fluency: bad, fair/ok, good"]),
        ({"fluency": {"very bad": 1, "bad": 2, "good": 1}}, ["Fluency: very bad, bad, good"]),
        ({"fluency": {"rarely": 1, "often": 2, "always": 1}}, ["Fluency: rarely, often, always"]),
        (fluency(v1=98, v2=2, v2_5=2), ["Fluency from 1 to 2"]),
        (fluency(v1=8, v2=2, v2_5=2), []),
        ({"fluency": {"1": 3, "2": 1}, "zest": {"odd": 2, "even": 1}}, []),
    ],
)
def test_own_scales_reach_from_the_lowest_to_the_highest_rating(rated, scales) -> None:
    found = fit.own_scales(rated)

    assert [str(each) for each in found] == scales


def test_create_protocol_of_words_has_a_point_for_each_word_that_is_used() -> None:
    rated = {"fluency": {"very good": 1, "bad": 2, "good": 1}}
    scales = fit.own_scales(rated)

    made = fit.create_protocol(scales=scales, by=factories.researcher())

    points = made.criteria.get().points.values_list("value", "label")
    assert sorted(points) == [(1, "bad"), (2, "good"), (3, "very good")]
    assert fit.own_points(scales, rated) == {"fluency": {"bad": "1", "good": "2", "very good": "3"}}


def test_create_protocol_makes_a_protocol_of_the_files_scales_once() -> None:
    user = factories.researcher()
    rated = {"fluency": {"1": 3, "7": 2}, "rank": {"1": 2, "3": 2}}
    scales = fit.own_scales(rated)

    made = fit.create_protocol(scales=scales, by=user)

    assert made.owner == user
    best = dict(made.criteria.values_list("name", "best"))
    assert best == {"Fluency": "highest", "Rank": "lowest"}
    assert fit.are_on_scale(made, rated)
    points = made.criteria.get(name="Fluency").points
    assert sorted(points.values_list("value", flat=True)) == list(range(1, 8))
    assert fit.create_protocol(scales=scales, by=user) == made
    other = fit.create_protocol(scales=fit.own_scales({**rated, "rank": {"1": 1, "4": 1}}), by=user)
    assert other.key != made.key


def test_misfit_names_the_criteria_that_a_protocol_lacks() -> None:
    made = protocol("fluency")

    assert fit.misfit(made, ["Fluency"]) == fit.misfit(None, []) == ""
    assert fit.misfit(made, ["zest"]) == "It has no criterion “zest”; it has Fluency."
    assert "choose the protocol" in fit.misfit(None, ["fluency"])
