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
from typing import TYPE_CHECKING, Self

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

    def difference(self, first: Hashable, second: Hashable) -> Contrast:
        """Test the difference of two systems' means.

        Returns
        -------
        Contrast
            Student's 95% t interval and two-sided p.

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
        i, j = self.systems.index(first), self.systems.index(second)
        contrast = np.zeros(len(self.systems))
        contrast[i], contrast[j] = 1, -1
        method = f"{self.method}; t test"
        rated = self.judged[:, [i, j]] > 0
        n, fewest = int(rated.any(axis=1).sum()), int(rated.sum(axis=0).min())
        from_sources = self._from_sources(contrast, n)
        if reason := self._untestable(from_sources, fewest):
            return Contrast(value=nan, n=n, method=method, reason=reason)
        t = self._student_t(contrast, from_sources, fewest)
        return Contrast(
            value=t.value,
            ci=t.interval,
            n=n,
            clusters=n,
            df=t.df,
            method=method,
            statistic=t.statistic,
            pvalue=t.pvalue,
            error=t.error,
        )

    def mean(self, system: Hashable) -> Result:
        """Return a system's mean with Student's 95% t interval, without a test.

        Notes
        -----
        The variance of the mean is made as that of a difference is: its part from sources by the
        squares of what each source adds to the mean, its part from annotators by the model. Where
        annotators are random, the interval is that for annotators like these.
        """
        i = self.systems.index(system)
        contrast = np.zeros(len(self.systems))
        contrast[i] = 1
        value, method = float(self.means[i]), f"{self.method}; mean, Student's t interval"
        n = int((self.judged[:, i] > 0).sum())
        from_sources = self._from_sources(contrast, n)
        result = Result(value=value, n=n, clusters=n, method=f"{method}, 95%")
        if reason := self._without_interval(from_sources, n):
            return replace(result, reason=reason)
        t = self._student_t(contrast, from_sources, n)
        return replace(result, ci=t.interval, df=t.df)

    def _from_sources(self, contrast: FloatArray, n: int) -> float:
        """Return the part of a contrast's variance that n sources contribute."""
        return float(((self.influence @ contrast) ** 2).sum()) * max(n - 1, 1) / max(n, 1)

    def _without_interval(self, from_sources: float, n: int) -> str:
        """Return why a mean has no interval."""
        if n < 3:
            return f"{self.unit.counted(n)} are too few for an interval"
        if reason := self.unit.reason_against(n):
            return reason
        if from_sources <= 1e-16 * max(self.variances.values()):
            return f"the same mean on every {self.unit.singular}: no interval can be estimated"
        return ""

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

    def _student_t(self, contrast: FloatArray, from_sources: float, n: int) -> _StudentT:
        """Return a contrast with its standard error and degrees of freedom."""
        names = list(self.variances)
        slopes = np.einsum("i,kij,j->k", contrast, self.slopes, contrast)
        slopes[[not name.startswith("annotator") for name in names]] = 0
        of_annotators = float(slopes @ np.array(list(self.variances.values())))
        of_model = float(contrast @ self.covariance @ contrast) - of_annotators
        ratio = of_annotators / of_model
        doubt = float(slopes @ self.uncertainty @ slopes) / of_model**2 / (1 + ratio) ** 2
        return _StudentT(
            value=float(contrast @ self.means),
            error=sqrt(from_sources * (1 + ratio)),
            df=2 / (2 / (n - 1) + doubt),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _StudentT:
    """An estimate whose error follows Student's t."""

    value: float
    error: float
    df: float

    @property
    def statistic(self) -> float:
        return self.value / self.error

    @property
    def pvalue(self) -> float:
        """The two-sided p of the hypothesis that the true value is 0."""
        from scipy import special

        return float(2 * special.stdtr(self.df, -abs(self.statistic)))

    @property
    def interval(self) -> ConfidenceInterval:
        """The 95% interval."""
        from scipy import special

        reach = float(special.stdtrit(self.df, 0.975)) * self.error
        return ConfidenceInterval(self.value - reach, self.value + reach)


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
    labels = {"systems": systems, "sources": sources, "annotators": annotators}
    if questions is not None:
        labels["questions"] = questions
    if clusters is not None:
        labels["clusters"] = clusters
    judged_systems, codes, y = _coded(ratings, labels)
    centre, scale = float(y.mean()), float(y.std())
    design, notes = _design((y - centre) / scale, codes, annotators_random)
    standardised = _components(judged_systems, codes, design, notes, unit)
    return _rescaled(standardised, centre, scale)


def _components(
    systems: list[Hashable],
    codes: _Codes,
    design: MixedDesign,
    notes: list[str],
    unit: ClusterUnit,
) -> Components:
    """Fit the design and return means and variances on its scale."""
    fit = reml.fitted(design)
    covariance = reml.of_means(design, fit.inverse) * fit.variances[-1]
    variances = dict(zip(design.names, fit.variances.tolist(), strict=True))
    dropped = tuple(name for name, variance in variances.items() if variance == 0)
    random = "annotator" in design.blocks
    return Components(
        systems=systems,
        means=design.to_means @ fit.coefficients[: design.fixed],
        covariance=covariance,
        variances=variances,
        dropped=dropped,
        notes=(*notes, *_notes_on_dropped(dropped)),
        random=random,
        n=len(codes.system),
        sources=_size(codes.source),
        questions=_size(codes.question),
        annotators=_size(codes.annotator),
        cells=_size(codes.cell),
        freedom=codes.freedom if "annotator:system" in design.blocks else 0,
        method=f"mixed model, REML, annotators {'random' if random else 'fixed'}",
        slopes=reml.slopes(design, fit, covariance),
        uncertainty=reml.uncertainty(fit),
        influence=reml.influence(design, fit, codes.cluster),
        judged=codes.ratings_of_clusters(),
        unit=unit,
    )


def _notes_on_dropped(names: tuple[str, ...]) -> list[str]:
    return [f"estimated as zero and left out: variance of {', '.join(names)}"] if names else []


def _rescaled(standardised: Components, centre: float, scale: float) -> Components:
    """Return the components of ratings from those of (rating - centre) / scale."""
    variances = standardised.variances.items()
    return replace(
        standardised,
        means=centre + scale * standardised.means,
        covariance=scale**2 * standardised.covariance,
        variances={name: scale**2 * variance for name, variance in variances},
        uncertainty=scale**4 * standardised.uncertainty,
        influence=scale * standardised.influence,
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

    @classmethod
    def of(cls, codes: Mapping[str, IntArray]) -> Self:
        """Return the groups from the codes of each kind of label, without gaps."""
        system, source, annotator = codes["systems"], codes["sources"], codes["annotators"]
        questions = [codes["questions"]] if "questions" in codes else []
        return cls(
            system=system,
            source=source,
            cluster=codes.get("clusters", source),
            annotator=annotator,
            cell=_together(source, system),
            question=_together(source, system, *questions),
            pair=_together(annotator, system),
        )

    @property
    def nested(self) -> dict[str, IntArray]:
        """The groups of effects that are nested in each other, from fine to coarse."""
        return {
            "question:annotator": _together(self.question, self.annotator),
            "question": self.question,
            "source:system": self.cell,
            "source": self.source,
            "cluster": self.cluster,
        }

    @property
    def freedom(self) -> int:
        """Degrees of freedom of annotator:system beside both."""
        return _size(self.pair) - _size(self.system) - _size(self.annotator) + 1

    def ratings_of_clusters(self) -> FloatArray:
        """Return how many ratings each cluster has of each system, (n_clusters, n_systems)."""
        return np.asarray((_indicator(self.cluster).T @ _indicator(self.system)).toarray())


def _coded(
    ratings: ArrayLike, labels: Mapping[str, Labels]
) -> tuple[list[Hashable], _Codes, FloatArray]:
    """Return the systems that were judged, every rating's groups, and the ratings."""
    y, names, rows = judged_rows(ratings, **labels)
    if y.size == 0:
        raise Unfit("no ratings")
    if np.ptp(y) <= 1e-12 * np.abs(y).max():
        raise Unfit("every rating has the same value")
    judged, codes = {}, {}
    for kind, code in rows.items():
        judged[kind], codes[kind] = np.unique(code, return_inverse=True)
    if len(judged["sources"]) < 2:
        raise Unfit("one source: two are needed")
    return [names["systems"][i] for i in judged["systems"]], _Codes.of(codes), y


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
    fixed = crossed.fixed.shape[1]
    if len(y) <= fixed + len(levels) + len(crossed.blocks):
        raise Unfit(f"{len(y)} ratings are too few for {fixed} means")
    whole = (columns.T @ columns).toarray()
    _require_full_rank(whole[:fixed, :fixed])
    sums = _sums_over_groups(columns, levels)
    design = MixedDesign(columns, fixed, crossed.slices(), levels, crossed.to_means, whole, sums)
    return design, [*notes, *crossed.notes]


def _require_full_rank(products: FloatArray) -> None:
    """Refuse fixed effects that the data cannot distinguish, from their cross products."""
    rank = int(np.linalg.matrix_rank(products, hermitian=True))
    if rank < len(products):
        raise Unfit(
            f"systems and annotators cannot be distinguished: rank {rank} of {len(products)}"
        )


def _sums_over_groups(columns: sparse.csr_matrix, levels: list[NestedLevel]) -> GroupRows:
    """Return the sums of the columns over the finest groups; dense if there are few columns."""
    from scipy import sparse

    if not levels:
        return np.zeros((0, columns.shape[1]))
    sums = sparse.csr_matrix(levels[0].members @ columns)
    return sums.toarray() if columns.shape[1] <= SPARSE_FROM else sums


def _levels(codes: _Codes) -> tuple[list[NestedLevel], list[str]]:
    """Return the nested effects from fine to coarse; of two with the same groups one is kept."""
    levels: list[NestedLevel] = []
    notes: list[str] = []
    size = len(codes.question)
    finer = np.arange(size)
    for name, code in codes.nested.items():
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

    def slices(self) -> dict[str, slice]:
        """Return the columns of each random block, which follow the fixed ones."""
        widths = [self.fixed.shape[1], *(block.shape[1] for block in self.blocks.values())]
        ends = np.cumsum(widths).tolist()
        return dict(zip(self.blocks, map(slice, ends, ends[1:]), strict=False))


def _crossed(codes: _Codes, random: bool) -> _Crossed:
    if _size(codes.annotator) == 1:
        systems = _indicator(codes.system)
        note = "one annotator: no variance between annotators"
        return _Crossed(systems, np.eye(_size(codes.system)), {}, (note,))
    return _random_annotators(codes) if random else _fixed_annotators(codes)


def _random_annotators(codes: _Codes) -> _Crossed:
    s = _size(codes.system)
    systems, annotators = _indicator(codes.system), _indicator(codes.annotator)
    if _size(codes.pair) > _size(codes.annotator):
        blocks = {"annotator": annotators, "annotator:system": _indicator(codes.pair)}
        return _Crossed(systems, np.eye(s), blocks)
    note = "no annotator judged two systems: their variances are one"
    return _Crossed(systems, np.eye(s), {"annotator": annotators}, (note,) if s > 1 else ())


def _fixed_annotators(codes: _Codes) -> _Crossed:
    """Return a mean of each pair of annotator and system if data suffice, else main effects."""
    from scipy import sparse

    s, k, pairs = _size(codes.system), _size(codes.annotator), _size(codes.pair)
    by_pair = _indicator(codes.pair)
    if pairs == s * k and _sources_of_pairs(codes).min() > 1:
        return _Crossed(by_pair, np.tile(np.eye(s), k) / k, {})  # in the order annotator, system
    last = np.repeat((codes.annotator == k - 1).astype(float)[:, None], k - 1, axis=1)
    severity = _indicator(codes.annotator)[:, :-1] - sparse.csr_matrix(last)  # sums to zero
    return _Crossed(
        sparse.hstack([_indicator(codes.system), severity]).tocsr(),
        np.eye(s, s + k - 1),
        {"annotator:system": by_pair} if pairs > max(s, k) else {},
        ("not every annotator judged every system: annotator:system is a random effect",),
    )


def _sources_of_pairs(codes: _Codes) -> IntArray:
    """Return on how many sources each annotator judged each system."""
    return np.asarray((_indicator(codes.pair).T @ _indicator(codes.source) > 0).sum(axis=1))
