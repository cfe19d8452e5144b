"""A look at a file: at once where it is small and read within seconds, else by a job whose page is
shown until it is done."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from judging import tasks
from judging.actions import jobs
from judging.imports.actions import looks, row_list_files
from judging.imports.readers.limited import NotAtOnce
from judging.models import Collection, Job, StoredFile


def found_in(
    request: HttpRequest,
    *,
    file: StoredFile,
    kind: str,
    parameters: Mapping[str, Any],
    collection: Collection | None = None,
    with_row_list: bool = False,
) -> dict[str, Any] | HttpResponse:
    """Return what is found in a file, or the way to the page of the job that looks.

    The same look by the same person is one job. One that failed or was cancelled is begun again, and
    so is one whose list of rows was deleted if the caller needs it (`with_row_list`).
    """
    job = job_of(request, kind, parameters)
    if looks.is_quick(file) and job is None and not with_row_list:
        with suppress(NotAtOnce):
            return looks.look(kind=kind, parameters=parameters, by=request.user, waits=True)
    if (
        job
        and job.state == Job.State.DONE
        and with_row_list
        and not row_list_files.exists_in(job.result["found"])
    ):
        job = None
    if job and job.state == Job.State.DONE:
        return dict(job.result["found"])
    if job is None:
        with transaction.atomic():
            job = jobs.enqueue(
                kind=kind, parameters=parameters, by=request.user, collection=collection
            )
            key = job.pk
            transaction.on_commit(lambda: tasks.ring(key))
    return redirect("judging:job", job.pk)


def job_of(request: HttpRequest, kind: str, parameters: Mapping[str, Any]) -> Job | None:
    """Return the job by which this person had this looked at, or has."""
    asked = Job.objects.filter(kind=kind, created_by=request.user, parameters=dict(parameters))
    return asked.exclude(state__in=[Job.State.FAILED, Job.State.CANCELLED]).first()
