"""Addresses of the workshop, whose views are imported when they are first asked for.

They need numpy and every section of the report: a second of start-up, which a web process that
serves annotators should not spend.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import path


class Later:
    """A module of views that is not imported yet."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, view: str) -> Callable[..., HttpResponse]:
        def imported(request: HttpRequest, **parts: Any) -> HttpResponse:
            asked: HttpResponse = getattr(import_module(self._name), view)(request, **parts)
            return asked

        return imported


calibrations = Later("analysis.views.calibrations")
check_copies = Later("analysis.views.check_copies")
collection_reports = Later("analysis.views.collection_reports")
degradations = Later("analysis.views.degradations")
downloads = Later("analysis.views.downloads")
dry_runs = Later("analysis.views.dry_runs")
ended_uses = Later("analysis.views.ended_uses")
heds = Later("analysis.views.heds")
help = Later("analysis.views.help")
items = Later("analysis.views.items")
matching = Later("analysis.views.matching")
planning = Later("analysis.views.planning")
reports = Later("analysis.views.reports")
reproductions = Later("analysis.views.reproductions")
repeatability = Later("analysis.views.repeatability")
scoring = Later("analysis.views.scoring")
tuning = Later("analysis.views.tuning")

app_name = "analysis"
urlpatterns = [
    path("campaigns/<uuid:uuid>/report/", reports.report, name="report"),
    path("campaigns/<uuid:uuid>/report/run/", reports.start, name="start"),
    path("campaigns/<uuid:uuid>/report/compare/", reports.runs_side_by_side, name="side_by_side"),
    path("campaigns/<uuid:uuid>/rounds/<int:pk>/", calibrations.calibration, name="calibration"),
    path("campaigns/<uuid:uuid>/items/", items.campaign_items, name="items"),
    path("campaigns/<uuid:uuid>/items/keep/", items.keep, name="keep_example"),
    path("campaigns/<uuid:uuid>/items/<int:source>/", items.campaign_item, name="item"),
    path("collections/<int:pk>/items/", items.collection_items, name="collection_items"),
    path("collections/<int:pk>/items/<int:source>/", items.collection_item, name="collection_item"),
    path("campaigns/<uuid:uuid>/plan/checks/degraded/", check_copies.make, name="degraded_checks"),
    path("campaigns/<uuid:uuid>/planning/", planning.plan, name="planning"),
    path("campaigns/<uuid:uuid>/planning/run/", planning.start, name="planning_start"),
    path(
        "campaigns/<uuid:uuid>/planning/<uuid:job>/power-<slug:name>.svg",
        planning.figure,
        name="planning_figure",
    ),
    path(
        "campaigns/<uuid:uuid>/planning/<uuid:job>/power.csv", planning.table, name="planning_table"
    ),
    path("campaigns/<uuid:uuid>/dry-run/", dry_runs.dry_run, name="dry_run"),
    path("campaigns/<uuid:uuid>/dry-run.csv", dry_runs.table, name="dry_run_table"),
    path("campaigns/<uuid:uuid>/dry-run/start/", dry_runs.start, name="dry_run_start"),
    path("campaigns/<uuid:uuid>/dry-run/remove/", dry_runs.remove, name="dry_run_remove"),
    path("campaigns/<uuid:uuid>/tuning/", tuning.tuning, name="tuning"),
    path("campaigns/<uuid:uuid>/tuning/run/", tuning.start, name="tuning_start"),
    path("help/<slug:piece>/", help.statistics, name="help"),
    path("reproduce/", reproductions.ask, name="reproduce"),
    path("campaigns/<uuid:uuid>/heds3.json", heds.download, {"ending": "json"}, name="heds"),
    path("campaigns/<uuid:uuid>/heds3.md", heds.download, {"ending": "md"}, name="heds_text"),
    path("campaigns/<uuid:uuid>/reproduction/", repeatability.reproduction, name="reproduction"),
    path(
        "campaigns/<uuid:uuid>/reproduction/run/",
        repeatability.start,
        name="reproduction_start",
    ),
    path("campaigns/<uuid:uuid>/reproduction.csv", repeatability.table, name="reproduction_table"),
    path("campaigns/<uuid:uuid>/published/", reproductions.published, name="published"),
    path("collections/<int:pk>/report/", collection_reports.start, name="collection_report"),
    path(
        "collections/<int:pk>/uses/<int:user>/discard/",
        ended_uses.discard,
        name="ended_use_discard",
    ),
    path("collections/<int:pk>/degrade/", degradations.degrade, name="degrade"),
    path("collections/<int:pk>/metrics/", scoring.metrics, name="metrics"),
    path("collections/<int:pk>/metrics/run/", scoring.start, name="metrics_start"),
    path("collections/<int:pk>/metrics/systems/", scoring.add_systems, name="metrics_systems"),
    path("collections/<int:pk>/metrics/compare/", scoring.compare, name="metrics_compare"),
    path("collections/<int:pk>/metrics/matching/", matching.matching, name="matching"),
    path("collections/<int:pk>/metrics/matching/run/", matching.start, name="matching_start"),
    path(
        "collections/<int:pk>/metrics/matching/<uuid:job>.json",
        matching.document,
        name="matching_document",
    ),
    path(
        "collections/<int:pk>/metrics/matching/<uuid:job>/<slug:name>.svg",
        matching.figure,
        name="matching_figure",
    ),
    path("campaigns/<uuid:uuid>/runs/<int:number>/", reports.run_report, name="run"),
    path(
        "campaigns/<uuid:uuid>/runs/<int:number>/sections/<slug:key>/",
        reports.section,
        name="section",
    ),
    path(
        "campaigns/<uuid:uuid>/runs/<int:number>/figures/<slug:name>.svg",
        reports.figure,
        name="figure",
    ),
    path(
        "campaigns/<uuid:uuid>/runs/<int:number>/tables/<slug:name>.csv",
        downloads.table,
        name="table",
    ),
    path(
        "campaigns/<uuid:uuid>/runs/<int:number>/tables/<slug:name>.<slug:ending>",
        downloads.table_text,
        name="table_text",
    ),
    path("campaigns/<uuid:uuid>/runs/<int:number>/report.pdf", downloads.document, name="pdf"),
    path(
        "campaigns/<uuid:uuid>/runs/<int:number>/figures/<slug:name>.<slug:ending>",
        downloads.printed_figure,
        name="printed_figure",
    ),
    path(
        "campaigns/<uuid:uuid>/runs/<int:number>/report.json",
        downloads.everything,
        name="everything",
    ),
    path("campaigns/<uuid:uuid>/runs/<int:number>/report.zip", downloads.bundle, name="bundle"),
]
