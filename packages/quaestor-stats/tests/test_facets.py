import numpy as np
import pytest

from quaestor_stats._design import Design, facets

BOTH = Design(systems="random")


def test_labels_are_numbered_in_their_own_order_whatever_the_order_of_the_rows() -> None:
    of = facets(["b", "a", "b"], [10, 9, 9])
    assert (of.source.tolist(), of.system.tolist()) == ([1, 0, 1], [1, 0, 0])
    assert (of.n_sources, of.n_systems) == (2, 2)
    assert facets([2, "a", 2]).source.tolist() == [0, 1, 0]


def test_cells_are_the_question_sets_that_exist() -> None:
    codes, n = facets(["a", "a", "b", "b"], ["x", "y", "y", "y"]).cells
    assert (codes.tolist(), n) == ([0, 1, 2, 2], 3)


def test_select_forgets_sources_and_systems_without_questions() -> None:
    of = facets(["a", "b", "c"], ["x", "y", "z"]).select(np.array([True, False, True]))
    assert (of.source.tolist(), of.n_sources, of.system.tolist(), of.n_systems) == (
        [0, 1],
        2,
        [0, 1],
        2,
    )


@pytest.mark.parametrize(
    "design",
    [
        Design(),
        Design(systems="random"),
        Design(annotators="random"),
        Design(systems="random", annotators="random"),
    ],
)
def test_design_from_its_key_is_equal(design: Design) -> None:
    assert Design.from_key(design.key) == design


@pytest.mark.parametrize(
    "key", ["", "systems", "sources+people", "systems+sources", "sources+systems+questions"]
)
def test_design_from_another_key_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="is none of sources"):
        Design.from_key(key)


def test_design_with_an_unknown_treatment_is_refused() -> None:
    with pytest.raises(ValueError, match="annotators: 'some' is neither"):
        Design(annotators="some")  # type: ignore[arg-type]


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
