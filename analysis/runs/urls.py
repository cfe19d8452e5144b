"""Addresses of the pages of runs."""

from django.urls import path

from judging.base.views.late_views import LateViews

dataset_reports = LateViews("analysis.runs.views.dataset_reports")
downloads = LateViews("analysis.runs.views.downloads")
help = LateViews("analysis.runs.views.help")
reports = LateViews("analysis.runs.views.reports")

urlpatterns = [
    path("campaigns/<uuid:uuid>/report/", reports.report, name="report"),
    path("campaigns/<uuid:uuid>/report/run/", reports.start_run_view, name="start"),
    path("campaigns/<uuid:uuid>/report/compare/", reports.runs_side_by_side, name="side_by_side"),
    path("help/<slug:piece>/", help.statistics, name="help"),
    path(
        "datasets/<int:pk>/report/",
        dataset_reports.start_dataset_report_view,
        name="dataset_report",
    ),
    path("campaigns/<uuid:uuid>/runs/<int:number>/", reports.run_report, name="run"),
    path(
        "campaigns/<uuid:uuid>/runs/<int:number>/sections/<slug:key>/",
        reports.section,
        name="section",
    ),
    path(
        "campaigns/<uuid:uuid>/runs/<int:number>/figures/<slug:name>.svg",
        reports.show_figure,
        name="figure",
    ),
    path(
        "campaigns/<uuid:uuid>/runs/<int:number>/tables/<slug:name>.csv",
        downloads.download_table,
        name="table",
    ),
    path(
        "campaigns/<uuid:uuid>/runs/<int:number>/tables/<slug:name>.<slug:ending>",
        downloads.table_text,
        name="table_text",
    ),
    path("campaigns/<uuid:uuid>/runs/<int:number>/report.pdf", downloads.download_pdf, name="pdf"),
    path(
        "campaigns/<uuid:uuid>/runs/<int:number>/figures/<slug:name>.<slug:ending>",
        downloads.download_figure,
        name="printed_figure",
    ),
    path(
        "campaigns/<uuid:uuid>/runs/<int:number>/report.json",
        downloads.everything,
        name="everything",
    ),
    path("campaigns/<uuid:uuid>/runs/<int:number>/report.zip", downloads.bundle, name="bundle"),
]
