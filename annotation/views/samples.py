"""A preview of an unfinished protocol for annotators, on our own sample text; nothing is stored.

A draft may be incomplete: what can be shown is shown.
"""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.views import source_texts
from annotation.views.page import ShownProtocol, State, Writer, guideline_sections
from judging.base.texts import whole_number
from judging.datasets.models.dataset import Passage, Source
from judging.protocols import documents, protocol_edits
from judging.protocols.forms.protocols import read_protocol_form
from judging.protocols.guards import draft_for_owner
from judging.protocols.models.protocol import ProtocolDraft
from judging.protocols.protocol_schema import ProtocolDocument
from judging.protocols.protocol_yaml import ProtocolError
from judging.work.actions import sheets
from judging.work.actions.sheets import Known, Sheet, SheetLine

TEXT = (
    "The ferry Solveig carried the post to the outer islands until 1961. Her last master, Jonas Lind, kept a goat on "
    "deck. When the bridge was opened, the town gave him the bell of the ship."
)
ANSWER, SENTENCE = "Jonas Lind", "Her last master, Jonas Lind, kept a goat on deck."
QUESTIONS = (
    ("What did the ferry Solveig do until 1961?", "carried the post", "what"),
    ("Who was the last master of the Solveig?", "Jonas Lind", "who"),
    ("Who keep a goat on deck the last master?", "Jonas Lind", "who"),
    ("What did the town give him when the bridge was opened?", "the bell of the ship", "what"),
    ("Which animals give milk?", "a goat", "which"),
    ("Why was the bell given to him?", "the bridge was opened", "why"),
)
ONLY, FEW = 1, 3


@draft_for_owner
@require_http_methods(["GET", "POST"])
def preview_protocol(request: HttpRequest, draft: ProtocolDraft) -> HttpResponse:
    """Show the whole page; "Continue" shows its next step."""
    protocol = _readable(draft.text)
    if protocol is None:
        messages.info(request, "There is nothing to show yet: give a criterion a name and points.")
        return redirect("judging:protocol_draft", draft.pk)
    stage, own = (
        _stage(request.GET.get("step"), protocol),
        reverse("annotation:protocol_preview", args=[draft.pk]),
    )
    if request.method == "POST":
        return _answered(request, own, stage)
    shown = _shown(protocol, stage)
    return render(
        request,
        "annotation/judge.html",
        {"page": shown.names(_around(draft, protocol, own, stage))},
    )


def _answered(request: HttpRequest, own: str, stage: int) -> HttpResponse:
    if request.POST.get("action") == "continue":
        return redirect(f"{own}?step={stage + 1}")
    messages.info(request, _("This was a preview; nothing was stored."))
    return redirect(own)


def _around(
    draft: ProtocolDraft, protocol: ProtocolDocument, own: str, stage: int
) -> dict[str, object]:
    return {
        "title": draft.title or _("A new protocol"),
        "progress": {"done": 0, "total": None, "current": 1},
        "submit_url": f"{own}?step={stage}",
        "draft_url": "",
        "guideline_url": reverse("annotation:protocol_guideline", args=[draft.pk]),
        "pause_url": "",
        "editor_url": reverse("judging:protocol_draft", args=[draft.pk]),
        "back_url": "",
        "reenter_url": reverse("login"),
        "preview": True,
        "note": "",
        "token": "",
        "label": "",
        "who": "",
        "account": "",
        "sequence": 0,
    }


@draft_for_owner
@require_GET
def show_guideline(request: HttpRequest, draft: ProtocolDraft) -> HttpResponse:
    """Show the guideline as annotators will read it."""
    protocol = _readable(draft.text)
    if protocol is None:
        return redirect("judging:protocol_draft", draft.pk)
    back = reverse("annotation:protocol_preview", args=[draft.pk])
    context = {"title": protocol.title, "guideline": guideline_sections(protocol), "back_url": back}
    return render(request, "annotation/guideline.html", context)


