"""The pages of a dataset's files: uploading, one screen to read and add a file, rows, taking back,
and the names of systems."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from judging.base.texts import whole_number
from judging.base.views import spreadsheets
from judging.base.views.refusals import refusals_shown
from judging.campaigns.guards import (
    how_to_decline,
    judges_now,
    not_for_who_judges,
    with_how_to_decline,
)
from judging.datasets.guards import dataset_for_owner, dataset_for_readers
from judging.datasets.models.added_file import AddedFile
from judging.datasets.models.dataset import Dataset
from judging.formats.mapping import Mapping as FileMapping
from judging.formats.mapping import mapping_from
from judging.imports.actions import files, fit, names, preview, take_back
from judging.imports.forms.mapping import (
    AcceptForm,
    BulkNamesForm,
    ChoicesForm,
    FilesForm,
    MappingForm,
    NewDatasetForm,
    RowsForm,
    SystemsForm,
)
from judging.jobs import storage, tasks
from judging.jobs.actions import jobs
from judging.people.guards import creator_required, password_confirmed
from judging.protocols.guards import protocols_of
from judging.protocols.models.protocol import Protocol

FileView = Callable[..., HttpResponse]
ROWS_ON_PAGE = 100
MAX_NAMED = 200  # systems whose names a page offers to change
TIER_TITLES = {
    "id": gettext_lazy("Id"),
    "parts": gettext_lazy("Passage, answer and question"),
    "passage": gettext_lazy("Question within the same passage or sentence"),
    "letter": gettext_lazy("Question of the letter’s system"),
    "question": gettext_lazy("Question text alone"),
    "normalized": gettext_lazy(
        "The same without case, whitespace, quotation marks and final punctuation"
    ),
    "similar": gettext_lazy("Similar text (85% or more, one clear candidate)"),
    "none": gettext_lazy("No match"),
}
GROUPS = {
    "unmatched": (gettext_lazy("Rows without a match"), gettext_lazy("They are excluded.")),
    "ambiguous": (
        gettext_lazy("Rows that match several questions"),
        gettext_lazy("They are excluded."),
    ),
    "similar": (
        gettext_lazy("Rows matched by similar text"),
        gettext_lazy("They are matched. Decline those that are not the same question below."),
    ),
    "conflicting": (
        gettext_lazy("Rows that contradict the dataset"),
        gettext_lazy("The dataset keeps what it has."),
    ),
}


def _file_of(view: FileView) -> FileView:
    """Pass a file of the dataset to the view, by the number in the address."""

    @wraps(view)
    def found(request: HttpRequest, dataset: Dataset, number: int) -> HttpResponse:
        added = dataset.added_files.listed().filter(number=number).first()
        if added is None:
            raise Http404
        return view(request, added)

    return found


def _waiting(view: FileView) -> FileView:
    """Lead back to the page of a file that was added or taken back meanwhile."""

    @wraps(view)
    def found(request: HttpRequest, added: AddedFile) -> HttpResponse:
        return view(request, added) if added.state == AddedFile.State.WAITING else _page_of(added)

    return found


def _page_of(added: AddedFile) -> HttpResponse:
    return redirect("judging:file", added.dataset_id, added.number)


# -- datasets and their list of files -------------------------------------------------------------


@creator_required
@require_http_methods(["GET", "POST"])
def create_dataset_view(request: HttpRequest) -> HttpResponse:
    """Create a dataset with its first files."""
    form = NewDatasetForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    if request.method == "POST" and form.is_valid():
        entered = form.cleaned_data
        with transaction.atomic():
            dataset = files.create_dataset(
                name=entered["name"] or preview.stem(entered["files"][0].name),
                by=request.user,
                licence=entered["licence"],
                language=entered["language"],
            )
            _upload(request, dataset, entered["files"])
        return _after_upload(request, dataset)
    status = 422 if form.errors else 200
    return render(request, "judging/imports/new.html", {"form": form}, status=status)


def _upload(request: HttpRequest, dataset: Dataset, given: Sequence[Any]) -> None:
    """Store files for a dataset; say why some were refused."""
    for each in given:
        kept = storage.keep_pieces(each.chunks())
        try:
            files.upload_file(dataset=dataset, name=each.name, file=kept, by=request.user)
        except files.AlreadyThere as there:
            messages.warning(request, f"{each.name}: {there}")


def _after_upload(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    """Lead to the page of the only waiting file; have a job read several, which shows those that
    read alike."""
    waiting = list(dataset.added_files.waiting().listed())
    if len(waiting) == 1:
        return _page_of(waiting[0])
    if any(not files.is_read(each) for each in waiting):
        return _job(request, dataset, files.PREVIEW_ALL, waiting)
    return redirect("judging:files", dataset.pk)


@dataset_for_readers
@require_GET
def list_files(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    """List the files of a dataset: those added, with what each added, and those waiting."""
    listed = list(dataset.added_files.listed())
    waiting = _in_order([each for each in listed if each.state == AddedFile.State.WAITING])
    unaccepted = {each: files.unaccepted_surprises(each) for each in waiting}
    obstacles = {each: _obstacles(each) for each in waiting}
    context = {
        "dataset": dataset,
        "files": listed,
        "waiting": [(each, obstacles[each], unaccepted[each]) for each in waiting],
        "are_previewed": files.are_previewed(waiting),
        "has_obstacles": any(obstacles.values()),
        "has_surprises": any(unaccepted.values()),
        "mostly_new": [each for each in waiting if each.examined.get(files.MOSTLY_NEW)],
        "accept": AcceptForm(),
        "form": FilesForm(),
        "is_owner": _is_owner(request, dataset),
        "working": dataset.jobs.unfinished().filter(kind__in=jobs.FILE_JOBS).first(),
    }
    return render(request, "judging/imports/files.html", context)


def _in_order(waiting: Sequence[AddedFile]) -> list[AddedFile]:
    """Return waiting files in the order in which they were previewed together, else as they are."""
    if not files.are_previewed(waiting):
        return list(waiting)
    return sorted(waiting, key=lambda each: each.examined[files.TOGETHER].index(each.pk))


def _obstacles(added: AddedFile) -> list[str]:
    matched = added.examined.get(files.MATCHED, {})
    found = preview.obstacles_of(added) if files.is_read(added) else []
    return [*found, *matched.get("obstacles", ())]


@dataset_for_owner
@require_POST
def upload_files(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    """Upload files; nothing of them is in the dataset yet."""
    form = FilesForm(request.POST, request.FILES)
    if not form.is_valid():
        for reasons in form.errors.values():
            messages.error(request, " ".join(map(str, reasons)))
        return redirect("judging:files", dataset.pk)
    _upload(request, dataset, form.cleaned_data["files"])
    return _after_upload(request, dataset)


@dataset_for_owner
@require_POST
def preview_all(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    """Have a job preview all waiting files together."""
    waiting = list(dataset.added_files.waiting().listed())
    if not waiting:
        return redirect("judging:files", dataset.pk)
    return _job(request, dataset, files.PREVIEW_ALL, waiting)


@dataset_for_owner
@require_POST
def add_files_view(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    """Add all waiting files."""
    return _add(request, dataset, list(dataset.added_files.waiting().listed()))


def _add(request: HttpRequest, dataset: Dataset, waiting: Sequence[AddedFile]) -> HttpResponse:
    """Have a job add files, after what they need was accepted."""
    back = reverse("judging:files", args=[dataset.pk])
    if len(waiting) == 1:
        back = reverse("judging:file", args=[dataset.pk, waiting[0].number])
    said = AcceptForm(request.POST)
    said.full_clean()
    surprising = [each for each in waiting if files.unaccepted_surprises(each)]
    mostly_new = [each for each in waiting if each.examined.get(files.MOSTLY_NEW)]
    if surprising and not said.cleaned_data["accepted"]:
        messages.error(request, _("Check what is marked, and tick that it is right."))
        return redirect(back)
    if mostly_new and not said.cleaned_data["confirmed"]:
        messages.error(
            request, _("Most of what would be added is new. Tick that you want to add it.")
        )
        return redirect(back)
    for each in surprising:
        files.accept(added=each)
    files.confirm_new(files=mostly_new)
    return _job(request, dataset, files.ADD, waiting) if waiting else redirect(back)


# -- one file -------------------------------------------------------------------------------------


@dataset_for_readers
@_file_of
@require_GET
def file(request: HttpRequest, added: AddedFile) -> HttpResponse:
    """Show what a file holds and would add, has added, or no longer contains since it was taken
    back."""
    blind = judges_now(request.user, added.dataset)
    if added.state != AddedFile.State.WAITING:
        return render(request, "judging/imports/file.html", _about_added(request, added, blind))
    # a file can be all of one system, so its rows and the number of matches reveal their system
    if blind:
        said = (
            "You judge this dataset in a campaign that has not ended. Until it is closed you do not see what a file "
            "would add: which of its rows match would show which system made a question."
        )
        raise PermissionDenied(with_how_to_decline(said, request.user, added.dataset))
    if _is_owner(request, added.dataset):
        if not files.is_read(added):
            if added.file.size > preview.INLINE:
                return _job(request, added.dataset, files.EXAMINE, [added])
            files.read_again(added=added, protocols=protocols_of(request.user))
        is_open = not preview.obstacles_of(added) and not files.is_matched(added)
        if is_open and added.dataset.sources.exists():
            return _job(request, added.dataset, files.EXAMINE, [added])
    form = _mapping_form(request, added, None)
    return render(request, "judging/imports/file.html", _about_waiting(request, added, form))


def _about_added(request: HttpRequest, added: AddedFile, blind: bool) -> dict[str, Any]:
    matched = added.examined.get(files.MATCHED, {})
    return {
        "added": added,
        "dataset": added.dataset,
        "is_owner": _is_owner(request, added.dataset),
        "is_blind": blind,
        "decline": how_to_decline(request.user, added.dataset) if blind else None,
        "found": matched,
        "tiers": _tiers(matched),
        "groups": _groups(matched),
        "rests": take_back.rests_on(added) if added.state == AddedFile.State.ADDED else [],
    }


def _about_waiting(request: HttpRequest, added: AddedFile, form: MappingForm) -> dict[str, Any]:
    """Return what the one screen of a waiting file shows."""
    is_alone = not added.dataset.sources.exists()
    mapping = preview.mapping_of(added)
    return {
        "added": added,
        "dataset": added.dataset,
        "is_owner": _is_owner(request, added.dataset),
        "form": form,
        "accept": AcceptForm(),
        "obstacles": _obstacles(added),
        "surprises": files.unaccepted_surprises(added),
        "before": files.earlier_dataset(owner=request.user, sha256=added.file.sha256),
        "has_starts": bool(mapping.starts or mapping.first_start),
        "is_alone": is_alone,
        "choices": _choices_form(added, None, [] if is_alone else files.siblings(added)),
        **_read_so_far(added),
        **_rated_so_far(added, mapping),
        **_matched_so_far(added, is_alone=is_alone),
    }


def _read_so_far(added: AddedFile) -> dict[str, Any]:
    """Return what the file holds under its mapping."""
    look = added.examined.get(preview.LOOK, {})
    study = look.get("study") or {}
    findings = study.get("findings", ())
    told = [said for step, said in look.get("sentences", ()) if step not in preview.STEPS_ASKED]
    return {
        "look": look,
        "study": study,
        "told": told,
        "notes": [finding for finding in findings if not finding["needs_yes"]],
        "fixes": [(place, each) for place, each in enumerate(findings) if each["fix"]],
    }


def _rated_so_far(added: AddedFile, mapping: FileMapping) -> dict[str, Any]:
    """Return the ratings of the file beside the protocol's scale, and the file's own scale if the
    ratings are off it."""
    rated = preview.rated_in(added)
    fits = added.protocol and fit.are_on_scale(added.protocol, rated)
    return {
        "beside": fit.compare_with_scales(added.protocol, rated, mapping.points),
        "own_scales": [] if fits else fit.own_scales(rated),
    }


def _matched_so_far(added: AddedFile, *, is_alone: bool) -> dict[str, Any]:
    """Return what matching found; nothing is matched with a dataset that has no source."""
    matched = added.examined.get(files.MATCHED, {})
    return {
        "found": matched,
        "expected": matched.get("expected", {}),
        "mostly_new": added.examined.get(files.MOSTLY_NEW, ""),
        "tiers": [] if is_alone else _tiers(matched),
        "groups": _groups(matched),
    }


def _mapping_form(request: HttpRequest, added: AddedFile, data: Any) -> MappingForm:
    return MappingForm(
        data,
        user=request.user,
        look=added.examined.get(preview.LOOK, {}),
        mapping=preview.mapping_of(added),
        protocol=added.protocol,
        words=preview.words_in(added),
        others=files.siblings(added),
    )


@dataset_for_owner
@_file_of
@require_POST
@_waiting
def mapping(request: HttpRequest, added: AddedFile) -> HttpResponse:
    """Read a file under the mapping that was sent, and add it if that was asked for."""
    form = _mapping_form(request, added, request.POST)
    if not form.is_valid():
        context = _about_waiting(request, added, form)
        return render(request, "judging/imports/file.html", context, status=422)
    is_changed = _decide(request, added, form)
    if "add" not in request.POST:
        return _page_of(added)
    if is_changed and (files.unaccepted_surprises(added) or _obstacles(added)):
        messages.warning(
            request, _("What you changed has other results. Check them, then add the file.")
        )
        return _page_of(added)
    if _obstacles(added):
        return _page_of(added)
    return _add(request, added.dataset, [added])


def _decide(request: HttpRequest, added: AddedFile, form: MappingForm) -> bool:
    """Read a file, and those that were ticked with it, under the mapping that was sent; return
    whether that is another one than before."""
    chosen, protocol = _chosen(request, added, form)
    if chosen == preview.mapping_of(added) and protocol == added.protocol:
        return False
    _read(request, added, chosen, protocol)
    ticked = set(form.cleaned_data.get("siblings", ()))
    others = [sibling for sibling in files.siblings(added) if str(sibling.number) in ticked]
    files.read_alike(added=added, others=others, protocols=protocols_of(request.user))
    return True


def _chosen(
    request: HttpRequest, added: AddedFile, form: MappingForm
) -> tuple[FileMapping, Protocol | None]:
    """Return the mapping and the protocol that were sent, with what a pressed button changes."""
    chosen, protocol = form.chosen, form.cleaned_data["protocol"]
    rated = preview.rated_in(added)
    scales = fit.own_scales(rated) if "own_scale" in request.POST else []
    if scales:
        protocol = fit.create_protocol(scales=scales, by=request.user)
        chosen = chosen.model_copy(update={"points": fit.own_points(scales, rated)})
    elif protocol != added.protocol:
        chosen = chosen.model_copy(update={"points": {}})  # points of another scale
    return _with_fix(added, chosen, request.POST.get("fix", "")), protocol


def _with_fix(added: AddedFile, chosen: FileMapping, place: str) -> FileMapping:
    """Return the mapping with the changes that a finding offers, if its button was pressed."""
    findings = (added.examined.get(preview.LOOK, {}).get("study") or {}).get("findings", ())
    number = whole_number(place, least=0)
    if number is None or number >= len(findings):
        return chosen
    return mapping_from({**chosen.as_data(), **findings[number]["fix"]})


def _read(request: HttpRequest, added: AddedFile, chosen: FileMapping, protocol: Any) -> None:
    """Read a file under another mapping, now if it is small, else by the job that its page starts."""
    if added.file.size > preview.INLINE:
        files.choose_mapping(added=added, mapping=chosen, protocol=protocol)
    else:
        files.read_file(
            added=added, mapping=chosen, protocol=protocol, protocols=protocols_of(request.user)
        )


@dataset_for_owner
@_file_of
@require_POST
@_waiting
def starts(request: HttpRequest, added: AddedFile) -> HttpResponse:
    """Store which occurrence is meant of answers that occur more than once in their passage."""
    before = preview.mapping_of(added)
    chosen = {
        key.removeprefix("start:"): start
        for key, value in request.POST.items()
        if key.startswith("start:") and (start := whole_number(value, least=0)) is not None
    }
    changes: dict[str, Any] = {
        "starts": {**before.starts, **chosen},
        "first_start": request.POST.get("others") == "first",
    }
    if "again" in request.POST:
        changes = {"starts": {}, "first_start": False}
    _read(request, added, before.model_copy(update=changes), added.protocol)
    return _page_of(added)


def _choices_form(added: AddedFile, data: Any, others: Sequence[AddedFile]) -> ChoicesForm:
    matched = added.examined.get(files.MATCHED, {})
    study = added.examined.get(preview.LOOK, {}).get("study") or {}
    systems = matched.get("named", study.get("systems", ()) if study.get("names_systems") else ())
    return ChoicesForm(
        data,
        choices=files.choices_of(added),
        matched=matched,
        is_first=not added.dataset.sources.exists(),
        systems=list(systems)[:MAX_NAMED],
        others=others,
    )


@dataset_for_owner
@_file_of
@require_POST
@_waiting
def choose_matching_view(request: HttpRequest, added: AddedFile) -> HttpResponse:
    """Store how a file is matched."""
    others = files.siblings(added)
    form = _choices_form(added, request.POST, others)
    if not form.is_valid():
        messages.error(request, _("This could not be understood; nothing was changed."))
        return _page_of(added)
    chosen = form.choices()
    files.choose_matching(added=added, choices=chosen)
    ticked = form.cleaned_data.get("siblings", ())
    for other in others:
        if str(other.number) in ticked:
            files.choose_matching(added=other, choices=chosen.for_another_file())
    return _page_of(added)


@dataset_for_owner
@_file_of
@require_POST
def discard_file_view(request: HttpRequest, added: AddedFile) -> HttpResponse:
    """Delete a waiting file."""
    files.discard_file(added=added)
    return redirect("judging:files", added.dataset_id)


@dataset_for_owner
@_file_of
@require_POST
@password_confirmed
def take_file_back(request: HttpRequest, added: AddedFile) -> HttpResponse:
    """Take a file back: a small one now, a large one by a job."""
    if take_back.is_slow(added):
        return _job(request, added.dataset, files.TAKE_BACK, [added])
    with refusals_shown(request):
        take_back.remove_added_rows(added=added, by=request.user, now=timezone.now())
        messages.success(request, _("“%(name)s” is taken back.") % {"name": added.name})
        return redirect("judging:files", added.dataset_id)
    return _page_of(added)


# -- rows and ids ---------------------------------------------------------------------------------


@dataset_for_readers
@not_for_who_judges
@_file_of
@require_GET
def list_file_rows(request: HttpRequest, added: AddedFile) -> HttpResponse:
    """List the questions of a waiting file with what was found about each, page by page."""
    if not added.rows.exists():  # not previewed yet, or deleted after a day
        if added.state == AddedFile.State.WAITING and _is_owner(request, added.dataset):
            return _job(request, added.dataset, files.EXAMINE, [added], shows="rows")
        return _page_of(added)
    form = _rows_form(request, added)
    context = {"added": added, "dataset": added.dataset, "form": form}
    if not form.is_valid():
        return render(request, "judging/imports/rows.html", context, status=422)
    wanted = {name: value for name, value in form.cleaned_data.items() if value}
    query = request.GET.copy()
    query.pop("page", None)
    context |= {
        "page": Paginator(_found(added, wanted), ROWS_ON_PAGE).get_page(request.GET.get("page")),
        "query": f"{query.urlencode()}&" if query else "",
        "is_filtered": bool(wanted),
    }
    return render(request, "judging/imports/rows.html", context)


def _rows_form(request: HttpRequest, added: AddedFile) -> RowsForm:
    kinds = dict(added.rows.order_by().values_list("kind").annotate(n=Count("pk")))
    systems = added.rows.exclude(system="").order_by("system").values_list("system", flat=True)
    return RowsForm(request.GET, kinds=kinds, systems=list(systems.distinct()[:MAX_NAMED]))


def _found(added: AddedFile, wanted: Mapping[str, str]) -> Any:
    found = added.rows.all()
    if text := wanted.get("text"):
        found = found.filter(Q(text__icontains=text) | Q(source__icontains=text))
    for name in ("system", "kind"):
        if value := wanted.get(name):
            found = found.filter(**{name: value})
    return found


@dataset_for_readers
@not_for_who_judges
@_file_of
@require_GET
def download_undecided_rows(request: HttpRequest, added: AddedFile) -> StreamingHttpResponse:
    """Return the rows that need a decision as CSV; of a file that was added, the first of them."""
    asked = added.rows.filter(kind__in=GROUPS).values_list("kind", "number", "text", "reason")
    found = added.examined.get(files.MATCHED, {}).get("examples", {})
    kept = (
        (kind, row["row"], row["what"], row["reason"])
        for kind, rows in found.items()
        for row in rows
    )
    lines = asked.iterator() if asked.exists() else kept
    csv = spreadsheets.spreadsheet_lines(["kind", "row", "what", "reason"], lines)
    response = StreamingHttpResponse(csv, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="file-{added.number}-rows.csv"'
    return response


@dataset_for_owner
@_file_of
@require_POST
@password_confirmed
def ids(request: HttpRequest, added: AddedFile) -> HttpResponse:
    """Return, only once, the ids of external annotators behind the labels of a file, as CSV."""
    with refusals_shown(request):
        found = files.hand_out_keys(added=added, by=request.user, now=timezone.now())
        csv = "".join(spreadsheets.spreadsheet_lines(["label", "id"], sorted(found.items())))
        response = HttpResponse(csv, content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="file-{added.number}-ids.csv"'
        response["Cache-Control"] = "no-store"
        return response
    return _page_of(added)


# -- names of systems -----------------------------------------------------------------------------


@dataset_for_owner
@require_http_methods(["GET", "POST"])
def edit_systems(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    """Give systems other names and kinds; those that get one name become one."""
    made = list(dataset.systems.order_by("name"))
    current = [each.name for each in made]
    bulk = BulkNamesForm(
        request.GET if "tool" in request.GET else None,
        initial={"find": names.shared_prefix(current)},
    )
    proposed = bulk.proposed(current) if bulk.is_bound and bulk.is_valid() else None
    posted = request.POST if request.method == "POST" else None
    form = SystemsForm(posted, made=made, proposed=proposed)
    if form.is_valid() and _change_systems(request, dataset, form):
        return redirect("judging:systems", dataset.pk)
    standing = dataset.system_changes.filter(undone_at__isnull=True).select_related("made_by")
    context = {
        "dataset": dataset,
        "form": form,
        "bulk": bulk,
        "proposed": proposed,
        "changes": Paginator(standing, 50).get_page(request.GET.get("page")),
        "alike": names.find_similar_names(current),
    }
    failed = form.errors or bulk.errors
    return render(request, "judging/imports/systems.html", context, status=422 if failed else 200)


def _change_systems(request: HttpRequest, dataset: Dataset, form: SystemsForm) -> bool:
    """Change the names and kinds of systems; return whether that was possible."""
    with refusals_shown(form):
        done = names.rename_systems(
            dataset=dataset,
            names=form.names(),
            kinds=form.kinds(),
            by=request.user,
            now=timezone.now(),
            reason=form.cleaned_data["reason"],
            subsets=form.subsets(),
        )
        if done:
            messages.success(request, _("Changes in all: %(n)s.") % {"n": len(done)})
        return True
    return False


@dataset_for_owner
@require_POST
def undo_systems(request: HttpRequest, dataset: Dataset, change: int) -> HttpResponse:
    """Undo the latest change of names."""
    found = get_object_or_404(dataset.system_changes, pk=change, undone_at__isnull=True)
    with refusals_shown(request):
        names.undo(change=found, by=request.user, now=timezone.now())
        messages.success(request, _("Undone."))
    return redirect("judging:systems", dataset.pk)


# -- what the views share ---------------------------------------------------------------------------


def _tiers(matched: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the tiers of matching, each with the rows that it found and their share."""
    counts = matched.get("tiers", {})
    total = sum(counts.values())
    return [
        {"title": title, "count": counts[tier], "share": f"{counts[tier] / total:.0%}"}
        for tier, title in TIER_TITLES.items()
        if counts.get(tier)
    ]


def _groups(matched: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the kinds of rows that need a decision, each with its count and examples."""
    counts, shown = matched.get("counts", {}), matched.get("examples", {})
    return [
        {"kind": kind, "title": title, "done": done, "count": counts[kind], "rows": shown[kind]}
        for kind, (title, done) in GROUPS.items()
        if counts.get(kind)
    ]


def _job(
    request: HttpRequest,
    dataset: Dataset,
    kind: str,
    wanted: Sequence[AddedFile],
    **parameters: str,
) -> HttpResponse:
    """Start a job of this kind on the files, and return its page."""
    keys = [each.pk for each in wanted]
    job = tasks.begin_once(kind=kind, by=request.user, dataset=dataset, files=keys, **parameters)
    return redirect("judging:job", job.pk)


def _is_owner(request: HttpRequest, dataset: Dataset) -> bool:
    return bool(request.user.can_create_campaigns and dataset.owner_id == request.user.pk)
