"""The random facets of an analysis, declared once, and what they are on the questions at hand.

Sources are always random. Sources that belong together, for example because they share a passage,
are one unit: every resampling leaves them out, or swaps them, together. If the conclusions are
about other systems too, systems are a second random facet, crossed with the sources; if they are
about other annotators too, coefficients are also computed without each annotator.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self, TypeAlias, TypeVar, get_args

import numpy as np

from quaestor_stats._inputs import (
    BoolArray,
    FloatArray,
    IntArray,
    Labels,
    number_labels,
    same_length,
)

Facet: TypeAlias = Literal["fixed", "random"]
Coefficient = TypeVar("Coefficient", bound=str)
REQUIRED_SOURCES = 3
REQUIRED_CLUSTERS = 10  # of sources that belong together: with fewer no interval is known to hold


@dataclass(frozen=True, slots=True)
class Design:
    """The facets of a study to whose unseen members its conclusions generalise.

    Sources are always random: the conclusions are about texts like these.

    Parameters
    ----------
    systems : "random" if the conclusions are about systems that were not evaluated, too
    annotators : "random" if the conclusions are about other annotators like these, too
    cluster : for functions that take a table, the column of what sources share, such as a passage

    Raises
    ------
    ValueError
        A facet is neither fixed nor random.

    Examples
    --------
    >>> Design(annotators="random").key
    'sources+annotators'
    >>> Design.from_key("sources+systems").systems
    'random'
    """

    systems: Facet = "fixed"
    annotators: Facet = "fixed"
    cluster: str = ""

    def __post_init__(self) -> None:
        for name, facet in (("systems", self.systems), ("annotators", self.annotators)):
            if facet not in get_args(Facet):
                raise ValueError(f"{name}: {facet!r} is neither 'fixed' nor 'random'")

    @classmethod
    def from_key(cls, key: str) -> Self:
        """Return the design with this key.

        Raises
        ------
        ValueError
            The key names a facet that cannot be random, or lacks the sources.
        """
        facets = key.split("+")
        if facets[0] != "sources" or not set(facets[1:]) <= {"systems", "annotators"}:
            raise ValueError(
                f"design: {key!r} is none of sources, sources+systems, sources+annotators"
            )
        return cls(
            systems="random" if "systems" in facets else "fixed",
            annotators="random" if "annotators" in facets else "fixed",
        )

    @property
    def key(self) -> str:
        """The random facets, joined by plus signs."""
        systems = ["systems"] * self.random_systems
        annotators = ["annotators"] * self.random_annotators
        return "+".join(["sources", *systems, *annotators])

    @property
    def random_systems(self) -> bool:
        """Whether systems are a random facet."""
        return self.systems == "random"

    @property
    def random_annotators(self) -> bool:
        """Whether annotators are a random facet."""
        return self.annotators == "random"

    def reach(self) -> str:
        """Return in words to what the conclusions extend."""
        systems = "systems like these" if self.random_systems else "these systems"
        annotators = "annotators like these" if self.random_annotators else "these annotators"
        return f"texts like these, {systems} and {annotators}"


@dataclass(frozen=True, slots=True)
class ClusterUnit:
    """The unit that resampling leaves out or swaps as a whole, and its name.

    Attributes
    ----------
    singular, plural : its name in sentences
    sources, clusters : in the whole study, where clusters hold more than one source; else 0
    """

    singular: str = "source"
    plural: str = "sources"
    sources: int = 0
    clusters: int = 0

    @property
    def is_source(self) -> bool:
        """Whether every source is a unit of its own."""
        return not self.sources

    def reason_against(self, units: int) -> str:
        """Return why so few units permit no interval; an empty string if they suffice."""
        if self.is_source:
            few = units < REQUIRED_SOURCES
            return "fewer than three sources: no interval" if few else ""
        if units >= REQUIRED_CLUSTERS:
            return ""
        sources = f"the {self.sources:,}" if units == self.clusters else "these"
        shared = self.counted(units)
        return f"{sources} sources share {shared}; an interval needs at least {REQUIRED_CLUSTERS}"

    def counted(self, units: int) -> str:
        """Return a number of units with their name."""
        return f"{units:,} {self.singular if units == 1 else self.plural}"


SOURCE = ClusterUnit()


def cluster_unit(sources: int, clusters: int, *, column: str = "") -> ClusterUnit:
    """Return the resampling unit for a number of sources in a number of clusters.

    Parameters
    ----------
    column : name of the column that groups the sources; an empty string means shared passages

    Examples
    --------
    >>> cluster_unit(14, 8).reason_against(8)
    'the 14 sources share 8 passages; an interval needs at least 10'
    """
    if clusters == sources:
        return SOURCE
    if not column:
        return ClusterUnit("passage", "passages", sources, clusters)
    return ClusterUnit(f"cluster ({column})", f"clusters ({column})", sources, clusters)


@dataclass(frozen=True, slots=True)
class Facets:
    """The source, cluster and system of every question under a design."""

    source: IntArray  # (n,) 0 ... n_sources - 1
    n_sources: int
    system: IntArray  # (n,) 0 ... n_systems - 1; all 0 where systems are not known
    n_systems: int
    design: Design
    cluster: IntArray  # (n,) 0 ... n_clusters - 1: the unit of resampling; by default the source
    n_clusters: int
    unit: ClusterUnit

    @property
    def random(self) -> str:
        """The numbers and names of the units that are resampled."""
        clusters = f"{self.n_clusters} {self.unit.plural}"
        if self.design.random_systems:
            return f"{clusters} and {self.n_systems} systems"
        return clusters

    @property
    def cells(self) -> tuple[IntArray, int]:
        """The number of each question's pair of system and cluster, and how many such pairs there
        are.
        """
        pairs, codes = np.unique(self.cluster * self.n_systems + self.system, return_inverse=True)
        return codes, pairs.size

    @property
    def cluster_of_source(self) -> IntArray:
        """The cluster of every source, (n_sources,)."""
        clusters = np.zeros(self.n_sources, dtype=np.intp)
        clusters[self.source] = self.cluster
        return clusters

    def rows(self, mask: BoolArray) -> "Facets":
        """Return the facets of some questions, with the numbers that they have here."""
        return replace(
            self, source=self.source[mask], system=self.system[mask], cluster=self.cluster[mask]
        )

    def select(self, mask: BoolArray) -> "Facets":
        """Return the facets of some questions, numbered without gaps."""
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


def facets(
    sources: Labels,
    systems: Labels | None = None,
    *,
    design: Design = Design(),
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
    n_sources, source = number_labels(sources, "sources")
    n_systems, system = number_labels(
        np.zeros(len(source)) if systems is None else systems, "systems"
    )
    same_length(sources=source, systems=system)
    if systems is None and design.random_systems:
        raise ValueError("systems: the design takes them as random, but none are given")
    n_clusters, cluster = n_sources, source
    if clusters is not None:
        n_clusters, cluster = number_labels(clusters, "clusters")
        same_length(sources=source, clusters=cluster)
        if np.unique(source * n_clusters + cluster).size > n_sources:
            raise ValueError("clusters: a source belongs to two of them")
    return Facets(source, n_sources, system, n_systems, design, cluster, n_clusters, unit)


@dataclass(frozen=True, slots=True)
class WithoutAnnotators:
    """A coefficient of every human column (K) with every metric (M) without each annotator."""

    values: FloatArray  # (R, K, M), nan past a column's own annotators
    fragile: BoolArray  # (K, M): undefined without one of them


def without_annotators(
    ratings: Sequence[FloatArray],
    metric: FloatArray,
    facets: Facets,
    values: Callable[[FloatArray, FloatArray, Facets], dict[Coefficient, FloatArray]],
    coefficients: Sequence[Coefficient],
) -> dict[Coefficient, WithoutAnnotators]:
    """Return every coefficient without each annotator who judged any of these questions.

    Parameters
    ----------
    ratings : for every human column (n, R), nan where an annotator did not judge; the column is the
        mean over R
    values : coefficients of a human column (n, 1) with every metric (n, M), each (1, M)

    Notes
    -----
    A question that only the left-out annotator judged is left out too. An annotator who judged none
    of the questions is not a unit: leaving one out changes nothing, but would add a degree of
    freedom.
    """
    annotators = max(table.shape[1] for table in ratings)
    shape = len(ratings), metric.shape[1]
    without = {
        name: WithoutAnnotators(np.full((annotators, *shape), np.nan), np.zeros(shape, dtype=bool))
        for name in coefficients
    }
    for column, table in enumerate(ratings):
        judged = table[:, ~np.isnan(table).all(axis=0)]
        for annotator in range(judged.shape[1]):
            others = np.delete(judged, annotator, axis=1)
            rated = np.asarray(~np.isnan(others).all(axis=1))
            if rated.any():
                mean = np.nanmean(others[rated], axis=1)[:, None]
                for name, value in values(mean, metric[rated], facets.select(rated)).items():
                    without[name].values[annotator, column] = value[0]
            for coefficient in without.values():
                coefficient.fragile[column] |= np.isnan(coefficient.values[annotator, column])
    return without
