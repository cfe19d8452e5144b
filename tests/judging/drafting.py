"""A protocol in the making as a browser shows and sends it."""

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judging.people.models.user import User
from judging.protocols import documents
from judging.protocols.models.protocol import ProtocolDraft
from tests import factories
from tests.judging.forms_of import fields


def draft(owner: User, text: str = factories.SMALL) -> ProtocolDraft:
    return ProtocolDraft.objects.create(
        owner=owner, title="Small", text=text, updated_at=timezone.now()
    )


def shown(page: Client, made: ProtocolDraft, query: str = "") -> dict[str, list[str]]:
    return fields(
        page.get(reverse("judging:protocol_draft", args=[made.pk]) + query).text, "editor-form"
    )


def send(page: Client, made: ProtocolDraft, act: str = "save", htmx: bool = False, **changes: str):
    """Send the form as shown, with changes by key path (a double underscore is a dot)."""
    sent = shown(page, made) | {name: [value] for name, value in changes.items()} | {"act": [act]}
    headers = {"HX-Request": "true"} if htmx else {}
    return page.post(reverse("judging:protocol_draft", args=[made.pk]), sent, headers=headers)


def document(made: ProtocolDraft) -> documents.ProtocolDocument:
    made.refresh_from_db()
    return documents.parse(made.text, "x")
