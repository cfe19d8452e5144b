"""False alarms and coverage of every printed p and interval, on simulated studies of the field's
shapes.

    OMP_NUM_THREADS=1 .venv/bin/python bench/inference.py [--studies 400] [--only TEXT] [--processes 2]

A study is drawn with effects of passages, sources, questions, annotators, annotators on systems,
and metrics on systems; its ratings are rounded to the scale and cut at its ends. The report's own sections
compute their rows from it, so the bench measures what a report prints, wiring included. The truth
of a number is the same section's value for very large studies of the same systems, annotators (new
ones on each source if they are declared random) and metrics. Under a null (systems alike; metrics
alike; metrics without any correlation) every p below .05 is counted, and every study in which
letters separate two systems. Each line of the table is one kind of number of one scenario.

A kind fails only if the exact 95% binomial interval of its rate, over studies, lies wholly above
.07 for a p or wholly below .92 for an interval. A scenario with a failing kind is run again with
2,000 studies and a new seed, and the second rates count. Conservative kinds (wholly below .03 or
above .97) are marked. Kinds "as published" take questions as independent, or annotators as fixed if
the mixed model compares the systems; they are listed for the docs, carry no letter and no sentence
in a report, and never fail.
"""

import argparse
import os
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# this bench uses no database
os.environ.setdefault("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")

import django  # noqa: E402

django.setup()


from analysis.frames import Material  # noqa: E402
from analysis.sections import order_sections  # noqa: E402
from analysis.sections.section import Found, Inputs, chance_of  # noqa: E402
from judging.campaigns import hypotheses  # noqa: E402
from judging.campaigns.hypotheses import (  # noqa: E402
    GREATER,
    NON_INFERIOR,
    Hypotheses,
    Margin,
    PrimaryHypothesis,
)
from judging.campaigns.models.campaign import Campaign  # noqa: E402
from judging.datasets.models.score import Metric  # noqa: E402
from judging.protocols import documents  # noqa: E402
from quaestor_stats._design import Design  # noqa: E402

Array = "np.ndarray[Any, np.dtype[np.float64]]"
SYSTEMS = ("systems", "system_comparisons", "mixed_models", "groups")
PRINTED = (
    "agreement",
    "agreement_without_each",
    *SYSTEMS,
    "few_sources",
    "ceiling",
    "correlations",
    "metric_comparisons",
    "leaders",
)
OVER_SYSTEMS = ("correlations", "metric_comparisons", "leaders")  # what extends to other systems
PUBLISHED = ("williams", "t_as_published", "as_published")
# ends of the names of p that are corrected, or of one side of an equivalence test
NO_NULL = ("_holm", "_bh", "_lower", "_upper", "_adjusted")
LEVEL, COVERAGE = (0.03, 0.07), (0.92, 0.97)
STUDIES_OF_RERUN = 2_000
SEED, SEED_OF_RERUN = 7, 8
UNDECLARED = Hypotheses()
LARGE = 3_000  # sources of a study that gives the truth, if it has six systems
# as large as a study, at least: the truth's error then takes less than .005 of coverage
TIMES_AS_LARGE = 50
STUDIES_OF_SYSTEMS = 100  # whose mean is the truth where systems are random
PROTOCOL = """
key: simulated
version: 1
title: Simulated
summary: One scale.
citation: None.
task: source
annotators: {annotators}
expected: 1
estimated_seconds: 10
stages: [{{key: judge, title: Judge}}]
criteria:
  - key: quality
    name: Quality
    prompt: How good is it?
    definition: How good it is.
    level: ordinal
    best: highest
    stage: judge
    points: [{points}]
aggregate: {{kind: mean}}
guideline: Read.
"""


