"""Published studies again: released files into a closed campaign, its numbers beside those in
print."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F

from analysis import frames
from analysis.actions.published import STUDIES, Numbers, Published
from analysis.reports.published_numbers import called
from analysis.sections.agreement import NAMES
from judging import storage
from judging.actions import jobs, rubrics
from judging.imports import child, names
from judging.imports import files as waiting_files
from judging.imports.campaigns import campaign_of, campaign_of_means
from judging.imports.choices import JoiningChoices
from judging.imports.files import CannotImport
from judging.imports.frames import Unreadable
from judging.imports.mapping import RATED, mapping_from
from judging.imports.mapping import Mapping as FileMapping
from judging.imports.preview import pseudonym_key, stem
from judging.models import AddedFile, Campaign, Collection, Job, Metric, Rubric, StoredFile, User
from judging.protocols import documents
from quaestor_metrics._progress import on_each_text

KIND = "analysis.reproduce"
REPRODUCED = "reproduced"  # key under which a dataset stores the result
LEFT_OUT = ("unmatched", "ambiguous")
FOUND_BY = {
    "id": "id",
    "parts": "passage, answer and question",
    "passage": "question within the same passage or sentence",
    "letter": "question of the letter's system",
    "question": "question text alone",
    "normalized": "the same after normalisation",
    "similar": "similar text",
}


class UnknownStudy(LookupError):
    """No published study has that key."""


@dataclass(frozen=True)
class ReleasedFile:
    """A released file: its name and its bytes."""

    name: str
    file: StoredFile

    @property
    def content(self) -> bytes:
        return storage.content_of(self.file)


@dataclass(frozen=True)
class Reproduction:
    """Result of a reproduction: the campaign that holds the files, and both sets of numbers under
    the same keys."""

    study: Published
    hashes: tuple[str, ...]
    campaign: Campaign
    quarantined: int
    joined: tuple[str, ...]  # how much of each further file was joined, and by which tier
    published: Numbers
    computed: Numbers
    notes: tuple[str, ...]

    def rows(self) -> Iterator[tuple[str, Any, Any]]:
        """Yield every computed number with its path, and beside it the published one where these
        data have one."""
        for path, value in _leaves(self.computed):
            yield " / ".join(path), _at(self.published, path), value


def reproduce(
    *,
    key: str,
    files: Sequence[ReleasedFile],
    by: User,
    now: datetime,
    tell: Callable[[str], None] = lambda _doing: None,
) -> Reproduction:
    """Import released files, once for each set of them, and compute the numbers that their authors
    published; `tell` is called with the name of each step when it begins.

    Raises
    ------
    UnknownStudy
        If ``key`` names no published study.
    CannotImport, Unreadable
        If a file cannot be imported; nothing is kept.
    """
    if key not in STUDIES:
        raise UnknownStudy(f"{key} is none of {', '.join(STUDIES)}")
    study = STUDIES[key]
    with transaction.atomic():
        campaign = _campaign(study, files, by, now)
        tell("Computing the study's numbers")
        read = frames.material(campaign, excluded=())
        standing = list(campaign.collection.added_files.standing().listed())
        hashes = tuple(each.file.sha256 for each in standing)
        published = study.printed(read, hashes)
        found = Reproduction(
            study=study,
            hashes=hashes,
            campaign=campaign,
            quarantined=campaign.collection.quarantine.count(),
            joined=tuple(_how_joined(each) for each in standing if not _is_all_new(each)),
            published=published,
            computed=study.computed(read),
            notes=study.notes(read, published),
        )
        _keep(found)
    return found


def _keep(found: Reproduction) -> None:
    """Have the dataset remember what came out, for the pages."""
    collection = found.campaign.collection
    rows, criteria = list(found.rows()), found.campaign.rubric.criteria.all()
    names = {criterion.key: criterion.name for criterion in criteria}
    shown = {
        "study": found.study.key,
        "title": found.study.title,
        "why": found.notes,
        "rows": rows,
        "beside": [
            (called(path, criteria=names, coefficients=NAMES), printed, computed)
            for path, printed, computed in rows
            if printed is not None
        ],
        "published": bool(found.published),
        "joined": found.joined,
    }
    collection.mapping = {**collection.mapping, REPRODUCED: shown}
    Collection.objects.filter(pk=collection.pk).update(mapping=collection.mapping)


def _campaign(study: Published, files: Sequence[ReleasedFile], by: User, now: datetime) -> Campaign:
    """Return the campaign that these files became earlier, or import them."""
    from judging.imports import adding  # loads pandas

    rubric = rubrics.install(document=documents.shipped(study.rubric))
    if known := _known(files, rubric, by):
        return known
    if study.mapping is None:
        return _assembled(study, files, rubric, by, now)
    if len(files) > 1:
        raise CannotImport(
            [f"{study.title} is computed for one released file. Give one at a time."]
        )
    first = files[0]
    imported = adding.import_file(
        file=first.file,
        file_name=first.name,
        name=study.title,
        by=by,
        now=now,
        mapping=study.mapping(first.content),
        rubrics=Rubric.objects.filter(pk=rubric.pk),
        rubric=rubric,
        ratings_title=f"{study.title}: released ratings",
        again=True,
        accept_surprises=True,
    )
    return imported.campaign or _of_means(study, imported.collection, rubric, by, now)


def _known(files: Sequence[ReleasedFile], rubric: Rubric, by: User) -> Campaign | None:
    """Return the imported campaign of a dataset that consists of exactly these files."""
    wanted = {each.file.pk for each in files}
    holding = (
        Collection.objects.filter(owner=by, added_files__file__in=wanted).distinct().order_by("pk")
    )
    for collection in holding:
        standing = collection.added_files.standing().values_list("file", flat=True)
        if set(standing) == wanted and (found := campaign_of(collection, rubric)):
            return found
    return None


def _assembled(
    study: Published, files: Sequence[ReleasedFile], rubric: Rubric, by: User, now: datetime
) -> Campaign:
    """Assemble a dataset from all files of a study.

    Tables of scores come first, because they name the systems that crowd batches have letters for.
    Rated questions that are not in such a table are excluded.
    """
    from judging.imports import adding  # loads pandas

    collection = waiting_files.start(name=study.title, by=by)
    rubrics_of_study = Rubric.objects.filter(pk=rubric.pk)
    tables: list[AddedFile] = []
    rated: list[AddedFile] = []
    for given in files:
        added = waiting_files.upload(collection=collection, name=given.name, file=given.file, by=by)
        mapping = _mapping(study, given)
        is_table = not mapping.of_role(*RATED, "value")
        protocol = None if is_table else rubric
        waiting_files.read(added=added, mapping=mapping, rubrics=rubrics_of_study, rubric=protocol)
        (tables if is_table else rated).append(added)
    choices = JoiningChoices(unmatched="leave" if tables else "add")
    for added in rated:
        waiting_files.choose(added=added, choices=choices)
    for group in filter(None, (tables, rated)):
        adding.add_all(
            waiting=group, by=by, now=now, rubrics=rubrics_of_study, accept_surprises=True
        )
    if study.subset_separator:
        _split_names(collection, study.subset_separator, by, now)
    return campaign_of(collection, rubric) or _of_means(study, collection, rubric, by, now)


def _mapping(study: Published, given: ReleasedFile) -> FileMapping:
    """Return how a file is read: as the pages propose it for a further file of a dataset, with the
    study's column of systems."""
    look = child.preview(
        name=given.name,
        data=given.content,
        mapping=FileMapping(),
        key=pseudonym_key(),
        known={"annotator": stem(given.name)},
    )
    mapping = mapping_from(look["mapping"])
    column = mapping.columns.get(study.system_column)
    if column is None or mapping.of_role("system"):
        return mapping
    system = column.model_copy(update={"role": "system"})
    return mapping.model_copy(update={"columns": {**mapping.columns, study.system_column: system}})


