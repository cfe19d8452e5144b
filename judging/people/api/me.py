"""The user of a token or a session, and the user's API tokens."""

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from judging.base.api.contract import PlainView
from judging.jobs.api.resources import Create, Destroy, Resource, SecretsShownOnce
from judging.people.actions import log_ins, tokens
from judging.people.models.user import ApiToken, User


class MeSerializer(serializers.ModelSerializer):
    """The user, what they may do, and the scope of the token."""

    may_create_campaigns = serializers.BooleanField(source="can_create_campaigns")
    scope = serializers.CharField(
        help_text="read, manage or annotate; session if no token was sent."
    )

    class Meta:
        model = User
        fields = ("id", "username", "email", "may_create_campaigns", "scope")


class Me(PlainView):
    """The user of this request."""

    is_for_everybody = True

    @extend_schema(responses=MeSerializer)
    def get(self, request: Request) -> Response:
        """Return the user of this request."""
        user = request.user
        user.scope = request.auth.scope if isinstance(request.auth, ApiToken) else "session"
        return Response(MeSerializer(user).data)


class ApiTokenSerializer(serializers.ModelSerializer):
    """A valid API token, without its text."""

    class Meta:
        model = ApiToken
        fields = ("id", "name", "scope", "made_at", "expires_at", "used_at")


class NewApiTokenSerializer(serializers.ModelSerializer):
    """A new API token."""

    days = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=1,
        max_value=tokens.MAX_TOKEN_DAYS,
        help_text="Days for which it is valid; without them, until it is revoked.",
    )

    class Meta:
        model = ApiToken
        fields = ("name", "scope", "days")
        extra_kwargs = {"name": {"required": True, "allow_blank": False}}


class ShownApiTokenSerializer(SecretsShownOnce, ApiTokenSerializer):
    """A new API token with its text, which is not shown again."""

    token = serializers.CharField(required=False)

    class Meta(ApiTokenSerializer.Meta):
        fields = (*ApiTokenSerializer.Meta.fields, "token", "code")


@extend_schema_view(list=extend_schema(summary="List your API tokens"))
class ApiTokens(Create, Destroy, mixins.ListModelMixin, Resource):
    """The API tokens of the user."""

    queryset = ApiToken.objects.all()
    serializer_class = ApiTokenSerializer
    input = NewApiTokenSerializer
    output = ShownApiTokenSerializer
    filter_backends = ()
    lookup_value_converter = "int"
    secret_fields = ("token",)
    confirmed_actions = ("create",)

    def rows(self) -> QuerySet[ApiToken]:
        return self.request.user.api_tokens.valid(now=timezone.now())

    def add(self, content: dict[str, Any]) -> ApiToken:
        """Create an API token. The response has its text, which is not shown again.

        A token creates only tokens of its own scope or of `read`, which end no later than itself.
        """
        user, now = self.request.user, timezone.now()
        log_ins.count_key(user=user, now=now)
        if isinstance(self.request.auth, ApiToken):
            tokens.check_within(
                self.request.auth,
                scope=content.get("scope", ApiToken.Scope.READ),
                days=content["days"],
                now=now,
            )
        text = tokens.make_token(user=user, now=now, by=user, **content)
        made = user.api_tokens.get(digest=tokens.hash_token(text))
        made.token = text
        return made

    def remove(self, instance: ApiToken) -> None:
        """Revoke an API token."""
        tokens.revoke_token(token=instance, by=self.request.user)
