"""What all objects of the server share: an address, requests below it, their data, and jobs."""

from __future__ import annotations

import time
from collections.abc import Mapping
from html import escape
from typing import Any, ClassVar, Generic, Self, TypeVar, Unpack, cast

from quaestor_client import types
from quaestor_client.connection import Connection
from quaestor_client.dates import read_dates
from quaestor_client.progress import progress_bar
from quaestor_client.rows import Rows, data_of, html_table

FINAL = ("done", "failed", "cancelled")

T = TypeVar("T")
Data = TypeVar("Data", bound=Mapping[str, Any])
Query = Mapping[str, Any]


class Endpoint:
    """An address of the API, and the requests below it."""

    def __init__(self, connection: Connection, address: str):
        self.connection, self.address = connection, address

    def _get(self, path: str, kind: type[T], query: Query | None = None) -> T:
        return self.connection.read("GET", self.address + path, kind, query=query)

    def _rows(self, path: str, kind: type[T], query: Query | None = None) -> Rows[T]:
        return Rows(self.connection.pages(self.address + path, kind, query))

    def _post(self, path: str, kind: type[T], body: Any = None) -> T:
        body = {} if body is None else body
        return self.connection.read("POST", self.address + path, kind, body=body, once=True)

    def _put(self, path: str, kind: type[T], body: Any) -> T:
        return self.connection.read("PUT", self.address + path, kind, body=body)

    def _delete(self, path: str) -> None:
        response = self.connection.send("DELETE", self.address + path)
        if response.content:
            self._finish(response.json())

    def _finish(self, answer: Any, timeout: float | None = None) -> None:
        """Wait if the answer is a job, because what was asked takes long."""
        if "kind" in answer:
            Job(self.connection, answer).wait(timeout)

    def _start(self, path: str, body: Any = None) -> Job:
        return Job(self.connection, self._post(path, types.Job, body))


class Resource(Endpoint, Generic[Data]):
    """An object of the server.

    Attributes
    ----------
    data
        Its fields as they were last read.
    """

    kind: ClassVar[Any]  # the type of `data` when the object is read by itself

    def __init__(self, connection: Connection, address: str, data: Data | None = None):
        super().__init__(connection, address)
        self.data, self._etag = cast(Data, data or {}), ""

    @property
    def etag(self) -> str:
        """The state of the object when it was last read by itself, for `if_match`."""
        return self._etag or self.refresh()._etag

    def refresh(self) -> Self:
        """Read the object again and return it."""
        return self._take("GET")

    def _take(self, method: str, path: str = "", **options: Any) -> Self:
        """Send a request whose answer is this object."""
        response = self.connection.send(method, self.address + path, **options)
        self.data = read_dates(response.json(), self.kind)
        self._etag = response.headers.get("ETag", "")
        return self

    def _repr_html_(self) -> str:
        fields = [{"field": name, "value": value} for name, value in data_of(self).items()]
        return f"<p>{escape(repr(self))}</p>{html_table(fields)}"


class JobFailed(Exception):
    """A job failed or was cancelled; `job` is the job."""

    def __init__(self, job: Job):
        self.job = job
        super().__init__(f"The job {job.data['kind']} is {job.state}. {job.data['error']}".strip())


class Job(Resource[types.Job]):
    """Work that a worker does after a request."""

    kind = types.Job

    def __init__(self, connection: Connection, data: types.Job):
        super().__init__(connection, data["url"], data)

    @property
    def state(self) -> str:
        """queued, running, done, failed or cancelled."""
        return self.data["state"]

    def wait(self, timeout: float | None = None, every: float = 0.5) -> Self:
        """Wait until the job is done, and return it.

        Parameters
        ----------
        timeout
            Seconds to wait at most; by default there is no limit.
        every
            Seconds between two requests.

        Raises
        ------
        JobFailed
            If the job fails or is cancelled.
        TimeoutError
            If it is not done in time. The job goes on.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        with progress_bar(self.data["kind"], self.connection.progress) as show:
            while self.refresh().state not in FINAL:
                show(self.data["done"], self.data["total"])
                if deadline is not None and time.monotonic() > deadline:
                    raise TimeoutError(f"The job {self.data['kind']} is still {self.state}.")
                time.sleep(every)
            show(self.data["done"], self.data["total"])
        if self.state != "done":
            raise JobFailed(self)
        return self

    def cancel(self) -> Self:
        """Ask the job to stop."""
        return self._take("POST", "cancel/", body={}, once=True)

    def __repr__(self) -> str:
        return f"<Job {self.data['kind']}: {self.state}>"


class Jobs(Endpoint):
    """The jobs that the user sees."""

    def __init__(self, connection: Connection):
        super().__init__(connection, "jobs/")

    def list(self, **filters: Unpack[types.JobsListQuery]) -> Rows[Job]:
        """Return the jobs, such as those with `state="failed"`."""
        rows = self.connection.pages(self.address, types.Job, filters)
        return Rows(Job(self.connection, row) for row in rows)

    def get(self, id: str) -> Job:
        """Return a job."""
        return Job(self.connection, self._get(f"{id}/", types.Job))
