"""The head of every page of a campaign: its step, the next act, the tabs and the pages under the
open tab."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from judging.campaigns.actions import campaigns
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.members import Membership
from judging.crowd.models.crowd import CrowdPlatform
from judging.enrolments import guards
from judging.enrolments.actions import enrollments
from judging.people.models.user import User

ANALYSIS = "analysis.run"  # the kind of job that computes a report


@dataclass(frozen=True, slots=True)
class TabPage:
    """A page under a tab. key: the context's `tab`; address: the name of the view, and what follows
    the campaign; needs: "manager", "draft", "judged" here or by "people", all that are named."""

    key: str
    label: Any
    address: str
    needs: str = ""

    def url(self, campaign: Campaign) -> str:
        name, *parts = self.address.split()
        return reverse(name, args=[campaign.uuid, *parts])


OVERVIEW_PAGES = (
    TabPage("overview", _("Overview"), "judging:campaign"),
    TabPage("history", _("History"), "judging:history"),
    TabPage("webhooks", _("Webhooks"), "judging:webhooks", "manager judged"),
)
PLAN_PAGES = (
    TabPage("plan", _("Plan"), "judging:plan", "manager"),
    TabPage("rounds", _("Rounds"), "judging:rounds", "judged"),
    TabPage("training", _("Training"), "judging:exercises training", "manager judged"),
    TabPage(
        "qualification", _("Qualification"), "judging:exercises qualification", "manager judged"
    ),
    TabPage("checks", _("Checks"), "judging:quality", "manager judged"),
    TabPage("pay", _("Pay"), "judging:pay", "manager judged"),
    TabPage("exit_form", _("Exit form"), "judging:exit_form", "manager judged"),
    TabPage("hypotheses", _("Hypotheses"), "judging:declarations", "manager draft"),
    TabPage("planning", _("Sample size"), "analysis:planning"),
    TabPage("dry_run", _("Dry run"), "analysis:dry_run", "judged"),
)
PEOPLE_PAGES = (
    TabPage("annotators", _("Annotators"), "judging:annotators"),
    TabPage("exclusion_rules", _("Exclusion rules"), "judging:exclusion_rules", "manager judged"),
    TabPage("crowd", _("Crowd platform"), "judging:crowd", "manager judged"),
    TabPage("judges", _("LLM judges"), "judging:llm_judges"),
)
ITEM_PAGES = (
    TabPage("items", _("Items"), "analysis:items"),
    TabPage("tasks", _("Tasks"), "judging:tasks"),
    TabPage("adjudication", _("Adjudication"), "judging:adjudication", "people"),
)
REPORT_PAGES = (TabPage("report", _("Report"), "analysis:report"),)
TABS = (
    (_("Overview"), OVERVIEW_PAGES),
    (_("Plan"), PLAN_PAGES),
    (_("People"), PEOPLE_PAGES),
    (_("Items"), ITEM_PAGES),
    (_("Report"), REPORT_PAGES),
)


@dataclass(frozen=True, slots=True)
class NextAct:
    """The one thing to do next: a sentence, and the button if anything can be done now."""

    sentence: Any = ""
    label: Any = ""
    url: str = ""
    is_post: bool = False
    managers_only: bool = True


@dataclass(frozen=True, slots=True)
class CampaignHead:
    """What all pages of a campaign show. step: as `Campaign.step`, and 5 once there is a report.
    is_at_act: whether the page is the one to which the next act leads; it then has its button.
    tabs, and pages under the open one: label, address, whether it is open."""

    step: int
    act: NextAct
    is_at_act: bool
    is_manager: bool
    tabs: list[tuple[Any, str, bool]]
    pages: list[tuple[Any, str, bool]]


def build_head(campaign: Campaign, user: User, *, tab: str, path: str) -> CampaignHead:
    """Return the head of a page; `tab`: the key of the page, `path`: its address."""
    is_manager = guards.may_manage(user, campaign)
    reported = campaign.step == 4 and campaign.jobs.done(ANALYSIS).exists()
    act = next_act(campaign, reported=reported)
    if act.managers_only and not is_manager:
        act = NextAct(act.sentence)
    is_real = campaign.origin != Campaign.Origin.SIMULATED
    facts = {campaign.state, campaign.origin, is_manager and "manager", is_real and "people"}
    tabs, pages = [], []
    for label, listed in TABS:
        shown = [page for page in listed if facts.issuperset(page.needs.split())]
        is_open = any(page.key == tab for page in listed)
        tabs.append((label, shown[0].url(campaign), is_open))
        if is_open:
            pages = [(page.label, page.url(campaign), page.key == tab) for page in shown]
    is_at_act = act.url.partition("#")[0] == path
    return CampaignHead(campaign.step + reported, act, is_at_act, is_manager, tabs, pages)


def next_act(campaign: Campaign, *, reported: bool) -> NextAct:
    """Return what a manager does next; `reported`: whether the campaign is closed and has a report.

    While the campaign is being opened or analysed nothing can be done.
    """
    state = Campaign.State(campaign.state)

    def act(label: Any, name: str, sentence: Any = "", anchor: str = "", **how: bool) -> NextAct:
        url = reverse(name, args=[campaign.uuid]) + anchor
        return NextAct(sentence, label, url, **how)

    if campaign.jobs.unfinished().filter(kind__in=[campaigns.LAUNCH, ANALYSIS]).exists():
        return NextAct(_("A job is under way."))
    if state == Campaign.State.DRAFT:
        return act(_("Lock and open"), "judging:launch")
    if state == Campaign.State.LOCKED:
        return act(_("Open"), "judging:launch", _("Annotators cannot begin yet."))
    if state == Campaign.State.PAUSED:
        return act(_("Go on"), "judging:open", _("Annotators get no task."), is_post=True)
    if state == Campaign.State.OPEN:
        if _is_complete(campaign):
            sentence = _("Every assignment is submitted.")
            return act(_("Close the campaign"), "judging:close", sentence, is_post=True)
        if not _has_way_in(campaign):
            sentence = _("No further annotator can join.")
            return act(_("Invite annotators"), "judging:annotators", sentence, "#links")
        return NextAct(_("Close it once all assignments are submitted."))
    if reported:
        return act(_("Read the report"), "analysis:report", managers_only=False)
    if state == Campaign.State.CLOSED:
        return act(_("Run the analysis"), "analysis:report", anchor="#run", managers_only=False)
    return NextAct()


def _has_way_in(campaign: Campaign) -> bool:
    """Return whether annotators can join, or as many have joined as judge each task."""
    if enrollments.accepts_newcomers(campaign, now=timezone.now()):
        return True
    if CrowdPlatform.objects.filter(campaign=campaign).exists():
        return True
    joined = campaign.memberships.filter(role=Membership.Role.ANNOTATOR).count()
    return joined >= campaign.annotators_per_task


def _is_complete(campaign: Campaign) -> bool:
    """Return whether every assignment of the main round is submitted."""
    left = Assignment.objects.filter(
        round__campaign=campaign,
        round__kind=Round.Kind.MAIN,
        state__in=[Assignment.State.OPEN, Assignment.State.HELD],
    )
    return not left.exists()
