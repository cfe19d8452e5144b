"""Restricted maximum likelihood for nested random effects beside crossed ones.

    y = X b + Z u + sum of Z_l u_l + e

with fixed columns X, crossed random effects Z u, and levels of groups that are nested in each
other, the ratings in the finest. Nested effects are eliminated group by group; X and Z stay as a
dense block. One evaluation of the likelihood costs (finest groups x columns^2). With many columns,
of which a group of ratings fills few, the sums over groups are kept sparse, and it costs columns^3.

Notes
-----
V = v_e V0 + Z D Z' with V0 = I + sum of gamma_l Z_l Z_l' over the levels, gamma_l = v_l / v_e,
M = [X Z y] and P = V^-1 - V^-1 X (X' V^-1 X)^-1 X' V^-1.

References
----------
Gilmore, Thompson and Cullis (1995), Biometrics 51, 1440-1450: average information. Searle, Casella
and McCulloch (1992), Variance Components, chapter 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import log, sqrt
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from quaestor_stats._inputs import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy import sparse

ITERATIONS = 500
SETTLED = 1e-9  # the last step, as a share of all variance
DISTINCT = 1e-8  # eigenvalue of the normalised information below which variances are confounded
NOTHING = 1e-7  # share of the residual below which the equations lose their digits
DIGITS = 8  # significant digits of a variance: those that every processor agrees on


# Sums of many columns over nested groups: one row per group, sparse if there are many annotators
GroupRows: TypeAlias = "FloatArray | sparse.csr_matrix"


class Unfit(ValueError):
    """Ratings that the model cannot be fitted to; the message says why."""


@dataclass(frozen=True, slots=True)
class NestedLevel:
    """A random effect whose groups hold the next finer level's groups (or ratings)."""

    name: str
    parents: IntArray  # the group of each finer group
    members: sparse.csr_matrix  # (n_groups, n_finer) of 0 and 1

    @property
    def groups(self) -> int:
        return int(self.members.shape[0])

    def added(self, values: GroupRows) -> GroupRows:
        """Return the sums of finer groups' values (n_finer, k) over the groups."""
        return self.members @ values


def nested_level(name: str, parents: IntArray) -> NestedLevel:
    """Return the level in which each finer group (or rating) has the parent given."""
    from scipy import sparse

    n = len(parents)
    shape = (int(parents.max()) + 1, n)
    members = sparse.csr_matrix((np.ones(n), (parents, np.arange(n))), shape=shape)
    return NestedLevel(name, parents, members)


@dataclass(frozen=True, slots=True)
class MixedDesign:
    """The columns M = [X Z y], with fixed X and crossed random Z, and nested levels beside."""

    columns: sparse.csr_matrix  # (n, q + 1)
    fixed: int
    blocks: Mapping[str, slice]  # of Z
    levels: list[NestedLevel]  # from fine to coarse
    to_means: FloatArray  # (n_systems, fixed) from coefficients to systems' means
    whole: FloatArray  # M' M
    sums: GroupRows  # of M over groups of the finest level

    @property
    def names(self) -> list[str]:
        return [*(level.name for level in self.levels), *self.blocks, "residual"]

    @property
    def groups(self) -> FloatArray:
        """The number of levels of each random effect."""
        blocks = [block.stop - block.start for block in self.blocks.values()]
        return np.array([*(level.groups for level in self.levels), *blocks, self.n], dtype=float)

    @property
    def dense(self) -> int:
        return len(self.whole) - 1

    @property
    def n(self) -> int:
        return int(self.columns.shape[0])


@dataclass(frozen=True, slots=True)
class RemlFit:
    """The restricted likelihood at given variances, with its derivatives and solutions."""

    variances: FloatArray  # of the design's names; the residual is the last
    deviance: float  # -2 log restricted likelihood, without its constant
    score: FloatArray  # derivative of the log likelihood by each variance
    information: FloatArray  # average information
    coefficients: FloatArray  # (q,) fixed and crossed random effects
    inverse: FloatArray  # (q, q) of the mixed model equations, in units of the residual variance
    grams: list[FloatArray]  # (q, q) of each random effect


