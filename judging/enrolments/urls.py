"""Addresses of the pages of enrolments."""

from django.urls import path

from judging.enrolments.views import exit_forms

urlpatterns = [
    path("campaigns/<uuid:uuid>/plan/exit-form/", exit_forms.list_exit_questions, name="exit_form"),
    path(
        "campaigns/<uuid:uuid>/plan/exit-form/add/",
        exit_forms.add_exit_question_view,
        name="exit_question_add",
    ),
    path(
        "campaigns/<uuid:uuid>/plan/exit-form/<int:pk>/remove/",
        exit_forms.remove_exit_question_view,
        name="exit_question_remove",
    ),
    path(
        "campaigns/<uuid:uuid>/plan/exit-form/answers.csv",
        exit_forms.download_exit_answers,
        name="exit_answers",
    ),
]
