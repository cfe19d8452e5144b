"""The source of questions, as far as a stage shows it: the passage in segments, the answer, the
wanted type."""

import re
from collections.abc import Collection as Some
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from judging.base.models.statements import query_rows
from judging.datasets.models.dataset import Passage, Source
from judging.protocols.spans import Segment, cut_segments, range_of
from judging.work.actions.sheets import AskedQuestion, Sheet

SOURCES = """
SELECT source.id, passage.text, source.answer, source.answer_start, source.sentence, source.sentence_start,
    source.target_type, source.modality, source.language
FROM judging_source source LEFT JOIN judging_passage passage ON passage.id = source.passage_id
WHERE source.id = ANY(%(sources)s::bigint[])
"""


@dataclass(frozen=True, slots=True)
class SourceTexts:
    """A source as the page shows it; "" for everything that is missing or hidden by the stage."""

    passage: tuple[Segment, ...] = ()
    answer: str = ""
    sentence: str = ""
    target_type: str = ""
    modality: str = ""
    language: str = ""  # of its own

    def __bool__(self) -> bool:
        return any((self.passage, self.answer, self.sentence, self.target_type, self.modality))

    @property
    def returns(self) -> str:
        """Return the positions of line ends of two characters, which a browser counts as one."""
        text = "".join(text for text, _kind in self.passage)
        return " ".join(str(found.start()) for found in re.finditer("\r\n", text))

    def lines(self) -> list[tuple[str, str]]:
        """Return the source in named lines, for pages on which each question has its own."""
        named = [
            (_("Passage"), "".join(text for text, _kind in self.passage)),
            (_("Sentence"), "" if self.passage else self.sentence),
            (_("Answer"), self.answer),
            (_("Wanted type"), self.target_type),
            (_("Made from"), self.modality),
        ]
        return [(name, text) for name, text in named if text]


def shown_parts(sheet: Sheet, stage: int) -> frozenset[str]:
    """Return the parts shown up to a stage: a part once shown stays, and nothing of a later stage
    is shown."""
    return frozenset(name for each in sheet.protocol.stages[: stage + 1] for name in each.shows)


def shown_source(source: Source, shows: Some[str]) -> SourceTexts:
    """Return the visible parts of a source."""
    passage: tuple[Segment, ...] = ()
    if "passage" in shows and source.passage:
        text, sentence, answer = source.passage.text, None, None
        if "sentence" in shows:
            sentence = range_of(source.sentence, source.sentence_start, text)
        if "answer" in shows:
            answer = range_of(source.answer, source.answer_start, text)
        passage = cut_segments(text, sentence=sentence, answer=answer)
    return SourceTexts(
        passage=passage,
        answer=source.answer if "answer" in shows else "",
        sentence=source.sentence if "sentence" in shows else "",
        target_type=source.target_type if "target_type" in shows else "",
        modality=_modality(source.modality) if "modality" in shows else "",
        language=source.language,
    )


def shown_text(name: str, text: str) -> str:
    """Return a part of a worked item as annotators read it."""
    return _modality(text) if name == "modality" else text


def _modality(value: str) -> str:
    """Return a source's modality in words; a value without a label as it was imported."""
    labels = {
        "document": _("a document"),
        "figure": _("a figure"),
        "image": _("an image"),
        "paragraph": _("a paragraph"),
        "sentence": _("a sentence"),
        "table": _("a table"),
        "text": _("a text"),
    }
    return labels.get(value.lower(), value)


def sources_by_key(sheet: Sheet, shows: Some[str]) -> dict[int, SourceTexts]:
    """Return the visible part of each source on the page, by its key."""
    wanted = {question.source for question in sheet.questions()}
    return {
        row[0]: shown_source(_source(row), shows)
        for row in query_rows(SOURCES, {"sources": list(wanted)})
    }


def _source(row: tuple[Any, ...]) -> Source:
    """Return a source with its passage from a row of `SOURCES`."""
    pk, text, answer, answer_start, sentence, sentence_start, target_type, modality, language = row
    return Source(
        pk=pk,
        passage=None if text is None else Passage(text=text),
        answer=answer,
        answer_start=answer_start,
        sentence=sentence,
        sentence_start=sentence_start,
        target_type=target_type,
        modality=modality,
        language=language,
    )


def shown_question_lines(
    question: AskedQuestion, shows: Some[str], own: SourceTexts | None
) -> tuple[tuple[str, str], ...]:
    """Return the lines about a question that the annotator sees: what the system submitted with it,
    or its own source."""
    lines = own.lines() if own else []
    if "submitted_answer" in shows and question.submitted_answer:
        lines.append((_("Answer given with the question"), question.submitted_answer))
    if "submitted_type" in shows and question.question_type:
        lines.append((_("Declared type"), question.question_type))
    return tuple(lines)


def direction(language: str) -> tuple[str, str]:
    """Return the language tag of a text and its direction: "auto" lets the browser decide by the
    letters, which fails for a right-to-left text that begins with Latin ones."""
    is_rtl = language.split("-")[0].lower() in settings.LANGUAGES_BIDI
    return language, "rtl" if is_rtl else "auto"