@dataclass(frozen=True)
class Scenario:
    """A shape of study and the sizes of what varies in it, in points of the scale."""

    name: str
    sources: int
    systems: int
    annotators: int
    points: int = 3
    centre: float = 2.2
    system: float = 0.2  # standard deviation of the systems' means; 0 makes them alike
    passages: int = 0  # that the sources share; 0: every source has its own
    passage: float = 0.0
    passage_system: float = 0.0  # how systems differ from passage to passage
    source: float = 0.3
    question: float = 0.4
    annotator: float = 0.3
    annotator_system: float = 0.0
    noise: float = 0.4
    missing: float = 0.0
    # how much each follows the question's quality
    metrics: tuple[float, ...] = (
        0.0,
        0.5,
        0.5,
        1.0,
    )
    metric_system: float = 0.0  # a metric's own view of each system
    covered: float = 1.0  # share of the questions that the last metric has scored
    design: str = "sources"
    nulls: tuple[str, ...] = ()  # kinds whose p is under a true null here
    # share of the sources on which an annotator rates others' systems; every system is assigned to
    # one annotator in turn, who rates it on all sources
    of_others: float = 1.0
    alone: bool = False  # every output has one annotator
    skips: bool = False  # of the systems, an annotator rates only those of others
    outputs: float = 1.0  # share of the outputs that systems returned
    silent: float = 0.0  # share of the sources, the hardest, on which the first system is silent
    sections: tuple[str, ...] = PRINTED
    failing: float = 0.0  # share of the first system's outputs that get the lowest rating
    exempt: bool = False  # no test keeps its level here: the rates are shown and none fails
    step: float = 0.0  # by which each system's mean is above the one before
    tied: int = 1  # systems that have the first one's mean
    hypotheses: Hypotheses = UNDECLARED

    @property
    def protocol(self) -> Any:
        points = ", ".join(f"{{value: {p}, label: p{p}}}" for p in range(1, self.points + 1))
        return documents.parse(
            PROTOCOL.format(annotators=self.annotators, points=points), "simulated.yaml"
        )


