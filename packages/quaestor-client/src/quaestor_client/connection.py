"""Requests to the server, the problems that it reports, and the pages of its lists."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeVar

import httpx

from quaestor_client.dates import read_dates

API = "/api/v1/"
TRIES = 4
MAX_WAIT_SECONDS = 60.0
SAFE = ("GET", "PUT", "DELETE")  # may be sent again

T = TypeVar("T")


class QuaestorError(Exception):
    """A problem that the server reports (RFC 9457).

    Attributes
    ----------
    status
        The status of the response, such as 422.
    code
        The stable name of the reason, such as ``invalid``.
    detail
        The reason as a sentence.
    errors
        The problems of single fields, each with `field`, `code` and `detail`.
    """

    def __init__(
        self, status: int, detail: str, errors: list[dict[str, str]] | None = None, code: str = ""
    ):
        self.status, self.detail, self.errors, self.code = status, detail, errors or [], code
        fields = "; ".join(f"{error['field']}: {error['detail']}" for error in self.errors)
        super().__init__(f"{status}: {detail} {fields}".strip())


class Connection:
    """Sends requests with a token, and reads the problems in responses.

    A request is sent again if the connection breaks or the server is busy, unless that could do
    something twice.
    """

    def __init__(
        self,
        url: str,
        token: str | None,
        timeout: float,
        transport: httpx.BaseTransport | None,
        progress: bool | None = None,
    ):
        self.url, self.progress = url.rstrip("/"), progress
        headers = {"Authorization": f"Token {token}"} if token else {}
        self.http = httpx.Client(
            base_url=self.url, headers=headers, timeout=timeout, transport=transport
        )

    def read(self, method: str, path: str, kind: type[T], **options: Any) -> T:
        """Send a request and return the content of the response, whose type is `kind`; `options`
        are those of `send`."""
        return read_dates(self.send(method, path, **options).json(), kind)

    def send(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        once: bool = False,
        is_safe: bool = False,
        if_match: str | None = None,
        **options: Any,
    ) -> httpx.Response:
        """Send a request and return the response.

        `once`: the server stores what a POST did under an idempotency key, so it may be sent again.
        `is_safe`: a POST may be sent again without one.

        Raises
        ------
        QuaestorError
            If the server reports a problem.
        """
        headers = {"Idempotency-Key": str(uuid.uuid4())} if once else {}
        if if_match:
            headers["If-Match"] = if_match
        if body is not None:
            headers["Content-Type"] = "application/json"
            options["content"] = json.dumps(body, default=_date_text, allow_nan=False)
        options |= {"headers": headers, "params": _query(query)}
        may_repeat = once or is_safe or method in SAFE
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

    def pages(
        self, path: str, kind: type[T], query: Mapping[str, Any] | None = None
    ) -> Iterator[T]:
        """Yield the objects of a list, page by page."""
        page = self.send("GET", path, query=query).json()
        while True:
            for row in page["results"]:
                yield read_dates(row, kind)
            if not page["next"]:
                return
            page = self.send("GET", page["next"]).json()

    def download(self, path: str, to: Path, query: Mapping[str, Any] | None = None) -> Path:
        """Write a response to a file, a piece at a time."""
        with self._streamed(path, query) as response, to.open("wb") as file:
            for piece in response.iter_bytes():
                file.write(piece)
        return to

    def lines(self, path: str, query: Mapping[str, Any] | None = None) -> Iterator[str]:
        """Yield the lines of a response as they arrive."""
        with self._streamed(path, query) as response:
            yield from response.iter_lines()

    @contextmanager
    def _streamed(self, path: str, query: Mapping[str, Any] | None) -> Iterator[httpx.Response]:
        with self.http.stream("GET", self.address(path), params=_query(query)) as response:
            if response.is_error:
                response.read()
                raise _problem(response)
            yield response

    def address(self, path: str) -> str:
        """Return the address of a path below the API; an address of the server stays as it is."""
        return path if path.startswith(("/", "http")) else API + path

    def close(self) -> None:
        """Close the connections to the server."""
        self.http.close()


def _query(query: Mapping[str, Any] | None) -> dict[str, Any] | None:
    # httpx keeps the query of an address only if it is given none
    if query is None:
        return None
    return {
        name: value.isoformat() if isinstance(value, date) else value
        for name, value in query.items()
    }


def _date_text(value: object) -> str:
    if isinstance(value, date | datetime):
        return value.isoformat()
    raise TypeError(f"{value!r} cannot be sent as JSON.")


def _wait(response: httpx.Response) -> float:
    seconds = response.headers.get("Retry-After", "1")
    return min(float(seconds), MAX_WAIT_SECONDS) if seconds.isdigit() else 1.0


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
