"""Addresses of the pages of quality."""

from django.urls import path

from judging.quality.views import adjudications, checks, exercises, pay, quality

urlpatterns = [
    path("campaigns/<uuid:uuid>/plan/checks/", quality.plan_quality, name="quality"),
    path("campaigns/<uuid:uuid>/plan/checks/gold/", checks.gold, name="gold"),
    path("campaigns/<uuid:uuid>/plan/checks/gold/<int:pk>/", checks.correct, name="gold_correct"),
    path(
        "campaigns/<uuid:uuid>/plan/checks/<int:pk>/retire/",
        checks.retire_check_view,
        name="check_retire",
    ),
    path("campaigns/<uuid:uuid>/plan/pay/", pay.plan_pay, name="pay"),
    path("campaigns/<uuid:uuid>/plan/pay/top-ups.csv", pay.top_ups, name="top_ups"),
    path(
        "campaigns/<uuid:uuid>/exercises/rules/",
        exercises.set_qualification_rules,
        name="exercise_rules",
    ),
    path(
        "campaigns/<uuid:uuid>/exercises/<int:pk>/remove/",
        exercises.remove_exercise_view,
        name="exercise_remove",
    ),
    path(
        "campaigns/<uuid:uuid>/exercises/keys/<int:pk>/",
        exercises.edit_exercise_key,
        name="exercise_key",
    ),
    path(
        "campaigns/<uuid:uuid>/exercises/<slug:kind>/", exercises.list_exercises, name="exercises"
    ),
    path(
        "campaigns/<uuid:uuid>/exercises/<slug:kind>/add/",
        exercises.add_exercise_view,
        name="exercise_add",
    ),
    path("campaigns/<uuid:uuid>/adjudication/", adjudications.adjudication, name="adjudication"),
    path(
        "campaigns/<uuid:uuid>/adjudication/name/",
        adjudications.name_adjudicator_view,
        name="adjudicator",
    ),
    path("campaigns/<uuid:uuid>/settle/", adjudications.adjudicate_ratings, name="settle"),
    path(
        "campaigns/<uuid:uuid>/annotators/rules/",
        quality.apply_exclusion_rules,
        name="exclusion_rules",
    ),
    path(
        "campaigns/<uuid:uuid>/annotators/reopen/",
        quality.reopen_assignments_view,
        name="reopen_places",
    ),
    path("campaigns/<uuid:uuid>/annotators/<int:pk>/", quality.annotator, name="annotator"),
]
