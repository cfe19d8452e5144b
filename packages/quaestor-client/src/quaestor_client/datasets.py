"""Datasets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quaestor_client.connection import Connection, Job, Record, Rows

if TYPE_CHECKING:
    import pandas as pd


class Dataset:
    """Sources, questions, references and scores."""

    def __init__(self, connection: Connection, data: Mapping[str, Any]):
        self.connection, self.data = connection, dict(data)

    @property
    def id(self) -> int:
        """The id by which campaigns name it."""
        return int(self.data["id"])

    @property
    def name(self) -> str:
        """The name."""
        return str(self.data["name"])

    def refresh(self) -> Dataset:
        """Read the dataset again."""
        self.data = self.connection.request("GET", f"datasets/{self.id}/")
        return self

    def add_file(
        self,
        path: str | Path,
        *,
        mapping: Record | None = None,
        protocol: int | None = None,
        accept_surprises: bool = False,
        timeout: float | None = None,
    ) -> Dataset:
        """Add a file, read under the proposed mapping unless `mapping` is another, and under the
        proposed protocol unless `protocol` is another.

        `accept_surprises` adds it even if its check found something that a person should confirm.
        """
        place = Path(path)
        with place.open("rb") as file:
            uploaded = self.connection.request(
                "POST", f"datasets/{self.id}/files/", files={"file": (place.name, file)}
            )
        Job(self.connection, uploaded).wait(timeout)
        own = f"datasets/{self.id}/files/{uploaded['file']}/"
        if mapping is not None or protocol is not None:
            self._read_otherwise(own, mapping, protocol, timeout)
        choice = {"accept_surprises": accept_surprises, "confirm_new": True}
        added = self.connection.request("POST", f"{own}add/", once=True, json=choice)
        Job(self.connection, added).wait(timeout)
        return self.refresh()

    def _read_otherwise(
        self, file: str, mapping: Record | None, protocol: int | None, timeout: float | None
    ) -> None:
        """Have a file read under another mapping or protocol; a job reads a large file."""
        proposed = self.connection.request("GET", f"{file}roles/")
        given = {
            "mapping": proposed["mapping"] if mapping is None else mapping,
            "protocol": proposed["protocol"] if protocol is None else protocol,
        }
        found = self.connection.request("PUT", f"{file}roles/", json=given)
        if "id" in found:
            Job(self.connection, found).wait(timeout)

    def items(self, **filters: Any) -> Rows:
        """Return the sources with their questions."""
        return Rows(self.connection.pages(f"datasets/{self.id}/items/", **filters))

    def export(self, path: str | Path, kind: str = "csv") -> Path:
        """Write the dataset to a file as csv, csv-raw, jsonl or label-studio."""
        return self.connection.download(f"datasets/{self.id}/export/{kind}/", Path(path))

    def score(self, metrics: Iterable[str], *, timeout: float | None = None, **options: Any) -> Job:
        """Compute metrics, and wait for them."""
        body = {"metrics": list(metrics)} | options
        job = self.connection.request("POST", f"datasets/{self.id}/scoring/", once=True, json=body)
        return Job(self.connection, job).wait(timeout)

    def delete(self) -> None:
        """Delete the dataset, which no campaign may be about."""
        found = self.connection.request("DELETE", f"datasets/{self.id}/")
        if found:
            Job(self.connection, found).wait()

    def __repr__(self) -> str:
        return f"<Dataset {self.id}: {self.name}>"


class Datasets:
    """The datasets that the user sees."""

    def __init__(self, connection: Connection):
        self.connection = connection

    def list(self, **filters: Any) -> list[Dataset]:
        """Return the datasets."""
        found = self.connection.pages("datasets/", **filters)
        return [Dataset(self.connection, each) for each in found]

    def get(self, id: int) -> Dataset:
        """Return a dataset."""
        return Dataset(self.connection, self.connection.request("GET", f"datasets/{id}/"))

    def create(self, name: str, **about: Any) -> Dataset:
        """Create an empty dataset."""
        made = self.connection.request("POST", "datasets/", once=True, json={"name": name} | about)
        return Dataset(self.connection, made)

    def create_from_rows(
        self,
        rows: Iterable[Mapping[str, Any]],
        name: str,
        *,
        accept_surprises: bool = False,
        timeout: float | None = None,
        **about: Any,
    ) -> Dataset:
        """Create a dataset from the rows of a table, under the proposed mapping.

        All rows go in one request. Write larger tables to a file, and use `Dataset.add_file`.
        """
        body = {"name": name, "rows": list(rows), "accept_surprises": accept_surprises} | about
        job = Job(
            self.connection, self.connection.request("POST", "datasets/", once=True, json=body)
        )
        return self.get(job.wait(timeout).data["dataset"])

    def create_from_dataframe(self, df: pd.DataFrame, name: str, **options: Any) -> Dataset:
        """Create a dataset from a DataFrame: `create_from_rows` with its rows."""
        rows = json.loads(df.to_json(orient="records", date_format="iso"))
        return self.create_from_rows(rows, name, **options)
