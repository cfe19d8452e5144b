"""A campaign's dataset and judgments as one study, for the writers of every format."""

import csv
import io
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, Min, OuterRef, Q, QuerySet

from judging.base.formulas import BYTE_ORDER_MARK, defuse_cell
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.members import Exclusion
from judging.datasets.models.dataset import (
    Attribute,
    Dataset,
    Question,
    QuestionSet,
    Reference,
    Source,
    Unit,
)
from judging.datasets.models.score import Metric, Score
from judging.formats.records import (
    Direction,
    MarkRecord,
    NoteRecord,
    QuestionRecord,
    RatingRecord,
    ScoreColumn,
    SourceRecord,
    StudyRecords,
    WrittenScale,
)
from judging.protocols.models.protocol import Criterion
from judging.quality.models.adjudication import SettledValue
from judging.work.models.assignment import Marking, Note, SpanMark
from judging.work.models.judgment import Judgment, JudgmentAttribute

SOURCES_A_PART = 200  # sources whose judgments are held in memory at once
SAID_ABOUT = (  # the unit that a comment or mark is about, and its annotator
    "unit__question_set__source__key",
    "unit__question_set__system__name",
    "unit__position",
    "assignment__enrollment__label",
)
OF_JUDGMENTS = ("origin", "round", "state", "created_at")  # exported for every judgment
OF_DEVICE_CLOCK = ("first_shown_at", "answered_at")
OF_CONDITIONS = {  # columns, and their fields of an assignment
    "instruction_language": "language",
    **{name: name for name in ("view", "device", "input", "keywords", "review")},
}
CODEBOOK = ("column", "value", "label", "meaning")
DIRECTIONS: dict[Metric.Direction, Direction] = {
    Metric.Direction.HIGHER: "higher",
    Metric.Direction.LOWER: "lower",
}
SCALES: dict[Metric.Scale, WrittenScale] = {
    Metric.Scale.FRACTION: "fraction",
    Metric.Scale.PERCENT: "percent",
    Metric.Scale.OTHER: "none",
}
Texts = dict[int, dict[str, str]]
ColumnRows = dict[tuple[str, ...], list[QuerySet[Any]]]
OfUnits = Mapping[str, Any]  # a filter by the units of a part; empty where all are meant


def misfit_of_qgstec(campaign: Campaign) -> str:
    """Return why QG-STEC's XML cannot contain a campaign, by a few small queries; "" if it can."""
    sources = campaign.dataset.sources.order_by("position")
    others = sources.filter(Q(passage__isnull=False) | Q(sentence="") | Q(target_type=""))
    if key := others.values_list("key", flat=True).first():
        return (
            f"Source “{key}” is not a sentence with a target type; this XML has no other sources."
        )
    of_sets = campaign.protocol.criteria.filter(unit="set").values_list("key", flat=True)
    if key := of_sets.first():
        return f"The ratings on “{key}” are about whole sets; this XML rates questions."
    return "" if sources.exists() else "The dataset contains no source."


def export_campaign(
    *, campaign: Campaign, extras: bool = False, trials: bool = False, adjudicated: bool = False
) -> StudyRecords:
    """Return all data of a campaign: sources, slots, scores, attributes and current judgments.

    Annotators are named by their labels only; judgments of excluded annotators are marked.
    `trials`: also those of pilot and calibration rounds, marked by their round. `adjudicated`: with the
    adjudicated rating beside each judgment of the main round.
    """
    wanted = _wanted(campaign, extras=extras, trials=trials)
    return _part(campaign, campaign.dataset.sources.all(), {}, wanted, adjudicated=adjudicated)


def export_parts(
    *, campaign: Campaign, extras: bool = False, trials: bool = False, adjudicated: bool = False
) -> Iterator[StudyRecords]:
    """Yield what `study_of` returns, some sources at a time in the file's order, so that memory does
    not grow with the study."""
    wanted = _wanted(campaign, extras=extras, trials=trials)
    for sources, own in _cut(campaign.dataset):
        yield _part(campaign, sources, own, wanted, adjudicated=adjudicated)