def _evaluated(design: MixedDesign, variances: FloatArray) -> RemlFit:
    """Evaluate the restricted likelihood.

    V = v_e V0 + Z D Z' with V0 = I + sum of gamma_l Z_l Z_l' over the nested levels. V0^-1 itself
    is not computed, only M' V0^-1 M and the sums Z_l' V0^-1 M over groups.
    """
    residual = float(variances[-1])
    nested = _Elimination.of(design.levels, variances[: len(design.levels)] / residual)
    up, sums = nested.carried(design.sums)
    inner = design.whole.copy()
    for taken, total in zip(nested.taken, up, strict=True):
        inner -= _dense(total.T @ _scaled(taken, total))
    solved = _mixed_equations(design, inner, variances)
    effects = [_nested(*each, solved, residual) for each in zip(sums, nested.shares, strict=True)]
    effects += [_crossing(name, design, solved, variances) for name in design.blocks]
    free = design.n - design.fixed
    squares = np.array([effect.own @ effect.own for effect in effects])
    traces = np.array([effect.trace for effect in effects])
    last = (solved.squares / residual - variances[:-1] @ squares) / residual
    last_trace = (free - variances[:-1] @ traces) / residual
    squares, traces = np.append(squares, last), np.append(traces, last_trace)
    return RemlFit(
        variances=variances,
        deviance=free * log(residual) + nested.log_det + solved.log_det + solved.squares / residual,
        score=(squares - traces) / 2,
        information=_information(design, variances, nested, effects, solved.inverse, squares),
        coefficients=solved.coefficients,
        inverse=solved.inverse,
        grams=[effect.gram for effect in effects],
    )


@dataclass(frozen=True, slots=True)
class _Solved:
    """The mixed model equations H b = M' V0^-1 y, H = [X Z]' V0^-1 [X Z] + v_e D^-1."""

    inner: FloatArray  # M' V0^-1 M
    inverse: FloatArray  # H^-1
    left: FloatArray  # diagonal of H^-1 scaled by v_e D^-1: the share of Z not explained
    coefficients: FloatArray
    squares: float  # y' P y in units of 1 / v_e
    log_det: float  # log |V| + log |X' V^-1 X| beyond those of V0 and v_e


def _mixed_equations(design: MixedDesign, inner: FloatArray, variances: FloatArray) -> _Solved:
    """Solve the equations in a scaled form that allows variances of zero."""
    q, levels = design.dense, len(design.levels)
    scale, random = np.ones(q), np.zeros(q)
    for block, variance in zip(design.blocks.values(), variances[levels:-1], strict=True):
        scale[block], random[block] = sqrt(variance / variances[-1]), 1
    scaled = scale[:, None] * inner[:q, :q] * scale + np.diag(random)
    try:
        log_det = 2 * float(np.log(np.linalg.cholesky(scaled).diagonal()).sum())
    except np.linalg.LinAlgError:
        raise Unfit("the mixed model equations are ill-conditioned") from None
    left = np.linalg.inv(scaled)
    inverse = scale[:, None] * left * scale
    coefficients = inverse @ inner[:q, -1]
    squares = float(inner[-1, -1] - inner[-1, :q] @ coefficients)
    return _Solved(inner, inverse, np.array(left.diagonal()), coefficients, squares, log_det)


@dataclass(frozen=True, slots=True)
class _Effect:
    """The terms of one random effect in the likelihood's derivatives."""

    own: FloatArray  # Z_k' P y
    trace: float  # tr(Z_k' P Z_k)
    across: FloatArray  # (q,) [X Z]' V0^-1 Z_k Z_k' P y
    gram: FloatArray  # (q, q) [X Z]' V0^-1 Z_k Z_k' V0^-1 [X Z]


def _scaled(factors: FloatArray, rows: GroupRows) -> GroupRows:
    """Return the rows multiplied by one factor each."""
    from scipy import sparse

    if sparse.issparse(rows):
        return sparse.csr_matrix(sparse.diags(factors) @ rows)
    return factors[:, None] * rows


def _dense(matrix: Any) -> FloatArray:
    """Return a matrix, sparse or not, as an array."""
    return matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix.toarray())


def _like(sums: GroupRows, rows: sparse.csr_matrix) -> GroupRows:
    """Return rows sparse or not, as the sums are: with few columns arrays are faster."""
    from scipy import sparse

    return rows if sparse.issparse(sums) else rows.toarray()


def _nested(total: GroupRows, share: float, solved: _Solved, residual: float) -> _Effect:
    columns = total[:, :-1]
    gram = _dense(columns.T @ columns)
    ratings = _dense(total[:, -1:])[:, 0]
    own = (ratings - columns @ solved.coefficients) / residual
    trace = (share - float((gram * solved.inverse).sum())) / residual
    return _Effect(own, trace, columns.T @ own, gram)


