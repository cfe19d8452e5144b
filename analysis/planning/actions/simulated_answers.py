"""Answers of simulated annotators in the copy of a study, independent of the order of their
tasks."""

from collections.abc import Mapping
from functools import lru_cache

from analysis.planning import simulated, timing
from analysis.planning.simulated import Assumed, Seen, SimulatedAnnotator
from judging.campaigns.models.campaign import Campaign, TaskUnit
from judging.campaigns.models.members import Enrollment
from judging.datasets.models.dataset import Unit
from judging.protocols.protocol_schema import ProtocolCriterion, ProtocolDocument
from judging.quality.models.check import CheckItem, CheckKind

UNIT = (
    "pk",
    "question_set__source",
    "question_set__source__key",
    "question_set__system__name",
    "position",
)


class SimulatedAnswers:
    """Answers of each simulated annotator, independent of the order of their tasks."""

    def __init__(
        self,
        copy: Campaign,
        enrolled: list[Enrollment],
        annotators: list[SimulatedAnnotator],
        order: list[str],
        protocol: ProtocolDocument,
        assumed: Assumed,
    ) -> None:
        self.criteria, self.assumed, self.page = (
            protocol.criteria,
            assumed,
            protocol.estimated_seconds,
        )
        self.people = {
            each.pk: (place, who)
            for place, (each, who) in enumerate(zip(enrolled, annotators, strict=True))
        }
        self.seen = _seen(copy, simulated.planted_quality(order, assumed), self.criteria)
        self.on_all = lru_cache(maxsize=4_096)(self._on_all)

    def __call__(self, enrollment: int, unit: int, criterion: str, again: bool) -> int:
        return self.on_all(enrollment, unit, again)[criterion]

    def seconds(self, enrollment: int, values: int, task: int, again: bool) -> float:
        """Return the seconds that one of them takes for a page with a number of values."""
        place, who = self.people[enrollment]
        mean, stream = (
            timing.value_seconds(1, values, self.page, self.assumed),
            (place, task, int(again)),
        )
        return timing.seconds_of(values, mean, who.pace, stream, self.assumed)

    def _on_all(self, enrollment: int, unit: int, again: bool) -> dict[str, int]:
        place, who = self.people[enrollment]
        return simulated.simulate_answers(
            self.seen[unit], who, place, again=again, criteria=self.criteria, assumed=self.assumed
        )


def _seen(
    copy: Campaign, quality: Mapping[str, float], criteria: tuple[ProtocolCriterion, ...]
) -> dict[int, Seen]:
    """Return the number and true quality of every unit in the copy's tasks, including checks.

    Units are numbered by source, system and position, so that random draws do not depend on where
    the study is stored.
    """
    sets = TaskUnit.objects.filter(task__round__campaign=copy).values("unit__question_set")
    units = Unit.objects.filter(question_set__in=sets).values_list(*UNIT)
    rows = sorted(units, key=lambda row: (row[2], row[3], row[4] or 0))
    found: dict[int, Seen] = {}
    places: dict[tuple[int, str, int | None], Seen] = {}
    for place, (pk, source, _key, system, position) in enumerate(rows):
        own = Seen(place, simulated.qualities(criteria, quality.get(system, 0.5)))
        found[pk] = places[source, system, position] = own
    return found | _seen_in_checks(copy, places, len(rows), criteria)


def _seen_in_checks(
    copy: Campaign,
    places: Mapping[tuple[int, str, int | None], Seen],
    numbered: int,
    criteria: tuple[ProtocolCriterion, ...],
) -> dict[int, Seen]:
    """Return the true quality behind the units of checks: for a gold question its accepted values,
    for a degraded copy a lower quality, and for the other units that of the units they copy.
    `numbered`: how many units already have a number."""
    middle = Seen(numbered, simulated.qualities(criteria, 0.5))
    found: dict[int, Seen] = {}
    items = copy.check_items.select_related("unit__question_set", "original__question_set")
    items = items.prefetch_related("accepted__criterion").order_by("pk")
    for place, item in enumerate(items, start=numbered + 1):
        of = item.original.question_set.source_id
        copied = Unit.objects.filter(question_set__source=item.unit.question_set.source_id)
        for pk, _source, _key, system, position in copied.values_list(*UNIT):
            found[pk] = places.get((of, system, position), middle)
        found[item.unit_id] = _seen_check(item, found[item.unit_id], place, criteria)
    return found


def _seen_check(
    item: CheckItem, copied: Seen, place: int, criteria: tuple[ProtocolCriterion, ...]
) -> Seen:
    if item.kind == CheckKind.GOLD:
        return Seen(place, _accepted_quality(item, criteria), clear=True)
    worse = {key: value - simulated.WORSE for key, value in copied.quality.items()}
    return Seen(copied.number, worse)


def _accepted_quality(item: CheckItem, criteria: tuple[ProtocolCriterion, ...]) -> dict[str, float]:
    """Return the quality at the middle of the values that a gold question accepts; the middle of
    the scale if none is named."""
    found = {}
    for criterion in criteria:
        points = simulated.points_of(criterion)
        accepted = [one.value for one in item.accepted.all() if one.criterion.key == criterion.key]
        places = sorted(points.index(value) for value in accepted if value in points)
        middle = places[len(places) // 2] / max(len(points) - 1, 1) if places else 0.5
        found[criterion.key] = middle
    return found
