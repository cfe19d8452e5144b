"""Runs: analyses of a campaign."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any, Self, cast

from quaestor_client import types
from quaestor_client.resources import Job, Resource
from quaestor_client.rows import Rows, html_table

FIGURES = ("svg", "png", "pdf")  # types of files of a figure


class Run(Resource[types.Run]):
    """An analysis of a campaign."""

    kind = types.WholeRun

    @property
    def number(self) -> int:
        """The number within the campaign."""
        return self.data["number"]

    @property
    def state(self) -> str:
        """queued, running, done, failed or cancelled."""
        return self.data["state"]

    def wait(self, timeout: float | None = None, every: float = 0.5) -> Self:
        """Wait until the run is done, and return it; see `Job.wait`."""
        job = self.connection.read("GET", f"jobs/{self.data['job']}/", types.Job)
        Job(self.connection, job).wait(timeout, every)
        return self.refresh()

    def cancel(self) -> Self:
        """Ask the run to stop."""
        return self._take("POST", "cancel/", body={}, once=True)

    def contents(self) -> types.WholeRun:
        """Return the run with the names of its `tables` and `figures`."""
        return cast(types.WholeRun, self.refresh().data)

    def table(self, name: str) -> Rows[dict[str, Any]]:
        """Return the rows of a table, such as `correlations`."""
        return Rows(self._get(f"tables/{name}/", list[dict[str, Any]]))

    def tables(self) -> dict[str, Rows[dict[str, Any]]]:
        """Return the rows of all tables by the name of each."""
        tables: dict[str, list[dict[str, Any]]] = self._get("tables/", dict[str, Any])["tables"]
        return {name: Rows(rows) for name, rows in tables.items()}

    def download(self, name: str, to: str | Path | None = None) -> Path:
        """Download a file of the run, and return its path.

        Parameters
        ----------
        name
            ``report.pdf``, ``report.zip`` or ``report.json``; a table as csv, tex, md or tsv, such
            as ``correlations.csv``; or a figure as svg, png or pdf.
        to
            Where the file is written; by default to a file of that name.

        Examples
        --------
        >>> run.download("report.pdf", "paper/report.pdf")
        """
        stem, _dot, ending = name.rpartition(".")
        folder = "figures" if ending in FIGURES else "tables"
        part = "report" if stem == "report" else f"{folder}/{stem}"
        return self.connection.download(f"{self.address}{part}/{ending}/", Path(to or name))

    def _repr_html_(self) -> str:
        if self.state != "done":
            return f"<p>{escape(repr(self))}</p>"
        shown = self.table("systems") if "systems" in self.contents()["tables"] else []
        return f"<p>{escape(repr(self))}</p>{html_table(shown)}"

    def __repr__(self) -> str:
        return f"<Run {self.number}: {self.state}>"
