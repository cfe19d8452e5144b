"""Files that people uploaded, and importing one of them as its owner wishes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from judging import storage
from judging.actions.rounds import TellProgress, silent
from judging.imports.actions import new_collections, reading_plans, row_list_files
from judging.imports.actions.new_collections import Imported
from judging.imports.actions.reading_plans import Plan
from judging.limits import MAX_FILE_NAME_CHARACTERS
from judging.models import Rubric, StoredFile, Upload, User

PLAIN = ("name", "licence", "language", "ratings_title", "again", "checked")


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedImport:
    """What is to become of an upload: how it is read, what the collection is called, what its
    ratings mean.

    `checked` says who looked at which handful of its sources; it is kept with how the file was
    read.
    """

    upload: Upload
    plan: Plan
    name: str
    licence: str = ""
    language: str = "en"
    rubric: Rubric | None = None
    ratings_title: str = ""
    again: bool = False
    checked: Mapping[str, Any] = field(default_factory=dict)

    def for_job(self) -> dict[str, Any]:
        """Return plain data that JSON can hold."""
        rubric = self.rubric.pk if self.rubric else None
        plain = {key: getattr(self, key) for key in PLAIN}
        return {"upload": self.upload.pk, "plan": self.plan.as_dict(), "rubric": rubric, **plain}

    @classmethod
    def from_job(cls, data: Mapping[str, Any], *, by: User) -> "WantedImport":
        """Return what `for_job` wrote; an upload of somebody else's is not found."""
        rest = {
            key: value for key, value in data.items() if key not in ("upload", "plan", "rubric")
        }
        return cls(
            upload=Upload.objects.of(by).get(pk=data["upload"]),
            plan=reading_plans.plan_from(data["plan"]),
            rubric=Rubric.objects.filter(pk=data["rubric"]).first(),
            **rest,
        )


def keep(*, owner: User, name: str, file: StoredFile) -> Upload:
    """Keep a file under the name its owner gave it last; what they said of it before is asked for
    again."""
    upload, _ = Upload.objects.update_or_create(
        owner=owner, file=file, defaults={"name": name[-MAX_FILE_NAME_CHARACTERS:], "entered": ""}
    )
    return upload


def import_upload(
    *,
    wanted: WantedImport,
    by: User,
    now: datetime,
    progress: TellProgress = silent,
) -> Imported:
    """Read an upload and store all that it holds, then forget what was entered for it; raises what
    `import_study` raises."""
    upload = wanted.upload
    progress(0, 0, "Reading the file")
    study = reading_plans.read_study(
        name=upload.name,
        data=storage.content_of(upload.file),
        plan=wanted.plan,
        progress=progress,
    )
    made = new_collections.import_study(
        study=study,
        name=wanted.name,
        by=by,
        now=now,
        licence=wanted.licence,
        language=wanted.language,
        file=upload.file,
        file_name=upload.name,
        mapping={
            **wanted.plan.as_dict(),
            **({"checked": wanted.checked} if wanted.checked else {}),
        },
        rubric=wanted.rubric,
        ratings_title=wanted.ratings_title,
        again=wanted.again,
        progress=progress,
    )
    row_list_files.delete_of_upload(upload.pk)
    Upload.objects.filter(pk=upload.pk).update(entered="")
    return made
