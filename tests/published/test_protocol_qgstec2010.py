"""QG-STEC 2010 Task B: sums and aggregates recomputed from the released ratings (Rus et al. 2010;
released XML).

The release gives no such table; the numbers are those the project's specification derives from it,
rule by rule. The means over returned questions are the official spreadsheet's, with its impossible
question types dropped.
"""

from collections import Counter

import pytest
from defusedxml.ElementTree import parse

from analysis.sections.systems.protocol_aggregates import NumberedStudy, arrange_study, scores
from judging.protocols.documents import shipped
from judging.protocols.rules import Fatal, Rating, Slot, fatal_variants, unequal, violations
from tests import shared_data

PROTOCOL = shipped("qgstec2010-b")
CRITERIA = tuple(criterion.key for criterion in PROTOCOL.criteria)
WORST = PROTOCOL.worst()
FATAL = next(rule for rule in PROTOCOL.rules if isinstance(rule, Fatal))
SYSTEMS = ("a", "b", "c", "d")

BY_PROTOCOL = [
    [639, 431, 792, 585.5, 648.5],
    [973.5, 564, 1068, 800, 949.5],
    [954.5, 536.5, 1114.5, 821, 899.5],
    [1061, 560, 1211, 906, 871.5],
]
AS_RELEASED = [
    [592.5, 412.5, 754, 555, 648.5],
    [973.5, 564, 1068, 800, 929],
    [954.5, 536.5, 1114.5, 821, 842.5],
    [1061, 560, 1211, 906, 871.5],
]
PER_RATING_LITERAL = [
    [731.5, 456.5, 890.5, 672.5, 710.5],
    [990.5, 567.5, 1081.5, 815, 956.5],
    [986.5, 551, 1144, 852.5, 937.5],
    [1071.5, 583, 1234, 921.5, 904],
]
TOTALS = {
    ("per_rating", "all_remaining"): [3461.5, 4411, 4471.5, 4714],
    ("per_rating", "named"): [3343.5, 4390.5, 4425, 4680.5],
    ("on_means", "all_remaining"): [3284.5, 4366.5, 4357, 4639.5],
    ("on_means", "named"): [3219, 4361.5, 4347, 4631],
}
MEANS_RETURNED = [
    [1.606, 1.131, 2.062, 1.517, 1.781],
    [1.173, 1.055, 1.745, 1.303, 2.085],
    [1.677, 1.122, 2.443, 1.761, 1.864],
    [1.744, 1.048, 2.637, 1.964, 1.759],
]


@pytest.fixture(scope="module")
def question_sets() -> dict[tuple[str, str], list[Slot]]:
    """Two slots for each sentence, wanted type and system, values off the scale left out."""
    found = {}
    for instance in parse(shared_data.path("qgstec2010/EvaluatedSubmissions.xml")).iter("instance"):
        for wanted in (node.text.strip() for node in instance.findall("targetQuestionType")):
            for submission in instance.findall("submission"):
                questions = [
                    node
                    for node in submission.findall("question")
                    if node.get("type").strip() == wanted
                ]
                slots = [
                    Slot(node.text, tuple(map(rating, node.findall("rating"))))
                    for node in questions
                ]
                found[submission.get("id"), f"{instance.get('id')} {wanted}"] = [
                    *slots,
                    Slot(None),
                    Slot(None),
                ][:2]
    return found


def rating(node) -> Rating:
    values = {key: int(node.get(key)) for key in CRITERIA}
    return Rating(
        node.get("rater"),
        {key: n for key, n in values.items() if n in PROTOCOL.criterion(key).values()},
    )


@pytest.fixture(scope="module")
def released(question_sets: dict[tuple[str, str], list[Slot]]) -> NumberedStudy:
    places = {
        (*name, n): slot
        for name, slots in question_sets.items()
        for n, slot in enumerate(slots, start=1)
    }
    judgments = [
        (*place, given.rater, key, value)
        for place, slot in places.items()
        for given in slot.ratings
        for key, value in given.values.items()
    ]
    return arrange_study(
        [(*place, slot.text) for place, slot in places.items()], judgments, CRITERIA
    )


def test_expected_and_returned_questions(released: NumberedStudy) -> None:
    result = scores(released, PROTOCOL.rules, WORST, reading="as_released")
    assert result.systems == SYSTEMS
    assert result.expected.tolist() == [360] * 4
    assert result.returned.tolist() == [354, 165, 209, 168]
    assert result.unrated.sum() == 0


def test_identical_second_questions_are_not_counted_as_returned(released: NumberedStudy) -> None:
    assert scores(released, PROTOCOL.rules, WORST, reading="by_protocol").returned.tolist() == [
        333,
        165,
        209,
        168,
    ]


def test_sums_by_protocol(released: NumberedStudy) -> None:
    result = scores(released, PROTOCOL.rules, WORST, reading="by_protocol")
    assert result.sums.tolist() == BY_PROTOCOL
    assert result.total().tolist() == [3096, 4355, 4326, 4609.5]


def test_sums_as_released(released: NumberedStudy) -> None:
    assert (
        scores(released, PROTOCOL.rules, WORST, reading="as_released").sums.tolist() == AS_RELEASED
    )


@pytest.mark.parametrize(
    "rule", fatal_variants(FATAL), ids=lambda rule: f"{rule.applied}-{rule.others}"
)
def test_totals_under_each_fatal_variant(released: NumberedStudy, rule: Fatal) -> None:
    result = scores(released, PROTOCOL.rules, WORST, reading="by_protocol", fatal=rule)
    assert result.total().tolist() == TOTALS[rule.applied, rule.others]


def test_the_shipped_fatal_rule_is_per_rating_and_literal(released: NumberedStudy) -> None:
    result = scores(released, PROTOCOL.rules, WORST, reading="by_protocol", fatal=FATAL)
    assert result.sums.tolist() == PER_RATING_LITERAL


def test_totals_as_released_under_the_shipped_fatal_rule(released: NumberedStudy) -> None:
    result = scores(released, PROTOCOL.rules, WORST, reading="as_released", fatal=FATAL)
    assert result.total().tolist() == [3347, 4390.5, 4418, 4714]


def test_means_over_returned_questions(released: NumberedStudy) -> None:
    result = scores(released, PROTOCOL.rules, WORST, reading="as_released")
    assert result.means_returned.round(3).tolist() == MEANS_RETURNED


def test_raters_broke_the_lone_rule_83_times_of_352(
    question_sets: dict[tuple[str, str], list[Slot]],
) -> None:
    lone = [
        slots
        for slots in question_sets.values()
        if [slot.text is None for slot in slots] == [False, True]
    ]
    assert sum(len(slots[0].ratings) for slots in lone) == 352
    broken = [
        breach for slots in question_sets.values() for breach in violations(slots, PROTOCOL.rules)
    ]
    assert Counter(breach.rule for breach in broken) == {"lone": 83}
    assert Counter(breach.rater for breach in broken).most_common(2) == [("ha", 41), ("uw", 35)]


def test_raters_split_a_pair_seven_times(question_sets: dict[tuple[str, str], list[Slot]]) -> None:
    assert sum(len(unequal(slots, "variety")) for slots in question_sets.values()) == 7
