"""Long texts of which a page or a file shows only the beginning."""


def shortened(text: str, longest: int) -> str:
    """Return a text; of a long one, the beginning and an ellipsis."""
    return text if len(text) <= longest else f"{text[:longest]}…"
