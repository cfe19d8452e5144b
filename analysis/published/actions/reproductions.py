"""Published studies again: released files into a closed campaign, its numbers beside those in
print."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F

from analysis import frames
from analysis.published.actions.published import STUDIES, NumberPath, PublishedStudy, order_path
from analysis.published.actions.published_computations import Computation, Numbers, tree_of
from analysis.published.reports.published_numbers import describe_path
from analysis.reports.numerals import format_list, format_short_list
from analysis.sections.agreement.agreement import NAMES
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.added_file import AddedFile
from judging.datasets.models.dataset import Dataset
from judging.datasets.models.score import Metric
from judging.formats import child
from judging.formats.choices import JoiningChoices
from judging.formats.frames import Unreadable, shorten_line
from judging.formats.mapping import RATED, SINGLE, Column, mapping_from
from judging.formats.mapping import Mapping as FileMapping
from judging.imports.actions import files as waiting_files
from judging.imports.actions import names
from judging.imports.actions.files import CannotImport
from judging.imports.actions.preview import pseudonym_key, stem
from judging.imports.actions.rated_campaigns import campaign_of_means, find_rated_campaign
from judging.jobs import storage
from judging.jobs.actions import jobs
from judging.jobs.models.file import StoredFile
from judging.jobs.models.job import Job
from judging.people.models.user import User
from judging.protocols import documents
from judging.protocols.actions import protocols
from judging.protocols.models.protocol import Protocol
from quaestor_metrics._progress import on_each_text

KIND = "analysis.reproduce"
REPRODUCED = "reproduced"  # key under which a dataset stores the result
EXCLUDED_KINDS = ("unmatched", "ambiguous")
FOUND_BY = {
    "id": "id",
    "parts": "passage, answer and question",
    "passage": "question within the same passage or sentence",
    "letter": "question of the letter's system",
    "question": "question text alone",
    "normalized": "the same after normalisation",
    "similar": "similar text",
}


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

    study: PublishedStudy
    hashes: tuple[str, ...]
    campaign: Campaign
    quarantined: int
    joined: tuple[str, ...]  # how much of each further file was joined, and by which tier
    rows: tuple[tuple[str, float | None, float | None], ...]  # path, published, computed
    published: Numbers
    computed: Numbers
    notes: tuple[str, ...]


def reproduce_study(
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
    CannotImport
        If a file cannot be imported; nothing is kept.
    """
    study = STUDIES[key]
    with transaction.atomic():
        campaign = _campaign(study, files, by, now)
        tell("Computing the study's numbers")
        standing = list(campaign.dataset.added_files.standing().listed())
        hashes = tuple(added.file.sha256 for added in standing)
        joined = [added for added in standing if not _is_all_new(added)]
        computation = Computation(frames.read_campaign(campaign, excluded=()))
        computed = computation.numbers(study.compute)
        facts = {**computation.facts(), "sha256": " ".join(hashes), "published": False}
        tables = study.tables_about(facts)
        facts["published"] = bool(tables)
        values = {path: value for table in tables for path, value in table.values().items()}
        beside = _beside(computed, values)
        found = Reproduction(
            study=study,
            hashes=hashes,
            campaign=campaign,
            quarantined=campaign.dataset.quarantine.count(),
            joined=tuple(map(_how_joined, joined)),
            rows=tuple((" / ".join(path), *both) for path, both in beside.items()),
            published=tree_of((path, one) for path, (one, _) in beside.items() if one is not None),
            computed=computed,
            notes=(*study.sentences(facts), *filter(None, map(_not_joined, joined))),
        )
        _keep(found)
    return found


def _beside(
    computed: Numbers, values: Mapping[NumberPath, float]
) -> dict[NumberPath, tuple[float | None, float | None]]:
    """Return every published and every computed value by path; those computed come first."""
    found = {path: (values.get(order_path(path)), value) for path, value in _leaves(computed)}
    both = set(map(order_path, found))
    return found | {path: (value, None) for path, value in values.items() if path not in both}


def _leaves(tree: Numbers, path: NumberPath = ()) -> Iterator[tuple[NumberPath, float | None]]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key), value


