"""D studies: worked by hand, and the systems' variance against mean squares."""

from dataclasses import replace

import numpy as np
import pytest

from quaestor_stats._generalisability import NotGeneralisable, systems_apart, variance_of_systems
from quaestor_stats._variance_components import Components, variance_components


def ratings(sources: int, systems: int, annotators: int, seed: int = 0) -> dict[str, np.ndarray]:
    draw = np.random.default_rng(seed)
    y = np.linspace(2, 3, systems)[:, None] + 0.6 * draw.normal(size=(sources, 1, 1))
    y = (
        y
        + 0.4 * draw.normal(size=(sources, systems, 1))
        + 0.3 * draw.normal(size=(1, 1, annotators))
    )
    y = (
        y
        + 0.2 * draw.normal(size=(1, systems, annotators))
        + 0.5 * draw.normal(size=(sources, systems, annotators))
    )
    source, system, annotator = (axis.ravel() for axis in np.indices(y.shape))
    return {"ratings": y.ravel(), "systems": system, "sources": source, "annotators": annotator}


@pytest.fixture(scope="module")
def round_numbers() -> Components:
    """Return components with variances to reckon with: three systems at 2, 2.4 and 2.8, 30
    sources."""
    found = variance_components(**ratings(30, 3, 3))
    variances = {
        "source": 0.36,
        "question": 0.16,
        "annotator": 0.09,
        "annotator:system": 0.04,
        "residual": 0.25,
    }
    means = np.array([2.0, 2.4, 2.8])
    return replace(found, means=means, covariance=np.full((3, 3), 0.02), variances=variances)


def test_systems_apart_by_hand(round_numbers: Components) -> None:
    """Relative .16/30 + .04/3 + .25/90 = .0214444, absolute + .36/30 + .09/3 = .0634444; between
    systems .16."""
    [[found], [one]] = (
        systems_apart(round_numbers, annotators=[k], sources=[n]) for k, n in ((3, 30), (1, 10))
    )
    assert (found.annotators, found.sources) == (3, 30)
    assert found.universe == pytest.approx(0.16)
    assert found.relative == pytest.approx(0.0214444, abs=1e-7)
    assert found.absolute == pytest.approx(0.0634444, abs=1e-7)
    assert found.generalisability == pytest.approx(0.881813, abs=1e-6)
    assert found.dependability == pytest.approx(0.716062, abs=1e-6)
    assert found.error_of_mean == pytest.approx(0.251882, abs=1e-6)
    assert found.error_of_difference == pytest.approx(0.207096, abs=1e-6)
    assert one.relative == pytest.approx(0.016 + 0.04 + 0.025)
    assert one.absolute == pytest.approx(0.081 + 0.036 + 0.09)


def test_every_number_of_annotators_meets_every_number_of_sources(
    round_numbers: Components,
) -> None:
    found = systems_apart(round_numbers, annotators=[1, 5], sources=[10, 100])
    assert [(each.annotators, each.sources) for each in found] == [
        (1, 10),
        (1, 100),
        (5, 10),
        (5, 100),
    ]


def test_several_questions_a_source_share_their_cell_s_variance(round_numbers: Components) -> None:
    """Two questions in each of 90 cells: .09/30 + .16/60 + .04/3 + .25/180, hence 1/2 of question
    and residual."""
    variances = dict(round_numbers.variances) | {"source:system": 0.09}
    [found] = systems_apart(
        replace(round_numbers, variances=variances, questions=180), annotators=[3], sources=[30]
    )
    assert found.relative == pytest.approx(0.003 + 0.0026667 + 0.0133333 + 0.0013889, abs=1e-6)


def test_variance_of_systems_is_that_of_the_mean_squares() -> None:
    """(MS_system - MS_question - MS_annotator:system + MS_residual) / (n k)."""
    data = ratings(30, 4, 3)
    y = data["ratings"].reshape(30, 4, 3)
    source, system, annotator, whole = y.mean((1, 2)), y.mean((0, 2)), y.mean((0, 1)), y.mean()
    question, pair = y.mean(2), y.mean(0)
    of_system = 90 * ((system - whole) ** 2).sum() / 3
    of_question = 3 * ((question - source[:, None] - system + whole) ** 2).sum() / (29 * 3)
    of_pair = 30 * ((pair - system[:, None] - annotator + whole) ** 2).sum() / (3 * 2)
    residual = ((y - question[:, :, None] - pair + system[:, None]) ** 2).sum() / (4 * 29 * 2)
    expected = (of_system - of_question - of_pair + residual) / 90
    assert variance_of_systems(variance_components(**data)) == pytest.approx(expected, rel=1e-6)


def test_systems_that_differ_less_than_by_chance_have_no_variance(
    round_numbers: Components,
) -> None:
    alike = replace(round_numbers, means=np.full(3, 2.0), covariance=np.eye(3) * 0.01)
    assert variance_of_systems(alike) == 0
    [found] = systems_apart(alike, annotators=[3], sources=[30])
    assert found.generalisability == 0


def test_what_says_nothing_of_other_annotators_is_refused() -> None:
    data = ratings(20, 3, 3)
    fixed = variance_components(**data, annotators_random=False)
    with pytest.raises(NotGeneralisable, match="annotators are fixed"):
        systems_apart(fixed, annotators=[3], sources=[20])
    one_each = {
        name: column.reshape(20, 3, 3)[:, range(3), range(3)].ravel()
        for name, column in data.items()
    }
    crossed = one_each | {"annotators": np.add.outer(np.arange(20), np.arange(3)).ravel() % 3}
    with pytest.raises(NotGeneralisable, match="one rating"):
        systems_apart(variance_components(**crossed), annotators=[3], sources=[20])
