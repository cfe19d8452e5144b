"""Differences between annotators in one round: each such question with all its ratings. No system
is named."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from judging.base.limits import MAX_PAGE_ROWS
from judging.campaigns.actions.unit_names import unit_name
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Round
from judging.campaigns.models.guideline import DiscussionNote
from judging.campaigns.models.members import Exclusion
from judging.datasets.actions import excerpts
from judging.datasets.actions.excerpts import SourceExcerpt
from judging.protocols.models.protocol import Criterion, ScalePoint
from judging.work.models.assignment import Note
from judging.work.models.judgment import Judgment

STEPS = 1  # ranks that two annotators may lie apart without it being a difference to discuss
DONE = (Assignment.State.SUBMITTED, Assignment.State.EXTRA)


@dataclass(frozen=True)
class Voice:
    """One annotator's rating."""

    annotator: str
    value: int
    label: str


@dataclass(frozen=True)
class RoundDifference:
    """One question on one criterion, on which annotators lie more than one rank apart."""

    unit: str  # what forms call it
    criterion: Criterion
    question: str  # "" for a set as a whole
    source: SourceExcerpt
    task: int
    said: list[Voice]
    apart: int  # ranks between the lowest and the highest value; 0 where the scale has no order
    comments: list[tuple[str, str]]
    note: str


