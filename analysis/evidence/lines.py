"""The line of each question in a list of questions."""

from dataclasses import dataclass

from analysis.evidence.listing import Chosen, ListPage
from analysis.evidence.listing import ListedQuestion as Listed
from analysis.evidence.source import Said, judgments_by_unit
from analysis.reports.numerals import two
from judging.datasets.models.dataset import Unit
from judging.datasets.models.score import Score
from judging.protocols.models.protocol import Criterion


@dataclass(frozen=True)
class QuestionLine:
    """One question of a list."""

    unit: int
    source: int
    source_key: str
    language: str  # the source's own, if it has one
    system: str
    position: int | None
    expected: int
    text: str
    said: list[list[Said]]  # by criterion
    key: str  # what it is sorted by, written out; empty in the order of the file
    under: str
    place: int | None


def question_lines(chosen: Chosen, page: ListPage, criteria: list[Criterion]) -> list[QuestionLine]:
    """Return the questions of a page with everything that the list shows, in four queries however
    long it is."""
    related = ("question", "question_set__source", "question_set__system")
    units = {
        unit.pk: unit
        for unit in Unit.objects.filter(pk__in=[row.unit for row in page.rows]).select_related(
            *related
        )
    }
    said = judgments_by_unit(list(units.values()), chosen.campaign) if chosen.campaign else {}
    scores = dict(
        Score.objects.filter(metric=chosen.metric, unit__in=units).values_list("unit", "value")
    )
    return [
        QuestionLine(
            unit=row.unit,
            source=row.source,
            source_key=units[row.unit].question_set.source.key,
            language=units[row.unit].question_set.source.language,
            system=units[row.unit].question_set.system.name,
            position=units[row.unit].position,
            expected=units[row.unit].question_set.expected,
            text=units[row.unit].question.text if hasattr(units[row.unit], "question") else "",
            said=[said.get((row.unit, criterion.pk), []) for criterion in criteria],
            key=key_words(chosen, row, scores.get(row.unit)),
            under=write_ranks(row),
            place=row.place,
        )
        for row in page.rows
    ]


def key_words(chosen: Chosen, row: Listed, score: float | None) -> str:
    """Write the sort key of a question."""
    if row.key is None:
        return ""
    if chosen.sort == "score":
        return two(score)
    if chosen.sort == "gap":
        return f"{100 * row.key:.0f}%"
    if chosen.sort == "mean":
        best_is_low = chosen.criterion and chosen.criterion.best == Criterion.Best.LOWEST
        return two(row.key if best_is_low else -row.key)
    return two(row.key)


def write_ranks(row: Listed) -> str:
    """Write the ranks of a question by human ratings and by the metric, among all questions that
    have both; 1 is the best."""
    if not row.ranked or row.of_people is None or row.of_metric is None:
        return ""
    people, metric = (
        f"{row.ranked + 1 - each:,.1f}".removesuffix(".0")
        for each in (row.of_people, row.of_metric)
    )
    return f"people: {people}, metric: {metric} of {row.ranked:,}"
