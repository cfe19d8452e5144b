"""Reasons why a file cannot be added."""

from collections.abc import Iterator, Sequence

from judging.imports.readers.records import StudyRecords
from judging.imports.readers.tables import shorten
from judging.limits import MAX_NAME_CHARACTERS, MAX_SYSTEMS, MAX_TABLE_ROWS
from judging.refusals import Refused

LABEL_CHARACTERS = 100  # of the database columns of labels
NAMES_SHOWN = 5
StoredName = tuple[int, str, str, int]  # row, what it names, the name, its longest length


class CannotImport(Refused):
    """A file cannot be added; `reasons` are sentences."""

    code = "cannot_import"

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = tuple(reasons)


def too_many(study: StudyRecords) -> Iterator[str]:
    """Yield a sentence for each kind of thing, such as systems, of which the file names too
    many."""
    if (systems := len(study.systems)) > MAX_SYSTEMS:
        yield (
            f"The file names {systems:,} systems; the limit is {MAX_SYSTEMS:,}. Check which column "
            "names the system."
        )
    slots = sum(study.expected.values())
    if (blank := slots - len(study.questions)) > MAX_TABLE_ROWS:
        yield (
            f"There would be {slots:,} slots for questions, {blank:,} of them blank; the limit is "
            f"{MAX_TABLE_ROWS:,}. Check the positions and the number of questions expected."
        )


def too_long(study: StudyRecords) -> list[str]:
    """Return a sentence for each of the first names that are too long to be stored."""
    long = [name for name in _stored_names(study) if len(name[2]) > name[3]]
    return [_too_long(*name) for name in long[:NAMES_SHOWN]]


def _stored_names(study: StudyRecords) -> Iterator[StoredName]:
    for source in study.sources:
        yield source.row, "source's key", source.key, MAX_NAME_CHARACTERS
        yield source.row, "target type", source.target_type, LABEL_CHARACTERS
        yield source.row, "modality", source.modality, LABEL_CHARACTERS
        for name in source.attributes:
            yield source.row, "metadata column", name, LABEL_CHARACTERS
    for question in study.questions:
        yield question.row, "question's key", question.key, MAX_NAME_CHARACTERS
        yield question.row, "question type", question.question_type, LABEL_CHARACTERS
    about = dict.fromkeys(name for question in study.questions for name in question.attributes)
    about |= dict.fromkeys(name for rating in study.ratings for name in rating.attributes)
    for name in about:
        yield 1, "metadata column", name, LABEL_CHARACTERS
    for system in study.systems:
        yield 0, "system", system, MAX_NAME_CHARACTERS
    for annotator in study.raters:
        yield 0, "annotator", annotator, LABEL_CHARACTERS
    for column in study.score_columns:
        yield 0, "score column", column.name, LABEL_CHARACTERS


def _too_long(row: int, what: str, name: str, limit: int) -> str:
    where = f"Row {row:,}: the" if row else "The"
    return f"{where} {what} “{shorten(name)}” has {len(name):,} characters; the limit is {limit}."
