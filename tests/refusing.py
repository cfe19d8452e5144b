"""What tests assert of a refused action: its code, never its sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from judging.base.refusals import Refused


@contextmanager
def refused(code: str, field: str | None = None) -> Iterator[None]:
    """Run a block that an action must refuse with this code, and about this field if one is given."""
    with pytest.raises(Refused) as refusal:
        yield
    assert refusal.value.code == code
    if field is not None:
        assert refusal.value.field == field


def refusals_on(response: Any) -> list[str]:
    """Return the codes of the refusals that a page shows as messages."""
    messages = response.context["messages"]
    return [message.extra_tags for message in messages if message.extra_tags]
