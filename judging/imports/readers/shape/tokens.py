"""Special tokens of language models in questions and references: `<pad>`, `</s>`, `[SEP]`."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from judging.imports.readers.records import WHOLE_FILE, Problem
from judging.imports.readers.shape.tables import Propose, remark, replaced
from judging.imports.readers.tables import AnyTable, Row

_TOKEN = re.compile(
    r"<(?:pad|s|/s|hl|unk|bos|eos|sep|mask|extra_id_[0-9]{1,3}|\|endoftext\||\|im_end\|)>"
    r"|\[(?:CLS|SEP|PAD|UNK|MASK)\]",
    re.I,
)
_KINDS_NAMED = 5


def count_tokens(table: AnyTable, propose: Propose) -> AnyTable:
    """Return the table with an offer, after its last row, to remove the special tokens in it."""
    return _with_tokens(table, propose, is_removing=False)


def remove_tokens(table: AnyTable, propose: Propose) -> AnyTable:
    """Return the table without special tokens in questions and references, with a remark."""
    return _with_tokens(table, propose, is_removing=True)


def _with_tokens(table: AnyTable, propose: Propose, *, is_removing: bool) -> AnyTable:
    roles = propose(table)
    texts = {roles.question, *roles.references, *(each.column for each in roles.by_system)}
    places = [place for place, name in enumerate(table.header) if name in texts]
    if not places:
        return table
    found: Counter[str] = Counter()

    def rows() -> Iterator[Row | Problem]:
        for row in table.rows:
            cells = list(row.cells)
            for place in places:
                if "<" not in cells[place] and "[" not in cells[place]:
                    continue
                tokens = _TOKEN.findall(cells[place])
                found.update(tokens)
                if tokens and is_removing:
                    cells[place] = " ".join(_TOKEN.sub(" ", cells[place]).split())
            yield replace(row, cells=tuple(cells)) if is_removing else row
        if found:
            yield _removed(found) if is_removing else _offered(found)

    return replaced(table, rows())


def _removed(found: Counter[str]) -> Problem:
    return remark(f"Special tokens are removed from questions and references: {_listed(found)}.")


def _offered(found: Counter[str]) -> Problem:
    reason = f"Questions or references hold special tokens of a language model: {_listed(found)}."
    return Problem(row=WHOLE_FILE, column="", value="", reason=reason, kind="offer")


def _listed(found: Counter[str]) -> str:
    named = ", ".join(f"{token} ({count:,})" for token, count in found.most_common(_KINDS_NAMED))
    return named + (", …" if len(found) > _KINDS_NAMED else "")
