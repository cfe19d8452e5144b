"""Tuned weights as their page shows them."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.reports.numerals import coefficient, format_list, two

PARTS = {
    "delta": "answerability, beside the metric",
    "content": "content words",
    "entity": "entities",
    "question": "question words",
    "function": "function words",
}


def tuning_page(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return weights, splits and the gain written out."""
    return {
        **{key: result[key] for key in ("n", "train", "bags", "bag", "cased")},
        **{key: _r(result[key]) for key in ("base", "tuned", "gain")},
        "test": _range([row["n"] for row in result["splits"]]),
        "collinear": format_list([PARTS.get(part, part) for part in result.get("collinear", [])]),
        "weights": [
            {
                "name": PARTS[row["part"]],
                **{key: two(row[key]) for key in ("published", "mean", "spread")},
            }
            for row in result["weights"]
        ],
        "splits": [
            {
                "split": row["split"],
                "n": row["n"],
                "base": _r(row["base"]),
                "tuned": _r(row["tuned"]),
            }
            for row in result["splits"]
        ],
    }


def _range(sizes: Sequence[int]) -> str:
    return f"{min(sizes)}" if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"


def _r(value: float | None) -> str:
    return "undefined" if value is None else coefficient(value)
