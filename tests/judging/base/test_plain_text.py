"""A NUL in what is sent without a form of its own is dropped, where the database would refuse it."""

import pytest
from django.utils import timezone

from analysis.models import KeptExample
from judging.campaigns.models.campaign import Round
from judging.datasets.models.dataset import Unit
from tests import factories

pytestmark = pytest.mark.django_db


def test_a_nul_is_dropped_from_notes_decisions_and_words_to_look_for() -> None:
    draft = factories.campaign()
    over = {"kind": "pilot", "number": 1, "opened_at": timezone.now(), "closed_at": timezone.now()}
    round = Round.objects.create(campaign=draft, **over)
    client = factories.logged_in(draft.created_by)
    unit = Unit.objects.filter(
        question_set__source__dataset=draft.dataset, position__isnull=False
    ).first()
    about = f"/campaigns/{draft.uuid}"
    note = f"note-{draft.protocol.criteria.first().pk}-0"
    client.post(f"{about}/rounds/{round.pk}/notes/", {note: "a\0b"})
    client.post(f"{about}/rounds/{round.pk}/decide/", {"text": "a\0b"})
    client.post(f"{about}/items/keep/", {"unit": unit.pk, "note": "a\0b"})
    kept = [round.notes.get().text, draft.guideline_versions.get().text]
    assert [*kept, KeptExample.objects.get().note] == ["ab", "ab", "ab"]
    assert client.get(f"{about}/plan/checks/gold/?source=%00").status_code == 200
    assert client.get(f"{about}/exercises/training/?find=%00").status_code == 200
