"""The client, a program's entry point to the API."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any, Self

import httpx

from quaestor_client import types
from quaestor_client.annotators import Annotator
from quaestor_client.campaigns import Campaigns
from quaestor_client.connection import Connection
from quaestor_client.datasets import Datasets
from quaestor_client.protocols import Protocols
from quaestor_client.resources import Jobs


class Quaestor:
    """A client of one server, with the token of one user.

    Parameters
    ----------
    url
        The address of the server, such as ``https://quaestor.example``; by default the variable
        ``QUAESTOR_URL`` of the environment.
    token
        An API token; by default the variable ``QUAESTOR_TOKEN``, unless a `url` is given. Joining
        by an invitation needs none.
    timeout
        Seconds that the server may take for a response.
    progress
        Whether jobs show a progress bar; by default on a terminal and in a notebook.
    transport
        An httpx transport, for tests and proxies.

    Raises
    ------
    ValueError
        If there is no address.

    Examples
    --------
    >>> client = Quaestor()
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        timeout: float = 60.0,
        progress: bool | None = None,
        transport: httpx.BaseTransport | None = None,
    ):
        if url is None:
            url, token = os.environ.get("QUAESTOR_URL"), token or os.environ.get("QUAESTOR_TOKEN")
        if not url:
            raise ValueError("Give the address of the server, or set QUAESTOR_URL.")
        self._timeout, self._transport = timeout, transport
        self.connection = Connection(url, token, timeout, transport, progress)

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

    @cached_property
    def jobs(self) -> Jobs:
        """The jobs that the user sees."""
        return Jobs(self.connection)

    def me(self) -> types.Me:
        """Return the user of the token, and its scope."""
        return self.connection.read("GET", "me/", types.Me)

    def join(self, invitation: str, *, consent: bool = False) -> Annotator:
        """Join a campaign by the token or link of an invitation, as a new annotator.

        `consent` says that the annotator agrees to the consent text of the campaign. Keep the
        `token` of the annotator: it is shown once.
        """
        token = invitation.rstrip("/").rpartition("/")[2]
        body = {"invitation": token, "consent": consent}
        joined = self.connection.read("POST", "join/", types.Joined, body=body)
        connection = Connection(
            self.connection.url, joined["token"], self._timeout, self._transport
        )
        return Annotator(connection, joined["campaign"], joined["label"], joined["token"])

    def annotate(self, campaign: str) -> Annotator:
        """Return the annotator whose token this client has, in one campaign."""
        texts = self.connection.read("GET", f"annotate/campaigns/{campaign}/", types.CampaignTexts)
        return Annotator(self.connection, campaign, texts["label"])

    def get(self, path: str, **query: Any) -> Any:
        """Send a GET request to a path below the API."""
        return self.connection.read("GET", path, dict[str, Any], query=query)

    def post(self, path: str, body: Any = None) -> Any:
        """Send a POST request to a path below the API."""
        return self.request("POST", path, {} if body is None else body)

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """Send any request to a path below the API."""
        response = self.connection.send(method, path, body=body)
        return response.json() if response.content else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.connection.close()
