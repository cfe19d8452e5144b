"""A program that receives webhooks, on the loopback address."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Received:
    """A request that arrived; the names of its headers are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: bytes


class WebhookServer:
    """Keeps what it receives. `statuses` are the responses to the next requests; afterwards it
    answers 204. It answers nothing while `hangs` is set."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.statuses: list[int] = []
        self.location = ""
        self.hangs = False
        self.arrived, self.over = threading.Event(), threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.received.append(Received(self.path, headers, body))
                outer.arrived.set()
                if outer.hangs:
                    outer.over.wait(60)
                    return
                self.send_response(outer.statuses.pop(0) if outer.statuses else 204)
                if outer.location:
                    self.send_header("Location", outer.location)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *words: object) -> None:
                """Write no log."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop the server."""
        self.over.set()
        self.server.shutdown()
        self.server.server_close()
