"""A campaign in each of its states, for tests of what a state refuses."""

from django.utils import timezone

from judging.actions import campaigns
from judging.models import Campaign, User
from tests import factories

STATES = ("draft", "locked", "open", "closed", "archived")


def in_state(state: str, manager: User | None = None) -> Campaign:
    """Return a campaign that has come as far as a state."""
    campaign, now = factories.campaign(manager=manager), timezone.now()
    reached = STATES.index(state)
    if reached >= STATES.index("locked"):
        campaigns.lock(campaign=campaign, now=now)
    if reached >= STATES.index("open"):
        campaigns.open_(campaign=campaign, now=now)
    if reached >= STATES.index("closed"):
        campaigns.close(campaign=campaign, now=now)
    if state == "archived":
        campaigns.move(campaign=campaign, to="archived", now=now)
    return campaign