def parts_of_material(*, dataset: Dataset) -> Iterator[StudyRecords]:
    """Yield what `material_of` returns, some sources at a time in the file's order."""
    for sources, own in _cut(dataset):
        yield _material(dataset, sources, own)


def _cut(dataset: Dataset) -> Iterator[tuple[QuerySet[Source], OfUnits]]:
    """Yield some sources at a time, with the filter by their units."""
    sources = dataset.sources.order_by("position")
    keys = list(sources.values_list("pk", flat=True))
    for start in range(0, len(keys), SOURCES_A_PART):
        some = sources.filter(pk__in=keys[start : start + SOURCES_A_PART])
        # their ids, not a subquery, with which the database would read all judgments for each part
        units = Unit.objects.filter(question_set__source__in=some.order_by())
        yield some, {"unit__in": list(units.values_list("pk", flat=True))}


def columns_of_material(*, dataset: Dataset) -> set[str]:
    """Return the columns that the rows of a dataset's export use, without reading the rows."""
    return _used(_rows_of_material(dataset)) | _attribute_columns(dataset)


def export_columns(
    *, campaign: Campaign, extras: bool = False, trials: bool = False, adjudicated: bool = False
) -> set[str]:
    """Return the columns that the rows of an export use, without reading the rows."""
    dataset = campaign.dataset
    wanted = _wanted(campaign, extras=extras, trials=trials)
    ratings = Judgment.objects.standing().filter(assignment__in=wanted)
    rows_of = _rows_of_material(dataset) | _rows_of_judgments(campaign, wanted)
    if adjudicated:
        standing = SettledValue.objects.standing().filter(campaign=campaign)
        rows_of[("judgment:adjudicated",)] = [standing]
    brought = JudgmentAttribute.objects.filter(judgment__in=ratings)
    used = _used(rows_of) | _attribute_columns(dataset)
    return used | {f"judgment:{name}" for name in _names(brought)}


def _used(rows_of: ColumnRows) -> set[str]:
    """Return the columns that any row fills."""
    return {
        name
        for names, rows in rows_of.items()
        if any(row.order_by().exists() for row in rows)
        for name in names
    }


def _attribute_columns(dataset: Dataset) -> set[str]:
    attributes = Attribute.objects.filter(
        unit__question_set__source__dataset=dataset, unit__question__isnull=False
    )
    return {f"attribute:{name}" for name in _names(attributes)}


def raters_of(
    *, campaign: Campaign, extras: bool = False, trials: bool = False, adjudicated: bool = False
) -> list[str]:
    """Return the labels of the annotators who rated, in the order in which `study_of` first has them;
    adjudicated ratings add none."""
    wanted = _wanted(campaign, extras=extras, trials=trials)
    ratings = Judgment.objects.standing().filter(assignment__in=wanted).order_by()
    labels = ratings.values_list(label := "assignment__enrollment__label", flat=True)
    return list(labels.annotate(first=Min("unit")).order_by("first", label))


def _rows_of_material(dataset: Dataset) -> ColumnRows:
    """Return columns with the rows that fill them: a column is used if any of these exist."""
    sources = dataset.sources.order_by()
    questions = Question.objects.filter(unit__question_set__source__in=sources)
    found: ColumnRows = {
        ("item", "source_id", "system", "position", "question"): [sources],
        ("passage",): [sources.filter(passage__isnull=False).exclude(passage__text="")],
        ("answer_start",): [sources.filter(answer_start__isnull=False)],
        ("references",): [Reference.objects.filter(source__in=sources)],
        ("question_id",): [questions.exclude(key="")],
    }
    for name in ("sentence", "answer", "target_type", "modality", "language"):
        found[(name,)] = [sources.exclude(**{name: ""})]
    for name in ("question_type", "submitted_answer"):
        found[(name,)] = [questions.exclude(**{name: ""})]
    for metric in Metric.objects.filter(dataset=dataset):
        scores = metric.scores.filter(unit__question__isnull=False, value__isnull=False)
        found[(score_column(metric).exported_name,)] = [scores]
    return found


