"""Tuning the weights of a Q-metric on judgments (Nema and Khapra 2018, section 5.1).

The paper draws 20 bags of 200 from 300 judged questions, searches a grid for the weights that
correlate best with the judgments in each bag, and averages. If answerability is linear in its
weights the best weights can also be computed exactly, without a grid. The weights published for
SQuAD do not follow from the released SQuAD judgments: see docs/metrics.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from quaestor_metrics._answerability import (
    CLASSES,
    PUBLISHED_WEIGHTS,
    Bags,
    answerability,
    classes,
    components,
)
from quaestor_metrics._contract import Preparation, Scale, ScoredQuestion, Scorer
from quaestor_metrics._metric import References, paired
from quaestor_metrics._nist import NIST, NormalizedNIST
from quaestor_metrics._progress import interruptible
from quaestor_metrics._registry import get
from quaestor_metrics._scoring import keep_running, score_items

FeatureArray = NDArray[np.float64]

TRAIN, BAGS, BAG = 300, 20, 200
REQUIRED_TESTED = 3  # questions of a split: two correlate at 1 or -1, whatever is tuned
EQUAL = 1e-9  # correlations that differ by less are equal but for rounding
PARTS = (*CLASSES, "the base metric")
# The smallest singular value of columns of length 1 that counts as a direction of its own
INDEPENDENT = 1e-6


class CannotTune(ValueError):
    """Judgments or scores from which no weights can be learnt; the message says why."""


@dataclass(frozen=True, slots=True)
class FeatureWeights:
    """delta and the weights of content, entity, question and function words, which sum to 1."""

    delta: float
    words: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Tuned:
    """The mean weights over bags and their standard deviations (0 where there was one bag only)."""

    weights: FeatureWeights
    spread: FeatureWeights
    bags: int


@dataclass(frozen=True, slots=True)
class HeldOut:
    """One split: what was tuned on one part, and how base and Q-metric correlate with judgments on
    the other."""

    tuned: Tuned
    base: float
    tuned_metric: float
    n: int


@dataclass(frozen=True, slots=True, eq=False)
class JudgedScores:
    """Judged questions: scores of classes, (n, 4, 2); the base metric and the judgments (higher is
    better), (n,)."""

    scores: FeatureArray
    base: FeatureArray
    gold: FeatureArray

    def rows(self, places: NDArray[np.intp]) -> "JudgedScores":
        """Return some of the questions."""
        return JudgedScores(self.scores[places], self.base[places], self.gold[places])


@dataclass(frozen=True, slots=True)
class WeightSearch:
    """How weights are searched: formula of answerability, `grid` or `exact`, number and size of
    bags, step of the grid."""

    formula: str = "per_class_f"
    method: str = "grid"
    bags: int = BAGS
    bag: int = BAG
    step: float = 0.1


def class_scores(pairs: Sequence[tuple[Bags, Bags]], *, formula: str) -> FeatureArray:
    """Return precision and recall by class, (n_questions, 4, 2), for pairs of hypothesis and
    reference bags."""
    scores = [
        components(mine, theirs, formula=formula, empty_class="one") for mine, theirs in pairs
    ]
    return np.array(scores, dtype=float).reshape(len(pairs), len(CLASSES), 2)


def answerability_scores(
    scores: FeatureArray, words: FeatureArray, *, formula: str
) -> FeatureArray:
    """Return answerability (n_questions, n_weightings) for weightings (n_weightings, 4)."""
    if formula == "paper":
        return _harmonic(scores[:, :, 0] @ words.T, scores[:, :, 1] @ words.T)
    return _harmonic(scores[:, :, 0], scores[:, :, 1]) @ words.T


def mixed(
    scores: FeatureArray, base: FeatureArray, weights: FeatureWeights, *, formula: str
) -> FeatureArray:
    """Return the Q-metric of every question."""
    answer = answerability_scores(scores, np.array([weights.words]), formula=formula)[:, 0]
    return weights.delta * answer + (1 - weights.delta) * base


def search(
    scores: FeatureArray, base: FeatureArray, gold: FeatureArray, *, formula: str, step: float = 0.1
) -> FeatureWeights:
    """Return the grid point whose Q-metric has the highest Pearson correlation with the judgments.

    Notes
    -----
    For Q = d A + (1 - d) M the correlation needs only the (co)variances of A, M and the judgments, so each of the 286
    weightings (at step .1) is multiplied out once and the 11 values of d cost nothing. If classes depend on each other
    many points are equally good, and rounding would choose among them: of these the one that spreads its weights most
    evenly is taken, and the first of several such. `collinear` names the classes.
    """
    words, deltas = simplex(step), np.linspace(0, 1, round(1 / step) + 1)[:, None]
    answer = answerability_scores(scores, words, formula=formula)
    answer, centred, target = answer - answer.mean(axis=0), base - base.mean(), gold - gold.mean()
    agreement = deltas * (target @ answer) + (1 - deltas) * (target @ centred)
    spread = deltas**2 * (answer**2).sum(axis=0) + (1 - deltas) ** 2 * (centred @ centred)
    spread += 2 * deltas * (1 - deltas) * (centred @ answer)
    usable = spread > 1e-12
    quality = np.where(usable, agreement / np.sqrt(np.where(usable, spread, 1.0)), -np.inf)
    tenths = np.rint(words / step)
    uneven = np.where(quality >= quality.max() - EQUAL, (tenths**2).sum(axis=1), np.inf)
    best, which = np.unravel_index(int(uneven.argmin()), quality.shape)
    return FeatureWeights(float(deltas[best, 0]), tuple(words[which].tolist()))


def exact(scores: FeatureArray, base: FeatureArray, gold: FeatureArray) -> FeatureWeights:
    """Return the weights with the highest Pearson correlation, for a formula that is linear in
    them.

    Notes
    -----
    Among non-negative combinations of columns, the one nearest to the judgments in least squares is, up to scale, the
    one that correlates best with them; scale is then fixed by the weights summing to 1. A class whose score is the same
    on every question gets no weight. Columns that depend on each other have no single best weights: rounding would
    decide the result, so they are refused.

    Raises
    ------
    CannotTune
        The columns that vary depend linearly on each other, or none correlates with the judgments.
    """
    from scipy.optimize import nnls

    columns, varied = _varied(scores, base)
    if not varied.any():
        raise CannotTune("no part of the metric correlates with the judgments")
    rank, bound = _dependent(columns, varied)
    if bound:
        raise CannotTune(
            f"{', '.join(bound)} are linearly dependent on these questions (rank {rank} of {varied.sum()}), so no "
            "exact weights are best; tune by grid"
        )
    weights = np.zeros(len(PARTS))
    weights[varied] = nnls(columns[:, varied], gold - gold.mean())[0]
    if not weights.any():
        raise CannotTune("no part of the metric correlates with the judgments")
    weights = weights / weights.sum()
    delta = float(weights[:-1].sum())
    return FeatureWeights(
        delta, tuple((weights[:-1] / delta).tolist()) if delta else (0.25,) * len(CLASSES)
    )


def collinear(scores: FeatureArray, base: FeatureArray) -> list[str]:
    """Return the classes (and "base") whose scores depend linearly on each other: their separate
    weights are meaningless."""
    return _dependent(*_varied(scores, base))[1]


def _varied(scores: FeatureArray, base: FeatureArray) -> tuple[FeatureArray, NDArray[np.bool_]]:
    """Return each class's F and the base metric about their means, and which of them vary."""
    columns = np.column_stack([_harmonic(scores[:, :, 0], scores[:, :, 1]), base])
    columns = columns - columns.mean(axis=0)
    size = np.sqrt((columns**2).sum(axis=0))
    return columns, size > 1e-9 * np.sqrt(len(base))


