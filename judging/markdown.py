"""What people wrote, put into Markdown: the text is shown and nothing in it acts."""

import re

ACTS = "\\`*_[]<>|#~"  # what Markdown would act on inside a line; first what marks the others


def marked(text: str) -> str:
    """Return a text in one line, with nothing in it that Markdown acts on.

    >>> marked("<b>a_1</b>")
    '\\\\<b\\\\>a\\\\_1\\\\</b\\\\>'
    """
    line = " ".join(text.split())
    for sign in ACTS:  # a pattern takes ten times as long, and preregistrations hold millions
        line = line.replace(sign, f"\\{sign}")
    return line


def marked_lines(text: str) -> str:
    """Return a text in its own lines; lists and paragraphs stay what they are, and no line makes
    a heading, a link or a tag."""
    lines = (marked(line) for line in text.strip().splitlines())
    return "\n".join(rf"\{line}" if re.fullmatch("=+|-+", line) else line for line in lines)
