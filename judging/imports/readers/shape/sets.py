"""Several questions in one cell, which are a question set: a row for each of them.

They are numbered (`1. … 2. …`), divided by a sign (`<sep>`, `[SEP]`, `||`, `|`), or each on a line
of its own. The way that fits most rows is taken; a row that it does not fit holds one question.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.likely_columns import QUESTION_MARKS, are_questions
from judging.imports.readers.records import Problem
from judging.imports.readers.shape.tables import (
    Propose,
    remark,
    replaced,
    shown,
    unused_name,
    usual_values,
)
from judging.imports.readers.tables import AnyTable, Row

Split = Callable[[str], list[str]]
ANSWER_COLUMN = "submitted_answer"
_SHARE_OF_ROWS = 0.5
_NUMBER = re.compile(r"(?:^|(?<=\s))(?:question |q)?\(?([0-9]{1,2})[.):]\s+", re.I)
_BULLETS = ("- ", "* ", "• ")
_SIGNS: Mapping[str, re.Pattern[str]] = {
    "<sep>": re.compile(r"<sep>|\[SEP\]", re.I),
    "||": re.compile(r"\|\|+"),
}
_QUESTION = re.compile(r"question ?:", re.I)
_ANSWER = re.compile(r"(?<!\w)answer ?:", re.I)


def open_sets(table: AnyTable, propose: Propose) -> AnyTable:
    """Return the table with a row for each question of a cell, if most cells hold several.

    Ratings and scores beside them are about all of them, so such a table is left as it is.
    """
    roles = propose(table)
    if not roles.question or roles.position:
        return table
    place = table.header.index(roles.question)
    cells = usual_values(table, place)
    split = next((way for way in _WAYS if _fits(way, cells)), None)
    if split is None:
        return table
    example = next(cell for cell in cells if len(split(cell)) > 1)
    begins = f"Most cells of column “{roles.question}” hold several questions, for example"
    if _is_judged(roles):
        reason = (
            f"{begins} {shown(example)}. They stay one text: the row has ratings or scores of it."
        )
        return replaced(table, table.rows, remarks=[remark(reason, roles.question)])
    several = " and ".join(shown(_parts(piece)[0]) for piece in split(example)[:2])
    reason = f"{begins} {several}. Each is read as a question of its own in a question set."
    answered = any(_parts(piece)[1] for cell in cells for piece in split(cell))
    adds_answers = answered and not roles.submitted_answer
    header = (
        (*table.header, unused_name(ANSWER_COLUMN, table.header)) if adds_answers else table.header
    )
    return replaced(
        table,
        _rows(table, place, split, adds_answers=adds_answers),
        header=header,
        remarks=[remark(reason, roles.question)],
    )


def _fits(way: Split, cells: Sequence[str]) -> bool:
    several = [pieces for cell in cells if len(pieces := way(cell)) > 1]
    return bool(several) and len(several) > _SHARE_OF_ROWS * len(cells)


def _is_judged(roles: ColumnRoles) -> bool:
    return bool(roles.ratings or roles.scores or roles.rater or roles.value)


def _rows(
    table: AnyTable, place: int, split: Split, *, adds_answers: bool
) -> Iterator[Row | Problem]:
    for row in table.rows:
        pieces = split(row.cells[place])
        for piece in pieces if len(pieces) > 1 else [row.cells[place]]:
            question, answer = _parts(piece) if adds_answers else (piece, "")
            cells = (*row.cells[:place], question, *row.cells[place + 1 :])
            yield replace(row, cells=(*cells, answer) if adds_answers else cells)


def _parts(piece: str) -> tuple[str, str]:
    """Return a question and its answer, as `question: …, answer: …` writes them."""
    named = _QUESTION.match(piece.strip())
    answer = _ANSWER.search(piece.strip())
    if not named or not answer:
        return piece, ""
    question = piece.strip()[named.end() : answer.start()]
    return question.strip().rstrip(",;").rstrip(), piece.strip()[answer.end() :].strip()


def _numbered(cell: str) -> list[str]:
    """Return the texts after the numbers 1, 2, 3, … of a cell that begins with 1."""
    marks: list[re.Match[str]] = []
    for mark in _NUMBER.finditer(cell.strip()):
        if int(mark[1]) == len(marks) + 1:
            marks.append(mark)
    if not marks or marks[0].start():
        return [cell]
    ends = [mark.start() for mark in marks[1:]] + [len(cell.strip())]
    pieces = [cell.strip()[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)]
    return pieces if all(pieces) else [cell]


def _by_sign(sign: str) -> Split:
    def split(cell: str) -> list[str]:
        pieces = [piece.strip() for piece in _SIGNS[sign].split(cell)]
        return [piece for piece in pieces if piece] or [cell]

    return split


def _by_bars(cell: str) -> list[str]:
    """Return the parts between single bars, if they are questions."""
    pieces = [piece.strip() for piece in cell.split("|") if piece.strip()]
    asked = [_parts(piece)[0] for piece in pieces]
    return pieces if are_questions(asked) else [cell]


def _by_lines(cell: str) -> list[str]:
    """Return the lines of a cell, without the bullets before them, if each is a question."""
    lines = [_without_bullet(line.strip()) for line in cell.splitlines() if line.strip()]
    return lines if all(line.endswith(QUESTION_MARKS) for line in lines) else [cell]


def _without_bullet(line: str) -> str:
    return line[2:].strip() if line.startswith(_BULLETS) else line


_WAYS: Sequence[Split] = (_numbered, *map(_by_sign, _SIGNS), _by_bars, _by_lines)
