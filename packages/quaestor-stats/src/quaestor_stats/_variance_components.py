"""Variance components of ratings by REML, and differences of systems tested with them.

For one criterion::

    y = system + source + question + annotator + annotator:system + residual

Systems are fixed. Sources and questions (one system's question on one source) are random.
Annotators and their differences between systems are random where the statement is about other
annotators too, else fixed: a difference of systems is then that for these annotators.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from math import nan, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats import _reml as reml
from quaestor_stats._design import SOURCE, ClusterUnit
from quaestor_stats._inputs import FloatArray, IntArray, Labels, judged_rows
from quaestor_stats._reml import GroupRows, MixedDesign, NestedLevel, Unfit
from quaestor_stats._result import ConfidenceInterval, Result

if TYPE_CHECKING:
    from scipy import sparse

SPARSE_FROM = 200  # columns from which sums over groups are kept sparse


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast(Result):
    """A tested difference of two systems with its standard error; ``df`` are those of its t."""

    error: float = nan


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """Means of systems and the variance components of the ratings.

    A variance that is estimated as zero is 0 in ``variances`` and named in ``dropped``; one that
    the design cannot separate from another is absent, and ``notes`` says so.
    """

    systems: list[Hashable]
    means: FloatArray  # (n_systems,)
    covariance: FloatArray  # (n_systems, n_systems) of the means, by the model
    variances: Mapping[str, float]
    dropped: tuple[str, ...]
    notes: tuple[str, ...]
    random: bool  # annotators
    n: int
    sources: int
    questions: int
    annotators: int
    method: str
    slopes: FloatArray  # (n_variances, n_systems, n_systems) derivative of the covariance
    uncertainty: FloatArray  # (n_variances, n_variances) asymptotic covariance of the variances
    influence: FloatArray  # (n_units, n_systems) what each source, or cluster of sources, adds to
    # the error of a mean
    judged: FloatArray  # (n_units, n_systems) ratings
    cells: int  # systems on sources that were judged
    unit: ClusterUnit  # whether sources or clusters of them are independent, by name
    freedom: int  # degrees of freedom of annotator:system; 0 where it is no random effect

    def variance(self, name: str) -> float:
        """Return a variance, nan where the design cannot estimate it."""
        return self.variances.get(name, nan)

    @property
    def errors(self) -> FloatArray:
        """Standard error of each system's mean, by the model."""
        return np.asarray(np.sqrt(self.covariance.diagonal()))

    def difference(
        self, first: Hashable, second: Hashable, *, confidence: float = 0.95
    ) -> Contrast:
        """Test the difference of two systems' means.

        Returns
        -------
        Contrast
            Student's t interval and two-sided p.

        Notes
        -----
        The variance of the difference has a part from sources and a part from annotators. The
        first is estimated from the two systems alone, by the squares of what each source adds to
        the difference (a cluster-robust variance: with complete data, that of the paired t test
        over sources). The model's pooled variances would be too small for two systems in the
        middle of a scale when the others are near its end (11% false alarms instead of 5%).
        The second is the model's, in proportion to the first. Degrees of freedom after
        Satterthwaite (1946), those of the first part one less than the sources of the system that
        has fewer: if systems were judged on different sources, they decide.
        """
        from scipy import special

        i, j = self.systems.index(first), self.systems.index(second)
        contrast = np.zeros(len(self.systems))
        contrast[i], contrast[j] = 1, -1
        method = f"{self.method}; t test"
        n = int(((self.judged[:, i] + self.judged[:, j]) > 0).sum())
        from_sources = float(((self.influence @ contrast) ** 2).sum()) * max(n - 1, 1) / max(n, 1)
        fewest = int((self.judged[:, [i, j]] > 0).sum(axis=0).min())
        reason = self._untestable(from_sources, fewest)
        if reason:
            return Contrast(value=nan, n=n, method=method, reason=reason)
        variance, df = self._spread(contrast, from_sources, fewest)
        value, error = float(contrast @ self.means), sqrt(variance)
        reach = float(special.stdtrit(df, (1 + confidence) / 2)) * error
        return Contrast(
            value=value,
            ci=ConfidenceInterval(value - reach, value + reach),
            n=n,
            clusters=n,
            df=df,
            method=method,
            statistic=value / error,
            pvalue=float(2 * special.stdtr(df, -abs(value / error))),
            error=error,
        )

    def mean(self, system: Hashable, *, confidence: float = 0.95) -> Result:
        """Return a system's mean with Student's t interval, without a test.

        Notes
        -----
        The variance of the mean is made as that of a difference is: its part from sources by the
        squares of what each source adds to the mean, its part from annotators by the model. Where
        annotators are random, the interval is that for annotators like these.
        """
        from scipy import special

        i = self.systems.index(system)
        contrast = np.zeros(len(self.systems))
        contrast[i] = 1
        n = int((self.judged[:, i] > 0).sum())
        from_sources = float((self.influence[:, i] ** 2).sum()) * max(n - 1, 1) / max(n, 1)
        value, reason = float(self.means[i]), ""
        low = high = df = nan
        if n < 3:
            reason = f"{self.unit.counted(n)} are too few for an interval"
        elif against := self.unit.reason_against(n):
            reason = against
        elif from_sources <= 1e-16 * max(self.variances.values()):
            reason = f"the same mean on every {self.unit.singular}: no interval can be estimated"
        else:
            variance, df = self._spread(contrast, from_sources, n)
            reach = float(special.stdtrit(df, (1 + confidence) / 2)) * sqrt(variance)
            low, high = value - reach, value + reach
        return Result(
            value=value,
            ci=ConfidenceInterval(low, high),
            n=n,
            clusters=n,
            df=df,
            method=f"{self.method}; mean, Student's t interval, {confidence:.0%}",
            reason=reason,
        )

    def _untestable(self, from_sources: float, n: int) -> str:
        """Return why a difference cannot be tested."""
        if n < 3:
            return f"{self.unit.counted(n)} are too few"
        if reason := self.unit.reason_against(n):
            return reason
        if self.random and self.freedom == 1:
            return "two annotators of two systems cannot show how annotators differ"
        if from_sources <= 1e-16 * max(self.variances.values()):
            return f"the same difference on every {self.unit.singular}"
        return ""

    def _spread(self, contrast: FloatArray, from_sources: float, n: int) -> tuple[float, float]:
        """Return the variance of a contrast and its degrees of freedom."""
        names = list(self.variances)
        slopes = np.einsum("i,kij,j->k", contrast, self.slopes, contrast)
        slopes[[not name.startswith("annotator") for name in names]] = 0
        of_annotators = float(slopes @ np.array(list(self.variances.values())))
        of_model = float(contrast @ self.covariance @ contrast) - of_annotators
        ratio = of_annotators / of_model
        doubt = float(slopes @ self.uncertainty @ slopes) / of_model**2 / (1 + ratio) ** 2
        return from_sources * (1 + ratio), 2 / (2 / (n - 1) + doubt)


