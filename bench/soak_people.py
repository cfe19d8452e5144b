"""Annotators who judge over HTTP until they are stopped, and record the acknowledged answers."""

import random
import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, HTTPRedirectHandler, Request, build_opener

PATIENCE = 120.0  # seconds, for a machine with much else to do
CLICK = 0.05  # what a person takes at least
AGAIN = 0.2  # between two tries, as a page that waits
ADMIN, PASSWORD = "admin", "not asked here"


class Stay(HTTPRedirectHandler):
    """Shows where a redirect leads instead of going there."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


@dataclass
class Annotator:
    """Judges until it is stopped; repeats a request until it is answered, as the page does, and
    records the acknowledged answers."""

    site: str
    link: str
    rng: random.Random
    values: dict[tuple[str, str], int] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    submitted: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    errors: int = 0  # answers of 500, after which a person sees no more than that
    sequence: int = 0
    click: float = CLICK
    # which kind of request, and its seconds
    took: list[tuple[str, float]] = field(default_factory=list)
    # when the last request that was answered began and ended
    answered: tuple[float, float] = (
        0.0,
        0.0,
    )

    def __post_init__(self) -> None:
        self.cookies = HTTPCookieProcessor()
        self.browser = build_opener(self.cookies, Stay())

    def work(self, stop: threading.Event) -> None:
        self.ask(f"/go/{self.link}/")  # sets the cookie against forged requests
        # past the page before the first task
        address = self.ask(f"/go/{self.link}/", {"go": "on"})[1] + "?begin"
        while not stop.is_set() and address:
            status, location, page = self.ask(address)
            address = location if status == 302 else self.judge(address, page, stop)

    def judge(self, address: str, page: str, stop: threading.Event) -> str:
        """Answer everything twice with a comment, then submit; return where that leads."""
        task = address.strip("/").rpartition("/")[2]
        names = sorted(set(re.findall(r'name="(q\d+\.\w+)"', page)))
        token = re.findall(r'name="token" value="([^"]+)"', page)[0]
        for name in [*names, *names]:
            self.draft(task, name, self.rng.choice((1, 2, 3)))
        self.draft(task, "note", f"{task} {self.rng.random()}")
        if stop.is_set():
            return ""
        answers = {name: self.values[task, name] for name in names}
        form = {
            "token": token,
            "sequence": self.sequence,
            "action": "submit",
            "note": self.notes[task],
            **answers,
        }
        status, location, page = self.ask(f"/tasks/{task}/submit/?step=0", form)
        if status != 302 or task in location:
            self.problems.append(f"submit: {status} {location}")
            return ""
        self.submitted.add(task)
        return location

    def draft(self, task: str, name: str, value: Any) -> None:
        self.sequence += 1
        status, _, said = self.ask(
            f"/tasks/{task}/draft/", {"name": name, "value": value, "sequence": self.sequence}
        )
        if status != 204:
            self.problems.append(f"{name}: {status} {said[:200]}")
        elif name == "note":
            self.notes[task] = value
        else:
            self.values[task, name] = value

    def ask(self, address: str, form: dict[str, Any] | None = None) -> tuple[int, str, str]:
        """Send until there is an answer; 5xx is none."""
        time.sleep(self.click)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            began = time.monotonic()
            try:
                answer = self.once(address, form)
            except (OSError, HTTPException):
                answer = 599, "", ""
            if answer[0] < 500:
                self.answered = began, time.monotonic()
                self.took.append((kind_of(address, form), time.monotonic() - began))
                return answer
            self.errors += answer[0] == 500
            time.sleep(AGAIN)
        raise TimeoutError(address)

    def once(self, address: str, form: dict[str, Any] | None) -> tuple[int, str, str]:
        crumb = {cookie.name: cookie.value for cookie in self.cookies.cookiejar}.get(
            "csrftoken", ""
        )
        request = Request(
            self.site + address,
            urlencode(form).encode() if form else None,
            {"X-CSRFToken": crumb, "Origin": self.site},
        )
        try:
            with self.browser.open(request, timeout=20) as response:
                return response.status, "", response.read().decode()
        except HTTPError as refused:
            with refused:
                return refused.code, refused.headers.get("Location", ""), refused.read().decode()


def kind_of(address: str, form: dict[str, Any] | None) -> str:
    """Return what an annotator waits for: a click to be saved, a task to be submitted, a page, or
    to join."""
    return (
        "page"
        if form is None
        else "click"
        if "/draft/" in address
        else "submit"
        if "/submit/" in address
        else "join"
    )


class Researcher(Annotator):
    """A user with a password, who logs in whenever asked to."""

    log_ins = 0

    def is_let_in(self) -> bool:
        """Open a page, after logging in if necessary; return whether it was served."""
        status, location, _page = self.ask("/campaigns/")
        if status == 302 and "login" in location:
            self.log_ins += 1
            _status, _location, page = self.ask(location)
            token = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[0]
            form = {"username": ADMIN, "password": PASSWORD, "csrfmiddlewaretoken": token}
            self.ask(location, form)
            status, _location, _page = self.ask("/campaigns/")
        return status == 200


@contextmanager
def at_work(address: str, links: list[str], click: float = CLICK) -> Iterator[list[Annotator]]:
    """Have annotators of one site judge while the block runs."""
    people = [
        Annotator(address, link, random.Random(number), click=click)
        for number, link in enumerate(links)
    ]
    with judging(people):
        yield people


@contextmanager
def judging(people: Sequence[Annotator]) -> Iterator[None]:
    """Have annotators judge while the block runs; all of them have come to an end after it."""
    stop = threading.Event()
    threads = [threading.Thread(target=person.work, args=(stop,), daemon=True) for person in people]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in threads)
