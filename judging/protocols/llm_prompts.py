"""The prompt of an LLM judge, in the protocol's own words, and the strict reading of its answer."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from judging.protocols.protocol_schema import ProtocolCriterion, ProtocolDocument

SHOWN = {
    "passage": "Passage",
    "sentence": "Sentence",
    "answer": "Answer",
    "target_type": "Expected question type",
    "modality": "Modality",
    "submitted_answer": "Answer given with the question",
    "submitted_type": "Question type given with the question",
}
ORDER = "Answer with one JSON object and nothing else. Its keys are {keys}, each with one of that criterion's numbers"
RATIONALE = "rationale"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")  # all but tab and line ends


class NoAnswer(ValueError):
    """A reply that is not of the requested form; the message says why."""


@dataclass(frozen=True, slots=True)
class PromptedQuestion:
    """One question with what annotators see beside it, by the names of the protocol's `shows`."""

    question: str
    beside: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Read:
    """The values and the rationale read from an answer."""

    values: Mapping[str, int]
    rationale: str


def asked_criteria(
    protocol: ProtocolDocument, keys: Collection[str] = ()
) -> tuple[ProtocolCriterion, ...]:
    """Return the criteria about single questions, only those of `keys` if any are named; a judge is
    asked about one question at a time."""
    return tuple(
        criterion
        for criterion in protocol.criteria
        if criterion.unit == "question"
        and criterion.asked == "per_unit"
        and (not keys or criterion.key in keys)
    )


def instruction(protocol: ProtocolDocument, keys: Collection[str] = ()) -> str:
    """Return the instruction: guideline, criteria and scales word for word, and the form of the
    answer."""
    asked = asked_criteria(protocol, keys)
    parts = [protocol.guideline.strip(), *map(_criterion, asked)]
    named = ", ".join(f'"{each.key}"' for each in asked)
    parts.append(f'{ORDER.format(keys=named)}, and "{RATIONALE}" with your reason in one sentence.')
    return "\n\n".join(filter(None, parts))


def _criterion(criterion: ProtocolCriterion) -> str:
    lines = [f"{criterion.name} ({criterion.key}): {criterion.prompt}", criterion.definition]
    for point in criterion.points:
        described = f": {point.description}" if point.description else ""
        lines.append(f"{point.value} = {point.label}{described}")
    return "\n".join(filter(None, lines))


def item_text(asked: PromptedQuestion, protocol: ProtocolDocument) -> str:
    """Return one question with its source as far as the protocol shows it, without a system."""
    shown = [name for stage in protocol.stages for name in stage.shows]
    lines = [
        f"{title}: {asked.beside[name]}"
        for name, title in SHOWN.items()
        if name in shown and asked.beside.get(name)
    ]
    return "\n\n".join([*lines, f"Question: {asked.question}"])


def read_reply(text: str, criteria: Sequence[ProtocolCriterion]) -> Read:
    """Read a reply: a JSON object with a point of its scale for every criterion.

    Raises
    ------
    NoAnswer
        If there is text around the object, a key is missing, or a value is no point. Nothing is
        guessed.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise NoAnswer("is no JSON object") from None
    if not isinstance(found, dict):
        raise NoAnswer("is no JSON object")
    values = {}
    for criterion in criteria:
        value = found.get(criterion.key)
        if value is None:
            raise NoAnswer(f"has no value for {criterion.key}")
        points = [point.value for point in criterion.points]
        if type(value) is not int or value not in points:
            raise NoAnswer(
                f"gives {criterion.key} {str(value)[:40]!r}, which is no point of its scale"
            )
        values[criterion.key] = value
    rationale = found.get(RATIONALE, "")
    words = rationale if isinstance(rationale, str) else ""
    return Read(values, storable(words))


def storable(text: str) -> str:
    """Return a model's text without characters that the database cannot store, NUL and lone
    surrogates, and without control characters that would act on a terminal."""
    return _CONTROL.sub("\ufffd", text).encode("utf-8", "replace").decode()
