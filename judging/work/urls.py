"""Addresses of the pages of annotators' own systems."""

from django.urls import path

from judging.work.views import authorships

urlpatterns = [
    path(
        "campaigns/<uuid:uuid>/annotators/<int:pk>/systems/",
        authorships.store_authorship,
        name="own_systems",
    ),
]
