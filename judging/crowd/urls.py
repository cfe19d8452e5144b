"""Addresses of the pages of crowd."""

from django.urls import path

from judging.crowd.views import crowd_platforms

urlpatterns = [
    path("campaigns/<uuid:uuid>/crowd/", crowd_platforms.edit_crowd_platform, name="crowd"),
]
