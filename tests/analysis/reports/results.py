"""Tables of a run as the actions make them, small enough to say by hand what a report must claim of them."""

from typing import Any

from analysis.reports.records import Record

POINTS = [[1, "no"], [2, "nearly"], [3, "yes"]]


def tables(**changes: Any) -> dict[str, Any]:
    """Return the tables of a study with one criterion and nothing judged; tests put in what they are about."""
    about = {"origin": "judged", "judgments": 12, "excluded": [], "unblinded": [], "deviations": []}
    empty: dict[str, Any] = {
        "criteria": [criterion()],
        "about": about,
        **{
            name: []
            for name in (
                "agreement", "pairs", "annotators", "systems", "distributions", "returned", "aggregates",
                "correlations", "differences", "metrics", "violations", "sentences",
            )
        },
    }  # fmt: skip
    return empty | changes


def criterion(key: str = "clarity", *, best: str = "highest", level: str = "ordinal", points: Any = None) -> Record:
    return {"criterion": key, "name": key.title(), "best": best, "level": level, "points": points or POINTS}


def estimate(value: float | None, low: float | None = None, high: float | None = None, **where: Any) -> Record:
    return {"value": value, "low": low, "high": high, "n": 12, "dropped": 0, "reason": "", **where}


def agreement(alpha: Record, *, equal: float = 0.9, key: str = "clarity", level: str = "ordinal") -> list[Record]:
    """Return the rows of a criterion: alpha at one level, and the share of equal pairs."""
    where = {"criterion": key, "basis": "all"}
    return [
        estimate(equal, coefficient="percent_agreement", level="nominal", **where),
        alpha | {"coefficient": "krippendorff_alpha", "level": level} | where,
        estimate(0.1, coefficient="fleiss_kappa", level="nominal", **where),
    ]


def mean(system: str, value: float | None, low: float | None = None, high: float | None = None) -> Record:
    return estimate(value, low, high, system=system, criterion="clarity")


def spread(*counts: int, key: str = "clarity") -> list[Record]:
    """Return how often each of three values was given."""
    pairs = zip(POINTS, counts, strict=True)
    return [{"criterion": key, "system": "a", "value": v, "label": label, "count": n} for (v, label), n in pairs]


def rho(metric: str, value: float | None, low: float | None = None, high: float | None = None) -> Record:
    return estimate(value, low, high, metric=metric, criterion="clarity", coefficient="spearman", p=0.5)


def lead(better: str, other: str, difference: float, p: float | None) -> Record:
    return {
        "criterion": "clarity", "better": better, "other": other, "difference": difference,
        "p_swap_holm": p, "p_williams_holm": None, "swap_reason": "", "williams_reason": "they rank alike",
    }  # fmt: skip


def aggregate(system: str, value: float, *, key: str = "", reading: str = "by_protocol", **means: float) -> Record:
    form = {"reading": reading, "fatal_applied": "", "fatal_others": ""}
    return {"system": system, "criterion": key, "aggregate": value, **form, **means}


def returned(system: str, expected: int, got: int) -> Record:
    return {"system": system, "expected": expected, "returned": got, "missing": expected - got}
