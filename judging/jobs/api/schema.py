"""The schema of the REST API: tokens, summaries and ids of operations."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import get_doc
from rest_framework import mixins

from judging.jobs.api.resources import Create, Destroy, JobSerializer


class TokenScheme(OpenApiAuthenticationExtension):
    """API tokens in the schema."""

    target_class = "judging.people.actions.tokens.ApiTokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "`Token`, a blank, and an API token.",
        }


class Schema(AutoSchema):
    """Operations take their summary from the first sentence of their docstring, and extra actions
    their id from their name. Requests that create take their content from the view's `input`."""

    def get_summary(self) -> str | None:
        action = self._described()
        if action is None or action.__module__ == mixins.__name__:
            return super().get_summary()
        return get_doc(action).partition("\n\n")[0].replace("\n", " ").removesuffix(".")

    def get_description(self) -> str:  # type: ignore[override]
        action = self._described()
        if action and action.__doc__ and action.__module__ != mixins.__name__:
            return get_doc(action)
        is_list = getattr(self.view, "action", None) == "list"
        notes = get_doc(type(self.view)).partition(".")[2] if is_list else ""
        return f"{self.get_summary()}.\n\n{notes.strip()}".strip()

    def get_request_serializer(self) -> Any:
        return self.view.input if self._creates() else super().get_request_serializer()

    def get_response_serializers(self) -> Any:
        if not self._creates():
            return super().get_response_serializers()
        return {202 if issubclass(self.view.output, JobSerializer) else 201: self.view.output}

    def _get_paginator(self) -> Any:
        """Only lists that are read come in pages."""
        return super()._get_paginator() if self.method == "GET" else None

    def _described(self) -> Any:
        """Return the method whose docstring describes the operation."""
        named = getattr(self.view, "action", None) or self.method.lower()
        return self._hook() or getattr(self.view, named, None)

    def _hook(self) -> Any:
        """Return the method of a view that runs the action of a shared `create` or `destroy`."""
        if self._creates():
            return self.view.add
        is_removal = isinstance(self.view, Destroy) and self.view.action == "destroy"
        return self.view.remove if is_removal else None

    def _creates(self) -> bool:
        return isinstance(self.view, Create) and self.view.action == "create"

    def get_operation_id(self) -> str:
        action = getattr(self.view, getattr(self.view, "action", None) or "", None)
        if not hasattr(action, "mapping"):
            return super().get_operation_id()
        own = [part for part in action.url_path.split("/") if not part.startswith("<")]
        named = [part for part in self._tokenize_path() if not part.startswith("{")]
        return "_".join([*named[: -len(own)], action.__name__]).replace("-", "_")
