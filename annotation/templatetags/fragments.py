"""Parts of the judging page that many annotators get alike: each is rendered once for what it
shows, and kept.

A criterion with its words, the passage and the guideline say nothing of who asks; to render them
anew for every page was most of what a page cost. All that a fragment shows is in its arguments,
which are plain values that never change: it reaches no request, no token and no user.
"""

from functools import lru_cache
from typing import Any

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

register = template.Library()
KEPT = 4096  # fragments in a process, of about 2 kB each
LONGEST = 50_000  # characters of one that is kept: thousands of long passages would fill the memory


class _TooLong(Exception):
    """A fragment that is too long to be kept; what raises is in no cache."""

    def __init__(self, html: SafeString) -> None:
        super().__init__()
        self.html = html


@register.simple_tag
def fragment(name: str, **parts: Any) -> SafeString:
    """Return a template rendered with the given parts and nothing else, in the language of the
    page."""
    try:
        return _rendered(name, get_language(), tuple(parts.items()))
    except _TooLong as long:
        return long.html


@lru_cache(maxsize=KEPT)
def _rendered(name: str, language: str | None, parts: tuple[tuple[str, Any], ...]) -> SafeString:
    html = SafeString(render_to_string(name, dict(parts)))
    if len(html) > LONGEST:
        raise _TooLong(html)
    return html
