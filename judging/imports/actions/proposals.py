"""Proposals for the columns of a further file, from its own columns and from similar files of the
dataset."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from django.db.models import QuerySet

from judging import storage
from judging.imports.actions import adding, ratings, reading_plans
from judging.imports.actions.reading_plans import Head, Plan
from judging.imports.readers.columns import ColumnRoles, RatingColumn
from judging.imports.readers.guessing import is_note, without_scale
from judging.imports.readers.numbers import is_number, whole_number
from judging.imports.readers.outline import Outline
from judging.imports.readers.text import Unreadable
from judging.models import AddedFile, Collection, Rubric


def proposed(head: Head, *, added: AddedFile) -> Head:
    """Return the head of a file with the likely columns, given that the dataset already has
    questions.

    A column of what the dataset calls its systems, or its sources, names these. Whole numbers
    under a criterion's name are ratings of the annotator whom the file is named after.
    """
    columns = head.proposed
    if columns is None:
        return head
    values = dict(zip(head.header, head.values, strict=True))
    columns = _by_names(columns, values, added.collection)
    if columns.rater or columns.ratings:
        return replace(head, proposed=columns)
    rated = [
        score
        for score in columns.scores
        if score.kind == "human_mean"
        and values[score.column]
        and all(whole_number(value, least=0) is not None for value in values[score.column])
    ]
    if not rated:
        return replace(head, proposed=columns)
    rater = stem(added.name)
    ratings = tuple(
        RatingColumn(column=each.column, criterion=without_scale(each.name), rater=rater)
        for each in rated
    )
    evidence = {
        each.column: f"Whole numbers of a criterion: ratings of “{rater}”, as the file is called."
        for each in ratings
    }
    scores = tuple(score for score in columns.scores if score not in rated)
    note = columns.note or next(filter(is_note, columns.metadata), "")
    metadata = tuple(name for name in columns.metadata if name != note)
    return replace(
        head,
        proposed=replace(
            columns,
            ratings=ratings,
            scores=scores,
            note=note,
            metadata=metadata,
            evidence={**columns.evidence, **evidence},
        ),
        criteria=tuple(each.criterion for each in ratings),
    )


def _by_names(
    columns: ColumnRoles, values: Mapping[str, Sequence[str]], collection: Collection
) -> ColumnRoles:
    """Take a column for the systems, or the sources, whose values are names that the dataset
    has. Numbers may be anything."""
    for column in (*columns.metadata, *filter(None, [columns.key])):
        told = [value for value in values[column] if not is_number(value)]
        if len(told) < len(values[column]) or not told:
            continue
        systems = collection.systems.filter(name__in=told)
        sources = collection.sources.filter(key__in=told, repeat_of=None)
        rest = replace(
            columns,
            metadata=tuple(name for name in columns.metadata if name != column),
            key="" if columns.key == column else columns.key,
        )
        if not columns.system and not columns.by_system and systems.count() == len(told):
            columns = replace(rest, system=column, evidence=_of_dataset(rest, column, "systems"))
        elif not columns.source_id and sources.count() == len(told):
            columns = replace(rest, source_id=column, evidence=_of_dataset(rest, column, "sources"))
    return columns


def _of_dataset(columns: ColumnRoles, column: str, what: str) -> dict[str, str]:
    return {**columns.evidence, column: f"The dataset has {what} of these names."}


def stem(name: str) -> str:
    """Return a file's name without its extension."""
    return PurePath(name).stem[:100]


def protocol_of(added: AddedFile, head: Head, rubrics: QuerySet[Rubric]) -> int | None:
    """Return the protocol chosen for a file's ratings, else that of the dataset's ratings, else the
    one that fits."""
    if added.plan:
        return added.rubric_id
    imported = added.collection.campaigns.filter(origin="imported")
    known = rubrics.filter(pk__in=imported.values("rubric"))
    rated = head.ratings_under(head.proposed)
    chosen = ratings.fitting(rubrics=known, names=head.criteria, rated=rated)
    chosen = chosen or ratings.fitting(rubrics=rubrics, names=head.criteria, rated=rated)
    return chosen.pk if chosen else None


def decide_as_proposed(added: AddedFile, *, rubrics: QuerySet[Rubric]) -> None:
    """Give the columns of a waiting file their proposed roles; if the file cannot be read, change
    nothing, because adding it reports the reason."""
    plan = adding.plan_of(added)
    content = storage.content_of(added.file)
    try:
        head = reading_plans.read_head(name=added.name, data=content, plan=plan)
    except Unreadable:
        return
    head = proposed(head, added=added)
    chosen = protocol_of(added, head, rubrics)
    rubric = rubrics.filter(pk=chosen).first() if chosen else None
    adding.decide(
        added=added, plan=replace(plan, format=head.format, columns=head.proposed), rubric=rubric
    )


def siblings(added: AddedFile) -> list[AddedFile]:
    """Return the other waiting files of the dataset that have the format, the columns and the
    sheets of this one, all read under its plan."""
    waiting = list(added.collection.added_files.waiting().listed().exclude(pk=added.pk))
    plan = reading_plans.without_columns(adding.plan_of(added))
    own = _heading(added, plan) if waiting else None
    return [each for each in waiting if own and _heading(each, plan) == own]


def still_waiting(added: AddedFile, keys: Iterable[int]) -> list[AddedFile]:
    """Return those of the files with these keys that are still waiting."""
    return list(added.collection.added_files.waiting().listed().filter(pk__in=keys))


def _heading(added: AddedFile, plan: Plan) -> Outline | None:
    """Return the format, the header and the sheets of a file; None if it has no header."""
    content = storage.content_of(added.file)
    try:
        found = reading_plans.read_heading(name=added.name, data=content, plan=plan)
    except Unreadable:
        return None
    return found if found.header else None


def read_alike(added: AddedFile, others: Sequence[AddedFile]) -> None:
    """Read other waiting files under this one's plan; if this file is named after an annotator, the
    ratings in each of the others are by the annotator in its own name."""
    plan = adding.plan_of(added)
    for other in others:
        columns = plan.columns
        if columns is not None:
            evidence = dict.fromkeys(columns.evidence, f"Read in the same way as “{added.name}”.")
            columns = replace(columns, evidence=evidence)
            columns = _by(columns, stem(added.name), stem(other.name))
        adding.decide(added=other, plan=replace(plan, columns=columns), rubric=added.rubric)


def _by(columns: ColumnRoles, before: str, now: str) -> ColumnRoles:
    ratings = tuple(
        replace(each, rater=now if each.rater == before else each.rater) for each in columns.ratings
    )
    return replace(columns, ratings=ratings)
