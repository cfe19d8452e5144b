"""Addresses of the workshop."""

from django.urls import path

from analysis import api
from analysis.views import (
    collection_reports,
    degradations,
    downloads,
    help,
    items,
    matching,
    planning,
    reports,
    reproductions,
    scoring,
    tuning,
)

app_name = "analysis"
urlpatterns = [
    path("api/campaigns/<uuid:uuid>/runs/", api.Runs.as_view(), name="api_runs"),
    path("api/campaigns/<uuid:uuid>/runs/<int:number>/", api.OneRun.as_view(), name="api_run"),
    path("campaigns/<uuid:uuid>/report/", reports.report, name="report"),
    path("campaigns/<uuid:uuid>/report/run/", reports.start, name="start"),
    path("campaigns/<uuid:uuid>/report/compare/", reports.runs_side_by_side, name="side_by_side"),
    path("campaigns/<uuid:uuid>/items/", items.campaign_items, name="items"),
    path("campaigns/<uuid:uuid>/items/keep/", items.keep, name="keep_example"),
    path("campaigns/<uuid:uuid>/items/<int:source>/", items.campaign_item, name="item"),
    path("collections/<int:pk>/items/", items.collection_items, name="collection_items"),
    path("collections/<int:pk>/items/<int:source>/", items.collection_item, name="collection_item"),
    path("campaigns/<uuid:uuid>/planning/", planning.plan, name="planning"),
    path("campaigns/<uuid:uuid>/planning/run/", planning.start, name="planning_start"),
    path("campaigns/<uuid:uuid>/planning/<uuid:pk>/power-<slug:ink>.svg", planning.figure, name="planning_figure"),
    path("campaigns/<uuid:uuid>/planning/<uuid:pk>/power.csv", planning.table, name="planning_table"),
    path("campaigns/<uuid:uuid>/tuning/", tuning.tuning, name="tuning"),
    path("campaigns/<uuid:uuid>/tuning/run/", tuning.start, name="tuning_start"),
    path("help/<slug:piece>/", help.statistics, name="help"),
    path("reproduce/", reproductions.ask, name="reproduce"),
    path("campaigns/<uuid:uuid>/published/", reproductions.published, name="published"),
    path("collections/<int:pk>/report/", collection_reports.start, name="collection_report"),
    path("collections/<int:pk>/degrade/", degradations.degrade, name="degrade"),
    path("collections/<int:pk>/metrics/", scoring.metrics, name="metrics"),
    path("collections/<int:pk>/metrics/run/", scoring.start, name="metrics_start"),
    path("collections/<int:pk>/metrics/systems/", scoring.add_systems, name="metrics_systems"),
    path("collections/<int:pk>/metrics/compare/", scoring.compare, name="metrics_compare"),
    path("collections/<int:pk>/metrics/matching/", matching.matching, name="matching"),
    path("collections/<int:pk>/metrics/matching/run/", matching.start, name="matching_start"),
    path("collections/<int:pk>/metrics/matching/<uuid:job>.json", matching.document, name="matching_document"),
    path("collections/<int:pk>/metrics/matching/<uuid:job>/<slug:name>.svg", matching.figure, name="matching_figure"),
    path("campaigns/<uuid:uuid>/runs/<int:number>/", reports.run_report, name="run"),
    path("campaigns/<uuid:uuid>/runs/<int:number>/figures/<slug:name>.svg", reports.figure, name="figure"),
    path("campaigns/<uuid:uuid>/runs/<int:number>/tables/<slug:name>.csv", downloads.table, name="table"),
    path("campaigns/<uuid:uuid>/runs/<int:number>/tables/<slug:name>.tex", downloads.table_latex, name="table_latex"),
    path("campaigns/<uuid:uuid>/runs/<int:number>/report.pdf", downloads.document, name="pdf"),
    path(
        "campaigns/<uuid:uuid>/runs/<int:number>/figures/<slug:name>.<slug:ending>",
        downloads.printed_figure,
        name="printed_figure",
    ),
    path("campaigns/<uuid:uuid>/runs/<int:number>/report.json", downloads.everything, name="everything"),
    path("campaigns/<uuid:uuid>/runs/<int:number>/report.zip", downloads.bundle, name="bundle"),
]