def _split_names(collection: Collection, separator: str, by: User, now: datetime) -> None:
    """Split names of systems into a subset, which becomes metadata of the questions, and a
    system."""
    keys = dict(collection.systems.values_list("name", "pk"))
    proposed = names.split(keys, separator)
    names.change(
        collection=collection,
        names={keys[name]: new for name, new in proposed.names.items()},
        kinds={},
        subsets={keys[name]: subset for name, subset in proposed.subsets.items()},
        by=by,
        now=now,
    )


def _is_all_new(added: AddedFile) -> bool:
    """Return whether a file added only new questions, as the first file of a dataset does."""
    matched = added.examined[waiting_files.MATCHED]
    tiers, counts = matched["tiers"], matched["counts"]
    return bool(counts.get("new") == sum(tiers.values()))


def _how_joined(added: AddedFile) -> str:
    """Return in words how many questions of a file were joined, and by which tier of matching."""
    matched = added.examined[waiting_files.MATCHED]
    tiers, counts = matched["tiers"], matched["counts"]
    joined = {FOUND_BY[tier]: tiers[tier] for tier in FOUND_BY if tiers.get(tier)}
    said = f"{added.name}: {sum(joined.values()):,} of {sum(tiers.values()):,} questions joined"
    if joined:
        said += f" ({'; '.join(f'{tier} {count:,}' for tier, count in joined.items())})"
    left_out = sum(counts.get(kind, 0) for kind in LEFT_OUT)
    return f"{said}, {counts.get('new', 0):,} added, {left_out:,} excluded."


