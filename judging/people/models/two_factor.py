"""Two-factor authentication: a secret shared with the user's device, and recovery codes on paper in
case the device is lost."""

from django.conf import settings
from django.db import models


class TwoFactor(models.Model):
    """One account's second factor. The secret is stored encrypted, the recovery codes only as
    hashes."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="two_factor"
    )
    secret = models.TextField(editable=False)
    confirmed_at = models.DateTimeField(
        null=True, blank=True, help_text="It counts once a code of it was shown."
    )
    last_step = models.BigIntegerField(
        default=0, help_text="The half minute of the last code: none is taken twice."
    )
    recovery = models.JSONField(
        default=list, blank=True, help_text="Hashes of the codes that are left."
    )

    def __str__(self) -> str:
        return f"second factor of {self.user}"
