"""Small files to be added to a dataset, in the words of these tests."""

from typing import Any

from judging.datasets.models.added_file import AddedFile
from judging.datasets.models.dataset import Dataset
from judging.formats.choices import JoiningChoices
from judging.formats.mapping import Mapping, mapping_from
from judging.imports.actions import adding, files
from judging.jobs import storage
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.people.models.user import User
from judging.protocols.models.protocol import Protocol
from tests import factories
from tests.judging.studies import NOW

Columns = dict[str, dict[str, Any]]

BATCH = """\
passage,answer,system,question
Herons wade at dawn.,at dawn,Alba,When do herons wade?
Herons wade at dawn.,at dawn,Brisa,What wades at dawn?
The mill was sold in 1850.,1850,Alba,When was the mill sold?
The mill was sold in 1850.,1850,Brisa,What was sold?
"""
MATERIAL: Columns = {name: {"role": name} for name in ("passage", "answer", "system", "question")}

SCORES = """\
passage,answer,system,question,Bleu_4
Herons wade at dawn.,at dawn,Alba,When do herons wade?,0.50
Herons wade at dawn.,at dawn,Brisa,What wades at dawn?,0.25
The mill was sold in 1850.,1850,Alba,When was the mill sold?,0.75
"""
SECOND = """\
passage,answer,system,question
Owls hunt by ear.,by ear,Alba,How do owls hunt?
Owls hunt by ear.,by ear,Brisa,What hunts?
"""


def rated(*columns: str) -> Columns:
    """Return columns of ratings named criterion@rater, or criterion if a column names the raters."""
    parts = [(column, *column.partition("@")[::2]) for column in columns]
    return {
        column: {"role": "ratings", "name": criterion, "rater": rater}
        for column, criterion, rater in parts
    }


def scored(column: str, *, role: str = "metric", **said: Any) -> Columns:
    """Return a column of scores of which higher ones are better."""
    return {column: {"role": role, "name": column, "direction": "higher", **said}}


BLEU = scored("Bleu_4", scale="fraction")


def ratings(*values: object) -> str:
    """Return a file with a rating of each question of BATCH."""
    rows = zip(BATCH.splitlines(), ("grammaticality", *values), strict=False)
    return "".join(f"{row},{value}\n" for row, value in rows)


def of_one(rater: str) -> Columns:
    """Return the columns of a rater's file."""
    return MATERIAL | {
        "grammaticality": {"role": "ratings", "name": "grammaticality", "rater": rater}
    }


def waiting(
    dataset: Dataset,
    text: str,
    *,
    name: str = "more.csv",
    protocol: Protocol | None = None,
    choices: JoiningChoices | None = None,
    columns: Columns = MATERIAL,
    **mapping: Any,
) -> AddedFile:
    """Return a file that waits beside a dataset, read under a mapping."""
    added = files.upload_file(
        dataset=dataset,
        name=name,
        file=storage.store_bytes(text.encode()),
        by=dataset.owner,
    )
    files.choose_matching(added=added, choices=choices or JoiningChoices())
    files.read_file(
        added=added,
        mapping=mapping_from({"recipe": "table", "columns": columns, **mapping}),
        protocols=Protocol.objects.none(),
        protocol=protocol,
    )
    return added


def add(dataset: Dataset, text: str, **said: Any) -> AddedFile:
    """Add a file to a dataset, whatever is surprising about it."""
    return add_waiting(waiting(dataset, text, **said))


def add_waiting(added: AddedFile, *, confirmed: bool = True, **said: Any) -> AddedFile:
    """Add a waiting file to its dataset, whatever is surprising about it."""
    return adding.add_file(
        added=added,
        by=added.dataset.owner,
        now=NOW,
        confirmed=confirmed,
        accept_surprises=True,
        **said,
    )


def assembled(text: str = BATCH, **said: Any) -> Dataset:
    """Return a dataset that was begun empty and got one file."""
    dataset = files.create_dataset(name="Birds and mills", by=factories.researcher())
    add(dataset, text, name="first.csv", **said)
    dataset.refresh_from_db()
    return dataset


def adding_job(owner: User, data: bytes, *, name: str = "Large") -> Job:
    """Return the queued job that adds a file to a new dataset."""
    dataset = files.create_dataset(name=name, by=owner)
    file = storage.store_bytes(data)
    added = files.upload_file(dataset=dataset, name="large.csv", file=file, by=owner)
    files.choose_mapping(added=added, mapping=Mapping(recipe="table"), protocol=None)
    return jobs.enqueue(
        kind=files.ADD,
        parameters={"files": [added.pk]},
        by=owner,
        dataset=dataset,
    )
