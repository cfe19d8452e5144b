"""The scales of a file's ratings beside those of protocols: which protocol fits, what is off its
scale, and a protocol made from the file's own values."""

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from django.db import transaction

from judging.base.texts import number_in
from judging.formats.frames import shorten_line
from judging.formats.vocabulary import order_scale_words, propose_points
from judging.people.models.user import User
from judging.protocols import documents, protocol_edits
from judging.protocols.actions import protocols
from judging.protocols.models.protocol import Criterion, Protocol
from judging.protocols.protocol_schema import HIGHEST_VALUE, LOWEST_VALUE

MAX_SHARE_OFF_SCALE = 0.05  # of the ratings on a criterion, under a protocol that is proposed
MAX_TITLE_CHARACTERS = 200  # of a protocol
MAX_CRITERION_CHARACTERS = 100

MAX_SHARE_QUARANTINED = 0.01  # of the ratings, above which a person must accept it
# Why a rating is not stored, in words that follow a number of ratings
WHY_EXCLUDED: Mapping[str, str] = {
    "off_scale": "not on the scale of their criterion",
    "no_criterion": "on no criterion of the protocol, or on one that it asks of other units",
    "unnamed": "without an annotator or a criterion",
    "second": "by an annotator who had rated the same before",
    "contradicts": "contradicted by the dataset",
    "refused_row": "in refused rows",
    "no_question": "about questions that the dataset lacks",
    "mistake": "repeated, which the mapping declares a mistake",
    "word": "with words that were excluded",
}
# The user chose these, or the page lists the rows
ACCEPTED_REASONS = ("mistake", "word", "no_question")

# The number of ratings with each value, by criterion
Rated = Mapping[str, Mapping[str, int]]
Points = Mapping[str, Mapping[str, str]]  # the point of each word, by criterion


@dataclass(frozen=True, slots=True)
class RatingTally:
    """The ratings in a file by criterion, without those that the dataset has already, and those of
    them that are excluded, by criterion and reason."""

    read: Mapping[str, int] = field(default_factory=Counter)
    excluded: Mapping[tuple[str, str], int] = field(default_factory=Counter)

    def by_reason(self) -> dict[str, int]:
        """Return the number of excluded ratings for each reason."""
        found: Counter[str] = Counter()
        for (_criterion, why), count in self.excluded.items():
            found[why] += count
        return dict(found)

    def quarantined(self) -> dict[str, int]:
        """Return the number of ratings on each criterion that go to quarantine, without those that
        the user excludes."""
        found: Counter[str] = Counter()
        for (criterion, why), count in self.excluded.items():
            if why not in ACCEPTED_REASONS:
                found[criterion] += count
        return dict(found)

    def surprise(self, what: str = "ratings") -> str:
        """Return a sentence if more than 1% of the ratings go to quarantine, of all or on one
        criterion, else ""."""
        lost = {criterion: count for criterion, count in self.quarantined().items() if criterion}
        number, total = sum(self.quarantined().values()), sum(self.read.values())
        too_many = number > MAX_SHARE_QUARANTINED * total or any(
            count > MAX_SHARE_QUARANTINED * self.read[criterion]
            for criterion, count in lost.items()
        )
        if not too_many:
            return ""
        share = number / total if total else 1.0
        percent = f"{100 * share:.0f}%" if share >= 0.1 else f"{100 * share:.1f}%"
        verb = "goes to quarantine and is" if number == 1 else "go to quarantine and are"
        return (
            f"{number:,} of the {total:,} {what} ({percent}) {verb} excluded from every analysis: "
            f"{self._reasons(lost)}. If this is wrong, choose a protocol with the scale of the ratings, "
            "or correct the file."
        )

    def _reasons(self, lost: Mapping[str, int]) -> str:
        """Return why ratings go to quarantine, and how many on each criterion."""
        reasons = "; ".join(
            f"{count:,} {WHY_EXCLUDED[why]}"
            for why, count in self.by_reason().items()
            if why not in ACCEPTED_REASONS
        )
        criteria = "; ".join(
            f"{name}: {count:,} of {self.read[name]:,}" for name, count in sorted(lost.items())
        )
        return f"{reasons} ({criteria})" if criteria else reasons


