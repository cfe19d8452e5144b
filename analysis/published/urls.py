"""Addresses of the pages of published."""

from django.urls import path

from judging.base.views.late_views import LateViews

repeatability = LateViews("analysis.published.views.repeatability")
reproductions = LateViews("analysis.published.views.reproductions")

urlpatterns = [
    path("reproduce/", reproductions.upload_reproduction, name="reproduce"),
    path("campaigns/<uuid:uuid>/reproduction/", repeatability.reproduction, name="reproduction"),
    path(
        "campaigns/<uuid:uuid>/reproduction/run/",
        repeatability.start_comparison_view,
        name="reproduction_start",
    ),
    path(
        "campaigns/<uuid:uuid>/reproduction.csv",
        repeatability.download_comparison,
        name="reproduction_table",
    ),
    path("campaigns/<uuid:uuid>/published/", reproductions.published, name="published"),
]
