"""Degrade questions on purpose: which ones, in which ways, and with which unchanged questions.
Takes and returns plain records."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from judging.base.limits import MAX_NAME_CHARACTERS
from judging.formats.records import QuestionRecord, StudyRecords
from quaestor_metrics._degradations import DEGRADATIONS

REFERENCES = "References"
BESIDE = ("all", "chosen", "none")
KINDS = {
    "function_words": "function words dropped",
    "entities": "entities dropped",
    "content_words": "content words dropped",
    "question_type": "question word changed",
}
RecordsOfSets = Mapping[tuple[str, str], Sequence[QuestionRecord]]  # by source and system


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedDegradation:
    """Settings of a degradation: which questions, in which ways, and which others are kept."""

    name: str
    systems: Sequence[str]
    noise: Sequence[str] = tuple(KINDS)
    references: bool = False
    percent: int = 100
    beside: str = "all"
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Degraded:
    """One system degraded in one way: its degraded questions, and those that could not be changed
    and are omitted."""

    system: str
    noise: str
    origin: str
    questions: tuple[QuestionRecord, ...]
    unchanged: tuple[QuestionRecord, ...]


def chosen_sets(read: StudyRecords, wanted: WantedDegradation) -> RecordsOfSets:
    """Return the questions of the chosen systems, and the references as if a system had given
    them."""
    found: dict[tuple[str, str], list[QuestionRecord]] = defaultdict(list)
    for question in read.questions:
        if question.system in wanted.systems:
            found[question.source_key, question.system].append(replace(question, scores={}))
    name = _free(REFERENCES, "", set(read.systems))
    for source in read.sources if wanted.references else ():
        for position, text in enumerate(source.references, start=1):
            found[source.key, name].append(
                QuestionRecord(source_key=source.key, system=name, position=position, text=text)
            )
    return found


def degrade_systems(
    sets: RecordsOfSets,
    wanted: WantedDegradation,
    *,
    taken: set[str],
    tell: Callable[[], None] = lambda: None,
) -> Iterator[Degraded]:
    """Degrade each chosen system in each chosen way, all of them on the same sources. `tell` is
    called for each question set, and may stop it by raising."""
    drawn = _drawn(sets, wanted)
    for origin in dict.fromkeys(system for _, system in sets):
        held = [
            questions
            for (source, system), questions in sets.items()
            if system == origin and source in drawn
        ]
        for noise in wanted.noise:
            name = _free(origin, f", {KINDS[noise]}", taken)
            taken.add(name)
            yield _one(name, noise, origin, held, wanted.seed, tell)


def _drawn(sets: RecordsOfSets, wanted: WantedDegradation) -> set[str]:
    sources = list(dict.fromkeys(source for source, _ in sets))
    return set(
        Random(f"{wanted.seed}/sources").sample(sources, -(-len(sources) * wanted.percent // 100))
    )


def _free(base: str, ending: str, taken: set[str]) -> str:
    """Return a name that no other system has, as long as a name may be."""
    names = (f"{ending}{number}" for number in ("", *(f" ({n})" for n in range(2, len(taken) + 3))))
    return next(
        name for end in names if (name := base[: MAX_NAME_CHARACTERS - len(end)] + end) not in taken
    )


def _one(
    name: str,
    noise: str,
    origin: str,
    sets: Iterable[Sequence[QuestionRecord]],
    seed: int,
    tell: Callable[[], None],
) -> Degraded:
    questions: list[QuestionRecord] = []
    unchanged: list[QuestionRecord] = []
    for held in sets:
        tell()
        first = len(questions)
        for question in held:
            text = _worse(question, noise, seed)
            if text is None:
                unchanged.append(question)
            else:
                about = {"noise_type": noise, "degraded_from": origin}
                about |= {"degraded_position": str(question.position)} if len(held) > 1 else {}
                position = len(questions) - first + 1
                questions.append(
                    _renamed(
                        question, name, position, text, about, keeps_type=noise != "question_type"
                    )
                )
    return Degraded(name, noise, origin, tuple(questions), tuple(unchanged))


def _worse(question: QuestionRecord, noise: str, seed: int) -> str | None:
    """Degrade by a chance of the question's own, so that neither other systems nor other kinds of
    noise shift it."""
    own = Random(f"{seed}/{noise}/{question.system}/{question.source_key}/{question.position}")
    return DEGRADATIONS[noise](question.text or "", own) or None


def _renamed(
    question: QuestionRecord,
    system: str,
    position: int,
    text: str,
    about: Mapping[str, str],
    *,
    keeps_type: bool,
) -> QuestionRecord:
    return replace(
        question,
        system=system,
        position=position,
        text=text,
        key="",
        attributes={**question.attributes, **about},
        question_type=question.question_type if keeps_type else "",
    )


def _beside(
    read: StudyRecords, sets: RecordsOfSets, wanted: WantedDegradation
) -> tuple[list[QuestionRecord], dict[tuple[str, str], int]]:
    """Return the questions that are copied as they are, with how many were expected of each set."""
    if wanted.beside == "none":
        return [], {}
    own = list(read.questions) if wanted.beside == "all" else []
    expected = {
        pair: n
        for pair, n in read.expected.items()
        if wanted.beside == "all" or pair[1] in wanted.systems
    }
    for pair, questions in sets.items():
        if wanted.beside == "chosen" or pair not in expected:
            own += questions
            expected.setdefault(pair, len(questions))
    return own, expected


def degraded_study(
    read: StudyRecords, sets: RecordsOfSets, wanted: WantedDegradation, made: Sequence[Degraded]
) -> StudyRecords:
    """Return the degraded questions with the unchanged questions to keep; sources without any
    question are omitted."""
    kept, expected = _beside(read, sets, wanted)
    questions = [*kept, *(question for each in made for question in each.questions)]
    for question in questions[len(kept) :]:
        pair = question.source_key, question.system
        expected[pair] = max(expected.get(pair, 0), question.position)
    asked = {source for source, _ in expected}
    sources = tuple(source for source in read.sources if source.key in asked)
    return StudyRecords(sources=sources, questions=tuple(questions), expected=expected)