def _keep(found: Reproduction) -> None:
    """Have the dataset remember what came out, for the pages."""
    dataset = found.campaign.dataset
    criteria = {
        criterion.key: criterion.name for criterion in found.campaign.protocol.criteria.all()
    }
    shown = {
        "study": found.study.key,
        "title": found.study.title,
        "why": found.notes,
        "rows": found.rows,
        "beside": [
            (describe_path(path, criteria=criteria, coefficients=NAMES), printed, computed)
            for path, printed, computed in found.rows
            if printed is not None
        ],
        "published": bool(found.published),
        "joined": found.joined,
    }
    dataset.mapping = {**dataset.mapping, REPRODUCED: shown}
    Dataset.objects.filter(pk=dataset.pk).update(mapping=dataset.mapping)


# -- importing ------------------------------------------------------------------------------------


def _campaign(
    study: PublishedStudy, files: Sequence[ReleasedFile], by: User, now: datetime
) -> Campaign:
    """Return the campaign that these files became earlier, or import them."""
    protocol = protocols.install(document=documents.shipped(study.protocol))
    wanted = {file.file.pk for file in files}
    holding = Dataset.objects.filter(owner=by, added_files__file__in=wanted)
    for dataset in holding.distinct().order_by("pk"):
        standing = dataset.added_files.standing().values_list("file", flat=True)
        if set(standing) == wanted and (known := find_rated_campaign(dataset, protocol)):
            return known
    if study.files == "one" and len(files) > 1:
        raise CannotImport(
            [f"{study.title} is computed for one released file. Give one at a time."]
        )
    dataset = _assembled(study, files, protocol, by, now)
    if found := find_rated_campaign(dataset, protocol):
        return found
    if not dataset.metrics.filter(kind=Metric.Kind.HUMAN_MEAN).exists():
        raise CannotImport(["The file holds no ratings, so there is nothing to reproduce."])
    # a closed campaign without annotators represents means whose single ratings were not released
    title = f"{study.title}: released means"
    return campaign_of_means(dataset=dataset, protocol=protocol, title=title, by=by, now=now)


def _assembled(
    study: PublishedStudy,
    files: Sequence[ReleasedFile],
    protocol: Protocol,
    by: User,
    now: datetime,
) -> Dataset:
    """Assemble a dataset from all files of a study.

    Tables of scores come first, because they name the systems that crowd batches have letters for.
    Rated questions that are not in such a table are excluded.
    """
    from judging.imports.actions import adding  # loads pandas

    dataset = waiting_files.create_dataset(name=study.title, by=by)
    protocols_of_study = Protocol.objects.filter(pk=protocol.pk)
    tables: list[AddedFile] = []
    rated: list[AddedFile] = []
    for given in files:
        added = waiting_files.upload_file(dataset=dataset, name=given.name, file=given.file, by=by)
        mapping = _mapping(study, given)
        is_table = not mapping.of_role(*RATED, "value")
        waiting_files.read_file(
            added=added,
            mapping=mapping,
            protocols=protocols_of_study,
            protocol=None if is_table else protocol,
        )
        (tables if is_table else rated).append(added)
    choices = JoiningChoices(unmatched="leave" if tables else "add")
    for added in rated:
        waiting_files.choose_matching(added=added, choices=choices)
    for group in filter(None, (tables, rated)):
        adding.add_waiting_files(
            waiting=group, by=by, now=now, protocols=protocols_of_study, accept_surprises=True
        )
    if study.subset_separator:
        _split_names(dataset, study.subset_separator, by, now)
    return dataset


def _mapping(study: PublishedStudy, given: ReleasedFile) -> FileMapping:
    """Return how a file is read: as the pages propose it for a further file of a dataset, with the
    columns that the study names.

    Raises
    ------
    CannotImport
        If the file cannot be read, or lacks a column that the study needs.
    """
    try:
        look = child.preview_in_child(
            name=given.name,
            data=given.content,
            mapping=study.mapping.model_copy(update={"columns": {}}),
            key=pseudonym_key(),
            known={"annotator": stem(given.name)},
        )
    except Unreadable as unreadable:
        raise CannotImport([f"{given.name}: {unreadable}"]) from None
    proposed = mapping_from(look["mapping"])
    named = {
        name: column for name, column in study.mapping.columns.items() if name in proposed.columns
    }
    taken = {column.role for column in named.values()} & set(SINGLE)
    others = {
        name: Column() if column.role in taken else column
        for name, column in proposed.columns.items()
    }
    mapping = proposed.model_copy(update={"columns": others | named})
    if missing := _missing(study, mapping):
        there = format_short_list([shorten_line(name) for name in mapping.columns])
        lacks = f"The table has no column {format_short_list(missing)}. Its columns are: {there}."
        raise CannotImport([f"{given.name}: {lacks}"])
    return mapping


