"""Names and kinds of a dataset's systems: letters get names, spellings become one, and every
change can be undone.

Annotators never see a system's name, so a name or kind may change under a locked plan; its
campaigns list the change as a deviation. Merging changes what is expected of a system, so it is
refused there.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import takewhile
from typing import Any

from django.db import transaction
from django.db.models import CharField, Value
from django.db.models.functions import Cast, Concat

from judging.base.limits import MAX_NAME_CHARACTERS
from judging.base.refusals import Refused
from judging.campaigns.models.authorship import SystemAuthor
from judging.campaigns.models.campaign import Deviation, TaskUnit
from judging.campaigns.models.members import Enrollment
from judging.datasets.actions.datasets import dataset_name
from judging.datasets.models.dataset import Attribute, Dataset, Question, QuestionSet, System, Unit
from judging.datasets.models.score import Score
from judging.datasets.models.system_change import SystemChange
from judging.imports.actions.files import lock_dataset_files, locked_campaigns
from judging.llm_judges.models.llm_judge import LLMJudgment
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.work.models.judgment import Judgment

What = SystemChange.What
SUBSET = "subset"  # the attribute that keeps the subset of a split name


class CannotChange(Refused):
    """The systems cannot be changed like this; the message is a sentence."""

    code = "cannot_change_systems"
    field = "systems"


class CannotUndo(Refused):
    """The change cannot be undone; the message is a sentence."""

    code = "cannot_undo"


def find_similar_names(names: Sequence[str]) -> list[list[str]]:
    """Return names that differ only in case, spaces and punctuation, as lists of those that look
    like one system."""
    groups: dict[str, list[str]] = {}
    for name in names:
        plain = "".join(each for each in name.casefold() if each.isalnum())
        groups.setdefault(plain or name, []).append(name)
    return [sorted(group) for group in groups.values() if len(group) > 1]


def rename_systems(
    *,
    dataset: Dataset,
    names: Mapping[int, str],
    kinds: Mapping[int, str],
    by: User,
    now: datetime,
    reason: str = "",
    subsets: Mapping[int, str] | None = None,
) -> list[SystemChange]:
    """Set names and kinds of systems, given by key; systems that get one name are merged.

    `subsets`: of systems whose names were split, the subset that their questions come from. It
    becomes metadata of the questions, by which reports compare slices.

    Raises
    ------
    CannotChange
        If a name is blank or too long, systems cannot be merged, or questions have a subset
        already; nothing is changed.
    """
    with transaction.atomic():
        lock_dataset_files(dataset)
        systems = {system.pk: system for system in dataset.systems.order_by("name")}
        wanted = {pk: names.get(pk, system.name).strip() for pk, system in systems.items()}
        for name in wanted.values():
            _check(name)
        done = _split(dataset, systems, subsets or {})
        done += _merge_equal(dataset, systems, wanted)
        done += _rename(dataset, systems, wanted)
        done += _mark(dataset, systems, kinds)
        for each in done:
            each.made_by, each.made_at = by, now
        SystemChange.objects.bulk_create(done)
        _tell(dataset, done, reason)
    return done


def _check(name: str) -> None:
    if not name:
        raise CannotChange("A system needs a name.")
    if len(name) > MAX_NAME_CHARACTERS:
        raise CannotChange(
            f"“{name[:40]}…” has {len(name):,} characters; at most {MAX_NAME_CHARACTERS} can be kept."
        )


def _split(
    dataset: Dataset, systems: Mapping[int, System], subsets: Mapping[int, str]
) -> list[SystemChange]:
    """Give the questions of systems a subset, as metadata."""
    given = {pk: subset for pk, subset in subsets.items() if subset}
    named = Attribute.objects.filter(name=SUBSET, unit__question_set__source__dataset=dataset)
    if given and named.exists():
        raise CannotChange(f"Questions of this dataset already have the metadata “{SUBSET}”.")
    done = []
    for pk, subset in given.items():
        sets = list(systems[pk].question_sets.order_by("pk").values_list("pk", flat=True))
        units = Unit.objects.filter(question_set__in=sets, position__isnull=False)
        Attribute.objects.bulk_create(
            (Attribute(unit=unit, name=SUBSET, value=subset) for unit in units.only("pk")),
            batch_size=5_000,
        )
        done.append(
            SystemChange(
                dataset=dataset,
                what=What.SPLIT,
                before=systems[pk].name,
                after=subset,
                details={"sets": sets},
            )
        )
    return done


def _merge_equal(
    dataset: Dataset, systems: dict[int, System], wanted: dict[int, str]
) -> Iterator[SystemChange]:
    """Merge systems that are to have one name into the one that has it already, else into the
    first."""
    groups: dict[str, list[int]] = {}
    for pk, name in wanted.items():
        groups.setdefault(name, []).append(pk)
    for name, members in groups.items():
        if len(members) > 1:
            kept = next((pk for pk in members if systems[pk].name == name), members[0])
            for pk in members:
                if pk != kept:
                    yield _merge(dataset, systems.pop(pk), systems[kept])
                    del wanted[pk]


def _rename(
    dataset: Dataset, systems: Mapping[int, System], wanted: Mapping[int, str]
) -> list[SystemChange]:
    changed = {pk: name for pk, name in wanted.items() if systems[pk].name != name}
    # names may be swapped, and a name must be unique at any time
    own = Concat(Value("\N{HORIZONTAL ELLIPSIS}"), Cast("pk", CharField()))
    System.objects.filter(pk__in=changed).update(name=own)
    System.objects.bulk_update(
        [System(pk=pk, name=name) for pk, name in changed.items()], ["name"], batch_size=200
    )
    return [
        SystemChange(
            dataset=dataset,
            what=What.RENAMED,
            before=systems[pk].name,
            after=name,
            details={"system": pk},
        )
        for pk, name in changed.items()
    ]


def _mark(
    dataset: Dataset, systems: Mapping[int, System], kinds: Mapping[int, str]
) -> list[SystemChange]:
    changed = {pk: kind for pk, kind in kinds.items() if pk in systems and kind != systems[pk].kind}
    System.objects.bulk_update(
        [System(pk=pk, kind=System.Kind(kind)) for pk, kind in changed.items()],
        ["kind"],
        batch_size=200,
    )
    return [
        SystemChange(
            dataset=dataset,
            what=What.MARKED,
            before=systems[pk].kind,
            after=kind,
            details={"system": pk},
        )
        for pk, kind in changed.items()
    ]


def _merge(dataset: Dataset, gone: System, kept: System) -> SystemChange:
    """Give the questions of one system to another. If both have a set for a source, one without a
    question is deleted."""
    try:
        _check_mergeable(dataset, gone, kept)
        of_kept, of_gone = _left_behind(gone, kept)
    except CannotChange as reason:
        raise CannotChange(f"“{gone.name}” and “{kept.name}” cannot become one: {reason}") from None
    dropped = [pk for pk, _, _, _ in (*of_kept, *of_gone)]
    Unit.objects.filter(question_set__in=dropped).delete()
    QuestionSet.objects.filter(pk__in=dropped).delete()
    details = {
        "kept": kept.pk,
        "kind": gone.kind,
        "file": gone.added_file_id,
        "of_kept": [each[1:] for each in of_kept],
        "of_gone": [each[1:] for each in of_gone],
        **_move(gone, kept),
    }
    gone.delete()
    return SystemChange(
        dataset=dataset, what=What.MERGED, before=gone.name, after=kept.name, details=details
    )


def _move(gone: System, kept: System) -> dict[str, list[int]]:
    """Give the sets, scores and authors of one system to another; return their keys."""
    moved = list(gone.question_sets.values_list("pk", flat=True))
    scores = list(gone.scores.values_list("pk", flat=True))
    QuestionSet.objects.filter(pk__in=moved).update(system=kept)
    Score.objects.filter(pk__in=scores).update(system=kept)
    authors = list(gone.authors.values_list("enrollment", flat=True))
    added = [who for who in authors if not kept.authors.filter(enrollment=who).exists()]
    SystemAuthor.objects.bulk_create(SystemAuthor(enrollment_id=who, system=kept) for who in added)
    return {"moved": moved, "scores": scores, "authors": authors, "authors_added": added}


EmptySet = tuple[int, int, int, int | None]  # key, source, size and file


def _check_mergeable(dataset: Dataset, gone: System, kept: System) -> None:
    """Refuse to merge systems that a locked campaign or scores need apart."""
    if campaigns := locked_campaigns(dataset):
        title, state = campaigns[0].title, campaigns[0].get_state_display()
        raise CannotChange(f"“{title}” ({state}) expects questions of both.")
    scored = Score.objects.filter(system=kept).values("metric")
    if Score.objects.filter(system=gone, metric__in=scored).exists():
        raise CannotChange("both have scores of whole systems.")


def _left_behind(gone: System, kept: System) -> tuple[list[EmptySet], list[EmptySet]]:
    """Return the sets without a question of either system, deleted where both have a set."""
    both = QuestionSet.objects.filter(system=kept).values("source")
    clash = QuestionSet.objects.filter(system=gone, source__in=both).values("source")
    of_kept = _droppable(kept, clash)
    of_gone = _droppable(gone, clash.exclude(source__in=[source for _, source, _, _ in of_kept]))
    settled = {source for _, source, _, _ in (*of_kept, *of_gone)}
    if left := clash.exclude(source__in=settled).count():
        raise CannotChange(f"both have questions for {left:,} of the same sources.")
    return of_kept, of_gone


def _droppable(system: System, sources: Any) -> list[EmptySet]:
    """Return a system's sets in these sources that hold no question, judgment, task or score."""
    sets = QuestionSet.objects.filter(system=system, source__in=sources)
    needed: list[Any] = [
        model._default_manager.filter(unit__question_set__in=sets).values("unit__question_set")
        for model in (Question, Judgment, LLMJudgment, TaskUnit, Score)
    ]
    for each in needed:
        sets = sets.exclude(pk__in=each)
    return list(sets.values_list("pk", "source", "expected", "added_file"))


