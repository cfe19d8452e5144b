"""Released ratings, read against a protocol's scales; nothing is stored here."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from django.utils.translation import gettext as _

from judging.actions.collections import SetPair
from judging.imports.readers.cells import number_in
from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.records import Problem, RatingRecord, StudyRecords, WhyExcluded
from judging.imports.readers.tables import shorten
from judging.imports.readers.words import propose_points
from judging.models import Criterion, Rubric

SHOWN_WORDS = 10
# The user chose these, or the page lists the rows
ACCEPTED_REASONS = ("mistake", "word", "no_question")
MAX_SHARE_QUARANTINED = 0.01  # of the ratings, above which a user must accept it
MAX_SHARE_OFF_SCALE = 0.05  # of the ratings on a criterion, under a protocol that is proposed
RatedSlot = tuple[SetPair, int | None]


@dataclass(frozen=True, slots=True)
class StoredScale:
    """A criterion with the values that may be stored, and the labels of these values."""

    criterion: Criterion
    values: frozenset[int]
    labels: Mapping[str, int]

    def read(self, text: str) -> int | None:
        """Return the scale point that a cell names, by its number or its label."""
        try:
            number = Decimal(text)
        except InvalidOperation:
            return self.labels.get(text.strip().casefold())
        return int(number) if number in self.values else None

    def __str__(self) -> str:
        values = sorted(self.values)
        return ", ".join(map(str, values)) if len(values) < 12 else f"{values[0]} to {values[-1]}"


@dataclass(frozen=True, slots=True)
class StorableValue:
    """One rating that can be stored."""

    slot: RatedSlot
    rater: str
    criterion: Criterion
    value: int
    number: int  # of the rating among the study's
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RatingsRead:
    """A study's ratings under a rubric: those on its scales, and the others with the reason."""

    values: tuple[StorableValue, ...]
    problems: tuple[Problem, ...]
    refused: Mapping[int, WhyExcluded]  # by the number of the rating among the study's
    unmapped: tuple[str, ...] = ()  # a sentence for each word that is no scale point


@dataclass(frozen=True, slots=True)
class RatingTally:
    """The ratings in a file by criterion, without those that the dataset has already, and those of
    them that are excluded, by criterion and reason."""

    read: Mapping[str, int] = field(default_factory=Counter)
    excluded: Mapping[tuple[str, WhyExcluded], int] = field(default_factory=Counter)

    def by_reason(self) -> dict[WhyExcluded, int]:
        """Return the number of excluded ratings for each reason."""
        found: Counter[WhyExcluded] = Counter()
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

    def needs_acceptance(self) -> bool:
        """Return whether more than 1% of the ratings go to quarantine, of all or on a criterion."""
        lost = self.quarantined()
        return sum(lost.values()) > MAX_SHARE_QUARANTINED * sum(self.read.values()) or any(
            count > MAX_SHARE_QUARANTINED * self.read[criterion]
            for criterion, count in lost.items()
            if criterion
        )


class _RatingRefused(ValueError):
    """A rating cannot be stored."""

    def __init__(self, why: WhyExcluded, reason: str) -> None:
        super().__init__(reason)
        self.why = why


def read(*, study: StudyRecords, rubric: Rubric) -> RatingsRead:
    """Read every rating under the rubric; nothing is stored yet."""
    reader = _Reader(study, rubric)
    problems = []
    refused: dict[int, WhyExcluded] = {}
    for number, rating in enumerate(study.ratings):
        try:
            reader.take(number, rating)
        except _RatingRefused as refusal:
            problems.append(_problem(rating, str(refusal)))
            refused[number] = refusal.why
    unmapped = tuple(_unmapped(reader.unmapped, reader.scales))
    return RatingsRead(
        tuple(value for value, _ in reader.found.values()), tuple(problems), refused, unmapped
    )


def tally(
    *,
    study: StudyRecords,
    rubric: Rubric,
    excluded: Mapping[int, WhyExcluded],
    already_there: Collection[int],
) -> RatingTally:
    """Return how many of the study's ratings are excluded; `excluded` and `already_there` name
    ratings by their numbers."""
    scales = _scales(rubric)

    def name_of(criterion: str) -> str:
        scale = scales.get(_plain(criterion))
        return scale.criterion.name if scale else criterion

    read = Counter(rating.criterion for rating in study.ratings)
    read.subtract(study.ratings[number].criterion for number in already_there)
    lost = Counter((study.ratings[number].criterion, why) for number, why in excluded.items())
    for each in study.lost_ratings:
        read[each.criterion] += each.count
        lost[each.criterion, each.why] += each.count
    named, named_lost = Counter[str](), Counter[tuple[str, WhyExcluded]]()
    for criterion, count in read.items():
        named[name_of(criterion)] += count
    for (criterion, why), count in lost.items():
        named_lost[name_of(criterion), why] += count
    return RatingTally(named, named_lost)


