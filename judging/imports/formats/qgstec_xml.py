"""The XML of QG-STEC Task B: evaluated submissions, and the development set with its human
questions.

A sentence with a target type is a source, for which every system is expected to return two
questions. A row is a question's line in the file. Values are kept as written, without surrounding
blanks; the rubric decides which are valid.
"""

from collections.abc import Iterator

from judging.imports.readers.contract import Format
from judging.imports.readers.records import (
    NoteRecord,
    Problem,
    ProblemKind,
    QuestionRecord,
    RatingRecord,
    SourceRecord,
    StudyRecords,
)
from judging.imports.readers.slots import check_crossed
from judging.imports.readers.tables import shorten
from judging.imports.readers.text import Unreadable, unstorable
from judging.imports.readers.xml_tree import Element, parse_xml

HUMAN = "human"
_NOTES = ("note", "comment")
_KNOWN = {
    "instance": {"id", "source", "text", "targetQuestionType", "submission", "question"},
    "submission": {"question"},
    "question": {"rating"},
}


def read_qgstec(data: bytes, *, expected: int = 2) -> StudyRecords:
    """Return the study in a QG-STEC Task B file; `expected` is how many questions each system is
    expected to return for each source.

    Questions directly in an instance, outside any submission, are those of the system `human`, of
    which no number is expected.

    Raises
    ------
    Unreadable
        If the file is not such XML.
    """
    if expected < 1:
        raise Unreadable("The expected number of questions starts at 1.")
    reading = _XmlReading(expected)
    for place, instance in enumerate(parse_xml(data).all("instance"), 1):
        reading.take(instance, instance.attributes.get("id", "").strip() or str(place))
    if not reading.instances:
        raise Unreadable("The XML has no <instance> directly under its root.")
    return reading.study()


