"""The data of the columns page of a file: a job reads the file and keeps the results as plain
data."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from judging import storage
from judging.actions.rounds import TellProgress, silent
from judging.imports.actions import adding, proposals, reading_plans
from judging.imports.actions.reading_plans import Head, Plan
from judging.imports.readers.text import Unreadable, decodings
from judging.models import AddedFile, Job, User

COLUMNS = "judging.read_columns"


def of_added(added: AddedFile, plan: Plan) -> dict[str, Any]:
    """Return the parameters of a job that reads the columns of a dataset's file. They include the
    other waiting files, because these may have the same columns."""
    waiting = added.collection.added_files.waiting().exclude(pk=added.pk).order_by("pk")
    return {
        "files": [added.pk],
        "number": added.number,
        "plan": plan.as_dict(),
        "waiting": list(waiting.values_list("pk", flat=True)),
    }


def parameters_of(added: AddedFile, *, by: User) -> dict[str, Any]:
    """Return the parameters of the job that reads a file's columns. Once the columns are decided,
    the plan names the format; the job that detected this format is then still the right one."""
    plan = reading_plans.without_columns(adding.plan_of(added))
    found_out = of_added(added, replace(plan, format=""))
    job = job_of(kind=COLUMNS, parameters=found_out, by=by)
    head = job.result.get("found", {}).get("head", {}) if job and job.result else {}
    return found_out if head.get("format") == plan.format else of_added(added, plan)


def job_of(*, kind: str, parameters: Mapping[str, Any], by: User) -> Job | None:
    """Return the user's job with these parameters, running or finished."""
    asked = Job.objects.filter(kind=kind, created_by=by, parameters=dict(parameters))
    return asked.exclude(state__in=[Job.State.FAILED, Job.State.CANCELLED]).first()


def read_columns(
    *,
    parameters: Mapping[str, Any],
    by: User,
    progress: TellProgress = silent,
) -> dict[str, Any]:
    """Return the file's head, the waiting files with the same columns and previews of the text in
    each encoding, or why the file cannot be read; users see only their own files."""
    [key] = parameters["files"]
    added = AddedFile.objects.listed().get(pk=key, collection__owner=by)
    progress(0, 0, "Reading the file")
    content = storage.content_of(added.file)
    plan = reading_plans.plan_from(parameters["plan"])
    try:
        head = reading_plans.read_head(name=added.name, data=content, plan=plan, progress=progress)
    except Unreadable as error:
        return {"reason": error.reason, "decodings": [asdict(each) for each in decodings(content)]}
    return {"head": asdict(head), "siblings": [each.pk for each in proposals.siblings(added)]}


def head_in(found: Mapping[str, Any]) -> Head | None:
    """Return the head in a job's results; None if the file cannot be read."""
    return reading_plans.head_from(found["head"]) if "head" in found else None