def _dependent(columns: FeatureArray, varied: NDArray[np.bool_]) -> tuple[int, list[str]]:
    """Return the rank of the columns that vary, and the names of those that depend on each
    other."""
    varying = columns[:, varied]
    names = [name for name, has in zip(PARTS, varied, strict=True) if has]
    values, directions = np.linalg.svd(
        varying / np.linalg.norm(varying, axis=0), full_matrices=False
    )[1:]
    rank = int((values > INDEPENDENT).sum())
    bound = np.abs(directions[rank:]).max(axis=0, initial=0) > 1e-3
    return rank, [name for name, is_bound in zip(names, bound, strict=True) if is_bound]


def judged_scores(
    questions: Sequence[ScoredQuestion],
    gold: FeatureArray,
    *,
    metric: Scorer,
    formula: str,
    bags_of: Callable[[str], Bags] = classes,
) -> JudgedScores:
    """Return what is tuned on: class scores against the nearest reference by the published weights,
    and the base metric as a fraction, on texts prepared as Q-metrics prepare them."""
    mixed_in = NormalizedNIST(**metric.settings) if isinstance(metric, NIST) else metric
    with keep_running([mixed_in]):
        results = score_items(mixed_in, questions, preparation=Preparation("ptb", "ptb"))
    unit = 100.0 if mixed_in.spec.scale is Scale.PERCENT else 1.0
    base = [np.nan if result.value is None else result.value / unit for result in results]
    nearest = []
    for question in interruptible(questions):
        mine, others = classes(question.hypothesis), map(bags_of, question.references)
        reference = max(others, key=lambda other: answerability(mine, other, PUBLISHED_WEIGHTS))
        nearest.append((mine, reference))
    return JudgedScores(class_scores(nearest, formula=formula), np.array(base), gold)


