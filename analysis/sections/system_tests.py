"""The test that compares the systems on each criterion, and the reason for it."""

from collections.abc import Iterator
from dataclasses import dataclass

from analysis.reports.numerals import inside, listed
from analysis.sections.columns import averaged_criteria, placed_ratings
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.protocols.rubric_schema import RubricCriterion
from quaestor_stats._system_test import MIXED_MODEL, PERMUTATION, SystemTest, system_test

NAMES = {
    PERMUTATION: "paired permutation test",
    MIXED_MODEL: "mixed model of the declared design",
}


@dataclass(frozen=True)
class SystemTestRow:
    """The test from which letters, bold type, intervals of means and sentences about systems come.

    criterion: key of the criterion
    test: permutation (paired, over sources) or mixed_model
    reason: why the mixed model compares the systems; empty for the permutation test
    caution: what makes the test weak
    """

    criterion: str
    test: str
    reason: str
    caution: str


class SystemTests(Section[SystemTestRow]):
    """The test that compares systems on each criterion: the declared design and the allocation of
    annotators to systems decide."""

    key = "system_tests"
    title = "Tests of systems"
    identity = ("criterion",)
    by_reading = True

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[SystemTestRow]:
        tests = {each.key: test_for(inputs, each) for each in averaged_criteria(inputs.counted)}
        return [
            SystemTestRow(key, test.name, test.reason, test.caution) for key, test in tests.items()
        ]


def test_for(inputs: Inputs, criterion: RubricCriterion) -> SystemTest:
    """Return the test that compares systems on a criterion."""
    rows = placed_ratings(inputs.counted, criterion)
    return system_test(
        inputs.design,
        outputs=rows["unit"].to_numpy(dtype=object),
        sources=rows["source"].to_numpy(dtype=object),
        systems=rows["system"].to_numpy(dtype=object),
        annotators=rows["annotator"].to_numpy(dtype=object),
    )


def test_of(found: Found, criterion: str) -> SystemTest:
    """Return the test that compared systems in a run; without ratings the permutation test."""
    for row in found.on(SystemTests, criterion):
        return SystemTest(row.test, row.reason, row.caution)
    return SystemTest(PERMUTATION)


def model_reasons(found: Found) -> Iterator[str]:
    """Yield why the mixed model compares the systems, with the criteria unless it is all of them,
    and what makes it weak."""
    tests = {row.criterion: test_of(found, row.criterion) for row in found.of(SystemTests)}
    by_model = {key: test for key, test in tests.items() if test.name == MIXED_MODEL}
    for reason in dict.fromkeys(test.reason for test in by_model.values()):
        keys = [key for key, test in by_model.items() if test.reason == reason]
        start = "The"
        if len(keys) < len(tests):
            start = f"On {listed([inside(found.name_of(key)) for key in keys])}, the"
        yield f"{start} test of the systems is the {NAMES[MIXED_MODEL]} because {reason}."
    yield from dict.fromkeys(test.caution for test in by_model.values() if test.caution)