@dataclass(frozen=True, slots=True)
class StoredScale:
    """A criterion with the values that may be stored, and the labels of these values."""

    criterion: Criterion
    values: frozenset[int]
    labels: Mapping[str, int]

    def read(self, text: str) -> int | None:
        """Return the scale point that a cell names, by its number or its label."""
        number = decimal_in(text)
        if number is None:
            return self.labels.get(text.strip().casefold())
        return int(number) if number in self.values else None

    def points(self, words: Collection[str]) -> dict[str, int | None]:
        """Return the point that each word probably means, None if none is likely."""
        counted = sorted(p.value for p in self.criterion.points.all() if not p.missing)
        is_reversed = self.criterion.best == Criterion.Best.LOWEST
        ordered = counted[::-1] if is_reversed else counted
        return propose_points(words, labels=dict(self.labels), scale=ordered)

    def __str__(self) -> str:
        values = sorted(self.values)
        return ", ".join(map(str, values)) if len(values) < 12 else f"{values[0]} to {values[-1]}"


def decimal_in(text: str) -> Decimal | None:
    """Return the finite number that a text is, None if it is none."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def plain_criterion(name: str) -> str:
    """Return the name of a criterion without case, blanks and punctuation."""
    return "".join(character for character in name.casefold() if character.isalnum())


def scales_of(protocol: Protocol) -> dict[str, StoredScale]:
    """Return the protocol's scales by each criterion's key and name, however they are spelled."""
    found: dict[str, StoredScale] = {}
    for criterion in protocol.criteria.prefetch_related("points"):
        points = list(criterion.points.all())
        labels = {point.label.strip().casefold(): point.value for point in points if point.label}
        scale = StoredScale(criterion, frozenset(point.value for point in points), labels)
        found[plain_criterion(criterion.name)] = scale
    return found | {plain_criterion(scale.criterion.key): scale for scale in found.values()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """The values on one criterion beside the scale of a protocol: the range of the file's numbers,
    its words, and how many ratings are off the scale. `scale` is blank if the protocol lacks the
    criterion."""

    criterion: str
    values: str
    scale: str
    off: int
    total: int

    @property
    def share(self) -> float:
        """The share of the ratings that are off the scale."""
        return self.off / self.total if self.total else 0.0


def compare_with_scales(protocol: Protocol | None, rated: Rated, points: Points) -> list[Beside]:
    """Return the file's values on each criterion beside the protocol's scale."""
    scales = scales_of(protocol) if protocol else {}
    found = []
    for criterion, values in rated.items():
        scale = scales.get(plain_criterion(criterion))
        found.append(
            Beside(
                criterion=criterion,
                values=_said(values),
                scale=str(scale) if scale else "",
                off=sum(_off(scale, values, points.get(criterion, {})).values()),
                total=sum(values.values()),
            )
        )
    return found


def _off(
    scale: StoredScale | None, values: Mapping[str, int], points: Mapping[str, str]
) -> dict[str, int]:
    """Return the values that are no point of a scale, with the number of ratings."""
    if scale is None:
        return dict(values)
    meant = {value: points.get(value, value) for value in values}
    return {
        value: count
        for value, count in values.items()
        if meant[value] and scale.read(meant[value]) is None
    }


def tally_of(
    protocol: Protocol, rated: Rated, points: Points, lost: Mapping[tuple[str, str], int]
) -> RatingTally:
    """Return how many of a file's ratings a protocol excludes, before anything is matched."""
    scales = scales_of(protocol)
    read: Counter[str] = Counter()
    excluded: Counter[tuple[str, str]] = Counter()
    for criterion, values in rated.items():
        scale, name = scales.get(plain_criterion(criterion)), _stored_name(scales, criterion)
        read[name] += sum(values.values())
        why = "off_scale" if scale else "no_criterion"
        if off := sum(_off(scale, values, points.get(criterion, {})).values()):
            excluded[name, why] += off
    for (criterion, why), count in lost.items():
        name = _stored_name(scales, criterion)
        read[name] += count
        excluded[name, why] += count
    return RatingTally(read, excluded)


def _stored_name(scales: Mapping[str, StoredScale], criterion: str) -> str:
    """Return the protocol's name of a criterion; if it has none, the file's."""
    scale = scales.get(plain_criterion(criterion))
    return scale.criterion.name if scale else criterion


