"""The page that tunes a Q-metric on a campaign's judgments."""

from typing import Any

from django.http import HttpRequest
from django.views.decorators.http import require_GET, require_POST

from analysis.actions import tuning as action
from analysis.forms.metrics import TuningForm
from analysis.reports import tuning as layout
from analysis.views.job_pages import JobPage
from judging.guards import campaign_for_staff
from judging.models import Campaign


def _content(request: HttpRequest, campaign: Campaign, form: TuningForm) -> dict[str, Any]:
    done = action.latest(campaign)
    tuned = layout.page(done.result) if done else None
    return {"tab": "report", "done": done, "tuned": tuned}


PAGE = JobPage(
    kind=action.KIND,
    template="analysis/tuning.html",
    form=TuningForm,
    start=action.start,
    settings=lambda form: {"settings": action.TuningSettings(**form.cleaned_data)},
    content=_content,
    address="analysis:tuning",
)
tuning = campaign_for_staff(require_GET(PAGE.show))
start = campaign_for_staff(require_POST(PAGE.ask))
