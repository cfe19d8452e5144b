"""Contextual word vectors from a transformer (extra `neural`), and metrics that compare them."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quaestor_metrics._contract import MetricResult, ScoredQuestion, undefined
from quaestor_metrics._metric import QuestionMetric
from quaestor_metrics._models import ModelMetric, TransformerModel
from quaestor_metrics._progress import interruptible

TEXTS_REMEMBERED = 4096
PAIRS_AT_ONCE = 512
UNKNOWN_SHARE = 0.1  # of a text's pieces
NOT_KNOWN = (
    "not for this language: the model does not know more than a tenth of the word pieces of {which}"
)


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text's word pieces with their unit vectors, (n_pieces, width); the special pieces at both
    ends are marked."""

    pieces: tuple[str, ...]
    vectors: NDArray[np.float32]
    special: NDArray[np.bool_]
    truncated: bool
    unknown: int = 0  # pieces that the model's vocabulary does not have

    @property
    def mostly_unknown(self) -> bool:
        """Whether too many pieces are unknown for a likeness to mean anything: to the model they
        are all alike."""
        return self.unknown > UNKNOWN_SHARE * int((~self.special).sum())


class Encoder:
    """A loaded transformer that remembers the texts it saw last: a reference shared by six systems
    is encoded once."""

    def __init__(self, model: TransformerModel) -> None:
        self._tokenizer, self._model = model.load("AutoModel")
        self._torch = import_module("torch")
        self._device, self._batch_size = model.device, model.batch_size
        self._longest = self._tokenizer.model_max_length
        self._seen: OrderedDict[tuple[str, int], Encoded] = OrderedDict()

    def encoded(self, texts: Sequence[str], layer: int) -> dict[str, Encoded]:
        """Return each distinct text encoded by a layer (-1 is the last)."""
        distinct = dict.fromkeys(texts)
        vectors = {
            text: self._seen[text, layer] for text in distinct if (text, layer) in self._seen
        }
        fresh = [text for text in distinct if text not in vectors]
        if fresh:
            vectors.update(zip(fresh, self._all(fresh, layer), strict=True))
        self._remember(vectors, layer)
        return vectors

    def _all(self, texts: list[str], layer: int) -> list[Encoded]:
        """Encode texts of similar length together, because padding wastes computation."""
        cut = self._tokenizer(
            texts, truncation=True, max_length=self._longest, return_special_tokens_mask=True
        )
        places = sorted(range(len(texts)), key=lambda place: len(cut["input_ids"][place]))
        encoded: dict[int, Encoded] = {}
        for start in interruptible(range(0, len(places), self._batch_size)):
            part = places[start : start + self._batch_size]
            batch = {name: [values[place] for place in part] for name, values in cut.items()}
            encoded.update(zip(part, self._run(batch, layer), strict=True))
        return [encoded[place] for place in range(len(texts))]

    def _run(self, texts: dict[str, list[list[int]]], layer: int) -> Iterator[Encoded]:
        batch = self._tokenizer.pad(texts, return_tensors="pt")
        special = batch.pop("special_tokens_mask").numpy().astype(bool)
        with self._torch.inference_mode():
            hidden = self._model(**batch.to(self._device), output_hidden_states=True).hidden_states
            vectors = self._torch.nn.functional.normalize(hidden[layer], dim=-1).cpu().numpy()
        for row, size in enumerate(batch["attention_mask"].sum(dim=1).tolist()):
            pieces = tuple(
                self._tokenizer.convert_ids_to_tokens(batch["input_ids"][row][:size].tolist())
            )
            yield Encoded(
                pieces,
                vectors[row, :size].copy(),
                special[row, :size],
                truncated=size >= self._longest,
                unknown=sum(piece == self._tokenizer.unk_token for piece in pieces),
            )

    def _remember(self, vectors: dict[str, Encoded], layer: int) -> None:
        for text, encoded in vectors.items():
            self._seen[text, layer] = encoded
            self._seen.move_to_end((text, layer))
        while len(self._seen) > TEXTS_REMEMBERED:
            self._seen.popitem(last=False)


@cache
def encoder(model: TransformerModel) -> Encoder:
    """Return the encoder of a model, loaded once a process."""
    return Encoder(model)


class EncodedPairs(ModelMetric, QuestionMetric):
    """A metric that compares the word vectors of hypothesis and reference."""

    def layer(self, params: Mapping[str, Any]) -> int:
        """Return the hidden layer whose vectors are compared."""
        return int(params["layer"])

    def compared(
        self, hypothesis: Encoded, reference: Encoded, params: Mapping[str, Any]
    ) -> tuple[float, dict[str, Any]]:
        """Return the score of a pair and its details."""
        raise NotImplementedError

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        model, layer = encoder(self.chosen(params)), self.layer(params)
        results: list[MetricResult] = []
        for start in range(0, len(batch), PAIRS_AT_ONCE):
            pairs = [(one.hypothesis, one.references[0]) for one in batch[start:][:PAIRS_AT_ONCE]]
            vectors = model.encoded([text for pair in pairs for text in pair], layer)
            results += [
                self._result(vectors[hypothesis], vectors[reference], params)
                for hypothesis, reference in interruptible(pairs)
            ]
        return results

    def _result(
        self, hypothesis: Encoded, reference: Encoded, params: Mapping[str, Any]
    ) -> MetricResult:
        for text, which in ((hypothesis, "the question"), (reference, "the reference")):
            if text.mostly_unknown:
                return undefined(NOT_KNOWN.format(which=which))
        value, detail = self.compared(hypothesis, reference, params)
        facts = {
            "truncated": hypothesis.truncated or reference.truncated,
            "unknown": hypothesis.unknown + reference.unknown,
        }
        return MetricResult(value, detail=detail | facts)
