"""The files of a dataset: adding several at any time, previewing what they would add, taking them
back."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial, wraps
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from judging import storage, tasks
from judging.guards import (
    collection_for_owner,
    collection_for_readers,
    creator_required,
    how_to_decline,
    judges_now,
    not_for_who_judges,
    password_confirmed,
    rubrics_of,
    with_how_to_decline,
)
from judging.imports.actions import (
    adding,
    datasets,
    looks,
    own_scales,
    proposals,
    reading_plans,
    row_list_files,
    taking_back,
)
from judging.imports.actions.file_jobs import ADD, EXAMINE, FILE_JOBS, PREVIEW_ALL, TAKE_BACK
from judging.imports.forms.added_files import (
    AcceptForm,
    ChoicesForm,
    ConfirmNewForm,
    FilesForm,
    NewDatasetForm,
)
from judging.imports.forms.files import ReadingForm, SiblingsField
from judging.imports.forms.mapping import ColumnMapping
from judging.imports.readers.numbers import whole_number
from judging.imports.readers.text import unstorable
from judging.imports.views.looks import found_in
from judging.imports.views.row_lists import page_in
from judging.models import AddedFile, Collection, StoredFile
from judging.views import spreadsheets

FileView = Callable[..., HttpResponse]


def _file_of(view: FileView) -> FileView:
    """Pass a file of the dataset to the view, by the number in the address."""

    @wraps(view)
    def found(request: HttpRequest, collection: Collection, number: int) -> HttpResponse:
        added = collection.added_files.listed().filter(number=number).first()
        if added is None:
            raise Http404
        return view(request, added)

    return found


@creator_required
@require_http_methods(["GET", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Create a dataset with its first files."""
    form = NewDatasetForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    if request.method == "POST" and form.is_valid():
        entered = form.cleaned_data
        with transaction.atomic():
            collection = adding.start(
                name=entered["name"] or proposals.stem(entered["files"][0].name),
                by=request.user,
                licence=entered["licence"],
                language=entered["language"],
            )
            for reason in _upload(request, collection, entered["files"]):
                messages.warning(request, reason)
        return redirect(_next_page(collection))
    return render(
        request, "judging/imports/new.html", {"form": form}, status=422 if form.errors else 200
    )


def _next_page(collection: Collection) -> str:
    """Return the page of the next waiting file whose columns are not decided, else that of a single
    waiting file, else the list of files."""
    waiting = list(collection.added_files.waiting().listed())
    undecided = next((file for file in waiting if not file.plan), None)
    if undecided:
        return reverse("judging:file_columns", args=[collection.pk, undecided.number])
    if len(waiting) == 1:
        return reverse("judging:file", args=[collection.pk, waiting[0].number])
    return reverse("judging:files", args=[collection.pk])


@collection_for_readers
@require_GET
def files(request: HttpRequest, collection: Collection) -> HttpResponse:
    """List the files of a dataset: those added, with what each added, and those waiting."""
    listed = list(collection.added_files.listed())
    waiting = [each for each in listed if each.state == AddedFile.State.WAITING]
    ready = [each for each in waiting if each.plan]
    context = {
        "collection": collection,
        "files": listed,
        "ready": ready,
        "waiting": adding.in_batch_order(waiting),
        "are_previewed": adding.are_previewed(ready),
        "obstructed": [each for each in ready if each.examined.get("obstacles")],
        "mostly_new": _mostly_new(waiting),
        "surprising": [(added, adding.unaccepted(added)) for added in waiting],
        "has_surprises": any(map(adding.unaccepted, waiting)),
        "accept": AcceptForm(),
        "confirm": ConfirmNewForm(),
        "form": FilesForm(),
        "is_owner": _is_owner(request, collection),
        "working": collection.jobs.unfinished().filter(kind__in=FILE_JOBS).first(),
    }
    return render(request, "judging/imports/files.html", context)