def _of_means(
    study: Published, collection: Collection, rubric: Rubric, by: User, now: datetime
) -> Campaign:
    """Return a closed campaign, without annotators, that represents means whose single ratings were
    not released."""
    if not collection.metrics.filter(kind=Metric.Kind.HUMAN_MEAN).exists():
        raise CannotImport(["The file holds no ratings, so there is nothing to reproduce."])
    title = f"{study.title}: released means"
    return campaign_of_means(collection=collection, rubric=rubric, title=title, by=by, now=now)


def start(*, key: str, files: Sequence[ReleasedFile], by: User) -> Job:
    """Create a queued job that reproduces a study. The caller notifies workers."""
    kept = [[each.name, each.file.sha256] for each in files]
    return jobs.enqueue(kind=KIND, parameters={"study": key, "files": kept}, by=by)


def execute(work: jobs.Work, *, now: datetime) -> Mapping[str, Any]:
    """Do such a job."""
    parameters = work.job.parameters
    work.progress(0, 0, "Reading the released files")
    files = [
        ReleasedFile(name, StoredFile.objects.defer("content").get(sha256=sha256))
        for name, sha256 in parameters["files"]
    ]
    try:
        with on_each_text(work.again):
            found = reproduce(
                key=parameters["study"],
                files=files,
                by=work.job.created_by,
                now=now,
                tell=lambda doing: work.progress(0, 0, doing),
            )
    except Unreadable as unreadable:
        raise jobs.CannotDo(str(unreadable)) from None
    return {"published": str(found.campaign.uuid)}


def shown(campaign: Campaign) -> dict[str, Any] | None:
    """Return the result for a campaign's dataset; None if it reproduces no study."""
    kept: dict[str, Any] | None = campaign.collection.mapping.get(REPRODUCED)
    return kept


def listed(user: User) -> Sequence[Mapping[str, Any]]:
    """Return the reproductions that a user may see, the latest first: campaign, study and day."""
    campaigns = Campaign.objects.visible_to(user).filter(
        origin=Campaign.Origin.IMPORTED, collection__mapping__has_key=REPRODUCED
    )
    study = F(f"collection__mapping__{REPRODUCED}__title")
    return [*campaigns.order_by("-pk").values("uuid", "created_at", study=study)]


def _leaves(
    tree: Mapping[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key), value


def _at(tree: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        tree = tree.get(key) if isinstance(tree, Mapping) else None
    return tree
