"""A network between a site and its database or broker that can be cut while they use it."""

import asyncio
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from bench.brokers import BROKERS
from bench.soak_site import until
from config.postgres import DATABASE, OWNER, PORT, Cluster
from config.processes import free_port

Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]
PIECE = 65536
# Socket settings that the site requests of a server on a network (config/database/base.py).
AS_THE_SERVER = {
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE): 1,
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE): 5,
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL): 2,
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT): 3,
    (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT): 10_000,
}


class Cable:
    """Forwards connections to a port of the loopback to a server, until it is cut.

    If it is cut to refuse, it ends every connection and accepts none. If it is cut to be silent, it
    accepts them and forwards nothing; once it is restored, all waiting data are forwarded.
    """

    def __init__(
        self, port: int, reach: Callable[[], Awaitable[Ends]], host: str = "127.0.0.1"
    ) -> None:
        self.host, self.port, self.reach = host, port, reach
        self.whole, self.server = asyncio.Event(), None
        self.writers: set[asyncio.StreamWriter] = set()
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, name="cable", daemon=True).start()
        self.mend()

    def refuse(self) -> None:
        self._wait_for(self._refuse())

    def be_silent(self) -> None:
        self._wait_for(self._be_silent())

    def mend(self) -> None:
        self._wait_for(self._mend())

    def _wait_for(self, doing: Any) -> None:
        asyncio.run_coroutine_threadsafe(doing, self.loop).result(10)

    async def _refuse(self) -> None:
        self.whole.clear()
        if self.server:
            self.server.close()
            self.server = None
        for writer in self.writers:
            writer.transport.abort()

    async def _be_silent(self) -> None:
        self.whole.clear()

    async def _mend(self) -> None:
        if self.server is None:
            self.server = await asyncio.start_server(self._lead, self.host, self.port)
        self.whole.set()

    async def _lead(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for option, value in AS_THE_SERVER.items():
            writer.get_extra_info("socket").setsockopt(*option, value)
        ends = {writer}
        self.writers.add(writer)
        try:
            await self.whole.wait()
            from_there, there = await self.reach()
            ends.add(there)
            self.writers.add(there)
            await asyncio.gather(self._pass(reader, there), self._pass(from_there, writer))
        except OSError:
            pass  # one side is gone, so the other goes
        finally:
            self.writers -= ends
            for each in ends:
                each.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(PIECE):
            await self.whole.wait()
            writer.write(piece)
            await writer.drain()
        await self.whole.wait()
        writer.close()


class Wire:
    """A virtual network cable of the kernel that is pulled out and put in again: data sent
    meanwhile are lost without notice. It connects our network namespace with a server's."""

    HERE, THERE = "10.213.0.1", "10.213.0.2"

    def __init__(self, port: int, path: str) -> None:
        self.port = port
        self.there = subprocess.Popen(["unshare", "-n", "sleep", "infinity"])
        until(lambda: self._namespace(self.there.pid) != self._namespace(os.getpid()))
        ip("link add here type veth peer name there")
        ip(f"link set there netns {self.there.pid}")
        ip(f"addr add {self.HERE}/30 dev here")
        ip("link set here up")
        self.enter = ["nsenter", "-t", str(self.there.pid), "-n"]
        ip(f"addr add {self.THERE}/30 dev there", *self.enter)
        self.mend()
        leads = [sys.executable, "-m", "bench.soak_network", self.THERE, str(port), path]
        self.leading = subprocess.Popen([*self.enter, *leads])

    def pull(self) -> None:
        ip("link set there down", *self.enter)

    def mend(self) -> None:
        ip("link set there up", *self.enter)

    def close(self) -> None:
        for process in (self.leading, self.there):
            process.kill()
            process.wait()

    def _namespace(self, pid: int) -> Path:
        return Path(f"/proc/{pid}/ns/net").readlink()


def ip(words: str, *enter: str) -> None:
    subprocess.run([*enter, "ip", *words.split()], check=True)


def in_a_namespace() -> None:
    """Start this program again in its own network namespace, leaving the machine's untouched."""
    if not os.environ.get("SOAK_NAMESPACE"):
        os.environ["SOAK_NAMESPACE"] = "1"
        again = [sys.executable, "-m", "bench.soak", *sys.argv[1:]]
        os.execvp("unshare", ["unshare", "-n", *again])
    ip("link set lo up")


@contextmanager
def wired(folder: Path) -> Iterator[tuple[dict[str, Wire], dict[str, str]]]:
    """Run a database at the other end of a cable; yield it and the environment of a site that uses
    it."""
    folder.chmod(0o755)  # root hands the database to an account that must pass
    with Cluster(folder).serving() as cluster:
        wire = Wire(18700, str(cluster.socket / f".s.PGSQL.{PORT}"))
        try:
            until(lambda: _answers(wire.THERE, wire.port), "the cable leads nowhere")
            url = f"postgresql://{OWNER}@{wire.THERE}:{wire.port}/{DATABASE}"
            yield {"the database": wire}, {"DATABASE_URL": url}
        finally:
            wire.close()


def _answers(host: str, port: int) -> bool:
    with suppress(OSError), closing(socket.create_connection((host, port), 1)):
        return True
    return False


@contextmanager
def network(folder: Path, broker: str) -> Iterator[tuple[dict[str, Cable], dict[str, str]]]:
    """Run a database, and a broker where one is named; yield the cables that lead to them and the
    environment of a site that uses these."""
    folder.chmod(0o755)  # root hands the database to an account that must pass
    port = free_port(18700)
    with Cluster(folder).serving() as cluster:
        path = str(cluster.socket / f".s.PGSQL.{PORT}")
        cables = {"the database": Cable(port, lambda: asyncio.open_unix_connection(path))}
        names = {"DATABASE_URL": f"postgresql://{OWNER}@127.0.0.1:{port}/{DATABASE}"}
        if not broker:
            yield cables, names
            return
        own, led = free_port(18750), free_port(18720)
        with BROKERS[broker].run(folder, own):
            cables[broker] = Cable(led, lambda: asyncio.open_connection("127.0.0.1", own))
            yield cables, names | {"CELERY_BROKER_URL": BROKERS[broker].address.format(port=led)}


if __name__ == "__main__":
    host, port, path = sys.argv[1:]
    Cable(int(port), lambda: asyncio.open_unix_connection(path), host)
    threading.Event().wait()
