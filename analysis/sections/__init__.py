"""The sections of a report: tables, figures and sentences, one subject per file, typed from
statistics to page.

To add a statistic, add a section in a file of its own, its test, and its place in CHAPTERS.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from analysis.sections.aggregates import Aggregates
from analysis.sections.agreement import Agreement
from analysis.sections.annotator_models import AnnotatorModels, DawidSkene
from analysis.sections.annotators import Annotators, LeftOutEach, Pairs, Repeats, UseOfScale
from analysis.sections.ceiling import Ceiling
from analysis.sections.common_means import CommonMeans
from analysis.sections.comparisons import Comparisons, Groups
from analysis.sections.conditions import Conditions
from analysis.sections.criteria import Criteria
from analysis.sections.dependability import DependabilityOfSystems
from analysis.sections.differences import Differences, Leaders
from analysis.sections.distributions import Distributions
from analysis.sections.equivalence import Equivalences
from analysis.sections.exclusions import Exclusions
from analysis.sections.external_checks import ExternalChecks
from analysis.sections.few_sources import FewSources
from analysis.sections.judge_bias import JudgeBias, JudgedItems, JudgeLevels, JudgeUse
from analysis.sections.judge_consistency import JudgeConsistency
from analysis.sections.judge_corrections import CorrectedMeans
from analysis.sections.judge_verdicts import AgainstPeople, Verdicts
from analysis.sections.levels import Levels
from analysis.sections.machine_judges import MachineJudges
from analysis.sections.matrices import CriterionMatrix, MetricMatrix
from analysis.sections.metrics import MetricsMade
from analysis.sections.mixed_models import MixedModels
from analysis.sections.not_listed import NotListed
from analysis.sections.own_repeats import OwnRepeats
from analysis.sections.primary import PrimaryHypotheses
from analysis.sections.question_sets import ComputedFacts, SetFacts, Sets, TypesByHead
from analysis.sections.ranks import Ranks
from analysis.sections.returned import Returned
from analysis.sections.section import Section
from analysis.sections.slices import Slices
from analysis.sections.spans import SpanMarks
from analysis.sections.study import StudyOverview
from analysis.sections.system_means import SystemMeans
from analysis.sections.system_scores import SystemScoresByMetric
from analysis.sections.violations import Violations


@dataclass(frozen=True)
class Chapter:
    """A part of the report: its sections in the order of the page."""

    key: str
    title: str
    sections: tuple[Section[Any], ...]


CHAPTERS: tuple[Chapter, ...] = (
    Chapter(
        "study",
        "Study",
        (StudyOverview(), NotListed(), Criteria(), Returned(), Violations(), Conditions()),
    ),
    Chapter("primary", "Primary hypotheses", (PrimaryHypotheses(),)),
    Chapter(
        "agreement",
        "Agreement",
        (
            Agreement(),
            Pairs(),
            Annotators(),
            UseOfScale(),
            AnnotatorModels(),
            LeftOutEach(),
            Repeats(),
            OwnRepeats(),
            Exclusions(),
        ),
    ),
    Chapter(
        "systems",
        "Systems",
        (
            SystemMeans(),
            CommonMeans(),
            Distributions(),
            Comparisons(),
            MixedModels(),
            Groups(),
            FewSources(),
            Ranks(),
            Equivalences(),
            DependabilityOfSystems(),
            DawidSkene(),
        ),
    ),
    Chapter("protocol", "Protocol", (Aggregates(),)),
    Chapter(
        "metrics",
        "Metrics",
        (
            Ceiling(),
            Levels(),
            Differences(),
            Leaders(),
            MetricMatrix(),
            CriterionMatrix(),
            SystemScoresByMetric(),
            MetricsMade(),
            ExternalChecks(),
        ),
    ),
    Chapter(
        "judges",
        "LLM judges",
        (
            MachineJudges(),
            Verdicts(),
            AgainstPeople(),
            JudgeBias(),
            JudgeLevels(),
            JudgeUse(),
            JudgeConsistency(),
            CorrectedMeans(),
            JudgedItems(),
        ),
    ),
    Chapter("texts", "Texts", (SpanMarks(), SetFacts(), TypesByHead(), ComputedFacts(), Sets())),
    Chapter("slices", "Slices", (Slices(),)),
)


@dataclass(frozen=True)
class FurtherAnalysis:
    """Sections that a run has only if it asks for them, or a section that then has more rows."""

    title: str
    sentence: str  # what it shows
    sections: tuple[type[Section[Any]], ...] = ()


FURTHER: Mapping[str, FurtherAnalysis] = {
    "annotators": FurtherAnalysis(
        "Annotators in detail",
        "Severity, use of the scale, pairs of annotators, and α without each of them.",
        (Pairs, Annotators, UseOfScale, LeftOutEach),
    ),
    "annotator_models": FurtherAnalysis(
        "Many-facet severity",
        "Severity and accuracy of annotators by statistical models.",
        (AnnotatorModels,),
    ),
    "dawid_skene": FurtherAnalysis(
        "Dawid–Skene aggregation",
        "Means of systems from expected true values, which weigh annotators by their accuracy.",
        (DawidSkene,),
    ),
    "repeats": FurtherAnalysis(
        "Repeats",
        "Agreement of annotators with themselves on items that they rated twice.",
        (Repeats, OwnRepeats),
    ),
    "ranks": FurtherAnalysis(
        "Bootstrap shares of ranks",
        "How often each system has each rank if sources are drawn again.",
        (Ranks,),
    ),
    "dependability": FurtherAnalysis(
        "Required annotators and sources",
        "The precision that studies of other sizes would have.",
    ),
    "criterion_matrix": FurtherAnalysis(
        "Correlations between criteria",
        "Whether criteria measure different things.",
        (CriterionMatrix,),
    ),
    "system_scores": FurtherAnalysis(
        "Metric means by system",
        "The mean score of each system by each metric.",
        (SystemScoresByMetric,),
    ),
    "texts": FurtherAnalysis(
        "Text statistics",
        "Lengths and question words of the questions, and question types by the head of the wh-phrase.",
        (ComputedFacts, TypesByHead),
    ),
}
SECTIONS: tuple[Section[Any], ...] = tuple(
    section for chapter in CHAPTERS for section in chapter.sections
)


def section_of(key: str) -> Section[Any] | None:
    """Return the section of a table's key."""
    return next((section for section in SECTIONS if section.key == key), None)


def ordered(further: Collection[str] = tuple(FURTHER)) -> Iterator[Section[Any]]:
    """Yield the sections so that each comes after those whose rows it reads, without further
    analyses that are not asked for."""
    without = {
        section.key
        for key, analysis in FURTHER.items()
        if key not in further
        for section in analysis.sections
    }
    first = (NotListed.key, Criteria.key, Violations.key, MachineJudges.key)
    last = (PrimaryHypotheses.key, ExternalChecks.key)
    return iter(
        sorted(
            (section for section in SECTIONS if section.key not in without),
            key=lambda section: (section.key in last, section.key not in first),
        )
    )
