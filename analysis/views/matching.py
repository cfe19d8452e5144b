"""The page of one source's questions matched with its references."""

import json
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils.text import slugify
from django.views.decorators.http import require_GET, require_POST

from analysis.actions import matching as action
from analysis.actions import scoring_jobs
from analysis.forms.metrics import MatchingForm
from analysis.reports import matching as layout
from analysis.views.job_pages import JobPage
from judging.guards import collection_for_readers, not_for_who_judges
from judging.models import Collection
from judging.views.exports import attached


def _content(request: HttpRequest, collection: Collection, form: MatchingForm) -> dict[str, Any]:
    done = collection.jobs.done(action.KIND).first()
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
figure = collection_for_readers(not_for_who_judges(require_GET(PAGE.figure)))


@collection_for_readers
@not_for_who_judges
@require_GET
def document(request: HttpRequest, collection: Collection, job: UUID) -> HttpResponse:
    """Return a matching as JSON."""
    found = {
        key: value for key, value in PAGE.done(collection, job).result.items() if key != "figures"
    }
    name = f"{slugify(collection.name) or 'collection'}-matching.json"
    return attached(json.dumps(found, ensure_ascii=False, indent=1), "application/json", name)