def _unmapped(
    words: Mapping[tuple[str, str], int], scales: Mapping[str, StoredScale]
) -> Iterator[str]:
    for (criterion, word), count in list(words.items())[:SHOWN_WORDS]:
        ratings = f"{count:,} ratings" if count > 1 else "1 rating"
        yield (
            f"{scales[criterion].criterion.name}: the word “{shorten(word)}” ({ratings}) is no point "
            f"of the scale {scales[criterion]}. Map it to a point, or exclude it, where the columns "
            "are named."
        )


class _Reader:
    """The ratings accepted so far, by unit, rater and criterion, with the row of each."""

    def __init__(self, study: StudyRecords, rubric: Rubric) -> None:
        self.rubric = rubric
        self.scales = _scales(rubric)
        self.found: dict[tuple[RatedSlot, str, int], tuple[StorableValue, int]] = {}
        self.unmapped: Counter[tuple[str, str]] = Counter()
        self.members: dict[SetPair, list[int]] = {}
        for question in study.questions:
            if question.text is not None:
                self.members.setdefault((question.source_key, question.system), []).append(
                    question.position
                )

    def take(self, number: int, rating: RatingRecord) -> None:
        scale = self.scales.get(_plain(rating.criterion))
        if scale is None:
            reason = f"{self.rubric} has no criterion “{shorten(rating.criterion)}”."
            raise _RatingRefused("no_criterion", reason)
        value = scale.read(rating.value)
        if value is None:
            if number_in(rating.value) is None:
                self.unmapped[_plain(rating.criterion), rating.value] += 1
            reason = f"It is not on the scale of {scale.criterion.name}: {scale}."
            raise _RatingRefused("off_scale", reason)
        slots, said = self._slots(rating, scale.criterion), rating.attributes
        values = [
            StorableValue(slot, rating.rater, scale.criterion, value, number, said)
            for slot in slots
        ]
        self._refuse_second(values)
        self.found |= {
            (each.slot, each.rater, each.criterion.pk): (each, rating.row) for each in values
        }

    def _slots(self, rating: RatingRecord, criterion: Criterion) -> Sequence[RatedSlot]:
        """Return the slots of a rating: one for the whole set is stored on each member if the
        criterion is asked once per set."""
        pair = (rating.source_key, rating.system)
        if criterion.unit == Criterion.Unit.SET:
            return [(pair, None)]
        if rating.position is not None:
            return [(pair, rating.position)]
        if criterion.asked == Criterion.Asked.ONCE_PER_SET and pair in self.members:
            return [(pair, position) for position in self.members[pair]]
        reason = f"{criterion.name} is asked of each question, and this rates a set as a whole."
        raise _RatingRefused("no_criterion", reason)

    def _refuse_second(self, values: Sequence[StorableValue]) -> None:
        """Refuse a second value: only a set's value may be repeated, in the row of each member."""
        for new in values:
            before, row = self.found.get((new.slot, new.rater, new.criterion.pk), (None, 0))
            repeats = before is not None and new.slot[1] is None and before.value == new.value
            if before is not None and not repeats:
                reason = f"{shorten(new.rater)} rated the same in row {row:,}, as {before.value}."
                raise _RatingRefused("second", reason)


def _scales(rubric: Rubric) -> dict[str, StoredScale]:
    """Return the rubric's scales by each criterion's key and name, however they are spelled."""
    found: dict[str, StoredScale] = {}
    for criterion in rubric.criteria.prefetch_related("points"):
        points = list(criterion.points.all())
        labels = {point.label.strip().casefold(): point.value for point in points if point.label}
        scale = StoredScale(criterion, frozenset(point.value for point in points), labels)
        found[_plain(criterion.name)] = scale
    return found | {_plain(scale.criterion.key): scale for scale in found.values()}


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedWord:
    """A word used as a rating, with its criterion's points and the likely point, as a number."""

    criterion: str
    word: str
    points: Sequence[tuple[int, str]]
    point: str
    is_label: bool


