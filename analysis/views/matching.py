"""One source's questions matched with its references: ask, watch, look, take along."""

import json
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.text import slugify
from django.views.decorators.http import require_GET, require_POST

from analysis.actions import matching as action
from analysis.actions import scoring_jobs
from analysis.forms.metrics import MatchingForm
from analysis.reports import matching as layout
from analysis.views.figures import svg_response
from analysis.views.job_pages import JobPage
from judging.guards import collection_for_readers, not_for_who_judges
from judging.models import Collection, Job, StoredFile
from judging.views.exports import attached


def _content(request: HttpRequest, collection: Collection, form: MatchingForm) -> dict[str, Any]:
    done = action.done(collection).first()
    return {
        "columns": action.columns(collection).exists(),
        "done": done,
        "matched": layout.page(done.result) if done else None,
    }


PAGE = JobPage(
    kind=action.KIND,
    template="analysis/matching.html",
    form=MatchingForm,
    start=scoring_jobs.start,
    settings=lambda form: {"kind": action.KIND, "parameters": form.parameters()},
    content=_content,
)
matching = collection_for_readers(not_for_who_judges(require_GET(PAGE.show)))
start = collection_for_readers(not_for_who_judges(require_POST(PAGE.ask)))


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
