"""Addresses of managers' pages, by subject."""

from django.urls import include, path

app_name = "judging"
urlpatterns = [
    path("", include("judging.overview.urls")),
    path("", include("judging.people.urls")),
    path("", include("judging.imports.urls")),
    path("", include("judging.protocols.urls")),
    path("", include("judging.jobs.urls")),
    path("", include("judging.quality.urls")),
    path("", include("judging.enrolments.urls")),
    path("", include("judging.campaigns.urls")),
    path("", include("judging.llm_judges.urls")),
    path("", include("judging.crowd.urls")),
    path("", include("judging.work.urls")),
]
