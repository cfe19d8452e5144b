"""Base classes of the built-in metrics: a metric with its settings, and its scores of plain texts."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from quaestor_metrics._contract import (
    MetricResult,
    MetricSpec,
    Preparation,
    ScoredQuestion,
    ScoredSet,
    ScoredSystem,
    Scorer,
    recipe,
    with_defaults,
)
from quaestor_metrics._preparation import LOWERING, both_sides
from quaestor_metrics._scoring import keep_running, score_items
from quaestor_metrics._version import __version__

References = Sequence[str | Sequence[str]]
Prepare = str | tuple[str, str]


@dataclass(frozen=True, slots=True)
class CorpusScore:
    """The score of a corpus of n questions that have one, with every choice that it depends on."""

    name: str
    value: float | None
    n: int
    signature: str

    def __str__(self) -> str:
        value = "no value" if self.value is None else f"{self.value:.4f}"
        return f"{self.name} = {value} ({self.signature})"


class Metric:
    """A metric with its settings: values of `spec.parameters` that replace the defaults.

    Raises
    ------
    UnknownParameter
        The metric does not have the setting, or does not accept its value.
    """

    def __init__(self, **settings: Any) -> None:
        self.settings = settings
        with_defaults(self.described(), settings)

    def described(self) -> MetricSpec:
        """Return the specification with the metric's own defaults."""
        raise NotImplementedError

    @property
    def spec(self) -> MetricSpec:
        """The specification, with the settings as defaults."""
        return with_defaults(self.described(), self.settings)

    def available(self) -> tuple[bool, str]:
        """Return whether the metric can run here, and if not, why."""
        return True, ""

    def score(self, batch: Sequence[Any], params: Mapping[str, Any]) -> list[MetricResult]:
        """Return one result for each item of a batch; `score_items` prepares texts and settings."""
        raise NotImplementedError


class QuestionMetric(Metric):
    """A metric of one question."""

    def of_corpus(self) -> Scorer | None:
        """Return the metric of a whole corpus if it is not the mean over questions."""
        return None

    def sentence_score(
        self,
        hypothesis: str,
        references: str | Sequence[str],
        *,
        prepare: Prepare = "raw",
        language: str = "en",
    ) -> MetricResult:
        """Score one question.

        Parameters
        ----------
        hypothesis : str
            The generated question.
        references : str or sequence of str
            Its reference or references.
        prepare : str or pair of str
            Preparation of both sides, or of hypothesis and references.
        language : str
            Tag of the texts' language.

        Returns
        -------
        MetricResult
            The value, or the reason why there is none.
        """
        questions = paired([hypothesis], [references])
        preparation = both_sides(prepare)
        return score_items(self, questions, preparation=preparation, language=language)[0]

    def corpus_score(
        self,
        hypotheses: Sequence[str],
        references: References,
        *,
        prepare: Prepare = "raw",
        language: str = "en",
    ) -> CorpusScore:
        """Score a corpus: by the corpus metric if there is one, else by the mean over questions.

        Parameters
        ----------
        hypotheses : sequence of str
            The generated questions, (n,).
        references : sequence of str or of sequences of str
            The reference or references of each, (n,).
        prepare, language
            As for `sentence_score`.

        Returns
        -------
        CorpusScore
            The value with its signature.
        """
        questions, preparation = paired(hypotheses, references), both_sides(prepare)
        whole = self.of_corpus()
        metric: Scorer = whole or self
        items = [ScoredSystem(tuple(questions))] if whole else questions
        results = score_items(metric, items, preparation=preparation, language=language)
        values = [result.value for result in results if result.value is not None]
        return CorpusScore(
            name=metric.spec.name,
            value=sum(values) / len(values) if values else None,
            n=len(questions) if whole else len(values),
            signature=signature(metric.spec, questions, preparation, language),
        )


class SetMetric(Metric):
    """A metric of the questions on one source."""

    def set_score(
        self,
        hypotheses: Sequence[str],
        references: Sequence[str] = (),
        *,
        prepare: Prepare = "raw",
        language: str = "en",
    ) -> MetricResult:
        """Score the questions on one source.

        Parameters
        ----------
        hypotheses : sequence of str
            The generated questions, (m,).
        references : sequence of str
            The human questions on the source, (n,).
        prepare, language
            As for `QuestionMetric.sentence_score`.

        Returns
        -------
        MetricResult
            The value, or the reason why there is none.
        """
        one = ScoredSet(tuple(hypotheses), tuple(references))
        return score_items(self, [one], preparation=both_sides(prepare), language=language)[0]


class Derived(Metric):
    """A metric that is computed from another one, its base."""

    base: Scorer

    def available(self) -> tuple[bool, str]:
        return self.base.available()

    @contextmanager
    def keep_running(self) -> Iterator[None]:
        """Keep the programs and models of the base running."""
        with keep_running([self.base]):
            yield


def paired(hypotheses: Sequence[str], references: References) -> list[ScoredQuestion]:
    """Return each hypothesis with its references."""
    if isinstance(hypotheses, str) or isinstance(references, str):
        raise ValueError("hypotheses and references are lists of texts, not one text")
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses have {len(references)} lists of references")
    return [
        ScoredQuestion(hypothesis, (some,) if isinstance(some, str) else tuple(some))
        for hypothesis, some in zip(hypotheses, references, strict=True)
    ]


def signature(
    spec: MetricSpec,
    questions: Sequence[ScoredQuestion],
    preparation: Preparation,
    language: str = "en",
) -> str:
    """Return every choice that a score depends on, in the form that sacrebleu prints."""
    made = recipe(spec, {}, preparation, language)
    steps = dict.fromkeys(made["preparation"].values())
    counts = {len(question.references) for question in questions}
    lowered = all(LOWERING.intersection(side.split("+")) for side in steps)
    parts = {
        "nrefs": counts.pop() if len(counts) == 1 else "var",
        "case": "lc" if lowered else "mixed",
        "prep": "/".join(steps),
        **({} if language == "en" else {"lang": language}),
        **made["params"],
        **made.get("models", {}),
        "lib": made["library"],
        "recipe": made["version"],
        "version": __version__,
    }
    shown = (f"{name}:{_written(value)}" for name, value in parts.items() if value != "")
    return "|".join([spec.id, *shown])


def _written(value: Any) -> str:
    if isinstance(value, Mapping):
        return ",".join(map(str, value.values()))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "+".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
