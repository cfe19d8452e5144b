"""What the tests of slow clients serve: it says how long the body was, or as much as the address
asks for, as one piece, in pieces or as a file; or it does not read the body, keeps its answer, or
says which process it is. Of somebody's request it waits for a file, if it is told to, or says what a file said when the
request was begun."""

import os
import time
from collections.abc import Callable, Iterable
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from config import turns

PIECES = 10
KEPT: list[bytes] = []


def application(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    if person := environ.get("HTTP_X_PERSON"):
        turns.begin(int(person))
        while not Path(environ["HTTP_X_WAITS_FOR"]).exists():
            time.sleep(0.01)
    if kept := environ.get("HTTP_X_KEPT_IN"):  # what it said when the request was begun, each time
        with Path(kept).with_suffix(".begun").open("a") as begun:
            begun.write("begun\n")
        content = Path(kept).read_bytes()
        environ["wsgi.input"].read()
        start("200 OK", [("Content-Length", str(len(content)))])
        return [content]
    asked, _slash, how = environ["PATH_INFO"][1:].partition("/")
    said = b"" if how == "unread" else str(len(environ["wsgi.input"].read())).encode()
    content = b"x" * int(asked) if asked else said
    if how == "process":
        content = str(os.getpid()).encode()
    if how == "kept":
        KEPT.append(content)
    told = [] if how == "pieces" else [("Content-Length", str(len(content)))]
    start("200 OK", [("Content-Type", "text/plain"), *told])
    if how == "pieces":
        stream, size = BytesIO(content), -(-len(content) // PIECES)
        return iter(lambda: stream.read(size), b"")
    if how == "file":
        file = TemporaryFile()  # noqa: SIM115 - gunicorn closes it
        file.write(content)
        file.seek(0)
        wrapped: Iterable[bytes] = environ["wsgi.file_wrapper"](file)
        return wrapped
    return [content]
