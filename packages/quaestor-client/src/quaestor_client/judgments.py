"""Judgments of a campaign."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from quaestor_client import types
from quaestor_client.connection import Connection
from quaestor_client.dates import read_dates
from quaestor_client.rows import Table


class Judgments(Table[types.Judgment]):
    """The judgments of a campaign, streamed when they are read."""

    def __init__(self, connection: Connection, address: str, filters: Mapping[str, Any]):
        self.connection, self.address, self.filters = connection, address, filters

    def __iter__(self) -> Iterator[types.Judgment]:
        for line in self.connection.lines(f"{self.address}export/jsonl/", self.filters):
            yield read_dates(json.loads(line), types.Judgment)

    def to_csv(self, path: str | Path) -> Path:
        """Write the judgments to a CSV file and return its path."""
        return self.connection.download(f"{self.address}export/csv/", Path(path), self.filters)
