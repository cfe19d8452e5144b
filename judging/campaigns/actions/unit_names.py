"""Names of units on pages that must not reveal systems: keys would, because they follow the file,
which has the systems in one order."""

from django.conf import settings
from django.utils.crypto import salted_hmac

from judging.campaigns.models.campaign import Campaign


def unit_name(campaign: Campaign, unit: int) -> str:
    """Return the name of a unit in a campaign's forms."""
    said = f"{campaign.uuid}/{unit}"
    digest = salted_hmac("judging.unit", said, secret=settings.PSEUDONYM_KEY, algorithm="sha256")
    return digest.hexdigest()[:16]
