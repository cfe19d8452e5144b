"""The demo's study: a dataset, a campaign to rate, and one that simulated annotators have
judged."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction

from analysis.models import Run
from analysis.runs.actions import runs
from config.demo import simulate
from judging.campaigns.actions import campaigns
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Invitation
from judging.datasets.models.dataset import Dataset, Unit
from judging.enrolments.actions import enrollments
from judging.formats.mapping import Column, Mapping
from judging.jobs import storage
from judging.people.models.user import User
from judging.protocols.models.protocol import Criterion, Protocol
from judging.work.actions import assignments, drafts, judgments, sheets
from judging.work.actions.assignments import Here

FILE = Path(__file__).with_name("questions.csv")
SEED = 2026
SECONDS_A_VALUE = 6  # assumed working time of a simulated annotator
PROTOCOL = "qgbench"
NAME = "Demo: questions on sixteen passages"
LICENCE = "CC0 1.0; written for this project"
TO_RATE = "Demo: ready to rate"
SIMULATED = "Demo: judged by SIMULATED annotators"


def _score(name: str) -> Column:
    return Column(role="metric", name=name, direction="higher", scale="fraction")


MAPPING = Mapping(
    recipe="table",
    columns={
        "question": Column(role="question"),
        "passage": Column(role="passage"),
        "answer": Column(role="answer"),
        "answer_start": Column(role="answer_start"),
        "sentence": Column(role="sentence"),
        "source_id": Column(role="source_id"),
        "system": Column(role="system"),
        "reference_1": Column(role="reference"),
        "reference_2": Column(role="reference"),
        "token_f1": _score("token_f1"),
        "passage_overlap": _score("passage_overlap"),
        "topic": Column(role="metadata"),
    },
)
INTRODUCTION = (
    "You will read short passages and rate questions that four systems wrote about them. "
    "This is a demo: the passages, the systems and the questions are invented."
)
CONSENT = (
    "I take part in a demo. My ratings are stored in this installation under a label, not under my name, "
    "and I can stop at any time."
)
SIMULATED_INTRODUCTION = (
    "No annotator judged this campaign: a program drew its ratings, to show what a report is."
)


@dataclass(frozen=True, slots=True)
class DemoStudy:
    """The campaigns, the invitation and the analysis run of the demo."""

    to_rate: Campaign
    invitation: Invitation
    judged: Campaign
    run: Run


def ensure_demo_study(*, researcher: User, annotator: User, now: datetime) -> DemoStudy:
    """Return the demo's study; create it completely or not at all if it does not exist."""
    with transaction.atomic():
        dataset = _dataset(researcher, now)
        made = dataset.campaigns.filter(created_by=researcher).order_by("id")
        to_rate = made.filter(origin=Campaign.Origin.JUDGED).first() or _to_rate(
            dataset, researcher, annotator, now
        )
        judged = made.filter(origin=Campaign.Origin.SIMULATED).first() or _judged(
            dataset, researcher, now
        )
        run = judged.runs.order_by("-number").first() or runs.start_run(
            campaign=judged, by=researcher, seed=SEED, parameters={}
        )
        return DemoStudy(to_rate, to_rate.invitations.earliest("id"), judged, run)


def _dataset(owner: User, now: datetime) -> Dataset:
    from judging.imports.actions import adding  # loads pandas

    data = FILE.read_bytes()
    try:
        return adding.import_file(
            file=storage.store_bytes(data),
            file_name=FILE.name,
            name=NAME,
            by=owner,
            now=now,
            mapping=MAPPING,
            protocols=Protocol.objects.none(),
            licence=LICENCE,
            accept_surprises=True,
        ).dataset
    except adding.AlreadyImported as before:
        return before.dataset