def variance_components(
    ratings: ArrayLike,
    *,
    systems: Labels,
    sources: Labels,
    annotators: Labels,
    questions: Labels | None = None,
    clusters: Labels | None = None,
    unit: ClusterUnit = SOURCE,
    annotators_random: bool = True,
) -> Components:
    """Fit the model to long-form ratings of one criterion; rows without a rating are skipped.

    Parameters
    ----------
    ratings : (n,) values, NaN where not judged
    systems, sources, annotators : (n,) labels
    questions : (n,) labels; by default a system has one question on each source. With several,
        there is a component "source:system" beside "question"
    clusters : (n,) labels of the sources' clusters; there is then a component "cluster", and the
        variance of a difference is by clusters
    unit : the name of the clusters, and how many an interval needs
    annotators_random : False makes annotators and annotator:system fixed effects

    Raises
    ------
    Unfit
        Too little data, ratings that do not vary, or effects that the design cannot separate
        (named by the rank).

    Notes
    -----
    Restricted maximum likelihood over variances that are not negative, by average information
    (Gilmore, Thompson and Cullis 1995) with the steps halved until the likelihood grows. A variance
    whose likelihood is highest at zero is dropped, which is the same as refitting without it.
    Where an annotator rated a question more than once, "question:annotator" is a component.
    The scale is taken to have equal steps.

    References
    ----------
    Gilmore, Thompson and Cullis (1995), Biometrics 51, 1440-1450. Searle, Casella and McCulloch
    (1992), Variance Components, chapter 6. Satterthwaite (1946), Biometrics Bulletin 2, 110-114.
    """
    known, codes, y = _coded(ratings, systems, sources, annotators, questions, clusters)
    centre, scale = float(y.mean()), float(y.std())
    design, notes = _design((y - centre) / scale, codes, annotators_random)
    fit = reml.fitted(design)
    variances = fit.variances
    covariance = reml.of_means(design, fit.inverse) * variances[-1]
    dropped = tuple(n for n, v in zip(design.names, variances.tolist(), strict=True) if v == 0)
    if dropped:
        notes.append(f"estimated as zero and left out: variance of {', '.join(dropped)}")
    random = "annotator" in design.blocks
    return Components(
        systems=known,
        means=centre + scale * (design.to_means @ fit.coefficients[: design.fixed]),
        covariance=scale**2 * covariance,
        variances=dict(zip(design.names, (scale**2 * variances).tolist(), strict=True)),
        dropped=dropped,
        notes=tuple(notes),
        random=random,
        n=len(y),
        sources=_size(codes.source),
        questions=_size(codes.question),
        annotators=_size(codes.annotator),
        freedom=codes.freedom if "annotator:system" in design.blocks else 0,
        method=f"mixed model, REML, annotators {'random' if random else 'fixed'}",
        slopes=reml.slopes(design, fit, covariance),
        uncertainty=scale**4 * reml.uncertainty(fit),
        influence=scale * reml.influence(design, fit, codes.cluster),
        judged=(_indicator(codes.cluster).T @ _indicator(codes.system)).toarray(),
        cells=_size(codes.cell),
        unit=unit,
    )


