"""The pass mark of a qualification as a pure function, which marks both annotators' tries and those
in the forecast of a dry run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class QualificationItem:
    """An item's right values by criterion, and the item that it repeats, if any."""

    accepted: Mapping[int, Collection[int]]
    repeats: int | None = None


@dataclass(frozen=True, slots=True)
class QualificationMark:
    """The result of a try: right values, values asked for, and whether repeated items got the same
    answers."""

    right: int
    asked: int
    consistent: bool
    passed: bool


def compare_with_key(
    items: Mapping[int, QualificationItem],
    answers: Mapping[tuple[int, int], int],
    *,
    pass_mark: int,
) -> QualificationMark:
    """Compare a try with the key; `answers` are by item and criterion, `pass_mark` in per cent of the
    values asked for.

    >>> items = {1: QualificationItem({7: [3]}), 2: QualificationItem({7: [1, 2]})}
    >>> compare_with_key(items, {(1, 7): 3, (2, 7): 3}, pass_mark=50)
    QualificationMark(right=1, asked=2, consistent=True, passed=True)
    """
    asked = sum(len(item.accepted) for item in items.values())
    right = sum(
        answers.get((number, criterion)) in accepted
        for number, item in items.items()
        for criterion, accepted in item.accepted.items()
    )
    consistent = all(
        value == answers.get((first, criterion), value)
        for (number, criterion), value in answers.items()
        if number in items and (first := items[number].repeats)
    )
    return QualificationMark(
        right, asked, consistent, consistent and right * 100 >= pass_mark * asked
    )


def wrong_criteria(
    items: Mapping[int, QualificationItem], answers: Mapping[tuple[int, int], int]
) -> set[int]:
    """Return the criteria on which an answer is wrong, or differs from the one given before.

    >>> items = {1: QualificationItem({7: [3], 8: [2]}), 2: QualificationItem({7: [3], 8: [2]}, 1)}
    >>> wrong_criteria(items, {(1, 7): 3, (1, 8): 1, (2, 7): 3, (2, 8): 2})
    {8}
    """
    wrong = set()
    for number, item in items.items():
        for criterion, accepted in item.accepted.items():
            value = answers.get((number, criterion))
            first = answers.get((item.repeats, criterion), value) if item.repeats else value
            if value not in accepted or value != first:
                wrong.add(criterion)
    return wrong
