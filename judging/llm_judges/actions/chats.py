"""Questions to an address that speaks the OpenAI chat protocol, and its replies, or why there is
none."""

import json
import re
import time
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from http.client import HTTPException
from typing import Any
from urllib import request
from urllib.error import HTTPError

from judging.base.actions.redirects import CONFINED
from judging.base.refusals import Refused
from judging.protocols.llm_prompts import storable

TRIES = 3
LATER = (429, 500, 502, 503, 504, 529)  # the server may answer another time
SAID_KEPT = 500  # characters of a refusal
SHORTEST_KEY = 8  # characters; a shorter one is no secret, and occurs in other words
PLAUSIBLE_TOKENS = 10_000_000  # of one call; a larger number from a server is reduced to this


class CannotAsk(Refused):
    """Nothing more can be asked: a refused key, an unknown model, another prompt under this
    name."""

    code = "cannot_ask_judge"


@dataclass(frozen=True)
class Reply:
    """A server's reply to one question, with the tokens it used."""

    text: str
    tokens_in: int
    tokens_out: int
    model: str = ""
    is_cut: bool = False


class Unanswered(Exception):
    """One question got no usable reply; the message says why, and `raw` is what the server sent.
    `billed` is the reply if the server reports tokens for it all the same."""

    def __init__(self, reason: str, raw: str = "", billed: Reply | None = None) -> None:
        super().__init__(reason)
        self.raw, self.billed = raw, billed


@dataclass(frozen=True)
class Chat:
    """An address with a model. The key is held in memory for the run and stored nowhere."""

    address: str
    model: str
    temperature: float = 0.0
    key: str = field(default="", repr=False)
    seconds: float = 60.0
    longest: int = 500  # tokens of a reply
    at_once: int = 1  # questions that may wait for their answers together
    wait: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        if not self.address.startswith(("http://", "https://")):
            raise CannotAsk("the address begins with http:// or https://")
        if not is_key(self.key):
            raise CannotAsk("the key contains characters that cannot be sent")

    def ask(self, system: str, user: str) -> Reply:
        """Return the reply to one question; a server that is busy or late is asked again, three
        times in all."""
        for attempt in range(1, TRIES + 1):
            try:
                return self._once(system, user)
            except HTTPError as error:
                if error.code not in LATER:
                    said = self._said_with(error)
                    raise CannotAsk(f"the server refuses (HTTP {error.code}): {said}") from None
                reason = f"the server answered HTTP {error.code}"
            except OSError as error:
                reason = (
                    f"no answer: {getattr(error, 'reason', '') or error or type(error).__name__}"
                )
            # without their messages, in which a server may repeat the key; ValueError is raised for
            # a chunk of negative length
            except (HTTPException, ValueError) as error:
                reason = f"no answer: {type(error).__name__}"
            if attempt < TRIES:
                self.wait(2.0**attempt)
        raise Unanswered(f"{reason}, {TRIES} times")

    def _once(self, system: str, user: str) -> Reply:
        body = {
            "model": self.model,
            "temperature": self.temperature,
            "max_tokens": self.longest,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
        }
        headers = {"Content-Type": "application/json"} | (
            {"Authorization": f"Bearer {self.key}"} if self.key else {}
        )
        url = f"{self.address.rstrip('/')}/chat/completions"
        call = request.Request(url, json.dumps(body).encode(), headers)  # noqa: S310  __post_init__ has looked
        with CONFINED.open(call, timeout=self.seconds) as answer:
            raw = answer.read().decode("utf-8", "replace")
        reply = _reply(self.without_key(raw))
        text, model = self.without_key(reply.text), self.without_key(reply.model)
        return replace(reply, text=text, model=model)

    def _said_with(self, error: HTTPError) -> str:
        """Return a refusal's text; it is shortened last, so that no part of a key is left."""
        try:
            said = error.read()
        except (OSError, HTTPException, ValueError):
            return ""
        return self.without_key(storable(said.decode("utf-8", "replace")))[:SAID_KEPT]

    def without_key(self, said: str) -> str:
        """Return a server's text without the key, because it is stored and shown; some servers
        repeat the key, also as JSON may write it, even within other JSON."""
        if len(self.key) < SHORTEST_KEY:
            return said
        # first as it is: read as JSON, an escape before a key that begins with digits may take them
        for written in (BACKSLASHES, SPELLED):
            said = _without(self.key, said, written)
        return said


BACKSLASHES = re.compile(r"\\+|\Z")
# JSON may write a backslash as \u005c, too, and what is written so may be JSON again
SPELLED = re.compile(r"(?:\\+(?:u005c)*)+(?:u([0-9a-f]{4}))?|\Z", re.IGNORECASE)


def _without(key: str, said: str, written: re.Pattern[str]) -> str:
    """Return a text without a key that contains no backslash. The key is searched for in the text
    without the matches of `written`: backslashes, with a character's number or without.

    A pattern of the key's characters would take time in the text's length times the key's.
    """
    pieces = list[str]()  # of the text as it reads
    begins, places = [-1], [-1]  # where each piece begins in the text as it reads, and in `said`
    length = at = 0
    for found in written.finditer(said):
        pieces.append(said[at : found.start()])
        begins.append(length)
        places.append(at)
        length += found.start() - at
        at = found.end()
        if found.lastindex:
            pieces.append(chr(int(found[1], 16)))
            begins.append(length)
            places.append(at - 1)
            length += 1

    def end(read: int) -> int:
        """Return where the first `read` characters of the text as it reads end in `said`."""
        piece = bisect_left(begins, read) - 1
        return places[piece] + read - begins[piece]

    kept = list[str]()
    at = read = 0
    for between in "".join(pieces).split(key)[:-1]:
        read += len(between)
        kept.append(said[at : end(read)])
        read += len(key)
        at = end(read)
    return "…".join([*kept, said[at:]])


def is_key(text: str) -> bool:
    """Return whether a header can contain a key: one that cannot be sent would appear in an error.
    A header's token has no backslash (RFC 6750), which would be lost among those of JSON."""
    return text.isascii() and text.isprintable() and not set(text) & {" ", "\\"}


UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError)


def _reply(raw: str) -> Reply:
    """Read a server's reply, which may be anything; the database stores no NUL or lone surrogate."""
    billed = None
    try:
        found = json.loads(raw)
        billed = Reply(
            "", *_tokens(found), " ".join(storable(str(found.get("model") or "")).split())
        )
        choice = found["choices"][0]
        text = storable(str(choice["message"]["content"] or ""))
        is_cut = choice.get("finish_reason") == "length"
    except UNREADABLE:
        reason = "the server's reply is no chat completion"
        raise Unanswered(reason, storable(raw), billed) from None
    return replace(billed, text=text, is_cut=is_cut)


def _tokens(found: Any) -> tuple[int, int]:
    """Return how many tokens a server reports for question and reply; 0 where it reports none."""
    usage = found.get("usage") or {}
    asked, answered = (
        min(max(int(usage.get(name) or 0), 0), PLAUSIBLE_TOKENS)
        for name in ("prompt_tokens", "completion_tokens")
    )
    return asked, answered
