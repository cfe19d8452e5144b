"""Clients without think time for bench/judging.py: plain sockets, so that measuring takes little of
the machine."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count

CSRF = "c" * 32
FIELDS = "&q1.grammaticality=3&q1.understandability=2&q1.correctness=3"


@dataclass
class Seen:
    """Results of the clients: seconds of each request, and the number of wrong answers."""

    seconds: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)  # of those, the pages within a loop
    onward: list[float] = field(default_factory=list)  # from submitting to the next page
    wrong: int = 0
    took: float = 0.0

    @property
    def rate(self) -> float:
        return len(self.seconds) / self.took


def quantile(seconds: list[float], share: float) -> float:
    return sorted(seconds)[int(share * (len(seconds) - 1))] if seconds else math.nan


@dataclass(frozen=True)
class Answer:
    status: int
    location: str


class Client:
    """One browser on one connection."""

    def __init__(self, port: int, session: str) -> None:
        self.port, self.cookie = port, f"sessionid={session}; csrftoken={CSRF}"
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None
        self.pages: list[float] = []
        self.onward: list[float] = []
        self.submitted: float | None = None

    async def get(self, address: str) -> Answer:
        return await self._send(
            f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {self.cookie}\r\n\r\n"
        )

    async def post(self, address: str, body: str) -> Answer:
        return await self._send(
            f"POST {address} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {self.cookie}\r\n"
            f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        )

    async def _send(self, request: str) -> Answer:
        try:
            return await self._exchange(request)
        except (
            ConnectionError,
            asyncio.IncompleteReadError,
        ):  # the server may close an idle connection
            self.writer = None
            return await self._exchange(request)

    async def _exchange(self, request: str) -> Answer:
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(request.encode())
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        names = {
            name.lower(): value
            for name, _, value in (line.partition(": ") for line in head.split("\r\n")[1:])
        }
        await self.reader.readexactly(int(names.get("content-length", 0)))
        if names.get("connection", "").lower() == "close":
            self.writer.close()
            self.writer = None
        return Answer(int(head[9:12]), names.get("location", ""))


Turn = Callable[[Client], Awaitable[bool]]


async def hello(client: Client) -> bool:
    return (await client.get("/hello/")).status == 200


def submitting(token: str, start: dict[Client, str], *, look: bool) -> Turn:
    """Return a turn that submits a client's current task and is redirected to the next; `look`
    opens that page too."""
    body = f"csrfmiddlewaretoken={CSRF}&token={token}&sequence=0&action=submit&note={FIELDS}"

    async def turn(client: Client) -> bool:
        answer = await client.post(f"{start[client]}submit/?step=0", body)
        onward = (
            answer.status == 302
            and answer.location.startswith("/tasks/")
            and answer.location != start[client]
        )
        start[client] = answer.location
        return onward and (not look or (await client.get(answer.location)).status == 200)

    return turn


def looping(token: str, start: dict[Client, str], *, batched: bool) -> Turn:
    """Return a turn as a browser takes it: the page, an autosave for each click or one for all, the
    submit."""
    body = f"csrfmiddlewaretoken={CSRF}&token={token}&sequence=4&action=submit&note={FIELDS}"
    clicks = [pair.split("=") for pair in FIELDS.strip("&").split("&")]
    saves = [
        f"name={name}&value={value}&sequence={number}"
        for number, (name, value) in enumerate(clicks, start=1)
    ]
    if batched:
        saves = ["&".join(f"name={name}&value={value}" for name, value in clicks) + "&sequence=3"]

    async def turn(client: Client) -> bool:
        own = start[client]
        asked = time.perf_counter()
        good = (await client.get(own)).status == 200
        client.pages.append(time.perf_counter() - asked)
        if client.submitted is not None:
            client.onward.append(time.perf_counter() - client.submitted)
        for save in saves:
            good = (
                await client.post(f"{own}draft/", f"csrfmiddlewaretoken={CSRF}&{save}")
            ).status == 204 and good
        client.submitted = time.perf_counter()
        answer = await client.post(f"{own}submit/?step=0", body)
        start[client] = answer.location
        return (
            good
            and answer.status == 302
            and answer.location.startswith("/tasks/")
            and answer.location != own
        )

    return turn


def opening(start: dict[Client, str]) -> Turn:
    """Return a turn that opens the page a client is at."""

    async def turn(client: Client) -> bool:
        return (await client.get(start[client])).status == 200

    return turn


def saving(start: dict[Client, str]) -> Turn:
    """Return a turn that saves one click."""
    number = count(1)

    async def turn(client: Client) -> bool:
        body = f"csrfmiddlewaretoken={CSRF}&name=q1.grammaticality&value=3&sequence={next(number)}"
        return (await client.post(f"{start[client]}draft/", body)).status == 204

    return turn


async def drive(clients: list[Client], turn: Turn, *, seconds: float) -> Seen:
    """Let every client repeat the turn until the time is over."""
    seen, end = Seen(), time.perf_counter() + seconds
    for client in clients:
        client.pages, client.onward, client.submitted = [], [], None

    async def one(client: Client) -> None:
        while (before := time.perf_counter()) < end:
            seen.wrong += not await turn(client)
            seen.seconds.append(time.perf_counter() - before)

    began = time.perf_counter()
    await asyncio.gather(*map(one, clients))
    seen.took = time.perf_counter() - began
    seen.pages = [each for client in clients for each in client.pages]
    seen.onward = [each for client in clients for each in client.onward]
    return seen
