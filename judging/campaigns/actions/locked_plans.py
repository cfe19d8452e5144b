"""The plan that a campaign's lock fixed, read alike whatever its age."""

from copy import deepcopy
from typing import Any

from judging.campaigns.models.campaign import Campaign

# What it means that a plan has no such part, or no such field in a part that it has
WITHOUT_PART: dict[str, Any] = {
    "checks": {},
    "hypotheses": {},
    "reproduces": {},
    "selection": {},
}
WITHOUT_FIELD: dict[str, dict[str, Any]] = {
    "design": {
        "highlight_keywords": False,
        "review_before_submit": False,
        "review_is_optional": False,
        "tasks_per_annotator": None,
    },
    "qualification": {"paid": None},  # nothing was said about pay
    "reproduces": {"shared": ""},
    "texts": {
        "analysis_plan": "",
        "ethics": "",
        "pay": "",
        "retention_days": None,
        "sample_reason": "",
        "withdrawal": False,
    },
}


def read_locked_plan(campaign: Campaign) -> dict[str, Any]:
    """Return a campaign's locked plan, with every field that was added later.

    The hash of the plan is that of the stored document, which stays as it was locked. Of a draft
    only the parts that may be missing are returned.
    """
    locked_plan: dict[str, Any] = deepcopy(WITHOUT_PART) | deepcopy(campaign.locked_plan or {})
    for part, fields in WITHOUT_FIELD.items():
        if part in locked_plan:
            locked_plan[part] = fields | locked_plan[part]
    return locked_plan
