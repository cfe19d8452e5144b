"""A guideline's plain marks."""

from judging.protocols.guideline import Block, blocks


def test_blocks_paragraphs_headings_and_lists() -> None:
    text = "First line\nsecond line.\n\n## Grammar\n\n- one\n- two\n \nLast."
    assert blocks(text) == (
        Block("paragraph", ("First line second line.",)),
        Block("heading", ("Grammar",)),
        Block("list", ("one", "two")),
        Block("paragraph", ("Last.",)),
    )


def test_blocks_markup_stays_text() -> None:
    assert blocks("<b>bold</b> *stars*") == (Block("paragraph", ("<b>bold</b> *stars*",)),)


def test_blocks_of_nothing_are_none() -> None:
    assert blocks(" \n\n ") == ()