CLASS = Scenario("class project, 30 x 4 x 3", 30, 4, 3)
TASK_B = Scenario("Task B, 90 x 4 x 2 on 1-4", 90, 4, 2, points=4)
QGBENCH = Scenario("QG-Bench, 500 x 6 x 5", 500, 6, 5)
QGEVAL = Scenario("QGEval, 200 x 15 x 3, ceiling", 200, 15, 3, centre=2.7)
SHARED = {"passage": 0.3, "passage_system": 0.3, "source": 0.2}
ALIKE = {"system": 0.0, "nulls": ("systems",)}
TIED = {"metrics": (0.5, 0.5, 0.5), "nulls": ("metrics",)}
NOTHING = {"metrics": (0.0, 0.0, 0.0), "system": 0.0, "nulls": ("systems", "metrics", "following")}
AT_MARGIN: dict[str, Any] = {
    "systems": 2,
    "points": 9,
    "centre": 4.5,
    "system": 0.0,
    "step": 1.0,
    "hypotheses": Hypotheses(margins={"quality": Margin(1.0, "a point")}),
    "nulls": ("equivalence",),
}
SCENARIOS: tuple[Scenario, ...] = (
    CLASS,
    replace(CLASS, name="class project, systems alike", **ALIKE),
    replace(
        CLASS,
        name="class project, nothing to find",
        sections=(*PRINTED, "primary_hypotheses"),
        hypotheses=Hypotheses(
            (PrimaryHypothesis("quality", "m0", direction=GREATER, metric_level="pooled"),)
        ),
        **NOTHING,
    ),
    replace(CLASS, name="class project, two systems, nothing to find", systems=2, **NOTHING),
    replace(CLASS, name="class project, three systems, nothing to find", systems=3, **NOTHING),
    replace(CLASS, name="class project, metrics alike", **TIED),
    replace(
        CLASS,
        name="class project, systems alike, annotators on systems",
        annotator_system=0.3,
        design="sources+annotators",
        sections=SYSTEMS,
        **ALIKE,
    ),
    replace(
        CLASS,
        name="class project, five random annotators, annotators on systems",
        annotators=5,
        annotator_system=0.3,
        design="sources+annotators",
        sections=SYSTEMS,
        **ALIKE,
    ),
    replace(
        CLASS,
        name="class project, systems differ, random annotators on systems",
        annotator_system=0.3,
        design="sources+annotators",
        sections=SYSTEMS,
    ),
    replace(
        CLASS,
        name="unbalanced: annotators rate 60 % of the outputs of most systems",
        annotator=0.5,
        of_others=0.6,
        sections=SYSTEMS,
        **ALIKE,
    ),
    replace(
        CLASS,
        name="unbalanced: one annotator an output, mostly of one system",
        annotator=0.5,
        of_others=0.2,
        alone=True,
        sections=SYSTEMS,
        **ALIKE,
    ),
    replace(
        CLASS,
        name="unbalanced: each annotator does not rate one or two systems",
        annotator=0.5,
        skips=True,
        sections=SYSTEMS,
        **ALIKE,
    ),
    replace(
        CLASS,
        name="missing outputs: ten sources, half of the outputs missing",
        sources=10,
        outputs=0.5,
        sections=SYSTEMS,
        **ALIKE,
    ),
    replace(
        CLASS,
        name="missing outputs: 100 sources, one of two systems silent on the hardest 30 %",
        sources=100,
        systems=2,
        silent=0.3,
        sections=("system_comparisons", "groups"),
        **ALIKE,
    ),
    replace(
        CLASS,
        name="missing outputs: one of two systems silent on the hardest 30 %",
        systems=2,
        silent=0.3,
        sections=("system_comparisons", "groups"),
        **ALIKE,
    ),
    replace(
        CLASS,
        name="unbalanced: one annotator an output, 55:45, 200 sources",
        sources=200,
        systems=2,
        annotators=2,
        annotator=0.7,
        of_others=0.45,
        alone=True,
        sections=("system_comparisons", "groups"),
        **ALIKE,
    ),
    replace(
        CLASS,
        name="unbalanced: one annotator an output, 55:45, 400 sources",
        sources=400,
        systems=2,
        annotators=2,
        annotator=0.7,
        of_others=0.45,
        alone=True,
        sections=("system_comparisons", "groups"),
        **ALIKE,
    ),
    replace(
        CLASS,
        name="unbalanced: one annotator an output, 53:47, 400 sources",
        sources=400,
        systems=2,
        annotators=2,
        annotator=0.7,
        of_others=0.47,
        alone=True,
        sections=("system_comparisons", "groups"),
        **ALIKE,
    ),
    replace(
        CLASS,
        name="missing outputs: 100 sources, one of four systems silent on the hardest 10 %",
        sources=100,
        silent=0.1,
        sections=("system_comparisons", "groups"),
        **ALIKE,
    ),
    replace(
        CLASS,
        name="unbalanced: random annotators rate 60 % of the outputs of most systems",
        annotators=5,
        annotator_system=0.3,
        of_others=0.6,
        design="sources+annotators",
        sections=SYSTEMS,
        **ALIKE,
    ),
    replace(CLASS, name="12 passages x 3 answers", sources=36, passages=12, **SHARED),
    replace(
        CLASS,
        name="12 passages x 3 answers, nothing to find",
        sources=36,
        passages=12,
        **SHARED,
        **NOTHING,
    ),
    replace(CLASS, name="10 passages x 10 answers", sources=100, passages=10, **SHARED),
    replace(
        CLASS,
        name="10 passages x 10 answers, nothing to find",
        sources=100,
        passages=10,
        **SHARED,
        **NOTHING,
    ),
    replace(
        CLASS,
        name="rare failures, 20 x 2 x 3 on 1-100",
        sources=20,
        systems=2,
        points=100,
        centre=70.0,
        source=6.0,
        question=4.0,
        annotator=3.0,
        noise=5.0,
        failing=1 / 16,
        exempt=True,
        **ALIKE,
    ),
    replace(
        CLASS,
        name="primary hypothesis: two of four systems, two-sided",
        sections=("system_comparisons", "primary_hypotheses"),
        hypotheses=Hypotheses((PrimaryHypothesis("quality", "S00", "S01"),)),
        **ALIKE,
    ),
    replace(
        CLASS,
        name="primary hypothesis: two systems, one-sided, five random annotators on systems",
        systems=2,
        annotators=5,
        annotator_system=0.3,
        design="sources+annotators",
        sections=("system_comparisons", "mixed_models", "primary_hypotheses"),
        hypotheses=Hypotheses((PrimaryHypothesis("quality", "S00", "S01", GREATER),)),
        **ALIKE,
    ),
    # whole points apart on a scale whose ends are out of reach, so that the true difference is 1
    replace(
        CLASS,
        name="equivalence: two systems at the margin",
        sections=("system_comparisons", "equivalence"),
        **AT_MARGIN,
    ),
    replace(
        CLASS,
        name="non-inferiority: the first system worse by the margin",
        sections=("system_comparisons", "primary_hypotheses"),
        **AT_MARGIN
        | {
            "hypotheses": Hypotheses(
                (PrimaryHypothesis("quality", "S00", "S01", NON_INFERIOR),),
                margins={"quality": Margin(1.0, "a point")},
            )
        },
    ),
    replace(
        CLASS,
        name="rank intervals: six systems, two of them alike",
        systems=6,
        step=0.12,
        system=0.0,
        tied=2,
        sections=("system_comparisons", "groups", "ranks"),
    ),
    replace(
        CLASS,
        name="rank intervals: six systems alike",
        systems=6,
        sections=("system_comparisons", "groups", "ranks"),
        **ALIKE,
    ),
    replace(
        CLASS,
        name="equivalence: two systems at the margin, five random annotators on systems",
        annotators=5,
        annotator_system=0.3,
        design="sources+annotators",
        sections=("system_comparisons", "mixed_models", "equivalence"),
        **AT_MARGIN,
    ),
    replace(CLASS, name="class project, 91 % at the top", centre=3.27),
    replace(CLASS, name="class project, 91 % at the top, nothing to find", centre=3.27, **NOTHING),
    TASK_B,
    replace(TASK_B, name="Task B, systems alike", question=0.6, **ALIKE),
    replace(TASK_B, name="Task B, 30 % missing", missing=0.3),
    replace(
        QGBENCH, name="QG-Bench, systems alike, 5 annotators", sources=200, question=0.6, **ALIKE
    ),
    replace(QGBENCH, name="QG-Bench, 200 sources", sources=200, annotator=0.5),
    replace(QGBENCH, name="QG-Bench, metrics alike", sources=200, **TIED),
    replace(
        QGBENCH,
        name="QG-Bench, metrics alike but each sees systems its way",
        sources=100,
        metric_system=0.4,
        design="sources+systems",
        sections=OVER_SYSTEMS,
        **TIED,
    ),
    replace(
        QGBENCH, name="QG-Bench, last metric on 15 % of the questions", sources=200, covered=0.15
    ),
    replace(QGEVAL, name="QGEval, 60 sources", sources=60),
    replace(QGEVAL, name="QGEval, 60 sources, nothing to find", sources=60, **NOTHING),
    replace(
        QGEVAL,
        name="QGEval, 60 sources, metrics alike but each sees systems its way",
        sources=60,
        metric_system=0.4,
        design="sources+systems",
        sections=OVER_SYSTEMS,
        **TIED,
    ),
)


