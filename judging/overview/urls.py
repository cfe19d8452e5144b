"""Addresses of the pages of overview."""

from django.urls import path

from judging.overview.views import accounts as overview_accounts
from judging.overview.views import (
    campaigns,
    datasets,
    erasures,
    history,
    live,
    plans,
    preregistration,
)

urlpatterns = [
    path("", overview_accounts.redirect_to_work, name="home"),
    path("history/", history.site, name="site_history"),
    path("history/history.csv", history.site_table, name="site_history_table"),
    path("accounts/new/", overview_accounts.create_account, name="account_new"),
    path("accounts/<int:pk>/", overview_accounts.edit_account, name="account"),
    path(
        "accounts/<int:pk>/password-link/",
        overview_accounts.show_password_link,
        name="password_link",
    ),
    path(
        "accounts/<int:pk>/hand-over/",
        overview_accounts.transfer_all_work,
        name="account_hand_over",
    ),
    path("datasets/", datasets.list_datasets, name="datasets"),
    path("datasets/<int:pk>/", datasets.dataset, name="dataset"),
    path(
        "datasets/<int:pk>/scores/<int:metric>/remove/",
        datasets.remove_scores_view,
        name="scores_remove",
    ),
    path("datasets/<int:pk>/delete/", datasets.delete_dataset_view, name="dataset_delete"),
    path(
        "datasets/<int:pk>/hand-over/",
        datasets.transfer_dataset_view,
        name="dataset_hand_over",
    ),
    path("datasets/<int:pk>/share/", datasets.share_dataset_view, name="dataset_share"),
    path(
        "datasets/<int:pk>/uses/<int:user>/end/",
        datasets.end_use_view,
        name="dataset_end_use",
    ),
    path("datasets/<int:pk>/quarantine.csv", datasets.download_quarantine, name="quarantine"),
    path("campaigns/", campaigns.list_campaigns, name="campaigns"),
    path("campaigns/new/", plans.create_draft_view, name="campaign_new"),
    path("campaigns/<uuid:uuid>/", campaigns.overview, name="campaign"),
    path("campaigns/<uuid:uuid>/now/", live.show_live_part, name="now"),
    path("campaigns/<uuid:uuid>/plan/", plans.show_plan, name="plan"),
    path("campaigns/<uuid:uuid>/plan/hypotheses/", plans.declarations, name="declarations"),
    path("campaigns/<uuid:uuid>/plan/parts/<slug:part>/", plans.plan_part, name="plan_part"),
    path("campaigns/<uuid:uuid>/amend/", plans.amend_plan, name="amend"),
    path("campaigns/<uuid:uuid>/duplicate/", campaigns.duplicate_campaign_view, name="duplicate"),
    path("campaigns/<uuid:uuid>/discard/", campaigns.discard_draft_view, name="discard"),
    path("campaigns/<uuid:uuid>/lock/", plans.lock_plan_view, name="lock"),
    path("campaigns/<uuid:uuid>/launch/", plans.launch_campaign, name="launch"),
    path("campaigns/<uuid:uuid>/open/", campaigns.open_campaign_view, name="open"),
    path(
        "campaigns/<uuid:uuid>/pause/", campaigns.move_campaign_view, {"to": "paused"}, name="pause"
    ),
    path(
        "campaigns/<uuid:uuid>/close/", campaigns.move_campaign_view, {"to": "closed"}, name="close"
    ),
    path(
        "campaigns/<uuid:uuid>/archive/",
        campaigns.move_campaign_view,
        {"to": "archived"},
        name="archive",
    ),
    path("campaigns/<uuid:uuid>/history/", history.campaign, name="history"),
    path("campaigns/<uuid:uuid>/history.csv", history.campaign_table, name="history_table"),
    path(
        "campaigns/<uuid:uuid>/preregistration.md",
        preregistration.download_preregistration,
        {"ending": "md"},
        name="preregistration",
    ),
    path(
        "campaigns/<uuid:uuid>/preregistration.json",
        preregistration.download_preregistration,
        {"ending": "json"},
        name="preregistration_json",
    ),
    path("campaigns/<uuid:uuid>/tasks/", campaigns.task_list, name="tasks"),
    path("campaigns/<uuid:uuid>/exclude/", campaigns.change_exclusion, name="exclude"),
    path("campaigns/<uuid:uuid>/annotators/", campaigns.annotators, name="annotators"),
    path(
        "campaigns/<uuid:uuid>/annotators/<int:pk>/erase/",
        erasures.erase_annotator_view,
        name="erase",
    ),
    path("campaigns/<uuid:uuid>/invitations/", campaigns.create_invitation_view, name="invite"),
    path(
        "campaigns/<uuid:uuid>/invitations/<int:pk>/revoke/",
        campaigns.revoke_invitation_view,
        name="revoke",
    ),
    path(
        "campaigns/<uuid:uuid>/invitations/<int:pk>/undo/",
        campaigns.undo_joins_view,
        name="undo_joins",
    ),
    path("campaigns/<uuid:uuid>/members/", campaigns.add_member_view, name="add_member"),
    path(
        "campaigns/<uuid:uuid>/members/<int:pk>/remove/",
        campaigns.remove_member_view,
        name="remove_member",
    ),
]
