"""The library of protocols: those that come with the software and the user's own, each on a
page."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.text import get_valid_filename
from django.utils.translation import get_language, get_language_info
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from judging.people.guards import creator_required
from judging.people.models.user import User
from judging.protocols import documents, protocol_edits
from judging.protocols.actions import protocol_drafts
from judging.protocols.actions.protocol_drafts import NotText
from judging.protocols.forms import protocol_sections as words
from judging.protocols.forms.protocols import TextForm
from judging.protocols.guards import protocol_for_readers, protocols_of
from judging.protocols.guideline import blocks
from judging.protocols.models.protocol import Protocol, ProtocolDraft
from judging.protocols.protocol_schema import (
    FACT_KINDS,
    RULE_KINDS,
    ProtocolCriterion,
    ProtocolDocument,
)

ON_A_PAGE = 50
KINDS = {kind: name for name, kind in (*RULE_KINDS.items(), *FACT_KINDS.items())}


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """A protocol in the library: its newest version, and the older ones."""

    protocol: Protocol
    document: ProtocolDocument
    older: tuple[Protocol, ...]

    @property
    def task(self) -> Any:
        return dict(words.TASKS)[self.document.task]


@login_required
@require_GET
def list_protocols(request: HttpRequest) -> HttpResponse:
    """List the protocols a user may see, and their drafts."""
    page = Paginator(_versions(request.user), ON_A_PAGE).get_page(request.GET.get("page"))
    entries = list(_entries(page))
    context = {
        "page": page,
        "shipped": [entry for entry in entries if entry.protocol.owner_id is None],
        "own": [entry for entry in entries if entry.protocol.owner_id == request.user.pk],
        "others": [
            entry for entry in entries if entry.protocol.owner_id not in (None, request.user.pk)
        ],
        "drafts": ProtocolDraft.objects.filter(owner=request.user).defer("text"),
    }
    return render(request, "judging/protocols/index.html", context)


def _versions(user: User) -> list[list[Protocol]]:
    """Return the versions of each protocol, the user's own first and shipped ones last; without
    documents, which are read only for those on the page."""
    versions: dict[tuple[int | None, str], list[Protocol]] = {}
    for protocol in protocols_of(user).defer("document").order_by("title", "-pk"):
        versions.setdefault((protocol.owner_id, protocol.key), []).append(protocol)
    return sorted(
        versions.values(), key=lambda row: (row[0].owner_id is None, row[0].owner_id != user.pk)
    )


def _entries(protocols: Iterable[list[Protocol]]) -> Iterator[LibraryEntry]:
    protocols = list(protocols)
    read = Protocol.objects.in_bulk([newest.pk for newest, *_older in protocols])
    for newest, *older in protocols:
        document = documents.protocol_from_document(read[newest.pk].document)
        yield LibraryEntry(
            newest, documents.localized(document, get_language() or "en"), tuple(older)
        )


@protocol_for_readers
@require_GET
def protocol(request: HttpRequest, protocol: Protocol) -> HttpResponse:
    """Show a whole protocol, with a translation beside it if there is one."""
    document = documents.protocol_from_document(protocol.document)
    beside = _beside(document, request.GET.get("beside"))
    other = documents.localized(document, beside) if beside else None
    versions = (
        protocols_of(request.user).filter(key=protocol.key, owner=protocol.owner_id).order_by("-pk")
    )
    context = {
        "protocol": protocol,
        "document": document,
        "versions": versions.only("pk", "version", "created_at"),
        "own": protocol.owner_id == request.user.pk,
        "tag": document.language,
        "beside": beside,
        "languages": [(tag, _language(tag)) for tag in document.languages()[1:]],
        "warnings": documents.protocol_warnings(document),
        "worked": [
            (tag, _worked(each))
            for tag, each in ((document.language, document), (beside, other))
            if each
        ],
        **_parts(document, other),
    }
    return render(request, "judging/protocols/protocol.html", context)


def _beside(document: ProtocolDocument, wanted: str | None) -> str:
    """Return the language of the translation to show: the requested one, else the reader's; "" for
    none."""
    there = document.languages()[1:]
    preferred = (wanted, (get_language() or "").split("-")[0])
    return "" if wanted == "none" else next((tag for tag in preferred if tag in there), "")


def _language(tag: str) -> str:
    try:
        return str(get_language_info(tag)["name_local"])
    except KeyError:
        return tag


def _parts(own: ProtocolDocument, other: ProtocolDocument | None) -> dict[str, Any]:
    """Return the parts of the page, each text with its translation or None."""
    shown = dict(words.SHOWS)
    return {
        "other": other,
        "task": dict(words.TASKS)[own.task],
        "criteria": [_criterion(own, n, other) for n in range(len(own.criteria))],
        "stages": [(stage, [shown[name] for name in stage.shows]) for stage in own.stages],
        "rules": [_rule(own, rule) for rule in own.rules],
        "facts": [
            (KINDS[type(fact)], fact, own.criterion(_about(fact)).name) for fact in own.facts
        ],
        "aggregated": [own.criterion(key).name for key in own.aggregated()],
        "weights": own.aggregate.weights
        and [
            f"{own.criterion(key).name} {weight}" for key, weight in own.combined_weights().items()
        ],
        "agreement": [(dict(words.STATISTICS)[each.statistic], each) for each in own.agreement],
        "guideline": blocks(own.guideline),
        "guideline_beside": blocks(other.guideline) if other else (),
    }


def _criterion(
    own: ProtocolDocument, number: int, other: ProtocolDocument | None
) -> dict[str, Any]:
    criterion = own.criteria[number]
    shown = [criterion, *([other.criteria[number]] if other else [])]
    return {
        "criterion": criterion,
        "stage": own.stage(criterion.stage).title if len(own.stages) > 1 else "",
        "best": dict(words.ENDS)[criterion.best],
        "level": criterion.level,
        "columns": [(each, _points(each)) for each in shown],
    }


def _points(criterion: ProtocolCriterion) -> list[Any]:
    """Return the points that have a label; a scale from 0 to 100 has two."""
    return [point for point in criterion.points if point.label]


def _about(fact: Any) -> str:
    return str(getattr(fact, "criterion", None) or fact.beside)


def _rule(own: ProtocolDocument, rule: Any) -> dict[str, Any]:
    return {
        "kind": KINDS[type(rule)],
        "rule": rule,
        "cause": own.criterion(rule.criterion).name if hasattr(rule, "criterion") else "",
        "sets": _values(own, getattr(rule, "sets", None)),
        "when": _values(own, getattr(rule, "when", None)),
        "named": [own.criterion(key).name for key in getattr(rule, "named", ())],
    }


def _worked(protocol: ProtocolDocument) -> dict[str, Any]:
    """Return the worked item, if there is one, as templates/includes/worked_item.html shows it."""
    item = protocol.worked_item
    shown = (
        [(label, item.shows[name]) for name, label in words.SHOWS if name in item.shows]
        if item
        else []
    )
    return {"item": item, "shown": shown, "rated": protocol.rated_example()}


def _values(own: ProtocolDocument, values: Any) -> list[str]:
    return [f"{own.criterion(key).name} {value}" for key, value in (values or {}).items()]


@protocol_for_readers
@require_GET
def download_protocol(request: HttpRequest, protocol: Protocol) -> HttpResponse:
    """Return a protocol as YAML."""
    document = documents.protocol_from_document(protocol.document)
    return yaml_file(
        documents.to_yaml(document), f"{protocol.key}-{get_valid_filename(protocol.version)}.yaml"
    )


def yaml_file(text: str, name: str) -> HttpResponse:
    """Return a YAML text as a download."""
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "X-Content-Type-Options": "nosniff",
    }
    return HttpResponse(text, content_type="application/yaml; charset=utf-8", headers=headers)


@creator_required
@protocol_for_readers
@require_POST
def copy_protocol(request: HttpRequest, protocol: Protocol) -> HttpResponse:
    """Begin a version of the user's own, or the next version of their own protocol."""
    draft = protocol_drafts.start_own_version(
        protocol=protocol, by=request.user, now=timezone.now()
    )
    messages.success(
        request, _("This is your copy. Only you see it until you finish a version and use it.")
    )
    return redirect("judging:protocol_draft", draft.pk)


@creator_required
@require_http_methods(["GET", "POST"])
def begin_protocol(request: HttpRequest) -> HttpResponse:
    """Begin an empty protocol, or one from YAML."""
    if request.method == "GET":
        return render(request, "judging/protocols/new.html", {"form": TextForm()})
    if request.POST.get("from") == "nothing":
        return redirect(
            "judging:protocol_draft",
            _started(request.user, documents.write_yaml(protocol_edits.blank_protocol())).pk,
        )
    form = TextForm(request.POST, request.FILES)
    if form.is_valid() and not form.cleaned_data["text"].strip():
        form.add_error("text", _("Paste a protocol, or choose a file."))
    if form.is_valid():
        try:
            return redirect(
                "judging:protocol_draft_yaml", _started(request.user, form.cleaned_data["text"]).pk
            )
        except NotText as refused:
            form.add_error("file" if request.FILES else "text", str(refused))
    return render(request, "judging/protocols/new.html", {"form": form}, status=422)


def _started(user: User, text: str) -> ProtocolDraft:
    return protocol_drafts.start_protocol_draft(by=user, text=text, now=timezone.now())
