"""The steps together."""

from hypothesis import given
from hypothesis import strategies as st

from judging.imports.forms import files
from judging.imports.readers.registry import FORMAT, FORMATS
from judging.imports.readers.shape import SHAPE_OPTIONS, STEPS
from judging.imports.readers.tables import OpenTable, RowTable
from judging.imports.readers.text import Unreadable
from tests.judging.imports.readers.shape.reading import as_csv

NAMES = ("question", "system", "passage", "reference", "criterion", "A_question", "B_question")
NUMBERS = ("fluency", "Ann", "Ben", "A_fluency", "B_fluency", "bleu", "id", "sheet")
CELLS = (
    "",
    " ",
    "1",
    "2.5",
    "61%",
    "Who?",
    "Who? | Why?",
    "1. Who? 2. Why?",
    "fluency",
    "relevance",
    "Average",
    "['Who?', 'Why?']",
    "{'a': 1, 'b': {'c': [2]}}",
    "[{'text': 'Who?'}, {}]",
    "[3, 2]",
    "[[1], 'x']",
    "</s>",
    '{"ImportId": "Q1"}',
    "question: Who?, answer: x | question: Why?, answer: y",
)
HEADERS = st.lists(st.sampled_from(NAMES + NUMBERS), min_size=1, max_size=6, unique=True)


def test_every_format_that_is_a_table_may_be_left_as_it_is() -> None:
    shaped = {each.key for each in FORMATS if set(SHAPE_OPTIONS) <= set(each.options)}

    assert shaped == {each.key for each in FORMATS if each.table} - {"long_csv"}


def test_form_offers_every_step() -> None:
    assert [name for name, _ in files.STEPS] == list(STEPS)


@given(st.data())
def test_shape_of_any_table_is_a_table_or_a_refusal(data: st.DataObject) -> None:
    header = data.draw(HEADERS)
    row = st.tuples(*(st.sampled_from(CELLS) for _ in header))
    rows = data.draw(st.lists(row, min_size=1, max_size=6))
    try:
        taken = FORMAT["csv"].taken(as_csv(header, rows).encode(), {"header": True})
    except Unreadable:
        return
    assert isinstance(taken, OpenTable | RowTable)
    table = taken.table() if isinstance(taken, OpenTable) else taken
    assert len(set(table.header)) == len(table.header)
    assert {len(each.cells) for each in table.rows} <= {len(table.header)}
    assert table.rows_read == len(table.rows)
