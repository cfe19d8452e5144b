"""Webhooks of a campaign, and their deliveries."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from judging.base.api.pages import NewestFirst
from judging.campaigns.actions import webhooks
from judging.campaigns.api.in_campaign import InCampaign
from judging.campaigns.models.webhook import Webhook, WebhookDelivery
from judging.jobs.api.resources import Destroy, SecretsShownOnce


class WebhookSerializer(serializers.ModelSerializer):
    """An address to which events of a campaign are sent."""

    events = serializers.ListField(
        child=serializers.ChoiceField(choices=Webhook.Event.choices),
        allow_empty=False,
        help_text="The events that are sent.",
    )

    class Meta:
        model = Webhook
        fields = ("id", "url", "events", "is_active", "created_at")

    def validate_url(self, url: str) -> str:
        try:
            webhooks.check_url(url)
        except webhooks.CannotSend as refused:
            raise serializers.ValidationError(str(refused)) from None
        return url


class NewWebhookSerializer(WebhookSerializer):
    """A new webhook. Without `events` all are sent."""

    events = serializers.ListField(
        child=serializers.ChoiceField(choices=Webhook.Event.choices),
        allow_empty=False,
        required=False,
    )

    class Meta:
        model = Webhook
        fields = ("url", "events")


class SecretWebhookSerializer(SecretsShownOnce, WebhookSerializer):
    """A webhook with its new secret, which is not shown again."""

    secret = serializers.CharField(required=False)

    class Meta(WebhookSerializer.Meta):
        fields = (*WebhookSerializer.Meta.fields, "secret", "code")


class DeliverySerializer(serializers.ModelSerializer):
    """A message to a webhook, and its result. `id` is its header `webhook-id`."""

    class Meta:
        model = WebhookDelivery
        fields = (
            "id",
            "event",
            "data",
            "state",
            "attempts",
            "status",
            "problem",
            "created_at",
            "next_attempt_at",
            "delivered_at",
        )


@extend_schema_view(
    list=extend_schema(summary="List the webhooks of a campaign"),
    retrieve=extend_schema(summary="Return a webhook"),
)
class Webhooks(Destroy, mixins.ListModelMixin, mixins.RetrieveModelMixin, InCampaign):
    """Webhooks of a campaign, for its managers."""

    queryset = Webhook.objects.all()
    serializer_class = WebhookSerializer
    filter_backends = ()
    lookup_value_converter = "int"
    hidden_from_analysts = ("list", "retrieve")
    secret_fields = ("secret",)

    def rows(self) -> QuerySet[Webhook]:
        return self.campaign.webhooks.select_related("campaign")

    @extend_schema(request=NewWebhookSerializer, responses={201: SecretWebhookSerializer})
    def create(self, request: Request, campaign: UUID) -> Response:
        """Create a webhook. The response has its secret, which is not shown again."""
        wanted = {"events": Webhook.Event.values} | self.content(NewWebhookSerializer)
        webhook, secret = webhooks.create_webhook(campaign=self.campaign, by=request.user, **wanted)
        return _with_secret(webhook, secret, status.HTTP_201_CREATED)

    @extend_schema(request=WebhookSerializer, responses=WebhookSerializer)
    def partial_update(self, request: Request, campaign: UUID, pk: int) -> Response:
        """Change the address, the events or `is_active`; a webhook that is not active sends nothing."""
        webhook = self.get_object()
        sent = WebhookSerializer(webhook, data=request.data, partial=True)
        sent.is_valid(raise_exception=True)
        webhooks.change_webhook(webhook=webhook, by=request.user, **sent.validated_data)
        return Response(WebhookSerializer(webhook).data)

    def remove(self, instance: Webhook) -> None:
        """Delete a webhook with its deliveries; messages that wait are not sent."""
        webhooks.delete_webhook(webhook=instance, by=self.request.user)

    @extend_schema(request=None, responses=SecretWebhookSerializer)
    @action(detail=True, methods=["post"], url_path="replace-secret")
    def replace_secret(self, request: Request, campaign: UUID, pk: int) -> Response:
        """Replace the secret. The response has the new one, which is not shown again."""
        webhook = self.get_object()
        secret = webhooks.replace_secret(webhook=webhook, by=request.user)
        return _with_secret(webhook, secret, status.HTTP_200_OK)

    @extend_schema(request=None, responses={202: DeliverySerializer})
    @action(detail=True, methods=["post"])
    def ping(self, request: Request, campaign: UUID, pk: int) -> Response:
        """Send a test message, of the event `ping`."""
        delivery = webhooks.queue_test_message(webhook=self.get_object())
        delivery.refresh_from_db()
        return Response(DeliverySerializer(delivery).data, status=status.HTTP_202_ACCEPTED)


def _with_secret(webhook: Webhook, secret: str, code: int) -> Response:
    return Response(WebhookSerializer(webhook).data | {"secret": secret}, status=code)


@extend_schema_view(
    list=extend_schema(summary="List the deliveries of a webhook, the newest first"),
    retrieve=extend_schema(summary="Return a delivery"),
)
class WebhookDeliveries(mixins.ListModelMixin, mixins.RetrieveModelMixin, InCampaign):
    """Messages to a webhook. Those that were accepted or given up are kept for 30 days."""

    queryset = WebhookDelivery.objects.all()
    serializer_class = DeliverySerializer
    pagination_class = NewestFirst
    filterset_fields = ("state", "event")
    lookup_value_converter = "uuid"
    hidden_from_analysts = ("list", "retrieve")

    def rows(self) -> QuerySet[WebhookDelivery]:
        webhook = self.campaign.webhooks.filter(pk=self.kwargs["webhook"]).first()
        if webhook is None:
            raise Http404
        return webhook.deliveries.all()

    @extend_schema(request=None, responses={202: DeliverySerializer})
    @action(detail=True, methods=["post"], url_path="send-again")
    def send_again(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Send a message again, for example after it failed."""
        delivery = self.get_object()
        webhooks.resend_message(delivery=delivery)
        delivery.refresh_from_db()
        return Response(DeliverySerializer(delivery).data, status=status.HTTP_202_ACCEPTED)
