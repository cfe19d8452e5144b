"""Score rows: questions with their source and system, of which sets and systems are made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quaestor_metrics._contract import (
    Item,
    MetricResult,
    MetricSpec,
    MetricUnavailable,
    Need,
    Preparation,
    ScoredQuestion,
    ScoredSet,
    ScoredSystem,
    ScoredUnit,
    Scorer,
)
from quaestor_metrics._metric import Prepare, References, paired, signature
from quaestor_metrics._preparation import both_sides
from quaestor_metrics._registry import get
from quaestor_metrics._scoring import keep_running, score_items

AT_ONCE = 5000
COLUMNS = ("context", "answer", "source", "system")


@dataclass(frozen=True, slots=True)
class Row:
    """A question, and the source and system that it belongs to."""

    question: ScoredQuestion
    source: str = ""
    system: str = ""


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of several metrics, one a row.

    Parameters
    ----------
    results : mapping of str to list of MetricResult
        By id of the metric, (n,). The rows of a set or a system share its result.
    signature : mapping of str to str
        Every choice that the values depend on, by id of the metric.

    Examples
    --------
    >>> scores = score(["a b c d"], ["a b c e"], metrics=["bleu_1"])
    >>> round(scores["bleu_1"][0], 6), round(scores.mean("bleu_1"), 6)
    (0.75, 0.75)
    >>> print(scores)
    0.7500  bleu_1|nrefs:1|case:mixed|prep:raw|recipe:1|version:0.1.0
    """

    results: Mapping[str, Sequence[MetricResult]]
    signature: Mapping[str, str]

    def __getitem__(self, metric: str) -> list[float | None]:
        return [result.value for result in self.results[metric]]

    def __str__(self) -> str:
        return "\n".join(self._line(metric) for metric in self.results)

    def _line(self, metric: str) -> str:
        mean, rows = self.mean(metric), self[metric]
        shown = "no value" if mean is None else f"{mean:.4f}"
        without = sum(value is None for value in rows)
        note = f"  ({without} of {len(rows)} have no score)" if without else ""
        return f"{shown}  {self.signature[metric]}{note}"

    def mean(self, metric: str) -> float | None:
        """Return the mean of the rows that have a score; None if none has."""
        values = [value for value in self[metric] if value is not None]
        return sum(values) / len(values) if values else None

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row a hypothesis and one column a metric."""
        import pandas as pd

        return pd.DataFrame({metric: self[metric] for metric in self.results}, dtype=float)


def score(
    hypotheses: Sequence[str],
    references: References,
    metrics: Sequence[str | Scorer],
    *,
    prepare: Prepare = "raw",
    language: str = "en",
    columns: Mapping[str, Sequence[str]] | None = None,
) -> Scores:
    """Score generated questions by several metrics.

    Parameters
    ----------
    hypotheses : sequence of str
        The generated questions, (n,).
    references : sequence of str or of sequences of str
        The reference or references of each, (n,).
    metrics : sequence of str or Scorer
        Ids (see `list_metrics` and `Registry.get`), or metrics such as `BLEU(order=4)`.
    prepare : str or pair of str
        Preparation of both sides, or of hypotheses and references: `raw`, `nqg`, `ptb`, ...
    language : str
        Tag of the texts' language.
    columns : mapping of str to sequence of str, optional
        Further texts, (n,) each: `context` and `answer` if a metric reads them; `source` and
        `system`, whose rows are a question set and a system.

    Returns
    -------
    Scores
        One result a metric and row.

    Raises
    ------
    UnknownMetric, UnknownPreparation, EmptyReference, MetricUnavailable, MetricFailed
        A metric does not exist or cannot run, or a text cannot be used.
    ValueError
        The lists have different lengths.

    Examples
    --------
    >>> print(score(["Who sang it?"], [["Who sang it?", "Who wrote it?"]], ["rouge_l"], prepare="nqg"))
    1.0000  rouge_l|nrefs:2|case:lc|prep:nqg|recipe:1|version:0.1.0
    """
    rows = question_rows(paired(hypotheses, references), columns or {})
    preparation = both_sides(prepare)
    chosen = [get(metric) if isinstance(metric, str) else metric for metric in metrics]
    questions = [row.question for row in rows]
    with keep_running(chosen):
        return Scores(
            {
                metric.spec.id: score_rows(metric, rows, preparation=preparation, language=language)
                for metric in chosen
            },
            {
                metric.spec.id: signature(metric.spec, questions, preparation, language)
                for metric in chosen
            },
        )


def score_rows(
    metric: Scorer,
    rows: Sequence[Row],
    *,
    params: Mapping[str, Any] | None = None,
    preparation: Preparation,
    language: str = "en",
) -> list[MetricResult]:
    """Return one result a row; the rows of a set or a system share theirs.

    A set is the rows of one source and one system, with every reference that they name; a metric
    that weighs by the whole study gets the table at once, any other in chunks.
    """
    groups = _groups(metric.spec, rows)
    items = [_item(metric.spec.unit, [rows[place] for place in places]) for places in groups]
    size = len(items) if Need.STUDY in metric.spec.needs else AT_ONCE
    results: list[MetricResult] = []
    for start in range(0, len(items), max(1, size)):
        part = items[start : start + size]
        results += score_items(
            metric, part, params=params, preparation=preparation, language=language
        )
    by_row = {
        place: result for places, result in zip(groups, results, strict=True) for place in places
    }
    return [by_row[place] for place in range(len(rows))]


def question_rows(
    questions: Sequence[ScoredQuestion], columns: Mapping[str, Sequence[str]]
) -> list[Row]:
    """Return questions with further columns of `COLUMNS`."""
    for name, values in columns.items():
        if name not in COLUMNS:
            raise ValueError(f"there is no column {name}; there are {', '.join(COLUMNS)}")
        if len(values) != len(questions):
            raise ValueError(f"{len(values)} values of {name} for {len(questions)} hypotheses")
    rows = []
    for place, question in enumerate(questions):
        cells = {name: columns[name][place] if name in columns else "" for name in COLUMNS}
        text = ScoredQuestion(
            question.hypothesis, question.references, cells["context"], cells["answer"]
        )
        rows.append(Row(text, cells["source"], cells["system"]))
    return rows


def _groups(spec: MetricSpec, rows: Sequence[Row]) -> list[list[int]]:
    if spec.unit is ScoredUnit.SET and not any(row.source for row in rows):
        raise MetricUnavailable(f"{spec.id}: needs the source of each row")
    groups: dict[object, list[int]] = {}
    for place, row in enumerate(rows):
        key = {ScoredUnit.SET: (row.source, row.system), ScoredUnit.SYSTEM: row.system}.get(
            spec.unit, place
        )
        groups.setdefault(key, []).append(place)
    return list(groups.values())


def _item(unit: ScoredUnit, group: Sequence[Row]) -> Item:
    questions = tuple(row.question for row in group)
    if unit is ScoredUnit.SYSTEM:
        return ScoredSystem(questions)
    if unit is not ScoredUnit.SET:
        return questions[0]
    references = (reference for question in questions for reference in question.references)
    return ScoredSet(
        hypotheses=tuple(question.hypothesis for question in questions),
        references=tuple(dict.fromkeys(references)),
        answers=tuple(question.answer for question in questions),
        context=questions[0].context,
    )
