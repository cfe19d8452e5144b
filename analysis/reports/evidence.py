"""The questions behind a number as an address: the order and filters of the list of questions."""

from dataclasses import asdict, dataclass
from urllib.parse import urlencode


@dataclass(frozen=True)
class ItemQuery:
    """Filters and order of a list of questions; an empty field sets none.

    Fields hold names that readers know: of systems, metrics and annotators, and keys of criteria,
    so that an address is readable and still valid after the database was restored elsewhere.
    """

    sort: str = ""
    criterion: str = ""
    metric: str = ""
    system: str = ""
    against: str = ""
    value: str = ""
    annotator: str = ""
    attribute: str = ""
    attribute_value: str = ""
    text: str = ""

    @property
    def encoded(self) -> str:
        """Return the query string.

        >>> ItemQuery(sort="gap", criterion="fluency", metric="ROUGE-L").encoded
        'sort=gap&criterion=fluency&metric=ROUGE-L'
        """
        return urlencode({name: value for name, value in asdict(self).items() if value})