@dataclass(frozen=True, slots=True)
class _Codes:
    """The groups of each rating, numbered from 0."""

    system: IntArray
    source: IntArray
    cluster: IntArray  # of sources; the source itself where none is given
    annotator: IntArray
    cell: IntArray  # source and system
    question: IntArray
    pair: IntArray  # annotator and system

    @property
    def freedom(self) -> int:
        """Degrees of freedom of annotator:system beside both."""
        return _size(self.pair) - _size(self.system) - _size(self.annotator) + 1


def _coded(
    ratings: ArrayLike,
    systems: Labels,
    sources: Labels,
    annotators: Labels,
    questions: Labels | None,
    clusters: Labels | None,
) -> tuple[list[Hashable], _Codes, FloatArray]:
    """Return the systems that were judged, every rating's groups, and the ratings."""
    labels = {"systems": systems, "sources": sources, "annotators": annotators}
    labels |= {} if questions is None else {"questions": questions}
    labels |= {} if clusters is None else {"clusters": clusters}
    y, names, rows = judged_rows(ratings, **labels)
    if y.size == 0:
        raise Unfit("no ratings")
    if np.ptp(y) <= 1e-12 * np.abs(y).max():
        raise Unfit("every rating has the same value")
    kept = {kind: np.unique(code, return_inverse=True)[1] for kind, code in rows.items()}
    system, source, annotator = kept["systems"], kept["sources"], kept["annotators"]
    if _size(source) < 2:
        raise Unfit("one source: two are needed")
    codes = _Codes(
        system=system,
        source=source,
        cluster=kept.get("clusters", source),
        annotator=annotator,
        cell=_together(source, system),
        question=_together(source, system, *([kept["questions"]] if "questions" in kept else [])),
        pair=_together(annotator, system),
    )
    return [names["systems"][i] for i in np.unique(rows["systems"])], codes, y


def _size(code: IntArray) -> int:
    return int(code.max()) + 1


def _together(*codes: IntArray) -> IntArray:
    """Return one number for each combination of codes that occurs."""
    joint, *others = codes
    for code in others:
        joint = np.unique(joint * _size(code) + code, return_inverse=True)[1]
    return joint


def _indicator(code: IntArray) -> sparse.csr_matrix:
    from scipy import sparse

    n = len(code)
    return sparse.csr_matrix((np.ones(n), (np.arange(n), code)), shape=(n, _size(code)))


