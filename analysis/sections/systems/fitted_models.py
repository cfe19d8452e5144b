"""The mixed models of a run's criteria, which several sections read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from analysis.frames import Material
from analysis.sections.metrics.columns import placed_ratings
from judging.protocols.protocol_schema import ProtocolCriterion
from quaestor_stats._reml import Unfit
from quaestor_stats._variance_components import SPARSE_FROM, Components, variance_components

if TYPE_CHECKING:
    import pandas as pd

# questions x columns^2, columns being systems, annotators and their pairs: below it a fit takes
# seconds, and with as many columns as make the model sparse ten times as much does
QUICK, QUICK_SPARSE = 1e9, 1e10
NOT_FITTED = "the run does not fit the mixed model"


@dataclass(frozen=True)
class FittedModel:
    """The mixed model of one criterion, which is fitted when its components are first read."""

    material: Material
    criterion: ProtocolCriterion
    asked: str  # the run's setting: never, quick (unless it takes long) or always
    annotators_random: bool

    @cached_property
    def components(self) -> Components:
        """The means and variances of the model.

        Raises
        ------
        Unfit
            The ratings do not permit it, the run's settings exclude it, or it would take long and
            the run allows only quick fits.
        """
        if self.asked == "never":
            raise Unfit(NOT_FITTED)
        rows = placed_ratings(self.material, self.criterion)
        if self.asked == "quick" and takes_long(rows):
            asked = "it would take long; ask for it before the run"
            raise Unfit(f"not fitted: with {len(rows):,} judgments {asked}")
        return variance_components(
            **model_columns(rows),
            unit=self.material.cluster_unit,
            annotators_random=self.annotators_random,
        )


def model_columns(rows: pd.DataFrame) -> dict[str, Any]:
    """Return placed ratings as `quaestor_stats._variance_components` takes them."""
    return {
        "ratings": rows["value"].to_numpy(dtype="float64"),
        "systems": rows["system"].to_numpy(dtype=object),
        "sources": rows["source"].to_numpy(dtype=object),
        "annotators": rows["annotator"].to_numpy(dtype=object),
        "questions": rows["unit"].to_numpy(),
        "clusters": rows["cluster"].to_numpy(dtype=object),
    }


def takes_long(rows: pd.DataFrame) -> bool:
    """Return whether a fit of placed ratings takes more than seconds."""
    return model_cost(rows) > (QUICK if model_size(rows) < SPARSE_FROM else QUICK_SPARSE)


def model_cost(rows: pd.DataFrame) -> float:
    """Return questions x columns^2 of the model of placed ratings."""
    return float(rows["unit"].nunique()) * model_size(rows) ** 2


def model_size(rows: pd.DataFrame) -> int:
    """Return the columns of the model: systems, annotators and their pairs."""
    pairs = len(rows[["system", "annotator"]].drop_duplicates())
    return int(rows["system"].nunique() + rows["annotator"].nunique() + pairs)
