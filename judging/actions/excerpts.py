"""Texts of sources and questions as pages list them: long ones cut, and never read as a whole."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import F, IntegerField, Value
from django.db.models.functions import Coalesce, Greatest, Left, Substr

from judging.long_texts import shortened
from judging.models import Question, Source


@dataclass(frozen=True, slots=True)
class SourceExcerpt:
    """What a page shows of a source beside one of its questions; of a long passage a piece around
    the answer."""

    passage: str
    sentence: str
    answer: str
    target_type: str


def of_sources(keys: Collection[int], longest: int) -> dict[int, SourceExcerpt]:
    """Return sources by key. What is not shown stays in the database."""
    answer = Coalesce(F("answer_start"), F("sentence_start"), Value(0))
    start = Greatest(Value(1), answer - longest // 2, output_field=IntegerField())
    rows = Source.objects.filter(pk__in=keys).annotate(start=start)
    found = {}
    for key, start_at, passage, sentence, own_answer, target_type in rows.values_list(
        "pk",
        "start",
        Substr("passage__text", start, longest + 1),
        Left("sentence", longest + 1),
        Left("answer", longest + 1),
        "target_type",
    ):
        before = "…" if passage and start_at > 1 else ""
        found[key] = SourceExcerpt(
            passage=before + shortened(passage or "", longest),
            sentence=shortened(sentence, longest),
            answer=shortened(own_answer, longest),
            target_type=target_type,
        )
    return found


def of_questions(units: Collection[int], longest: int) -> dict[int, str]:
    """Return the texts of questions by their units."""
    rows = Question.objects.filter(unit__in=units).values_list("unit", Left("text", longest + 1))
    return {unit: shortened(text, longest) for unit, text in rows}
