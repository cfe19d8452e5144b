"""Asking an LLM judge at an address: a call for each question, several at once, resumable."""

import hashlib
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import islice
from types import MappingProxyType
from typing import Any, Self

from django.db import transaction

from judging.campaigns.design import KeyedDraws
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Question
from judging.formats.judge_tables import RAW_KEPT
from judging.llm_judges.actions import llm_judges
from judging.llm_judges.actions.chats import CannotAsk, Chat, Reply, Unanswered
from judging.llm_judges.models.llm_judge import LLMJudge, LLMJudgment
from judging.people.models.user import User
from judging.protocols import documents
from judging.protocols.llm_prompts import (
    NoAnswer,
    PromptedQuestion,
    Read,
    asked_criteria,
    instruction,
    item_text,
    read_reply,
)
from judging.protocols.models.protocol import Criterion
from judging.protocols.protocol_schema import ProtocolCriterion

JUNK_KEPT = 2_000  # characters of a reply that is no answer; one row contains all of these
PROBLEMS_KEPT = 500
A_TOKEN = 4  # characters, for estimates
REPLY_TOKENS = 80  # of an answer, for estimates
MILLION = 1_000_000
MEASURED = 2_000  # calls whose texts are measured for an estimate; the others count as equally long
READ_AT_ONCE = 500  # questions, with what is shown beside them
NO_COST = Decimal(0)
NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Prices:
    """The prices of a million tokens, and the budget for all calls."""

    tokens_in: Decimal = Decimal(0)
    tokens_out: Decimal = Decimal(0)
    budget: Decimal | None = None

    def of(self, tokens_in: int, tokens_out: int) -> Decimal:
        return (self.tokens_in * tokens_in + self.tokens_out * tokens_out) / MILLION


@dataclass(frozen=True, kw_only=True)
class QuestionsPart:
    """What a judge is asked: on which criteria (empty: all), how often, and about how many
    questions (None: all).

    Questions come source by source in an order drawn from the campaign's secret, so that the first
    n are a random sample, and a larger n extends it.
    """

    criteria: tuple[str, ...] = ()
    repeats: int = 1
    first: int | None = None


EVERYTHING = QuestionsPart()


@dataclass(frozen=True)
class Estimated:
    """The estimated effort of asking: calls that have no answer yet, tokens and cost."""

    questions: int
    tokens_in: int
    tokens_out: int
    cost: Decimal
    example: str = ""  # what the judge is shown of the first question


@dataclass(frozen=True)
class Done:
    """The outcome of asking: numbers of calls, their cost, and why it stopped early, if it did."""

    answered: int
    unanswered: int
    left: int
    cost: Decimal
    stopped: str = ""


@dataclass(frozen=True)
class _Call:
    """One question to ask, and the number of its repeat, from 1."""

    unit: int
    repeat: int
    asked: PromptedQuestion


def prompt_of(campaign: Campaign, criteria: Collection[str] = ()) -> str:
    """Return the instruction of a campaign's protocol."""
    return instruction(documents.protocol_from_document(campaign.protocol.document), criteria)