def _design(y: FloatArray, codes: _Codes, random: bool) -> tuple[MixedDesign, list[str]]:
    """Lay out the columns and levels, with notes on effects that the data cannot distinguish."""
    from scipy import sparse

    levels, notes = _levels(codes)
    crossed = _crossed(codes, random)
    pieces = [crossed.fixed, *crossed.blocks.values(), sparse.csr_matrix(y[:, None])]
    columns = sparse.hstack(pieces).tocsr()
    fixed, q = crossed.fixed.shape[1], columns.shape[1] - 1
    if len(y) <= fixed + len(levels) + len(crossed.blocks):
        raise Unfit(f"{len(y)} ratings are too few for {fixed} means")
    whole = (columns.T @ columns).toarray()
    rank = int(np.linalg.matrix_rank(whole[:fixed, :fixed], hermitian=True))
    if rank < fixed:
        raise Unfit(f"systems and annotators cannot be distinguished: rank {rank} of {fixed}")
    ends = np.cumsum([fixed, *(block.shape[1] for block in crossed.blocks.values())]).tolist()
    slices = dict(zip(crossed.blocks, map(slice, ends, ends[1:]), strict=False))
    sums: GroupRows = np.zeros((0, q + 1))
    if levels:
        sums = sparse.csr_matrix(levels[0].members @ columns)
        if q < SPARSE_FROM:
            sums = sums.toarray()
    design = MixedDesign(columns, fixed, slices, levels, crossed.to_means, whole, sums)
    return design, [*notes, *crossed.notes]


def _levels(codes: _Codes) -> tuple[list[NestedLevel], list[str]]:
    """Return the nested effects from fine to coarse; of two with the same groups one is kept."""
    levels: list[NestedLevel] = []
    notes: list[str] = []
    size = len(codes.question)
    finer = np.arange(size)
    for name, code in (
        ("question:annotator", _together(codes.question, codes.annotator)),
        ("question", codes.question),
        ("source:system", codes.cell),
        ("source", codes.source),
        ("cluster", codes.cluster),
    ):
        if _size(code) < size:
            parents = np.zeros(size, dtype=np.intp)
            parents[finer] = code
            levels.append(reml.nested_level(name, parents))
            finer, size = code, _size(code)
        elif name == "question" and levels:
            levels[-1] = replace(levels[-1], name=name)
            notes.append("every question has one annotator: the question's variance holds theirs")
        elif name == "question":
            notes.append("every question has one rating: its variance is part of the residual")
        elif name == "source":
            notes.append("every source has one question: their variances are one")
    return levels, notes


@dataclass(frozen=True, slots=True)
class _Crossed:
    """Columns of systems and annotators."""

    fixed: sparse.csr_matrix
    to_means: FloatArray  # (n_systems, n_fixed) from their coefficients to systems' means
    blocks: Mapping[str, sparse.csr_matrix]  # random
    notes: tuple[str, ...] = ()


def _crossed(codes: _Codes, random: bool) -> _Crossed:
    from scipy import sparse

    s, k, pairs = _size(codes.system), _size(codes.annotator), _size(codes.pair)
    systems, by_pair = _indicator(codes.system), _indicator(codes.pair)
    if k == 1:
        told = ("one annotator: no variance between annotators",)
        return _Crossed(systems, np.eye(s), {}, told)
    if random:
        blocks = {"annotator": _indicator(codes.annotator)}
        if pairs > k:
            return _Crossed(systems, np.eye(s), blocks | {"annotator:system": by_pair})
        told = ("no annotator judged two systems: their variances are one",)
        return _Crossed(systems, np.eye(s), blocks, told if s > 1 else ())
    if pairs == s * k and _sources_of_pairs(codes).min() > 1:
        return _Crossed(by_pair, np.tile(np.eye(s), k) / k, {})  # in the order annotator, system
    last = np.repeat((codes.annotator == k - 1).astype(float)[:, None], k - 1, axis=1)
    severity = _indicator(codes.annotator)[:, :-1] - sparse.csr_matrix(last)  # sums to zero
    return _Crossed(
        sparse.hstack([systems, severity]).tocsr(),
        np.eye(s, s + k - 1),
        {"annotator:system": by_pair} if pairs > max(s, k) else {},
        ("not every annotator judged every system: annotator:system is a random effect",),
    )


def _sources_of_pairs(codes: _Codes) -> IntArray:
    """Return on how many sources each annotator judged each system."""
    return np.asarray((_indicator(codes.pair).T @ _indicator(codes.source) > 0).sum(axis=1))
