"""A protocol's aggregates over whole studies: the rules of `judging.protocols.rules`, on arrays.

`judging.protocols.rules` defines the rules on one set at a time; here they run on every slot of a study at
once, and tests compare the two. A slot is an expected question, whether its output is present or
not.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from judging.protocols.rules import Fatal, Identical, Lone, Missing, Rule, RuleReading, same_text

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ExpectedSlots:
    """The expected questions of a study, one entry per slot.

    Parameters
    ----------
    system, question_set : (n_slots,) int
        Numbers of the system and of the question set; a set belongs to one system.
    text : (n_slots,) int
        A number per text (equal for identical texts), -1 where the question was not returned. Slots of one set are in
        the order of their positions.
    """

    system: Integers
    question_set: Integers
    text: Integers


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings of a study, one row per slot and rater; slots without a row were not rated.

    Parameters
    ----------
    slot : (n_ratings,) int
        Index into the slots.
    values : (n_ratings, n_criteria) float
        NaN where the rater gave no value on the criterion.
    """

    slot: Integers
    values: Floats


@dataclass(frozen=True, slots=True)
class NumberedStudy:
    """Slots, ratings and the names behind the numbers, in the order the numbers count."""

    systems: tuple[str, ...]
    criteria: tuple[str, ...]
    slots: ExpectedSlots
    ratings: Ratings


@dataclass(frozen=True, slots=True)
class SystemSums:
    """Sums and means by system and criterion, over returned questions and over every expected slot.

    `sums` adds the mean rating of each slot over all expected slots; missing ones have the value
      that the rules give them.
    `returned` counts the questions present under the reading: by the protocol an identical second
      question is missing.
    `means_expected` divides `sums` by the slots that have a value; `means_returned` skips missing
      questions.
    `unrated` counts slots without any value on a criterion: if it is not 0 the sum is
      incomplete. `unjudged` counts those of them that were returned.
    """

    systems: tuple[str, ...]
    criteria: tuple[str, ...]
    expected: Integers
    returned: Integers
    unrated: Integers
    unjudged: Integers
    sums: Floats
    means_expected: Floats
    means_returned: Floats

    def total(self) -> Floats:
        """Return the sum over criteria, one number per system."""
        total: Floats = self.sums.sum(axis=1)
        return total


SLOT = ["system", "source", "position", "text"]
PLACE = SLOT[:3]
JUDGMENT = [*PLACE, "rater", "criterion", "value"]


def arrange_study(
    slots: pd.DataFrame | Sequence[tuple[str, Hashable, int, str | None]],
    judgments: pd.DataFrame | Sequence[tuple[str, Hashable, int, Hashable, str, float]],
    criteria: Sequence[str],
) -> NumberedStudy:
    """Arrange long rows into arrays.

    Parameters
    ----------
    slots : rows of (system, source, position, text), or a frame with these columns
        Every expected question; text missing or blank where none was returned. A question set is one system's questions
        for one source; its slots are taken in the order of their positions.
    judgments : rows of (system, source, position, rater, criterion, value), or a frame with these columns
        One value each; criteria that are not in ``criteria`` are skipped.
    criteria : names
        The columns, in this order.

    Raises
    ------
    ValueError
        If a slot is given twice, a judgment has no slot, or one rater judged a question twice on a criterion.
    """
    import pandas as pd

    rows = pd.DataFrame(slots, columns=SLOT).sort_values(
        PLACE,
        key=lambda column: column.astype(str) if column.name == "source" else column,
        kind="stable",
        ignore_index=True,
    )
    if rows.duplicated(PLACE).any():
        raise ValueError("slots: a system, source and position is given twice")
    systems = tuple(sorted(rows["system"].unique()))
    texts = [None if pd.isna(text) else same_text(str(text)) for text in rows["text"]]
    return NumberedStudy(
        systems=systems,
        criteria=tuple(criteria),
        slots=ExpectedSlots(
            system=_codes(rows["system"], systems),
            question_set=np.asarray(rows.groupby(PLACE[:2], sort=False).ngroup(), dtype=np.int64),
            text=np.where(
                [not text for text in texts], -1, pd.factorize(np.array(texts, object))[0]
            ),
        ),
        ratings=_ratings(pd.DataFrame(judgments, columns=JUDGMENT), rows[PLACE], tuple(criteria)),
    )


