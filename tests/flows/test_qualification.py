"""Training with feedback without JavaScript, then a qualification that is failed and passed, up to
the first task."""

import re
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.annotation import phones
from tests.flows import test_accessibility as looks
from tests.flows.sessions import enter, press_keys, wait_until_pressable
from tests.judging.quality.actions.test_qualifications import opened

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
still = looks.still


def press(page: Any, *keys: str) -> None:
    """Press keys once the scripts of the page run."""
    page.wait_for_selector("#judging.scripted")
    press_keys(page, keys)


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
    plain.get_by_role("button", name="Try again").click()
    choose(plain, 3)
    plain.get_by_role("button", name="See what is right").click()
    assert plain.get_by_text("not quite").count() == 0
    plain.get_by_role("button", name="Go on").click()
    plain.get_by_role("link", name="Start the qualification (1 item)").click()
    choose(plain, 1)
    plain.get_by_role("button", name="Submit").click()
    assert "You have 1 try left" in plain.inner_text("main")
    plain.get_by_role("link", name="Start the qualification (1 item)").click()
    choose(plain, 3)
    plain.get_by_role("button", name="Submit").click()
    assert "You passed" in plain.inner_text("main")
    plain.get_by_role("link", name="To the first task").click()
    assert "/tasks/" in plain.url


def test_training_and_qualification_by_number_keys_show_one_item_at_a_time(page: Any) -> None:
    campaign, who = opened("training", "qualification", repeated=True)
    enter(page, who.user)
    page.goto(reverse("annotation:training", args=[campaign.uuid]))
    expect(page).to_have_title(re.compile("^Training, 1 of 2 · "))
    press(page, "3", "1", "Enter")
    page.get_by_text("What is right, and why").wait_for()
    assert page.evaluate("document.activeElement.className").startswith("feedback")
    assert "It asks for her." in page.inner_text("main")
    press(page, "Enter")
    expect(page).to_have_title(re.compile("^Training, 2 of 2 · "))
    press(page, "3", "3", "Enter")
    page.get_by_text("What is right, and why").wait_for()
    press(page, "Enter")
    page.get_by_role("link", name="Start the qualification (2 items)").click()
    for place in (1, 2):
        expect(page).to_have_title(re.compile(f"^Qualification, {place} of 2 · "))
        assert page.locator("article.question").count() == 1
        press(page, "3", "3")
        if place == 1:
            press(page, "Enter")
            expect(page).to_have_title(re.compile(r"^Qualification, 2 of 2 · "))
            page.get_by_role("button", name="Back").click()
            expect(page).to_have_title(re.compile(r"^Qualification, 1 of 2 · "))
            assert page.locator("[type=radio]:checked").count() == 2
            press(page, "Enter")
            expect(page).to_have_title(re.compile(r"^Qualification, 2 of 2 · "))
    press(page, "Enter")
    page.get_by_text("You passed").wait_for()


def test_training_and_qualification_on_a_phone_keep_all_options_in_view(new_page: Any) -> None:
    page = new_page(width=360, height=640, has_touch=True)
    campaign, who = opened("training", "qualification")
    campaign.exercises.update(passage=phones.PASSAGE, question=phones.QUESTIONS[0])
    enter(page, who.user)
    page.goto(reverse("annotation:training", args=[campaign.uuid]))
    for name in ("See what is right", "Submit"):
        tap_highest(page)
        page.get_by_role("button", name=name).tap()
        if name == "Submit":
            break
        page.get_by_text("What is right, and why").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.get_by_role("button", name="Go on").tap()
        page.get_by_role("link", name="Start the qualification").tap()
    page.get_by_text("You passed").wait_for()


def tap_highest(page: Any) -> None:
    page.wait_for_selector("#judging.scripted")
    for _criterion in range(2):
        wait_until_pressable(page)
        assert page.evaluate(phones.HIDDEN_PARTS) == []
        page.locator("fieldset.now .scale label").last.tap()


@pytest.mark.long
def test_pages_before_the_first_task_have_no_findings(still: Any) -> None:
    campaign, who = opened("training", "qualification")
    enter(still, who.user)
    still.goto(reverse("annotation:training", args=[campaign.uuid]))
    found = looks.problems(still)
    press(still, "1", "1", "Enter")
    still.get_by_text("What is right, and why").wait_for()
    found += looks.problems(still)
    still.get_by_role("button", name="Go on").click()
    still.get_by_role("link", name="Start the qualification").wait_for()
    found += looks.problems(still)
    still.get_by_role("link", name="Start the qualification").click()
    still.wait_for_selector("#judging.scripted")
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
