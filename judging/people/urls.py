"""Addresses of the pages of accounts."""

from django.urls import path

from judging.people.views import accounts as account_accounts
from judging.people.views import tokens, two_factor

urlpatterns = [
    path("accounts/", account_accounts.list_accounts, name="accounts"),
    path("confirm/", account_accounts.confirm_password, name="confirm"),
    path("two-factor/", two_factor.two_factor, name="two_factor"),
    path("tokens/", tokens.api_tokens, name="tokens"),
    path("tokens/<int:pk>/revoke/", tokens.revoke_token_view, name="token_revoke"),
    path("sessions/", tokens.sessions, name="sessions"),
    path("sessions/end/", tokens.end_sessions, name="end_sessions"),
    path("sessions/<int:pk>/end/", tokens.end_session, name="end_session"),
    path("accounts/<int:pk>/let-try/", account_accounts.end_log_in_pause, name="let_try"),
    path(
        "accounts/<int:pk>/two-factor/remove/",
        two_factor.turn_off_for_user,
        name="two_factor_remove",
    ),
]
