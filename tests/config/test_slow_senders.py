"""Who sends a request slowly, or does not read the answer, holds nobody else up, and is cut off in
the end."""

import math
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from io import BytesIO
from pathlib import Path
from threading import BoundedSemaphore, Event, Thread
from types import SimpleNamespace

import pytest
from gunicorn.http.errors import LimitRequestHeaders, NoMoreData

from config import slow_readers, slow_senders, web_worker
from config.limits import OF_STRANGERS, SMALL
from config.postgres import ROOT
from config.slow_readers import NoTurn, Outbox, send
from config.slow_senders import LONGEST_HEAD, SLOWEST, Arriving, Hurried
from config.turns import Turns
from config.web_worker import READERS, Worker, wait_before
from tests.config.test_settings import BARE

pytestmark = pytest.mark.jobs
SLOW = (b"G", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nbegun")


@contextmanager
def serving(*options: str) -> Iterator[int]:
    """Serve by one process of two threads, as the site does by several. The socket is ours from the
    first: another run of the tests would find the same port free at the same moment."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "gunicorn",
                "-c",
                "deploy/gunicorn.conf.py",
                *options,
                "tests.config.slow_app:application",
            ],
            cwd=ROOT,
            env={
                **BARE,
                "QUAESTOR_BIND": f"fd://{listener.fileno()}",
                "QUAESTOR_WEB_PROCESSES": "1",
            },
            pass_fds=[listener.fileno()],
        )
        port = listener.getsockname()[1]
        try:
            assert posted(port, b"x", timeout=60) == "1"  # once it is there
            yield port
        finally:
            process.terminate()
            process.wait(timeout=60)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serving() as port:
        yield port


def posted(port: int, body: bytes, *, timeout: float = 10, **headers: str) -> str:
    asked = urllib.request.Request(f"http://127.0.0.1:{port}/", data=body, headers=headers)
    with urllib.request.urlopen(asked, timeout=timeout) as answer:
        return answer.read().decode()


def process_of(port: int, timeout: float = 10) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/0/process", timeout=timeout) as answer:
        return answer.read().decode()


def body_of_answer(sender: socket.socket) -> bytes:
    """Return the one digit that the next answer says, in however many pieces it comes."""
    said = b""
    while not said.partition(b"\r\n\r\n")[2]:
        piece = sender.recv(1000)
        assert piece, "it hung up"
        said += piece
    assert said.startswith(b"HTTP/1.1 200 OK")
    return said.partition(b"\r\n\r\n")[2]


def test_many_slow_senders_leave_the_threads_that_answer_free(port: int) -> None:
    with ExitStack() as open_all_the_while:
        for number in range(20):
            slow = open_all_the_while.enter_context(
                socket.create_connection(("127.0.0.1", port), 10)
            )
            slow.sendall(SLOW[number % 2])
        assert [posted(port, b"x" * size) for size in (1, 70_000, 300_000)] == [
            "1",
            "70000",
            "300000",
        ]


@pytest.mark.parametrize("size", [SMALL - 1000, 3 * SMALL])
def test_many_who_do_not_read_leave_the_threads_that_answer_free(port: int, size: int) -> None:
    with ExitStack() as open_all_the_while:
        for _ in range(4):
            slow = open_all_the_while.enter_context(socket.socket())
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.settimeout(10)
            slow.connect(("127.0.0.1", port))
            slow.sendall(b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n" % size)
            assert slow.recv(1, socket.MSG_PEEK)  # its answer is on the way
        assert posted(port, b"x") == "1"


def test_those_who_do_not_hang_up_leave_the_thread_that_accepts_free(port: int) -> None:
    with ExitStack() as open_all_the_while:
        for _ in range(8):
            slow = open_all_the_while.enter_context(
                socket.create_connection(("127.0.0.1", port), 10)
            )
            slow.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert posted(port, b"x") == "1"


@pytest.mark.parametrize(
    "framing",
    [b"Content-Length: 1%0400d" % 0, b"Content-Length: 6000000", b"Transfer-Encoding: chunked"],
)
def test_body_that_was_not_read_is_not_waited_for(port: int, framing: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), 10) as sender:
        sender.sendall(b"POST /1/unread HTTP/1.1\r\nHost: x\r\n" + framing + b"\r\n\r\n")
        said = b"".join(iter(lambda: sender.recv(1000), b""))  # until it is closed
    assert said.startswith(b"HTTP/1.1 200 OK")
    assert b"\r\nConnection: close\r\n" in said


@pytest.mark.parametrize("size", [OF_STRANGERS + 1, 4 * SMALL])
def test_who_still_sends_what_nobody_wants_sees_the_answer(port: int, size: int) -> None:
    with socket.create_connection(("127.0.0.1", port), 10) as sender:
        sender.sendall(b"POST /1/unread HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % size)
        sender.sendall(b"x" * size)
        assert sender.recv(1000).startswith(b"HTTP/1.1 200 OK")


@pytest.mark.parametrize("how", ["", "/pieces", "/file"])
@pytest.mark.parametrize("size", [1, 2 * SMALL + 1])
def test_answer_comes_whole_however_large_and_however_made(port: int, size: int, how: str) -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/{size}{how}", timeout=10) as answer:
        assert len(answer.read()) == size


def ready(socket_: socket.socket, turns: int = 1) -> Outbox:
    return Outbox(socket_, BoundedSemaphore(turns))


def test_large_answers_are_kept_as_long_as_there_is_room_for_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(slow_readers, "KEPT", 3 * SMALL)
    monkeypatch.setattr(slow_readers, "PATIENCE", 0.05)
    here, there = socket.socketpair()
    large = b"x" * (SMALL + 1)
    with here, there:
        first, second = ready(here), ready(here)
        first.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(large))
        first.sendall(large)
        second.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (2 * len(large)))
        with pytest.raises(TimeoutError):  # it is sent by who makes it, and nobody reads
            second.sendall(large)
        second.close()
        first.close()
        assert Outbox.kept_by_all == 0


def test_streamed_answer_is_kept_piece_by_piece_and_sent_by_its_thread_once_it_is_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(slow_readers, "LARGEST", 3 * SMALL)
    here, there = socket.socketpair()
    with here, there:
        streamed = ready(here)
        monkeypatch.setattr(slow_readers, "PATIENCE", 0.05)
        streamed.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        streamed.sendall(b"x" * (SMALL + 1))
        streamed.sendall(b"x" * SMALL)
        assert not streamed.has_turn
        assert 2 * SMALL < streamed.kept.tell() <= streamed.booked == Outbox.kept_by_all
        with pytest.raises(TimeoutError):
            streamed.sendall(b"x" * SMALL)
        assert streamed.has_turn
        streamed.close()
        assert streamed.turns.acquire(blocking=False)
        assert Outbox.kept_by_all == 0


def test_only_so_many_threads_send_what_they_make_and_who_comes_then_is_told_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(slow_readers, "KEPT", 0)
    turns = BoundedSemaphore(1)
    here, there = socket.socketpair()
    with here, there:
        first, second = Outbox(here, turns), Outbox(here, turns)
        first.take_turn()
        first.take_turn()  # it has it by now
        second.sendall(b"x" * SMALL)
        with pytest.raises(NoTurn):
            second.sendall(b"x")
        with pytest.raises(NoTurn):
            second.take_turn()
        first.close()
        second.take_turn()
        second.close()
        assert turns.acquire(blocking=False)


@pytest.mark.parametrize("how", ["sent", "read"])
def test_large_files_that_come_or_go_slowly_leave_a_thread_that_answers_free(
    port: int, how: str
) -> None:
    """One process has two threads that answer, and some for what takes long."""
    with ExitStack() as open_all_the_while:
        said = []
        for _ in range(web_worker.SLOW + 1):
            slow = open_all_the_while.enter_context(socket.socket())
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.settimeout(60)
            slow.connect(("127.0.0.1", port))
            if how == "sent":
                slow.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n")
            else:
                size = slow_readers.LARGEST + SMALL
                slow.sendall(b"GET /%d/pieces HTTP/1.1\r\nHost: x\r\n\r\n" % size)
                said.append(slow.recv(12, socket.MSG_PEEK))
        assert posted(port, b"x", timeout=60) == "1"
    sent = [b"HTTP/1.1 200"] * web_worker.SLOW
    assert said == ([] if how == "sent" else [*sent, b"HTTP/1.1 503"])


@pytest.mark.parametrize("framing", [b"Content-Length: 6000000", b"Transfer-Encoding: chunked"])
def test_who_reads_a_small_answer_slowly_keeps_no_turn_from_large_files(
    port: int, framing: bytes
) -> None:
    """Two visitors who announced a body kept researchers' files out for as long as they liked."""
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.settimeout(60)
        slow.connect(("127.0.0.1", port))
        asked = b"GET /%d/unread HTTP/1.1\r\nHost: x\r\n" % (SMALL - 1000)
        slow.sendall(asked + framing + b"\r\n\r\n")
        assert slow.recv(12, socket.MSG_PEEK) == b"HTTP/1.1 200"
        large = b"x" * (SMALL + 1)
        assert posted(port, large, timeout=60) == str(len(large))


def test_one_person_leaves_a_thread_that_answers_to_others(port: int, tmp_path: Path) -> None:
    """One process has two threads that answer. The last of the requests wait for their turn, with
    their bodies."""
    go_on, exists = tmp_path / "go on", tmp_path
    held = {"X-Person": "7", "X-Waits-For": str(go_on)}
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(posted, port, b"x" * size, timeout=90, **held) for size in (1, 2, 3)]
        for _ in range(3):
            answer = posted(port, b"x", timeout=60, **{"X-Person": "8", "X-Waits-For": str(exists)})
            assert answer == "1"
        assert not any(each.done() for each in asked)
        go_on.touch()
        assert [each.result() for each in asked] == ["1", "2", "3"]


