"""Addresses of the pages of protocols."""

from django.urls import path

from judging.protocols.views import protocol_drafts, protocols

urlpatterns = [
    path("protocols/", protocols.list_protocols, name="protocols"),
    path("protocols/new/", protocols.begin_protocol, name="protocol_new"),
    path("protocols/<int:pk>/", protocols.protocol, name="protocol"),
    path("protocols/<int:pk>/yaml/", protocols.download_protocol, name="protocol_file"),
    path("protocols/<int:pk>/copy/", protocols.copy_protocol, name="protocol_copy"),
    path("protocols/drafts/<int:pk>/", protocol_drafts.edit_protocol_draft, name="protocol_draft"),
    path("protocols/drafts/<int:pk>/yaml/", protocol_drafts.text, name="protocol_draft_yaml"),
    path(
        "protocols/drafts/<int:pk>/file/",
        protocol_drafts.download_protocol_draft,
        name="protocol_draft_file",
    ),
    path(
        "protocols/drafts/<int:pk>/discard/",
        protocol_drafts.discard_protocol_draft_view,
        name="protocol_draft_discard",
    ),
]
