"""Orders of large collections, which are worked out once and kept: a page of one is a walk along an
index.

Filters are applied on the way. What the order rests on may have changed since; `changed_since` says
so.
"""

from dataclasses import dataclass, field, replace
from typing import Any

from django.db import connection

from analysis.evidence import listing
from analysis.evidence.listing import (
    PAGE,
    UNITS,
    WITH_WORDS,
    Chosen,
    Dot,
    ListedQuestion,
    ListPage,
    Neighbours,
)
from analysis.models import OrderedQuestion, QuestionOrder
from judging.models import AddedFile, Campaign, Exclusion, Unit

LARGE = 5_000  # questions up to which an order is worked out for each page

STORE = """
    {statement},
    stored AS (
        INSERT INTO analysis_orderedquestion (order_id, place, unit_id, key, of_people, of_metric)
        SELECT %(order)s, place, id, key, of_people, of_metric FROM numbered
    )
    SELECT count(*), coalesce(max(ranked), 0) FROM numbered
"""
# a stretch of the order is read first, so that no filter makes the database read the whole order
# for one page
WALK = f"""
    WITH {{named}} o AS MATERIALIZED (
        SELECT entry.* FROM {{entries}} entry
        WHERE entry.order_id = %(order)s AND entry.place BETWEEN %(low)s AND %(high)s
        ORDER BY entry.place {{turned}} LIMIT %(stretch)s
    )
    SELECT u.id, src.id, o.key, o.place, o.of_people, o.of_metric
    {UNITS} JOIN o ON o.unit_id = u.id WHERE {{where}} ORDER BY o.place {{turned}} LIMIT %(most)s
"""  # noqa: S608
# Questions with some words are found before the order is read: rare words cost no more than
# frequent ones. They are joined apart from the limit, for which the database would compare each
# question of an order that it knows nothing of yet with all that were found.
NAMED = f"""
    hit AS MATERIALIZED ({WITH_WORDS}),
    named AS MATERIALIZED (
        SELECT entry.* FROM analysis_orderedquestion entry JOIN hit ON hit.unit_id = entry.unit_id
        WHERE entry.order_id = %(order)s
    ),
"""  # noqa: S608
# the newest of each table are looked through by key: in nearly all cases there is none
NEWER = """
    SELECT
        EXISTS (
            SELECT 1 FROM judging_judgment j
            JOIN judging_assignment a ON a.id = j.assignment_id JOIN judging_round r ON r.id = a.round_id
            WHERE j.id > %(last_judgment)s AND r.campaign_id = %(campaign)s AND r.kind = 'main'
        ),
        EXISTS (SELECT 1 FROM judging_score WHERE id > %(last_score)s AND metric_id = %(metric)s)
"""
STATE = """
    SELECT (
        SELECT count(*) FROM judging_assignment a JOIN judging_round r ON r.id = a.round_id
        WHERE r.campaign_id = %(campaign)s AND r.kind = 'main' AND a.state = 'submitted'
    ), (SELECT coalesce(max(id), 0) FROM judging_judgment), (SELECT coalesce(max(id), 0) FROM judging_score)
"""


@dataclass(frozen=True)
class Besides:
    """What a list wants of an order's questions: conditions on `UNITS`, and whether some words are
    looked for."""

    conditions: list[str] = field(default_factory=list)
    given: dict[str, Any] = field(default_factory=dict)
    has_words: bool = False

    @property
    def narrows(self) -> bool:
        return bool(self.conditions) or self.has_words


def is_large(chosen: Chosen) -> bool:
    """Say whether the collection has so many questions that its orders are kept; none beyond these
    are counted."""
    held = Unit.objects.filter(
        question_set__source__collection=chosen.collection, position__isnull=False
    )
    return chosen.sort != "file" and held.order_by()[: LARGE + 1].count() > LARGE


def wanted(chosen: Chosen) -> dict[str, Any]:
    """Return the columns that tell one order from another: what it rests on, and nothing that only
    narrows it."""
    sort = chosen.sort
    by_people, annotator = sort in listing.OF_PEOPLE, None
    if sort == "outlier" and chosen.campaign:
        annotator = chosen.campaign.enrollments.filter(label=chosen.annotator).first()
    return {
        "collection": chosen.collection,
        "campaign": chosen.campaign,
        "sort": sort,
        "of_sets": chosen.of_sets,
        "criterion": chosen.criterion if by_people else None,
        "metric": chosen.metric if sort in ("gap", "score") else None,
        "system_id": chosen.system if sort == "loss" else None,
        "against_id": chosen.against if sort == "loss" else None,
        "annotator": annotator,
    }


def found(chosen: Chosen) -> QuestionOrder | None:
    """Return the order that was kept, or is being worked out, for what a list shows."""
    return QuestionOrder.objects.select_related("job").filter(**wanted(chosen)).first()


def rested_on(order: QuestionOrder) -> Chosen:
    """Return what an order lists when nothing narrows it."""
    return Chosen(
        collection=order.collection,
        campaign=order.campaign,
        sort=order.sort,
        criterion=order.criterion,
        metric=order.metric,
        system=order.system_id,
        against=order.against_id,
        annotator=order.annotator.label if order.annotator else "",
    )


def store(order: QuestionOrder) -> None:
    """Work an order out and keep it in place of what was kept; the caller has a transaction and
    saves the order."""
    chosen = rested_on(order)
    order.read_state = state_of(chosen)
    OrderedQuestion.objects.filter(order=order).delete()
    statement, given = listing.numbered(chosen)
    [[order.questions, order.ranked]] = _rows(
        STORE.format(statement=statement), given | {"order": order.pk}
    )
    if order.sort == "gap":
        order.dots = [
            [each.across, each.down, each.radius, each.questions]
            for each in listing.scatter(chosen)
        ]


