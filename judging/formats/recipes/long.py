"""Our own exports: judgments in long form (see `writers`), and the API's export of judgments, as a
table or JSON Lines."""

import re
from typing import Any, cast

from judging.formats.frames import Opened
from judging.formats.mapping import Column, Role
from judging.formats.recipes import shared
from judging.formats.recipes.contract import ALL, Recipe
from judging.formats.recipes.writers import ITEM, JUDGMENT, QUESTION, SOURCE

_ROLES = {name: cast(Role, name) for name in (*SOURCE, *QUESTION, *JUDGMENT)}
_ROLES |= {"references": "reference", "question_id": "key", "annotator": "rater"}
_ROLES |= {ITEM: "", "cluster": ""}
_PREFIXES: dict[str, Role] = {"source:": "source_metadata", "attribute:": "metadata"}
_PREFIXES |= {"judgment:": "rating_metadata"}
_OURS = (*_PREFIXES, "score:")
_SCORE = re.compile(
    r"score:(?P<name>.+) \[(?P<direction>higher|lower|unknown), (?P<scale>fraction|percent|none)"
    r"(?P<mean>, human mean)?\]",
    re.S,
)
_OF_SLOTS = {"source_id", "system", "position"}
_OF_API = {*_OF_SLOTS, "question", "annotator", "criterion", "value"}
_OF_API |= {"revision", "round", "state", "excluded"}
_ABOUT = (
    "origin cause created_at first_shown_at answered_at"
    " instruction_language view device input keywords review"
)
_COUNTED = {"round": ("", "main"), "state": ("", "submitted"), "excluded": ("", "false")}


def propose(frame: shared.Frame) -> dict[str, Any]:
    """Return the declared roles; each set expects the questions that it holds."""
    return {"columns": own_columns(frame), "crossed": False}


def propose_for_api(frame: shared.Frame) -> dict[str, Any]:
    """Return the roles of the API's columns, also of those that items add to judgments; rows that no
    report counts are excluded. Only questions that were judged are in the file."""
    columns = {name: Column(why="It is not a part of a rating.") for name in frame.columns}
    about: dict[str, Role] = dict.fromkeys(_ABOUT.split(), "rating_metadata")
    columns |= shared.roles_present(frame, _ROLES | about, "Quaestor's API exports it.")
    uncounted = {
        name: tuple(value for value in frame[name].unique() if value.casefold() not in counted)
        for name, counted in _COUNTED.items()
    }
    exclude_rows = {name: values for name, values in uncounted.items() if values}
    return {"columns": columns, "exclude_rows": exclude_rows, "crossed": False}


def own_columns(frame: shared.Frame) -> dict[str, Column]:
    """Return the roles that the names of our own columns declare."""
    why = "Quaestor exported it under this name."
    found = shared.roles_present(frame, _ROLES, why)
    for name in frame.columns:
        for prefix, role in _PREFIXES.items():
            if name.startswith(prefix):
                found[name] = Column(role=role, why=why)
        if score := _SCORE.fullmatch(name):
            direction = "" if score["direction"] == "unknown" else score["direction"]
            about = {"name": score["name"], "direction": direction, "scale": score["scale"]}
            role = "human_mean" if score["mean"] else "metric"
            found[name] = Column.model_validate({"role": role, "why": why, **about})
    return found


def _recognises(opened: Opened) -> bool:
    names = shared.names(opened)
    are_ours = all(name in _ROLES or name.startswith(_OURS) for name in names)
    return are_ours and _OF_SLOTS.issubset(names)


RECIPES = (
    Recipe(
        key="long",
        title="Judgments in long form, as exported here",
        recognises=_recognises,
        frame=shared.flat_frame,
        propose=propose,
        carries=ALL,
        writes=True,
    ),
    Recipe(
        key="judgments",
        title="Judgments, as exported by the API",
        recognises=lambda opened: _OF_API.issubset(shared.names(opened)),
        frame=shared.flat_frame,
        propose=propose_for_api,
        carries=("questions", "references", "answers", "ratings", "metadata"),
        writes=True,
        page="long",
    ),
)