def tune(
    hypotheses: Sequence[str],
    references: References,
    judgments: Sequence[float],
    *,
    base: str | Scorer = "bleu_1",
    formula: str = "per_class_f",
    method: str = "grid",
    seed: int = 1,
) -> Tuned:
    """Tune the weights of a Q-metric on judged questions.

    Twenty bags of 200 of 300 questions (two thirds of fewer) are drawn without replacement; the
    weights of a bag are those whose Q-metric has the highest Pearson correlation with its judgments.

    Parameters
    ----------
    hypotheses : sequence of str
        The judged questions, (n,).
    references : sequence of str or of sequences of str
        The reference or references of each, (n,).
    judgments : sequence of float
        Higher is better, (n,).
    base : str or Scorer
        Metric that answerability is mixed into.
    formula : str
        Of answerability: `per_class_f`, `paper` or `clipped_f`.
    method : str
        `grid` of .1, as published, or `exact`, by non-negative least squares.
    seed : int
        Seed of the bags.

    Returns
    -------
    Tuned
        Mean weights over bags, and their standard deviations.

    Raises
    ------
    CannotTune
        Too few questions, a value that is missing, judgments that do not vary, or `exact` with the
        formula `paper`, which is not linear in its weights.

    References
    ----------
    Nema and Khapra 2018, section 5.1.

    Examples
    --------
    >>> hypotheses = ["Who sang it?", "Who sang?", "When did Ann sing?", "What did Ann sing in?"]
    >>> references = ["Who sang it?", "Who sang it?", "When did Ann sing?", "Where did Ann sing?"]
    >>> tuned = tune(hypotheses * 5, references * 5, [1.0, 0.4, 1.0, 0.1] * 5)
    >>> 0 <= tuned.weights.delta <= 1
    True
    """
    metric = get(base) if isinstance(base, str) else base
    gold = np.array(judgments, dtype=float)
    questions = paired(hypotheses, references)
    judged = judged_scores(questions, gold, metric=metric, formula=formula)
    search = WeightSearch(formula, method, bag=bag_size(len(gold)))
    return tune_weights(judged, search, rng=np.random.default_rng(seed))


