"""Annotators' marks in passages: each question's marks are replaced as a whole, and a late request
loses."""

from collections.abc import Iterable, Mapping
from uuid import UUID

from django.db.models.functions import Length
from django.utils.translation import gettext as _

from judging.base.limits import MAX_MARKS
from judging.base.models.statements import query_rows, run_statement
from judging.base.refusals import Refused
from judging.campaigns.models.assignment import Assignment
from judging.datasets.models.dataset import Passage
from judging.protocols.spans import Marked
from judging.work.models.assignment import Marking, SpanMark

CLAIM = """
INSERT INTO judging_marking (assignment_id, unit_id, nothing, sequence, saved_at)
SELECT %(assignment)s::uuid, said.*, %(sequence)s, now()
FROM unnest(%(units)s::bigint[], %(nothing)s::boolean[]) AS said
ON CONFLICT (assignment_id, unit_id) DO UPDATE
SET nothing = excluded.nothing, sequence = excluded.sequence, saved_at = excluded.saved_at
WHERE judging_marking.sequence < excluded.sequence
RETURNING unit_id
"""
REMOVE = (
    "DELETE FROM judging_spanmark WHERE assignment_id = %(assignment)s AND unit_id = ANY(%(units)s)"
)
PASSAGES = """
SELECT unit.id, source.passage_id FROM judging_unit unit
JOIN judging_questionset held ON held.id = unit.question_set_id
JOIN judging_source source ON source.id = held.source_id
WHERE unit.id = ANY(%(units)s) AND source.passage_id IS NOT NULL
"""


class RefusedMarks(Refused):
    """The marks cannot be stored."""

    code = "marks_refused"
    status = 422


class OutsidePassage(RefusedMarks):
    """A mark is not within the question's passage."""

    code = "mark_outside_passage"


class TooManyMarks(RefusedMarks):
    """A task would have more marks than a page can show."""

    code = "too_many_marks"


def texts(units: Iterable[int]) -> dict[int, str]:
    """Return the passage each unit is about; units about the same one share its text."""
    about = _passages(units)
    held = dict(Passage.objects.filter(pk__in=set(about.values())).values_list("pk", "text"))
    return {unit: held[passage] for unit, passage in about.items()}


def _passages(units: Iterable[int]) -> dict[int, int]:
    """Return the key of the passage each unit is about."""
    return dict(query_rows(PASSAGES, {"units": list(units)}))


def load_marks(assignment: Assignment) -> tuple[dict[int, Marked], int]:
    """Return the marks for each unit, and the highest number of their requests."""
    said = list(Marking.objects.filter(assignment=assignment))
    found: dict[int, Marked] = {each.unit_id: Marked(nothing=each.nothing) for each in said}
    marks = SpanMark.objects.filter(assignment=assignment).order_by("start")
    for unit, start, end in marks.values_list("unit", "start", "end"):
        found[unit] = found.get(unit, Marked()).adding((start, end))
    return found, max((each.sequence for each in said), default=0)


def store_marks(assignment: Assignment, entered: Mapping[int, Marked], sequence: int) -> set[int]:
    """Replace each unit's marks, in a transaction of the caller, who has locked the assignment;
    return the units for which a later request's different marks are stored."""
    _check(entered)
    won = _claim(assignment.pk, entered, sequence)
    run_statement(REMOVE, {"assignment": assignment.pk, "units": won})
    new = [(unit, *each) for unit in won for each in entered[unit].ranges]
    if new and SpanMark.objects.filter(assignment=assignment).count() + len(new) > MAX_MARKS:
        raise TooManyMarks(
            _("At most %(most)s places can be marked in one task.") % {"most": MAX_MARKS}
        )
    SpanMark.objects.bulk_create(
        SpanMark(assignment=assignment, unit_id=unit, start=start, end=end)
        for unit, start, end in new
    )
    if len(won) == len(entered):
        return set()
    standing = load_marks(assignment)[0]
    return {unit for unit, marked in entered.items() if standing.get(unit, Marked()) != marked}


def _claim(assignment: UUID, entered: Mapping[int, Marked], sequence: int) -> list[int]:
    """Store the request's number for each unit; return the units for which it is the highest."""
    said = {"units": list(entered), "nothing": [marked.nothing for marked in entered.values()]}
    return [
        unit
        for (unit,) in query_rows(CLAIM, said | {"assignment": assignment, "sequence": sequence})
    ]


def _check(entered: Mapping[int, Marked]) -> None:
    marked = [unit for unit, each in entered.items() if each.ranges]
    about = _passages(marked) if marked else {}
    asked = Passage.objects.filter(pk__in=set(about.values()))
    lengths = dict(asked.values_list("pk", Length("text"))) if about else {}
    if not all(entered[unit].within(lengths.get(about.get(unit), 0)) for unit in marked):
        raise OutsidePassage(_("A mark lies outside the passage."))
