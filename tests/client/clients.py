"""Clients for tests: of the application in this process, or of a live server."""

import importlib.util
from pathlib import Path
from typing import Any

import httpx
from django.core.wsgi import get_wsgi_application
from django.utils import timezone

from judging.people.actions import tokens
from judging.people.models.user import User
from quaestor_client import Quaestor

SITE = "http://localhost"


def client_of(
    user: User, scope: str = "manage", url: str = SITE, transport: Any = None
) -> Quaestor:
    token = tokens.make_token(user=user, now=timezone.now(), scope=scope)
    if transport is None and url == SITE:
        transport = httpx.WSGITransport(app=get_wsgi_application())
    return Quaestor(url, token, transport=transport)


def module_at(path: Path) -> Any:
    """Return the module of a script that belongs to no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