def test_pages_of_several_people_that_take_long_leave_a_thread_to_others(
    port: int, tmp_path: Path
) -> None:
    """One process has two threads that answer, and some for what takes long. Two accounts of one
    person kept everybody waiting for five minutes."""
    go_on, exists = tmp_path / "go on", tmp_path
    with ThreadPoolExecutor(web_worker.LONG) as pool:
        asked = [
            pool.submit(
                posted, port, b"x", timeout=90, **{"X-Person": str(who), "X-Waits-For": str(go_on)}
            )
            for who in range(web_worker.LONG)
        ]
        answer = posted(port, b"xy", timeout=60, **{"X-Person": "99", "X-Waits-For": str(exists)})
        assert answer == "2"
        assert not any(each.done() for each in asked)
        go_on.touch()
        assert [each.result() for each in asked] == ["1"] * web_worker.LONG


def test_what_takes_long_gives_its_place_back_once_and_what_fails_too(monkeypatch) -> None:
    monkeypatch.setattr(web_worker, "LONG_AFTER", 0.01)
    with ThreadPoolExecutor(3) as answering:
        server = SimpleNamespace(
            answering=answering, quick=BoundedSemaphore(1), long=BoundedSemaphore(1)
        )
        is_long, go_on = Event(), Event()

        def last_long() -> str:
            while server.quick._value == 0:  # until its place is another's
                time.sleep(0.001)
            is_long.set()
            assert go_on.wait(60)
            return "long"

        with ThreadPoolExecutor(1) as beside:
            first = beside.submit(Worker._done, server, last_long)
            assert is_long.wait(60)
            assert Worker._done(server, lambda: "quick") == "quick"
            with pytest.raises(TimeoutError, match="of its own"):
                Worker._done(
                    server, lambda: (_ for _ in ()).throw(TimeoutError("of its own")).send(None)
                )
            assert server.quick._value == 1 and server.long._value == 0
            go_on.set()
            assert first.result() == "long"
        assert (server.quick._value, server.long._value) == (1, 1)


