"""The API tokens of a user."""

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, serializers

from judging.jobs.api.resources import Create, Destroy, Resource, SecretsShownOnce
from judging.people.actions import log_ins, tokens
from judging.people.models.user import ApiToken


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
