"""Refusals of actions on pages."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.forms import BaseForm
from django.http import HttpRequest

from judging.base.refusals import Refused


@contextmanager
def refusals_shown(where: HttpRequest | BaseForm) -> Iterator[None]:
    """Run a block up to the refusal of an action, whose sentence becomes a message of the page, or
    an error of the form; both keep the code."""
    try:
        yield
    except Refused as refused:
        if isinstance(where, HttpRequest):
            messages.error(where, str(refused), extra_tags=refused.code)
        else:
            names = getattr(where, "input_names", {})  # those of fields that have another name here
            field = names.get(refused.field, refused.field)
            field = field if field in where.fields else None
            where.add_error(field, ValidationError(str(refused), code=refused.code))
