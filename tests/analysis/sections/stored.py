"""What a run stores, small enough to say by hand what a report must claim of it.

Records may lack columns: they are then empty, as in runs from before a column was there.
"""

from itertools import combinations
from typing import Any

from analysis.reports.rows import Record
from analysis.sections import SECTIONS
from analysis.sections.section import Found, Section

POINTS = [[1, "no"], [2, "nearly"], [3, "yes"]]


def found(**documents: Any) -> Found:
    """Return what a run of one criterion with nothing judged has found; tests put in what they are
    about."""
    unknown = documents.keys() - {section.key for section in SECTIONS}
    assert not unknown, f"no section has the key {unknown}"
    return Found({"criteria": [criterion()], "about": [about()], **documents})


def about(**changes: Any) -> Record:
    facts = {
        "origin": "judged",
        "judgments": 12,
        "annotators": 2,
        "sources": 6,
        "sources_judged": 6,
        "excluded": [],
        "unblinded": [],
        "deviations": [],
        "reading": "as_released",
    }
    return {**facts, **changes}


def criterion(
    key: str = "clarity",
    *,
    best: str = "highest",
    level: str = "ordinal",
    points: Any = None,
    **more: Any,
) -> Record:
    return {
        "criterion": key,
        "name": key.title(),
        "best": best,
        "averaged": best != "none" or level == "interval",
        "level": level,
        "points": points or POINTS,
        **more,
    }


def estimate(
    value: float | None, low: float | None = None, high: float | None = None, **where: Any
) -> Record:
    return {"value": value, "low": low, "high": high, "n": 12, "dropped": 0, "reason": "", **where}


def in_words(section: Section[Any], found: Found) -> list[str]:
    """Return the results of a section in words with its caveats."""
    return [*section.sentences(found), *section.caveats(found)]


def agreement(
    alpha: Record, *, equal: float = 0.9, key: str = "clarity", level: str = "ordinal"
) -> list[Record]:
    """Return the rows of a criterion: alpha at one level, and the share of equal pairs."""
    where = {"criterion": key, "basis": "all"}
    return [
        estimate(equal, coefficient="percent_agreement", level="nominal", **where),
        alpha | {"coefficient": "krippendorff_alpha", "level": level} | where,
        estimate(0.1, coefficient="fleiss_kappa", level="nominal", reported=True, **where),
        estimate(0.85, coefficient="gwet_ac1", level="nominal", **where),
    ]


def mean(
    system: str, value: float | None, low: float | None = None, high: float | None = None
) -> Record:
    return estimate(value, low, high, system=system, criterion="clarity")


def told_of(**letters: str) -> dict[str, list[Record]]:
    """Return the letters of systems, and the tests of pairs that they stand for."""
    groups = [
        {"criterion": "clarity", "system": name, "letters": own} for name, own in letters.items()
    ]
    pairs = [
        estimate(
            0.7, test="difference", p_from="permutation", criterion="clarity", first=a, second=b
        )
        | {"n": 9, "p_holm": 0.5 if set(letters[a]) & set(letters[b]) else 0.01}
        for a, b in combinations(letters, 2)
    ]
    return {"groups": groups, "system_comparisons": pairs}


def spread(*counts: int, key: str = "clarity") -> list[Record]:
    """Return how often each of three values was given."""
    total = sum(counts)
    return [
        {
            "criterion": key,
            "system": "a",
            "value": v,
            "label": label,
            "count": n,
            "share": n / total,
        }
        for (v, label), n in zip(POINTS, counts, strict=True)
    ]


def aggregate(
    system: str, value: float, *, key: str = "", reading: str = "by_protocol", **more: Any
) -> Record:
    return {"system": system, "criterion": key, "aggregate": value, "reading": reading, **more}


def returned(system: str, expected: int, got: int) -> Record:
    return {"system": system, "expected": expected, "returned": got, "missing": expected - got}