@dataclass(frozen=True)
class People:
    """The fixed effects of a scenario's studies: of its systems, of annotators, and of metrics on
    systems."""

    systems: Any  # (n_systems,)
    severity: Any  # (n_annotators,), or (n_sources, 1, n_annotators) if new ones rate each source
    on_systems: Any  # (n_annotators, n_systems), or (n_sources, n_annotators, n_systems)
    views: Any  # (n_metrics, n_systems)


def people(scenario: Scenario, rng: np.random.Generator) -> People:
    """Draw who and what takes part, each centred so that scenarios are comparable."""

    def drawn(size: tuple[int, ...], spread: float) -> Any:
        return rng.normal(size=size) * spread

    return People(
        systems=drawn((scenario.systems,), scenario.system)
        + scenario.step * np.maximum(np.arange(scenario.systems) + 1 - scenario.tied, 0),
        severity=drawn((scenario.annotators,), scenario.annotator),
        on_systems=drawn((scenario.annotators, scenario.systems), scenario.annotator_system),
        views=drawn((len(scenario.metrics), scenario.systems), scenario.metric_system),
    )


def redrawn(scenario: Scenario, held: People, rng: np.random.Generator) -> People:
    """Return systems and annotators of a new study: facets that the design declares random are
    drawn again, the others are kept."""
    fresh, design = people(scenario, rng), Design.from_key(scenario.design)
    return People(
        systems=fresh.systems if design.random_systems else held.systems,
        severity=fresh.severity if design.random_annotators else held.severity,
        on_systems=fresh.on_systems if design.random_annotators else held.on_systems,
        views=fresh.views if design.random_systems else held.views,
    )