def _said(values: Mapping[str, int]) -> str:
    """Return the range of the numbers and the first words among values."""
    numbers = sorted(number for value in values if (number := number_in(value)) is not None)
    words = [f"“{shorten_line(value, 30)}”" for value in values if number_in(value) is None]
    parts = [f"{numbers[0]:g} to {numbers[-1]:g}"] if numbers else []
    return ", ".join([*parts, *words[:5], *(["…"] if len(words) > 5 else [])])


def find_fitting_protocol(protocols: Iterable[Protocol], rated: Rated) -> Protocol | None:
    """Return the protocol that has all these criteria with scales for their ratings, and fewest
    others, in its newest version."""
    if not rated:
        return None
    fit = [protocol for protocol in protocols if are_on_scale(protocol, rated)]
    return min(fit, key=lambda each: (each.criteria.count(), each.key, -each.pk), default=None)


def fits_exactly(protocol: Protocol, rated: Rated) -> bool:
    """Return whether a protocol has these criteria and no others, and every rating is on their
    scales."""
    rows = compare_with_scales(protocol, rated, {})
    return len(rows) == protocol.criteria.count() and all(row.scale and not row.off for row in rows)


def are_on_scale(protocol: Protocol, rated: Rated) -> bool:
    """Return whether the protocol has each of these criteria, and a scale for the ratings on it.

    At most 5% of the ratings are numbers off the scale, and at most half of the different values are
    words without a point: these are asked about before anything is stored.
    """
    scales = scales_of(protocol)
    return all(
        (scale := scales.get(plain_criterion(criterion))) is not None
        and _is_scale_of(scale, values)
        for criterion, values in rated.items()
    )


def _is_scale_of(scale: StoredScale, values: Mapping[str, int]) -> bool:
    words = [value for value in values if number_in(value) is None]
    points = scale.points(words)
    unknown_words = sum(scale.read(word) is None and points[word] is None for word in words)
    off = sum(
        count
        for each, count in values.items()
        if number_in(each) is not None and scale.read(each) is None
    )
    return 2 * unknown_words <= len(values) and off <= MAX_SHARE_OFF_SCALE * sum(values.values())


def proposed_points(protocol: Protocol, rated: Rated) -> dict[str, dict[str, str]]:
    """Return, by criterion, the point that each word among the ratings probably means; blank if
    none is likely. Labels of the scale need no point."""
    found: dict[str, dict[str, str]] = {}
    for criterion, values in rated.items():
        scale = scales_of(protocol).get(plain_criterion(criterion))
        words = [value for value in values if decimal_in(value) is None]
        if scale is None or not words:
            continue
        points = scale.points(words)
        unlabelled = [word for word in words if scale.read(word) is None]
        if unlabelled:
            found[criterion] = {
                word: "" if points[word] is None else str(points[word]) for word in unlabelled
            }
    return found


def misfit(protocol: Protocol | None, criteria: Collection[str]) -> str:
    """Return why ratings on these criteria cannot be stored under a protocol, or ""."""
    if not criteria:
        return ""
    if protocol is None:
        return (
            "The file holds ratings: choose the protocol they were given under, or make one from their own "
            "scale."
        )
    known = scales_of(protocol)
    unknown = [f"“{name}”" for name in criteria if plain_criterion(name) not in known]
    if not unknown:
        return ""
    names = ", ".join(protocol.criteria.values_list("name", flat=True))
    return f"It has no criterion {', '.join(unknown)}; it has {names}."


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnScale:
    """The points of a file's own ratings on one criterion: whole numbers from the lowest to the
    highest, or words in their order with numbers from 1."""

    criterion: str
    lowest: int
    highest: int
    words: Sequence[Sequence[str]] = ()

    def __str__(self) -> str:
        if self.words:
            return f"{self.criterion}: {', '.join('/'.join(same) for same in self.words)}"
        return f"{self.criterion} from {self.lowest} to {self.highest}"

    @property
    def is_lowest_best(self) -> bool:
        """Whether the lowest value is best: of ranks only."""
        return plain_criterion(self.criterion) == "rank"

    @property
    def best(self) -> str:
        """The value that is taken as best."""
        if self.is_lowest_best:
            return str(self.lowest)
        return "/".join(self.words[-1]) if self.words else str(self.highest)


