"""Contextual word vectors from a transformer in a local folder (extra `neural`): nothing is ever
downloaded."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quaestor_metrics._contract import MetricUnavailable, Parameter
from quaestor_metrics._local_model import longest
from quaestor_metrics._progress import told

MODEL_VARIABLE = "QUAESTOR_METRIC_MODEL"
LAYER = Parameter(
    "layer", -1, "hidden layer whose vectors are compared; -1 is the last", least=-200, most=200
)
TEXTS_KEPT = 4096
TEXTS_AT_ONCE = 64
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

    def __init__(self, folder: Path) -> None:
        try:
            self._torch, transformers = import_module("torch"), import_module("transformers")
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(
                str(folder), local_files_only=True
            )
            self._model: Any = transformers.AutoModel.from_pretrained(
                str(folder), local_files_only=True
            ).eval()
        except (ImportError, OSError, ValueError, KeyError) as error:
            raise MetricUnavailable(f"the model in {folder} does not load: {error}") from error
        self._longest = longest(self._tokenizer, self._model.config)
        self._seen: OrderedDict[tuple[str, int], Encoded] = OrderedDict()

    def encoded(self, texts: Sequence[str], layer: int) -> dict[str, Encoded]:
        """Return each distinct text encoded by a layer (-1 is the last)."""
        asked = dict.fromkeys(texts)
        found = {text: self._seen[text, layer] for text in asked if (text, layer) in self._seen}
        fresh = [text for text in asked if text not in found]
        if fresh:
            found.update(zip(fresh, self._all(fresh, layer), strict=True))
        self._remember(found, layer)
        return found

    def _all(self, texts: list[str], layer: int) -> list[Encoded]:
        """Encode texts of similar length together, because padding wastes computation."""
        cut = self._tokenizer(
            texts, truncation=True, max_length=self._longest, return_special_tokens_mask=True
        )
        places = sorted(range(len(texts)), key=lambda place: len(cut["input_ids"][place]))
        found: dict[int, Encoded] = {}
        for start in told(range(0, len(places), TEXTS_AT_ONCE)):
            part = places[start : start + TEXTS_AT_ONCE]
            batch = {name: [values[place] for place in part] for name, values in cut.items()}
            found.update(zip(part, self._run(batch, layer), strict=True))
        return [found[place] for place in range(len(texts))]

    def _run(self, texts: dict[str, list[list[int]]], layer: int) -> Iterator[Encoded]:
        batch = self._tokenizer.pad(texts, return_tensors="pt")
        special = batch.pop("special_tokens_mask").numpy().astype(bool)
        with self._torch.inference_mode():
            hidden = self._model(**batch, output_hidden_states=True).hidden_states[layer]
            vectors = self._torch.nn.functional.normalize(hidden, dim=-1).numpy()
        for row, size in enumerate(batch["attention_mask"].sum(dim=1).tolist()):
            pieces = tuple(
                self._tokenizer.convert_ids_to_tokens(batch["input_ids"][row][:size].tolist())
            )
            unknown = sum(piece == self._tokenizer.unk_token for piece in pieces)
            yield Encoded(
                pieces,
                vectors[row, :size].copy(),
                special[row, :size],
                size >= self._longest,
                unknown,
            )

    def _remember(self, found: dict[str, Encoded], layer: int) -> None:
        for text, encoded in found.items():
            self._seen[text, layer] = encoded
            self._seen.move_to_end((text, layer))
        while len(self._seen) > TEXTS_KEPT:
            self._seen.popitem(last=False)


@cache
def encoder(folder: Path) -> Encoder:
    """Return the encoder of a folder, loaded once a process."""
    return Encoder(folder)
