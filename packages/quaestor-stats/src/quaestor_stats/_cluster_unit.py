"""The unit that is left out, drawn or swapped as a whole: a source, or a cluster of sources."""

from dataclasses import dataclass

REQUIRED_SOURCES = 3
REQUIRED_CLUSTERS = 10  # of sources that belong together: with fewer no interval is known to hold


@dataclass(frozen=True, slots=True)
class ClusterUnit:
    """The unit that resampling keeps together, and its name.

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
