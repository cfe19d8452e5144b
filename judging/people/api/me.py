"""The user of a token or a session."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from judging.base.api.contract import PlainView
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
