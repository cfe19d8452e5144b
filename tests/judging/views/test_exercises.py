"""The pages of training and qualification items: works, malformed, forbidden, and no system
named."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from judging.actions import campaigns
from judging.models import Exercise, Question
from tests import factories
from tests.judging.actions.test_qualifications import item
from tests.judging.trials import NOW
from tests.judging.views.campaign_pages import address

pytestmark = pytest.mark.django_db


def of(draft, kind: str = "qualification", name: str = "exercises") -> str:
    return reverse(f"judging:{name}", args=[draft.uuid, kind])


def test_manager_takes_a_question_of_the_material_and_gives_it_a_key(page, draft) -> None:
    question = Question.objects.filter(
        unit__question_set__source__collection=draft.collection
    ).first()
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


def test_what_cannot_be_an_item_is_said(page, draft) -> None:
    for sent, said in (
        ({"question": "Who?"}, "Say which value is right"),
        ({"accepted_correctness": ["3"]}, "Fill this in"),
        ({"question": "Who?", "accepted_correctness": ["9"]}, "is not on the list"),
    ):
        answer = page.post(of(draft, name="exercise_add"), sent)
        assert answer.status_code == 422
        assert said in answer.text
    assert not Exercise.objects.exists()
    assert page.get(of(draft, "exam")).status_code == 404
    assert (
        page.post(
            of(draft, "exam", "exercise_add"), sent | {"accepted_correctness": ["3"]}
        ).status_code
        == 404
    )


def test_rules_are_set_in_the_draft_and_a_key_is_mended_after_the_lock(page, draft) -> None:
    made = item(draft)
    page.post(address("exercise_rules", draft), {"pass_mark": 60, "tries": 3})
    assert (
        page.post(address("exercise_rules", draft), {"pass_mark": 0, "tries": 3}).status_code == 422
    )
    draft.refresh_from_db()
    assert (draft.pass_mark, draft.tries) == (60, 3)
    campaigns.lock(campaign=draft, now=NOW)
    assert "locked" in page.post(address("exercise_remove", draft, made.pk), follow=True).text
    key = made.keys.get(criterion__key="correctness")
    assert (
        page.post(
            address("exercise_key", draft, key.pk), {"accepted": [], "reason": "x"}
        ).status_code
        == 422
    )
    told = page.post(
        address("exercise_key", draft, key.pk), {"accepted": ["1"], "reason": "a slip"}, follow=True
    )
    assert "Corrected. 0 tries pass now" in told.text
    key.refresh_from_db()
    assert key.accepted == [1]


def test_analyst_changes_nothing(draft) -> None:
    analyst, client = factories.researcher(), Client()
    campaigns.add_member(campaign=draft, user=analyst, role="analyst")
    client.force_login(analyst)
    assert client.get(of(draft)).status_code == 403
    assert (
        client.post(address("exercise_rules", draft), {"pass_mark": 1, "tries": 9}).status_code
        == 403
    )
