"""The page that annotators read before their first task, and again at any time: the task, the pay,
one worked item."""

from collections import Counter
from math import ceil
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotation.actions import next_tasks
from annotation.actions.next_tasks import enrollment_of
from annotation.views import page
from annotation.views.shown_tasks import task_minutes
from annotation.views.source_texts import shown_text
from annotation.views.work import personal_link_of
from judging.campaigns.campaign_texts import text_in
from judging.campaigns.guards import campaign_for_annotators
from judging.campaigns.models.campaign import Campaign, Round, Task
from judging.protocols import documents
from judging.protocols.protocol_schema import ProtocolDocument
from judging.quality.models.exercise import Exercise
from judging.work.actions import sheets

SHOWN = {
    "passage": _("Passage"),
    "sentence": _("Sentence"),
    "answer": _("Answer"),
    "target_type": _("Wanted type"),
    "modality": _("Made from"),
    "submitted_answer": _("Answer given with the question"),
    "submitted_type": _("Declared type"),
}


@never_cache
@campaign_for_annotators
@require_GET
def show_start_page(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Explain briefly what is judged and how, with a worked item, and lead to the tasks."""
    enrollment = enrollment_of(request.user, campaign)
    state = next_tasks.annotator_state(enrollment=enrollment, now=timezone.now(), skips_start=True)
    if state.next_step == "consent":
        return redirect("annotation:consent", campaign.uuid)
    protocol = sheets.cached_protocol(campaign.protocol).document
    words = documents.localized(protocol, get_language() or protocol.language)
    step = state.exercise
    context = {
        "title": campaign.title,
        "facts": campaign_facts(campaign),
        "summary": words.summary,
        "criteria": page.guideline_sections(words).criteria,
        "worked": worked_item_parts(words),
        "lang": _language(protocol),
        "begun": next_tasks.has_begun(enrollment),
        "label": enrollment.label,
        "contact": campaign.contact,
        "guideline_url": reverse("annotation:guideline", args=[campaign.uuid]),
        "link": personal_link_of(request),
        "step": step,
        "items": campaign.exercises.filter(kind=step).count() if step else 0,
        "first_url": reverse("annotation:work", args=[campaign.uuid]) + "?begin",
    }
    return render(request, "annotation/start.html", context)


def campaign_facts(campaign: Campaign) -> dict[str, Any]:
    """Return the facts a campaign states: minutes for each task as its pay is planned, else by the
    protocol's estimate, how many tasks and hours at most, what comes before them, their pay, and
    the contact."""
    minutes = task_minutes(campaign)
    tasks = (
        campaign.tasks_per_annotator
        or Task.objects.filter(round__campaign=campaign, round__kind=Round.Kind.MAIN).count()
    )
    gates = Counter(campaign.exercises.values_list("kind", flat=True))
    return {
        "minutes": minutes,
        "minutes_number": ceil(minutes),
        "tasks": tasks,
        "all_minutes": minutes * tasks,
        "all_minutes_number": ceil(minutes * tasks),
        "training": gates[Exercise.Kind.TRAINING],
        "qualification": gates[Exercise.Kind.QUALIFICATION],
        "tries": campaign.tries,
        "qualification_paid": campaign.qualification_paid,
        "pay": text_in(campaign, "pay", get_language() or campaign.text_language),
        "contact": campaign.contact,
        "retention_days": campaign.retention_days,
    }


def worked_item_parts(protocol: ProtocolDocument) -> dict[str, Any] | None:
    """Return a protocol's worked item as templates show it."""
    item = protocol.worked_item
    if item is None:
        return None
    texts = {name: shown_text(name, text) for name, text in item.shows.items()}
    shown = [(label, texts[name]) for name, label in SHOWN.items() if name in texts]
    return {"item": item, "shown": shown, "rated": protocol.rated_example()}


def _language(protocol: ProtocolDocument) -> str:
    """Return the language that a protocol's words are shown in."""
    wanted = get_language() or protocol.language
    there = [tag for tag in (wanted, wanted.split("-")[0]) if tag in protocol.translations]
    return there[0] if there else protocol.language
