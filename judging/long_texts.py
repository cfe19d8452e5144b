"""Long texts where a page or a file shows their beginning."""


def shortened(text: str, longest: int) -> str:
    """Return a text, of a long one its beginning and an ellipsis."""
    return text if len(text) <= longest else f"{text[:longest]}…"