def _crossing(name: str, design: MixedDesign, solved: _Solved, variances: FloatArray) -> _Effect:
    block, q = design.blocks[name], design.dense
    variance, residual = variances[design.names.index(name)], float(variances[-1])
    rows, size = solved.inner[block, :q], block.stop - block.start
    gram, left = rows.T @ rows, float(solved.left[block].sum())
    if left < size / 2:  # the form that keeps its digits where the variance is large
        own = solved.coefficients[block] / variance
        trace = (size - left) / variance
    else:
        own = (solved.inner[block, -1] - rows @ solved.coefficients) / residual
        whole = float(np.trace(solved.inner[block, block]))
        trace = (whole - float((gram * solved.inverse).sum())) / residual
    return _Effect(own, trace, rows.T @ own, gram)


@dataclass(frozen=True, slots=True)
class _Elimination:
    """The nested levels at some gamma, eliminated from fine to coarse.

    W is the sum of 1' V^-1 1 over what is in a group, V_g the covariance inside group g after its
    own effect.
    """

    levels: list[NestedLevel]
    gamma: FloatArray
    shrink: list[FloatArray]  # of each level, 1 / (1 + gamma W)
    taken: list[FloatArray]  # gamma / (1 + gamma W)
    weight: list[FloatArray]  # 1' V_g^-1 1
    shares: list[float]  # tr(Z_l' V0^-1 Z_l)
    log_det: float  # log |V0|

    @classmethod
    def of(cls, levels: list[NestedLevel], gamma: FloatArray) -> Self:
        shrink: list[FloatArray] = []
        weight: list[FloatArray] = []
        log_det = 0.0
        for level, ratio in zip(levels, gamma, strict=True):
            finer = weight[-1] if weight else np.ones(len(level.parents))
            whole = np.bincount(level.parents, finer, level.groups)
            log_det += float(np.log1p(ratio * whole).sum())
            shrink.append(1 / (1 + ratio * whole))
            weight.append(whole * shrink[-1])
        taken = [ratio * each for ratio, each in zip(gamma, shrink, strict=True)]
        shares, above = [], np.zeros(1)
        for i in reversed(range(len(levels))):
            above = above[cls.parents_of(levels, i)]
            shares.append(float((weight[i] - weight[i] ** 2 * above).sum()))
            above = taken[i] + shrink[i] ** 2 * above
        return cls(levels, gamma, shrink, taken, weight, shares[::-1], log_det)

    @staticmethod
    def parents_of(levels: list[NestedLevel], i: int) -> IntArray:
        """Return the coarser group of each group of a level; all ratings are that of the last."""
        if i + 1 < len(levels):
            return levels[i + 1].parents
        return np.zeros(levels[i].groups, dtype=np.intp)

    def carried(self, sums: GroupRows) -> tuple[list[GroupRows], list[GroupRows]]:
        """From sums of columns over the finest groups, return for each level 1' V^-1 (columns)
        before its own effect is eliminated, and Z_l' V0^-1 (columns).
        """
        from scipy import sparse

        up: list[GroupRows] = []
        for level, shrink in zip(self.levels, self.shrink, strict=True):
            up.append(level.added(sums) if up else sums)
            sums = _scaled(shrink, up[-1])
        down: list[GroupRows] = []
        above: GroupRows = np.zeros((1, sums.shape[1]))
        if sparse.issparse(sums):
            above = sparse.csr_matrix(above)
        for i in reversed(range(len(self.levels))):
            above = above[self.parents_of(self.levels, i)]
            down.append(_scaled(self.shrink[i], up[i]) - _scaled(self.weight[i], above))
            above = above + self.gamma[i] * down[-1]
        return up, down[::-1]

    def products(self, own: list[FloatArray]) -> FloatArray:
        """Return t_j' V0^-1 t_k of the nested effects, t_k = Z_k own_k."""
        finest = []
        for k, values in enumerate(own):
            for level in self.levels[k:0:-1]:
                values = values[level.parents]
            finest.append(values)
        sizes = np.bincount(self.levels[0].parents, minlength=self.levels[0].groups)
        _, down = self.carried(np.asarray(sizes[:, None] * np.column_stack(finest), dtype=float))
        return np.array([values @ sums for values, sums in zip(own, down, strict=True)])


