"""Programs that use the REST API with a token."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from judging.jobs.models.job import Job
from judging.people.actions import tokens
from judging.people.models.user import User
from tests import openapi
from tests.working import carry_out

API = "/api/v1"
UNDOCUMENTED = (308, 405, 500, 503, 507)  # of no operation, and of outages


class Program(APIClient):
    """A client that sends JSON, and holds every answer against the API's document."""

    default_format = "json"

    sent: Any = None  # the content of the last request

    def generic(self, method: str, path: str, data: Any = "", *args: Any, **extra: Any) -> Any:
        is_json = isinstance(data, bytes) and data[:1] in (b"{", b"[")
        self.sent = json.loads(data) if is_json else None
        return super().generic(method, path, data, *args, **extra)

    def request(self, **kwargs: Any) -> Any:
        answer = super().request(**kwargs)
        path = kwargs["PATH_INFO"]
        if path.startswith(API) and answer.status_code not in UNDOCUMENTED:
            found = "\n".join(openapi.faults(kwargs["REQUEST_METHOD"], path, answer))
            assert not found, found
            openapi.record(kwargs["REQUEST_METHOD"], path, self.sent, answer)
        return answer


def program(user: User, scope: str = "manage") -> Program:
    """Return a client that sends a new token of a user."""
    client = Program()
    token = tokens.make_token(user=user, now=timezone.now(), scope=scope)
    client.credentials(HTTP_AUTHORIZATION=f"Token {token}")
    return client


def done(answer: Any) -> Job:
    """Do the job that an answer names, as a worker does."""
    assert answer.status_code == 202, answer.content
    assert answer.headers["Location"] == answer.json()["url"]
    return carry_out(Job.objects.get(pk=answer.json()["id"]))


def fields_of(answer: Any) -> set[str]:
    """Return the fields that a problem names."""
    assert answer.status_code == 422, answer.content
    assert answer.headers["Content-Type"] == "application/problem+json"
    return {each["field"] for each in answer.json()["errors"]}


@contextmanager
def counted() -> Iterator[CaptureQueriesContext]:
    """Count the queries of a block."""
    with CaptureQueriesContext(connection) as found:
        yield found
