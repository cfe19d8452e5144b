"""Published studies again: released files into a closed campaign, its numbers beside those in
print."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction

from analysis import frames
from analysis.actions.published import STUDIES, Numbers, Published
from analysis.metrics.telling import telling
from judging import storage
from judging.actions import jobs, rubrics
from judging.imports.actions import adding, datasets, means, reading_plans
from judging.imports.actions.added_ratings import campaign_of
from judging.imports.actions.joining import JoiningChoices
from judging.imports.actions.reading_plans import Plan
from judging.imports.actions.refusals import CannotImport
from judging.imports.readers.columns import ColumnRoles
from judging.models import Campaign, Collection, Job, Metric, Rubric, StoredFile, User
from judging.protocols import documents

KIND = "analysis.reproduce"
REPRODUCED = "reproduced"  # where a collection keeps what came out
LEFT_OUT = ("unmatched", "ambiguous")


class UnknownStudy(LookupError):
    """No published study goes by that name."""


@dataclass(frozen=True)
class ReleasedFile:
    """A released file: what it is called, and its bytes. `scores`: a table of metrics, which names
    the systems."""

    name: str
    file: StoredFile
    scores: bool = False

    @property
    def content(self) -> bytes:
        return storage.content_of(self.file)


@dataclass(frozen=True)
class Reproduction:
    """What came out: the campaign the files are in, and both sets of numbers under the same
    keys."""

    study: Published
    hashes: tuple[str, ...]
    campaign: Campaign
    quarantined: int
    left_out: int
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
    """Import released files, once for each set of them, and compute what their authors published;
    `tell` is told what begins.

    Raises
    ------
    UnknownStudy
        Where nothing was published under that name.
    CannotImport, Unreadable
        Where a file stands in the way; nothing is kept.
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
            left_out=sum(
                each.examined.get("counts", {}).get(kind, 0)
                for each in standing
                for kind in LEFT_OUT
            ),
            published=published,
            computed=study.computed(read),
            notes=study.notes(read, published),
        )
        _keep(found)
    return found


def _keep(found: Reproduction) -> None:
    """Have the collection remember what came out, for the page."""
    collection = found.campaign.collection
    shown = {
        "study": found.study.key,
        "title": found.study.title,
        "why": found.notes,
        "rows": list(found.rows()),
        "published": bool(found.published),
        "left_out": found.left_out,
    }
    collection.mapping = {**collection.mapping, REPRODUCED: shown}
    Collection.objects.filter(pk=collection.pk).update(mapping=collection.mapping)


def _campaign(study: Published, files: Sequence[ReleasedFile], by: User, now: datetime) -> Campaign:
    """Return the campaign that these files became earlier, or import them."""
    rubric = rubrics.install(document=documents.shipped(study.rubric))
    if known := _known(files, rubric, by):
        return known
    first = files[0]
    if len(files) > 1 or first.scores:
        return _assembled(study, files, rubric, by, now)
    imported = datasets.import_study(
        study=study.read(first.content),
        name=study.title,
        by=by,
        now=now,
        file=first.file,
        file_name=first.name,
        rubric=rubric,
        ratings_title=f"{study.title}: released ratings",
        again=True,
    )
    return imported.campaign or _of_means(study, imported.collection, rubric, by, now)


def _known(files: Sequence[ReleasedFile], rubric: Rubric, by: User) -> Campaign | None:
    """Return the imported campaign of a collection that consists of exactly these files."""
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
    """Assemble a collection: the table of metrics first, for it names the systems that batches have
    letters for."""
    collection = adding.start(name=study.title, by=by)
    ordered = sorted(files, key=lambda each: not each.scores)
    named = ordered[0].scores
    for given in ordered:
        added = adding.upload(collection=collection, name=given.name, file=given.file, by=by)
        new = "leave" if named and not given.scores else "add"
        plan = _plan(given)
        rated = plan.columns is None or bool(plan.columns.ratings or plan.columns.value)
        choices = JoiningChoices(unmatched=new)  # type: ignore[arg-type]  # one of its words
        adding.decide(added=added, plan=plan, choices=choices, rubric=rubric if rated else None)
    waiting = list(collection.added_files.waiting().listed())
    adding.add_all(files=waiting, by=by, now=now, accept_surprises=True)
    return campaign_of(collection, rubric) or _of_means(study, collection, rubric, by, now)


def _plan(given: ReleasedFile) -> Plan:
    """Return how a file is read: as it is proposed. Of a table of metrics, everything but single
    ratings is taken."""
    head = reading_plans.read_head(name=given.name, data=given.content, plan=Plan())
    columns = None if head.proposed is None else _with_directions(head.proposed)
    return Plan(format=head.format, columns=columns)


def _with_directions(columns: ColumnRoles) -> ColumnRoles:
    """Take more for better where a column's name does not say which end is best."""
    scores = tuple(
        replace(each, direction="higher") if each.direction == "unknown" else each
        for each in columns.scores
    )
    return replace(columns, scores=scores)


def _of_means(
    study: Published, collection: Collection, rubric: Rubric, by: User, now: datetime
) -> Campaign:
    """Return a closed campaign to stand for means whose single ratings were not released: nobody
    judges in it."""
    if not collection.metrics.filter(kind=Metric.Kind.HUMAN_MEAN).exists():
        raise CannotImport(["The file holds no ratings, so there is nothing to reproduce."])
    title = f"{study.title}: released means"
    return means.campaign_of_means(
        collection=collection, rubric=rubric, title=title, by=by, now=now
    )


def start(*, key: str, files: Sequence[ReleasedFile], by: User) -> Job:
    """Write down that a study is to be computed again; the caller rings for it."""
    kept = [[each.name, each.file.sha256, each.scores] for each in files]
    return jobs.enqueue(kind=KIND, parameters={"study": key, "files": kept}, by=by)


def execute(work: jobs.Work, *, now: datetime) -> Mapping[str, Any]:
    """Do such a job."""
    parameters = work.job.parameters
    work.progress(0, 0, "Reading the released files")
    files = [
        ReleasedFile(name, StoredFile.objects.defer("content").get(sha256=sha256), scores)
        for name, sha256, scores in parameters["files"]
    ]
    try:
        with telling(work.again):
            found = reproduce(
                key=parameters["study"],
                files=files,
                by=work.job.created_by,
                now=now,
                tell=lambda doing: work.progress(0, 0, doing),
            )
    except ValueError as refused:  # CannotImport and Unreadable are such, and say a sentence
        raise jobs.CannotDo(str(refused)) from None
    return {"published": str(found.campaign.uuid)}


def shown(campaign: Campaign) -> dict[str, Any] | None:
    """Return what came out for a campaign's collection; None where nothing was computed again."""
    kept: dict[str, Any] | None = campaign.collection.mapping.get(REPRODUCED)
    return kept


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
