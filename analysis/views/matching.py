"""One source's questions matched with its references: ask, watch, look, take along."""

import json
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import slugify
from django.views.decorators.http import require_GET, require_POST

from analysis.actions import matching as action
from analysis.actions import scoring_jobs
from analysis.forms.metrics import MatchingForm
from analysis.reports import matching as layout
from analysis.views.figures import svg_response
from judging import tasks
from judging.actions import jobs
from judging.guards import collection_for_readers, not_for_who_judges
from judging.models import Collection, Job, StoredFile
from judging.views.exports import attached


@collection_for_readers
@not_for_who_judges
@require_GET
def matching(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Show the newest matching, and the form for another."""
    return _page(request, collection, MatchingForm(collection=collection))


@collection_for_readers
@not_for_who_judges
@require_POST
def start(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Ask for a source to be matched."""
    form = MatchingForm(request.POST, collection=collection)
    if not form.is_valid():
        return _page(request, collection, form, status=422)
    job = tasks.begin(
        scoring_jobs.start,
        collection=collection,
        by=request.user,
        kind=action.KIND,
        parameters=form.parameters(),
    )
    return redirect("judging:job", job.pk)


@collection_for_readers
@not_for_who_judges
@require_GET
def document(request: HttpRequest, collection: Collection, job: UUID) -> HttpResponse:
    """Return a matching as JSON."""
    found = {key: value for key, value in _done(collection, job).result.items() if key != "figures"}
    name = f"{slugify(collection.name) or 'collection'}-matching.json"
    return attached(json.dumps(found, ensure_ascii=False, indent=1), "application/json", name)


@collection_for_readers
@not_for_who_judges
@require_GET
def figure(request: HttpRequest, collection: Collection, job: UUID, name: str) -> HttpResponse:
    """Return the drawing of one set in one ink."""
    digest = _done(collection, job).result["figures"].get(name)
    return svg_response(get_object_or_404(StoredFile, sha256=digest))


def _done(collection: Collection, job: UUID) -> Job:
    return get_object_or_404(action.done(collection), pk=job)


def _page(
    request: HttpRequest, collection: Collection, form: MatchingForm, status: int = 200
) -> HttpResponse:
    done, newest = action.done(collection).first(), scoring_jobs.newest(collection, action.KIND)
    context: dict[str, Any] = {
        "collection": collection,
        "form": form,
        "columns": action.columns(collection).exists(),
        "job": newest if newest and newest.state in (Job.State.QUEUED, Job.State.RUNNING) else None,
        "failed": newest if newest and newest.state == Job.State.FAILED else None,
        "worker_lives": jobs.worker_lives(),
        "done": done,
        "matched": layout.page(done.result) if done else None,
    }
    return render(request, "analysis/matching.html", context, status=status)
