"""A server that is asked as a judge and means harm: it drips, repeats the key, or bills for
nothing."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judging.llm_judges.actions import asking
from judging.llm_judges.actions.asking import Prices
from judging.llm_judges.actions.chats import CannotAsk, Chat, Unanswered
from judging.llm_judges.models.llm_judge import LLMJudge, LLMJudgment
from tests.analysis import studies
from tests.judging.llm_judges.actions.test_machine_asking import Server, asked

KEY = "sk-a/bcdefgh"
NOTHING_MUCH = 0.02  # seconds, below which a growth cannot be measured
Send = Callable[[bytes], None]


def seconds(work: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    work(text)
    return time.process_time() - start


@pytest.fixture
def address() -> Iterator[Callable[[Callable[[Send], None]], str]]:
    """Start servers that answer each connection by a function, which may send anything."""
    lines = []

    def serve(answer: Callable[[Send], None]) -> str:
        listening = socket.create_server(("127.0.0.1", 0))
        lines.append(listening)

        def accept() -> None:
            while True:
                try:
                    line, _ = listening.accept()
                    with line:
                        line.recv(65536)
                        answer(line.sendall)
                        line.shutdown(socket.SHUT_WR)
                        while line.recv(65536):
                            pass
                except OSError:
                    if listening.fileno() < 0:
                        return

        threading.Thread(target=accept, daemon=True).start()
        return f"http://127.0.0.1:{listening.getsockname()[1]}"

    yield serve
    for each in lines:
        each.close()


def drip(send: Send) -> None:
    while True:
        send(b"a")
        time.sleep(0.02)


def dripped_head(send: Send) -> None:
    send(b"HTTP/1.1 200 OK\r\nX: ")
    drip(send)


def dripped_body(send: Send) -> None:
    send(b"HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n")
    drip(send)


def dripped_refusal(send: Send) -> None:
    send(b"HTTP/1.1 403 No\r\nContent-Length: 900000\r\n\r\n")
    drip(send)


@pytest.mark.parametrize("answer", [dripped_head, dripped_body, dripped_refusal])
def test_a_server_that_drips_is_given_the_time_of_an_answer(address, answer):
    chat = Chat(address(answer), "m", seconds=0.15, wait=lambda _seconds: None)
    began = time.monotonic()
    with pytest.raises((Unanswered, CannotAsk)):
        chat.ask("s", "u")
    assert time.monotonic() - began < 60


@pytest.mark.parametrize(
    "sent",
    [
        b"sk-a/bcdefgh\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\nsk-a/bcdefgh",
        b"HTTP/1.1 307 No\r\nLocation: http://[sk-a/bcdefgh\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 403 No\r\n\r\n" + b"x" * 495 + b"sk-a/bcdefgh",
        b'HTTP/1.1 200 OK\r\n\r\n{"choices": "sk-a\\/bcdefgh"}',
        b'HTTP/1.1 403 No\r\n\r\n{"error": "\\u0073k\\u002D\\u0061/bcdefgh"}',
        b'HTTP/1.1 200 OK\r\n\r\n{"choices": "\\\\u0073k-a\\\\/bcdefgh"}',
        b'HTTP/1.1 403 No\r\n\r\n{"error": "' + b"\\" * 32 + b'u0073k-a/bcdefgh"}',
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nsk-a/bcdefgh",
        b"HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nsk-a/bcdefgh",
    ],
)
def test_what_is_no_http_is_no_answer_and_keeps_no_key(address, sent):
    chat = Chat(address(lambda send: send(sent)), "m", key=KEY, seconds=5, wait=lambda _: None)
    with pytest.raises((Unanswered, CannotAsk)) as refused:
        chat.ask("s", "u")
    said = f"{refused.value} {getattr(refused.value, 'raw', '')}"
    assert "bcdefgh" not in said


@pytest.mark.parametrize(
    ("key", "said", "kept"),
    [
        (KEY, KEY * 2 + KEY[:-1], "……" + KEY[:-1]),
        (KEY, json.dumps(json.dumps(f'a"{KEY}"')), r'"\"a\\\"…\\\"\""'),
        (KEY, "\\" * 2_000 + "u0073k-a/bcdefgh!", "…!"),
        (KEY, r"\u005cu005cu0073k-a\u005c/bcdefgh!", "…!"),
        (KEY, r"\u0073k-a/bcdefg \u00zz \\", r"\u0073k-a/bcdefg \u00zz \\"),
        ("u0073abc", r"C:\u0073abc", "C:…"),
        ("73abcdef", r"C:\u0073abcdef", r"C:\u00…"),
        ("short", "short", "short"),
    ],
)
def test_a_key_is_taken_out_and_nothing_beside_it(key, said, kept):
    assert Chat("http://a.example", "m", key=key).without_key(said) == kept


@pytest.mark.parametrize(
    "unit",
    [
        "\\" * 64 + "a",
        "\\u0061",
        *(pytest.param(unit, marks=pytest.mark.long) for unit in ("\\", "\\u005c", "a", "\\a")),
    ],
)
def test_time_of_removing_a_key_grows_linearly(unit):
    chat = Chat("http://a.example", "m", key="a" * 999 + "b")
    few, many = (unit * (length // len(unit)) for length in (4_000, 32_000))
    at_few, at_many = (seconds(chat.without_key, said) for said in (few, many))
    if at_many > NOTHING_MUCH:
        at_many = min(at_many, seconds(chat.without_key, many))
        at_few = max(NOTHING_MUCH / 20, *(seconds(chat.without_key, few) for _ in range(3)))
        assert at_many < 24 * at_few


def test_a_piece_that_is_said_to_be_shorter_than_nothing_is_not_read_for_ever(address):
    sent = []

    def flood(send: Send) -> None:
        send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n")
        while True:
            send(b"x" * 100_000)
            sent.append(100_000)

    chat = Chat(address(flood), "m", seconds=60, wait=lambda _: None)
    with pytest.raises(Unanswered, match="3 times"):
        chat.ask("s", "u")
    assert sum(sent) < 3 * 20_000_000  # what a socket takes before it is read is lost


@pytest.fixture
def campaign(db):
    return studies.imported(sources=2)


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def completed(text: str, **more: object) -> tuple[int, dict]:
    usage = {"prompt_tokens": 1000, "completion_tokens": 0}
    return 200, {"choices": [{"message": {"content": text}} | more], "usage": usage, "model": KEY}


def test_what_acts_on_a_terminal_is_kept_of_no_machine(campaign, server):
    said = json.dumps({"grammaticality": 1, "correctness": 1, "rationale": "a\x1b[2J\nb\x9b"})
    status, body = completed(said)
    server.rule = lambda _text: (status, body | {"model": "m\x1b[2J\nx"})
    asked(campaign, server, most=1)
    assert LLMJudge.objects.get().version == "m\ufffd[2J x"
    assert LLMJudgment.objects.first().rationale == "a\ufffd[2J\nb\ufffd"


def test_a_key_in_a_reason_is_taken_out_however_it_is_written(campaign, server):
    said = json.dumps(
        {"grammaticality": 1, "correctness": 1, "rationale": f"{KEY} " + "x" * 30_000}
    )
    server.rule = lambda _text: completed(said.replace("c", "\\u0063", 3).replace("/", "\\/"))
    asked(campaign, server, key=KEY, most=1)
    server.rule = lambda _text: completed(said.replace("bcd", "b\\u0063d"))
    asked(campaign, server, key=KEY, most=1)
    judge = LLMJudge.objects.get()
    assert KEY not in judge.version
    for each in LLMJudgment.objects.all():
        assert KEY not in each.rationale
        assert len(each.rationale) <= 20_000


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (completed("{", finish_reason="length"), "cut off"),
        ((200, {"choices": [], "usage": {"prompt_tokens": 1000}}), "no chat completion"),
        ((200, {"choices": 7, "usage": {"prompt_tokens": 1000}, "model": 1}), "no chat completion"),
    ],
)
def test_what_is_billed_without_an_answer_is_paid_for(campaign, server, answer, reason):
    server.rule = lambda _text: answer
    prices = Prices(Decimal(1000), Decimal(0), budget=Decimal(2))
    done = asked(campaign, server, prices=prices)
    assert (done.unanswered, done.cost, done.stopped) == (2, Decimal(2), "the budget is spent")
    judge = LLMJudge.objects.get()
    assert reason in judge.problems[0]["reason"]
    assert judge.cost == Decimal(2)


def test_junk_is_not_written_again_with_each_answer(campaign, server, monkeypatch):
    monkeypatch.setattr(asking, "PROBLEMS_KEPT", 1)
    server.rule = lambda _text: completed("x" * 9_000)
    with CaptureQueriesContext(connection) as asked_for:
        assert asked(campaign, server).unanswered == 6
    writes = [each["sql"] for each in asked_for if '"problems" =' in each["sql"]]
    assert len(writes) == 1
    assert len(writes[0]) < 2_500