class _XmlReading:
    def __init__(self, expected: int) -> None:
        self.owed = expected
        self.instances: set[str] = set()
        self.sources: dict[str, SourceRecord] = {}
        self.systems: dict[str, None] = {}
        self.questions: list[QuestionRecord] = []
        self.ratings: list[RatingRecord] = []
        self.notes: list[NoteRecord] = []
        self.problems: list[Problem] = []
        self.rows = 0
        self._filled: dict[tuple[str, str], int] = {}
        self._strangers: set[tuple[str, str]] = set()

    def take(self, instance: Element, name: str) -> None:
        if name in self.instances:
            reason = f"Another instance has the id “{shorten(name)}”; this one and its questions are skipped."
            self._refuse_all(instance, reason)
            return
        self.instances.add(name)
        self._mention_strangers(instance)
        types = self._types(instance)
        for target in types:
            self._add_source(instance, name, target)
        for submission in instance.all("submission"):
            self._mention_strangers(submission)
            system = submission.attributes.get("id", "").strip()
            if not system:
                self._refuse_all(
                    submission,
                    "The submission has no id, so the system of this question is unknown.",
                )
                continue
            self.systems.setdefault(system)
            for question in submission.all("question"):
                self._ask(question, name, types, system)
        for question in instance.all("question"):
            self._ask(question, name, types, HUMAN)

    def study(self) -> StudyRecords:
        check_crossed(sources=len(self.sources), systems=len(self.systems), named=len(self._filled))
        refused = sum(problem.kind == "row" for problem in self.problems)
        return StudyRecords(
            sources=tuple(self.sources.values()),
            questions=tuple(self.questions),
            ratings=tuple(self.ratings),
            notes=tuple(self.notes),
            problems=tuple(sorted(self.problems, key=lambda problem: problem.row)),
            expected=dict(self._expected()),
            rows_read=self.rows,
            rows_kept=self.rows - refused,
        )

    def _expected(self) -> Iterator[tuple[tuple[str, str], int]]:
        for source in self.sources:
            yield from (((source, system), self.owed) for system in self.systems)
            if HUMAN not in self.systems and (source, HUMAN) in self._filled:
                yield (source, HUMAN), self._filled[source, HUMAN]

    def _types(self, instance: Element) -> tuple[str, ...]:
        """Return the declared target types; the development set declares none, so there they are
        the types of its questions."""
        declared = [element.text for element in instance.all("targetQuestionType")]
        asked = [
            question.attributes.get("type", "").strip() for question in instance.all("question")
        ]
        return tuple(dict.fromkeys(each for each in (*declared, *asked) if each))

    def _add_source(self, instance: Element, name: str, target: str) -> None:
        origin = {tag: instance.text_of(tag) for tag in ("id", "source") if instance.text_of(tag)}
        key = _key(name, target)
        self.sources[key] = SourceRecord(
            key=key,
            sentence=instance.text_of("text"),
            target_type=target,
            attributes={"instance": name} | origin,
            row=instance.line,
        )

    def _ask(self, element: Element, name: str, types: tuple[str, ...], system: str) -> None:
        self.rows += 1
        self._mention_strangers(element)
        declared = element.attributes.get("type", "").strip()
        target = declared or (types[0] if len(types) == 1 else "")
        pair = (_key(name, target), system)
        position = self._filled.get(pair, 0) + 1
        if reason := self._refusal(element, target, types, position, system):
            self._report(element, "question", element.text, reason, kind="row")
            return
        self._filled[pair] = position
        self.questions.append(
            QuestionRecord(
                source_key=pair[0],
                system=system,
                position=position,
                text=element.text or None,
                question_type=declared,
                row=element.line,
            )
        )
        self._rate(element, (*pair, position))

    def _refusal(
        self, element: Element, target: str, types: tuple[str, ...], position: int, system: str
    ) -> str:
        if target not in types:
            return f"The question is of type “{shorten(target)}”, which is not a target type of its instance."
        if position > self.owed and (system != HUMAN or HUMAN in self.systems):
            return f"System “{shorten(system)}” may return only {self.owed} questions for each target type."
        return f"The question {reason}." if (reason := unstorable(element.text)) else ""

    def _rate(self, question: Element, unit: tuple[str, str, int]) -> None:
        raters: set[str] = set()
        for rating in question.all("rating"):
            rater = rating.attributes.get("rater", "").strip()
            if not rater or rater in raters:
                reason = (
                    f"{shorten(rater)} rated this question already."
                    if rater
                    else "The rating names no annotator."
                )
                self._report(rating, "rating", " ".join(rating.attributes.values()), reason)
                continue
            raters.add(rater)
            for criterion, raw in rating.attributes.items():
                if criterion != "rater":
                    self._value(rating, unit, rater, criterion, raw.strip())

    def _value(
        self, rating: Element, unit: tuple[str, str, int], rater: str, criterion: str, value: str
    ) -> None:
        source, system, position = unit
        if not value:
            self._report(rating, criterion, "", f"{shorten(rater)}’s value is blank.")
        elif criterion in _NOTES:
            self.notes.append(
                NoteRecord(
                    source_key=source,
                    system=system,
                    position=position,
                    rater=rater,
                    text=value,
                    row=rating.line,
                )
            )
        else:
            self.ratings.append(
                RatingRecord(
                    source_key=source,
                    system=system,
                    position=position,
                    rater=rater,
                    criterion=criterion,
                    value=value,
                    row=rating.line,
                    column=criterion,
                )
            )

    def _refuse_all(self, element: Element, reason: str) -> None:
        """Refuse every question below, or report the element if it has none."""
        questions = [
            *element.all("question"),
            *(each for part in element.all("submission") for each in part.all("question")),
        ]
        self.rows += len(questions)
        for question in questions:
            self._report(question, "question", question.text, reason, kind="row")
        if not questions:
            self._report(element, element.tag, "", reason, kind="warning")

    def _mention_strangers(self, element: Element) -> None:
        """Report once each kind of element that is ignored."""
        for child in element.children:
            place = (element.tag, child.tag)
            if child.tag not in _KNOWN[element.tag] and place not in self._strangers:
                self._strangers.add(place)
                reason = (
                    f"<{shorten(child.tag)}> is not a part of <{element.tag}> and is passed over."
                )
                self._report(child, child.tag, child.text, reason, kind="warning")

    def _report(
        self, element: Element, column: str, value: str, reason: str, *, kind: ProblemKind = "value"
    ) -> None:
        shown = value if kind == "value" else shorten(value)
        self.problems.append(
            Problem(row=element.line, column=shorten(column), value=shown, reason=reason, kind=kind)
        )


def _key(instance: str, target: str) -> str:
    return f"{instance}/{target}"


READS = (
    Format(
        key="qgstec_xml",
        title="QG-STEC Task B XML",
        endings=(".xml",),
        is_like=lambda head: head.startswith(b"<"),
        rank=20,
        study=read_qgstec,
        options=("expected",),
        carries=("questions", "ratings", "notes", "metadata"),
        writes=True,
        page="qgstec-xml",
    ),
)
