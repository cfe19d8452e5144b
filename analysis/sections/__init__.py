"""The sections of a report: tables, figures and sentences, one subject per file, typed from
statistics to page.

To add a statistic, add a section in a file of its own, its test, and its place in CHAPTERS. Another
package adds one by an entry point (`chapters.PLUGINS`).
"""

from collections.abc import Iterable, Mapping
from typing import Any

from analysis.sections import llm_judges
from analysis.sections.about import About
from analysis.sections.agreement.agreement import Agreement
from analysis.sections.agreement.annotator_models import AnnotatorModels, DawidSkene
from analysis.sections.agreement.annotators import (
    AgreementWithoutEach,
    Annotators,
    IntraAnnotatorAgreement,
    PairwiseKappa,
    ScaleUse,
)
from analysis.sections.agreement.dependability import DependabilityOfSystems
from analysis.sections.agreement.distributions import Distributions
from analysis.sections.agreement.exclusions import Exclusions
from analysis.sections.agreement.hidden_repeats import HiddenRepeats
from analysis.sections.agreement.span_marks import SpanMarks
from analysis.sections.agreement.violations import Violations
from analysis.sections.chapters import Chapter, FurtherAnalysis, chapters_of_plugins
from analysis.sections.conditions import Conditions
from analysis.sections.criteria import Criteria
from analysis.sections.external_checks import ExternalChecks
from analysis.sections.llm_judges.judge_descriptions import JudgeDescriptions
from analysis.sections.metrics.ceiling import Ceiling
from analysis.sections.metrics.correlations import Correlations
from analysis.sections.metrics.metric_comparisons import Leaders, MetricComparisons
from analysis.sections.metrics.metric_definitions import MetricDefinitions
from analysis.sections.metrics.metric_means import MetricMeans
from analysis.sections.omitted_tables import OmittedTables
from analysis.sections.section import Inputs, Section
from analysis.sections.systems.aggregates import Aggregates
from analysis.sections.systems.common_means import CommonMeans
from analysis.sections.systems.coverage import Coverage
from analysis.sections.systems.equivalence import Equivalences
from analysis.sections.systems.few_sources import FewSources
from analysis.sections.systems.matrices import CriterionMatrix, MetricMatrix
from analysis.sections.systems.mixed_models import MixedModels
from analysis.sections.systems.primary_hypotheses import PrimaryHypotheses
from analysis.sections.systems.question_sets import (
    ComputedFacts,
    Sets,
    TextStatistics,
    TypesByHead,
    judges_sets,
)
from analysis.sections.systems.ranks import Ranks
from analysis.sections.systems.slices import Slices
from analysis.sections.systems.system_comparisons import Groups, SystemComparisons
from analysis.sections.systems.systems import Systems

CHAPTERS: tuple[Chapter, ...] = (
    Chapter(
        "study",
        "Study",
        (About(), OmittedTables(), Criteria(), Coverage(), Violations(), Conditions()),
    ),
    Chapter("primary", "Primary hypotheses", (PrimaryHypotheses(),)),
    Chapter(
        "agreement",
        "Agreement",
        (
            Agreement(),
            PairwiseKappa(),
            Annotators(),
            ScaleUse(),
            AnnotatorModels(),
            AgreementWithoutEach(),
            IntraAnnotatorAgreement(),
            HiddenRepeats(),
            Exclusions(),
        ),
    ),
    Chapter(
        "systems",
        "Systems",
        (
            Systems(),
            CommonMeans(),
            Distributions(),
            SystemComparisons(),
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
            Correlations(),
            MetricComparisons(),
            Leaders(),
            MetricMatrix(),
            CriterionMatrix(),
            MetricMeans(),
            MetricDefinitions(),
            ExternalChecks(),
        ),
    ),
    llm_judges.CHAPTER,
    Chapter(
        "texts", "Texts", (SpanMarks(), TextStatistics(), TypesByHead(), ComputedFacts(), Sets())
    ),
    Chapter("slices", "Slices", (Slices(),)),
    *chapters_of_plugins(),
)


FURTHER: Mapping[str, FurtherAnalysis] = {
    "annotators": FurtherAnalysis(
        "Annotators in detail",
        "Severity, use of the scale, pairs of annotators, and α without each of them.",
        (PairwiseKappa, Annotators, ScaleUse, AgreementWithoutEach),
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
        (IntraAnnotatorAgreement, HiddenRepeats),
    ),
    "ranks": FurtherAnalysis(
        "Bootstrap shares of ranks",
        "How often each system has each rank if sources are drawn again.",
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
    "metric_means": FurtherAnalysis(
        "Metric means by system",
        "The mean score of each system by each metric.",
        (MetricMeans,),
    ),
    "texts": FurtherAnalysis(
        "Text statistics",
        "Lengths and question words of the questions, and question types by the head of the wh-phrase.",
        (TextStatistics, TypesByHead),
        is_core=judges_sets,
    ),
}
SECTIONS: tuple[Section[Any], ...] = tuple(
    section for chapter in CHAPTERS for section in chapter.sections
)


def section_of(key: str) -> Section[Any] | None:
    """Return the section of a table's key."""
    return next((section for section in SECTIONS if section.key == key), None)


def sections_of(inputs: Inputs) -> list[Section[Any]]:
    """Return the sections of a run in the order in which they are computed: those of the chapters
    that apply, without further analyses that it does not ask for."""
    without = {
        section
        for key, analysis in FURTHER.items()
        if key not in inputs.settings["further"] and not analysis.is_core(inputs)
        for section in analysis.sections
    }
    return [
        section
        for chapter in CHAPTERS
        if chapter.applies(inputs)
        for section in chapter.sections
        if type(section) not in without
    ]


def order_sections(sections: Iterable[Section[Any]] = SECTIONS) -> list[Section[Any]]:
    """Return sections so that each comes after those whose rows it reads."""
    first = (OmittedTables.key, Criteria.key, Violations.key, JudgeDescriptions.key)
    last = (PrimaryHypotheses.key, ExternalChecks.key)
    return sorted(sections, key=lambda section: (section.key in last, section.key not in first))
