"""Sections computed on their own, as a run computes them, for tests."""

from typing import Any

from analysis import frames
from analysis.frames import Material
from analysis.reports.rows import Record
from analysis.runs.actions import runs
from analysis.sections import FURTHER
from analysis.sections.section import Chance, Found, Inputs, Section, chance_of
from judging.campaigns.models.campaign import Campaign
from quaestor_stats._design import Design


def inputs_of(read: Material, **settings: Any) -> Inputs:
    """Return what a run's sections compute from, with a run's default settings."""
    every = {**runs.DEFAULTS, "further": list(FURTHER), "exclusion_words": [], **settings}
    return Inputs(said=read, counted=read, design=Design(), settings=every, failures={})


def chance(resamples: int = 100) -> Chance:
    return chance_of("test", seed=1, resamples=resamples, step=lambda message: None)


def records(
    section: type[Section[Any]], read: Material | Campaign, documents: Any = None, **settings: Any
) -> list[Record]:
    """Return the records of one section on a campaign or its material."""
    material = frames.read_campaign(read) if isinstance(read, Campaign) else read
    return section().records(inputs_of(material, **settings), Found(documents or {}), chance())


def picked(rows: list[Record], **where: Any) -> list[Record]:
    """Return the records with these values."""
    return [row for row in rows if where.items() <= row.items()]