@contextmanager
def sending_a_file(port: int, **headers: str) -> Iterator[socket.socket]:
    """Begin to send a large file, and keep the rest of it."""
    with socket.create_connection(("127.0.0.1", port), 60) as sender:
        said = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        length = f"Content-Length: {SMALL + 1}\r\n\r\n"
        sender.sendall(f"POST / HTTP/1.1\r\nHost: x\r\n{said}{length}".encode() + b"x" * SMALL)
        yield sender


def test_who_sends_a_large_file_slowly_keeps_their_person_from_nothing(
    port: int, tmp_path: Path
) -> None:
    """A thief who sent one to each process kept the account's owner from ending their session."""
    (exists := tmp_path / "exists").touch()
    of_person = {"X-Person": "7", "X-Waits-For": str(exists)}
    with sending_a_file(port, **of_person) as sender:
        assert posted(port, b"x", timeout=60, **of_person) == "1"
        sender.sendall(b"x")
        assert sender.recv(12, socket.MSG_WAITALL) == b"HTTP/1.1 200"


def test_who_somebody_is_counts_when_their_file_is_whole(port: int, tmp_path: Path) -> None:
    """They may have been logged out since it began, hours ago."""
    kept, begun = tmp_path / "right", tmp_path / "right.begun"
    kept.write_text("may come in")
    with sending_a_file(port, X_Kept_In=str(kept)) as sender:
        while not begun.exists():
            time.sleep(0.01)
        kept.write_text("must stay out")
        sender.sendall(b"x")
        said = b"".join(iter(lambda: sender.recv(1000), b""))
    assert said.endswith(b"must stay out")
    assert begun.read_text() == "begun\nbegun\n"


