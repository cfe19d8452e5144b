"""Addresses of annotators' pages: random or signed if they must not be guessed, and never with a
key of the database."""

from django.urls import path

from annotation.views import (
    account,
    crowd,
    entry,
    exercises,
    exit_form,
    offline,
    preview,
    samples,
    start,
    tasks,
    withdrawal,
    work,
)

app_name = "annotation"
urlpatterns = [
    path("offline/", offline.offline, name="offline"),
    path("service-worker.js", offline.service_worker, name="service_worker"),
    path("work/", work.list_own_campaigns, name="home"),
    path("work/here/", work.note_presence, name="here"),
    path("work/account/", account.show_account, name="account"),
    path("join/crowd/<slug:key>/", crowd.admit_participant, name="crowd"),
    path("crowd/<slug:key>/events/", crowd.crowd_events, name="crowd_events"),
    path("join/<slug:token>/", entry.join_study, name="join"),
    path("go/<str:signed>/", entry.follow_personal_link, name="go"),
    path("work/<uuid:uuid>/", work.work, name="work"),
    path("work/<uuid:uuid>/decline/", work.decline_study, name="decline"),
    path("work/<uuid:uuid>/consent/", entry.consent, name="consent"),
    path("work/<uuid:uuid>/start/", start.show_start_page, name="start"),
    path("work/<uuid:uuid>/training/", exercises.training, name="training"),
    path("work/<uuid:uuid>/qualification/", exercises.qualification, name="qualification"),
    path("work/<uuid:uuid>/guideline/", work.show_whole_guideline, name="guideline"),
    path("work/<uuid:uuid>/pause/", work.pause, name="pause"),
    path("work/<uuid:uuid>/withdraw/", withdrawal.withdraw_from_study, name="withdraw"),
    path("work/<uuid:uuid>/done/", work.list_submitted_tasks, name="done"),
    path("work/<uuid:uuid>/questions/", exit_form.exit_form, name="exit_form"),
    path("work/<uuid:uuid>/again/", work.resubmit_tasks, name="hand_in_again"),
    path("work/<uuid:uuid>/link/", work.new_link, name="new_link"),
    path("tasks/<uuid:uuid>/", tasks.task, name="task"),
    path("tasks/<uuid:uuid>/draft/", tasks.store_answers, name="draft"),
    path("tasks/<uuid:uuid>/submit/", tasks.submit_page, name="submit"),
    path("campaigns/<uuid:uuid>/preview/", preview.preview_task, name="preview"),
    path("protocols/drafts/<int:pk>/preview/", samples.preview_protocol, name="protocol_preview"),
    path("protocols/drafts/<int:pk>/preview/pane/", samples.pane, name="protocol_pane"),
    path(
        "protocols/drafts/<int:pk>/preview/guideline/",
        samples.show_guideline,
        name="protocol_guideline",
    ),
]
