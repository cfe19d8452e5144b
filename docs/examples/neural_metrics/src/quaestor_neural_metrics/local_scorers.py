"""What language models in local folders say of texts (extra `neural`): likelihoods, verdicts, entailment."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quaestor_metrics import TransformerModel

ScorerNumbers = NDArray[np.float64]
KINDS = {
    "seq2seq": "AutoModelForSeq2SeqLM",
    "masked": "AutoModelForMaskedLM",
    "causal": "AutoModelForCausalLM",
    "classifier": "AutoModelForSequenceClassification",
    "encoder": "AutoModel",
}


class LocalScorer:
    """A loaded model with its tokenizer, asked about one text at a time: padding can change nothing."""

    def __init__(self, model: TransformerModel, kind: str) -> None:
        self.torch = import_module("torch")
        self.tokenizer, self.model = model.load(KINDS[kind], attn_implementation="eager")
        self.longest = self.tokenizer.model_max_length

    def pieces(self, text: str) -> list[int]:
        """Return a text's pieces without special ones."""
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def encoded(self, *texts: str, cut: bool | str = True) -> dict[str, Any]:
        """Return a text, or two, as the model reads them, cut to what it can."""
        return dict(
            self.tokenizer(*texts, truncation=cut, max_length=self.longest, return_tensors="pt")
        )

    def log_table(self, logits: Any) -> ScorerNumbers:
        """Return log-probabilities of (1, n_pieces, vocabulary) logits as (n_pieces, vocabulary)."""
        table = self.torch.log_softmax(logits[0].double(), dim=-1).numpy()
        return np.asarray(table, dtype=np.float64)

    def target_log_likelihoods(self, source: str, target: str) -> ScorerNumbers:
        """Return the log-likelihood of each piece of a target after a source, special pieces
        included (an encoder-decoder)."""
        given, wanted = self.encoded(source), self.encoded(target)["input_ids"]
        with self.torch.inference_mode():
            table = self.log_table(self.model(**given, labels=wanted).logits)
        return np.asarray(table[np.arange(wanted.shape[1]), wanted[0].numpy()])

    def next_piece_probabilities(self, text: str) -> ScorerNumbers:
        """Return the probability of each piece of a text but the first after those before it."""
        ids = self.encoded(text)["input_ids"]
        with self.torch.inference_mode():
            table = self.log_table(self.model(input_ids=ids).logits)
        return np.asarray(np.exp(table[np.arange(ids.shape[1] - 1), ids[0, 1:].numpy()]))

    def masked_tables(
        self, before: Sequence[int], wanted: Sequence[int]
    ) -> tuple[list[ScorerNumbers], list[int]]:
        """Return for each wanted piece the log-likelihood of every piece of the whole text with
        that one masked, and where the wanted pieces stand; of a long text the end is read."""
        whole = [*before, *wanted][-self.longest :]
        places = list(range(max(len(whole) - len(wanted), 0), len(whole)))
        found = []
        for place in places:
            masked = [*whole]
            masked[place] = self.tokenizer.mask_token_id
            with self.torch.inference_mode():
                logits = self.model(input_ids=self.torch.tensor([masked])).logits
            found.append(self.log_table(logits)[np.arange(len(whole)), whole])
        return found, places

    def answer_share(self, text: str, yes: str, no: str) -> float:
        """Return p(yes) / (p(yes) + p(no)) of the first piece that an encoder-decoder would write."""
        start = self.torch.tensor([[self.model.config.decoder_start_token_id]])
        with self.torch.inference_mode():
            logits = self.model(**self.encoded(text), decoder_input_ids=start).logits
        row = self.log_table(logits)[0]
        first = [self.pieces(word)[0] for word in (yes, no)]
        return float(1 / (1 + np.exp(row[first[1]] - row[first[0]])))

    def written(self, text: str, most: int) -> str:
        """Return what an encoder-decoder writes after a text, word by word the likeliest."""
        given = self.encoded(text)
        with self.torch.inference_mode():
            ids = self.model.generate(**given, max_new_tokens=most, do_sample=False, num_beams=1)
        return str(self.tokenizer.decode(ids[0], skip_special_tokens=True))

    def class_logits(self, *texts: str) -> ScorerNumbers:
        """Return a classifier's logits for a text or a pair of texts."""
        with self.torch.inference_mode():
            logits = self.model(**self.encoded(*texts)).logits
        return np.asarray(logits[0].double().numpy())

    def attended_likeness(self, question: str, context: str) -> float:
        """Return how alike each piece of a question is, layer by layer, to the piece of the context
        that it attends to most: a mean of cosines.

        As QRelScore's authors cut it, the last pieces of question and context are left out.
        """
        size = len(self.pieces(question))
        if size + 4 > self.longest:  # with three special pieces nothing of the context is left
            return float("nan")
        given = self.encoded(question, context, cut="only_second")
        with self.torch.inference_mode():
            found = self.model(**given, output_hidden_states=True, output_attentions=True)
        cosines = []
        for hidden, attention in zip(found.hidden_states[1:], found.attentions, strict=True):
            vectors = hidden[0] / hidden[0].norm(dim=-1, keepdim=True)
            heads = attention[0, :, 1:size, size + 2 : -2].amax(dim=0)
            if not heads.numel():
                return float("nan")
            most = heads.argmax(dim=-1)
            asked, read = vectors[1:size], vectors[size + 2 : -2]
            cosines.append((asked * read[most]).sum(dim=-1).mean())
        return float(self.torch.stack(cosines).mean())


@cache
def scorer(model: TransformerModel, kind: str) -> LocalScorer:
    """Return a model as one kind, loaded once a process."""
    return LocalScorer(model, kind)