def own_scales(rated: Rated) -> list[OwnScale]:
    """Return the scale of each criterion; none if one of them has no scale: more than 5% of its
    ratings are neither whole numbers nor words in a known order, or all are equal."""
    scales = [_own_scale(criterion, values) for criterion, values in rated.items()]
    return [scale for scale in scales if scale] if all(scales) else []


def without_own_scale(rated: Rated) -> dict[str, list[str]]:
    """Return the different values on each criterion whose ratings give no scale."""
    return {
        criterion: list(values)
        for criterion, values in rated.items()
        if _own_scale(criterion, values) is None
    }


def _own_scale(criterion: str, values: Mapping[str, int]) -> OwnScale | None:
    name = criterion.strip()
    name = name[:1].upper() + name[1:]
    if len(name) > MAX_CRITERION_CHARACTERS:
        return None
    total = sum(values.values())
    whole = {
        int(number): count
        for value, count in values.items()
        if (number := number_in(value)) is not None
        and number.is_integer()
        and LOWEST_VALUE <= number <= HIGHEST_VALUE
    }
    if len(whole) > 1 and total - sum(whole.values()) <= MAX_SHARE_OFF_SCALE * total:
        return OwnScale(criterion=name, lowest=min(whole), highest=max(whole))
    words = order_scale_words({value for value in values if number_in(value) is None})
    if not whole and len(words) > 1:
        return OwnScale(criterion=name, lowest=1, highest=len(words), words=words)
    return None


def own_points(scales: Sequence[OwnScale], rated: Rated) -> dict[str, dict[str, str]]:
    """Return, by criterion, the point of each word on the file's own scales."""
    found = {}
    for criterion, scale in zip(rated, scales, strict=True):
        if scale.words:
            found[criterion] = {
                word: str(place) for place, same in enumerate(scale.words, 1) for word in same
            }
    return found


def create_protocol(*, scales: Sequence[OwnScale], by: User) -> Protocol:
    """Create a user's protocol with these scales, each of which is best at its highest value; an
    equal protocol of the user is not created again."""
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=by.pk)  # one protocol at a time
        for key in _keys(scales):
            document = documents.protocol_from_document(_tree(scales, key))
            same_key = Protocol.objects.filter(owner=by, key=key)
            if not same_key.exclude(digest=documents.hash_document(document)).exists():
                return protocols.install(document=document, owner=by)
    raise AssertionError("unreachable: the numbers of keys do not end")


def _keys(scales: Sequence[OwnScale]) -> Iterator[str]:
    word = protocol_edits.key_from_name("-".join(scale.criterion for scale in scales), set())
    yield word
    yield from (f"{word}-{number}" for number in itertools.count(2))


def _tree(scales: Sequence[OwnScale], key: str) -> protocol_edits.Tree:
    taken: set[str] = set()
    return {
        "key": key,
        "version": "1",
        "title": shorten_line(", ".join(map(str, scales)), most=MAX_TITLE_CHARACTERS),
        "summary": "The scales of the ratings in an imported file.",
        "citation": "None: made from the ratings in an imported file.",
        "task": "unit",
        "annotators": 1,
        "estimated_seconds": 60,
        "stages": [
            {"key": "judge", "title": "Judge the questions", "shows": ["passage", "answer"]}
        ],
        "criteria": [_criterion(scale, taken) for scale in scales],
        "aggregate": {"kind": "mean"},
        "guideline": "The file holds no guideline.",
    }


def _criterion(scale: OwnScale, taken: set[str]) -> dict[str, Any]:
    key = protocol_edits.key_from_name(scale.criterion, taken)
    taken.add(key)
    labels = {str(scale.lowest): "lowest", str(scale.highest): "highest"}
    if scale.words:
        labels = {str(place): same[0] for place, same in enumerate(scale.words, 1)}
    return {
        "key": key,
        "name": scale.criterion,
        "prompt": f"How do you rate the question on “{scale.criterion}”?",
        "definition": "The file holds no definition.",
        "level": "ordinal",
        "best": "lowest" if scale.is_lowest_best else "highest",
        "stage": "judge",
        "scale": {"from": scale.lowest, "to": scale.highest, "labels": labels},
    }
