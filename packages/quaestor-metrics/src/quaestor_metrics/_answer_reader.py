"""Answers that an extractive question-answering model in a local folder (extra `neural`) reads out
of a passage."""

import json
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quaestor_metrics._contract import MetricUnavailable
from quaestor_metrics._models import TransformerModel
from quaestor_metrics._progress import interruptible

WINDOW = 384  # word pieces of question and passage read at once; a third are repeated in the next
ANSWER_PIECES = 30  # word pieces
QUESTIONS_AT_ONCE = 64
ANSWERS_REMEMBERED = 4096

Logits = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class AnswerSpan:
    """A stretch of characters of a passage, and how strongly the model holds it to be the
    answer; `no_answer` is how strongly it holds that there is none."""

    score: float
    start: int
    end: int
    no_answer: float = np.inf


@dataclass(frozen=True, slots=True)
class Reading:
    """The answer that a model reads out of a passage, and the probability that there is one."""

    answer: str
    probability: float


NOWHERE = AnswerSpan(-np.inf, 0, 0)


def reason_against_reader(model: TransformerModel) -> str:
    """Return why a model cannot answer questions here, or nothing."""
    if (reason := model.reason_against()) or model.folder is None:
        return reason
    config = json.loads((model.folder / "config.json").read_text(encoding="utf-8"))
    named = config.get("architectures") or ["no model"]
    if any(name.endswith("ForQuestionAnswering") for name in named):
        return ""
    return f"{model.folder} holds {', '.join(named)}, which was not trained to answer questions"


def best_span(starts: Logits, ends: Logits) -> tuple[int, int, float]:
    """Return first and last word piece of the likeliest answer and its score (Devlin et al. 2019,
    section 4.2), from the logits of its start and end, (n_pieces,).

    Examples
    --------
    >>> best_span(np.array([0.0, 3.0, 0.0]), np.array([4.0, 0.0, 2.0]))
    (1, 2, 5.0)
    """
    size = len(starts)
    both = starts[:, None] + ends[None, :]
    lawful = np.triu(np.ones((size, size), dtype=bool)) & np.tri(
        size, k=ANSWER_PIECES - 1, dtype=bool
    )
    first, last = divmod(int(np.where(lawful, both, -np.inf).argmax()), size)
    return first, last, float(both[first, last])


def answer_probability(span: float, no_answer: float) -> float:
    """Return the probability that a passage holds an answer: exp(span) / (exp(span) + exp(no_answer)).

    `span` and `no_answer` are sums of a start and an end logit: of the best span, and of the
    classification token, to which a model that was trained on SQuAD 2.0 points if there is no answer
    (Devlin et al. 2019, section 4.3).

    Examples
    --------
    >>> answer_probability(2.0, 2.0), answer_probability(-np.inf, 0.0)
    (0.5, 0.0)
    """
    if span == -np.inf:
        return 0.0
    return float(np.exp(-np.logaddexp(0.0, no_answer - span)))


class Reader:
    """A loaded model that remembers the answers it gave last: F1 and exact match of a question read
    it once."""

    def __init__(self, model: TransformerModel) -> None:
        self._tokenizer, self._model = model.load("AutoModelForQuestionAnswering")
        if not self._tokenizer.is_fast:
            raise MetricUnavailable(
                f"the tokenizer of {model.name} does not report the positions of its pieces in a text"
            )
        self._tokenizer.padding_side = "right"
        self._torch = import_module("torch")
        self._device, self._batch_size = model.device, model.batch_size
        self._window = min(WINDOW, self._tokenizer.model_max_length)
        self._seen: OrderedDict[tuple[str, str], Reading] = OrderedDict()

    def readings(self, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Reading]:
        """Return the answer to each distinct pair of question and passage, in the passage's own
        characters, with the probability that there is one."""
        distinct = dict.fromkeys(pairs)
        readings = {pair: self._seen[pair] for pair in distinct if pair in self._seen}
        fresh = sorted(
            (pair for pair in distinct if pair not in readings), key=lambda pair: len(pair[1])
        )
        for start in range(0, len(fresh), QUESTIONS_AT_ONCE):
            part = fresh[start : start + QUESTIONS_AT_ONCE]
            readings.update(zip(part, self._read(part), strict=True))
        self._remember(readings)
        return readings

    def _read(self, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        windows = self._windows(pairs)
        best, probabilities = [NOWHERE] * len(pairs), [0.0] * len(pairs)
        places = sorted(
            range(len(windows["input_ids"])), key=lambda place: len(windows["input_ids"][place])
        )
        for start in interruptible(range(0, len(places), self._batch_size)):
            batch = places[start : start + self._batch_size]
            for place, span in zip(batch, self._spans(windows, batch), strict=True):
                whose = windows["overflow_to_sample_mapping"][place]
                best[whose] = max(best[whose], span, key=lambda one: (one.score, -one.start))
                # An answer is in one window; the others rightly hold none
                probability = answer_probability(span.score, span.no_answer)
                probabilities[whose] = max(probabilities[whose], probability)
        return [
            Reading(passage[span.start : span.end], probability)
            for (_, passage), span, probability in zip(pairs, best, probabilities, strict=True)
        ]

    def _windows(self, pairs: Sequence[tuple[str, str]]) -> Any:
        """Cut each passage into overlapping windows, the question before each; a question keeps a
        third of the room."""
        third = self._window // 3
        questions = [question for question, _ in pairs]
        cut = self._tokenizer(
            questions,
            add_special_tokens=False,
            truncation=True,
            max_length=third,
            return_offsets_mapping=True,
        )["offset_mapping"]
        short = [
            text[: places[-1][1]] if places else text
            for text, places in zip(questions, cut, strict=True)
        ]
        return self._tokenizer(
            short,
            [passage for _, passage in pairs],
            truncation="only_second",
            max_length=self._window,
            stride=third,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
        )

    def _spans(self, windows: Any, batch: Sequence[int]) -> Iterator[AnswerSpan]:
        inputs = [name for name in self._tokenizer.model_input_names if name in windows]
        inputs_of_batch = {name: [windows[name][place] for place in batch] for name in inputs}
        with self._torch.inference_mode():
            logits = self._model(
                **self._tokenizer.pad(inputs_of_batch, return_tensors="pt").to(self._device)
            )
        starts, ends = logits.start_logits.cpu().numpy(), logits.end_logits.cpu().numpy()
        for row, place in enumerate(batch):
            yield self._span(windows, place, starts[row], ends[row])

    def _span(self, windows: Any, place: int, starts: Logits, ends: Logits) -> AnswerSpan:
        """Return the best span of one window, from the logits of its pieces."""
        passage = [piece for piece, text in enumerate(windows.sequence_ids(place)) if text == 1]
        if not passage:
            return NOWHERE
        first, last, score = best_span(starts[passage], ends[passage])
        where = windows["offset_mapping"][place]
        token = windows["input_ids"][place].index(self._tokenizer.cls_token_id)
        no_answer = float(starts[token] + ends[token])
        return AnswerSpan(score, where[passage[first]][0], where[passage[last]][1], no_answer)

    def _remember(self, readings: dict[tuple[str, str], Reading]) -> None:
        for pair, reading in readings.items():
            self._seen[pair] = reading
            self._seen.move_to_end(pair)
        while len(self._seen) > ANSWERS_REMEMBERED:
            self._seen.popitem(last=False)


@cache
def reader(model: TransformerModel) -> Reader:
    """Return the reader of a model, loaded once a process."""
    return Reader(model)
