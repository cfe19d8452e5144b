"""Requests, errors, pages and jobs: what all resources share."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    import pandas as pd

API = "/api/v1/"
TRIES = 4
MAX_WAIT_SECONDS = 60.0
SAFE = ("GET", "PUT", "DELETE")  # may be sent again
FINAL = ("done", "failed", "cancelled")

Record = dict[str, Any]


class QuaestorError(Exception):
    """A problem that the server reports (RFC 9457); `code` names its reason."""

    def __init__(
        self, status: int, detail: str, errors: list[dict[str, str]] | None = None, code: str = ""
    ):
        self.status, self.detail, self.errors, self.code = status, detail, errors or [], code
        fields = "; ".join(f"{error['field']}: {error['detail']}" for error in self.errors)
        super().__init__(f"{status}: {detail} {fields}".strip())


class JobFailed(Exception):
    """A job that failed or was cancelled."""

    def __init__(self, job: Job):
        self.job = job
        super().__init__(f"The job {job.data['kind']} is {job.state}. {job.data['error']}".strip())


class Rows(list[Record]):
    """Rows of a table."""

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a DataFrame; this needs pandas."""
        import pandas

        return pandas.DataFrame(list(self))


class Connection:
    """Sends requests with a token, and reads the problems in responses.

    A request is sent again if the connection breaks or the server is busy, unless that could do
    something twice.
    """

    def __init__(
        self, url: str, token: str | None, timeout: float, transport: httpx.BaseTransport | None
    ):
        self.url = url.rstrip("/")
        headers = {"Authorization": f"Token {token}"} if token else {}
        self.http = httpx.Client(
            base_url=self.url, headers=headers, timeout=timeout, transport=transport
        )

    def request(self, method: str, path: str, *, once: bool = False, **options: Any) -> Any:
        """Send a request and return the JSON of the response, or None if it has no content.

        `once`: the server stores what this POST creates under an idempotency key.
        """
        headers = {"Idempotency-Key": str(uuid.uuid4())} if once else {}
        response = self.send(method, path, headers=headers, is_safe=once, **options)
        return response.json() if response.content else None

    def send(
        self, method: str, path: str, *, is_safe: bool = False, **options: Any
    ) -> httpx.Response:
        """Send a request and return the response; raise QuaestorError if it reports a problem."""
        may_repeat = is_safe or method in SAFE
        for number in range(1, TRIES + 1):
            try:
                response = self.http.request(method, self.address(path), **options)
            except httpx.TransportError:
                if not may_repeat or number == TRIES:
                    raise
                time.sleep(number)
                continue
            if response.status_code in (429, 503) and number < TRIES:
                time.sleep(_wait(response))
                continue
            break
        if response.is_error:
            raise _problem(response)
        return response

    def pages(self, path: str, **parameters: Any) -> Iterator[Record]:
        """Yield the objects of a list, page by page."""
        page = self.request("GET", path, params=parameters)
        while True:
            yield from page["results"]
            if not page["next"]:
                return
            page = self.request("GET", page["next"])

    def download(self, path: str, to: Path, **parameters: Any) -> Path:
        """Write a response to a file, a piece at a time."""
        with self.http.stream("GET", self.address(path), params=parameters) as response:
            if response.is_error:
                response.read()
                raise _problem(response)
            with to.open("wb") as file:
                for piece in response.iter_bytes():
                    file.write(piece)
        return to

    def lines(self, path: str, **parameters: Any) -> Iterator[str]:
        """Yield the lines of a response as they arrive."""
        with self.http.stream("GET", self.address(path), params=parameters) as response:
            if response.is_error:
                response.read()
                raise _problem(response)
            yield from response.iter_lines()

    def address(self, path: str) -> str:
        """Return the address of a path below the API; an address of the server stays as it is."""
        return path if path.startswith(("/", "http")) else API + path

    def close(self) -> None:
        """Close the connections to the server."""
        self.http.close()


class Job:
    """Work that a worker does after a request."""

    def __init__(self, connection: Connection, data: Mapping[str, Any]):
        self.connection, self.data = connection, dict(data)

    @property
    def state(self) -> str:
        """queued, running, done, failed or cancelled."""
        return str(self.data["state"])

    def refresh(self) -> Job:
        """Read the job again."""
        self.data = self.connection.request("GET", self.data["url"])
        return self

    def wait(self, timeout: float | None = None, every: float = 0.5) -> Job:
        """Wait until the job is done; raise JobFailed if it fails, TimeoutError after `timeout`
        seconds."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while self.refresh().state not in FINAL:
            if deadline is not None and time.monotonic() > deadline:
                raise TimeoutError(f"The job {self.data['kind']} is still {self.state}.")
            time.sleep(every)
        if self.state != "done":
            raise JobFailed(self)
        return self

    def cancel(self) -> Job:
        """Ask the job to stop."""
        self.data = self.connection.request("POST", f"{self.data['url']}cancel/")
        return self


def _wait(response: httpx.Response) -> float:
    asked = response.headers.get("Retry-After", "1")
    return min(float(asked), MAX_WAIT_SECONDS) if asked.isdigit() else 1.0


def _problem(response: httpx.Response) -> QuaestorError:
    if "json" not in response.headers.get("Content-Type", ""):
        return QuaestorError(response.status_code, response.text[:500])
    body = response.json()
    return QuaestorError(
        response.status_code,
        str(body.get("detail", "")),
        body.get("errors"),
        str(body.get("code", "")),
    )
