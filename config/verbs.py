"""The page shown if an address that only accepts a form was opened without one."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


class Verbs:
    """Answers a refused GET, to which a log-in during a form leads, with a page; other methods are
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