def _rows_of_judgments(campaign: Campaign, wanted: QuerySet[Assignment]) -> ColumnRows:
    """Return columns with the rows that fill them, of annotators' work in the wanted assignments."""
    ratings = Judgment.objects.standing().filter(assignment__in=wanted)
    notes = Note.objects.filter(assignment__in=wanted).exclude(text="")
    spans = SpanMark.objects.filter(assignment__in=wanted)
    marked = Marking.objects.filter(assignment__in=wanted, nothing=True)
    excluded = Exclusion.objects.standing().filter(enrollment__campaign=campaign)
    return {
        ("annotator",): [ratings, notes, spans, marked],
        ("criterion", "value", *(f"judgment:{name}" for name in OF_JUDGMENTS)): [ratings],
        ("judgment:task_seconds",): [ratings.filter(assignment__active_seconds__gt=0)],
        ("judgment:cause", "judgment:forced"): [ratings.exclude(cause="")],
        **{
            (f"judgment:{name}",): [ratings.filter(**{f"{name}__isnull": False})]
            for name in OF_DEVICE_CLOCK
        },
        **{
            (f"judgment:{name}",): [ratings.exclude(**{f"assignment__{column}": ""})]
            for name, column in OF_CONDITIONS.items()
        },
        ("judgment:excluded",): [excluded],
        ("judgment:comment",): [notes.filter(unit__isnull=True)],
        ("note",): [notes.filter(unit__isnull=False)],
        ("mark",): [spans, marked],
        ("mark_start", "mark_end", "mark_text"): [spans],
    }


def _names(rows: QuerySet[Any]) -> QuerySet[Any]:
    return rows.order_by().values_list("name", flat=True).distinct()


def exported_units(*, dataset: Dataset) -> QuerySet[Unit]:
    """Return the items of a dataset: all slots, and the sets that are judged or scored as a
    whole."""
    is_judged = Exists(Judgment.objects.filter(unit=OuterRef("pk")))
    is_scored = Exists(Score.objects.filter(unit=OuterRef("pk")))
    units = Unit.objects.filter(question_set__source__dataset=dataset)
    return units.filter(Q(position__isnull=False) | is_judged | is_scored)


def export_dataset(*, dataset: Dataset) -> StudyRecords:
    """Return all data of a dataset: sources, slots, scores and attributes."""
    return _material(dataset, dataset.sources.all(), {})


def _wanted(campaign: Campaign, *, extras: bool, trials: bool) -> QuerySet[Assignment]:
    rounds = (
        campaign.rounds.exclude(kind=Round.Kind.CHECKS)
        if trials
        else campaign.rounds.filter(kind=Round.Kind.MAIN)
    )
    states = [Assignment.State.SUBMITTED, *([Assignment.State.EXTRA] if extras else [])]
    return Assignment.objects.filter(round__in=rounds, state__in=states)


def _part(
    campaign: Campaign,
    sources: QuerySet[Source],
    own: OfUnits,
    wanted: QuerySet[Assignment],
    *,
    adjudicated: bool,
) -> StudyRecords:
    about = {"assignment__in": wanted, "unit__isnull": False, **own}
    values = _adjudicated(campaign, own) if adjudicated else {}
    return replace(
        _material(campaign.dataset, sources, own),
        ratings=tuple(_ratings(campaign, about, values)),
        notes=tuple(_notes(about)),
        marks=tuple(_marks(about)),
    )


def _material(dataset: Dataset, sources: QuerySet[Source], own: OfUnits) -> StudyRecords:
    chosen = sources.order_by()
    sets = QuestionSet.objects.filter(source__in=chosen).select_related("source", "system")
    sets = sets.order_by("source__position", "system__name")
    units = Unit.objects.filter(question_set__source__in=chosen).select_related(
        "question", "question_set__source", "question_set__system"
    )
    # each slot would hold a copy of its source's texts
    units = units.defer("question_set__source__sentence", "question_set__source__answer")
    slots = list(
        units.order_by("question_set__source__position", "question_set__system__name", "position")
    )
    scores, metrics = _scores(dataset, own)
    attributes = _attributes(dataset, own)
    questions = tuple(
        _question(unit, scores, attributes)
        for unit in slots
        if unit.position and hasattr(unit, "question")
    )
    return StudyRecords(
        sources=tuple(
            _source(row)
            for row in sources.select_related("passage", "repeat_of")
            .prefetch_related("references")
            .order_by("position")
        ),
        questions=questions,
        expected={(each.source.key, each.system.name): each.expected for each in sets},
        score_columns=tuple(metrics),
        items={
            (unit.question_set.source.key, unit.question_set.system.name, unit.position): unit.pk
            for unit in slots
        },
    )