def new_on_each_source(
    scenario: Scenario, held: People, sources: int, rng: np.random.Generator
) -> People:
    """Return the same systems and metrics with other annotators on each source."""
    annotators, systems = scenario.annotators, scenario.systems
    return replace(
        held,
        severity=rng.normal(size=(sources, 1, annotators)) * scenario.annotator,
        on_systems=rng.normal(size=(sources, annotators, systems)) * scenario.annotator_system,
    )


def allocated(scenario: Scenario, sources: int, rng: np.random.Generator) -> Any:
    """Return which outputs each annotator rates, (n_sources, n_systems, n_annotators)."""
    systems, annotators = np.arange(scenario.systems), np.arange(scenario.annotators)
    own = systems[:, None] % scenario.annotators == annotators
    if scenario.skips:
        return np.broadcast_to(~own, (sources, *own.shape))
    if not scenario.alone:
        return own | (rng.random((sources, *own.shape)) < scenario.of_others)
    share = scenario.of_others / max(1, scenario.annotators - 1)
    chances = np.where(own, 1 - scenario.of_others, share)
    drawn = (rng.random((sources, scenario.systems, 1)) > chances.cumsum(axis=1)).sum(axis=2)
    return np.minimum(drawn, scenario.annotators - 1)[..., None] == annotators


def material(scenario: Scenario, held: People, sources: int, rng: np.random.Generator) -> Material:
    """Draw a study and return it as an analysis reads it."""
    shape = (sources, scenario.systems)
    passages = sources * scenario.passages // scenario.sources if scenario.passages else sources
    passage = np.arange(sources) * passages // sources
    of_passages = (
        rng.normal(size=(passages, 1)) * scenario.passage
        + rng.normal(size=(passages, scenario.systems)) * scenario.passage_system
    )
    of_sources = rng.normal(size=(sources, 1)) * scenario.source
    quality = (
        held.systems
        + of_passages[passage]
        + of_sources
        + rng.normal(size=shape) * scenario.question
    )
    ratings = (
        scenario.centre
        + quality[..., None]
        + held.severity
        + np.swapaxes(held.on_systems, -1, -2)
        + rng.normal(size=(*shape, scenario.annotators)) * scenario.noise
    )
    if scenario.failing:  # of the first system, whose other outputs make up for it: equal means
        failed = rng.random(sources) < scenario.failing
        lost = (scenario.centre - 1) * scenario.failing
        ratings[:, 0] += lost / (1 - scenario.failing)
        ratings[failed, 0] = 1
    ratings = np.clip(np.rint(ratings), 1, scenario.points)
    ratings[rng.random(ratings.shape) < scenario.missing] = np.nan
    ratings[rng.random(shape) >= scenario.outputs] = np.nan
    ratings[np.argsort(of_sources[:, 0])[: round(scenario.silent * sources)], 0] = np.nan
    if scenario.of_others < 1 or scenario.skips:
        ratings[~allocated(scenario, sources, rng)] = np.nan
    spread = np.sqrt(scenario.question**2 + scenario.source**2 + scenario.system**2)
    scores = np.stack(
        [
            follows * quality
            + view
            + (rng.normal(size=(passages, 1)) * scenario.passage)[passage]
            + rng.normal(size=shape) * spread
            for follows, view in zip(scenario.metrics, held.views, strict=True)
        ]
    )
    scores[-1][rng.random(shape) >= scenario.covered] = np.nan
    return _framed(scenario, ratings, scores, passage)


