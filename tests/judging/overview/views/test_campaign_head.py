"""The head of a campaign's pages: one next act, the same on all tabs, five tabs with the pages under
them, and one menu of everything else."""

import re
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from analysis.runs.actions import runs
from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Membership
from judging.jobs.actions import jobs
from tests import factories
from tests.annotation.studies import opened
from tests.judging.campaign_pages import address
from tests.judging.campaign_states import in_state
from tests.judging.workers import work

pytestmark = pytest.mark.django_db
FILLED = re.compile(r'class="button primary"[^>]*>(.*?)</(?:a|button)>', re.DOTALL)
TAB = re.compile(r'<a href="([^"]+)"( aria-current="(?:page|true)")?>([^<]+)</a>')
PAGES = (
    "judging:campaign",
    "judging:history",
    "judging:webhooks",
    "judging:plan",
    "judging:rounds",
    "judging:quality",
    "judging:pay",
    "judging:exit_form",
    "analysis:planning",
    "analysis:dry_run",
    "judging:annotators",
    "judging:exclusion_rules",
    "judging:crowd",
    "judging:llm_judges",
    "analysis:items",
    "judging:tasks",
    "judging:adjudication",
    "analysis:report",
)


ONE_OF_EACH_TAB = (
    "judging:campaign",
    "judging:quality",
    "judging:annotators",
    "judging:llm_judges",
    "analysis:items",
    "analysis:report",
)


def filled(html: str) -> list[str]:
    """Return the words on a page's filled buttons."""
    plain = (re.sub(r"<[^>]+>", "", found) for found in FILLED.findall(html))
    return [" ".join(unescape(text).split()) for text in plain]


def links(html: str, of: str) -> list[tuple[str, bool, str]]:
    """Return the links of a row: address, whether it is open, label."""
    if f'<nav class="{of}"' not in html:
        return []
    row = html[html.index(f'<nav class="{of}"') :]
    found = TAB.findall(row[: row.index("</nav>")])
    return [(url, bool(current), unescape(label)) for url, current, label in found]


def complete(owner) -> Campaign:
    campaign = opened(sources=1, annotators_per_task=1, manager=owner)
    work(factories.enrollment(campaign), tasks=1, choose=3)
    return campaign


def reported(owner) -> Campaign:
    campaign = complete(owner)
    campaigns.close_campaign(campaign=campaign, now=timezone.now())
    run = runs.start_run(campaign=campaign, by=owner, seed=1, parameters={"resamples": 100})
    job = jobs.claim_job(job_id=run.job_id)
    jobs.finish_job(job=job, result=runs.execute_run(run=run, work=jobs.Work(job, worker="test")))
    return campaign


def paused(owner) -> Campaign:
    campaign = in_state("open", owner)
    campaigns.move_campaign(campaign=campaign, to="paused", now=timezone.now())
    return campaign


def invited(owner) -> Campaign:
    campaign = in_state("open", owner)
    campaigns.create_invitation(campaign=campaign, by=owner)
    return campaign


STATES = {
    "draft": (lambda owner: in_state("draft", owner), "Lock and open", "judging:launch"),
    "locked": (lambda owner: in_state("locked", owner), "Open", "judging:launch"),
    "open": (lambda owner: in_state("open", owner), "Invite annotators", "judging:annotators"),
    "invited": (invited, "", ""),
    "complete": (complete, "Close the campaign", "judging:close"),
    "paused": (paused, "Go on", "judging:open"),
    "closed": (lambda owner: in_state("closed", owner), "Run the analysis", "analysis:report"),
    "reported": (reported, "Read the report", "analysis:report"),
    "archived": (lambda owner: in_state("archived", owner), "", ""),
}


@pytest.mark.parametrize("state", STATES)
def test_next_act_is_the_only_filled_button_and_the_same_on_every_page(page, owner, state):
    make, label, leads_to = STATES[state]
    campaign = make(owner)
    target = reverse(leads_to, args=[campaign.uuid]) if leads_to else ""
    for name in ONE_OF_EACH_TAB:
        where = reverse(name, args=[campaign.uuid])
        html = page.get(where).text
        if where != target:
            assert filled(html) == ([label] if label else []), name
        if label and where != target:
            around = html[html.index('class="steps-row"') : html.index('<nav class="tabs"')]
            assert f'{target}"' in around or f"{target}#" in around