def _codes(names: pd.Series, order: Sequence[str]) -> Integers:
    import pandas as pd

    return pd.Categorical(names, categories=list(order)).codes.astype(np.int64)


def _ratings(judgments: pd.DataFrame, places: pd.DataFrame, criteria: Sequence[str]) -> Ratings:
    import pandas as pd

    rows = judgments[judgments["criterion"].isin(criteria)]
    if rows.empty:
        return Ratings(np.empty(0, np.int64), np.empty((0, len(criteria))))
    rows = rows.merge(places.assign(slot=np.arange(len(places))), on=PLACE, how="left")
    if (unknown := rows["slot"].isna()).any():
        place = tuple(rows.loc[unknown, PLACE].iloc[0].tolist())
        raise ValueError(f"judgments: there is no slot {place}")
    slot = rows["slot"].to_numpy(np.int64)
    raters, names = pd.factorize(rows["rater"])
    row, pairs = pd.factorize(slot * len(names) + raters)  # numbered as they come
    criterion = _codes(rows["criterion"], criteria)
    if len(np.unique(row * len(criteria) + criterion)) < len(rows):
        raise ValueError("judgments: a rater judged one question twice on the same criterion")
    values = np.full((len(pairs), len(criteria)), np.nan)
    values[row, criterion] = rows["value"].to_numpy(np.float64)
    return Ratings(pairs // len(names), values)


def scores(
    study: NumberedStudy,
    rules: Sequence[Rule],
    worst: Mapping[str, float],
    *,
    reading: RuleReading,
    fatal: Fatal | None = None,
) -> SystemSums:
    """Return each system's sums and means on every criterion under a reading of the rules.

    Parameters
    ----------
    study : Study
    rules : the protocol's rules
    worst : worst value by criterion
    reading : {"by_protocol", "as_released"}
        Whether the identical and lone rules overrule the ratings, or the ratings stay as they are; questions that were
        not returned take the missing rule's values in both.
    fatal : Fatal, optional
        The fatal rule, with its two switches, for the combined aggregate.

    Notes
    -----
    OverallScore of Rus et al. (2010), section "Evaluation criteria" of Task B: the sum over all expected questions.
    """
    obeyed = [rule for rule in rules if reading == "by_protocol" or isinstance(rule, Missing)]
    missing, settled = _settled(study, obeyed, worst)
    slot, values = _overlaid(study, missing, settled)
    if fatal and fatal.applied == "per_rating":
        values = _revised(values, study.criteria, fatal, worst)
    means = _means(slot, values, len(missing))
    if fatal and fatal.applied == "on_means":
        means = _revised(means, study.criteria, fatal, worst)
    return _by_system(study, missing, means)


def _settled(
    study: NumberedStudy, rules: Sequence[Rule], worst: Mapping[str, float]
) -> tuple[Flags, Floats]:
    """Return which slots count as missing, and the values that rules give, NaN where they leave the
    ratings alone."""
    text, question_set = study.slots.text, study.slots.question_set
    kept = np.zeros(len(text), dtype=bool)
    missing = text < 0
    if any(isinstance(rule, Identical) for rule in rules):
        repeats, kept = _repeats(question_set, text)
        missing = missing | repeats
    expected = np.bincount(question_set)[question_set]
    present = np.bincount(question_set[~missing], minlength=question_set.max(initial=-1) + 1)[
        question_set
    ]
    settled = np.full((len(text), len(study.criteria)), np.nan)
    for rule in sorted(
        rules, key=lambda rule: isinstance(rule, Lone)
    ):  # lone comes last, as in judging.protocols.rules
        if isinstance(rule, Missing):
            _give(settled, missing, study.criteria, worst if rule.sets is None else rule.sets)
        elif isinstance(rule, Identical):
            _give(settled, kept, study.criteria, rule.sets)
        elif isinstance(rule, Lone):
            _give(settled, ~missing & (present == 1) & (expected > 1), study.criteria, rule.sets)
    return missing, settled


def _repeats(question_set: Integers, text: Integers) -> tuple[Flags, Flags]:
    """Return which returned questions equal an earlier one of their set, and which earlier ones
    have such repeats."""
    order = np.lexsort((np.arange(len(text)), text, question_set))
    same = (
        (np.diff(question_set[order]) == 0) & (np.diff(text[order]) == 0) & (text[order][1:] >= 0)
    )
    repeats, kept = np.zeros(len(text), dtype=bool), np.zeros(len(text), dtype=bool)
    repeats[order[1:][same]] = True
    kept[order[:-1][same]] = True
    return repeats, kept & ~repeats


def _give(
    settled: Floats, where: Flags, criteria: Sequence[str], values: Mapping[str, float]
) -> None:
    for column, name in enumerate(criteria):
        if name in values:
            settled[where, column] = values[name]


def _overlaid(study: NumberedStudy, missing: Flags, settled: Floats) -> tuple[Integers, Floats]:
    """Return the ratings as the rules leave them; slots that only rules speak of get one row of
    their own."""
    kept = ~missing[study.ratings.slot]
    slot, values = study.ratings.slot[kept], study.ratings.values[kept]
    values = np.where(np.isnan(settled[slot]), values, settled[slot])
    rated = np.bincount(slot, minlength=len(missing)) > 0
    alone = np.flatnonzero(~rated)
    return np.concatenate([slot, alone]), np.concatenate([values, settled[alone]])


def _revised(
    values: Floats, criteria: Sequence[str], rule: Fatal, worst: Mapping[str, float]
) -> Floats:
    """Set the others to their worst where the fatal rule holds; values that were never given stay
    out."""
    others = set(worst if rule.revises() is None else rule.named)
    revised = values.copy()
    for cause, fatal_value in rule.when.items():
        hit = values[:, criteria.index(cause)] == fatal_value
        for column, name in enumerate(criteria):
            if name in others - {cause}:
                revised[hit & ~np.isnan(values[:, column]), column] = worst[name]
    return revised


def _means(slot: Integers, values: Floats, n_slots: int) -> Floats:
    given = ~np.isnan(values)
    return _divided(
        _added(slot, np.where(given, values, 0.0), n_slots), _added(slot, given, n_slots)
    )


def _divided(sums: Floats, counts: Floats) -> Floats:
    quotient = np.full(sums.shape, np.nan)
    np.divide(sums, counts, out=quotient, where=counts > 0)
    return quotient


def _by_system(study: NumberedStudy, missing: Flags, means: Floats) -> SystemSums:
    system, n = study.slots.system, len(study.systems)
    given = ~np.isnan(means)
    filled = np.where(given, means, 0.0)
    back = ~missing
    sums, counts = _added(system, filled, n), _added(system, given, n)
    return SystemSums(
        systems=study.systems,
        criteria=study.criteria,
        expected=np.bincount(system, minlength=n),
        returned=np.bincount(system[back], minlength=n),
        unrated=_added(system, ~given, n).astype(np.int64),
        unjudged=_added(system[back], ~given[back], n).astype(np.int64),
        sums=sums,
        means_expected=_divided(sums, counts),
        means_returned=_divided(
            _added(system[back], filled[back], n), _added(system[back], given[back], n)
        ),
    )


def _added(group: Integers, rows: Floats | Flags, n: int) -> Floats:
    sums = np.zeros((n, rows.shape[1]))
    np.add.at(sums, group, rows)
    return sums
