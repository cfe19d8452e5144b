"""What a page says where an address that only takes a form was opened without one."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


class Verbs:
    """Gives a page to a refused GET, which a log-in in the middle of a form leads to; others are
    refused without one."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self.answer(request)
        if answer.status_code != 405 or request.method != "GET" or answer.content:
            return answer
        page = render(request, "405.html", status=405)
        page.headers["Allow"] = answer.headers["Allow"]
        return page
