"""Views whose module is imported when the first of them is asked for."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from django.http import HttpRequest, HttpResponse


class LateViews:
    """A module of views that is not imported yet.

    The views of analysis need numpy and every section of the report: a second of start-up, which a
    web process that serves annotators should not spend.
    """

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, view: str) -> Callable[..., HttpResponse]:
        def imported(request: HttpRequest, **parts: Any) -> HttpResponse:
            response: HttpResponse = getattr(import_module(self._module), view)(request, **parts)
            return response

        return imported