def undo(*, change: SystemChange, by: User, now: datetime) -> None:
    """Undo the latest change that was not undone.

    Raises
    ------
    CannotChange
        If there is a later change, or what the change was about no longer exists.
    """
    with transaction.atomic():
        lock_dataset_files(change.dataset)
        latest = SystemChange.objects.filter(dataset=change.dataset, undone_at__isnull=True).first()
        if latest is None or latest.pk != change.pk:
            raise CannotUndo("Undo the later changes first.")
        if change.what == What.MERGED:
            _unmerge(change)
        elif change.what == What.SPLIT:
            of_sets = Attribute.objects.filter(unit__question_set__in=change.details["sets"])
            of_sets.filter(name=SUBSET, value=change.after).delete()
        else:
            _set_back(change)
        SystemChange.objects.filter(pk=change.pk).update(undone_at=now)
        back = SystemChange(
            dataset=change.dataset,
            what=change.what,
            before=change.after,
            after=change.before,
            made_by=by,
            made_at=now,
        )
        _tell(change.dataset, [back], "Undone.")


def _set_back(change: SystemChange) -> None:
    system = System.objects.filter(pk=change.details["system"], dataset=change.dataset)
    if change.what == What.RENAMED:
        if change.dataset.systems.filter(name=change.before).exists():
            raise CannotUndo(f"Another system is called “{change.before}” by now.")
        changed = system.update(name=change.before)
    else:
        changed = system.update(kind=change.before)
    if not changed:
        raise CannotUndo("The system is gone by now.")


