"""A crowd study as a platform releases it: batches of assignments, letters for systems, and a table
of metrics."""

import csv
import random
from collections.abc import Iterator, Sequence
from io import StringIO

SYSTEMS = (
    "T5 Large",
    "T5 Small",
    "BART Large",
    "T5 Large (No Passage)",
    "T5 Large (No Answer)",
    "LSTM",
)
CRITERIA = ("correctness", "grammaticality", "understandability")
METRICS = ("Bleu_4", "METEOR", "ROUGE_L")
PASSAGES, WORKERS = 5, 5  # passages of a HIT; assignments of a HIT
ABOUT = ("HITId", "AssignmentId", "WorkerId", "AssignmentStatus", "AcceptTime", "SubmitTime")

Rating = tuple[str, str, str, str]  # passage, system, worker, criterion


class Crowd:
    """A generated study with all of its ratings and scores."""

    def __init__(
        self,
        *,
        batches: int = 6,
        hits: int = 2,
        seed: int = 7,
        shuffled: bool = False,
        by_row: bool = False,
    ) -> None:
        self.rng = random.Random(seed)
        self.hits, self.shuffled, self.by_row = hits, shuffled, by_row
        self.ratings: dict[Rating, int] = {}
        self.scores: dict[tuple[str, str], dict[str, float]] = {}
        self.answers: dict[str, str] = {}
        self.batches = [self._batch(number) for number in range(batches)]

    def _batch(self, batch: int) -> str:
        """Return one batch; the header ends in two columns that no row fills."""
        rows = [row for hit in range(self.hits) for row in self._hit(f"{batch}-{hit}")]
        text = StringIO()
        writer = csv.writer(text, lineterminator="\r\n")
        header = list(rows[0])
        writer.writerow([*header, "Approve", "Reject"])
        writer.writerows([row[name] for name in header] for row in rows)
        return text.getvalue()

    def _hit(self, hit: str) -> Iterator[dict[str, str]]:
        passages = [
            f"Canal {hit}-{n} has {self.rng.randint(2, 90)} locks. It is old."
            for n in range(PASSAGES)
        ]
        letters = [self._letters() for _ in passages]
        given: dict[str, str] = {}
        for place, passage in enumerate(passages, 1):
            first, second = passage.split(". ")
            answer = self.answers[passage] = first.split(" has ")[1]
            given |= {
                f"Input.passage_{place}_before": "",
                f"Input.sentence_{place}": f"{first}.",
                f"Input.passage_{place}_after": f" {second}",
                f"Input.answer_{place}": answer,
            }
        for worker in range(WORKERS):
            if self.by_row:
                letters = [self._letters() for _ in passages]
            for place, passage in enumerate(passages, 1):
                for letter, system in zip("abcdef", letters[place - 1], strict=True):
                    given[f"Input.question_{place}{letter}"] = question(passage, system)
            about = dict(
                zip(
                    ABOUT,
                    (
                        hit,
                        f"{hit}/{worker}",
                        f"W{self.rng.randint(0, 30):02d}{worker}",
                        "Approved",
                        "now",
                        "later",
                    ),
                    strict=True,
                )
            )
            yield about | given | dict(self._answers(about["WorkerId"], passages, letters))

    def _letters(self) -> Sequence[str]:
        return self.rng.sample(SYSTEMS, len(SYSTEMS)) if self.shuffled else SYSTEMS

    def _answers(
        self, worker: str, passages: Sequence[str], letters: Sequence[Sequence[str]]
    ) -> Iterator[tuple[str, str]]:
        for place, (passage, systems) in enumerate(zip(passages, letters, strict=True), 1):
            for letter, system in zip("abcdef", systems, strict=True):
                scores = self.scores.setdefault(
                    (passage, system), {m: round(self.rng.random(), 4) for m in METRICS}
                )
                for criterion in CRITERIA:
                    value = min(3, max(1, round(1 + 2 * scores["METEOR"] + self.rng.gauss(0, 0.7))))
                    self.ratings[passage, system, worker, criterion] = value
                    yield f"Answer.{criterion}_{place}{letter}", str(value)

    def metrics(self) -> str:
        """Return the table of metrics, which names the systems."""
        text = StringIO()
        writer = csv.writer(text)
        writer.writerow(["model", "paragraph_raw", "answer_raw", "prediction", *METRICS])
        for (passage, system), scores in self.scores.items():
            writer.writerow(
                [
                    system,
                    passage,
                    self.answers[passage],
                    question(passage, system),
                    *scores.values(),
                ]
            )
        return text.getvalue()


def question(passage: str, system: str) -> str:
    return f"How many locks has {passage.split(' has ')[0].lower()}, {system}?"
