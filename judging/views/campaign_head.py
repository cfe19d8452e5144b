"""The head of every page of a campaign: its step, the next act, the tabs and the pages under the
open tab."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from judging.actions import campaigns, enrollments
from judging.models import Assignment, Campaign, CrowdPlatform, Membership, Round, User
from judging.views import live

ANALYSIS = "analysis.run"  # the kind of job that computes a report


@dataclass(frozen=True, slots=True)
class CampaignPage:
    """A page under a tab: its key in the context `tab`, and what it needs: "manager", "draft",
    "judged" (the origin), or "people", who gave the judgments."""

    key: str
    label: Any
    name: str
    kind: str = ""
    needs: frozenset[str] = frozenset()

    def url(self, campaign: Campaign) -> str:
        return reverse(self.name, args=[campaign.uuid, *filter(None, [self.kind])])


MANAGER, JUDGED, DRAFT = frozenset({"manager"}), frozenset({"judged"}), frozenset({"draft"})
PEOPLE = frozenset({"people"})
TABS = (
    (
        gettext_lazy("Overview"),
        (
            CampaignPage("overview", gettext_lazy("Overview"), "judging:campaign"),
            CampaignPage("history", gettext_lazy("History"), "judging:history"),
            CampaignPage(
                "webhooks", gettext_lazy("Webhooks"), "judging:webhooks", needs=MANAGER | JUDGED
            ),
        ),
    ),
    (
        gettext_lazy("Plan"),
        (
            CampaignPage("plan", gettext_lazy("Plan"), "judging:plan", needs=MANAGER),
            CampaignPage("rounds", gettext_lazy("Rounds"), "judging:rounds", needs=JUDGED),
            CampaignPage(
                "training",
                gettext_lazy("Training"),
                "judging:exercises",
                "training",
                needs=MANAGER | JUDGED,
            ),
            CampaignPage(
                "qualification",
                gettext_lazy("Qualification"),
                "judging:exercises",
                "qualification",
                needs=MANAGER | JUDGED,
            ),
            CampaignPage(
                "checks", gettext_lazy("Checks"), "judging:quality", needs=MANAGER | JUDGED
            ),
            CampaignPage("pay", gettext_lazy("Pay"), "judging:pay", needs=MANAGER | JUDGED),
            CampaignPage(
                "exit_form", gettext_lazy("Exit form"), "judging:exit_form", needs=MANAGER | JUDGED
            ),
            CampaignPage(
                "hypotheses",
                gettext_lazy("Hypotheses"),
                "judging:declarations",
                needs=MANAGER | DRAFT,
            ),
            CampaignPage("planning", gettext_lazy("Sample size"), "analysis:planning"),
            CampaignPage("dry_run", gettext_lazy("Dry run"), "analysis:dry_run", needs=JUDGED),
        ),
    ),
    (
        gettext_lazy("People"),
        (
            CampaignPage("annotators", gettext_lazy("Annotators"), "judging:annotators"),
            CampaignPage(
                "exclusion_rules",
                gettext_lazy("Exclusion rules"),
                "judging:exclusion_rules",
                needs=MANAGER | JUDGED,
            ),
            CampaignPage(
                "crowd", gettext_lazy("Crowd platform"), "judging:crowd", needs=MANAGER | JUDGED
            ),
            CampaignPage("judges", gettext_lazy("LLM judges"), "judging:machine_judges"),
        ),
    ),
    (
        gettext_lazy("Items"),
        (
            CampaignPage("items", gettext_lazy("Items"), "analysis:items"),
            CampaignPage("tasks", gettext_lazy("Tasks"), "judging:tasks"),
            CampaignPage(
                "adjudication",
                gettext_lazy("Adjudication"),
                "judging:adjudication",
                needs=PEOPLE,
            ),
        ),
    ),
    (
        gettext_lazy("Report"),
        (CampaignPage("report", gettext_lazy("Report"), "analysis:report"),),
    ),
)


@dataclass(frozen=True, slots=True)
class NextAct:
    """The one thing to do next: a sentence, and the button if anything can be done now."""

    sentence: str = ""
    label: str = ""
    url: str = ""
    is_post: bool = False
    managers_only: bool = True


@dataclass(frozen=True, slots=True)
class Link:
    """A tab, or a page under the open tab."""

    label: str
    url: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class CampaignHead:
    """What all pages of a campaign show. step: as `Campaign.step`, and 5 once there is a report.
    is_at_act: whether the page is the one to which the next act leads; it then has its button."""

    step: int
    act: NextAct
    is_at_act: bool
    is_manager: bool
    tabs: list[Link]
    pages: list[Link]


def of(campaign: Campaign, user: User, *, tab: str, path: str) -> CampaignHead:
    """Return the head of a page; `tab`: the key of the page, `path`: its address."""
    is_manager = live.manages(user, campaign)
    reported = campaign.step == 4 and campaign.jobs.done(ANALYSIS).exists()
    act = next_act(campaign, reported=reported)
    if act.managers_only and not is_manager:
        act = NextAct(act.sentence)
    facts = {campaign.state, campaign.origin, *(MANAGER if is_manager else ())}
    facts |= PEOPLE if campaign.origin != Campaign.Origin.SIMULATED else set()
    tabs, pages = [], []
    for label, listed in TABS:
        shown = [page for page in listed if page.needs <= facts]
        is_open = any(page.key == tab for page in listed)
        tabs.append(Link(label, shown[0].url(campaign), is_open))
        if is_open:
            pages = [Link(page.label, page.url(campaign), page.key == tab) for page in shown]
    is_at_act = act.url.partition("#")[0] == path
    return CampaignHead(campaign.step + reported, act, is_at_act, is_manager, tabs, pages)


def next_act(campaign: Campaign, *, reported: bool) -> NextAct:
    """Return what a manager does next; `reported`: whether the campaign is closed and has a report.

    While the campaign is being opened or analysed nothing can be done.
    """
    state = Campaign.State(campaign.state)

    def act(label: str, name: str, sentence: str = "", anchor: str = "", **how: bool) -> NextAct:
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
            sentence = _("Annotators cannot join yet.")
            return act(_("Invite annotators"), "judging:annotators", sentence, "#links")
        return NextAct(_("Close it once all assignments are submitted."))
    if reported:
        return act(_("Read the report"), "analysis:report", managers_only=False)
    if state == Campaign.State.CLOSED:
        return act(_("Run the analysis"), "analysis:report", anchor="#run", managers_only=False)
    return NextAct()


def _has_way_in(campaign: Campaign) -> bool:
    """Return whether annotators can join, or have joined."""
    return (
        campaign.memberships.filter(role=Membership.Role.ANNOTATOR).exists()
        or CrowdPlatform.objects.filter(campaign=campaign).exists()
        or enrollments.lets_in(campaign, now=timezone.now())
    )


def _is_complete(campaign: Campaign) -> bool:
    """Return whether every assignment of the main round is submitted."""
    left = Assignment.objects.filter(
        round__campaign=campaign,
        round__kind=Round.Kind.MAIN,
        state__in=[Assignment.State.OPEN, Assignment.State.HELD],
    )
    return not left.exists()
