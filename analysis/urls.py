"""Addresses of the pages of analysis, by subject."""

from django.urls import include, path

app_name = "analysis"
urlpatterns = [
    path("", include("analysis.runs.urls")),
    path("", include("analysis.evidence.urls")),
    path("", include("analysis.scoring.urls")),
    path("", include("analysis.planning.urls")),
    path("", include("analysis.published.urls")),
]
