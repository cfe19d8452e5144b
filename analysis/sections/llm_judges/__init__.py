"""The chapter on LLM judges; a report of a campaign without them has none."""

from analysis.sections.chapters import Chapter
from analysis.sections.llm_judges.alternative_annotator_test import (
    AlternativeAnnotatorTest,
    JudgeAgainstAnnotators,
)
from analysis.sections.llm_judges.bias import (
    JudgeBias,
    JudgeCorrelations,
    JudgedItems,
    JudgeUseOfScale,
)
from analysis.sections.llm_judges.consistency import JudgeConsistency
from analysis.sections.llm_judges.judge_descriptions import JudgeDescriptions, has_judges
from analysis.sections.llm_judges.prediction_powered_means import PredictionPoweredMeans

CHAPTER = Chapter(
    "judges",
    "LLM judges",
    (
        JudgeDescriptions(),
        AlternativeAnnotatorTest(),
        JudgeAgainstAnnotators(),
        JudgeBias(),
        JudgeCorrelations(),
        JudgeUseOfScale(),
        JudgeConsistency(),
        PredictionPoweredMeans(),
        JudgedItems(),
    ),
    applies=has_judges,
)
