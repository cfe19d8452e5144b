"""A page of a kind of job: ask for one, watch it, read what the newest one found."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from analysis.scoring.views.figures import svg_response
from judging.base.views.refusals import refusals_shown
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Dataset
from judging.jobs import tasks
from judging.jobs.models.file import StoredFile
from judging.jobs.models.job import Job
from judging.jobs.views.jobs import job_offer


@dataclass(frozen=True, kw_only=True, slots=True)
class JobPage:
    """What differs between the pages of kinds of jobs. The module that makes one guards its views.

    The jobs of a page belong to a campaign or a dataset, its owner here, which form and action take
    as `campaign` or `dataset`.
    """

    kind: str  # of the job that the page watches
    template: str
    form: Callable[..., Any]
    start: Callable[..., Job]  # the action that creates the job
    settings: Callable[[Any], dict[str, Any]]  # what a valid form passes to `start`
    # what the template shows besides the form and the job at work
    content: Callable[[HttpRequest, Any, Any], dict[str, Any]]
    address: str = ""  # of the campaign's page that watches the job; "": the job has its own page

    def show(self, request: HttpRequest, owner: Campaign | Dataset) -> HttpResponse:
        """Show what was found, and the form for another job."""
        return self.page(request, owner, self.form(**_named(owner)))

    def ask(self, request: HttpRequest, owner: Campaign | Dataset) -> HttpResponse:
        """Create a job as the form says, and lead to where it is watched."""
        form = self.form(request.POST, **_named(owner))
        if form.is_valid():
            with refusals_shown(form):
                asked = _named(owner) | self.settings(form)
                job = tasks.start_job(self.start, by=request.user, **asked)
                if self.address:
                    return redirect(self.address, owner.uuid)
                return redirect("judging:job", job.pk)
        return self.page(request, owner, form, status=422)

    def done(self, owner: Campaign | Dataset, job: UUID) -> Job:
        """Return a finished job of the page; any other is a 404."""
        return get_object_or_404(owner.jobs.done(self.kind), pk=job)

    def figure(
        self, request: HttpRequest, owner: Campaign | Dataset, job: UUID, name: str
    ) -> HttpResponse:
        """Return a figure of a finished job as SVG."""
        digest = self.done(owner, job).result["figures"].get(name)
        return svg_response(get_object_or_404(StoredFile, sha256=digest))

    def page(
        self,
        request: HttpRequest,
        owner: Campaign | Dataset,
        form: Any,
        status: int = 200,
        **more: Any,
    ) -> HttpResponse:
        """Return the page with a form; `more`: parts of the page that this request changes."""
        context = {
            **_named(owner),
            "form": form,
            **job_offer(owner, self.kind),
            **self.content(request, owner, form),
            **more,
        }
        return render(request, self.template, context, status=status)


def _named(owner: Campaign | Dataset) -> dict[str, Any]:
    return {"campaign" if isinstance(owner, Campaign) else "dataset": owner}
