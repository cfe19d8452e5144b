"""The markup of a guideline: blank lines between paragraphs, `## ` before a heading, `- ` before
list items."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Block:
    """A heading or paragraph of one line, or a list of several."""

    kind: Literal["heading", "paragraph", "list"]
    lines: tuple[str, ...]


def blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of a guideline; lines inside a paragraph are joined. Nothing in it is ever
    HTML.

    >>> blocks("Look twice.\\n\\n## Grammar\\n\\n- the question\\n- nothing else")[2]
    Block(kind='list', lines=('the question', 'nothing else'))
    """
    return tuple(_block(part) for part in re.split(r"\n[^\S\n]*\n", text.strip()) if part.strip())


def _block(part: str) -> Block:
    lines = [" ".join(line.split()) for line in part.strip().splitlines()]
    if all(line.startswith("- ") for line in lines):
        return Block("list", tuple(line[2:] for line in lines))
    if lines[0].startswith("## ") and len(lines) == 1:
        return Block("heading", (lines[0][3:],))
    return Block("paragraph", (" ".join(lines),))
