"""Brokers without persistent storage, each as a process of its own on the loopback."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.soak_people import PATIENCE
from config.processes import wait_for_port

RABBITMQ = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
EPMD = shutil.which("epmd") or "/usr/bin/epmd"


@contextmanager
def redis(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    with _running(command, folder, {}) as server:
        assert wait_for_port(port, seconds=PATIENCE)
        yield server


@contextmanager
def rabbitmq(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run it with files, cookie and register of names of its own."""
    names = {
        "HOME": str(folder),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "ERL_EPMD_PORT": str(port + 1),
        "RABBITMQ_NODENAME": f"quaestor-{port}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(port + 2),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
        "RABBITMQ_MNESIA_BASE": str(folder / "rabbitmq"),
        "RABBITMQ_LOG_BASE": str(folder / "rabbitmq"),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq" / "none"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "rabbitmq" / "no_plugins"),
    }
    (folder / "rabbitmq").mkdir(exist_ok=True)
    try:
        with _running([str(RABBITMQ)], folder, names) as server:
            _wait_for_word(port)
            yield server
    finally:
        subprocess.run([EPMD, "-kill"], env=os.environ | names, check=False, capture_output=True)


@contextmanager
def _running(
    command: list[str], folder: Path, names: dict[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    with (folder / "broker.txt").open("ab") as log:
        server = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | names,
            stdout=log,
            stderr=log,
            start_new_session=True,  # RabbitMQ is a script that has others run, and waits
        )
    try:
        yield server
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _wait_for_word(port: int) -> None:
    """Wait until RabbitMQ speaks: it listens before it does."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            with closing(socket.create_connection(("127.0.0.1", port), 5)) as line:
                line.sendall(b"AMQP\x00\x00\x09\x01")
                if line.recv(1):
                    return
        except OSError:
            pass
        assert time.monotonic() < deadline, "RabbitMQ does not answer"
        time.sleep(0.2)


@dataclass(frozen=True)
class Broker:
    """A program that notifies workers of jobs, and its address."""

    command: str
    run: Callable[[Path, int], AbstractContextManager[subprocess.Popen[bytes]]]
    address: str

    @property
    def is_installed(self) -> bool:
        return shutil.which(self.command) is not None


BROKERS = {
    "redis": Broker("redis-server", redis, "redis://127.0.0.1:{port}/0"),
    "rabbitmq": Broker(str(RABBITMQ), rabbitmq, "amqp://guest:guest@127.0.0.1:{port}//"),
}
