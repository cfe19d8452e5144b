"""One source with all its data: its questions, the judgments of each, and all scores."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import Any, Self

from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import Least, Left, Length

from judging.base.limits import MAX_EXCERPT_CHARACTERS, MAX_PAGE_CELLS, MAX_PAGE_ROWS
from judging.base.long_texts import shortened
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Exclusion
from judging.campaigns.models.selected_unit import SelectedUnit
from judging.datasets.models.dataset import Attribute, Reference, Source, Unit
from judging.datasets.models.score import Metric, Score
from judging.jobs.models.job import Job
from judging.llm_judges.models.llm_judge import SAME_TEXT, LLMJudgment
from judging.protocols.models.protocol import Criterion
from judging.protocols.spans import Segment, cut_segments, range_of
from judging.work.models.assignment import Note
from judging.work.models.judgment import Judgment

MATCHING = "analysis.matching"
CELL = 100  # characters of a long text that count as one
REASON = 2_000  # characters of an LLM judge's reason; a report's table holds more of it


@dataclass(frozen=True)
class Said:
    """One annotator's rating of a question on one criterion."""

    annotator: str
    value: int
    label: str
    forced: str = ""  # the rule that forced it
    is_excluded: bool = False
    is_extra: bool = False


@dataclass(frozen=True)
class LLMVerdict:
    """One LLM judge's values of a question, with its reasons; kept separate from human ratings."""

    judge: str
    system: str
    text: str
    repeat: int
    values: list[tuple[str, int, str]]  # name of the criterion, value and label
    rationales: list[str]


@dataclass(frozen=True)
class Given:
    """A question, or a question set as a whole, with its judgments."""

    unit: int
    system: str
    kind: str
    position: int | None
    text: str
    question_type: str
    submitted_answer: str
    said: list[list[Said]]  # by criterion, in the protocol's order
    scores: list[Score | None]  # by metric
    comments: list[tuple[str, str]]  # label of the annotator, and the text
    attributes: list[tuple[str, str]]


@dataclass(frozen=True)
class ShownSource:
    """A source as its page shows it."""

    source: Source
    passage: tuple[Segment, ...]
    sentence: str  # only if there is no passage to mark it in
    references: list[str]
    criteria: list[Criterion]  # those that any annotator rated here
    unrated: list[Criterion]
    metrics: list[Metric]
    questions: list[Given]
    # Number of questions and sets that are omitted, if a source has very many or very much data
    not_shown: int = 0
    metrics_not_shown: int = 0
    comments: list[tuple[str, str]] = field(default_factory=list)  # on the whole task
    matched: list[dict[str, Any]] = field(default_factory=list)
    matched_not_shown: int = 0
    machines: list[LLMVerdict] = field(default_factory=list)


def source_evidence(
    source: Source,
    *,
    campaign: Campaign | None,
    blind: bool,
    first: Metric | None = None,
    asked: int | None = None,
) -> ShownSource:
    """Return a source with all its data; `first`: the metric whose scores come first. If a source
    has very many questions, or very much data about them, only some are shown, among them the one
    that is `asked` for.

    `blind`: for a user who still judges the source. No system, rating, comment, score, reference
    (which may be a system's question) or column of the file is read then, and questions are in the
    order of their texts, which does not depend on systems.
    """
    (units, count), told = _units(source, campaign, blind, asked), _Told()
    if not blind:
        told = _Told.of(source, units, first)
        if campaign is not None:
            told = told.with_people(units, campaign)
    judged = {pk for pk, _ in (*told.said, *told.scores)}
    questions = [_given(unit, told, blind) for unit in units if unit.position or unit.pk in judged]
    if blind:
        questions = sorted(
            (question for question in questions if question.text), key=lambda each: each.text
        )
    passage = source.passage.text if source.passage else ""
    sentence = range_of(source.sentence, source.sentence_start, passage)
    answer = range_of(source.answer, source.answer_start, passage)
    matched, matched_not_shown = ([], 0) if blind else _matched(source)
    return ShownSource(
        source=source,
        passage=cut_segments(passage, sentence=sentence, answer=answer),
        sentence="" if passage else source.sentence,
        references=[] if blind else _references(source),
        criteria=told.criteria,
        unrated=told.unrated,
        metrics=told.metrics,
        questions=questions,
        not_shown=count - len(units),
        metrics_not_shown=told.metrics_not_shown,
        comments=told.on_tasks,
        matched=matched,
        matched_not_shown=matched_not_shown,
        machines=told.machines,
    )


def _references(source: Source) -> list[str]:
    return list(Reference.objects.filter(source=source).values_list("text", flat=True))


