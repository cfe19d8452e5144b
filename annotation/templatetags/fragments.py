"""Parts of the judging page that are the same for many annotators: each is rendered once.

A criterion with its words, the passage and the guideline do not depend on the annotator. A fragment
shows only its arguments, which are immutable values: no request, no token and no user.
"""

from functools import lru_cache
from typing import Any

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

register = template.Library()


@register.simple_tag
def fragment(name: str, **parts: Any) -> SafeString:
    """Return a template rendered with the given parts and nothing else, in the language of the
    page."""
    return _rendered(name, get_language(), tuple(parts.items()))


@lru_cache(maxsize=1_000)
def _rendered(name: str, language: str | None, parts: tuple[tuple[str, Any], ...]) -> SafeString:
    return SafeString(render_to_string(name, dict(parts)))
