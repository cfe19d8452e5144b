"""Asking a machine judge at an address that speaks the OpenAI chat protocol: a call for each
question, some at once, to be resumed."""

import hashlib
import json
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from http.client import HTTPException
from types import MappingProxyType
from typing import Any
from urllib import request
from urllib.error import HTTPError

from django.db import transaction

from judging.actions.machine_judges import items
from judging.actions.redirects import CONFINED
from judging.design import KeyedDraws, SeededDraws
from judging.imports.readers.machine_tables import JudgedItem
from judging.models import Campaign, Criterion, MachineJudge, MachineJudgment, Question, User
from judging.protocols import rubric as documents
from judging.protocols.machine_prompts import (
    NoAnswer,
    PromptedQuestion,
    Read,
    asked_criteria,
    instruction,
    item_text,
    read_reply,
)
from judging.protocols.rubric_schema import RubricCriterion

TRIES = 3
LATER = (429, 500, 502, 503, 504, 529)  # the server may answer another time
LARGEST_REPLY = 1_000_000  # bytes
RAW_KEPT = 20_000  # characters
JUNK_KEPT = 2_000  # characters of what was no answer; all of these stand in one row
SAID_KEPT = 500  # characters of a refusal
PROBLEMS_KEPT = 500
A_TOKEN = 4  # characters, for estimates
REPLY_TOKENS = 80  # of an answer, for estimates
MILLION = 1_000_000
SHORTEST_KEY = 8  # characters; a shorter one is no secret, and part of other words
MOST_AT_ONCE = 16
MOST_TOKENS = 10_000_000  # that a server may say one call took
NO_COST = Decimal(0)
NOTHING: Mapping[str, Any] = MappingProxyType({})


class CannotAsk(Exception):
    """Nothing more can be asked: a refused key, an unknown model, another prompt under this
    name."""


@dataclass(frozen=True)
class Reply:
    """What the server sent."""

    text: str
    tokens_in: int
    tokens_out: int
    model: str = ""
    is_cut: bool = False


class Unanswered(Exception):
    """One question got no usable reply; the message says why, `raw` is what came. `billed` is the
    reply where the server says that it took tokens all the same."""

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
            raise CannotAsk("the key holds signs that cannot be sent")

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
            except HTTPException as error:  # its words are the server's, who may repeat the key
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
            raw = answer.read(LARGEST_REPLY).decode("utf-8", "replace")
        reply = _reply(self.without_key(raw))
        text, model = self.without_key(reply.text), self.without_key(reply.model)
        return replace(reply, text=text, model=model)

    def _said_with(self, error: HTTPError) -> str:
        """Return what a server said with a refusal; shortened last, so no part of a key is left."""
        try:
            said = error.read(LARGEST_REPLY)
        except (OSError, HTTPException):
            return ""
        return self.without_key(_storable(said.decode("utf-8", "replace")))[:SAID_KEPT]

    def without_key(self, said: str) -> str:
        """Return what a server said, which is kept and shown; some repeat the key, also as JSON
        may write it."""
        if len(self.key) >= SHORTEST_KEY:
            in_json = json.dumps(self.key)[1:-1]
            for written in (self.key, in_json, in_json.replace("/", "\\/")):
                said = said.replace(written, "…")
        return said


def is_key(text: str) -> bool:
    """Say whether a header can hold a key: what cannot be sent would stand in an error."""
    return text.isascii() and text.isprintable() and " " not in text


UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError)


def _reply(raw: str) -> Reply:
    """Read what a server sent, which may be anything; the database keeps no NUL and half a pair."""
    billed = None
    try:
        found = json.loads(raw)
        billed = Reply("", *_tokens(found), _storable(str(found.get("model") or "")))
        choice = found["choices"][0]
        text = _storable(str(choice["message"]["content"] or ""))
        is_cut = choice.get("finish_reason") == "length"
    except UNREADABLE:
        reason = "the server's reply is no chat completion"
        raise Unanswered(reason, _storable(raw), billed) from None
    return replace(billed, text=text, is_cut=is_cut)


