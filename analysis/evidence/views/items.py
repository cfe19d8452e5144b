"""From a number to its questions: the list of questions, and one source with everything that was
said of it."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from analysis.evidence import lines, listing
from analysis.evidence import source as material
from analysis.evidence.actions import examples
from analysis.evidence.forms.items import SORTS, ItemsForm
from analysis.reports.evidence import ItemQuery
from judging.base.forms.plain_text import sent_text
from judging.campaigns.actions import live_agreements, selections
from judging.campaigns.guards import campaign_for_staff, how_to_decline, judges_now
from judging.campaigns.models.campaign import Campaign
from judging.datasets.guards import dataset_for_readers
from judging.datasets.models.dataset import Dataset, Source
from judging.protocols.models.protocol import Criterion

BLIND_PAGE = 50


@campaign_for_staff
@require_GET
def campaign_items(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """List the questions of a campaign in the order and with the filters that the address names."""
    return _items(request, campaign.dataset, campaign)


@dataset_for_readers
@require_GET
def dataset_items(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    """List the questions of a dataset; their judgments are shown with the campaigns."""
    return _items(request, dataset, None)


@campaign_for_staff
@require_GET
def campaign_item(request: HttpRequest, campaign: Campaign, source: int) -> HttpResponse:
    """Show a source with its questions, every rating, comment and score."""
    return _item(request, campaign.dataset, campaign, source)


@dataset_for_readers
@require_GET
def dataset_item(request: HttpRequest, dataset: Dataset, source: int) -> HttpResponse:
    """Show a source of a dataset with its questions and their scores."""
    return _item(request, dataset, None, source)


@campaign_for_staff
@require_POST
def keep_example_view(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Keep a question as an example for the paper, or let it go; then back to where it was seen."""
    if judges_now(request.user, campaign.dataset):
        raise Http404
    unit = _number(request.POST.get("unit", ""))
    source = Source.objects.filter(dataset=campaign.dataset_id, question_sets__units=unit).first()
    if unit is None or source is None:
        raise Http404
    if request.POST.get("act") == "let-go":
        examples.drop_example(campaign=campaign, unit=unit)
        messages.success(request, _("No longer kept as an example."))
    else:
        note = sent_text(request.POST, "note", 500).strip()
        examples.keep_example(
            campaign=campaign, unit=unit, note=note, by=request.user, now=timezone.now()
        )
        messages.success(request, _("Kept. It goes into the report's files, and into its LaTeX."))
    form = ItemsForm(request.POST, dataset=campaign.dataset, campaign=campaign)
    query = form.query() if form.is_valid() else ItemQuery()
    return redirect(
        f"{reverse('analysis:item', args=[campaign.uuid, source.pk])}?{_with_unit(query, unit)}"
    )


def _items(request: HttpRequest, dataset: Dataset, campaign: Campaign | None) -> HttpResponse:
    selections.keep_from_who_judges(request.user, dataset, campaign=campaign)
    if judges_now(request.user, dataset):
        return _blind_list(request, dataset, campaign)
    # without a chosen order, the questions that annotators dispute most come first
    is_disputed = campaign is not None and live_agreements.has_disputes(campaign)
    address = {"sort": "disagreement"} if is_disputed and not request.GET else request.GET
    form = ItemsForm(address, dataset=dataset, campaign=campaign)
    context: dict[str, Any] = _frame(dataset, campaign) | {"form": form}
    if not form.is_valid():
        return render(request, "analysis/evidence/list.html", context, status=422)
    chosen = form.chosen()
    if campaign is not None and chosen.sort == "disagreement":
        live_agreements.note_look(campaign=campaign, by=request.user, now=timezone.now())
    after, before = (_number(request.GET.get(name, "")) for name in ("after", "before"))
    page = listing.read_page(chosen, after=after, before=before)
    unit = Criterion.Unit.SET if chosen.of_sets else Criterion.Unit.QUESTION
    criteria = [criterion for criterion in form.criteria if criterion.unit == unit]
    shown = lines.question_lines(chosen, page, criteria)
    has_ratings = any(any(each.said) for each in shown)
    context |= _addressed(form.query()) | {
        "chosen": chosen,
        "criteria": criteria if has_ratings else [],
        "page": page,
        "lines": shown,
        "points": page.dots,
        "are_cells": any(dot.questions > 1 for dot in page.dots),
    }
    return render(request, "analysis/evidence/list.html", context)