def _campaign(dataset: Dataset, by: User, now: datetime, **plan: Any) -> Campaign:
    """Create a campaign with three annotators a task, lock it and open it."""
    origin = plan.pop("origin", Campaign.Origin.JUDGED)
    plan = {"annotators_per_task": 3, "order": Campaign.Order.BREADTH, **plan}
    protocol = Protocol.objects.filter(key=PROTOCOL, owner=None).latest("id")
    campaign = campaigns.create_campaign(
        by=by, dataset=dataset, protocol=protocol, plan=plan, origin=origin
    )
    campaigns.lock_plan(campaign=campaign, now=now)
    campaigns.open_campaign(campaign=campaign, now=now)
    return campaign


def _to_rate(dataset: Dataset, researcher: User, annotator: User, now: datetime) -> Campaign:
    campaign = _campaign(
        dataset,
        researcher,
        now,
        title=TO_RATE,
        introduction=INTRODUCTION,
        consent=CONSENT,
        contact="the researcher",
    )
    campaigns.create_invitation(
        campaign=campaign, by=researcher, label="Open link of the demo", places=100
    )
    enrollments.enroll(campaign=campaign, user=annotator)
    return campaign


def _judged(dataset: Dataset, researcher: User, now: datetime) -> Campaign:
    campaign = _campaign(
        dataset,
        researcher,
        now,
        title=SIMULATED,
        introduction=SIMULATED_INTRODUCTION,
        origin=Campaign.Origin.SIMULATED,
    )
    for name, severity in simulate.SEVERITY.items():
        user, _ = User.objects.get_or_create(
            username=f"simulated-{name}", defaults={"is_active": False}
        )
        enrollment = enrollments.enroll(campaign=campaign, user=user)
        _judge_everything(campaign, enrollment, severity)
    campaigns.close_campaign(campaign=campaign, now=now)
    return campaign


def _judge_everything(campaign: Campaign, enrollment: Enrollment, severity: float) -> None:
    """Judge every task as an annotator does, by the same actions."""
    main = campaign.rounds.get()
    while isinstance(
        found := assignments.claim_assignment(enrollment=enrollment, round=main), Here
    ):
        assignment = Assignment.objects.select_related(
            "task", "enrollment", "round__campaign__protocol"
        ).get(pk=found.assignment.pk)
        answers = _answers(assignment, severity)
        drafts.save_draft(assignment=assignment, page=drafts.SentPage(answers, sequence=1))
        judgments.submit_task(assignment=assignment, token=assignment.submit_token)
        spent = SECONDS_A_VALUE * len(answers)  # a program is done at once, which pages would flag
        Assignment.objects.filter(pk=assignment.pk).update(active_seconds=spent)


def _answers(
    assignment: Assignment, severity: float
) -> list[tuple[sheets.AskedControl, int | None]]:
    sheet = sheets.sheet_of_assignment(assignment)
    criteria = assignment.round.campaign.protocol.criteria.prefetch_related("points")
    scales = [_scale(criterion) for criterion in criteria]
    units = Unit.objects.select_related("question_set__source", "question_set__system").in_bulk(
        [question.unit for question in sheet.questions()]
    )
    given: list[tuple[sheets.AskedControl, int | None]] = []
    for question in sheet.questions():
        values = _rated(units[question.unit], assignment, severity, scales, sheet)
        given += [(asked, values[asked.criterion.key]) for asked in question.asked]
    return given


def _rated(
    unit: Unit,
    assignment: Assignment,
    severity: float,
    scales: Sequence[simulate.DemoScale],
    sheet: sheets.Sheet,
) -> dict[str, int]:
    """Draw by names, not by ids, so that the demo is the same on every machine."""
    system, source = unit.question_set.system.name, unit.question_set.source.key
    who = assignment.enrollment.label if assignment.enrollment else ""
    return simulate.rate(
        quality=simulate.QUALITY[system],
        question=simulate.question_deviation(rng=random.Random(f"{SEED} {source} {system}")),
        severity=severity,
        scales=scales,
        rules=sheet.protocol.rules,
        rng=random.Random(f"{SEED} {source} {system} {who}"),
    )


def _scale(criterion: Criterion) -> simulate.DemoScale:
    points = [point.value for point in criterion.points.all() if not point.missing]
    return simulate.DemoScale(
        criterion.key, points if criterion.best == Criterion.Best.HIGHEST else points[::-1]
    )
