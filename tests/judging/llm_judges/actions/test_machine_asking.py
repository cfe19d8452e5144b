"""Asking a judge at an address: against a server on this machine that answers by rule, also late,
wrong or never."""

import json
import re
import threading
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from judging.campaigns.models.campaign import Campaign
from judging.llm_judges.actions import asking
from judging.llm_judges.actions.asking import EVERYTHING, Prices, QuestionsPart
from judging.llm_judges.actions.chats import Chat
from judging.llm_judges.models.llm_judge import LLMJudge, LLMJudgment
from tests import factories
from tests.analysis import studies
from tests.refusing import refused

pytestmark = pytest.mark.django_db


class Server:
    """A chat server on the loopback address; `rule` says what it answers to a question, and how
    often it was asked."""

    def __init__(self) -> None:
        self.rule = lambda text: (
            200,
            {"grammaticality": 3, "correctness": 2, "rationale": "clear"},
        )
        self.asked: list[dict] = []
        self.keys: list[str] = []
        self.slow = threading.Event()
        self.redirect = ""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.asked.append(body)
                outer.keys.append(self.headers.get("Authorization", ""))
                status, answer = outer.rule(body["messages"][1]["content"])
                if outer.redirect:
                    self.send_response(307)
                    self.send_header("Location", f"{outer.redirect}/chat/completions")
                    self.end_headers()
                    return
                if answer == "never":
                    outer.slow.wait(20)
                    return
                reply = answer
                if not (isinstance(answer, dict) and "choices" in answer):
                    text = answer if isinstance(answer, str) else json.dumps(answer)
                    reply = {
                        "model": "small-2026-05",
                        "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
                        "usage": {"prompt_tokens": 1000, "completion_tokens": 100},
                    }
                sent = json.dumps(reply).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

            def log_message(self, *words: object) -> None:
                """Say nothing."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.http.server_port}/v1"
        self.thread = threading.Thread(
            target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self.thread.start()

    def close(self) -> None:
        self.slow.set()
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


@pytest.fixture(scope="module")
def imported(lasting):
    return studies.imported(sources=2)  # six questions


@pytest.fixture
def campaign(imported):
    return Campaign.objects.get(pk=imported.pk)


def asked(
    campaign, server, name="Small", prices=None, most=None, part=EVERYTHING, step=None, **chat
):
    return asking.ask_llm_judge(
        campaign=campaign,
        by=campaign.created_by,
        name=name,
        today=date(2026, 11, 22),
        most=most,
        part=part,
        chat=Chat(server.address, "maker/small", wait=lambda seconds: None, **chat),
        prices=prices or Prices(),
        step=step or (lambda done, total: None),
    )


def test_a_judge_answers_every_question_in_the_protocols_words(campaign, server):
    done = asked(campaign, server, key="secret-key", temperature=0.5)
    assert (done.answered, done.unanswered, done.left) == (6, 0, 0)
    judge = LLMJudge.objects.get()
    assert judge.judgments.count() == 12
    assert (judge.model, judge.version, judge.temperature) == ("maker/small", "small-2026-05", 0.5)
    first = judge.judgments.first()
    assert (first.rationale, json.loads(first.raw)["correctness"]) == ("clear", 2)
    system = server.asked[0]["messages"][0]["content"]
    assert system == judge.prompt
    for words in ("Read the question first.", "Is it grammatical?", "2 = nearly", '"correctness"'):
        assert words in system
    user = server.asked[0]["messages"][1]["content"]
    assert re.search(r"Passage: Lock \d was built by", user) and "Question: " in user
    assert not any(name in user for name in studies.SYSTEMS)


def test_the_key_is_sent_and_stored_nowhere(campaign, server):
    asked(campaign, server, key="secret-key")
    assert set(server.keys) == {"Bearer secret-key"}
    row = LLMJudge.objects.values().get()
    assert "secret-key" not in json.dumps(row, default=str)
    assert "secret-key" not in repr(Chat(server.address, "m", key="secret-key"))


@pytest.mark.parametrize(
    "answer",
    [
        "I cannot help with that.",
        "[3, 2]",
        {"grammaticality": 3},
        {"grammaticality": 3, "correctness": 7},
        {"grammaticality": "3", "correctness": 2},
        {"grammaticality": True, "correctness": 2},
        {"grammaticality": 2.0, "correctness": 2},
        {"choices": [{"message": {"content": '{"gram'}, "finish_reason": "length"}]},
        {"choices": []},
        "half a pair \ud83d and a \0",
        {"choices": [{"message": {"content": "{}"}}], "usage": {"prompt_tokens": "x"}},
    ],
)
def test_what_is_no_answer_is_kept_as_it_came_and_is_no_value(campaign, server, answer):
    server.rule = lambda text: (200, answer)
    done = asked(campaign, server, most=1)
    assert (done.answered, done.unanswered) == (0, 1)
    judge = LLMJudge.objects.get()
    assert not judge.judgments.exists()
    (problem,) = judge.problems
    assert problem["reason"]
    if isinstance(answer, str):
        assert problem["value"] == answer.replace("\0", "\ufffd").replace("\ud83d", "?")


def test_a_key_that_a_server_repeats_is_kept_nowhere(campaign, server):
    server.rule = lambda _text: (200, "your key is secret-key")
    asked(campaign, server, key="secret-key", most=1)
    assert "secret-key" not in json.dumps(LLMJudge.objects.get().problems)
    server.rule = lambda _text: (401, {"error": "wrong key secret-key"})
    assert "secret-key" not in asked(campaign, server, key="secret-key", most=1).stopped
    with refused("cannot_ask_judge"):
        Chat(server.address, "m", key="secret-key\nX: y")


def test_a_server_cannot_earn_the_budget_back_and_its_words_can_be_stored(campaign, server):
    text = json.dumps({"grammaticality": 3, "correctness": 2, "rationale": "a\0b \udc00"})
    usage = {"prompt_tokens": -(10**9), "completion_tokens": 10**40}
    server.rule = lambda _text: (
        200,
        {"choices": [{"message": {"content": text}}], "usage": usage, "model": "m\0"},
    )
    prices = Prices(Decimal(1), Decimal(1), Decimal(5))
    done = asked(campaign, server, prices=prices)
    assert (done.answered, done.cost, done.stopped) == (1, Decimal(10), "the budget is spent")
    assert LLMJudgment.objects.first().rationale == "a\ufffdb ?"


def test_asking_goes_on_where_it_ended_and_never_asks_twice(campaign, server):
    assert asked(campaign, server, most=2).left == 4
    server.rule = lambda text: (200, "no")
    assert asked(campaign, server, most=1).unanswered == 1
    server.rule = lambda text: (200, {"grammaticality": 1, "correctness": 1})
    done = asked(campaign, server)
    assert (done.answered, done.left) == (4, 0)
    assert len(server.asked) == 7
    assert LLMJudge.objects.get().problems == []
    assert asked(campaign, server).answered == 0
    assert len(server.asked) == 7


def test_a_busy_server_is_asked_again_and_a_refusal_ends_it(campaign, server):
    answers = iter([(503, {}), (429, {}), (200, {"grammaticality": 3, "correctness": 2})])
    server.rule = lambda text: next(answers)
    assert asked(campaign, server, most=1).answered == 1
    server.rule = lambda text: (401, {"error": "bad key"})
    done = asked(campaign, server)
    assert done.stopped.startswith("the server refuses (HTTP 401)")
    assert done.left == 5


def test_a_server_that_never_answers_costs_three_tries(campaign, server):
    server.rule = lambda text: (200, "never")
    done = asked(campaign, server, most=1, seconds=0.2)
    assert done.unanswered == 1
    assert len(server.asked) == 3
    assert "no answer" in LLMJudge.objects.get().problems[0]["reason"]


def test_several_questions_wait_together_and_are_kept_as_if_one_by_one(campaign, server):
    together = threading.Barrier(3)
    values = iter(range(100))
    lock = threading.Lock()

    def rule(text: str):
        together.wait(60)  # passes only when three are asked at the same time
        with lock:
            return 200, {"grammaticality": 1 + next(values) % 3, "correctness": 2}

    server.rule = rule
    done = asked(campaign, server, at_once=3)

    assert (done.answered, done.unanswered, done.left) == (6, 0, 0)
    judge = LLMJudge.objects.get()
    assert judge.judgments.count() == 12
    kept = judge.judgments.filter(criterion__key="grammaticality").values_list("value", flat=True)
    assert sorted(kept) == [1, 1, 2, 2, 3, 3]


def test_what_is_under_way_is_kept_when_asking_is_ended(campaign, server):
    def step(done: int, total: int) -> None:
        if len(server.asked) >= 2:
            raise KeyboardInterrupt

    together = threading.Barrier(2)

    def rule(text: str):
        together.wait(60)
        return 200, {"grammaticality": 1, "correctness": 1}

    server.rule = rule
    with pytest.raises(KeyboardInterrupt):
        asked(campaign, server, at_once=2, step=step)

    assert len(server.asked) == 2
    assert LLMJudgment.objects.count() == 4


def test_a_refusal_ends_asking_though_several_are_under_way(campaign, server):
    server.rule = lambda text: (401, {"error": "bad key"})
    done = asked(campaign, server, at_once=2)
    assert done.stopped.startswith("the server refuses (HTTP 401)")
    assert (done.answered, done.left) == (0, 6)
    assert len(server.asked) <= 3


@pytest.mark.parametrize("at_once", [1, 4])
def test_the_budget_is_kept(campaign, server, at_once):
    # one token a thousandth: an answer costs 1
    prices = Prices(Decimal(1000), Decimal(0), budget=Decimal("2.5"))
    done = asked(campaign, server, prices=prices, at_once=at_once)
    assert (done.answered, done.cost, done.stopped) == (3, Decimal(3), "the budget is spent")
    assert LLMJudge.objects.get().cost == 3
    assert asked(campaign, server, prices=prices, at_once=at_once).answered == 0


def test_another_model_under_the_same_name_is_refused(campaign, server):
    asked(campaign, server, most=1)
    with refused("name_taken"):
        asked(campaign, server, temperature=1.0)


def test_a_draft_and_a_strange_address_are_refused(server):
    with refused("not_locked"):
        asked(factories.campaign(), server)
    with refused("cannot_ask_judge"):
        Chat("file:///etc/passwd", "m")


def test_an_estimate_measures_a_part_of_very_many_calls(campaign, monkeypatch):
    prices = Prices(tokens_in=Decimal(2))
    part = QuestionsPart(repeats=3)
    asked = {"campaign": campaign, "name": "Judge", "prices": prices, "part": part}
    exact = asking.estimate_asking(**asked)
    monkeypatch.setattr(asking, "MEASURED", 2)
    about = asking.estimate_asking(**asked)

    assert about.questions == exact.questions == 18
    assert about.example == exact.example != ""
    assert about.tokens_in == pytest.approx(exact.tokens_in, rel=0.05)
    assert about.tokens_out == exact.tokens_out