def _blind_list(request: HttpRequest, dataset: Dataset, campaign: Campaign | None) -> HttpResponse:
    """List only the sources: a user who judges them may see nothing that distinguishes systems."""
    sources = Source.objects.filter(dataset=dataset, repeat_of__isnull=True).order_by("position")
    if campaign and campaign.selection and campaign.state != Campaign.State.DRAFT:
        chosen = campaign.selected_units.values("unit__question_set__source")
        sources = sources.filter(pk__in=chosen)
    after = _number(request.GET.get("after", ""))
    found = list(
        sources.filter(position__gt=after)[: BLIND_PAGE + 1] if after else sources[: BLIND_PAGE + 1]
    )
    context = _frame(dataset, campaign) | {
        "sources": found[:BLIND_PAGE],
        "decline": how_to_decline(request.user, dataset),
        "more_after": found[BLIND_PAGE - 1].position if len(found) > BLIND_PAGE else None,
    }
    return render(request, "analysis/evidence/blind.html", context)


def _item(
    request: HttpRequest, dataset: Dataset, campaign: Campaign | None, pk: int
) -> HttpResponse:
    selections.keep_from_who_judges(request.user, dataset, campaign=campaign)
    held = Source.objects.filter(dataset=dataset, repeat_of__isnull=True).select_related("passage")
    source = get_object_or_404(held, pk=pk)
    blind = judges_now(request.user, dataset)
    context: dict[str, Any] = _frame(dataset, campaign) | {"source": source, "is_blind": blind}
    if blind:
        context["decline"] = how_to_decline(request.user, dataset)
    else:
        context |= _order(request, dataset, campaign, source)
    first = context["chosen"].metric if not blind else None
    asked = _number(request.GET.get("unit", ""))
    context["shown"] = material.source_evidence(
        source, campaign=campaign, blind=blind, first=first, asked=None if blind else asked
    )
    if not context["shown"].questions and campaign and campaign.selection:
        raise Http404
    return render(request, "analysis/evidence/item.html", context)


def _order(
    request: HttpRequest, dataset: Dataset, campaign: Campaign | None, source: Source
) -> dict[str, Any]:
    """Return the questions before and after the source in the order that the address names."""
    form = ItemsForm(request.GET, dataset=dataset, campaign=campaign)
    query = form.query() if form.is_valid() else ItemQuery()
    chosen = (
        form.chosen() if form.is_valid() else listing.Chosen(dataset=dataset, campaign=campaign)
    )
    unit = _number(request.GET.get("unit", ""))
    beside = listing.neighbours(chosen, source=source, unit=unit)
    kept = dict(examples.load_examples(campaign).values_list("unit", "note")) if campaign else {}
    return {
        "form": form,
        "unit": unit,
        "order_words": SORTS[chosen.sort],
        "chosen": chosen,
        **_addressed(query),
        "beside": beside,
        "own_ranks": lines.write_ranks(beside.own) if beside.own else "",
        "own_key": lines.key_words(chosen, beside.own, None)
        if beside.own and chosen.sort != "score"
        else "",
        "kept": kept,
        "is_kept": unit in kept,
        "note": kept.get(unit, ""),
    }


def _addressed(query: ItemQuery) -> dict[str, Any]:
    """Return the order and filters for addresses and for forms."""
    fields = [(name, value) for name, value in vars(query).items() if value]
    return {"query": query.encoded, "fields": fields}


def _frame(dataset: Dataset, campaign: Campaign | None) -> dict[str, Any]:
    """Return the context of the pages of questions, of a campaign or of a dataset."""
    if campaign is None:
        return {
            "dataset": dataset,
            "campaign": None,
            "frame": "analysis/evidence/dataset_frame.html",
            "list_url": reverse("analysis:dataset_items", args=[dataset.pk]),
            "item_name": "analysis:dataset_item",
            "key": dataset.pk,
        }
    return {
        "dataset": dataset,
        "campaign": campaign,
        "tab": "items",
        "frame": "judging/overview/frame.html",
        "list_url": reverse("analysis:items", args=[campaign.uuid]),
        "item_name": "analysis:item",
        "key": campaign.uuid,
    }


def _with_unit(query: ItemQuery, unit: int) -> str:
    return "&".join(filter(None, [query.encoded, f"unit={unit}"]))


def _number(text: str) -> int | None:
    """Return a key of the database, or None where the text is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
