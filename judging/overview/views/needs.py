"""What waits for a manager: each line names the person, the evidence and the act, with its page."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.text import get_text_list
from django.utils.translation import gettext as _

from judging.campaigns.models.campaign import Campaign
from judging.overview.views import plan_checklist
from judging.quality.actions.snapshots import Counted
from judging.work.actions import judgments
from judging.work.models.assignment import Note


@dataclass(frozen=True, slots=True)
class Need:
    """What waits for a manager: the evidence in a sentence, and the act with its address."""

    sentence: str
    act: str
    url: str


def list_needs(
    campaign: Campaign,
    counted: Counted,
    annotators: Sequence[dict[str, Any]],
    reports: QuerySet[Note],
) -> list[Need]:
    """Return what waits for a manager. `annotators`: rows of judging.quality.views.quality.annotator_rows;
    `reports`: the reports of broken questions that the user may see."""
    lacks = plan_checklist.lacks(campaign) if campaign.step < 3 else []
    return [
        *(Need(lack.sentence, _("Add"), lack.url) for lack in lacks),
        *_flagged(annotators),
        *_empty(campaign, annotators),
        *_reported(campaign, reports),
        *_corrected(campaign),
        *_underpaid(campaign, counted),
        *_quarantined(campaign),
    ]


def _flagged(annotators: Sequence[dict[str, Any]]) -> Iterator[Need]:
    """Yield the first flag of each annotator who is not excluded, and how many more there are."""
    for row in annotators:
        if row["flags"] and not row["each"].excluded:
            first, *others = row["flags"]
            further = _(" More flags: %(n)s.") % {"n": len(others)} if others else ""
            yield Need(first.whole + further, first.act, first.url)


def _empty(campaign: Campaign, annotators: Sequence[dict[str, Any]]) -> Iterator[Need]:
    for row in annotators:
        if (reported := row["reported"]) and reported.empty:
            sentence = _(
                "%(label)s submitted tasks without a value, because their questions are reported "
                "as broken: %(n)s."
            ) % {"label": row["each"].label, "n": reported.empty}
            yield Need(sentence, _("See the work"), _address("annotator", campaign, row["each"].pk))


def _reported(campaign: Campaign, reports: QuerySet[Note]) -> Iterator[Need]:
    if labels := Counter(reports.values_list("assignment__enrollment__label", flat=True)):
        words = {"who": _names(sorted(labels)), "n": labels.total()}
        sentence = _("%(who)s reported questions as broken: %(n)s.") % words
        yield Need(sentence, _("Read the reports"), _address("tasks", campaign) + "#broken")


def _corrected(campaign: Campaign) -> Iterator[Need]:
    tasks = Counter(own.enrollment for own in judgments.corrections_in(campaign=campaign))
    for enrollment, n in tasks.items():
        sentence = _(
            "%(label)s changed submitted tasks and did not resubmit them: %(n)s. The first answers "
            "count until then."
        ) % {"label": enrollment.label, "n": n}
        yield Need(sentence, _("Ask to resubmit"), _address("annotator", campaign, enrollment.pk))


def _underpaid(campaign: Campaign, counted: Counted) -> Iterator[Need]:
    if labels := [label for label, each in counted.earned.items() if each.top_up]:
        sentence = _("%(who)s earned less per hour than your floor.") % {"who": _names(labels)}
        yield Need(sentence, _("See the top-ups"), _address("pay", campaign) + "#earned")


def _quarantined(campaign: Campaign) -> Iterator[Need]:
    if n := campaign.dataset.quarantine.count():
        sentence = _("The dataset has values in quarantine: %(n)s.") % {"n": n}
        url = reverse("judging:dataset", args=[campaign.dataset_id])
        yield Need(sentence, _("See the values"), f"{url}#quarantine")


def _names(labels: Sequence[str]) -> str:
    """Return labels as a list, the first three by name."""
    return get_text_list([*labels[:3], *([_("others")] if labels[3:] else [])], _("and"))


def _address(name: str, campaign: Campaign, *parts: int) -> str:
    return reverse(f"judging:{name}", args=[campaign.uuid, *parts])
