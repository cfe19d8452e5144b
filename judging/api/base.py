"""What all resources of the REST API share: jobs, idempotent requests, entity tags."""

import hashlib
import json
from collections.abc import Callable
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet
from django.urls import reverse
from rest_framework import serializers, status, viewsets
from rest_framework.exceptions import ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from judging.api.problems import PreconditionFailed, Unprocessable
from judging.models import Campaign, IdempotentRequest, Job

MAX_KEY_CHARACTERS = 200


class Resource(viewsets.GenericViewSet):
    """A resource whose creating requests may carry an `Idempotency-Key`."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method == "POST" and "Idempotency-Key" in request.headers:
            handler = self.post  # set by the router
            self.post = lambda *args, **kwargs: _once(handler, *args, **kwargs)


def _once(
    handler: Callable[..., Response], request: Request, *args: Any, **kwargs: Any
) -> Response:
    """Do a request, or return the response that an equal request with this key got. Two such requests
    at once wait for each other."""
    key = request.headers["Idempotency-Key"]
    if not 0 < len(key) <= MAX_KEY_CHARACTERS or not key.isprintable():
        limit = f"1 to {MAX_KEY_CHARACTERS} printable characters"
        raise ValidationError({"Idempotency-Key": [f"The key must have {limit}."]})
    digest = _digest(request)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))", [key, request.user.pk]
            )
        known = IdempotentRequest.objects.filter(user=request.user, key=key).first()
        if known and known.digest != digest:
            raise Unprocessable("The same Idempotency-Key came with another request before.")
        if known:
            headers = {"Location": known.location} if known.location else {}
            return Response(json.loads(known.body), status=known.status, headers=headers)
        response = handler(request, *args, **kwargs)
        if response.status_code < 400:
            IdempotentRequest.objects.create(
                user=request.user,
                key=key,
                digest=digest,
                status=response.status_code,
                body=JSONRenderer().render(getattr(response, "data", None)).decode() or "null",
                location=response.headers.get("Location", ""),
            )
        return response


def _digest(request: Request) -> str:
    """Return what an equal request has: method, address and content."""
    found = hashlib.sha256(f"{request.method} {request.get_full_path()}\n".encode())
    for name, file in sorted(request.FILES.items()):
        found.update(name.encode())
        for piece in file.chunks():
            found.update(piece)
        file.seek(0)
    data = request.data
    if request.FILES:
        data = {name: value for name, value in data.items() if name not in request.FILES}
    found.update(json.dumps(data, sort_keys=True, default=str).encode())
    return found.hexdigest()


class JobSerializer(serializers.ModelSerializer):
    """A job: its state, how far it is, and why it failed."""

    url = serializers.SerializerMethodField()

    class Meta:
        model = Job
        fields = ("id", "url", "kind", "state", "done", "total", "message", "error", "created_at")

    def get_url(self, job: Job) -> str:
        return reverse("api:job-detail", args=[job.pk])


def accepted(job: Job) -> Response:
    """Return 202 with the address of the job that does the work."""
    data = JobSerializer(job).data
    return Response(data, status=status.HTTP_202_ACCEPTED, headers={"Location": data["url"]})


def campaigns_seen_by(user: Any) -> QuerySet[Campaign]:
    """Return the campaigns that a user manages or analyses."""
    return Campaign.objects.visible_to(user)


def entity_tag(*parts: object) -> str:
    """Return an entity tag for an object's state."""
    return f'"{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}"'


def check_if_match(request: Request, tag: str) -> None:
    """Raise PreconditionFailed if the client read another state of the object."""
    wanted = request.headers.get("If-Match")
    if (
        wanted is not None
        and wanted != "*"
        and tag not in [each.strip() for each in wanted.split(",")]
    ):
        raise PreconditionFailed
