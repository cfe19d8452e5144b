"""The Permissions-Policy header: no page uses the browser's devices."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

UNUSED = ("camera", "display-capture", "geolocation", "microphone", "payment", "usb")
POLICY = ", ".join(f"{feature}=()" for feature in UNUSED)


class BrowserPermissions:
    """Middleware that forbids these features to every page and to anything embedded in it."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self.answer(request)
        answer.headers["Permissions-Policy"] = POLICY
        return answer
