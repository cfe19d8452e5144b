"""Datasets and their files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, Unpack

from quaestor_client import types
from quaestor_client.columns import Role, check_protocol, column_of, in_words
from quaestor_client.connection import Connection
from quaestor_client.protocols import Protocol, id_of
from quaestor_client.resources import Endpoint, Job, Resource
from quaestor_client.rows import Rows

if TYPE_CHECKING:
    import pandas as pd


class FileOptions(TypedDict, total=False):
    """How a file is read and added to a dataset."""

    columns: Mapping[str, Role] | None
    protocol: Protocol | int | str | None
    mapping: types.MappingRequest | None
    accept_surprises: bool


STRICT_JSON = json.JSONEncoder(allow_nan=False)
ExportKind: TypeAlias = Literal["csv", "csv-raw", "jsonl", "label-studio"]


class File(Resource[types.File]):
    """A file of a dataset. Nothing of it is in the dataset before it is added."""

    kind = types.File

    @property
    def number(self) -> int:
        """The number within the dataset."""
        return self.data["number"]

    def roles(self) -> types.Proposal:
        """Return what the file holds under its mapping, and what its check found."""
        return self._get("roles/", types.Proposal)

    def set_roles(
        self,
        columns: Mapping[str, Role] | None = None,
        *,
        protocol: Protocol | int | str | None = None,
        mapping: types.MappingRequest | None = None,
    ) -> dict[str, str]:
        """Say what columns are, and under which protocol ratings were given.

        Parameters
        ----------
        columns
            The roles of columns; the other columns become what the server proposes.
        protocol
            A protocol, its id, or its key; by default that of a bundle. None is guessed.
        mapping
            How the file is read otherwise; by default as proposed.

        Returns
        -------
        dict
            What each column becomes, in words.

        Raises
        ------
        ValueError
            If the file holds ratings, and neither you nor the file names their protocol.
        """
        proposal = self.roles()
        whole: types.MappingRequest = proposal["mapping"] | (mapping or {})
        decided = {name: column_of(role) for name, role in (columns or {}).items()}
        whole["columns"] = whole.get("columns", {}) | decided
        chosen = None if protocol is None else id_of(self.connection, protocol)
        if protocol is None and whole.get("recipe") == "bundle":  # which holds its protocol
            chosen = proposal.get("protocol")
        if chosen is None:
            check_protocol(whole["columns"])
        body = {"mapping": whole, "protocol": chosen}
        self._finish(self._put("roles/", dict[str, Any], body))
        return {name: in_words(whole["columns"].get(name, {})) for name in proposal["header"]}

    def preview(self) -> types.Preview:
        """Return what the file would add to the dataset."""
        self._start("preview/").wait()
        return self._get("preview/", types.Preview)

    def add(self, *, accept_surprises: bool = False) -> File:
        """Add the file to its dataset, and return it.

        `accept_surprises` adds it even if its check found something that a person should confirm.
        """
        body = {"accept_surprises": accept_surprises, "confirm_new": True}
        self._start("add/", body).wait()
        return self.refresh()

    def take_back(self) -> File:
        """Remove all that the file added, and return it."""
        self._finish(self._post("take-back/", dict[str, Any]))
        return self.refresh()

    def discard(self) -> None:
        """Discard a file that was not added."""
        self._delete("")

    def __repr__(self) -> str:
        return f"<File {self.number}: {self.data['name']} ({self.data['state']})>"


class Dataset(Resource[types.Dataset]):
    """Sources, questions, references and scores.

    Attributes
    ----------
    columns
        What each column of a table became, in words, if this object made the dataset from it.
    """

    kind = types.Dataset

    def __init__(self, connection: Connection, data: types.Dataset):
        super().__init__(connection, f"datasets/{data['id']}/", data)
        self.columns: dict[str, str] = {}

    @property
    def id(self) -> int:
        """The id by which campaigns name it."""
        return self.data["id"]

    @property
    def name(self) -> str:
        """The name."""
        return self.data["name"]

    def update(self, **changes: Unpack[types.PatchedDatasetChangeRequest]) -> Dataset:
        """Change the name or the licence."""
        return self._take("PATCH", body=changes)

    def delete(self) -> None:
        """Delete the dataset, which no campaign may be about."""
        self._delete("")

    def files(self, **filters: Unpack[types.DatasetsFilesListQuery]) -> Rows[File]:
        """Return the files, such as those with `state="added"`."""
        return Rows(map(self._file, self._rows("files/", types.File, filters)))

    def upload(self, path: str | Path) -> File:
        """Upload a file, and wait until it is read; nothing of it is added."""
        address = f"{self.address}files/"
        with Path(path).open("rb") as file:
            upload = {"file": (Path(path).name, file)}
            job = self.connection.read("POST", address, types.FileJob, files=upload, once=True)
        Job(self.connection, job).wait()
        return self._file(self._get(f"files/{job['file']}/", types.File))

    def add_file(self, path: str | Path, **options: Unpack[FileOptions]) -> dict[str, str]:
        """Upload a file, say what its columns are, and add it.

        Parameters
        ----------
        path
            The file.
        **options
            `columns`, `protocol` and `mapping` as in `File.set_roles`; `accept_surprises` as in
            `File.add`.

        Returns
        -------
        dict
            What each column became, in words.
        """
        file = self.upload(path)
        self.columns = file.set_roles(
            options.get("columns"),
            protocol=options.get("protocol"),
            mapping=options.get("mapping"),
        )
        file.add(accept_surprises=options.get("accept_surprises", False))
        self.refresh()
        return self.columns

    def systems(self) -> Rows[types.System]:
        """Return the systems with their numbers of questions."""
        return Rows(self._get("systems/", list[types.System]))

    def change_systems(
        self, **changes: Unpack[types.SystemChangesRequest]
    ) -> list[types.SystemChange]:
        """Rename, merge or mark `systems`; those that get the same name are merged."""
        return self._post("system-changes/", list[types.SystemChange], changes)

    def items(self, **filters: Unpack[types.DatasetsItemsListQuery]) -> Rows[types.Item]:
        """Return the questions with their sources, such as those of a `system`.

        The columns `item`, `source_id`, `system` and `position` are those of judgments.
        """
        return self._rows("items/", types.Item, filters)

    def score(self, metrics: Iterable[str], **options: Unpack[types.ScoringOptions]) -> Job:
        """Compute metrics, wait for them, and return the job."""
        return self._start("scoring/", {"metrics": list(metrics), **options}).wait()

    def export(self, path: str | Path, kind: ExportKind = "csv") -> Path:
        """Write the dataset to a file, and return its path."""
        return self.connection.download(f"{self.address}export/{kind}/", Path(path))

    def _file(self, data: types.File) -> File:
        return File(self.connection, f"{self.address}files/{data['number']}/", data)

    def __repr__(self) -> str:
        count = self.data["quarantined"]
        quarantine = f", {count} in quarantine" if count else ""
        return f"<Dataset {self.id}: {self.name} ({self.data['questions']} questions{quarantine})>"


class Datasets(Endpoint):
    """The datasets that the user sees."""

    def __init__(self, connection: Connection):
        super().__init__(connection, "datasets/")

    def list(self, **filters: Unpack[types.DatasetsListQuery]) -> Rows[Dataset]:
        """Return the datasets, such as those whose `name` contains a text."""
        rows = self._rows("", types.Dataset, filters)
        return Rows(Dataset(self.connection, row) for row in rows)

    def get(self, id: int) -> Dataset:
        """Return a dataset."""
        return Dataset(self.connection, self._get(f"{id}/", types.Dataset))

    def create(self, name: str, **about: Unpack[types.DatasetOptions]) -> Dataset:
        """Create an empty dataset."""
        return Dataset(self.connection, self._post("", types.Dataset, {"name": name, **about}))

    def create_from_dataframe(
        self,
        df: pd.DataFrame,
        *,
        name: str,
        licence: str = "",
        language: str = "en",
        **options: Unpack[FileOptions],
    ) -> Dataset:
        """Create a dataset from a DataFrame; nothing is left behind if this fails.

        Parameters
        ----------
        df
            A row for each question, or for each rating of one. The index is not stored.
        name, licence, language
            Of the dataset.
        **options
            `columns` are the roles of columns; the others become what the server proposes.
            `protocol` is that under which ratings were given, its id, or its key; none is guessed.
            `accept_surprises` adds the rows even if their check found something that a person
            should confirm.

        Returns
        -------
        Dataset
            Its `columns` say what each column became, and `data["quarantined"]` how many values
            of the rows went to quarantine.

        Raises
        ------
        ValueError
            If columns hold ratings and no protocol is given, or if a column holds a value that
            JSON cannot hold, such as Infinity or a Timedelta.

        Examples
        --------
        >>> client.datasets.create_from_dataframe(
        ...     df, columns={"score": Metric("higher")}, protocol="qgeval", name="Locks"
        ... )
        """
        with TemporaryDirectory() as folder:
            path = Path(folder) / "rows.jsonl"
            lines = (f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows_of(df))
            path.write_text("".join(lines), encoding="utf-8")
            return self.create_from_file(
                path, name=name, licence=licence, language=language, **options
            )

    def create_from_file(
        self,
        path: str | Path,
        *,
        name: str,
        licence: str = "",
        language: str = "en",
        **options: Unpack[FileOptions],
    ) -> Dataset:
        """Create a dataset from a file, with the options of `create_from_dataframe`."""
        dataset = self.create(name, licence=licence, language=language)
        try:
            dataset.add_file(path, **options)
        except BaseException:
            dataset.delete()
            raise
        return dataset


def rows_of(df: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a DataFrame as values of JSON: numbers as they are, dates as texts, and
    missing values as None.

    Raises
    ------
    ValueError
        If a column holds a value that JSON cannot hold, such as Infinity or a Timedelta.
    """
    whole = df.convert_dtypes()  # integers with gaps, which a DataFrame holds as floats, are whole
    cells = whole.astype(object).where(whole.notna(), None)
    return [
        {str(name): _json_value(name, value) for name, value in row.items()}
        for row in cells.to_dict(orient="records")
    ]


def _json_value(column: object, value: Any) -> Any:
    """Return a cell as a value of JSON, or raise ValueError."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        is_whole = value.is_finite() and value == value.to_integral_value()
        value = int(value) if is_whole else float(value)
    try:
        STRICT_JSON.encode(value)
    except TypeError:
        kind = type(value).__name__
        raise ValueError(
            f"Column “{column}” holds a value of the type {kind}. Make it a number or a text."
        ) from None
    except ValueError:
        raise ValueError(
            f"Column “{column}” holds Infinity or NaN. Make it a number, or leave the cell blank."
        ) from None
    return value
