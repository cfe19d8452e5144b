"""The app behind each address. Accounts have plain names, because Django's own pages use them."""

from django.contrib.auth import views as auth
from django.urls import include, path
from django.views.generic import TemplateView
from django.views.i18n import set_language

from annotation.views import way_back
from judging.people.views.accounts import ChangedPassword, NewPassword
from judging.people.views.two_factor import log_in_code

handler404 = "config.bodies.not_found"
handler500 = "config.outages.broken"
urlpatterns = [
    path("", include("annotation.urls")),  # first, because every click of an annotator uses these
    path("login/", way_back.log_in, name="login"),
    path("login/code/", log_in_code, name="login_code"),
    path("logout/", way_back.log_out, name="logout"),
    path("password/", ChangedPassword.as_view(), name="password_change"),
    path("password/done/", auth.PasswordChangeDoneView.as_view(), name="password_change_done"),
    path(
        "password/forgotten/",
        TemplateView.as_view(template_name="registration/password_reset_form.html"),
        name="password_reset",
    ),
    path("password/new/<uidb64>/<token>/", NewPassword.as_view(), name="password_reset_confirm"),
    path(
        "password/new/done/",
        auth.PasswordResetCompleteView.as_view(),
        name="password_reset_complete",
    ),
    path("language/", set_language, name="set_language"),
    path("api/v1/", include("config.api")),
    path("", include("judging.urls")),
    path("", include("analysis.urls")),
]
