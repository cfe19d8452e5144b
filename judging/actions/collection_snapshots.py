"""How much a collection holds, counted once for all who look.

Counting a small collection takes milliseconds and is done for each page. What was counted in a
large one is kept (`CollectionSnapshot`) until its files, systems or metrics are others, or a job
about it has ended: to ask for those reads a few rows, however large the collection is.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import TypeVar

from django.db.models import Count

from judging.models import Collection, CollectionSnapshot, Metric, System
from judging.models.statements import rows

LARGE = 10_000  # questions; with fewer, counting takes some ten milliseconds and is not kept
STATES = """
SELECT held.id,
    ARRAY(SELECT id FROM judging_addedfile
          WHERE collection_id = held.id AND state = 'added' ORDER BY id),
    ARRAY(SELECT id FROM judging_system WHERE collection_id = held.id ORDER BY id),
    ARRAY(SELECT id FROM judging_metric WHERE collection_id = held.id ORDER BY id),
    (SELECT extract(epoch FROM max(finished_at))::float8 FROM judging_job
     WHERE collection_id = held.id
        OR campaign_id IN (SELECT id FROM judging_campaign WHERE collection_id = held.id))
FROM judging_collection held WHERE held.id = ANY(%(collections)s)
"""
GIVEN = """
SELECT held.system_id, count(question.unit_id), count(*)
FROM judging_source source
JOIN judging_questionset held ON held.source_id = source.id
JOIN judging_unit unit ON unit.question_set_id = held.id AND unit.position IS NOT NULL
LEFT JOIN judging_question question ON question.unit_id = unit.id
WHERE source.collection_id = %(collection)s AND source.repeat_of_id IS NULL GROUP BY 1
"""
# White space collapsed, case kept, as the rules compare questions; not in texts so long that they
# are no questions, which would take minutes. Of a set of one none repeats another, so most texts
# need not be compared.
REPEATED = r"""
SELECT system_id, sum(n)::int FROM (
    SELECT held.system_id,
        count(*) - count(DISTINCT CASE WHEN length(question.text) > 10000 THEN question.text
            ELSE trim(regexp_replace(question.text, '\s+', ' ', 'g')) END) AS n
    FROM judging_source source
    JOIN judging_questionset held ON held.source_id = source.id
    JOIN judging_unit unit ON unit.question_set_id = held.id
    JOIN judging_question question ON question.unit_id = unit.id
    WHERE source.collection_id = %(collection)s AND source.repeat_of_id IS NULL
        AND EXISTS (SELECT FROM judging_unit other
                    WHERE other.question_set_id = held.id AND other.position > 1)
    GROUP BY held.id) of_sets
GROUP BY 1
"""
COUNTED = ("source", "system", "question", "quarantine")  # as the totals name them
State = list[object]
CountedPart = TypeVar("CountedPart")


@dataclass(frozen=True, slots=True)
class Totals:
    """How many of each a collection holds; repeats are not counted again."""

    sources: int
    systems: int
    questions: int
    quarantine: int

    @property
    def is_large(self) -> bool:
        return self.questions > LARGE


def totals(collections: Iterable[Collection]) -> dict[int, Totals]:
    """Return the totals of some collections, by their keys."""
    keys = [each.pk for each in collections]
    states = _states(keys)
    kept = {
        each.pk: Totals(**each.document["totals"])
        for each in CollectionSnapshot.objects.filter(pk__in=keys)
        if each.state == states[each.pk] and "totals" in each.document
    }
    others = Collection.objects.counted().filter(pk__in=[key for key in keys if key not in kept])
    for each in others:
        found = Totals(*(getattr(each, f"{name}_count") for name in COUNTED))
        kept[each.pk] = found
        if found.is_large:
            _keep(each.pk, states[each.pk], "totals", asdict(found))
    return kept


def of(collection: Collection) -> Totals:
    """Return the totals of one collection."""
    return totals([collection])[collection.pk]


def systems(collection: Collection, held: Totals | None = None) -> list[System]:
    """Return a collection's systems with how many questions each gave, how many slots are missing,
    and how many repeat one of their set. `held`: its totals, where they are known."""
    counts = part(collection, "systems", lambda: _of_systems(collection), held)
    found = list(collection.systems.all())
    for each in found:
        numbers = counts.get(str(each.pk), (0, 0, 0))
        vars(each).update(zip(("returned", "missing", "duplicates"), numbers, strict=True))
    return found


def _of_systems(collection: Collection) -> dict[str, list[int]]:
    names = {"collection": collection.pk}
    counted = {pk: [given, slots - given] for pk, given, slots in rows(GIVEN, names)}
    repeated = dict(rows(REPEATED, names))
    return {str(pk): [*each, repeated.get(pk, 0)] for pk, each in counted.items()}


def metrics(collection: Collection, held: Totals | None = None) -> list[Metric]:
    """Return a collection's metrics with how many scores each has. `held`: as of systems."""

    def count() -> dict[str, int]:
        counted = collection.metrics.annotate(n=Count("scores"))
        return {str(pk): number for pk, number in counted.values_list("pk", "n")}

    counts = part(collection, "scores", count, held)
    found = list(collection.metrics.all())
    for each in found:
        vars(each).update(score_count=counts[str(each.pk)])
    return found


def part(
    collection: Collection,
    name: str,
    count: Callable[[], CountedPart],
    held: Totals | None = None,
) -> CountedPart:
    """Return what `count` finds, which JSON can hold: of a large collection, what it found before
    where nothing has changed."""
    if not (held or of(collection)).is_large:
        return count()
    state = _states([collection.pk])[collection.pk]
    kept = CollectionSnapshot.objects.filter(collection=collection).first()
    if kept and kept.state == state and name in kept.document:
        before: CountedPart = kept.document[name]
        return before
    found = count()
    _keep(collection.pk, state, name, found)
    return found


def forget(collection: Collection) -> None:
    """Have a collection counted again, after a change that its state does not show."""
    CollectionSnapshot.objects.filter(collection=collection).delete()


def _states(collections: list[int]) -> dict[int, State]:
    return {pk: list(state) for pk, *state in rows(STATES, {"collections": collections})}


def _keep(collection: int, state: State, name: str, found: object) -> None:
    kept = CollectionSnapshot.objects.filter(pk=collection, state=state).first()
    document = (kept.document if kept else {}) | {name: found}
    CollectionSnapshot.objects.update_or_create(
        collection_id=collection, defaults={"state": state, "document": document}
    )
