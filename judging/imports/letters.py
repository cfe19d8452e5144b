"""Which system hides behind each letter of a crowd batch: found by the texts of their questions."""

from collections import Counter
from dataclasses import dataclass

from judging.formats.records import Study
from judging.imports.matching import Held, Matching, Sameness, match

MOST_FOUND = 0.9  # of a file's questions, before its letters are taken to stand for systems of the collection
SURE = 0.9  # of a letter's questions that are one system's


@dataclass(frozen=True, slots=True)
class Letters:
    """What the letters of a file stand for: one system each, or in every row another (`names` is empty then)."""

    names: dict[str, str]
    matching: Matching


def letters(study: Study, held: Held, *, same: Sameness, has_ids: bool) -> Letters | None:
    """Find the systems of the collection behind names that it does not have; None where the texts do not tell."""
    if not held.systems or held.systems & set(study.systems):
        return None
    found = match(study, held, same=same, by="texts", has_ids=has_ids, any_system=True)
    asked = [key for key, each in found.questions.items() if each.candidates]
    given = sum(question.text is not None for question in study.questions)
    if not given or len(asked) < MOST_FOUND * given:
        return None
    sure: dict[str, Counter[str]] = {}
    for (_, system, _), each in found.questions.items():
        if len({slot.system for slot in each.candidates}) == 1:
            sure.setdefault(system, Counter())[each.candidates[0].system] += 1
    names = {letter: counts.most_common(1)[0][0] for letter, counts in sure.items() if _is_one(counts)}
    one_each = len(names) == len(study.systems) == len(set(names.values()))
    return Letters(names if one_each else {}, found)


def _is_one(counts: Counter[str]) -> bool:
    return counts.most_common(1)[0][1] >= SURE * counts.total()
