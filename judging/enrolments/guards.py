"""Access control of the lists of annotators."""

from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Membership
from judging.people.models.user import User


def may_manage(user: User, campaign: Campaign) -> bool:
    return campaign.memberships.filter(user=user, role=Membership.Role.MANAGER).exists()
