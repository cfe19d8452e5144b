"""The points of a scale that words of ratings mean."""

import pytest

from judging.imports.readers.words import propose_points


@pytest.mark.parametrize(
    ("words", "scale", "points"),
    [
        (("Good", "Fair", "Bad"), (1, 2, 3), (3, 2, 1)),
        (("Good", "Fair", "Bad"), (1, 2, 3, 4, 5), (5, 3, 1)),
        (("good", "bad"), (1, 2, 3), (3, 1)),
        (("Good", "Fair", "Bad"), (3, 2, 1), (1, 2, 3)),
        (("TRUE", "FALSE"), (0, 1), (1, 0)),
        (("yes", "no", "partly"), (1, 2, 3), (3, 1, 2)),
        (("Strongly agree", "agree", "neutral"), (1, 2, 3, 4, 5), (5, 4, 3)),
        (("3 - Correct", "1 - Wrong"), (1, 2, 3), (3, 1)),
        (("3 (good)", "Fair (2)"), (1, 2, 3), (3, 2)),
        (("٣", "２ - ok"), (1, 2, 3), (3, 2)),
        (("7 - perfect", "lovely"), (1, 2, 3), (None, None)),
        (("good", "bad", "odd"), (1, 2, 3), (None, None, None)),
        (("good", "fair", "bad"), (1, 2), (None, None, None)),
    ],
)
def test_propose_points_maps_known_orders_and_leading_numbers(words, scale, points):
    assert propose_points(words, labels={}, scale=scale) == dict(zip(words, points, strict=True))


def test_propose_points_takes_labels_of_the_scale_first():
    labels = {"bad": 3, "good": 1, "cannot say": 9}

    found = propose_points(["Bad", "GOOD", "cannot  say"], labels=labels, scale=(1, 2, 3))

    assert found == {"Bad": 3, "GOOD": 1, "cannot  say": 9}
