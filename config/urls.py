"""Which app answers which address."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("judging.urls")),
    path("", include("annotation.urls")),
    path("", include("analysis.urls")),
]
