"""The common part of API resources that managers and analysts write."""

from functools import cached_property

from judging.campaigns.api.in_campaign import InCampaign
from judging.campaigns.guards import STAFF, campaign_for_user
from judging.campaigns.models.campaign import Campaign


class OfStaff(InCampaign):
    """A part of a campaign that managers and analysts read and write."""

    @cached_property
    def campaign(self) -> Campaign:
        """The campaign of the address, if the user manages or analyses it."""
        return campaign_for_user(self.request.user, self.kwargs["campaign"], STAFF)
