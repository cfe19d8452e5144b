"""Text of users in Markdown: it is shown as text, and nothing in it becomes markup."""

import re

ACTS = "\\`*_[]<>|#~"  # characters with a meaning inside a line; first the one that escapes others


def escape_markdown(text: str) -> str:
    """Return a text in one line, with all Markdown in it escaped.

    >>> marked("<b>a_1</b>")
    '\\\\<b\\\\>a\\\\_1\\\\</b\\\\>'
    """
    line = " ".join(text.split())
    for sign in ACTS:  # a pattern takes ten times as long, and preregistrations have millions
        line = line.replace(sign, f"\\{sign}")
    return line


def marked_lines(text: str) -> str:
    """Return a text in its own lines; lists and paragraphs are kept, and no line becomes a heading,
    a link or a tag."""
    lines = (escape_markdown(line) for line in text.strip().splitlines())
    return "\n".join(rf"\{line}" if re.fullmatch("=+|-+", line) else line for line in lines)