def test_only_so_many_files_are_kept_at_once_and_of_one_person_fewer(monkeypatch) -> None:
    monkeypatch.setattr(web_worker, "PATIENCE", 0.01)
    server = SimpleNamespace(files=BoundedSemaphore(2), senders=Turns(1))
    place = partial(Worker._place_for_file, server)
    with place(7):
        with pytest.raises(NoTurn, match="the same person"), place(7):
            pass
        with place(8), pytest.raises(NoTurn, match="others send"), place(9):
            pass
    assert server.senders.held == {}
    assert [server.files.acquire(blocking=False) for _ in range(3)] == [True, True, False]


def test_who_sends_a_file_is_looked_at_again_and_what_others_take_is_not_the_senders_time(
    monkeypatch,
) -> None:
    monkeypatch.setattr(web_worker, "LOOK_AGAIN", 0.0)
    with socket.socketpair()[0] as here, ThreadPoolExecutor(1) as answering:
        hurried = Hurried(here, 0)
        body, looks = BytesIO(b"x" * 3 * slow_senders.PIECE), list[float]()

        def answer(req: SimpleNamespace, _answered: None) -> str:
            looks.append(hurried.deadline - time.monotonic())
            hurried.deadline = 0  # as if others had taken as much
            if len(looks) == 3:
                return "logged out"
            req.body.read()
            raise AssertionError("it is not whole")

        server = SimpleNamespace(
            _done=lambda answer: answering.submit(answer).result(),
            _answer=answer,
            files=BoundedSemaphore(1),
            senders=Turns(1),
        )
        server._place_for_file = partial(Worker._place_for_file, server)
        request = SimpleNamespace(body=body, headers=[("CONTENT-LENGTH", str(SMALL + 1))])
        large = Arriving(body, BytesIO(), hurried)
        assert Worker._in_turn(server, request, None, large) == "logged out"
    assert body.tell() == 2 * slow_senders.PIECE
    assert looks[1:] == pytest.approx([slow_senders.PATIENCE] * 2, abs=5)
    assert server.senders.held == {} and server.files.acquire(blocking=False)


def test_file_is_gone_with_its_answer(port: int) -> None:
    """Some 200 MB each stayed on the disk until Python looked for what refers to itself."""
    process, large = Path(f"/proc/{process_of(port)}/fd"), b"x" * (SMALL + 1)

    def without_names() -> set[str]:
        found = set()
        for each in process.iterdir():
            with suppress(FileNotFoundError):  # closed meanwhile
                if str(each.readlink()).endswith("(deleted)"):
                    found.add(each.name)
        return found

    before = without_names()
    for size in (SMALL + 1, OF_STRANGERS + 1, OF_STRANGERS):
        assert posted(port, large[:size], timeout=60) == str(size)
    with sending_a_file(port):
        pass  # and hangs up
    while left := without_names() - before:
        assert len(left) == 1  # of what was not sent to its end
        time.sleep(0.05)


