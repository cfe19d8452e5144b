"""The role that serves does all that a site does, and cannot change or remove a judgment."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import ProgrammingError, connection, transaction
from django.db.models.functions import Now
from django.utils import timezone

from config.database import roles
from judging.actions import (
    assignments,
    campaigns,
    collections,
    drafts,
    enrollments,
    judgments,
    retention,
    sheets,
)
from judging.models import Assignment, Campaign, Judgment, User
from tests import factories
from tests.annotation import studies

pytestmark = pytest.mark.django_db


@contextmanager
def serving() -> Iterator[None]:
    """Do what follows as the serving role; the role itself goes with the test's transaction."""
    roles.grant()
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {settings.SERVER_ROLE}")
        try:
            yield
        finally:
            cursor.execute("RESET ROLE")


def judged() -> Assignment:
    """Go the way of a study: open, join, save, submit."""
    campaign = studies.opened(annotators_per_task=1)
    link = campaigns.invite(campaign=campaign, by=campaign.created_by, places=5)
    enrollment = enrollments.join(
        invitation=link, user=None, agreed=True, now=timezone.now()
    ).enrollments.get()
    held = studies.held(enrollment)
    answers = [(asked, 2) for asked in sheets.of(held).asked()]
    drafts.save(assignment=held, page=drafts.SentPage(answers, sequence=1))
    judgments.submit(assignment=held, token=held.submit_token)
    return held


def refused(statement: str) -> bool:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    except ProgrammingError as error:
        return "permission denied" in str(error) or "must be owner" in str(error)
    return False


def test_server_goes_the_way_of_a_study_with_its_corrections() -> None:
    with serving():
        own = judged()
        campaign = own.round.campaign
        assert Judgment.objects.standing().filter(assignment=own).count() == 4
        Judgment.objects.filter(assignment=own).update(superseded_at=Now())
        enrollments.exclude(
            enrollment=own.enrollment, reason="too fast", by=campaign.created_by, now=timezone.now()
        )
        link = campaign.invitations.get()
        newcomer = enrollments.join(
            invitation=link, user=None, agreed=True, now=timezone.now()
        ).enrollments.get()
        assignments.claim(enrollment=newcomer, round=studies.main_round(campaign))
        assert (
            enrollments.undo_joins(
                invitation=link, by=campaign.created_by, now=timezone.now()
            ).removed
            == 1
        )
        campaigns.discard(campaign=factories.campaign())
        collections.delete(collection=factories.collection())


def test_server_forgets_who_annotators_were_and_keeps_what_they_said() -> None:
    with serving():
        own = judged()
        campaign, user = own.round.campaign, own.enrollment.user_id
        closed = timezone.now() - timedelta(days=31)
        Campaign.objects.filter(pk=campaign.pk).update(
            retention_days=30, state="closed", closed_at=closed
        )
        assert retention.forget_due(now=timezone.now()) == 1
    assert not User.objects.filter(pk=user).exists()
    assert Judgment.objects.standing().filter(assignment=own).count() == 4


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM judging_judgment",
        "TRUNCATE judging_judgment CASCADE",
        "UPDATE judging_judgment SET value = 1",
        "DELETE FROM judging_event",
        "UPDATE judging_event SET who = NULL",
        "ALTER TABLE judging_judgment DISABLE TRIGGER ALL",
    ],
)
def test_server_can_neither_change_nor_remove_a_judgment_or_an_event(statement: str) -> None:
    with serving():
        judged()
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('quaestor.erase', 'on', true)")
        assert refused(statement)


def test_owner_still_erases_a_person() -> None:
    with serving():
        own = judged()
    erased = enrollments.erase(
        enrollment=own.enrollment, by=own.round.campaign.created_by, now=timezone.now()
    )
    assert erased.counts["judgment"] == 4


def password_of(role: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolpassword FROM pg_authid WHERE rolname = %s", [role])
        [password] = cursor.fetchone()
    return password


@pytest.fixture
def role(settings, monkeypatch) -> str:
    """Name a serving role that no other test makes, and its password."""
    settings.SERVER_ROLE = "quaestor_second-site"
    monkeypatch.setenv("QUAESTOR_SERVER_PASSWORD", "first word")
    return settings.SERVER_ROLE


def test_grant_server_existing_role_keeps_its_password_unless_asked(
    monkeypatch, capsys, role
) -> None:
    call_command("grant_server")
    first = password_of(role)
    monkeypatch.setenv("QUAESTOR_SERVER_PASSWORD", "second word")
    call_command("grant_server")
    assert password_of(role) == first
    assert "--set-password" in capsys.readouterr().out
    call_command("grant_server", set_password=True)
    assert password_of(role) not in (first, None)
