import numpy as np
import pytest

from quaestor_stats._design import Inference, declared
from quaestor_stats._facets import facets

BOTH = Inference(systems=True)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_labels_are_numbered_in_their_own_order_whatever_the_order_of_the_rows() -> None:
    of = facets(["b", "a", "b"], [10, 9, 9])
    assert (of.source.tolist(), of.system.tolist()) == ([1, 0, 1], [1, 0, 0])
    assert (of.n_sources, of.n_systems) == (2, 2)
    assert facets([2, "a", 2]).source.tolist() == [0, 1, 0]


def test_cells_are_the_question_sets_that_exist() -> None:
    codes, n = facets(["a", "a", "b", "b"], ["x", "y", "y", "y"]).cells
    assert (codes.tolist(), n) == ([0, 1, 2, 2], 3)


def test_kept_forgets_sources_and_systems_without_questions() -> None:
    of = facets(["a", "b", "c"], ["x", "y", "z"]).kept(np.array([True, False, True]))
    assert (of.source.tolist(), of.n_sources, of.system.tolist(), of.n_systems) == (
        [0, 1],
        2,
        [0, 1],
        2,
    )


def test_only_what_is_random_is_swapped_and_drawn() -> None:
    labels = list("aabbcc"), list("xyxyxy")
    for design, random in ((Inference(), False), (BOTH, True)):
        of = facets(*labels, design=design)
        sources, systems = of.signs(200, rng())
        assert set(np.unique(sources)) == {-1, 1}
        assert (np.unique(systems).size == 2) is random
        times = list(of.times(200, rng()))
        drawn = np.concatenate([s for s, _ in times]), np.concatenate([s for _, s in times])
        assert (drawn[0].sum(axis=1) == 3).all()
        assert (drawn[1].sum(axis=1) == 2).all()
        assert bool((drawn[1] == 1).all()) is not random


def test_resamples_of_many_questions_come_in_blocks_and_none_twice() -> None:
    of = facets(np.arange(5000) % 4, np.arange(5000) % 3, design=BOTH)
    drawn = list(of.times(100, rng()))
    assert [(len(sources), len(systems)) for sources, systems in drawn] == [(40, 40)] * 2 + [
        (20, 20)
    ]


@pytest.mark.parametrize(
    "design",
    [
        Inference(),
        Inference(systems=True),
        Inference(annotators=True),
        Inference(systems=True, annotators=True),
    ],
)
def test_a_design_comes_back_from_its_word(design: Inference) -> None:
    assert declared(design.key) == design


@pytest.mark.parametrize(
    "word", ["", "systems", "sources+people", "systems+sources", "sources+systems+questions"]
)
def test_a_word_that_is_no_design_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match="is none of sources"):
        declared(word)


def test_random_says_what_is_drawn() -> None:
    assert facets(list("aab"), list("xyx")).random == "2 sources"
    assert facets(list("aab"), list("xyx"), design=BOTH).random == "2 sources and 2 systems"


def test_labels_must_fit_and_random_systems_be_known() -> None:
    with pytest.raises(ValueError, match="systems: the design takes them as random"):
        facets(["a", "b"], design=BOTH)
    with pytest.raises(ValueError, match="sources 2, systems 3"):
        facets(["a", "b"], ["x", "y", "z"])
    with pytest.raises(ValueError, match="sources: a label is missing"):
        facets(["a", None])