def _information(
    design: MixedDesign,
    variances: FloatArray,
    nested: _Elimination,
    effects: list[_Effect],
    inverse: FloatArray,
    squares: FloatArray,
) -> FloatArray:
    """Return the average information, y'P V_j P V_k P y / 2.

    With t_k = Z_k Z_k' P y it is t_j' P t_k / 2. For the residual, v_e P P y follows from
    V P y = y - X b: the sum of v_k t_k is that, and P of it is P y.
    """
    levels, size, residual = len(design.levels), len(effects), float(variances[-1])
    crossing = np.array([effect.across for effect in effects]).reshape(size, design.dense).T
    products = np.zeros((size, size))
    if levels:
        products[:levels, :levels] = nested.products([effect.own for effect in effects[:levels]])
    for k, block in enumerate(design.blocks.values(), levels):
        products[k] = products[:, k] = effects[k].own @ crossing[block]
    found = np.zeros((size + 1, size + 1))
    found[:-1, :-1] = (products - crossing.T @ inverse @ crossing) / residual
    found[:-1, -1] = (squares[:-1] - found[:-1, :-1] @ variances[:-1]) / residual
    found[-1, :-1] = found[:-1, -1]
    found[-1, -1] = (squares[-1] - found[-1, :-1] @ variances[:-1]) / residual
    return found / 2


def fitted(design: MixedDesign) -> RemlFit:
    """Return the fit of highest restricted likelihood.

    Raises
    ------
    Unfit
        Variances that the design cannot distinguish, or a residual that does not vary.
    """
    fixed = design.fixed
    plain = np.linalg.solve(design.whole[:fixed, :fixed], design.whole[:fixed, -1])
    squares = design.whole[-1, -1] - design.whole[:fixed, -1] @ plain
    if squares <= 1e-12 * design.n:
        raise Unfit("nothing varies beside systems and annotators")
    start = np.full(len(design.names), squares / (design.n - fixed) / 2)
    start[:-1] /= len(start)
    _distinct(design, _evaluated(_with_noise(design), start))
    fit = _evaluated(design, start)
    for _ in range(ITERATIONS):
        before, fit = fit.variances, _stepped(design, fit)
        if fit.variances[-1] < NOTHING * fit.variances.sum():
            raise Unfit("the residual does not vary")
        if np.abs(fit.variances - before).max() < SETTLED * fit.variances.sum():
            fit = _evaluated(design, np.array([float(f"{v:.{DIGITS}g}") for v in fit.variances]))
            _distinct(design, fit)
            return fit
    raise Unfit(f"the search for the best variances did not converge in {ITERATIONS} steps")


def _stepped(design: MixedDesign, fit: RemlFit) -> RemlFit:
    """Take a step that does not lower the likelihood.

    If the average information gives no usable step, the step is that of the EM algorithm. A step
    lowers a variance to no less than a tenth; a variance of at most a thousandth of the total may
    become zero.
    """
    lowest = np.where(fit.variances <= 1e-3 * fit.variances.sum(), 0, fit.variances / 10)
    lowest[-1] = fit.variances[-1] / 10
    return _by_information(design, fit, lowest) or _by_em(design, fit, lowest)


def _by_information(design: MixedDesign, fit: RemlFit, lowest: FloatArray) -> RemlFit | None:
    """Take a step of average information, halved until it does not lower the likelihood; None where
    the ratings hold too little of the variances, or no such step is left.

    Variances at zero stay there while the likelihood falls away from zero.
    """
    variances, total = fit.variances, fit.variances.sum()
    told = fit.information.diagonal() > 1e-12 / total**2  # else the data do not identify it
    free = told & ((variances > 0) | (fit.score > 0))
    information = fit.information[np.ix_(free, free)]
    if _rank(information) < free.sum():
        return None
    step = np.where(told, 0, -variances)
    step[free] = np.linalg.solve(information, fit.score[free])
    for _ in range(30):
        new = np.where(variances + step < variances / 10, lowest, variances + step)
        found = _evaluated(design, np.minimum(new, 10 * total))
        if found.deviance <= fit.deviance + 1e-7 * (abs(fit.deviance) + design.n):
            return found
        step /= 2
    return None


def _by_em(design: MixedDesign, fit: RemlFit, lowest: FloatArray) -> RemlFit:
    """Take a step of the EM algorithm, which never lowers the likelihood. It would take thousands of
    steps to a variance of zero, so one that falls is tried at zero too."""
    variances = fit.variances
    new = variances + 2 * variances**2 * fit.score / design.groups
    new = np.where(new <= 1e-6 * variances.sum(), lowest, new)
    best = _evaluated(design, new)
    for falling in np.flatnonzero((fit.score[:-1] < 0) & (variances[:-1] > 0)):
        without = new.copy()
        without[falling] = 0
        found = _evaluated(design, without)
        if found.score[falling] <= 0 and found.deviance < best.deviance:
            best = found
    return best


