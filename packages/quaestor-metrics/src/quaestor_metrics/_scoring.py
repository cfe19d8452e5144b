"""The one door to every metric: texts are checked and prepared here, and what has no value gets its
reason here."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from math import inf, isfinite
from typing import Any

from quaestor_metrics._contract import (
    RAW,
    Item,
    MetricFailed,
    MetricResult,
    MetricSpec,
    MetricUnavailable,
    Need,
    NotForLanguage,
    Preparation,
    ScoredQuestion,
    ScoredSet,
    ScoredSystem,
    ScoredUnit,
    Scorer,
    Status,
    effective,
    failed_result,
    resolve_parameters,
    undefined,
)
from quaestor_metrics._preparation import preparation_step, require_language
from quaestor_metrics._progress import interruptible

QUESTION_UNITS = frozenset({ScoredUnit.PAIR, ScoredUnit.MULTI_REF})
ROUNDING = 1e-6


class EmptyReference(ValueError):
    """A reference without any text: an error of the dataset, which no score may paper over."""


def score_items(
    metric: Scorer,
    batch: Sequence[Item],
    *,
    params: Mapping[str, Any] | None = None,
    preparation: Preparation = RAW,
    language: str = "en",
) -> list[MetricResult]:
    """Score a batch of items.

    Parameters
    ----------
    metric : Scorer
        A metric.
    batch : sequence of ScoredQuestion, ScoredSet or ScoredSystem
        Items of the metric's unit, (n,). A metric that needs `Need.STUDY` must get all at once.
    params : mapping, optional
        Settings that differ from the metric's defaults.
    preparation : Preparation
        Steps for either side. A metric that reads capitals or splits texts by itself gets the raw
        text.
    language : str
        Tag of the language of items that name none. Items in a language that the metric does not
        support are undefined.

    Returns
    -------
    list of MetricResult
        One result an item, (n,), the same as if each item came alone. An empty hypothesis scores 0.
        Without a reference, passage or answer that the metric needs, the result is undefined.

    Raises
    ------
    EmptyReference
        A reference is blank; the message names item and reference, both counted from 0.
    NotForLanguage, MetricUnavailable, MetricFailed, UnknownParameter, UnknownPreparation
        The metric cannot run, or it failed, or a setting or step does not exist.

    Examples
    --------
    >>> from quaestor_metrics import BLEU
    >>> score_items(BLEU(order=1), [ScoredQuestion("", ("Who sang it?",))])[0].value
    0.0
    """
    usable, reason = metric.available()
    if not usable:
        raise MetricUnavailable(f"{metric.spec.id}: {reason}")
    groups: dict[str | None, list[int]] = {}
    for place, item in enumerate(batch):
        groups.setdefault(_language(item, language), []).append(place)
    if len(groups) < 2 and None not in groups:
        only = next(iter(groups), language) or language
        return _of_language(metric, batch, params or {}, preparation, only)
    return _by_language(metric, batch, groups, params or {}, preparation)


def _language(item: Item, usual: str) -> str | None:
    """Return the language of an item; None for a system that asks in several."""
    if not isinstance(item, ScoredSystem):
        return item.language or usual
    languages = {question.language or usual for question in item.questions} or {usual}
    return languages.pop() if len(languages) == 1 else None


def _by_language(
    metric: Scorer,
    batch: Sequence[Item],
    groups: Mapping[str | None, Sequence[int]],
    params: Mapping[str, Any],
    preparation: Preparation,
) -> list[MetricResult]:
    """Score the items of each language by its own recipe."""
    results: dict[int, MetricResult] = {}
    refusals: list[NotForLanguage] = []
    for language, places in groups.items():
        if language is None:
            several = undefined("the system's questions are in several languages")
            results |= dict.fromkeys(places, several)
            continue
        try:
            part = [batch[place] for place in places]
            scores = _of_language(metric, part, params, preparation, language)
        except NotForLanguage as refused:
            refusals.append(refused)
            scores = [undefined(str(refused))] * len(places)
        results |= dict(zip(places, scores, strict=True))
    if len(refusals) == len(groups):
        raise refusals[0]
    return [results[place] for place in range(len(batch))]


def _of_language(
    metric: Scorer,
    batch: Sequence[Item],
    params: Mapping[str, Any],
    preparation: Preparation,
    language: str,
) -> list[MetricResult]:
    spec = metric.spec
    settings = resolve_parameters(spec, params, language)
    require_language(spec, settings, preparation, language)
    prepared = prepare_items(batch, effective(spec, preparation))
    answers = [
        _emptied(*pair) or trivial_result(spec, pair[1])
        for pair in zip(batch, prepared, strict=True)
    ]
    open_items = [item for item, answer in zip(prepared, answers, strict=True) if answer is None]
    computed = iter(_computed(metric, spec, open_items, settings))
    return [answer if answer is not None else next(computed) for answer in answers]


@contextmanager
def keep_running(metrics: Sequence[Scorer]) -> Iterator[None]:
    """Keep the programs and models of metrics running until this context ends.

    Parameters
    ----------
    metrics : sequence of Scorer
        Metrics that score several batches. METEOR's Java then starts once, not once a batch.
    """
    with ExitStack() as stack:
        for metric in metrics:
            if hasattr(metric, "keep_running"):
                stack.enter_context(metric.keep_running())
        yield


def prepare_items(batch: Sequence[Item], preparation: Preparation) -> list[Item]:
    """Check every reference and put both sides through their steps; each distinct text is prepared
    once."""
    hypothesis, reference = (
        _remembering(preparation_step(preparation.hypothesis)),
        _remembering(preparation_step(preparation.reference)),
    )
    for index, item in enumerate(interruptible(batch)):
        _check(index, item)
    if preparation == RAW and not any(isinstance(item, ScoredSystem) for item in batch):
        return list(batch)
    return [_prepared(item, hypothesis, reference) for item in interruptible(batch)]


def _emptied(original: Item, prepared: Item) -> MetricResult | None:
    """Return an undefined result if preparation leaves nothing of a question's references, such as
    "?" under ptb; else None."""
    if (
        isinstance(original, ScoredQuestion)
        and isinstance(prepared, ScoredQuestion)
        and original.references
        and not prepared.references
    ):
        return undefined("nothing is left of the reference once it is prepared")
    return None


def trivial_result(spec: MetricSpec, item: Item) -> MetricResult | None:
    """Return the result of an item that needs no computing, or None."""
    if isinstance(item, ScoredSystem) and not item.questions:
        return undefined("no question of the system has a reference")
    if not isinstance(item, ScoredQuestion) or spec.unit not in QUESTION_UNITS:
        return None
    if Need.REFS in spec.needs and not item.references:
        return undefined("the question has no reference")
    if Need.CONTEXT in spec.needs and not item.context.strip():
        return undefined("the question has no passage")
    if Need.ANSWER in spec.needs and not item.answer.strip():
        return undefined("the question has no answer")
    if not item.hypothesis.strip() and spec.range[0] == -inf:
        return undefined("the question is empty")
    if not item.hypothesis.strip() and spec.higher_is_better:
        return MetricResult(max(spec.range[0], 0.0), detail={"note": "empty hypothesis"})
    return None


def _computed(
    metric: Scorer, spec: MetricSpec, items: Sequence[Item], settings: Mapping[str, Any]
) -> list[MetricResult]:
    if not items:
        return []
    run = _each_pair if spec.unit is ScoredUnit.PAIR else _run
    results = run(metric, spec, items, settings)
    return [_sound(result, spec) for result in results]


def _run(
    metric: Scorer, spec: MetricSpec, items: Sequence[Item], settings: Mapping[str, Any]
) -> list[MetricResult]:
    try:
        results = metric.score(items, settings)
    except (MetricFailed, MetricUnavailable):
        raise
    except Exception as error:  # a plug-in may raise anything; the other metrics must continue
        raise MetricFailed(f"{spec.id}: {error or type(error).__name__}") from error
    if len(results) != len(items):
        raise MetricFailed(f"{spec.id} gave {len(results)} results for {len(items)} items")
    return results


def _each_pair(
    metric: Scorer, spec: MetricSpec, items: Sequence[Item], settings: Mapping[str, Any]
) -> list[MetricResult]:
    """Score each distinct pair once: equal questions of systems and repeated rows cost nothing
    more."""
    pairs = [_pairs(item) for item in items if isinstance(item, ScoredQuestion)]
    distinct = list(dict.fromkeys(pair for some in pairs for pair in some))
    results = dict(zip(distinct, _run(metric, spec, distinct, settings), strict=True))
    return [best([results[pair] for pair in some], spec.higher_is_better) for some in pairs]


def _pairs(question: ScoredQuestion) -> list[ScoredQuestion]:
    if len(question.references) == 1:
        return [question]
    return [replace(question, references=(one,)) for one in question.references or ("",)]


def best(results: Sequence[MetricResult], higher_is_better: bool) -> MetricResult:
    """Return the best of one question's results against each of its references; one that failed
    fails them all."""
    for result in results:
        if result.value is None:
            return result
    pick = max if higher_is_better else min
    return pick(results, key=lambda result: result.value or 0.0)


def _sound(result: MetricResult, spec: MetricSpec) -> MetricResult:
    """Return a result whose value is a plain number within the metric's range, or its failure.

    Rounding may carry a value past an end of the range by a hair; then it is that end.
    """
    (low, high), number = spec.range, result.value
    if type(number) is float and low <= number <= high and isfinite(number):  # nearly all are
        return result
    if result.status is not Status.OK:
        return result
    if number is None or not isfinite(number):
        return failed_result(f"the value is not a number: {number}")
    value = float(number)
    slack = ROUNDING * max(1.0, min(abs(high), 100.0))
    if not low - slack <= value <= high + slack:
        return failed_result(
            f"the value {value:.6g} is outside the metric's range {low:g} to {high:g}"
        )
    return replace(result, value=min(max(value, low), high))


def _remembering(change: Callable[[str], str]) -> Callable[[str], str]:
    seen: dict[str, str] = {}

    def changed(text: str) -> str:
        if text not in seen:
            seen[text] = change(text)
        return seen[text]

    return changed


def _prepared(
    item: Item, hypothesis: Callable[[str], str], reference: Callable[[str], str]
) -> Item:
    if isinstance(item, ScoredSystem):
        changed = (
            _question(question, hypothesis, reference) for question in interruptible(item.questions)
        )
        return ScoredSystem(tuple(question for question in changed if question.references))
    if isinstance(item, ScoredSet):
        return replace(
            item,
            hypotheses=tuple(map(hypothesis, item.hypotheses)),
            references=_left(map(reference, item.references)),
        )
    return _question(item, hypothesis, reference)


def _question(
    item: ScoredQuestion, hypothesis: Callable[[str], str], reference: Callable[[str], str]
) -> ScoredQuestion:
    return replace(
        item,
        hypothesis=hypothesis(item.hypothesis),
        references=_left(map(reference, item.references)),
    )


def _left(references: Iterable[str]) -> tuple[str, ...]:
    """Return the references of which the preparation has left something."""
    return tuple(reference for reference in references if reference.strip())


def _check(index: int, item: Item) -> None:
    questions = item.questions if isinstance(item, ScoredSystem) else (item,)
    for question in questions:
        for place, reference in enumerate(question.references):
            if not reference.strip():
                raise EmptyReference(f"item {index}: reference {place} is empty")