def _source(row: Source) -> SourceRecord:
    return SourceRecord(
        key=row.key,
        passage=row.passage.text if row.passage else None,
        answer=row.answer,
        answer_start=row.answer_start,
        sentence=row.sentence,
        sentence_start=row.sentence_start,
        target_type=row.target_type,
        modality=row.modality,
        language=row.language,
        references=tuple(reference.text for reference in row.references.all()),
        repeat_of=row.repeat_of.key if row.repeat_of else "",
    )


def _question(unit: Unit, scores: Texts, attributes: Texts) -> QuestionRecord:
    return QuestionRecord(
        source_key=unit.question_set.source.key,
        system=unit.question_set.system.name,
        position=unit.position or 0,
        text=unit.question.text,
        question_type=unit.question.question_type,
        submitted_answer=unit.question.submitted_answer,
        key=unit.question.key,
        scores=scores.get(unit.pk, {}),
        attributes=attributes.get(unit.pk, {}),
    )


def _scores(dataset: Dataset, own: OfUnits) -> tuple[Texts, list[ScoreColumn]]:
    """Return every unit's scores as text, imported ones with the digits of their file, and the
    score columns."""
    metrics = list(Metric.objects.filter(dataset=dataset).order_by("pk"))
    found: Texts = defaultdict(dict)
    names = {metric.pk: metric.name for metric in metrics}
    rows = Score.objects.filter(metric__in=metrics, unit__isnull=False, value__isnull=False).filter(
        **own
    )
    for unit, metric, text, value in rows.values_list("unit", "metric", "text", "value"):
        found[unit][names[metric]] = text or repr(value)
    return found, [score_column(metric) for metric in metrics]


def score_column(metric: Metric) -> ScoreColumn:
    """Return how the export of a dataset declares a metric."""
    return ScoreColumn(
        column=metric.name,
        name=metric.name,
        direction=DIRECTIONS[Metric.Direction(metric.direction)],
        scale=SCALES[Metric.Scale(metric.scale)],
        kind="human_mean" if metric.kind == Metric.Kind.HUMAN_MEAN else "metric",
    )


def _attributes(dataset: Dataset, own: OfUnits) -> Texts:
    found: Texts = defaultdict(dict)
    rows = Attribute.objects.filter(unit__question_set__source__dataset=dataset, **own)
    rows = rows.order_by("unit", "name")
    for unit, name, value in rows.values_list("unit", "name", "value"):
        found[unit][name] = value
    return found


def _ratings(
    campaign: Campaign, about: Mapping[str, Any], adjudicated: Mapping[tuple[int, str], int]
) -> Iterator[RatingRecord]:
    rows = Judgment.objects.standing().filter(**about)
    told = _ToldOfJudgments(campaign, rows, adjudicated)
    ordered = rows.order_by("unit", "assignment__enrollment__label", "criterion__position")
    for row in ordered.values(
        "pk",
        "unit",
        "assignment",
        "value",
        "origin",
        "cause",
        "created_at",
        "first_shown_at",
        "answered_at",
        instruction_language=F("assignment__language"),
        view=F("assignment__view"),
        device=F("assignment__device"),
        input=F("assignment__input"),
        keywords=F("assignment__keywords"),
        review=F("assignment__review"),
        source=F("unit__question_set__source__key"),
        system=F("unit__question_set__system__name"),
        position=F("unit__position"),
        label=F("assignment__enrollment__label"),
        enrollment=F("assignment__enrollment"),
        key=F("criterion__key"),
        kind=F("assignment__round__kind"),
        number=F("assignment__round__number"),
        state=F("assignment__state"),
        active_seconds=F("assignment__active_seconds"),
    ).iterator():
        yield RatingRecord(
            source_key=row["source"],
            system=row["system"],
            position=row["position"],
            rater=row["label"],
            criterion=row["key"],
            value=str(row["value"]),
            row=0,
            column="",
            attributes=told.of(row),
        )


