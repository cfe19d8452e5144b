"""Calls to addresses that the site allows, and to no others."""

from typing import Any
from urllib import request


class NoRedirects(request.HTTPRedirectHandler):
    """Refuses an address that leads elsewhere: one that is not allowed may hide behind it, and a
    key would go along."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


CONFINED = request.build_opener(NoRedirects)
