"""Importing a file in five steps: the file, its columns, how that looks, a handful looked at, what
it is called."""

from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from judging import storage, tasks
from judging.actions import jobs
from judging.guards import creator_required, rubrics_of
from judging.imports.actions import (
    looks,
    new_collections,
    ratings,
    reading_plans,
    row_list_files,
    uploads,
)
from judging.imports.actions.reading_plans import Plan
from judging.imports.actions.uploads import WantedImport
from judging.imports.forms.files import CheckForm, DetailsForm, ReadingForm, UploadForm
from judging.imports.forms.mapping import ColumnMapping
from judging.imports.readers.likely_language import likely_language
from judging.imports.readers.numbers import whole_number
from judging.imports.readers.text import unstorable
from judging.imports.views.looks import found_in
from judging.imports.views.row_lists import page_in
from judging.imports.views.waiting import Waiting
from judging.limits import MAX_NAME_CHARACTERS
from judging.models import Collection, Rubric, Upload

STEPS = ("import", "import_columns", "import_preview", "import_check", "import_confirm")


@creator_required
@require_http_methods(["GET", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    """Take a file."""
    sent = (request.POST, request.FILES) if request.method == "POST" else ()
    form = UploadForm(*sent)
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        kept = uploads.keep(
            owner=request.user, name=file.name, file=storage.keep_pieces(file.chunks())
        )
        return redirect("judging:import_columns", kept.pk)
    context = {
        "form": form,
        "steps": _steps(0),
        "recent": request.user.uploads.defer("entered").order_by("-created_at")[:5],
    }
    return render(
        request, "judging/imports/upload.html", context, status=422 if form.errors else 200
    )


@creator_required
@require_http_methods(["GET", "POST"])
def columns(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask what each column holds."""
    upload = _own(request, pk)
    waiting = Waiting(upload)
    context = {"upload": upload, "steps": _steps(1, pk), "before": _before(upload)}
    initial = ReadingForm.initial_of(waiting.plan)
    context["otherwise"] = ReadingForm(initial=initial)
    head = waiting.head
    if head is None:
        found = _look(request, upload, looks.COLUMNS, reading_plans.without_columns(waiting.plan))
        if isinstance(found, HttpResponse):
            return found
        head = looks.head_in(found)
        if head is None:
            return render(request, "judging/imports/unreadable.html", context | found)
    data = request.POST if request.method == "POST" else None
    fitting = (
        None
        if waiting.has_plan
        else ratings.fitting(rubrics=rubrics_of(request.user), names=head.criteria, said=head.rated)
    )
    proposed = fitting.pk if fitting else waiting.rubric
    asked = ColumnMapping(
        data,
        user=request.user,
        head=head,
        plan=waiting.plan,
        rubric=proposed,
        page=request.GET.get("page", ""),
    )
    if data is not None and asked.is_valid():
        waiting.keep(head=head, plan=asked.new_plan(), rubric=asked.rubric_key())
        if asked.next_page:
            return redirect(f"{request.path}?page={asked.next_page.number}")
        return redirect("judging:import_preview", pk)
    otherwise = ReadingForm(initial=initial, sheets=head.sheets)
    context |= {
        "head": head,
        "formset": asked.columns,
        "form": asked.options,
        "asked": asked,
        "otherwise": otherwise,
    }
    return render(
        request, "judging/imports/columns.html", context, status=422 if asked.has_errors else 200
    )


@creator_required
@require_POST
def take_apart(request: HttpRequest, pk: int) -> HttpResponse:
    """Read the file in another way than the one that was found out; what was said of its columns
    goes."""
    upload = _own(request, pk)
    form = ReadingForm(request.POST)
    if form.is_valid():
        waiting = Waiting(upload)
        waiting.forget()
        waiting.keep(plan=form.plan())
    return redirect("judging:import_columns", pk)


@creator_required
@require_GET
def preview(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what would be stored, and ask about answers that stand more than once in their
    passage."""
    upload = _own(request, pk)
    waiting = Waiting(upload)
    if not waiting.has_plan:
        return redirect("judging:import_columns", pk)
    rubric = _rubric(request, waiting)
    found = _look(
        request, upload, looks.PREVIEW, waiting.plan, rubric=rubric.pk if rubric else None
    )
    if isinstance(found, HttpResponse):
        return found
    study = found["study"]
    waiting.keep(
        rows=study["rows_read"],
        ratings=found["ratings"],
        sources=study["sources"],
        unmarked=found["ask_count"],
        language=_language(found["samples"]),
    )
    context = {
        **found,
        "upload": upload,
        "steps": _steps(2, pk),
        "before": _before(upload),
        "has_chosen": reading_plans.has_starts(waiting.plan),
        "left_out": _left_out(waiting),
        "rating_metadata": waiting.plan.columns.rating_metadata if waiting.plan.columns else (),
    }
    return render(request, "judging/imports/preview.html", context)


def _language(samples: Iterable[dict[str, Any]]) -> str:
    """Return the language that sources and the questions about them are probably in."""
    passages = (piece for sample in samples for piece, _kind in sample["text"])
    questions = (each["text"] for sample in samples for each in sample["questions"])
    return likely_language(filter(None, [*passages, *questions]))  # a question may be missing


def _left_out(waiting: Waiting) -> list[str]:
    """Return the columns that nothing is made of."""
    if waiting.head is None or waiting.plan.columns is None:
        return []
    used = set(waiting.plan.columns.named())
    return [name for name in waiting.head.header if name not in used]


@creator_required
@require_GET
def rows(request: HttpRequest, pk: int) -> HttpResponse:
    """List all that the file holds with what is said of each row, page by page."""
    upload = _own(request, pk)
    waiting = Waiting(upload)
    if not waiting.has_plan:
        return redirect("judging:import_columns", pk)
    rubric = _rubric(request, waiting)
    asked = looks.of_upload(upload, waiting.plan, rubric=rubric.pk if rubric else None)
    found = found_in(request, kind=looks.PREVIEW, parameters=asked, with_row_list=True)
    if isinstance(found, HttpResponse):
        return found
    packed = row_list_files.content_in(found)
    if packed is None:  # deleted at this very moment
        return redirect("judging:import_preview", pk)
    context = {"upload": upload, "steps": _steps(2, pk), "before": _before(upload)}
    return page_in(request, "judging/imports/upload_rows.html", packed, context)


@creator_required
@require_POST
def starts(request: HttpRequest, pk: int) -> HttpResponse:
    """Keep where each answer stands that its passage holds more than once."""
    upload = _own(request, pk)
    waiting = Waiting(upload)
    chosen = {
        key.removeprefix("start:"): value
        for key, value in request.POST.items()
        if key.startswith("start:")
    }
    kept = {key: value for key, value in chosen.items() if value.isdecimal() and len(value) < 10}
    numbers = {key: int(value) for key, value in kept.items() if not unstorable(key)}
    others = "first" if request.POST.get("others") == "first" else "ask"
    plan = reading_plans.with_starts(waiting.plan, numbers, others=others)
    waiting.keep(plan=reading_plans.without_starts(plan) if "anew" in request.POST else plan)
    return redirect("judging:import_preview", pk)


@creator_required
@require_http_methods(["GET", "POST"])
def check(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a handful of sources by chance as annotators will see them, and ask whether they are
    right. Those that have some words can be looked at too."""
    upload = _own(request, pk)
    waiting = Waiting(upload)
    if waiting.rows is None:
        return redirect("judging:import_preview", pk)
    form = CheckForm(
        request.POST if request.method == "POST" else None, initial={"seed": _seed(request)}
    )
    if form.is_valid():
        looked = {"seed": form.cleaned_data["seed"], "sources": min(looks.SAMPLES, waiting.sources)}
        waiting.keep(
            checked={"by": request.user.username, "at": timezone.now().isoformat(), **looked}
        )
        return redirect("judging:import_confirm", pk)
    seed = (
        form.cleaned_data.get("seed", looks.FIRST_SEED) if form.is_bound else form.initial["seed"]
    )
    words = "" if form.is_bound else _words(request)
    found = _drawn(request, waiting, upload, seed, words)
    if isinstance(found, HttpResponse):
        return found
    context = {"upload": upload, "form": form, "steps": _steps(3, pk), "before": _before(upload)}
    context |= {**found, "next_seed": seed + 1, "words": words}
    return render(
        request, "judging/imports/check.html", context, status=422 if form.errors else 200
    )


def _seed(request: HttpRequest) -> int:
    asked = whole_number(request.GET.get("seed", ""), least=0)
    return looks.FIRST_SEED if asked is None else asked


def _words(request: HttpRequest) -> str:
    asked = request.GET.get("words", "").strip()[:MAX_NAME_CHARACTERS]
    return "" if unstorable(asked) else asked


def _drawn(
    request: HttpRequest, waiting: Waiting, upload: Upload, seed: int, words: str
) -> dict[str, Any] | HttpResponse:
    """Return some sources by chance; the preview has drawn the first of them already."""
    if words:
        return _look(request, upload, looks.HANDFUL, waiting.plan, seed=seed, words=words)
    if seed != looks.FIRST_SEED:
        return _look(request, upload, looks.HANDFUL, waiting.plan, seed=seed)
    rubric = _rubric(request, waiting)
    found = _look(
        request, upload, looks.PREVIEW, waiting.plan, rubric=rubric.pk if rubric else None
    )
    return found if isinstance(found, HttpResponse) else dict(found["handful"])


@creator_required
@require_http_methods(["GET", "POST"])
def confirm(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask what the collection is called, and have a job import the file."""
    upload = _own(request, pk)
    waiting = Waiting(upload)
    if waiting.rows is None:
        return redirect("judging:import_preview", pk)
    if not waiting.checked:
        messages.error(
            request, _("Look at a handful of sources and tick that they are right; then go on.")
        )
        return redirect("judging:import_check", pk)
    before = _before(upload)
    proposed = {"name": PurePath(upload.name).stem, "language": waiting.language}
    initial = proposed | waiting.details
    data = request.POST if request.method == "POST" else None
    form = DetailsForm(data, initial=initial, has_ratings=waiting.has_ratings, before=before)
    if data is not None and form.is_valid():
        waiting.keep(details=form.cleaned_data)
        rubric = _rubric(request, waiting)
        wanted = WantedImport(
            upload=upload,
            plan=waiting.plan,
            rubric=rubric,
            checked=waiting.checked,
            **form.cleaned_data,
        )
        job = tasks.begin(
            jobs.enqueue, kind="judging.import_study", parameters=wanted.for_job(), by=request.user
        )
        return redirect("judging:job", job.pk)
    context = {
        "upload": upload,
        "form": form,
        "steps": _steps(4, pk),
        "before": before,
        "rows": waiting.rows,
    }
    context |= {
        "worker_lives": jobs.worker_lives(),
        "unmarked": waiting.unmarked,
    }
    return render(
        request, "judging/imports/confirm.html", context, status=422 if form.errors else 200
    )


def _own(request: HttpRequest, pk: int) -> Upload:
    return get_object_or_404(Upload.objects.of(request.user), pk=pk)


def _look(
    request: HttpRequest, upload: Upload, kind: str, plan: Plan, **said: Any
) -> dict[str, Any] | HttpResponse:
    return found_in(request, kind=kind, parameters=looks.of_upload(upload, plan, **said))


def _before(upload: Upload) -> Collection | None:
    """Return what the same person imported from the same bytes before."""
    return new_collections.earlier(owner=upload.owner, sha256=upload.file.sha256)


def _rubric(request: HttpRequest, waiting: Waiting) -> Rubric | None:
    return rubrics_of(request.user).filter(pk=waiting.rubric).first()


def _steps(now: int, pk: int | None = None) -> list[tuple[str, str, str]]:
    titles = (_("File"), _("Columns"), _("Preview"), _("Check"), _("Import"))
    steps = []
    for place, (title, name) in enumerate(zip(titles, STEPS, strict=True)):
        url = reverse(f"judging:{name}", args=[pk] if place else []) if place < now else ""
        steps.append((title, url, "now" if place == now else "done" if place < now else "later"))
    return steps
