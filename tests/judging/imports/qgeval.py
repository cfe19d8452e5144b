"""Invented texts and ratings in the layout of QGEval's release: a workbook of each annotator, and one
of metrics, three of which give a score for each criterion."""

import random
from collections.abc import Sequence
from io import BytesIO

from openpyxl import Workbook

CRITERIA = (
    "fluency",
    "clarity",
    "conciseness",
    "relevance",
    "consistency",
    "answerability",
    "answer_consistency",
)
SUBSETS = ("SQuAD", "HotpotQA")
SYSTEMS = ("BART-base_finetune", "Flan-T5-XL_fewshot", "GPT-4-Turbo_zeroshot")
ANNOTATORS = ("annotator1", "annotator2", "annotator3")
METRICS = ("BLEU-4", "ROUGE-L", "QSTS", "RQUGE")
BY_CRITERION = ("GPTScore-ref", "UniEval", "GPTScore-src")
TEXTS = ("passage", "reference", "answer", "prediction", "source")


class QGEval:
    """A generated study with everything that its files hold."""

    def __init__(self, *, passages: int = 8, seed: int = 5) -> None:
        rng = random.Random(seed)
        self.questions = [
            texts(f"{subset} {number}", subset, system)
            for subset in SUBSETS
            for number in range(passages)
            for system in SYSTEMS
        ]
        # the ratings on each criterion by annotator, in the order of the questions
        self.ratings: dict[str, dict[str, list[int]]] = {}
        for criterion in CRITERIA:
            quality = [rng.choice((1, 2, 3, 3)) for _ in self.questions]
            self.ratings[criterion] = {
                annotator: [
                    value if rng.random() < 0.7 else rng.choice((1, 2, 3)) for value in quality
                ]
                for annotator in ANNOTATORS
            }
        self.scores = {name: [rng.random() for _ in self.questions] for name in METRICS}
        self.by_criterion = {
            name: [{key: rng.random() - 0.5 for key in CRITERIA} for _ in self.questions]
            for name in BY_CRITERION
        }

    def annotations(self, annotator: str) -> bytes:
        """Return the workbook of an annotator."""
        columns = [self.ratings[criterion][annotator] for criterion in CRITERIA]
        return workbook([*TEXTS, *CRITERIA], self.questions, columns)

    def metrics(self) -> bytes:
        """Return the workbook of metrics."""
        columns = [*self.scores.values(), *(map(str, each) for each in self.by_criterion.values())]
        return workbook([*TEXTS, *METRICS, *BY_CRITERION], self.questions, columns)

    def files(self) -> dict[str, bytes]:
        """Return all workbooks by name."""
        rated = {f"{name}.xlsx": self.annotations(name) for name in ANNOTATORS}
        return rated | {"metric_result.xlsx": self.metrics()}


def texts(name: str, subset: str, system: str) -> tuple[str, ...]:
    year = 1800 + len(name) * sum(map(ord, name)) % 200
    passage = f"The mill of {name} was sold in {year}. Herons nest there."
    question = f"In which year was the mill of {name} sold, {system}?"
    return passage, f"When was the mill of {name} sold?", str(year), question, f"{subset}_{system}"


def workbook(header: Sequence[str], questions, columns) -> bytes:
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.append(list(header))
    for cells in zip(questions, *columns, strict=True):
        sheet.append([*cells[0], *cells[1:]])
    out = BytesIO()
    book.save(out)
    return out.getvalue()
