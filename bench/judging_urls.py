"""Addresses for bench/judging.py: the real site, and behind the same middleware a view that does
nothing."""

from django.http import HttpRequest, HttpResponse
from django.urls import include, path


def hello(request: HttpRequest) -> HttpResponse:
    return HttpResponse("hello", content_type="text/plain")


urlpatterns = [path("hello/", hello), path("", include("config.urls"))]
