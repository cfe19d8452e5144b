"""Addresses of the pages of scoring."""

from django.urls import path

from judging.base.views.late_views import LateViews

check_copies = LateViews("analysis.scoring.views.check_copies")
degradations = LateViews("analysis.scoring.views.degradations")
matching = LateViews("analysis.scoring.views.matching")
scoring = LateViews("analysis.scoring.views.scoring")
tuning = LateViews("analysis.scoring.views.tuning")

urlpatterns = [
    path(
        "campaigns/<uuid:uuid>/plan/checks/degraded/",
        check_copies.make_degraded_copies_view,
        name="degraded_checks",
    ),
    path("campaigns/<uuid:uuid>/tuning/", tuning.tuning, name="tuning"),
    path("campaigns/<uuid:uuid>/tuning/run/", tuning.start, name="tuning_start"),
    path("datasets/<int:pk>/degrade/", degradations.degrade_dataset_view, name="degrade"),
    path("datasets/<int:pk>/metrics/", scoring.show_metrics, name="metrics"),
    path("datasets/<int:pk>/metrics/run/", scoring.start, name="metrics_start"),
    path("datasets/<int:pk>/metrics/systems/", scoring.add_systems, name="metrics_systems"),
    path(
        "datasets/<int:pk>/metrics/compare/",
        scoring.compare_columns_view,
        name="metrics_compare",
    ),
    path("datasets/<int:pk>/metrics/matching/", matching.matching, name="matching"),
    path("datasets/<int:pk>/metrics/matching/run/", matching.start, name="matching_start"),
    path(
        "datasets/<int:pk>/metrics/matching/<uuid:job>.json",
        matching.download_matching,
        name="matching_document",
    ),
    path(
        "datasets/<int:pk>/metrics/matching/<uuid:job>/<slug:name>.svg",
        matching.figure,
        name="matching_figure",
    ),
]
