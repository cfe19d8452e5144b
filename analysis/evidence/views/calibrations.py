"""The page of a pilot or calibration round: agreement, where annotators differ, and what they
decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from analysis.evidence.actions import calibrations
from analysis.evidence.actions.calibrations import ENOUGH, RoundMeasures
from analysis.reports.layout import Plot
from analysis.reports.numerals import coefficient, interval_text
from judging.base.percentages import percent
from judging.base.texts import whole_number
from judging.campaigns.actions import discussions
from judging.campaigns.guards import campaign_for_staff, judges_now, with_how_to_decline
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.members import Membership
from judging.jobs import tasks
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.protocols.models.protocol import Criterion

if TYPE_CHECKING:
    from quaestor_stats import Result


@campaign_for_staff
@require_GET
def calibration(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Show a round's agreement and differences beside those of earlier rounds; for an open round,
    the annotators who are missing. Users who still judge the dataset in another campaign are
    refused, because they would see others' judgments."""
    if judges_now(request.user, campaign.dataset, but_in=campaign):
        said = (
            "You judge this dataset in another campaign that has not ended. Until it is closed you do not see what "
            "others said of it here."
        )
        raise PermissionDenied(with_how_to_decline(said, request.user, campaign.dataset))
    round = get_object_or_404(campaign.rounds.trials(), pk=pk)
    round.campaign = campaign
    page = whole_number(request.GET.get("page", ""), least=1) or 1
    job = _job(request, campaign)
    rounds = calibrations.measured(campaign, pk, page)
    own = next((each for each in rounds if each.round.pk == pk), None)
    criteria = list(campaign.protocol.criteria.all())
    of_criteria = {note.criterion_id: note.text for note in round.notes.filter(unit__isnull=True)}
    manager = campaign.memberships.filter(user=request.user, role=Membership.Role.MANAGER)
    table = [_row(criterion, rounds) for criterion in criteria]
    context = {
        "campaign": campaign,
        "tab": "rounds",
        "round": round,
        "rounds": rounds,
        "own": own,
        "job": job,
        "worker_lives": jobs.worker_lives(),
        "table": table,
        "has_intervals": any(cell.get("interval") for _criterion, cells in table for cell in cells),
        "counts": [each.compared.differing for each in rounds],
        "within": percent(own.compared.within) if own else "",
        "enough": percent(ENOUGH),
        "unfinished": [] if own and own.is_complete else calibrations.unfinished(round),
        "notes": [(criterion, of_criteria.get(criterion.pk, "")) for criterion in criteria],
        "decided": discussions.current_decisions(campaign),
        "proposed": discussions.proposed_decisions(round),
        "may_write": campaign.state == Campaign.State.DRAFT and manager.exists(),
    }
    return render(request, "analysis/evidence/calibration.html", context)


def _job(request: HttpRequest, campaign: Campaign) -> Job | None:
    """Return the job that computes the alphas, unless they are computed; begin it if necessary."""
    if not campaign.rounds.trials().filter(closed_at__isnull=False).exists():
        return None
    if calibrations.current_job(campaign):
        return None
    state = calibrations.calibration_state(campaign)
    tried = campaign.jobs.filter(kind=calibrations.KIND, parameters={"state": state})
    failed = tried.filter(state=Job.State.FAILED).first()  # it would fail again
    return failed or tasks.begin_once(
        kind=calibrations.KIND, by=request.user, campaign=campaign, state=state
    )


def _row(
    criterion: Criterion, rounds: list[RoundMeasures]
) -> tuple[Criterion, list[dict[str, Any]]]:
    return criterion, [_cell(each.round, each.alphas.get(criterion.key)) for each in rounds]


def _cell(round: Round, alpha: Result | None) -> dict[str, Any]:
    """Return an alpha as text for the table, and its plot on an axis from -1 to 1."""
    if alpha is None:
        return {"round": round, "reason": ""}
    if not alpha.defined:
        return {"round": round, "reason": alpha.reason}
    return {
        "round": round,
        "value": coefficient(alpha.value),
        "interval": interval_text(alpha, coefficient),
        "reason": alpha.reason,
        "plot": Plot.of(alpha, lowest=-1, highest=1),
    }
