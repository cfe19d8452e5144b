"""The page of a campaign's webhooks: adding and deleting them, and their deliveries."""

from django.contrib import messages
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from judging.campaigns.actions import webhooks
from judging.campaigns.forms.webhooks import WebhookForm
from judging.campaigns.guards import campaign_for_managers
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.webhook import Webhook, WebhookDelivery

DELIVERIES_SHOWN = 20  # of each webhook; the API lists all


@campaign_for_managers
@require_GET
def list_webhooks(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """List the webhooks with their last deliveries."""
    return _page(request, campaign, WebhookForm())


@campaign_for_managers
@require_POST
def create_webhook_view(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Create a webhook, and show its secret once."""
    form = WebhookForm(request.POST)
    if not form.is_valid():
        return _page(request, campaign, form, status=422)
    _webhook, secret = webhooks.create_webhook(
        campaign=campaign, by=request.user, **form.cleaned_data
    )
    return _page(request, campaign, WebhookForm(), secret=secret)


@campaign_for_managers
@require_POST
def replace_secret_view(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Give a webhook a new secret, and show it once."""
    webhook = get_object_or_404(campaign.webhooks, pk=pk)
    secret = webhooks.replace_secret(webhook=webhook, by=request.user)
    return _page(request, campaign, WebhookForm(), secret=secret)


@campaign_for_managers
@require_POST
def switch(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Turn a webhook off, or on again."""
    webhook = get_object_or_404(campaign.webhooks, pk=pk)
    is_active = request.POST.get("active") == "1"
    webhooks.change_webhook(webhook=webhook, by=request.user, is_active=is_active)
    return redirect("judging:webhooks", campaign.uuid)


@campaign_for_managers
@require_POST
def send_test_message(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Send a test message."""
    webhooks.queue_test_message(webhook=get_object_or_404(campaign.webhooks, pk=pk))
    messages.success(request, _("A test message is sent. Reload the page to see its delivery."))
    return redirect("judging:webhooks", campaign.uuid)


@campaign_for_managers
@require_POST
def delete_webhook_view(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Delete a webhook with its log."""
    webhooks.delete_webhook(webhook=get_object_or_404(campaign.webhooks, pk=pk), by=request.user)
    messages.success(request, _("The webhook is deleted."))
    return redirect("judging:webhooks", campaign.uuid)


@campaign_for_managers
@require_POST
def resend_message_view(request: HttpRequest, campaign: Campaign, pk: str) -> HttpResponse:
    """Send a message again."""
    sent = WebhookDelivery.objects.filter(webhook__campaign=campaign)
    webhooks.resend_message(delivery=get_object_or_404(sent, pk=pk))
    messages.success(request, _("The message is sent again."))
    return redirect("judging:webhooks", campaign.uuid)


def _page(
    request: HttpRequest,
    campaign: Campaign,
    form: WebhookForm,
    *,
    secret: str = "",
    status: int = 200,
) -> HttpResponse:
    last = WebhookDelivery.objects.order_by("-created_at")[:DELIVERIES_SHOWN]
    listed = campaign.webhooks.order_by("pk").prefetch_related(
        Prefetch("deliveries", queryset=last, to_attr="last_deliveries")
    )
    labels = dict(Webhook.Event.choices)
    context = {
        "campaign": campaign,
        "tab": "webhooks",
        "is_manager": True,
        "form": form,
        "webhooks": [
            {"webhook": each, "events": [labels[event] for event in each.events]} for each in listed
        ],
        "secret": secret,
    }
    return render(request, "judging/campaigns/webhooks.html", context, status=status)
