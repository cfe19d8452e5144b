"""Addresses of the pages of campaigns."""

from django.urls import path

from judging.campaigns.views import clones, draws, rounds, selection, webhooks

urlpatterns = [
    path("campaigns/<uuid:uuid>/plan/questions/", selection.edit_selection, name="selection"),
    path("campaigns/<uuid:uuid>/rounds/", rounds.list_rounds, name="rounds"),
    path("campaigns/<uuid:uuid>/rounds/begin/", rounds.start_round_view, name="round_begin"),
    path("campaigns/<uuid:uuid>/rounds/<int:pk>/end/", rounds.end_round_view, name="round_end"),
    path("campaigns/<uuid:uuid>/rounds/<int:pk>/notes/", rounds.notes, name="round_notes"),
    path("campaigns/<uuid:uuid>/rounds/<int:pk>/decide/", rounds.adopt_decisions, name="decide"),
    path("campaigns/<uuid:uuid>/reproduce/", clones.clone_study_view, name="clone"),
    path("campaigns/<uuid:uuid>/draws.json", draws.download_draws, name="draws"),
    path("campaigns/<uuid:uuid>/draws/reveal/", draws.reveal_secret_view, name="reveal_draws"),
    path("campaigns/<uuid:uuid>/webhooks/", webhooks.list_webhooks, name="webhooks"),
    path("campaigns/<uuid:uuid>/webhooks/add/", webhooks.create_webhook_view, name="webhook_add"),
    path(
        "campaigns/<uuid:uuid>/webhooks/<int:pk>/ping/",
        webhooks.send_test_message,
        name="webhook_ping",
    ),
    path("campaigns/<uuid:uuid>/webhooks/<int:pk>/switch/", webhooks.switch, name="webhook_switch"),
    path(
        "campaigns/<uuid:uuid>/webhooks/<int:pk>/secret/",
        webhooks.replace_secret_view,
        name="webhook_secret",
    ),
    path(
        "campaigns/<uuid:uuid>/webhooks/<int:pk>/delete/",
        webhooks.delete_webhook_view,
        name="webhook_delete",
    ),
    path(
        "campaigns/<uuid:uuid>/webhooks/deliveries/<uuid:pk>/again/",
        webhooks.resend_message_view,
        name="webhook_send_again",
    ),
]
