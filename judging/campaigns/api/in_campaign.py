"""The common part of API resources within a campaign."""

from functools import cached_property

from rest_framework import permissions

from judging.campaigns.guards import MANAGERS, STAFF, campaign_for_user
from judging.campaigns.models.campaign import Campaign
from judging.jobs.api.resources import Resource


class InCampaign(Resource):
    """A part of a campaign, whose uuid is in the address. Its managers write; analysts read what is
    not one of `hidden_from_analysts`."""

    hidden_from_analysts: tuple[str, ...] = ()

    @cached_property
    def campaign(self) -> Campaign:
        """The campaign of the address, if the user may do what the request asks."""
        is_reading = self.request.method in permissions.SAFE_METHODS
        is_for_staff = is_reading and self.action not in self.hidden_from_analysts
        roles = STAFF if is_for_staff else MANAGERS
        return campaign_for_user(self.request.user, self.kwargs["campaign"], roles)

    def check_access(self) -> None:
        if self.action:
            _ = self.campaign


class OfStaff(InCampaign):
    """A part of a campaign that managers and analysts read and write."""

    @cached_property
    def campaign(self) -> Campaign:
        """The campaign of the address, if the user manages or analyses it."""
        return campaign_for_user(self.request.user, self.kwargs["campaign"], STAFF)
