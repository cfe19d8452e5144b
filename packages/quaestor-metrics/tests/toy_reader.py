"""A very small question-answering model, trained here in seconds on made-up passages until it
answers them.

It knows three kinds of answers and what asks for them; it is there to run the real road, and is no
measure of anything.
"""

import random
from pathlib import Path

FIRST, LAST = ("Agnes", "Bela", "Carla", "Dario", "Edda"), ("Tolliver", "Moss", "Quint", "Ravel")
PLACES, YEARS = ("Arden", "Bremmen", "Cadix", "Dorum"), ("1804", "1851", "1899", "1912")
FILLERS = (
    "the",
    "old",
    "lock",
    "bridge",
    "of",
    "iron",
    "was",
    "built",
    "in",
    "by",
    "gates",
    "stands",
    "and",
    ".",
    "?",
)
ASKS = {
    "who": "Who built the old bridge ?",
    "where": "Where stands the lock ?",
    "when": "When was the bridge built ?",
}
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
POSITIONS = 64
STEPS, LEARNT = 600, 0.01


def facts(rng: random.Random) -> dict[str, str]:
    """Return what a passage answers: a person, a place and a year."""
    who = f"{rng.choice(FIRST)} {rng.choice(LAST)}"
    return {"who": who, "where": rng.choice(PLACES), "when": rng.choice(YEARS)}


def passage(rng: random.Random, answers: list[str], *, fillers: int) -> str:
    """Return the answers in any order among words that answer nothing."""
    parts = [*answers, *(rng.choice(FILLERS) for _ in range(fillers))]
    rng.shuffle(parts)
    return " ".join(parts)


def make(folder: Path) -> Path:
    """Train the model and leave it in a folder, as a downloaded one lies there."""
    import torch
    from transformers import BertConfig, BertForQuestionAnswering, BertTokenizerFast

    words = sorted(
        {
            word.lower()
            for text in (*FIRST, *LAST, *PLACES, *YEARS, *FILLERS, *ASKS.values())
            for word in text.split()
        }
    )
    tokenizer = BertTokenizerFast(
        vocab={word: place for place, word in enumerate((*SPECIAL, *words))}
    )
    tokenizer.model_max_length = POSITIONS
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(SPECIAL) + len(words),
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=96,
        max_position_embeddings=POSITIONS,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        initializer_range=0.1,
    )
    model = BertForQuestionAnswering(config).train()
    optimiser, rng = torch.optim.AdamW(model.parameters(), lr=2e-3), random.Random(1)
    losses = [1.0]
    while len(losses) < STEPS and max(losses[-3:]) > LEARNT:
        optimiser.zero_grad()
        loss = model(**_lesson(tokenizer, rng)).loss
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _lesson(tokenizer, rng, size=32):
    """Return questions with passages that answer them, and some that do not, whose answer is the
    first piece."""
    import torch

    asked, texts, spans = [], [], []
    for _ in range(size):
        found, kind = facts(rng), rng.choice(list(ASKS))
        held = [answer for name, answer in found.items() if name != kind or rng.random() < 0.8]
        texts.append(passage(rng, held, fillers=rng.randint(0, 30)))
        asked.append(ASKS[kind])
        spans.append((texts[-1].find(found[kind]), found[kind]))
    batch = tokenizer(
        asked,
        texts,
        padding=True,
        truncation="only_second",
        max_length=POSITIONS,
        return_tensors="pt",
    )
    places = [
        (batch.char_to_token(row, start, 1), batch.char_to_token(row, start + len(answer) - 1, 1))
        if start >= 0
        else (0, 0)
        for row, (start, answer) in enumerate(spans)
    ]
    starts, ends = zip(*((first or 0, last or 0) for first, last in places), strict=True)
    return {**batch, "start_positions": torch.tensor(starts), "end_positions": torch.tensor(ends)}
