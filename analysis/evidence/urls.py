"""Addresses of the pages of evidence."""

from django.urls import path

from judging.base.views.late_views import LateViews

calibrations = LateViews("analysis.evidence.views.calibrations")
items = LateViews("analysis.evidence.views.items")

urlpatterns = [
    path("campaigns/<uuid:uuid>/rounds/<int:pk>/", calibrations.calibration, name="calibration"),
    path("campaigns/<uuid:uuid>/items/", items.campaign_items, name="items"),
    path("campaigns/<uuid:uuid>/items/keep/", items.keep_example_view, name="keep_example"),
    path("campaigns/<uuid:uuid>/items/<int:source>/", items.campaign_item, name="item"),
    path("datasets/<int:pk>/items/", items.dataset_items, name="dataset_items"),
    path("datasets/<int:pk>/items/<int:source>/", items.dataset_item, name="dataset_item"),
]
