"""The chapters of a report, and the analyses that a run has only if it asks for them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any

from analysis.sections.section import Inputs, Section

PLUGINS = "quaestor.sections"  # entry points of other packages; each loads a subclass of Section


@dataclass(frozen=True)
class Chapter:
    """A part of the report: its sections in the order of the page."""

    key: str
    title: str
    sections: tuple[Section[Any], ...]
    # whether a run has it
    applies: Callable[[Inputs], bool] = lambda inputs: True


@dataclass(frozen=True)
class FurtherAnalysis:
    """Sections that a run has only if it asks for them, or a section that then has more rows."""

    title: str
    sentence: str  # what it shows
    sections: tuple[type[Section[Any]], ...] = ()
    # whether a run has them in any case
    is_core: Callable[[Inputs], bool] = lambda inputs: False


def chapters_of_plugins() -> Iterator[Chapter]:
    """Yield a chapter of the sections that installed packages register, if there are any."""
    sections = [entry_point.load()() for entry_point in entry_points(group=PLUGINS)]
    if sections:
        yield Chapter("plugins", "Plug-ins", tuple(sections))
