"""The declared design on the questions at hand: the units that are drawn, left out or swapped
together.

Sources are always random. Sources that belong together, for example because they share a passage,
are one unit: they are drawn, left out and swapped together. If the conclusions are about systems
not seen, systems are a second random facet, crossed with the sources: every interval and test of
metrics then allows for other systems, too.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from quaestor_stats._arrays import BoolArray, FloatArray, IntArray, Labels, grouped, same_length
from quaestor_stats._cluster_unit import SOURCE, ClusterUnit
from quaestor_stats._design import Inference


@dataclass(frozen=True, slots=True)
class Facets:
    """The source and the system of every question, and which of the two facets are random."""

    source: IntArray  # (n,) 0 ... n_sources - 1
    n_sources: int
    system: IntArray  # (n,) 0 ... n_systems - 1; all 0 where systems are not known
    n_systems: int
    design: Inference
    cluster: IntArray  # (n,) 0 ... n_clusters - 1: the unit of resampling; by default the source
    n_clusters: int
    unit: ClusterUnit

    @property
    def random(self) -> str:
        """Return the names and numbers of the units that are drawn."""
        drawn = f"{self.n_clusters} {self.unit.plural}"
        return f"{drawn} and {self.n_systems} systems" if self.design.systems else drawn

    @property
    def cells(self) -> tuple[IntArray, int]:
        """Return which system on which cluster each question belongs to, and how many such pairs
        there are.
        """
        different, codes = np.unique(
            self.cluster * self.n_systems + self.system, return_inverse=True
        )
        return codes, different.size

    @property
    def cluster_of_source(self) -> IntArray:
        """Return the cluster of every source, (n_sources,)."""
        found = np.zeros(self.n_sources, dtype=np.intp)
        found[self.source] = self.cluster
        return found

    def kept(self, mask: BoolArray) -> "Facets":
        """Return the facets of some of the questions; sources, clusters and systems without any
        are gone."""
        sources, source = np.unique(self.source[mask], return_inverse=True)
        systems, system = np.unique(self.system[mask], return_inverse=True)
        clusters, cluster = np.unique(self.cluster[mask], return_inverse=True)
        return replace(
            self,
            source=source,
            n_sources=sources.size,
            system=system,
            n_systems=systems.size,
            cluster=cluster,
            n_clusters=clusters.size,
        )

    def signs(self, resamples: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw swaps: -1 where the two metrics change places, for sources (B, G) and systems (B,
        S). The sources of a cluster are swapped together.

        A question is swapped where the product is -1. With systems random this is PERM-BOTH of
        Deutsch, Dror and Roth (2021); otherwise the signs of systems are 1, and it is their
        PERM-INPUTS.
        """
        clusters = rng.choice([-1.0, 1.0], size=(resamples, self.n_clusters))
        sources = clusters[:, self.cluster_of_source]
        if not self.design.systems:
            return sources, np.ones((resamples, self.n_systems))
        return sources, rng.choice([-1.0, 1.0], size=(resamples, self.n_systems))

    def times(
        self, resamples: int, rng: np.random.Generator
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Draw with replacement, in blocks: how often each source (b, G) and each system (b, S)
        comes. The sources of a cluster come together.

        A question weighs the product of the two. With systems random this is BOOT-BOTH of Deutsch,
        Dror and Roth (2021); otherwise every system comes once, and it is their BOOT-INPUTS.
        """
        step = max(1, 200_000 // max(1, self.source.size))
        for start in range(0, resamples, step):
            size = min(step, resamples - start)
            sources = _redrawn(self.n_clusters, size, rng)[:, self.cluster_of_source]
            drawn = self.design.systems
            yield (
                sources,
                _redrawn(self.n_systems, size, rng) if drawn else np.ones((size, self.n_systems)),
            )


def _redrawn(n: int, size: int, rng: np.random.Generator) -> FloatArray:
    cells = rng.integers(n, size=(size, n)) + n * np.arange(size)[:, None]
    return np.bincount(cells.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)


def facets(
    sources: Labels,
    systems: Labels | None = None,
    *,
    design: Inference = Inference(),  # noqa: B008
    clusters: Labels | None = None,
    unit: ClusterUnit = SOURCE,
) -> Facets:
    """Return the facets of questions from their labels.

    Parameters
    ----------
    sources, systems : (n_questions,) labels; without systems the levels that need them are
        undefined
    design : what is random; systems can be so only where they are given
    clusters : (n_questions,) labels of what the sources belong to; every source to one
    unit : the name of the clusters, and how many an interval needs

    Raises
    ------
    ValueError
        A source belongs to two clusters, or systems are random and not given.
    """
    n_sources, source = _numbered(sources, "sources")
    n_systems, system = _numbered(np.zeros(len(source)) if systems is None else systems, "systems")
    same_length(sources=source, systems=system)
    if systems is None and design.systems:
        raise ValueError("systems: the design takes them as random, but none are given")
    n_clusters, cluster = n_sources, source
    if clusters is not None:
        n_clusters, cluster = _numbered(clusters, "clusters")
        same_length(sources=source, clusters=cluster)
        if np.unique(source * n_clusters + cluster).size > n_sources:
            raise ValueError("clusters: a source belongs to two of them")
    return Facets(source, n_sources, system, n_systems, design, cluster, n_clusters, unit)


def _numbered(labels: Labels, name: str) -> tuple[int, IntArray]:
    """Number labels in their own order, so that nothing depends on the order of the questions."""
    names, codes = grouped(labels, name=name)
    try:
        ordered = sorted(names)  # type: ignore[type-var]
    except TypeError:  # labels of several kinds
        ordered = sorted(names, key=str)
    place = {label: number for number, label in enumerate(ordered)}
    return len(names), np.array([place[label] for label in names], dtype=np.intp)[codes]