def page(
    order: QuestionOrder,
    chosen: Chosen,
    *,
    after: int | None = None,
    before: int | None = None,
    size: int = PAGE,
) -> ListPage:
    """Return a page of questions: the first, or the one behind or in front of a question of the
    order."""
    at = _place(order, before if before is not None else after)
    backwards = before is not None and at is not None
    met = _besides(order, chosen)
    rows = _walk(order, met, at or 0, backwards=backwards, most=size + 1)
    more, rows = len(rows) > size, rows[:size]
    total = None if met.narrows else order.questions
    if backwards:
        return ListPage(rows[::-1], more_before=more, more_after=True, total=total)
    return ListPage(rows, more_before=at is not None, more_after=more, total=total)


def neighbours(order: QuestionOrder, chosen: Chosen, *, unit: int | None) -> Neighbours:
    """Return what stands before and behind a question; its place is that among all of the order."""
    at = _place(order, unit)
    if at is None:
        return Neighbours()
    met = _besides(order, chosen)
    own = _walk(order, Besides(), at - 1, backwards=False, most=1)
    before = _walk(order, met, at, backwards=True, most=1)
    after = _walk(order, met, at, backwards=False, most=1)
    return Neighbours(
        before=before[0] if before else None,
        own=own[0] if own and own[0].place == at else None,
        after=after[0] if after else None,
        total=order.questions,
    )


def dots(order: QuestionOrder) -> list[Dot]:
    """Return the scatter of a gap as it was when the order was worked out."""
    return [Dot(*each) for each in order.dots]


def narrows(order: QuestionOrder, chosen: Chosen) -> bool:
    """Say whether a list leaves questions of an order out."""
    return _besides(order, chosen).narrows


def _besides(order: QuestionOrder, chosen: Chosen) -> Besides:
    """Return what a list wants of the questions that not every question of the order meets
    already."""
    if order.sort == "loss":
        chosen = replace(chosen, system=None)
    if order.sort == "outlier" and chosen.value is None:
        chosen = replace(chosen, annotator="")
    met, _given = listing.filters(replace(chosen, text=""))
    return Besides(met, listing.filters(chosen)[1], has_words=bool(chosen.text))


def changed_since(order: QuestionOrder) -> list[str]:
    """Say what an order rests on that has changed since it was worked out."""
    chosen, before = rested_on(order), order.read_state
    now = state_of(chosen)
    newer_judgments, newer_scores = _rows(NEWER, _named(chosen) | before)[0]
    told = {
        "judgments": newer_judgments or before["submitted"] != now["submitted"],
        "exclusions": before["exclusions"] != now["exclusions"],
        "scores of the metric": newer_scores,
        "files of the collection": before["files"] != now["files"],
        "the sample": before["sampled"] != now["sampled"],
    }
    return [what for what, changed in told.items() if changed]


def state_of(chosen: Chosen) -> dict[str, Any]:
    """Return what tells whether that on which an order rests has changed, without reading it
    all."""
    campaign = chosen.campaign
    [[submitted, last_judgment, last_score]] = _rows(STATE, _named(chosen))
    standing = Exclusion.objects.standing().filter(enrollment__campaign=campaign).order_by("pk")
    files = AddedFile.objects.standing().filter(collection=chosen.collection).order_by("pk")
    return {
        "submitted": submitted,
        "last_judgment": last_judgment,
        "last_score": last_score,
        "exclusions": list(standing.values_list("pk", flat=True)) if campaign else [],
        "files": list(files.values_list("pk", flat=True)),
        "sampled": bool(campaign and campaign.selection and campaign.state != Campaign.State.DRAFT),
    }


def _named(chosen: Chosen) -> dict[str, Any]:
    return {
        "campaign": chosen.campaign.pk if chosen.campaign else None,
        "metric": chosen.metric.pk if chosen.metric else None,
    }


def _place(order: QuestionOrder, unit: int | None) -> int | None:
    """Return where a question stands in an order, if it does."""
    return (
        OrderedQuestion.objects.filter(order=order, unit=unit)
        .values_list("place", flat=True)
        .first()
    )


def _walk(
    order: QuestionOrder, met: Besides, place: int, *, backwards: bool, most: int
) -> list[ListedQuestion]:
    """Return the next questions of an order in one direction that meet conditions, read stretch by
    longer stretch.

    Where words are looked for, one stretch is all that have them.
    """
    statement = WALK.format(
        named=NAMED if met.has_words else "",
        entries="named" if met.has_words else "analysis_orderedquestion",
        where=" AND ".join(met.conditions or ["true"]),
        turned="DESC" if backwards else "ASC",
    )
    found: list[ListedQuestion] = []
    stretch = most * (10 if met.conditions else 1)
    reach = order.questions if met.has_words else stretch
    while len(found) < most and (place > 1 if backwards else place < order.questions):
        low, high = (place - reach, place - 1) if backwards else (place + 1, place + reach)
        limits = {"low": low, "high": high, "most": most - len(found)}
        limits["stretch"] = reach if met.conditions else stretch
        found += [
            ListedQuestion(unit, source, key, at, of_people, of_metric, order.ranked)
            for unit, source, key, at, of_people, of_metric in _rows(
                statement, met.given | limits | {"order": order.pk}
            )
        ]
        place, reach = low if backwards else high, 4 * reach
    return found


def _rows(statement: str, given: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, given)
        return list(cursor.fetchall())
