from django.apps import AppConfig


class Config(AppConfig):
    """The app that imports the others; no app imports it."""

    name = "config"

    def ready(self) -> None:
        """Load the queue, so that tasks are sent to the configured broker."""
        from config import celery  # noqa: F401
