"""The common part of all resources of the REST API: jobs, idempotent requests, entity tags."""

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.db import connection, transaction
from django.db.models import QuerySet
from django.http import Http404
from django.urls import reverse
from rest_framework import serializers, status, viewsets
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from judging.base.api.contract import DeclaredOnly
from judging.base.api.problems import PreconditionFailed, Unprocessable
from judging.base.models.idempotent_request import IdempotentRequest
from judging.jobs.models.job import Job
from judging.people.guards import is_confirmed
from judging.people.models.user import ApiToken

KEY_CHARACTERS = 200  # of the database column
SECRET_SHOWN_ONCE = "secret_shown_once"  # noqa: S105  (the code of a repeat without its secrets)


class Resource(DeclaredOnly, viewsets.GenericViewSet):
    """A resource that takes only what its schema declares, and whose creating requests may carry an
    `Idempotency-Key`."""

    secret_fields: tuple[str, ...] = ()  # of responses; the database stores none of them in clear
    confirmed_actions: tuple[str, ...] = ()  # those for which the pages ask for the password

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.check_access()
        self.check_declared(request)
        if self.action in self.confirmed_actions:
            check_confirmed(request)
        is_creating = request.method == "POST" and self.action is not None
        if is_creating and "Idempotency-Key" in request.headers:
            handler = self.post  # set by the router
            self.post = partial(_once, handler, self.secret_fields)

    def check_access(self) -> None:
        """Raise Http404 or PermissionDenied before the content of the request is read."""

    def handle_exception(self, exc: Exception) -> Response:
        """Answer 404 if an object was deleted while the request was processed."""
        return super().handle_exception(Http404() if isinstance(exc, ObjectDoesNotExist) else exc)

    def get_queryset(self) -> QuerySet[Any]:
        if getattr(self, "swagger_fake_view", False):
            return self.queryset.none()
        return self.rows()

    def rows(self) -> QuerySet[Any]:
        """Return the rows that the user may see."""
        return super().get_queryset()

    def content(self, serializer: type[serializers.Serializer], **options: Any) -> dict[str, Any]:
        """Return the valid content of the request; raise ValidationError if it is not valid."""
        sent = serializer(data=self.request.data, **options)
        sent.is_valid(raise_exception=True)
        return dict(sent.validated_data)


class Create:
    """Creating by one action: POST reads `input`, and returns what was made as `output`.

    If the action begins a job, the response is 202 with the job. The docstring of `add` describes
    the operation.
    """

    input: type[serializers.Serializer] | None = None
    output: type[serializers.Serializer]

    def create(self, request: Request, **address: Any) -> Response:
        content = self.content(self.input) if self.input else {}
        made = self.add(content)
        if isinstance(made, Job):
            return accepted_response(made)
        data = self.output(made, context=self.get_serializer_context()).data
        return Response(data, status=status.HTTP_201_CREATED)

    def add(self, content: dict[str, Any]) -> Any:
        """Run the action on the content of the request."""
        raise NotImplementedError


class Destroy:
    """Deleting by one action. The docstring of `remove` describes the operation."""

    def destroy(self, request: Request, **address: Any) -> Response:
        self.remove(self.get_object())
        return Response(status=status.HTTP_204_NO_CONTENT)

    def remove(self, instance: Any) -> None:
        """Run the action on the object of the address."""
        raise NotImplementedError


def check_confirmed(request: Request) -> None:
    """Raise PermissionDenied in a session whose password was not entered recently, before an act
    for which the pages ask for it. A token is created with a password."""
    if not isinstance(request.auth, ApiToken) and not is_confirmed(request):
        confirm = reverse("judging:confirm")
        raise PermissionDenied(f"Confirm your password at {confirm} first, or send an API token.")


def _once(
    handler: Callable[..., Response],
    secret_fields: tuple[str, ...],
    request: Request,
    *args: Any,
    **kwargs: Any,
) -> Response:
    """Process a request, or repeat the response to an equal earlier one.

    An earlier request is one with the same key. A repeated response lacks secrets. Two such requests
    at once wait for each other.
    """
    key = request.headers["Idempotency-Key"]
    if not 0 < len(key) <= KEY_CHARACTERS or not key.isprintable():
        limit = f"1 to {KEY_CHARACTERS} printable characters"
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
            content = _without_secrets(getattr(response, "data", None), secret_fields)
            IdempotentRequest.objects.create(
                user=request.user,
                key=key,
                digest=digest,
                status=response.status_code,
                body=JSONRenderer().render(content).decode() or "null",
                location=response.headers.get("Location", ""),
            )
        return response


def _without_secrets(content: Any, secret_fields: tuple[str, ...]) -> Any:
    """Return the content of a response with a code in the place of its secrets."""
    if not isinstance(content, Mapping) or not any(content.get(name) for name in secret_fields):
        return content
    kept = {name: value for name, value in content.items() if name not in secret_fields}
    return kept | {"code": SECRET_SHOWN_ONCE}


def _digest(request: Request) -> str:
    """Return a digest of a request's method, address and content, which equal requests share."""
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


class SecretsShownOnce(serializers.Serializer):
    """The code of a repeated response, which lacks its secrets."""

    code = serializers.CharField(
        required=False,
        help_text="`secret_shown_once` in the response to a repeated request, which lacks secrets.",
    )


class JobSerializer(serializers.ModelSerializer):
    """A job: its state, how far it is, and why it failed."""

    url = serializers.SerializerMethodField()
    dataset = serializers.IntegerField(
        source="dataset_id",
        allow_null=True,
        read_only=True,
        help_text="The id of the dataset that it is about; null if it is about none.",
    )
    campaign = serializers.UUIDField(
        source="campaign.uuid",
        allow_null=True,
        default=None,
        read_only=True,
        help_text="The UUID of the campaign that it is about; null if it is about none.",
    )

    class Meta:
        model = Job
        fields = (
            "id",
            "url",
            "kind",
            "state",
            "done",
            "total",
            "message",
            "error",
            "dataset",
            "campaign",
            "created_at",
        )

    def get_url(self, job: Job) -> str:
        return reverse("api:job-detail", args=[job.pk])


def accepted_response(job: Job, **further: Any) -> Response:
    """Return 202 with the address of the job that does the work."""
    data = JobSerializer(job).data | further
    return Response(data, status=status.HTTP_202_ACCEPTED, headers={"Location": data["url"]})


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
