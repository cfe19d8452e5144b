"""The queue. A message is only a doorbell: the job's row in PostgreSQL is the truth."""

import os

from celery import Celery
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("quaestor")


def _filesystem() -> dict[str, object]:
    """Return transport options for the broker that needs no server: a folder."""
    folder = settings.BROKER_FOLDER
    for name in ("queue", "processed", "control"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return {
        "data_folder_in": str(folder / "queue"),
        "data_folder_out": str(folder / "queue"),
        "control_folder": str(folder / "control"),
        "store_processed": False,
    }


app.conf.update(
    broker_url=settings.CELERY_BROKER_URL,
    broker_transport_options=_filesystem() if settings.CELERY_BROKER_URL.startswith("filesystem") else {},
    broker_connection_retry_on_startup=True,
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    timezone="UTC",
    beat_schedule_filename=str(settings.HOME / "celerybeat-schedule"),
    beat_schedule={
        "sweep": {"task": "judging.sweep", "schedule": 5.0, "options": {"expires": 5}},
        "clear_sessions": {"task": "judging.clear_sessions", "schedule": 3600.0, "options": {"expires": 3600}},
    },
)
app.autodiscover_tasks(["judging", "analysis"])