@dataclass(frozen=True)
class Compared:
    """Numbers of questions and criteria that two or more annotators judged, and those on which they
    differ."""

    judged: int
    equal: int
    differing: int
    differences: list[RoundDifference]  # those that a page shows
    page: int = 1

    @property
    def within(self) -> float | None:
        """Return the share that lies within one rank; None if nothing was judged twice."""
        return 1 - self.differing / self.judged if self.judged else None

    @property
    def pages(self) -> int:
        return max(1, -(-self.differing // MAX_PAGE_ROWS))


def compare_ratings(round: Round, page: int | None = 1) -> Compared:
    """Compare the submitted ratings of annotators who are not excluded. `page`: the page of
    differences to return; none if it is None, and the last page if it is too high.

    Values of an ordered scale differ by their ranks, and a step of one is no difference to discuss;
    on a scale without order any two values differ. A criterion asked once for a set counts once,
    and "cannot say" is no value.
    """
    scales = _scales(round)
    said = _said(round, scales)
    shared = {place: rows for place, rows in said.items() if len(rows) > 1}
    equal = sum(len({row.value for row in rows}) == 1 for rows in shared.values())
    apart = {
        (unit, key): rows
        for (unit, key), rows in shared.items()
        if scales[key].differ([row.value for row in rows])
    }
    counts = Compared(len(shared), equal, len(apart), [])
    if page is None or not apart:
        return counts
    page = min(page, counts.pages)
    return replace(counts, differences=_differences(round, scales, apart, page), page=page)


def _differences(
    round: Round,
    scales: Mapping[int, "_RankedScale"],
    apart: Mapping[tuple[int, int], list[Judgment]],
    page: int,
) -> list[RoundDifference]:
    """Return a page of differences, by criterion, the largest first."""
    names = {unit: unit_name(round.campaign, unit) for unit, _key in apart}
    ordered = sorted(
        apart,
        key=lambda place: (
            scales[place[1]].criterion.position,
            -scales[place[1]].apart([row.value for row in apart[place]]),
            apart[place][0].assignment.task.number,
            names[place[0]],
        ),
    )
    shown = ordered[(page - 1) * MAX_PAGE_ROWS : page * MAX_PAGE_ROWS]
    comments, notes = _comments(round), _notes(round)
    own = {unit: apart[unit, key][0].unit.question_set.source_id for unit, key in shown}
    sources = excerpts.source_excerpts(set(own.values()))
    questions = excerpts.question_excerpts(own)
    return [
        _difference(
            apart[unit, key],
            scales[key],
            names[unit],
            questions.get(unit, ""),
            sources[own[unit]],
            comments.get(unit, []),
            notes.get((key, unit), ""),
        )
        for unit, key in shown
    ]


@dataclass(frozen=True)
class _RankedScale:
    """A criterion with the ranks of its values."""

    criterion: Criterion
    ranks: dict[int, int] = field(default_factory=dict)

    def apart(self, values: list[int]) -> int:
        if self.criterion.level == Criterion.Level.NOMINAL:
            return 0
        places = [self.ranks[value] for value in values]
        return max(places) - min(places)

    def differ(self, values: list[int]) -> bool:
        """Return whether values lie far enough apart to be discussed."""
        if self.criterion.level == Criterion.Level.NOMINAL:
            return len(set(values)) > 1
        return self.apart(values) > STEPS


def _scales(round: Round) -> dict[int, _RankedScale]:
    scales = {
        criterion.pk: _RankedScale(criterion)
        for criterion in round.campaign.protocol.criteria.all()
    }
    points = ScalePoint.objects.filter(criterion__in=scales, missing=False)
    for key, value in points.order_by("criterion", "value").values_list("criterion", "value"):
        ranks = scales[key].ranks
        ranks[value] = len(ranks)
    return scales


def _said(round: Round, scales: dict[int, _RankedScale]) -> dict[tuple[int, int], list[Judgment]]:
    """Return the submitted judgments by unit and criterion; those of a criterion asked once for a
    set, at one unit of it."""
    said: dict[tuple[int, int], list[Judgment]] = defaultdict(list)
    once: set[tuple[int, int, int | None]] = set()
    for row in _rows(round):
        scale = scales[row.criterion_id]
        if row.value not in scale.ranks:
            continue
        if scale.criterion.asked == Criterion.Asked.ONCE_PER_SET:
            of_set = row.unit.question_set_id, row.criterion_id, row.assignment.enrollment_id
            if of_set in once:
                continue
            once.add(of_set)
        said[row.unit_id, row.criterion_id].append(row)
    return said


def _rows(round: Round) -> list[Judgment]:
    excluded = (
        Exclusion.objects.standing()
        .filter(enrollment__campaign=round.campaign_id)
        .values("enrollment")
    )
    rows = Judgment.objects.standing().filter(assignment__round=round, assignment__state__in=DONE)
    related = (
        "assignment__enrollment",
        "assignment__task",
        "point",
        "unit__question_set",
    )
    own = rows.exclude(assignment__enrollment__in=excluded).select_related(*related)
    return list(own.order_by("unit", "assignment__enrollment__label"))


def _comments(round: Round) -> dict[int | None, list[tuple[str, str]]]:
    found: dict[int | None, list[tuple[str, str]]] = defaultdict(list)
    rows = Note.objects.filter(
        assignment__round=round, assignment__state__in=DONE, unit__isnull=False
    )
    for note in (
        rows.exclude(text="")
        .select_related("assignment__enrollment")
        .order_by("assignment__enrollment")
    ):
        label = note.assignment.enrollment.label if note.assignment.enrollment else ""
        found[note.unit_id].append((label, note.text))
    return found


def _notes(round: Round) -> dict[tuple[int, int | None], str]:
    rows = DiscussionNote.objects.filter(round=round)
    return {(row.criterion_id, row.unit_id): row.text for row in rows}


def _difference(
    rows: list[Judgment],
    scale: _RankedScale,
    name: str,
    question: str,
    source: SourceExcerpt,
    comments: list[tuple[str, str]],
    note: str,
) -> RoundDifference:
    first, enrolled = rows[0], [row.assignment.enrollment for row in rows]
    return RoundDifference(
        unit=name,
        criterion=scale.criterion,
        question=question,
        source=source,
        task=first.assignment.task.number,
        said=[
            Voice(who.label if who else "", row.value, row.point.label)
            for who, row in zip(enrolled, rows, strict=True)
        ],
        apart=scale.apart([row.value for row in rows]),
        comments=comments,
        note=note,
    )
