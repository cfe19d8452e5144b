"""The schema of the REST API: tokens, summaries and ids of operations."""

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import get_doc
from rest_framework import mixins


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """API tokens in the schema."""

    target_class = "judging.actions.keys.KeyAuthentication"
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
    their id from their name."""

    def get_summary(self) -> str | None:
        action = getattr(self.view, getattr(self.view, "action", None) or self.method.lower(), None)
        if action is None or action.__module__ == mixins.__name__:
            return super().get_summary()
        return get_doc(action).partition("\n\n")[0].replace("\n", " ").removesuffix(".")

    def get_operation_id(self) -> str:
        action = getattr(self.view, getattr(self.view, "action", None) or "", None)
        if not hasattr(action, "mapping"):
            return super().get_operation_id()
        own = [part for part in action.url_path.split("/") if not part.startswith("<")]
        named = [part for part in self._tokenize_path() if not part.startswith("{")]
        return "_".join([*named[: -len(own)], action.__name__]).replace("-", "_")
