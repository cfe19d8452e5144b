"""Lists and dictionaries that a program wrote into a cell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.imports.readers.shape.literals import structure_in
from judging.limits import MAX_JSON_DEPTH

VALUES = st.recursive(
    st.text() | st.booleans() | st.none(),
    lambda inside: st.lists(inside, min_size=1) | st.dictionaries(st.text(), inside, min_size=1),
)


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ("['a', \"b's\"]", ["a", "b's"]),
        ('["a", "b"]', ["a", "b"]),
        ("('a', 'b')", ["a", "b"]),
        ("['a'\n 'b']", ["a", "b"]),
        ("[3 2]", ["3", "2"]),
        ("[1. 2.50]", ["1.", "2.50"]),
        ("[np.float64(0.5), nan, None, True]", ["0.5", None, None, True]),
        ("array(['x', 'y'], dtype='<U3')", ["x", "y"]),
        (
            "{'text': array(['in 1800'], dtype=object), 'answer_start': array([22], dtype=int32)}",
            {"text": ["in 1800"], "answer_start": ["22"]},
        ),
    ],
)
def test_structure_in_a_literal_returns_its_values(cell: str, found: object) -> None:
    assert structure_in(cell) == found


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "Who?",
        "[1] See the note.",
        "[]",
        "['a'",
        "['a'] ['b']",
        "{'a'}",
        "[__import__('os')]",
        "['a', ..., 'b']",
        "[" * (MAX_JSON_DEPTH + 2) + "'a'" + "]" * (MAX_JSON_DEPTH + 2),
    ],
)
def test_structure_in_anything_else_returns_nothing(cell: str) -> None:
    assert structure_in(cell) is None


@given(VALUES)
def test_structure_in_what_python_writes_returns_the_same(value: object) -> None:
    if isinstance(value, list | dict):
        assert structure_in(repr(value)) == value
