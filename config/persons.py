"""Tells whose request it is that a thread answers, as soon as that is known: `config.turns`."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from rest_framework.request import Request

from config import turns
from judging.actions.keys import KeyAuthentication
from judging.models import AccessKey, User


class Persons:
    """Stands after the log-in, before anything is noted or done."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated:
            turns.begin(request.user.pk)
        return self.answer(request)


class KeyOfPerson(KeyAuthentication):
    """Lets a program in by its key, which is somebody's."""

    def authenticate(self, request: Request) -> tuple[User, AccessKey] | None:
        found = super().authenticate(request)
        if found:
            turns.begin(found[0].pk)
        return found
