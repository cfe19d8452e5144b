"""Fields of forms for the numbers of an action's input."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from django import forms


def number_field(
    kind: type[forms.IntegerField],
    name: str,
    *,
    defaults: object,
    bounds: Mapping[str, tuple[float, float]],
    **options: Any,
) -> forms.IntegerField:
    """Return the field of a number of an action's input, with the bounds that the action checks;
    `defaults` is the input with its default values."""
    least, most = bounds[name]
    return kind(
        min_value=least,
        max_value=most if isfinite(most) else None,
        initial=getattr(defaults, name),
        **options,
    )