@collection_for_owner
@require_POST
def upload(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Upload files; nothing of them is in the dataset yet."""
    form = FilesForm(request.POST, request.FILES)
    if not form.is_valid():
        for reasons in form.errors.values():
            messages.error(request, " ".join(map(str, reasons)))
        return redirect("judging:files", collection.pk)
    for reason in _upload(request, collection, form.cleaned_data["files"]):
        messages.warning(request, reason)
    return redirect(_next_page(collection))


def _upload(request: HttpRequest, collection: Collection, given: Sequence[Any]) -> list[str]:
    """Store files for a dataset; return why some were refused."""
    refused = []
    for each in given:
        kept = storage.keep_pieces(each.chunks())
        try:
            adding.upload(collection=collection, name=each.name, file=kept, by=request.user)
        except adding.AlreadyThere as there:
            refused.append(f"{each.name}: {there}")
    return refused


@collection_for_owner
@_file_of
@require_http_methods(["GET", "POST"])
def columns(request: HttpRequest, added: AddedFile) -> HttpResponse:
    """Ask for the role of each column of a file."""
    if added.state != AddedFile.State.WAITING:
        return redirect("judging:file", added.collection_id, added.number)
    plan = adding.plan_of(added)
    initial = ReadingForm.initial_of(plan)
    context = {
        "added": added,
        "collection": added.collection,
        "otherwise": ReadingForm(initial=initial),
    }
    found = found_in(
        request,
        kind=looks.COLUMNS,
        parameters=looks.parameters_of(added, by=request.user),
        collection=added.collection,
    )
    if isinstance(found, HttpResponse):
        return found
    head = looks.head_in(found)
    if head is None:
        return render(request, "judging/imports/file_unreadable.html", context | found)
    head = proposals.proposed(head, added=added)
    data = request.POST if request.method == "POST" else None
    mapping = partial(
        ColumnMapping,
        user=request.user,
        head=head,
        plan=plan,
        rubric=proposals.protocol_of(added, head, rubrics_of(request.user)),
        page=request.GET.get("page", ""),
    )
    asked = mapping(data)
    if data is not None and "own_scale" in data and (scales := asked.own_scales()):
        own = own_scales.create_protocol(scales=scales, by=request.user)
        data = data.copy()
        data["rubric"] = str(own.pk)
        asked = mapping(data)
    siblings = proposals.still_waiting(added, found["siblings"])
    SiblingsField.offer(asked.options, siblings)
    if data is not None and asked.is_valid():
        chosen = rubrics_of(request.user).filter(pk=asked.rubric_key()).first()
        adding.decide(added=added, plan=asked.new_plan(), rubric=chosen)
        if asked.next_page:
            return redirect(f"{request.path}?page={asked.next_page.number}")
        ticked = asked.options.cleaned_data.get("siblings", ())
        proposals.read_alike(added, [each for each in siblings if str(each.number) in ticked])
        waiting = list(added.collection.added_files.waiting().listed())
        if len(waiting) > 1 and all(each.plan for each in waiting):
            return _job(request, added.collection, PREVIEW_ALL, waiting)
        return redirect(_next_page(added.collection))
    otherwise = ReadingForm(initial=initial, sheets=head.sheets)
    context |= {
        "head": head,
        "formset": asked.columns,
        "form": asked.options,
        "asked": asked,
        "own_scales": asked.own_scales(),
        "otherwise": otherwise,
    }
    return render(
        request,
        "judging/imports/file_columns.html",
        context,
        status=422 if asked.has_errors else 200,
    )


@collection_for_owner
@_file_of
@require_POST
def take_apart(request: HttpRequest, added: AddedFile) -> HttpResponse:
    """Read a waiting file with other settings than the detected ones."""
    form = ReadingForm(request.POST)
    if form.is_valid():
        adding.decide(added=added, plan=form.plan())
    return redirect("judging:file_columns", added.collection_id, added.number)


@collection_for_readers
@_file_of
@require_GET
def file(request: HttpRequest, added: AddedFile) -> HttpResponse:
    """Show what a file would add, has added, or no longer contains since it was taken back."""
    is_owner = _is_owner(request, added.collection)
    # a file can be all of one system, so its rows and the number of matches reveal their system
    blind = judges_now(request.user, added.collection)
    if blind and added.state == AddedFile.State.WAITING:
        said = (
            "You judge this dataset in a campaign that has not ended. Until it is closed you do not see what a file "
            "would add: which of its rows match would show which system made a question."
        )
        raise PermissionDenied(with_how_to_decline(said, request.user, added.collection))
    if added.state == AddedFile.State.WAITING and is_owner:
        if not added.plan:
            return redirect("judging:file_columns", added.collection_id, added.number)
        if not added.is_examined:
            return _job(request, added.collection, EXAMINE, [added])
    context = {
        "added": added,
        "collection": added.collection,
        "found": added.examined,
        "is_owner": is_owner,
    }
    context["tiers"] = [] if added.examined.get("alone") else _tiers(added.examined)
    context |= {"groups": _groups(added.examined), "is_blind": blind, "confirm": ConfirmNewForm()}
    context |= {"preview": added.examined.get(adding.PREVIEW, {}), "accept": AcceptForm()}
    context["surprises"] = adding.unaccepted(added)
    if blind:
        context["decline"] = how_to_decline(request.user, added.collection)
    context["expected"] = added.examined.get("expected", {})
    context["before"] = datasets.earlier(owner=request.user, sha256=added.file.sha256)
    context["has_chosen_starts"] = reading_plans.has_starts(adding.plan_of(added))
    if added.state == AddedFile.State.WAITING:
        others = _siblings(added) if is_owner else []
        context |= {"form": _choices_form(added, None, others), "siblings": others}
    elif added.state == AddedFile.State.ADDED:
        context["rests"] = taking_back.rests_on(added)
    return render(request, "judging/imports/file.html", context)


@collection_for_readers
@not_for_who_judges
@_file_of
@require_GET
def rows(request: HttpRequest, added: AddedFile) -> HttpResponse:
    """List the rows of a waiting file with their findings, page by page."""
    packed = row_list_files.content_in(added.examined)
    if packed is None:  # not previewed yet, or the preview's list was deleted after a day
        if added.state == AddedFile.State.WAITING and _is_owner(request, added.collection):
            adding.look_again(added)
        return redirect("judging:file", added.collection_id, added.number)
    context = {"added": added, "collection": added.collection}
    return page_in(request, "judging/imports/file_rows.html", packed, context)


def _choices_form(added: AddedFile, data: Any, others: Sequence[AddedFile]) -> ChoicesForm:
    choices = adding.choices_of(added)
    initial = ChoicesForm.initial_of(choices, added.examined)
    similar = added.examined.get("examples", {}).get("similar", ())
    form = ChoicesForm(
        data,
        initial=initial,
        systems=added.examined.get("systems", ()),
        similar=list(dict.fromkeys([*choices.declined, *(row["what"] for row in similar)])),
    )
    SiblingsField.offer(form, others)
    return form


GROUPS = ("unmatched", "ambiguous", "similar", "conflicting")
TIER_TITLES = {
    "id": gettext_lazy("Id"),
    "parts": gettext_lazy("Passage, answer and question"),
    "passage": gettext_lazy("Question within the same passage or sentence"),
    "question": gettext_lazy("Question text alone"),
    "normalized": gettext_lazy(
        "The same without case, whitespace, quotation marks and final punctuation"
    ),
    "similar": gettext_lazy("Similar text (85% or more, one clear candidate)"),
    "none": gettext_lazy("No match"),
}


def _tiers(examined: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the tiers of matching, each with the rows that it found and their share."""
    counts = examined.get("tiers", {})
    total = sum(counts.values())
    return [
        {"title": title, "count": counts[tier], "share": f"{counts[tier] / total:.0%}"}
        for tier, title in TIER_TITLES.items()
        if counts.get(tier)
    ]


def _groups(examined: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the kinds of rows that need a decision, each with its count and examples."""
    titles = {
        "unmatched": (_("Rows without a match"), _("They are excluded.")),
        "ambiguous": (_("Rows that match several questions"), _("They are excluded.")),
        "similar": (
            _("Rows matched by similar text"),
            _("They are matched. Decline those that are not the same question below."),
        ),
        "conflicting": (
            _("Rows that contradict the dataset"),
            _("The dataset keeps what it has."),
        ),
    }
    counts, examples = examined.get("counts", {}), examined.get("examples", {})
    return [
        {
            "kind": kind,
            "title": titles[kind][0],
            "done": titles[kind][1],
            "count": counts[kind],
            "rows": examples[kind],
        }
        for kind in GROUPS
        if counts.get(kind)
    ]


@collection_for_owner
@_file_of
@require_POST
def choices(request: HttpRequest, added: AddedFile) -> HttpResponse:
    """Store how a file is matched."""
    others = _siblings(added)
    form = _choices_form(added, request.POST, others)
    if added.state == AddedFile.State.WAITING and form.is_valid():
        chosen = form.choices()
        adding.decide(added=added, choices=chosen)
        ticked = form.cleaned_data.get("siblings", ())
        for other in others:
            if str(other.number) in ticked:
                adding.decide(added=other, choices=replace(chosen, unmatched=""))
    else:
        messages.error(request, _("This could not be understood; nothing was changed."))
    return redirect("judging:file", added.collection_id, added.number)


@collection_for_owner
@_file_of
@require_POST
def starts(request: HttpRequest, added: AddedFile) -> HttpResponse:
    """Store which occurrence is meant of answers that occur more than once in their passage."""
    chosen = {
        key.removeprefix("start:"): value
        for key, value in request.POST.items()
        if key.startswith("start:")
    }
    numbers = {
        key: start
        for key, value in chosen.items()
        if (start := whole_number(value, least=0)) is not None and not unstorable(key)
    }
    others = "first" if request.POST.get("others") == "first" else "ask"
    if added.state == AddedFile.State.WAITING:
        plan = reading_plans.with_starts(adding.plan_of(added), numbers, others=others)
        if "again" in request.POST:
            plan = reading_plans.without_starts(plan)
        adding.decide(added=added, plan=plan, rubric=added.rubric)
    return redirect("judging:file", added.collection_id, added.number)


@collection_for_owner
@_file_of
@require_POST
def add(request: HttpRequest, added: AddedFile) -> HttpResponse:
    """Have a job add a file to its dataset."""
    if adding.unaccepted(added) and added.state == AddedFile.State.WAITING:
        if not AcceptForm(request.POST).is_valid():
            messages.error(request, _("Check the columns, and tick that you want to add the file."))
            return redirect("judging:file", added.collection_id, added.number)
        adding.accept_preview(added=added)
    return _add(request, added.collection, [added] if added.plan else [])


@collection_for_owner
@require_POST
def preview_all(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Have a job preview all waiting files together."""
    ready = [each for each in collection.added_files.waiting().listed() if each.plan]
    if not ready:
        return redirect("judging:files", collection.pk)
    return _job(request, collection, PREVIEW_ALL, ready)


@collection_for_owner
@require_POST
def add_all(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Add all waiting files whose columns are decided."""
    ready = [each for each in collection.added_files.waiting().listed() if each.plan]
    if surprising := [added for added in ready if adding.unaccepted(added)]:
        if not AcceptForm(request.POST).is_valid():
            messages.error(
                request, _("Check the columns, and tick that you want to add the files.")
            )
            return redirect("judging:files", collection.pk)
        for added in surprising:
            adding.accept_preview(added=added)
    return _add(request, collection, ready)


def _add(request: HttpRequest, collection: Collection, ready: Sequence[AddedFile]) -> HttpResponse:
    if not ready:
        return redirect("judging:files", collection.pk)
    if new := _mostly_new(ready):
        if not ConfirmNewForm(request.POST).is_valid():
            messages.error(
                request, _("Most of what would be added is new. Tick that you want to add it.")
            )
            return _back(collection, ready)
        adding.confirm_new(files=new)
    return _job(request, collection, ADD, ready)


def _mostly_new(files: Iterable[AddedFile]) -> list[AddedFile]:
    """Return the files of which a preview found that most is new to their dataset."""
    return [each for each in files if each.plan and each.examined.get(adding.MOSTLY_NEW)]


def _back(collection: Collection, ready: Sequence[AddedFile]) -> HttpResponse:
    """Return to the page of the file that was to be added, or to the list if there are several."""
    if len(ready) == 1:
        return redirect("judging:file", collection.pk, ready[0].number)
    return redirect("judging:files", collection.pk)


@collection_for_owner
@_file_of
@require_POST
@password_confirmed
def take_back(request: HttpRequest, added: AddedFile) -> HttpResponse:
    """Take a file back: a small one now, a large one by a job."""
    if taking_back.is_slow(added):
        return _job(request, added.collection, TAKE_BACK, [added])
    try:
        taking_back.take_back(added=added, by=request.user, now=timezone.now())
    except taking_back.Rests as refused:
        for reason in refused.reasons:
            messages.error(request, reason)
        return redirect("judging:file", added.collection_id, added.number)
    messages.success(request, _("“%(name)s” is taken back.") % {"name": added.name})
    return redirect("judging:files", added.collection_id)


@collection_for_owner
@_file_of
@require_POST
def discard(request: HttpRequest, added: AddedFile) -> HttpResponse:
    """Delete a waiting file."""
    adding.discard(added=added)
    return redirect("judging:files", added.collection_id)


@collection_for_readers
@not_for_who_judges
@_file_of
@require_GET
def examples(request: HttpRequest, added: AddedFile) -> StreamingHttpResponse:
    """Return the rows that need a decision as CSV."""
    found = added.examined.get("examples", {})
    rows = (
        (kind, row["row"], row["what"], row["reason"])
        for kind, rows in found.items()
        for row in rows
    )
    csv: Iterable[str | bytes] = spreadsheets.lines(["kind", "row", "what", "reason"], rows)
    kept = StoredFile.objects.defer("content").filter(sha256=added.examined.get(adding.ROWS_FILE))
    if whole := kept.first():
        csv = storage.pieces_of(whole)
    response = StreamingHttpResponse(csv, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="file-{added.number}-rows.csv"'
    return response


@collection_for_owner
@_file_of
@require_POST
@password_confirmed
def ids(request: HttpRequest, added: AddedFile) -> HttpResponse:
    """Return, only once, the ids of external annotators behind the labels of a file, as CSV."""
    try:
        found = adding.hand_out_keys(added=added, by=request.user, now=timezone.now())
    except adding.KeysAreGone as gone:
        messages.error(request, str(gone))
        return redirect("judging:file", added.collection_id, added.number)
    csv = "".join(spreadsheets.lines(["label", "id"], sorted(found.items())))
    response = HttpResponse(csv, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="file-{added.number}-ids.csv"'
    response["Cache-Control"] = "no-store"
    return response


def _job(
    request: HttpRequest, collection: Collection, kind: str, wanted: Sequence[AddedFile]
) -> HttpResponse:
    """Start a job of this kind on the files, and return its page."""
    files = [each.pk for each in wanted]
    job = tasks.begin_once(kind=kind, by=request.user, collection=collection, files=files)
    return redirect("judging:job", job.pk)


def _siblings(added: AddedFile) -> list[AddedFile]:
    """Return the waiting files with the same columns, as this file's last preview found them."""
    return proposals.still_waiting(added, added.examined.get("siblings", ()))


def _is_owner(request: HttpRequest, collection: Collection) -> bool:
    return bool(request.user.can_create_campaigns and collection.owner_id == request.user.pk)
