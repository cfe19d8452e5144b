"""What the tests of slow senders serve: it says how long the body was."""

from collections.abc import Callable, Iterable
from typing import Any


def application(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    said = str(len(environ["wsgi.input"].read())).encode()
    start("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(said)))])
    return [said]
