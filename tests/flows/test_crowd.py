"""A crowd annotator in a real browser: from the platform's link to the code it gets back, each page
loaded twice."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.urls import reverse

from judging.campaigns.models.assignment import Assignment
from judging.crowd.models.crowd import CrowdPlatform, Participation
from tests.annotation.crowds import CODES, fake, study
from tests.annotation.fakecrowd import FakeCrowd, by_http, new_id, served
from tests.flows.axe import violations
from tests.flows.sessions import enter, wait_until_pressable

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def crowd(live_server, settings) -> Iterator[FakeCrowd]:
    """Return a platform that is served, with a study of shares of two tasks that takes signed links
    only."""
    platform = study(
        tasks=4, each=2, introduction="About locks.", contact="Ada", pay="9 euros an hour"
    )
    events = live_server.url + reverse("annotation:crowd_events", args=[platform.key])
    other_side = fake(platform, live_server.url, deliver=by_http(events), audience=live_server.url)
    with served(other_side) as running:
        settings.CROWD_ORIGINS = [running.address]
        CrowdPlatform.objects.update(
            signed=True,
            keys_url=f"{running.address}/.well-known/study/jwks.json",
            audience=live_server.url,
            return_template=running.address + "/submissions/complete?cc={code}",
        )
        yield running


def again(page: Any) -> None:
    """Load the page once more; what is shown stays the same, and is accessible."""
    page.wait_for_load_state()
    before = page.locator("h1").first.inner_text() if page.locator("h1").count() else ""
    page.reload()
    if before:
        assert page.locator("h1").first.inner_text() == before


def judge(page: Any) -> None:
    """Answer all that a task asks, looking away in between, and submit it."""
    names = page.locator("fieldset.criterion input[type=radio]").evaluate_all(
        "all => [...new Set(all.map(o => o.name))]"
    )
    for name in names:
        wait_until_pressable(page)
        page.locator(f'input[name="{name}"][value="3"]').check()
    page.get_by_role("button", name="Submit").last.click()


def walk(page: Any, crowd: FakeCrowd, pid: str) -> None:
    """Go from the platform to the last page, and load each page on the way again."""
    page.goto(f"{crowd.address}/participant/{pid}/start")
    assert re.fullmatch(r"/join/crowd/\w+/", page.url.removeprefix(crowd.audience))
    again(page)
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Agree and begin").click()
    again(page)
    page.get_by_role("link", name="To the first task").click()
    for _task in range(2):
        page.wait_for_url(re.compile("/tasks/"))
        again(page)
        assert not any(code in page.content() for code in CODES.values())
        here = page.url
        judge(page)
        page.wait_for_url(lambda url, here=here: url != here)
    page.get_by_text("Thank you, that was the last one").wait_for()


@pytest.mark.parametrize("with_scripts", [True, pytest.param(False, marks=pytest.mark.long)])
def test_from_the_platform_to_the_code_and_back(
    new_page: Callable[..., Any], crowd: FakeCrowd, with_scripts: bool
) -> None:
    page, pid = (
        new_page(width=1440 if with_scripts else 360, java_script_enabled=with_scripts),
        new_id(),
    )
    walk(page, crowd, pid)
    again(page)
    assert page.locator("#code").inner_text() == CODES["completed"]
    if with_scripts:
        assert violations(page) == []
    page.goto(f"{crowd.address}/participant/{pid}/start")  # opened once more on the platform
    assert page.locator("#code").inner_text() == CODES["completed"]
    page.go_back()
    page.go_forward()
    page.get_by_role("link", name="Back to Prolific").click()
    page.get_by_text("Thank you from the platform").wait_for()
    assert crowd.codes[pid] == [CODES["completed"]]
    assert Participation.objects.get().events.get().status == "AWAITING-REVIEW"
    assert Assignment.objects.submitted().count() == 2


def test_declining_and_a_full_study_in_the_browser(
    new_page: Callable[..., Any], crowd: FakeCrowd
) -> None:
    page, pid = new_page(width=360), new_id()
    page.goto(f"{crowd.address}/participant/{pid}/start")
    assert violations(page) == []
    page.get_by_role("button", name="No, thank you").click()
    page.get_by_text("You do not take part").wait_for()
    again(page)
    assert page.locator("#code").inner_text() == CODES["no_consent"]
    assert violations(page) == []
    Assignment.objects.update(seat=9)
    late = new_page()
    late.goto(f"{crowd.address}/participant/{new_id()}/start")
    late.get_by_text("Everything is taken").wait_for()
    assert late.locator("#code").inner_text() == CODES["quota_full"]


@pytest.mark.long
def test_managers_page_is_accessible_and_fits_a_phone(
    new_page: Callable[..., Any], crowd: FakeCrowd
) -> None:
    platform = CrowdPlatform.objects.select_related("campaign__created_by").get()
    page = new_page()
    enter(page, platform.campaign.created_by)
    for width in (1440, 360):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(reverse("judging:crowd", args=[platform.campaign.uuid]))
        assert CODES["completed"] in page.inner_text("main")
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
