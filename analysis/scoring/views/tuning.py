"""The page that tunes a Q-metric on a campaign's judgments."""

from typing import Any

from django.http import HttpRequest
from django.views.decorators.http import require_GET, require_POST

from analysis.scoring.actions import tuning as action
from analysis.scoring.forms.metrics import TuningForm
from analysis.scoring.reports import tuning as layout
from analysis.scoring.views.job_pages import JobPage
from judging.campaigns.guards import campaign_for_staff
from judging.campaigns.models.campaign import Campaign


def _content(request: HttpRequest, campaign: Campaign, form: TuningForm) -> dict[str, Any]:
    done = action.latest_tuning(campaign)
    tuned = layout.tuning_page(done.result) if done else None
    return {"tab": "report", "done": done, "tuned": tuned}


PAGE = JobPage(
    kind=action.KIND,
    template="analysis/scoring/tuning.html",
    form=TuningForm,
    start=action.start_tuning,
    settings=lambda form: {"settings": action.TuningSettings(**form.cleaned_data)},
    content=_content,
    address="analysis:tuning",
)
tuning = campaign_for_staff(require_GET(PAGE.show))
start = campaign_for_staff(require_POST(PAGE.ask))
