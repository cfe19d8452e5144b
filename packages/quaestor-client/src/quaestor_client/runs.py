"""Runs: analyses of a campaign."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quaestor_client.connection import Connection, Job, Rows


class Run:
    """An analysis of a campaign."""

    def __init__(self, connection: Connection, address: str, data: Mapping[str, Any]):
        self.connection, self.address, self.data = connection, address, dict(data)

    @property
    def number(self) -> int:
        """The number within the campaign."""
        return int(self.data["number"])

    @property
    def state(self) -> str:
        """queued, running, done, failed or cancelled."""
        return str(self.data["state"])

    def refresh(self) -> Run:
        """Read the run again."""
        self.data = self.connection.request("GET", self.address)
        return self

    def wait(self, timeout: float | None = None, every: float = 0.5) -> Run:
        """Wait until the run is done; see `Job.wait`."""
        job = self.connection.request("GET", f"jobs/{self.data['job']}/")
        Job(self.connection, job).wait(timeout, every)
        return self.refresh()

    def cancel(self) -> Run:
        """Ask the run to stop."""
        self.connection.request("POST", f"{self.address}cancel/")
        return self.refresh()

    def table(self, name: str) -> Rows:
        """Return the rows of a table, such as `correlations`; `data["tables"]` names them all."""
        return Rows(self.connection.request("GET", f"{self.address}tables/{name}/"))

    def download(self, name: str, to: str | Path | None = None) -> Path:
        """Download a file: `report.zip`, `report.pdf`, `report.json`, or a table such as
        `correlations.csv` or `correlations.tex`. It is written to `to`, or to a file of that
        name."""
        stem, _dot, ending = name.rpartition(".")
        part = "report" if stem == "report" else f"tables/{stem}"
        return self.connection.download(f"{self.address}{part}/{ending}/", Path(to or name))

    def __repr__(self) -> str:
        return f"<Run {self.number}: {self.state}>"
