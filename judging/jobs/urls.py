"""Addresses of the pages of jobs."""

from django.urls import path

from judging.jobs.views import jobs

urlpatterns = [
    path("jobs/", jobs.header, name="header_jobs"),
    path("jobs/<uuid:pk>/", jobs.job, name="job"),
    path("jobs/<uuid:pk>/cancel/", jobs.cancel_job_view, name="job_cancel"),
]