def estimate_asking(
    *, campaign: Campaign, name: str, prices: Prices, part: QuestionsPart = EVERYTHING
) -> Estimated:
    """Estimate tokens by length, before anything is asked; of very many calls only the first
    MEASURED, a random sample, are measured."""
    protocol = documents.protocol_from_document(campaign.protocol.document)
    system = len(instruction(protocol, part.criteria))
    known = LLMJudge.objects.filter(campaign=campaign, name=name).first()
    left = _Left.of(campaign, known, part)
    measured = length = 0
    example = ""
    for call in _calls(islice(left.calls(), MEASURED)):  # streamed: each holds a full passage
        text = item_text(call.asked, protocol)
        measured, length = measured + 1, length + len(text)
        example = example or text
    count = left.count()
    characters = count * system + (length * count // measured if measured else 0)
    tokens_in, tokens_out = characters // A_TOKEN, REPLY_TOKENS * count
    return Estimated(count, tokens_in, tokens_out, prices.of(tokens_in, tokens_out), example)


def ask_llm_judge(
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
    """Ask about every question that has no answer yet; each answer is stored as soon as it comes.

    `most`: maximum number of calls this time. `about`: columns of a judge that is made. `step` is
    called before each call, with the numbers of calls made and planned; if it raises, asking ends
    once the answers under way have come. Near the budget calls wait for each other: none is begun
    that could exceed it at the highest price so far.

    Raises
    ------
    CannotAsk
        Before anything is asked: if the campaign is a draft, or the name belongs to another model,
        prompt or temperature.
    """
    judge = _judge(campaign, by, name, chat, today, part, about)
    protocol = documents.protocol_from_document(campaign.protocol.document)
    criteria = asked_criteria(protocol, part.criteria)
    asking = _Asking(judge, chat, prices, criteria)
    waiting = list(_calls(_Left.of(campaign, judge, part).calls()))
    calls = waiting[:most]

    def may_ask(under_way: int) -> bool:
        if not asking.may_go_on(under_way):
            return False
        step(asking.answered + asking.unanswered, len(calls))
        return True

    def reply_to(call: _Call) -> Reply:
        return chat.ask(judge.prompt, item_text(call.asked, protocol))

    for call, coming in _under_way(calls, reply_to, may_ask, at_once=chat.at_once):
        asking.take(call, coming)
    return Done(
        asking.answered,
        asking.unanswered,
        len(waiting) - asking.answered,
        asking.cost,
        asking.stopped,
    )


def _under_way(
    calls: Sequence[_Call],
    reply_to: Callable[[_Call], Reply],
    may_ask: Callable[[int], bool],
    *,
    at_once: int,
) -> Iterator[tuple[_Call, Future[Reply]]]:
    """Yield each call with its future reply, in order.

    `may_ask` is called before each call with the number of calls under way; if it returns False,
    the first of these is awaited, and with none under way the iteration ends. If it raises, calls
    under way are still yielded.
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
) -> LLMJudge:
    """Return the judge of that name, made if there is none; raise CannotAsk for a draft, or if the
    judge has another model, prompt or temperature."""
    if campaign.state == Campaign.State.DRAFT:
        raise CannotAsk(
            "Lock the campaign first: a draft's protocol and questions may still change.",
            code="not_locked",
        )
    prompt = prompt_of(campaign, part.criteria)
    digest = hashlib.sha256(prompt.encode()).hexdigest()
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        judge = LLMJudge.objects.filter(campaign=campaign, name=name).first()
        made = judge is None
        if judge is None:
            judge = LLMJudge.objects.create(
                campaign=campaign,
                name=name,
                model=chat.model,
                prompt=prompt,
                prompt_sha256=digest,
                temperature=chat.temperature,
                judged_on=today,
                created_by=by,
                **about,
            )
    if not made and (judge.model, judge.prompt_sha256, judge.temperature) != (
        chat.model,
        digest,
        chat.temperature,
    ):
        raise CannotAsk(
            f"{name} is another model, prompt or temperature: take another name.", code="name_taken"
        )
    return judge


@dataclass(frozen=True)
class _Left:
    """What a judge has still to be asked: units in the order in which they are asked, how often,
    and which answers (unit and repeat) are stored already."""

    units: Sequence[int]
    repeats: int
    done: Collection[tuple[int, int]]

    @classmethod
    def of(cls, campaign: Campaign, judge: LLMJudge | None, part: QuestionsPart) -> Self:
        done = set(judge.judgments.values_list("unit", "repeat")) if judge else set()
        return cls(_drawn(campaign)[: part.first], part.repeats, done)

    def count(self) -> int:
        held = set(self.units)
        there = sum(unit in held and repeat <= self.repeats for unit, repeat in self.done)
        return len(self.units) * self.repeats - there

    def calls(self) -> Iterator[tuple[int, int]]:
        """Yield units with the number of the repeat; every question comes once before any is
        repeated."""
        for repeat in range(1, self.repeats + 1):
            yield from ((unit, repeat) for unit in self.units if (unit, repeat) not in self.done)


def _calls(wanted: Iterator[tuple[int, int]]) -> Iterator[_Call]:
    """Yield calls with the texts that annotators see beside a question."""
    related = Question.objects.select_related("unit__question_set__source__passage")
    while some := list(islice(wanted, READ_AT_ONCE)):
        by_unit = related.in_bulk({unit for unit, _ in some})
        yield from (_call(by_unit[unit], repeat) for unit, repeat in some)


def _call(question: Question, repeat: int) -> _Call:
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
    return _Call(question.pk, repeat, PromptedQuestion(question.text, beside))


def _drawn(campaign: Campaign) -> list[int]:
    """Return units in the order in which a judge is asked: sources as drawn, each source whole."""
    draws = KeyedDraws(bytes.fromhex(campaign.secret))
    of_source: dict[str, list[int]] = {}
    for unit, source in llm_judges.units(campaign):
        of_source.setdefault(source, []).append(unit)
    places = {source: draws.stream(f"LLM judges/{source}").random() for source in of_source}
    asked = sorted(of_source, key=lambda source: (places[source], source))
    return [unit for source in asked for unit in of_source[source]]


class _Asking:
    """A judge that is asked: numbers and cost of its replies, and whether more may be asked."""

    def __init__(
        self,
        judge: LLMJudge,
        chat: Chat,
        prices: Prices,
        criteria: Sequence[ProtocolCriterion],
    ) -> None:
        self.judge, self.chat, self.prices, self.criteria = judge, chat, prices, criteria
        rows = Criterion.objects.filter(protocol=judge.campaign.protocol_id)
        self.rows = dict(rows.values_list("key", "pk"))
        self.answered = self.unanswered = 0
        self.cost = self.dearest = NO_COST
        self.stopped = ""

    def may_go_on(self, under_way: int) -> bool:
        """Return whether the budget allows one more call beside those under way, if each costs the
        highest price so far."""
        if self.stopped:
            return False
        if self.prices.budget is None:
            return True
        spent = self.judge.cost or NO_COST
        if spent >= self.prices.budget:
            self.stopped = "the budget is spent"
            return False
        is_known = self.dearest > 0
        return not under_way or (is_known and spent + under_way * self.dearest < self.prices.budget)

    def take(self, call: _Call, coming: Future[Reply]) -> None:
        """Store the outcome of a call: an answer, or why there is none."""
        try:
            reply = coming.result()
        except CannotAsk as refused:
            self.stopped = self.stopped or str(refused)
            return
        except Unanswered as lost:
            self._note(call, str(lost), lost.raw, lost.billed)
            return
        try:
            if reply.is_cut:
                raise NoAnswer("the answer was cut off")
            read = read_reply(reply.text, self.criteria)
        except NoAnswer as reason:
            self._note(call, str(reason), reply.text, reply)
        else:
            self._keep(call, read, reply)

    def _keep(self, call: _Call, read: Read, reply: Reply) -> None:
        """Store an answer and its cost. If a worker that was taken for dead has stored the same
        answer, only the cost is added."""
        spent = self._spent_on(reply)
        rationale = self.chat.without_key(read.rationale)[:RAW_KEPT]
        with transaction.atomic():
            self._hold()
            LLMJudgment.objects.bulk_create(
                (
                    LLMJudgment(
                        judge=self.judge,
                        unit_id=call.unit,
                        criterion_id=self.rows[key],
                        value=value,
                        repeat=call.repeat,
                        rationale=rationale,
                        raw=reply.text[:RAW_KEPT],
                    )
                    for key, value in read.values.items()
                ),
                ignore_conflicts=True,
            )
            # the question has an answer now: its earlier problems are deleted
            self._set_problems(self._problems_of_others(call))
            self._pay(spent, reply)
        self.answered += 1

    def _note(self, call: _Call, reason: str, raw: str, billed: Reply | None) -> None:
        """Store why a question has no answer, with the reply and its cost; the next call of `ask`
        asks it again."""
        spent = self._spent_on(billed) if billed else NO_COST
        row = {
            "row": 0,
            "unit": call.unit,
            "column": "",
            "value": raw[:JUNK_KEPT],
            "reason": reason,
        }
        with transaction.atomic():
            self._hold()
            self._set_problems([*self._problems_of_others(call), row][:PROBLEMS_KEPT])
            if billed:
                self._pay(spent, billed)
        self.unanswered += 1

    def _spent_on(self, reply: Reply) -> Decimal:
        spent = self.prices.of(reply.tokens_in, reply.tokens_out)
        self.cost, self.dearest = self.cost + spent, max(self.dearest, spent)
        return spent

    def _hold(self) -> None:
        """Lock the judge's row and read it again; raise CannotAsk if the judge was removed."""
        held = LLMJudge.objects.select_for_update().filter(pk=self.judge.pk).first()
        if held is None:
            raise CannotAsk("The judge was removed meanwhile.")
        self.judge.cost, self.judge.version = held.cost, held.version
        self.judge.problems = held.problems

    def _pay(self, spent: Decimal, reply: Reply) -> None:
        judge = self.judge
        judge.cost = (judge.cost or NO_COST) + spent
        judge.version = judge.version or (reply.model[:200] if reply.model != judge.model else "")
        judge.save(update_fields=["cost", "version"])

    def _problems_of_others(self, call: _Call) -> list[Any]:
        return [problem for problem in self.judge.problems if problem.get("unit") != call.unit]

    def _set_problems(self, problems: list[Any]) -> None:
        """Store the problems if they changed: storing them with each answer would be slow."""
        if problems != self.judge.problems:
            self.judge.problems = problems
            self.judge.save(update_fields=["problems"])
