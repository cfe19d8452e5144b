"""A small form of bench/inference.py: intervals that are broken or p that are always small show
even in few studies."""

from dataclasses import replace

import pytest

from bench import inference

pytestmark = pytest.mark.long
STUDIES = 16


@pytest.fixture(scope="module")
def shares() -> dict[str, float]:
    """Return the share of each kind of printed number over a few studies, under nulls and else."""
    small = replace(inference.CLASS, sources=20)
    nothing = replace(small, name="nothing to find", **inference.NOTHING)
    found = {}
    # The study that says the truth: a smaller one is found in a fraction of the time
    inference.LARGE = 400
    for scenario in (small, nothing):
        for rate in inference.table(scenario, studies=STUDIES, resamples=100):
            if " interval " not in rate.kind or scenario is small:
                found[rate.kind] = rate.share
    return found


def test_no_printed_interval_misses_its_truth_too_often(shares: dict[str, float]) -> None:
    printed = {k: s for k, s in shares.items() if " interval " in k and not _published(k)}
    assert len(printed) > 20
    assert {kind: share for kind, share in printed.items() if share < 0.7} == {}


def test_no_printed_p_alarms_too_often(shares: dict[str, float]) -> None:
    printed = {k: s for k, s in shares.items() if " interval " not in k and not _published(k)}
    assert any(kind.startswith("system_comparisons difference") for kind in printed)
    assert any(kind.startswith("metric_comparisons") for kind in printed)
    assert {kind: share for kind, share in printed.items() if share > 0.25} == {}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("primary hypothesis: two of four", "primary_hypotheses permutation p_declared"),
        ("primary hypothesis: two systems", "primary_hypotheses contrast p_declared"),
        (
            "class project, nothing to find",
            "primary_hypotheses correlation p_declared",
        ),
        ("equivalence: two systems at the margin", "equivalence permutation p"),
    ],
)
def test_declared_test_under_its_null_is_measured(
    monkeypatch: pytest.MonkeyPatch, name: str, kind: str
) -> None:
    monkeypatch.setattr(inference, "LARGE", 400)
    [scenario, *_] = [each for each in inference.SCENARIOS if each.name.startswith(name)]
    rates = inference.table(scenario, studies=STUDIES, resamples=100)
    shares = {rate.kind: rate.share for rate in rates}
    assert shares[kind] < 0.3


def _published(kind: str) -> bool:
    return any(word in kind for word in inference.PUBLISHED)