def _tokens(found: Any) -> tuple[int, int]:
    """Return how many tokens a server says that it took; nothing where it says no numbers."""
    usage = found.get("usage") or {}
    asked, answered = (
        min(max(int(usage.get(name) or 0), 0), MOST_TOKENS)
        for name in ("prompt_tokens", "completion_tokens")
    )
    return asked, answered


def _storable(text: str) -> str:
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


@dataclass(frozen=True)
class Prices:
    """What a million tokens cost, and what may be spent in all."""

    tokens_in: Decimal = Decimal(0)
    tokens_out: Decimal = Decimal(0)
    budget: Decimal | None = None

    def of(self, tokens_in: int, tokens_out: int) -> Decimal:
        return (self.tokens_in * tokens_in + self.tokens_out * tokens_out) / MILLION


@dataclass(frozen=True, kw_only=True)
class QuestionsPart:
    """What a judge is asked: on which criteria (none named: all), how often, and about how many
    questions (None: all).

    Questions come source by source in an order drawn from the campaign's secret, so that the first
    n are a random part, and a larger n goes on from there.
    """

    criteria: tuple[str, ...] = ()
    repeats: int = 1
    first: int | None = None


EVERYTHING = QuestionsPart()


@dataclass(frozen=True)
class Estimated:
    """What asking would take: calls that have no answer yet, tokens and cost."""

    questions: int
    tokens_in: int
    tokens_out: int
    cost: Decimal
    example: str = ""  # what the judge is shown of the first question


@dataclass(frozen=True)
class Done:
    """What asking brought."""

    answered: int
    unanswered: int
    left: int
    cost: Decimal
    stopped: str = ""


@dataclass(frozen=True)
class _Call:
    """One question to ask, and which time it is asked."""

    unit: int
    repeat: int
    asked: PromptedQuestion


def prompt_of(campaign: Campaign, criteria: Collection[str] = ()) -> str:
    """Return the instruction of a campaign's protocol."""
    return instruction(documents.from_document(campaign.rubric.document), criteria)


def estimate(
    *, campaign: Campaign, name: str, prices: Prices, part: QuestionsPart = EVERYTHING
) -> Estimated:
    """Estimate tokens by length, before anything is asked."""
    rubric = documents.from_document(campaign.rubric.document)
    system = len(instruction(rubric, part.criteria))
    known = MachineJudge.objects.filter(campaign=campaign, name=name).first()
    texts = [item_text(call.asked, rubric) for call in _open(campaign, known, part)]
    tokens_in = sum(system + len(text) for text in texts) // A_TOKEN
    tokens_out = REPLY_TOKENS * len(texts)
    cost = prices.of(tokens_in, tokens_out)
    return Estimated(len(texts), tokens_in, tokens_out, cost, texts[0] if texts else "")


