"""Parts of the judging page that many annotators get alike: each is rendered once for what it
shows, and kept.

A criterion with its words, the passage and the guideline say nothing of who asks; to render them
anew for every page was most of what a page cost. All that a fragment shows is in its arguments,
which are plain values that never change: it reaches no request, no token and no user.
"""

from typing import Any

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from judging.caches import kept_within

register = template.Library()


@register.simple_tag
def fragment(name: str, **parts: Any) -> SafeString:
    """Return a template rendered with the given parts and nothing else, in the language of the
    page."""
    return _rendered(name, get_language(), tuple(parts.items()))


@kept_within(lambda html, *given: len(html) + len(repr(given)))
def _rendered(name: str, language: str | None, parts: tuple[tuple[str, Any], ...]) -> SafeString:
    return SafeString(render_to_string(name, dict(parts)))
