"""The client, a program's entry point to the API."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import httpx

from quaestor_client.annotators import Annotator
from quaestor_client.campaigns import Campaigns
from quaestor_client.connection import Connection, Job, Record
from quaestor_client.datasets import Datasets
from quaestor_client.protocols import Protocols


class Quaestor:
    """A client of one server, with the token of one user.

    Parameters
    ----------
    url
        The address of the server, such as ``https://quaestor.example``.
    token
        An API token. Joining by an invitation needs none.
    timeout
        Seconds that the server may take for a response.
    transport
        An httpx transport, for tests and proxies.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        timeout: float = 60.0,
        transport: httpx.BaseTransport | None = None,
    ):
        self._timeout, self._transport = timeout, transport
        self.connection = Connection(url, token, timeout, transport)

    @cached_property
    def datasets(self) -> Datasets:
        """The datasets that the user sees."""
        return Datasets(self.connection)

    @cached_property
    def protocols(self) -> Protocols:
        """The protocols that the user may use."""
        return Protocols(self.connection)

    @cached_property
    def campaigns(self) -> Campaigns:
        """The campaigns that the user manages or analyses."""
        return Campaigns(self.connection)

    def me(self) -> Record:
        """Return the user of the token, and its scope."""
        return dict(self.get("me/"))

    def job(self, id: str) -> Job:
        """Return a job."""
        return Job(self.connection, self.get(f"jobs/{id}/"))

    def join(self, invitation: str, *, consent: bool = False) -> Annotator:
        """Join a campaign by an invitation's token or link, as a new annotator.

        `consent` says that the annotator agrees to the consent text of the campaign. Keep the
        token of the annotator: it is shown once.
        """
        token = invitation.rstrip("/").rpartition("/")[2]
        joined = self.connection.request(
            "POST", "join/", json={"invitation": token, "consent": consent}
        )
        return Annotator(self._as(joined["token"]), joined)

    def annotate(self, campaign: str) -> Annotator:
        """Return the annotator whose token this client has, in one campaign."""
        found = self.get(f"annotate/campaigns/{campaign}/")
        return Annotator(self.connection, {"campaign": campaign, "label": found["label"]})

    def get(self, path: str, **parameters: Any) -> Any:
        """Send a GET request to a path below the API."""
        return self.connection.request("GET", path, params=parameters)

    def post(self, path: str, body: Any = None) -> Any:
        """Send a POST request to a path below the API."""
        return self.connection.request("POST", path, json=body or {})

    def put(self, path: str, body: Any) -> Any:
        """Send a PUT request to a path below the API."""
        return self.connection.request("PUT", path, json=body)

    def patch(self, path: str, body: Any) -> Any:
        """Send a PATCH request to a path below the API."""
        return self.connection.request("PATCH", path, json=body)

    def delete(self, path: str) -> Any:
        """Send a DELETE request to a path below the API."""
        return self.connection.request("DELETE", path)

    def _as(self, token: str) -> Connection:
        return Connection(self.connection.url, token, self._timeout, self._transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.connection.close()
