"""The common part of all guards: a decorator that passes a view the object it is about."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError
from django.http import Http404, HttpRequest, HttpResponse

View = Callable[..., HttpResponse]


def guard_by(
    find: Callable[[HttpRequest, Any], Any],
    *,
    key: str = "pk",
    after: Callable[[View], View] = login_required,
    prepare: Callable[[HttpRequest, Any], None] | None = None,
) -> Callable[[View], View]:
    """Return a decorator that passes a view what `find` returns for the key in the address.

    The response is 404 if that is None, or was deleted during the view. The guard `after` comes
    first; `prepare` is called with the request and the object before the view.
    """

    def guard(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            value = kwargs.pop(key)
            instance = find(request, value)
            if instance is None:
                raise Http404
            if prepare is not None:
                prepare(request, instance)
            try:
                return view(request, instance, *args, **kwargs)
            except (ObjectDoesNotExist, IntegrityError):
                if find(request, value) is None:
                    raise Http404 from None
                raise

        return after(guarded)

    return guard
