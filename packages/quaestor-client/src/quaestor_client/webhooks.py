"""Webhooks of a campaign."""

from __future__ import annotations

from typing import Unpack

from quaestor_client import types
from quaestor_client.resources import Endpoint
from quaestor_client.rows import Rows


class Webhooks(Endpoint):
    """The webhooks of a campaign: addresses to which its events are sent."""

    def list(self) -> Rows[types.Webhook]:
        """Return the webhooks."""
        return self._rows("", types.Webhook)

    def create(self, **webhook: Unpack[types.NewWebhookRequest]) -> types.SecretWebhook:
        """Create a webhook from a `url` and optionally `events`; keep its secret, which is shown
        once."""
        return self._post("", types.SecretWebhook, webhook)

    def update(self, id: int, **changes: Unpack[types.PatchedWebhookRequest]) -> types.Webhook:
        """Change `url`, `events` or `is_active`."""
        address = f"{self.address}{id}/"
        return self.connection.read("PATCH", address, types.Webhook, body=changes)

    def delete(self, id: int) -> None:
        """Delete a webhook with its deliveries."""
        self._delete(f"{id}/")

    def ping(self, id: int) -> types.Delivery:
        """Send a test message."""
        return self._post(f"{id}/ping/", types.Delivery)

    def deliveries(
        self, id: int, **filters: Unpack[types.CampaignsWebhooksDeliveriesListQuery]
    ) -> Rows[types.Delivery]:
        """Return the messages of a webhook, such as those with `state="failed"`, newest first."""
        return self._rows(f"{id}/deliveries/", types.Delivery, filters)
