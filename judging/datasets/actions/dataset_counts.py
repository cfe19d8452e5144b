"""How many sources, questions, missing slots and scores a dataset holds."""

from collections.abc import Iterable
from dataclasses import dataclass

from judging.base.models.statements import query_rows
from judging.datasets.models.dataset import Dataset, System
from judging.datasets.models.score import Metric

GIVEN = """
SELECT held.system_id, count(question.unit_id), count(*)
FROM judging_source source
JOIN judging_questionset held ON held.source_id = source.id
JOIN judging_unit unit ON unit.question_set_id = held.id AND unit.position IS NOT NULL
LEFT JOIN judging_question question ON question.unit_id = unit.id
WHERE source.dataset_id = %(dataset)s AND source.repeat_of_id IS NULL GROUP BY 1
"""
# White space is collapsed and case kept, as the rules compare questions, except in texts too long
# to be questions, which would take minutes. In a set of one question none repeats another, so most
# texts need not be compared.
REPEATED = r"""
SELECT system_id, sum(n)::int FROM (
    SELECT held.system_id,
        count(*) - count(DISTINCT CASE WHEN length(question.text) > 10000 THEN question.text
            ELSE trim(regexp_replace(question.text, '\s+', ' ', 'g')) END) AS n
    FROM judging_source source
    JOIN judging_questionset held ON held.source_id = source.id
    JOIN judging_unit unit ON unit.question_set_id = held.id
    JOIN judging_question question ON question.unit_id = unit.id
    WHERE source.dataset_id = %(dataset)s AND source.repeat_of_id IS NULL
        AND EXISTS (SELECT FROM judging_unit other
                    WHERE other.question_set_id = held.id AND other.position > 1)
    GROUP BY held.id) of_sets
GROUP BY 1
"""
# Uses the two indexes that contain the values, of units and of systems, so that no row of scores is
# read
SCORES = """
SELECT metric.id, of_units.scores + of_systems.scores, of_units.valued + of_systems.valued
FROM judging_metric metric,
    LATERAL (SELECT count(*) AS scores, count(value) AS valued FROM judging_score
             WHERE metric_id = metric.id AND unit_id IS NOT NULL) of_units,
    LATERAL (SELECT count(*) AS scores, count(value) AS valued FROM judging_score
             WHERE metric_id = metric.id AND system_id IS NOT NULL) of_systems
WHERE metric.dataset_id = %(dataset)s
"""
COUNTED = ("source", "system", "question", "quarantine")  # as the totals name them


@dataclass(frozen=True, slots=True)
class Totals:
    """How many of each a dataset holds; repeats are not counted again."""

    sources: int
    systems: int
    questions: int
    quarantine: int


def totals(datasets: Iterable[Dataset]) -> dict[int, Totals]:
    """Return the totals of some datasets, by their keys."""
    counted = Dataset.objects.counted().filter(pk__in=[dataset.pk for dataset in datasets])
    return {
        each.pk: Totals(*(getattr(each, f"{name}_count") for name in COUNTED)) for each in counted
    }


def dataset_totals(dataset: Dataset) -> Totals:
    """Return the totals of one dataset."""
    return totals([dataset])[dataset.pk]


def count_systems(dataset: Dataset) -> list[System]:
    """Return a dataset's systems with how many questions each gave, how many slots are missing,
    and how many repeat one of their set."""
    names = {"dataset": dataset.pk}
    given = {pk: (questions, slots) for pk, questions, slots in query_rows(GIVEN, names)}
    repeated = dict(query_rows(REPEATED, names))
    found = list(dataset.systems.all())
    for each in found:
        questions, slots = given.get(each.pk, (0, 0))
        vars(each).update(
            returned=questions, missing=slots - questions, duplicates=repeated.get(each.pk, 0)
        )
    return found


def count_metrics(dataset: Dataset) -> list[Metric]:
    """Return a dataset's metrics with how many scores each has, and how many of these have a
    value."""
    counts = {pk: own for pk, *own in query_rows(SCORES, {"dataset": dataset.pk})}
    found = [metric for metric in dataset.metrics.all() if metric.pk in counts]
    for each in found:
        scores, valued = counts[each.pk]
        vars(each).update(score_count=scores, value_count=valued)
    return found
