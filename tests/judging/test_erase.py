"""manage.py erase."""

import uuid
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from judging.models import Enrollment, Erasure
from tests import factories
from tests.annotation import studies

pytestmark = pytest.mark.django_db


def test_erase_removes_a_person_and_says_what_went() -> None:
    campaign = studies.opened()
    _client, enrollment = studies.annotator(campaign)
    studies.held(enrollment)
    out = StringIO()
    call_command("erase", campaign.uuid, enrollment.label, by=campaign.created_by.username, yes=True, stdout=out)
    assert out.getvalue().startswith(f"{enrollment.label} is erased: 0 judgment, ")
    assert not Enrollment.objects.filter(pk=enrollment.pk).exists()
    assert Erasure.objects.get().erased_by == campaign.created_by


def test_erase_refuses_strangers_unknown_labels_and_haste() -> None:
    campaign = studies.opened()
    _client, enrollment = studies.annotator(campaign)
    manager = campaign.created_by.username
    for words, by, yes, reason in [
        ((campaign.uuid, enrollment.label), factories.researcher().username, True, "does not manage"),
        ((campaign.uuid, "A99"), manager, True, "There is no annotator A99"),
        ((uuid.uuid4(), enrollment.label), manager, True, "There is no annotator"),
        ((campaign.uuid, enrollment.label), manager, False, "Say --yes"),
    ]:
        with pytest.raises(CommandError, match=reason):
            call_command("erase", *words, by=by, yes=yes)
    assert Enrollment.objects.filter(pk=enrollment.pk).exists()
