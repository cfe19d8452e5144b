"""The page of one source's questions matched with its references."""

import json
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils.text import slugify
from django.views.decorators.http import require_GET, require_POST

from analysis.scoring.actions import matching as action
from analysis.scoring.actions import scoring_jobs
from analysis.scoring.forms.metrics import MatchingForm
from analysis.scoring.reports import matching as layout
from analysis.scoring.views.job_pages import JobPage
from judging.base.views.downloads import attachment_response
from judging.campaigns.guards import not_for_who_judges
from judging.datasets.guards import dataset_for_readers
from judging.datasets.models.dataset import Dataset


def _content(request: HttpRequest, dataset: Dataset, form: MatchingForm) -> dict[str, Any]:
    done = dataset.jobs.done(action.KIND).first()
    return {
        "columns": action.multi_metrics(dataset).exists(),
        "done": done,
        "matched": layout.matching_page(done.result) if done else None,
    }


PAGE = JobPage(
    kind=action.KIND,
    template="analysis/scoring/matching.html",
    form=MatchingForm,
    start=scoring_jobs.start_scoring,
    settings=lambda form: {"kind": action.KIND, "parameters": form.parameters()},
    content=_content,
)
matching = dataset_for_readers(not_for_who_judges(require_GET(PAGE.show)))
start = dataset_for_readers(not_for_who_judges(require_POST(PAGE.ask)))
figure = dataset_for_readers(not_for_who_judges(require_GET(PAGE.figure)))


@dataset_for_readers
@not_for_who_judges
@require_GET
def download_matching(request: HttpRequest, dataset: Dataset, job: UUID) -> HttpResponse:
    """Return a matching as JSON."""
    found = {
        key: value for key, value in PAGE.done(dataset, job).result.items() if key != "figures"
    }
    name = f"{slugify(dataset.name) or 'dataset'}-matching.json"
    return attachment_response(
        json.dumps(found, ensure_ascii=False, indent=1), "application/json", name
    )