class _ToldOfJudgments:
    """The attributes of each judgment that an export contains beside its value."""

    def __init__(
        self,
        campaign: Campaign,
        judgments: QuerySet[Judgment],
        adjudicated: Mapping[tuple[int, str], int],
    ) -> None:
        standing = Exclusion.objects.standing().filter(enrollment__campaign=campaign)
        self.excluded = set(standing.values_list("enrollment", flat=True))
        self.is_simulated = campaign.origin == Campaign.Origin.SIMULATED
        self.brought = _brought(judgments)
        self.comments = _comments(campaign, judgments)
        self.adjudicated = adjudicated

    def of(self, row: Mapping[str, Any]) -> dict[str, str]:
        is_main = row["kind"] == Round.Kind.MAIN
        told = {
            "origin": "simulated" if self.is_simulated else row["origin"],
            "round": row["kind"] if is_main else f"{row['kind']} {row['number']}",
            "state": row["state"],
            "created_at": row["created_at"].isoformat(timespec="seconds"),
        }
        if row["active_seconds"]:
            told["task_seconds"] = f"{row['active_seconds']:.1f}"
        for name in OF_DEVICE_CLOCK:
            if row[name]:
                told[name] = row[name].isoformat(timespec="milliseconds")
        told |= {name: row[name] for name in OF_CONDITIONS if row[name]}
        if row["cause"]:
            told["cause"] = row["cause"]
        if is_main and (row["unit"], row["key"]) in self.adjudicated:
            told["adjudicated"] = str(self.adjudicated[row["unit"], row["key"]])
        if row["enrollment"] in self.excluded:
            told["excluded"] = "yes"
        if row["assignment"] in self.comments:
            told["comment"] = self.comments[row["assignment"]]
        told |= self.brought.get(row["pk"], {})
        return told | ({"forced": "yes"} if row["origin"] == Judgment.Origin.RULE else {})


def _adjudicated(campaign: Campaign, own: OfUnits) -> dict[tuple[int, str], int]:
    """Return adjudicated ratings by unit and the criterion's key."""
    standing = SettledValue.objects.standing().filter(campaign=campaign, **own)
    return {
        (unit, key): value
        for unit, key, value in standing.values_list("unit", "criterion__key", "value")
    }


def _brought(judgments: QuerySet[Judgment]) -> Texts:
    """Return the attributes of imported judgments from their files; they replace those known from
    the import."""
    found: Texts = defaultdict(dict)
    rows = JudgmentAttribute.objects.filter(judgment__in=judgments).order_by("pk")
    for judgment, name, value in rows.values_list("judgment", "name", "value"):
        found[judgment][name] = value
    return found


def _comments(campaign: Campaign, judgments: QuerySet[Judgment]) -> dict[UUID, str]:
    """Return annotators' comments on whole tasks by assignment; each judgment of the task gets the
    comment, because it belongs to no unit."""
    rows = Note.objects.filter(
        assignment__round__campaign=campaign,
        assignment__in=judgments.values("assignment"),
        unit__isnull=True,
    ).exclude(text="")
    return dict(rows.values_list("assignment", "text"))


def _notes(about: Mapping[str, Any]) -> Iterator[NoteRecord]:
    """Yield comments on questions and sets."""
    rows = Note.objects.filter(**about).exclude(text="").order_by("unit")
    for source, system, position, label, text in rows.values_list(*SAID_ABOUT, "text"):
        yield NoteRecord(
            source_key=source, system=system, position=position, rater=label, text=text, row=0
        )


def _marks(about: Mapping[str, Any]) -> Iterator[MarkRecord]:
    """Yield every marked span, and every mark that nothing in the passage answers the question."""
    spans = SpanMark.objects.filter(**about).order_by(
        "unit", "assignment__enrollment__label", "start"
    )
    nothing = Marking.objects.filter(**about, nothing=True)
    for source, system, position, label, start, end in (
        *spans.values_list(*SAID_ABOUT, "start", "end"),
        *((*place, None, None) for place in nothing.values_list(*SAID_ABOUT)),
    ):
        yield MarkRecord(
            source_key=source,
            system=system,
            position=position,
            rater=label,
            start=start,
            end=end,
            row=0,
        )


