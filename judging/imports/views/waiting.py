"""What was entered for an import waits with its upload, so that going back and forth loses
nothing."""

import json
from dataclasses import asdict, fields
from typing import Any

from judging.imports.actions.reading_plans import Head, Plan, head_from, plan_from
from judging.imports.readers.columns import ColumnRoles
from judging.models import Upload

# What an earlier version kept in another form is asked for again
FORM = [field.name for kind in (Plan, Head, ColumnRoles) for field in fields(kind)]


class Waiting:
    """The answers given so far for one upload."""

    def __init__(self, upload: Upload) -> None:
        self.upload = upload
        entered = json.loads(upload.entered or "{}")
        self._said: dict[str, Any] = entered if entered.pop("form", None) == FORM else {}

    @property
    def plan(self) -> Plan:
        """How the file is read."""
        return plan_from(self._said.get("plan", {}))

    @property
    def head(self) -> Head | None:
        """The beginning of the file as it was last read."""
        head = self._said.get("head")
        return None if head is None else head_from(head)

    @property
    def has_plan(self) -> bool:
        """Say whether the second step was done."""
        return "rubric" in self._said

    @property
    def rubric(self) -> int | None:
        """The key of the protocol of the ratings."""
        return self._said.get("rubric")

    @property
    def rows(self) -> int | None:
        """How many rows the preview found; None before it was seen."""
        return self._said.get("rows")

    @property
    def sources(self) -> int:
        """How many sources the preview found."""
        return int(self._said.get("sources", 0))

    @property
    def unmarked(self) -> int:
        """How many answers stand more than once, and nobody said where: they are imported without a
        place."""
        return int(self._said.get("unmarked", 0))

    @property
    def language(self) -> str:
        """The language the texts of the preview are probably in."""
        return self._said.get("language", "en")

    @property
    def checked(self) -> dict[str, Any]:
        """Who looked at which handful of sources and found it right; empty before somebody did."""
        return dict(self._said.get("checked", {}))

    @property
    def has_ratings(self) -> bool:
        """Say whether the preview found ratings."""
        return bool(self._said.get("ratings"))

    @property
    def details(self) -> dict[str, Any]:
        """What the collection is to be called."""
        return self._said.get("details", {})

    def keep(self, *, plan: Plan | None = None, head: Head | None = None, **said: Any) -> None:
        """Add answers. A new plan makes preview and check worthless, and a file that is read anew
        all else too."""
        if plan is not None:
            said["plan"] = plan.as_dict()
            self._said.pop("rows", None)
            self._said.pop("checked", None)
        if head is not None:
            said["head"] = asdict(head)
        self._store(self._said | said)

    def forget(self) -> None:
        """Drop everything that was said about this upload."""
        self._store({})

    def _store(self, said: dict[str, Any]) -> None:
        self._said = said
        self.upload.entered = json.dumps({**said, "form": FORM}) if said else ""
        self.upload.save(update_fields=["entered"])
