"""Refusals: why an action was not done, as a code for programs and a sentence for people."""

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
