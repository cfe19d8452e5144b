"""Refusals: why an action was not done, as a code for programs and a sentence for people."""

from collections.abc import Mapping
from typing import ClassVar


class Refused(Exception):
    """An action was not done, because of its input or of the state of what it acts on.

    A subclass gives the usual code, and may give the usual sentence and the field of the input that
    is wrong; each can be given for one refusal alone. The status is that of the API's answer: 409
    unless the subclass says otherwise, and 422 if a field is wrong.
    """

    code: str = "refused"
    sentence: ClassVar[str] = ""
    field: str | None = None
    status: ClassVar[int] = 409

    def __init__(
        self, message: str = "", *, code: str | None = None, field: str | None = None
    ) -> None:
        super().__init__(message or self.sentence)
        if code is not None:
            self.code = code
        if field is not None:
            self.field = field


class InvalidInput(Refused):
    """A field of an action's input has a value that cannot be used."""

    code = "invalid"
    status = 422


def check_length(text: str, most: int, *, field: str) -> None:
    """Raise InvalidInput if a text has more than `most` characters."""
    if len(text) > most:
        raise InvalidInput(
            f"The text has {len(text):,} characters; the limit is {most:,}.", field=field
        )


def check_bounds(settings: object, bounds: Mapping[str, tuple[float, float]]) -> None:
    """Raise InvalidInput for the first number of settings that is out of its bounds; None is in
    bounds."""
    for field, (least, most) in bounds.items():
        if (value := getattr(settings, field)) is not None:
            check_between(value, least, most, field=field)


def check_between(value: float, least: float, most: float, *, field: str) -> None:
    """Raise InvalidInput if a number is below `least` or above `most`."""
    if value < least:
        raise InvalidInput(f"{value:g} is less than {least:g}.", field=field)
    if value > most:
        raise InvalidInput(f"{value:g} is more than {most:g}.", field=field)
