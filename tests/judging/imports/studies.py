"""Small files to be added to a dataset, in the words of these tests."""

from typing import Any

from judging import storage
from judging.actions import jobs
from judging.imports.actions import adding
from judging.imports.actions.joining import JoiningChoices
from judging.imports.actions.reading_plans import Plan
from judging.imports.readers.columns import columns_from
from judging.models import AddedFile, Collection, Job, Rubric, User
from tests import factories
from tests.judging.studies import NOW

BATCH = """\
passage,answer,system,question
Herons wade at dawn.,at dawn,Alba,When do herons wade?
Herons wade at dawn.,at dawn,Brisa,What wades at dawn?
The mill was sold in 1850.,1850,Alba,When was the mill sold?
The mill was sold in 1850.,1850,Brisa,What was sold?
"""
MATERIAL = {"passage": "passage", "answer": "answer", "system": "system", "question": "question"}


def waiting(
    collection: Collection,
    text: str,
    *,
    name: str = "more.csv",
    rubric: Rubric | None = None,
    choices: JoiningChoices | None = None,
    **columns: Any,
) -> AddedFile:
    """Return a file that waits beside a dataset, with what its columns hold."""
    added = adding.upload(
        collection=collection, name=name, file=storage.keep(text.encode()), by=collection.owner
    )
    plan = Plan(format="csv", columns=columns_from(columns or MATERIAL))
    adding.decide(added=added, plan=plan, choices=choices or JoiningChoices(), rubric=rubric)
    return added


def add(collection: Collection, text: str, **said: Any) -> AddedFile:
    """Add a file to a dataset."""
    added = waiting(collection, text, **said)
    return adding.add(added=added, by=collection.owner, now=NOW, confirmed=True)


def assembled(text: str = BATCH, **said: Any) -> Collection:
    """Return a dataset that was begun empty and got one file."""
    collection = adding.start(name="Birds and mills", by=factories.researcher())
    add(collection, text, name="first.csv", **said)
    collection.refresh_from_db()
    return collection


def adding_job(owner: User, data: bytes, *, name: str = "Large") -> Job:
    """Return the queued job that adds a file to a new dataset."""
    collection = adding.start(name=name, by=owner)
    file = storage.keep(data)
    added = adding.upload(collection=collection, name="large.csv", file=file, by=owner)
    adding.decide(added=added, plan=Plan(format="csv"))
    return jobs.enqueue(
        kind="judging.add_files",
        parameters={"files": [added.pk]},
        by=owner,
        collection=collection,
    )