def test_process_that_is_renewed_waits_for_no_slow_client() -> None:
    """Two processes were gone for 134 seconds, for Python waits at its end for threads that read."""
    with serving("--max-requests", "8", "--max-requests-jitter", "0") as port, ExitStack() as all_:
        slow = all_.enter_context(socket.create_connection(("127.0.0.1", port), 10))
        slow.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % SMALL)
        hung_up = Event()

        def send_a_little() -> None:
            with suppress(OSError):
                while not hung_up.wait(0.1):
                    slow.sendall(b"x" * (SLOWEST // 8))  # not too slow, for four minutes
            hung_up.set()

        sending = Thread(target=send_a_little)
        sending.start()
        first = processes = {process_of(port)}
        while processes == first:
            processes = first | {process_of(port, timeout=90)}
        assert hung_up.wait(90), "the old process waited for it"
        sending.join()


def test_process_that_has_grown_ends_once_nothing_is_under_way(tmp_path: Path) -> None:
    settings, grown = tmp_path / "gunicorn.conf.py", 8 * SMALL
    settings.write_text(
        "import runpy; globals().update(runpy.run_path('deploy/gunicorn.conf.py'))\n"
        f"from config import web_worker; web_worker.GROWN = {grown}\n"
    )
    with serving("-c", str(settings)) as port:
        first = process_of(port)
        said = {"X_Person": "1", "X_Waits_For": "/", "X_Kept_In": str(tmp_path / "kept")}
        (tmp_path / "kept").write_bytes(b"")
        with sending_a_file(port, **said):
            while not (tmp_path / "kept.begun").exists():
                time.sleep(0.01)
            grows = f"http://127.0.0.1:{port}/{grown}/kept"
            assert len(urllib.request.urlopen(grows, timeout=60).read()) == grown
            assert process_of(port) == first  # a file is on its way
        until = time.monotonic() + 300
        while process_of(port, timeout=90) == first:
            assert time.monotonic() < until
            time.sleep(0.05)


def test_who_finds_no_room_is_told_in_so_many_bytes_as_announced() -> None:
    head, _blank, body = web_worker.BUSY.partition(b"\r\n\r\n")
    assert b"\r\nContent-Length: %d" % len(body) in head


def test_who_takes_nothing_of_a_large_answer_is_cut_off_before_its_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(slow_readers, "PATIENCE", 0.05)
    here, there = socket.socketpair()
    with here, there, pytest.raises(TimeoutError):
        send(here, iter([b"x" * 10_000_000]), time.monotonic() + 600)


def test_answer_is_sent_until_its_time_is_over() -> None:
    here, there = socket.socketpair()
    with here, there:
        send(here, iter([b"ab"]), time.monotonic() + 60)
        assert there.recv(3) == b"ab"
        with pytest.raises(TimeoutError):
            send(here, iter([b"c"]), time.monotonic() - 1)
        with pytest.raises(TimeoutError):  # nobody reads
            send(here, iter([b"d" * 10_000_000]), time.monotonic() + 0.05)
        assert here.gettimeout() is None


def test_body_comes_in_pieces_or_after_being_asked_for_and_larger_ones_as_they_are_read(
    port: int,
) -> None:
    with socket.create_connection(("127.0.0.1", port), 10) as sender:
        sender.sendall(
            b"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n"
        )
        assert sender.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        for piece in (b"abc", b"def"):
            sender.sendall(piece)
        assert body_of_answer(sender) == b"6"
        sender.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab")  # kept alive
        assert body_of_answer(sender) == b"2"
    assert posted(port, b"x" * (SMALL + 1)) == str(SMALL + 1)


def test_socket_gives_bytes_until_its_time_is_over_however_they_trickle() -> None:
    here, there = socket.socketpair()
    with here, there:
        hurried = Hurried(here, time.monotonic() + 60)
        there.sendall(b"ab")
        assert hurried.recv(1) == b"a"
        hurried.deadline = time.monotonic() - 1  # bytes are there, but it took too long
        with pytest.raises(NoMoreData):
            hurried.recv(1)
        hurried.deadline = time.monotonic() + 60
        assert hurried.recv(1) == b"b"
        hurried.deadline = time.monotonic() + 0.05  # nothing comes
        with pytest.raises(NoMoreData):
            hurried.recv(1)


def test_what_comes_gives_time_and_silence_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = socket.socketpair()
    with here, there:
        hurried = Hurried(here, time.monotonic() + 5, math.inf)
        before = hurried.deadline
        there.sendall(b"x" * SLOWEST)
        while hurried.deadline < before + 1:
            hurried.recv(SLOWEST)
        assert hurried.deadline == pytest.approx(before + 1)
        monkeypatch.setattr(slow_senders, "PATIENCE", 0.05)
        with pytest.raises(NoMoreData):  # some seconds are left of it
            hurried.recv(1)


def test_who_sends_much_at_once_has_saved_up_no_time_for_little_after_it() -> None:
    """560 who sent 700 kB and then a byte every ten seconds kept everybody waiting for a minute."""
    here, there = socket.socketpair()
    with here, there:
        hurried = Hurried(here, time.monotonic() + 10, math.inf)
        sent = 0
        while sent < 100 * SLOWEST:
            there.sendall(b"x" * SLOWEST)
            sent += len(hurried.recv(SLOWEST))
        assert hurried.deadline <= time.monotonic() + slow_senders.PATIENCE


@pytest.mark.parametrize(("waited", "left"), [(0, 15), (10, 5), (100, 3)])
def test_who_waited_for_a_thread_to_read_has_a_moment_left(waited: float, left: float) -> None:
    came = SimpleNamespace(came=time.monotonic() - waited)
    assert web_worker._deadline(came) - time.monotonic() == pytest.approx(left, abs=0.5)


def test_who_announces_much_and_sends_nothing_holds_up_nobody_for_long(port: int) -> None:
    """More of them than there are threads that read; who waits behind them is answered all the same."""
    with ExitStack() as open_all_the_while:
        for _ in range(READERS + 40):
            slow = open_all_the_while.enter_context(
                socket.create_connection(("127.0.0.1", port), 60)
            )
            slow.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % SMALL)
        before = time.monotonic()
        assert posted(port, b"x", timeout=300) == "1"
        # 320 s for what was announced; a machine that is busy may take longer than 15
        assert time.monotonic() - before < 150


@pytest.mark.parametrize("pieces", [1, LONGEST_HEAD // 1000])
def test_unfinished_head_is_taken_no_longer_than_a_browser_and_its_proxies_make_one(
    port: int, pieces: int
) -> None:
    with socket.create_connection(("127.0.0.1", port), 10) as sender:
        sender.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        unfinished = b"X-Field: 12345678\r\n" * 55 * (2 * LONGEST_HEAD // 1000 // pieces)
        with suppress(ConnectionError):
            for _ in range(pieces):
                sender.sendall(unfinished)
        assert sender.recv(1000).startswith(b"HTTP/1.1 431 ")


def test_socket_gives_a_head_of_so_many_bytes_however_many_come() -> None:
    here, there = socket.socketpair()
    with here, there:
        hurried = Hurried(here, time.monotonic() + 60)
        there.sendall(b"x" * LONGEST_HEAD + b"y")
        assert sum(len(hurried.recv(8192)) for _ in range(LONGEST_HEAD // 8192)) == LONGEST_HEAD
        with pytest.raises(LimitRequestHeaders):
            hurried.recv(1)
        hurried.most = math.inf
        assert hurried.recv(1) == b"y"


def test_longest_head_of_a_browser_behind_proxies_is_answered(port: int) -> None:
    fields = [(f"X-Of-A-Proxy-{number}", "1" * 100) for number in range(40)]
    head = {"Cookie": "c" * 8000, "Referer": "r" * 4000, **dict(fields)}
    assert posted(port, b"abc", **head) == "3"


def test_a_process_with_more_connections_leaves_new_ones_longer_to_others() -> None:
    waits = [wait_before(held) for held in (0, 1, 10, 20)]
    assert waits == sorted(set(waits))
    assert waits[0] == 0
    assert wait_before(10_000) < 0.01  # in the thread that also finds who has sent something


def test_a_connection_that_another_process_took_meanwhile_is_no_error() -> None:
    worker = Worker.__new__(Worker)
    worker.nr_conns = 3
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        worker.accept(listener)
    assert worker.nr_conns == 3