def _move_back(details: dict[str, Any], gone: System, kept: System) -> None:
    """Give a merged system its sets, scores and authors back."""
    QuestionSet.objects.filter(pk__in=details["moved"], system=kept).update(system=gone)
    Score.objects.filter(pk__in=details["scores"], system=kept).update(system=gone)
    added = details.get("authors_added", ())
    SystemAuthor.objects.filter(system=kept, enrollment__in=added).delete()
    authors = Enrollment.objects.filter(pk__in=details.get("authors", ()))
    SystemAuthor.objects.bulk_create(SystemAuthor(enrollment=who, system=gone) for who in authors)


def _unmerge(change: SystemChange) -> None:
    """Recreate the merged system, with its own sets and those that were deleted."""
    details, dataset = change.details, change.dataset
    kept = System.objects.filter(pk=details["kept"], dataset=dataset).first()
    if kept is None or dataset.systems.filter(name=change.before).exists():
        raise CannotUndo("The systems were changed since then.")
    if locked_campaigns(dataset):
        raise CannotUndo("A campaign whose plan is locked rests on the merged system.")
    gone = System.objects.create(
        dataset=dataset,
        name=change.before,
        kind=details["kind"],
        added_file_id=details["file"],
    )
    _move_back(details, gone, kept)
    standing = set(dataset.sources.values_list("pk", flat=True))
    for system, dropped in ((kept, details["of_kept"]), (gone, details["of_gone"])):
        for source, expected, file in dropped:
            if source in standing:
                _make_empty_set(source, system, expected, file)