@draft_for_owner
@require_POST
def pane(request: HttpRequest, draft: ProtocolDraft) -> HttpResponse:
    """Show the first question with its controls, from the form's current, unsaved state."""
    protocol = _readable(documents.write_yaml(read_protocol_form(request.POST, {})))
    context: dict[str, Any] = {"draft": draft, "steps": [], "page": None}
    if protocol is not None:
        stage = _stage(request.POST.get("step"), protocol)
        shown = _shown(protocol, stage)
        groups = tuple(
            replace(group, questions=group.questions[:ONLY]) for group in shown.groups[:ONLY]
        )
        context |= {"page": replace(shown, groups=groups), "stage": stage, "steps": protocol.stages}
    return render(request, "annotation/sample_pane.html", context)


def _stage(sent: str | None, protocol: ProtocolDocument) -> int:
    number = whole_number(sent or "", least=0) or 0
    return min(number, len(protocol.stages) - 1)


def _readable(text: str) -> ProtocolDocument | None:
    """Return the part of a draft that can be shown; None if no criterion has points yet."""
    try:
        return documents.parse(text, protocol_edits.FILE)
    except ProtocolError:
        protocol = protocol_edits.sketch(text)
    shown = protocol and _mended(protocol)
    return shown if shown and shown.criteria else None


def _mended(protocol: ProtocolDocument) -> ProtocolDocument:
    """Return a protocol without the parts that cannot be shown: rules, criteria without points, keys
    and stages that do not fit."""
    stages = tuple({stage.key: stage for stage in protocol.stages}.values())
    keys = {stage.key for stage in stages}
    found = [criterion for criterion in protocol.criteria if criterion.points]
    criteria = tuple(
        replace(
            each,
            key=f"c{n}",
            stage=each.stage if each.stage in keys else stages[0].key,
            points=tuple({point.value: point for point in each.points}.values()),
        )
        for n, each in enumerate(found)
    )
    return replace(protocol, stages=stages, criteria=criteria, rules=(), facts=(), translations={})


def _shown(protocol: ProtocolDocument, stage: int) -> ShownProtocol:
    writer = Writer(sample_task(protocol), State(stage=stage))
    writer.materials = {ONLY: source_texts.shown_source(_source(), writer.shows)}
    return writer.page("en")


def sample_task(protocol: ProtocolDocument) -> Sheet:
    """Return a task with our own sample text, formed as the protocol demands."""
    asks = Known(
        protocol, {criterion.key: number for number, criterion in enumerate(protocol.criteria)}
    )
    return sheets.arrange(asks, _lines(protocol), order=sheets.PREVIEW)


def _lines(protocol: ProtocolDocument) -> list[SheetLine]:
    """Return one set of as many questions as expected, or a few sets of one; if sets are judged,
    they have lines too."""
    of_sets = any(
        criterion.unit == "set" or criterion.asked == "once_per_set"
        for criterion in protocol.criteria
    )
    count, size = (
        (ONLY, min(protocol.expected, len(QUESTIONS))) if protocol.expected > 1 else (FEW, 1)
    )
    if protocol.task == "question_set":
        count = ONLY
    elif of_sets and protocol.task == "source":
        count, size = 2, FEW
    lines = []
    for number in range(count):
        lines += [_line(0, number, size)] if of_sets else []
        lines += [_line(slot, number, size) for slot in range(1, size + 1)]
    return lines


def _line(slot: int, number: int, size: int) -> SheetLine:
    """Return a question's line, or for slot 0 the line of the set as a whole."""
    text, answer, kind = (
        QUESTIONS[(number * size + slot - 1) % len(QUESTIONS)] if slot else (None, None, None)
    )
    return SheetLine(
        unit=number * 100 + slot,
        slot=slot or None,
        question_set=number,
        expected=size,
        source=ONLY,
        text=text,
        submitted_answer=answer,
        question_type=kind,
    )


@lru_cache(maxsize=1)
def _source() -> Source:
    return Source(
        passage=Passage(text=TEXT),
        answer=ANSWER,
        answer_start=TEXT.index(ANSWER),
        sentence=SENTENCE,
        sentence_start=TEXT.index(SENTENCE),
        target_type="who",
        modality="text",
    )