def _framed(scenario: Scenario, ratings: Any, scores: Any, passage: Any) -> Material:
    sources, systems, annotators = ratings.shape
    units = np.arange(sources * systems)
    source, system = units // systems, units % systems
    slots = pd.DataFrame(
        {
            "unit": units,
            "system": [f"S{s:02d}" for s in system],
            "source": [f"t{s}" for s in source],
            "source_position": source,
            "question_set": units,
            "position": 1,
            "text": "Who?",
            "passage": [f"Passage {p}" for p in passage[source]],
            "answer": "",
            "source_id": source,
            "target_type": "",
            "submitted_answer": "",
        }
    )
    values = ratings.reshape(-1)
    judged = ~np.isnan(values)
    judgments = pd.DataFrame(
        {
            "unit": np.repeat(units, annotators),
            "criterion": "quality",
            "annotator": np.tile([f"A{a}" for a in range(annotators)], units.size),
            "value": values,
            "origin": "judged",
            "task": np.repeat(source, annotators),
            "created_at": 0,
            "excluded": "f",
        }
    )[judged].reset_index(drop=True)
    metrics = tuple(
        Metric(pk=place, name=f"m{place}", kind="imported", fingerprint=str(place))
        for place in range(len(scores))
    )
    columns = [
        pd.DataFrame({"unit": units, "metric": place, "value": column.reshape(-1)})
        for place, column in enumerate(scores)
    ]
    return Material(
        campaign=Campaign(
            title="simulated",
            locked_plan={"hypotheses": hypotheses.hypotheses_to_document(scenario.hypotheses)},
        ),
        protocol=scenario.protocol,
        slots=slots,
        judgments=judgments,
        scores=pd.concat(columns).dropna().reset_index(drop=True),
        metrics=metrics,
    )


def printed(
    scenario: Scenario, read: Material, *, seed: int, resamples: int
) -> dict[tuple[str, ...], Mapping[str, Any]]:
    """Return every row of the report's sections by its identity."""
    settings = {
        "reading": "as_released",
        "mixed_model": "always",
        "extras": False,
        "slices": [],
        "items": "own",
        "metric_level": "pooled",
        "adjudicated": False,
    }
    inputs = Inputs(
        said=read,
        counted=read,
        design=Design.from_key(scenario.design),
        settings=settings,
        failures={},
    )
    tables: dict[str, Any] = {
        "criteria": [
            {
                "criterion": "quality",
                "name": "Quality",
                "level": "ordinal",
                "best": "highest",
                "averaged": True,
                "points": [[p, ""] for p in range(1, scenario.points + 1)],
                "target": [],
                "unit": "question",
            }
        ]
    }
    found: dict[tuple[str, ...], Mapping[str, Any]] = {}
    for section in order_sections():
        if section.key in scenario.sections:
            chance = chance_of(
                section.key, seed=seed, resamples=resamples, step=lambda message: None
            )
            tables[section.key] = section.records(inputs, Found(tables), chance)
            for row in tables[section.key]:
                found[section.key, *(str(row[name]) for name in section.identity)] = row
    return found


