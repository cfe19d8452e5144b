"""Addresses of the pages of protocols."""

from django.urls import path

from judging.protocols.views import protocol_drafts, protocols

urlpatterns = [
    path("protocols/", protocols.list_protocols, name="rubrics"),
    path("protocols/new/", protocols.begin_protocol, name="rubric_new"),
    path("protocols/<int:pk>/", protocols.rubric, name="rubric"),
    path("protocols/<int:pk>/yaml/", protocols.download_protocol, name="rubric_file"),
    path("protocols/<int:pk>/copy/", protocols.copy_protocol, name="rubric_copy"),
    path("protocols/drafts/<int:pk>/", protocol_drafts.edit_protocol_draft, name="rubric_draft"),
    path("protocols/drafts/<int:pk>/yaml/", protocol_drafts.text, name="rubric_draft_yaml"),
    path(
        "protocols/drafts/<int:pk>/file/",
        protocol_drafts.download_protocol_draft,
        name="rubric_draft_file",
    ),
    path(
        "protocols/drafts/<int:pk>/discard/",
        protocol_drafts.discard_protocol_draft_view,
        name="rubric_draft_discard",
    ),
]
