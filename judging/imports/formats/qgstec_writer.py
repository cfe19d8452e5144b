"""Writing QG-STEC Task B's XML, which `read_qgstec` reads."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape, quoteattr

from judging.imports.formats.qgstec_xml import HUMAN
from judging.imports.readers.records import NoteRecord, RatingRecord, SourceRecord, StudyRecords

WrittenSlot = tuple[str, str, int | None]

_NAME = re.compile(r"[^\W\d][\w.-]*")
_IMPOSSIBLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


class CannotWrite(ValueError):
    """The study contains something that this format cannot express."""


def write_qgstec(study: StudyRecords) -> str:
    """Return the study as XML. A study whose only system is `human`, without ratings, is written as
    a development set.

    Raises
    ------
    CannotWrite
        If a source is no sentence with a target type, a whole set is rated, or a name or text is impossible in XML.
    """
    _refuse(study)
    writer = _Writer(study)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<dataset>\n'
        + "".join(writer.instances())
        + "</dataset>\n"
    )


def _refuse(study: StudyRecords) -> None:
    for source in study.sources:
        if source.passage is not None or not source.sentence or not source.target_type:
            raise CannotWrite(
                f"Source “{source.key}” is not a sentence with a target type; this XML has no other sources."
            )
    for rating in study.ratings:
        if rating.position is None:
            raise CannotWrite(
                f"The ratings on “{rating.criterion}” are about whole sets; this XML rates questions."
            )
        if not _NAME.fullmatch(rating.criterion) or rating.criterion in (
            "rater",
            "note",
            "comment",
        ):
            raise CannotWrite(f"“{rating.criterion}” cannot be the name of an attribute.")


class _Writer:
    def __init__(self, study: StudyRecords) -> None:
        self.study = study
        self.bare = study.systems == (HUMAN,) and not study.ratings and not study.notes
        self.texts = {
            (each.source_key, each.system, each.position): each.text for each in study.questions
        }
        self.origins = {
            each.source_key: each.attributes
            for each in study.questions
            if "instance" in each.attributes
        }
        named = (each for each in study.sources if each.key in self.origins)
        self.of_sentences = {each.sentence: self.origins[each.key] for each in named}
        self.ratings: defaultdict[WrittenSlot, list[RatingRecord]] = defaultdict(list)
        self.notes: defaultdict[WrittenSlot, list[NoteRecord]] = defaultdict(list)
        self.filled: defaultdict[tuple[str, str], int] = defaultdict(int)
        for rating in study.ratings:
            self.ratings[rating.source_key, rating.system, rating.position].append(rating)
        for note in study.notes:
            self.notes[note.source_key, note.system, note.position].append(note)
        for source, system, position in self.texts:
            self.filled[source, system] = max(self.filled[source, system], position)

    def instances(self) -> Iterator[str]:
        grouped: defaultdict[str, list[SourceRecord]] = defaultdict(list)
        for source in self.study.sources:
            grouped[self._origin(source).get("instance", f"sentence: {source.sentence}")].append(
                source
            )
        for place, (name, sources) in enumerate(grouped.items(), 1):
            yield from self._instance(
                name if "instance" in self._origin(sources[0]) else str(place), sources
            )

    def _origin(self, source: SourceRecord) -> Mapping[str, str]:
        """Return the origin of a sentence, from its source, or from its stored questions of any
        target type."""
        return (
            source.attributes
            or self.origins.get(source.key)
            or self.of_sentences.get(source.sentence, {})
        )

    def _instance(self, name: str, sources: list[SourceRecord]) -> Iterator[str]:
        yield f"<instance id={_attribute(name)}>\n"
        for tag in ("id", "source"):
            if value := self._origin(sources[0]).get(tag):
                yield f"\t<{tag}>{_text(value)}</{tag}>\n"
        yield f"\t<text>{_text(sources[0].sentence)}</text>\n"
        if not self.bare:
            yield from (
                f"\t<targetQuestionType>{_text(each.target_type)}</targetQuestionType>\n"
                for each in sources
            )
        for system in self.study.systems:
            yield "" if self.bare else f"\t<submission id={_attribute(system)}>\n"
            yield from (line for source in sources for line in self._questions(source, system))
            yield "" if self.bare else "\t</submission>\n"
        yield "</instance>\n"

    def _questions(self, source: SourceRecord, system: str) -> Iterator[str]:
        """Yield the questions of a source; an empty slot before a filled one is written, so that
        later questions keep their positions."""
        for position in range(1, self.filled[source.key, system] + 1):
            text = self.texts.get((source.key, system, position)) or ""
            ratings = "".join(self._ratings((source.key, system, position)))
            yield f"\t\t<question type={_attribute(source.target_type)}>{_text(text)}{ratings}</question>\n"

    def _ratings(self, slot: WrittenSlot) -> Iterator[str]:
        by_rater: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for rating in self.ratings.get(slot, ()):
            by_rater[rating.rater][rating.criterion] = rating.value
            if comment := rating.attributes.get("comment"):
                by_rater[rating.rater]["comment"] = comment
        for note in self.notes.get(slot, ()):
            by_rater[note.rater]["note"] = note.text
        for rater, values in by_rater.items():
            attributes = "".join(f" {name}={_attribute(value)}" for name, value in values.items())
            yield f"\n\t\t\t<rating rater={_attribute(rater)}{attributes}/>"


def _text(text: str) -> str:
    return escape(_possible(text), {"\r": "&#13;"})


def _attribute(text: str) -> str:
    return quoteattr(_possible(text))


def _possible(text: str) -> str:
    if _IMPOSSIBLE.search(text):
        raise CannotWrite(f"“{text[:40]!r}” holds a character that XML cannot hold.")
    return text
