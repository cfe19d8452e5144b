"""Tells whose request it is that a thread answers, as soon as that is known: `config.turns`."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.urls import Resolver404, resolve
from rest_framework.request import Request

from config import turns
from config.turns import OutOfTurn
from judging.actions.keys import KeyAuthentication
from judging.models import AccessKey, User

# By which somebody ends what others do with their account, and what leads there: whoever has stolen a
# session could keep them from it as long as they hold all their turns.
ENDS_OTHERS = {
    "judging:sessions",
    "judging:end_sessions",
    "judging:end_session",
    "judging:key_revoke",
    "judging:confirm",
    "password_change",
    "logout",
}


class Persons:
    """Stands after the log-in, before anything is noted or done."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated:
            try:
                turns.begin(request.user.pk)
            except OutOfTurn:
                if not _ends_others(request):
                    raise
        return self.answer(request)


def _ends_others(request: HttpRequest) -> bool:
    try:
        return resolve(request.path_info).view_name in ENDS_OTHERS
    except Resolver404:
        return False


class KeyOfPerson(KeyAuthentication):
    """Lets a program in by its key, which is somebody's."""

    def authenticate(self, request: Request) -> tuple[User, AccessKey] | None:
        found = super().authenticate(request)
        if found:
            turns.begin(found[0].pk)
        return found
