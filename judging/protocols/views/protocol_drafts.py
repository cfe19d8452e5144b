"""Writing a protocol, as a form or as YAML, in any state of completeness, until it is finished as a
version."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from judging.base.limits import MAX_PAGE_ROWS
from judging.base.texts import whole_number
from judging.protocols import documents, protocol_edits
from judging.protocols.actions import protocol_drafts
from judging.protocols.actions.protocol_drafts import ChangedElsewhere, NotText
from judging.protocols.forms import protocol_sections as sections
from judging.protocols.forms.protocols import (
    Editor,
    TextForm,
    read_protocol_form,
    without_made_keys,
)
from judging.protocols.guards import draft_for_owner
from judging.protocols.models.protocol import ProtocolDraft
from judging.protocols.protocol_edits import NoSuchPlace, Tree
from judging.protocols.protocol_yaml import ProtocolError, ProtocolProblem
from judging.protocols.views.protocols import yaml_file

MOVES = {"up": -1, "down": 1}


@draft_for_owner
@require_http_methods(["GET", "POST"])
def edit_protocol_draft(request: HttpRequest, draft: ProtocolDraft) -> HttpResponse:
    """Write a protocol as a form; each button of a row saves the form and changes the row."""
    if request.method == "POST":
        return _sent(request, draft)
    try:
        plain = protocol_edits.tree(draft.text)
    except ProtocolError:
        messages.warning(
            request,
            _("This cannot be read as YAML yet, so it cannot be shown as a form. Mend it here."),
        )
        return redirect("judging:protocol_draft_yaml", draft.pk)
    return _page(request, draft, plain, check="check" in request.GET)


def _sent(request: HttpRequest, draft: ProtocolDraft) -> HttpResponse:
    before, plain = draft.text, read_protocol_form(request.POST, _base(draft))
    act, _space, what = request.POST.get("act", "save").partition(" ")
    check = act in ("save", "finish") or "check" in request.POST
    try:
        focus = _change(plain, act, what, request)
        protocol_drafts.save_protocol_draft(
            draft=draft,
            text=documents.write_yaml(plain),
            revision=_revision(request),
            now=timezone.now(),
        )
    except NoSuchPlace:
        return _page(request, draft, plain, check=check, refused=_("That row is no longer there."))
    except NotText as refused:
        return _page(request, draft, plain, check=check, refused=str(refused))
    except ChangedElsewhere:
        draft.refresh_from_db()
        return _page(request, draft, plain, check=check, refused=_elsewhere(), status=409)
    _tell_stale(request, before, draft.text)
    return _after(request, draft, plain, act=act, focus=focus, check=check)


def _after(
    request: HttpRequest, draft: ProtocolDraft, plain: Tree, *, act: str, focus: str, check: bool
) -> HttpResponse:
    if act == "finish":
        return _finished(request, draft, plain) or _page(
            request, draft, plain, check=True, status=422
        )
    if act == "preview":
        return redirect("annotation:protocol_preview", draft.pk)
    if request.htmx:
        return _page(request, draft, plain, check=check, focus=focus)
    if act == "save":
        messages.success(request, _("Saved."))
    anchor = f"#at-{focus}" if focus else ""
    return redirect(
        reverse("judging:protocol_draft", args=[draft.pk]) + ("?check" if check else "") + anchor
    )


def _change(plain: Tree, act: str, what: str, request: HttpRequest) -> str:
    """Change rows according to a button, and return the place to go to."""
    if act == "add":
        return protocol_edits.add_tree_row(plain, what, request.POST.get(f"new_{what}", ""))
    if act == "remove":
        protocol_edits.remove_tree_row(plain, what)
    if act in MOVES:
        return protocol_edits.move_tree_row(plain, what, MOVES[act])
    if act == "prune":
        protocol_edits.prune(plain)
    return ""


def _page(
    request: HttpRequest,
    draft: ProtocolDraft,
    plain: Tree,
    *,
    check: bool,
    focus: str = "",
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    text = documents.write_yaml(plain)
    problems, warnings = documents.check(text, protocol_edits.FILE)
    problems = without_made_keys(problems)
    editor = Editor(plain)
    if check:
        editor.tell(problems)
    context = _context(draft, problems, warnings) | {
        "editor": editor,
        "check": check,
        "focus": focus,
        "refused": refused,
        "orphans": any("no such text to translate" in problem.reason for problem in problems),
        "new_rules": sections.RULES,
        "new_facts": sections.FACTS,
    }
    template = "judging/protocols/editor.html" if request.htmx else "judging/protocols/draft.html"
    return render(
        request, template, context, status=status if status != 200 else 422 if refused else 200
    )


def _context(
    draft: ProtocolDraft, problems: Any, warnings: tuple[tuple[str, str], ...]
) -> dict[str, Any]:
    return {
        "draft": draft,
        "problems": problems[:MAX_PAGE_ROWS],
        "problem_count": len(problems),
        "warnings": warnings,
    }


def _finished(
    request: HttpRequest, draft: ProtocolDraft, form: Tree | None = None
) -> HttpResponse | None:
    """Create a version, or return None if problems have to be shown; a form names its fields."""
    try:
        protocol = protocol_drafts.finish_protocol_draft(draft=draft)
    except ProtocolError as refused:
        problem = _first_problem(refused.problems, form)
        messages.error(request, _("Not finished yet. %(problem)s") % {"problem": problem})
        return None
    messages.success(
        request,
        _("Version %(version)s is finished and will never change. Now plan a campaign with it.")
        % {"version": protocol.version},
    )
    return redirect("judging:protocol", protocol.pk)


def _first_problem(problems: Sequence[ProtocolProblem], form: Tree | None) -> str:
    if form is not None:
        editor = Editor(form)
        editor.tell(without_made_keys(problems))
        _anchor, name, reason = editor.told[0]
        return f"{name}: {reason}"
    first = problems[0]
    return f"{first.key}: {first.reason}" if first.key else first.reason


def _tell_stale(request: HttpRequest, before: str, after: str) -> None:
    """Warn of translations whose original text has changed."""
    if places := protocol_edits.stale(before, after):
        said = _(
            "You changed texts whose translations are as they were: %(places)s. Change them in the YAML."
        )
        messages.warning(request, said % {"places": ", ".join(places)})


def _elsewhere() -> str:
    return _(
        "Not saved: this draft was meanwhile saved from another tab or device. Your text is still here; "
        "saving again replaces what was saved there."
    )


def _revision(request: HttpRequest) -> int:
    return whole_number(request.POST.get("revision", ""), least=0) or 0


def _base(draft: ProtocolDraft) -> Tree:
    try:
        return protocol_edits.tree(draft.text)
    except ProtocolError:
        return {}


@draft_for_owner
@require_http_methods(["GET", "POST"])
def text(request: HttpRequest, draft: ProtocolDraft) -> HttpResponse:
    """Write a protocol as YAML; the text is stored unchanged, and its problems are listed by
    line."""
    if request.method == "GET":
        return _text_page(request, draft, TextForm(initial={"text": draft.text}), draft.text)
    form = TextForm(request.POST, request.FILES)
    if not form.is_valid():
        return _text_page(request, draft, form, draft.text, status=422)
    before, sent = draft.text, form.cleaned_data["text"]
    try:
        protocol_drafts.save_protocol_draft(
            draft=draft, text=sent, revision=_revision(request), now=timezone.now()
        )
    except NotText as refused:
        form.add_error("file" if request.FILES else "text", str(refused))
        return _text_page(request, draft, form, draft.text, status=422)
    except ChangedElsewhere:
        draft.refresh_from_db()
        form = TextForm(initial={"text": sent})
        return _text_page(request, draft, form, sent, refused=_elsewhere(), status=409)
    _tell_stale(request, before, draft.text)
    if request.POST.get("act") == "finish":
        kept = TextForm(initial={"text": draft.text})
        return _finished(request, draft) or _text_page(request, draft, kept, draft.text, status=422)
    messages.success(request, _("Saved."))
    return redirect("judging:protocol_draft_yaml", draft.pk)


def _text_page(
    request: HttpRequest,
    draft: ProtocolDraft,
    form: TextForm,
    text: str,
    *,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    problems, warnings = documents.check(text, protocol_edits.FILE)
    context = _context(draft, problems, warnings) | {"form": form, "refused": refused}
    return render(request, "judging/protocols/text.html", context, status=status)


@draft_for_owner
@require_GET
def download_protocol_draft(request: HttpRequest, draft: ProtocolDraft) -> HttpResponse:
    """Return a draft unchanged, as a file."""
    return yaml_file(draft.text, f"draft-{draft.pk}.yaml")


@draft_for_owner
@require_POST
def discard_protocol_draft_view(request: HttpRequest, draft: ProtocolDraft) -> HttpResponse:
    """Delete a draft."""
    protocol_drafts.discard_protocol_draft(draft=draft)
    messages.success(request, _("The draft is gone. Finished versions stay."))
    return redirect("judging:protocols")