@dataclass(frozen=True, kw_only=True)
class _Told:
    """The data about a source's units besides their texts; empty for a blind reader."""

    metrics: list[Metric] = field(default_factory=list)
    metrics_not_shown: int = 0
    scores: dict[tuple[int | None, int], Score] = field(default_factory=dict)  # unit, metric
    attributes: dict[int, list[tuple[str, str]]] = field(default_factory=dict)
    criteria: list[Criterion] = field(default_factory=list)  # that any annotator rated here
    unrated: list[Criterion] = field(default_factory=list)
    said: dict[tuple[int, int], list[Said]] = field(default_factory=dict)  # unit, criterion
    comments: dict[int, list[tuple[str, str]]] = field(default_factory=dict)
    on_tasks: list[tuple[str, str]] = field(default_factory=list)
    machines: list[LLMVerdict] = field(default_factory=list)

    @classmethod
    def of(cls, source: Source, units: list[Unit], first: Metric | None) -> Self:
        scored = Score.objects.filter(unit__in=units)
        metrics = Metric.objects.filter(
            dataset=source.dataset_id, pk__in=scored.values("metric")
        ).order_by("pk")
        found = sorted(metrics, key=lambda metric: metric != first)
        kept = found[: max(1, MAX_PAGE_CELLS // max(1, len(units)))]
        rows = scored.filter(metric__in=kept)
        return cls(
            metrics=kept,
            metrics_not_shown=len(found) - len(kept),
            scores={(row.unit_id, row.metric_id): row for row in rows},
            attributes=_attributes(units),
        )

    def with_people(self, units: list[Unit], campaign: Campaign) -> Self:
        """Add the judgments of annotators and LLM judges of one campaign."""
        said = judgments_by_unit(units, campaign)
        rated = {criterion for _unit, criterion in said}
        asked = list(campaign.protocol.criteria.all())
        return replace(
            self,
            criteria=[each for each in asked if each.pk in rated],
            unrated=[each for each in asked if each.pk not in rated],
            said=said,
            comments=_comments(units, campaign),
            on_tasks=_on_tasks(units, campaign),
            machines=_by_machines(units, campaign),
        )


def _units(
    source: Source, campaign: Campaign | None, blind: bool, asked: int | None
) -> tuple[list[Unit], int]:
    """Return the units that are shown, and how many there are. Which of very many are shown to a
    blind reader is decided by their texts too."""
    found = Unit.objects.filter(question_set__source=source).select_related(
        "question_set__system", "question"
    )
    if campaign and campaign.selection and campaign.state != Campaign.State.DRAFT:
        found = found.filter(pk__in=SelectedUnit.objects.filter(campaign=campaign).values("unit"))
    order = ("question_set__system__name", "question_set", "position")
    first = list(found.order_by(*(["question__text"] if blind else order))[: MAX_PAGE_ROWS + 1])
    cells = Counter[int]() if blind else _cells(first, campaign)
    units: list[Unit] = []
    written = 0
    for each in first[:MAX_PAGE_ROWS]:
        written += cells[each.pk]
        if units and written > MAX_PAGE_CELLS:
            break
        units.append(each)
    if len(units) == len(first):
        return units, len(units)
    if asked and all(unit.pk != asked for unit in units):
        units += found.filter(pk=asked)
    return units, found.count()


def _cells(units: list[Unit], campaign: Campaign | None) -> Counter[int]:
    """Count for each unit its cells besides the text: values of columns, and judgments of
    annotators and LLM judges. Its scores are columns of their own."""
    cells: Counter[int] = Counter()
    held = Attribute.objects.filter(unit__in=units).order_by().values_list("unit")
    for unit, n, length in held.annotate(n=Count("pk"), length=Sum(Length("value"))):
        cells[unit] += n + length // CELL
    if campaign is None:
        return cells
    said = Judgment.objects.standing().filter(assignment__round__campaign=campaign)
    machines = LLMJudgment.objects.filter(judge__campaign=campaign)
    for rows in (said.filter(unit__in=units), machines.filter(unit__in=units)):
        cells.update(dict(rows.order_by().values_list("unit").annotate(n=Count("pk"))))
    shown = Sum(Least(Length("rationale"), REASON))
    reasons = machines.filter(unit__in=units).order_by().values_list("unit").annotate(n=shown)
    cells.update({unit: length // CELL for unit, length in reasons})
    comments = _notes(campaign).filter(unit__in=units).order_by().values_list("unit")
    cells.update(
        {unit: length // CELL for unit, length in comments.annotate(n=Sum(Length("text")))}
    )
    return cells


def judgments_by_unit(units: list[Unit], campaign: Campaign) -> dict[tuple[int, int], list[Said]]:
    """Return the submitted judgments of these units, by unit and criterion, the annotators in order
    of their labels."""
    excluded = set(
        Exclusion.objects.standing()
        .filter(enrollment__campaign=campaign)
        .values_list("enrollment", flat=True)
    )
    rows = (
        Judgment.objects.standing()
        .filter(
            unit__in=units, assignment__round__campaign=campaign, assignment__round__kind="main"
        )
        .filter(assignment__state__in=["submitted", "extra"])
        .order_by("assignment__enrollment__label", "pk")
        .values_list(
            "unit",
            "criterion",
            "value",
            "point__label",
            "cause",
            "assignment__state",
            "assignment__enrollment",
            "assignment__enrollment__label",
        )
    )
    found: dict[tuple[int, int], list[Said]] = defaultdict(list)
    for unit, criterion, value, label, cause, state, enrollment, annotator in rows:
        found[unit, criterion].append(
            Said(
                annotator or "",
                value,
                label,
                cause,
                is_excluded=enrollment in excluded,
                is_extra=state == "extra",
            )
        )
    return found


def _by_machines(units: list[Unit], campaign: Campaign) -> list[LLMVerdict]:
    """Return the LLM judges' judgments of these units, question by question in the units' order."""
    rows = (
        LLMJudgment.objects.filter(judge__campaign=campaign, unit__in=units)
        .annotate(reason=Left("rationale", REASON + 1))
        .order_by("judge", "repeat", "criterion__position")
        .values_list(
            "unit", "judge__name", "repeat", "criterion__name", "value", "point__label", "reason"
        )
    )
    held: dict[int, dict[tuple[str, int], list[tuple[str, int, str, str]]]] = defaultdict(dict)
    for unit, judge, repeat, name, value, label, reason in rows:
        held[unit].setdefault((judge, repeat), []).append((name, value, label, reason))
    return [
        LLMVerdict(
            judge=judge,
            system=unit.question_set.system.name,
            text=unit.question.text if hasattr(unit, "question") else "",
            repeat=repeat,
            values=[(name, value, label) for name, value, label, _ in said],
            rationales=list(
                dict.fromkeys(
                    shortened(reason, REASON)
                    for *_, reason in said
                    if reason and reason != SAME_TEXT
                )
            ),
        )
        for unit in units
        for (judge, repeat), said in held[unit.pk].items()
    ]


def _notes(campaign: Campaign) -> QuerySet[Note]:
    rows = Note.objects.filter(
        assignment__round__campaign=campaign, assignment__round__kind="main"
    ).exclude(text="")
    submitted = rows.filter(assignment__state__in=["submitted", "extra"])
    return submitted.select_related("assignment__enrollment").order_by(
        "assignment__enrollment__label", "pk"
    )


def _comments(units: list[Unit], campaign: Campaign) -> dict[int, list[tuple[str, str]]]:
    found: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for note in _notes(campaign).filter(unit__in=units):
        found[note.unit_id or 0].append((_label(note), note.text))
    return found


def _on_tasks(units: list[Unit], campaign: Campaign) -> list[tuple[str, str]]:
    """Return comments on whole tasks that contain these units."""
    rows = (
        _notes(campaign)
        .filter(unit__isnull=True, assignment__task__task_units__unit__in=units)
        .distinct()
    )
    return [(_label(note), note.text) for note in rows]


def _label(note: Note) -> str:
    return note.assignment.enrollment.label if note.assignment.enrollment else ""


def _attributes(units: list[Unit]) -> dict[int, list[tuple[str, str]]]:
    found: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for unit, name, value in (
        Attribute.objects.filter(unit__in=units)
        .order_by("name")
        .values_list("unit", "name", "value")
    ):
        found[unit].append((name, value))
    return found


def _given(unit: Unit, told: _Told, blind: bool) -> Given:
    question = getattr(unit, "question", None)
    system = unit.question_set.system
    return Given(
        unit=unit.pk,
        system="" if blind else system.name,
        kind="" if blind else system.kind,
        position=unit.position,
        text=question.text if question else "",
        question_type=question.question_type if question else "",
        submitted_answer=question.submitted_answer if question else "",
        said=[told.said.get((unit.pk, criterion.pk), []) for criterion in told.criteria],
        scores=[told.scores.get((unit.pk, metric.pk)) for metric in told.metrics],
        comments=told.comments.get(unit.pk, []),
        attributes=told.attributes.get(unit.pk, []),
    )


def _matched(source: Source) -> tuple[list[dict[str, Any]], int]:
    """Return the pairs of the newest matching of this source's questions with its references, if a
    user requested one, and the number of pairs omitted, because each set repeats a long
    reference."""
    asked = Job.objects.filter(dataset=source.dataset_id, parameters__source=source.key)
    newest = asked.done(MATCHING).first()
    if newest is None:
        return [], 0
    shown: list[dict[str, Any]] = []
    count = written = 0
    for each in newest.result.get("sets", []):
        for pair in each["pairs"]:
            count += 1
            if written > MAX_PAGE_CELLS:
                continue
            question = shortened(each["questions"][pair["question"] - 1], MAX_EXCERPT_CHARACTERS)
            reference = shortened(each["references"][pair["reference"] - 1], MAX_EXCERPT_CHARACTERS)
            written += 4 + (len(question) + len(reference)) // CELL
            shown.append(
                {
                    "metric": newest.result.get("metric", ""),
                    "system": each["system"],
                    "question": question,
                    "reference": reference,
                    "score": pair["score"],
                }
            )
    return shown, count - len(shown)
