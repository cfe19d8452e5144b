"""Scopes of API tokens, which narrow the roles of their users."""

from typing import TYPE_CHECKING

from rest_framework import permissions
from rest_framework.request import Request

from judging.people.models.user import ApiToken

if TYPE_CHECKING:  # the views read their permissions from the settings, and so from here
    from rest_framework.views import APIView

READ, MANAGE, ANNOTATE = ApiToken.Scope.READ, ApiToken.Scope.MANAGE, ApiToken.Scope.ANNOTATE


class HasScope(permissions.BasePermission):
    """Whether the scope of the token allows the request. A session has every scope of its user."""

    message = "The scope of your token does not allow this."

    def has_permission(self, request: Request, view: "APIView") -> bool:
        if not isinstance(request.auth, ApiToken):
            return True
        needed = getattr(view, "scope", None)
        if needed == ANNOTATE:
            return request.auth.scope == ANNOTATE
        if getattr(view, "is_for_everybody", False):
            return True
        if request.method in permissions.SAFE_METHODS:
            return request.auth.scope in (READ, MANAGE)
        return request.auth.scope == MANAGE