def bag_size(n: int) -> int:
    """Return the published 200 of 300, or two thirds of n."""
    return min(BAG, 2 * n // 3)


def tune_weights(judged: JudgedScores, how: WeightSearch, *, rng: np.random.Generator) -> Tuned:
    """Tune a Q-metric on judged questions; `rng` draws the bags."""
    _require(judged, how)
    weights = []
    for _ in range(how.bags):
        bag = judged.rows(rng.choice(len(judged.gold), size=how.bag, replace=False))
        if np.ptp(bag.gold) == 0:
            raise CannotTune("the judgments do not vary")
        parts = (bag.scores, bag.base, bag.gold)
        by_grid = how.method != "exact"
        weights.append(
            search(*parts, formula=how.formula, step=how.step) if by_grid else exact(*parts)
        )
    table = np.array([(one.delta, *one.words) for one in weights])
    mean, spread = table.mean(axis=0).tolist(), table.std(axis=0).tolist()
    return Tuned(
        FeatureWeights(mean[0], tuple(mean[1:])),
        FeatureWeights(spread[0], tuple(spread[1:])),
        how.bags,
    )


def validate_weights(
    judged: JudgedScores,
    how: WeightSearch,
    *,
    rng: np.random.Generator,
    train: int = TRAIN,
    splits: int = 5,
    clusters: Sequence[object] | None = None,
) -> list[HeldOut]:
    """Tune on about `train` random questions and correlate on the rest, several times over.

    Questions on one source, or on sources that share a passage, are alike, so such a cluster is
    learnt from or tested on, never both: whole `clusters` are drawn until `train` questions are
    there. Without `clusters` each question is its own.
    """
    n = len(judged.gold)
    if train + REQUIRED_TESTED > n:
        raise CannotTune(
            f"{n} judged questions leave fewer than {REQUIRED_TESTED} to test on after {train}"
        )
    labels = range(n) if clusters is None else clusters
    _, cluster = np.unique(np.array([str(label) for label in labels]), return_inverse=True)
    if cluster.max(initial=0) < 1:
        raise CannotTune(
            "all judged questions are on one source or passage, so none is left to test on"
        )
    return [_tested(judged, how, *_split(cluster, train, rng), rng) for _ in range(splits)]


def _tested(
    judged: JudgedScores,
    how: WeightSearch,
    learn: NDArray[np.intp],
    test: NDArray[np.intp],
    rng: np.random.Generator,
) -> HeldOut:
    """Tune on some questions and correlate on others."""
    if len(test) < REQUIRED_TESTED:
        raise CannotTune(
            f"sources or passages have so different numbers of judged questions that {len(test)} were left "
            "to test on"
        )
    tuned, rest = tune_weights(judged.rows(learn), how, rng=rng), judged.rows(test)
    q = mixed(rest.scores, rest.base, tuned.weights, formula=how.formula)
    base = pearson(rest.base, rest.gold)
    return HeldOut(tuned, base, pearson(q, rest.gold), len(test))


def _split(
    cluster: NDArray[np.intp], train: int, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the questions to learn from and those to test on: whole clusters, in a random
    order."""
    order = rng.permutation(cluster.max() + 1)
    counts = np.bincount(cluster)[order]
    enough = int(np.searchsorted(np.cumsum(counts), train)) + 1
    learnt = np.isin(cluster, order[: min(enough, len(order) - 1)])
    return rng.permutation(np.flatnonzero(learnt)), np.flatnonzero(~learnt)


def pearson(left: FeatureArray, right: FeatureArray) -> float:
    """Return Pearson's r, NaN where one side does not vary."""
    a, b = left - left.mean(), right - right.mean()
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / size if size > 0 else float("nan")


def simplex(step: float) -> FeatureArray:
    """Return every weighting of four classes in steps that sums to 1, (n_weightings, 4)."""
    parts = round(1 / step)
    points = [
        (*three, parts - sum(three))
        for three in product(range(parts + 1), repeat=3)
        if sum(three) <= parts
    ]
    return np.array(points, dtype=float) / parts


def _harmonic(precision: FeatureArray, recall: FeatureArray) -> FeatureArray:
    total = precision + recall
    return np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)


def _require(judged: JudgedScores, how: WeightSearch) -> None:
    scores, base, gold = judged.scores, judged.base, judged.gold
    if not len(scores) == len(base) == len(gold):
        raise CannotTune(
            f"{len(scores)} questions, {len(base)} base scores and {len(gold)} judgments do not match"
        )
    if len(gold) < how.bag:
        raise CannotTune(f"{len(gold)} judged questions are fewer than a bag of {how.bag}")
    if how.method == "exact" and how.formula == "paper":
        raise CannotTune("the formula of the paper is not linear in its weights: tune it by grid")
    if not (np.isfinite(base).all() and np.isfinite(gold).all() and np.isfinite(scores).all()):
        raise CannotTune("a score or judgment is missing")
