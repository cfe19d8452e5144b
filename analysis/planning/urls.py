"""Addresses of the pages of planning."""

from django.urls import path

from judging.base.views.late_views import LateViews

dry_runs = LateViews("analysis.planning.views.dry_runs")
ended_uses = LateViews("analysis.planning.views.ended_uses")
heds = LateViews("analysis.planning.views.heds")
planning = LateViews("analysis.planning.views.planning")

urlpatterns = [
    path("campaigns/<uuid:uuid>/planning/", planning.plan, name="planning"),
    path("campaigns/<uuid:uuid>/planning/run/", planning.start, name="planning_start"),
    path(
        "campaigns/<uuid:uuid>/planning/<uuid:job>/power-<slug:name>.svg",
        planning.figure,
        name="planning_figure",
    ),
    path(
        "campaigns/<uuid:uuid>/planning/<uuid:job>/power.csv",
        planning.download_plan,
        name="planning_table",
    ),
    path("campaigns/<uuid:uuid>/dry-run/", dry_runs.dry_run, name="dry_run"),
    path(
        "campaigns/<uuid:uuid>/dry-run.csv", dry_runs.download_dry_run_pairs, name="dry_run_table"
    ),
    path("campaigns/<uuid:uuid>/dry-run/start/", dry_runs.start, name="dry_run_start"),
    path(
        "campaigns/<uuid:uuid>/dry-run/remove/", dry_runs.remove_dry_run_view, name="dry_run_remove"
    ),
    path(
        "campaigns/<uuid:uuid>/heds3.json", heds.download_datasheet, {"ending": "json"}, name="heds"
    ),
    path(
        "campaigns/<uuid:uuid>/heds3.md",
        heds.download_datasheet,
        {"ending": "md"},
        name="heds_text",
    ),
    path(
        "datasets/<int:pk>/uses/<int:user>/discard/",
        ended_uses.discard_unused_view,
        name="ended_use_discard",
    ),
]
