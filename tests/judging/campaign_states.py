"""A campaign in each of its states, for tests of what a state refuses."""

from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.people.models.user import User
from tests import factories

STATES = ("draft", "locked", "open", "closed", "archived")


def in_state(state: str, manager: User | None = None) -> Campaign:
    """Return a campaign that has come as far as a state."""
    campaign, now = factories.campaign(manager=manager), timezone.now()
    reached = STATES.index(state)
    if reached >= STATES.index("locked"):
        campaigns.lock_plan(campaign=campaign, now=now)
    if reached >= STATES.index("open"):
        campaigns.open_campaign(campaign=campaign, now=now)
    if reached >= STATES.index("closed"):
        campaigns.close_campaign(campaign=campaign, now=now)
    if state == "archived":
        campaigns.move_campaign(campaign=campaign, to="archived", now=now)
    return campaign
