"""Campaigns: plan, invite, follow, read, analyse."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from quaestor_client.connection import Connection, Job, Record, Rows
from quaestor_client.datasets import Dataset
from quaestor_client.protocols import Protocol
from quaestor_client.runs import Run

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Invitation:
    """An invitation: a link for people, a token for programs."""

    id: int
    link: str
    token: str


class Judgments:
    """The judgments of a campaign, streamed when they are read."""

    def __init__(self, connection: Connection, address: str, filters: Mapping[str, Any]):
        self.connection, self.address, self.filters = connection, address, dict(filters)

    def __iter__(self) -> Iterator[Record]:
        for line in self.connection.lines(f"{self.address}export/jsonl/", **self.filters):
            yield json.loads(line)

    def to_pandas(self) -> pd.DataFrame:
        """Return the judgments as a DataFrame; this needs pandas."""
        return Rows(self).to_pandas()

    def to_csv(self, path: str | Path) -> Path:
        """Write the judgments to a CSV file."""
        address = f"{self.address}export/csv/"
        return self.connection.download(address, Path(path), **self.filters)


class Campaign:
    """A dataset judged under a protocol and a design."""

    def __init__(self, connection: Connection, data: Mapping[str, Any]):
        self.connection, self.data = connection, dict(data)

    @property
    def uuid(self) -> str:
        """The id."""
        return str(self.data["uuid"])

    @property
    def title(self) -> str:
        """The title."""
        return str(self.data["title"])

    @property
    def state(self) -> str:
        """draft, locked, open, paused, closed or archived."""
        return str(self.data["state"])

    @property
    def address(self) -> str:
        """The path below the API."""
        return f"campaigns/{self.uuid}/"

    def refresh(self) -> Self:
        """Read the campaign again."""
        self.data = self.connection.request("GET", self.address)
        return self

    def lock(self) -> Self:
        """Lock the protocol and the design."""
        return self._do("lock")

    def open(self) -> Self:
        """Open the campaign to its annotators; a draft is locked first."""
        if self.state == "draft":
            self.lock()
        return self._do("open")

    def pause(self) -> Self:
        """Pause the campaign."""
        return self._do("pause")

    def close(self) -> Self:
        """Close the campaign."""
        return self._do("close")

    def archive(self) -> Self:
        """Archive the campaign."""
        return self._do("archive")

    def invite(self, places: int = 1, label: str = "") -> Invitation:
        """Create an invitation for so many annotators."""
        body = {"places": places, "label": label}
        address = f"{self.address}invitations/"
        made = self.connection.request("POST", address, once=True, json=body)
        if "token" not in made:  # the request was repeated, and the server stores no secret
            made = self.connection.request("GET", f"{address}{made['id']}/")
        return Invitation(made["id"], made["link"], made["token"])

    def annotators(self) -> Rows:
        """Return the annotators with their progress."""
        return Rows(self.connection.pages(f"{self.address}enrolments/"))

    def tasks(self, **filters: Any) -> Rows:
        """Return the tasks with their texts and assignments."""
        return Rows(self.connection.pages(f"{self.address}tasks/", **filters))

    def judgments(self, **filters: Any) -> Judgments:
        """Return the judgments, such as those with `annotator="A01"`."""
        return Judgments(self.connection, f"{self.address}judgments/", filters)

    def run(self, **parameters: Any) -> Run:
        """Start an analysis. Options that are not given are as the page offers them."""
        started = self.connection.request(
            "POST", f"{self.address}runs/", once=True, json=parameters
        )
        return self.get_run(started["run"])

    def runs(self) -> list[Run]:
        """Return the analyses, the newest first."""
        found = self.connection.pages(f"{self.address}runs/")
        return [self._run(each) for each in found]

    def get_run(self, number: int) -> Run:
        """Return an analysis by its number."""
        return self._run(self.connection.request("GET", f"{self.address}runs/{number}/"))

    def _run(self, data: Record) -> Run:
        return Run(self.connection, f"{self.address}runs/{data['number']}/", data)

    def _do(self, act: str) -> Self:
        found = self.connection.request("POST", f"{self.address}{act}/", json={})
        if "uuid" not in found:  # a large campaign: a job does it
            Job(self.connection, found).wait()
            return self.refresh()
        self.data = found
        return self

    def __repr__(self) -> str:
        return f"<Campaign {self.uuid}: {self.title} ({self.state})>"


class Campaigns:
    """The campaigns that the user manages or analyses."""

    def __init__(self, connection: Connection):
        self.connection = connection

    def list(self, **filters: Any) -> list[Campaign]:
        """Return the campaigns, such as those with `state="open"`."""
        found = self.connection.pages("campaigns/", **filters)
        return [Campaign(self.connection, each) for each in found]

    def get(self, uuid: str) -> Campaign:
        """Return a campaign."""
        return Campaign(self.connection, self.connection.request("GET", f"campaigns/{uuid}/"))

    def create(
        self, title: str, dataset: Dataset | int, protocol: Protocol | int, **design: Any
    ) -> Campaign:
        """Create a draft, such as one with `annotators_per_task=3`."""
        body = {
            "title": title,
            "dataset": dataset.id if isinstance(dataset, Dataset) else dataset,
            "protocol": protocol.id if isinstance(protocol, Protocol) else protocol,
        }
        made = self.connection.request("POST", "campaigns/", once=True, json=body | design)
        return Campaign(self.connection, made)
