"""What two studies must have in common for the second to be a reproduction of the first."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

# a reproduction has a secret, pay and hypotheses of its own
OWN = ("draws", "rate", "reproduces", "hypotheses")
OWN_TEXTS = ("introduction",)  # must be equal; consent, contact, ethics and pay may differ
IMPORTED = ("protocol", "dataset", "decisions")  # all that is known of imported ratings


def select_fixed_parts(locked_plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a plan that decide what annotators see, judge and are checked by.

    Datasets are compared by their files, not by name; decisions of calibration by their text.
    """
    kept = {name: part for name, part in locked_plan.items() if name not in (*OWN, "texts")}
    dataset = locked_plan["dataset"]
    kept["dataset"] = {key: value for key, value in dataset.items() if key != "name"}
    texts = locked_plan.get("texts", {})
    kept["instructions"] = {name: texts.get(name, "") for name in OWN_TEXTS}
    kept["decisions"] = texts.get("decisions", {}).get("text", "")
    return kept


def find_changed_parts(
    one: Mapping[str, Any], other: Mapping[str, Any], *, imported: bool
) -> list[str]:
    """Return the names of the parts in which two protocols differ."""
    first, second = select_fixed_parts(one), select_fixed_parts(other)
    names = IMPORTED if imported else tuple(sorted(first.keys() | second.keys()))
    return [name for name in names if first.get(name) != second.get(name)]


def hash_fixed_parts(locked_plan: Mapping[str, Any], *, imported: bool = False) -> str:
    """Return the hash of those parts, equal for a study and its reproduction."""
    parts = select_fixed_parts(locked_plan)
    held = {name: parts.get(name) for name in IMPORTED} if imported else parts
    text = json.dumps(held, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