def ends(row: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the names of each 95% interval of a row: low, high, and the value that it is of."""
    if "margin" in row:  # the interval of an equivalence test is one of 90%
        return
    for low in row:
        if low.endswith("low"):
            prefix = low.removesuffix("low")
            value = next((n for n in (f"{prefix}value", "value", "difference") if n in row), "")
            if value:
                yield low, f"{prefix}high", value


def kind_of(key: tuple[str, ...], row: Mapping[str, Any], column: str, *, is_adjusted: bool) -> str:
    """Name the kind of a number: its section and statistic, without system, metric or criterion.

    The mixed model's differences count as published, and so do other tests of two systems if the
    one that compares them is adjusted for annotators.
    """
    is_other = key[0] == "system_comparisons" and row["test"] != "difference"
    if key[0] == "mixed_models" or (is_other and is_adjusted):
        column = f"{column} as_published"
    names = ("test", "effect", "coefficient", "level", "basis")
    # the level of a correlation is a word, that of a primary test a number
    parts = [row[name] for name in names if isinstance(row.get(name), str) and row[name]]
    return " ".join([key[0], *parts, column])


def null_of(key: tuple[str, ...], scenario: Scenario) -> str:
    """Return which null a section's p belongs to."""
    if key[0] == "equivalence":
        return "equivalence"
    if key[0] == "primary_hypotheses":
        [primary] = scenario.hypotheses.primary
        if primary.direction == NON_INFERIOR:
            return "equivalence"
        return "systems" if primary.is_about_systems else "following"
    if key[0] in ("system_comparisons", "components", "mixed_models"):
        return "systems"
    return "metrics" if key[0] == "metric_comparisons" else "following"


def separated(found: Mapping[tuple[str, ...], Mapping[str, Any]]) -> bool | None:
    """Return whether letters separate two systems; None if there are no letters."""
    given = [set(row["letters"]) for key, row in found.items() if key[0] == "groups"]
    if not given or not all(given):
        return None
    return any(not one & other for one, other in combinations(given, 2))


def ranks_covered(
    scenario: Scenario, held: People, found: Mapping[tuple[str, ...], Mapping[str, Any]]
) -> bool | None:
    """Return whether every rank interval holds every rank that the system's true mean permits; None
    if there are no intervals. Systems with equal means share their ranks."""
    rows = {row["system"]: row for key, row in found.items() if key[0] == "ranks"}
    if not rows or scenario.system or any(row["highest_rank"] is None for row in rows.values()):
        return None
    means = {f"S{place:02d}": mean for place, mean in enumerate(held.systems)}
    return all(
        row["highest_rank"] <= 1 + sum(other > means[name] for other in means.values())
        and sum(other >= means[name] for other in means.values()) <= row["lowest_rank"]
        for name, row in rows.items()
    )


def measured(job: tuple[Scenario, int, int, int]) -> dict[str, list[tuple[bool, float]]]:
    """Return, for one study, whether each interval covers and each p under a null is below .05, by
    kind."""
    scenario, number, resamples, seed = job
    warnings.simplefilter("ignore")
    held, truth = _truth(scenario)
    rng = np.random.default_rng([seed, number])
    read = material(scenario, redrawn(scenario, held, rng), scenario.sources, rng)
    found: dict[str, list[tuple[bool, float]]] = defaultdict(list)
    rows = printed(scenario, read, seed=number, resamples=resamples)
    is_adjusted = any(row.get("p_from") == "contrast" for row in rows.values())
    if "systems" in scenario.nulls and (apart := separated(rows)) is not None:
        found["groups letters separate systems"].append((apart, 0.0))
    if (covered := ranks_covered(scenario, held, rows)) is not None:
        found["ranks interval of all systems at once"].append((covered, 0.0))
    for key, row in rows.items():
        for low, high, value in ends(row):
            true = truth.get(key, {}).get(value)
            if true is not None and row[low] is not None and row[high] is not None and true == true:
                found[kind_of(key, row, f"interval {low}", is_adjusted=is_adjusted)].append(
                    (bool(row[low] <= true <= row[high]), true)
                )
        for name in row:
            is_p = (name == "p" and key[0] != "primary_hypotheses") or (
                name.startswith("p_") and not name.endswith((*NO_NULL, "p_from"))
            )
            if is_p and null_of(key, scenario) in scenario.nulls and row[name] is not None:
                found[kind_of(key, row, name, is_adjusted=is_adjusted)].append(
                    (bool(row[name] < 0.05), 0.0)
                )
        if key[:1] == ("system_comparisons",) and row["test"] == "difference" and scenario.exempt:
            if row["p_holm"] is not None and row["p_holm"] < 0.05:
                pair = ("few_sources", *(row[name] for name in ("criterion", "first", "second")))
                found["few_sources caution beside a false alarm"].append((pair in rows, 0.0))
    return found


_TRUTHS: dict[str, tuple[People, dict[tuple[str, ...], dict[str, float]]]] = {}


def _truth(scenario: Scenario) -> tuple[People, dict[tuple[str, ...], dict[str, float]]]:
    """Return the fixed effects of a scenario and the mean results of very large studies; computed
    once per process."""
    if scenario.name not in _TRUTHS:
        rng = np.random.default_rng([11, len(scenario.name)])
        held = people(scenario, rng)
        found = [
            printed(scenario, large, seed=1, resamples=10)
            for large in _large_studies(scenario, held, rng)
        ]
        _TRUTHS[scenario.name] = held, averaged(found)
    return _TRUTHS[scenario.name]


def _large_studies(
    scenario: Scenario, held: People, rng: np.random.Generator
) -> Iterator[Material]:
    """Yield complete studies, together at least `TIMES_AS_LARGE` times as large. New annotators rate
    each source, or each study has new systems, where these are declared random."""
    complete = replace(scenario, missing=0.0, of_others=1.0, skips=False, outputs=1.0, silent=0.0)
    design = Design.from_key(scenario.design)
    if (
        design.random_systems
    ):  # of the same size, since correlations within sources depend on the number
        for _ in range(STUDIES_OF_SYSTEMS):
            yield material(complete, redrawn(complete, held, rng), scenario.sources, rng)
        return
    sources = LARGE * 6 // scenario.systems
    for _ in range(-(-TIMES_AS_LARGE * scenario.sources // sources)):
        if design.random_annotators and "correlations" not in scenario.sections:
            yield material(complete, new_on_each_source(scenario, held, sources, rng), sources, rng)
        else:
            yield material(complete, held, sources, rng)


def averaged(
    studies: Sequence[Mapping[tuple[str, ...], Mapping[str, Any]]],
) -> dict[tuple[str, ...], dict[str, float]]:
    """Return the mean of each number of the rows that all studies have."""
    shared = set.intersection(*(set(study) for study in studies))
    means: dict[tuple[str, ...], dict[str, float]] = {}
    for key in shared:
        rows = [study[key] for study in studies]
        columns = [name for name in rows[0] if all(_is_number(row[name]) for row in rows)]
        means[key] = {name: float(np.mean([row[name] for row in rows])) for name in columns}
    return means


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True)
class Rate:
    """The rate at which a kind of number is wrong (a p below .05) or right (an interval covers)."""

    kind: str
    share: float
    studies: int

    @property
    def limits(self) -> tuple[float, float]:
        """The exact 95% binomial interval of the rate over studies."""
        hits = round(self.share * self.studies)
        low = stats.beta.ppf(0.025, hits, self.studies - hits + 1) if hits else 0.0
        missed = hits < self.studies
        high = stats.beta.ppf(0.975, hits + 1, self.studies - hits) if missed else 1.0
        return float(low), float(high)

    @property
    def verdict(self) -> str:
        """FAILS, conservative, as published, or an empty string."""
        low, high = self.limits
        is_interval = " interval " in self.kind
        if any(word in self.kind for word in PUBLISHED):
            return "as published"
        if high < COVERAGE[0] if is_interval else low > LEVEL[1]:
            return "FAILS"
        if low > COVERAGE[1] if is_interval else high < LEVEL[0]:
            return "conservative"
        return ""


def table(
    scenario: Scenario, *, studies: int, resamples: int, seed: int = SEED, pool: Any = None
) -> list[Rate]:
    """Return the rate of each kind of number."""
    jobs = [(scenario, number, resamples, seed) for number in range(studies)]
    parts = pool.map(measured, jobs, chunksize=10) if pool else map(measured, jobs)
    shares: dict[str, list[float]] = defaultdict(list)
    for part in parts:
        for kind, rows in part.items():
            shares[kind].append(float(np.mean([hit for hit, _ in rows])))
    return [Rate(kind, float(np.mean(each)), len(each)) for kind, each in sorted(shares.items())]


def show(rates: Sequence[Rate], *, with_verdicts: bool = True) -> None:
    """Print a line for each rate."""
    for rate in rates:
        verdict = rate.verdict if with_verdicts else ""
        print(
            f"  {rate.share:.3f}  {rate.studies:4}  {rate.kind}  {verdict}".rstrip(),
            flush=True,
        )


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--resamples", type=int, default=300)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", default="", help="scenarios whose name holds this text")
    arguments = parser.parse_args(words)
    how = {"resamples": arguments.resamples}
    failing = 0
    with ProcessPoolExecutor(arguments.processes) as pool:
        for scenario in SCENARIOS:
            if arguments.only.lower() not in scenario.name.lower():
                continue
            print(f"\n{scenario.name} (design: {scenario.design})", flush=True)
            rates = table(scenario, studies=arguments.studies, pool=pool, **how)
            show(rates, with_verdicts=not scenario.exempt)
            failed = {rate.kind for rate in rates if rate.verdict == "FAILS"}
            if scenario.exempt:
                print("  exempt: no test corrects for failures that a study holds none of")
                continue
            if failed:
                print(f"  once more with {STUDIES_OF_RERUN:,} studies and a new seed", flush=True)
                again = table(
                    scenario, studies=STUDIES_OF_RERUN, seed=SEED_OF_RERUN, pool=pool, **how
                )
                rates = [rate for rate in again if rate.kind in failed]
                show(rates)
                failing += sum(rate.verdict == "FAILS" for rate in rates)
    print(f"\n{failing} kinds fail")
    return failing


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
