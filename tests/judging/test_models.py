"""Rows that the database itself refuses, whichever code stores them."""

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import timezone

from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Task
from judging.datasets.models.dataset import Unit
from judging.work.models.assignment import Draft
from judging.work.models.judgment import Judgment
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def held():
    """An assignment at work on a task, with one of its questions and one criterion."""
    campaign = factories.opened(annotators_per_task=1)
    enrollment = factories.enrollment(campaign)
    assignment = Assignment.objects.open().first()
    now = timezone.now()
    Assignment.objects.filter(pk=assignment.pk).update(
        state="held", enrollment=enrollment, held_at=now, lease_expires_at=now
    )
    assignment.refresh_from_db()
    unit = Unit.objects.filter(task_units__task=assignment.task).first()
    return assignment, unit, campaign.protocol.criteria.first()


def judgment(held, value, **fields):
    assignment, unit, criterion = held
    return Judgment.objects.create(
        assignment=assignment, unit=unit, criterion=criterion, value=value, **fields
    )


def refused(action):
    with pytest.raises(DatabaseError) as caught, transaction.atomic():
        action()
    return str(caught.value)


def test_judgment_off_the_scale_is_refused(held):
    """The campaign of 2010 stored a 31 on a scale from 1 to 2; here that cannot be."""
    assert "judgment_value_on_scale" in refused(lambda: judgment(held, 31))


def test_judgment_off_the_scale_is_named_before_saving(held):
    assignment, unit, criterion = held
    with pytest.raises(ValidationError, match="judgment_value_on_scale"):
        Judgment(
            assignment=assignment, unit=unit, criterion=criterion, value=31
        ).validate_constraints()


def test_draft_off_the_scale_is_refused_and_an_empty_one_is_not(held):
    assignment, unit, criterion = held
    row = {"assignment": assignment, "unit": unit, "criterion": criterion, "sequence": 1}
    assert "draft_value_on_scale" in refused(lambda: Draft.objects.create(value=4, **row))
    assert Draft.objects.create(value=None, **row).pk


def test_judgment_is_stored_once(held):
    judgment(held, 2)
    assert "judgment_once" in refused(lambda: judgment(held, 3, revision=2))


def test_judgment_is_never_deleted_nor_changed_but_superseded(held):
    row = judgment(held, 2)
    assert "never deleted" in refused(row.delete)
    assert "never changed" in refused(lambda: Judgment.objects.filter(pk=row.pk).update(value=3))
    Judgment.objects.filter(pk=row.pk).update(superseded_at=timezone.now())
    assert "never changed" in refused(
        lambda: Judgment.objects.filter(pk=row.pk).update(superseded_at=None)
    )
    assert judgment(held, 3, revision=2).value == 3


def test_judgment_is_deleted_only_where_erasure_says_so(held):
    row = judgment(held, 2)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL quaestor.erase = 'on'")
        row.delete()
    assert Judgment.objects.count() == 0


def test_judgment_by_a_rule_names_its_cause(held):
    assert "judgment_rule_has_cause" in refused(lambda: judgment(held, 1, origin="rule"))
    assert "judgment_rule_has_cause" in refused(
        lambda: judgment(held, 1, cause="understandability")
    )
    assert judgment(held, 1, origin="rule", cause="understandability").origin == "rule"


def test_protocol_never_changes():
    protocol = factories.protocol()
    assert "protocols never change" in refused(lambda: type(protocol).objects.update(title="Other"))
    assert "protocols never change" in refused(lambda: protocol.criteria.update(name="Other"))


def test_place_is_taken_once(held):
    assignment, _, _ = held
    again = {
        "round": assignment.round,
        "task": assignment.task,
        "place": assignment.place,
        "position": 99,
    }
    assert "assignment_place_once" in refused(lambda: Assignment.objects.create(**again))


def test_enrollment_holds_one_assignment(held):
    assignment, _, _ = held
    other = Task.objects.exclude(pk=assignment.task_id).first()
    row = Assignment.objects.get(task=other)
    taking = {
        "state": "held",
        "enrollment": assignment.enrollment,
        "held_at": timezone.now(),
        "lease_expires_at": timezone.now(),
    }
    assert "assignment_one_held" in refused(
        lambda: Assignment.objects.filter(pk=row.pk).update(**taking)
    )


@pytest.mark.parametrize(
    "columns",
    [
        {"state": "held"},
        {"state": "submitted"},
        {"state": "open", "submitted_at": timezone.now()},
        {"state": "released"},
        {"state": "lost"},
    ],
)
def test_assignment_state_fits_its_columns(columns):
    factories.opened()
    row = Assignment.objects.open().first()
    assert "assignment_state_fits_columns" in refused(
        lambda: Assignment.objects.filter(pk=row.pk).update(**columns)
    )


def test_locked_campaign_has_its_protocol():
    campaign = factories.campaign()
    assert "campaign_locked_has_plan" in refused(
        lambda: type(campaign).objects.update(state="open")
    )


def test_unit_as_a_whole_exists_once():
    whole = Unit.objects.create(
        question_set=factories.dataset()
        .sources.first()
        .question_sets.create(system=factories.dataset(systems=["Corvo"]).systems.get()),
        position=None,
    )
    with pytest.raises(IntegrityError, match="unit_once"), transaction.atomic():
        Unit.objects.create(question_set=whole.question_set, position=None)
