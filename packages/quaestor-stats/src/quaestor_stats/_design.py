"""The random facets of an analysis, declared once; every interval and test follows from them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Inference:
    """The facets of a study to whose unseen members its conclusions generalise.

    Sources are always random: the conclusions are about texts like these. Systems are random if
    the conclusions shall hold for systems not seen; annotators, if they shall hold for other
    annotators like these.
    """

    systems: bool = False
    annotators: bool = False

    @property
    def key(self) -> str:
        """The declaration in one word per random facet."""
        facets = ["sources", *(["systems"] * self.systems), *(["annotators"] * self.annotators)]
        return "+".join(facets)

    def resampled(self) -> str:
        """Return the names of the units that intervals and tests of metrics draw or swap."""
        return "sources and systems" if self.systems else "sources"

    def reach(self) -> str:
        """Return in words to what the conclusions of a report extend."""
        systems = "systems like these" if self.systems else "these systems"
        people = "annotators like these" if self.annotators else "these annotators"
        return f"texts like these, {systems} and {people}"


def declared(key: str) -> Inference:
    """Return the design that a run stores as this key.

    Raises
    ------
    ValueError
        The key names a facet that cannot be random, or lacks the sources.
    """
    facets = key.split("+")
    if facets[0] != "sources" or not set(facets[1:]) <= {"systems", "annotators"}:
        raise ValueError(f"design: {key!r} is none of sources, sources+systems, sources+annotators")
    return Inference(systems="systems" in facets, annotators="annotators" in facets)
