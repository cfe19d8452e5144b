"""Campaigns of any size for bench/judging.py, made by the database itself: one question of one
system for each task."""

from importlib import import_module

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.db import connection
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.members import Enrollment
from judging.datasets.models.dataset import Dataset, System
from judging.enrolments.actions import enrollments
from judging.people.models.user import User
from judging.protocols import documents
from judging.protocols.actions import protocols

PLACES = 3
TOKEN = (
    "00000000-0000-4000-8000-000000000000"  # the same for all: clients submit without reading pages
)
ROWS = """
INSERT INTO judging_passage (dataset_id, digest, text)
SELECT %(dataset)s, lpad(n::text, 64, '0'), 'Lock ' || n || ' was built by Agnes Tolliver. It has iron gates.'
FROM generate_series(1, %(tasks)s) n;
INSERT INTO judging_source (dataset_id, passage_id, key, position, answer, answer_start, sentence, sentence_start,
                            target_type, modality, language)
SELECT dataset_id, id, digest::bigint, digest::bigint, 'Agnes Tolliver', 5, '', NULL, '', '', ''
FROM judging_passage WHERE dataset_id = %(dataset)s;
INSERT INTO judging_questionset (source_id, system_id, expected)
SELECT id, %(system)s, 1 FROM judging_source WHERE dataset_id = %(dataset)s;
INSERT INTO judging_unit (question_set_id, position)
SELECT id, 1 FROM judging_questionset WHERE system_id = %(system)s;
INSERT INTO judging_question (unit_id, text, key, question_type, submitted_answer)
SELECT unit.id, 'Who built it?', '', '', '' FROM judging_unit unit
JOIN judging_questionset held ON held.id = unit.question_set_id WHERE held.system_id = %(system)s;
INSERT INTO judging_task (round_id, number) SELECT %(round)s, n FROM generate_series(1, %(tasks)s) n;
INSERT INTO judging_taskunit (task_id, unit_id, position)
SELECT task.id, unit.id, 1 FROM judging_unit unit
JOIN judging_questionset held ON held.id = unit.question_set_id AND held.system_id = %(system)s
JOIN judging_source source ON source.id = held.source_id
JOIN judging_task task ON task.round_id = %(round)s AND task.number = source.position;
INSERT INTO judging_assignment (id, round_id, task_id, place, position, state, stage, submit_token, active_seconds)
SELECT gen_random_uuid(), %(round)s, task.id, place, (task.number - 1) * %(places)s + place, 'open', 0, %(token)s, 0
FROM judging_task task, generate_series(1, %(places)s) place WHERE task.round_id = %(round)s;
"""


def open_campaign(*, tasks: int) -> Round:
    """Return the main round of an open campaign of QG-Bench with one question to a task, depth
    first."""
    by = User.objects.create_user(
        f"manager{tasks}-{timezone.now().timestamp()}", may_create_campaigns=True
    )
    dataset = Dataset.objects.create(name="Locks", owner=by)
    protocol = protocols.install(document=documents.shipped("qgbench"))
    plan = {"title": "Locks", "annotators_per_task": PLACES}
    campaign = campaigns.create_campaign(by=by, dataset=dataset, protocol=protocol, plan=plan)
    campaigns.lock_plan(campaign=campaign, now=timezone.now())
    round = Round.objects.select_related("campaign").get(campaign=campaign)
    names = {
        "tasks": tasks,
        "dataset": dataset.pk,
        "round": round.pk,
        "places": PLACES,
        "token": TOKEN,
    }
    names["system"] = System.objects.create(dataset=dataset, name="Alba").pk
    with connection.cursor() as cursor:
        cursor.execute(ROWS, names)
    Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.State.OPEN)
    Round.objects.filter(pk=round.pk).update(opened_at=timezone.now())
    tidy()
    return Round.objects.select_related("campaign__protocol").get(pk=round.pk)


def tidy() -> None:
    """Do at once what PostgreSQL does by itself in the minutes after many changes."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def annotator(round: Round) -> Enrollment:
    user = User.objects.create_user(f"annotator-{round.pk}-{round.campaign.enrollments.count()}")
    return enrollments.enroll(campaign=round.campaign, user=user)


def session(user: User) -> str:
    """Return the key of a session in which the user is logged in."""
    store = import_module(settings.SESSION_ENGINE).SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    store.create()
    return str(store.session_key)