def codebook_csv(*, campaign: Campaign) -> str:
    """Return the meaning of an export's columns and values, as CSV."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, CODEBOOK, lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {name: defuse_cell(str(cell)) for name, cell in row.items()} for row in _codebook(campaign)
    )
    return BYTE_ORDER_MARK + buffer.getvalue()


def _codebook(campaign: Campaign) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = [
        {"column": name, "meaning": meaning} for name, meaning in COLUMNS.items()
    ]
    for criterion in Criterion.objects.filter(protocol=campaign.protocol).prefetch_related(
        "points"
    ):
        best = criterion.get_best_display()
        meaning = (
            f"{criterion.get_level_display()}; best: {best}; of each {criterion.get_unit_display()}"
        )
        rows.append(
            {
                "column": "criterion",
                "value": criterion.key,
                "label": criterion.name,
                "meaning": meaning,
            }
        )
        rows += [
            {
                "column": f"value of {criterion.key}",
                "value": point.value,
                "label": point.label,
                "meaning": "counts as missing" if point.missing else "",
            }
            for point in criterion.points.all()
        ]
    return rows


COLUMNS = {
    "item": "the question, or the set as a whole, in this database; equal in all lists of the API",
    "source_id": "what a system was given; equal for all systems' questions on it",
    "cluster": "in a bundle, the first of the sources that belong together",
    "passage": "the text the questions are about",
    "sentence": "the sentence that holds the answer",
    "answer": "the answer the question should ask for",
    "answer_start": "where the answer begins in the passage, in code points from 0",
    "target_type": "the type of question that was asked for",
    "language": "the language of the source, as a tag; empty if it is the dataset's",
    "references": "human-written questions for the source, as a JSON list",
    "system": "the system that made the question",
    "position": "the slot of the system's question set, from 1; empty for the set as a whole",
    "question": "the generated question; empty where none was returned",
    "score:": (
        "a score of the question; in brackets, which direction is better (higher or lower), and whether it is written "
        "as a fraction (0 to 1), as a percent (0 to 100) or on its own scale (none)"
    ),
    "annotator": "the annotator's label in this campaign",
    "criterion": "what was judged",
    "value": "the value given, on the criterion's scale",
    "judgment:origin": "judged by the annotator, forced by a rule on the page, imported, or simulated by a program",
    "judgment:cause": "the criterion whose value forced this one",
    "judgment:forced": "yes if a rule on the page set the value",
    "judgment:round": "main, or which pilot or calibration, if the export includes those",
    "judgment:state": "submitted, or extra: submitted after the assignment was given to another annotator",
    "judgment:created_at": "when it was stored, UTC",
    "judgment:task_seconds": "active time of the whole task that the judgment belongs to, in seconds, without pauses",
    "judgment:first_shown_at": "when the annotator first saw the criterion, by the clock of their device",
    "judgment:answered_at": "when the annotator gave the value, by the clock of their device",
    "judgment:instruction_language": "the language of the instructions",
    "judgment:view": "focus: one question at a time; list: all questions of the task",
    "judgment:device": "phone, tablet or desktop, by the size of the screen",
    "judgment:input": "what gave most answers of the task: touch, mouse or keyboard",
    "judgment:keywords": "whether the words of the question were highlighted in the passage: highlighted or plain",
    "judgment:review": "shown or off, if annotators could switch the review before Submit off",
    "judgment:excluded": "yes if the annotator is excluded from the analysis",
    "judgment:adjusted": "in a bundle, the value that counts for systems and metrics; empty if none does",
    "judgment:adjusted_by": "why it is another value: rule (of the protocol) or adjudication",
    "judgment:comment": "what the annotator wrote on the whole task this judgment belongs to",
    "note": "what the annotator wrote beside the ratings",
    "mark": "span: the annotator marked this part of the passage; none: nothing in it answers the question",
    "mark_start": "where the marked span begins in the passage, in code points from 0",
    "mark_end": "where the marked span ends: the code point after its last",
    "mark_text": "the text of the marked span",
}
