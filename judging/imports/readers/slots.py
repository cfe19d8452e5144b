"""The slots of every question set of a table, and the row that fills each."""

from collections.abc import Mapping

from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.records import QuestionRecord
from judging.imports.readers.sources import RowRefused
from judging.imports.readers.tables import shorten
from judging.imports.readers.text import Unreadable
from judging.limits import MAX_QUESTIONS_PER_SET, MAX_TABLE_ROWS

SetKey = tuple[str, str]


def check_crossed(*, sources: int, systems: int, named: int) -> None:
    """Check the number of question sets if every system is expected to have one for every source: a
    small file names thousands of both.

    Raises
    ------
    Unreadable
        If the file names very few of them.
    """
    if sources * systems - named > MAX_TABLE_ROWS:
        raise Unreadable(
            f"Of {systems:,} systems for {sources:,} sources there would be {sources * systems:,} question sets, of "
            f"which the file names {named:,}. Check that the right columns were chosen for source and system."
        )


class SlotsSeen:
    """The questions seen so far by source, system and position."""

    def __init__(self, columns: ColumnRoles) -> None:
        """Start with none."""
        self.columns = columns
        self.questions: dict[tuple[str, str, int], QuestionRecord] = {}
        self._sizes: dict[SetKey, int] = {}
        self._again: dict[SetKey, int] = {}
        self._known: dict[tuple[str, str, str], int] = {}

    def repeat(self, source: str, system: str) -> None:
        """Note that the set's next question is a repeat, which no other system is expected to have."""
        self._again[source, system] = self._again.get((source, system), 0) + 1

    def know(self, source: str, system: str) -> None:
        """Note that the system has a question set for the source, even if it is empty."""
        self._sizes.setdefault((source, system), 0)

    def position(self, source: str, system: str, *, declared: int, name: str) -> int:
        """Return the declared position or, if it is 0, the one of a question with this key or text,
        else the next.

        Raises
        ------
        RowRefused
            If the set has no slot left.
        """
        position = declared or self._find(source, system, name)
        most = self.columns.expected or MAX_QUESTIONS_PER_SET
        if position > most:
            verb = "is expected to return" if self.columns.expected else "can return"
            reason = f"System “{shorten(system)}” {verb} only {most:,} questions for source “{shorten(source)}”."
            raise RowRefused(reason, column=self.columns.question, value=shorten(name))
        return position

    def put(self, question: QuestionRecord) -> QuestionRecord:
        """Put the question in its slot unless an earlier row did; return the question in the slot.

        Raises
        ------
        RowRefused
            If another question fills the slot.
        """
        pair = (question.source_key, question.system)
        slot = (*pair, question.position)
        if slot in self.questions:
            self._same(self.questions[slot], question)
        self._sizes[pair] = max(self._sizes.get(pair, 0), question.position)
        return self.questions.setdefault(slot, question)

    def expected(self) -> Mapping[SetKey, int]:
        """Return the slots of each question set: as declared, else as many as were filled, by any
        system if crossed."""
        if not self.columns.crossed:
            return {pair: self.columns.expected or size for pair, size in self._sizes.items()}
        systems = dict.fromkeys(system for _, system in self._sizes)
        largest: dict[str, int] = {}
        for (source, _system), size in self._sizes.items():
            owed = size - self._again.get((source, _system), 0)
            largest[source] = max(owed, largest.get(source, 0))
        check_crossed(sources=len(largest), systems=len(systems), named=len(self._sizes))
        return {
            (source, system): self.columns.expected
            or max(size, self._sizes.get((source, system), 0))
            for source, size in largest.items()
            for system in systems
        }

    def _find(self, source: str, system: str, name: str) -> int:
        """Return the position of a question; if there is a row for every rater, an equal key or
        text means the same question."""
        following = self._sizes.get((source, system), 0) + 1
        if not self.columns.has_rater_rows:
            return following
        return self._known.setdefault((source, system, name), following)

    def _same(self, before: QuestionRecord, now: QuestionRecord) -> None:
        slot = (
            f"Position {now.position} of system “{shorten(now.system)}” for source “{shorten(now.source_key)}” "
            f"holds the question of row {before.row:,}"
        )
        if not self.columns.has_rater_rows:
            raise RowRefused(f"{slot}.", column=self.columns.position, value=str(now.position))
        if now.text != before.text:
            raise RowRefused(
                f"{slot}, which reads otherwise.",
                column=self.columns.question,
                value=shorten(now.text or ""),
            )
