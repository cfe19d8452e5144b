"""The file of a study: its keys, and what each of them must hold."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args

import yaml

from quaestor_client import types

PARTS = ("dataset", "protocol", "campaign", "selection", "quality", "invitations", "state")
STATES = ("draft", "locked", "open")
ROLES = get_args(types.ColumnRole)
ABOUT_DATASET = ("name", "file", "licence", "language", "columns", "mapping", "accept_surprises")
KEYS: Mapping[str, Collection[str]] = {
    "": PARTS,
    "dataset": ABOUT_DATASET,
    "campaign": ("title", *types.CampaignOptions.__annotations__),
    "selection": tuple(types.SelectionRequest.__annotations__),
    "quality": tuple(types.QualityRequest.__annotations__),
    "invitations[]": tuple(types.NewInvitationRequest.__annotations__),
}
# What keys must hold, as a type and in words; the blank key is the file itself
CONTENTS: Mapping[str, tuple[type, str]] = {
    "": (dict, "the keys `dataset`, `protocol` and `campaign`"),
    "dataset": (dict, "`name` and `file`"),
    "dataset.name": (str, "a text, the name of the dataset"),
    "dataset.file": (str, "the name of a file beside the study"),
    "dataset.licence": (str, "a text, such as CC-BY-4.0"),
    "dataset.language": (str, "a language tag, such as en"),
    "dataset.columns": (dict, "the roles of columns by their names"),
    "dataset.mapping": (dict, "how the file is read"),
    "protocol": (str, "the key of a protocol, or the name of its file, such as mine.yaml"),
    "campaign": (dict, "`title` and fields of the plan"),
    "campaign.title": (str, "a text, the title of the campaign"),
    "selection": (dict, "fields of the selection, such as `systems`"),
    "selection.sample": (dict, "`size` and `seed`"),
    "quality": (dict, "fields of the quality plan, such as `repeats`"),
    "invitations": (list, "a list of invitations with `label` and `places`"),
    "invitations[]": (dict, "`label` and `places`"),
    "invitations[].label": (str, "a text that no other invitation has"),
}
NEEDED = (
    "dataset",
    "dataset.name",
    "dataset.file",
    "protocol",
    "campaign",
    "campaign.title",
    "invitations[].label",
)


def load_study_file(path: Path) -> dict[str, Any]:
    """Return the parts of a study.

    Raises
    ------
    ValueError
        If a key is unknown or missing, or does not hold what it must.
    """
    study = yaml.safe_load(path.read_text(encoding="utf-8"))
    _check_fields("", study)
    for part in ("dataset", "campaign", "selection", "quality"):
        if part in study:
            _check_fields(part, study[part])
    for invitation in study.get("invitations", ()):
        _check_fields("invitations[]", invitation)
    for column, role in study["dataset"].get("columns", {}).items():
        _check_column(column, role)
    if "state" in study:
        _check_name("state", study["state"], STATES)
    return dict(study)


def _check_fields(part: str, fields: Any) -> None:
    """Refuse a part that has an unknown key, lacks one, or holds the wrong kind of value."""
    _check_content(part, fields)
    for name in fields:
        _check_name(f"key in `{part}`" if part else "key", name, KEYS[part])
    for name in KEYS[part]:
        key = f"{part}.{name}" if part else name
        if key in NEEDED or (key in CONTENTS and name in fields):
            _check_content(key, fields.get(name))


def _check_content(key: str, value: Any) -> None:
    kind, words = CONTENTS[key]
    if not isinstance(value, kind):
        raise ValueError(f"{f'`{key}`' if key else 'The file of a study'} must hold {words}.")


def _check_column(column: str, role: Any) -> None:
    """Refuse an unknown role, which is a name or an object with one."""
    name = role
    if isinstance(role, dict):
        for key in role:
            _check_name(f"key of the column “{column}”", key, types.Column.__annotations__)
        name = role.get("role", "")
    _check_name(f"role of the column “{column}”", name, ROLES)


def _check_name(kind: str, name: Any, names: Collection[str]) -> None:
    """Refuse a name that is none of these, and suggest the nearest one."""
    if name in names:
        return
    nearest = get_close_matches(str(name), names, 1)
    hint = f"Did you mean “{nearest[0]}”?" if nearest else f"Choose one of {', '.join(names)}."
    raise ValueError(f"The study has the unknown {kind} “{name}”. {hint}")
