"""The job that reads a file for a page, and the job's page until it is done."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from judging import tasks
from judging.actions import jobs
from judging.imports.actions import looks
from judging.models import Collection, Job


def found_in(
    request: HttpRequest,
    *,
    kind: str,
    parameters: Mapping[str, Any],
    collection: Collection | None = None,
) -> dict[str, Any] | HttpResponse:
    """Return the result of reading a file, or a redirect to the page of the job that reads it.

    The same look by the same person is one job. One that failed or was cancelled is begun again.
    """
    job = looks.job_of(kind=kind, parameters=parameters, by=request.user)
    if job and job.state == Job.State.DONE:
        return dict(job.result["found"])
    if job is None:
        job = tasks.begin(
            jobs.enqueue, kind=kind, parameters=parameters, by=request.user, collection=collection
        )
    return redirect("judging:job", job.pk)
