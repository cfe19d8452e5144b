"""Addresses of the pages of imports."""

from django.urls import path

from judging.imports.views import exports
from judging.imports.views import files as file_views

urlpatterns = [
    path("datasets/new/", file_views.create_dataset_view, name="dataset_new"),
    path("datasets/<int:pk>/systems/", file_views.edit_systems, name="systems"),
    path(
        "datasets/<int:pk>/systems/undo/<int:change>/",
        file_views.undo_systems,
        name="systems_undo",
    ),
    path("datasets/<int:pk>/files/", file_views.list_files, name="files"),
    path("datasets/<int:pk>/files/upload/", file_views.upload_files, name="files_upload"),
    path("datasets/<int:pk>/files/preview/", file_views.preview_all, name="files_preview"),
    path("datasets/<int:pk>/files/add/", file_views.add_files_view, name="files_add"),
    path("datasets/<int:pk>/files/<int:number>/", file_views.file, name="file"),
    path("datasets/<int:pk>/files/<int:number>/mapping/", file_views.mapping, name="file_mapping"),
    path(
        "datasets/<int:pk>/files/<int:number>/choices/",
        file_views.choose_matching_view,
        name="file_choices",
    ),
    path("datasets/<int:pk>/files/<int:number>/starts/", file_views.starts, name="file_starts"),
    path(
        "datasets/<int:pk>/files/<int:number>/take-back/",
        file_views.take_file_back,
        name="file_take_back",
    ),
    path(
        "datasets/<int:pk>/files/<int:number>/discard/",
        file_views.discard_file_view,
        name="file_discard",
    ),
    path("datasets/<int:pk>/files/<int:number>/ids.csv", file_views.ids, name="file_ids"),
    path("datasets/<int:pk>/files/<int:number>/rows/", file_views.list_file_rows, name="file_rows"),
    path(
        "datasets/<int:pk>/files/<int:number>/rows.csv",
        file_views.download_undecided_rows,
        name="file_examples",
    ),
    path("campaigns/<uuid:uuid>/export/codebook.csv", exports.codebook, name="codebook"),
    path(
        "campaigns/<uuid:uuid>/export/label-studio.xml", exports.label_studio, name="label_studio"
    ),
    path("campaigns/<uuid:uuid>/export/<slug:key>/", exports.judgments, name="export"),
]
