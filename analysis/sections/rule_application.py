"""The two readings of a study whose protocol sets values by rule: raw scores as annotators gave
them, and protocol-adjusted scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from analysis.frames import Material
from judging.protocols.protocol_schema import ProtocolDocument
from judging.protocols.rules import Identical, Lone, Missing, RuleReading, apply_slot_rules

if TYPE_CHECKING:
    import pandas as pd

READINGS: tuple[RuleReading, ...] = ("as_released", "by_protocol")


def has_set_rules(protocol: ProtocolDocument) -> bool:
    """Return whether a protocol has rules about question sets; without them there is only one
    reading."""
    return any(isinstance(rule, Lone | Identical | Missing) for rule in protocol.rules)


def read_as(material: Material, reading: RuleReading) -> Material:
    """Return the material under a reading: by the protocol, its rules overrule the annotators'
    ratings.

    Ratings of a question that counts as missing are removed, so that means stay over the questions
    that were returned. A value set by a rule replaces the rating of every annotator who judged the
    question.
    """
    if reading == "as_released" or material.judgments.empty or not has_set_rules(material.protocol):
        return material
    return replace(material, judgments=_overlaid(material))


def without_rule_values(material: Material, reading: RuleReading) -> Material:
    """Return the annotators' judgments that a reading counts and no rule overrules: a value set by
    a rule is the same for all annotators and carries no information on agreement."""
    if reading == "as_released" or material.judgments.empty or not has_set_rules(material.protocol):
        return material
    _judged, _given, said = _parted(material)
    return replace(material, judgments=said.reset_index(drop=True))


def _parted(material: Material) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return the judgments of questions that count as returned, the values set by rules, and those
    of the judgments that no rule overrules."""
    import pandas as pd

    gone, given = _marks(material)
    judged = material.judgments[~material.judgments["unit"].isin(gone)]
    by_rule = pd.MultiIndex.from_frame(given[["unit", "criterion"]])
    said = judged[~pd.MultiIndex.from_frame(judged[["unit", "criterion"]]).isin(by_rule)]
    return judged, given, said


def _overlaid(material: Material) -> pd.DataFrame:
    import pandas as pd

    judged, given, said = _parted(material)
    who = judged.dropna(subset=["value"]).drop_duplicates(["unit", "annotator"])
    ruled = who.drop(columns=["criterion", "value"]).merge(given, on="unit").assign(origin="rule")
    place = {each.key: number for number, each in enumerate(material.protocol.criteria)}
    rows = pd.concat([said, ruled[judged.columns]])
    return rows.assign(place=rows["criterion"].map(place)).sort_values(
        ["place", "unit", "annotator"], kind="stable", ignore_index=True
    )[judged.columns]


def _marks(material: Material) -> tuple[set[int], pd.DataFrame]:
    """Return the units that count as missing, and what rules give the others."""
    import pandas as pd

    gone: set[int] = set()
    given: list[tuple[int, str, float]] = []
    for units, texts in _sets(material):
        marks = apply_slot_rules(texts, material.protocol.rules, material.protocol.worst())
        for unit, mark in zip(units, marks, strict=True):
            if mark.missing:
                gone.add(unit)
            else:
                given += [
                    (unit, criterion, float(value)) for criterion, value in mark.values.items()
                ]
    frame = pd.DataFrame(given, columns=["unit", "criterion", "value"])
    return gone, frame.astype({"unit": "int64", "criterion": "string", "value": "float64"})


def _sets(material: Material) -> Iterator[tuple[list[int], list[str | None]]]:
    """Go through the question sets, each as its units and texts in their order."""
    import pandas as pd

    for _, slots in material.questions.sort_values("position", kind="stable").groupby(
        "question_set", sort=False
    ):
        yield (
            slots["unit"].tolist(),
            [None if pd.isna(text) else str(text) for text in slots["text"]],
        )
