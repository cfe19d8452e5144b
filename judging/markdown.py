"""What people wrote, put into Markdown: the text is shown and nothing in it acts."""

import re

ACTS = re.compile(r"([\\`*_\[\]<>|#~])")  # what Markdown would act on inside a line


def marked(text: str) -> str:
    """Return a text in one line, with nothing in it that Markdown acts on.

    >>> marked("<b>a_1</b>")
    '\\\\<b\\\\>a\\\\_1\\\\</b\\\\>'
    """
    return ACTS.sub(r"\\\1", " ".join(text.split()))


def marked_lines(text: str) -> str:
    """Return a text in its own lines; lists and paragraphs stay what they are, and no line makes
    a heading, a link or a tag."""
    lines = (marked(line) for line in text.strip().splitlines())
    return "\n".join(rf"\{line}" if re.fullmatch("=+|-+", line) else line for line in lines)
