"""Results as flat records: what a table, a CSV file and the JSON of a report are made of."""

from collections.abc import Mapping
from dataclasses import asdict
from math import isfinite
from typing import Any

from analysis.stats.crosscheck import Check
from analysis.stats.estimate import Estimate

Record = dict[str, Any]
DIGITS = 12  # significant digits: the same on every machine


def number(value: float | None) -> float | None:
    """Return a value with the digits that are the same everywhere; None where it is undefined."""
    if value is None or not isfinite(value):
        return None
    return float(f"{value:.{DIGITS}g}")


def of_estimate(found: Estimate, **where: Any) -> Record:
    """Return an estimate as a record, after the names that say what it is of."""
    values = {key: number(value) if isinstance(value, float) else value for key, value in asdict(found).items()}
    return {**where, **values}


def of_check(check: Check) -> Record:
    """Return what another library said of the same coefficient."""
    return {
        "checked_by": check.library,
        "checked_version": check.version,
        "checked_value": number(check.value),
        "checked_difference": number(check.difference),
        "unchecked_because": check.reason,
    }


def plain(values: Mapping[str, Any]) -> Record:
    """Return a record with every number made plain."""
    return {
        key: number(float(value)) if hasattr(value, "dtype") or isinstance(value, float) else value
        for key, value in values.items()
    }
