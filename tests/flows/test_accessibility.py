"""No page of the product has anything that axe-core finds, and none scrolls sideways on a phone or
a tablet.

There are two looks, by every rule: wide in light colours, and narrow in dark ones. The pages of a
test take them in turns; `run.py test --long` looks at every page in both.
"""

import re
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from analysis.runs.actions import runs
from judging.campaigns.actions import campaigns, webhooks
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.webhook import WebhookDelivery
from judging.enrolments.actions import enrollments
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.people.actions import accounts, log_ins, two_factors
from judging.people.models.user import User
from judging.protocols import documents
from judging.protocols.actions import protocol_drafts
from judging.quality.actions import exclusions
from tests import factories
from tests.analysis import studies as judged
from tests.annotation import studies as open_studies
from tests.flows.axe import violations
from tests.flows.sessions import enter
from tests.flows.test_main_road import DATASET, PATIENCE
from tests.judging.quality.actions.test_checks import checked, gold, person, walk

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TABLET = {"width": 768, "height": 1024}
# so high that no bar covers anything
WIDE, NARROW = (
    {"width": 1440, "height": 5000},
    {"width": 360, "height": 5000},
)
LOW = 800  # enough to see whether it scrolls sideways, and far less to paint
LOOKS = [(WIDE, "light"), (NARROW, "dark")]
OVER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
UNFOLD = (
    "document.querySelectorAll('details:not([data-menu])').forEach(each => { each.open = true })"
)
CSV = b"""\
passage,answer,system,question,meteor,topic
"Agnes built the lock, and Agnes paid for it.",Agnes,Alba,Who built the lock?,0.5,locks
"Agnes built the lock, and Agnes paid for it.",Agnes,Brisa,Who paid?,many,locks
"""


@pytest.fixture
def still(new_page: Callable[..., Any]) -> Any:
    """Return a page without motion, so that no colour is caught half way."""
    return new_page(reduced_motion="reduce")


def problems(page: Any) -> list[str]:
    """Return what is wrong with the page as it stands."""
    found = []
    page.wait_for_load_state()
    page.evaluate(UNFOLD)
    schemes = {size["width"]: scheme for size, scheme in LOOKS}
    for size in (WIDE, TABLET, NARROW):
        scheme = schemes.get(size["width"])
        page.set_viewport_size(size if scheme else {**size, "height": LOW})
        if scheme:
            page.emulate_media(color_scheme=scheme)
            found += [f"{page.url} {size['width']} {scheme}: {line}" for line in violations(page)]
        if (over := page.evaluate(OVER)) > 0:
            found.append(f"{page.url} {size['width']}: scrolls sideways by {over} px")
    return found


def problems_of(page: Any, addresses: Iterable[str]) -> list[str]:
    found = []
    for address in addresses:
        page.goto(address)
        found += problems(page)
    return found


def address(name: str, *args: Any) -> str:
    return reverse(name, args=args)


def of(campaign: Campaign, *names: str) -> list[str]:
    return [address(name, campaign.uuid) for name in names]


def done(campaign: Campaign) -> None:
    """Analyse a campaign as the worker does."""
    run = runs.start_run(
        campaign=campaign, by=campaign.created_by, seed=1, parameters={"resamples": 100}
    )
    job = jobs.claim_job(job_id=run.job_id)
    assert job is not None
    jobs.finish_job(job=job, result=runs.execute_run(run=run, work=jobs.Work(job, worker="test")))


def test_campaigns(still: Any) -> None:
    owner = factories.researcher()
    enter(still, owner)
    found = problems_of(still, [address("judging:campaigns"), address("judging:campaign_new")])
    one_system = factories.protocol(task="question_set")
    draft, opened = (
        factories.campaign(manager=owner),
        factories.opened(manager=owner, protocol=one_system, order="panel"),
    )
    excluded = factories.enrollment(opened)
    exclusions.exclude_annotator(
        enrollment=excluded, reason="too fast", by=owner, now=timezone.now()
    )
    campaigns.create_invitation(campaign=opened, by=owner)
    campaigns.amend_field(
        campaign=opened, what="contact", value="Ada", reason="asked", by=owner, now=timezone.now()
    )
    pages = of(
        opened,
        "judging:campaign",
        "judging:plan",
        "judging:tasks",
        "judging:annotators",
        "annotation:preview",
    )
    pages += of(draft, "judging:campaign", "judging:plan", "judging:tasks", "judging:annotators")
    pages += [*of(opened, "judging:history"), address("judging:erase", opened.uuid, excluded.pk)]
    pages += [address("judging:campaigns"), address("judging:campaign_new")]
    found += problems_of(still, pages)
    still.locator(".buttons button").first.click()
    found += problems(still)
    assert found == []


def test_opened_menus(still: Any) -> None:
    opened = factories.opened()
    enter(still, opened.created_by)
    still.goto(address("judging:campaign", opened.uuid))
    found = []
    for menu in still.locator("details[data-menu]").all():
        menu.locator("summary").first.click()
        found += problems(still)
        still.keyboard.press("Escape")  # it may cover the next one
    assert found == []


