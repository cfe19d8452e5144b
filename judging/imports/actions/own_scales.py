"""The scale of a file's own ratings, and a protocol made from it."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from judging.actions import rubrics
from judging.imports.actions.ratings import MAX_SHARE_OFF_SCALE
from judging.imports.readers.cells import number_in
from judging.imports.readers.tables import shorten
from judging.models import Rubric, User
from judging.protocols import documents, rubric_trees
from judging.protocols.rubric_reader import HIGHEST_VALUE, LOWEST_VALUE

MAX_TITLE_CHARACTERS = 200  # of a protocol
MAX_CRITERION_CHARACTERS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnScale:
    """The whole numbers from the lowest to the highest rating on one criterion."""

    criterion: str
    lowest: int
    highest: int

    def __str__(self) -> str:
        return f"{self.criterion} from {self.lowest} to {self.highest}"


def own_scales(rated: Mapping[str, Mapping[str, int]]) -> list[OwnScale]:
    """Return the scale of each criterion, by the number of ratings with each value; none if more
    than 5% of the ratings on one of them are not whole numbers, or if they are all equal."""
    scales = [_own_scale(criterion, values) for criterion, values in rated.items()]
    return [scale for scale in scales if scale] if all(scales) else []


def _own_scale(criterion: str, values: Mapping[str, int]) -> OwnScale | None:
    whole = {
        int(number): count
        for value, count in values.items()
        if (number := number_in(value)) is not None
        and number.is_integer()
        and LOWEST_VALUE <= number <= HIGHEST_VALUE
    }
    total = sum(values.values())
    name = criterion.strip()
    if (
        len(whole) < 2
        or total - sum(whole.values()) > MAX_SHARE_OFF_SCALE * total
        or len(name) > MAX_CRITERION_CHARACTERS
    ):
        return None
    return OwnScale(criterion=name[:1].upper() + name[1:], lowest=min(whole), highest=max(whole))


def create_protocol(*, scales: Sequence[OwnScale], by: User) -> Rubric:
    """Create a user's protocol with these scales, each of which is best at its highest value; an
    equal protocol of the user is not created again."""
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=by.pk)  # one protocol at a time
        for key in _keys(scales):
            document = documents.from_document(_tree(scales, key))
            same_key = Rubric.objects.filter(owner=by, key=key)
            if not same_key.exclude(digest=documents.digest(document)).exists():
                return rubrics.install(document=document, owner=by)
    raise AssertionError("unreachable: the numbers of keys do not end")


def _keys(scales: Sequence[OwnScale]) -> Iterator[str]:
    word = rubric_trees.named("-".join(scale.criterion for scale in scales), set())
    yield word
    yield from (f"{word}-{number}" for number in itertools.count(2))


def _tree(scales: Sequence[OwnScale], key: str) -> rubric_trees.Tree:
    taken: set[str] = set()
    return {
        "key": key,
        "version": "1",
        "title": shorten(", ".join(map(str, scales)), most=MAX_TITLE_CHARACTERS),
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
    key = rubric_trees.named(scale.criterion, taken)
    taken.add(key)
    return {
        "key": key,
        "name": scale.criterion,
        "prompt": f"How do you rate the question on “{scale.criterion}”?",
        "definition": "The file holds no definition.",
        "level": "ordinal",
        "best": "highest",
        "stage": "judge",
        "scale": {
            "from": scale.lowest,
            "to": scale.highest,
            "labels": {str(scale.lowest): "lowest", str(scale.highest): "highest"},
        },
    }
