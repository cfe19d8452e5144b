"""Jobs that preview, add and take back the files of a dataset."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from judging.datasets import guards as dataset_guards
from judging.datasets.models.added_file import AddedFile
from judging.imports.actions import files, take_back
from judging.jobs.actions import jobs
from judging.jobs.tasks import job_task
from judging.protocols import guards as protocol_guards


def _files(work: jobs.Work) -> list[AddedFile]:
    """Return the files that a job is about, in their order; some may be gone."""
    wanted = AddedFile.objects.filter(dataset=work.job.dataset, pk__in=work.job.parameters["files"])
    if not (found := list(wanted.listed())):
        raise jobs.CannotDo("The files are gone already.")
    return found


@job_task(files.EXAMINE, right=dataset_guards.owns)
def examine_file(work: jobs.Work) -> Mapping[str, Any]:
    """Preview what a file would add to its dataset."""
    from judging.imports.actions import adding  # loads pandas, which no page needs

    [added] = _files(work)
    work.progress(0, 0, "Reading and matching")
    protocols = protocol_guards.protocols_of(work.job.created_by)
    adding.examine_waiting_file(added=added, protocols=protocols, progress=work.progress)
    return {work.job.parameters.get("shows", "file"): added.number}


@job_task(files.PREVIEW_ALL, right=dataset_guards.owns)
def preview_files(work: jobs.Work) -> Mapping[str, Any]:
    """Preview what several files would add to their dataset together."""
    from judging.imports.actions import adding  # loads pandas, which no page needs

    waiting = _files(work)
    protocols = protocol_guards.protocols_of(work.job.created_by)
    adding.examine_all(waiting=waiting, protocols=protocols, progress=work.progress)
    return {"files": len(waiting)}


@job_task(files.ADD, right=dataset_guards.owns, first=_files, undo=files.match_again_all)
def add_files(work: jobs.Work, waiting: list[AddedFile]) -> Mapping[str, Any]:
    """Add files to a dataset: all of them or none."""
    return _add(work, waiting)


def _add(work: jobs.Work, waiting: list[AddedFile]) -> Mapping[str, Any]:
    from judging.imports.actions import adding  # loads pandas, which no page needs

    done = adding.add_waiting_files(
        waiting=waiting,
        by=work.job.created_by,
        now=timezone.now(),
        protocols=protocol_guards.protocols_of(work.job.created_by),
        progress=work.progress,
        accept_surprises=work.job.parameters.get("accept_surprises", False),
    )
    return {
        "dataset": work.job.dataset_id,
        "quarantined": sum(each.brought["quarantined"] for each in done),
    }


@job_task(files.TAKE_BACK, right=dataset_guards.owns)
def take_back_file(work: jobs.Work) -> Mapping[str, Any]:
    """Take a large file back."""
    [added] = _files(work)
    take_back.remove_added_rows(
        added=added, by=work.job.created_by, now=timezone.now(), progress=work.progress
    )
    return {"files": 1}


@job_task(files.ADD_ROWS, right=dataset_guards.owns, first=_files, undo=files.match_again_all)
def add_rows(work: jobs.Work, waiting: list[AddedFile]) -> Mapping[str, Any]:
    """Add the rows that a program sent, with the roles that are proposed for their columns."""
    return _add(work, waiting)
