"""The web server's settings, on a laptop and in production alike; the environment changes what must
differ."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from config import memory, site_lock

bind = os.environ.get("QUAESTOR_BIND", "127.0.0.1:8000")
worker_class = "gthread"  # threads keep their database connections
workers = int(os.environ.get("QUAESTOR_WEB_PROCESSES", "2"))
threads = int(os.environ.get("QUAESTOR_WEB_THREADS", "3"))
preload_app = True  # processes share the memory of what is imported, and a new one begins at once
timeout = 120  # seconds; an upload of 200 MB over a slow line takes its time
graceful_timeout = 15
# A browser sends some 20 fields, proxies before us add some 20. The longest is Cookie or Referer: nginx takes 8 kB too.
limit_request_fields = 64
limit_request_field_size = 8190
max_requests = 20_000  # a process is renewed now and then
max_requests_jitter = 20_000  # seldom all at once, though somebody sends them for that
control_socket_disable = True
wsgi_app = "config.wsgi:application"


def post_fork(server: object, worker: object) -> None:
    """Limit what one process that answers can take."""
    memory.limit_web(threads=threads)


def post_worker_init(worker: object) -> None:
    """Keep restores and upgrades away while this process may touch the database."""
    site_lock.hold()