def test_reports(still: Any) -> None:
    campaign = judged.imported()
    enter(still, campaign.created_by)
    found = problems_of(still, of(campaign, "analysis:report"))
    done(campaign)
    found += problems_of(still, of(campaign, "analysis:report", "analysis:items"))
    source = campaign.dataset.sources.first()
    unit = source.question_sets.first().units.get(position=1)
    query = f"?sort=gap&metric=meteor&unit={unit.pk}"
    found += problems_of(still, [address("analysis:item", campaign.uuid, source.pk) + query])
    found += problems_of(
        still,
        [address("analysis:dataset_items", campaign.dataset_id) + "?sort=score&metric=meteor"],
    )
    assert found == []


def test_reports_that_wait_or_failed(still: Any) -> None:
    campaign = judged.imported()
    enter(still, campaign.created_by)
    done(campaign)
    waiting = runs.start_run(campaign=campaign, by=campaign.created_by, seed=2, parameters={})
    found = problems_of(
        still, [*of(campaign, "analysis:report"), address("judging:job", waiting.job_id)]
    )
    Job.objects.filter(pk=waiting.job_id).update(
        state="failed", error="It broke.", finished_at=timezone.now()
    )
    found += problems_of(
        still, [*of(campaign, "analysis:report"), address("judging:job", waiting.job_id)]
    )
    assert found == []


def test_imports(still: Any, worker: object) -> None:
    enter(still, factories.researcher())
    found = problems_of(still, [address("judging:datasets"), address("judging:dataset_new")])
    file = {"name": "canals.csv", "mimeType": "text/csv", "buffer": CSV}
    still.set_input_files("[name=files]", file)
    still.get_by_role("button", name="Upload").click()  # all folded fields are open
    add = still.get_by_role("button", name="Add", exact=True)
    add.wait_for(timeout=PATIENCE)
    found += problems(still)
    still.get_by_label("Role of meteor").select_option("metric")
    still.get_by_label("Direction of meteor").select_option("higher")
    still.get_by_role("button", name="Check again").click()
    found += problems(still)
    add.click()
    # one value is in quarantine, so the job's page stays
    still.get_by_role("link", name="Look at the dataset").click(timeout=PATIENCE)
    still.wait_for_url(DATASET)
    found += problems(still)
    still.get_by_role("link", name="Delete", exact=True).click()
    found += problems(still)
    found += problems_of(still, [address("judging:datasets")])
    assert found == []


def test_webhooks(still: Any) -> None:
    campaign = open_studies.opened()
    webhook, _secret = webhooks.create_webhook(
        campaign=campaign,
        url="https://lab.example/a/rather/long/address/for/the/events/of/this/campaign",
        events=["campaign.state", "run.finished"],
        by=campaign.created_by,
    )
    webhooks.queue_test_message(webhook=webhook)
    sent = webhooks.queue_test_message(webhook=webhook)
    WebhookDelivery.objects.filter(pk=sent.pk).update(
        state="failed", attempts=8, problem="HTTP 307; redirects are not followed", status=307
    )
    enter(still, campaign.created_by)
    assert problems_of(still, [address("judging:webhooks", campaign.uuid)]) == []


def test_degradations(still: Any) -> None:
    material = factories.dataset()
    enter(still, material.owner)
    found = problems_of(still, [address("analysis:degrade", material.pk)])
    still.get_by_role("button", name="Make the dataset").click()
    found += problems(still)
    still.get_by_role("checkbox", name="Alba").check()
    still.get_by_role("button", name="Make the dataset").click()
    still.get_by_role("heading", name="Deliberate degradations").wait_for()
    assert found + problems(still) == []


def test_protocols(still: Any) -> None:
    owner = factories.researcher()
    enter(still, owner)
    protocol = factories.protocol("qgstec2010-b")
    text = documents.write_yaml(protocol.document)
    draft, wrong, unreadable = (
        protocol_drafts.start_protocol_draft(by=owner, text=each, now=timezone.now())
        for each in (
            text,
            text.replace("annotators: 2", "annotators: 0"),
            text.replace("task:", "tusk:"),
        )
    )
    pages = [
        address("judging:protocols"),
        address("judging:protocol_new"),
        address("judging:protocol", protocol.pk),
    ]
    pages += [
        address(f"judging:{name}", draft.pk) for name in ("protocol_draft", "protocol_draft_yaml")
    ]
    found = problems_of(still, [*pages, address("annotation:protocol_preview", draft.pk)])
    found += problems_of(still, [address("judging:protocol_draft", wrong.pk) + "?check"])
    assert still.get_by_text("One thing to correct").is_visible()
    found += problems_of(still, [address("judging:protocol_draft_yaml", unreadable.pk)])
    assert still.get_by_text("2 things to correct").is_visible()
    assert found == []


