"""Rubrics in the making: started, kept, finished into an immutable version, discarded."""

from datetime import datetime

from django.db import transaction
from django.db.models import F

from judging.actions import rubrics
from judging.limits import MAX_TEXT_CHARACTERS
from judging.models import Rubric, RubricDraft, User
from judging.protocols import documents, rubric_trees
from judging.protocols.rubric_nodes import RubricError, RubricProblem


class NotText(ValueError):
    """What was given cannot be kept as a draft; the message says why."""


class ChangedElsewhere(Exception):
    """The draft was saved from another tab or device meanwhile."""


def start(*, by: User, text: str, now: datetime) -> RubricDraft:
    """Begin a draft with a text, be it complete or not."""
    return RubricDraft.objects.create(
        owner=by, text=_kept(text), title=_title(text), updated_at=now
    )


def start_own_version(*, rubric: Rubric, by: User, now: datetime) -> RubricDraft:
    """Begin a draft with a copy: of one's own protocol its next version, of any other a protocol of
    one's own."""
    document = documents.from_document(rubric.document)
    own = Rubric.objects.filter(owner=by)
    if rubric.owner_id == by.pk:
        taken = set(own.filter(key=rubric.key).values_list("version", flat=True))
        plain = rubric_trees.next_version(document, taken=taken)
    else:
        taken = set(Rubric.objects.filter(owner=by).values_list("key", flat=True))
        plain = rubric_trees.own_version(
            document, key=rubric_trees.named(f"{rubric.key[:45]}-own", taken)
        )
    return start(by=by, text=documents.write(plain), now=now)


def save(*, draft: RubricDraft, text: str, revision: int, now: datetime) -> RubricDraft:
    """Keep a new text, unless another was kept since the revision it began from."""
    changes = {
        "text": _kept(text),
        "title": _title(text),
        "updated_at": now,
        "revision": F("revision") + 1,
    }
    if not RubricDraft.objects.filter(pk=draft.pk, revision=revision).update(**changes):
        raise ChangedElsewhere
    draft.refresh_from_db()
    return draft


def finish(*, draft: RubricDraft) -> Rubric:
    """Make the draft a version of a protocol and drop the draft; RubricError with everything that
    is in the way."""
    with transaction.atomic():
        rubric = create_version(by=draft.owner, text=draft.text)
        draft.delete()
    return rubric


def create_version(*, by: User, text: str) -> Rubric:
    """Create a version of a user's own protocol from YAML; RubricError with everything that is wrong.
    An equal version is not created again."""
    document = documents.parse(_kept(text), rubric_trees.FILE)
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=by.pk)  # one version at a time
        same = Rubric.objects.filter(owner=by, key=document.key, version=document.version)
        if same.exclude(digest=documents.digest(document)).exists():
            raise RubricError([_version_taken(text, document)])
        return rubrics.install(document=document, owner=by)


def discard(*, draft: RubricDraft) -> None:
    """Drop a draft; finished versions stay."""
    draft.delete()


def _version_taken(text: str, document: documents.RubricDocument) -> RubricProblem:
    line = next(
        (n for n, row in enumerate(text.splitlines(), start=1) if row.startswith("version:")), None
    )
    reason = f"you have a version {document.version} of {document.key} that says something else; give this one another"
    return RubricProblem(rubric_trees.FILE, line, "version", reason)


def _kept(text: str) -> str:
    if "\x00" in text:
        raise NotText("This holds NUL bytes, so it is not a text.")
    if len(text) > MAX_TEXT_CHARACTERS:
        raise NotText(
            f"This is longer than {MAX_TEXT_CHARACTERS:,} characters; a protocol is much shorter."
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _title(text: str) -> str:
    """Return the title for the list, as far as the text can be read."""
    try:
        return documents.sketch(text, rubric_trees.FILE)[0].title[:200]
    except RubricError:
        return ""
