"""What pages call a unit where they must not tell systems apart: its key would, for keys follow the
file, which has the systems in one order."""

from django.conf import settings
from django.utils.crypto import salted_hmac

from judging.models import Campaign


def unit_name(campaign: Campaign, unit: int) -> str:
    """Return what a campaign's forms call a unit."""
    said = f"{campaign.uuid}/{unit}"
    digest = salted_hmac("judging.unit", said, secret=settings.PSEUDONYM_KEY, algorithm="sha256")
    return digest.hexdigest()[:16]
