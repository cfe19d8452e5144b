"""Matching a file with a collection where both say the same thing over and over."""

import time

import pytest

from judging.imports.actions.letters import letters, told_apart
from judging.imports.actions.matching import CollectionSet, Held, HeldSlot, HeldSource, match
from judging.imports.readers.records import StudyRecords
from judging.imports.readers.registry import FORMAT
from judging.imports.readers.sameness import Sameness

MANY = 6_000


def study(system: str) -> StudyRecords:
    rows = [f"Q?,{system},s{number}" for number in range(MANY)]
    return FORMAT["csv"].read("\n".join(["question,system,source_id", *rows]).encode())


def held() -> Held:
    return Held(
        sources=[HeldSource(n, f"s{n}", "", "", "", "", "", "") for n in range(MANY)],
        slots=[HeldSlot(n, n, "A", 1, "Q?", "") for n in range(MANY)],
        sets={(n, "A"): CollectionSet(n, n, 1) for n in range(MANY)},
    )


@pytest.mark.parametrize("by", ["ids", "texts"])
def test_as_many_equal_questions_as_the_collection_has_are_matched_at_once(by) -> None:
    began = time.process_time()
    found = match(study("A"), held(), same=Sameness(), by=by, has_ids=True)
    assert [each.slot.unit for each in found.questions.values() if each.slot] == [*range(MANY)]
    assert time.process_time() - began < 5  # it takes a tenth of that


def test_letters_of_many_equal_questions_are_told_apart_at_once() -> None:
    read = study("a")
    began = time.process_time()
    found = letters(read, held(), same=Sameness(), has_ids=False)
    assert found is not None
    assert found.names == {"a": "A"}
    assert len(told_apart(read, found.matching).questions) == MANY
    assert time.process_time() - began < 5
