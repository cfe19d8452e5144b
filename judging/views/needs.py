"""What waits for a manager: each line names the person, the evidence and the act, with its page."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from judging.actions import judgments
from judging.actions.snapshots import Counted
from judging.models import Campaign, Enrollment, Note
from judging.views import plan_checklist

MAX_FLAGGED = 10  # annotators with a line of their own


@dataclass(frozen=True, slots=True)
class Need:
    """What waits for a manager: the evidence in a sentence, and the act with its address."""

    sentence: str
    act: str
    url: str


def of(
    campaign: Campaign,
    counted: Counted,
    annotators: Sequence[dict[str, Any]],
    reports: QuerySet[Note],
) -> list[Need]:
    """Return what waits for a manager. `annotators`: rows of judging.views.quality.rows_of;
    `reports`: the reports of broken questions that the user may see."""
    lacks = plan_checklist.lacks(campaign) if campaign.step < 3 else []
    return [
        *(Need(lack.sentence, _("Add"), lack.url) for lack in lacks),
        *_flagged(campaign, annotators),
        *_empty(campaign, annotators),
        *_reported(campaign, reports),
        *_corrected(campaign),
        *_underpaid(campaign, counted),
        *_quarantined(campaign),
    ]


def _flagged(campaign: Campaign, annotators: Sequence[dict[str, Any]]) -> Iterator[Need]:
    """Yield the first flag of each annotator who is not excluded, and how many more there are."""
    flagged = [row for row in annotators if row["told"] and not row["each"].excluded]
    for row in flagged[:MAX_FLAGGED]:
        first, *others = row["told"]
        sentence = first.whole
        if n := len(others):
            sentence += " " + ngettext("%(n)s more flag.", "%(n)s more flags.", n) % {"n": n}
        yield Need(sentence, first.act, first.url)
    if n := len(flagged[MAX_FLAGGED:]):
        sentence = ngettext(
            "%(n)s more annotator is flagged.", "%(n)s more annotators are flagged.", n
        ) % {"n": n}
        url = reverse("judging:annotators", args=[campaign.uuid])
        yield Need(sentence, _("See all annotators"), url)


def _empty(campaign: Campaign, annotators: Sequence[dict[str, Any]]) -> Iterator[Need]:
    for row in annotators:
        if (reported := row["reported"]) and reported.empty:
            sentence = ngettext(
                "%(label)s submitted %(n)s task without a value, because its questions are "
                "reported as broken.",
                "%(label)s submitted %(n)s tasks without a value, because their questions are "
                "reported as broken.",
                reported.empty,
            ) % {"label": row["each"].label, "n": reported.empty}
            yield Need(sentence, _("See the work"), _page_of(campaign, row["each"]))


def _reported(campaign: Campaign, reports: QuerySet[Note]) -> Iterator[Need]:
    labels = Counter(reports.values_list("assignment__enrollment__label", flat=True))
    if n := labels.total():
        sentence = ngettext(
            "%(who)s reported %(n)s question as broken.",
            "%(who)s reported %(n)s questions as broken.",
            n,
        ) % {"who": _names(sorted(labels)), "n": n}
        url = reverse("judging:tasks", args=[campaign.uuid])
        yield Need(sentence, _("Read the reports"), f"{url}#broken")


def _corrected(campaign: Campaign) -> Iterator[Need]:
    tasks = Counter(own.enrollment for own in judgments.corrections_in(campaign=campaign))
    for enrollment, n in tasks.items():
        sentence = ngettext(
            "%(label)s changed %(n)s submitted task and did not resubmit it. The first answers "
            "count until then.",
            "%(label)s changed %(n)s submitted tasks and did not resubmit them. The first answers "
            "count until then.",
            n,
        ) % {"label": enrollment.label, "n": n}
        yield Need(sentence, _("Ask to resubmit"), _page_of(campaign, enrollment))


def _underpaid(campaign: Campaign, counted: Counted) -> Iterator[Need]:
    if labels := [label for label, each in counted.earned.items() if each.top_up]:
        sentence = ngettext(
            "%(who)s was paid less per hour than your floor.",
            "%(who)s were paid less per hour than your floor.",
            len(labels),
        ) % {"who": _names(labels)}
        url = reverse("judging:pay", args=[campaign.uuid])
        yield Need(sentence, _("See the top-ups"), f"{url}#earned")


def _quarantined(campaign: Campaign) -> Iterator[Need]:
    if n := campaign.collection.quarantine.count():
        sentence = ngettext(
            "%(n)s value of the dataset is in quarantine.",
            "%(n)s values of the dataset are in quarantine.",
            n,
        ) % {"n": n}
        url = reverse("judging:collection", args=[campaign.collection_id])
        yield Need(sentence, _("See the values"), f"{url}#quarantine")


def _names(labels: Sequence[str]) -> str:
    """Return labels as a list, the first three by name."""
    named, others = list(labels[:3]), len(labels[3:])
    if others:
        named.append(ngettext("%(n)s other", "%(n)s others", others) % {"n": others})
    return get_text_list(named, _("and"))


def _page_of(campaign: Campaign, enrollment: Enrollment) -> str:
    return reverse("judging:annotator", args=[campaign.uuid, enrollment.pk])