def _missing(study: PublishedStudy, mapping: FileMapping) -> list[str]:
    """Return a name for each column that the study needs and the file does not have under any
    name."""

    def meaning(column: Column) -> tuple[str, ...]:
        return column.role, column.name, "" if mapping.has_rater_rows else column.rater

    there = set(map(meaning, mapping.columns.values()))
    missing: dict[tuple[str, ...], str] = {}
    for name, column in study.mapping.columns.items():
        if meaning(column) not in there:
            missing.setdefault(meaning(column), f"“{name}”")
    return list(missing.values())


def _split_names(dataset: Dataset, separator: str, by: User, now: datetime) -> None:
    """Split names of systems into a subset, which becomes metadata of the questions, and a
    system."""
    keys = dict(dataset.systems.values_list("name", "pk"))
    proposed = names.split(keys, separator)
    names.rename_systems(
        dataset=dataset,
        names={keys[name]: new for name, new in proposed.names.items()},
        kinds={},
        subsets={keys[name]: subset for name, subset in proposed.subsets.items()},
        by=by,
        now=now,
    )


def _is_all_new(added: AddedFile) -> bool:
    """Return whether a file added only new questions, as the first file of a dataset does."""
    matched = added.examined[waiting_files.MATCHED]
    return bool(matched["counts"].get("new") == sum(matched["tiers"].values()))


def _how_joined(added: AddedFile) -> str:
    """Return in words how many questions of a file were joined, and by which tier of matching."""
    matched = added.examined[waiting_files.MATCHED]
    tiers, counts = matched["tiers"], matched["counts"]
    joined = {FOUND_BY[tier]: tiers[tier] for tier in FOUND_BY if tiers.get(tier)}
    said = f"{added.name}: {sum(joined.values()):,} of {sum(tiers.values()):,} questions joined"
    if joined:
        said += f" ({'; '.join(f'{tier} {count:,}' for tier, count in joined.items())})"
    excluded = sum(counts.get(kind, 0) for kind in EXCLUDED_KINDS)
    return f"{said}, {counts.get('new', 0):,} added, {excluded:,} excluded."


def _not_joined(added: AddedFile) -> str:
    """Return in words which questions of a file were excluded because they did not join."""
    matched = added.examined[waiting_files.MATCHED]
    named = [row for kind in EXCLUDED_KINDS for row in matched["examples"].get(kind, ())]
    if not named:
        return ""
    questions = [f"“{row['what']}” (row {row['row']:,})" for row in named]
    if more := sum(matched["counts"].get(kind, 0) for kind in EXCLUDED_KINDS) - len(named):
        questions.append(f"{more:,} others")
    return f"Questions of {added.name} that did not join: {format_list(questions)}."


# -- jobs and pages -------------------------------------------------------------------------------


def start_reproduction(*, key: str, files: Sequence[ReleasedFile], by: User) -> Job:
    """Create a queued job that reproduces a study. The caller notifies workers."""
    kept = [[file.name, file.file.sha256] for file in files]
    return jobs.enqueue(kind=KIND, parameters={"study": key, "files": kept}, by=by)


def execute_reproduction(work: jobs.Work, *, now: datetime) -> Mapping[str, Any]:
    """Do such a job."""
    parameters = work.job.parameters
    work.progress(0, 0, "Reading the released files")
    files = [
        ReleasedFile(name, StoredFile.objects.defer("content").get(sha256=sha256))
        for name, sha256 in parameters["files"]
    ]
    with on_each_text(work.again):
        found = reproduce_study(
            key=parameters["study"],
            files=files,
            by=work.job.created_by,
            now=now,
            tell=lambda doing: work.progress(0, 0, doing),
        )
    return {"published": str(found.campaign.uuid)}


def reproduction_result(campaign: Campaign) -> dict[str, Any] | None:
    """Return the result for a campaign's dataset; None if it reproduces no study."""
    kept: dict[str, Any] | None = campaign.dataset.mapping.get(REPRODUCED)
    return kept


def visible_to(user: User) -> Sequence[Mapping[str, Any]]:
    """Return the reproductions that a user may see, the latest first: campaign, study and day."""
    campaigns = Campaign.objects.visible_to(user).filter(
        origin=Campaign.Origin.IMPORTED, dataset__mapping__has_key=REPRODUCED
    )
    study = F(f"dataset__mapping__{REPRODUCED}__title")
    return [*campaigns.order_by("-pk").values("uuid", "created_at", study=study)]
