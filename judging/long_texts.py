"""How much of long texts a page or a file holds."""

MOST_ON_PAGE = 1_000_000  # characters of one kind of text, about all that a page lists
LONGEST, SHORTEST = 50_000, 1_000  # characters of one text on such a page


def shortened(text: str, longest: int) -> str:
    """Return a text, of a long one its beginning and an ellipsis."""
    return text if len(text) <= longest else f"{text[:longest]}…"


def longest_of(texts: int) -> int:
    """Return how many characters each of so many texts may have on one page."""
    return min(LONGEST, max(SHORTEST, MOST_ON_PAGE // max(1, texts)))