def test_around_judging(still: Any) -> None:
    campaign = open_studies.opened(
        "qgstec2010-b", sources=1, systems=["Alba"], expected=2, consent="I agree.", withdrawal=True
    )
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by)
    found = problems_of(still, [address("annotation:join", link.token)])
    enrollment = factories.enrollment(campaign)
    enter(still, enrollment.user)
    asked_to = [*of(campaign, "annotation:consent"), address("annotation:home")]  # or to decline
    found += problems_of(still, asked_to)
    enrollments.store_consent(enrollment=enrollment, now=timezone.now())
    assert (
        found
        + problems_of(
            still,
            [*of(campaign, "annotation:pause", "annotation:withdraw"), address("annotation:home")],
        )
        == []
    )


@pytest.mark.parametrize("key", ["qgbench", "qgstec2010-a"])
def test_judging(still: Any, key: str) -> None:
    campaign = open_studies.opened(key, sources=1, systems=["Alba"], expected=2)
    enter(still, factories.enrollment(campaign).user)
    tasks = address("annotation:work", campaign.uuid) + "?begin"
    alike = of(campaign, "annotation:start", "annotation:guideline") if key == "qgbench" else []
    found = problems_of(still, [*alike, tasks])
    still.goto(tasks)
    still.locator(".dock [data-needs-all]").click()
    found += problems(still)
    assert found == []


def test_ends_of_judging(still: Any) -> None:
    campaign = open_studies.opened(sources=1)
    enrollment = factories.enrollment(campaign)
    enter(still, enrollment.user)
    held = open_studies.held(enrollment)
    Assignment.objects.filter(round=held.round).exclude(pk=held.pk).update(state="open")
    gone = campaigns.create_invitation(campaign=campaign, by=campaign.created_by)
    campaigns.revoke_invitation(invitation=gone, now=timezone.now())
    found = problems_of(still, [address("annotation:join", gone.token)])
    campaigns.move_campaign(campaign=campaign, to="paused", now=timezone.now())
    found += problems_of(still, of(campaign, "annotation:work"))
    campaigns.close_campaign(campaign=campaign, now=timezone.now())
    found += problems_of(still, of(campaign, "annotation:work"))
    assert found == []


def test_accounts(still: Any) -> None:
    administrator = factories.researcher("root")
    User.objects.filter(pk=administrator.pk).update(is_superuser=True)
    for hour in range(-24, 0):  # the longest pause, which is not over before this test is
        log_ins.count_attempt(
            name="root", mark_shown="", now=timezone.now() + timedelta(hours=hour)
        )
    log_ins.count_attempt(name="root", mark_shown="", now=timezone.now())
    found = problems_of(still, [address("password_reset"), address("login")])
    still.fill("[name=username]", "root")
    still.fill("[name=password]", "a guess")
    still.get_by_role("button", name="Log in").click()
    assert re.search(r"Try again in 1\d minutes", still.get_by_role("alert").inner_text())
    found += problems(still)
    link = accounts.password_link_parts(user=administrator)
    pages = [reverse("password_reset_confirm", kwargs=link), address("password_reset_complete")]
    found += problems_of(
        still, [*pages, reverse("password_reset_confirm", kwargs=link | {"token": "used-up"})]
    )
    enter(still, administrator)
    two_factors.start_two_factor(user=administrator)
    pages = [
        address(name)
        for name in ("judging:accounts", "judging:account_new", "password_change", "judging:tokens")
    ]
    pages += [address(f"judging:{name}") for name in ("site_history", "two_factor", "confirm")]
    found += problems_of(
        still,
        [*pages, address("password_change_done"), address("judging:account", administrator.pk)],
    )
    assert still.get_by_role("button", name="End the pause").is_visible()
    still.get_by_role("button", name="Make a link").click()
    found += problems(still)
    assert found == []


def test_errors(still: Any) -> None:
    enter(still, factories.user())
    found = problems_of(still, ["/nowhere/", address("judging:dataset_new")])
    for name in ("403_csrf.html", "500.html"):
        still.set_content(render_to_string(name))
        found += problems(still)
    assert found == []


def test_checks_flags_and_pay(still: Any) -> None:
    opened = checked(sources=14, gold=20, repeats=40, exclude_speed=True, prepare=gold)
    Campaign.objects.filter(pk=opened.pk).update(
        rate={"amount": "0.10", "currency": "EUR", "minutes": "1", "floor": "9.00"}
    )
    people = [person(opened) for _ in range(3)]
    for each in people:
        walk(each, lambda own, asked: 1 + (own.task.number * asked.unit) % 3, most=12)
        each.assignments.update(active_seconds=0.8 if each == people[-1] else 12)
    enter(still, opened.created_by)
    names = ("campaign", "quality", "gold", "pay", "annotators", "exclusion_rules")
    pages = of(opened, *(f"judging:{name}" for name in names))
    pages.append(address("judging:annotator", opened.uuid, people[-1].pk))
    pages.append(address("judging:gold_correct", opened.uuid, opened.check_items.get().pk))
    draft = factories.campaign(manager=opened.created_by)
    pages += [
        *of(draft, "judging:quality", "judging:pay"),
        f"{of(draft, 'judging:gold')[0]}?source=s1",
    ]
    found = problems_of(still, pages)
    still.goto(pages[5])
    still.get_by_role("button", name="Exclude the selected annotators").click()
    assert "1 annotator is excluded" in still.locator("main").inner_text()
    found += problems(still)
    assert found == []