def mapped_words(rubric: Rubric, words: Mapping[str, Collection[str]]) -> Iterator[MappedWord]:
    """Yield the words on each criterion that the protocol has, those of the highest point first and
    those without a point last."""
    scales = _scales(rubric)
    for criterion, said in words.items():
        if (scale := scales.get(_plain(criterion))) is None:
            continue
        points = [(point.value, point.label) for point in scale.criterion.points.all()]
        proposed = _points(scale, said)
        ranked = sorted(proposed, key=lambda word: (-(proposed[word] or 0), word))
        for word in ranked:
            point = proposed[word]
            yield MappedWord(
                criterion=criterion,
                word=word,
                points=points,
                point="" if point is None else str(point),
                is_label=word.strip().casefold() in scale.labels,
            )


def _points(scale: StoredScale, words: Collection[str]) -> dict[str, int | None]:
    counted = sorted(point.value for point in scale.criterion.points.all() if not point.missing)
    is_reversed = scale.criterion.best == Criterion.Best.LOWEST
    ordered = counted[::-1] if is_reversed else counted
    return propose_points(words, labels=scale.labels, scale=ordered)


@dataclass(frozen=True, slots=True)
class BetweenPoints:
    """Ratings on one criterion that lie between the points of its scale: how many, and the first."""

    criterion: str
    scale: StoredScale
    count: int
    first: str


def between_points(*, study: StudyRecords, rubric: Rubric) -> list[BetweenPoints]:
    """Return the criteria with numbers between the points of their scales, such as 63.5."""
    scales = _scales(rubric)
    found: dict[str, tuple[StoredScale, list[str]]] = {}
    for rating in study.ratings:
        scale, number = scales.get(_plain(rating.criterion)), number_in(rating.value)
        if scale is None or number is None or number.is_integer():
            continue
        if min(scale.values) < number < max(scale.values):
            found.setdefault(scale.criterion.name, (scale, []))[1].append(rating.value)
    return [
        BetweenPoints(name, scale, len(values), values[0])
        for name, (scale, values) in found.items()
    ]


def _plain(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


def _problem(rating: RatingRecord, reason: str) -> Problem:
    return Problem(
        row=rating.row, column=rating.column, value=rating.value, reason=reason, kind="value"
    )


def misfit(*, rubric: Rubric | None, columns: ColumnRoles) -> str:
    """Return why the ratings in these columns cannot be stored under a protocol, or ""."""
    has_annotators = any(rating.kind == "annotator" for rating in columns.ratings)
    if rubric is None and (has_annotators or columns.value):
        return _(
            "A column holds ratings: choose the protocol they were given under. If none fits, make one under "
            "Protocols first, or exclude the columns of ratings."
        )
    if rubric is None:
        return ""
    rated = {rating.criterion for rating in columns.ratings}
    if not (unknown := unknown_criteria(rubric=rubric, names=rated)):
        return ""
    return _("It has no criterion %(unknown)s; it has %(known)s.") % {
        "unknown": ", ".join(f"“{name}”" for name in unknown),
        "known": ", ".join(rubric.criteria.values_list("name", flat=True)),
    }


def fitting(
    *, rubrics: Iterable[Rubric], names: Collection[str], rated: Mapping[str, Mapping[str, int]]
) -> Rubric | None:
    """Return the protocol that has all these criteria and fewest others, in its newest version.

    `rated` holds the number of ratings with each value, by criterion; the protocol has scales for
    them.
    """
    if not names:
        return None
    fit = [
        each
        for each in rubrics
        if not unknown_criteria(rubric=each, names=names) and are_on_scale(each, rated)
    ]
    return min(fit, key=lambda each: (each.criteria.count(), each.key, -each.pk), default=None)


def are_on_scale(rubric: Rubric, rated: Mapping[str, Mapping[str, int]]) -> bool:
    """Return whether the protocol has each of these criteria, and a scale for the ratings on it.

    At most 5% of the ratings are numbers off the scale, and at most half of the different values are
    words without a point: these are asked about before anything is stored.
    """
    scales = _scales(rubric)
    return all(
        (scale := scales.get(_plain(criterion))) is not None and _is_scale_of(scale, values)
        for criterion, values in rated.items()
    )


def _is_scale_of(scale: StoredScale, values: Mapping[str, int]) -> bool:
    words = [each for each in values if number_in(each) is None]
    points = _points(scale, words)
    unknown_words = sum(scale.read(each) is None and points[each] is None for each in words)
    off = sum(
        count
        for each, count in values.items()
        if number_in(each) is not None and scale.read(each) is None
    )
    return 2 * unknown_words <= len(values) and off <= MAX_SHARE_OFF_SCALE * sum(values.values())


def unknown_criteria(*, rubric: Rubric, names: Iterable[str]) -> list[str]:
    """Return those of the names that are no criterion of the rubric."""
    scales = _scales(rubric)
    return sorted(name for name in names if _plain(name) not in scales)
