"""Text that is sent without a form of its own, such as a note or words to search for."""

from collections.abc import Mapping


def sent_text(data: Mapping[str, str], name: str, most: int | None = None) -> str:
    """Return the text sent under a name, without NUL, which no text in the database can hold.

    >>> sent({"note": "a\\0b"}, "note")
    'ab'
    """
    return data.get(name, "").replace("\0", "")[:most]
