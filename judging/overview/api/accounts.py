"""Accounts and the history of the site, for administrators."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, permissions, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from judging.base.api.problems import check_form
from judging.campaigns.models.campaign import Campaign
from judging.jobs.api.resources import Resource, SecretsShownOnce
from judging.overview.api.campaigns import EventFilter, EventSerializer, with_usernames
from judging.people.actions import accounts, history
from judging.people.forms.accounts import AccountForm, RightsForm
from judging.people.models.event import Event
from judging.people.models.user import User


class IsAdministrator(permissions.BasePermission):
    """Whether the user is an administrator."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return bool(request.user.is_superuser)


class AccountSerializer(serializers.ModelSerializer):
    """An account with its general rights; roles in campaigns are with the campaigns."""

    class Meta:
        model = User
        fields = (
            "id",
            "username",
            "first_name",
            "last_name",
            "email",
            "may_create_campaigns",
            "is_superuser",
            "is_active",
            "date_joined",
        )
        read_only_fields = ("username", "date_joined")
        extra_kwargs = {
            "is_superuser": {"help_text": "Whether it is an administrator."},
            "is_active": {"help_text": "Whether it may log in."},
        }


class NewAccountSerializer(serializers.ModelSerializer):
    """A new account. Its owner chooses a password by a link."""

    class Meta:
        model = User
        fields = AccountForm.Meta.fields


class MadeAccountSerializer(SecretsShownOnce, AccountSerializer):
    """A new account, with the link by which its owner chooses a password. It is shown once."""

    password_link = serializers.URLField(required=False)

    class Meta(AccountSerializer.Meta):
        fields = (*AccountSerializer.Meta.fields, "password_link", "code")


@extend_schema_view(
    list=extend_schema(summary="List the accounts"),
    retrieve=extend_schema(summary="Return an account"),
)
class Accounts(mixins.ListModelMixin, mixins.RetrieveModelMixin, Resource):
    """Accounts with a password, for administrators."""

    queryset = User.objects.all()
    serializer_class = AccountSerializer
    permission_classes = (*Resource.permission_classes, IsAdministrator)
    filterset_fields = ("username", "is_active", "is_superuser")
    lookup_value_converter = "int"
    secret_fields = ("password_link",)
    confirmed_actions = ("create", "partial_update")

    @extend_schema(request=NewAccountSerializer, responses={201: MadeAccountSerializer})
    def create(self, request: Request) -> Response:
        """Create an account; the answer has the link by which its owner chooses a password."""
        form = AccountForm(self.content(NewAccountSerializer) | {"usable_password": "false"})
        check_form(form)
        with transaction.atomic():
            user = form.save()
            history.record_event(
                Event.Act.ACCOUNT_MADE, by=request.user, about=history.account_name(user)
            )
            parts = accounts.password_link_parts(user=user, by=request.user)
        user.password_link = request.build_absolute_uri(
            reverse("password_reset_confirm", kwargs=parts)
        )
        return Response(MadeAccountSerializer(user).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=AccountSerializer, responses=AccountSerializer)
    def partial_update(self, request: Request, pk: int) -> Response:
        """Change the rights or the name of an account."""
        user = self.get_object()
        content = self.content(AccountSerializer, instance=user, partial=True)
        now = {name: getattr(user, name) for name in RightsForm.Meta.fields}
        form = RightsForm(now | content, instance=user)
        check_form(form)
        accounts.set_rights(user=form.instance, by=request.user)
        return Response(AccountSerializer(self.get_object()).data)


class SiteEventSerializer(EventSerializer):
    """An event of the site. Of campaigns in which you have no role, what changed is blank."""

    class Meta(EventSerializer.Meta):
        fields = (*EventSerializer.Meta.fields, "campaign")

    def to_representation(self, event: Event) -> dict[str, Any]:
        shown: dict[str, Any] = super().to_representation(event)
        if event.campaign is not None and event.campaign not in self.context["seen"]:
            shown |= {"about": "", "before": "", "after": ""}
        return shown


@extend_schema_view(list=extend_schema(summary="List what was done on the site"))
class SiteHistory(mixins.ListModelMixin, Resource):
    """The events of the site in the order of time, for administrators."""

    queryset = Event.objects.all()
    serializer_class = SiteEventSerializer
    filterset_class = EventFilter
    permission_classes = (*Resource.permission_classes, IsAdministrator)

    def rows(self) -> QuerySet[Event]:
        return with_usernames(Event.objects.all())

    def get_serializer_context(self) -> dict[str, Any]:
        seen = Campaign.objects.visible_to(self.request.user).values_list("uuid", flat=True)
        return {**super().get_serializer_context(), "seen": seen}
