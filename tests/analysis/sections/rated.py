"""Studies of one criterion, made of an array of ratings, that need no database."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.frames import Material
from analysis.reports.rows import Record
from analysis.sections import order_sections
from analysis.sections.section import Found, Inputs
from judging.campaigns.hypotheses import Hypotheses, Margin, hypotheses_to_document
from judging.campaigns.models.campaign import Campaign
from judging.protocols import documents
from quaestor_stats._design import Design
from tests.analysis.sections import stored
from tests.analysis.sections.computing import chance, inputs_of

SYSTEMS = ("Alba", "Brisa", "Corvo", "Delta", "Elba", "Fala")
COMPUTED = (
    "systems",
    "common_means",
    "system_comparisons",
    "mixed_models",
    "groups",
    "ranks",
    "equivalence",
    "primary_hypotheses",
)
PROTOCOL = """
key: rated
version: 1
title: Rated
summary: One scale.
citation: None.
task: source
annotators: {annotators}
expected: 1
estimated_seconds: 10
stages: [{{key: judge, title: Judge}}]
criteria:
  - key: clarity
    name: Clarity
    prompt: How clear is it?
    definition: How clear it is.
    level: ordinal
    best: highest
    stage: judge
    points: [{points}]
aggregate: {{kind: mean}}
guideline: Read.
"""


def margin(points: float) -> dict[str, Margin]:
    return {"clarity": Margin(points, "smaller differences change no choice")}


def study(ratings: Any, **declared: Any) -> Material:
    """Return the study of ratings (systems, sources, annotators), NaN where there is none.

    Every system has one question on every source; the scale has seven points. `declared` are the
    hypotheses of the locked plan.
    """
    given = np.asarray(ratings, dtype=float)
    systems, sources, annotators = given.shape
    units = pd.DataFrame(
        [(name, f"t{source}") for name in SYSTEMS[:systems] for source in range(sources)],
        columns=["system", "source"],
    )
    units["unit"] = units["question_set"] = range(len(units))
    units = units.assign(position=1, text="Who?", passage=None, answer="", target_type="")
    cells = np.argwhere(~np.isnan(given))
    judgments = pd.DataFrame(
        {
            "unit": cells[:, 0] * sources + cells[:, 1],
            "annotator": [f"A{place + 1}" for place in cells[:, 2]],
            "criterion": "clarity",
            "value": given[tuple(cells.T)],
            "task": cells[:, 1],
        }
    )
    points = ", ".join(f"{{value: {point}, label: p{point}}}" for point in range(1, 8))
    return Material(
        campaign=Campaign(
            title="Rated",
            locked_plan={"hypotheses": hypotheses_to_document(Hypotheses(**declared))},
        ),
        protocol=documents.parse(
            PROTOCOL.format(annotators=annotators, points=points), "rated.yaml"
        ),
        slots=units,
        judgments=judgments,
        scores=pd.DataFrame(columns=["unit", "metric", "value"]),
        metrics=(),
    )


def with_second_criterion(read: Material, ratings: Any, *, key: str) -> Material:
    """Return a study whose annotators rated a second criterion, too."""
    second = study(ratings).judgments.assign(criterion=key)
    (criterion,) = read.protocol.criteria
    criteria = (criterion, replace(criterion, key=key, name=key.capitalize()))
    return replace(
        read,
        protocol=replace(read.protocol, criteria=criteria),
        judgments=pd.concat([read.judgments, second], ignore_index=True),
    )


def drawn(
    systems: int,
    sources: int,
    annotators: int,
    *,
    seed: int = 1,
    gap: float = 0.0,
    severity: float = 0.4,
    taste: float = 0.0,
) -> Any:
    """Draw ratings (systems, sources, annotators) on the scale.

    gap : between the means of one system and the next
    severity : standard deviation of annotators
    taste : of annotators' differences between systems
    """
    rng = np.random.default_rng(seed)
    means = 5 - gap * np.arange(systems)[:, None, None]
    of_sources = rng.normal(0, 0.5, (1, sources, 1)) + rng.normal(0, 0.4, (systems, sources, 1))
    of_annotators = rng.normal(0, severity, annotators) + rng.normal(
        0, taste, (systems, 1, annotators)
    )
    noise = rng.normal(0, 0.4, (systems, sources, annotators))
    return np.clip(np.rint(means + of_sources + of_annotators + noise), 1, 7)


def in_passages(read: Material, number: int) -> Material:
    """Return a study whose sources share so many passages, in turn."""
    passages = read.slots["source"].map(lambda key: f"Passage {int(key[1:]) % number}")
    return replace(read, slots=read.slots.assign(passage=passages))


def inputs(read: Material, design: str = "sources", **settings: Any) -> Inputs:
    """Return what sections compute from under a declared design."""
    given = inputs_of(read, **settings)
    return Inputs(
        given.said, given.counted, Design.from_key(design), given.settings, given.failures
    )


def computed(read: Material, design: str = "sources", **settings: Any) -> dict[str, list[Record]]:
    """Return the tables about systems as a run makes them, each after those that it reads."""
    points = [[point, f"p{point}"] for point in range(1, 8)]
    tables: dict[str, Any] = {
        "criteria": [
            stored.criterion(criterion.key, points=points, averaged=True)
            for criterion in read.protocol.criteria
        ],
        "about": [
            stored.about(
                annotators=read.judgments["annotator"].nunique(),
                sources=read.slots["source"].nunique(),
                sources_judged=read.slots["source"].nunique(),
            )
        ],
    }
    for section in order_sections():
        if section.key in COMPUTED:
            given = inputs(read, design, **settings)
            tables[section.key] = section.records(given, Found(tables), chance())
    return tables