def ask(
    *,
    campaign: Campaign,
    by: User,
    name: str,
    chat: Chat,
    prices: Prices,
    today: date,
    part: QuestionsPart = EVERYTHING,
    most: int | None = None,
    about: Mapping[str, Any] = NOTHING,
    step: Callable[[int, int], None] = lambda done, total: None,
) -> Done:
    """Ask about every question that has no answer yet; each answer stands as soon as it came.

    `most`: calls at most this time. `about`: columns of a judge that is made. `step` is called
    before each call, with how many there were and will be; what it raises ends the asking, once the
    answers under way have come. Near the budget calls wait for each other: none is begun that could
    go beyond it at the price of the dearest so far.

    Raises
    ------
    CannotAsk
        Before anything is asked: the campaign is a draft, or the name belongs to another model or
        prompt.
    """
    judge = _judge(campaign, by, name, chat, today, part, about)
    rubric = documents.from_document(campaign.rubric.document)
    rows = dict(Criterion.objects.filter(rubric=campaign.rubric_id).values_list("key", "pk"))
    answered = unanswered = 0
    cost, dearest, stopped = NO_COST, NO_COST, ""
    waiting = list(_open(campaign, judge, part))
    calls = waiting[:most]

    def may_ask(under_way: int) -> bool:
        nonlocal stopped
        if stopped:
            return False
        if prices.budget is not None:
            if (judge.cost or NO_COST) >= prices.budget:
                stopped = "the budget is spent"
                return False
            ahead = (judge.cost or NO_COST) + under_way * dearest
            if under_way and (not dearest or ahead >= prices.budget):
                return False
        step(answered + unanswered, len(calls))
        return True

    def reply_to(call: _Call) -> Reply:
        return chat.ask(judge.prompt, item_text(call.asked, rubric))

    for call, coming in _under_way(calls, reply_to, may_ask, at_once=chat.at_once):
        try:
            reply = coming.result()
        except CannotAsk as refused:
            stopped = stopped or str(refused)
            continue
        except Unanswered as lost:
            billed = lost.billed
            spent = prices.of(billed.tokens_in, billed.tokens_out) if billed else NO_COST
            cost, dearest = cost + spent, max(dearest, spent)
            unanswered += 1
            _note(judge, call, str(lost), lost.raw, billed, spent)
            continue
        spent = prices.of(reply.tokens_in, reply.tokens_out)
        cost, dearest = cost + spent, max(dearest, spent)
        try:
            read = _read(reply, asked_criteria(rubric, part.criteria))
        except NoAnswer as reason:
            unanswered += 1
            _note(judge, call, str(reason), reply.text, reply, spent)
            continue
        rationale = chat.without_key(read.rationale)[:RAW_KEPT]
        _keep(judge, call, replace(read, rationale=rationale), reply, rows, spent)
        answered += 1
    return Done(answered, unanswered, len(waiting) - answered, cost, stopped)


def _read(reply: Reply, criteria: Sequence[RubricCriterion]) -> Read:
    if reply.is_cut:
        raise NoAnswer("the answer was cut off")
    return read_reply(reply.text, criteria)


def _under_way(
    calls: Sequence[_Call],
    reply_to: Callable[[_Call], Reply],
    may_ask: Callable[[int], bool],
    *,
    at_once: int,
) -> Iterator[tuple[_Call, Future[Reply]]]:
    """Yield each call with its reply to come, in their order.

    `may_ask` is told before each call how many are under way; where it says no, the first of these
    is waited for, and with none it is over. If it raises, what is under way is still yielded.
    """
    left, coming = deque(calls), deque[tuple[_Call, Future[Reply]]]()
    ended: BaseException | None = None
    with ThreadPoolExecutor(at_once, thread_name_prefix="ask") as pool:
        while True:
            try:
                while left and not ended and len(coming) < at_once and may_ask(len(coming)):
                    call = left.popleft()
                    coming.append((call, pool.submit(reply_to, call)))
            except BaseException as error:
                ended = error
            if not coming:
                break
            yield coming.popleft()
    if ended:
        raise ended


def _judge(
    campaign: Campaign,
    by: User,
    name: str,
    chat: Chat,
    today: date,
    part: QuestionsPart,
    about: Mapping[str, Any],
) -> MachineJudge:
    """Return the judge of that name, made if there is none; another model or prompt under the name
    is refused."""
    if campaign.state == Campaign.State.DRAFT:
        raise CannotAsk(
            "Lock the campaign first: a draft's protocol and questions may still change."
        )
    prompt = prompt_of(campaign, part.criteria)
    digest = hashlib.sha256(prompt.encode()).hexdigest()
    judge, made = MachineJudge.objects.get_or_create(
        campaign=campaign,
        name=name,
        defaults={
            "model": chat.model,
            "prompt": prompt,
            "prompt_sha256": digest,
            "temperature": chat.temperature,
            "judged_on": today,
            "created_by": by,
            **about,
        },
    )
    if not made and (judge.model, judge.prompt_sha256, judge.temperature) != (
        chat.model,
        digest,
        chat.temperature,
    ):
        raise CannotAsk(f"{name} is another model, prompt or temperature: take another name.")
    return judge


