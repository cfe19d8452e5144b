"""The pages of training and qualification items: works, malformed, forbidden, and no system
named."""

import re

import pytest
from django.urls import reverse

from judging.campaigns.actions import campaigns
from judging.datasets.models.dataset import Question
from judging.quality.models.exercise import Exercise
from tests.judging.campaign_pages import address
from tests.judging.quality.actions.test_qualifications import item
from tests.judging.trials import NOW

pytestmark = pytest.mark.django_db


def of(draft, kind: str = "qualification", name: str = "exercises") -> str:
    return reverse(f"judging:{name}", args=[draft.uuid, kind])


def test_manager_takes_a_question_of_the_material_and_gives_it_a_key(page, draft) -> None:
    question = Question.objects.filter(unit__question_set__source__dataset=draft.dataset).first()
    found = page.get(of(draft) + "?find=lock 1")
    assert question.text in found.text
    # by places, for keys are in the order of the file
    places = [str(place) for place, _each in enumerate(found.context["found"], start=1)]
    assert re.findall(r"use=(\w+)", found.text) == places
    place = found.context["found"].index(question) + 1
    assert f"?find=lock%201&amp;use={place}" in found.text
    shown = page.get(of(draft) + f"?find=lock 1&use={place}").text
    assert "was built by Agnes Tolliver" in shown
    assert "was built by Agnes Tolliver" not in page.get(of(draft) + "?find=lock 1&use=99").text
    sent = {
        "question": question.text,
        "accepted_correctness": ["2", "3"],
        "why_correctness": "Both will do.",
    }
    assert "Added." in page.post(of(draft, name="exercise_add"), sent, follow=True).text
    [key] = Exercise.objects.get(campaign=draft).keys.all()
    assert (key.accepted, key.explanation) == ([2, 3], "Both will do.")
    draft.refresh_from_db()
    assert (draft.qualifies, draft.trains) == (True, False)
    page.post(of(draft, name="exercise_add"), {"again": key.exercise_id})
    assert Exercise.objects.get(campaign=draft, number=2).repeats == key.exercise
    page.post(address("exercise_remove", draft, key.exercise_id))
    draft.refresh_from_db()
    assert not draft.qualifies


def test_rules_are_set_in_the_draft_and_a_key_is_mended_after_the_lock(page, draft) -> None:
    made = item(draft)
    page.post(address("exercise_rules", draft), {"pass_mark": 60, "tries": 3})
    assert (
        page.post(address("exercise_rules", draft), {"pass_mark": 0, "tries": 3}).status_code == 422
    )
    draft.refresh_from_db()
    assert (draft.pass_mark, draft.tries) == (60, 3)
    campaigns.lock_plan(campaign=draft, now=NOW)
    page.post(address("exercise_remove", draft, made.pk), follow=True)
    key = made.keys.get(criterion__key="correctness")
    assert (
        page.post(
            address("exercise_key", draft, key.pk), {"accepted": [], "reason": "x"}
        ).status_code
        == 422
    )
    page.post(
        address("exercise_key", draft, key.pk), {"accepted": ["1"], "reason": "a slip"}, follow=True
    )
    key.refresh_from_db()
    assert key.accepted == [1]
