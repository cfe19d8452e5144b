"""Training with feedback without JavaScript, then a qualification that is failed and passed, up to
the first task."""

from typing import Any

import pytest
from django.urls import reverse

from tests.flows import test_accessibility as looks
from tests.flows.sessions import enter
from tests.judging.actions.test_qualifications import opened

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
still = looks.still


def choose(page: Any, value: int) -> None:
    for name in sorted(
        {each.get_attribute("name") for each in page.locator("input[type=radio]").all()}
    ):
        page.locator(f"input[name='{name}'][value='{value}']").check(force=True)


def test_training_without_javascript_then_a_qualification_failed_and_passed(
    still: Any, new_page: Any
) -> None:
    campaign, who = opened("training", "qualification")
    plain = new_page(java_script_enabled=False)
    enter(plain, who.user)
    plain.goto(reverse("annotation:work", args=[campaign.uuid]))
    plain.get_by_role("link", name="Start training (1 item)").click()
    choose(plain, 1)
    plain.get_by_role("button", name="See what is right").click()
    assert "It asks for her." in plain.inner_text("main")
    assert plain.get_by_text("not quite").count() == 2
    choose(plain, 3)
    plain.get_by_role("button", name="Try again").click()
    assert plain.get_by_text("not quite").count() == 0
    plain.get_by_role("link", name="Go on").click()
    choose(plain, 1)
    plain.get_by_role("button", name="Hand in").click()
    assert "You have 1 try left" in plain.inner_text("main")
    choose(plain, 3)
    plain.get_by_role("button", name="Hand in").click()
    assert "You passed" in plain.inner_text("main")
    plain.get_by_role("link", name="To the first task").click()
    assert "/tasks/" in plain.url


def test_pages_before_the_first_task_have_no_findings(still: Any) -> None:
    campaign, who = opened("training", "qualification")
    enter(still, who.user)
    still.goto(reverse("annotation:training", args=[campaign.uuid]))
    found = looks.problems(still)
    choose(still, 1)
    still.get_by_role("button", name="See what is right").click()
    found += looks.problems(still)
    still.get_by_role("link", name="Go on").click()
    found += looks.problems(still)
    enter(still, campaign.created_by)
    found += looks.problems_of(
        still,
        [
            reverse("judging:exercises", args=[campaign.uuid, kind])
            for kind in ("training", "qualification")
        ],
    )
    key = campaign.exercises.first().keys.first()
    found += looks.problems_of(
        still, [reverse("judging:exercise_key", args=[campaign.uuid, key.pk])]
    )
    assert found == []