def _open(campaign: Campaign, judge: MachineJudge | None, part: QuestionsPart) -> Iterator[_Call]:
    """Yield the calls without an answer of the judge, with what annotators see beside a question;
    every question once before any is asked again."""
    done = set(judge.judgments.values_list("unit", "repeat")) if judge else set()
    kept = _drawn(campaign, items(campaign))[: part.first]
    lacking = [
        (item.unit, repeat)
        for repeat in range(1, part.repeats + 1)
        for item in kept
        if (item.unit, repeat) not in done
    ]
    related = "unit__question_set__source__passage"
    by_unit = Question.objects.select_related(related).in_bulk({unit for unit, _ in lacking})
    for unit, repeat in lacking:
        question = by_unit[unit]
        source = question.unit.question_set.source
        beside = {
            "passage": source.passage.text if source.passage else "",
            "sentence": source.sentence,
            "answer": source.answer,
            "target_type": source.target_type,
            "modality": source.modality,
            "submitted_answer": question.submitted_answer,
            "submitted_type": question.question_type,
        }
        yield _Call(unit, repeat, PromptedQuestion(question.text, beside))


def _drawn(campaign: Campaign, found: list[JudgedItem]) -> list[JudgedItem]:
    """Return items in the order in which a judge is asked: sources as drawn, each source whole."""
    secret = campaign.secret
    draws = KeyedDraws(bytes.fromhex(secret)) if secret else SeededDraws(campaign.seed)
    places = {
        source: draws.stream(f"machine judges/{source}").random()
        for source in {item.source for item in found}
    }
    return sorted(found, key=lambda item: (places[item.source], item.source))


def _keep(
    judge: MachineJudge,
    call: _Call,
    read: Read,
    reply: Reply,
    rows: Mapping[str, int],
    spent: Decimal,
) -> None:
    """Store an answer and what it cost. A worker taken for dead may have stored the same answer:
    then only the cost is added."""
    with transaction.atomic():
        _hold(judge)
        MachineJudgment.objects.bulk_create(
            (
                MachineJudgment(
                    judge=judge,
                    unit_id=call.unit,
                    criterion_id=rows[key],
                    value=value,
                    repeat=call.repeat,
                    rationale=read.rationale,
                    raw=reply.text[:RAW_KEPT],
                )
                for key, value in read.values.items()
            ),
            ignore_conflicts=True,
        )
        # an answer at last: what was noted of the question before is over
        _set_problems(judge, [each for each in judge.problems if each.get("unit") != call.unit])
        _pay(judge, spent, reply)


def _hold(judge: MachineJudge) -> None:
    """Lock a judge's row and read it anew; one that was removed takes no more answers."""
    held = MachineJudge.objects.select_for_update().filter(pk=judge.pk).first()
    if held is None:
        raise CannotAsk("The judge was removed meanwhile.")
    judge.cost, judge.version, judge.problems = held.cost, held.version, held.problems


def _pay(judge: MachineJudge, spent: Decimal, reply: Reply) -> None:
    judge.cost = (judge.cost or Decimal(0)) + spent
    judge.version = judge.version or (reply.model[:200] if reply.model != judge.model else "")
    judge.save(update_fields=["cost", "version"])


def _set_problems(judge: MachineJudge, problems: list[Any]) -> None:
    """Store what is wrong where it is not so already: with each answer it would be much to write."""
    if problems != judge.problems:
        judge.problems = problems
        judge.save(update_fields=["problems"])


def _note(
    judge: MachineJudge,
    call: _Call,
    reason: str,
    raw: str,
    reply: Reply | None = None,
    spent: Decimal = NO_COST,
) -> None:
    """Keep why a question has no answer, with what came and what it cost; it is asked again by the
    next call."""
    row = {"row": 0, "unit": call.unit, "column": "", "value": raw[:JUNK_KEPT], "reason": reason}
    with transaction.atomic():
        _hold(judge)
        others = [each for each in judge.problems if each.get("unit") != call.unit]
        _set_problems(judge, [*others, row][:PROBLEMS_KEPT])
        if reply:
            _pay(judge, spent, reply)
