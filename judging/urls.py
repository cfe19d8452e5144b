"""Addresses of the ground: accounts, collections, campaigns, jobs."""

from django.urls import path

from judging.views import accounts, campaigns, collections, exports, imports, jobs

app_name = "judging"
urlpatterns = [
    path("", accounts.home, name="home"),
    path("accounts/", accounts.index, name="accounts"),
    path("accounts/new/", accounts.new, name="account_new"),
    path("accounts/<int:pk>/", accounts.account, name="account"),
    path("accounts/<int:pk>/password-link/", accounts.password_link, name="password_link"),
    path("collections/", collections.index, name="collections"),
    path("collections/import/", imports.upload, name="import"),
    path("collections/import/<int:pk>/columns/", imports.columns, name="import_columns"),
    path("collections/import/<int:pk>/reading/", imports.take_apart, name="import_reading"),
    path("collections/import/<int:pk>/preview/", imports.preview, name="import_preview"),
    path("collections/import/<int:pk>/starts/", imports.starts, name="import_starts"),
    path("collections/import/<int:pk>/confirm/", imports.confirm, name="import_confirm"),
    path("collections/<int:pk>/", collections.collection, name="collection"),
    path("collections/<int:pk>/quarantine.csv", collections.quarantine, name="quarantine"),
    path("jobs/<uuid:pk>/", jobs.job, name="job"),
    path("jobs/<uuid:pk>/cancel/", jobs.cancel, name="job_cancel"),
    path("campaigns/", campaigns.index, name="campaigns"),
    path("campaigns/new/", campaigns.new, name="campaign_new"),
    path("campaigns/<uuid:uuid>/", campaigns.overview, name="campaign"),
    path("campaigns/<uuid:uuid>/plan/", campaigns.plan, name="plan"),
    path("campaigns/<uuid:uuid>/amend/", campaigns.amend, name="amend"),
    path("campaigns/<uuid:uuid>/lock/", campaigns.lock, name="lock"),
    path("campaigns/<uuid:uuid>/open/", campaigns.open_, name="open"),
    path("campaigns/<uuid:uuid>/pause/", campaigns.move, {"to": "paused"}, name="pause"),
    path("campaigns/<uuid:uuid>/close/", campaigns.move, {"to": "closed"}, name="close"),
    path("campaigns/<uuid:uuid>/archive/", campaigns.move, {"to": "archived"}, name="archive"),
    path("campaigns/<uuid:uuid>/tasks/", campaigns.task_list, name="tasks"),
    path("campaigns/<uuid:uuid>/export/codebook.csv", exports.codebook, name="codebook"),
    path("campaigns/<uuid:uuid>/export/<slug:key>/", exports.judgments, name="export"),
    path("campaigns/<uuid:uuid>/exclude/", campaigns.exclude, name="exclude"),
    path("campaigns/<uuid:uuid>/annotators/", campaigns.annotators, name="annotators"),
    path("campaigns/<uuid:uuid>/invitations/", campaigns.invite, name="invite"),
    path("campaigns/<uuid:uuid>/invitations/<int:pk>/revoke/", campaigns.revoke, name="revoke"),
    path("campaigns/<uuid:uuid>/members/", campaigns.add_member, name="add_member"),
    path("campaigns/<uuid:uuid>/members/<int:pk>/remove/", campaigns.remove_member, name="remove_member"),
]
