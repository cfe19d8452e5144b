"""Texts of sources and questions as pages list them: long ones cut, and never read as a whole."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import F, IntegerField, Value
from django.db.models.functions import Coalesce, Greatest, Left, Substr

from judging.base.limits import MAX_DOCUMENT_CHARACTERS
from judging.base.long_texts import shortened
from judging.datasets.models.dataset import Question, Source


@dataclass(frozen=True, slots=True)
class SourceExcerpt:
    """What a page shows of a source beside one of its questions; a long passage is cut around the
    answer."""

    passage: str
    sentence: str
    answer: str
    target_type: str
    language: str  # its own, else the dataset's


def source_excerpts(keys: Collection[int]) -> dict[int, SourceExcerpt]:
    """Return excerpts of sources by key. Text that is not shown is not loaded."""
    answer = Coalesce(F("answer_start"), F("sentence_start"), Value(0))
    start = Greatest(Value(1), answer - MAX_DOCUMENT_CHARACTERS // 2, output_field=IntegerField())
    rows = Source.objects.filter(pk__in=keys).annotate(start=start)
    found = {}
    for (
        key,
        start_at,
        passage,
        sentence,
        own_answer,
        target_type,
        language,
        usual,
    ) in rows.values_list(
        "pk",
        "start",
        Substr("passage__text", start, MAX_DOCUMENT_CHARACTERS + 1),
        Left("sentence", MAX_DOCUMENT_CHARACTERS + 1),
        Left("answer", MAX_DOCUMENT_CHARACTERS + 1),
        "target_type",
        "language",
        "dataset__language",
    ):
        before = "…" if passage and start_at > 1 else ""
        found[key] = SourceExcerpt(
            passage=before + shortened(passage or "", MAX_DOCUMENT_CHARACTERS),
            sentence=shortened(sentence, MAX_DOCUMENT_CHARACTERS),
            answer=shortened(own_answer, MAX_DOCUMENT_CHARACTERS),
            target_type=target_type,
            language=language or usual,
        )
    return found


def question_excerpts(units: Collection[int]) -> dict[int, str]:
    """Return the texts of questions by their units."""
    rows = Question.objects.filter(unit__in=units).values_list(
        "unit", Left("text", MAX_DOCUMENT_CHARACTERS + 1)
    )
    return {unit: shortened(text, MAX_DOCUMENT_CHARACTERS) for unit, text in rows}
