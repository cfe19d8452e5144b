"""Drafts of protocols: starting, saving, finishing as an immutable version, and discarding."""

from datetime import datetime

from django.db import transaction
from django.db.models import F

from judging.base.limits import MAX_TEXT_CHARACTERS
from judging.base.refusals import Refused
from judging.people.models.user import User
from judging.protocols import documents, protocol_edits
from judging.protocols.actions import protocols
from judging.protocols.models.protocol import Protocol, ProtocolDraft
from judging.protocols.protocol_yaml import ProtocolError, ProtocolProblem


class NotText(Refused):
    """The given text cannot be stored as a draft; the message says why."""

    code = "not_text"
    field = "yaml"


class ChangedElsewhere(Refused):
    """The draft was saved from another tab or device meanwhile."""

    code = "changed_elsewhere"
    sentence = (
        "The draft was saved in another tab or on another device. Read it again before you save."
    )


def start_protocol_draft(*, by: User, text: str, now: datetime) -> ProtocolDraft:
    """Begin a draft with a text, complete or not."""
    return ProtocolDraft.objects.create(
        owner=by, text=_kept(text), title=_title(text), updated_at=now
    )


def start_own_version(*, protocol: Protocol, by: User, now: datetime) -> ProtocolDraft:
    """Begin a draft with a copy: the next version of the user's own protocol, or a protocol of the
    user's own from any other."""
    document = documents.protocol_from_document(protocol.document)
    own = Protocol.objects.filter(owner=by)
    if protocol.owner_id == by.pk:
        taken = set(own.filter(key=protocol.key).values_list("version", flat=True))
        plain = protocol_edits.next_version(document, taken=taken)
    else:
        taken = set(Protocol.objects.filter(owner=by).values_list("key", flat=True))
        plain = protocol_edits.own_version(
            document, key=protocol_edits.key_from_name(f"{protocol.key[:45]}-own", taken)
        )
    return start_protocol_draft(by=by, text=documents.write_yaml(plain), now=now)


def save_protocol_draft(
    *, draft: ProtocolDraft, text: str, revision: int, now: datetime
) -> ProtocolDraft:
    """Store a new text; raise ChangedElsewhere if another was stored since `revision`."""
    changes = {
        "text": _kept(text),
        "title": _title(text),
        "updated_at": now,
        "revision": F("revision") + 1,
    }
    if not ProtocolDraft.objects.filter(pk=draft.pk, revision=revision).update(**changes):
        raise ChangedElsewhere
    draft.refresh_from_db()
    return draft


def finish_protocol_draft(*, draft: ProtocolDraft) -> Protocol:
    """Make the draft a version of a protocol and delete the draft; raise ProtocolError with all
    problems of the text."""
    with transaction.atomic():
        protocol = create_version(by=draft.owner, text=draft.text)
        draft.delete()
    return protocol


def create_version(*, by: User, text: str) -> Protocol:
    """Create a version of a user's own protocol from YAML; raise ProtocolError with all problems. An
    equal version is not created again."""
    document = documents.parse(_kept(text), protocol_edits.FILE)
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=by.pk)  # one version at a time
        same = Protocol.objects.filter(owner=by, key=document.key, version=document.version)
        if same.exclude(digest=documents.hash_document(document)).exists():
            raise ProtocolError([_version_taken(text, document)])
        return protocols.install(document=document, owner=by)


def discard_protocol_draft(*, draft: ProtocolDraft) -> None:
    """Drop a draft; finished versions stay."""
    draft.delete()


def _version_taken(text: str, document: documents.ProtocolDocument) -> ProtocolProblem:
    line = next(
        (n for n, row in enumerate(text.splitlines(), start=1) if row.startswith("version:")), None
    )
    reason = f"your version {document.version} of {document.key} has another text; give this one another version"
    return ProtocolProblem(protocol_edits.FILE, line, "version", reason)


def _kept(text: str) -> str:
    if "\x00" in text:
        raise NotText("This contains NUL bytes, so it is not a text.")
    if len(text) > MAX_TEXT_CHARACTERS:
        raise NotText(
            f"This is longer than {MAX_TEXT_CHARACTERS:,} characters; a protocol is much shorter."
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _title(text: str) -> str:
    """Return the title for the list, as far as the text can be read."""
    try:
        title = protocol_edits.tree(text).get("title")
    except ProtocolError:
        return ""
    return title.strip()[:200] if isinstance(title, str) else ""
