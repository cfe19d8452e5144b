"""Files that are read with every proposal accepted, as the pages do."""

from collections.abc import Mapping, Sequence

from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.outline import outline
from judging.imports.readers.records import StudyRecords
from judging.imports.readers.registry import sniff


def proposed(data: bytes, name: str = "ratings.csv") -> ColumnRoles:
    found = outline(data=data, known=sniff(name, data), name=name).proposed
    assert found is not None
    return found


def accepted(data: bytes, name: str = "ratings.csv") -> StudyRecords:
    return sniff(name, data).read(data, name=name, columns=proposed(data, name))


def table(columns: Mapping[str, Sequence[object]], system: str = "Alba") -> bytes:
    """Return a CSV file of one question a row with these columns."""
    rows = [
        f"Town {number} has a mill.,{system},What has town {number}?," + ",".join(map(str, cells))
        for number, cells in enumerate(zip(*columns.values(), strict=True))
    ]
    return "\n".join([f"passage,system,question,{','.join(columns)}", *rows]).encode()


def by_annotator(study: StudyRecords, criterion: str) -> dict[str, list[float]]:
    """Return the values of each annotator in the order of the file."""
    found: dict[str, list[float]] = {}
    for rating in study.ratings:
        if rating.criterion == criterion:
            found.setdefault(rating.rater, []).append(float(rating.value))
    return found
