"""A crowd platform on loopback, as Prolific is one: it sends people, signs links, takes codes, and
tells what happened.

A small WSGI app with its API. Messages are sent by `deliver`, so that a test can drop, double,
delay or forge them.
"""

import base64
import hashlib
import hmac
import json
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from socketserver import ThreadingMixIn
from typing import Any
from urllib import request
from urllib.parse import parse_qs, urlsplit
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

ISSUER = "https://www.prolific.com"
SECRET = "the secret of its messages"
TOKEN = "the token of its API"
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def new_id() -> str:
    """Return an id as the platform makes them: 24 hexadecimal digits."""
    return uuid.uuid4().hex[:24]


@dataclass
class Message:
    """A message of the platform, signed."""

    body: bytes
    headers: dict[str, str]


def by_http(address: str) -> Callable[[Message], int]:
    """Return what sends messages to an address."""

    def deliver(message: Message) -> int:
        call = request.Request(
            address, message.body, message.headers | {"Content-Type": "application/json"}
        )
        with request.urlopen(call, timeout=60) as answer:
            return int(answer.status)

    return deliver


@dataclass
class FakeCrowd:
    """The platform: one study, its participants' submissions and the codes they brought back."""

    study_url: str
    deliver: Callable[[Message], int] = lambda _message: 0
    audience: str = "http://testserver"
    tells: bool = True
    study: str = field(default_factory=new_id)
    submissions: dict[str, str] = field(default_factory=dict)  # of each person the present one
    states: dict[str, str] = field(default_factory=dict)  # of each submission
    codes: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))  # of each person
    kid: str = "one"
    fails_with: int = 0  # what the API answers instead
    address: str = ""

    # --- what people do there -----------------------------------------------------------------

    def start(self, person: str, *, again: bool = False, signed: bool = True, **claims: Any) -> str:
        """Begin a submission, or go on with it; return the link to the study that the person
        follows."""
        if again or person not in self.submissions:
            self.submissions[person] = new_id()
        submission = self.submissions[person]
        self.states[submission] = "ACTIVE"
        ids = {"PROLIFIC_PID": person, "STUDY_ID": self.study, "SESSION_ID": submission}
        link = self.study_url
        for name, value in ids.items():
            link = link.replace(f"{{{{%{name}%}}}}", value)
        return f"{link}&prolific_token={self.token(ids, **claims)}" if signed else link

    def token(
        self,
        ids: dict[str, str],
        *,
        key: Any = KEY,
        kid: str = "",
        algorithm: str = "RS256",
        **claims: Any,
    ) -> str:
        """Return what the platform signs a link with."""
        now = int(time.time())
        said = {
            "iss": ISSUER,
            "aud": self.audience,
            "sub": ids["SESSION_ID"],
            "iat": now,
            "exp": now + 300,
            "prolific": ids | {"workspace_id": "w"},
        } | claims
        said = {name: value for name, value in said.items() if value is not None}
        return jwt.encode(said, key, algorithm=algorithm, headers={"kid": kid or self.kid})

    def complete(self, person: str, code: str) -> None:
        """Take the code that a person brings back."""
        self.codes[person].append(code)
        self._becomes(person, "AWAITING REVIEW")

    def gives_back(self, person: str) -> None:
        self._becomes(person, "RETURNED")

    def runs_out(self, person: str) -> None:
        self._becomes(person, "TIMED-OUT")

    def _becomes(self, person: str, state: str) -> None:
        submission = self.submissions[person]
        self.states[submission] = state
        if self.tells:
            self.deliver(self.message(person, state))

    # --- what it tells ------------------------------------------------------------------------

    def message(
        self,
        person: str,
        status: str,
        *,
        secret: str = SECRET,
        submission: str = "",
        age: int = 0,
        event: str = "",
    ) -> Message:
        """Return a signed message about the submission of a person."""
        said = {
            "resource_id": submission or self.submissions[person],
            "event_type": "submission.status.change",
            "participant_id": person,
            "status": status,
        }
        return self.signed(json.dumps(said).encode(), secret=secret, age=age, event=event)

    def signed(
        self, body: bytes, *, secret: str = SECRET, age: int = 0, event: str = ""
    ) -> Message:
        sent = str(int(time.time()) - age)
        digest = hmac.new(secret.encode(), sent.encode() + body, hashlib.sha256).digest()
        return Message(
            body,
            {
                "X-Prolific-Request-Signature": base64.b64encode(digest).decode(),
                "X-Prolific-Request-Timestamp": sent,
                "X-Event-Id": event or uuid.uuid4().hex,
            },
        )

    # --- its addresses ------------------------------------------------------------------------

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        path, query = environ["PATH_INFO"], parse_qs(environ.get("QUERY_STRING", ""))
        status, headers, body = self._answer(path, query, environ)
        start_response(status, [("Content-Length", str(len(body))), *headers])
        return [body]

    def _answer(
        self, path: str, query: dict[str, list[str]], environ: dict[str, Any]
    ) -> tuple[str, list, bytes]:
        parts = path.strip("/").split("/")
        if parts[0] == "participant":
            link = self.start(parts[1], signed="unsigned" not in query)
            known = ("Set-Cookie", f"person={parts[1]}; Path=/; SameSite=Lax")
            return "302 Found", [("Location", link), known], b""
        if path == "/submissions/complete":
            person = SimpleCookie(environ.get("HTTP_COOKIE", ""))["person"].value
            self.complete(person, query["cc"][0])
            return (
                "200 OK",
                [("Content-Type", "text/html")],
                b"<h1>Thank you from the platform</h1>",
            )
        if self.fails_with:
            return f"{self.fails_with} Not now", [("Retry-After", "1")], b""
        if path == "/.well-known/study/jwks.json":
            public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
            keys = {"keys": [public | {"kid": self.kid, "alg": "RS256", "use": "sig"}]}
            return "200 OK", [("Content-Type", "application/json")], json.dumps(keys).encode()
        return "404 Not Found", [], b""


@dataclass
class FakeConnect(FakeCrowd):
    """A platform that adds its ids to the project's link by itself, and takes a fixed code."""

    def start(self, person: str, *, again: bool = False, signed: bool = True, **claims: Any) -> str:
        super().start(person, again=again)
        ids = f"participantId={person}&assignmentId={self.submissions[person]}"
        return f"{self.study_url}?{ids}&projectId={self.study}"


@dataclass
class FakeSona(FakeCrowd):
    """A participant pool: the link has a survey code, and whoever comes back with it is credited
    once."""

    credits: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def start(self, person: str, *, again: bool = False, signed: bool = True, **claims: Any) -> str:
        super().start(person, again=again)
        return self.study_url.replace("%SURVEY_CODE%", person)

    def credit(self, address: str) -> None:
        """Open the address of a credit; a second visit changes nothing."""
        query = parse_qs(urlsplit(address).query)
        assert (query["experiment_id"], query["credit_token"]) == (["17"], ["token"])
        self.credits[query["survey_code"][0]] = 1


class _Threads(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Silent(WSGIRequestHandler):
    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def served(crowd: FakeCrowd) -> Iterator[FakeCrowd]:
    """Serve the platform on a port of its own."""
    server = make_server("127.0.0.1", 0, crowd, server_class=_Threads, handler_class=_Silent)
    crowd.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    try:
        yield crowd
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def way_of(link: str) -> str:
    """Return a link's path and query, for a test client."""
    parts = urlsplit(link)
    return f"{parts.path}?{parts.query}"
