"""The conditions and times of answers, from the judging page to the report and the exports."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from analysis.sections.conditions import Conditions
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.quality.actions import snapshots
from judging.work.actions import drafts, judgment_rows, sheets
from judging.work.models.assignment import Draft
from judging.work.models.judgment import Judgment
from tests import factories
from tests.analysis.sections.computing import picked, records
from tests.annotation import studies
from tests.flows.sessions import enter, press_keys

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
REACTED = 500  # ms, after which a press counts
SOON = timedelta(minutes=5)


def study(**fields: Any) -> Campaign:
    return studies.opened("qgbench", sources=1, systems=("Alba",), annotators_per_task=2, **fields)


def work(page: Any, campaign: Campaign) -> Assignment:
    """Open a task, and return it."""
    enrollment = factories.enrollment(campaign)
    enter(page, enrollment.user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    return studies.held(enrollment)


def submit(page: Any) -> None:
    here = page.url
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != here)


def criteria_of(page: Any) -> int:
    return int(page.locator("fieldset.criterion").count())


def conditions_of(task: Assignment) -> tuple[str, ...]:
    task.refresh_from_db()
    return task.language, task.view, task.device, task.input, task.keywords


def test_conditions_and_times_of_a_phone_reach_report_and_exports(new_page: Any) -> None:
    campaign = study()
    page = new_page(width=390, height=664, has_touch=True, is_mobile=True, locale="de-DE")
    task = work(page, campaign)
    for _criterion in range(criteria_of(page)):
        page.wait_for_timeout(REACTED)
        page.locator("fieldset.now .scale label").last.tap()
    submit(page)

    assert conditions_of(task) == ("de", "focus", "phone", "touch", "plain")
    given = list(Judgment.objects.filter(assignment=task, origin="judged"))
    assert len(given) == 3
    for judgment in given:
        assert timedelta(milliseconds=350) < judgment.answered_at - judgment.first_shown_at < SOON
        assert abs(judgment.answered_at - judgment.created_at) < SOON
    rows = picked(records(Conditions, campaign), criterion="correctness")
    assert {(row["condition"], row["level"], row["n"], row["mean"]) for row in rows} == {
        ("language", "de", 1, 3.0),
        ("view", "focus", 1, 3.0),
        ("device", "phone", 1, 3.0),
        ("input", "touch", 1, 3.0),
        ("keywords", "plain", 1, 3.0),
    }
    lines = "".join(
        judgment_rows.json_lines(
            judgment_rows.campaign_judgments(campaign=campaign), is_simulated=False
        )
    )
    exported = json.loads(lines.splitlines()[0])
    columns = ("instruction_language", "view", "device", "input")
    assert [exported[name] for name in columns] == ["de", "focus", "phone", "touch"]
    assert exported["first_shown_at"] < exported["answered_at"]
    manager = factories.logged_in(campaign.created_by)
    table = manager.get(f"/campaigns/{campaign.uuid}/export/csv/")
    text = b"".join(table.streaming_content).decode() if table.streaming else table.text
    assert "judgment:answered_at" in text.splitlines()[0]
    assert "judgment:device" in text.splitlines()[0]


@pytest.mark.long
def test_fixed_language_and_layout_are_the_only_ones_offered(new_page: Any) -> None:
    campaign = study(fixed_language="de", fixed_view="list")
    page = new_page(locale="en-GB")
    task = work(page, campaign)
    assert page.locator("html").get_attribute("lang") == "de"
    assert page.locator("html").get_attribute("data-view") == "list"
    assert not page.locator("#view-toggle").is_visible()
    assert page.locator("form.language").count() == 0
    press_keys(page, "3" * criteria_of(page))
    submit(page)
    assert conditions_of(task) == ("de", "list", "desktop", "keyboard", "plain")


@pytest.mark.long
def test_highlighted_keywords_are_a_condition_of_the_task(new_page: Any) -> None:
    campaign = study(highlight_keywords=True)
    page = new_page(locale="en-GB")
    task = work(page, campaign)
    press_keys(page, "3" * criteria_of(page))
    submit(page)
    assert conditions_of(task) == ("en", "focus", "desktop", "keyboard", "highlighted")
    rows = picked(records(Conditions, campaign), criterion="correctness", condition="keywords")
    assert [(row["level"], row["n"]) for row in rows] == [("highlighted", 1)]


def test_answers_given_offline_carry_the_times_at_which_they_were_given(new_page: Any) -> None:
    page = new_page()
    task = work(page, study())
    page.context.set_offline(True)
    page.keyboard.press("3")
    page.wait_for_selector("#saved[data-state=unsaved]")
    answered_before = timezone.now()
    page.wait_for_timeout(1_000)
    page.context.set_offline(False)
    page.wait_for_selector("#saved[data-state=saved]")
    draft = Draft.objects.get(assignment=task, value=3)
    assert draft.first_shown_at <= draft.answered_at <= answered_before
    assert draft.input == "keyboard"


@pytest.mark.long
def test_answers_within_400_ms_are_counted_in_the_annotators_table(new_page: Any) -> None:
    campaign = study()
    page = new_page()
    task = work(page, campaign)
    page.wait_for_timeout(REACTED)
    for number in range(criteria_of(page)):  # a criterion that a key opens is answered at once
        page.keyboard.press("32"[number % 2])
    submit(page)
    quick = sum(
        judgment.answered_at - judgment.first_shown_at <= timedelta(milliseconds=400)
        for judgment in Judgment.objects.filter(assignment=task, origin="judged")
    )
    assert quick == 2
    assert snapshots.campaign_counts(campaign).annotators[task.enrollment_id].quick == quick
    manager = factories.logged_in(campaign.created_by)
    assert "Answers within 400 ms" in manager.get(f"/campaigns/{campaign.uuid}/annotators/").text


@pytest.mark.long
def test_form_without_times_keeps_those_of_the_saved_answers(new_page: Any) -> None:
    page = new_page()
    task = work(page, study())
    page.keyboard.press("3")
    page.wait_for_selector("#saved[data-state=saved]")
    [asked] = [
        each
        for each in sheets.sheet_of_assignment(task).asked()
        if each.criterion.key == "grammaticality"
    ]
    before = Draft.objects.get(assignment=task, value=3)
    drafts.save_draft(assignment=task, page=drafts.SentPage([(asked, 3)], before.sequence + 1))
    after = Draft.objects.get(pk=before.pk)
    assert (after.answered_at, after.input) == (before.answered_at, before.input)
    drafts.save_draft(assignment=task, page=drafts.SentPage([(asked, 2)], before.sequence + 2))
    changed = Draft.objects.get(pk=before.pk)
    assert (changed.first_shown_at, changed.answered_at) == (before.first_shown_at, None)