def _with_noise(design: MixedDesign) -> MixedDesign:
    """Return the design with noise as ratings: its information shows which variances the design
    identifies."""
    from scipy import sparse

    noise = np.random.default_rng(0).normal(size=(design.n, 1))
    pieces = [design.columns[:, :-1], sparse.csr_matrix(noise)]
    columns = sparse.csr_matrix(sparse.hstack(pieces))
    sums, groups = design.sums, design.levels[0].groups if design.levels else 0
    if groups:
        own = design.levels[0].added(noise)
        if sparse.issparse(sums):
            sums = sparse.csr_matrix(sparse.hstack([sums[:, :-1], sparse.csr_matrix(own)]))
        else:
            sums = np.column_stack([_dense(sums[:, :-1]), _dense(own)])
    return replace(design, columns=columns, whole=(columns.T @ columns).toarray(), sums=sums)


def _distinct(design: MixedDesign, fit: RemlFit) -> None:
    """Refuse variances that the design cannot distinguish."""
    free = fit.variances > 0
    rank = _rank(fit.information[np.ix_(free, free)])
    if rank < free.sum():
        names = ", ".join(n for n, used in zip(design.names, free, strict=True) if used)
        raise Unfit(f"variances cannot be distinguished: rank {rank} of {free.sum()} ({names})")


def _rank(information: FloatArray) -> int:
    """Return the rank of information in which every variance has the same weight."""
    told = information.diagonal() > 0
    size = np.sqrt(information.diagonal()[told])
    scaled = information[np.ix_(told, told)] / np.outer(size, size)
    return int((np.linalg.eigvalsh(scaled) > DISTINCT).sum())


def of_means(design: MixedDesign, matrix: FloatArray) -> FloatArray:
    """Return the fixed block of a matrix over columns, taken to systems' means."""
    block = matrix[: design.fixed, : design.fixed]
    return np.asarray(design.to_means @ block @ design.to_means.T)


def uncertainty(fit: RemlFit) -> FloatArray:
    """Return the asymptotic covariance of the variances; 0 for those that were dropped."""
    free = np.ix_(fit.variances > 0, fit.variances > 0)
    found = np.zeros_like(fit.information)
    found[free] = np.linalg.inv(fit.information[free])
    return found


def slopes(design: MixedDesign, fit: RemlFit, covariance: FloatArray) -> FloatArray:
    """Return the derivatives of the means' covariance by each variance.

    They are |Z_k' V^-1 X (X' V^-1 X)^-1 c|^2 for a contrast c. The covariance is homogeneous of
    degree one in the variances, from which the residual's follows.
    """
    toward = fit.inverse[:, : design.fixed] @ design.to_means.T
    found = [np.asarray(toward.T @ gram @ toward) for gram in fit.grams]
    rest = covariance.copy()
    for variance, slope in zip(fit.variances[:-1], found, strict=True):
        rest -= variance * slope
    return np.array([*found, rest / fit.variances[-1]])


def influence(design: MixedDesign, fit: RemlFit, source: IntArray) -> FloatArray:
    """Return how far each system's mean moves without each source (n_sources, n_systems).

    Without source s the coefficients move by -G M_s' (V0_s - M_s G M_s')^-1 e_s, with M = [X Z], G
    the inverse of the mixed model equations and e what is left of the ratings beside M.
    """
    q = design.dense
    gamma = fit.variances[: len(design.levels)] / fit.variances[-1]
    matrix = design.columns[:, :q]
    left = design.columns[:, q].toarray()[:, 0] - matrix @ fit.coefficients
    toward = matrix @ (fit.inverse[:, : design.fixed] @ design.to_means.T)
    groups = [np.arange(design.n)]
    for level in design.levels:
        groups.append(level.parents[groups[-1]])
    order = np.argsort(source, kind="stable")
    ends = np.cumsum(np.bincount(source))
    ordered = matrix[order]
    moved = np.zeros((len(ends), toward.shape[1]))
    for s, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        rows, own = order[start:end], _like(design.sums, ordered[start:end])
        spread = np.eye(len(rows)) - own @ (own @ fit.inverse).T
        for ratio, group in zip(gamma, groups[1:], strict=True):
            spread += ratio * (group[rows][:, None] == group[rows])
        moved[s] = toward[rows].T @ _solved(spread, left[rows])
    return moved


def _solved(spread: FloatArray, left: FloatArray) -> FloatArray:
    """Return spread^-1 left; parts that only this source determines (an annotator seen nowhere
    else) are 0."""
    from scipy import linalg

    try:
        low = np.linalg.cholesky(spread)
    except np.linalg.LinAlgError:
        low = np.zeros((1, 1))
    if low.diagonal().min() < 1e-4:
        return np.asarray(np.linalg.pinv(spread, rcond=1e-8, hermitian=True) @ left)
    return np.asarray(linalg.cho_solve((low, True), left))
