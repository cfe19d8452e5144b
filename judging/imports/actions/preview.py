"""What the page of a waiting file shows: its first rows with their roles, the check of its study,
and what a person must accept before the file is added."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from judging.base.progress import TellProgress, ignore_progress
from judging.datasets.models.added_file import AddedFile
from judging.formats import child
from judging.formats.frames import Unreadable, shorten_line
from judging.formats.mapping import Mapping as FileMapping
from judging.formats.mapping import mapping_from
from judging.imports.actions import fit
from judging.jobs import storage
from judging.protocols import documents
from judging.protocols.actions.protocols import install
from judging.protocols.models.protocol import Protocol

LOOK = "look"  # key in `examined` of what the file holds under its mapping
INLINE = 1_500_000  # bytes of a file that a page reads itself, without a job
STEPS_ASKED = ("fill_down", "percent")  # steps whose sentences need a yes


def pseudonym_key() -> bytes:
    """Return the secret key from which labels of external annotators are derived."""
    return settings.PSEUDONYM_KEY.encode()


def stem(name: str) -> str:
    """Return a file's name without its extension."""
    return PurePath(name).stem[:100]


def mapping_of(added: AddedFile) -> FileMapping:
    """Return the mapping of a file, as decided or proposed so far."""
    header = added.examined.get(LOOK, {}).get("header", ())
    return mapping_from(added.plan).in_order(header)


def preview_file(
    added: AddedFile,
    *,
    mapping: FileMapping,
    protocol: Protocol | None,
    protocols: QuerySet[Protocol],
    progress: TellProgress = ignore_progress,
) -> dict[str, Any]:
    """Read a waiting file under a mapping, and store what it holds with the proposals for columns
    that the mapping leaves open. Without a protocol, the one that fits is chosen.

    If the file cannot be read, the reason is stored under "unreadable".
    """
    try:
        found = child.preview_in_child(
            name=added.name,
            data=storage.content_of(added.file),
            mapping=mapping,
            key=pseudonym_key(),
            known=_known(added),
            progress=lambda rows: progress(0, 0, f"Reading the file: {rows:,} rows"),
        )
    except Unreadable as refusal:
        found = {"unreadable": refusal.reason, "row": refusal.row, "mapping": mapping.as_data()}
    rated = (found.get("study") or {}).get("criteria", {})
    if protocol is None and not mapping.columns:
        text = found.get("protocol", "")
        protocol = bundle_protocol(added, text) or _protocol(added, rated, protocols)
    proposed = mapping_from(found["mapping"])
    if protocol and rated:
        points = _points(protocol, rated, proposed)
        proposed = proposed.model_copy(update={"points": points})
    found["mapping"] = proposed.as_data()
    added.plan, added.protocol, added.examined = found["mapping"], protocol, {LOOK: found}
    return found


def _known(added: AddedFile) -> dict[str, Any]:
    """Return what proposals for a further file can use: the systems of the dataset, and whom ratings
    without a name are by."""
    systems = list(added.dataset.systems.values_list("name", flat=True)[:1000])
    return {"systems": systems, "annotator": stem(added.name)} if systems else {}


def _protocol(added: AddedFile, rated: fit.Rated, protocols: QuerySet[Protocol]) -> Protocol | None:
    """Return the protocol of the dataset's ratings if it fits, else the one that does."""
    imported = added.dataset.campaigns.filter(origin="imported")
    known = protocols.filter(pk__in=imported.values("protocol"))
    return fit.find_fitting_protocol(known, rated) or fit.find_fitting_protocol(protocols, rated)


def bundle_protocol(added: AddedFile, text: str) -> Protocol | None:
    """Return the protocol in a bundle, installed for the dataset's owner if it is new; None without
    a valid one."""
    try:
        document = documents.parse(text, "protocol.yaml")
    except documents.ProtocolError:
        return None
    digest = documents.hash_document(document)
    shipped = Protocol.objects.filter(owner__isnull=True, digest=digest).first()
    return shipped or install(document=document, owner=added.dataset.owner)


def _points(
    protocol: Protocol, rated: fit.Rated, mapping: FileMapping
) -> dict[str, dict[str, str]]:
    """Return the points of the words among ratings: as decided, else as the protocol suggests."""
    found = {criterion: dict(words) for criterion, words in mapping.points.items()}
    for criterion, words in fit.proposed_points(protocol, rated).items():
        likely = {word: point for word, point in words.items() if point}
        found[criterion] = {**likely, **found.get(criterion, {})}
    return {criterion: words for criterion, words in found.items() if words}


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word among the ratings on a criterion, with the point that it means: None if that is not
    decided, blank if its ratings are excluded."""

    criterion: str
    word: str
    count: int
    point: str | None


def words_in(added: AddedFile) -> list[Word]:
    """Return the words among the ratings that are no labels of the protocol."""
    rated = rated_in(added)
    if added.protocol is None:
        return []
    points = mapping_of(added).points
    return [
        Word(
            criterion=criterion,
            word=word,
            count=rated[criterion][word],
            point=points.get(criterion, {}).get(word),
        )
        for criterion, words in fit.proposed_points(added.protocol, rated).items()
        for word in words
    ]


def _study(added: AddedFile) -> Mapping[str, Any]:
    return added.examined.get(LOOK, {}).get("study") or {}


def rated_in(added: AddedFile) -> fit.Rated:
    """Return the number of annotators' ratings with each value, by criterion."""
    rated: fit.Rated = _study(added).get("criteria", {})
    return rated


def lost_ratings(added: AddedFile) -> dict[tuple[str, str], int]:
    """Return the ratings of which no record was made, by criterion and reason."""
    return {(criterion, why): count for criterion, why, count in _study(added).get("lost", ())}


def surprises_of(added: AddedFile, *, has_sources: bool) -> list[str]:
    """Return the sentences about a file that a person must accept before it is added.

    `has_sources`: the dataset has sources already, so that passages need not be in this file.
    """
    look = added.examined.get(LOOK, {})
    return list(_surprises(added, look, has_sources))


def _surprises(added: AddedFile, look: Mapping[str, Any], has_sources: bool) -> Iterator[str]:
    yield from (said for step, said in look.get("sentences", ()) if step in STEPS_ASKED)
    for finding in _study(added).get("findings", ()):
        if finding["needs_yes"] and not (has_sources and finding["of_first_file"]):
            yield finding["sentence"]
    rated = rated_in(added)
    if added.protocol and rated:
        tally = fit.tally_of(added.protocol, rated, mapping_of(added).points, lost_ratings(added))
        if sentence := tally.surprise():
            yield sentence


def obstacles_of(added: AddedFile) -> list[str]:
    """Return why a file cannot be added under its mapping, before anything is matched."""
    look = added.examined.get(LOOK, {})
    if "unreadable" in look:
        return [look["unreadable"]]
    found = [sentence for each in look.get("errors", {}).values() for sentence in each]
    rated = rated_in(added)
    if misfit := fit.misfit(added.protocol, rated):
        found.append(misfit)
    for word in words_in(added):
        if word.point is None:
            found.append(
                f"{word.criterion}: say which point the word “{shorten_line(word.word)}” means, or exclude it."
            )
    return found
