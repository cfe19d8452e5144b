"""The chapter on LLM judges; a report of a campaign without them has none."""

from analysis.sections.chapters import Chapter
from analysis.sections.llm_judges.bias import JudgeBias, JudgedItems, JudgeLevels, JudgeUse
from analysis.sections.llm_judges.consistency import JudgeConsistency
from analysis.sections.llm_judges.corrections import CorrectedMeans
from analysis.sections.llm_judges.judges import MachineJudges, has_judges
from analysis.sections.llm_judges.verdicts import AgainstPeople, Verdicts

CHAPTER = Chapter(
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
    applies=has_judges,
)
