"""The core tables once more for every value of a chosen attribute: question type, source, domain, language, day."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from analysis import frames
from analysis.actions import systems
from analysis.actions.annotators import level_of
from analysis.actions.correlations import humans, scored
from analysis.frames import Material
from analysis.reports.records import Record, number, of_estimate
from analysis.stats.alpha import krippendorff_alpha
from analysis.stats.correlation import correlate
from analysis.stats.multiplicity import holm
from judging.models import Campaign

OWN = ("target_type", "source", "day")
FROM_FILE = "column: "  # before the name of a metadata column, which could be any word
MOST = 60  # values of an attribute


def choices(campaign: Campaign) -> list[str]:
    """Return the attributes that a campaign's tables can be sliced by."""
    return [*OWN, *(FROM_FILE + name for name in frames.attribute_names(campaign))]


def records(material: Material, *, attributes: Sequence[str], said: Material) -> list[Record]:
    """Return alpha, system means and Spearman's rho for every value of every chosen attribute.

    Alpha is of what people `said`, the rest of the material in the reading that was asked for.
    `slices` says over how many values the eye can wander; p of a correlation is also given by Holm over them.
    """
    found: list[Record] = []
    for attribute in attributes:
        labels, said_labels = _labels(material, attribute), _labels(said, attribute)
        values = labels.dropna().unique().tolist()
        where = {"attribute": attribute.removeprefix(FROM_FILE), "slices": len(values)}
        if len(values) > MOST:
            reason = f"{len(values)} different values: tables are sliced by up to {MOST}"
            found.append({**where, "label": "", "measure": "", "value": None, "reason": reason})
            continue
        parts = [(label, _part(said, said_labels, label), _part(material, labels, label)) for label in values]
        rows = [{**where, "label": str(label), **row} for label, *part in parts for row in _of(*part)]
        _adjust(rows)
        found += rows
    return found


def _labels(material: Material, attribute: str) -> "pd.Series[Any]":
    """Return the values of an attribute: named "judgment" by the judgments' index, else by unit."""
    if attribute == "day":
        return material.judgments["created_at"].str[:10].rename("judgment")
    units = material.slots.set_index("unit")
    if attribute.startswith(FROM_FILE):
        columns, name = frames.attributes(material.campaign), attribute.removeprefix(FROM_FILE)
        values = columns[name] if name in columns else pd.Series(dtype=object)
        return values.reindex(units.index).rename("unit")
    return units[attribute].mask(units[attribute] == "").rename("unit")


def _of(said: Material, part: Material) -> Iterator[Record]:
    yield from _alphas(said)
    for row in systems.means(part):
        yield {"measure": "mean", **row}
    yield from _correlations(part)


def _part(material: Material, labels: "pd.Series[Any]", label: object) -> Material:
    """Return the material of one slice: a day's judgments and what they are of, or the slots with that value."""
    held = labels.index[labels == label]
    if labels.name == "judgment":
        judgments = material.judgments.loc[held]
        units = pd.Index(judgments["unit"].unique())
    else:
        units = held
        judgments = material.judgments[material.judgments["unit"].isin(units)]
    slots = material.slots[material.slots["unit"].isin(units)].reset_index(drop=True)
    scores = material.scores[material.scores["unit"].isin(units)]
    return replace(material, slots=slots, judgments=judgments.reset_index(drop=True), scores=scores)


def _alphas(part: Material) -> Iterator[Record]:
    for criterion in part.rubric.criteria:
        level = level_of(criterion)
        alpha = krippendorff_alpha(part.ratings(criterion.key).to_numpy(), level=level, scale=criterion.values())
        yield of_estimate(alpha, measure="krippendorff_alpha", criterion=criterion.key)


def _correlations(part: Material) -> Iterator[Record]:
    metrics = scored(part)
    for human in humans(part):
        for column in metrics:
            found = correlate(human.values, column.values, method="spearman")
            row = of_estimate(found, measure="spearman", criterion=human.key, metric=column.name)
            row.pop("statistic")
            yield row


def _adjust(rows: Sequence[Record]) -> None:
    """Add Holm's p over the slices of each correlation."""
    tested = [row for row in rows if row["measure"] == "spearman"]
    for key in dict.fromkeys((row["criterion"], row["metric"]) for row in tested):
        same = [row for row in tested if (row["criterion"], row["metric"]) == key]
        p = np.array([np.nan if row["p"] is None else row["p"] for row in same])
        for row, adjusted in zip(same, holm(p), strict=True):
            row["p_holm"] = number(float(adjusted))