@pytest.mark.parametrize(
    ("state", "label"),
    [
        ("draft", "Lock and open"),
        ("open", "Make the link"),
        ("closed", "Run the analysis"),
    ],
)
def test_page_of_the_next_act_has_its_button_in_place_of_the_link(page, owner, state, label):
    make, _act, leads_to = STATES[state]
    campaign = make(owner)
    campaign.consent = campaign.contact = campaign.ethics = "none"
    campaign.save()
    html = page.get(reverse(leads_to, args=[campaign.uuid])).text
    assert filled(html) == [label]


def test_next_act_waits_for_a_job_that_opens_or_analyses(page, owner):
    campaign = in_state("closed", owner)
    runs.start_run(campaign=campaign, by=owner, seed=1, parameters={})
    html = page.get(address("campaign", campaign)).text
    assert filled(html) == []
    assert "A job is under way." in html


@pytest.mark.parametrize("state", ["draft", "reported"])
def test_five_tabs_lead_to_all_pages_and_mark_the_open_one(page, owner, state):
    campaign = STATES[state][0](owner)
    reached = set()
    for name in PAGES:
        where = reverse(name, args=[campaign.uuid])
        html = page.get(where).text
        tabs = links(html, "tabs")
        assert [label for _url, _open, label in tabs] == [
            "Overview",
            "Plan",
            "People",
            "Items",
            "Report",
        ]
        assert sum(is_open for _url, is_open, _label in tabs) == 1
        assert len(filled(html)) <= 1, name
        below = links(html, "tab-pages")
        assert [url for url, is_open, _label in below if is_open] == ([where] if below else [])
        reached |= {url for url, _open, _label in [*tabs, *below]}
    assert {reverse(name, args=[campaign.uuid]) for name in PAGES} <= reached
    assert all(page.get(url).status_code == 200 for url in reached)


def test_analyst_is_led_only_to_pages_that_are_open_to_analysts(client: Client, owner):
    campaign = in_state("open", owner)
    analyst = factories.researcher()
    factories.member(campaign, analyst, Membership.Role.ANALYST)
    client.force_login(analyst)
    reached = set()
    for name in ("judging:campaign", "judging:rounds", "judging:annotators", "judging:tasks"):
        html = client.get(reverse(name, args=[campaign.uuid])).text
        reached |= {url for row in ("tabs", "tab-pages") for url, *_rest in links(html, row)}
        assert filled(html) == []
        assert ">More<" not in html
    assert all(client.get(url).status_code == 200 for url in reached)


@pytest.mark.parametrize(
    ("state", "acts"),
    [
        ("draft", ["Preview as annotator", "Try it with", "Duplicate", "Delete the draft"]),
        ("locked", ["Preview as annotator", "Try it with", "Duplicate", "Archive"]),
        ("invited", ["Preview as annotator", "Pause", "Close the campaign", "Duplicate"]),
        ("closed", ["Open again", "Duplicate", "Reproduce with", "Archive"]),
        ("archived", ["Duplicate", "Reproduce with", "Take out of the archive"]),
    ],
)
def test_other_acts_are_in_one_menu_on_every_page(page, owner, state, acts):
    campaign = STATES[state][0](owner)
    for name in ("judging:campaign", "judging:plan", "analysis:report"):
        html = page.get(reverse(name, args=[campaign.uuid])).text
        head = html[html.index('class="steps-row"') : html.index('<nav class="tabs"')]
        menu = head[head.index('<details class="menu" data-menu>') :]
        assert all(act in menu for act in acts)
        for act in ("Delete the draft", "Close the campaign"):  # these ask once more
            if act in acts:
                assert menu.index('<details class="confirm">') < menu.index(act)


def test_next_act_invites_until_as_many_have_joined_as_judge_each_task(page, owner):
    campaign = factories.opened(manager=owner, annotators_per_task=2)
    for label, is_enough in (("A01", False), ("A02", True)):
        factories.enrollment(campaign, label=label)
        html = page.get(address("campaign", campaign)).text
        assert filled(html) == ([] if is_enough else ["Invite annotators"])
        assert ("No further annotator can join." in html) is not is_enough