def _make_empty_set(source: int, system: System, expected: int, file: int | None) -> None:
    made = QuestionSet.objects.create(
        source_id=source, system=system, expected=expected, added_file_id=file
    )
    places = [None, *range(1, expected + 1)]
    Unit.objects.bulk_create(
        Unit(question_set=made, position=place, added_file_id=file) for place in places
    )


def _tell(dataset: Dataset, changes: Sequence[SystemChange], reason: str) -> None:
    """Write changes into the history, and have campaigns whose plan is locked list them."""
    what = {
        What.RENAMED: "name of a system",
        What.MARKED: "kind of a system",
        What.MERGED: "systems merged",
        What.SPLIT: "subset of a system's questions",
    }
    resting = locked_campaigns(dataset)
    Deviation.objects.bulk_create(
        Deviation(
            campaign=campaign,
            what=what[What(change.what)],
            before=change.before,
            after=change.after,
            reason=reason,
            made_by=change.made_by,
            made_at=change.made_at,
        )
        for change in changes
        for campaign in resting
    )
    for change in changes:
        history.record_event(
            Event.Act.SYSTEMS_CHANGED,
            by=change.made_by,
            about=dataset_name(dataset),
            before=change.before,
            after=change.after,
        )


def parse_renames(text: str) -> dict[str, str]:
    """Return new names by old ones, from lines such as `a, T5 Large` or `a<tab>T5 Large`.

    Raises
    ------
    CannotChange
        If a line cannot be read; the message quotes it.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        sign = next((sign for sign in ("\t", ";", ",", "=") if sign in line), "")
        old, _, new = (part.strip() for part in line.partition(sign)) if sign else ("", "", "")
        if not old or not new:
            raise CannotChange(
                f"Line {number} of the table must give a name and, after a comma or tab, another."
            )
        found[old] = new
    return found


SEPARATORS = "_-/.:| "


@dataclass(frozen=True)
class ProposedNames:
    """New names by old ones, and the subset of each system whose name was split."""

    names: dict[str, str] = field(default_factory=dict)
    subsets: dict[str, str] = field(default_factory=dict)


def shared_prefix(names: Sequence[str]) -> str:
    """Return the prefix that all names share, up to its last separator; "" if there is none, or if
    nothing would be left of a name."""
    if len(names) < 2:
        return ""
    places = takewhile(lambda signs: len(set(signs)) == 1, zip(*names, strict=False))
    shared = "".join(signs[0] for signs in places)
    end = max(shared.rfind(sign) for sign in SEPARATORS) + 1
    return shared[:end] if all(len(name) > end for name in names) else ""


def without_prefix(names: Iterable[str], prefix: str) -> ProposedNames:
    """Remove a prefix from the names that have it."""
    return ProposedNames(
        {
            name: name.removeprefix(prefix).strip()
            for name in names
            if prefix and name.startswith(prefix) and name.removeprefix(prefix).strip()
        }
    )


def replace_in_names(names: Iterable[str], find: str, replacement: str) -> ProposedNames:
    """Replace a text in all names that contain it."""
    changed = {name: name.replace(find, replacement).strip() for name in names if find in name}
    return ProposedNames({name: new for name, new in changed.items() if new and new != name})


def split(names: Iterable[str], separator: str) -> ProposedNames:
    """Split names such as `SQuAD_T5` at the first separator into a subset (SQuAD) and a system
    (T5). Names without the separator stay as they are."""
    found = ProposedNames()
    for name in names:
        subset, sign, system = (part.strip() for part in name.partition(separator))
        if sign and subset and system:
            found.names[name] = system
            found.subsets[name] = subset
    return found


def unify_spellings(names: Sequence[str]) -> ProposedNames:
    """Give names that differ only in case, spaces and punctuation the first of their spellings."""
    return ProposedNames(
        {name: group[0] for group in find_similar_names(names) for name in group[1:]}
    )
